"""The questions that the readers of text ask a schema: names and types, but not validity."""

from __future__ import annotations

from typing import Final

__all__ = ["NO_SCHEMA", "SchemaView"]


class SchemaView:
    """The subschemas that describe one value of a text; by default none."""

    __slots__ = ()

    def names(self) -> frozenset[str]:
        """Return the declared property names."""
        return frozenset()

    def is_closed(self) -> bool:
        """Return whether an object may have no other properties."""
        return False

    def wants(self, kind: str) -> bool:  # noqa: ARG002 - for others
        """Return whether a JSON Schema type is declared for the value."""
        return False

    def takes_text(self) -> bool:
        """Return whether strings are declared, and no numbers."""
        return self.wants("string") and not (self.wants("number") or self.wants("integer"))

    def member(self, name: str) -> SchemaView:  # noqa: ARG002 - for others
        """Return the view of a property of the object."""
        return self

    def item(self) -> SchemaView:
        """Return the view of the items of the array."""
        return self


NO_SCHEMA: Final = SchemaView()
"""The view of an unknown schema."""
