"""`ValidationError`, and how the best of several is found: as python-jsonschema has them.

Where that package is installed, errors are instances of its own class, and `best_match` is its own.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from schema2model.adapters.jsonschema.standalone_exceptions import (
    Details,
    ErrorTree,
    FormatError,
    SchemaDetails,
    UnknownType,
    best_match,
    relevance,
)

if not TYPE_CHECKING:
    with contextlib.suppress(ImportError):
        from jsonschema.exceptions import (
            ErrorTree,
            FormatError,
            SchemaError as SchemaDetails,
            UnknownType,
            ValidationError as Details,
            best_match,
            relevance,
        )

__all__ = [
    "ErrorTree",
    "FormatError",
    "SchemaError",
    "UnknownType",
    "ValidationError",
    "best_match",
    "relevance",
]


class ValidationError(Details, ValueError):
    """One thing that is wrong with an instance.

    `validator` is the keyword that refuses it, `validator_value` what `schema` says there, and
    `instance` the part that is refused. `path` leads to that and `schema_path` to the keyword,
    from `parent`, which is the error of a union whose `context` holds those of its branches;
    `absolute_path`, `absolute_schema_path` and `json_path` begin at the top. `schema_pointer` is
    the keyword's own location, after references.
    Errors of instances that are deep, or not JSON, have only the message, `path` and `validator`.
    """

    schema_pointer: str = ""


class SchemaError(SchemaDetails, ValueError):
    """A schema is invalid; `path` leads to the place in it."""
