"""Ultravox's drop-in for LiveKit: it only reads; what it cannot read goes on as it was."""

from __future__ import annotations

import json
from typing import Any

from contract import ALONE, Driver, Job, Script
from livekit.agents import function_tool
from probe import DEFINITION

from schema2model.adapters.ultravox import coerce_parameters_to_schema


async def search(raw_arguments: dict[str, Any]) -> None:
    """Find articles."""


TOOL: Any = function_tool(search, raw_schema=DEFINITION)


async def converse(setup: tuple[Any, Job], script: Script) -> list[str]:
    """What the tool makes of what the plugin passes on."""
    coerce, job = setup
    passed = [coerce([TOOL], call.name, call.arguments) for call in script]
    return [str(job.run(json.loads(json.dumps(parameters)))) for parameters in passed]


DRIVER = Driver(
    ways={
        ALONE: lambda job: (lambda tools, name, parameters: parameters, job),
        "coerce_parameters_to_schema": lambda job: (coerce_parameters_to_schema, job),
    },
    converse=converse,
    has_options=False,
    reads_text=False,
    runs_tools=False,
    differs=dict.fromkeys(
        ["unknown tool", "wrong beyond reading", "wrong, then right", "refused in our words"],
        "It refuses nothing: what it cannot read goes on as it was.",
    ),
)
