"""LlamaIndex: exact arguments for tools of ours, of LlamaIndex's and of MCP servers.

agent = FunctionAgent(llm=llm, tools=[from_tool(tool), wrap_tool(theirs)])
tools = await McpToolSpec(wrap_server(BasicMCPClient(url))).to_tool_list_async()

The tool raises a `ToolError`; LlamaIndex sends its message to the language model, in a
`ToolOutput` that has `is_error` set. Each `LLM` of LlamaIndex reads the text of its calls itself,
and the conversation is out of a tool's reach.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import Unpack

from schema2model import Prepared, Tool
from schema2model.adapters.common import (
    aexecute,
    coercing_copy,
    execute,
    require_server,
    require_theirs,
    require_tool,
)
from schema2model.extras import extra
from schema2model.tools.tool import with_strict
from schema2model.tools.tool_cache import CheckerOptions, ToolCache

with extra("llama-index"):
    from llama_index.core.tools import AsyncBaseTool, FunctionTool, ToolMetadata

__all__ = ["from_tool", "wrap_server", "wrap_tool"]

_CONTEXT = "llama_index.core.workflow.Context"
"""The argument in which LlamaIndex passes its context. No property will have this name."""


def from_tool(tool: Tool, *, return_direct: bool = False, **options: Any) -> FunctionTool:
    """Return a tool of LlamaIndex's that runs ours.

    Args:
        tool: one with a function; all parameters that it has injected get the workflow's `Context`.
        return_direct: as in LlamaIndex's `ToolMetadata`.
        options: what else `FunctionTool.from_defaults` takes: `callback`, `partial_params`, ...

    """
    require_tool(tool)
    tool = with_strict(tool, None)  # the model shows the schema as given

    def read(arguments: dict[str, Any]) -> tuple[Prepared, Any]:
        context = arguments.pop(_CONTEXT, None)
        return tool.prepare(arguments), context

    def call(**arguments: Any) -> Any:
        return execute(*read(arguments))

    async def acall(**arguments: Any) -> Any:
        return await aexecute(*read(arguments))

    made = FunctionTool.from_defaults(
        acall if tool.asynchronous else call,
        tool_metadata=_Metadata(tool.description, tool.name, tool.compiled.model, return_direct),
        **options,
    )
    if tool.injected:
        made.requires_context, made.ctx_param_name = True, _CONTEXT
    return made


class _Metadata(ToolMetadata):
    """Metadata that always have `properties`, as LlamaIndex expects of a schema."""

    def get_parameters_dict(self) -> dict[str, Any]:
        return {"properties": {}, **super().get_parameters_dict()}


def wrap_tool(theirs: AsyncBaseTool, **options: Unpack[CheckerOptions]) -> AsyncBaseTool:
    """Return a copy of a tool of LlamaIndex's, with arguments in JSON coerced before it sees them.

    Raises its `ToolError` when called. A tool is returned itself if its schema cannot be compiled.
    """
    require_theirs(theirs, AsyncBaseTool, "wrap_tool")
    name, schema = theirs.metadata.get_name(), theirs.metadata.get_parameters_dict()
    return coercing_copy(theirs, _Coercing, name, schema, **options)


class _Coercing(AsyncBaseTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return super().call(*args, **self._coerced(args, kwargs))  # type: ignore[safe-super]

    async def acall(self, *args: Any, **kwargs: Any) -> Any:
        return await super().acall(*args, **self._coerced(args, kwargs))  # type: ignore[safe-super]

    def _coerced(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if args:  # one method of the tool has called the other, with coerced arguments
            return kwargs
        # A FunctionTool is also called with arguments that the language model has not sent.
        own = {getattr(self, "ctx_param_name", None), *getattr(self, "partial_params", ())}
        sent = {name: value for name, value in kwargs.items() if name not in own}
        kept = {name: value for name, value in kwargs.items() if name in own}
        return {**self._checker.prepare(sent).arguments, **kept}


def wrap_server(client: Any, **options: Unpack[CheckerOptions]) -> Any:
    """Return a client for `McpToolSpec` that coerces the arguments of the tools that it has listed.

    Everything else is done by `client`. A call that is refused raises a `ToolError`.
    """
    require_server(client)
    return _WrappedClient(client, **options)


class _WrappedClient:
    """Lists and calls tools in its own way, and leaves all else to another client."""

    def __init__(self, theirs: Any, **options: Unpack[CheckerOptions]) -> None:
        self._theirs = theirs
        self._checkers = ToolCache(**options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)

    async def list_tools(self, *args: Any, **kwargs: Any) -> Any:
        listed = await self._theirs.list_tools(*args, **kwargs)
        for tool in listed.tools:
            # in every version of MCP's SDK
            self._checkers.add(tool.name, tool.model_dump(by_alias=True)["inputSchema"])
        return listed

    async def call_tool(self, name: str, arguments: Any = None, *args: Any, **kwargs: Any) -> Any:
        tool = self._checkers.listed(name)
        if tool is not None:
            arguments = tool.prepare(arguments).arguments
        return await self._theirs.call_tool(name, arguments, *args, **kwargs)
