"""The account of a projection: what becomes of each keyword of a schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from schema2model.schema.nodes import Node, Place

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
        self._keywords: dict[Place, dict[tuple[Status, str], dict[str, None]]] = {}

    def meet(self, nodes: Iterable[Node]) -> None:
        """Keep the order in which subschemas are met: it is that of the account."""
        for node in nodes:
            self._keywords.setdefault(node.place, {})

    def add(self, node: Node, status: Status, *keywords: str, words: str = "") -> None:
        """Record what becomes of keywords of a subschema."""
        entries = self._keywords.setdefault(node.place, {})
        entries.setdefault((status, words), {}).update(dict.fromkeys(keywords))

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, in the order in which their subschemas were met."""
        return tuple(
            Entry(place.pointer, status, tuple(keywords), words)
            for place, entries in self._keywords.items()
            for (status, words), keywords in sorted(entries.items(), key=_order)
        )


def _order(item: tuple[tuple[Status, str], object]) -> int:
    return [*STATUSES].index(item[0][0])
