"""LlamaIndex: exact arguments for schema2model tools, LlamaIndex's own, and MCP servers.

agent = FunctionAgent(llm=llm, tools=[from_tool(tool), wrap_tool(theirs)])
tools = await McpToolSpec(wrap_server(BasicMCPClient(url))).to_tool_list_async()

The tool raises a `ToolError`; LlamaIndex sends its message to the language model, in a
`ToolOutput` that has `is_error` set. Each `LLM` of LlamaIndex reads the text of its calls itself,
and the conversation is out of a tool's reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import Unpack

from schema2model import Tool
from schema2model.adapters.common import require_tool
from schema2model.adapters.frameworks import CheckedServer, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.tool import with_strict
from schema2model.tools.tool_cache import CheckerOptions

with extra("llama-index"):
    from llama_index.core.tools import AsyncBaseTool, FunctionTool, ToolMetadata
    from llama_index.core.workflow import Context

__all__ = ["from_tool", "wrap_server", "wrap_tool"]

_CONTEXT = "llama_index.core.workflow.Context"
"""The argument in which LlamaIndex passes its context. No property will have this name."""


def _seen(theirs: AsyncBaseTool) -> Seen:
    shown = theirs.metadata
    return Seen(shown.get_name(), shown.get_parameters_dict())


_LLAMA_INDEX = Framework(AsyncBaseTool, _seen, context=Context)


def from_tool(
    tool: Tool,
    *,
    return_direct: bool = False,
    inject: Mapping[str, Any] | None = None,
    **options: Any,
) -> FunctionTool:
    """Return a LlamaIndex tool that runs a schema2model tool.

    Args:
        tool: one with a function; what is injected is the workflow's `Context`.
        return_direct: as in LlamaIndex's `ToolMetadata`.
        inject: values for injected parameters, by name.
        options: what else `FunctionTool.from_defaults` takes: `callback`, `partial_params`, ...

    """
    require_tool(tool)
    ours = Ours(_LLAMA_INDEX, with_strict(tool, None), inject)  # the model shows the schema itself

    def call(**arguments: Any) -> Any:
        context = arguments.pop(_CONTEXT, None)
        return ours.call(arguments, context)

    async def acall(**arguments: Any) -> Any:
        context = arguments.pop(_CONTEXT, None)
        return await ours.acall(arguments, context)

    made = FunctionTool.from_defaults(
        acall if ours.is_asynchronous else call,
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
    """Return a copy of a LlamaIndex tool that coerces JSON arguments first.

    Raises its `ToolError` when called. A tool is returned itself if its schema cannot be compiled.
    """
    return wrapped(_LLAMA_INDEX, theirs, _Coercing, **options)


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
    """Return a client for `McpToolSpec` that coerces the arguments of the tools that it lists.

    Everything else is done by `client`. A call that is refused raises a `ToolError`.
    """
    return CheckedServer(client, **options)
