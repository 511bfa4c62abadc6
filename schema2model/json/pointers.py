"""JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["JSONPath", "pointer", "pointer_tokens"]

JSONPath = tuple[str | int, ...]
"""A path of keys and indices."""


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer (RFC 6901) of a path of keys and indices.

    >>> pointer(["a/b", 0])
    '/a~1b/0'
    """
    text = ""
    for token in path:
        text += f"/{str(token).replace('~', '~0').replace('/', '~1')}"
    return text


def pointer_tokens(text: str) -> list[str]:
    """Return the keys and indices in a JSON Pointer as text: the reverse of `pointer`.

    >>> pointer_tokens("/a~1b/0")
    ['a/b', '0']
    """
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]
