"""The proxy over HTTP: several clients, each with servers of its own, and who may connect."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("mcp", reason=needs("mcp"))

import mcp
from forking import start
from http_client import PROXY, UPSTREAM, HTTPClient, is_running, proxy
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from waiting import PATIENCE, until

from schema2model.apps.proxy.listen.listener import Listener

TOKEN = "0123456789abcdef" * 2


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A proxy without a token."""
    with proxy() as (url, _):
        yield url


@pytest.fixture
def client(url: str) -> HTTPClient:
    """A client with a session."""
    client = HTTPClient(url)
    client.initialize()
    return client


def test_arguments_are_corrected(client: HTTPClient) -> None:
    """A refused call is answered for the model."""
    assert client.text("echo", n="3", tags="['a',]") == '{"n": 3, "tags": ["a"]}'
    refused = client.call("echo", n="many")["result"]
    assert refused["isError"]
    assert "must be an integer" in refused["content"][0]["text"]


def test_small_answers_are_sent_at_once() -> None:
    """An accepted socket has TCP_NODELAY, without which each answer waits 40 ms."""

    def start(*_: Any) -> Any:
        raise NotImplementedError

    listener = Listener("127.0.0.1", 0, start, start, metrics=str)
    with listener._socket as listening:
        address = listening.getsockname()
        with socket.create_connection(address), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_client_of_the_sdk(url: str) -> None:
    """It lists and calls tools, and is asked by the server meanwhile."""

    async def session() -> tuple[str, str]:
        async def roots(_: Any) -> Any:
            return mcp.types.ListRootsResult(roots=[])

        async with (
            streamable_http_client(url) as streams,
            ClientSession(streams[0], streams[1], list_roots_callback=roots) as client,
        ):
            await client.initialize()
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "echo" in names
            one: Any = (await client.call_tool("echo", {"n": "3"})).content[0]
            other: Any = (await client.call_tool("ask", {})).content[0]
            return one.text, other.text

    assert asyncio.run(session()) == ('{"n": 3}', '{"roots": []}')


@pytest.mark.skipif(not hasattr(mcp, "Client"), reason="the SDK 1.x has no such client")
def test_a_client_of_the_newer_sdk(url: str) -> None:
    """It begins with a question of a newer version, and goes on with the older one."""

    async def session() -> str:
        async with mcp.Client(url) as client:
            answer: Any = (await client.call_tool("echo", {"n": "3"})).content[0]
            return str(answer.text)

    assert asyncio.run(session()) == '{"n": 3}'


def test_fastmcp(url: str) -> None:
    """Another client."""
    fastmcp = pytest.importorskip("fastmcp", reason=needs("fastmcp"))

    async def session() -> Any:
        async with fastmcp.Client(url) as client:
            return (await client.call_tool("echo", {"n": "3"})).content[0].text

    assert asyncio.run(session()) == '{"n": 3}'


def test_each_client_has_a_server_of_its_own(url: str) -> None:
    """It ends with the session; a session that has ended is not found."""
    one, other = HTTPClient(url), HTTPClient(url)
    one.initialize()
    other.initialize()
    pids = [int(client.text("pid")) for client in (one, other)]
    assert pids[0] != pids[1]
    assert one.request("DELETE")[0] == 200
    until(lambda: not is_running(pids[0]))
    assert one.call("pid") == 404
    assert int(other.text("pid")) == pids[1]


