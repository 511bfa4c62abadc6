r"""The text of a call's arguments to a value: exact grammars in order, then one that repairs.

The first grammar that takes a text reads it, and the caller judges the value by the schema.

    json       RFC 8259; no NaN, no Infinity, no overflow, no two values for one name
    control    the same, with raw control characters inside strings
    fence      either of them in a Markdown code fence
    prose      either of them, one object or array, with words around it
    repeated   the same value again
    repaired   JSON5, Python's literals, and what counted edits make JSON

`json.parsing` has the first two, `wrapping` finds JSON in fences and prose, `literals` and `repair`
have the last.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Final

from schema2model.errors import EMPTY, ENCODING, NOT_JSON, TOO_DEEP, TextError
from schema2model.json.parsing import (
    BLANK,
    BRACKETS,
    JSON_BLANK,
    LAX,
    NOTHING,
    STRICT,
    may_be_json,
    may_be_respelled,
    parse_json,
    parse_prefix,
    surrogates_joined,
)
from schema2model.json.spans import is_unclosed
from schema2model.limits import MAX_ENCODINGS, MAX_MALFORMED_TEXT
from schema2model.text.budget import Budget
from schema2model.text.repair.doubts import may_be_one_string
from schema2model.text.repair.edits import Doubt, EditCost
from schema2model.text.repair.search import RepairSearch
from schema2model.text.schema_view import NO_SCHEMA, SchemaView
from schema2model.text.text_readings import TextReading, choose_reading
from schema2model.text.wrapping.embedded import fence_span, fenced_json, json_amid_prose
from schema2model.text.wrapping.encoded_text import decoded_variants
from schema2model.text.wrapping.labels import refuse_property
from schema2model.text.wrapping.prose import ASIDE, find_value_start, negates
from schema2model.text.wrapping.thinking import split_thinking

__all__ = [
    "TextReading",
    "choose_reading",
    "parameter_readings",
    "readings",
]


def readings(
    text: str | bytes | bytearray,
    schema: SchemaView = NO_SCHEMA,
    *,
    budget: Budget | None = None,
    accept_truncated: bool = False,
) -> Iterator[TextReading]:
    r"""Yield the possible values of a call's text, then those of the JSON in its string.

    Raises TextError without a reading, and also after a string whose content is a truncated
    call or two calls. `accept_truncated` completes truncated text.

    >>> [reading.value for reading in readings('Here you are: {"a": [1, "x"]}')]
    [{'a': [1, 'x']}]
    >>> [reading.value for reading in readings(r'"{\"a\": 1}"')]
    ['{"a": 1}', {'a': 1}]
    >>> list(readings('{"path": "a.py", "content": "def f():'))
    Traceback (most recent call last):
        ...
    schema2model.errors.TextError: the arguments were cut off inside a string; ...
    """
    given = _decoded(text)
    text = _stripped(given)
    if not text:
        raise TextError(EMPTY)
    budget = budget or Budget()
    thinking, text = split_thinking(text)
    text = text.lstrip(BLANK)
    # each level is the content of the JSON string of the one before: "\"{...}\""
    for level in range(MAX_ENCODINGS + 1):
        reading = None
        try:
            for reading in _read(text, schema, budget, accept_truncated=accept_truncated):
                yield _completed(reading, text, thinking, given)
        except TextError as error:
            # A string that does not hold JSON is a string, which the caller has.
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
    """Yield the possible values of the string sent for one parameter. Never guesses, never raises.

    The text must be JSON, alone or in a code fence, or else a container or string in another
    spelling, without an edit. A string in other quotes may have no backslashes: they may belong to
    it, or to JSON in it.

    >>> [reading.value for reading in parameter_readings("['a', True]")]
    [['a', True]]
    >>> list(parameter_readings("send [1] to all"))
    []
    """
    text = _stripped(text)
    try:
        if may_be_json(text) and (value := parse_json(text, STRICT)) is not NOTHING:
            yield TextReading(value, "json", text, exact=True)
            return
        if not may_be_respelled(text):
            return
        budget = budget or Budget()
        if not budget.take_characters(len(text)):
            return
        if (value := parse_json(text, LAX)) is not NOTHING:
            yield TextReading(value, "control", text)
        elif text[0] not in "`~":  # which begin a code fence
            # the first alone: in a parameter, a second reading would be a guess
            reading = next(RepairSearch(text, NO_SCHEMA, budget).readings(0), None)
            if reading is not None and not (
                reading.cost
                or reading.doubt
                or reading.covering_tokens()[-1].edit
                or (type(reading.value) is str and "\\" in text)
            ):
                yield reading
        elif (found := fenced_json(text)) and not may_be_one_string(text):
            yield found
    except (TextError, RecursionError):
        return


_ENCODING_MARKS: Final = (  # UTF-32 before UTF-16, whose mark begins the same
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
    marks = (each for each in _ENCODING_MARKS if text.startswith(each[0]))
    mark, encoding = next(marks, (b"", "UTF-8"))
    try:
        return text[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise TextError(ENCODING, encoding) from None


def _stripped(text: str) -> str:
    """Strip blanks, but leave one at the end: a number before it is complete."""
    text = surrogates_joined(text).lstrip(BLANK)
    bare = text.rstrip(BLANK)
    return bare + " " * (bare != text)


def _read(
    text: str, schema: SchemaView, budget: Budget, *, accept_truncated: bool
) -> Iterator[TextReading]:
    """Yield the readings of a text by the first grammar that takes it."""
    stop = -1  # where the text ceases to be JSON, if it begins like an object or array
    if len(text) > MAX_MALFORMED_TEXT and is_unclosed(text):
        raise TextError(NOT_JSON, " and too long to repair")
    value, end, has_control = parse_prefix(text)
    if value is not NOTHING and not text[end:].strip(BLANK):
        grammar = "control" if has_control else "json"
        yield TextReading(value, grammar, text, exact=not has_control)
        return
    if value is NOTHING and text[0] in BRACKETS and not ASIDE.match(text):
        stop = end
    # all below costs a multiple of the text's length, so from here on it is counted
    if not budget.take_characters(len(text)):
        raise TextError(NOT_JSON, " and too long to repair")
    if fenced := fenced_json(text):
        refuse_property(text, *fenced.span, fenced.value, schema)
        yield fenced
        return
    yield from _repaired(text, schema, budget, stop, accept_truncated=accept_truncated)


def _completed(reading: TextReading, text: str, thinking: str, given: str) -> TextReading:
    """Return a reading with the thinking before it, in doubt if the layout allows another one."""
    # form feeds, no-break spaces and byte order marks around a value are blank, but no JSON
    if thinking or (reading.exact and given.strip(BLANK) != given.strip(JSON_BLANK)):
        reading = reading._replace(exact=False, thinking=thinking)
    if reading.exact or reading.doubt or not may_be_one_string(text):
        return reading
    return reading._replace(doubt=Doubt.LOST_QUOTE)


def _repaired(
    text: str, schema: SchemaView, budget: Budget, stop: int, *, accept_truncated: bool
) -> Iterator[TextReading]:
    """Yield what edits make of a text, the cheapest first; `stop` is as in `_read`."""
    refusal: TextError | None = None
    for variant, levels, offset in decoded_variants(text):
        start, end = fence_span(variant) or (0, len(variant))
        if not variant[start:end].strip():
            start, end = 0, len(variant)
        if stop < 0 and (found := json_amid_prose(variant, start, end, schema)):
            if levels:
                found = found._replace(cost=levels * EditCost.DECODED)
            elif offset:
                first, after = found.span
                found = found._replace(text=text, span=(first + offset, after + offset))
            yield found
            return
        value_start = find_value_start(variant, start, end)
        if value_start is None:
            continue
        first, missing = value_start
        if first and negates(variant[:first]):
            continue
        content = variant[:end]
        search = RepairSearch(content, schema, budget, accept_truncated=accept_truncated)
        is_complete = False  # for a reading without edits: then nothing is missing
        for reading in search.readings(first, missing, stop if content == text else -1):
            last = reading.covering_tokens()[-1].start
            refuse_property(variant, first, last, reading.value, schema)
            is_complete |= not (reading.cost or reading.doubt)
            cost = levels * EditCost.DECODED + reading.cost
            yield reading._replace(cost=cost) if levels else reading
        # `choose_reading` sets a maximum once a reading is accepted: more decoding costs more
        if is_complete or budget.max_cost is not None:
            return
        refusal = refusal or search.refusal(offset)
    raise refusal or TextError(NOT_JSON)
