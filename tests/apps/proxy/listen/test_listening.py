"""The proxy over HTTP: several clients, each with servers of its own, and who may connect."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("mcp", reason=needs("mcp"))

import mcp
from http_client import PROXY, UPSTREAM, HTTPClient, proxy
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from waiting import until

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


def is_running(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_arguments_are_corrected(client: HTTPClient) -> None:
    """A refused call is answered for the model."""
    assert client.text("echo", n="3", tags="['a',]") == '{"n": 3, "tags": ["a"]}'
    refused = client.call("echo", n="many")["result"]
    assert refused["isError"]
    assert "must be an integer" in refused["content"][0]["text"]


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


def test_clients_at_once(url: str) -> None:
    """Their requests have the same ids, and each gets its own answer."""
    answers: dict[int, str] = {}

    def one(number: int) -> None:
        client = HTTPClient(url)
        client.initialize()
        client.call("slow")
        answers[number] = client.text("echo", n=str(number))
        client.request("DELETE")

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: f'{{"n": {number}}}' for number in range(6)}


def test_requests_of_one_client_at_once(client: HTTPClient) -> None:
    """Each gets the answer with its id."""
    answers: dict[int, Any] = {}

    def one(number: int) -> None:
        answers[number] = client.call("echo", number, n=str(number))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, answer in answers.items():
        assert answer["id"] == number
        assert answer["result"]["content"][0]["text"] == f'{{"n": {number}}}'


def test_health_and_metrics() -> None:
    """Calls are counted by tool and outcome, in the words of the log."""
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
        _, error = process.communicate(timeout=20)
        thread.join()
        assert answers == ["slow"]
        assert process.returncode == 0
        assert "of 3 calls, 1 coerced" in error
        assert "Traceback" not in error
        assert not is_running(pid)


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
        _, error = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "of 3 calls, 3 coerced" in error


WRONG = {
    "port": (["--listen", "8000"], "HOST:PORT"),
    "large": (["--listen", "127.0.0.1:99999"], "HOST:PORT"),
    "all": (["--listen", "0.0.0.0:0"], "--token-file"),
    "unknown": (["--listen", "no-such-host.invalid:0", "--token-file", "TOKEN"], "cannot listen"),
    "no listen": (["--token-file", "TOKEN"], "for --listen"),
    "short": (["--listen", "127.0.0.1:0", "--token-file", "SHORT"], "at least 16"),
    "missing": (["--listen", "127.0.0.1:0", "--token-file", "NONE"], "cannot read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options(name: str, tmp_path: Path) -> None:
    """Each is refused with a message that says what to do."""
    (tmp_path / "TOKEN").write_text(TOKEN)
    (tmp_path / "SHORT").write_text("secret")
    words, expected = WRONG[name]
    command = [*PROXY, *words, "--", *UPSTREAM]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(  # noqa: S603 - our own
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert done.returncode == 2
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr


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
