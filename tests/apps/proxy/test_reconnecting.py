"""A server at a URL that is restarted: the client keeps its session."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from forking import start
from overhttp import Raw, calling
from ports import connects, nobody
from waiting import until

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


def test_a_connection_that_is_left_ends_its_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, also if the server says nothing more and is not closed."""
    anyio: Any = pytest.importorskip("anyio", reason="comes with the SDK")
    from schema2model.apps.proxy import endpoints  # noqa: PLC0415 - needs the extra

    @contextlib.asynccontextmanager
    async def silent(*_: Any, **__: Any) -> AsyncIterator[Any]:
        sends, received = anyio.create_memory_object_stream(0)
        sent, receives = anyio.create_memory_object_stream(0)
        async with sends, received, sent, receives:
            yield received, sent

    async def leave() -> None:
        with anyio.fail_after(10):
            async with endpoints._connected("http://127.0.0.1:9/", ()) as connection:
                await anyio.sleep(0)
            connection.lines.close()

    monkeypatch.setattr(endpoints, "opened", silent)
    monkeypatch.setattr(endpoints, "FAREWELL", 3600)
    anyio.run(leave)


def test_a_connection_does_not_wait_for_a_cancelled_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Servers need not answer it: the connection ends with the client."""
    anyio: Any = pytest.importorskip("anyio", reason="comes with the SDK")
    from schema2model.apps.proxy import endpoints  # noqa: PLC0415 - needs the extra

    sent, receives = anyio.create_memory_object_stream(9)

    @contextlib.asynccontextmanager
    async def opened(*_: Any, **__: Any) -> AsyncIterator[Any]:
        sends, received = anyio.create_memory_object_stream(0)
        async with sends, received:
            yield received, sent

    async def cancel() -> list[Any]:
        url = "http://127.0.0.1:9/"
        async with sent, receives, endpoints._connected(url, ()) as connection:
            await connection.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
            cancel = b'"notifications/cancelled","params":{"requestId":1}'
            await connection.send(b'{"jsonrpc":"2.0","method":' + cancel + b"}")
            await connection.close()
            connection.lines.close()
            with anyio.fail_after(10):
                dump = endpoints.MESSAGE.dump_python
                return [dump(each.message)["method"] async for each in receives]

    monkeypatch.setattr(endpoints, "opened", opened)
    assert anyio.run(cancel) == ["ping", "notifications/cancelled"]
