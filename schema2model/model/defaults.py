"""Defaults for what was not sent, at all depths, as far as the arguments stay valid."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

from schema2model.coerce.engine import Engine
from schema2model.json.values import finite
from schema2model.limits import MAX_ADDED_DEFAULTS, MAX_DEFAULT_CHECKS
from schema2model.model.objects import Objects, default_of
from schema2model.schema.nodes import Node

__all__ = ["with_defaults"]


class _Addition(NamedTuple):
    """A default that a property of an object may get."""

    target: dict[str, Any]
    name: str
    default: Any


class _Spot(NamedTuple):
    """A value, its container, and the schemas whose defaults include it."""

    value: Any
    nodes: Sequence[Node]
    within: frozenset[Node]


def with_defaults(engine: Engine, value: Any) -> Any:
    """A copy of valid arguments in which properties that were not sent have their defaults.

    A default that would make the arguments invalid is left out.
    """
    result = copy.deepcopy(value)
    additions = _additions(Objects(engine.verdicts), engine.root, result)
    _Filling(engine, result).add(additions)
    return result


def _additions(objects: Objects, root: Node, value: Any) -> list[_Addition]:
    """Yield possible additions, each after its container."""
    found: list[_Addition] = []
    todo = [_Spot(value, (root,), frozenset())]
    for spot in todo:  # which grows on the way
        if type(spot.value) not in {dict, list}:
            continue
        is_array = type(spot.value) is list
        node = objects.meant(spot.nodes, spot.value, "array" if is_array else "object")
        if node is None:
            continue
        if is_array:
            items = objects.items(node)
            todo += [_Spot(each, items(i), spot.within) for i, each in enumerate(spot.value)]
            continue
        values = objects.values(node)
        todo += [_Spot(each, values(name), spot.within) for name, each in spot.value.items()]
        for name, nodes in objects.fields(node).items():
            if name in spot.value or len(nodes) != 1 or len(found) >= MAX_ADDED_DEFAULTS:
                continue
            (child,) = nodes
            has_default, default = default_of(child)
            if has_default and child not in spot.within and objects.is_valid(child, default):
                addition = _Addition(spot.value, name, copy.deepcopy(default))
                found.append(addition)
                todo.append(_Spot(addition.default, nodes, spot.within | {child}))
    return found


class _Filling:
    """Adds as many defaults as a value can have and stay valid."""

    def __init__(self, engine: Engine, value: Any) -> None:
        self._is_valid = engine.verdicts.is_valid
        self._judged = finite if engine.coercion.allow_inf_nan else lambda given: given
        self._value = value
        self._left = MAX_DEFAULT_CHECKS

    def add(self, additions: Sequence[_Addition]) -> None:
        """Add all of them, or else as many of each half as can be."""
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
