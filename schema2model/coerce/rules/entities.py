"""HTML entities in the strings of a call, for providers that escape them."""

from __future__ import annotations

import html
from typing import Any

__all__ = ["decode_entities", "without_entities"]

_Change = tuple[tuple[str | int, ...], str, Any, Any]
"""A path, the rule, and the value before and after."""


def decode_entities(value: Any) -> tuple[Any, tuple[_Change, ...]]:
    """Return a value whose strings are decoded once, and each change.

    >>> decode_entities({"a": ["R&amp;amp;D", "x"]})
    ({'a': ['R&amp;D', 'x']}, ((('a', 0), 'html_entities', 'R&amp;amp;D', 'R&amp;D'),))
    """
    steps: list[_Change] = []

    def decode(value: Any, path: tuple[str | int, ...]) -> Any:
        if type(value) is str and "&" in value:
            decoded = html.unescape(value)
            if decoded != value:
                steps.append((path, "html_entities", value, decoded))
            return decoded
        if type(value) is dict:
            return {key: decode(item, (*path, key)) for key, item in value.items()}
        if type(value) is list:
            return [decode(item, (*path, index)) for index, item in enumerate(value)]
        return value

    return decode(value, ()), tuple(steps)


def without_entities(value: Any) -> Any:
    """Return a value without entities in its strings.

    Raises:
        ValueError: if a string holds one.

    """
    if decode_entities(value)[1]:
        message = "a string holds an HTML entity"
        raise ValueError(message)
    return value
