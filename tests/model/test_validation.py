"""What a compiled model makes of arguments, text and objects, with each option, and its errors."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from types import SimpleNamespace
from typing import Any

import pytest
from corruptions import TOOLS, corrupted
from hypothesis import given, strategies as st
from oracle import same
from pydantic import BaseModel, TypeAdapter, ValidationError
from search_model import INTEGER, MODEL, STRING

from schema2model import ToolError, compile_schema


def test_values_are_plain() -> None:
    """Nested objects are dumped as dicts, absent stays absent, undeclared is kept."""
    sent = {"query": "x", "inner": '{"a": "1"}', "more": {"b": [1]}}
    instance = MODEL.model_validate(sent)
    assert instance.model_dump() == {"query": "x", "inner": {"a": 1}, "more": {"b": [1]}}
    assert instance.inner.a == 1
    assert instance.model_dump() == {"query": "x", "inner": {"a": 1}, "more": {"b": [1]}}
    assert instance.model_fields_set == {"query", "inner", "more"}
    assert instance.model_extra == {"more": {"b": [1]}}


def test_text_is_repaired() -> None:
    """`model_validate_json` reads what `validate_json` reads."""
    assert MODEL.model_validate_json("{query: 'x', limit: '5',}").model_dump() == {
        "query": "x",
        "limit": 5,
    }
    assert MODEL.model_validate_json(b'```json\n{"query": "x"}\n```').query == "x"
    with pytest.raises(ValidationError, match="cut off inside a string"):
        MODEL.model_validate_json('{"query": "x')


def test_errors_have_pydantics_shape() -> None:
    """One line for each problem: where, with indices as numbers, and in the words of ToolError."""
    with pytest.raises(ValidationError) as raised:
        MODEL.model_validate({"query": 5, "limit": 0, "tags": ["a", {}], "inner": {"a": "x"}})
    assert raised.value.title == "search"
    assert [(error["loc"], error["msg"]) for error in raised.value.errors()] == [
        (
            ("limit",),
            "must be an integer of at least 1 and less than 100, not 0",
        ),
        (("tags", 1), "must be a string, not {}"),
        (("inner", "a"), 'must be an integer, without quotes, not "x"'),
    ]
    assert {error["ctx"]["keyword"] for error in raised.value.errors()} == {"minimum", "type"}


def test_locations_are_not_escaped() -> None:
    """A location is made of keys, not of JSON Pointer tokens."""
    schema = {"properties": {"a/b": {"properties": {"c~d": INTEGER, "0": INTEGER}}}}
    with pytest.raises(ValidationError) as raised:
        compile_schema(schema).model.model_validate({"a/b": {"c~d": "x", "0": "x"}})
    assert [error["loc"] for error in raised.value.errors()] == [("a/b", "c~d"), ("a/b", "0")]


@given(st.data())
def test_one_meaning(data: st.DataObject) -> None:
    """`model_validate(x).model_dump()` is `validate(x)`, and an error where that is one."""
    tool = data.draw(st.sampled_from(TOOLS))
    compiled = compile_schema(tool.schema)
    sent = data.draw(corrupted(tool))
    try:
        result = compiled.validate(sent)
    except ToolError:
        with pytest.raises(ValidationError):
            compiled.model.model_validate(sent)
        return
    instance = compiled.model.model_validate(sent)
    assert same(instance.model_dump(), result)
    assert same(json.loads(instance.model_dump_json()), result)
    assert compiled.model.model_validate(instance.model_dump()) == instance


ROOTS: dict[str, tuple[Any, Any, Any]] = {
    "array": ({"type": "array", "items": INTEGER}, '["1"]', [1]),
    "string": (STRING, 5, "5"),
    "null": ({"type": "null"}, "None", None),
    "boolean": ({"type": "boolean"}, "no", False),
    "union": ({"anyOf": [INTEGER, {"type": "null"}]}, "5", 5),
    "union with an object": ({"anyOf": [INTEGER, {"type": "object"}]}, '{"a": 1}', {"a": 1}),
    "anything, an object": ({}, {"root": 1}, {"root": 1}),
    "anything, a list": ({}, [1], [1]),
    "anything, empty": (True, {}, {}),
    "no type": ({"properties": {"a": INTEGER}}, [1], [1]),
}


@pytest.mark.parametrize(("schema", "sent", "read"), ROOTS.values(), ids=ROOTS)
def test_any_root_will_do(schema: Any, sent: Any, read: Any) -> None:
    """Where the arguments are no object, the instance dumps what they are."""
    model = compile_schema(schema).model
    instance = model.model_validate(sent)
    assert instance.model_dump() == read
    assert json.loads(instance.model_dump_json()) == read
    assert instance == model.model_validate(read)
    for again in (
        pickle.loads(pickle.dumps(instance)),  # noqa: S301 - our own bytes
        copy.copy(instance),
        copy.deepcopy(instance),
        instance.model_copy(),
    ):
        assert again == instance
        assert again.model_dump() == read
    assert isinstance(repr(instance), str)
    if not isinstance(read, dict):
        assert instance.root == read
        assert instance.model_fields_set == set()


def test_validation_options_are_taken() -> None:
    """Those of pydantic's methods are accepted, and change nothing where they have no place."""
    text = '{"query": "x", "limit": "5"}'
    for method, sent in (("model_validate", json.loads(text)), ("model_validate_json", text)):
        validate = getattr(MODEL, method)
        names = {*list(inspect.signature(getattr(BaseModel, method)).parameters)[1:]}
        assert {"strict", "extra"} < names
        for name in names - {"strict", "extra"}:
            assert validate(sent, **{name: True}).limit == 5
        assert validate(sent, strict=False, extra=None).limit == 5


