"""Fair shares: no user of a listening proxy, and nobody without a token, can keep others out."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from schema2model.extras import needs

pytest.importorskip("mcp", reason=needs("mcp"))

from http_client import UPSTREAM, HTTPClient, proxy
from waiting import until

from schema2model.apps.proxy.listen import listener
from schema2model.apps.proxy.listen.access import Access, User
from schema2model.apps.proxy.listen.clients import Client, Clients, SessionLimits
from schema2model.limits import MAX_CONNECTIONS

NAMES = ("ann", "bob", "cat")
ANSWERS = {200, 503}


@contextlib.contextmanager
def team(tmp_path: Path, *options: str) -> Iterator[Any]:
    """A proxy for three users: what makes a client of one."""
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(f"{name}: {name * 8}\n" for name in NAMES))
    with proxy("--token-file", str(tokens), *options) as (url, process):
        yield lambda name: HTTPClient(url, authorization=f"Bearer {name * 8}"), url, process


def test_a_user_cannot_take_the_last_room_of_another(tmp_path: Path) -> None:
    """With streams, or with many sessions: each token can have one at any time."""
    with team(tmp_path, "--max-sessions", "5") as (client_of, _, _), contextlib.ExitStack() as held:
        greedy = [client_of("bob") for _ in range(3)]
        for each in greedy:
            each.initialize()
            held.enter_context(each.stream())
        late = client_of("bob")
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x"}}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        assert late.request("POST", message)[0] == 503
        for name in ("ann", "cat"):
            other = client_of(name)
            other.initialize()
            assert other.text("echo", n="3") == '{"n": 3}'
        assert greedy[0].text("echo", n="3") == '{"n": 3}'


def test_a_session_that_works_is_not_replaced_by_others(tmp_path: Path) -> None:
    """However many sessions another user opens, in whatever order."""
    with team(tmp_path, "--max-sessions", "4") as (client_of, _, _):
        ann = client_of("ann")
        ann.initialize()
        assert ann.text("echo", n="3") == '{"n": 3}'
        for _ in range(9):
            client_of("bob").initialize()
        assert ann.text("echo", n="3") == '{"n": 3}'


def session(user: str, *, calls: int = 0, posted: float = -100.0) -> Client:
    """A disconnected session."""
    client = Client(User(user, user))
    client.calls = calls
    client.last_posted = client.last_connected = client.last_posted + posted
    return client


@pytest.mark.parametrize(
    ("sessions", "user", "gone"),
    [
        (["bob", "bob", "bob", "ann"], "cat", 0),
        (["bob", "bob", "ann", "cat"], "ann", 2),
        (["ann", "bob", "ann", "bob"], "cat", 0),
        ([("bob", 1), "bob", "ann", "ann"], "cat", 1),
        ([("bob", 1), ("bob", 2), "ann", "ann"], "cat", 2),
    ],
)
def test_who_makes_room(sessions: list[Any], user: str, gone: int) -> None:
    """Never a client that worked before one that never called; else who has most sessions."""
    clients = Clients(SessionLimits(max_sessions=len(sessions)), lambda: {*NAMES})
    every = [
        session(each) if isinstance(each, str) else session(each[0], calls=each[1])
        for each in sessions
    ]
    for each in every:
        clients.add(each)
    found = clients.to_replace(user)
    assert found is not None
    assert every.index(found) == gone
    for each in every:
        each.connections = 1
    assert clients.to_replace(user) is None
    assert not clients.has_room(user)


def test_connections_are_shared_too() -> None:
    """One user may have all but eight for each other; nobody is kept out by another."""
    tokens = {"a": "ann", "b": "bob"}
    access = Access(["localhost"], lambda: tokens, 1)
    ann, bob = User("ann", "a"), User("bob", "b")
    assert sum(access.enter(bob) for _ in range(2 * MAX_CONNECTIONS)) == MAX_CONNECTIONS - 8
    assert access.enter(ann)
    access.leave(bob)
    assert access.enter(bob)


def test_half_requests_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many, the oldest is closed at once; all of them after ten seconds."""
    assert listener.HEAD_TIMEOUT <= 10
    with proxy() as (url, _), contextlib.ExitStack() as slow:
        address = HTTPClient(url).address
        host, port = str(address.hostname), address.port or 0
        opened = []
        for _ in range(MAX_CONNECTIONS + 50):
            opened.append(slow.enter_context(socket.create_connection((host, port))))
            opened[-1].sendall(b"POST /mcp HTTP/1.1\r\nhost: ")
        client = HTTPClient(url)
        client.initialize()
        assert client.text("echo", n="3") == '{"n": 3}'
        for each in opened:
            each.settimeout(3 * listener.HEAD_TIMEOUT)
            with contextlib.suppress(ConnectionResetError):
                assert each.recv(9) == b""


def test_the_log_and_the_counts_say_who_it_was(tmp_path: Path) -> None:
    """Each line of a call has the name of the token; unchanged calls have one if it is wanted."""
    log = tmp_path / "log"
    options = ("--log", str(log), "--json", "--access-log")
    with team(tmp_path, *options) as (client_of, _, _):
        for name, n in (("ann", 3), ("bob", "3"), ("cat", "many")):
            client = client_of(name)
            client.initialize()
            client.call("echo", n=n)
        until(lambda: len(log.read_text().splitlines()) >= 3)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        calls = {each["user"]: each["outcome"] for each in lines if each["event"] == "call"}
        assert calls == {"ann": "unchanged", "bob": "coerced", "cat": "refused"}
        metrics = client.request("GET", path="/metrics")[2].decode()
        for name, outcome in calls.items():
            line = f'schema2model_user_calls_total{{user="{name}",outcome="{outcome}"}} 1'
            assert line in metrics
        assert 'schema2model_servers{server="",state="up"} 3' in metrics


