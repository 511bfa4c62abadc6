"""The pydantic model: an ordinary BaseModel, also as a type, a field and a base of others."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
from search_model import MODEL, SCHEMA, SEARCH

from schema2model import compile_schema


def test_it_is_an_ordinary_model() -> None:
    """Frameworks recognise it as what it is."""
    assert isinstance(MODEL, type)
    assert issubclass(MODEL, BaseModel)
    assert MODEL.__name__ == "search"
    assert MODEL.__doc__ == "Finds things."
    assert MODEL is SEARCH.model


DEFINED_INTEGER, DEFINED_FLAG = (
    {
        "type": "object",
        "title": kind,
        "properties": {"x": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"type": kind}},
    }
    for kind in ("integer", "boolean")
)


def test_models_are_fields_of_models() -> None:
    """Two models with definitions of the same name keep them apart."""
    first, second = compile_schema(DEFINED_INTEGER).model, compile_schema(DEFINED_FLAG).model
    outer: Any = create_model("Outer", a=(first, ...), b=(second, ...), c=(first | None, None))
    instance = outer.model_validate({"a": {"x": "1"}, "b": '{"x": "1"}'})
    assert instance.model_dump() == {"a": {"x": 1}, "b": {"x": True}, "c": None}
    assert json.loads(instance.model_dump_json())["b"] == {"x": True}
    assert isinstance(instance.a, first)
    assert outer.model_validate_json('{"a": {"x": "1"}, "b": {"x": "no"}}').b.x is False
    with pytest.raises(ValidationError) as raised:
        outer.model_validate({"a": {"x": "y"}, "b": {}})
    assert raised.value.errors()[0]["loc"][0] == "a"
    assert '"integer"' in json.dumps(outer.model_json_schema())


def test_models_are_types() -> None:
    """A TypeAdapter takes them, alone and in containers."""
    listed = TypeAdapter(list[MODEL])  # type: ignore[valid-type]
    (item,) = listed.validate_python([{"query": "x", "limit": "1"}])
    assert item.limit == 1
    assert listed.dump_python([item]) == [{"query": "x", "limit": 1}]
    assert json.loads(listed.dump_json([item])) == [{"query": "x", "limit": 1}]
    assert TypeAdapter(MODEL).validate_json('{"query": "x"}').query == "x"
    assert TypeAdapter(MODEL).json_schema()["properties"] == SCHEMA["properties"]


def test_rebuilding_changes_nothing() -> None:
    """Frameworks call `model_rebuild` on what they are given."""
    model = compile_schema({**SCHEMA, "title": "rebuilt"}).model
    model.model_rebuild(force=True)
    assert model.model_validate({"query": "x", "limit": "5"}).limit == 5


def test_subclasses_keep_the_schema() -> None:
    """A subclass may add methods."""

    class Search(MODEL):  # type: ignore[misc, valid-type]
        def words(self) -> list[str]:
            return str(self.query).split()

    instance = Search.model_validate({"query": "a b", "limit": "5"})
    assert isinstance(instance, Search)
    assert instance.words() == ["a", "b"]
    assert instance.model_dump() == {"query": "a b", "limit": 5}
    assert list(Search.model_fields) == list(MODEL.model_fields)


def test_threads_share_a_model() -> None:
    """The first calls may come at the same time."""
    compiled = compile_schema({**SCHEMA, "title": "shared"})

    def call(number: int) -> Any:
        return compiled.model.model_validate({"query": "x", "limit": str(number)}).limit

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(call, range(1, 99))) == list(range(1, 99))
    assert compiled.model is compiled.model
