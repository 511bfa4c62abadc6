r"""The text of a call's arguments to a value: exact grammars in order, then one that mends.

The first grammar that takes a text reads it, and the caller judges the value by the schema.

    json       RFC 8259; of duplicate keys the last wins; no NaN, no Infinity, no overflow
    control    the same, with raw control characters inside strings
    fence      either of them in a Markdown code fence
    prose      either of them, one object or array, with words around it
    repeated   the same value again, whole or cut off
    mended     JSON5, Python's literals, and what counted edits make JSON

`exact` has the first two, `surroundings` what finds JSON in fences and prose, `mending` the last.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import islice
from typing import Final

from schema2model.text.exact import (
    BLANK,
    BRACKETS,
    EMPTY,
    ENCODING,
    LAX,
    NOT_JSON,
    NOTHING,
    STRICT,
    TOO_DEEP,
    UNIQUE,
    TextError,
    begun,
    exact_json,
    may_be_json,
    may_be_respelled,
    parsed,
    surrogates_joined,
)
from schema2model.text.layout import may_be_one_string
from schema2model.text.literals import literal
from schema2model.text.outside import ASIDE, fenced, forms, opening
from schema2model.text.readings import TextReading, chosen
from schema2model.text.repair.absorbed_members import may_be_swallowed
from schema2model.text.repair.edits import (
    BRACE_ELSEWHERE,
    LOST_QUOTE,
    assembled,
    brace_inserted,
)
from schema2model.text.repair.search import Budget, Mender, OutOfStepsError
from schema2model.text.repair.unclosed import unclosed
from schema2model.text.schema_view import ANYWHERE, TextPlace
from schema2model.text.surroundings import amid_prose, in_fence, refuse_part

__all__ = [
    "NOTHING",
    "Budget",
    "TextError",
    "TextReading",
    "chosen",
    "exact_json",
    "parameter_readings",
    "readings",
]

MAX_ENCODINGS: Final = 4
"""So many times may JSON be wrapped in a JSON string."""
MAX_MENDED: Final = 24
"""So many values are made of one text."""


def readings(
    text: str | bytes | bytearray,
    place: TextPlace = ANYWHERE,
    *,
    budget: Budget | None = None,
    accept_cut_off: bool = False,
) -> Iterator[TextReading]:
    r"""Yield what the whole text of a call may mean: its value, then what a string value holds.

    Raises TextError if there is no reading, and also after a string whose contents are a call
    that is cut off or two calls. `accept_cut_off` reads such text as far as it goes.

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
    budget = budget or Budget()
    for level in range(MAX_ENCODINGS + 1):
        reading = None
        try:
            found = _read(text, place, budget, accept_cut_off=accept_cut_off)
            for reading in _with_doubt(found, text):
                if level and not reading.exact and not isinstance(reading.value, (dict, list)):
                    return  # what a loosely written scalar stands for is for the schema to say
                yield reading
        except TextError as error:
            # That a string does not hold JSON is no fault: the caller has the string.
            if level and (error.reason == NOT_JSON or text[0] not in BRACKETS):
                return
            raise
        except RecursionError:  # the caller's own stack was nearly full
            raise TextError(TOO_DEEP) from None
        if reading is None or not isinstance(reading.value, str):
            return
        if not (text := _stripped(reading.value)):
            return


def parameter_readings(text: str, budget: Budget | None = None) -> Iterator[TextReading]:
    """Yield what the string sent for one parameter may mean. Never guesses, never raises.

    The text must be JSON, in a code fence or not, or else a container or string in another
    spelling, without an edit; and no more.

    >>> [reading.value for reading in parameter_readings("['a', True]")]
    [['a', True]]
    >>> list(parameter_readings("send [1] to all"))
    []
    """
    text = _stripped(text)
    try:
        if may_be_json(text) and (value := parsed(text, STRICT)) is not NOTHING:
            yield TextReading(value, "json", text, exact=True)
            return
        if not may_be_respelled(text):
            return
        budget = budget or Budget()
        if not budget.reads(len(text)):
            return
        if (value := parsed(text, LAX)) is not NOTHING:
            yield TextReading(value, "control", text)
        elif text[0] in "`~":
            yield from in_fence(text, ANYWHERE)
        else:
            yield from _respelled(text, budget)
    except (TextError, OutOfStepsError, RecursionError):
        return


_CAN_START: Final = frozenset("{[(\"'-0123456789tfn`~")
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


