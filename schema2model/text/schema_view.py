"""What a reader of text knows of the schema: which names and types a place in the value expects.

The grammar only asks; whoever compiles schemas answers. Names that a place declares are anchors:
they tell where a string ends whose quote is missing. Whether a value fits is never asked here.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

__all__ = ["ANYWHERE", "TextPlace"]


class TextPlace(Protocol):
    """A place in the value that a text spells."""

    def names(self) -> Any:
        """The names that an object here may have by declaration: a collection of strings."""

    def is_closed(self) -> bool:
        """Whether an object here may have no other names."""

    def wants(self, kind: str) -> bool:
        """Whether a value of a JSON Schema type is declared to stand here."""

    def member(self, name: str) -> TextPlace:
        """The place of a property of an object here."""

    def item(self) -> TextPlace:
        """The place of an item of an array here."""


class _Anywhere:
    """A place of which nothing is known."""

    def names(self) -> frozenset[str]:
        return frozenset()

    def is_closed(self) -> bool:
        return False

    def wants(self, _kind: str) -> bool:
        return False

    def member(self, _name: str) -> TextPlace:
        return self

    def item(self) -> TextPlace:
        return self


ANYWHERE: Final[TextPlace] = _Anywhere()
"""A place of which nothing is known."""
