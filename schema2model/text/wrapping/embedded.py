"""JSON values in code fences and prose, and which of several is the call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, Final

from schema2model.errors import TWO_CALLS, TextError
from schema2model.json.parsing import BLANK, LAX, NOTHING, parse_json, parse_prefix
from schema2model.limits import MAX_EMBEDDED_VALUES, MAX_FENCES, MAX_JSON_STARTS
from schema2model.text.schema_view import SchemaView
from schema2model.text.text_readings import TextReading
from schema2model.text.wrapping.labels import refuse_property
from schema2model.text.wrapping.prose import (
    ASIDE,
    JSON_START,
    begins_another,
    find_trailing,
    is_prose,
)

__all__ = ["fence_span", "find_embedded_json", "find_fenced_json"]

_OPENER: Final = re.compile(r"[{\[]")
_KEY: Final = re.compile(r'[\s,]*"[^"\n]*"\s*')
"""A string in quotes alone: of the next value, it is the key, whose colon is missing."""
_WORD: Final = re.compile(r"\w")
_FENCE: Final = re.compile(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
_BARE_MEMBER: Final = re.compile(r'\s*"[^"\\]*"\s*:')
"""A name and a colon: the text lacks its first brace, and its fences are in a string."""
_BEFORE_OPENING: Final = frozenset(("", " ", "\t", "\n", ">", ":"))
_BEFORE_CLOSING: Final = frozenset(" \t\n\r}])\"'")


def _embedded(text: str, value: Any, start: int, end: int, grammar: str = "prose") -> TextReading:
    """Return the reading of a value in a text that has more text around it."""
    return TextReading(value, grammar, text[start:end], text=text, span=(start, end))


def find_fenced_json(text: str) -> TextReading | None:
    """Return the JSON in the outermost code fence; None if there is JSON outside, too."""
    for start, end in _fence_spans(text):
        content = text[start:end].strip(BLANK)
        value = parse_json(content, LAX)
        if value is not NOTHING:
            if _holds_json(text[:start]) or _holds_json(text[end:]):
                return None
            first = text.index(content, start)
            return _embedded(text, value, first, first + len(content), "fence")
    return None


def _holds_json(text: str) -> bool:
    """Return whether a text has a JSON container, or too many beginnings of one."""
    if "{" not in text and "[" not in text:  # as most often
        return False
    starts = [*islice(JSON_START.finditer(text), MAX_JSON_STARTS)]
    values = (parse_prefix(text, each.start())[0] for each in starts)
    return len(starts) == MAX_JSON_STARTS or any(value is not NOTHING for value in values)


def fence_span(text: str) -> tuple[int, int] | None:
    """Return the span of the content of the outermost code fence, after which no JSON follows."""
    return next((span for span in _fence_spans(text) if find_trailing(text, span[1] + 3)), None)


def _fence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the content of the outermost code fence may be, the longest first.

    A fence is part of a value, not around it, if brackets are open before it.
    """
    if ("```" not in text and "~~~" not in text) or not (opening := _FENCE.search(text)):
        return
    before, start = opening.span()
    if before and _is_inside_value(text, text[:before]):
        return
    end = len(text)
    for _ in range(MAX_FENCES):
        end = text.rfind(opening[1], start, end)
        if end < 0:
            break
        if text[end - 1] in _BEFORE_CLOSING:
            yield start, end
    yield start, len(text)  # the closing fence is missing


def _is_inside_value(text: str, before: str) -> bool:
    """Return whether a value has begun before a fence."""
    return (
        before[-1] not in _BEFORE_OPENING
        or _BARE_MEMBER.match(text) is not None
        or (before[-1] != "\n" and JSON_START.search(before) is not None)
        or any(before.count(o) > before.count(c) for o, c in ("{}", "[]", "()"))
    )


def find_embedded_json(text: str, schema: SchemaView) -> list[TextReading]:
    """Return the different JSON values in a text, if only prose is around them; [] if not.

    Raises TextError if a value is only one property of the call, or another call begins after it.
    """
    found = _values_amid_prose(text)
    if not found:
        return []
    start, end = found[0].span[0], found[-1].span[1]
    refuse_property(text, start, end, found[0].value, schema)
    if begins_another(text, end):  # also a copy: more of the call was to come
        raise TextError(TWO_CALLS)
    if find_trailing(text, end) is None:
        return []
    if len(found) == 1:
        return found
    distinct = list({json.dumps(each.value, sort_keys=True): each for each in found}.values())
    if len(distinct) == 1:
        return [found[0]._replace(grammar="repeated")]
    for one, other in pairwise(found):
        if not (one.value and other.value) and not text[one.span[1] : other.span[0]].strip(BLANK):
            raise TextError(TWO_CALLS)  # an empty one, which is not a list in prose
    return _with_parts(text, distinct, schema)


def _values_amid_prose(text: str) -> list[TextReading]:
    """Return the objects and arrays in a text, up to one that is not JSON.

    [] if anything but prose is between them.
    """
    found: list[TextReading] = []
    at = end = 0
    for _ in range(MAX_EMBEDDED_VALUES):
        opener = _OPENER.search(text, at)
        if opener is None:
            break
        start = opener.start()
        value, stop, _has_control = parse_prefix(text, start)
        if value is NOTHING:
            if not (aside := ASIDE.match(text, start)):
                break
            at = aside.end()
            continue
        before = text[end:start]
        if "dict(" in before or not (is_prose(before) or before.strip(BLANK) == ","):
            return []
        if found and _KEY.fullmatch(before):
            return []
        found.append(_embedded(text, value, start, stop))
        end = at = stop
    return found


def _with_parts(text: str, found: list[TextReading], schema: SchemaView) -> list[TextReading]:
    """Mark each value that may be part of a call whose other members are in another value.

    These are members that the schema declares, or any if it allows others and no words are
    between the values.
    """
    names = schema.names()
    has_words = all(
        _WORD.search(text[one.span[1] : other.span[0]]) for one, other in pairwise(found)
    )
    takes_any = not has_words and not schema.is_closed()

    def may_be_part(value: Any) -> bool:
        return any(
            other.value and (takes_any or not names.isdisjoint(other.value))
            for other in found
            if other.value is not value and isinstance(other.value, dict)
        )

    return [each._replace(cost=1, may_be_part=may_be_part(each.value)) for each in found]
