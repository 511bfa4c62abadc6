"""Each of several servers is spoken to in its own version of MCP; one that fails costs no other."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fake_servers import Ends, FakeServer
from forking import python
from proxied import PROXY, SERVER, call, request
from waiting import PATIENCE, until

from schema2model.apps.proxy import handshakes

VERSION = "io.modelcontextprotocol/protocolVersion"
MODERN = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
HANDSHAKE = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
REFUSED = {"code": -32601, "message": "Method not found"}
LOCKED = {
    "code": -32022,
    "message": "Unsupported protocol version",
    "data": {"supported": ["2026-07-28"]},
}
CLIENT = {
    "io.modelcontextprotocol/clientInfo": {"name": "a client", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
    VERSION: "2026-07-28",
}


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer the handshake soon."""
    monkeypatch.setattr(handshakes, "PROBE_PATIENCE", 0.1)


def initialize(number: int) -> dict[str, Any]:
    """The handshake of a client."""
    info = {"name": "a client", "version": "1"}
    version = "2025-06-18"
    return request(
        number, "initialize", protocolVersion=version, capabilities={"roots": {}}, clientInfo=info
    )


def timers() -> set[threading.Thread]:
    """The threads that wait for the end of a time."""
    return {each for each in threading.enumerate() if isinstance(each, threading.Timer)}


def refuse(server: FakeServer, error: dict[str, Any] = REFUSED) -> str:
    """Refuse the next request; return its method."""
    asked = server.next()
    server.say({"jsonrpc": "2.0", "id": asked["id"], "error": error})
    return str(asked["method"])


def list_tools(server: FakeServer) -> dict[str, Any]:
    """Answer a request of a list; return its parameters."""
    asked = server.next()
    assert asked["method"] == "tools/list"
    server.answer(asked["id"], tools=[{"name": "x"}])
    return dict(asked["params"])


@pytest.mark.usefixtures("hasty")
def test_a_silent_older_server_gets_the_handshake(ends: Callable[..., Ends]) -> None:
    """And takes no newer one away, though it never answers a request that it does not know."""
    both = ends("newer", "older")
    newer, older = both.servers["newer"], both.servers["older"]
    both.say(request(1, "server/discover", _meta=CLIENT))
    newer.answer(newer.next()["id"], **MODERN)
    assert older.next()["method"] == "server/discover"
    asked = older.next()
    assert asked["params"]["clientInfo"] == {"name": "a client", "version": "1"}
    older.answer(asked["id"], **HANDSHAKE)
    assert both.next()["result"]["supportedVersions"] == ["2026-07-28"]
    assert older.next()["method"] == "notifications/initialized"
    both.say(request(2, "tools/list", _meta=CLIENT))
    list_tools(newer)
    list_tools(older)
    names = {tool["name"] for tool in both.next()["result"]["tools"]}
    assert names == {"newer__x", "older__x"}


@pytest.fixture
def both(hasty: None, ends: Callable[..., Ends], monkeypatch: pytest.MonkeyPatch) -> Ends:
    """A client of two servers: the newer one has answered, the older one is slow to open."""
    monkeypatch.setattr(handshakes, "DISCOVER_PATIENCE", 0.3)
    opened = ends("newer", "older")
    newer = opened.servers["newer"]
    opened.say(request(1, "server/discover", _meta=CLIENT))
    newer.answer(newer.next()["id"], **MODERN)
    return opened


def test_a_list_waits_for_a_slow_older_server(both: Ends) -> None:
    """The client is answered in time, and gets the tools when the handshake is done."""
    newer, older = both.servers["newer"], both.servers["older"]
    answer = both.next()["result"]
    assert '"older" are missing: no answer yet' in answer["instructions"]
    both.say(request(2, "tools/list", _meta=CLIENT))
    list_tools(newer)
    assert older.next()["method"] == "server/discover"
    older.answer(older.next()["id"], **HANDSHAKE)
    assert older.next()["method"] == "notifications/initialized"
    list_tools(older)
    assert len(both.next()["result"]["tools"]) == 2


