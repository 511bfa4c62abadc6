"""Calls of typed functions: text in, the function called, its result out.

`pytest benchmarks/test_calls.py --benchmark-only`. A peer gets the text if it reads text, and else
what `json.loads` makes of it. Of an asynchronous one, a step of an event loop is measured, too.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
import functools
import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from benchmarks.contenders import installed
from schema2model import Tool, Toolset

CALLS = 8
"""The calls of one message."""


class Sort(str, enum.Enum):
    """An order."""

    asc = "asc"
    desc = "desc"


class Where(BaseModel):
    """A place."""

    city: str
    zip: str | None = None


def book(day: dt.date, sort: Sort, where: Where, tags: list[str], n: int = 1) -> str:
    """Book a day."""
    return f"{day:%d} {sort.value} {where.city} {len(tags)} {n}"


class Book(BaseModel):
    """The same parameters, as one writes them for pydantic alone."""

    day: dt.date
    sort: Sort
    where: Where
    tags: list[str]
    n: int = 1


ARGUMENTS: dict[str, Any] = {
    "day": "2026-01-31",
    "sort": "asc",
    "where": {"city": "Rome"},
    "tags": ["a", "b"],
    "n": 3,
}
TEXT = json.dumps(ARGUMENTS)
RESULT = "31 asc Rome 2 3"
MESSAGE = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": f"c{n}", "type": "function", "function": {"name": "book", "arguments": TEXT}}
        for n in range(CALLS)
    ],
}
Call = Callable[[], Any]


def by_pydantic() -> str:
    """Call the function as an application does that has written a model of its parameters."""
    read = Book.model_validate_json(TEXT)
    return book(read.day, read.sort, read.where, read.tags, read.n)


def _pydantic() -> Call:
    return by_pydantic


def _tool() -> Call:
    return functools.partial(Tool(book).call, TEXT)


def _mapping() -> Call:
    return functools.partial(Tool(book).call, ARGUMENTS)


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def _awaited(start: Callable[[], Any]) -> Call:
    run = _loop().run_until_complete
    return lambda: run(start())


def _langchain() -> Call:
    tool = installed("langchain_core.tools").StructuredTool.from_function(book)
    return lambda: tool.invoke(json.loads(TEXT))


def _openai_agents() -> Call:
    tool = installed("agents").function_tool(book)
    context = installed("agents.tool_context").ToolContext(
        context=None, tool_name="book", tool_call_id="c", tool_arguments=TEXT
    )
    return _awaited(lambda: tool.on_invoke_tool(context, TEXT))


def _pydantic_ai() -> Call:
    made = installed("pydantic_ai").Tool(book).function_schema
    return _awaited(lambda: made.call(made.validator.validate_json(TEXT), None))


def _mcp() -> Call:
    tool = installed("mcp.server.mcpserver.tools").Tool.from_function(book)
    return _awaited(lambda: tool.run(json.loads(TEXT), None))


def _fastmcp() -> Call:
    tool = installed("fastmcp.tools").Tool.from_function(book)
    run = _awaited(lambda: tool.run(json.loads(TEXT)))
    return lambda: run().content[0].text


CONTENDERS: dict[str, Callable[[], Call]] = {
    "pydantic: validate_json, call": _pydantic,
    "schema2model Tool.call": _tool,
    "schema2model Tool.call, from a mapping": _mapping,
    "pydantic-ai": _pydantic_ai,
    "LangChain": _langchain,
    "openai-agents": _openai_agents,
    "mcp": _mcp,
    "fastmcp": _fastmcp,
}


@pytest.mark.benchmark(group="calls", max_time=0.5, min_time=0.0001)
@pytest.mark.parametrize("contender", CONTENDERS)
def test_one_call(benchmark: Any, contender: str) -> None:
    """The function gets a date, a member of the enumeration and a model."""
    call = CONTENDERS[contender]()
    assert call() == RESULT
    benchmark.extra_info |= {"case": "one call", "contender": contender}
    benchmark(call)


def _answered() -> Callable[[], list[str]]:
    answer = Toolset([book]).answer
    return lambda: [each["content"] for each in answer(MESSAGE)]


MESSAGES: dict[str, Callable[[], Callable[[], list[str]]]] = {
    "pydantic: validate_json, call": lambda: lambda: [by_pydantic() for _ in range(CALLS)],
    "schema2model Tool.call": lambda: lambda: [call() for call in (_tool_call,) * CALLS],
    "schema2model Toolset.answer": _answered,
}
_tool_call = _tool()


@pytest.mark.benchmark(group="calls", max_time=0.5, min_time=0.0001)
@pytest.mark.parametrize("contender", MESSAGES)
def test_a_message(benchmark: Any, contender: str) -> None:
    """`answer` also reads the message, and writes those that answer it."""
    answer = MESSAGES[contender]()
    assert answer() == [RESULT] * CALLS
    benchmark.extra_info |= {"case": f"{CALLS} calls in a message", "contender": contender}
    benchmark(answer)
