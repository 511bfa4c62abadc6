"""Ultravox in LiveKit Agents: it sends every parameter as text, which the schema gives types.

parameters = coerce_parameters_to_schema(session.tools, event.tool_name, event.parameters)
arguments = json.dumps(parameters)  # of the `FunctionCall`, where the plugin has event.parameters

Tools and servers are LiveKit's: make and wrap them with `schema2model.adapters.livekit`. With
`coercion="untyped"`, tools wrapped there read the same texts, and refuse those without a reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from schema2model import Coercion, CompiledSchema, compile_schema
from schema2model.extras import extra
from schema2model.tools.tool_cache import compile_checker

with extra("ultravox"):
    from livekit.agents import llm

    from schema2model.adapters.livekit import raw_info

__all__ = ["coerce_parameters_to_schema"]

_RULES = Coercion.untyped.replace(allow_inf_nan=True)
_UNKNOWN = compile_schema({"type": "object"}, coercion=_RULES)
_KNOWN: WeakKeyDictionary[Any, CompiledSchema] = WeakKeyDictionary()
"""The compiled schemas of tools: LiveKit makes the schema of a function tool anew every time."""


def coerce_parameters_to_schema(
    tools: llm.ToolContext | Sequence[llm.Tool | llm.Toolset],
    tool_name: str,
    params: Mapping[str, Any],
) -> dict[str, Any]:
    """The parameters of a call with the types that the tool's schema gives them. Never raises.

    What cannot be made valid stays as it was, for the tool to refuse. Where no schema is known,
    text that is JSON, a number, a boolean or null is read as that. Where the schema has a number,
    "nan", "Infinity" and "-inf" are read too: Python's numbers, although JSON has none.
    """
    context = tools if isinstance(tools, llm.ToolContext) else llm.ToolContext(tools)
    tool = context.get_function_tool(tool_name)
    compiled = _UNKNOWN if tool is None else _compiled_tool(tool)
    coerced: dict[str, Any] = compiled.coerce(dict(params))
    return coerced


def _compiled_tool(
    tool: llm.FunctionTool[..., Any] | llm.RawFunctionTool[..., Any],
) -> CompiledSchema:
    known = _KNOWN.get(tool)
    if known is None:
        info = raw_info(tool)
        ours = compile_checker(info.name, info.raw_schema["parameters"], coercion=_RULES)
        known = _KNOWN[tool] = _UNKNOWN if ours is None else ours.compiled
    return known
