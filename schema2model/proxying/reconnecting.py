"""A server at a URL that may be restarted: the connection is opened again for the next message.

A session of the server's is lost with the connection. The client keeps its own: the proxy repeats
the handshake that the client began with. A request whose fate is not known is answered with an
error; one that the server has refused because it does not know the session is sent again.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import secrets
import threading
from collections.abc import Callable, Iterable, Sequence
from queue import SimpleQueue
from typing import Any

from schema2model.proxying.endpoints import Endpoint
from schema2model.proxying.json_rpc import (
    CONNECTION_CLOSED,
    Id,
    answer_id,
    client_messages,
    error_answer,
    line_of,
    request_id,
    server_messages,
    text_of,
)
from schema2model.proxying.secret_headers import Header

__all__ = ["ReconnectingEndpoint"]

LOGGER = logging.getLogger("schema2model.proxying")

HANDSHAKE_TIMEOUT = 10.0
"""Seconds that a server may take to begin a session again."""

_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


class ReconnectingEndpoint:
    """A server at a URL, as a relay uses it, that is connected to again when it was restarted.

    If the first connection fails, or the server refuses the user, that is the end.
    """

    def __init__(
        self,
        url: str,
        headers: Sequence[Header] = (),
        *,
        connect: Callable[[str, Sequence[Header]], Endpoint] = Endpoint,
    ) -> None:
        self._connect: Callable[[], Endpoint] = functools.partial(connect, url, headers)
        self._endpoint: Endpoint | None = self._connect()
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._unanswered: dict[Id, bytes] = {}
        self._handshake: dict[str, Any] | None = None
        self._replayed: Id | None = None
        self._has_answered = False
        self._is_closing = False
        self._ended = ""
        self._ready = threading.Event()
        self._sending = threading.Lock()
        self._lock = threading.Lock()  # guards the state
        self._start_reading(self._endpoint)

    def readline(self, size: int) -> bytes:
        """The next message of the server, in a line of its own; nothing at the end."""
        del size  # the transport has read it already
        return self._lines.get()

    def send(self, parts: Iterable[bytes]) -> None:
        """Send a line to the server; connect to it again if the connection was lost.

        Raises:
            OSError: if it has gone for good.

        """
        line = b"".join(parts)
        with self._sending:
            with self._lock:
                if self._ended or self._is_closing:
                    raise BrokenPipeError
                for message in client_messages(line):
                    self._note(message)
                endpoint = self._endpoint
            if endpoint is None:
                endpoint = self._connected_again()
            try:
                endpoint.send((line,))
            except OSError:  # its reader notices that, too, and answers
                if not self._has_answered:
                    raise

    def _note(self, message: Any) -> None:
        """Remember a message of the client until it is answered; the lock is held."""
        request = request_id(message)
        if request is not None:
            self._unanswered[request] = line_of([text_of(message)], batch=False)
            if message["method"] == "initialize":
                self._handshake = message

    def close(self) -> None:
        """End when all requests are answered."""
        with self._lock:
            self._is_closing = True
            endpoint = self._endpoint
        if endpoint is None:
            self._lines.put(b"")
        else:
            endpoint.close()

    def stop(self, patience: float) -> str:
        """End the session, now. How it ended."""
        with self._lock:
            self._is_closing = True
            endpoint, self._endpoint = self._endpoint, None
        if self._ended or endpoint is None:
            return self._ended or "was not connected"
        return endpoint.stop(patience)

    # ------------------------------------------------------------------------- one connection
    def _start_reading(self, endpoint: Endpoint) -> None:
        threading.Thread(target=self._read, args=(endpoint,), daemon=True).start()

    def _connected_again(self) -> Endpoint:
        """A new connection, with a session that begins as the client has begun the first."""
        endpoint = self._connect()
        with self._lock:
            self._endpoint = endpoint
            handshake = self._handshake
            is_first = handshake is None or handshake["id"] in self._unanswered
        self._ready.clear()
        self._start_reading(endpoint)
        if handshake is not None and not is_first:
            self._replayed = f"schema2model-{secrets.token_hex(8)}"
            again = {**handshake, "id": self._replayed}
            with contextlib.suppress(OSError):
                endpoint.send((line_of([text_of(again)], batch=False),))
                self._ready.wait(HANDSHAKE_TIMEOUT)  # which brings the id of the session
                endpoint.send((_INITIALIZED,))
        return endpoint

    def _read(self, endpoint: Endpoint) -> None:
        """Pass the server's messages on until the connection ends."""
        while line := endpoint.readline(0):
            answered = next((answer_id(each) for each in server_messages(line)), None)
            with self._lock:
                self._has_answered = True
                self._unanswered.pop(answered, None)  # type: ignore[arg-type]
            if answered is not None and answered == self._replayed:
                self._ready.set()
            else:
                self._lines.put(line)
        with self._lock:
            is_own_end = self._endpoint is not endpoint
        if not is_own_end:
            self._lost(endpoint)

    def _lost(self, endpoint: Endpoint) -> None:
        """Answer what the server had, and connect again for what it refused unread."""
        reason = endpoint.stop(0)
        self._ready.set()
        with self._lock:
            self._endpoint = None
            if self._is_closing or not self._has_answered or endpoint.is_refused:
                self._ended = reason
                self._lines.put(b"")
                return
            unsent = endpoint.unsent and next(iter(client_messages(endpoint.unsent)), None)
            again = self._unanswered.pop(request_id(unsent), None) if unsent else None  # type: ignore[arg-type]
            lost, self._unanswered = [*self._unanswered], {}
        LOGGER.warning("the server %s; the next message connects to it again", reason)
        for request in lost:
            answer = error_answer(request, CONNECTION_CLOSED, f"the server {reason}")
            self._lines.put(line_of([text_of(answer)], batch=False))
        if again is not None:
            self.send((again,))
