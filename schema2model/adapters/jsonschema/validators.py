"""`jsonschema.validators`: the classes by draft, and the one for a schema."""

from __future__ import annotations

from schema2model.adapters.jsonschema.drafts import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
    validate,
    validator_class as validator_for,
)

__all__ = [
    "Draft4Validator",
    "Draft6Validator",
    "Draft7Validator",
    "Draft201909Validator",
    "Draft202012Validator",
    "validate",
    "validator_for",
]
