"""A reading of a value, and the changes that it takes; how readings are put together."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from schema2model.coercions import COSTS, FREE, Cost
from schema2model.json.equality import type_exact_equal
from schema2model.text.exact import NOTHING

__all__ = [
    "Change",
    "ContainerReading",
    "Reading",
    "Step",
    "both",
    "changed",
    "joined",
    "status_of",
]


@dataclass(frozen=True, slots=True)
class Change:
    """One application of a rule: where (JSON Pointer), by which rule, what it was and became."""

    path: str
    rule: str
    before: Any
    after: Any


def status_of(changes: Collection[Change]) -> Literal["unchanged", "coerced", "repaired"]:
    """What became of arguments that are valid now: `repaired` if their text itself was mended.

    >>> status_of([Change("/a", "json_text", "1", 1)])
    'coerced'
    """
    if not changes:
        return "unchanged"
    return "repaired" if any(each.rule == "repair_text" for each in changes) else "coerced"


Step = tuple[tuple[str | int, ...], str, Any, Any]
"""A change on the way: the path, seen from where one stands; rule, before, after."""


@dataclass(slots=True)
class Reading:
    """What a value may mean under a node.

    `value` is the result if `valid`; if not, the value with those members read that could be.
    `attempt` is what an error message is about: it may have been read further than `value`, but it
    is not valid. `ended` says that the search reached its limit before all of the value was read.

    For `{"a": "1"}` where `a` is an integer, `value` is `{"a": 1}`, `cost` is one change, and
    `steps` holds it: `(("a",), "json_text", "1", 1)`.
    """

    value: Any
    attempt: Any
    valid: bool = False
    cost: Cost = FREE
    steps: tuple[Step, ...] = ()
    ended: bool = False

    def below(self, key: str | int) -> tuple[Step, ...]:
        """Its steps, as seen from the container that holds the value under a key."""
        return tuple(
            ((key, *path), rule, before, after) for path, rule, before, after in self.steps
        )


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
    """A reading, and a reading of its value."""
    cost, steps = first.cost.plus(second.cost), first.steps + second.steps
    return Reading(second.value, second.attempt, second.valid, cost, steps)


def both(first: Reading, second: Reading) -> Reading:
    """A reading, and a reading of its value, of which the one or the other may not be valid."""
    reading = joined(first, second)
    reading.valid = first.valid and second.valid
    return reading


class ContainerReading:
    """A container being read: its members as kept and as attempted, the cost and the steps."""

    def __init__(self, value: Any) -> None:
        self.before = value
        self.kept: Any = value
        self.attempt: Any = value
        self.cost = FREE
        self.steps: list[Step] = []
        self.refused = 0

    def put(self, key: Any, reading: Reading) -> None:
        """Take over the reading of a member."""
        self.refused += not reading.valid
        if reading.value is not self.kept[key]:
            self._own_kept()
            self.kept[key] = reading.value
        if reading.attempt is not self.attempt[key]:
            self._own_attempt()
            self.attempt[key] = reading.attempt
        self.cost = self.cost.plus(reading.cost)
        if reading.steps:
            self.steps += reading.below(key)

    def take(self, members: Iterable[tuple[Any, Any]]) -> list[Any]:
        """Put in what many members are read as, without the rules: the container is refused.

        Args:
            members: the key of each, and what is made of it, or `NOTHING`.

        Returns:
            The keys of those of which nothing is made.

        """
        self._own()
        left, changes = [], 0
        for key, made in members:
            if made is NOTHING:
                left.append(key)
            elif made is not self.kept[key] and not type_exact_equal(made, self.kept[key]):
                self.kept[key] = self.attempt[key] = made
                changes += 1
        self.cost = self.cost.plus(Cost(changes=changes))
        return left

    def drop(self, key: str, rule: str) -> None:
        """Leave a member out."""
        self._own()
        self.steps.append(((key,), rule, self.kept.pop(key), None))
        self.attempt.pop(key)
        self.cost = self.cost.plus(COSTS[rule])

    def rename(self, key: str, name: str, reading: Reading) -> None:
        """Put a member under another name, in the same place."""
        self._own()
        self.kept = {name if k == key else k: v for k, v in self.kept.items()}
        self.attempt = {name if k == key else k: v for k, v in self.attempt.items()}
        self.steps.append(((key,), "key_spelling", key, name))
        self.cost = self.cost.plus(COSTS["key_spelling"])
        self.put(name, reading)

    def _own(self) -> None:
        self._own_kept()
        self._own_attempt()

    def _own_kept(self) -> None:
        # what is kept as it was stays the same object, which is known already
        if self.kept is self.before:
            self.kept = self.before.copy()

    def _own_attempt(self) -> None:
        if self.attempt is self.before:
            self.attempt = self.before.copy()

    def reading(self) -> Reading:
        """The reading of the container; whether it is valid is for the schema to say."""
        return Reading(self.kept, self.attempt, cost=self.cost, steps=tuple(self.steps))
