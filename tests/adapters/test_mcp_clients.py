"""The MCP SDK, 1.x and 2.x: clients of servers over stdio."""

# ruff: noqa: E402 - what needs the SDK comes after the question whether it is there

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete definition"),  # in 1.26
]
pytest.importorskip("mcp", reason=needs("mcp"))

import mcp
from forking import python
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp_servers import SEARCH, V2, answer, answering

from schema2model import Tool
from schema2model.adapters import mcp as adapter
from schema2model.adapters.mcp import CoercingSession
from schema2model.coercions import Coercion


@contextlib.asynccontextmanager
async def session(
    kind: Any, *args: str, command: str | None = None, **options: Any
) -> AsyncIterator[Any]:
    """A session with a server over stdio, in Python by default."""
    parameters = StdioServerParameters(command=command or python(), args=list(args))
    if not issubclass(kind, ClientSession):
        async with kind(stdio_client(parameters), **options) as client:
            yield client
        return
    async with (
        stdio_client(parameters) as (read, write),
        kind(read, write, **options) as client,
    ):
        await client.initialize()
        yield client


KINDS = [pytest.param(ClientSession, CoercingSession, id="session")]
if V2:
    KINDS.append(pytest.param(mcp.Client, adapter.CoercingClient, id="client"))
OURS = [pytest.param(kind.values[1], id=kind.id) for kind in KINDS]
ECHO = str(Path(__file__).with_name("mcp_server.py"))


@pytest.mark.parametrize(("plain", "ours"), KINDS)
def test_a_client_coerces_for_the_git_server(plain: Any, ours: Any, tmp_path: Path) -> None:
    """It refuses an array that was sent as text, written in Python's way at the latest."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)  # noqa: S603, S607
    (tmp_path / "a.txt").write_text("a")
    sent = {"repo_path": str(tmp_path), "files": "['a.txt']"}

    async def run() -> None:
        async with session(plain, "-m", "mcp_server_git") as client:
            _, is_error = answer(await client.call_tool("git_add", sent))
            assert is_error
        async with session(ours, "-m", "mcp_server_git") as client:
            assert answer(await client.call_tool("git_add", sent)) == (
                "Files staged successfully",
                False,
            )
            text, is_error = answer(await client.call_tool("git_add", {"files": []}))
            assert is_error
            assert text.startswith("Error parsing arguments for `git_add`:")

    asyncio.run(run())


@pytest.mark.parametrize("ours", OURS)
def test_a_client_leaves_correct_calls_of_the_time_server(ours: Any) -> None:
    """And answers hopeless ones without asking it."""
    pytest.importorskip("mcp_server_time", reason="needs mcp-server-time")
    hopeless = {"source_timezone": "UTC", "time": {"hour": 12}}

    async def run() -> None:
        async with session(ours, "-m", "mcp_server_time") as client:
            text, is_error = answer(await client.call_tool("get_current_time", {"timezone": "UTC"}))
            assert not is_error
            assert '"timezone": "UTC"' in text
            text, is_error = answer(await client.call_tool("convert_time", hopeless))
            assert is_error
            assert "/target_timezone is missing: add it as a string" in text

    asyncio.run(run())


@pytest.mark.parametrize(("plain", "ours"), KINDS)
def test_a_client_coerces_for_a_server_in_javascript(
    plain: Any, ours: Any, everything: str
) -> None:
    """It refuses numbers that were sent as text."""

    async def run() -> None:
        sent = {"a": "2", "b": "3.0"}
        async with session(plain, "stdio", command=everything) as client:
            text, is_error = answer(await client.call_tool("get-sum", sent))
            assert is_error
            assert "expected number, received string" in text
        async with session(ours, "stdio", command=everything) as client:
            text, is_error = answer(await client.call_tool("get-sum", sent))
            assert (text, is_error) == ("The sum of 2 and 3 is 5.", False)
            text, is_error = answer(await client.call_tool("get-sum", {"a": "two", "b": 3}))
            assert is_error
            refused = (
                "Error parsing arguments for `get-sum`:\n"
                '- /a: must be a number, without quotes, not "two"'
            )
            assert text == f"{refused}\n\nFix the errors and try again."

    asyncio.run(run())


@pytest.mark.parametrize("ours", OURS)
def test_a_client_reads_schemas_anew_when_told_to(ours: Any) -> None:
    """The server says that its list of tools has changed; other messages go to their handler."""
    messages: list[str] = []

    async def handler(message: Any) -> None:
        messages.append(type(getattr(message, "root", message)).__name__)

    options = {"mode": "legacy"} if V2 and not issubclass(ours, ClientSession) else {}

    async def run() -> None:
        async with session(ours, ECHO, message_handler=handler, **options) as client:
            sent = {"tags": "['a',]", "limit": " 7 "}
            text, _ = answer(await client.call_tool("search", sent))
            assert text == "(['a'], 7, False)"
            await client.call_tool("rename", {"to": "found"})
            text, _ = answer(await client.call_tool("search", {"query": "7.0"}))
            assert text == "found: 7"
            text, is_error = answer(await client.call_tool("search", {"query": "x"}))
            assert is_error
            assert text.startswith("Error parsing arguments for `search`:")

    asyncio.run(run())
    assert messages == ["ToolListChangedNotification"]


@pytest.mark.parametrize("ours", OURS)
def test_a_client_looks_at_every_page_but_not_forever(ours: Any) -> None:
    """A list of tools may have pages, and a hostile server may never end it."""

    class Paged(ours):  # type: ignore[misc]
        pages = 0

        async def _page(self, cursor: str | None) -> Any:
            self.pages += 1
            listing = {"tools": [{**SEARCH, "name": f"t{self.pages}"}], "nextCursor": "more"}
            return await self._checkers.listed(answering(listing)())

    async def run() -> None:
        async with session(Paged, ECHO) as client:
            _, is_error = answer(await client.call_tool("t7", {"tags": 1, "limit": "many"}))
            assert is_error
            assert client.pages == 7
            await client.call_tool("nowhere", {})
            assert client.pages == 107

    asyncio.run(run())


@pytest.mark.skipif(not V2, reason="a client in memory is of the SDK 2.x")
def test_a_client_asks_the_schema_alone() -> None:
    """Repeated items are not valid there; the server knows that its function takes a set."""
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415 - only 2.x has it

    def count(tags: set[str]) -> int:
        return len(tags)

    async def call(kind: Any, **options: Any) -> Any:
        server = MCPServer("shop", tools=[adapter.from_tool(Tool(count))])
        async with kind(server, **options) as client:
            return (await client.call_tool("count", {"tags": ["a", "a"]})).content[0].text

    assert asyncio.run(call(mcp.Client)) == "1"
    assert "without duplicates" in asyncio.run(call(adapter.CoercingClient))
    rules = Coercion.default.replace(repeated_items=True)
    assert asyncio.run(call(adapter.CoercingClient, coercion=rules)) == "1"