def test_a_cancellation_waits_with_its_request(both: Ends) -> None:
    """A server that is slow to open would do what was cancelled before it heard of it."""
    older = both.servers["older"]
    both.next()
    both.say(request(2, "prompts/get", name="older__x", _meta=CLIENT))
    params = {"requestId": 2, "_meta": CLIENT}
    both.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    assert older.next()["method"] == "server/discover"
    older.answer(older.next()["id"], **HANDSHAKE)
    assert older.next()["method"] == "notifications/initialized"
    asked, cancelled = older.next(), older.next()
    assert asked["method"] == "prompts/get"
    assert cancelled["params"]["requestId"] == asked["id"]


@pytest.mark.parametrize(
    ("method", "result"), [("initialize", HANDSHAKE), ("server/discover", MODERN)]
)
def test_a_client_that_opens_its_connection_again_and_again(
    ends: Callable[..., Ends], monkeypatch: pytest.MonkeyPatch, method: str, result: dict[str, Any]
) -> None:
    """Each request is answered, at the latest by the next, and no thread waits for a time-out."""
    monkeypatch.setattr(handshakes, "HANDSHAKE_PATIENCE", 10 * PATIENCE)
    before = timers()
    both = ends("one")
    server = both.servers["one"]
    opening = (
        initialize if method == "initialize" else partial(request, method=method, _meta=CLIENT)
    )
    both.say(opening(1))
    server.next()
    both.say(opening(2))
    answer = both.next()
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    server.answer(server.next()["id"], **result)
    assert both.next()["id"] == 2
    for number in range(3, 50):
        both.say(opening(number))
        server.answer(server.next()["id"], **result)
        assert both.next()["id"] == number
    until(lambda: timers() <= before)


def test_no_changes_are_announced_that_only_a_subscription_brings(
    ends: Callable[..., Ends],
) -> None:
    """Several servers have no `subscriptions/listen`; older servers announce changes unasked."""
    able = {"tools": {"listChanged": True}, "resources": {"listChanged": True, "subscribe": True}}
    one = ends("newer")
    one.say(request(1, "server/discover", _meta=CLIENT))
    server = one.servers["newer"]
    server.answer(server.next()["id"], **{**MODERN, "capabilities": able})
    assert one.next()["result"]["capabilities"] == {"tools": {}, "resources": {}}
    one = ends("older")
    one.say(initialize(1))
    server = one.servers["older"]
    server.answer(server.next()["id"], **{**HANDSHAKE, "capabilities": able})
    assert one.next()["result"]["capabilities"] == able


@pytest.mark.usefixtures("hasty")
def test_newer_servers_stay_for_a_client_that_falls_back(ends: Callable[..., Ends]) -> None:
    """They refuse the handshake after `server/discover`, so that the proxy translates for them."""
    both = ends("newer", "older")
    newer, older = both.servers["newer"], both.servers["older"]
    both.say(request(1, "server/discover", _meta=CLIENT))
    assert older.next()["method"] == newer.next()["method"] == "server/discover"
    assert "error" in both.next()  # nobody has answered in time
    both.say(initialize(2))
    assert refuse(newer, LOCKED) == "initialize"
    asked = newer.next()
    assert asked["method"] == "server/discover"
    assert asked["params"]["_meta"] == CLIENT
    newer.answer(asked["id"], **MODERN)
    older.answer(older.next()["id"], **HANDSHAKE)
    assert both.next()["result"]["protocolVersion"] == "2025-06-18"
    both.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert older.next()["method"] == "notifications/initialized"
    both.say(request(3, "tools/list"))
    assert list_tools(newer)["_meta"] == CLIENT
    assert "_meta" not in list_tools(older)
    assert len(both.next()["result"]["tools"]) == 2
    both.say(call(4, {}, "newer__x", _meta={"progressToken": 1}))
    asked = newer.next()
    assert asked["params"]["_meta"] == {"progressToken": asked["id"], **CLIENT}
    newer.answer(asked["id"], content=[], resultType="complete")
    assert both.next()["result"]["content"] == []


