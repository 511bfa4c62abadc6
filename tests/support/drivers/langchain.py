"""LangChain, in an agent with a model that says what it is told to."""

from __future__ import annotations

import json
from typing import Any

from contract import (
    COMPLETED,
    CONTEXT,
    DONE,
    LACKS_CLOSERS,
    WRITTEN_WITH_STR,
    Call,
    Driver,
    Job,
    Script,
    Tools,
)
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool

from schema2model.adapters import langchain


def who(config: RunnableConfig) -> str:
    """What a tool is told of the application."""
    return str(config["configurable"]["who"])


def raw(job: Job) -> StructuredTool:
    """A tool of LangChain's own, of a schema."""

    async def search_later(config: RunnableConfig, **arguments: Any) -> Any:
        return await job.run(arguments, who(config))

    def search(config: RunnableConfig, **arguments: Any) -> Any:
        return job.run(arguments, who(config))

    function: Any = {"coroutine": search_later} if job.asynchronous else {"func": search}
    return StructuredTool(name="search", description="Find.", args_schema=job.schema, **function)


def made_of_function(job: Job) -> StructuredTool:
    """A tool of LangChain's own, of a function."""
    name = "coroutine" if job.asynchronous else "func"
    return StructuredTool.from_function(**{name: job.function("config", RunnableConfig, who)})


class Model(FakeMessagesListChatModel):
    """Says what it is told to."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        """It knows what to say without them."""
        return self


def said(call: Call, number: int) -> AIMessage:
    """A message with a call, as LangChain's own models read its text."""
    message = read(call, number)
    message.response_metadata["finish_reason"] = "length" if call.is_cut_off else "tool_calls"
    return message


def read(call: Call, number: int) -> AIMessage:
    """The same without a reason."""
    given: dict[str, Any] = {"name": call.name, "id": f"call-{number}"}
    try:
        arguments = json.loads(call.text)
    except ValueError:
        invalid = invalid_tool_call(args=call.text, error=None, **given)
        return AIMessage("", invalid_tool_calls=[invalid])
    if type(arguments) is not dict:
        invalid = invalid_tool_call(args=call.text, error=None, **given)
        return AIMessage("", invalid_tool_calls=[invalid])
    return AIMessage("", tool_calls=[tool_call(args=arguments, **given)])


GIVEN: Any = {"messages": [HumanMessage("Go on.")]}, {"configurable": {"who": CONTEXT}}
"""What an agent is invoked with."""


def agent(setup: dict[str, Any], script: Script) -> Any:
    """An agent whose model makes the calls of a script."""
    messages = [said(call, number) for number, call in enumerate(script)]
    return create_agent(Model(responses=[*messages, AIMessage(DONE)]), **setup)


def answers(state: Any) -> list[str]:
    """What was said of each call."""
    return [str(m.content) for m in state["messages"] if isinstance(m, ToolMessage)] or [""]


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    return answers(await agent(setup, script).ainvoke(*GIVEN))


def converse_now(setup: dict[str, Any], script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    return answers(agent(setup, script).invoke(*GIVEN))


TOOLS = Tools(
    adapter=langchain,
    raw=raw,
    function=made_of_function,
    hooks={
        "middleware": lambda tool, **options: {
            "tools": [tool],
            "middleware": [langchain.middleware(**options)],
        },
    },
    who=who,
    context=RunnableConfig,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    converse_now=converse_now,
    cut_off=(LACKS_CLOSERS, COMPLETED),
    differs={
        **dict.fromkeys(
            ["malformed text", "text in a fence", "encoded twice", "cut off"],
            "LangChain hands tools only the JSON of an object; the middleware reads other text.",
        ),
        **WRITTEN_WITH_STR,
    },
)
