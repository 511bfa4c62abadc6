"""LangChain: tools of both kinds, and the middleware."""

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, tool as langchain_tool

from schema2model import Tool, Toolset
from schema2model.adapters.langchain import from_tool, middleware, wrap_tool


def search(query: str, limit: int = 10) -> str:
    """Look something up."""
    return f"{limit} {query}"


@langchain_tool
def find(query: str) -> str:
    """Look something up."""
    return query


tools: list[BaseTool] = [
    from_tool(Tool(search), return_direct=True),
    wrap_tool(find, coercion="lenient", refuse_markup=True),
]
hook = middleware(coercion="untyped")


def answer(message: AIMessage) -> list[ToolMessage]:
    """Run the calls of a message by hand."""
    toolset = Toolset([search])
    return [
        ToolMessage(toolset.prepare_call(call).call_json(), tool_call_id=call["id"] or "")
        for call in message.tool_calls
    ]
