"""Defaults for properties that were not sent, at all depths, if the arguments stay valid."""

from __future__ import annotations

import copy
from collections.abc import Sequence, Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from schema2model.coerce.engine import Engine, search_class
from schema2model.json.parsing import NOTHING
from schema2model.json.values import finite
from schema2model.limits import MAX_ADDED_DEFAULTS, MAX_DEFAULT_CHECKS
from schema2model.model.objects import Objects, default_of
from schema2model.schema.nodes import Node, reachable

if TYPE_CHECKING:
    from schema2model.coerce.engine_search import Search

__all__ = ["FillingEngine"]


class _Addition(NamedTuple):
    """A default that a property of an object may get."""

    target: dict[str, Any]
    name: str
    default: Any


class _Location(NamedTuple):
    """A value, its container, and the schemas whose defaults include it."""

    value: Any
    nodes: Sequence[Node]
    within: frozenset[Node]


def _possible_defaults(objects: Objects, root: Node, value: Any) -> list[_Addition]:
    """Return possible additions, each after its container."""
    found: list[_Addition] = []
    todo = [_Location(value, (root,), frozenset())]
    for location in todo:  # which grows on the way
        if type(location.value) not in {dict, list}:
            continue
        is_array = type(location.value) is list
        node = objects.matching_schema(
            location.nodes, location.value, "array" if is_array else "object"
        )
        if node is None:
            continue
        if is_array:
            items = objects.item_schemas(node)
            todo += [
                _Location(each, items(i), location.within) for i, each in enumerate(location.value)
            ]
            continue
        values = objects.property_schemas(node)
        todo += [
            _Location(each, values(name), location.within) for name, each in location.value.items()
        ]
        for name, nodes in objects.fields(node).items():
            if name in location.value or len(nodes) != 1 or len(found) >= MAX_ADDED_DEFAULTS:
                continue
            (child,) = nodes
            has_default, default = default_of(child)
            if has_default and child not in location.within and objects.is_valid(child, default):
                addition = _Addition(location.value, name, copy.deepcopy(default))
                found.append(addition)
                todo.append(_Location(addition.default, nodes, location.within | {child}))
    return found


class FillingEngine(Engine):
    """An engine that adds the schema's defaults to all arguments that it returns.

    Its own validators accept arguments that lack none. Changes are those of the arguments as they
    were sent: a default is not a change.
    """

    @cached_property
    def _unfilled(self) -> Engine:
        return self.variant(Engine, defaults=None)

    @cached_property
    def objects(self) -> Objects:
        """The shapes of the schema's objects."""
        return Objects(self.verdicts)

    @cached_property
    def required(self) -> AbstractSet[Node]:
        """The properties with a default: where all of them were sent, there is nothing to add."""
        nodes = reachable([self.root], Node.subschemas)
        properties = {each for node in nodes for each in node.properties.values()}
        defaults = [(each, *default_of(each)) for each in properties]
        return {n for n, has, given in defaults if has and self.objects.is_valid(n, given)}

    def filled(self, value: Any) -> Any:
        """Return a copy of valid arguments with the defaults that they can have and stay valid.

        All are added or, if the value is invalid then, as many of each half as possible.
        """
        result = copy.deepcopy(value)
        todo = [_possible_defaults(self.objects, self.root, result)]
        left = MAX_DEFAULT_CHECKS
        while todo and left:
            group = todo.pop()
            for addition in group:
                addition.target[addition.name] = addition.default
            left -= 1
            judged = finite(result) if self.coercion.allow_inf_nan else result
            if not group or self.verdicts.is_valid(judged):
                continue
            for addition in group:
                del addition.target[addition.name]
            if middle := len(group) // 2:
                todo += (group[middle:], group[:middle])
        return result

    def _accept_coerced(self, accept: Literal["accept", "accept_json"], given: Any) -> Any:
        value = self._unfilled.try_accept(accept, given)
        return value if value is NOTHING else self.filled(value)

    def is_valid(self, value: Any) -> bool:
        """Return whether a value satisfies the schema as it is. Never raises."""
        return self._unfilled.is_valid(value)

    @property
    def search(self) -> Search:
        """The search for arguments without defaults, which adds them to its result."""
        return search_class()(self._unfilled, self.filled)
