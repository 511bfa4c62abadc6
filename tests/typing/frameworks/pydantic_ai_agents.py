"""Pydantic AI: tools, toolsets and the capability."""

from pydantic_ai import Agent, Tool as TheirTool
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset

from schema2model import Tool
from schema2model.adapters.pydantic_ai import (
    CoercionCapability,
    from_tool,
    wrap_server,
    wrap_tool,
)


def restock(sku: str, amounts: list[int]) -> str:
    """Order more of an article."""
    return f"{sum(amounts)} of {sku}"


ours: TheirTool[None] = from_tool(Tool(restock), max_retries=2)
theirs: TheirTool[None] = wrap_tool(TheirTool(restock), coercion="forgiving")
server: AbstractToolset[None] = wrap_server(FunctionToolset([restock]))
agent: Agent[None, str] = Agent(
    deps_type=type(None),
    tools=[ours, theirs],
    toolsets=[server],
    capabilities=[CoercionCapability(coercion="untyped")],
)
