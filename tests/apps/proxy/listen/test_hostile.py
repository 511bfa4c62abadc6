"""Hostile servers and hostile clients of the listening proxy: each harms itself alone."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("mcp", reason=needs("mcp"))

import anyio
from http_client import UPSTREAM, HTTPClient, is_running, proxy
from waiting import PATIENCE, until

from schema2model.apps.proxy.listen import responses
from schema2model.apps.proxy.listen.access import User
from schema2model.apps.proxy.listen.clients import Client
from schema2model.apps.proxy.listen.listener import Listener
from schema2model.apps.proxy.listen.responses import Outlet
from schema2model.apps.proxy.messages import Message


def memory(process: Any) -> int:
    """The memory of a process, in MiB."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        pytest.skip("the memory of a process is read from /proc")
    line = next(each for each in status.read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) >> 10


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[str, Any]]:
    """A proxy, and its process."""
    with proxy() as running:
        yield running


@pytest.fixture
def client(running: tuple[str, Any]) -> Iterator[HTTPClient]:
    """A client with a session."""
    client = HTTPClient(running[0])
    client.initialize()
    yield client
    client.request("DELETE")


def raw(url: str, content: bytes, wait: float = PATIENCE) -> bytes:
    """The answer to bytes that are no proper request."""
    address = HTTPClient(url).address
    with socket.create_connection((str(address.hostname), address.port or 0)) as connection:
        connection.settimeout(wait)
        connection.sendall(content)
        return connection.recv(65536)


# --------------------------------------------------------------------------------------- servers
def test_a_server_that_never_answers(running: tuple[str, Any], client: HTTPClient) -> None:
    """Its client can go on, and so can others."""
    body = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "never"}}
    threading.Thread(target=lambda: client.request("POST", body), daemon=True).start()
    assert client.text("echo", n="3") == '{"n": 3}'
    other = HTTPClient(running[0])
    other.initialize()
    assert other.text("echo", n="3") == '{"n": 3}'
    other.request("DELETE")


def test_a_huge_answer_delays_nobody_else(running: tuple[str, Any], client: HTTPClient) -> None:
    """Its client gets an error; others are answered while it arrives."""
    answers: list[Any] = []
    other = HTTPClient(running[0])
    other.initialize()

    def echo() -> float:
        began = time.monotonic()
        assert other.text("echo", n="3") == '{"n": 3}'
        return time.monotonic() - began

    usual = max(echo() for _ in range(20))
    thread = threading.Thread(target=lambda: answers.append(client.call("huge")))
    start = time.monotonic()
    thread.start()
    slowest = 0.0
    while thread.is_alive():
        slowest = max(slowest, echo())
    thread.join()
    assert answers[0]["error"]["code"] == -32603
    assert slowest < max(20 * usual, (time.monotonic() - start) / 2)
    other.request("DELETE")


# --------------------------------------------------------------------------------------- clients
@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b"", {400}),
        (b"{", {400}),
        (b"[]", {400}),
        (b"\xff", {400, 500}),  # the latter by the SDK 1.x
        (b"[" * 100_000, {400, 500}),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', {400}),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', {400}),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {400}),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', {400}),
    ],
)
def test_what_does_not_begin_a_session(
    running: tuple[str, Any], body: bytes, statuses: set[int]
) -> None:
    """It is refused, and nothing stays open."""
    client = HTTPClient(running[0])
    before = client.request("GET", path="/metrics")[2].splitlines()[-1]
    assert client.request("POST", body)[0] in statuses
    assert client.request("GET", path="/metrics")[2].splitlines()[-1] == before


