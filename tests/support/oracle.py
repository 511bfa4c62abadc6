"""What the laws are judged by: python-jsonschema, and JSON's own notion of equality."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend


def _multiple_of(validator: Any, step: float, value: Any, schema: Any) -> Iterator[ValidationError]:
    """`multipleOf` without rounding: a float is the decimal number that its JSON text spells.

    From 2^53 on, where all floats are integers, it is the one that it stands for.
    """
    if not validator.is_type(value, "number"):
        return
    exact = Fraction(value if abs(value) >= 2**53 else repr(value))
    if exact % Fraction(repr(step)):
        yield ValidationError(f"{value!r} is not a multiple of {step}")


_Exact = extend(Draft202012Validator, {"multipleOf": _multiple_of})


class Oracle:
    """The verdicts of python-jsonschema on one schema of 2020-12."""

    def __init__(self, schema: Any) -> None:
        self._validator = _Exact(schema)

    def accepts(self, value: Any) -> bool:
        """Whether a value is valid."""
        return bool(self._validator.is_valid(value))


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON: 1 is 1.0 and not true, the order of keys is nothing."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


def identical(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON text, but for the order of keys."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def has_text(value: Any) -> bool:
    """Whether a string stands anywhere in a value; names of properties do not count."""
    if isinstance(value, dict):
        return any(map(has_text, value.values()))
    return any(map(has_text, value)) if isinstance(value, list) else isinstance(value, str)
