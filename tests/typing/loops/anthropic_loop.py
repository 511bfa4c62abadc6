from typing import Any

from anthropic import Anthropic

from schema2model import ToolError, Toolset


def run(client: Anthropic, model: str, messages: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    for _ in range(turns):
        response = client.messages.create(
            model=model, max_tokens=4096, messages=messages, tools=tools.definitions("anthropic")
        )
        results = tools.answer(response, memory=memory)
        messages += [{"role": "assistant", "content": response.content}, *results]
        if not results:
            return "".join(block.text for block in response.content if block.type == "text")
    raise RuntimeError("no answer within so many turns")
