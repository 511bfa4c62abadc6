"""A reading of a value, and the changes that it takes; how readings are put together."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from schema2model.text.exact import NOTHING

__all__ = [
    "CHANGE",
    "FREE",
    "GUESS",
    "LOSS",
    "WILD_GUESS",
    "WORD",
    "Change",
    "ContainerBuilder",
    "Cost",
    "Reading",
    "Step",
    "both",
    "changed",
    "joined",
    "status_of",
]


class Cost(NamedTuple):
    """What a reading takes. Costs are compared from the left; the least one is taken.

    >>> Cost(changes=9) < Cost(guesses=1)
    True
    """

    guesses: int = 0
    """How often it guesses. Any reading without a guess wins over one that has any."""
    changes: int = 0
    """How many changes it makes."""
    words: int = 0
    """How many of them rest on a word, such as "yes", or turn a scalar into text."""

    def plus(self, other: Cost) -> Cost:
        """Both costs together."""
        if other is FREE:
            return self
        return Cost(
            self.guesses + other.guesses, self.changes + other.changes, self.words + other.words
        )


FREE = Cost()
"""Nothing is changed."""
CHANGE = Cost(changes=1)
"""A change that can only have been meant."""
WORD = Cost(changes=1, words=1)
"""A change that rests on a word."""
GUESS = Cost(guesses=1, changes=1)
"""A change that most people would make."""
WILD_GUESS = Cost(guesses=1, changes=1, words=1)
"""A guess that is tried after the others."""
LOSS = Cost(guesses=2, changes=1)
"""A change by which something is lost that was sent."""


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


def changed(reading: Reading, rule: str, before: Any, after: Any, cost: Cost = CHANGE) -> Reading:
    """A reading of what a rule made of a value, as a reading of the value."""
    if not reading.valid:
        return Reading(before, reading.attempt)
    steps = (((), rule, before, after), *reading.steps)
    total = cost.plus(reading.cost)
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
        if reading.value is not self.value[key]:
            self._own_value()
            self.value[key] = reading.value
        if reading.attempt is not self.attempt[key]:
            self._own_attempt()
            self.attempt[key] = reading.attempt
        self.cost = self.cost.plus(reading.cost)
        if reading.steps:
            self.steps += reading.below(key)

    def set_many(self, members: Iterable[tuple[Any, Any]]) -> list[Any]:
        """Replace members by values without steps, as the container is invalid anyway.

        Args:
            members: the key of each, and its value, or `NOTHING`.

        Returns:
            The keys of those whose value is `NOTHING`.

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

    def remove(self, key: str, rule: str, cost: Cost) -> None:
        """Leave a member out."""
        self._own()
        self.steps.append(((key,), rule, self.value.pop(key), None))
        self.attempt.pop(key)
        self.cost = self.cost.plus(cost)

    def rename(self, key: str, name: str, reading: Reading, cost: Cost) -> None:
        """Put a member under another name, at the same position."""
        self._own()
        self.value = {name if k == key else k: v for k, v in self.value.items()}
        self.attempt = {name if k == key else k: v for k, v in self.attempt.items()}
        self.steps.append(((key,), "key_spelling", key, name))
        self.cost = self.cost.plus(cost)
        self.set(name, reading)

    def _own(self) -> None:
        self._own_value()
        self._own_attempt()

    def _own_value(self) -> None:
        # a value without changes stays the same object, which has been read already
        if self.value is self.original:
            self.value = self.original.copy()

    def _own_attempt(self) -> None:
        if self.attempt is self.original:
            self.attempt = self.original.copy()

    def build(self) -> Reading:
        """Return the reading of the container, not yet validated."""
        return Reading(self.value, self.attempt, cost=self.cost, steps=tuple(self.steps))
