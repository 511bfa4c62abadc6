"""Servers that go again and again: a delay, and a limit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from queue import SimpleQueue

import pytest

from schema2model.apps.proxy.restarting import RestartingServer
from schema2model.limits import MAX_RESTARTS


class Dying:
    """A server that answers the first request and ends with the second."""

    is_refused = False
    unsent = b""
    started = 0

    def __init__(self) -> None:
        type(self).started += 1
        self.sent: SimpleQueue[bytes] = SimpleQueue()

    def readline(self, _: int, /) -> bytes:
        """The answer to the handshake, and the end at the next message."""
        request = json.loads(self.sent.get())
        if request["method"] == "initialize":
            answer = {"jsonrpc": "2.0", "id": request["id"], "result": {}}
            return json.dumps(answer).encode() + b"\n"
        return b""

    def send(self, parts: Iterable[bytes], /) -> None:
        """Take a line."""
        line = b"".join(parts)
        if b'"id"' in line:
            self.sent.put(line)

    def close(self) -> None:
        """Nothing is to be closed."""

    def stop(self, patience: float, /) -> str:
        """How it ended."""
        del patience
        return "ended with exit code 3"


def line(request: int, method: str) -> bytes:
    """A request."""
    return json.dumps({"jsonrpc": "2.0", "id": request, "method": method}).encode() + b"\n"


def test_a_server_that_ends_at_each_call_is_given_up() -> None:
    """Each call gets one error, and after the last restart the server has ended for good."""
    Dying.started = 0
    server = RestartingServer(Dying, delay=1e-9)
    server.send((line(0, "initialize"),))
    assert json.loads(server.readline(0))["id"] == 0
    for number in range(1, MAX_RESTARTS + 2):
        server.send((line(number, "tools/call"),))
        answer = json.loads(server.readline(0))
        assert (answer["id"], answer["error"]["code"]) == (number, -32000)
    assert server.readline(0) == b""
    assert Dying.started == MAX_RESTARTS + 1
    with pytest.raises(BrokenPipeError):
        server.send((line(99, "tools/call"),))
    assert server.stop(0) == "ended with exit code 3"


def test_calls_during_the_delay_start_nothing() -> None:
    """They are answered at once, and the message says when to try again."""
    Dying.started = 0
    server = RestartingServer(Dying, delay=20)
    server.send((line(0, "initialize"),))
    server.readline(0)
    server.send((line(1, "tools/call"),))
    server.readline(0)
    for number in (2, 3):
        server.send((line(number, "tools/call"),))
        answer = json.loads(server.readline(0))
        assert answer["id"] == number
        assert "can be started again in " in answer["error"]["message"]
    assert Dying.started == 1
