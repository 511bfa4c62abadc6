"""The proxy between a client with strict definitions and a server that knows nothing of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from on_a_loop import Proxy

from schema2model import compile_schema

SCHEMA = {
    "type": "object",
    "properties": {"limit": {"type": "integer"}, "env": {"additionalProperties": {}}},
}


class Ends:
    """Both sides of a proxy, as lists of messages."""

    def __init__(self) -> None:
        self.server: list[Any] = []
        self.client: list[Any] = []
        self.proxy = Proxy(self._to(self.server), self._to(self.client), strict="openai")

    @staticmethod
    def _to(messages: list[Any]) -> Any:
        def send(parts: Iterable[bytes]) -> None:
            messages.append(json.loads(b"".join(parts)))

        return send

    def list_tools(self, *tools: Any) -> list[Any]:
        """The tools that the client is shown of those that the server lists."""
        self.proxy.from_client(line({"id": 1, "method": "tools/list"}))
        self.proxy.from_server(line({"id": 1, "result": {"tools": [*tools], "more": 1.50}}))
        shown: list[Any] = self.client.pop()["result"]["tools"]
        return shown


def line(message: dict[str, Any]) -> bytes:
    """A message of JSON-RPC."""
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def test_the_client_is_shown_projections() -> None:
    """All else of a tool stays; one that has no projection is not among them."""
    broken = {"name": "broken", "inputSchema": {"type": "strange"}}
    never = {"name": "never", "inputSchema": {"properties": {"a": False}, "required": ["a"]}}
    tool = {"name": "search", "title": "Search", "inputSchema": SCHEMA}
    shown = Ends().list_tools(tool, broken, never, "no tool")
    projection = compile_schema(SCHEMA).strict("openai").schema
    assert shown == [{**tool, "inputSchema": projection}]


def test_calls_are_decoded() -> None:
    """The server gets arguments for its own schema; decoding counts as no change."""
    ends = Ends()
    ends.list_tools({"name": "search", "inputSchema": SCHEMA})
    for number, arguments in enumerate(({"limit": None, "env": None}, {"limit": "3", "env": None})):
        params = {"name": "search", "arguments": arguments}
        ends.proxy.from_client(line({"id": number, "method": "tools/call", "params": params}))
    assert [each["params"]["arguments"] for each in ends.server[1:]] == [{}, {"limit": 3}]
    assert ends.proxy.tally.lines()[0][0] == "of 2 calls, 1 coerced"
