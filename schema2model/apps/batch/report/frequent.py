"""The most frequent of any number of things, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Entry", "Frequent"]

Key = TypeVar("Key", bound=Hashable)
Detail = TypeVar("Detail")


@dataclass(slots=True)
class Entry(Generic[Detail]):
    """How often a thing was counted, and how often it may have been before that."""

    detail: Detail
    missed: int
    count: int = 0

    @property
    def at_most(self) -> int:
        """As often as this it can have been; `count` if none was missed."""
        return self.count + self.missed


class Frequent(Generic[Key, Detail]):
    """Counts things, with details of each; where they are too many, forgets the rarer half.

    What is counted again after that has `missed` some, so that the true number is always from
    `count` to `at_most`; what is not there was counted `missed` times at most. (This is the
    Space-Saving algorithm of Metwally et al., 2005, with many places made free at a time.)

    >>> letters = Frequent(1, list)
    >>> for letter in "aaabac":
    ...     entry = letters.add(letter)
    >>> [(letter, entry.count, entry.at_most) for letter, entry in letters]
    [('a', 4, 4), ('c', 1, 2)]
    """

    def __init__(self, capacity: int, detail: Callable[[], Detail]) -> None:
        self._capacity = capacity
        self._detail = detail
        self._entries: dict[Key, Entry[Detail]] = {}
        self.missed = 0

    def __iter__(self) -> Iterator[tuple[Key, Entry[Detail]]]:
        """The things with their entries, in no order."""
        yield from self._entries.items()

    def add(self, key: Key) -> Entry[Detail]:
        """Count a thing once more."""
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) >= 2 * self._capacity:
                self._forget()
            entry = self._entries[key] = Entry(self._detail(), self.missed)
        entry.count += 1
        return entry

    def _forget(self) -> None:
        ordered = sorted(self._entries.items(), key=lambda item: -item[1].at_most)
        self._entries = dict(ordered[: self._capacity])
        self.missed = ordered[self._capacity][1].at_most
