"""Lines from and to pipes, on the event loop: the client on standard input and output.

A pipe's lines are taken in the callback that brings them. Coroutines and queues in between would
cost more than all that is done with a small message.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import stat
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from schema2model.errors import unexpected
from schema2model.limits import MAX_MESSAGE_LINE

__all__ = ["Lines", "Stdio", "Take", "TakeLong", "Writer", "last_bytes"]

Take = Callable[[bytes], Awaitable[None] | None]
"""Takes a line; returns something to wait for before the next, if there is."""

TakeLong = Callable[[bytes, AsyncIterator[bytes]], Awaitable[None] | None]
"""The same for a line that is too long to be parsed and comes in several parts."""

BUFFER_SIZE = 2**16
"""Bytes that are read at once: as many as a pipe holds on Linux."""

MAX_TAIL = 1024
"""Bytes at the end of a line that is too long, in which its id is looked for."""

HAS_POLLABLE_PIPES = os.name == "posix"
"""False on Windows: no event loop can wait for standard input there, so threads do."""

LOGGER = logging.getLogger("schema2model.proxy")


class Lines(asyncio.Protocol):
    """Splits a pipe into lines, and passes each on.

    Args:
        take: takes a line. While it has something to wait for, the pipe is not read.
        take_long: the same for a line that is too long.

    """

    def __init__(self, take: Take, take_long: TakeLong) -> None:
        self._take, self._take_long = take, take_long
        self._lines: deque[bytes] = deque()
        self._begun: list[bytes] = []
        self._size = 0
        self._is_over = False
        self._may_come = asyncio.Event()
        self._may_come.set()
        self._waiting: asyncio.Task[None] | None = None
        self._rest: asyncio.Queue[bytes] | None = None  # of a line that is too long
        self._transport: Any = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Is done when all lines are taken."""

    @classmethod
    async def read(cls, pipe: Any, take: Take, take_long: TakeLong) -> None:
        """Take all lines of a pipe, or of a file, which is always ready."""
        lines = cls(take, take_long)
        loop = asyncio.get_running_loop()
        if _is_pollable(pipe):
            await loop.connect_read_pipe(lambda: lines, pipe)
        elif HAS_POLLABLE_PIPES:
            while chunk := os.read(pipe.fileno(), BUFFER_SIZE):
                await lines.feed(chunk)
            lines.connection_lost(None)
        else:
            threading.Thread(target=_pump, args=(pipe, lines, loop), daemon=True).start()
        await lines.ended

    def connection_made(self, transport: Any) -> None:
        """Note the pipe."""
        self._transport = transport
        transport.max_size = BUFFER_SIZE  # of 256 KiB, each read would map memory anew

    def data_received(self, data: bytes) -> None:
        """Split what has come."""
        *ended, begun = data.split(b"\n")
        for part in ended:
            self._add(part + b"\n")
        if begun:
            self._add(begun)
        self._work()

    async def feed(self, data: bytes) -> None:
        """Split data that something else has read; wait until more may come."""
        self.data_received(data)
        await self._may_come.wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take what is left; a line that is cut off ends here, so that others may follow it."""
        del exc
        if self._begun or self._rest is not None:
            self._add(b"\n")
        self._is_over = True
        self._work()

    def _add(self, part: bytes) -> None:
        is_end = part.endswith(b"\n")
        if self._rest is not None:
            self._rest.put_nowait(part)
            if is_end:
                self._rest.put_nowait(b"")
                self._rest = None
            return
        self._begun.append(part)
        self._size += len(part)
        if is_end:
            self._end_line()
        elif self._size >= MAX_MESSAGE_LINE:
            self._rest = asyncio.Queue()
            self._end_line()

    def _end_line(self) -> None:
        self._lines.append(self._begun[0] if len(self._begun) == 1 else b"".join(self._begun))
        self._begun.clear()
        self._size = 0

    def _work(self) -> None:
        """Take lines, until there is something to wait for."""
        while self._lines and self._waiting is None:
            more: Awaitable[None] | None = None
            with _logged():
                line = self._lines.popleft()
                is_cut = len(line) >= MAX_MESSAGE_LINE and not line.endswith(b"\n")
                if is_cut or len(line) > MAX_MESSAGE_LINE:
                    more = self._take_long(line, self._parts(self._rest if is_cut else None))
                else:
                    more = self._take(line)
            if more is not None:
                self._pause()
                self._waiting = asyncio.ensure_future(self._wait(more))
        if self._is_over and not self._lines and self._waiting is None and not self.ended.done():
            self.ended.set_result(None)

    async def _wait(self, more: Awaitable[None]) -> None:
        with _logged():
            await more
        self._waiting = None
        self._work()
        if self._waiting is None:
            self._resume()

    def _pause(self) -> None:
        self._may_come.clear()
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def _resume(self) -> None:
        self._may_come.set()
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    async def _parts(self, rest: asyncio.Queue[bytes] | None) -> AsyncIterator[bytes]:
        """Yield the rest of a long line; the pipe is read as far as it is wanted."""
        while rest is not None:
            if rest.empty():
                self._resume()
            part = await rest.get()
            self._pause()
            if not part:
                return
            yield part


def _pump(pipe: Any, lines: Lines, loop: asyncio.AbstractEventLoop) -> None:
    """Read a pipe in a thread, as far as its lines are taken."""
    with contextlib.suppress(OSError, RuntimeError):  # the latter if the loop has ended
        while chunk := os.read(pipe.fileno(), BUFFER_SIZE):
            asyncio.run_coroutine_threadsafe(lines.feed(chunk), loop).result()
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(lines.connection_lost, None)


@contextlib.contextmanager
def _logged() -> Iterator[None]:
    """Log an error; the next lines are read."""
    try:
        yield
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - libraries may raise anything: a panic, too
        LOGGER.error("a message was lost: %s", unexpected(error))  # noqa: TRY400 - secrets


async def last_bytes(parts: AsyncIterator[bytes]) -> bytes:
    """Read all parts, and return the last bytes of them."""
    tail = b""
    async for part in parts:
        tail = (tail + part)[-MAX_TAIL:]
    return tail


def _is_pollable(pipe: Any) -> bool:
    """Return False for what no selector takes: files, and devices such as /dev/null."""
    mode = os.fstat(pipe.fileno()).st_mode
    is_pipe = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(pipe.fileno())
    return HAS_POLLABLE_PIPES and is_pipe


# ---------------------------------------------------------------------------------------- writing
class Writer(asyncio.BaseProtocol):
    """The writing end of a pipe, which never blocks: what is not taken at once waits."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._room = asyncio.Event()
        self._room.set()
        self.gone = asyncio.Event()
        """Is set when nobody reads any more."""

    @classmethod
    async def open(cls, pipe: Any) -> Writer:
        """Return a writer for a pipe, or for a file, which never waits."""
        if _is_pollable(pipe):
            loop = asyncio.get_running_loop()
            _, writer = await loop.connect_write_pipe(cls, pipe)
        else:
            writer = cls()
            kind = _File if HAS_POLLABLE_PIPES else _ThreadedFile
            writer.connection_made(kind(pipe, writer))
        return writer

    def connection_made(self, transport: Any) -> None:
        """Note the pipe."""
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that nobody reads any more."""
        del exc
        self.gone.set()
        self._room.set()

    def pause_writing(self) -> None:
        """Note that the pipe is full."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Note that it is not."""
        self._room.set()

    def write(self, data: bytes) -> None:
        """Write soon; what is written is lost if nobody reads any more."""
        if not self.gone.is_set():
            self._transport.write(data)

    @property
    def waiting(self) -> int:
        """The number of bytes that wait."""
        return 0 if self.gone.is_set() else self._transport.get_write_buffer_size()

    def full(self) -> Awaitable[Any] | None:
        """Return something to wait for until there is room; None if there is."""
        return None if self._room.is_set() else self._room.wait()

    def close(self) -> None:
        """Close the pipe when all has been written."""
        self._transport.close()


