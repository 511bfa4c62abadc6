"""A tool of LangChain's and the same as a tool of ours, calls of them, and a refusal."""

from __future__ import annotations

from typing import Any

import probe
import pytest
from langchain_core.messages.tool import tool_call
from langchain_core.tools import StructuredTool
from probe import MESSAGE
from pydantic import BaseModel

from schema2model import Tool

PROPERTIES = {**probe.SCHEMA["properties"], "limit": {"type": "integer", "maximum": 100}}
SCHEMA = {**probe.SCHEMA, "properties": PROPERTIES}
PROBLEM = probe.PROBLEM.replace("integer", "integer of at most 100")
REFUSED = MESSAGE.replace(probe.PROBLEM, PROBLEM)


class Opts(BaseModel):
    """A model of the application's."""

    depth: int = 1


def raw_tool(taken: list[Any], **options: Any) -> StructuredTool:
    """A tool of LangChain's with a schema, which it does not check."""

    def search(**arguments: Any) -> str:
        taken.append(arguments)
        return "found"

    return StructuredTool(
        name="search", description="Find.", args_schema=SCHEMA, func=search, **options
    )


def our_tool(taken: list[Any]) -> Tool:
    """The same as a tool of ours."""

    def search(raw_arguments: dict[str, Any]) -> str:
        taken.append(raw_arguments)
        return "found"

    return Tool.from_definition(
        {"name": "search", "description": "Find.", "parameters": SCHEMA}, search
    )


def call(arguments: Any, name: str = "search") -> Any:
    """A call as agents hand it to a tool."""
    return tool_call(name=name, args=arguments, id="1")


both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
