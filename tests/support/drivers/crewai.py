"""CrewAI, in an agent with a model that says what it is told to."""

from __future__ import annotations

import asyncio
import os
import warnings
from typing import Any

from contract import DONE, NO_VALUES, WRITTEN_WITH_STR, Driver, Job, Script, Tools
from pydantic import BaseModel, ConfigDict, PrivateAttr
from pydantic.experimental.missing_sentinel import MISSING

# Nothing of a test is to be sent anywhere; CrewAI reads this as it is imported.
os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true"
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # CrewAI's modules cannot be imported without warnings
    from crewai import Agent
    from crewai.llms.base_llm import BaseLLM
    from crewai.tools import BaseTool, tool as crew_tool

    from schema2model.adapters import crewai


class Opts(BaseModel):
    """Options."""

    depth: int | MISSING = MISSING


class Search(BaseModel):
    """What an article is found by; what is not sent is not there."""

    model_config = ConfigDict(extra="forbid")

    limit: int
    tags: list[str] | MISSING = MISSING
    active: bool | MISSING = MISSING
    page: int | MISSING | None = MISSING
    opts: Opts | MISSING = MISSING


class Raw(BaseTool):
    """A tool of CrewAI's own, of a model."""

    name: str = "search"
    description: str = "Find articles."
    args_schema: type[BaseModel] = Search
    _job: Any = PrivateAttr()

    def _run(self, **arguments: Any) -> Any:
        result = self._job.run(arguments)
        return asyncio.run(result) if self._job.asynchronous else result

    async def _arun(self, **arguments: Any) -> Any:
        result = self._job.run(arguments)
        return await result if self._job.asynchronous else result


def raw(job: Job) -> BaseTool:
    """One of them."""
    made = Raw()
    made._job = job
    return made


class Model(BaseLLM):
    """Makes the calls of a script, one after the other, and keeps what it heard."""

    script: Any
    told: list[Any] = []

    def supports_function_calling(self) -> bool:
        """Calls are no text."""
        return True

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        """Make the next call."""
        self.told[:] = [str(m["content"]) for m in messages if m.get("role") == "tool"]
        if len(self.told) == len(self.script):
            return DONE
        call = self.script[len(self.told)]
        function = {"name": call.name, "arguments": call.text}
        return [{"id": f"call-{len(self.told)}", "type": "function", "function": function}]

    async def acall(self, messages: Any, *_: Any, **__: Any) -> Any:
        """The same."""
        return self.call(messages)


async def converse(tool: BaseTool, script: Script) -> list[str]:
    """What the model is told of each call."""
    model = Model(model="scripted", script=script, told=[])
    await agent(tool, model).kickoff_async("Go on.")
    return [str(told) for told in model.told]


def converse_now(tool: BaseTool, script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    model = Model(model="scripted", script=script, told=[])
    agent(tool, model).kickoff("Go on.")
    return [str(told) for told in model.told]


def agent(tool: BaseTool, model: Model) -> Agent:
    """An agent with a tool."""
    return Agent(role="finder", goal="find", backstory="none", tools=[tool], llm=model)


TOOLS = Tools(
    adapter=crewai,
    raw=raw,
    alone=lambda tool: tool,
    function=lambda job: crew_tool("search")(job.function()),
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    converse_now=converse_now,
    has_context=False,
    has_cancellation=False,
    differs={
        **dict.fromkeys(
            ["malformed text", "text in a fence", "encoded twice"],
            "CrewAI itself answers text that is not JSON.",
        ),
        "injected by type": NO_VALUES,
        "result a list of models": WRITTEN_WITH_STR["result a list of models"],
    },
)
