"""One server for several clients, in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from queue import SimpleQueue
from typing import Any

from on_a_loop import Shared
from waiting import until


class Scripted:
    """A server that says what it is told to, and keeps what it is sent; or reads nothing."""

    def __init__(self) -> None:
        self.lines: SimpleQueue[bytes] = SimpleQueue()
        self.sent: list[Any] = []
        self.reads = threading.Event()
        self.reads.set()
        self.is_stopped = False
        self.is_refused = False
        self.unsent = b""

    def requests(self, number: int) -> list[Any]:
        """So many messages, which it is sent."""
        until(lambda: len(self.sent) >= number)
        return self.sent

    def readline(self, size: int, /) -> bytes:
        """Wait for the next line."""
        del size
        return self.lines.get()

    def send(self, parts: Iterable[bytes], /) -> None:
        """Take a line, once it reads."""
        self.reads.wait()
        self.sent.append(json.loads(b"".join(parts)))

    def close(self) -> None:
        """Do nothing."""

    def stop(self, patience: float, /) -> str:
        """End."""
        del patience
        self.is_stopped = True
        self.lines.put(b"")
        return "ended with exit code 3"


def shared_by(server: Scripted) -> Shared:
    """A server that several clients share."""
    return Shared(lambda: server, is_shared=True)


def ask(client: Any, request: int, method: str, **params: Any) -> None:
    """Send a request of a client."""
    message = {"jsonrpc": "2.0", "id": request, "method": method, "params": params}
    client.send((json.dumps(message).encode() + b"\n",))


def next_of(client: Any) -> Any:
    """The next message that a client gets."""
    return json.loads(client.readline(1))


def test_the_end_of_the_server_answers_who_waits_for_the_handshake() -> None:
    """The client that began it, and those that came meanwhile."""
    server = Scripted()
    shared = shared_by(server)
    first, second = shared.client(), shared.client()
    ask(first, 1, "initialize")
    ask(second, 2, "initialize")
    assert len(server.requests(1)) == 1
    server.lines.put(b"")
    for client, request in ((first, 1), (second, 2)):
        answer = next_of(client)
        assert (answer["id"], answer["error"]["code"]) == (request, -32000)
        assert client.readline(1) == b""


def test_a_client_leaves_a_server_that_does_not_read() -> None:
    """At once; what it has asked is cancelled as soon as the server reads."""
    server = Scripted()
    client = shared_by(server).client()
    ask(client, 1, "tools/list")
    server.requests(1)
    server.reads.clear()
    client.stop(0.0)
    server.reads.set()
    until(lambda: len(server.sent) == 2)
    cancelled = server.sent[1]["params"]["requestId"]
    assert cancelled == server.sent[0]["id"]


def test_a_server_that_is_retired_ends_with_its_last_client() -> None:
    """Not before; at once without any."""
    server = Scripted()
    shared = shared_by(server)
    client = shared.client()
    shared.call(shared.hop.retire)
    assert not server.is_stopped
    client.stop(0.0)
    until(lambda: server.is_stopped)
    unused = Scripted()
    shared = shared_by(unused)
    shared.call(shared.hop.retire)
    until(lambda: unused.is_stopped)


def test_what_concerns_one_client_is_refused() -> None:
    """The server would not know whom it concerns."""
    server = Scripted()
    client = shared_by(server).client()
    methods = ("resources/subscribe", "subscriptions/listen", "logging/setLevel", "tasks/list")
    for request, method in enumerate(methods):
        ask(client, request, method)
        answer = next_of(client)
        assert (answer["id"], answer["error"]["code"]) == (request, -32601)
    assert server.sent == []


def test_no_client_ends_the_handshake_before_it_is_answered() -> None:
    """The server would take no request of the client that has begun it."""
    server = Scripted()
    shared = shared_by(server)
    first, second = shared.client(), shared.client()
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    line = json.dumps(initialized).encode() + b"\n"
    second.send((line,))
    ask(first, 1, "initialize")
    second.send((line,))
    (asked,) = server.requests(1)
    handshake = {"jsonrpc": "2.0", "id": asked["id"], "result": {}}
    server.lines.put(json.dumps(handshake).encode() + b"\n")
    assert next_of(first) == {**handshake, "id": 1}
    first.send((line,))
    second.send((line,))
    assert server.requests(2)[1:] == [initialized]


def test_each_client_hears_of_its_version_and_of_what_it_can_ask() -> None:
    """The server's version if the client has it; no capability that concerns one client."""
    server = Scripted()
    shared = shared_by(server)
    clients = {version: shared.client() for version in ("2025-11-25", "2024-11-05", "2099-01-01")}
    for version, client in clients.items():
        ask(client, 1, "initialize", protocolVersion=version)
    (asked,) = server.requests(1)
    resources = {"subscribe": True, "listChanged": True}
    able = {"logging": {}, "resources": resources, "tasks": {"list": {}, "cancel": {}}, "tools": {}}
    result = {"protocolVersion": "2025-06-18", "capabilities": able, "serverInfo": {}}
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
    server.lines.put(json.dumps(answer).encode() + b"\n")
    clients["late"] = shared.client()
    shown = {"resources": {"listChanged": True}, "tasks": {"cancel": {}}, "tools": {}}
    for version, client in clients.items():
        if version == "late":
            ask(client, 1, "initialize", protocolVersion="2025-03-26")
        expected = {"2024-11-05": "2024-11-05", "late": "2025-03-26"}.get(version, "2025-06-18")
        own = {**result, "protocolVersion": expected, "capabilities": shown}
        assert next_of(client) == {**answer, "id": 1, "result": own}
