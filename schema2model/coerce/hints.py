"""Where pydantic-core has refused arguments, as far as its error tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from pydantic_core import ValidationError

__all__ = ["Hints", "hints_in"]

MAX_HINTS = 200
"""Errors of pydantic-core that are looked at."""

Hints: TypeAlias = "Sequence[tuple[int | str, ...]] | None"
"""The ways down to what is refused, names of core schemas in between; None if they are unknown."""


def hints_in(error: Exception) -> Hints:
    """The places that an error names. The error itself would keep all of the arguments alive.

    >>> from schema2model import compile_schema
    >>> try:
    ...     compile_schema({"properties": {"a": {"type": "integer"}}}).engine.strict({"a": "x"})
    ... except ValueError as error:
    ...     hints_in(error)[0]
    ('choice 0', 'a')
    """
    if not isinstance(error, ValidationError) or error.error_count() > MAX_HINTS:
        return None
    lines = error.errors(include_url=False, include_context=False, include_input=False)
    return [line["loc"] for line in lines]
