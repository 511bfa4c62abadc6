"""The rules on a single value, one function each, and when each is tried.

A rule function takes a plain value and returns what it can only have meant, or the same object
where the rule has nothing to say. It knows no schema: whether the reading is right, the schema
judges. Rules that need the schema (dropping a null, spelling a key) are in `search`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from schema2model.engine.readings import CHANGE, GUESS, WILD_GUESS, WORD, Cost
from schema2model.text.exact import NOTHING, exact_json
from schema2model.values import MAX_DIGITS, is_integral_float

__all__ = [
    "RULES",
    "ValueRule",
    "exact_json_text",
    "exact_number_text",
    "integral_float",
    "json_text",
    "loose_json_text",
    "null_word",
    "scalar_text",
    "unquoted",
    "whole_text",
]

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*", re.ASCII)
_FAST_DIGITS = 18
_BOOLEANS = dict.fromkeys(("true", "yes", "on", "1", "t", "y"), True) | dict.fromkeys(
    ("false", "no", "off", "0", "f", "n"), False
)
_NULLS = frozenset(("null", "none", ""))
_NON_FINITE = frozenset(("nan", "inf", "infinity"))
_LONGEST_WORD = 16
_QUOTES = frozenset("\"'`")
_OPENING = frozenset("\"'`\u201c\u2018{[(<")


def json_text(value: Any) -> Any:
    """Read what a text spells in exact JSON.

    >>> json_text('["a"]'), json_text("no")
    (['a'], 'no')

    """
    if type(value) is not str:
        return value
    parsed = exact_json(value)
    return value if parsed is NOTHING else parsed


def exact_json_text(value: Any) -> Any:
    """Read what a text spells in exact JSON, and the integer it spells if a float loses digits.

    >>> exact_json_text("1.5"), exact_json_text("12345678901234567890.0")
    (1.5, 12345678901234567890)
    """
    parsed = json_text(value)
    if type(parsed) is not float or type(value) is not str:
        return parsed
    exact = exact_number_text(value)
    return exact if type(exact) is int else parsed


def whole_text(value: Any) -> Any:
    """Write an integer or boolean as its JSON text.

    A float is left to the search, which knows how the text of a call spells it: `3.10`.

    >>> whole_text(True), whole_text(10), whole_text(1.5)
    ('true', '10', 1.5)
    """
    return value if type(value) is float else scalar_text(value)


def loose_json_text(value: Any) -> Any:
    """Read a loosely written container or quoted string: JSON5, or a Python literal.

    >>> loose_json_text("['a', True]"), loose_json_text("send [1] to all")
    (['a', True], 'send [1] to all')
    """
    if type(value) is not str:
        return value
    from schema2model.text.grammars import parameter_readings  # noqa: PLC0415 - few calls need it

    found = next(parameter_readings(value), None)
    return value if found is None or found.exact else found.value


def integer_text(value: Any) -> Any:
    """Read a number with no fraction from text, every digit of it.

    >>> integer_text(" 10.0 "), integer_text("1e3"), integer_text("10.5")
    (10, 1000, '10.5')
    """
    if type(value) is not str:
        return value
    if value.isdigit() and value.isascii() and len(value) < _FAST_DIGITS:
        return int(value)
    if len(value) > MAX_DIGITS or (match := _NUMBER.fullmatch(value)) is None:
        return value
    number = Decimal(match[1])
    if abs(number.adjusted()) >= MAX_DIGITS or number != number.to_integral_value():
        return value
    return int(number)


def number_text(value: Any) -> Any:
    """Read a number from text: an `int` where it has neither point nor exponent.

    >>> number_text("12345678901234567890"), number_text("-.5"), number_text("1e400")
    (12345678901234567890, -0.5, '1e400')
    """
    if type(value) is not str:
        return value
    if len(value) > MAX_DIGITS or (match := _NUMBER.fullmatch(value)) is None:
        return value
    if match[1].lstrip("+-").isdigit():
        return int(match[1])
    nearest = float(match[1])
    return nearest if math.isfinite(nearest) else value


def exact_number_text(value: Any) -> Any:
    """Read a number from text: as `number_text`, but the integer it spells if a float loses digits.

    >>> exact_number_text("1.0"), exact_number_text("12345678901234567890.0")
    (1.0, 12345678901234567890)
    """
    number = number_text(value)
    exact = integer_text(value) if type(number) is float else number
    return exact if type(exact) is int and exact != number else number


def number_beyond_json(value: Any) -> Any:
    """Read NaN and the infinities from text.

    >>> number_beyond_json("-inf")
    -inf
    """
    if type(value) is str and len(value) <= _LONGEST_WORD:
        word = value.strip().lower()
        if word.lstrip("+-") in _NON_FINITE:
            return float(word)
    return value


def integral_float(value: Any) -> Any:
    """Read a float without a fraction as the integer it equals.

    >>> integral_float(3.0), integral_float(3.5)
    (3, 3.5)
    """
    return int(value) if is_integral_float(value) else value


def boolean_word(value: Any) -> Any:
    """Read a boolean from a word, or from 1 and 0.

    >>> boolean_word("Yes"), boolean_word(0), boolean_word("maybe")
    (True, False, 'maybe')
    """
    if type(value) is str:
        word = _BOOLEANS.get(value)
        if word is None and len(value) <= _LONGEST_WORD:
            word = _BOOLEANS.get(value.strip().lower())
        return value if word is None else word
    return value == 1 if type(value) is int and value in (0, 1) else value


def null_word(value: Any) -> Any:
    """Read null from a word for it, or from empty text.

    >>> null_word("None"), null_word("nothing")
    (None, 'nothing')
    """
    if type(value) is str and (
        value in _NULLS or (len(value) <= _LONGEST_WORD and value.strip().lower() in _NULLS)
    ):
        return None
    return value


def scalar_text(value: Any) -> Any:
    """Write a number or boolean as its JSON text.

    >>> scalar_text(True), scalar_text(1.5), scalar_text(None)
    ('true', '1.5', None)
    """
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int or type(value) is float:
        try:
            return json.dumps(value, allow_nan=False)
        except ValueError:  # not finite, or more digits than Python writes
            return value
    return value


def unquoted(value: Any) -> Any:
    r"""Take one pair of quotes away; JSON's string is decoded.

    >>> unquoted("'asc'"), unquoted(r'"\u5b8b"'), unquoted("asc")
    ('asc', '宋', 'asc')
    """
    if type(value) is str:
        text = value.strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
            decoded = exact_json(text)
            return decoded if type(decoded) is str else text[1:-1]
    return value


# ------------------------------------------------------------------------- guesses, for lenient
def container_text(value: Any) -> Any:
    """Write an object or array as its compact JSON text.

    >>> container_text({"a": [1, 2]})
    '{"a":[1,2]}'
    """
    if type(value) is dict or type(value) is list:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def one_item(value: Any) -> Any:
    """Make a list of a single value.

    >>> one_item("a"), one_item(["a"])
    (['a'], ['a'])
    """
    return value if type(value) is list or value is None else [value]


def comma_items(value: Any) -> Any:
    """Make a list of what commas separate, if there is something between all of them.

    Text that begins with a bracket or a quote is not cut: a comma may be within either.

    >>> comma_items("a, b"), comma_items('["a, b"')
    (['a', 'b'], '["a, b"')
    """
    if type(value) is str and "," in value and value.lstrip()[:1] not in _OPENING:
        items = [item.strip() for item in value.split(",")]
        if all(items):
            return items
    return value


def enveloped_items(value: Any) -> Any:
    """Make a list of an object that stands for one.

    >>> enveloped_items({"0": "a", "1": "b"}), enveloped_items({"item": [1, 2]})
    (['a', 'b'], [1, 2])
    """
    if type(value) is not dict or not value:
        return value
    if value.keys() == {"item"}:
        return value["item"] if type(value["item"]) is list else [value["item"]]
    if list(value) == [str(index) for index in range(len(value))]:
        return list(value.values())
    return value


def enveloped_item(value: Any) -> Any:
    """Take a value out of `{"item": ...}`.

    >>> enveloped_item({"item": 14})
    14
    """
    return value["item"] if type(value) is dict and value.keys() == {"item"} else value


def only_item(value: Any) -> Any:
    """Take the only item out of a list.

    >>> only_item([5]), only_item([5, 6])
    (5, [5, 6])
    """
    return value[0] if type(value) is list and len(value) == 1 else value


class ValueRule(NamedTuple):
    """A rule on a single value: its field of `Coercion`, its function, and what it costs."""

    name: str
    function: Callable[[Any], Any]
    cost: Cost


_LISTS = ValueRule("single_item", only_item, GUESS)
_ITEM = ValueRule("item_envelope", enveloped_item, GUESS)
_SINGLE = (_ITEM, _LISTS)

RULES: Mapping[str, tuple[ValueRule, ...]] = {
    "null": (ValueRule("null_words", null_word, WORD),),
    "boolean": (ValueRule("boolean_words", boolean_word, WORD), *_SINGLE),
    "integer": (
        ValueRule("number_text", integer_text, CHANGE),
        ValueRule("integral_floats", integral_float, CHANGE),
        *_SINGLE,
    ),
    "number": (
        ValueRule("number_text", number_text, CHANGE),
        ValueRule("allow_inf_nan", number_beyond_json, WORD),
        *_SINGLE,
    ),
    "string": (
        ValueRule("scalar_to_text", scalar_text, WORD),
        ValueRule("container_to_text", container_text, WILD_GUESS),
        *_SINGLE,
    ),
    "array": (
        ValueRule("item_envelope", enveloped_items, GUESS),
        ValueRule("comma_text", comma_items, GUESS),
        ValueRule("scalar_to_list", one_item, WILD_GUESS),
    ),
    "object": (_LISTS,),
}
"""The rules by the type that is wanted, each list in the order in which readings are tried."""