class _File:
    """The part of a pipe's transport that `Writer` uses, for a file."""

    def __init__(self, file: Any, writer: Writer) -> None:
        self._file, self._writer = file, writer

    def write(self, data: bytes) -> None:
        try:
            _write_whole(self._file, data)
        except (OSError, ValueError):  # the latter if it was closed
            self._writer.connection_lost(None)

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        self._file.close()


class _ThreadedFile(_File):
    """The same for a pipe that the event loop cannot wait for: a thread writes."""

    def __init__(self, file: Any, writer: Writer) -> None:
        super().__init__(file, writer)
        self._loop = asyncio.get_running_loop()
        self._size = 0
        self._parts: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._write_all, daemon=True).start()

    def write(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > BUFFER_SIZE:
            self._writer.pause_writing()
        self._parts.put(data)

    def get_write_buffer_size(self) -> int:
        return self._size

    def close(self) -> None:
        self._parts.put(b"")

    def _write_all(self) -> None:
        with self._file, contextlib.suppress(RuntimeError):  # the loop has ended
            while part := self._parts.get():
                try:
                    _write_whole(self._file, part)
                except OSError:
                    self._loop.call_soon_threadsafe(self._writer.connection_lost, None)
                    break
                self._loop.call_soon_threadsafe(self._wrote, len(part))

    def _wrote(self, size: int) -> None:
        self._size -= size
        if self._size <= BUFFER_SIZE:
            self._writer.resume_writing()


def _write_whole(file: Any, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file.fileno(), left) :]


