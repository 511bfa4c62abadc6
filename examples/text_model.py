"""An agent's loop over a model that knows nothing but text.

Run it: `python examples/text_model.py`. A list of replies stands in for the model; each is in
another format. Calls are read out of them, run, and answered; what cannot be read is answered too.
"""

from __future__ import annotations

import json
from typing import Any

from schema2model import ToolError, Toolset

STOCK = {"apples": 5, "pears": 0}


def stock(fruit: str) -> int:
    """Say how much there is of a fruit."""
    return STOCK[fruit]


def order(fruit: str, amount: int, express: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002
    """Order fruit.

    Args:
        fruit: What to order.
        amount: How much of it.
        express: Whether it should come tomorrow.

    """
    return {"ordered": fruit, "amount": amount, "express": express}


REPLIES = [
    # Two calls, as Llama writes them.
    "Let me look. [stock(fruit='apples'), stock(fruit='pears')]",
    # Cut off: half an order is not run.
    "<function=order>\n<parameter=fruit>\nappl",
    # All values are text; the schema says what they are.
    (
        "<think>Again, then.</think><tool_call>\n<function=order>\n<parameter=fruit>\napples\n"
        "</parameter>\n<parameter=amount>\n4\n</parameter>\n<parameter=express>\ntrue\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "I have ordered four apples; they come tomorrow.",
]


def run(tools: Toolset, name: str, arguments: Any) -> str:
    """What the model is told of a call."""
    try:
        return json.dumps(tools.prepare(name, arguments).call())
    except ToolError as error:
        return str(error)


def main() -> list[dict[str, str]]:
    """Hold the conversation until the model calls nothing any more."""
    tools = Toolset([stock, order])
    messages = [{"role": "user", "content": "Four apples for tomorrow, please, and pears."}]
    for reply in REPLIES:
        messages.append({"role": "assistant", "content": reply})
        calls = tools.read_calls(reply, errors="keep")
        if not calls:
            break
        for call in calls:
            told = str(call.error) if call.error else run(tools, call.name, call.arguments)
            messages.append({"role": "tool", "content": told})
    return messages


if __name__ == "__main__":
    for message in main():
        print(f"{message['role']}: {message['content']}")
