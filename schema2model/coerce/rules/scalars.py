"""The rules for single values that have only one meaning, one function each.

A rule function takes a plain value and returns its only meaning, or the same object if it does not
apply. It does not know the schema, which judges the result. `active_rules` has those that
the search tries for each type, in their order.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from schema2model.json.parsing import NOTHING, entities_decoded, exact_json, may_be_respelled
from schema2model.json.values import EXACT_FLOATS, is_integral_float
from schema2model.limits import MAX_DIGITS
from schema2model.regexes import regex

__all__ = [
    "bare_text",
    "boolean_word",
    "exact_integral_float",
    "exact_json_text",
    "exact_number_text",
    "has_entity",
    "integer_text",
    "integral_float",
    "is_placeholder",
    "json_text",
    "loose_json_text",
    "null_word",
    "number_beyond_json",
    "number_text",
    "scalar_text",
    "set_text",
    "unquoted",
    "whole_text",
]

_NUMBER = regex(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*", re.ASCII)
_SET = regex(r"\s*\{\s*[\"'\d-]")
_BOOLEANS = dict.fromkeys(("true", "yes", "on", "1", "t", "y"), True) | dict.fromkeys(
    ("false", "no", "off", "0", "f", "n"), False
)
_NULLS = frozenset(("null", "none", ""))
_PLACEHOLDERS = _NULLS | {"undefined", "n/a"}
_NON_FINITE = frozenset(("nan", "inf", "infinity"))
_LONGEST_WORD = 16
"""Characters of a word, with blanks around it: a longer text is not normalised."""
_QUOTES = frozenset("\"'`")


def json_text(value: Any) -> Any:
    """Parse exact JSON, but no number whose fraction a float loses: an integer is not meant.

    >>> json_text('["a"]'), json_text("no"), json_text("9007199254740993.5")
    (['a'], 'no', '9007199254740993.5')

    """
    if type(value) is not str:
        return value
    parsed = exact_json(value)
    if parsed is NOTHING or (_is_rounded(parsed) and type(integer_text(value)) is str):
        return value
    return parsed


def _is_rounded(value: Any) -> bool:
    """Return whether a value is a float so large that it has no fraction."""
    return type(value) is float and not -EXACT_FLOATS < value < EXACT_FLOATS


def exact_json_text(value: Any) -> Any:
    """Parse exact JSON: an integer with a fraction or exponent as `int` if a float loses digits.

    >>> exact_json_text("1.5"), exact_json_text("12345678901234567890.0")
    (1.5, 12345678901234567890)
    """
    parsed = json_text(value)
    if type(parsed) is not float:
        return parsed
    exact = exact_number_text(value)
    return exact if type(exact) is int else parsed


def whole_text(value: Any) -> Any:
    """Write an integer or boolean as its JSON text.

    A float is left to the search, which knows its spelling in the text of the call: `3.10`.

    >>> whole_text(True), whole_text(10), whole_text(1.5)
    ('true', '10', 1.5)
    """
    return value if type(value) is float else scalar_text(value)


def loose_json_text(value: Any) -> Any:
    """Parse a container or quoted string that is written as JSON5 or as a Python literal.

    >>> loose_json_text("['a', True]"), loose_json_text("send [1] to all")
    (['a', True], 'send [1] to all')
    """
    if type(value) is not str or not may_be_respelled(value):
        return value
    from schema2model.text.grammars import parameter_readings  # noqa: PLC0415 - few calls need it

    found = next(parameter_readings(value), None)
    return value if found is None or found.exact else found.value


def set_text(value: Any) -> Any:
    """Rewrite a Python set of strings or numbers as the text of a list.

    >>> set_text("{'x', 'y'}"), set_text("{x}"), set_text("x")
    ("['x', 'y']", '{x}', 'x')
    """
    if type(value) is str and _SET.match(value) and (text := value.strip())[-1] == "}":
        return f"[{text[1:-1]}]"
    return value


def integer_text(value: Any) -> Any:
    """Parse a number without a fraction, with every digit.

    >>> integer_text(" 10.0 "), integer_text("1e3"), integer_text("10.5")
    (10, 1000, '10.5')
    """
    if type(value) is not str:
        return value
    if len(value) > MAX_DIGITS or (match := _NUMBER.fullmatch(value)) is None:
        return value
    number = Decimal(match[1])
    if abs(number.adjusted()) >= MAX_DIGITS or number != number.to_integral_value():
        return value
    return int(number)


def number_text(value: Any) -> Any:
    """Parse a number: an `int` if it has neither a point nor an exponent.

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
    """Parse a number as `number_text` does, but as an `int` if a float loses digits.

    >>> exact_number_text("1.0"), exact_number_text("12345678901234567890.0")
    (1.0, 12345678901234567890)
    """
    number = number_text(value)
    exact = integer_text(value) if type(number) is float else number
    return exact if type(exact) is int and exact != number else number


