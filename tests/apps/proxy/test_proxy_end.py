# ruff: noqa: S603 - the processes are our own
"""How a proxy starts and ends: with its server, with its client, or by a signal."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forking import python
from proxied import PROXY, Connect, call, has_gone, posix, request
from waiting import PATIENCE, until


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("/nowhere/server", id="missing"),
        pytest.param(str(Path(__file__).parent), id="folder"),
    ],
)
def test_a_command_that_cannot_be_started_is_named(command: str) -> None:
    """With exit code 2."""
    done = subprocess.run(
        [python(), *PROXY[1:], "--", command], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"Error: cannot start `{re.escape(command)}`: .+\n", done.stderr)


def test_the_servers_options_need_no_dashes_before_them(tmp_path: Path) -> None:
    """What follows the command is its own."""
    command = [
        python(),
        *PROXY[1:],
        sys.executable,
        "-c",
        "import sys; print(sys.argv)",
        "--log",
        "x",
        "-h",
    ]
    done = subprocess.run(
        command, capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL
    )
    assert done.stdout == "['-c', '--log', 'x', '-h']\n"


def test_a_server_that_dies_leaves_no_request_without_an_answer(connect: Connect) -> None:
    """Each gets an error, the exit code is 1, and one line says why."""
    client = connect("never-list")
    client.send(request(1, "tools/list"), call("held", {}), request(3, "die"))
    errors = [client.next() for _ in range(3)]
    assert [error["id"] for error in errors] == [1, "held", 3]
    for error in errors:
        assert error["error"] == {"code": -32000, "message": "the server ended with exit code 3"}
    assert client.line() == b""
    assert client.ends() == (1, "schema2model proxy: the server ended with exit code 3\n")


def test_a_message_that_is_cut_off_does_not_swallow_the_errors(connect: Connect) -> None:
    """They come in lines of their own."""
    client = connect()
    client.send({"method": "say", "params": {"line": '{"jsonrpc": "2.0", "id": 1, "res'}})
    client.send(request(1, "die"))
    assert client.line() == b'{"jsonrpc": "2.0", "id": 1, "res\n'
    assert client.next()["error"]["message"] == "the server ended with exit code 3"


def test_a_server_that_closes_its_output_has_gone(connect: Connect) -> None:
    """Whether or not it runs on."""
    client = connect(patience=0.1)
    client.send({"jsonrpc": "2.0", "method": "close"})
    assert client.line() == b""
    code, said = client.ends()
    assert code == 1
    assert said.startswith("schema2model proxy: the server ")


def test_when_the_client_goes_the_server_is_told_and_may_speak(connect: Connect) -> None:
    """It sees the end of its input, ends by itself, and its last words arrive."""
    client = connect("talk")
    client.input.close()
    assert client.line() == b"bye\n"
    assert client.line() == b""
    assert client.ends() == (0, "")
    assert client.served() == [b"EOF\n"]


def test_a_client_that_has_closed_its_ears_is_gone(connect: Connect) -> None:
    """The server is told, and the proxy ends."""
    client = connect()
    client.deaf = True
    client.send(request(1, "ping"))
    client.next()
    client.listener.join()
    client.send(request(2, "ping"))
    assert client.process.wait(PATIENCE) == 0
    assert client.served()[-1] == b"EOF\n"


@posix
def test_a_server_that_does_not_end_is_ended(connect: Connect) -> None:
    """Asked first, then killed."""
    client = connect("stubborn", patience=0.1)
    client.send(request(1, "ping"))
    client.next()
    client.input.close()
    assert client.ends()[0] == 0
    assert client.line() == b""  # nobody holds the other end any more


@posix
def test_what_a_server_leaves_is_ended(tmp_path: Path) -> None:
    """Its children end with it, also if it has ended by itself."""
    note = tmp_path / "pid"
    child = [sys.executable, "-c", "import time; time.sleep(600)"]
    server = f"""
import pathlib, subprocess, sys
child = subprocess.Popen({child}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
pathlib.Path({str(note)!r}).write_text(str(child.pid))
sys.stdin.read()
"""
    done = subprocess.run(
        [python(), *PROXY[1:], "--", sys.executable, "-c", server],
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0
    until(lambda: has_gone(int(note.read_text())))


@contextlib.contextmanager
def inherited(interrupted: Any) -> Iterator[None]:
    """What processes that are started in the context do when they are interrupted."""
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_too(connect: Connect, number: signal.Signals) -> None:
    """Quietly."""
    with inherited(signal.default_int_handler):  # also if these tests run in the background
        client = connect("stubborn")
    client.send(request(1, "ping"))
    client.next()
    client.process.send_signal(number)
    assert client.ends() == (0, "")
    assert client.line() == b""


@posix
def test_a_signal_leaves_no_request_without_an_answer(connect: Connect) -> None:
    """What the server has not answered gets an error."""
    client = connect("never-list")
    client.send(request(0, "ping"), request(1, "tools/list"))
    client.next()
    client.process.send_signal(signal.SIGTERM)
    answer = client.next()
    reason = "the server was ended with the proxy"
    assert (answer["id"], answer["error"]) == (1, {"code": -32000, "message": reason})
    assert client.ends() == (0, "")


@posix
def test_an_interruption_is_not_for_what_runs_in_the_background(connect: Connect) -> None:
    """The shell has it ignored there; other signals count."""
    with inherited(signal.SIG_IGN):
        client = connect()
    client.send(request(1, "ping"))
    client.next()
    client.process.send_signal(signal.SIGINT)
    client.send(request(2, "ping"))
    assert client.next()["id"] == 2
    client.process.send_signal(signal.SIGTERM)
    assert client.ends() == (0, "")


@posix
def test_a_signal_counts_while_the_client_does_not_read(connect: Connect) -> None:
    """Even if the proxy cannot say what it has to say."""
    client = connect(patience=0.1)
    client.reading.clear()  # it reads one line, and no more
    client.send(request(0, "ping"))
    client.next()
    filler = "x" * 2**20 + "\n"
    sent = [request(number, "say", line=filler) for number in range(8)]
    client.send_meanwhile(*sent, request(9, "die"))
    until(client.is_full)
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(PATIENCE) == 0
    client.reading.set()
