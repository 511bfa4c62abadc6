"""FastMCP: tools of ours and of FastMCP, and the middleware."""

from fastmcp import FastMCP
from fastmcp.tools import Tool as TheirTool

from schema2model import Tool
from schema2model.adapters.fastmcp import CoercionMiddleware, from_tool, wrap_tool


def restock(sku: str, amounts: list[int]) -> str:
    """Order more of an article."""
    return f"{sum(amounts)} of {sku}"


ours: TheirTool = from_tool(Tool(restock))
theirs: TheirTool = wrap_tool(TheirTool.from_function(restock), coercion="forgiving")
server: FastMCP[None] = FastMCP("shop", middleware=[CoercionMiddleware(coercion="lenient")])
server.add_tool(ours)
server.add_tool(theirs)
