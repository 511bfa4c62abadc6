from typing import Any

from anthropic import Anthropic

from schema2model import ToolError, Toolset


def run(client: Anthropic, model: str, messages: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    definitions = tools.definitions("anthropic", eager_input_streaming=True)
    for _ in range(turns):
        assembler = tools.assembler("anthropic")
        with client.messages.create(
            model=model, max_tokens=4096, messages=messages, tools=definitions, stream=True
        ) as stream:
            for event in stream:
                assembler.feed(event)
                print(assembler.new_text(), end="")
        reply = assembler.finish()
        print(assembler.new_text())
        results = tools.answer(reply, memory=memory)
        messages += [*reply.messages, *results]
        if not results:
            return reply.text
    raise RuntimeError("no answer within so many turns")
