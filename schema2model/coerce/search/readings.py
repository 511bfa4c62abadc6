"""Readings: what a value means under a schema, at which cost, and by which changes.

`reader` searches for them, and decides between two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from schema2model.coercions import COSTS, FREE, Cost
from schema2model.json.parsing import NOTHING

__all__ = ["Change", "ContainerBuilder", "Reading", "Step", "changed", "joined"]


@dataclass(frozen=True, slots=True)
class Change:
    """One application of a rule: the JSON Pointer, the rule, the value before and after."""

    path: str
    rule: str
    before: Any
    after: Any


Step = tuple[tuple[str | int, ...], str, Any, Any]
"""A change: the path relative to the value of the reading; rule, before, after."""


@dataclass(slots=True)
class Reading:
    """A meaning of a value under a node.

    `value` is the result if `valid`; otherwise the value with its readable members replaced.
    `attempt` is what an error message describes: it may contain more changes than `value`, but is
    not valid. `ended` is True if the search reached its limit before it had read all of the value.

    For `{"a": "1"}` where `a` is an integer, `value` is `{"a": 1}`, `cost` is one change, and
    `steps` holds it: `(("a",), "json_text", "1", 1)`.
    """

    value: Any
    attempt: Any
    valid: bool = False
    cost: Cost = FREE
    steps: tuple[Step, ...] = ()
    ended: bool = False


def changed(
    reading: Reading, rule: str, before: Any, after: Any, cost: Cost | None = None
) -> Reading:
    """Turn a reading of what a rule made of a value into a reading of the value."""
    if not reading.valid:
        return Reading(before, reading.attempt)
    steps = (((), rule, before, after), *reading.steps)
    total = (cost or COSTS[rule]).plus(reading.cost)
    return Reading(reading.value, reading.value, valid=True, cost=total, steps=steps)


def joined(first: Reading, second: Reading) -> Reading:
    """Join a reading and a reading of its value; it is valid if both are."""
    valid = first.valid and second.valid
    cost, steps = first.cost.plus(second.cost), first.steps + second.steps
    return Reading(second.value, second.attempt, valid, cost, steps)


class ContainerBuilder:
    """Builds the reading of a container: its value, the attempt at one, the cost and the steps."""

    def __init__(self, value: Any) -> None:
        self.original = value
        self.value: Any = value
        self.attempt: Any = value
        self.cost = FREE
        self.steps: list[Step] = []
        self.invalid = 0

    def set(self, key: Any, reading: Reading) -> None:
        """Replace a member by its reading."""
        self.invalid += not reading.valid
        self.value = self._replaced(self.value, key, reading.value)
        self.attempt = self._replaced(self.attempt, key, reading.attempt)
        self.cost = self.cost.plus(reading.cost)
        if reading.steps:
            self.steps += [((key, *path), *change) for path, *change in reading.steps]

    def set_many(self, members: Iterable[tuple[Any, Any]]) -> list[Any]:
        """Replace members by values without steps, as the container is invalid anyway.

        Return the keys of those whose value is `NOTHING`: they are left.
        """
        left, changes = [], 0
        for key, value in members:
            if value is NOTHING:
                left.append(key)
            else:
                self._own()
                self.value[key] = self.attempt[key] = value
                changes += 1
        self.cost = self.cost.plus(Cost(changes=changes))
        return left

    def remove(self, key: str, rule: str) -> None:
        """Leave a member out."""
        self._own()
        self.steps.append(((key,), rule, self.value.pop(key), None))
        self.attempt.pop(key)
        self.cost = self.cost.plus(COSTS[rule])

    def rename(self, key: str, name: str, reading: Reading) -> None:
        """Put a member under another name, at the same position."""
        self.value = {name if k == key else k: v for k, v in self.value.items()}
        self.attempt = {name if k == key else k: v for k, v in self.attempt.items()}
        self.steps.append(((key,), "key_spelling", key, name))
        self.cost = self.cost.plus(COSTS["key_spelling"])
        self.set(name, reading)

    def _replaced(self, container: Any, key: Any, member: Any) -> Any:
        """Return the value or attempt with a member; without a change, it stays the same object."""
        if member is container[key]:
            return container
        container = container.copy() if container is self.original else container
        container[key] = member
        return container

    def _own(self) -> None:
        if self.value is self.original:
            self.value = self.original.copy()
        if self.attempt is self.original:
            self.attempt = self.original.copy()

    def build(self) -> Reading:
        """Return the reading of the container, valid if those of its members are."""
        steps = tuple(self.steps)
        return Reading(self.value, self.attempt, not self.invalid, self.cost, steps)
