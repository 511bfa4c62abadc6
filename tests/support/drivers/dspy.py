"""DSPy, in its agent with a model that says what it is told to."""

from __future__ import annotations

from typing import Any

import dspy
from contract import ALONE, DONE, FUNCTION, WRITTEN_WITH_STR, Driver, Job, Script
from dspy.utils import DummyLM
from probe import SCHEMA

from schema2model.adapters.dspy import from_tool, wrap_tool

__all__ = ["DRIVER", "converse", "raw"]


def raw(job: Job, schema: Any = SCHEMA) -> dspy.Tool:
    """A tool of DSPy's own, of the schemas of its parameters."""

    async def search_later(**arguments: Any) -> Any:
        return await job.run(arguments)

    def search(**arguments: Any) -> Any:
        return job.run(arguments)

    function = search_later if job.asynchronous else search
    return dspy.Tool(function, "search", "Find articles.", schema["properties"], {})


async def converse(tool: dspy.Tool, script: Script) -> list[str]:
    """What the model is told of each call."""
    said: list[dict[str, Any]] = [
        {"next_thought": "Go on.", "next_tool_name": call.name, "next_tool_args": call.arguments}
        for call in script
    ]
    said += [
        {"next_thought": DONE, "next_tool_name": "finish", "next_tool_args": {}},
        {"reasoning": DONE, "answer": DONE},
    ]
    agent = dspy.ReAct("question -> answer", tools=[tool])
    with dspy.context(lm=DummyLM(said)):
        result = await agent.acall(question="Go on.")
    trajectory = result.trajectory
    return [str(trajectory[f"observation_{number}"]) for number in range(len(script))]


DRIVER = Driver(
    ways={
        ALONE: raw,
        FUNCTION: lambda job: dspy.Tool(job.function(), name="search"),
        "from_tool": lambda job: from_tool(job.ours()),
        "wrap_tool": lambda job: wrap_tool(raw(job)),
    },
    converse=converse,
    has_context=False,
    differs={
        "encoded twice": "DSPy reads what the model says of tools, and ends where it cannot",
        "cut off": "DSPy reads text as far as it goes, before any tool sees it",
        "unknown tool": "DSPy ends where the model does not name one of its tools",
        **WRITTEN_WITH_STR,
    },
)