def test_a_call_that_is_cancelled_is_over(client: HTTPClient) -> None:
    """Its stream ends; the client can go on."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(client.call("never", 9)))
    thread.start()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
    while thread.is_alive():  # until the call has arrived
        assert client.ask(cancel) == 202
        thread.join(0.05)
    assert answers[0]["error"]["code"] == -32800
    assert client.text("echo", n="3") == '{"n": 3}'


@pytest.mark.parametrize("number", [2.5, True])
def test_a_call_that_cannot_be_answered_is_not_run(client: HTTPClient, number: Any) -> None:
    """An id is a string or an integer."""
    pid = client.text("pid")
    assert client.call("die", number) == 400
    assert client.text("pid") == pid


@pytest.mark.parametrize("value", ["1e999", "-1e999", "NaN", "Infinity", "[" * 300 + "]" * 300])
def test_what_cannot_be_checked_is_not_forwarded(client: HTTPClient, value: str) -> None:
    """Whatever part of the message it is in."""
    for params in (
        f'{{"name":"echo","arguments":{{"n":{value}}}}}',
        f'{{"name":"echo","arguments":{{}},"_meta":{{"x":{value}}}}}',
    ):
        body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'
        status, _, content = client.request("POST", body.encode())
        assert status in {200, 400}
        assert b'"error"' in content
        assert b'"result"' not in content
    assert client.text("echo", n="3") == '{"n": 3}'


def test_a_name_with_two_values_is_the_reason(client: HTTPClient) -> None:
    """As over stdio: the client is not sent to look for a number or for depth."""
    params = '{"name":"echo","arguments":{"n":1,"n":2}}'
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'
    assert b'there are two values for \\"n\\"' in client.request("POST", body.encode())[2]


def test_numbers_keep_their_digits(client: HTTPClient) -> None:
    """On the way to the server, in arguments that do not change."""
    params = '{"name":"echo","arguments":{"n":3, "x":12345678901234567890}}'
    body = f'{{"jsonrpc":"2.0",\r\n"id":1,"method":"tools/call","params":{params}}}'
    answer = client.request("POST", body.encode())[2]
    assert b"12345678901234567890" in answer


def test_a_body_that_is_too_large(running: tuple[str, Any], client: HTTPClient) -> None:
    """It is refused by its announced length, and by its real one, without being kept."""
    before = memory(running[1])
    huge = {"content-length": str(10**12)}
    head = "".join(f"{name}: {value}\r\n" for name, value in {**client.headers, **huge}.items())
    host = client.address.netloc
    answer = raw(running[0], f"POST /mcp HTTP/1.1\r\nhost: {host}\r\n{head}\r\n".encode())
    assert b" 413 " in answer
    for _ in range(3):
        assert client.request("POST", b" " * (5 << 20))[0] == 413
    assert memory(running[1]) - before < 60


def test_a_body_that_does_not_arrive_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused after a deadline, however many small parts have come."""
    sent: list[Any] = []

    async def receive() -> Any:
        await anyio.sleep(0.02)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    monkeypatch.setattr(responses, "BODY_TIMEOUT", 0.2)
    assert anyio.run(responses.read_body, {}, receive, send) is None
    assert sent[0]["status"] == 408


