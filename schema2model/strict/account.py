"""The account of a projection: what becomes of each keyword of a schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["STATUSES", "Entry", "Ledger", "Status"]

Status = Literal["enforced", "checked", "encoded", "given up"]

STATUSES: Final[dict[Status, str]] = {
    "enforced": "the provider allows nothing else",
    "checked": "the schema as given is checked when the call is decoded",
    "encoded": "written in another way, and read back",
    "given up": "cannot be said under the projection",
}
"""The meaning of each status."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What becomes of keywords at a place of the schema.

    `pointer` is the JSON Pointer of the subschema, `status` one of `STATUSES`, `keywords` the
    keywords that it is about, and `words` a sentence for a person; empty if the status says all.

    >>> print(Entry("/properties/limit", "checked", ("minimum",), ""))
    /properties/limit: checked: minimum
    """

    pointer: str
    status: Status
    keywords: tuple[str, ...]
    words: str

    def __str__(self) -> str:
        subject = ", ".join(self.keywords)
        words = f" ({self.words})" if self.words and subject else self.words
        return f"{self.pointer or 'the root'}: {self.status}: {subject}{words}"


class Ledger:
    """Collects entries during a build, each once."""

    def __init__(self) -> None:
        self._keywords: dict[tuple[str, Status, str], dict[str, None]] = {}

    def add(self, pointer: str, status: Status, *keywords: str, words: str = "") -> None:
        """Record what becomes of keywords."""
        self._keywords.setdefault((pointer, status, words), {}).update(dict.fromkeys(keywords))

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, in the order of the pointers as the build met them."""
        order: dict[str, int] = {}
        for pointer, _, _ in self._keywords:
            order.setdefault(pointer, len(order))
        entries = [Entry(p, s, tuple(names), words) for (p, s, words), names in self._keywords.items()]
        return tuple(sorted(entries, key=lambda entry: order[entry.pointer]))
