"""JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from schema2model.regexes import regex

__all__ = [
    "JSONPath",
    "along_pointer",
    "any_item",
    "nearest_part",
    "path_in_data",
    "pointer",
    "pointer_tokens",
]

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


_INDEX: Final = regex(r"/(?:0|[1-9][0-9]*)(?=/|$)")


def any_item(text: str) -> str:
    """Return a JSON Pointer with `*` for every array index, and for names that look like one.

    >>> any_item("/items/12/0/amount"), any_item("/v2/x1")
    ('/items/*/*/amount', '/v2/x1')
    """
    return _INDEX.sub("/*", text)


def pointer_tokens(text: str) -> list[str]:
    """Return the keys and indices in a JSON Pointer as text: the reverse of `pointer`.

    >>> pointer_tokens("/a~1b/0")
    ['a/b', '0']
    """
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]


def along_pointer(value: Any, text: str) -> Iterator[tuple[str | int, Any]]:
    """Yield each key of a JSON Pointer, and the part of a value that it leads to.

    Raises:
        LookupError: if there is none.

    >>> [*along_pointer({"a": [5, 6]}, "/a/1")]
    [('a', [5, 6]), (1, 6)]

    """
    for token in pointer_tokens(text):
        key = int(token) if isinstance(value, list) and token.isdecimal() else token
        if not isinstance(value, (dict, list)) or isinstance(value, list) is isinstance(key, str):
            raise LookupError(text)
        value = value[key]  # type: ignore[index]
        yield key, value


def nearest_part(value: Any, text: str) -> tuple[JSONPath, Any]:
    """Return the path and part that a JSON Pointer leads to in a value, or the last on the way.

    >>> nearest_part({"a": [5, 6]}, "/a/2/b")
    (('a',), [5, 6])
    """
    path: JSONPath = ()
    with suppress(Exception):  # the rest is missing, or a hostile key may raise anything
        for key, part in along_pointer(value, text):
            path, value = (*path, key), part
    return path, value


def path_in_data(
    location: Sequence[int | str], data: Any, *, is_missing: bool = False
) -> list[int | str]:
    """Return the part of one of pydantic's locations that leads through data.

    The rest of it names validators and branches of unions. What is missing is named, too.

    >>> path_in_data(("ship", "Address", "street"), {"ship": {"street": 5}})
    ['ship', 'street']
    """
    path: list[int | str] = []
    for token in location:
        is_inside = isinstance(data, dict) and token in data
        if is_inside or (isinstance(data, list) and type(token) is int and token < len(data)):
            data = data[token]
            path.append(token)
    return [*path, location[-1]] if is_missing and isinstance(data, dict) else path
