"""Both directions at once, and the end of them.

Each direction is a thread that reads a line, deals with it and writes before it reads the next:
nothing piles up in between, and a slow reader slows down who writes to it, as it would alone.
"""

from __future__ import annotations

import contextlib
import enum
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from schema2model.apps.proxy.dead_server import describe_dead_server
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.apps.proxy.routing import Proxy, Send
from schema2model.errors import unexpected
from schema2model.limits import MAX_MESSAGE_LINE

__all__ = [
    "BUFFER_SIZE",
    "ClientInput",
    "ClientOutput",
    "Relay",
    "Server",
    "each_line",
    "last_bytes",
    "write_parts",
]

MAX_TAIL = 1024
"""Bytes at the end of a line that is too long, in which its id is looked for."""

BUFFER_SIZE = 2**16
"""Bytes that are read at once: as many as a pipe holds on Linux."""

GRACE = 5.0
"""Seconds that the server has to end after the client has gone, and its last words to arrive."""

FAREWELL = 1.0
"""Seconds that the server has to end after its output has ended."""

LOGGER = logging.getLogger("schema2model.proxy")


class Server(Protocol):
    """The interface of a server for a relay."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line of its output, or the next part of a long one; `b""` at the end."""

    def send(self, parts: Iterable[bytes], /) -> None:
        """Write a line to it, given in parts.

        Raises:
            OSError: if it does not take any more.

        """

    def close(self) -> None:
        """Tell it that no more will come."""

    def stop(self, patience: float, /) -> str:
        """Wait `patience` seconds for its end, then force it. Return how it ended, in words."""


class ClientInput(Protocol):
    """The output of a client, for the proxy to read."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or of a long one the next part; nothing at the end."""


class ClientOutput(Protocol):
    """The input of a client, without a buffer, for the proxy to write."""

    def write(self, part: Any, /) -> int:
        """Write a part of a line; return the number of bytes that were written.

        Raises:
            OSError: if the client has gone.

        """


class _Event(enum.Enum):
    CLIENT_GONE = enum.auto()
    SERVER_GONE = enum.auto()
    TOLD_TO_STOP = enum.auto()
    DONE = enum.auto()


