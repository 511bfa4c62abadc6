"""A server that is a process: lines on its standard input and output."""

from __future__ import annotations

import asyncio
import ctypes
import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.streams import Lines, Take, TakeLong, Writer

__all__ = ["Process"]

LAST_WARNING = 1.0
"""Seconds between the signal that asks to end, and the one that does not ask."""

LAST_WAIT = 10.0
"""Seconds after which a process that was killed is taken to have gone."""

USES_TRANSPORT = os.name != "posix"
"""True on Windows, whose event loop has pipes of its own kind to the processes that it starts."""

_STARTER = ThreadPoolExecutor(1, "schema2model-starter")
"""The thread that starts all processes, which ends with the program."""


def _death_signal() -> Callable[[], None] | None:
    """Return what a process calls so that it is killed when the proxy dies; None but on Linux.

    Without it, a server that ignores the end of its input would outlive a proxy that is killed.
    """
    if sys.platform != "linux":
        return None
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) and None


_PR_SET_PDEATHSIG = 1
_DIE_WITH_PROXY = _death_signal()


class Process:
    """A running server process. By default it inherits our environment, folder and standard error.

    On POSIX it leads a process group, so that its children end with it: `npx` and `uvx` run the
    server proper as a child.
    """

    is_refused = False
    unsent: Message | None = None
    waits_for_answers = False

    def __init__(self, child: Any, writer: Writer) -> None:
        self._child, self._writer = child, writer
        self._stopped: asyncio.Task[str] | None = None

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        environment: Iterable[tuple[str, str]] = (),
        folder: str | None = None,
        errors: IO[bytes] | None = None,
    ) -> Process:
        """Start it.

        Args:
            command: the program and its arguments.
            environment: variables in addition to our environment.
            folder: where it runs.
            errors: the file of its standard error, if it is not ours.

        Raises:
            OSError: if it cannot be started.

        """
        program, *arguments = command
        words = [shutil.which(program) or program, *arguments]  # on Windows, npx is npx.cmd
        options: dict[str, Any] = {"env": {**os.environ, **dict(environment)}, "cwd": folder}
        options["stderr"] = errors
        loop = asyncio.get_running_loop()
        if USES_TRANSPORT:
            transport, child = await loop.subprocess_exec(_Child, *words, **options)
            child.writer.connection_made(transport.get_pipe_transport(0))
            return cls(child, child.writer)
        start = functools.partial(
            subprocess.Popen,
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=_DIE_WITH_PROXY,
            **options,
        )
        # the death signal comes with the end of the thread that has started the process
        popen = await loop.run_in_executor(_STARTER, start)
        return cls(popen, await Writer.open(popen.stdin))

    async def each(self, take: Take, take_long: TakeLong) -> None:
        """Take all lines that it writes, one after the other."""
        if isinstance(self._child, _Child):
            await self._child.read(Lines(take, take_long))
        else:
            await Lines.read(self._child.stdout, take, take_long)

    def send(self, message: Message) -> None:
        """Send a message soon."""
        self._writer.write(message.line)

    @property
    def waiting(self) -> int:
        """The number of unread bytes."""
        return self._writer.waiting

    def full(self) -> Awaitable[None] | None:
        """Return something to wait for until it has room for more; None if it has."""
        return self._writer.full()

    def close(self) -> None:
        """Close its standard input."""
        self._writer.close()

    async def stop(self, patience: float) -> str:
        """Wait for its end, then end what is left of it and its children. Return how it ended."""
        if self._stopped is None:
            self._stopped = asyncio.ensure_future(self._stop(patience))
        return await asyncio.shield(self._stopped)

    async def _stop(self, patience: float) -> str:
        code = await self._wait(patience)
        deadline = time.monotonic() + LAST_WARNING
        self._signal(signal.SIGTERM)
        while self._signal(0) and time.monotonic() < deadline:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.01)
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        await self._wait(LAST_WAIT)
        if code is None:
            return "had to be stopped"
        return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    async def _wait(self, patience: float) -> int | None:
        """Return the exit code; None if it does not end in time."""
        deadline, pause = time.monotonic() + patience, 0.001
        while (code := self._child.poll()) is None and time.monotonic() < deadline:
            await asyncio.sleep(pause)
            pause = min(0.02, pause * 2)
        return code if code is None else int(code)

    def _signal(self, number: int) -> bool:
        """Signal the server and its children; 0 does nothing. Return False if all have gone."""
        is_over = self._child.poll() is not None  # an ended process is there until then
        if os.name != "posix" or USES_TRANSPORT:
            if not is_over:
                self._child.kill()
            return False
        try:
            os.killpg(self._child.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True


class _Child(asyncio.SubprocessProtocol):
    """A process that the event loop has started."""

    def __init__(self) -> None:
        self.writer = Writer()
        self._transport: Any = None
        self._lines: Lines | None = None
        self._early: list[bytes] = []
        self._is_over = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        del fd
        if self._lines is None:
            self._early.append(data)
        else:
            self._lines.data_received(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self.writer.connection_lost(exc)
        elif self._lines is None:
            self._is_over = True
        else:
            self._lines.connection_lost(exc)

    def pause_writing(self) -> None:
        self.writer.pause_writing()

    def resume_writing(self) -> None:
        self.writer.resume_writing()

    async def read(self, lines: Lines) -> None:
        if not self._is_over:
            lines.connection_made(self._transport.get_pipe_transport(1))
        self._lines = lines
        lines.data_received(b"".join(self._early))
        if self._is_over:
            lines.connection_lost(None)
        await lines.ended

    def poll(self) -> int | None:
        return self._transport.get_returncode()  # type: ignore[no-any-return]

    def kill(self) -> None:
        self._transport.kill()
