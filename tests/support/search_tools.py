"""Tools of ours and services that the tests of several frameworks hand to them."""

from __future__ import annotations

import asyncio
from typing import Any

from probe import DEFINITION, SCHEMA

from schema2model import Tool, ToolError


def noting_tool(taken: list[Any], *, asynchronous: bool = False) -> Tool:
    """Return a tool that notes its arguments and answers "found"."""

    def search(raw_arguments: dict[str, Any]) -> str:
        taken.append(raw_arguments)
        return "found"

    async def asearch(raw_arguments: dict[str, Any]) -> str:
        return search(raw_arguments)

    definition = {"name": "search", "description": "Find.", "parameters": SCHEMA}
    return Tool.from_schema(definition, asearch if asynchronous else search)


def tool_with_context(taken: list[Any], attribute: str) -> Tool:
    """Return a tool that notes its arguments and answers with an attribute of its context."""

    def search(raw_arguments: dict[str, Any], context: Any) -> str:
        taken.append(raw_arguments)
        return f"for {getattr(context, attribute)}"

    return Tool.from_schema(DEFINITION, search)


class ClosedShop:
    """A service that fails, at once and in a while."""

    def fail(self) -> str:
        """Fail."""
        message = "closed on Sundays"
        raise ToolError(message)

    async def fail_later(self) -> str:
        """Fail, in a while."""
        await asyncio.sleep(0)
        message = "closed on Sundays"
        raise ToolError(message)