def test_slow_bodies_and_headers(running: tuple[str, Any], client: HTTPClient) -> None:
    """They delay nobody else."""
    host, port = client.address.hostname, client.address.port
    slow = []
    for number in range(30):
        connection = socket.create_connection((str(host), port or 0))
        slow.append(connection)
        start = f"POST /mcp HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type: application/json\r\n"
        connection.sendall((start + ("content-length: 9\r\n\r\n{" if number % 2 else "")).encode())
    assert client.text("echo", n="3") == '{"n": 3}'
    assert not select.select(slow[::2], (), (), 0)[0]  # those are still waited for
    for connection in slow:
        connection.close()


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: HOST\r\nhost: evil.test\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: HOST\r\nx\r\ny: 1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: HOST\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /mcp HTTP/1.1\r\nhost: HOST\r\ncontent-length: -1\r\n\r\n",
        (
            b"POST /healthz HTTP/1.1\r\nhost: HOST\r\ncontent-length: 4\r\n"
            b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_requests_that_are_not_http(running: tuple[str, Any], request_bytes: bytes) -> None:
    """They are refused."""
    host = HTTPClient(running[0]).address.netloc.encode()
    answer = raw(running[0], request_bytes.replace(b"HOST", host))
    assert answer[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 421"}


@pytest.mark.parametrize("name", ["", "x" * 5000, "0" * 32, "a b", "\x7f"])
def test_sessions_that_are_guessed(running: tuple[str, Any], name: str) -> None:
    """There is no such session, and the answer does not repeat its name."""
    client = HTTPClient(running[0], mcp_session_id=name)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    status, headers, content = client.request("POST", ping)
    assert status in {400, 404}
    assert not name or name.encode() not in content
    assert "x" * 100 not in json.dumps(headers)


def test_too_many_sessions() -> None:
    """If all have a stream, one more is refused; when one has ended there is room again."""
    with proxy("--max-sessions", "3") as (url, _), contextlib.ExitStack() as streams:
        clients = [HTTPClient(url) for _ in range(3)]
        for each in clients:
            each.initialize()
            streams.enter_context(each.stream())
        late = HTTPClient(url)
        params = {"protocolVersion": "2025-06-18", "capabilities": {}}
        params["clientInfo"] = {"name": "raw", "version": "1"}  # type: ignore[assignment]
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        status, _, content = late.request("POST", message)
        assert status == 503
        assert b"too many sessions" in content
        assert late.request("GET", path="/readyz")[0] == 503
        assert late.request("GET", path="/healthz")[0] == 200
        assert clients[0].request("DELETE")[0] == 200
        assert late.request("GET", path="/readyz")[::2] == (200, b"ready\n")
        late.initialize()
        assert clients[1].text("echo", n="3") == '{"n": 3}'


def test_vanished_clients_make_room() -> None:
    """The one that is disconnected longest first, with its server; nobody is refused."""
    with proxy("--max-sessions", "3") as (url, _):
        gone = [HTTPClient(url) for _ in range(6)]
        pids = []
        for each in gone:
            each.initialize()
            pids.append(int(each.text("pid")))
        assert gone[2].call("echo") == 404
        until(lambda: not any(map(is_running, pids[:3])))
        assert all(map(is_running, pids[3:]))
        assert gone[5].text("echo", n="3") == '{"n": 3}'


@pytest.mark.parametrize(
    ("method", "body"),
    [("GET", None), ("DELETE", None), ("POST", b"{"), ("POST", b'{"jsonrpc":"2.0","id":1}')],
)
def test_what_begins_no_session_ends_none(method: str, body: bytes | None, tmp_path: Path) -> None:
    """Though all are taken and the client of one is disconnected; and it starts no server."""
    started = tmp_path / "started"
    script = f"open({str(started)!r}, 'a').write('.'); import runpy; "
    script += f"runpy.run_path({UPSTREAM[1]!r}, run_name='__main__')"
    server = ["--", sys.executable, "-c", script]
    with proxy("--max-sessions", "1", server=server) as (url, process):
        client = HTTPClient(url)
        client.initialize()
        pid = client.text("pid")
        for _ in range(20):
            assert HTTPClient(url).request(method, body)[0] == 400
        assert client.text("pid") == pid
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert started.read_text() == "."


def test_a_client_that_has_gone_takes_its_server_with_it() -> None:
    """After a time without a request and without a stream; a stream keeps a session."""
    with proxy("--disconnect-timeout", "0.5") as (url, _):
        gone, listening = HTTPClient(url), HTTPClient(url)
        gone.initialize()
        pid = int(gone.text("pid"))
        listening.initialize()
        with listening.stream():
            until(lambda: not is_running(pid))
            assert gone.call("echo") == 404
            assert listening.text("echo", n="3") == '{"n": 3}'
            pid = int(listening.text("pid"))
        until(lambda: not is_running(pid))


def test_an_answer_is_not_for_the_server_after_the_one_that_asked() -> None:
    """A server that was started again has asked another question, under the same id of its own."""
    script = """
import json, sys
def write(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        info = {"name": "x"}
        write(id=message["id"], result={"protocolVersion": "2025-06-18", "serverInfo": info})
    elif method == "tools/list":
        write(id=message["id"], result={"tools": [{"name": "ask", "inputSchema": {}}]})
    elif method == "tools/call":
        call = message["id"]
        write(id=1, method="elicitation/create", params={})
        if message["params"]["arguments"]:
            sys.exit(3)
    elif "result" in message:
        write(id=call, result={"content": [{"type": "text", "text": json.dumps(message)}]})
"""
    with proxy(server=["--", sys.executable, "-c", script]) as (url, _):
        client = HTTPClient(url)
        client.initialize()
        assert client.call("ask", 1, ends=True)["error"]["code"] == -32000
        until(lambda: "result" in client.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))
        assert client.address.hostname is not None
        connection = http.client.HTTPConnection(client.address.hostname, client.address.port or 0)
        with contextlib.closing(connection):
            params = {"name": "ask", "arguments": {}}
            call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}
            connection.request("POST", "/mcp", json.dumps(call), client.headers)
            answer = connection.getresponse()
            events = (json.loads(line[6:]) for line in answer if line.startswith(b"data: {"))
            asked = next(events)["id"]
            for request, result in ((1, "to the first"), (asked, "to the second")):
                client.ask({"jsonrpc": "2.0", "id": request, "result": {"said": result}})
            text = json.loads(next(events)["result"]["content"][0]["text"])
            assert text == {"jsonrpc": "2.0", "id": 1, "result": {"said": "to the second"}}


