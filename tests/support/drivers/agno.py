"""Agno, with a model that says what it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.run import RunContext
from agno.tools import Function
from contract import CONTEXT, DONE, WRITTEN_WITH_STR, Driver, Job, Script, Tools

from schema2model.adapters import agno


def who(context: RunContext) -> str:
    """What a tool is told of the application."""
    return str((context.dependencies or {})["who"])


def raw(job: Job, **options: Any) -> Function:
    """A function of Agno's own, of a schema."""

    async def search_later(run_context: RunContext, **arguments: Any) -> Any:
        return await job.run(arguments, who(run_context))

    def search(run_context: RunContext, **arguments: Any) -> Any:
        return job.run(arguments, who(run_context))

    return Function(
        name="search",
        description="Find articles.",
        parameters=job.schema,
        entrypoint=search_later if job.asynchronous else search,
        skip_entrypoint_processing=True,
        **options,
    )


class ScriptedModel(Model):
    """Makes the calls of a script, one after the other."""

    def __init__(self, script: Script) -> None:
        super().__init__(id="scripted")
        self.script = script

    def invoke(self, messages: Any, **_: Any) -> ModelResponse:
        """Make the next call."""
        made = sum(message.role == "tool" for message in messages)
        if made == len(self.script):
            return ModelResponse(role="assistant", content=DONE)
        call = self.script[made]
        function = {"name": call.name, "arguments": call.text}
        calls = [{"id": f"call-{made}", "type": "function", "function": function}]
        return ModelResponse(role="assistant", tool_calls=calls)

    async def ainvoke(self, messages: Any, **_: Any) -> ModelResponse:
        """Make the next call."""
        return self.invoke(messages)

    def invoke_stream(self, *_: Any, **__: Any) -> Iterator[ModelResponse]:
        """Not asked for."""
        raise NotImplementedError

    ainvoke_stream = invoke_stream

    def _parse_provider_response(self, response: Any, **_: Any) -> ModelResponse:
        raise NotImplementedError

    _parse_provider_response_delta = _parse_provider_response


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    agent = Agent(model=ScriptedModel(script), telemetry=False, **setup)
    return answers(await agent.arun("Go on.", dependencies={"who": CONTEXT}))


def converse_now(setup: dict[str, Any], script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    agent = Agent(model=ScriptedModel(script), telemetry=False, **setup)
    output = agent.run("Go on.", dependencies={"who": CONTEXT})
    return answers(output) or [str(output.content)]


def answers(output: Any) -> list[str]:
    """What was said of each call."""
    return [str(message.content) for message in output.messages or () if message.role == "tool"]


TOOLS = Tools(
    adapter=agno,
    raw=raw,
    function=lambda job: Function.from_callable(job.function("run_context", RunContext, who)),
    hooks={
        "coercion": lambda tool, **options: {
            "tools": [tool],
            "tool_hooks": [agno.coercion(**options)],
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
    differs={
        **dict.fromkeys(
            ["text in a fence", "encoded twice"],
            "Agno itself answers text that is neither JSON nor a Python literal of an object.",
        ),
        **WRITTEN_WITH_STR,
    },
)
