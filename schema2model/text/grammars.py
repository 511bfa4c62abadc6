r"""The text of a call's arguments to a value: exact grammars in order, a heuristic last.

The first grammar that takes a text reads it, and the caller judges the value by the schema.

    json       RFC 8259; of duplicate keys the last wins; no NaN, no Infinity, no overflow
    control    the same, with raw control characters inside strings
    fence      either of them in a Markdown code fence
    prose      either of them, one object or array, with words around it
    repeated   the same value again, whole or cut off
    closed     nothing but closing brackets is missing at the end
    json5      https://spec.json5.org, except that `"\d"` is not taken to mean `"d"`
    python     a literal of dicts, lists, tuples and scalars
    repair     what json_repair makes of it, if no part of the text is missing then

Each sort of reader has its module: `exact` for the first two, `loose` for the three from
`closed` on, `repaired` for the last. What finds the JSON in fences and prose is here.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from schema2model.text.exact import (
    BLANK,
    BRACKETS,
    CUT_OFF,
    EMPTY,
    ENCODING,
    LAX,
    NOT_JSON,
    NOTHING,
    STRICT,
    TOO_DEEP,
    TWO_CALLS,
    TextError,
    check_depth,
    exact_json,
    parsed,
    surrogates_joined,
)
from schema2model.text.loose import JSON, JSON5, PYTHON, read_loosely
from schema2model.text.repaired import missing_at_end, repaired

__all__ = ["NOTHING", "Reading", "TextError", "exact_json", "parameter_readings", "readings"]

MAX_ENCODINGS: Final = 4
"""So many times may JSON be wrapped in a JSON string."""
LOOSE_LIMIT: Final = 400_000
"""Longer texts, in characters, must be JSON; so many are read in a second or two at worst."""
MAX_VALUES: Final = 100
"""So many places are tried in text that may have values in it."""


class Reading(NamedTuple):
    """What a text may mean: the value, the grammar that took it, and whether that was JSON."""

    value: Any
    grammar: str
    exact: bool


def readings(text: str | bytes | bytearray, *, accept_cut_off: bool = False) -> Iterator[Reading]:
    r"""Yield what the whole text of a call may mean: its value, then what a string value holds.

    Raises TextError if there is no reading, and also after a string whose contents are a call
    that is cut off or two calls. `accept_cut_off` lets json_repair complete what is missing.

    >>> [reading.value for reading in readings('Here you are: {"a": [1, "x"]}')]
    [{'a': [1, 'x']}]
    >>> [reading.value for reading in readings(r'"{\"a\": 1}"')]
    ['{"a": 1}', {'a': 1}]
    >>> list(readings('{"path": "a.py", "content": "def f():'))
    Traceback (most recent call last):
        ...
    schema2model.text.exact.TextError: the arguments were cut off inside a string; ...
    """
    text = _stripped(_decoded(text))
    if not text:
        raise TextError(EMPTY)
    for level in range(MAX_ENCODINGS + 1):
        try:
            reading = _read(text, accept_cut_off=accept_cut_off)
        except TextError as error:
            # That a string does not hold JSON is no fault: the caller has the string.
            if level and (error.reason == NOT_JSON or text[0] not in BRACKETS):
                return
            raise
        except RecursionError:  # the caller's own stack was nearly full
            raise TextError(TOO_DEEP) from None
        if level and not reading.exact and not isinstance(reading.value, (dict, list)):
            return  # what a loosely written scalar stands for is for the schema to say
        yield reading
        if not isinstance(reading.value, str) or not (text := _stripped(reading.value)):
            return


def parameter_readings(text: str) -> Iterator[Reading]:
    """Yield what the string sent for one parameter may mean. Never guesses, never raises.

    The text must be JSON, or else a loosely written container or quoted string and no more.

    >>> list(parameter_readings("['a', True]"))
    [Reading(value=['a', True], grammar='python', exact=False)]
    >>> list(parameter_readings("send [1] to all"))
    []
    """
    text = _stripped(text)
    if text[:1] not in _CAN_START:
        return
    try:
        if (value := parsed(text, STRICT)) is not NOTHING:
            yield Reading(value, "json", exact=True)
        elif len(text) > LOOSE_LIMIT or text[0] not in _CAN_START_LOOSE:
            return
        elif (value := parsed(text, LAX)) is not NOTHING:
            yield Reading(value, "control", exact=False)
        else:
            for dialect in (JSON5, PYTHON):
                loose = read_loosely(text, dialect)
                if loose and loose.grammar == dialect.grammar and not loose.missing:
                    yield Reading(loose.value, loose.grammar, exact=False)
                    return
    except TextError:
        return


_CAN_START: Final = frozenset("{[(\"'-0123456789tfn")
_CAN_START_LOOSE: Final = frozenset("{[(\"'")
_MARKS: Final = (  # UTF-32 before UTF-16, whose mark begins the same
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32-LE"),
    (codecs.BOM_UTF32_BE, "UTF-32-BE"),
    (codecs.BOM_UTF16_LE, "UTF-16-LE"),
    (codecs.BOM_UTF16_BE, "UTF-16-BE"),
)


def _decoded(text: str | bytes | bytearray) -> str:
    if isinstance(text, str):
        return text
    if not isinstance(text, (bytes, bytearray)):
        raise TextError(NOT_JSON)
    mark, encoding = next((m for m in _MARKS if text.startswith(m[0])), (b"", "UTF-8"))
    try:
        return text[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise TextError(ENCODING, encoding) from None


def _stripped(text: str) -> str:
    """Leave one blank at the end: a number that is followed by any is complete."""
    text = surrogates_joined(text).lstrip(BLANK)
    bare = text.rstrip(BLANK)
    return bare + " " * (bare != text)


def _read(text: str, *, accept_cut_off: bool) -> Reading:
    """Read the text by the first grammar that takes it."""
    if (value := parsed(text, STRICT)) is not NOTHING:
        return Reading(value, "json", exact=True)
    if (value := parsed(text, LAX)) is not NOTHING:
        return Reading(value, "control", exact=False)
    if len(text) > LOOSE_LIMIT:
        raise TextError(NOT_JSON, " and too long to mend")
    core = _fenced(text)
    if core and (value := parsed(core, LAX)) is not NOTHING:
        return Reading(value, "fence", exact=False)
    if reading := _amid_prose(text):
        return reading
    core = core or _after_prose(text)
    missing = ""
    for dialect in (JSON, JSON5, PYTHON):
        if loose := read_loosely(core, dialect):
            if not loose.missing:
                return Reading(loose.value, loose.grammar, exact=False)
            missing = missing or loose.missing
    missing = missing or missing_at_end(core)
    if missing and not accept_cut_off:
        raise TextError(CUT_OFF, missing)
    return Reading(repaired(core, whole=not accept_cut_off), "repair", exact=False)


_FENCE: Final = re.compile(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
_OPENER: Final = re.compile(r"[{\[]")
_ASIDE: Final = re.compile(r"\[[/!]?[^\W\d][^]\[{}\"]*\]")
_TORN: Final = re.compile(r"""[][{}]|["']\s{0,9}:|"\s{0,9},""")
_SECOND: Final = re.compile(r"""\{\s*["'}]|\[\s*[{"'\]]""")


def _fenced(text: str) -> str:
    """Return what stands between the first code fence and the last, if only prose is outside."""
    if not (opening := _FENCE.search(text)):
        return ""
    end = text.rfind(opening[1])
    if end < opening.end():  # the closing fence is missing
        end = len(text)
    outside = (text[: opening.start()], text[end + 3 :])
    return text[opening.end() : end].strip(BLANK) if all(map(_is_prose, outside)) else ""


def _after_prose(text: str) -> str:
    """Return the text from its first bracket on, if only prose is before it."""
    opener = _OPENER.search(text)
    return text[opener.start() :] if opener and _is_prose(text[: opener.start()]) else text


def _is_prose(text: str) -> bool:
    """Say whether the text has no brackets but [asides], and is not a torn-off part of JSON."""
    text = _ASIDE.sub("", text).strip(BLANK)
    return not (text.startswith((",", ":")) or _TORN.search(text))


def _amid_prose(text: str) -> Reading | None:
    """Read the one value, or the equal values, that stand in the text with prose around."""
    values: list[Any] = []
    prose: list[str] = []
    end = at = 0
    for _ in range(MAX_VALUES):
        if not (opener := _OPENER.search(text, at)):
            break
        try:
            value, stop = LAX.raw_decode(text, opener.start())
        except RecursionError:
            raise TextError(TOO_DEEP) from None
        except ValueError:
            if not (aside := _ASIDE.match(text, opener.start())):
                break
            at = aside.end()
        else:
            check_depth(value)
            values.append(value)
            prose.append(text[end : opener.start()])
            end = at = stop
    if not values or not all(_is_prose(gap) or gap.strip(BLANK) == "," for gap in prose):
        return None
    rest = text[end:].strip(BLANK)
    stuck = opener is not None  # at a bracket that begins no value, or after too many values
    again = stuck and text.startswith(rest, len(prose[0]))  # a copy that breaks off
    another = stuck and not again and bool(_SECOND.match(rest))
    if another or len({json.dumps(value, sort_keys=True) for value in values}) > 1:
        raise TextError(TWO_CALLS)
    if not again and rest != "," and not _is_prose(rest):
        return None
    return Reading(values[0], "repeated" if again or len(values) > 1 else "prose", exact=False)
