"""Arguments come from strangers, too: a result or a `ToolError`, soon, and never anything else."""

from __future__ import annotations

import contextlib
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hostile import ARGUMENTS, RECURSIVE, TEXTS, hostile, nested, outcome_of
from pydantic import ValidationError
from searching import is_search
from waiting import calls, rounds

from schema2model import CompiledSchema, SchemaError, ToolError, compile_schema
from schema2model.coerce.search import reader as search
from schema2model.text import grammars
from schema2model.text.budget import Budget

PRESETS = ["default", "off", "untyped", "forgiving", "lenient"]


@pytest.mark.search
@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_hostile_value_is_survived(name: str) -> None:
    """By every way to ask, under every preset, below schemas that follow it all the way down."""
    assert outcome_of("value", name, is_search=is_search()) == "survived"


@pytest.mark.search
@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_is_survived(name: str) -> None:
    """As the text of a call and as a value, under every preset."""
    assert outcome_of("text", name, is_search=is_search()) == "survived"


FLAT: dict[str, Any] = {
    "open": {},
    "tool": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"minLength": 1}}},
        "additionalProperties": False,
    },
    "null": {"type": "null"},
    "boolean": {"type": "boolean"},
    "integer": {"type": "integer", "minimum": 0},
    "number": {"type": "number", "multipleOf": 0.5},
    "string": {"type": "string", "minLength": 2, "maxLength": 5},
    "bomb": {"type": "string", "pattern": "^(a+)+$"},
    "bomb_of_names": {"patternProperties": {"^(a|a)*$": {"type": "null"}}},
    "array": {"type": "array", "uniqueItems": True, "contains": {"type": "integer"}},
    "choices": {"enum": ["a", 1, None, [1], {"a": 1}]},
    "types": {"type": ["array", "string", "null"]},
    "nothing": False,
    "closed": {"properties": {"a": {"type": "string"}}, "unevaluatedProperties": False},
    "condition": {"if": {"required": ["a"]}, "then": {"type": "null"}, "else": {"minItems": 1}},
}
SMALL = [
    name
    for name in ARGUMENTS
    if not name.startswith(("deep", "cyclic", "many", "long", "shared", "huge"))
]
"""What can only raise, and so needs no process of its own."""


@pytest.mark.parametrize("coercion", PRESETS)
@pytest.mark.parametrize("schema", FLAT)
def test_no_method_of_a_value_gets_a_say(schema: str, coercion: str) -> None:
    """Subclasses are what they extend; other classes are no JSON; none of their errors gets out."""
    compiled = compile_schema(FLAT[schema], coercion=coercion)
    for name in SMALL:
        value = ARGUMENTS[name]()
        ask(compiled, value)


def ask(compiled: CompiledSchema, value: Any) -> None:
    """Every way to ask, each with its one exception."""
    with contextlib.suppress(ToolError):
        compiled.validate(value)
    with contextlib.suppress(ValidationError):
        compiled.model.model_validate(value).model_dump()
    assert compiled.is_valid(value) in {True, False}
    compiled.coerce(value)
    error = compiled.explain(value).error
    assert error is None or (isinstance(error, ToolError) and len(str(error)) < 3000)


@pytest.mark.parametrize(
    ("kind", "content", "schema"),
    [
        pytest.param(str, "text", {"type": "string"}, id="str"),
        pytest.param(int, 7, {"type": "integer"}, id="int"),
        pytest.param(float, 1.5, {"type": "number"}, id="float"),
        pytest.param(list, [1, "a"], {"type": "array"}, id="list"),
        pytest.param(dict, {"a": 1}, {"type": "object"}, id="dict"),
    ],
)
def test_a_subclass_comes_back_as_what_it_extends(kind: type, content: Any, schema: Any) -> None:
    """Frameworks send subclasses of JSON's types; results hold JSON's own types only."""
    for value in (hostile(kind)(content), type("Plain", (kind,), {})(content)):
        for coercion in PRESETS:
            result = compile_schema(schema, coercion=coercion).validate(value)
            assert type(result) is kind
            assert result == content