def number_beyond_json(value: Any) -> Any:
    """Parse NaN and the infinities.

    >>> number_beyond_json("-inf")
    -inf
    """
    if type(value) is str and len(value) <= _LONGEST_WORD:
        word = value.strip().lower()
        if word.lstrip("+-") in _NON_FINITE:
            return float(word)
    return value


def integral_float(value: Any) -> Any:
    """Convert a float without a fraction to the equal integer.

    >>> integral_float(3.0), integral_float(3.5)
    (3, 3.5)
    """
    return int(value) if is_integral_float(value) else value


def exact_integral_float(value: Any) -> Any:
    """Convert a float without a fraction to an integer, unless it may be rounded.

    A greater one is left to the search, which knows its digits in the text of the call.

    >>> exact_integral_float(3.0), exact_integral_float(1e23)
    (3, 1e+23)
    """
    return value if _is_rounded(value) else integral_float(value)


def boolean_word(value: Any) -> Any:
    """Convert a word, or 1 and 0, to a boolean.

    >>> boolean_word("Yes"), boolean_word(0), boolean_word(1.0), boolean_word("maybe")
    (True, False, True, 'maybe')
    """
    if type(value) is str:
        word = _BOOLEANS.get(value)
        if word is None and len(value) <= _LONGEST_WORD:
            word = _BOOLEANS.get(value.strip().lower())
        return value if word is None else word
    return value == 1 if type(value) in {int, float} and value in {0, 1} else value


def null_word(value: Any) -> Any:
    """Convert a word for null, or empty text, to None.

    >>> null_word("None"), null_word("nothing")
    (None, 'nothing')
    """
    is_short = type(value) is str and len(value) <= _LONGEST_WORD
    return None if is_short and (value in _NULLS or value.strip().lower() in _NULLS) else value


def is_placeholder(text: str) -> bool:
    """Return whether a text means the absence of a value.

    >>> is_placeholder(" N/A "), is_placeholder("none of them")
    (True, False)
    """
    return len(text) <= _LONGEST_WORD and text.strip().lower() in _PLACEHOLDERS


def scalar_text(value: Any) -> Any:
    """Write a number or boolean as its JSON text.

    >>> scalar_text(True), scalar_text(1.5), scalar_text(None)
    ('true', '1.5', None)
    """
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        try:
            return repr(value)
        except ValueError:  # more digits than Python writes
            return value
    return value


def has_entity(value: Any) -> bool:
    """Return whether a value is a string with an HTML entity.

    >>> has_entity("R&amp;D"), has_entity("R&D")
    (True, False)
    """
    return type(value) is str and entities_decoded(value) != value


def bare_text(value: Any) -> Any:
    """Remove blanks and one pair of quotes around a text.

    >>> bare_text(" 2030-01-31 "), bare_text('"2030-01-31"'), bare_text("2030-01-31")
    ('2030-01-31', '2030-01-31', '2030-01-31')
    """
    bare = unquoted(value)
    return bare.strip() if type(bare) is str and bare != bare.strip() else bare


def unquoted(value: Any) -> Any:
    r"""Remove one pair of quotes; decode a JSON string.

    >>> unquoted("'asc'"), unquoted(r'"\u5b8b"'), unquoted("asc")
    ('asc', '宋', 'asc')
    """
    if type(value) is str:
        text = value.strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
            decoded = exact_json(text)
            return decoded if type(decoded) is str else text[1:-1]
    return value
