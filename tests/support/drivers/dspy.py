"""DSPy, in its agent with a model that says what it is told to."""

from __future__ import annotations

from typing import Any

import dspy
from contract import DONE, NO_VALUES, WRITTEN_WITH_STR, Driver, Job, Script, Tools
from dspy.utils import DummyLM

from schema2model.adapters import dspy as adapter


def raw(job: Job) -> dspy.Tool:
    """A tool of DSPy's own, of the schemas of its parameters."""

    async def search_later(**arguments: Any) -> Any:
        return await job.run(arguments)

    def search(**arguments: Any) -> Any:
        return job.run(arguments)

    function = search_later if job.asynchronous else search
    return dspy.Tool(function, "search", "Find articles.", job.schema["properties"], {})


async def converse(tool: dspy.Tool, script: Script) -> list[str]:
    """What the model is told of each call."""
    agent, lm = agent_of(tool, script)
    with dspy.context(lm=lm):
        result = await agent.acall(question="Go on.")
    return answers(result, script)


def converse_now(tool: dspy.Tool, script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    agent, lm = agent_of(tool, script)
    with dspy.context(lm=lm):
        result = agent(question="Go on.")
    return answers(result, script)


def agent_of(tool: dspy.Tool, script: Script) -> tuple[dspy.ReAct, DummyLM]:
    """An agent, and what makes its calls."""
    said: list[dict[str, Any]] = [
        {"next_thought": "Go on.", "next_tool_name": call.name, "next_tool_args": call.arguments}
        for call in script
    ]
    said += [
        {"next_thought": DONE, "next_tool_name": "finish", "next_tool_args": {}},
        {"reasoning": DONE, "answer": DONE},
    ]
    return dspy.ReAct("question -> answer", tools=[tool]), DummyLM(said)


def answers(result: Any, script: Script) -> list[str]:
    """What was said of each call."""
    trajectory = result.trajectory
    return [str(trajectory[f"observation_{number}"]) for number in range(len(script))]


TOOLS = Tools(
    adapter=adapter,
    raw=raw,
    alone=lambda tool: tool,
    function=lambda job: dspy.Tool(job.function(), name="search"),
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    converse_now=converse_now,
    has_context=False,
    differs={
        "encoded twice": "DSPy ends where it cannot read text, or does not know the tool.",
        "cut off": "It reads text that is cut off as far as it goes, before any tool sees it.",
        "unknown tool": "DSPy ends where it cannot read text, or does not know the tool.",
        "injected by type": NO_VALUES,
        **WRITTEN_WITH_STR,
    },
)