def test_what_an_older_client_cannot_give_is_an_error(ends: Callable[..., Ends]) -> None:
    """A server without a handshake asks for input in a result, which older clients do not read."""
    both = ends("newer", "older")
    both.say(initialize(1))
    newer, older = both.servers["newer"], both.servers["older"]
    older.answer(older.next()["id"], **HANDSHAKE)
    refuse(newer)
    newer.answer(newer.next()["id"], **MODERN)
    both.next()
    both.say(call(2, {}, "newer__x"))
    newer.answer(newer.next()["id"], resultType="input_required", inputRequests={})
    error = both.next()["error"]
    assert error["message"].endswith('asks for what only newer clients can give: "input_required"')


def test_a_client_that_begins_with_a_request_opens_all(ends: Callable[..., Ends]) -> None:
    """As one does that was told the version."""
    both = ends("newer", "older")
    newer, older = both.servers["newer"], both.servers["older"]
    both.say(request(1, "tools/list", _meta=CLIENT))
    assert refuse(older) == "server/discover"
    newer.answer(newer.next()["id"], **MODERN)
    older.answer(older.next()["id"], **HANDSHAKE)
    assert older.next()["method"] == "notifications/initialized"
    list_tools(newer)
    list_tools(older)
    assert len(both.next()["result"]["tools"]) == 2


@pytest.mark.parametrize("method", ["initialize", "server/discover"])
def test_a_server_that_ends_is_named_with_the_reason(
    ends: Callable[..., Ends], method: str
) -> None:
    """In the instructions, for clients that hide standard error."""
    both = ends("bad", "good")
    both.say(request(1, method, protocolVersion="2025-06-18", _meta=CLIENT))
    bad, good = both.servers["bad"], both.servers["good"]
    bad.next()
    bad.stop(0)
    good.answer(good.next()["id"], **(HANDSHAKE if method == "initialize" else MODERN))
    instructions = both.next()["result"]["instructions"]
    assert instructions == 'The tools of the server "bad" are missing: the server "bad" has ended.'
    both.say(call(2, {}, "bad__x"))
    assert both.next()["error"]["message"] == 'the server "bad" has ended'


@pytest.mark.parametrize("version", ["1999-01-01", "2024-10-07", "2099-01-01", "latest", None, []])
def test_a_server_of_an_unknown_version_is_left_out(
    ends: Callable[..., Ends], version: Any
) -> None:
    """The client would end its connection to all servers; it is told why one is missing."""
    both = ends("odd", "good")
    odd, good = both.servers["odd"], both.servers["good"]
    both.say(initialize(1))
    odd.answer(odd.next()["id"], **{**HANDSHAKE, "protocolVersion": version})
    good.answer(good.next()["id"], **HANDSHAKE)
    result = both.next()["result"]
    assert result["protocolVersion"] == "2025-06-18"
    reason = f"its version of MCP, {json.dumps(version)}, is unknown"
    assert result["instructions"] == f'The tools of the server "odd" are missing: {reason}.'
    both.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert good.next()["method"] == "notifications/initialized"
    both.say(call(2, {}, "good__x"))
    good.answer(good.next()["id"], content=[])
    assert both.next()["result"] == {"content": []}


@pytest.mark.parametrize("asked", ["1999-01-01", "2099-01-01", "2026-07-28", 7])
def test_servers_are_asked_for_a_version_that_the_proxy_knows(
    ends: Callable[..., Ends], asked: Any
) -> None:
    """A server that repeats whatever it is asked for would name an unknown one."""
    both = ends("one", "two")
    message = initialize(1)
    message["params"]["protocolVersion"] = asked
    both.say(message)
    for each in both.servers.values():
        request = each.next()
        assert request["params"] == {**message["params"], "protocolVersion": "2025-11-25"}
        each.answer(request["id"], **{**HANDSHAKE, **request["params"]})
    assert both.next()["result"]["protocolVersion"] == "2025-11-25"


