"""Schemas of arrays and objects."""

from __future__ import annotations

from typing import Any


def array(items: Any) -> Any:
    """The schema of an array."""
    return {"type": "array", "items": items}


def an_object(**properties: Any) -> Any:
    """The schema of an object."""
    return {"type": "object", "properties": properties}
