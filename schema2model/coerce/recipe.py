"""`Recipe`: what identifies a compiled schema, and is pickled in its place."""

from __future__ import annotations

from typing import Literal, NamedTuple

from schema2model.coercions import Coercion
from schema2model.schema.dialects import Dialect

__all__ = ["Formats", "Recipe"]

Formats = Literal["annotate", "assert"]


class Recipe(NamedTuple):
    """The source of an engine: a schema and resources, marshalled, and the options."""

    content: bytes
    coercion: Coercion
    dialect: Dialect
    name: str | None
    formats: Formats | None
    resources: bytes