class Relay:
    """A client, a server, and what is between them.

    Args:
        server: it has been started.
        source: what the client writes.
        sink: what the client reads, without a buffer.
        options: those of `Proxy`.

    """

    def __init__(
        self, server: Server, source: ClientInput, sink: ClientOutput, **options: Any
    ) -> None:
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._server = server
        self._source = source
        self._to_server = self._sender(server.send, _Event.SERVER_GONE)
        self._to_client = self._sender(self._write_to(sink), _Event.CLIENT_GONE)
        self._last = b"\n"
        self._proxy = Proxy(self._to_server, self._to_client, **options)

    def run(self) -> bool:
        """Forward until one side goes, and end the server.

        Returns:
            Whether all is well: the server did not go first, nor without having answered all that
            it was asked. The log says it if not.

        """
        server, proxy, events = self._server, self._proxy, self._events
        _start(self._read_client)
        reader = _start(self._read_server)
        first = events.get()
        server.close()
        event = self._after_client() if first is _Event.CLIENT_GONE else first
        reason = server.stop(FAREWELL if event is _Event.SERVER_GONE else 0.0)
        if event is _Event.TOLD_TO_STOP:

            def answer_open_requests() -> None:
                proxy.server_ended("was ended with the proxy")

            _start(answer_open_requests).join(FAREWELL)  # the client may not read
            return True
        failed = first is _Event.SERVER_GONE

        def finish() -> None:
            nonlocal failed
            reader.join(GRACE)
            if not self._last.endswith(b"\n"):  # it was cut off, and must not swallow what follows
                self._to_client((b"\n",))
            failed = proxy.server_ended(reason) or failed
            events.put(_Event.DONE)

        _start(finish)
        while events.get() not in {_Event.DONE, _Event.TOLD_TO_STOP}:  # a client may be slow
            pass
        if failed:
            fields = log_fields("server", outcome="ended", reason=reason)
            LOGGER.error("%s", describe_dead_server(reason), extra=fields)
        return not failed

    def stop(self) -> None:
        """Make `run` return soon. A signal's handler may call it."""
        self._events.put(_Event.TOLD_TO_STOP)

    def _after_client(self) -> _Event | None:
        """Wait for the next event after the client has gone; None after `GRACE` seconds."""
        deadline = time.monotonic() + GRACE
        with contextlib.suppress(Empty):
            while True:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
                # a client may end twice: first its input, then its output
                if event is not _Event.CLIENT_GONE:
                    return event
        return None

    def _write_to(self, sink: ClientOutput) -> Send:
        def noted(parts: Iterable[bytes]) -> Iterator[bytes]:
            for self._last in parts:
                yield self._last

        return lambda line: write_parts(sink, noted(line))

    def _sender(self, write: Send, failed: _Event) -> Send:
        """Return a thread-safe function that writes one line at a time."""
        lock = threading.Lock()

        def send(line: Iterable[bytes]) -> None:
            with lock:
                try:
                    write(line)
                except OSError:
                    self._events.put(failed)

        return send

    def _refuse_long(self, head: bytes, rest: Iterator[bytes]) -> None:
        self._proxy.refuse_long(head, last_bytes(rest))

    def _forward_long(self, head: bytes, rest: Iterator[bytes]) -> None:
        tail = b""

        def forwarded() -> Iterator[bytes]:
            nonlocal tail
            for part in rest:
                tail = (tail + part)[-MAX_TAIL:]
                yield part

        self._to_client(itertools.chain((head,), forwarded()))
        self._proxy.forwarded_long(head, tail)

    def _read_client(self) -> None:
        try:
            _read(self._source.readline, self._proxy.from_client, self._refuse_long)
            self._proxy.client_ended()
        finally:  # whatever has gone wrong, nobody waits for ever
            self._events.put(_Event.CLIENT_GONE)

    def _read_server(self) -> None:
        try:
            _read(self._server.readline, self._proxy.from_server, self._forward_long)
        finally:
            self._events.put(_Event.SERVER_GONE)


def _start(work: Callable[[], None]) -> threading.Thread:
    def attempt() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - a traceback may show what is secret
            LOGGER.error("cannot go on: %s", unexpected(error))  # noqa: TRY400 - it may be secret

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    return thread


def each_line(
    readline: Callable[[int], bytes],
    take: Callable[[bytes], None],
    take_long: Callable[[bytes, Iterator[bytes]], None],
) -> None:
    """Read all lines. For a line that is too long, call `take_long` with its beginning and an
    iterator over its other parts, which it must exhaust.
    """
    while line := readline(MAX_MESSAGE_LINE):
        if len(line) < MAX_MESSAGE_LINE or line.endswith(b"\n"):
            _deal(take, line)
        else:
            take_long(line, _rest(readline))


def _read(
    readline: Callable[[int], bytes],
    take: Callable[[bytes], None],
    take_long: Callable[[bytes, Iterator[bytes]], None],
) -> None:
    with contextlib.suppress(OSError):  # a terminal that is closed
        each_line(readline, take, take_long)


def _deal(take: Callable[[bytes], None], line: bytes) -> None:
    """Take a line. An error is logged, and the next lines are read."""
    try:
        take(line)
    except BaseException as error:  # noqa: BLE001 - there is no telling what libraries do
        LOGGER.error("a message was lost: %s", unexpected(error))  # noqa: TRY400 - it may be secret


def _rest(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the rest of a line whose first part has been read."""
    while part := readline(MAX_MESSAGE_LINE):
        yield part
        if part.endswith(b"\n"):
            return


def last_bytes(parts: Iterable[bytes]) -> bytes:
    """Read all parts, and return the last bytes of them."""
    tail = b""
    for part in parts:
        tail = (tail + part)[-MAX_TAIL:]
    return tail


def write_parts(sink: ClientOutput, parts: Iterable[bytes]) -> None:
    """Write all of something to a file that has no buffer.

    Raises:
        OSError: where nobody reads it any more.

    """
    for part in parts:
        left = memoryview(part)
        while left:
            left = left[sink.write(left) :]
