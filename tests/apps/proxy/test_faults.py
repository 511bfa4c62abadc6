"""A table of faults: each call is answered once, nobody else is affected, and nothing is left.

Every fault is tried with one server, with several, and over HTTP. The server says its process id
with each answer; a second client, or a second server, goes on meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forking import start
from http_client import HTTPClient, proxy
from proxied import PROXY, has_gone, posix
from waiting import PATIENCE, until

from schema2model.extras import needs

FAULTY = """
import json, os, signal, sys, time
def write(text):
    left = memoryview(text.encode())
    while left:
        left = left[os.write(1, left):]
def answer(request, result):
    write(json.dumps({"jsonrpc": "2.0", "id": request, "result": result}) + "\\n")
def text(words):
    return {"content": [{"type": "text", "text": words}]}
for line in sys.stdin:
    message = json.loads(line)
    method, request = message.get("method"), message.get("id")
    if method == "initialize":
        answer(request, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                         "serverInfo": {"name": "faulty", "version": "1"}})
    elif method == "tools/list":
        schema = {"properties": {"n": {"type": "integer"}}}
        answer(request, {"tools": [{"name": "do", "inputSchema": schema}]})
    elif method == "tools/call":
        what = message["params"]["arguments"].get("what", "")
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "exit":
            sys.exit(3)
        elif what == "half line":
            write('{"jsonrpc": "2.0", "id": ' + json.dumps(request) + ', "res')
            sys.exit(3)
        elif what == "close output":
            os.close(1)
            time.sleep(600)
        elif what == "wrong id":
            answer("schema2model-1", text("stolen"))
        elif what == "twice":
            answer(request, text("first"))
        elif what == "guess":
            for guess in (0, 1, 2, "1", "2", None, True, 1.0):
                answer(guess, text("stolen"))
        elif what == "not JSON":
            write('{"jsonrpc": "2.0", "id": ' + json.dumps(request) + ', "result": {]}\\n')
            continue
        elif what == "not a message":
            write('[]\\n3\\n"x"\\nnull\\n{}\\n{"id": 1}\\n\\n')
        elif what == "deep":
            write('{"jsonrpc": "2.0", "id": ' + json.dumps(request) + ', "result": '
                  + "[" * 5000 + "]" * 5000 + "}\\n")
            continue
        elif what == "flood":
            note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}}
            write((json.dumps(note) + "\\n") * 5000)
        elif what == "large":
            answer(request, text("x" * 3_000_000))
            continue
        elif what == "silence":
            time.sleep(600)
        elif what == "slow":
            time.sleep(1)
        elif what == "stop reading":
            answer(request, text(""))
            time.sleep(600)
        answer(request, text(str(os.getpid()) + " " + json.dumps(message["params"]["arguments"])))
"""
ENDS = {"kill", "exit", "half line", "close output"}
ERRORS = ENDS | {"not JSON", "deep"}
FAULTS = sorted(ERRORS | {"wrong id", "twice", "guess", "not a message", "flood", "large"})


@pytest.fixture
def server(tmp_path: Path) -> list[str]:
    """The command of the server."""
    script = tmp_path / "faulty.py"
    script.write_text(FAULTY)
    return [sys.executable, str(script)]


class Stdio:
    """A client of a proxy on standard input and output."""

    def __init__(self, words: list[str]) -> None:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = start([*PROXY, *words], **pipes, stderr=subprocess.PIPE)
        self.answers: dict[Any, list[Any]] = {}
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        self.ask(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})

    def _read(self) -> None:
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict) and {"result", "error"} & message.keys():
                    self.answers.setdefault(message.get("id"), []).append(message)

    def ask(self, number: Any, method: str, **params: Any) -> Any:
        """The answer to a request."""
        self.send(number, method, **params)
        until(lambda: number in self.answers)
        return self.answers[number][0]

    def send(self, number: Any, method: str, **params: Any) -> None:
        """Send a request."""
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> tuple[int, str]:
        """Say no more, and wait for the proxy: its exit code, and what it said."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self._reading.join()
        if not self.process.stderr.closed:
            self.said = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, self.said


@contextlib.contextmanager
def stdio(*words: str) -> Iterator[Stdio]:
    """A client; the proxy has gone afterwards."""
    client = Stdio([*words])
    try:
        yield client
    finally:
        client.process.kill()
        client.end()


def pid_in(answer: Any) -> int:
    """The process that has answered; its arguments were corrected."""
    pid, _, arguments = answer["result"]["content"][0]["text"].partition(" ")
    assert json.loads(arguments) == {"n": 7}
    return int(pid)


@posix
@pytest.mark.parametrize("fault", [each for each in FAULTS if each != "deep"])
def test_with_one_server(server: list[str], fault: str) -> None:
    """A server that ends ends the proxy; all that is open then has an error.

    Answers too deep for a parser, and to nothing that was asked, pass as they came.
    """
    with stdio("--", *server) as client:
        pid = pid_in(client.ask("before", "tools/call", name="do", arguments={"n": "7"}))
        answer = client.ask("fault", "tools/call", name="do", arguments={"what": fault})
        assert ("error" in answer) == (fault in ERRORS)
        if fault not in ENDS:
            after = client.ask("after", "tools/call", name="do", arguments={"n": "7"})
            assert pid_in(after) == pid
        code, _ = client.end()
        assert code == (1 if fault in ENDS else 0)
        assert has_gone(pid)
        counts = {key: len(client.answers[key]) for key in ("before", "fault")}
        assert counts == {"before": 1, "fault": 2 if fault == "twice" else 1}


