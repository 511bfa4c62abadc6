"""Bowtie's protocol: verdicts alone. What is valid, the tool runs with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema
from contract import ALONE, Driver, Job, Script
from probe import SCHEMA

from schema2model.adapters.bowtie import Harness


def theirs(arguments: Any) -> bool:
    """What python-jsonschema says."""
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(arguments)


def ours(arguments: Any) -> bool:
    """What we say when Bowtie asks."""
    harness = Harness()
    harness.respond({"cmd": "start", "version": 1})
    harness.respond({"cmd": "dialect", "dialect": "https://json-schema.org/draft/2020-12/schema"})
    test = {"description": "a call", "instance": arguments}
    case = {"description": "calls", "schema": SCHEMA, "tests": [test]}
    (result,) = harness.respond({"cmd": "run", "seq": 1, "case": case})["results"]
    return bool(result["valid"])


async def converse(setup: tuple[Callable[[Any], bool], Job], script: Script) -> list[str]:
    """What the application can say of each call."""
    is_valid, job = setup
    return [job.run(c.arguments) if is_valid(c.arguments) else "invalid" for c in script]


DRIVER = Driver(
    ways={ALONE: lambda job: (theirs, job), "Harness": lambda job: (ours, job)},
    converse=converse,
    has_options=False,
    reads_text=False,
    runs_tools=False,
    coerces=False,
)
