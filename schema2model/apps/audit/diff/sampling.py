"""Calls that probe the limits of two schemas: a valid call with one place changed."""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from schema2model.json.pointers import JSONPath

__all__ = ["ANY_VALUES", "changed_calls", "has_location", "with_containers"]

ANY_VALUES: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**6,
    "",
    "text",
    "1",
    "Aa1!Aa1!Aa1!",  # a password, as look-ahead patterns want one
    [],
    ["text"],
    ["text", "text"],
    [0],
    [0, "text"],
    {},
    "2024-02-29",
    "2024-02-29T12:00:00Z",
    "12:00:00Z",
    "P1D",
    "a@b.example",
    "example.com",
    "https://example.com/a",
    "/a",
    "127.0.0.1",
    "::1",
    "123e4567-e89b-12d3-a456-426614174000",
)
"""Values of all types and formats."""


def changed_calls(base: Any, location: JSONPath, values: Iterable[Any]) -> Iterator[Any]:
    """Yield a call with each of the values at a place, and without the place."""
    if not location:
        return
    *around, last = location
    holder = _at(base, around)
    if not _fits(holder, last):
        return
    is_there = last in (holder if isinstance(holder, dict) else range(len(holder)))
    for value in values:
        call = copy.deepcopy(base)
        holder = _at(call, around)
        if isinstance(holder, list) and last == len(holder):
            holder.append(value)
        else:
            holder[last] = value
        yield call
    if is_there:
        call = copy.deepcopy(base)
        del _at(call, around)[last]
        yield call


def with_containers(
    base: Any, location: JSONPath, container: Callable[[JSONPath, type], Any]
) -> Any:
    """Return a call with the objects and arrays around a location; None if one cannot be made.

    Args:
        base: a call.
        location: the location.
        container: returns an object or array for a location, or None.

    """
    call = holder = copy.deepcopy(base)
    for depth, key in enumerate(location[:-1], 1):
        if not _fits(holder, key):
            return None
        if key not in (holder if isinstance(holder, dict) else range(len(holder))):
            made = container(location[:depth], list if isinstance(location[depth], int) else dict)
            if made is None:
                return None
            if isinstance(holder, list):
                holder.append(made)
            else:
                holder[key] = made
        holder = holder[key]
    return call


def has_location(call: Any, location: Sequence[str | int]) -> bool:
    """Return whether a call has a value at a location."""
    for key in location:
        if not _fits(call, key) or (
            key not in call if isinstance(call, dict) else key == len(call)
        ):
            return False
        call = call[key]
    return True


def _at(call: Any, location: Sequence[str | int]) -> Any:
    return (
        functools.reduce(operator.getitem, location, call) if has_location(call, location) else None
    )


def _fits(holder: Any, key: str | int) -> bool:
    if isinstance(holder, dict):
        return isinstance(key, str)
    return isinstance(holder, list) and isinstance(key, int) and key <= len(holder)
