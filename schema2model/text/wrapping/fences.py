"""Markdown's code fences, and the JSON in them."""

from __future__ import annotations

import re
from typing import Final

from schema2model.limits import MAX_FENCES
from schema2model.text.exact import BLANK, LAX, NOTHING, parse_json
from schema2model.text.wrapping.embedded import EmbeddedJSON
from schema2model.text.wrapping.prose import JSON_START, is_prose
from schema2model.text.wrapping.trailing import find_trailing

__all__ = ["fence_span", "find_fenced_json"]

_FENCE: Final = re.compile(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
_BARE_MEMBER: Final = re.compile(r'\s*"[^"\\]*"\s*:')
"""A name and a colon: the text lacks its first brace, and its fences are in a string."""
_BEFORE_OPENING: Final = frozenset(("", " ", "\t", "\n", ">", ":"))
_BEFORE_CLOSING: Final = frozenset(" \t\n\r}])\"'")


def find_fenced_json(text: str) -> EmbeddedJSON | None:
    """Return the JSON in the outermost code fence, if only prose is around the fence."""
    span = fence_span(text)
    if span is None or not is_prose(text[: span[0]]):
        return None
    content = text[slice(*span)].strip(BLANK)
    value = parse_json(content, LAX)
    if value is NOTHING:
        return None
    start = text.index(content, span[0])
    return EmbeddedJSON(value, start, start + len(content))


def fence_span(text: str) -> tuple[int, int] | None:
    """Return the span of the content of the outermost code fence, after which no JSON follows.

    A fence is part of a value, not around it, if brackets are open before it.
    """
    opening = _FENCE.search(text)
    if opening is None:
        return None
    before, start = opening.span()
    if before and _is_inside_value(text, text[:before]):
        return None
    end = len(text)
    for _ in range(MAX_FENCES):
        end = text.rfind(opening[1], start, end)
        if end < 0:
            break
        if text[end - 1] in _BEFORE_CLOSING and find_trailing(text, end + 3):
            return start, end
    return start, len(text)  # the closing fence is missing


def _is_inside_value(text: str, before: str) -> bool:
    """Return whether a value has begun before a fence."""
    if before[-1] not in _BEFORE_OPENING or _BARE_MEMBER.match(text):
        return True
    if before[-1] != "\n" and JSON_START.search(before):
        return True
    return any(before.count(o) > before.count(c) for o, c in ("{}", "[]", "()"))
