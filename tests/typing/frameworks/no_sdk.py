"""Definitions for every provider, without any SDK: no type is partly unknown."""

from schema2model import Tool, Toolset


def weather(city: str) -> dict[str, str]:
    """Tell the weather."""
    return {"city": city, "sky": "blue"}


tool = Tool(weather)
tools = Toolset([tool])
definitions = (
    tools.definitions("openai"),
    tools.definitions("openai-responses"),
    tools.definitions("anthropic"),
    tools.definitions("gemini"),
    tool.definition("gemini"),
)
assert tools.read_calls("Hello.") == []
