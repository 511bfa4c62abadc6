from typing import Any

from openai import OpenAI

from schema2model import ToolError, Toolset


def run(client: OpenAI, model: str, messages: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    for _ in range(turns):
        assembler = tools.assembler("openai")
        with client.chat.completions.create(
            model=model, messages=messages, tools=tools.definitions("openai"), stream=True
        ) as stream:
            for chunk in stream:
                assembler.feed(chunk)
                print(assembler.new_text(), end="")
        reply = assembler.finish()
        print(assembler.new_text())
        results = tools.answer(reply, memory=memory)
        messages += [*reply.messages, *results]
        if not results:
            return reply.text
    raise RuntimeError("no answer within so many turns")
