"""JSON values in Python: their types, plain copies, equality, and limits of depth and size.

JSON Schema Core section 4.2 (instance data model).
"""

from __future__ import annotations

import marshal
import math
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from schema2model.limits import MAX_DEPTH, MAX_DIGITS, MAX_VALUES

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = [
    "CONTAINERS",
    "EXACT_FLOATS",
    "NUMBERS",
    "SCALARS",
    "TOO_LONG",
    "TOO_MUCH",
    "TYPES",
    "NotJSONError",
    "any_scalar",
    "contains_more",
    "exact_fraction",
    "finite",
    "is_integral_float",
    "is_shallow",
    "is_string",
    "map_leaves",
    "may_exceed_limits",
    "plain_copy",
    "plain_text",
    "require_text",
    "shallow_only",
    "type_of",
]


FEW_VALUES = 10_000
"""Values that are copied without being counted first, which would take as long."""

TOO_MUCH = f"more than {MAX_DEPTH} levels of nesting, or more than {MAX_VALUES:,} values"


TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The types of JSON Schema, integers apart from numbers."""

NUMBERS = frozenset(("integer", "number"))
"""Those of numbers."""


_TYPE_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


_ATOMS = frozenset({type(None), bool, str})


SCALARS = _ATOMS | {int, float}
"""Python types of JSON values that contain no others."""

CONTAINERS = frozenset((dict, list))
"""Python types of the others."""


_OPENED: Final = b"[{()\xdb\xfb\xa8\xa9"
"""The first bytes of lists, dicts and tuples as marshal writes them."""

_SHARED: Final = b"\xdb\xfb\xa8\xa9"
"""The same of those that it may refer to where they occur again."""

_AGAIN: Final = ord("r")
"""The first byte of such a reference."""

_ROOT_AGAIN: Final = b"r\0\0\0\0"
"""A reference to the whole value within it."""


TOO_LONG = 10**MAX_DIGITS
_LEAST = -TOO_LONG


class NotJSONError(ValueError):
    """A Python value that no JSON text spells; `path` holds keys and indices down to it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.path: list[str | int] = []


def type_of(value: object) -> str:
    """Return the JSON type of a plain value: `integer` for an `int`, `number` for a `float`.

    >>> type_of(True), type_of(1), type_of([])
    ('boolean', 'integer', 'array')
    """
    return _TYPE_NAMES[type(value)]


def any_scalar(value: Any, passes: Callable[[Any], bool]) -> bool:
    """Return whether any scalar in a plain value, or the value itself, passes a test.

    >>> any_scalar({"a": [1, None]}, lambda value: value is None)
    True
    """
    kind = type(value)
    if kind is not dict and kind is not list:
        return passes(value)
    inner = value.values() if kind is dict else value
    return any(map(any_scalar, inner, repeat(passes)))


def contains_more(value: Any, limit: int) -> bool:
    """Return whether a container contains more values than `limit`, at all depths.

    >>> contains_more([[1], 2], 2), contains_more([[1], 2], 3)
    (True, False)
    """
    queue = [value]
    for each in queue:  # it grows during the loop
        limit -= len(each)
        if limit < 0:
            return True
        for part in each.values() if type(each) is dict else each:
            if type(part) is dict or type(part) is list:
                queue.append(part)  # noqa: PERF401 - a list takes longer: most are small
    return False


EXACT_FLOATS = 2**53
"""Integers up to here are floats too, without loss (IEEE 754 binary64)."""


def is_integral_float(value: Any) -> bool:
    """Return whether a value is a float that JSON Schema takes for an integer."""
    return type(value) is float and value.is_integer()


def is_string(value: Any) -> bool:
    """Return whether a plain value is a string."""
    return type(value) is str


def plain_copy(value: Any, *, allow_inf_nan: bool = False) -> Any:
    """Return a copy of `value` in JSON's own Python types, containers and all.

    Subclasses become what they extend, without any of their methods being called.

    Raises:
        NotJSONError: for anything else, for NaN and infinities, for more than `MAX_VALUES`
            values, and for containers nested deeper than `MAX_DEPTH` (those that contain
            themselves included).

    >>> plain_copy({"a": [1, None]})
    {'a': [1, None]}

    """
    try:
        return _plain(value, MAX_DEPTH, allow_inf_nan, [FEW_VALUES])
    except NotJSONError as error:
        if str(error) != TOO_MUCH or not is_shallow(value):
            raise
    return _plain(value, MAX_DEPTH, allow_inf_nan, [MAX_VALUES])


def _plain(value: Any, depth: int, inf_nan: bool, left: list[int]) -> Any:  # noqa: C901, FBT001, PLR0912 - one case a type
    kind = type(value)
    if kind is not dict and kind is not list:
        if kind in _ATOMS:
            return value
        if kind is int:
            if _LEAST < value < TOO_LONG:
                return value
            reason = f"an integer of more than {MAX_DIGITS} digits"
            raise NotJSONError(reason)
        if kind is float:
            if math.isfinite(value) or inf_nan:
                return value
            reason = f"{value}, which has no spelling in JSON"
            raise NotJSONError(reason)
        return _read_subclass(value, depth, inf_nan, left)
    left[0] -= len(value)
    if depth == 0 or left[0] < 0:
        raise NotJSONError(TOO_MUCH)
    key: Any = None
    try:
        if kind is list:
            copied: list[Any] = []
            for item in value:
                inner = type(item)
                if inner in _ATOMS or (inner is int and _LEAST < item < TOO_LONG):
                    copied.append(item)
                else:
                    copied.append(_plain(item, depth - 1, inf_nan, left))
            return copied
        members = {}
        for key, item in value.items():
            name = key if type(key) is str else _key(key)
            inner = type(item)  # most are atoms; then a call is saved
            if inner is str or inner in _ATOMS or (inner is int and _LEAST < item < TOO_LONG):
                members[name] = item
            else:
                members[name] = _plain(item, depth - 1, inf_nan, left)
    except NotJSONError as error:
        if kind is list or issubclass(type(key), str):  # else the object itself is at fault
            error.path.insert(0, len(copied) if kind is list else str.__str__(key))
        raise
    return members


