"""For code that wants a validator: python-jsonschema's names, and a function like Ajv's.

from schema2model.adapters import jsonschema  # in place of: import jsonschema
check = compile(schema); if not check(instance): print(check.errors)

Nothing is coerced here. `CompiledSchema` has the rest: `compile_schema(schema).validate(value)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schema2model.adapters.jsonschema import exceptions, validators
from schema2model.adapters.jsonschema.drafts import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
    validate,
)
from schema2model.adapters.jsonschema.exceptions import (
    ErrorTree,
    FormatError,
    SchemaError,
    UnknownType,
    ValidationError,
    best_match,
)
from schema2model.adapters.jsonschema.validator import FormatChecker, Validator
from schema2model.json.pointers import pointer
from schema2model.types import Formats

__all__ = [
    "Check",
    "Draft4Validator",
    "Draft6Validator",
    "Draft7Validator",
    "Draft201909Validator",
    "Draft202012Validator",
    "ErrorTree",
    "FormatChecker",
    "FormatError",
    "SchemaError",
    "UnknownType",
    "ValidationError",
    "Validator",
    "best_match",
    "compile",
    "exceptions",
    "validate",
    "validator_for",
    "validators",
]


def validator_for(
    schema: Mapping[str, Any] | bool,  # noqa: FBT001 - true and false are schemas
    *,
    dialect: str | None = None,
    formats: Formats | None = "annotate",
    resources: Mapping[str, Any] | None = None,
) -> Validator:
    """Return a validator, like that of `jsonschema.validators.validator_for(schema)(schema)`.

    Args:
        schema: as for `compile_schema`, like the options.
        dialect: for a schema without `$schema`; 2020-12 if not given.
        formats: `"assert"` checks them; python-jsonschema does not by default.
        resources: other documents, by URI. Nothing is fetched.

    Raises:
        SchemaError: see `compile_schema`.

    >>> list(validator_for({"items": {"type": "integer"}}).iter_errors([1, "2"]))
    [<ValidationError: "'2' is not of type 'integer'">]

    """
    return Validator(schema, dialect=dialect, formats=formats, resources=resources)


def compile(  # noqa: A001 - Ajv's name
    schema: Mapping[str, Any] | bool,  # noqa: FBT001
    *,
    dialect: str | None = None,
    formats: Formats | None = "assert",
    resources: Mapping[str, Any] | None = None,
) -> Check:
    """Return a function, like that of `new Ajv({allErrors: true}).compile(schema)`.

    Args:
        schema: as for `validator_for`, like the options.
        dialect: see there.
        formats: `"annotate"` does not check them; Ajv does by default.
        resources: see there.

    Raises:
        SchemaError: see `compile_schema`.

    >>> check = compile({"type": "integer"})
    >>> check(1), check("1"), check.errors[0]["message"]
    (True, False, "'1' is not of type 'integer'")

    """
    return Check(validator_for(schema, dialect=dialect, formats=formats, resources=resources))


class Check:
    """Made by `compile`. `errors` is None, or a list of those that the last call has found."""

    def __init__(self, validator: Validator) -> None:
        self.schema = validator.schema
        self.errors: list[dict[str, Any]] | None = None
        self._validator = validator

    def __call__(self, data: Any) -> bool:
        """Return whether data is valid; if not, `errors` are Ajv's, except for `params`."""
        found = [
            {
                "instancePath": pointer(error.absolute_path),
                "schemaPath": f"#{error.schema_pointer}",
                "keyword": error.validator or "false schema",
                "message": error.message,
            }
            for error in self._validator.iter_errors(data)
        ]
        self.errors = found or None
        return not found
