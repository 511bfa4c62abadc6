"""Code fences, and JSON with prose around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from schema2model.errors import TWO_CALLS, TextError
from schema2model.json.equality import type_exact_equal
from schema2model.json.parsing import BLANK, LAX, NOTHING, parse_json, parse_prefix
from schema2model.limits import MAX_EMBEDDED_VALUES, MAX_FENCES
from schema2model.regexes import regex
from schema2model.text.schema_view import SchemaView
from schema2model.text.text_readings import TextReading
from schema2model.text.wrapping.labels import refuse_property
from schema2model.text.wrapping.prose import (
    ASIDE,
    JSON_START,
    find_trailing,
    is_prose,
    negates,
)

__all__ = ["fence_span", "fenced_json", "json_amid_prose"]

_OPENER: Final = regex(r"[{\[]")
_WORD: Final = regex(r"\w")
_FENCE: Final = regex(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
_BARE_MEMBER: Final = regex(r'\s*"[^"\\]*"\s*:')
"""A name and a colon: the text lacks its first brace, and its fences are in a string."""
_BEFORE_OPENING: Final = frozenset(("", " ", "\t", "\n", ">", ":"))
_BEFORE_CLOSING: Final = frozenset(" \t\n\r}])\"'")


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


def fenced_json(text: str) -> TextReading | None:
    """Return the JSON in the code fence with which a text begins; None if JSON follows it."""
    for start, end in _fence_spans(text) if text[:1] in {"`", "~"} else ():
        content = text[start:end].strip(BLANK)
        value = parse_json(content, LAX)
        if value is not NOTHING:
            other = JSON_START.search(text, end)
            if other and parse_prefix(text, other.start())[0] is not NOTHING:
                return None
            first = text.index(content, start)
            span = first, first + len(content)
            return TextReading(value, "fence", content, text=text, span=span)
    return None


def json_amid_prose(text: str, start: int, end: int, schema: SchemaView) -> TextReading | None:
    """Return the JSON in a span amid prose; None if there is none, or if more is around it.

    After words, it may be there again, or an object outside of the call. Raises TextError
    if another value follows, or if it is only one property of the call.
    """
    at = start
    while (opener := _OPENER.search(text, at, end)) and (
        aside := ASIDE.match(text, opener.start())
    ):
        at = aside.end()
    if opener is None:
        return None
    first = opener.start()
    before = text[start:first]
    if "dict(" in before or not is_prose(before) or negates(text[:first]):
        return None
    value, stop, _ = parse_prefix(text[:end], first)
    if value is NOTHING:
        return None
    last, is_repeated = _after_copies(text, stop, value, schema)
    refuse_property(text, first, last, value, schema)
    if find_trailing(text, last) is None:
        return None
    grammar = "repeated" if is_repeated else "fence" if start else "prose"
    return TextReading(value, grammar, text[first:stop], text=text, span=(first, stop))


def _after_copies(text: str, end: int, value: Any, schema: SchemaView) -> tuple[int, bool]:
    """Return the end of the last value in prose after another one, and whether it is a copy."""
    is_copy = False
    for _ in range(MAX_EMBEDDED_VALUES):
        again = JSON_START.search(text, end)
        if again is None or not is_prose(text[end : again.start()]):
            break
        other, after, _control = parse_prefix(text, again.start())
        if other is NOTHING:
            break
        is_copy = type_exact_equal(other, value)
        if not is_copy:
            is_aside = isinstance(other, dict) and schema.names().isdisjoint(other)
            if not (is_aside and schema.names() and _WORD.search(text, end, again.start())):
                raise TextError(TWO_CALLS)
        end = after
    return end, is_copy
