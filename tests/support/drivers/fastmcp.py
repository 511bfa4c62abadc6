"""FastMCP: servers in memory. There is no model; a client makes the calls."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from contract import ALONE, CONTEXT, FUNCTION, Driver, Job, Script
from fastmcp import Client, Context, FastMCP
from fastmcp.server.dependencies import get_context
from fastmcp.tools import Tool as TheirTool, ToolResult
from probe import SCHEMA

from schema2model.adapters.fastmcp import CoercionMiddleware, from_tool, wrap_tool


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
    return Raw(name="search", parameters=SCHEMA, job=job)


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


DRIVER = Driver(
    ways={
        ALONE: lambda job: {"tool": raw(job)},
        FUNCTION: lambda job: {"tool": TheirTool.from_function(job.function("ctx", Context, who))},
        "from_tool": lambda job: {"tool": from_tool(job.ours(who), **job.inject)},
        "wrap_tool": lambda job: {"tool": wrap_tool(raw(job), **job.options)},
        "CoercionMiddleware": lambda job: {
            "tool": raw(job),
            "middleware": [CoercionMiddleware(**job.options)],
        },
    },
    converse=converse,
    reads_text=False,
)
