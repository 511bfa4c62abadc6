"""Markdown's code fences, and the JSON in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from schema2model.limits import MAX_FENCES
from schema2model.text.exact import BLANK, LAX, NOTHING, parse_json
from schema2model.text.schema_view import SchemaView
from schema2model.text.wrapping.embedded import EmbeddedJSON
from schema2model.text.wrapping.labels import property_conflict
from schema2model.text.wrapping.prose import JSON_START, is_prose, may_hold_json

__all__ = ["fence_span", "find_fenced_json"]

_FENCE: Final = re.compile(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
_BARE_MEMBER: Final = re.compile(r'\s*"[^"\\]*"\s*:')
"""A name and a colon: the text lacks its first brace, and its fences are in a string."""
_BEFORE_OPENING: Final = frozenset(("", " ", "\t", "\n", ">", ":"))
_BEFORE_CLOSING: Final = frozenset(" \t\n\r}])\"'")


def find_fenced_json(text: str, schema: SchemaView) -> EmbeddedJSON | None:
    """Return the JSON in the outermost code fence; None if the text outside belongs to the call."""
    for start, end in _fence_spans(text):
        content = text[start:end].strip(BLANK)
        value = parse_json(content, LAX)
        if value is not NOTHING:
            first = text.index(content, start)
            stop = first + len(content)
            if (
                may_hold_json(text[:start])
                or may_hold_json(text[end:])
                or property_conflict(text, first, stop, value, schema)
            ):
                return None
            return EmbeddedJSON(value, first, stop)
    return None


def fence_span(text: str) -> tuple[int, int] | None:
    """Return the span of the content of the outermost code fence that only prose follows."""
    if "```" not in text and "~~~" not in text:
        return None
    return next((span for span in _fence_spans(text) if is_prose(text[span[1] + 3 :])), None)


def _fence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the content of the outermost code fence may be, the longest first.

    A fence is part of a value, not around it, if brackets are open before it.
    """
    opening = _FENCE.search(text)
    if opening is None:
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
    if before[-1] not in _BEFORE_OPENING or _BARE_MEMBER.match(text):
        return True
    if before[-1] != "\n" and JSON_START.search(before):
        return True
    return any(before.count(o) > before.count(c) for o, c in ("{}", "[]", "()"))