@pytest.mark.parametrize("coercion", PRESETS)
def test_numbers_without_a_json_spelling_are_refused(coercion: str) -> None:
    """NaN and the infinities, wherever they stand and whatever the schema says of the place."""
    for schema in ({}, {"type": "number"}, {"items": {"type": "number"}}, {"type": "array"}):
        compiled = compile_schema(schema, coercion=coercion)
        for number in (float("nan"), float("inf"), float("-inf")):
            for value in (number, [number], {"a": number}):
                with pytest.raises(ToolError):
                    compiled.validate(value)
                with pytest.raises(ValidationError):
                    compiled.model.model_validate(value)


@pytest.mark.parametrize("coercion", PRESETS)
def test_a_message_is_bounded(coercion: str) -> None:
    """Ten problems are spelled out, the others counted; eighty characters of a value are quoted."""
    schema = {"items": {"type": "integer"}, "additionalProperties": False, "maxLength": 1}
    if coercion == "lenient":  # it would drop what is unknown
        schema["additionalProperties"] = {"type": "null"}
    compiled = compile_schema(schema, coercion=coercion)
    for value in (["x" * 1000] * 1000, {f"{'k' * 1000}{n}": "v" * 1000 for n in range(50)}):
        with pytest.raises(ToolError) as caught:
            compiled.validate(value)
        message = str(caught.value)
        assert len(message.splitlines()) <= 14
        assert "x" * 81 not in message
        assert "v" * 81 not in message
        assert "k" * 101 not in message
        assert all(len(issue.found) <= 120 for issue in caught.value.issues)
    with pytest.raises(ToolError) as caught:
        compiled.validate("y" * 100_000)
    assert "y" * 81 not in str(caught.value)


@pytest.mark.parametrize("levels", [10, 30, 60])
@pytest.mark.parametrize("schema", RECURSIVE)
def test_the_search_goes_down_unions_without_multiplying(
    schema: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each value is judged a number of times that its depth does not double level by level."""
    from schema2model.coerce.search.reader import Reader  # noqa: PLC0415

    asked = 0
    valid = Reader.valid

    def counted(self: Reader, node: Any, value: Any) -> bool:
        nonlocal asked
        asked += 1
        return valid(self, node, value)

    monkeypatch.setattr(Reader, "valid", counted)
    compiled = compile_schema(RECURSIVE[schema])
    value = nested(min(levels, 10), lambda inner: {"a": inner, "name": "n"}, '["x"]')
    with pytest.raises(ToolError):
        compiled.validate(value)
    assert asked < 2_000


HALF_A_PAIR = {
    "escape": r'{"a": "\ud83d"}',
    "character": '{"a": "\ud83d"}',
    "python": r"{'a': '\ud83d'}",
    "escaped text": r"{\"a\": \"\\ud83d\"}",
    "number of an entity": "{&quot;a&quot;: &quot;&#92;ud83d&quot;}",
    "name of an entity": "{&quot;a&quot;: &quot;&bsol;ud83d&quot;}",
    **{
        encoding: r'{"a": "\ud83d"}'.encode(encoding)
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32")
    },
}


@pytest.mark.parametrize("text", HALF_A_PAIR.values(), ids=HALF_A_PAIR)
def test_half_a_pair_is_refused_however_a_text_spells_it(text: str | bytes) -> None:
    """No JSON could be written of it; a model says so as pydantic does."""
    compiled = compile_schema({"properties": {"a": {"type": "string"}}})
    with pytest.raises(ToolError):
        compiled.validate_json(text)
    assert compiled.explain_json(text).error is not None
    with pytest.raises(ValidationError):
        compiled.model.model_validate_json(text)


TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "a": {"$ref": "#"}, "l": {"items": {"$ref": "#"}}},
}


@pytest.mark.parametrize("coercion", PRESETS)
@pytest.mark.parametrize(
    "beside",
    [
        {"anyOf": [{"required": ["name"]}, {"required": ["a"]}, {"required": ["l"]}]},
        {"oneOf": [{}]},
        {"allOf": [{"required": ["a"]}]},
        {"if": {"required": ["a"]}, "then": {"required": ["name"]}},
    ],
    ids=lambda schema: next(iter(schema)),
)
def test_a_tree_whose_leaf_is_wrong_is_refused_soon(beside: dict[str, Any], coercion: str) -> None:
    """Every subtree is read once, also where other subschemas apply beside the recursive one."""
    compiled = compile_schema({**TREE, **beside}, coercion=coercion)
    leaf: Any = "5"
    for level in range(60):
        leaf = {"a": leaf} if level % 2 else {"l": [leaf]}
    with calls(270_000), pytest.raises(ToolError):
        compiled.validate(leaf)


class Whole(int):
    """An integer of somebody's own."""


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"type": "integer"}, b"5", id="bytes"),
        pytest.param({"type": "boolean"}, bytearray(b"true"), id="bytearray"),
        pytest.param({"type": "array", "items": {}}, b"[1]", id="bytes of an array"),
        pytest.param({"type": "number"}, Decimal("0.12345678901234567890"), id="Decimal"),
        pytest.param({"type": ["null", "number"]}, Decimal("2.5"), id="Decimal for null"),
        pytest.param({"anyOf": [{"type": "number"}, {}]}, Decimal("2.5"), id="Decimal in a union"),
        pytest.param({"items": {"type": "number"}}, [1, Decimal("2.5")], id="Decimal in a list"),
        pytest.param({"type": "number", "minimum": 0}, Fraction(1, 2), id="Fraction"),
    ],
)
def test_what_is_like_a_number_is_none(schema: dict[str, Any], value: Any) -> None:
    """pydantic-core would read bytes as text, and make a float of all that may be one."""
    compiled = compile_schema({"properties": {"a": schema}})
    for given in ({"a": value}, {"a": value, "b": 1}):
        with pytest.raises(ToolError):
            compiled.validate(given)