@pytest.mark.parametrize("method", ["model_validate", "model_validate_json"])
def test_strict_validation_does_not_coerce(method: str) -> None:
    """As with `coercion="off"`: what is valid as it stands, and nothing else."""

    def validate(sent: Any) -> Any:
        given = json.dumps(sent) if method == "model_validate_json" else sent
        return getattr(MODEL, method)(given, strict=True)

    assert validate({"query": "x", "limit": 5}).limit == 5
    with pytest.raises(ValidationError) as raised:
        validate({"query": "x", "limit": "5"})
    assert [(e["loc"], e["type"]) for e in raised.value.errors()] == [(("limit",), "int_type")]
    with pytest.raises(ValidationError):
        MODEL.model_validate_json("{query: 'x'}", strict=True)


@pytest.mark.parametrize("extra", ["allow", "ignore", "forbid"])
def test_what_the_schema_says_is_not_asked_again(extra: Any) -> None:
    """`extra` would be ignored, so it is refused."""
    with pytest.raises(TypeError, match="additionalProperties"):
        MODEL.model_validate({"query": "x"}, extra=extra)
    with pytest.raises(TypeError, match="additionalProperties"):
        MODEL.model_validate_json('{"query": "x"}', extra=extra)


@pytest.mark.parametrize("options", [{"strikt": True}, {"coercion": "off"}], ids=str)
def test_unknown_options_are_refused(options: dict[str, Any]) -> None:
    """A misspelt option is a mistake that has to be seen."""
    instance = MODEL.model_validate({"query": "x"})
    for call in (
        lambda: MODEL.model_validate({"query": "x"}, **options),
        lambda: MODEL.model_validate_json('{"query": "x"}', **options),
        lambda: instance.model_dump(**options),
        lambda: instance.model_dump_json(**options),
    ):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(options))}'"):
            call()


class Key(str):
    """A name that cannot be compared."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError


@pytest.mark.parametrize("strict", [False, True])
def test_a_hostile_name_is_a_validation_error(strict: bool) -> None:  # noqa: FBT001
    """Also where the error tells what stands at a place."""
    model = compile_schema({"properties": {"a": {"enum": [1]}}}).model
    with pytest.raises(ValidationError):
        model.model_validate({Key("a"): "x"}, strict=strict)


class Endless:
    """An object that is its own part, as are those of databases."""

    name = "x"

    @property
    def parent(self) -> Endless:
        """Itself."""
        return self

    @property
    def children(self) -> list[Any]:
        """Two of it, in a list that holds itself."""
        found: list[Any] = [self, self]
        return [*found, found.append(found) or found]  # type: ignore[func-returns-value]


def test_objects_without_end_are_refused() -> None:
    """And those that refer to one another again and again, in time that is bounded."""
    model = compile_schema(
        {
            "properties": {
                "name": {"type": "string"},
                "parent": {"$ref": "#"},
                "children": {"type": "array", "items": {"$ref": "#"}},
            }
        }
    ).model
    for adapted in (model, TypeAdapter(model)):
        validate = getattr(adapted, "model_validate", None) or adapted.validate_python
        with pytest.raises(ValidationError):
            validate(Endless(), from_attributes=True)
    many = [SimpleNamespace(name=f"{number}") for number in range(8)]
    for each in many:
        each.children = many
    with pytest.raises(ValidationError):
        model.model_validate(many[0], from_attributes=True)
    one = SimpleNamespace(name="a", children=[SimpleNamespace(name="b", parent=None)])
    assert model.model_validate(one, from_attributes=True).children[0].name == "b"


def test_attributes_of_unions_within_unions_are_read_once() -> None:
    """However many ways through the branches there are."""
    kinds = {
        kind: {"properties": {"kind": {"const": kind}, "next": {"$ref": "#/$defs/any"}}}
        for kind in "ab"
    }
    union = {"anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds]}
    model = compile_schema({"properties": {"first": union}, "$defs": {"any": union, **kinds}}).model
    chain = SimpleNamespace(kind="a")
    for _ in range(40):
        chain = SimpleNamespace(kind="b", next=chain)
    made = model.model_validate(SimpleNamespace(first=chain), from_attributes=True)
    assert made.first.next.next.kind == "b"


def test_a_branch_that_takes_anything_is_no_tag() -> None:
    """A refusal beside an `anyOf` that has `true` is told like any other."""
    model = compile_schema({"anyOf": [True], "oneOf": [{"type": "integer"}]}).model
    with pytest.raises(ValidationError, match="must be an integer"):
        model.model_validate("x")
