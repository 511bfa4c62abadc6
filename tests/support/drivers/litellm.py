"""LiteLLM, whose SDK answers as it is told to; it runs no tools, so the driver does."""

from __future__ import annotations

import json
from typing import Any

import litellm
from contract import ALONE, Driver, Job, Script
from probe import DEFINITION

from schema2model.adapters.litellm import Coercion

TOOLS = [{"type": "function", "function": DEFINITION}]


async def converse(setup: tuple[list[Any], Job], script: Script) -> list[str]:
    """What the tool makes of each answer."""
    callbacks, job = setup
    told = []
    for call in script:
        litellm.callbacks = callbacks
        function = {"name": call.name, "arguments": call.text}
        answer: Any = await litellm.acompletion(
            model="openai/gpt-4.1",
            messages=[{"role": "user", "content": "Go on."}],
            tools=TOOLS,
            mock_response="",
            mock_tool_calls=[{"id": "1", "type": "function", "function": function}],
        )
        text = answer.choices[0].message.tool_calls[0].function.arguments
        told.append(str(job.run(dict(json.loads(text)))))
    return told


DRIVER = Driver(
    ways={ALONE: lambda job: ([], job), "Coercion": lambda job: ([Coercion(**job.options)], job)},
    converse=converse,
    runs_tools=False,
    differs=dict.fromkeys(
        [
            "cut off",
            "unknown tool",
            "wrong beyond reading",
            "wrong, then right",
            "refused in our words",
            "refused by `unknown_arguments`",
            "refused by `refuse_markup`",
            'refused by `coercion="off"`',
        ],
        "Refused arguments are passed on as sent; the agent that runs the tools reports them.",
    ),
)
