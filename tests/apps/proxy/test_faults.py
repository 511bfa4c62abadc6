"""A table of faults: each call is answered once, nobody else is affected, and nothing is left.

Every fault is tried with one server, with several, and over HTTP. The server says its process id
with each answer; a second client, or a second server, goes on meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from http_client import UPSTREAM, HTTPClient, proxy
from proxied import Connect, call, has_gone, posix, request
from waiting import until

from schema2model.extras import needs

ENDS = {"kill", "die", "half_line", "close_output"}
ERRORS = ENDS | {"junk", "deep"}
FAULTS = sorted(ERRORS | {"wrong_id", "twice", "guess", "not_a_message", "flood", "large"})


@pytest.fixture
def several(tmp_path: Path) -> str:
    """A configuration of two servers."""
    path = tmp_path / "servers.json"
    server = {"command": UPSTREAM[0], "args": UPSTREAM[1:]}
    path.write_text(json.dumps({"mcpServers": {"a": server, "b": server}}))
    return str(path)


class Calls:
    """A client of a proxy, and all that it is answered, by the id of the request."""

    def __init__(self, connect: Connect, *options: str) -> None:
        self.client = connect(options=options, server=UPSTREAM, patience=1.0)
        self.answers: dict[Any, list[Any]] = {}
        self.client.send(request(0, "initialize", protocolVersion="2025-06-18", capabilities={}))
        self.wait(0)

    def _read(self) -> bool:
        line = self.client.line()
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and {"result", "error"} & message.keys():
                self.answers.setdefault(message.get("id"), []).append(message)
        return bool(line)

    def wait(self, number: Any, count: int = 1) -> Any:
        """The first of so many answers to a request."""
        while len(self.answers.get(number, ())) < count:
            assert self._read()
        return self.answers[number][0]

    def ask(self, number: Any, name: str, **arguments: Any) -> Any:
        """The answer to a call."""
        self.client.send(call(number, arguments, name))
        return self.wait(number)

    def end(self) -> tuple[int, str]:
        """Say no more, and wait for the proxy: its exit code, and what it said."""
        with contextlib.suppress(BrokenPipeError):
            self.client.input.close()
        while self._read():
            pass
        return self.client.ends()


def check(answer: Any, fault: str) -> None:
    """Assert that a call has an error in its place, or the first answer with its id."""
    if fault in ERRORS:
        assert answer["error"]["code"] in {-32000, -32603}
    else:
        words = {"twice": "first", "wrong_id": "right", "large": "x" * 3_000_000}
        assert answer["result"]["content"][0]["text"] == words.get(fault, "done")


def pid_in(answer: Any) -> int:
    """The process that has answered; its arguments were corrected."""
    pid, _, arguments = answer["result"]["content"][0]["text"].partition(" ")
    assert json.loads(arguments) == {"n": 7}
    return int(pid)


@posix
@pytest.mark.parametrize("fault", [each for each in FAULTS if each != "deep"])
def test_with_one_server(connect: Connect, fault: str) -> None:
    """A server that ends ends the proxy; all that is open then has an error.

    Answers too deep for a parser, and to nothing that was asked, pass as they came.
    """
    calls = Calls(connect)
    pid = pid_in(calls.ask("before", "do", n="7"))
    check(calls.ask("fault", fault), fault)
    if fault not in ENDS:
        assert pid_in(calls.ask("after", "do", n="7")) == pid
    code, _ = calls.end()
    assert code == (1 if fault in ENDS else 0)
    assert has_gone(pid)
    counts = {key: len(calls.answers[key]) for key in ("before", "fault")}
    assert counts == {"before": 1, "fault": 2 if fault == "twice" else 1}


@posix
@pytest.mark.parametrize("fault", FAULTS)
def test_with_several_servers(connect: Connect, several: str, fault: str) -> None:
    """The other one goes on; each call has one answer, from the server that was asked."""
    calls = Calls(connect, "--servers", several)
    other = pid_in(calls.ask(1, "b__do", n="7"))
    calls.client.send(call("fault", {}, f"a__{fault}"))
    for number in range(2, 9):
        assert pid_in(calls.ask(number, "b__do", n="7")) == other
    check(calls.wait("fault"), fault)
    assert calls.end()[0] == 0
    assert has_gone(other)
    assert all(len(got) == 1 for got in calls.answers.values())


@posix
@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
@pytest.mark.parametrize("fault", FAULTS)
def test_over_http(fault: str, tmp_path: Path, *, shared: bool) -> None:
    """The same session goes on, with a server that is started again if it has ended."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    entry = {"command": UPSTREAM[0], "args": UPSTREAM[1:], "stateless": shared}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"a": entry}}))
    options = ["--servers", str(tmp_path / "servers.json")]
    with proxy(server=options) as (url, _):
        one, other = HTTPClient(url), HTTPClient(url)
        for client in (one, other):
            client.initialize()
        first = pid_in(other.call("a__do", 1, n="7"))
        check(one.call(f"a__{fault}", 1), fault)
        if fault not in ENDS or not shared:
            assert pid_in(other.call("a__do", 2, n="7")) == first
        found: list[Any] = []

        def works() -> bool:
            found.append(one.call("a__do", len(found) + 2, n="7"))
            return "result" in found[-1]

        until(works)
        assert (pid_in(found[-1]) == first) == (shared and fault not in ENDS)


