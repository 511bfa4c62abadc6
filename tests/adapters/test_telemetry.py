"""Instrumented tools in the frameworks that they are made for: counted, and once."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import types
from collections.abc import Callable
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "opentelemetry.sdk", reason="needs OpenTelemetry: pip install opentelemetry-sdk"
)

from opentelemetry import trace
from recorded import Recorded

from schema2model import Tool
from schema2model.telemetry import instrument

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the frameworks' own imports
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete definition"),
]

CORRECT = {"tags": ["a"], "limit": 10}
STRINGS = {"tags": '["a"]', "limit": "10"}
HOPELESS = {"tags": [], "limit": "many"}


def mcp(theirs: Any, arguments: Any) -> None:
    """A server of the official SDK, 1.x or 2.x, and its client."""
    try:
        from mcp import Client  # noqa: PLC0415
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415
    except ImportError:
        from mcp.server.fastmcp import FastMCP as MCPServer  # noqa: PLC0415
        from mcp.shared.memory import (  # noqa: PLC0415
            create_connected_server_and_client_session as Client,  # noqa: N812
        )

    async def call() -> None:
        async with Client(MCPServer("shop", tools=[theirs])) as client:
            await client.call_tool("search", arguments)

    asyncio.run(call())


def fastmcp(theirs: Any, arguments: Any) -> None:
    """A server of FastMCP, and its client."""
    from fastmcp import Client, FastMCP  # noqa: PLC0415

    server = FastMCP("shop")
    server.add_tool(theirs)

    async def call() -> None:
        async with Client(server) as client:
            await client.call_tool("search", arguments, raise_on_error=False)

    asyncio.run(call())


def langchain(theirs: Any, arguments: Any) -> None:
    """A call, as the node of an agent's tools makes it."""
    call = {"type": "tool_call", "id": "c1", "name": "search", "args": arguments}
    asyncio.run(theirs.ainvoke(call))


def openai_agents(theirs: Any, arguments: Any) -> None:
    """The SDK's invocation with text, and with the call in the conversation."""
    call = types.SimpleNamespace(call_id="c1", name="search", arguments=json.dumps(arguments))
    context: Any = types.SimpleNamespace(tool_call=call)
    asyncio.run(theirs.on_invoke_tool(context, call.arguments))


def llama_index(theirs: Any, arguments: Any) -> None:
    """A call, as LlamaIndex's agents make it."""
    from llama_index.core.tools.calling import call_tool  # noqa: PLC0415

    call_tool(theirs, arguments)


def livekit(theirs: Any, arguments: Any) -> None:
    """A call, as LiveKit makes it of a raw function tool."""
    from livekit.agents.llm import ToolError  # noqa: PLC0415

    async def call() -> None:
        with contextlib.suppress(ToolError):
            await theirs(raw_arguments=arguments)

    asyncio.run(call())


def pydantic_ai(theirs: Any, arguments: Any) -> None:
    """A call of a model in an agent's run."""
    from pydantic_ai import Agent  # noqa: PLC0415
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: PLC0415
    from pydantic_ai.models.function import FunctionModel  # noqa: PLC0415

    def say(messages: list[Any], info: Any) -> ModelResponse:
        part = TextPart("Done.") if len(messages) > 1 else ToolCallPart("search", arguments)
        return ModelResponse([part])

    asyncio.run(Agent(FunctionModel(say), tools=[theirs]).run("Go on."))


FRAMEWORKS: list[Callable[[Any, Any], None]] = [
    mcp,
    fastmcp,
    langchain,
    openai_agents,
    llama_index,
    livekit,
    pydantic_ai,
]


PACKAGES = {
    "langchain": "langchain_core",
    "livekit": "livekit.agents",
    "llama_index": "llama_index.core",
    "openai_agents": "agents",
}
"""What is imported of a framework, where that is not the adapter's name."""


def adapter_of(call: Callable[[Any, Any], None]) -> Any:
    """The adapter for which a function calls tools."""
    name = call.__name__
    extra = name.replace("_", "-")
    reason = needs(extra)
    pytest.importorskip(PACKAGES.get(name, name), reason=reason)
    return importlib.import_module(f"schema2model.adapters.{name}")


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("call", FRAMEWORKS)
def test_a_framework_runs_an_instrumented_tool(
    call: Callable[[Any, Any], None], *, asynchronous: bool
) -> None:
    """Each call is counted once by what was sent, and the function runs in its span."""
    adapter = adapter_of(call)
    recorded = Recorded()
    current: list[Any] = []

    def search(tags: list[str], limit: int) -> str:
        current.append(trace.get_current_span().get_span_context().span_id)
        return repr((tags, limit))

    async def asearch(tags: list[str], limit: int) -> str:
        return search(tags, limit)

    tool = Tool.from_function(asearch if asynchronous else search, name="search")
    theirs = adapter.from_tool(instrument(tool, recorded.telemetry))
    for arguments in (CORRECT, STRINGS, HOPELESS):
        call(theirs, arguments)
    assert recorded.calls == {
        ("search", status): 1 for status in ("unchanged", "coerced", "refused")
    }
    assert recorded.changes == {("search", "json_text"): 2}
    assert recorded.executions == {("search", None): 2}
    spans = [span for span in recorded.spans if span.name == "execute_tool search"]
    if call is not pydantic_ai:  # which executes tools with arguments that were read before
        statuses = [span.attributes["schema2model.status"] for span in spans]
        assert statuses == ["unchanged", "coerced", "refused"]
    assert [span.context.span_id for span in spans[:2]] == current
    if call is openai_agents:
        assert {span.attributes["gen_ai.tool.call.id"] for span in spans} == {"c1"}


@pytest.mark.parametrize("call", FRAMEWORKS)
def test_what_is_wrapped_is_counted(call: Callable[[Any, Any], None]) -> None:
    """By what the framework's tool would have got; its execution is the framework's own."""
    adapter = adapter_of(call)
    recorded = Recorded()

    def search(tags: list[str], limit: int) -> str:
        return repr((tags, limit))

    theirs = adapter.from_tool(Tool.from_function(search))
    wrapped = adapter.wrap_tool(theirs, observer=recorded.telemetry)
    for arguments in (CORRECT, STRINGS):
        call(wrapped, arguments)
    with contextlib.suppress(ValueError):  # of pydantic, in LangChain
        call(wrapped, HOPELESS)
    assert recorded.calls == {
        ("search", status): 1 for status in ("unchanged", "coerced", "refused")
    }
    assert recorded.executions == {}
