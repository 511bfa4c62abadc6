"""Haystack, with a chat generator that says what it is told to."""

from __future__ import annotations

from typing import Any

from contract import COMPLETED, CONTEXT, DONE, WRITTEN_WITH_STR, Driver, Job, Script, Tools
from haystack import component
from haystack.components.agents import Agent, State
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import Tool, create_tool_from_function

from schema2model.adapters import haystack


def who(state: State) -> str:
    """What a tool is told of the application."""
    return str(state.get("who"))


def raw(job: Job, **options: Any) -> Tool:
    """A tool of Haystack's own, of a schema."""

    async def search_later(state: State, **arguments: Any) -> Any:
        return await job.run(arguments, who(state))

    def search(state: State, **arguments: Any) -> Any:
        return job.run(arguments, who(state))

    name = "async_function" if job.asynchronous else "function"
    function: Any = {name: search_later if job.asynchronous else search}
    return Tool("search", "Find articles.", job.schema, **function, **options)


@component
class Generator:
    """Makes the calls of a script, one after the other."""

    def __init__(self, script: Script) -> None:
        self.script = script

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        """Make the next call."""
        made = len(answers(messages))
        if made == len(self.script):
            return {"replies": [ChatMessage.from_assistant(DONE)]}
        call = self.script[made]
        made_call = ToolCall(call.name, call.arguments, id=f"call-{made}")
        meta = {"finish_reason": "length" if call.is_cut_off else "tool_calls"}
        return {"replies": [ChatMessage.from_assistant(tool_calls=[made_call], meta=meta)]}


def answers(messages: list[ChatMessage]) -> list[Any]:
    """The results of the calls in a conversation."""
    return [result for message in messages for result in message.tool_call_results]


def agent(setup: dict[str, Any], script: Script) -> Agent:
    """An agent with a state."""
    return Agent(chat_generator=Generator(script), state_schema={"who": {"type": str}}, **setup)


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    made = agent(setup, script)
    result = await made.run_async(messages=[ChatMessage.from_user("Go on.")], who=CONTEXT)
    return [str(answer.result) for answer in answers(result["messages"])]


def converse_now(setup: dict[str, Any], script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    result = agent(setup, script).run(messages=[ChatMessage.from_user("Go on.")], who=CONTEXT)
    return [str(answer.result) for answer in answers(result["messages"])]


TOOLS = Tools(
    adapter=haystack,
    raw=raw,
    function=lambda job: create_tool_from_function(job.function("state", State, who)),
    hooks={
        "CoercionHook": lambda tool, **options: {
            "tools": [tool],
            "hooks": {"before_tool": [haystack.CoercionHook(**options)]},
        },
    },
    who=who,
    context=State,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    converse_now=converse_now,
    reads_text=False,
    cut_off=(COMPLETED,),
    differs={"cut off": "Only the hook refuses calls that were cut off.", **WRITTEN_WITH_STR},
)
