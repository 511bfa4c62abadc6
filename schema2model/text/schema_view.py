"""The questions that the readers of text ask a schema: declared names and types.

Declared property names show where a string ends whose quote is missing. Whether a value is valid
is not asked here.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

__all__ = ["NO_SCHEMA", "SchemaView"]


class SchemaView(Protocol):
    """The subschemas that describe one value of a text."""

    def names(self) -> Any:
        """Return the declared property names: a collection of strings."""

    def is_closed(self) -> bool:
        """Return whether an object may have no other properties."""

    def wants(self, kind: str) -> bool:
        """Return whether a JSON Schema type is declared for the value."""

    def member(self, name: str) -> SchemaView:
        """Return the view of a property of the object."""

    def item(self) -> SchemaView:
        """Return the view of the items of the array."""


class _NoSchema:
    """A view that declares nothing."""

    def names(self) -> frozenset[str]:
        return frozenset()

    def is_closed(self) -> bool:
        return False

    def wants(self, _kind: str) -> bool:
        return False

    def member(self, _name: str) -> SchemaView:
        return self

    def item(self) -> SchemaView:
        return self


NO_SCHEMA: Final[SchemaView] = _NoSchema()
"""The view of an unknown schema."""
