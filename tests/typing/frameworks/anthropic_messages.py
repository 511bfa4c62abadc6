"""Anthropic: definitions, strict toolsets, and the blocks of a message."""

from anthropic import Anthropic
from anthropic.types import Message, MessageParam, ToolParam, ToolResultBlockParam, ToolUseBlock

from schema2model import ToolError, Toolset
from schema2model.types import RequestBudget


def weather(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{city}: sun for {days} days"


tools = Toolset([weather], strict="anthropic", coercion="lenient")
definitions: list[ToolParam] = tools.definitions("anthropic")
budget: RequestBudget | None = tools.budget


def results(message: Message) -> list[ToolResultBlockParam]:
    """Run the calls of a message."""
    found: list[ToolResultBlockParam] = []
    for block in message.content:
        if not isinstance(block, ToolUseBlock):
            continue
        try:
            content, is_error = tools.prepare_call(block).call_json(), False
        except ToolError as error:
            content, is_error = str(error), True
        found.append(
            {
                "type": "tool_result",
                "tool_use_id": block.id,
                "content": content,
                "is_error": is_error,
            }
        )
    return found


def turn(client: Anthropic, messages: list[MessageParam]) -> Message:
    """Ask with the definitions, and append the results."""
    message = client.messages.create(
        model="m", max_tokens=100, messages=messages, tools=[*definitions]
    )
    messages.append({"role": "assistant", "content": message.content})
    messages.append({"role": "user", "content": results(message)})
    return message
