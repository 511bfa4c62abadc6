"""`ValidationError` and `SchemaError`: python-jsonschema's, which are also `ValueError`s.

The other names are its own.
"""

from __future__ import annotations

from schema2model.extras import extra

with extra("jsonschema"):
    from jsonschema import exceptions as theirs
    from jsonschema.exceptions import ErrorTree, FormatError, UnknownType, best_match, relevance

__all__ = [
    "ErrorTree",
    "FormatError",
    "SchemaError",
    "UnknownType",
    "ValidationError",
    "best_match",
    "relevance",
]


class ValidationError(theirs.ValidationError, ValueError):  # type: ignore[misc, unused-ignore]
    """One thing that is wrong with an instance.

    `validator` is the keyword that refuses it, `validator_value` what `schema` says there, and
    `instance` the part that is refused. `path` leads to that and `schema_path` to the keyword,
    from `parent`, which is the error of a union whose `context` holds those of its branches;
    `absolute_path`, `absolute_schema_path` and `json_path` begin at the top. `schema_pointer` is
    the keyword's own location, after references.
    Errors of instances that are deep, or not JSON, have only the message, `path` and `validator`.
    """

    schema_pointer: str = ""


class SchemaError(theirs.SchemaError, ValueError):  # type: ignore[misc, unused-ignore]
    """A schema is invalid; `path` leads to the place in it."""
