"""A tool of ours that the tests of several frameworks hand to them."""

from __future__ import annotations

from typing import Any

from probe import SCHEMA

from schema2model import Tool


def noting_tool(taken: list[Any], *, asynchronous: bool = False) -> Tool:
    """Return a tool that notes its arguments and answers "found"."""

    def search(raw_arguments: dict[str, Any]) -> str:
        taken.append(raw_arguments)
        return "found"

    async def asearch(raw_arguments: dict[str, Any]) -> str:
        return search(raw_arguments)

    definition = {"name": "search", "description": "Find.", "parameters": SCHEMA}
    return Tool.from_schema(definition, asearch if asynchronous else search)
