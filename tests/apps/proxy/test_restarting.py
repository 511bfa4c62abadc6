"""Servers that go again and again: a delay, and a limit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from queue import SimpleQueue
from typing import Any

import pytest
from on_a_loop import Shared
from waiting import until

from schema2model.apps.proxy import hop
from schema2model.limits import MAX_RESTARTS


class Dying:
    """A server that answers the first request and ends with the second."""

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


def begun(server: type[Dying], **options: Any) -> Any:
    """The client of a server that was started, and has answered the handshake."""
    server.started = 0
    client = Shared(server, **options).client()
    client.send((line(0, "initialize"),))
    assert json.loads(client.readline(0))["id"] == 0
    return client


def fail(client: Any, number: int) -> str:
    """Call the server, and return the error in words."""
    client.send((line(number, "tools/call"),))
    answer = json.loads(client.readline(0))
    assert (answer["id"], answer["error"]["code"]) == (number, -32000)
    words: str = answer["error"]["message"]
    return words


def test_a_server_that_ends_at_each_call_is_left_alone_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each call gets one error; the server is tried again after a minute, in the same session."""
    client = begun(Dying, delay=1e-9)
    for number in range(1, MAX_RESTARTS + 2):
        assert fail(client, number).startswith("the server ended with exit code 3")
    assert Dying.started == MAX_RESTARTS + 1
    assert "it can be started again in " in fail(client, 98)
    assert Dying.started == MAX_RESTARTS + 1
    monkeypatch.setattr(hop.time, "monotonic", lambda now=hop.time.monotonic: now() + hop.COOLING)
    fail(client, 99)
    assert Dying.started == MAX_RESTARTS + 2
    assert client.stop(0).startswith("ended with exit code 3")


def test_a_request_that_each_session_refuses_is_sent_again_once() -> None:
    """As of a server behind a balancer that leads each session elsewhere."""
    client = begun(Forgetful, name="far", delay=0.0)
    for number in (1, 2):
        assert fail(client, number) == 'the server "far" has ended the session'
    assert Forgetful.started == 4


def test_a_cancelled_request_is_not_answered_when_the_server_ends() -> None:
    """Nobody waits for it: the next answer is that to the next request."""

    class Silent(Dying):
        def send(self, parts: Iterable[bytes], /) -> None:
            line = b"".join(parts)
            if b"wait" not in line:
                super().send((line,))

    client = begun(Silent, delay=0.0)
    client.send((line(1, "wait"),))
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    client.send((json.dumps(cancel).encode() + b"\n",))
    fail(client, 2)
    fail(client, 3)


def test_each_answer_of_a_batch_counts() -> None:
    """What it answers is not answered again when the server ends."""

    class Batching(Dying):
        def readline(self, _: int, /) -> bytes:
            asked = [json.loads(self.sent.get())]
            if asked[0]["method"] != "ping":
                return b""
            asked.append(json.loads(self.sent.get()))
            return json.dumps([{"id": each["id"]} for each in asked]).encode() + b"\n"

    client = Shared(Batching, delay=20).client()
    client.send((b"[" + line(1, "ping") + b"," + line(2, "ping") + b"]",))
    assert [json.loads(client.readline(0))["id"] for _ in range(2)] == [1, 2]
    fail(client, 3)


def test_an_answer_to_a_server_that_has_ended_starts_no_other() -> None:
    """The next one would take it for the answer to a question of its own."""
    client = begun(Dying, delay=0.0)
    for started in (1, 2):
        fail(client, 1)
        client.send((b'{"jsonrpc": "2.0", "id": 5, "result": {}}\n',))
        assert Dying.started == started


def test_calls_during_the_delay_start_nothing() -> None:
    """They are answered at once, and the message says when to try again."""
    client = begun(Dying, delay=20)
    fail(client, 1)
    for number in (2, 3):
        assert "can be started again in " in fail(client, number)
    assert Dying.started == 1


def test_a_server_that_was_told_to_end_is_not_waited_for_again() -> None:
    """Whatever the delay: its hop has ended with it."""

    class Closed(Dying):
        def close(self) -> None:
            self.sent.put(line(0, "tools/call"))

    shared = Shared(Closed, delay=20)
    client = shared.client()
    client.send((line(0, "initialize"),))
    assert json.loads(client.readline(0))["id"] == 0
    shared.call(shared.hop.close)
    until(lambda: shared.hop.has_ended)
    assert client.stop(0).startswith("ended with exit code 3")
