"""The part of a build that the builders of single types use."""

from __future__ import annotations

from typing import Protocol

from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.strict.account import Ledger
from schema2model.strict.encodings import Encoding
from schema2model.strict.profiles import Profile

__all__ = ["Build"]


class Build(Protocol):
    """A build of the encodings of one schema."""

    verdicts: Verdicts
    profile: Profile
    ledger: Ledger
    dynamic: bool
    enumerated: int
    """Enumerated values so far."""

    def encoding_of(self, nodes: tuple[Node, ...], level: int) -> Encoding | None:
        """Return the encoding of the values that all of some subschemas accept; None if none is."""

    def format_of(self, node: Node) -> str | None:
        """Return the format of a subschema, also where it only annotates."""

    def cap(self, keyword: str, least: int | None = None) -> dict[str, int]:
        """Return the caller's maximum for what has none, if the provider enforces it."""
