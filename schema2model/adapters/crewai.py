"""CrewAI: exact arguments for schema2model tools, CrewAI's own and those of MCP servers.

agent = Agent(..., tools=[from_tool(tool), wrap_tool(theirs)])
agent = Agent(..., tools=wrap_server(lambda: MCPClient(StdioTransport("uvx", ["mcp-server-git"]))))

A refused call is a `ValueError` of CrewAI with the message, which agents pass on to the model.
CrewAI reads the text of the calls before any of this. Its hooks see what it read, and can stop a
call but not say why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, PrivateAttr
from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import require_theirs, with_ours
from schema2model.adapters.frameworks import Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.tool import declared_results, with_strict
from schema2model.tools.tool_cache import CheckerOptions, checker_options, compile_checker

with extra("crewai"):
    from crewai.mcp import MCPClient
    from crewai.tools import BaseTool
    from crewai.tools.mcp_native_tool import MCPNativeTool
    from crewai.utilities.pydantic_schema_utils import create_model_from_schema

__all__ = ["from_tool", "wrap_server", "wrap_tool"]


def _refuse(error: ToolError) -> str:
    """Return the text of an error that is final: CrewAI makes a call again when it raises."""
    if error.retryable:
        raise error
    return str(error)


_CREWAI = Framework(
    BaseTool,
    lambda theirs: Seen(theirs.name, theirs.args_schema.model_json_schema()),
    refuse=_refuse,
)


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any) -> BaseTool:
    """Return a CrewAI tool that runs a schema2model tool.

    Args:
        tool: one with a function.
        inject: values for injected parameters, by name; CrewAI itself has none for tools.
        options: what else CrewAI's `BaseTool` has: `result_as_answer`, `max_usage_count`, ...

    """
    ours = Ours(_CREWAI, tool, inject)
    model = tool.compiled.model
    _, returned = declared_results(tool)
    is_model = isinstance(returned, type) and issubclass(returned, BaseModel)
    # CrewAI writes the results of such a function as JSON
    options.setdefault("result_schema", returned if is_model else None)
    made = _FromTool(name=tool.name, description=tool.description, args_schema=model, **options)
    ours.tool = with_strict(tool, None)  # the model shows the schema as given
    return with_ours(made, ours)


class _FromTool(BaseTool):
    _runs: Ours = PrivateAttr()

    def _run(self, **arguments: Any) -> Any:
        runs = self._runs
        return asyncio.run(runs.acall(arguments)) if runs.is_asynchronous else runs.call(arguments)

    async def _arun(self, **arguments: Any) -> Any:
        return await self._runs.acall(arguments)


def wrap_tool(theirs: BaseTool, **options: Unpack[CheckerOptions]) -> BaseTool:
    """Return a copy of a CrewAI tool that coerces JSON arguments before its model reads them.

    A tool is returned itself if the schema of its model cannot be compiled.
    """
    return wrapped(_CREWAI, theirs, _checked, **options)


def _checked(theirs: BaseTool, checker: Tool) -> BaseTool:
    model: type[BaseModel] = theirs.args_schema

    def model_validate(arguments: Any, **options: Any) -> BaseModel:
        return model.model_validate(checker.prepare(arguments).arguments, **options)

    same = {"__module__": model.__module__, "__doc__": model.__doc__}
    coercing = type(
        model.__name__, (model,), {**same, "model_validate": staticmethod(model_validate)}
    )
    return theirs.model_copy(update={"args_schema": coercing})


def wrap_server(
    connect: Callable[[], MCPClient], name: str = "mcp", **options: Unpack[CheckerOptions]
) -> list[BaseTool]:
    """Return the tools of an MCP server, as `Agent(mcps=...)` has them, with their own schemas.

    Args:
        connect: makes a client that is not connected yet, once for the list and for every call.
        name: a prefix for the names of the tools.
        options: see `CheckerOptions`.

    """
    require_theirs(connect, Callable, "wrap_server")

    options = checker_options(**options)

    async def listed() -> Any:
        client = connect()
        await client.connect()
        try:
            return await client.list_tools()
        finally:
            await client.disconnect()

    return [
        _native_tool(connect, definition, name, **options) for definition in asyncio.run(listed())
    ]


def _native_tool(
    connect: Callable[[], MCPClient],
    listed: dict[str, Any],
    server: str,
    **options: Unpack[CheckerOptions],
) -> BaseTool:
    schema = listed["inputSchema"]
    tool = compile_checker(listed["name"], schema, **options)
    model = create_model_from_schema(schema) if tool is None else tool.compiled.model
    shown = {"description": listed.get("description") or "", "args_schema": model}
    original = listed.get("original_name", listed["name"])
    return MCPNativeTool(connect, listed["name"], shown, server, original)
