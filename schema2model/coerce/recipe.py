"""`Recipe`: what identifies a compiled schema, and is pickled in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from schema2model.coercions import Coercion
from schema2model.schema.dialects import Dialect

__all__ = ["Defaults", "FallbackReader", "Formats", "Recipe"]

Formats = Literal["annotate", "assert", "convert"]

Defaults = Literal["fill"]


FallbackReader = Callable[[str], Any]
"""Makes a value of a text that no grammar reads, or raises any exception."""


class Recipe(NamedTuple):
    """The source of an engine: a schema and resources, marshalled, and the options."""

    content: bytes
    coercion: Coercion
    dialect: Dialect
    name: str | None
    formats: Formats | None
    resources: bytes
    fallback_reader: FallbackReader | None = None
    defaults: Defaults | None = None
