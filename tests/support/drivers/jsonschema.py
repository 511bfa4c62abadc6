"""Validators: python-jsonschema alone, and ours in its place. What is valid, the tool runs with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema
from contract import ALONE, Driver, Job, Script
from probe import SCHEMA

from schema2model.adapters.jsonschema import compile as compile_check, validator_for


def theirs(arguments: Any) -> list[Any]:
    """What python-jsonschema finds."""
    return list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(arguments))


def like_theirs(arguments: Any) -> list[Any]:
    """What ours finds in its place."""
    return list(validator_for(SCHEMA).iter_errors(arguments))


def like_ajv(arguments: Any) -> list[Any]:
    """What ours finds in Ajv's place."""
    check = compile_check(SCHEMA)
    return [] if check(arguments) else list(check.errors)


async def converse(setup: tuple[Callable[[Any], list[Any]], Job], script: Script) -> list[str]:
    """What the application can say of each call."""
    errors_of, job = setup
    told = []
    for call in script:
        errors = errors_of(call.arguments)
        told.append(
            str([vars_of(error) for error in errors]) if errors else job.run(call.arguments)
        )
    return told


def vars_of(error: Any) -> Any:
    """Where an error is, and what it says."""
    if isinstance(error, dict):
        return error
    return [*error.path], error.message


DRIVER = Driver(
    ways={
        ALONE: lambda job: (theirs, job),
        "validator_for": lambda job: (like_theirs, job),
        "compile": lambda job: (like_ajv, job),
    },
    converse=converse,
    has_options=False,
    reads_text=False,
    runs_tools=False,
    coerces=False,
)