def _read(
    text: str, place: TextPlace, budget: Budget, *, accept_cut_off: bool
) -> Iterator[TextReading]:
    """Read the text by the first grammar that takes it."""
    broken = False  # whether it begins with a bracket that begins no JSON
    value, end = None, 0
    if text[0] in _CAN_START:
        value, end, has_control = begun(text)
        if end and not text[end:].strip(BLANK):
            yield TextReading(
                value, "control" if has_control else "json", text, exact=not has_control
            )
            return
        broken = not end and text[0] in BRACKETS and not ASIDE.match(text)
    if not budget.reads(len(text)):
        raise TextError(NOT_JSON, " and too long to mend")
    found = False
    grammars = [in_fence(text, place)] if "```" in text or "~~~" in text else []
    if not broken:
        grammars.append(amid_prose(text, place, value, end if text[0] in BRACKETS else 0))
    for grammar in grammars:
        for reading in grammar:
            found = True
            yield reading
        if found:
            return
    yield from _mended(text, place, budget, completes=accept_cut_off)


def _with_doubt(found: Iterator[TextReading], text: str) -> Iterator[TextReading]:
    """Readings of a text, in doubt where its layout tells that they may be others."""
    for reading in found:
        in_doubt = not (reading.exact or reading.doubt) and may_be_one_string(text)
        yield reading._replace(doubt=LOST_QUOTE) if in_doubt else reading


def _respelled(text: str, budget: Budget) -> Iterator[TextReading]:
    """The value of a text that only spells JSON otherwise."""
    if found := _literal(text, 0):
        yield found
        return
    for cost, tokens, doubt, _ in Mender(text, ANYWHERE, budget).readings(0):
        json = assembled(tokens)
        if not (cost or doubt or tokens[-1].edit):
            value = parsed(json, UNIQUE)
            if value is not NOTHING:
                yield TextReading(value, "mended", json)
        return


def _literal(text: str, start: int) -> TextReading | None:
    """The value that goes from a character to the end, if it only spells JSON otherwise."""
    tokens = literal(text, start)
    if tokens is None:
        return None
    json = assembled(tokens)
    value = parsed(json, UNIQUE)
    if value is NOTHING:
        return None
    return TextReading(value, "mended", json, text=text, tokens=tokens)


def _at_once(text: str, start: int, place: TextPlace) -> TextReading | None:
    """The value that goes from a character to the end, if it is found without the search.

    At no cost nothing else can be meant.
    """
    if found := _literal(text, start):
        return found
    if closed := unclosed(text, start, place):
        cost, value, tokens = closed
        json = assembled(tokens)
        return TextReading(value, "mended", json, cost=cost, text=text, tokens=tokens)
    return None


def _searched(mender: Mender, first: int, bracket: str, place: TextPlace) -> Iterator[TextReading]:
    """What a search makes of its text from a character on, where a bracket may be missing."""
    text = mender.context.text
    try:
        for cost, tokens, doubt, keeps_quotes in islice(
            mender.readings(first, opener=bracket), MAX_MENDED
        ):
            json = assembled(tokens)
            value = parsed(json, UNIQUE)
            if value is NOTHING and brace_inserted(tokens):  # where a name comes twice
                value, doubt = parsed(json, LAX), BRACE_ELSEWHERE  # noqa: PLW2901
            if value is NOTHING:
                continue
            refuse_part(text, first, tokens[-1].start, value, place)
            if keeps_quotes and may_be_swallowed(text, tokens, value, place):
                doubt = doubt or LOST_QUOTE  # noqa: PLW2901
            yield TextReading(
                value, "mended", json, cost=cost, doubt=doubt, text=text, tokens=tokens
            )
    except OutOfStepsError:
        raise TextError(NOT_JSON, " and too doubtful to mend") from None


def _mended(
    text: str, place: TextPlace, budget: Budget, *, completes: bool
) -> Iterator[TextReading]:
    """What edits make of a text, the cheapest first."""
    refusal: TextError | None = None
    for price, form, base in forms(text):
        start, end = fenced(form) or (0, len(form))
        found = opening(form, start, end)
        if found is None:
            continue
        first, bracket = found
        form = form[:end]  # noqa: PLW2901
        if not bracket and (reading := _at_once(form, first, place)):
            refuse_part(form, first, len(form), reading.value, place)
            yield reading._replace(cost=price + reading.cost)
            if not reading.cost or budget.enough is not None:
                return
        mender = Mender(form, place, budget, completes=completes)
        for reading in _searched(mender, first, bracket, place):
            yield reading._replace(cost=price + reading.cost)
        if budget.enough is not None:
            return
        refusal = refusal or mender.refusal(base)
    raise refusal or TextError(NOT_JSON)
