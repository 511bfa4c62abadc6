"""A reading of a value, and the changes that it takes; how readings are put together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Change", "ContainerReading", "Reading", "Step", "changed", "joined", "status_of"]

_CHANGE = 1_000_000
"""What a change costs; how far its rule guesses is added."""


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
    `attempt` is what to tell the model about: further along, perhaps, but not valid.
    """

    value: Any
    attempt: Any
    valid: bool = False
    cost: int = 0
    steps: tuple[Step, ...] = ()

    def below(self, key: str | int) -> tuple[Step, ...]:
        """Its steps, as seen from the container that holds the value under a key."""
        return tuple(
            ((key, *path), rule, before, after) for path, rule, before, after in self.steps
        )


def changed(reading: Reading, rule: str, before: Any, after: Any, guess: int = 0) -> Reading:
    """A reading of what a rule made of a value, as a reading of the value."""
    if not reading.valid:
        return Reading(before, reading.attempt)
    cost = reading.cost + _CHANGE + guess
    steps = (((), rule, before, after), *reading.steps)
    return Reading(reading.value, reading.value, valid=True, cost=cost, steps=steps)


def joined(first: Reading, second: Reading) -> Reading:
    """A reading, and a reading of its value."""
    cost, steps = first.cost + second.cost, first.steps + second.steps
    return Reading(second.value, second.attempt, second.valid, cost, steps)


class ContainerReading:
    """A container being read: its members as kept and as attempted, the cost and the steps."""

    def __init__(self, value: Any) -> None:
        self.before = value
        self.kept: Any = value
        self.attempt: Any = value
        self.cost = 0
        self.steps: list[Step] = []

    def put(self, key: Any, reading: Reading) -> None:
        """Take over the reading of a member."""
        if reading.value is not self.kept[key] or reading.attempt is not self.attempt[key]:
            self._own()
            self.kept[key] = reading.value
            self.attempt[key] = reading.attempt
        self.cost += reading.cost
        self.steps += reading.below(key)

    def drop(self, key: str, rule: str, guess: int) -> None:
        """Leave a member out."""
        self._own()
        self.steps.append(((key,), rule, self.kept.pop(key), None))
        self.attempt.pop(key)
        self.cost += _CHANGE + guess

    def rename(self, key: str, name: str, reading: Reading, guess: int) -> None:
        """Put a member under another name, in the same place."""
        self._own()
        self.kept = {name if k == key else k: v for k, v in self.kept.items()}
        self.attempt = {name if k == key else k: v for k, v in self.attempt.items()}
        self.steps.append(((key,), "key_spelling", key, name))
        self.cost += _CHANGE + guess
        self.put(name, reading)

    def _own(self) -> None:
        if self.kept is self.before:
            self.kept = self.before.copy()
            self.attempt = self.before.copy()

    def reading(self) -> Reading:
        """The reading of the container; whether it is valid is for the schema to say."""
        return Reading(self.kept, self.attempt, cost=self.cost, steps=tuple(self.steps))
