"""The MCP SDK: tools for its server, the middleware, and definitions of a session."""

from mcp import ClientSession, types
from mcp.server import MCPServer

from schema2model import Tool, Toolset
from schema2model.adapters.mcp import CoercionMiddleware, from_tool, wrap_tool


def restock(sku: str, amounts: list[int]) -> str:
    """Order more of an article."""
    return f"{sum(amounts)} of {sku}"


ours = from_tool(Tool(restock), title="Restock")
theirs = wrap_tool(ours, refuse_markup=True)
server = MCPServer("shop", tools=[ours])
hook = CoercionMiddleware(coercion="untyped")
listed: list[types.Tool] = [types.Tool(**each) for each in Toolset([restock]).definitions("mcp")]


async def tools_of(session: ClientSession) -> Toolset:
    """The tools of a server, whose calls `prepare` makes right."""
    return Toolset((await session.list_tools()).tools, coercion="lenient")
