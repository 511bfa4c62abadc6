from typing import Any

from openai import OpenAI

from schema2model import ToolError, Toolset


def run(client: OpenAI, model: str, messages: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    for _ in range(turns):
        response = client.chat.completions.create(
            model=model, messages=messages, tools=tools.definitions("openai")
        )
        results = tools.answer(response, memory=memory)
        message = response.choices[0].message
        messages += [message, *results]
        if not results:
            return message.content or ""
    raise RuntimeError("no answer within so many turns")
