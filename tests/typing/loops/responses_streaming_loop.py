from typing import Any

from openai import OpenAI

from schema2model import ToolError, Toolset


def run(client: OpenAI, model: str, items: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    for _ in range(turns):
        assembler = tools.assembler("openai-responses")
        with client.responses.create(
            model=model, input=items, tools=tools.definitions("openai-responses"), stream=True
        ) as stream:
            for event in stream:
                assembler.feed(event)
                print(assembler.new_text(), end="")
        reply = assembler.finish()
        print(assembler.new_text())
        results = tools.answer(reply, memory=memory)
        items += [*reply.messages, *results]
        if not results:
            return reply.text
    raise RuntimeError("no answer within so many turns")
