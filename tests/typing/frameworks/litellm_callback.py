"""LiteLLM: the callback, and responses that are corrected by hand."""

from typing import Any

import litellm

from schema2model import Coercion as Rules, Toolset
from schema2model.adapters.litellm import Coercion, coercion


def restock(sku: str, amounts: list[int]) -> str:
    """Order more of an article."""
    return f"{sum(amounts)} of {sku}"


callback: Coercion = coercion
strict = Coercion(Rules.default.replace(single_item=False), text_calls=True, strict="openai")
litellm.callbacks = [callback, strict]


def ask(messages: list[Any]) -> Any:
    """Correct the response of the SDK."""
    tools: Any = Toolset([restock]).definitions("openai")
    response = litellm.completion("m", messages=messages, tools=strict.strict_tools(tools))
    return strict.correct(response, tools)
