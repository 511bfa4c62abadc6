"""The engines of projections and their parts."""

from __future__ import annotations

from typing import Any

from schema2model.coerce.engine import Engine
from schema2model.coerce.recipe import Recipe
from schema2model.coercions import Coercion
from schema2model.json.equality import type_exact_bytes
from schema2model.schema.dialects import DEFAULT

__all__ = ["engine_for"]


def engine_for(
    schema: dict[str, Any], coercion: Coercion = Coercion.off, name: str | None = None
) -> Engine:
    """Compile a schema of dialect 2020-12 that is our own.

    >>> engine_for({"type": "integer"}).verdicts.is_valid(5)
    True
    """
    return Engine(Recipe(type_exact_bytes(schema), coercion, DEFAULT, name, "annotate", b""))
