"""LlamaIndex, in an agent with a model that says what it is told to."""

from __future__ import annotations

from typing import Any

from contract import (
    CONTEXT,
    DONE,
    NO_VALUES,
    WRITTEN_WITH_STR,
    Driver,
    Job,
    Script,
    Tools,
)
from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context
from probe import SCHEMA

from schema2model import compile_schema
from schema2model.adapters import llama_index


def who(context: Any) -> str:
    """What a tool is told of the application."""
    return CONTEXT if isinstance(context, Context) else "nobody"


def raw(job: Job) -> FunctionTool:
    """A tool of LlamaIndex's own, with a model of the schema, which it does not ask."""

    async def search_later(ctx: Context, **arguments: Any) -> Any:
        return await job.run(arguments, who(ctx))

    def search(ctx: Context, **arguments: Any) -> Any:
        return job.run(arguments, who(ctx))

    for function in (search, search_later):  # it does not evaluate annotations
        function.__annotations__["ctx"] = Context
    model = compile_schema(SCHEMA, name="search").model
    options: Any = {"name": "search", "description": "Find.", "fn_schema": model}
    return FunctionTool.from_defaults(search_later if job.asynchronous else search, **options)


async def converse(tool: FunctionTool, script: Script) -> list[str]:
    """What the model is told of each call."""

    def say(messages: Any, **_: Any) -> ChatMessage:
        made = sum(message.role == "tool" for message in messages)
        if made == len(script):
            return ChatMessage(DONE, role="assistant")
        call = script[made]
        block = ToolCallBlock(
            tool_name=call.name, tool_kwargs=call.arguments, tool_call_id=f"call-{made}"
        )
        return ChatMessage(role="assistant", blocks=[block])

    model = MockFunctionCallingLLM(response_generator=say)
    agent = FunctionAgent(tools=[tool], llm=model, streaming=False)
    handler = agent.run("Go on.")
    try:
        results = [e async for e in handler.stream_events() if isinstance(e, ToolCallResult)]
        await handler
    finally:
        await handler.cancel_run()
    return [str(result.tool_output.content) for result in results]


TOOLS = Tools(
    adapter=llama_index,
    raw=raw,
    alone=lambda tool: tool,
    function=lambda job: FunctionTool.from_defaults(job.function("ctx", Context, who)),
    who=who,
    context=Context,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    reads_text=False,
    differs={"injected by type": NO_VALUES, **WRITTEN_WITH_STR},
)
