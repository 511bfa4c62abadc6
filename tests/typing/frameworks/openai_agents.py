"""OpenAI Agents SDK: tools of ours, of the SDK and of MCP servers."""

from agents import Agent, FunctionTool, RunConfig, function_tool
from agents.mcp import MCPServer

from schema2model import Tool
from schema2model.adapters.openai_agents import from_tool, mended, wrap_server, wrap_tool


def restock(sku: str, amounts: list[int]) -> str:
    """Order more of an article."""
    return f"{sum(amounts)} of {sku}"


ours: FunctionTool = from_tool(Tool(restock))
theirs: FunctionTool = wrap_tool(function_tool(restock), coercion="lenient")
config = RunConfig(call_model_input_filter=mended)


def agent(server: MCPServer) -> Agent[None]:
    """An agent with all of them."""
    wrapped: MCPServer = wrap_server(server, coercion="untyped")
    return Agent(name="shop", tools=[ours, theirs], mcp_servers=[wrapped])
