"""JSON text out of values, and JSON Pointers both ways."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError
from strategies import json_values

from schema2model import SchemaError, Tool, ToolError, compile_schema
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import pointer, pointer_tokens
from schema2model.json.values import NotJSONError

LONG = 10**4300

ANYTHING = {"additionalProperties": True}
COMPILED = compile_schema(ANYTHING, coercion="lenient")
TOOL = Tool.from_schema({"name": "f", "parameters": ANYTHING}, coercion="lenient")

WRITERS: dict[str, Callable[[Any], str]] = {
    "prepared": lambda value: TOOL.prepare(value).canonical,
    "model": lambda value: COMPILED.model.model_validate(value).model_dump_json(),
    "constructed": lambda value: COMPILED.model.model_construct(**value).model_dump_json(),
}
"""Every public way from arguments to JSON text."""

UNWRITABLE: dict[str, Any] = {
    "nan": float("nan"),
    "nan with a payload": struct.unpack("<d", b"\1\0\0\0\0\0\xfc\x7f")[0],
    "infinity": [1, -float("inf")],
    "long integer": {"b": [LONG]},
    "long negative": -LONG,
    "half a pair": "a\ud800",
    "other half": ["\udc00"],
    "key": {"\ud800": 1},
    "long key": {LONG: 1},
}


class Hostile(dict[str, Any]):
    """A mapping whose every method raises."""

    def items(self) -> Any:
        """No members, but an error."""
        raise ZeroDivisionError

    __iter__ = keys = values = __len__ = items  # type: ignore[assignment]


STRANGE = {**UNWRITABLE, "object": object(), "set": {1, 2}, "hostile": Hostile(a=object())}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_has_no_json_text_is_not_valid(name: str) -> None:
    """Also where the schema allows anything, and however common its bytes are."""
    assert not COMPILED.is_valid({"a": UNWRITABLE[name]})
    assert COMPILED.is_valid({"a": [-1, 127, 255, "\x7f", "\xf0\xff", 1e300, -0.5]})
    assert not COMPILED.is_valid_json('{"a": [1e999]}')


@given(json_values)
def test_canonical_text_is_json_and_compact(value: Any) -> None:
    """Whatever can be written is read again as the same value."""
    text = canonical_json(value)
    assert json.loads(text) == value
    assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("value", UNWRITABLE.values(), ids=UNWRITABLE)
def test_what_has_no_json_text_is_a_tool_error(writer: str, value: Any) -> None:
    """Or a refusal before, where the value is read; never another exception."""
    with pytest.raises((ToolError, ValidationError)) as refused:
        WRITERS[writer]({"a": value})
    if isinstance(refused.value, ToolError):
        assert refused.value.issues[0].path.startswith("/a")
        assert refused.value.issues[0].keyword == "json"


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    "text", ["NaN", "Infinity and -Infinity", "9" * 5000, "\\ud800", "é\U0001f600"]
)
def test_text_that_only_looks_like_it_is_written(writer: str, text: str) -> None:
    """Words and digits within strings are text."""
    assert json.loads(WRITERS[writer]({"a": text})) == {"a": text}


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
def test_canonical_text_is_refused_with_a_reason(value: Any) -> None:
    """Where the value has none, and of whichever kind the value is."""
    with pytest.raises(NotJSONError) as refused:
        canonical_json([value])
    assert refused.value.path[0] == 0
    assert str(refused.value)


def test_a_value_that_contains_itself_is_refused() -> None:
    """At the depth where nobody looks any further."""
    value: list[Any] = []
    value.append(value)
    with pytest.raises(NotJSONError, match="levels of nesting"):
        canonical_json(value)


def _nested(levels: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = wrap(value)
    return value


def _in_itself(around: Callable[[Any], Any], filling: int = 40) -> Any:
    value: list[Any] = ["filling"] * filling
    value.append(around(value))
    return value


FILLING = list(range(1_000))
"""So much that integers are looked for in what is written, and not in the value."""

LIMITS: dict[str, tuple[Any, bool]] = {
    **{
        f"{levels} levels of {name}": ([_nested(levels - 1, wrap)], levels <= 200)
        for levels in (200, 201)
        for name, wrap in {
            "lists": lambda value: [value],
            "objects": lambda value: {"a": value},
            "lists and text": lambda value: ["some words to read", value],
        }.items()
    },
    "itself": (_in_itself(lambda value: value), False),
    "itself in an object": (_in_itself(lambda value: {"a": value}), False),
    "a part in itself": ([_in_itself(lambda value: value)], False),
    "a small part in itself": ({"a": _in_itself(lambda value: {"b": value}, filling=0)}, False),
    "one part a thousand times": ([[*range(1_000)]] * 1_000, True),
    "one part two thousand times": ([[*range(1_000)]] * 2_000, False),
    "a part of a part": ([[[*range(150)]] * 150] * 150, False),
    "twice itself, 15 times": (_nested(15, lambda value: [value, value]), True),
    "few bytes of many values": (_nested(13, lambda value: [value, value, value]), False),
    "twice itself, 21 times": (_nested(21, lambda value: [value, value]), False),
    "many texts that look like containers": (
        [f"[{{(û{number}r\0\0\0\0" for number in range(300)],
        True,
    ),
    **{
        f"{name} {'within' if is_short else 'beyond'} 4300 digits": ([*FILLING, value], is_short)
        for name, value, is_short in [
            ("integer", LONG - 1, True),
            ("integer", LONG, False),
            ("negative", 1 - LONG, True),
            ("negative", -LONG, False),
            ("integer far", LONG**20, False),
            ("negative far", -(LONG**20), False),
            ("integer of a million bits", 2**1_000_000, False),
            ("negative of a million bits", -(2**1_000_000), False),
        ]
    },
    "text like a long integer": ([*FILLING, "l\x01\x04\0\0", "l\x01\x04", -1, 2**20], True),
}


@pytest.mark.parametrize(("value", "is_within"), LIMITS.values(), ids=LIMITS)
def test_both_judges_of_a_value_know_its_limits(value: Any, is_within: bool) -> None:  # noqa: FBT001
    """Of depth, size and digits, which are seen in how Python writes the value."""
    compiled = compile_schema({})
    assert compiled.is_valid(value) == is_within
    try:
        compiled.validate(value)
    except ToolError:
        assert not is_within
    else:
        assert is_within


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({LONG: 1}, ""),
        ({"enum": [{LONG: 1}]}, "/enum/0"),
        ({"maximum": LONG}, "/maximum"),
        ({"properties": {True: 1}}, "/properties"),
        ({"properties": {"a": {None: 1}}}, "/properties/a"),
    ],
    ids=["key", "key within", "value", "boolean key", "null key"],
)
def test_schemas_that_are_no_json_are_schema_errors(schema: Any, place: str) -> None:
    """At the object whose key is wrong, since the key itself may not be text."""
    with pytest.raises(SchemaError) as refused:
        compile_schema(schema)
    assert refused.value.pointer == place


@pytest.mark.parametrize(
    "key", [LONG, True, None, 1.5, (1,)], ids=["long", "boolean", "null", "float", "tuple"]
)
def test_arguments_with_keys_that_are_no_text_are_tool_errors(key: Any) -> None:
    """In every way in."""
    value = {"a": {key: 1}}
    with pytest.raises(ToolError, match="for a key") as refused:
        COMPILED.validate(value)
    assert refused.value.issues[0].path == "/a"
    assert COMPILED.explain(value).error is not None
    assert COMPILED.coerce(value) is value


@given(st.lists(st.text() | st.integers(0, 10)))
def test_pointers_lead_back_to_their_tokens(path: list[Any]) -> None:
    """Also those with slashes and tildes in them."""
    assert pointer_tokens(pointer(path)) == [str(token) for token in path]


@pytest.mark.parametrize("name", ["a/b", "a~b", "a~1b", "ä b", "%41"])
def test_references_decode_before_they_split(name: str) -> None:
    """RFC 6901, section 6: the percent-encoding is a URI's, the slash in it a pointer's."""
    escaped = quote(pointer([name]))
    schema = {"$ref": f"#/$defs{escaped}", "$defs": {name: {"type": "integer"}}}
    assert compile_schema(schema).validate("5") == 5
    nested = {"$ref": "#/$defs%2Fa%2Fb", "$defs": {"a": {"b": {"type": "integer"}}}}
    assert compile_schema(nested).validate("5") == 5


class Pair(NamedTuple):
    """A tuple with names, which an array does not have."""

    one: Any
    two: Any


def test_tuples_are_arrays() -> None:
    """Whatever asks, and wherever they stand: `json.dumps` writes them as such, too."""
    compiled = compile_schema(
        {"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    )
    for sent in ({"a": (1, 2)}, {"a": ("1", 2.0)}, {"a": Pair(1, "2")}):
        assert compiled.validate(sent) == {"a": [1, 2]}
        assert compiled.coerce(sent) == {"a": [1, 2]}
        assert compiled.explain(sent).result == {"a": [1, 2]}
        assert compiled.model.model_validate(sent).model_dump() == {"a": [1, 2]}
    assert compiled.validate({"b": ((1,), {"c": ()})}) == {"b": [[1], {"c": []}]}
    assert compile_schema({"enum": (1, 2)}).schema == {"enum": [1, 2]}
