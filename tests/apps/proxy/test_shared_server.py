"""One server for several clients, in memory."""

from __future__ import annotations

import json
from typing import Any

from fake_servers import FakeServer
from on_a_loop import Shared
from waiting import until


def shared_by(server: FakeServer) -> Shared:
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
    server = FakeServer()
    shared = shared_by(server)
    first, second = shared.client(), shared.client()
    ask(first, 1, "initialize")
    ask(second, 2, "initialize")
    assert server.next()["method"] == "initialize"
    assert server.sent.empty()
    server.stop(0)
    for client, request in ((first, 1), (second, 2)):
        answer = next_of(client)
        assert (answer["id"], answer["error"]["code"]) == (request, -32000)
        assert client.readline(1) == b""


def test_a_client_leaves_a_server_that_does_not_read() -> None:
    """At once; what it has asked is cancelled as soon as the server reads."""
    server = FakeServer()
    client = shared_by(server).client()
    ask(client, 1, "tools/list")
    asked = server.next()
    server.reads.clear()
    client.stop(0.0)
    server.reads.set()
    assert server.next()["params"]["requestId"] == asked["id"]


def test_a_client_that_leaves_during_the_handshake_leaves_it_to_the_others() -> None:
    """Those that came meanwhile have no other."""
    server = FakeServer()
    shared = shared_by(server)
    first, second = shared.client(), shared.client()
    ask(first, 1, "initialize")
    asked = server.next()
    ask(second, 2, "initialize")
    first.stop(0.0)
    assert server.sent.empty()
    server.say({"jsonrpc": "2.0", "id": asked["id"], "result": {}})
    assert next_of(second) == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_a_server_that_is_retired_ends_with_its_last_client() -> None:
    """Not before; at once without any."""
    server = FakeServer()
    shared = shared_by(server)
    client = shared.client()
    shared.call(shared.hop.retire)
    assert not server.is_stopped
    client.stop(0.0)
    until(lambda: server.is_stopped)
    unused = FakeServer()
    shared = shared_by(unused)
    shared.call(shared.hop.retire)
    until(lambda: unused.is_stopped)


def test_what_concerns_one_client_is_refused() -> None:
    """The server would not know whom it concerns."""
    server = FakeServer()
    client = shared_by(server).client()
    methods = ("resources/subscribe", "subscriptions/listen", "logging/setLevel", "tasks/list")
    for request, method in enumerate(methods):
        ask(client, request, method)
        answer = next_of(client)
        assert (answer["id"], answer["error"]["code"]) == (request, -32601)
    assert server.sent.empty()


def test_no_client_ends_the_handshake_before_it_is_answered() -> None:
    """The server would take no request of the client that has begun it."""
    server = FakeServer()
    shared = shared_by(server)
    first, second = shared.client(), shared.client()
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    line = json.dumps(initialized).encode() + b"\n"
    second.send((line,))
    ask(first, 1, "initialize")
    second.send((line,))
    asked = server.next()
    assert server.sent.empty()
    handshake = {"jsonrpc": "2.0", "id": asked["id"], "result": {}}
    server.say(handshake)
    assert next_of(first) == {**handshake, "id": 1}
    first.send((line,))
    second.send((line,))
    assert server.next() == initialized
    assert server.sent.empty()


def test_each_client_hears_of_its_version_and_of_what_it_can_ask() -> None:
    """The server's version if the client has it; no capability that concerns one client."""
    server = FakeServer()
    shared = shared_by(server)
    clients = {version: shared.client() for version in ("2025-11-25", "2024-11-05", "2099-01-01")}
    for version, client in clients.items():
        ask(client, 1, "initialize", protocolVersion=version)
    asked = server.next()
    resources = {"subscribe": True, "listChanged": True}
    able = {"logging": {}, "resources": resources, "tasks": {"list": {}, "cancel": {}}, "tools": {}}
    result = {"protocolVersion": "2025-06-18", "capabilities": able, "serverInfo": {}}
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
    server.say(answer)
    clients["late"] = shared.client()
    shown = {"resources": {"listChanged": True}, "tasks": {"cancel": {}}, "tools": {}}
    for version, client in clients.items():
        if version == "late":
            ask(client, 1, "initialize", protocolVersion="2025-03-26")
        expected = {"2024-11-05": "2024-11-05", "late": "2025-03-26"}.get(version, "2025-06-18")
        own = {**result, "protocolVersion": expected, "capabilities": shown}
        assert next_of(client) == {**answer, "id": 1, "result": own}