def test_a_newer_server_is_spoken_to_in_the_version_that_the_proxy_knows(
    ends: Callable[..., Ends],
) -> None:
    """Unknown versions are not offered to the client; a server of those alone is left out."""
    three = ends("first", "future", "second")
    first, future, second = three.servers.values()
    three.say(request(1, "server/discover", _meta=CLIENT))
    several = ["2099-01-01", "2026-07-28", "2025-11-25"]
    first.answer(first.next()["id"], **{**MODERN, "supportedVersions": several})
    second.answer(second.next()["id"], **{**MODERN, "supportedVersions": several})
    unknown = {**MODERN, "supportedVersions": ["2099-01-01"]}
    future.answer(future.next()["id"], **unknown)
    assert refuse(future) == "initialize"
    future.answer(future.next()["id"], **unknown)
    result = three.next()["result"]
    assert result["supportedVersions"] == ["2025-11-25", "2026-07-28"]
    reason = 'its versions of MCP, ["2099-01-01"], are unknown'
    assert f'The tools of the server "future" are missing: {reason}.' in result["instructions"]


@pytest.mark.parametrize(
    ("first", "second", "cached"),
    [
        ((9000, "public"), (9000, "public"), (9000, "public")),
        ((9000, "public"), (5, "private"), (5, "private")),
        ((9000, "public"), (None, None), (0, "private")),
        ((9000, "public"), ("9", ["public"]), (0, "private")),
        ((None, None), (None, None), (None, None)),
    ],
)
def test_an_answer_is_cached_as_each_server_allows(
    ends: Callable[..., Ends], first: Any, second: Any, cached: Any
) -> None:
    """No server shares what another keeps private, nor keeps what another changes; nor its name."""
    both = ends("one", "two")
    hints = [
        {key: value for key, value in zip(("ttlMs", "cacheScope"), each, strict=True) if value}
        for each in (first, second)
    ]
    stamp = {"io.modelcontextprotocol/serverInfo": {"name": "one"}, "more": 1}
    both.say(request(1, "server/discover", _meta=CLIENT))
    for server, hint in zip(both.servers.values(), hints, strict=True):
        server.answer(server.next()["id"], **MODERN, **hint, _meta=stamp)
    discovery = both.next()["result"]
    assert discovery["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "schema2model"
    both.say(request(2, "tools/list", _meta=CLIENT))
    for server, hint in zip(both.servers.values(), hints, strict=True):
        server.answer(server.next()["id"], tools=[{"name": "x"}], **hint)
    for result in (discovery, both.next()["result"]):
        assert (result.get("ttlMs"), result.get("cacheScope")) == cached


def test_a_missing_program_costs_no_other(tmp_path: Path) -> None:
    """Its entry is named, and its calls are answered; if all are missing, all are named.

    Clients are told the program, but not its arguments, which may be secret.
    """
    missing = {"command": str(tmp_path / "nothing"), "args": ["--key", "s3cr3t"]}
    program, *arguments = SERVER
    good = {"command": program, "args": [*arguments, str(tmp_path / "received")]}
    path = tmp_path / "servers.json"

    def run(entries: dict[str, Any], *messages: Any) -> subprocess.CompletedProcess[str]:
        path.write_text(json.dumps({"mcpServers": entries}))
        return subprocess.run(  # noqa: S603 - our own
            [python(), *PROXY[1:], "--servers", str(path)],
            input="".join(json.dumps(each) + "\n" for each in messages),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    done = run({"bad": missing, "good": good}, initialize(1), call(2, {}, "bad__x"))
    first, second = map(json.loads, done.stdout.splitlines())
    words = f'the server "bad" cannot start `{tmp_path}/nothing`: '
    assert {first["id"], second["id"]} == {1, 2}
    answers = {each["id"]: each for each in (first, second)}
    assert answers[2]["error"]["message"].startswith(words)
    assert '"bad" are missing: ' in answers[1]["result"]["instructions"]
    told = f"schema2model proxy: {words}"  # the other server may write before
    assert any(line.startswith(told) for line in done.stderr.splitlines())
    assert done.returncode == 0
    nowhere = {**good, "cwd": str(tmp_path / "nowhere")}
    unnamed = {**good, "env": {"A=B": "s3cr3t"}}
    done = run({"nowhere": nowhere, "unnamed": unnamed, "good": good}, initialize(1))
    assert "; is its cwd right?" in done.stderr
    assert "the name of a variable in its env has an equals sign" in done.stderr
    done = run({"bad": missing, "worse": missing})
    assert done.returncode == 2
    assert 'the server "bad" cannot start' in done.stderr
    assert 'the server "worse" cannot start' in done.stderr
