"""The tools of a server, as far as they are known, and what becomes of the arguments of a call."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from schema2model.coercions import Coercion
from schema2model.errors import ToolError
from schema2model.proxying.messages import request_id
from schema2model.tools.checkers import Checkers
from schema2model.values import quoted

__all__ = ["ListedTools", "tool_called"]

LOGGER = logging.getLogger("schema2model.proxying")


def tool_called(message: Any) -> str | None:
    """The name of the tool that a JSON-RPC message calls, if it is a call that can be answered."""
    if request_id(message) is None or message["method"] != "tools/call":
        return None
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    return name if isinstance(name, str) else None


class ListedTools:
    """The tools that a server has listed. Each schema is compiled once, for its first call."""

    def __init__(self, coercion: str | Coercion) -> None:
        self._checkers = Checkers(coercion=coercion)
        self._schemas: dict[str, Any] = {}
        self.complete = False
        """Whether there is no use in asking the server for more of them."""

    def knows(self, name: str | None) -> bool:
        """Whether all is known about a tool that can be; there is nothing to know of no tool."""
        return name is None or self.complete or name in self._schemas

    def add(self, page: Any) -> str | None:
        """Take over a result of `tools/list`, and return the cursor of the next page, if any.

        It is a stranger's: what is no tool in it is passed over.
        """
        if not isinstance(page, dict):
            return None
        tools = page.get("tools")
        for tool in tools if isinstance(tools, list) else []:
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                self._schemas[name] = tool.get("inputSchema")
        cursor = page.get("nextCursor")
        return cursor if isinstance(cursor, str) and cursor else None

    def coerced(self, message: dict[str, Any]) -> dict[str, Any]:
        """A call with the arguments that its tool takes; the same object if nothing changes.

        Raises:
            ToolError: where no reading of the arguments is valid.

        """
        params = message["params"]
        name = params["name"]
        if name not in self._schemas:
            return message
        checker = self._checkers.of(name, self._schemas[name])
        if checker is None:
            return message
        given = params.get("arguments", {})
        try:
            prepared = checker.prepare(given)
        except ToolError as error:
            LOGGER.info("refused a call of %s: %s", quoted(name), _places(error.issues, "keyword"))
            raise
        if _same(given, prepared.arguments):
            return message
        if LOGGER.isEnabledFor(logging.INFO):  # values stay out of it: they may be secret
            LOGGER.info("changed a call of %s: %s", quoted(name), _places(prepared.changes, "rule"))
        return {**message, "params": {**params, "arguments": prepared.arguments}}


def _same(given: Any, value: Any) -> bool:
    """Whether two values are one as JSON: 3 is neither 3.0 nor true, and keys have no order."""
    if type(given) is not type(value):
        return False
    if isinstance(given, dict):
        return given.keys() == value.keys() and all(_same(given[key], value[key]) for key in given)
    if isinstance(given, list):
        return len(given) == len(value) and all(map(_same, given, value))
    return bool(given == value)


def _places(found: Iterable[Any], reason: str) -> str:
    """Where something is, and why, in one line; each once."""
    places = (f"{each.path or 'the arguments'} ({getattr(each, reason)})" for each in found)
    return ", ".join(dict.fromkeys(places))