@posix
@pytest.mark.parametrize("words", ["one", "several"])
@pytest.mark.parametrize("limit", [(), ("--call-timeout", "0.2")], ids=["", "timed-out"])
def test_the_end_of_input_with_an_open_call(
    connect: Connect, several: str, words: str, limit: tuple[str, ...]
) -> None:
    """Nothing of the proxy's own is written afterwards: nobody waits; the exit code is 0."""
    prefix, options = ("", ()) if words == "one" else ("a__", ("--servers", several))
    calls = Calls(connect, *limit, *options)
    pid = pid_in(calls.ask(1, f"{prefix}do", n="7"))
    calls.client.send(call(2, {}, f"{prefix}never"))
    if limit:
        assert calls.wait(2)["error"]["code"] == -32001
    code, said = calls.end()
    assert (code, sorted(calls.answers)) == (0, [0, 1, 2] if limit else [0, 1])
    assert all(len(got) == 1 for got in calls.answers.values())
    assert "never" not in said
    assert has_gone(pid)


@posix
def test_a_server_that_does_not_read(connect: Connect, several: str) -> None:
    """Its pipe is full, and what it is sent waits: the other goes on, and both end in time."""
    calls = Calls(connect, "--servers", several)
    other = pid_in(calls.ask(1, "b__do", n="7"))
    calls.ask(2, "a__stop_reading")
    for number in range(3, 33):
        calls.client.send(call(number, {"n": "7", "text": "x" * 100_000}, "a__do"))
    assert pid_in(calls.ask(33, "b__do", n="7")) == other
    assert calls.end()[0] == 0
    assert sorted(calls.answers) == [0, 1, 2, 33]
    assert has_gone(other)


@posix
@pytest.mark.parametrize("words", ["one", "several"])
def test_the_same_id_twice(connect: Connect, several: str, words: str) -> None:
    """The second request has an error at once; the first has its answer."""
    prefix, options = ("", ()) if words == "one" else ("a__", ("--servers", several))
    calls = Calls(connect, *options)
    calls.client.send(request(1, "tools/list"))
    calls.wait(1)
    calls.client.send(call(2, {}, f"{prefix}slow"), call(2, {"n": "7"}, f"{prefix}do"))
    refused = calls.wait(2, count=2)
    assert refused["error"]["code"] == -32600
    assert calls.answers[2][1]["result"]["content"][0]["text"] == "slow"


@posix
def test_the_same_id_twice_over_http() -> None:
    """The same, in two requests of one session."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    with proxy() as (url, _):
        client = HTTPClient(url)
        client.initialize()
        found: list[Any] = [{}]

        def slow() -> None:
            while "result" not in found[-1]:  # perhaps the other one was faster
                found.append(client.call("slow", 2))

        first = threading.Thread(target=slow)
        first.start()
        until(lambda: client.call("do", 2, n="7").get("error", {}).get("code") == -32600)
        first.join()
        assert found[-1]["result"]["content"][0]["text"] == "slow"
