"""An agent of Pydantic AI's whose model makes one call."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel


def converse(
    arguments: Any, *, name: str = "search", **options: Any
) -> tuple[ToolCallPart, ToolReturnPart]:
    """The call as it stands in the conversation, and what the model is told of it."""

    def say(messages: list[ModelMessage], info: Any) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("Done.")])
        return ModelResponse([ToolCallPart(name, arguments, id="stored")])

    agent = Agent(FunctionModel(say), deps_type=str, **options)
    _, said, answer, _ = asyncio.run(agent.run("Go on.", deps="Ada")).all_messages()
    return said.parts[0], answer.parts[0]
