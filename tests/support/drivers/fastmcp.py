"""FastMCP: servers in memory. There is no model; a client makes the calls."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from contract import CONTEXT, Driver, Job, Script, Tools
from fastmcp import Client, Context, FastMCP
from fastmcp.server.dependencies import get_context
from fastmcp.tools import Tool as TheirTool, ToolResult

from schema2model.adapters import fastmcp as adapter


@contextlib.asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[dict[str, str]]:
    """What a server's tools are told of the application."""
    yield {"who": CONTEXT}


def who(context: Context) -> str:
    """The same, read."""
    return str(context.lifespan_context["who"])


class Raw(TheirTool):
    """A tool of FastMCP's own, of a schema."""

    job: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Run it."""
        result = self.job.run(arguments, who(get_context()))
        return ToolResult(content=await result if self.job.asynchronous else result)


def raw(job: Job) -> TheirTool:
    """One of them."""
    return Raw(name="search", parameters=job.schema, job=job)


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the client is told of each call."""
    server: FastMCP = FastMCP("shop", lifespan=lifespan, middleware=setup.get("middleware"))
    server.add_tool(setup["tool"])
    async with Client(server) as client:
        results = [
            await client.call_tool(call.name, call.arguments, raise_on_error=False)
            for call in script
        ]
    return ["\n".join(block.text for block in result.content) for result in results]


TOOLS = Tools(
    adapter=adapter,
    raw=raw,
    function=lambda job: TheirTool.from_function(job.function("ctx", Context, who)),
    alone=lambda tool: {"tool": tool},
    hooks={
        "CoercionMiddleware": lambda tool, **options: {
            "tool": tool,
            "middleware": [adapter.CoercionMiddleware(**options)],
        },
    },
    who=who,
    context=Context,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    reads_text=False,
)