def _key(key: Any) -> str:
    if not issubclass(type(key), str):
        reason = f"an object with a Python {type(key).__name__} for a key"
        raise NotJSONError(reason)
    return str.__str__(key)


def _read_subclass(value: Any, depth: int, inf_nan: bool, left: list[int]) -> Any:  # noqa: FBT001
    """Read a subclass as the JSON type it extends, through that type's own methods, a tuple as an
    array.
    """
    kind = type(value)  # not isinstance, which asks the value for its class
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return int.__add__(value, 0)
    if issubclass(kind, float):
        return _plain(float.__mul__(value, 1.0), depth, inf_nan, left)
    if issubclass(kind, list):
        return _plain(list.__getitem__(value, slice(None)), depth, inf_nan, left)
    if issubclass(kind, tuple):  # which json.dumps writes as an array, too
        return _plain([*tuple.__getitem__(value, slice(None))], depth, inf_nan, left)
    if issubclass(kind, dict):
        return _plain({_key(key): item for key, item in dict.items(value)}, depth, inf_nan, left)
    reason = f"a Python {type(value).__name__}"
    raise NotJSONError(reason)


def may_exceed_limits(written: bytes, depth: int = MAX_DEPTH) -> bool:
    """Return whether a marshalled value may have too many levels or values.

    Only a part that is shared or contains itself has more of them than bytes.

    >>> may_exceed_limits(marshal.dumps([[1], {"a": 2}]))
    False
    """
    size = len(written)
    if _AGAIN in written:
        shared = size - len(written.translate(None, _SHARED))
        if shared > (written[0] in _SHARED) or _ROOT_AGAIN in written:
            return True
    if size <= depth:
        return False
    return size > MAX_VALUES or size - len(written.translate(None, _OPENED)) > depth


def is_shallow(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Return whether a value has at most `depth` levels of containers, and few enough values.

    Parts that are shared count every time, and are looked at once a level.

    >>> is_shallow([[1]])
    True

    """
    with suppress(ValueError):  # it has others than JSON's own classes, or thousands of levels
        if not may_exceed_limits(marshal.dumps(value), depth):
            return True
    level = {id(value): (value, 1)}
    total = 0
    for _ in range(depth):
        inside: dict[int, tuple[Any, int]] = {}
        for item, times in level.values():
            members = _members(item)
            total += times * len(members)
            if SCALARS.issuperset(map(type, members)):
                continue
            for member in members:
                if type(member) not in SCALARS:
                    known = inside.get(id(member))
                    inside[id(member)] = (member, times + known[1] if known else times)
        if not inside or total > MAX_VALUES:
            return total <= MAX_VALUES
        level = inside
    return False


def shallow_only(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the function for values that `is_shallow` only; for others it raises ValueError.

    Schemas that refer back to themselves are followed as far as a value goes.
    """

    def shallow(value: Any) -> Any:
        if is_shallow(value):
            return function(value)
        raise NotJSONError(TOO_MUCH)

    return shallow


def _members(value: Any) -> Collection[Any]:
    """Return the members of a container, without a call of any method of a subclass."""
    kind = type(value)
    if kind is list:
        return value  # type: ignore[no-any-return]
    if issubclass(kind, dict):
        return dict.values(value)
    for base in (list, tuple):
        if issubclass(kind, base):
            return base.__getitem__(value, slice(None))
    return ()


def map_leaves(change: Callable[[Any], Any], value: Any) -> Any:
    """Return a copy of a value in which a function has replaced each part but dicts and lists.

    >>> map_leaves(str, {"a": [1, None]})
    {'a': ['1', 'None']}
    """
    if type(value) is dict:
        return {name: map_leaves(change, member) for name, member in value.items()}
    if type(value) is list:
        return [map_leaves(change, item) for item in value]
    return change(value)


def finite(value: Any) -> Any:
    """Replace infinities by the largest floats: jsonschema-rs converts them to null."""
    return map_leaves(_finite, value)


def _finite(leaf: Any) -> Any:
    if type(leaf) is float and not math.isfinite(leaf):
        return -sys.float_info.max if leaf < 0 else sys.float_info.max
    return leaf


def exact_fraction(number: float) -> Fraction:
    """Return the exact value of a number: that of its spelling, but for floats without a fraction.

    Those are the integers that they hold, for Python as for jsonschema-rs.

    >>> exact_fraction(0.1), exact_fraction(1e23) == int(1e23)
    (Fraction(1, 10), True)
    """
    from fractions import Fraction  # noqa: PLC0415 - few schemas have bounds that are floats

    is_spelled = isinstance(number, float) and not number.is_integer()
    return Fraction(repr(number) if is_spelled else number)


def require_text(text: Any) -> None:
    """Refuse what is not text: a mistake of the developer's, not of the model's.

    Raises:
        TypeError: that names what takes it.

    """
    if not issubclass(type(text), (str, bytes, bytearray)):
        kind = type(text).__name__
        message = f"expected the text of arguments, got {kind}; pass values to validate or explain"
        raise TypeError(message)


def plain_text(text: str | bytes | bytearray) -> str | bytes | bytearray:
    """Return text as it is, that of a subclass of `str` as a `str`: its methods are not called."""
    return str.__str__(text) if issubclass(type(text), str) else text
