"""A server at a URL that is restarted: the client keeps its session."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from forking import start
from overhttp import Raw, calling
from ports import connects, nobody
from waiting import PATIENCE, until

from schema2model.apps.proxy.group import Solo
from schema2model.apps.proxy.hop import Hop
from schema2model.apps.proxy.messages import Message

pytest.importorskip("mcp", reason="servers at URLs need the SDK")

SERVER = Path(__file__).parents[2] / "adapters" / "http_server.py"


def started(port: int) -> Any:
    """A server at a port."""
    process = start(
        [sys.executable, str(SERVER), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: process.poll() is not None or connects(port))
    return process


@pytest.mark.parametrize("meanwhile", [True, False], ids=["asked-meanwhile", "not-asked"])
def test_the_proxy_connects_again_after_a_restart(meanwhile: bool) -> None:  # noqa: FBT001
    """A call meanwhile is answered with an error; the first one after it has its result."""
    with nobody() as port:
        pass
    server = started(port)
    try:
        with Raw(f"http://127.0.0.1:{port}/mcp") as client:
            client.initialize()
            assert "result" in client.ask(calling(1, "search", tags=["a"], limit="3"))
            server.kill()
            server.wait()
            if meanwhile:
                error = client.ask(calling(2, "search", tags=["a"], limit="3"))["error"]
                assert error["code"] == -32000
                assert "connection refused" in error["message"]
            server = started(port)
            for number in (3, 4):
                answer = client.ask(calling(number, "search", tags=["a"], limit="3"))
                assert (answer["id"], answer["result"].get("isError", False)) == (number, False)
            client.input.close()
            assert client.process.wait() == 0
    finally:
        server.kill()
        server.wait()


def streams(messages: list[Any]) -> Any:
    """A transport of a server that says nothing, and keeps what it is sent."""
    anyio: Any = pytest.importorskip("anyio", reason="comes with the SDK")

    @contextlib.asynccontextmanager
    async def opened(*_: Any, **__: Any) -> AsyncIterator[Any]:
        sends, received = anyio.create_memory_object_stream(0)
        sent, receives = anyio.create_memory_object_stream(0)

        async def keep() -> None:
            messages.extend([each.message async for each in receives])
            await sends.aclose()

        async with sends, received, sent, receives, anyio.create_task_group() as tasks:
            tasks.start_soon(keep)
            yield received, sent
            tasks.cancel_scope.cancel()

    return opened


def test_a_connection_that_is_left_ends_its_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the server never says anything: nothing is left on the event loop."""
    from schema2model.apps.proxy import endpoints  # noqa: PLC0415 - needs the extra

    async def leave() -> str:
        connection = await endpoints.Endpoint.start("http://127.0.0.1:9/", ())
        await asyncio.sleep(0)
        reason = await connection.stop(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return reason

    monkeypatch.setattr(endpoints, "opened", streams([]))
    assert asyncio.run(leave()) == "gave no answer before the connection was closed"


def test_a_connection_does_not_wait_for_a_cancelled_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Servers need not answer it: the connection ends with the client."""
    from schema2model.apps.proxy import endpoints  # noqa: PLC0415 - needs the extra

    messages: list[Any] = []

    async def cancel() -> None:
        connect = functools.partial(endpoints.Endpoint.start, "http://127.0.0.1:9/", ())
        hop = Hop(connect, delay=0.0)
        await hop.start()
        client = Solo(hop)
        client.send(Message({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
        params = {"requestId": 1}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        client.send(Message(cancel))
        client.close()
        await asyncio.wait_for(client.ended(), PATIENCE)

    monkeypatch.setattr(endpoints, "opened", streams(messages))
    asyncio.run(cancel())
    assert [each.method for each in map(_content, messages)] == ["ping", "notifications/cancelled"]


def _content(message: Any) -> Any:
    """The message itself, which the SDK 1.x wraps."""
    return getattr(message, "root", message)
