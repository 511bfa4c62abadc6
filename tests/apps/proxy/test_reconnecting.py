"""A server at a URL that is restarted: the client keeps its session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from overhttp import Raw, calling
from ports import connects, nobody
from waiting import until

pytest.importorskip("mcp", reason="servers at URLs need the SDK")

SERVER = Path(__file__).parents[2] / "adapters" / "http_server.py"


def started(port: int) -> subprocess.Popen[bytes]:
    """A server at a port."""
    process = subprocess.Popen(  # noqa: S603 - our own
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