def test_an_integer_of_a_subclass_keeps_its_digits() -> None:
    """Where any number is wanted it would be a float, and lose some."""
    compiled = compile_schema({"type": "number"})
    assert repr(compiled.validate(Whole(2**60 + 1))) == str(2**60 + 1)


@pytest.mark.parametrize("coercion", ["forgiving", "lenient"])
def test_a_value_is_not_wrapped_for_ever(coercion: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each reading makes another value to be read, the search ends with a `ToolError`."""
    monkeypatch.setattr(search, "MAX_NESTED_SEARCHES", 300)
    listed: dict[str, Any] = {"prefixItems": [{"$ref": "#"}]}
    schema = {
        "anyOf": [{"prefixItems": [{"type": "object"}]}],
        "if": {"type": "array"},
        "then": listed,
        "else": {"required": ["b"]},
        "additionalProperties": {"$ref": "#"},
    }
    with calls(270_000), pytest.raises(ToolError, match="than can be"):
        compile_schema(schema, coercion=coercion).validate({"a": {"a": {}}})


@pytest.mark.parametrize("text", ["('a' " * 100, "{a: " * 100, "[1, 2 " * 100])
def test_the_texts_of_a_call_share_one_budget(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many parameters hold a long one, which no type of theirs accepts."""
    own = []

    class Own(Budget):
        def __init__(self) -> None:
            own.append(self)
            super().__init__()

    monkeypatch.setattr(grammars, "Budget", Own)  # for a text that comes without one
    names = [f"p{number}" for number in range(10)]
    compiled = compile_schema({"properties": {name: {"type": "integer"} for name in names}})
    with pytest.raises(ToolError):
        compiled.validate(dict.fromkeys(names, text))
    assert not own


UNWRITABLE = {
    "text": "\ud800",
    "nested": ["a", {"b": "\udfff"}],
    "integer": 10**4300,
    "key": {"\ud800": 1},
    "deep": nested(210, lambda inner: [inner], 1),
    "deep by names": nested(210, lambda inner: {"a": inner}, 1),
    "shared": nested(150, lambda inner: [inner, inner], 1),
    "shared in few bytes": nested(21, lambda inner: [inner, inner], 1),
}


@pytest.mark.parametrize("value", UNWRITABLE.values(), ids=UNWRITABLE)
@pytest.mark.parametrize("schema", [{}, {"type": ["string", "integer", "array", "object"]}])
def test_a_value_that_no_json_text_spells_is_refused(schema: Any, value: Any) -> None:
    """In every way in, as no request could carry it."""
    compiled = compile_schema({"properties": {"x": schema}})
    assert not compiled.is_valid({"x": value})
    with pytest.raises(ToolError, match=r"surrogate|4300 digits|too deep|levels of"):
        compiled.validate({"x": value})
    with pytest.raises(ValidationError):
        compiled.model.model_validate({"x": value})


@pytest.mark.parametrize(
    ("x", "beyond"),
    [
        pytest.param(10**4300 - 1, 10**4300, id="digits"),
        pytest.param(*(nested(n, lambda inner: [inner], 1) for n in (199, 202)), id="levels"),
    ],
)
def test_the_longest_and_the_deepest_are_accepted(x: Any, beyond: Any) -> None:
    """An integer has 4,300 digits, as many as Python reads and writes; a value has 200 levels."""
    value = {"x": x}
    compiled = compile_schema({"properties": {"x": {"type": ["integer", "array"], "minimum": 0}}})
    assert compiled.validate_json(json.dumps(value)) == value
    assert compiled.validate(value) == value
    assert compiled.is_valid(value)
    assert not compiled.is_valid({"x": beyond})
    with pytest.raises(ToolError):
        compiled.validate({"x": beyond})


_LEAF = {"n": {"type": "integer"}}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"properties": {"in": {"$ref": "#"}, **_LEAF}}, id="any type"),
        pytest.param({"type": "object", "properties": {"in": {"$ref": "#"}, **_LEAF}}, id="object"),
        pytest.param(
            {
                "type": "object",
                "properties": {"in": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, **_LEAF},
            },
            id="nullable",
        ),
        pytest.param(
            {"type": "object", "properties": _LEAF, "additionalProperties": {"$ref": "#"}}, id="map"
        ),
        pytest.param(
            {
                "$ref": "#/$defs/a",
                "$defs": {
                    "a": {"type": "object", "properties": {"in": {"$ref": "#/$defs/b"}, **_LEAF}},
                    "b": {"allOf": [{"$ref": "#/$defs/c"}]},
                    "c": {"$ref": "#/$defs/a"},
                },
            },
            id="chain",
        ),
        pytest.param(
            {"type": "object", "minProperties": 1, "properties": {"in": {"$ref": "#"}, **_LEAF}},
            id="more than a core schema",
        ),
    ],
)
def test_values_as_deep_as_any_are_coerced_by_pydantic_core(schema: dict[str, Any]) -> None:
    """It stops at 255 definitions within one another: each level of a value takes one of them."""
    compiled = compile_schema({"title": "deep", **schema})
    assert compiled.validate({"n": "1"}) == {"n": 1}
    valid, wrong = (nested(198, lambda inner: {"in": inner}, {"n": n}) for n in (1, "1"))
    for value in (valid, wrong):
        assert compiled._engine.accept(value) == valid
        assert compiled._engine.accept_json(json.dumps(value)) == valid


