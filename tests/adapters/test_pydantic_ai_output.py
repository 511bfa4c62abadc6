"""Structured output of Pydantic AI's agents, and errors of tools, with our capability."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("pydantic_ai", reason=needs("pydantic-ai"))
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.output import PromptedOutput

from schema2model import ToolError
from schema2model.adapters.pydantic_ai import CoercionCapability

pytestmark = pytest.mark.adapters


class Found(BaseModel):
    """Structured output."""

    tags: list[str]
    limit: int


def saying(*parts: Any) -> FunctionModel:
    """A model that answers with these parts, one after the other."""
    left = iter(parts)

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        part = next(left)
        return ModelResponse(parts=[part(info) if callable(part) else part])

    return FunctionModel(answer)


@pytest.mark.parametrize(
    ("part", "output_type"),
    [
        (
            lambda info: ToolCallPart(info.output_tools[0].name, {"tags": '["a"]', "limit": "3"}),
            Found,
        ),
        (
            TextPart("Sure! ```json\n{'tags': ['a',], 'limit': '3'}\n```"),
            PromptedOutput(Found),
        ),
    ],
)
def test_structured_output_is_coerced(part: Any, output_type: Any) -> None:
    """That of a tool, and that in text."""
    agent = Agent(saying(part), output_type=output_type, capabilities=[CoercionCapability()])
    assert asyncio.run(agent.run("Go.")).output == Found(tags=["a"], limit=3)


class Stay(BaseModel):
    """A result with a date."""

    when: dt.date


def test_structured_output_is_refused_in_our_words() -> None:
    """The next attempt counts."""
    attempts = iter(["2030-01", "2030-01-31"])

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        call = ToolCallPart(info.output_tools[0].name, {"when": next(attempts)})
        return ModelResponse([call])

    agent = Agent(FunctionModel(answer), output_type=Stay, capabilities=[CoercionCapability()])
    result = asyncio.run(agent.run("Go."))
    assert result.output == Stay(when=dt.date(2030, 1, 31))
    told = str(result.all_messages())
    assert '/when: must be a string in the format "date" (YYYY-MM-DD), not "2030-01"' in told


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (" 2030-01-31", dt.date(2030, 1, 31)),
        ("null", None),
        ("0", "refused"),
        (86400, "refused"),
        ("2030", "refused"),
    ],
)
def test_structured_output_has_the_types_of_a_tool(sent: Any, meant: Any) -> None:
    """A word for null is None, and numbers and digits are no dates: `"0"` was the first of 1970."""

    class Trip(BaseModel):
        when: dt.date | None

    attempts = iter([{"when": sent}, {"when": "1999-12-31"}])

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart(info.output_tools[0].name, next(attempts))])

    agent = Agent(FunctionModel(answer), output_type=Trip, capabilities=[CoercionCapability()])
    output = asyncio.run(agent.run("Go.")).output
    assert output.when == (dt.date(1999, 12, 31) if meant == "refused" else meant)


def test_an_error_that_a_tool_raises_is_its_answer() -> None:
    """The run goes on, and a tool that must not be called again is called once."""
    paid: list[int] = []
    agent = Agent(
        saying(ToolCallPart("pay", {"amount": "1"}), TextPart("Done.")),
        capabilities=[CoercionCapability()],
    )

    @agent.tool_plain
    def pay(amount: int) -> str:
        paid.append(amount)
        message = "the card was declined"
        raise ToolError(message, retryable=False)

    result = asyncio.run(agent.run("Pay."))
    assert (result.output, paid) == ("Done.", [1])
    assert "the card was declined" in str(result.all_messages())
