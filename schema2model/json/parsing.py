"""Strict JSON: RFC 8259 with finite numbers, no digit lost, and a limit to the depth.

The looser grammars in `text` share its `NOTHING`, brackets and blanks.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn, TypeAlias

from schema2model.errors import AMBIGUOUS, TOO_DEEP, TextError
from schema2model.json.quoting import printable
from schema2model.json.repeated_names import repeated_name
from schema2model.json.spans import keeps_own_spelling
from schema2model.limits import MAX_DEPTH, MAX_QUOTED
from schema2model.regexes import regex

__all__ = [
    "BLANK",
    "BRACKETS",
    "JSON_BLANK",
    "LAX",
    "NOTHING",
    "STRICT",
    "Spellings",
    "entities_decoded",
    "exact_json",
    "may_be_json",
    "may_be_respelled",
    "parse_json",
    "parse_prefix",
    "spelled",
    "surrogates_joined",
    "two_values",
]

BLANK: Final = " \t\n\r\f\v\xa0\u2028\u2029\ufeff"
"""The blanks around a value."""
JSON_BLANK: Final = " \t\n\r"
"""Those of RFC 8259, section 2."""
BRACKETS: Final = {"{": "}", "[": "]"}
"""Each opening bracket with its closing bracket."""
NOTHING: Final = object()
"""The result for text that is not JSON (`None` is JSON's null)."""


def exact_json(text: str) -> Any:
    """Parse strict JSON, or return `NOTHING`. No digit is lost and no number is infinite.

    >>> exact_json('{"a": 12345678901234567890}')
    {'a': 12345678901234567890}
    >>> [exact_json(text) is NOTHING for text in ("NaN", "1e400", "[1,]", "")]
    [True, True, True, True]
    """
    if not may_be_json(text):
        return NOTHING
    try:
        return parse_json(surrogates_joined(text), STRICT)
    except TextError:
        return NOTHING


_ENTITY: Final = regex(r"&(#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)")


def entities_decoded(text: str) -> str:
    """Decode the HTML entities in a text once, if they end in a semicolon, as all should.

    >>> entities_decoded("R&amp;D"), entities_decoded("?a=1&copy=2"), entities_decoded("&notme;")
    ('R&D', '?a=1&copy=2', '&notme;')
    """
    if "&" not in text:
        return text
    import html.entities  # noqa: PLC0415 - few texts have an entity

    def decode(entity: re.Match[str]) -> str:
        # `unescape` also decodes the beginning of an unknown name
        named = html.entities.html5.get(entity[1], entity[0])
        return html.unescape(named) if named[1:2] == "#" else named

    return _ENTITY.sub(decode, text)


_BEGINNING: Final = re.compile(r'[ \t\n\r]*(?:[\[{"0-9-]|true|false|null)')


def may_be_json(text: str) -> bool:
    """Return whether a text begins like JSON: to parse another costs an exception.

    >>> may_be_json(" [1, 2"), may_be_json("ten")
    (True, False)
    """
    return _BEGINNING.match(text) is not None


_BEGINNING_LOOSELY: Final = regex(rf"[{BLANK}]*[{{\[(\"'`~]")


def may_be_respelled(text: str) -> bool:
    """Return whether a text begins like a container, string or code fence, in any spelling.

    >>> may_be_respelled(" ['a']"), may_be_respelled("ten"), may_be_respelled("10")
    (True, False, False)
    """
    return _BEGINNING_LOOSELY.match(text) is not None


_PAIR: Final = regex("[\ud800-\udbff][\udc00-\udfff]")


def surrogates_joined(text: str) -> str:
    """Join the unescaped surrogate pairs in a text; the parser joins the others."""
    if text.isascii() or not _PAIR.search(text):
        return text
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise ValueError(digits)
    return number


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


STRICT: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse)
"""The decoder of RFC 8259 with finite numbers."""
LAX: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse, strict=False)
"""The decoder that also takes raw control characters inside strings."""


def two_values(name: str) -> str:
    """The detail of a TextError about a name that has two values in one object."""
    return f": there are two values for `{printable(name[:MAX_QUOTED])}`"


def parse_json(text: str, decoder: json.JSONDecoder, *, unique: bool = True) -> Any:
    """Parse a whole text, or return `NOTHING`.

    Raises TextError if it is nested too deep, or, if names have to be `unique`, one of them has two
    different values in one object.
    """
    text = text.strip(JSON_BLANK)
    try:
        value, end = decoder.raw_decode(text)  # `decode` matches blanks by regular expressions
    except ValueError:  # raised for too long an integer, too
        return NOTHING
    except RecursionError:
        raise TextError(TOO_DEEP) from None
    if end < len(text):
        return NOTHING
    if type(value) is not dict and type(value) is not list:
        return value
    if unique and (name := repeated_name(text, value)) is not None:
        raise TextError(AMBIGUOUS, two_values(name))
    if end > MAX_DEPTH and text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    return value


def parse_prefix(
    text: str, start: int = 0, decoder: json.JSONDecoder = STRICT
) -> tuple[Any, int, bool]:
    r"""Return the value that begins at an offset, its end, and whether only `LAX` takes it.

    If none does: `NOTHING`, where it ceases to be JSON, and False. Raises TextError as `parse_json`
    does.

    >>> parse_prefix("[1] and more"), parse_prefix('["a\tb"]'), parse_prefix("[1, b")[1:]
    (([1], 3, False), (['a\tb'], 7, True), (4, False))
    """
    if not _BEGINNING.match(text, start):
        return NOTHING, start, False
    try:
        value, end = decoder.raw_decode(text, start)
    except RecursionError:
        raise TextError(TOO_DEEP) from None
    except ValueError as error:  # or a number out of range, or too long an integer
        if decoder is STRICT and str(error).startswith("Invalid control"):
            return parse_prefix(text, start, LAX)
        return NOTHING, getattr(error, "pos", start), False
    if (name := repeated_name(text[start:end], value)) is not None:
        raise TextError(AMBIGUOUS, two_values(name))
    if text.count("[", start, end) + text.count("{", start, end) > MAX_DEPTH:
        _check_depth(value)
    return value, end, decoder is LAX


Spellings: TypeAlias = "dict[int, tuple[float, str]]"
"""The spellings of numbers by their identity, each with the number to keep it alive."""


def spelled(text: str) -> tuple[Any, Spellings] | None:
    """Parse JSON, and return the value and the numbers that Python spells otherwise.

    None without such numbers.

    >>> spelled('{"version": 3.1}') is None
    True
    >>> value, spellings = spelled('{"version": 3.10}')
    >>> spellings[id(value["version"])]
    (3.1, '3.10')
    """
    if not keeps_own_spelling(text):
        return None
    found: Spellings = {}

    def number(digits: str) -> float:
        value = _finite(digits)
        if repr(value) != digits:
            found[id(value)] = value, digits
        return value

    decoder = json.JSONDecoder(parse_float=number, parse_constant=_refuse, strict=False)
    value = parse_json(text, decoder)
    return (value, found) if value is not NOTHING and found else None


def _check_depth(value: Any) -> None:
    """Raise TextError if lists and dicts are nested deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            member
            for container in level
            for member in (container.values() if type(container) is dict else container)
            if type(member) is dict or type(member) is list
        ]
        if not level:
            return
    raise TextError(TOO_DEEP)
