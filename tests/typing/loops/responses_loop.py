from typing import Any

from openai import OpenAI

from schema2model import ToolError, Toolset


def run(client: OpenAI, model: str, items: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    for _ in range(turns):
        response = client.responses.create(
            model=model, input=items, tools=tools.definitions("openai-responses")
        )
        results = tools.answer(response, memory=memory)
        items += [*response.output, *results]
        if not results:
            return response.output_text
    raise RuntimeError("no answer within so many turns")