@posix
@pytest.mark.parametrize("fault", FAULTS)
def test_with_several_servers(server: list[str], fault: str, tmp_path: Path) -> None:
    """The other one goes on; each call has one answer, from the server that was asked."""
    command = {"command": server[0], "args": server[1:]}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"a": command, "b": command}}))
    with stdio("--servers", str(tmp_path / "servers.json")) as client:
        other = pid_in(client.ask(1, "tools/call", name="b__do", arguments={"n": "7"}))
        client.send("fault", "tools/call", name="a__do", arguments={"what": fault})
        for number in range(2, 9):
            answer = client.ask(number, "tools/call", name="b__do", arguments={"n": "7"})
            assert pid_in(answer) == other
        until(lambda: "fault" in client.answers)
        assert ("error" in client.answers["fault"][0]) == (fault in ERRORS)
        assert client.end()[0] == 0
        assert has_gone(other)
        assert all(len(got) == 1 for got in client.answers.values())


@posix
@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
@pytest.mark.parametrize("fault", FAULTS)
def test_over_http(server: list[str], fault: str, tmp_path: Path, *, shared: bool) -> None:
    """The same session goes on, with a server that is started again if it has ended."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    entry = {"command": server[0], "args": server[1:], "stateless": shared}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"a": entry}}))
    options = ["--servers", str(tmp_path / "servers.json")]
    with proxy(server=options) as (url, _):
        one, other = HTTPClient(url), HTTPClient(url)
        for client in (one, other):
            client.initialize()
        first = pid_in(other.call("a__do", 1, n="7"))
        answer = one.call("a__do", 1, what=fault)
        assert ("error" in answer) == (fault in ERRORS)
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
    server: list[str], words: str, limit: tuple[str, ...], tmp_path: Path
) -> None:
    """Nothing of the proxy's own is written afterwards: nobody waits; the exit code is 0."""
    command = {"command": server[0], "args": server[1:]}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"a": command, "b": command}}))
    servers = ("--", *server) if words == "one" else ("--servers", str(tmp_path / "servers.json"))
    prefix = "" if words == "one" else "a__"
    with stdio(*limit, *servers) as client:
        pid = pid_in(client.ask(1, "tools/call", name=f"{prefix}do", arguments={"n": "7"}))
        client.send(2, "tools/call", name=f"{prefix}do", arguments={"what": "silence"})
        if limit:
            until(lambda: 2 in client.answers)
            assert client.answers[2][0]["error"]["code"] == -32001
        code, said = client.end()
        assert (code, sorted(client.answers)) == (0, [0, 1, 2] if limit else [0, 1])
        assert all(len(got) == 1 for got in client.answers.values())
        assert "silence" not in said
        assert has_gone(pid)


@posix
def test_a_server_that_does_not_read(server: list[str], tmp_path: Path) -> None:
    """Its pipe is full, and what it is sent waits: the other goes on, and both end in time."""
    command = {"command": server[0], "args": server[1:]}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"a": command, "b": command}}))
    with stdio("--servers", str(tmp_path / "servers.json")) as client:
        other = pid_in(client.ask(1, "tools/call", name="b__do", arguments={"n": "7"}))
        client.ask(2, "tools/call", name="a__do", arguments={"what": "stop reading"})
        for number in range(3, 33):
            unread = {"n": "7", "text": "x" * 100_000}
            client.send(number, "tools/call", name="a__do", arguments=unread)
        assert pid_in(client.ask(33, "tools/call", name="b__do", arguments={"n": "7"})) == other
        assert client.end()[0] == 0
        assert sorted(client.answers) == [0, 1, 2, 33]
        assert has_gone(other)


@posix
@pytest.mark.parametrize("words", ["one", "several"])
def test_the_same_id_twice(server: list[str], words: str, tmp_path: Path) -> None:
    """The second request has an error at once; the first has its answer."""
    command = {"command": server[0], "args": server[1:]}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"a": command}}))
    servers = ("--", *server) if words == "one" else ("--servers", str(tmp_path / "servers.json"))
    name = "do" if words == "one" else "a__do"
    with stdio(*servers) as client:
        client.ask(1, "tools/list")
        client.send(2, "tools/call", name=name, arguments={"what": "slow"})
        client.send(2, "tools/call", name=name, arguments={"n": "7"})
        until(lambda: len(client.answers.get(2, ())) == 2)
        refused, answered = client.answers[2]
        assert refused["error"]["code"] == -32600
        assert '"slow"' in answered["result"]["content"][0]["text"]


@posix
def test_the_same_id_twice_over_http(server: list[str]) -> None:
    """The same, in two requests of one session."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    with proxy(server=["--", *server]) as (url, _):
        client = HTTPClient(url)
        client.initialize()
        found: list[Any] = [{}]

        def call() -> None:
            while "result" not in found[-1]:  # perhaps the other one was faster
                found.append(client.call("do", 2, what="slow"))

        first = threading.Thread(target=call)
        first.start()
        until(lambda: client.call("do", 2, n="7").get("error", {}).get("code") == -32600)
        first.join()
        assert '"slow"' in found[-1]["result"]["content"][0]["text"]
