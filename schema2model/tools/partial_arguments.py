"""The arguments of a tool's call while their text arrives."""

from __future__ import annotations

from typing import Any

from schema2model.coerce.partial import PartialArguments

__all__ = ["ToolArguments"]


class ToolArguments(PartialArguments):
    """The arguments of a call of one tool. Made by `Tool.partial`.

    Args:
        tool: the tool.
        strings: see `Tool.partial`.

    """

    __slots__ = ("_tool",)

    def __init__(self, tool: Any, *, strings: bool) -> None:
        super().__init__(tool.compiled._engine, strings=strings, shows=tool.strict is None)
        self._tool = tool

    def _finish(self, text: str | bytes) -> Any:
        return self._tool.prepare(text).arguments
