"""Two equalities of JSON values, and membership.

JSON Schema's (Core section 4.2.2) compares numbers by value: 1 is 1.0, and neither is true. The
type-exact one also distinguishes 1 from 1.0. The order of keys means nothing to either.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Final

__all__ = ["distinct", "json_key", "membership", "type_exact_bytes", "type_exact_equal"]


_LONG: Final = 2**60
_NUMBERS: Final = frozenset((int, float))
_PLAIN: Final = _NUMBERS | {str, bool, type(None), list, dict}


def json_key(value: Any) -> Hashable:
    """Return a key that is the same for values that JSON Schema takes for equal.

    >>> json_key([1]) == json_key([1.0]), json_key(1) == json_key(True)
    (True, False)
    """
    kind = type(value)
    if kind is str or value is None:
        return value  # type: ignore[no-any-return]
    if kind is dict:
        return frozenset((name, json_key(member)) for name, member in value.items())
    if kind is list:
        return tuple(map(json_key, value))
    if kind in _NUMBERS and not -_LONG < value < _LONG and value % 1 == 0:
        return b"%x" % int(value)  # whose hash nobody foresees, unlike that of a long integer
    return kind is bool, value


def membership(choices: Iterable[Any]) -> Callable[[Any], bool]:
    """Return a test whether a value is equal to one of the choices.

    >>> [*map(membership([1, "a"]), (1.0, True, "a"))]
    [True, False, True]
    """
    keys = {*map(json_key, choices)}
    return lambda value: json_key(value) in keys


def distinct(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values without those that are equal to an earlier one.

    >>> [*distinct([1, True, 1.0, [1]])]
    [1, True, [1]]
    """
    seen: set[Hashable] = set()
    for value in values:
        key = json_key(value)
        if key not in seen:
            seen.add(key)
            yield value


def type_exact_bytes(value: Any) -> bytes:
    """Return bytes that are equal for type-exact equal values with their keys in the same order.

    >>> type_exact_bytes([1]) == type_exact_bytes([1.0])
    False
    """
    return marshal.dumps(value, 2)  # the format without back references


def type_exact_equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of the same types throughout.

    They may be other mappings than dictionaries.

    >>> type_exact_equal({"a": 1, "b": 2}, {"b": 2, "a": 1}), type_exact_equal([1], [1.0])
    (True, False)
    """
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict or (kind not in _PLAIN and isinstance(one, Mapping)):
        return one.keys() == other.keys() and all(
            type_exact_equal(one[key], other[key]) for key in one
        )
    if kind is list or (kind not in _PLAIN and isinstance(one, (list, tuple))):
        return len(one) == len(other) and all(map(type_exact_equal, one, other))
    return bool(one == other)
