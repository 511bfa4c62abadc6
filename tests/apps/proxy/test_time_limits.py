# ruff: noqa: S603 - the processes are our own
"""Calls that take too long, servers that outlive their proxy, and a log that cannot be written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fake_servers import Ends, FakeServer
from forking import python
from http_client import UPSTREAM
from on_a_loop import Sides
from proxied import PROXY, Connect, call, has_gone, posix, request
from waiting import until

STUBBORN = """
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"pid": os.getpid()}}), flush=True)
while True:
    time.sleep(1)
"""


def test_a_call_that_takes_too_long_is_answered(connect: Connect) -> None:
    """And cancelled; a late answer is dropped, and other calls go on."""
    client = connect(options=("--call-timeout", "0.3"))
    client.send(request(0, "tools/list"))
    client.next()
    client.send(call(1, {"limit": 1, "wait": 1}))
    error = client.next()["error"]
    assert error == {"code": -32001, "message": "the server did not answer within 0.3 seconds"}
    late = {"jsonrpc": "2.0", "id": 1, "result": {}}
    client.send({"method": "say", "params": {"line": json.dumps(late) + "\n"}})
    client.send(request(2, "ping"))
    assert client.next()["id"] == 2


def test_an_answered_call_leaves_no_thread_that_waits() -> None:
    """However long the server might have taken."""
    ends = Sides(call_timeout=600)
    ends.lists({"name": "search", "inputSchema": {"type": "object"}})
    before = threading.active_count()
    ends.say(*(call(number, {}, "search") for number in range(8)))
    assert threading.active_count() == before
    for number in range(8):
        ends.answer(number, result={})
    until(lambda: threading.active_count() == before)


def test_an_answered_list_leaves_no_thread_that_waits() -> None:
    """However long the servers might have taken."""
    both = Ends(600, one=FakeServer(), two=FakeServer())
    before = threading.active_count()
    for number in range(8):
        both.say(request(number, "tools/list"))
        for server in both.servers.values():
            server.answer(server.next()["id"], tools=[])
        assert both.next()["id"] == number
    until(lambda: threading.active_count() <= before)
    both.several.stop(0)


def test_a_call_that_is_cancelled_before_the_tools_are_known_is_over() -> None:
    """Its time does not run: nothing is answered, and nothing is cancelled again."""
    ends = Sides(call_timeout=0.2)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    ends.say(call(1, {}, "search"))
    asked = ends.arrived()["id"]
    ends.say(cancel)
    tools = [{"name": "search", "inputSchema": {"type": "object"}}]
    ends.answer(asked, result={"tools": tools})
    assert [ends.arrived(), ends.arrived()] == [call(1, {}, "search"), cancel]
    time.sleep(0.5)
    assert ends.served.empty()
    assert ends.heard.empty()
    assert not ends.proxy._open


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a death signal")
def test_a_stubborn_server_dies_with_a_killed_proxy() -> None:
    """Also if it ignores the end of its input and SIGTERM."""
    command = [*PROXY, "--", sys.executable, "-c", STUBBORN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(request(1, "ping")).encode() + b"\n")
        process.stdin.flush()
        pid = json.loads(process.stdout.readline())["result"]["pid"]
        process.kill()
    until(lambda: has_gone(pid))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk")
def test_a_full_disk_costs_one_line() -> None:
    """Without arguments or tracebacks, however many calls are refused."""
    calls = [call(number, {"n": "s3cret"}, "echo") for number in range(30)]
    command = [python(), *PROXY[1:], "--log", "/dev/full", "--", *UPSTREAM]
    content = "".join(json.dumps(each) + "\n" for each in calls)
    done = subprocess.run(command, input=content, capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 30
    first, *summary = done.stderr.splitlines()
    assert first.startswith("schema2model proxy: cannot write to the log: ")
    assert len(summary) == 2
    assert "s3cret" not in done.stderr
    assert "Traceback" not in done.stderr


@posix
def test_a_signal_reopens_the_log(connect: Connect, tmp_path: Path) -> None:
    """After it was renamed."""
    log = tmp_path / "calls.log"
    client = connect(options=("--log", str(log)))
    client.send(call(1, {"limit": "many"}))
    client.next()
    log.rename(tmp_path / "old.log")
    client.process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    client.send(call(2, {"limit": "many"}))
    client.next()
    until(log.exists)
    assert "refused a call" in (tmp_path / "old.log").read_text()
    until(lambda: "refused a call" in log.read_text())
