"""Pydantic AI, in runs of an agent with a model that says what it is told to."""

from __future__ import annotations

from typing import Any

import pydantic_ai
from contract import COMPLETED, CONTEXT, DONE, LACKS_CLOSERS, Driver, Job, Script, Tools
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from schema2model.adapters import pydantic_ai as adapter


def who(context: RunContext[str]) -> str:
    """What a tool is told of the application."""
    return context.deps


def raw(job: Job) -> pydantic_ai.Tool[str]:
    """A tool of Pydantic AI's own, of a schema."""

    async def search_later(ctx: RunContext[str], /, **arguments: Any) -> Any:
        return await job.run(arguments, who(ctx))

    def search(ctx: RunContext[str], /, **arguments: Any) -> Any:
        return job.run(arguments, who(ctx))

    function = search_later if job.asynchronous else search
    return pydantic_ai.Tool.from_schema(function, "search", "Find.", job.schema, takes_ctx=True)


def answers(messages: list[ModelMessage]) -> list[str]:
    """What was said of each call."""
    parts = [part for message in messages for part in message.parts]
    kinds = (ToolReturnPart, RetryPromptPart)
    return [
        part.model_response_str() if isinstance(part, ToolReturnPart) else str(part.content)
        for part in parts
        if isinstance(part, kinds)
    ]


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    return answers((await agent(setup, script).run("Go on.", deps=CONTEXT)).all_messages())


def converse_now(setup: dict[str, Any], script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    return answers(agent(setup, script).run_sync("Go on.", deps=CONTEXT).all_messages())


def agent(setup: dict[str, Any], script: Script) -> Agent[Any, Any]:
    """An agent whose model makes the calls of a script."""

    def say(messages: list[ModelMessage], _: Any) -> ModelResponse:
        made = len(answers(messages))
        if made == len(script):
            return ModelResponse([TextPart(DONE)])
        call = script[made]
        reason: Any = "length" if call.is_cut_off else "tool_call"
        return ModelResponse([ToolCallPart(call.name, call.arguments)], finish_reason=reason)

    return Agent(FunctionModel(say), deps_type=str, **setup)


TOOLS = Tools(
    adapter=adapter,
    raw=raw,
    function=lambda job: pydantic_ai.Tool(job.function("ctx", RunContext[str], who)),
    hooks={
        "wrap_server": lambda tool, **options: {
            "toolsets": [adapter.wrap_server(FunctionToolset([tool]), **options)]
        },
        "CoercionCapability": lambda tool, **options: {
            "tools": [tool],
            "capabilities": [adapter.CoercionCapability(**options)],
        },
    },
    who=who,
    context=RunContext,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    converse_now=converse_now,
    cut_off=(LACKS_CLOSERS, COMPLETED),
    differs={"cut off": "Only the capability refuses calls that were cut off."},
)
