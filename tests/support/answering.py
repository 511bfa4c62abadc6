# ruff: noqa: D103 - a docstring would be the description of a tool
"""Tools whose calls are answered, and an assistant message that calls them."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

from pydantic import BaseModel

from schema2model import ToolError, Toolset


class Report(BaseModel):
    """A result that is a model."""

    city: str
    day: dt.date


def forecast(city: str, days: int = 1) -> Report:
    if city == "Nowhere":
        message = "no city of that name"
        raise ToolError(message)
    if city == "Closed":
        message = "the service is closed"
        raise ToolError(message, retryable=False)
    return Report(city=city * days, day=dt.date(2030, 1, 31))


async def later(city: str) -> str:
    await asyncio.sleep(0)
    return f"later in {city}"


TOOLS = Toolset([forecast])
ROME = '{"city":"Rome","day":"2030-01-31"}'
ERROR = "Error parsing arguments for `forecast`:"


def chat(*calls: tuple[str, Any]) -> dict[str, Any]:
    """An assistant message of chat completions."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"c{number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for number, (name, arguments) in enumerate(calls)
        ],
    }