def test_a_stream_that_goes_on_after_an_event(client: HTTPClient) -> None:
    """It begins anew: no events are kept."""
    client.headers["last-event-id"] = "5"
    with client.stream() as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")


def test_a_client_that_asks_nothing_is_forgotten() -> None:
    """With its server, though it has a stream; not while it waits for an answer."""
    with proxy("--idle-timeout", "0.5") as (url, _):
        silent, waiting = HTTPClient(url), HTTPClient(url)
        silent.initialize()
        pid = int(silent.text("pid"))
        waiting.initialize()
        own = int(waiting.text("pid"))

        def wait() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):  # the end of the proxy
                waiting.call("never")

        threading.Thread(target=wait, daemon=True).start()
        with silent.stream():
            until(lambda: not is_running(pid))
            assert silent.call("echo") == 404
        assert is_running(own)


def test_a_client_that_does_not_read(running: tuple[str, Any]) -> None:
    """What its server sends waits in the pipes; the memory of the proxy does not grow."""
    client = HTTPClient(running[0])
    client.initialize()
    before = memory(running[1])
    connections = []
    for number in range(5):
        params = {"name": "flood", "arguments": {}}
        call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        body = json.dumps(call).encode()
        head = {**client.headers, "content-length": str(len(body)), "host": client.address.netloc}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        address = (str(client.address.hostname), client.address.port or 0)
        connection = socket.create_connection(address)
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body)
        connections.append(connection)
    other = HTTPClient(running[0])
    other.initialize()
    assert other.text("echo", n="3") == '{"n": 3}'
    assert memory(running[1]) - before < 60
    for connection in connections:
        connection.close()


def test_a_client_without_a_stream_is_asked_all_the_same() -> None:
    """With its last request, if it has several: nothing else reaches it."""
    client = Client(User(None, None))
    first, last = Outlet(), Outlet()
    client.posts = {1: first, 2: last}
    asked = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create"}
    assert client._related(asked) is last
    client.stream = Outlet()
    assert client._related(asked) is client.stream


def test_a_request_that_cannot_be_served_costs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """A traceback would show the arguments; the client gets an error."""
    sent: list[Any] = []

    def fails(*_: Any) -> Any:
        raise LookupError

    async def ask() -> None:
        listener = Listener("127.0.0.1", 0, fails, fails, metrics=fails)
        with contextlib.closing(listener._socket):
            host = listener.url.split("/")[2].encode()
            scope = {"type": "http", "method": "GET", "path": "/metrics"}

            async def send(event: Any) -> None:
                sent.append(event)

            await listener._serve_safely({**scope, "headers": [(b"host", host)]}, fails, send)

    anyio.run(ask)
    assert sent[0]["status"] == 500
    (record,) = caplog.records
    assert record.getMessage().endswith("not answered: LookupError")
    assert record.exc_info is None


def test_a_client_that_leaves_too_much_unread_is_dropped(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits is forgotten; the log names the session."""
    monkeypatch.setattr(responses, "MAX_MESSAGE_LINE", 10_000)
    client = Client(User("ann", None))
    client.stream = Outlet()
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 1000}}
    for _ in range(9):
        client.send(Message(note))
    assert client.is_over
    assert asyncio.run(client.stream.take(0)) == []
    words = "a client was dropped that does not read what it is sent"
    assert [record.getMessage() for record in caplog.records] == [words]
