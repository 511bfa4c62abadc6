"""`is_valid` and `validate` agree: what is valid as it is, whatever Python class holds it."""

from __future__ import annotations

import enum
from collections import OrderedDict, UserDict
from decimal import Decimal
from typing import Any

import pytest

from schema2model import Coercion, ToolError, compile_schema


class Text(str):
    """A subclass of text."""

    __slots__ = ()


class Number(int):
    """A subclass of integers."""


class Fraction(float):
    """A subclass of floats."""


class Items(list[Any]):
    """A subclass of lists."""


class Word(str, enum.Enum):
    """Words, which are strings."""

    A = "a"


class Plain(enum.Enum):
    """Names, which are no strings."""

    A = "a"


VALUES: dict[str, Any] = {
    "JSON": {"a": "x", "b": [1, 2.0]},
    "OrderedDict": OrderedDict(a="x"),
    "a subclass of str": {"a": Text("x")},
    "a subclass of str as a key": {Text("a"): "x"},
    "a subclass of int": {"b": [Number(1)]},
    "a subclass of float": {"b": [Fraction(1.5)]},
    "a subclass of list": {"b": Items([1])},
    "a tuple": {"b": (1, 2)},
    "an enumeration of strings": {"a": Word.A},
    "a subclass that is invalid": {"a": Number(1)},
    "an enumeration": {"a": Plain.A},
    "a set": {"b": {1}},
    "a frozen set": {"b": frozenset([1])},
    "bytes": {"a": b"x"},
    "a decimal": {"b": [Decimal(1)]},
    "no dict": UserDict(a="x"),
    "a key that is no string": {1: "x"},
    "NaN": {"a": "x", "b": [float("nan")]},
    "half a surrogate pair": {"a": "\ud800"},
    "too long an integer": {"b": [10**5000]},
}
SCHEMAS: dict[str, Any] = {
    "properties": {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "array", "items": {"type": "number"}, "uniqueItems": True},
        },
    },
    "numbers": {"properties": {"b": {"items": {"type": "number"}}}},
    "object": {"type": "object"},
    "anything": {},
    "recursive": {
        "properties": {
            "a": {"type": "string"},
            "b": {"items": {"anyOf": [{"type": "number"}, {"$ref": "#"}]}},
        }
    },
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("infinities", [False, True])
def test_it_agrees_with_validate(schema: str, value: str, *, infinities: bool) -> None:
    """Without coercion; infinities and NaN are never valid, as no JSON has them."""
    rules = Coercion.off.replace(allow_inf_nan=infinities)
    compiled = compile_schema(SCHEMAS[schema], coercion=rules)
    try:
        compiled.validate(VALUES[value])
        expected = not (infinities and value == "NaN")
    except ToolError:
        expected = False
    assert compiled.is_valid(VALUES[value]) is expected
    assert compile_schema(SCHEMAS[schema]).is_valid(VALUES[value]) is expected


@pytest.mark.parametrize("schema", [*SCHEMAS.values(), {"uniqueItems": True}, {"type": "array"}])
def test_what_is_shared_is_not_followed_as_often_as_it_occurs(schema: Any) -> None:
    """Two lists at each of 60 levels are one list in memory, and 2**60 values: it ends."""
    value: Any = []
    for _ in range(60):
        value = [value, value]
    assert not compile_schema(schema).is_valid(value)
    assert not compile_schema(schema).is_valid({"b": value})
