"""A conversation in which malformed text is repaired, written back and answered.

Run it: `python examples/conversation.py`. A list of replies stands in for the model, and a check
for the provider, which refuses every request whose history holds arguments that are not JSON.
"""

from __future__ import annotations

import json
from typing import Any

from schema2model import ToolError, Toolset

STOCK = {"apples": 5, "pears": 0}


def order(items: list[str], express: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002
    """Order fruit.

    Args:
        items: What to order.
        express: Whether it should come tomorrow.

    """
    return {"ordered": [item for item in items if STOCK.get(item)], "express": express}


REPLIES = [
    # Python instead of JSON, a list in a string, and a word for a boolean.
    "{'items': '[\"apples\", \"pears\"]', 'express': 'yes',}",
    # Cut off: running half of an order is worse than asking again.
    '{"items": ["apples", "pea',
    # Read well, and refused by the schema.
    "{'items': {'first': 1}}",
    '{"items": ["apples"]}',
]


def provider(messages: list[dict[str, Any]], reply: str) -> dict[str, Any]:
    """Reply with a call, if all that was said before can be accepted."""
    for message in messages:
        for call in message.get("tool_calls", ()):
            json.loads(call["function"]["arguments"])
    call = {"id": str(len(messages)), "function": {"name": "order", "arguments": reply}}
    return {"role": "assistant", "tool_calls": [call]}


def main() -> list[dict[str, Any]]:
    """Hold the conversation; it ends with the provider accepting all of it."""
    tools = Toolset([order])
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Apples and pears, please."}]
    for reply in REPLIES:
        message = provider(messages, reply)
        messages.append(message)
        for call in message["tool_calls"]:
            try:
                content = json.dumps(tools.prepare_call(call).call())
            except ToolError as error:
                content = str(error)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    provider(messages, "{}")
    return messages


if __name__ == "__main__":
    for said in main():
        for made in said.get("tool_calls", ()):
            print("call  ", made["function"]["arguments"])
        if "content" in said:
            print(f"{said['role']:6}", said["content"])
