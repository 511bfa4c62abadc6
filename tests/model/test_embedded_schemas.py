"""Compiled models within the JSON Schemas that pydantic writes, with all that they refer to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from corruptions import INTEGER, STRING
from hypothesis import assume, given, strategies as st
from pydantic import TypeAdapter, create_model
from pydantic_core import core_schema as cs
from strategies import calls

from schema2model import SchemaError, compile_schema


@given(st.data())
def test_an_embedded_schema_means_the_same(data: st.DataObject) -> None:
    """Wherever pydantic puts it and its definitions."""
    schema, values = data.draw(calls())
    try:
        compiled = compile_schema(schema)
    except SchemaError:
        assume(condition=False)
    made = compile_schema(TypeAdapter(list[compiled.model]).json_schema())  # type: ignore[name-defined]
    for value in values:
        assert made.is_valid([value]) == compiled.is_valid(value)


DATA: dict[str, Any] = {
    "a default": {"properties": {"a": {"default": {"$ref": "#/nowhere"}}}},
    "a choice": {"properties": {"a": {"enum": [{"$ref": "x"}, {"$ref": 5}]}}},
    "a constant": {"const": {"b": [{"$ref": ""}]}},
    "an example": {"examples": [{"$ref": "#/$defs/x"}]},
    "a property": {"properties": {"$ref": {"type": "string"}}, "required": ["$ref"]},
    "a definition": {"properties": {"a": {"$ref": "#/$defs/$ref"}}, "$defs": {"$ref": INTEGER}},
}


@pytest.mark.parametrize("schema", DATA.values(), ids=DATA)
def test_data_may_be_called_as_references_are(schema: Any) -> None:
    """Nobody looks for what they lead to, and they stay as they are."""
    model = compile_schema({"title": "Data", **schema}).model
    alone, listed = TypeAdapter(model).json_schema(), TypeAdapter(list[model]).json_schema()  # type: ignore[valid-type]
    outer = create_model("Outer", a=(model, ...), b=(model | None, None)).model_json_schema()
    for made in (alone, listed["$defs"]["Data"], outer["$defs"]["Data"]):
        if "$defs" not in schema:
            assert {"title": "Data", **schema} == made or schema.items() <= made.items()
    json.dumps([alone, listed, outer])


def test_pydantic_would_look_for_what_data_leads_to() -> None:
    """Its `get_json_ref_counts` fails for such data as it is; then `_ForeignReference` may go."""
    made = compile_schema({"title": "Data", **DATA["a default"]}).model
    plain = json.loads(json.dumps(TypeAdapter(made).json_schema()))

    class Data:
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> cs.CoreSchema:
            return cs.any_schema(metadata={"pydantic_js_functions": [lambda _core, _next: plain]})

    with pytest.raises(KeyError, match="#/nowhere") as caught:
        TypeAdapter(Data).json_schema()
    assert "get_json_ref_counts" in {entry.name for entry in caught.traceback}


UNUSUAL: dict[str, Any] = {
    "an anchor": {"$ref": "#here", "$defs": {"a": {"$anchor": "here", "type": "object"}}},
    "an identifier within": {
        "properties": {"a": {"$ref": "https://example.com/a"}},
        "$defs": {"a": {"$id": "https://example.com/a", "type": "integer"}},
    },
    "a dynamic reference": {
        "$dynamicAnchor": "node",
        "properties": {"next": {"$dynamicRef": "#node"}},
    },
    "everything": True,
    "nothing": False,
    "a chain": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": INTEGER}},
    "itself": {"type": "object", "additionalProperties": {"$ref": "#"}},
    "nothing but itself": {"$ref": "#"},
    "itself, and more": {"allOf": [{"$ref": "#"}], "type": "object"},
    "a definition of itself": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
    "a word of earlier drafts": {"additionalItems": {"$ref": "#"}},
}


@pytest.mark.parametrize("schema", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_schemas_are_embedded_too(schema: Any) -> None:
    """In whatever way means the same."""
    model = compile_schema(schema).model
    for made in (TypeAdapter(model).json_schema(), TypeAdapter(list[model]).json_schema()):  # type: ignore[valid-type]
        valid = compile_schema(made)
        for value in ({}, {"a": 1}, 1, {"next": {"next": {}}}, "x"):
            sent = [value] if made.get("type") == "array" else value
            assert valid.is_valid(sent) == compile_schema(schema).is_valid(value)


def test_definitions_keep_their_names_and_what_they_say() -> None:
    """Also those that no attribute leads to, and those that refer to another."""
    thing = {"type": "object", "properties": {"a": STRING}}
    schema: dict[str, Any] = {
        "title": "Outer",
        "properties": {"direct": {"$ref": "#/$defs/Thing"}, "named": {"$ref": "#/$defs/Named"}},
        "if": {"required": ["direct"]},
        "then": {"not": {"$ref": "#/$defs/Never"}},
        "$defs": {
            "Thing": thing,
            "Named": {"description": "Another name.", "allOf": [{"$ref": "#/$defs/Thing"}]},
            "Never": {**thing, "required": ["a"]},
        },
    }
    made = TypeAdapter(list[compile_schema(schema).model]).json_schema()["$defs"]  # type: ignore[misc]
    assert made == {
        "Outer": {name: said for name, said in schema.items() if name != "$defs"},
        **schema["$defs"],
    }
