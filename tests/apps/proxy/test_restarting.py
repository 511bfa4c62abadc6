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


class Forgetful(Dying):
    """A server that knows no session: it refuses each call as one of a session that has ended."""

    def readline(self, size: int, /) -> bytes:
        """The answer to the handshake, and the end at the next message."""
        if not (answer := super().readline(size)):
            self.unsent = self.last
        return answer

    def send(self, parts: Iterable[bytes], /) -> None:
        """Take a line."""
        self.last = b"".join(parts)
        super().send((self.last,))

    def stop(self, patience: float, /) -> str:
        """How it ended."""
        del patience
        return "has ended the session"


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


def test_a_request_that_each_session_refuses_is_sent_again_once() -> None:
    """As of a server behind a balancer that leads each session elsewhere."""
    Forgetful.started = 0
    server = RestartingServer(Forgetful, name="far")
    server.send((line(0, "initialize"),))
    server.readline(0)
    for number in (1, 2):
        server.send((line(number, "tools/call"),))
        answer = json.loads(server.readline(0))
        assert answer["id"] == number
        assert answer["error"]["message"] == 'the server "far" has ended the session'
    assert Forgetful.started == 4


def test_a_cancelled_request_is_not_answered_when_the_server_ends() -> None:
    """Nobody waits for it: the next answer is that to the next request."""
    Dying.started = 0
    server = RestartingServer(Dying)
    server.send((line(0, "initialize"),))
    server.readline(0)
    with server._lock:
        server._remember_request({"id": 1, "method": "tools/call"})
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    server.send((json.dumps(cancel).encode() + b"\n",))
    server.send((line(2, "tools/call"),))
    assert json.loads(server.readline(0))["id"] == 2
    server.send((line(3, "ping"),))
    assert json.loads(server.readline(0))["id"] == 3


def test_each_answer_of_a_batch_counts() -> None:
    """What it answers is not answered again when the server ends."""

    class Batching(Dying):
        def readline(self, _: int, /) -> bytes:
            asked = json.loads(self.sent.get())
            if isinstance(asked, dict):
                return b""
            return json.dumps([{"id": each["id"]} for each in asked]).encode() + b"\n"

    server = RestartingServer(Batching, delay=20)
    server.send((b"[" + line(1, "ping") + b"," + line(2, "ping") + b"]",))
    assert json.loads(server.readline(0)) == [{"id": 1}, {"id": 2}]
    server.send((line(3, "ping"),))
    answer = json.loads(server.readline(0))
    assert (answer["id"], answer["error"]["code"]) == (3, -32000)


def test_an_answer_to_a_server_that_has_ended_starts_no_other() -> None:
    """The next one would take it for the answer to a question of its own."""
    Dying.started = 0
    server = RestartingServer(Dying, delay=0)
    server.send((line(0, "initialize"),))
    server.readline(0)
    for started in (1, 2):
        server.send((line(1, "tools/call"),))
        assert json.loads(server.readline(0))["error"]["code"] == -32000
        server.send((b'{"jsonrpc": "2.0", "id": 5, "result": {}}\n',))
        assert Dying.started == started


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