# ------------------------------------------------------------------------------------- the client
class Stdio:
    """The client on standard input and output."""

    def __init__(self, source: Any, writer: Writer) -> None:
        self._source, self.writer = source, writer
        self._late: list[bytes] | None = None

    @classmethod
    async def open(cls) -> Stdio:
        """Open both.

        Raises:
            OSError: if one is closed.

        """
        source = os.fdopen(_own_description(0, os.O_RDONLY), "rb", 0)
        sink = os.fdopen(_own_description(1, os.O_WRONLY), "wb", 0)
        return cls(source, await Writer.open(sink))

    async def each(self, take: Take, take_long: TakeLong) -> None:
        """Take all lines that it writes."""
        await Lines.read(self._source, take, take_long)

    def send(self, message: Any) -> None:
        """Write a message soon; after a long line that has begun, if there is one."""
        if self._late is None:
            self.writer.write(message.line)
        else:
            self._late.append(message.line)

    async def send_long(self, head: bytes, rest: AsyncIterator[bytes]) -> bytes:
        """Write a line in parts; return the end of it. What comes meanwhile comes after it."""
        self._late, tail = [], b""
        self.writer.write(head)
        async for part in rest:
            self.writer.write(part)
            tail = (tail + part)[-MAX_TAIL:]
            if (more := self.writer.full()) is not None:
                await more
        late, self._late = self._late, None
        self.writer.write(b"".join(late))
        return tail

    def full(self) -> Awaitable[None] | None:
        """Return something to wait for until it reads, if it does not."""
        return self.writer.full()


def _own_description(descriptor: int, flags: int) -> int:
    """Open a standard stream anew.

    The event loop makes it non-blocking, which would otherwise hold for all who share it: a
    terminal is standard input, output and error at once, also of the servers.
    """
    mode = os.fstat(descriptor).st_mode
    if HAS_POLLABLE_PIPES and (stat.S_ISFIFO(mode) or os.isatty(descriptor)):
        with contextlib.suppress(OSError):  # where there is no /proc
            own = flags | os.O_NONBLOCK | os.O_NOCTTY
            return os.open(f"/proc/self/fd/{descriptor}", own)
    return os.dup(descriptor)
