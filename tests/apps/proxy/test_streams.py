"""Lines from and to pipes, files and terminals, on the event loop."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest
from forking import start
from hypothesis import given, strategies as st
from proxied import PROXY, SERVER, TYPED, call, got, posix, request
from waiting import PATIENCE

from schema2model.apps.proxy import processes, streams
from schema2model.apps.proxy.calls import CallPolicy
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.processes import Process
from schema2model.apps.proxy.session import Session
from schema2model.apps.proxy.streams import Lines, Writer, last_bytes

ON_WINDOWS = [sys.executable, str(Path(__file__).parents[2] / "support" / "windows_proxy.py")]


class Collected:
    """Either end of a session: it keeps what it gets."""

    def __init__(self) -> None:
        self.got: list[Any] = []

    def send(self, message: Message) -> None:
        """Take a message."""
        self.got.append(message.value)

    def full(self) -> None:
        """There is always room."""


def taken(content: bytes, sizes: list[int] | None = None) -> list[bytes]:
    """The lines of a content that comes in parts of so many bytes."""

    async def take() -> list[bytes]:
        found: list[bytes] = []

        async def take_long(head: bytes, rest: AsyncIterator[bytes]) -> None:
            found.append(head + b"".join([part async for part in rest]))

        lines, left = Lines(found.append, take_long), content
        for size in sizes or []:
            await lines.feed(left[:size])
            left = left[size:]
        if left:
            lines.data_received(left)
        lines.connection_lost(None)
        await lines.ended
        return found

    return asyncio.run(take())


@given(st.binary(max_size=60), st.lists(st.integers(0, 9), max_size=9))
def test_lines_are_those_of_the_content(content: bytes, sizes: list[int]) -> None:
    """However it comes, whatever is too long: nothing is lost or moves; the last line ends, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "MAX_MESSAGE_LINE", 12)
        found = taken(content, sizes)
    if content and not content.endswith(b"\n"):
        content += b"\n"
    assert b"".join(found) == content
    assert found == [line + b"\n" for line in content.split(b"\n")[:-1]]


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_a_line_that_is_too_long_is_refused(extra: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the client, since it cannot be checked; its id is found at either end."""
    monkeypatch.setattr(streams, "MAX_MESSAGE_LINE", 4096)

    async def refused(line: bytes) -> tuple[list[Any], list[Any]]:
        client, server = Collected(), Collected()
        session = Session(client, CallPolicy())
        session.server = server

        async def refuse(head: bytes, rest: AsyncIterator[bytes]) -> None:
            session.refuse_long(head, await last_bytes(rest))

        lines = Lines(session.take_line, refuse)
        lines.data_received(line)
        lines.connection_lost(None)
        await lines.ended
        return client.got, server.got

    for members in (b'"id":7,"method":"x","params":"%b"', b'"method":"x","params":"%b","id":7'):
        line = b"{" + members + b"}\n"
        line %= b"x" * (4096 + extra - len(line) + 2)
        assert len(line) == 4096 + extra
        answers, sent = asyncio.run(refused(line))
        ids = [each["id"] for each in answers if "at most" in each["error"]["message"]]
        assert (len(sent), ids) == ((1, []) if extra <= 0 else (0, [7]))


def test_a_pipe_is_not_read_while_a_line_waits() -> None:
    """What is not taken stays with who writes: a pipe of it, and what was read with the line."""

    async def read() -> int:
        source, sink = os.pipe()
        os.set_blocking(sink, False)
        wait = asyncio.Event()

        def take(_: bytes) -> Awaitable[Any] | None:
            return None if wait.is_set() else wait.wait()

        with os.fdopen(source, "rb", 0) as pipe:
            reading = asyncio.ensure_future(Lines.read(pipe, take, lambda *_: None))
            written = blocked = 0
            while blocked < 5:
                try:
                    written += os.write(sink, b"x" * 999 + b"\n")
                except BlockingIOError:
                    blocked += 1
                await asyncio.sleep(0.01 if blocked else 0)
            wait.set()
            os.close(sink)
            await reading
        return written

    assert asyncio.run(read()) <= 4 * streams.BUFFER_SIZE


@posix
@pytest.mark.parametrize("pollable", [True, False], ids=["pipes", "threads"])
def test_a_writer_takes_what_a_reader_leaves(
    pollable: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It never blocks, says when it is full, and forgets what waits once nobody reads."""
    monkeypatch.setattr(streams, "HAS_POLLABLE_PIPES", pollable)

    async def write() -> None:
        source, sink = os.pipe()
        writer = await Writer.open(os.fdopen(sink, "wb", 0))
        for _ in range(64):
            writer.write(b"x" * 2**14)
        more = writer.full()
        assert more is not None
        assert writer.waiting > 0
        reading = asyncio.get_running_loop().run_in_executor(None, os.read, source, 2**20)
        while writer.waiting > 2**16:
            await reading
            reading = asyncio.get_running_loop().run_in_executor(None, os.read, source, 2**20)
        await more
        await reading
        os.close(source)
        writer.write(b"x" * 2**20)
        await asyncio.wait_for(writer.gone.wait(), PATIENCE)
        assert writer.waiting == 0
        writer.close()

    asyncio.run(write())


@pytest.mark.parametrize("words", [PROXY, [*ON_WINDOWS, "proxy"]], ids=["posix", "windows"])
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_a_client_may_be_a_file(tmp_path: Path, words: list[str], kind: str) -> None:
    """Or a pipe, on all systems; answers to what it asks are written, and the server ends."""
    asked = [request(0, "tools/list"), call(1, TYPED | {"limit": "10"}), call(2, {"tags": "[]"})]
    content = "".join(json.dumps(each) + "\n" for each in asked).encode()
    (tmp_path / "in").write_bytes(content)
    command = [*words, "--", *SERVER, str(tmp_path / "received")]
    if kind == "file":
        with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as sink:
            process = start(command, stdin=source, stdout=sink)
        assert process.wait(PATIENCE) == 0
        answers = (tmp_path / "out").read_bytes()
    else:
        process = start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(content)
        process.stdin.close()
        answers = process.stdout.read()
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
    by_id = {each["id"]: each for each in map(json.loads, answers.splitlines())}
    assert (got(by_id[1]), got(by_id[2])) == (TYPED, {"tags": []})
    assert (tmp_path / "received").read_bytes().endswith(b"EOF\n")


def test_a_server_that_is_killed_on_windows(tmp_path: Path) -> None:
    """Its requests get errors, as everywhere; what it was sent before is answered."""
    command = [*ON_WINDOWS, "proxy", "--", *SERVER, str(tmp_path / "received")]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = start(command, **pipes, stderr=subprocess.PIPE)
    for sent in (
        [request(0, "tools/list")],
        [call(1, {}), call(2, {"wait": 1}), request(3, "die")],
    ):
        process.stdin.write("".join(json.dumps(each) + "\n" for each in sent).encode())
        process.stdin.flush()
        if len(sent) == 1:
            assert json.loads(process.stdout.readline())["id"] == 0
    answers = {each["id"]: each for each in (json.loads(line) for line in process.stdout)}
    process.stdin.close()
    assert process.wait(PATIENCE) == 1
    assert b"exit code 3" in process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    assert "result" in answers[1]
    assert [answers[number]["error"]["code"] for number in (2, 3)] == [-32000] * 2


@posix
def test_standard_streams_stay_as_they_were() -> None:
    """Others share them: a terminal, and standard error where it is the same pipe."""
    source, sink = os.pipe()
    code = "import sys; sys.stdin.read()"
    with os.fdopen(source, "rb") as reads, os.fdopen(sink, "wb") as writes:
        process = start([*PROXY, "--", sys.executable, "-c", code], stdin=reads, stdout=writes)
        threading.Event().wait(0.5)
        assert os.get_blocking(source)
        assert os.get_blocking(sink)
        process.kill()
        process.wait(PATIENCE)


def test_a_server_is_not_read_while_its_lines_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where pipes cannot be polled: what it writes would fill the memory."""
    monkeypatch.setattr(processes, "USES_TRANSPORT", True)

    async def read() -> list[bytes]:
        command = "import sys; print(1); print(2, flush=True); sys.stdin.read()"
        server = await Process.start([sys.executable, "-c", command])
        taken: list[bytes] = []
        may_go_on = asyncio.Event()

        def take(line: bytes) -> Awaitable[Any]:
            taken.append(line)
            return may_go_on.wait()

        async def take_long(head: bytes, rest: AsyncIterator[bytes]) -> None:
            """No line is long."""

        ended = asyncio.ensure_future(server.each(take, take_long))
        output = server._child._transport.get_pipe_transport(1)
        while output.is_reading():  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
        assert len(taken) == 1
        may_go_on.set()
        server.close()
        await ended
        await server.stop(PATIENCE)
        server._child._transport.close()
        return taken

    lines = asyncio.run(asyncio.wait_for(read(), PATIENCE))
    assert [*map(int, lines)] == [1, 2]
