from typing import Any

from langchain_core.language_models import BaseChatModel

from schema2model import ToolError, Toolset


def run(model: BaseChatModel, messages: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    definitions: list[Any] = tools.definitions("openai")
    bound = model.bind_tools(definitions)
    for _ in range(turns):
        assembler = tools.assembler("langchain")
        for chunk in bound.stream(messages):
            assembler.feed(chunk)
            print(assembler.new_text(), end="")
        reply = assembler.finish()
        print(assembler.new_text())
        results = tools.answer(reply, memory=memory)
        messages += [*reply.messages, *results]
        if not results:
            return reply.text
    raise RuntimeError("no answer within so many turns")
