"""The account of a projection: the treatment of each keyword of a schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from schema2model.json.quoting import printable
from schema2model.schema.nodes import Node, Place

__all__ = ["STATUS_MEANINGS", "AccountEntry", "AccountStatus", "Ledger"]

AccountStatus = Literal["enforced", "checked", "encoded", "given up"]

STATUS_MEANINGS: Final[dict[AccountStatus, str]] = {
    "enforced": "the provider allows nothing else",
    "checked": "the schema as given is checked when the call is decoded",
    "encoded": "written in another way, and read back",
    "given up": "the projection cannot express it",
}
"""The meaning of each status."""


@dataclass(frozen=True, slots=True)
class AccountEntry:
    """The treatment of keywords at one subschema.

    `pointer` is the JSON Pointer of the subschema, `status` one of `STATUS_MEANINGS`, and
    `keywords` the keywords in question. `words` explain it to a person where the status does not.

    >>> print(AccountEntry("/properties/limit", "checked", ("minimum",), ""))
    /properties/limit: checked: minimum
    """

    pointer: str
    status: AccountStatus
    keywords: tuple[str, ...]
    words: str

    def __str__(self) -> str:
        subject = ", ".join(self.keywords)
        words = f" ({self.words})" if self.words and subject else self.words
        return printable(f"{self.pointer or 'the root'}: {self.status}: {subject}{words}")


class Ledger:
    """Collects entries during a build, each once."""

    def __init__(self) -> None:
        self._keywords: dict[Place, dict[tuple[AccountStatus, str], dict[str, None]]] = {}

    def meet(self, nodes: Iterable[Node]) -> None:
        """Keep the order in which subschemas are met: it is that of the account."""
        for node in nodes:
            self._keywords.setdefault(node.place, {})

    def add(self, node: Node, status: AccountStatus, *keywords: str, words: str = "") -> None:
        """Record what becomes of keywords of a subschema."""
        entries = self._keywords.setdefault(node.place, {})
        entries.setdefault((status, words), {}).update(dict.fromkeys(keywords))

    def entries(self) -> tuple[AccountEntry, ...]:
        """Return all entries, in the order in which their subschemas were met."""
        return tuple(
            AccountEntry(place.pointer, status, tuple(keywords), words)
            for place, entries in self._keywords.items()
            for (status, words), keywords in sorted(entries.items(), key=_order)
        )


def _order(item: tuple[tuple[AccountStatus, str], object]) -> int:
    return [*STATUS_MEANINGS].index(item[0][0])
