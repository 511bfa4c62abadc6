"""Defaults for properties that were not sent, at all depths, if the arguments stay valid."""

from __future__ import annotations

import copy
from collections.abc import Sequence, Set as AbstractSet
from functools import cached_property
from typing import Any, Literal, NamedTuple

from schema2model.coerce.engine import Engine
from schema2model.coerce.search.readings import Change, Reading
from schema2model.json.parsing import NOTHING
from schema2model.json.values import finite
from schema2model.limits import MAX_ADDED_DEFAULTS, MAX_DEFAULT_CHECKS
from schema2model.model.objects import Objects, default_of
from schema2model.schema.nodes import Node, reachable

__all__ = ["FillingEngine", "with_defaults"]


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


def with_defaults(engine: Engine, value: Any) -> Any:
    """Return a copy of valid arguments in which properties that were not sent have their defaults.

    A default that would make the arguments invalid is left out.
    """
    result = copy.deepcopy(value)
    objects = engine.objects if isinstance(engine, FillingEngine) else Objects(engine.verdicts)
    additions = _possible_defaults(objects, engine.root, result)
    _Filling(engine, result).add(additions)
    return result


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


class _Filling:
    """Adds as many defaults as a value can have and stay valid."""

    def __init__(self, engine: Engine, value: Any) -> None:
        self._is_valid = engine.verdicts.is_valid
        self._judged = finite if engine.coercion.allow_inf_nan else lambda given: given
        self._value = value
        self._left = MAX_DEFAULT_CHECKS

    def add(self, additions: Sequence[_Addition]) -> None:
        """Add all of them or, if the value is invalid then, as many of each half as possible."""
        todo = [additions]
        while todo and self._left > 0:
            group = todo.pop()
            for addition in group:
                addition.target[addition.name] = addition.default
            self._left -= 1
            if not group or self._is_valid(self._judged(self._value)):
                continue
            for addition in group:
                del addition.target[addition.name]
            middle = len(group) // 2
            if middle:
                todo += (group[middle:], group[:middle])


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

    def _accept_coerced(self, accept: Literal["accept", "accept_json"], given: Any) -> Any:
        value = self._unfilled.try_accept(accept, given)
        return value if value is NOTHING else with_defaults(self, value)

    def is_valid(self, value: Any) -> bool:
        """Return whether a value satisfies the schema as it is. Never raises."""
        return self._unfilled.is_valid(value)

    def result(self, reading: Reading) -> Any:
        """Return the result of a reading, with defaults."""
        return with_defaults(self, super().result(reading))

    def explain(self, given: Any, *, is_text: bool) -> tuple[Any, tuple[Change, ...]]:
        """Return the arguments that a value or text means, and the changes on the way."""
        result, changes = self._unfilled.explain(given, is_text=is_text)
        return with_defaults(self, result), changes

    def changes(self, given: Any, result: Any, *, is_text: bool) -> tuple[Change, ...]:
        """Return the changes from a value or text to its valid result, apart from defaults."""
        del result
        return self._unfilled.explain(given, is_text=is_text)[1]