def test_sessions_need_no_threads() -> None:
    """There are the event loop, what starts processes, and what corrects long calls."""
    with proxy() as (url, process):
        tasks = Path(f"/proc/{process.pid}/task")
        if not tasks.exists():
            pytest.skip("threads are counted in /proc")
        for _ in range(8):
            client = HTTPClient(url)
            client.initialize()
            assert client.text("echo", n="3") == '{"n": 3}'
        assert json.loads(client.text("echo", 2, n="3", more="x" * 50_000))["n"] == 3
        assert len([*tasks.iterdir()]) <= 3


def test_a_long_answer_passes_as_it_came(tmp_path: Path) -> None:
    """Of an only server: nothing is parsed, and others go on meanwhile."""
    script = tmp_path / "server.py"
    script.write_text("""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "long", "inputSchema": {}}]}
    else:
        result = {"numbers": [[index, 1.10] for index in range(300_000)]}
    if "id" in message:
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        print(text.replace("1.1]", "1.10]"), flush=True)
""")
    with proxy(server=["--", "python3", str(script)]) as (url, _):
        client = HTTPClient(url)
        client.initialize()
        params = {"name": "long", "arguments": {}}
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        status, _, content = client.request("POST", call)
        assert (status, len(content) > 2**20, b"1.10" in content) == (200, True, True)
        assert json.loads(content)["id"] == 7
        assert len(json.loads(content)["result"]["numbers"]) == 300_000


def test_a_session_that_begins_during_an_outage_corrects_afterwards(tmp_path: Path) -> None:
    """A list of tools that failed, or was in part, is asked for again by the next call."""
    script = tmp_path / "server.py"
    script.write_text(f"""
import json, pathlib, sys
count = pathlib.Path({str(tmp_path / "count")!r})
started = len(count.read_text()) if count.exists() else 0
count.write_text("." * (started + 1))
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "tools/list" and started < 2:
        sys.exit(3)
    if method == "initialize":
        result = {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}}}
        result["serverInfo"] = {{"name": "x", "version": "1"}}
    elif method == "tools/list":
        schema = {{"properties": {{"n": {{"type": "integer"}}}}}}
        result = {{"tools": [{{"name": "echo", "inputSchema": schema}}]}}
    else:
        text = json.dumps(message["params"]["arguments"]) if "params" in message else ""
        result = {{"content": [{{"type": "text", "text": text}}]}}
    if "id" in message:
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
""")
    with proxy(server=["--", "python3", str(script)]) as (url, _):
        client = HTTPClient(url)
        client.initialize()
        answers: list[Any] = []

        def works() -> bool:
            answers.append(client.call("echo", len(answers) + 1, n="3"))
            return "result" in answers[-1]

        until(works)
        texts = [each["result"]["content"][0]["text"] for each in answers if "result" in each]
        texts.append(client.text("echo", 99, n="3"))
        assert texts[-1] == '{"n": 3}', texts


@pytest.mark.parametrize("how", ["replaced", "lost"])
def test_others_go_on_with_a_shared_server_when_one_client_is_dropped(
    tmp_path: Path, how: str
) -> None:
    """One that makes room for another; or one whose connection is lost within a call."""
    path = tmp_path / "servers.json"
    server = {"command": UPSTREAM[0], "args": UPSTREAM[1:], "stateless": True}
    path.write_text(json.dumps({"mcpServers": {"one": server}}))
    limits = {"replaced": ("--max-sessions", "2"), "lost": ("--disconnect-timeout", "0.2")}
    with proxy(*limits[how], server=["--servers", str(path)]) as (url, _):
        dropped, other = HTTPClient(url), HTTPClient(url)
        for client in (dropped, other):
            client.initialize()
        pid = other.text("one__pid")
        with other.stream(), ThreadPoolExecutor() as pool:
            slow = pool.submit(other.text, "one__slow", 7)
            if how == "replaced":
                HTTPClient(url).initialize()
                assert dropped.call("one__pid") == 404
            else:
                params = {"name": "one__never", "arguments": {}}
                call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
                send_and_go(dropped, call)
                metrics = HTTPClient(url)
                until(lambda: b"sessions 1\n" in metrics.request("GET", path="/metrics")[2])
            assert slow.result() == "slow"
            assert other.text("one__pid") == pid


def send_and_go(client: HTTPClient, message: Any) -> None:
    """Send a request, and close the connection at once."""
    body = json.dumps(message).encode()
    named = {**client.headers, "host": client.address.netloc, "content-length": str(len(body))}
    lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
    with socket.create_connection((client.address.hostname, client.address.port)) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "lines"])
def test_what_the_http_server_logs_has_the_form_of_the_log(tmp_path: Path, as_json: bool) -> None:  # noqa: FBT001
    """In the file, and on standard error."""
    log = tmp_path / "log"
    with proxy("--log", str(log), *(["--json"] if as_json else [])) as (url, process):
        address = urlsplit(url)
        with socket.create_connection((address.hostname, address.port)) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            assert b"400" in connection.recv(4096)
        words = "Invalid HTTP request received."
        until(lambda: words in log.read_text())
        assert process.stderr.readline() == f"schema2model proxy: {words}\n"
    [line] = [line for line in log.read_text().splitlines() if words in line]
    if as_json:
        record = json.loads(line)
        assert datetime.fromisoformat(record.pop("time")).tzinfo is not None
        assert record == {"level": "warning", "event": "notice", "reason": words}
    else:
        assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d,\d{{3}} {re.escape(words)}", line)
