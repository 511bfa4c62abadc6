"""DSPy: exact arguments for schema2model tools, DSPy's own and those of MCP servers.

dspy.ReAct("question -> answer", tools=[from_tool(tool), wrap_tool(theirs)])
tools = [wrap_tool(dspy.Tool.from_mcp_tool(session, listed)) for listed in ...]

DSPy has no hook for all tools, so each is wrapped. The tool raises a `ToolError`; DSPy
sends its message to the language model. DSPy parses the text of the calls itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from pydantic import PrivateAttr
from typing_extensions import Unpack

from schema2model import Tool
from schema2model.adapters.common import with_checker
from schema2model.adapters.frameworks import Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.providers.simplifying import inline_refs
from schema2model.tools.tool_cache import CheckerOptions

with extra("dspy"):
    from dspy import Tool as TheirTool

__all__ = ["from_tool", "wrap_tool"]


_DSPY = Framework(TheirTool, lambda theirs: Seen(theirs.name or "", _parameters_schema(theirs)))


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None) -> TheirTool:
    """Return a DSPy tool that runs a schema2model tool.

    Where models are shown a tool's parameters one by one, they do not see what the schema says of
    all of them together, but it holds.

    Args:
        tool: one with a function.
        inject: values for injected parameters, by name; DSPy itself has none for tools.

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_DSPY, tool, inject, is_checked=True)

    def call(**arguments: Any) -> Any:
        return ours.call(arguments)

    async def acall(**arguments: Any) -> Any:
        return await ours.acall(arguments)

    schema = tool.shown_schema
    made = _FromTool(
        acall if ours.is_asynchronous else call,
        name=tool.name,
        desc=tool.description,
        args=inline_refs(schema, schema).get("properties", {}),
        arg_types={},
    )
    return with_checker(made, tool)


def wrap_tool(theirs: TheirTool, **options: Unpack[CheckerOptions]) -> TheirTool:
    """Return a copy of a DSPy tool that coerces its arguments first.

    Raises its `ToolError` when called. A tool is returned itself if its schema cannot be compiled.
    DSPy's `ToolCalls.execute` needs a dictionary of tools: of a list, it calls the functions alone.
    """
    return wrapped(_DSPY, theirs, _Coercing, **options)


class _Coercing(TheirTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool = PrivateAttr()

    def __call__(self, **arguments: Any) -> Any:
        return super().__call__(**self._checker.prepare(arguments).arguments)

    async def acall(self, **arguments: Any) -> Any:
        return await super().acall(**self._checker.prepare(arguments).arguments)


class _FromTool(_Coercing):
    def format_as_litellm_function_call(self) -> dict[str, Any]:
        """Return the tool as models are shown it, which DSPy would make of the parameters alone."""
        return self._checker.definition("openai")


def _parameters_schema(theirs: TheirTool) -> dict[str, Any]:
    """Return the schema of a tool, whose parameters DSPy keeps one by one."""
    arguments = theirs.args or {}
    parameters = inspect.signature(theirs.func).parameters.values()
    named = [p for p in parameters if p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD}]
    required = [p.name for p in named if p.name in arguments and p.default is p.empty]
    shown = {"type": "object", "properties": arguments, "required": required}
    return shown if theirs.has_kwargs else {**shown, "additionalProperties": False}
