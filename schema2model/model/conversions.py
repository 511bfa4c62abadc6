"""The Python objects that attributes of a model hold for strings of certain formats.

An instance keeps the text as it was sent; an attribute is converted when it is read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from schema2model.schema.nodes import Node

__all__ = ["FORMATS", "Conversion", "conversion_of", "format_text", "python_type"]

FORMATS: Final[Mapping[str, type]] = {
    "date-time": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "uuid": UUID,
    "ipv4": IPv4Address,
    "ipv6": IPv6Address,
}
"""The Python types of formats."""

_TIMES: Final = frozenset((dt.datetime, dt.date, dt.time))
_CONVERTED: Final = frozenset(FORMATS.values())

MAX_LEVELS: Final = 8
"""Maximum levels of unions that are searched for a format."""


class Conversion(NamedTuple):
    """The Python type of a string, or of the strings of a list."""

    type: type
    is_list: bool = False

    def convert(self, value: Any) -> Any:
        """Return the Python object of a text, or a tuple of those of a list; others as they are.

        >>> Conversion(dt.date).convert("2030-01-31")
        datetime.date(2030, 1, 31)
        """
        if self.is_list and type(value) is list:
            return tuple(map(self._object, value))
        return value if self.is_list else self._object(value)

    def _object(self, value: Any) -> Any:
        if type(value) is not str:
            return value
        try:
            return _adapter(self.type).validate_python(value)
        except ValidationError:  # a leap second, which no datetime has
            return value

    def text(self, value: Any) -> Any:
        """Return the text of a Python object, or a list of those of several; others as they are.

        >>> Conversion(dt.date, is_list=True).text((dt.date(2030, 1, 31), "2030-02-01"))
        ['2030-01-31', '2030-02-01']
        """
        if self.is_list and type(value) in {list, tuple}:
            return [format_text(each) for each in value]
        return value if self.is_list else format_text(value)


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def format_text(value: Any) -> Any:
    """Return the text of a date, time, UUID or IP address; any other value as it is.

    >>> format_text(dt.datetime(2030, 1, 31, tzinfo=dt.timezone.utc)), format_text(1)
    ('2030-01-31T00:00:00+00:00', 1)
    """
    kind = type(value)
    if kind not in _CONVERTED:
        return value
    return value.isoformat() if kind in _TIMES else str(value)


def python_type(node: Node) -> type | None:
    """Return the Python type of a node's strings; None if it is `str`."""
    schema = node.schema if isinstance(node.schema, dict) else {}
    name = schema.get("format")
    return FORMATS.get(name) if isinstance(name, str) and node.choices is None else None


def conversion_of(nodes: Sequence[Node]) -> Conversion | None:
    """Return the conversion of a property; None unless all of its strings have one Python type."""
    found = {kind for node in nodes for kind in _string_types(node)}
    if len(found) == 1:
        (kind,) = found
        return None if kind is None else Conversion(kind)
    inner = [each for node in nodes for each in _array_items(node)]
    if found or not inner or any(each is None for each in inner):
        return None
    items = {kind for each in inner if each is not None for kind in _string_types(each)}
    kind = items.pop() if len(items) == 1 else None
    return None if kind is None else Conversion(kind, is_list=True)


def _typed_branches(node: Node, levels: int = MAX_LEVELS) -> list[Node]:
    """Return the nodes that say which types a value has, in all branches of unions."""
    node = node.dereferenced()
    for group in (node.any_of, node.one_of):
        if group and levels and node.types is None and node.choices is None:
            return [each for child in group for each in _typed_branches(child, levels - 1)]
    return [node]


def _string_types(node: Node) -> list[type | None]:
    branches = [each for each in _typed_branches(node) if not each.is_false and not each.is_null()]
    return [
        python_type(each) if each.types is not None else None
        for each in branches
        if each.accepts("string")
    ]


def _array_items(node: Node) -> list[Node | None]:
    """Return the item nodes of branches that accept arrays; None if items are not all alike."""
    return [
        each.items if each.items is not None and not each.prefix else None
        for each in _typed_branches(node)
        if not each.is_false and each.accepts("array")
    ]
