"""Version 2 of the MCP SDK: servers in memory. There is no model; a client makes the calls."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncIterator
from typing import Any

from contract import ALONE, CONTEXT, FUNCTION, Driver, Job, Script
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.tools.base import Tool as TheirTool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import CallToolResult, ListToolsResult, Tool as Definition
from probe import SCHEMA
from pydantic import ConfigDict

from schema2model.adapters import mcp as adapter
from schema2model.adapters.mcp import CoercingClient, CoercionMiddleware, from_tool


@contextlib.asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[dict[str, str]]:
    """What a server's tools are told of the application."""
    yield {"who": CONTEXT}


def who(context: Any) -> str:
    """The same, read."""
    return str(context.request_context.lifespan_context["who"])


class Anything(ArgModelBase):
    """Arguments that are not checked."""

    model_config = ConfigDict(extra="allow")

    def model_dump_one_level(self) -> dict[str, Any]:
        """All of them."""
        return dict(self.__pydantic_extra__ or {})


def raw(job: Job) -> TheirTool:
    """A tool of the SDK's own, of a schema."""

    async def search_later(ctx: Context, **arguments: Any) -> Any:  # type: ignore[type-arg]
        return await job.run(arguments, who(ctx))

    def search(ctx: Context, **arguments: Any) -> Any:  # type: ignore[type-arg]
        return job.run(arguments, who(ctx))

    return TheirTool(
        fn=search_later if job.asynchronous else search,
        name="search",
        description="Find articles.",
        parameters=SCHEMA,
        fn_metadata=FuncMetadata(arg_model=Anything),
        is_async=job.asynchronous,
        context_kwarg="ctx",
    )


def serving(tool: TheirTool) -> MCPServer[Any]:
    """A server of functions."""
    return MCPServer("shop", tools=[tool], lifespan=lifespan, log_level="CRITICAL")


def low_level(job: Job, *middleware: Any) -> Server[Any]:
    """A server of raw schemas."""
    described = {"name": "search", "inputSchema": SCHEMA}

    async def list_tools(*_: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Definition.model_validate(described)])

    async def call_tool(_: Any, params: Any) -> CallToolResult:
        if params.name != "search":
            return answered(f"no tool {params.name}", failed=True)
        try:
            result = job.run(params.arguments, CONTEXT)
            return answered(await result if job.asynchronous else result)
        except ValueError as error:
            return answered(str(error), failed=True)

    server: Any = Server("shop", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.extend(middleware)
    return server


def answered(text: str, *, failed: bool = False) -> CallToolResult:
    """A result."""
    content = [{"type": "text", "text": text}]
    return CallToolResult.model_validate({"content": content, "isError": failed})


async def converse(setup: tuple[Any, Any], script: Script) -> list[str]:
    """What the client is told of each call."""
    server, client_class = setup
    async with client_class(server) as client:
        results = [await client.call_tool(call.name, call.arguments) for call in script]
    return ["\n".join(block.text for block in result.content) for result in results]


DRIVER = Driver(
    ways={
        ALONE: lambda job: (low_level(job), Client),
        FUNCTION: lambda job: (
            serving(TheirTool.from_function(job.function("ctx", Context, who))),
            Client,
        ),
        "from_tool": lambda job: (serving(from_tool(job.ours(who), **job.inject)), Client),
        "wrap_tool": lambda job: (serving(adapter.wrap_tool(raw(job), **job.options)), Client),
        "CoercionMiddleware": lambda job: (
            low_level(job, CoercionMiddleware(**job.options)),
            Client,
        ),
        "CoercingClient": lambda job: (
            low_level(job),
            functools.partial(CoercingClient, **job.options),
        ),
    },
    converse=converse,
    reads_text=False,
)
