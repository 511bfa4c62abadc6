"""LiveKit Agents, in a session of its own with a model that says what it is told to."""

from __future__ import annotations

from typing import Any

from contract import CONTEXT, DONE, Driver, Job, Script, Tools
from livekit.agents import Agent, AgentSession, RunContext, function_tool, llm
from probe import DEFINITION

from schema2model.adapters import livekit


def who(context: RunContext[str]) -> str:
    """What a tool is told of the application."""
    return context.userdata


def raw(job: Job, **options: Any) -> llm.RawFunctionTool[..., Any]:
    """A raw tool of LiveKit's own."""

    async def search(raw_arguments: dict[str, Any], context: RunContext[str]) -> Any:
        result = job.run(raw_arguments, who(context))
        return await result if job.asynchronous else result

    schema = {**DEFINITION, "parameters": job.schema}
    return function_tool(search, raw_schema=schema, **options)


def made_of_function(job: Job, **options: Any) -> llm.FunctionTool[..., Any]:
    """A tool that LiveKit makes of a signature."""
    function = job.function("context", RunContext[str], who, is_coroutine=True)
    return function_tool(function, name="search", **options)


class Server:
    """As much of an MCP server as lists tools."""

    def __init__(self, *tools: Any) -> None:
        self.tools = tools

    async def list_tools(self) -> list[Any]:
        """Them."""
        return list(self.tools)


class Model(llm.LLM):
    """Makes the calls of a script, one after the other."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script

    def chat(self, *, chat_ctx: Any, conn_options: Any = None, tools: Any = (), **_: Any) -> Any:
        """Make the next call."""
        conn_options = conn_options or llm.llm.DEFAULT_API_CONNECT_OPTIONS
        return Stream(self, chat_ctx=chat_ctx, tools=tools, conn_options=conn_options)


class Stream(llm.LLMStream):
    """What the model says."""

    async def _run(self) -> None:
        script = self._llm.script
        made = sum(item.type == "function_call_output" for item in self._chat_ctx.items)
        calls = [
            llm.FunctionToolCall(name=call.name, arguments=call.text, call_id=f"call-{made}")
            for call in script[made : made + 1]
        ]
        delta = llm.ChoiceDelta(role="assistant", content=DONE, tool_calls=calls)
        self._event_ch.send_nowait(llm.ChatChunk(id="chunk", delta=delta))


async def converse(tool: Any, script: Script) -> list[str]:
    """What the model is told of each call."""
    tools = await tool.list_tools() if hasattr(tool, "list_tools") else [tool]
    async with AgentSession(llm=Model(script), userdata=CONTEXT) as session:
        await session.start(Agent(instructions="", tools=tools))
        await session.run(user_input="Go on.")
        items = session.history.items
    return [str(item.output) for item in items if item.type == "function_call_output"]


TOOLS = Tools(
    adapter=livekit,
    raw=raw,
    alone=lambda tool: tool,
    function=made_of_function,
    hooks={
        "wrap_server": lambda tool, **options: livekit.wrap_server(Server(tool), **options),
    },
    who=who,
    context=RunContext,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    has_cancellation=False,
    differs={
        "cut off": "LiveKit reads text that is cut off as far as it goes, before any tool sees it.",
        **dict.fromkeys(
            ["result a model", "result a list of models"],
            "LiveKit takes text, numbers, lists and mappings as results: return "
            "`result.model_dump()`.",
        ),
    },
)
