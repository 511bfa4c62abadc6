"""A server that is started again, or connected to again, for the next message after it has gone.

A session of the server's is lost with it. The client keeps its own: the proxy repeats the handshake
that the client began with. A request whose fate is not known is answered with an error; one that
the server has refused because it does not know the session is sent again, once. A server that goes
again and again is left alone for longer each time, and in the end for good; requests meanwhile are
answered with errors.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import operator
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import Any, Protocol

from schema2model.apps.proxy.dead_server import dead_server_answer, describe_dead_server
from schema2model.apps.proxy.json_rpc import (
    HEAD_SIZE,
    Id,
    answer_id,
    cancelled_id,
    client_messages,
    line_of,
    line_of_texts,
    request_id,
    server_messages,
    unchecked_id,
    with_texts,
)
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.apps.proxy.relay import Server
from schema2model.faults import describe_error
from schema2model.json.spans import respelled
from schema2model.limits import MAX_MESSAGE_LINE, MAX_RESTARTS

__all__ = ["Connection", "RestartingServer"]

LOGGER = logging.getLogger("schema2model.proxy")

HANDSHAKE_TIMEOUT = 10.0
"""Seconds that a server may take to begin a session again."""

GOODBYE = 1.0
"""Seconds in which a process has to end after its output has ended."""

MAX_DELAY = 30.0
"""Maximum seconds between the end of a server and its next start."""

CALM = 60.0
"""Seconds after which earlier restarts are forgotten."""

_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


class Connection(Server, Protocol):
    """A server that has been started, or connected to, once."""

    is_refused: bool
    """True if it has ended since the server does not serve this user, or not in this way."""
    unsent: bytes
    """The message that the server has refused as it does not know the session any more."""


class RestartingServer:
    """A server, as a relay uses it, that is started again when it has gone.

    If it goes before its first answer, or refuses the user, that is the end.

    Args:
        connect: starts it, or connects to it. What it raises, this raises.
        delay: seconds before it is started again, doubled each time that it goes within `CALM`
            seconds; 0 for servers that others start, which may be connected to at any time.
        name: of one of several, for messages.
        restarted: is called when it has been started again.

    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        *,
        delay: float = 0.0,
        name: str | None = None,
        restarted: Callable[[], object] = bool,
    ) -> None:
        self._connect = connect
        self._restarted = restarted
        self._delay = delay
        self._name = name
        self._restarts = 0
        self._started = time.monotonic()
        self._not_before = 0.0
        self._reason = ""
        self._connection: Connection | None = connect()
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._room = threading.Semaphore(16)  # lines that wait for the client
        self._unanswered: dict[Id, bytes] = {}
        self._handshake: dict[str, Any] | None = None
        self._ids: Iterator[str] | None = None  # for the requests of servers after the first
        self._asked: dict[Id, Id] = {}  # those requests, by the ids that the client has seen
        self._replayed: Id | None = None
        self._resent: Id | None = None
        self._has_answered = False
        self._is_closing = False
        self._ended = ""
        self._ready = threading.Event()
        self._sending = threading.Lock()
        self._lock = threading.Lock()  # guards the state
        self._start_reading(self._connection)

    def readline(self, size: int, /) -> bytes:
        """Return the next line of the server, or the next part of a long one; `b""` at the end."""
        del size  # it has been read already
        line = self._lines.get()
        self._room.release()
        return line

    def send(self, parts: Iterable[bytes], /) -> None:
        """Send a line to the server; start it again if it has gone and may be started.

        Raises:
            OSError: if it has gone for good.

        """
        line = b"".join(parts)
        with self._sending:
            with self._lock:
                if self._ended or self._is_closing:
                    raise BrokenPipeError
                messages = client_messages(line)
                for message in messages:
                    self._remember_request(message)
                line = self._rewritten(messages, line, self._answer_for_server)
                connection = self._connection
            if not line:
                return
            if connection is None:
                connection = self._connected_again()
            if connection is None:
                return
            try:
                connection.send((line,))
            except OSError:  # its reader notices that, too, and answers
                if not self._has_answered:
                    raise

    def _remember_request(self, message: Any) -> None:
        """Remember a request until it is answered or cancelled; the lock is held."""
        request = request_id(message)
        if request is not None:
            self._unanswered[request] = line_of(message)
            if message["method"] == "initialize":
                self._handshake = message
        self._unanswered.pop(cancelled_id(message), None)  # type: ignore[arg-type]

    def _rewritten(
        self, messages: list[Any], line: bytes, rewrite: Callable[[dict[str, Any]], Any]
    ) -> bytes:
        """Return a line to or from a server; an empty one if nothing is left.

        The requests of servers after the first have ids that no server before has used: an answer
        to a server that has ended must not answer the next one, or start it. The lock is held.
        """
        if self._ids is None:
            return line
        spelled = with_texts(messages, line)
        changed = [rewrite(each) if isinstance(each, dict) else each for each in messages]
        if all(map(operator.is_, changed, messages)):
            return line
        pairs = zip(spelled, changed, strict=True)
        texts = [respelled(text, old, new) for (old, text), new in pairs if new is not None]
        return line_of_texts(*texts, batch=line.lstrip().startswith(b"[")) if texts else b""

    def _answer_for_server(self, message: dict[str, Any]) -> Any:
        """Return a message of the client for the server; None for an answer to one before it."""
        answered = answer_id(message)
        if answered is None:
            return message
        asked = self._asked.pop(answered, None)
        return None if asked is None else {**message, "id": asked}

    def _request_for_client(self, message: dict[str, Any]) -> Any:
        """Return a message of the server for the client."""
        request, cancelled = request_id(message), cancelled_id(message)
        if request is not None and self._ids is not None:
            own = next(self._ids)
            self._asked[own] = request
            return {**message, "id": own}
        for known, asked in self._asked.items():
            if asked == cancelled:
                return {**message, "params": {**message["params"], "requestId": known}}
        return message

    def close(self) -> None:
        """End when all requests are answered."""
        with self._lock:
            self._is_closing = True
            connection = self._connection
        if connection is None:
            self._lines.put(b"")
        else:
            connection.close()

    def stop(self, patience: float, /) -> str:
        """End it now, and return how it ended."""
        with self._lock:
            self._is_closing = True
            connection, self._connection = self._connection, None
        reason = self._ended or self._reason or "was not connected"
        if not self._ended and connection is not None:
            reason = connection.stop(patience)
        self._lines.put(b"")
        return reason

    # ------------------------------------------------------------------------- one connection
    def _start_reading(self, connection: Connection) -> None:
        threading.Thread(target=self._read_connection, args=(connection,), daemon=True).start()

    def _connected_again(self) -> Connection | None:
        """Return a new connection, with a session that begins as the client has begun the first.

        None if it is too early, or fails; then all requests are answered with errors.
        """
        wait = self._not_before - time.monotonic()
        if wait > 0:
            self._answer_open_requests(f"{self._reason}; it can be started again in {wait:.1f} s")
            return None
        try:
            connection = self._connect()
        except (OSError, ValueError) as error:
            self._schedule_restart(f"cannot be started again: {describe_error(error)}")
            return None
        self._started = time.monotonic()
        self._restarted()
        with self._lock:
            self._connection = connection
            handshake = self._handshake
            is_first = handshake is None or handshake["id"] in self._unanswered
        self._ready.clear()
        self._start_reading(connection)
        if handshake is not None and not is_first:
            self._replayed = f"schema2model-{secrets.token_hex(8)}"
            again = {**handshake, "id": self._replayed}
            with contextlib.suppress(OSError):
                connection.send((line_of(again),))
                self._ready.wait(HANDSHAKE_TIMEOUT)  # which brings the id of the session
                connection.send((_INITIALIZED,))
        return connection

    def _read_connection(self, connection: Connection) -> None:
        """Pass the server's lines on until it goes."""
        head = line = b""
        for line in _lines(connection):
            is_complete = line.endswith(b"\n")
            messages = server_messages(line) if is_complete and not head else []
            answered = _answered(head, line, messages) if is_complete else ()
            head = b"" if is_complete else head or line
            with self._lock:
                self._has_answered = True
                for each in answered:
                    self._unanswered.pop(each, None)
                shown = self._rewritten(messages, line, self._request_for_client)
            if self._replayed in answered:
                self._ready.set()
            else:
                self._forward_line(shown)
        if head:  # it was cut off, and must not swallow what follows
            self._forward_line(b"\n")
        with self._lock:
            is_own_end = self._connection is not connection
        if not is_own_end:
            self._end_connection(connection)

    def _forward_line(self, line: bytes) -> None:
        self._room.acquire()
        self._lines.put(line)

    def _end_connection(self, connection: Connection) -> None:
        """Answer what the server had, and start it again for what it refused unread."""
        reason = connection.stop(GOODBYE)
        self._ready.set()
        with self._lock:
            self._connection = None
            self._ids = map(f"schema2model-{secrets.token_hex(8)}-{{}}".format, itertools.count(1))
            self._asked.clear()
            if self._is_closing or not self._has_answered or connection.is_refused:
                self._ended = reason
                self._lines.put(b"")
                return
            unsent = request_id(next(iter(client_messages(connection.unsent)), None))
            is_second = unsent is not None and unsent == self._resent
            again = None if is_second else self._unanswered.pop(unsent, None)  # type: ignore[arg-type]
            self._resent = unsent
        self._schedule_restart(reason)
        if again is not None:
            self.send((again,))

    def _schedule_restart(self, reason: str) -> None:
        """Answer what is open, and decide when the server may be started again."""
        now = time.monotonic()
        self._restarts = 0 if now - self._started > CALM else self._restarts + 1
        pause = min(self._delay * 2 ** max(0, self._restarts - 1), MAX_DELAY)
        self._not_before = now + pause
        self._reason = reason
        if self._delay and self._restarts > MAX_RESTARTS:
            self._answer_open_requests(f"{reason}; it was started again {MAX_RESTARTS} times")
            self._ended = reason
            self._lines.put(b"")
            return
        when = (
            f"it can be started again in {pause:g} s"
            if pause
            else "the next message connects again"
        )
        fields = log_fields("server", server=self._name, outcome="ended", reason=reason)
        LOGGER.warning("%s; %s", describe_dead_server(reason, self._name), when, extra=fields)
        self._answer_open_requests(reason)

    def _answer_open_requests(self, reason: str) -> None:
        """Answer all that the client waits for with an error."""
        with self._lock:
            lost, self._unanswered = [*self._unanswered], {}
        for request in lost:
            self._lines.put(line_of(dead_server_answer(request, reason, self._name)))


def _lines(connection: Connection) -> Iterator[bytes]:
    return iter(lambda: connection.readline(MAX_MESSAGE_LINE), b"")


def _answered(head: bytes, line: bytes, messages: list[Any]) -> list[Id]:
    """Return the ids of the requests that a line answers; a long line is known by its ends."""
    long = [unchecked_id(head, line[-HEAD_SIZE:], answer=True)] if head else []
    found = long or map(answer_id, messages)
    return [each for each in found if each is not None]