def test_a_stateless_server_is_shared(tmp_path: Path) -> None:
    """By all clients; each gets its own answers, and its end is not that of the server."""
    path = tmp_path / "servers.json"
    own = {"command": UPSTREAM[0], "args": UPSTREAM[1:]}
    servers = {"own": own, "shared": {**own, "stateless": True}}
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    with proxy(server=["--servers", str(path)]) as (url, process):
        clients = [HTTPClient(url) for _ in range(4)]
        answers: dict[int, Any] = {}

        def ask(number: int, client: HTTPClient) -> None:
            client.initialize()
            texts = [client.text("shared__echo", 1, n=str(10 * number + i)) for i in range(10)]
            answers[number] = texts, client.text("own__pid"), client.text("shared__pid")

        threads = [threading.Thread(target=ask, args=each) for each in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, (texts, _, _) in answers.items():
            assert texts == [f'{{"n": {10 * number + i}}}' for i in range(10)]
        assert len({own for _, own, _ in answers.values()}) == 4
        (pid,) = {int(shared) for _, _, shared in answers.values()}
        clients[0].request("DELETE")
        until(lambda: not is_running(int(answers[0][1])))
        assert int(clients[1].text("shared__pid")) == pid
        assert clients[1].call("shared__die")["error"]["code"] == -32000
        until(lambda: "result" in clients[2].call("shared__echo", n="3"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert not is_running(pid)


def test_a_shared_server_is_answered(tmp_path: Path) -> None:
    """Its pings are, and its questions, which no client gets, delay nothing: it need not read."""
    path = tmp_path / "servers.json"
    server = {"command": UPSTREAM[0], "args": UPSTREAM[1:], "stateless": True}
    path.write_text(json.dumps({"mcpServers": {"one": server, "two": server}}), encoding="utf-8")
    with proxy(server=["--servers", str(path)]) as (url, _):
        clients = [HTTPClient(url) for _ in range(4)]
        for client in clients:
            client.initialize()
        assert clients[0].text("one__ping") == "{}"
        answers: list[str] = []

        def ask(client: HTTPClient, request: int) -> None:
            answers.append(client.text("one__questions", request, n="1", pad="." * 40_000))

        threads = [
            threading.Thread(target=ask, args=(client, request), daemon=True)
            for client in clients
            for request in range(6)
        ]
        for thread in threads:
            thread.start()
        until(lambda: len(answers) == 24)
        assert {*answers} == {"done"}


def test_a_shared_server_ends_with_its_last_session(tmp_path: Path) -> None:
    """Once a signal has read a configuration without it; it takes no subscriptions."""
    path = tmp_path / "servers.json"
    own = {"command": UPSTREAM[0], "args": UPSTREAM[1:]}
    path.write_text(json.dumps({"mcpServers": {"a": own, "b": {**own, "stateless": True}}}))
    with proxy(server=["--servers", str(path)]) as (url, process):
        first = HTTPClient(url)
        first.initialize()
        pid = int(first.text("b__pid"))
        other = {**own, "stateless": True, "env": {"OTHER": "1"}}
        path.write_text(json.dumps({"mcpServers": {"a": own, "c": other}}))
        process.send_signal(signal.SIGHUP)

        def reaches_the_new() -> bool:
            client = HTTPClient(url)
            client.initialize()
            is_new = "result" in client.call("c__pid")
            client.request("DELETE")  # one from before the signal would be another session of `b`
            return is_new

        until(reaches_the_new)
        assert int(first.text("b__pid")) == pid
        first.request("DELETE")
        until(lambda: not is_running(pid))


def at_once(work: Callable[[int], Any], numbers: range) -> list[Any]:
    """What a function returns for some numbers, in a thread each."""
    with ThreadPoolExecutor(len(numbers)) as pool:
        return [*pool.map(work, numbers)]


def test_clients_at_once(url: str) -> None:
    """Their requests have the same ids, and each gets its own answer."""

    def one(number: int) -> str:
        client = HTTPClient(url)
        client.initialize()
        client.call("slow")
        answer = client.text("echo", n=str(number))
        client.request("DELETE")
        return answer

    assert at_once(one, range(6)) == [f'{{"n": {number}}}' for number in range(6)]


def test_requests_of_one_client_at_once(client: HTTPClient) -> None:
    """Each gets the answer with its id."""
    answers = at_once(lambda number: client.call("echo", number, n=str(number)), range(1, 9))
    for number, answer in enumerate(answers, 1):
        assert answer["id"] == number
        assert answer["result"]["content"][0]["text"] == f'{{"n": {number}}}'


def test_health_and_metrics() -> None:
    """Calls are counted by tool and outcome, in the words of the log.

    There are latency by tool, open requests, refused sessions and restarts, too.
    """
    with proxy() as (url, _):
        client = HTTPClient(url)
        client.initialize()
        for value in ("3", 3, "many"):
            client.call("echo", n=value)
        client.call('none"such\n')
        assert client.request("GET", path="/healthz")[::2] == (200, b"ok\n")
        status, headers, content = client.request("GET", path="/metrics")
        assert status == 200
        assert headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = content.decode().splitlines()
        for outcome in ("coerced", "refused", "unchanged"):
            assert f'schema2model_calls_total{{tool="echo",outcome="{outcome}"}} 1' in lines
        assert 'schema2model_calls_total{tool="",outcome="unknown_tool"} 1' in lines
        assert "schema2model_sessions 1" in lines
        client.call("slow", n=1)
        client.call("die")
        until(lambda: "result" in client.call("echo", n="3"))
        lines = client.request("GET", path="/metrics")[2].decode().splitlines()
        name = "schema2model_call_duration_seconds"
        assert f'{name}_count{{tool="slow"}} 1' in lines
        assert f'{name}_bucket{{tool="slow",le="0.25"}} 0' in lines
        assert f'{name}_bucket{{tool="slow",le="+Inf"}} 1' in lines
        assert "schema2model_open_requests 0" in lines
        assert "schema2model_sessions_refused_total 0" in lines
        assert "schema2model_restarts_total 1" in lines


def test_a_token(tmp_path: Path) -> None:
    """Requests without it, or with another, are refused; `/healthz` needs none."""
    path = tmp_path / "token.txt"
    path.write_text(f"{TOKEN}\n")
    with proxy("--token-file", str(path)) as (url, _):
        nobody = HTTPClient(url)
        assert nobody.request("GET", path="/healthz")[0] == 200
        for wrong in ({}, {"authorization": "Bearer x"}, {"authorization": f"Basic {TOKEN}"}):
            for method, place in (("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/metrics")):
                status, headers, content = nobody.request(method, b"{}", place, **wrong)
                assert status == 401
                assert "bearer" in headers["www-authenticate"].lower()
                assert TOKEN.encode() not in content
        friend = HTTPClient(url, authorization=f"Bearer {TOKEN}")
        friend.initialize()
        assert friend.text("echo", n="3") == '{"n": 3}'
        assert friend.request("GET", path="/metrics")[0] == 200
        stolen = friend.headers["mcp-session-id"]
        assert nobody.request("POST", b"{}", **{"mcp-session-id": stolen})[0] == 401


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such signals")
def test_named_tokens_and_what_a_signal_rereads(tmp_path: Path) -> None:
    """A session is for its token alone; SIGHUP reads tokens again; the log names the session."""
    tokens, log = tmp_path / "tokens.txt", tmp_path / "calls.log"
    one, two, three = ("1" * 20, "2" * 20, "3" * 20)
    tokens.write_text(f"ann: {one}\nbob: {two}\nann: {three}\n")
    with proxy("--token-file", str(tokens), "--log", str(log), "--json") as (url, process):
        ann, bob, other_ann = (
            HTTPClient(url, authorization=f"Bearer {each}") for each in (one, two, three)
        )
        ann.initialize()
        bob.initialize()
        assert ann.text("echo", 5, n="3") == '{"n": 3}'
        bob.headers["mcp-session-id"], own = ann.headers["mcp-session-id"], bob.headers
        assert bob.call("echo") == 404
        other_ann.headers["mcp-session-id"] = ann.headers["mcp-session-id"]
        assert other_ann.call("echo") == 404
        records = map(json.loads, log.read_text().splitlines())
        (record,) = (each for each in records if each["event"] == "call")
        assert (record["client"], record["request"]) == ("raw", 5)
        assert record["session"] == ann.headers["mcp-session-id"][:8]
        tokens.write_text("too short")
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert ann.text("echo", n="3") == '{"n": 3}'
        tokens.write_text(f"carl: {three}\n")
        process.send_signal(signal.SIGHUP)
        until(lambda: ann.call("echo") == 401)
        assert own
        carl = HTTPClient(url, authorization=f"Bearer {three}")
        carl.initialize()


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such signals")
def test_the_stream_of_a_removed_token_ends(tmp_path: Path) -> None:
    """With its session, when SIGHUP rereads the tokens; those of others go on."""
    tokens = tmp_path / "tokens.txt"
    one, two = "1" * 20, "2" * 20
    tokens.write_text(f"ann: {one}\nbob: {two}\n")
    with proxy("--token-file", str(tokens)) as (url, process):
        ann, bob = (HTTPClient(url, authorization=f"Bearer {each}") for each in (one, two))
        ann.initialize()
        bob.initialize()
        with ann.stream() as stream, bob.stream():
            tokens.write_text(f"bob: {two}\n")
            process.send_signal(signal.SIGHUP)
            assert stream.read() == b""
            assert bob.text("echo", n="3") == '{"n": 3}'
            lines = bob.request("GET", path="/metrics")[2].decode().splitlines()
            assert "schema2model_sessions 1" in lines


def test_versions_and_hosts(url: str) -> None:
    """An unknown version is a bad request; the name of the host has no case."""
    client = HTTPClient(url)
    client.initialize()
    for version in ("none", "1999-01-01"):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert client.request("POST", ping, **{"mcp-protocol-version": version})[0] == 400
    port = client.address.port
    assert client.request("GET", path="/healthz", host=f"LocalHost:{port}")[0] == 200


@pytest.mark.parametrize("path", ["/mcp", "/metrics", "/healthz", "/none"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.test"}, 421),
        ({"host": "evil.test:80"}, 421),
        ({"origin": "http://evil.test"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost"}, 403),
    ],
)
def test_other_hosts_and_origins(url: str, path: str, headers: dict[str, str], status: int) -> None:
    """A page of another origin reaches nothing, whatever its name resolves to."""
    assert HTTPClient(url).request("GET", path=path, **headers)[0] == status


def test_a_further_host() -> None:
    """It is accepted as host and as origin."""
    with proxy("--allow-host", "mcp.test") as (url, _):
        client = HTTPClient(url, host="mcp.test", origin="https://mcp.test")
        assert client.request("GET", path="/healthz")[0] == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(os.name != "posix", reason="other systems have no such signals")
def test_a_graceful_end(number: int) -> None:
    """An open call is answered, the servers end, the summary is written, and the exit code is 0."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests run in the background of a shell, whose programs ignore it")
    with proxy() as (url, process):
        client = HTTPClient(url)
        client.initialize()
        pid = int(client.text("pid"))
        client.call("echo", n="3")
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(client.text("slow", 7)))
        thread.start()
        opened = b""
        while b'tool="slow"' not in opened:
            opened = client.request("GET", path="/metrics")[2]
        process.send_signal(number)
        _, error = process.communicate(timeout=PATIENCE)
        thread.join()
        assert answers == ["slow"]
        assert process.returncode == 0
        assert "of 3 calls, 1 coerced" in error
        assert "Traceback" not in error
        assert not is_running(pid)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such signals")
def test_what_is_open_at_the_end_is_answered() -> None:
    """With an error, when the grace is over; a stream alone delays nothing."""
    with proxy() as (url, process):
        client, other = HTTPClient(url), HTTPClient(url)
        client.initialize()
        other.initialize()
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(client.call("never", 7)))
        with other.stream():
            thread.start()
            opened = b""
            while b'tool="never"' not in opened:
                opened = other.request("GET", path="/metrics")[2]
            process.send_signal(signal.SIGTERM)
            thread.join()
            assert answers[0]["error"] == {"code": -32000, "message": "the proxy ends"}
            assert process.wait(PATIENCE) == 0
    spent = []
    for stream in (contextlib.nullcontext, HTTPClient.stream):
        with proxy() as (url, process):
            client = HTTPClient(url)
            client.initialize()
            with stream(client):
                began = time.monotonic()
                process.send_signal(signal.SIGTERM)
                assert process.wait(PATIENCE) == 0
                spent.append(time.monotonic() - began)
    assert spent[1] < 4 + spent[0]


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such signals")
def test_it_ends_right_after_its_clients(tmp_path: Path) -> None:
    """Also if they have just left, and several servers of theirs are about to end."""
    path = tmp_path / "servers.json"
    server = {"command": UPSTREAM[0], "args": UPSTREAM[1:]}
    path.write_text(json.dumps({"mcpServers": {"a": server, "b": server}}), encoding="utf-8")
    with proxy(server=["--servers", str(path)]) as (url, process):
        for _ in range(3):
            client = HTTPClient(url)
            client.initialize()
            client.call("a__echo", n="3")
            client.request("DELETE")
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert "of 3 calls, 3 coerced" in error


WRONG = {
    "port": (["--listen", "8000"], "HOST:PORT"),
    "large": (["--listen", "127.0.0.1:99999"], "HOST:PORT"),
    "all": (["--listen", "0.0.0.0:0"], "--token-file"),
    "unknown": (["--listen", "no-such-host.invalid:0", "--token-file", "TOKEN"], "cannot listen"),
    "no listen": (["--token-file", "TOKEN"], "for --listen"),
    "short": (["--listen", "127.0.0.1:0", "--token-file", "SHORT"], "at least 16"),
    "scheme": (["--listen", "127.0.0.1:0", "--allow-host", "https://a.test"], "HOST:PORT, such"),
    "no log": (["--json"], "give --log"),
    "missing": (["--listen", "127.0.0.1:0", "--token-file", "NONE"], "cannot read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is refused with a message that says what to do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "TOKEN").write_text(TOKEN)
    (tmp_path / "SHORT").write_text("secret")
    words, expected = WRONG[name]
    command = [*PROXY, *words, "--", *UPSTREAM]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = start(command, **pipes, text=True, env=environment)
    _, error = done.communicate()
    assert done.returncode == 2
    assert expected in error
    assert "Traceback" not in error
    assert "secret" not in error


def test_a_server_that_cannot_be_started() -> None:
    """The client gets an error that says so; the proxy goes on."""
    with proxy(server=["--", "no-such-command"]) as (url, process):
        client = HTTPClient(url)
        for _ in range(2):
            with pytest.raises(KeyError, match="result"):
                client.initialize()
            client.headers.pop("mcp-session-id")
        assert process.poll() is None


def test_a_server_that_ends_is_started_again() -> None:
    """The open call and those in the delay get errors; then it serves the same session."""
    with proxy() as (url, _):
        client, other = HTTPClient(url), HTTPClient(url)
        client.initialize()
        other.initialize()
        pid, others = client.text("pid"), other.text("pid")
        error = client.call("die")["error"]
        assert error == {"code": -32000, "message": "the server ended with exit code 3"}
        error = client.call("echo", n="3")["error"]
        assert error["code"] == -32000
        assert "can be started again in 0." in error["message"]
        until(lambda: "result" in client.call("echo", n="3"))
        assert client.text("pid") not in {pid, others}
        assert other.text("pid") == others