@pytest.mark.parametrize("alike", [2**62, 10**19, 10**22, 10**300, -(10**4000), 2**61 - 1])
@pytest.mark.parametrize("step", [1, 2**61 - 1])
def test_long_integers_are_distinct_in_linear_time(alike: int, step: int) -> None:
    """Also those with the same float, or the same hash in Python; and a float is an integer."""
    distinct = compile_schema({"properties": {"ids": {"type": "array", "uniqueItems": True}}})

    def compare(count: int) -> None:
        ids = [alike + step * number for number in range(count)]
        assert distinct.validate({"ids": ids}) == {"ids": ids}
        with pytest.raises(ToolError, match="/ids"):
            distinct.validate({"ids": [*ids, alike]})
        with pytest.raises(SchemaError):
            compile_schema({"type": ids})

    most = 9 * rounds(lambda: compare(175))
    assert rounds(lambda: compare(700), most) <= most
    assert not distinct.is_valid({"ids": [2**70, 2.0**70]})


@pytest.mark.parametrize("text", [r'["\ud800"]', r"['\ud800']", r'["\ud800",]', r'[{"\udc00": 1}]'])
def test_half_a_surrogate_pair_that_coercion_makes_is_refused(text: str) -> None:
    """A string of ASCII alone, whose content is not Unicode; a whole pair is a character."""
    compiled = compile_schema({"properties": {"a": {"type": "array"}}})
    with pytest.raises(ToolError, match="half of a surrogate pair"):
        compiled.validate({"a": text})
    assert compiled.validate({"a": r'["\ud83d\ude00"]'}) == {"a": ["\U0001f600"]}
