from typing import Any

from langchain_core.language_models import BaseChatModel

from schema2model import ToolError, Toolset


def run(model: BaseChatModel, messages: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    definitions: list[Any] = tools.definitions("openai")
    bound = model.bind_tools(definitions)
    for _ in range(turns):
        message = bound.invoke(messages)
        results = tools.answer(message, memory=memory)
        messages += [message, *results]
        if not results:
            return message.text
    raise RuntimeError("no answer within so many turns")
