"""One server for the clients of several relays, for servers that keep no state of a client.

Each relay has a `SharedClient`. What a client sends has an id and a progress token that no other
has; answers and progress go to the client that asked. The first handshake counts for all; a client
of an older version gets its answer in that version. Of the server's own messages only the news that
a list has changed are for all clients; it can ask no client anything, as it does not know one from
another, so that no client hears of capabilities that concern one client.
"""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import logging
import secrets
import threading
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from schema2model.apps.proxy.dead_server import dead_server_answer
from schema2model.apps.proxy.handshakes import HANDSHAKE_VERSIONS
from schema2model.apps.proxy.json_rpc import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    Id,
    answer_id,
    as_id,
    cancelled_id,
    client_messages,
    error_answer,
    line_of,
    line_of_texts,
    object_in,
    request_id,
    server_messages,
    text_of,
    unchecked_id,
    with_texts,
)
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.apps.proxy.outbox import Outbox
from schema2model.apps.proxy.relay import Server, each_line, last_bytes
from schema2model.json.quoting import quoted
from schema2model.json.spans import respelled
from schema2model.limits import MAX_MESSAGE_LINE, MAX_OUTBOX_LINES

__all__ = ["SharedClient", "SharedServer"]

LOGGER = logging.getLogger("schema2model.proxy")

_CHANGES = ("notifications/tools/list_changed", "notifications/prompts/list_changed")
_FOR_ALL = frozenset((*_CHANGES, "notifications/resources/list_changed"))

_SUBSCRIBING = ("resources/subscribe", "resources/unsubscribe", "subscriptions/listen")
_OF_ONE_CLIENT = frozenset((*_SUBSCRIBING, "logging/setLevel", "tasks/list"))
"""Requests whose effect is for one client only, which the server would not tell from others."""


class _Request(NamedTuple):
    client: SharedClient
    id: Id
    token: Any
    version: str | None
    """Of a handshake, the version of MCP that the client asks for; None for other requests."""


class SharedServer:
    """A running server that several clients use.

    Args:
        server: it has been started.

    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._requests: dict[Id, _Request] = {}
        self._clients: set[SharedClient] = set()
        self._handshake: dict[str, Any] | None = None  # its answer
        self._waiting: list[_Request] = []  # for the answer to the handshake
        self._is_shaking_hands = False
        self._is_initialized = False
        self._is_retired = False
        self.reason = ""
        """How it ended; empty while it runs."""
        self._lock = threading.RLock()  # guards all of these
        self._outbox = Outbox(server)  # of the proxy's own messages
        prefix = f"schema2model-{secrets.token_hex(8)}"
        self._ids = map(f"{prefix}-{{}}".format, itertools.count(1))
        threading.Thread(target=self._read, daemon=True).start()

    def client(self, name: str = "") -> SharedClient:
        """Return the server as one more client has it; `name` is the server's, for the log."""
        client = SharedClient(self, name)
        with self._lock:
            self._clients.add(client)
            if self.reason:  # it has ended meanwhile
                client.end()
        return client

    def stop(self) -> None:
        """End it."""
        self._server.stop(0.0)

    def retire(self) -> None:
        """End it when its last client leaves."""
        with self._lock:
            self._is_retired = True
            is_unused = not self._clients
        if is_unused:
            self.stop()

    # -------------------------------------------------------------------------- from the clients
    def send(self, client: SharedClient, line: bytes) -> None:
        """Send what a client has written.

        Raises:
            OSError: if the server has gone.

        """
        for message, text in with_texts(client_messages(line), line):
            with self._lock:
                changed = self._changed(client, message)
            if changed is not None:
                self._server.send((line_of_texts(respelled(text, message, changed)),))

    def _changed(self, client: SharedClient, message: Any) -> dict[str, Any] | None:
        """Return a message as the server gets it; None if it does not. The lock is held."""
        request = request_id(message)
        method = message.get("method") if isinstance(message, dict) else None
        if request is not None:
            return self._changed_request(client, request, message)
        if method == "notifications/initialized" and self._handshake and not self._is_initialized:
            self._is_initialized = True
            return dict(message)
        cancelled = cancelled_id(message)
        for upstream, each in self._requests.items():
            if each.client is client and each.id == cancelled and each.version is None:
                del self._requests[upstream]
                return {**message, "params": {**message["params"], "requestId": upstream}}
        return None

    def _changed_request(
        self, client: SharedClient, request: Id, message: dict[str, Any]
    ) -> dict[str, Any] | None:
        if message["method"] in _OF_ONE_CLIENT:
            reason = f"a server that is shared by several clients has no {message['method']}"
            client.put(error_answer(request, METHOD_NOT_FOUND, reason))
            return None
        params = object_in(message, "params")
        meta = object_in(params, "_meta")
        upstream, token = next(self._ids), meta.get("progressToken")
        changed = {**message, "id": upstream}
        if token is not None:
            changed["params"] = {**params, "_meta": {**meta, "progressToken": upstream}}
        asked = _Request(client, request, token, None)
        if message["method"] == "initialize":
            asked = asked._replace(version=str(params.get("protocolVersion")))
            if self._handshake is not None:
                client.put(_shown_handshake(self._handshake, asked))
                return None
            if self._is_shaking_hands:
                self._waiting.append(asked)
                return None
            self._is_shaking_hands = True
        self._requests[upstream] = asked
        return changed

    def has_open(self, client: SharedClient) -> bool:
        """Return whether a client waits for an answer."""
        with self._lock:
            every = (*self._waiting, *self._requests.values())
            return any(each.client is client for each in every)

    def leave(self, client: SharedClient) -> None:
        """Forget a client, and cancel what it has asked."""
        with self._lock:
            self._clients.discard(client)
            self._waiting = [each for each in self._waiting if each.client is not client]
            left = [
                upstream
                for upstream, each in self._requests.items()
                if each.client is client and each.version is None
            ]
            for upstream in left:
                del self._requests[upstream]
            is_over = self._is_retired and not self._clients
        if is_over:
            self.stop()
            return
        for upstream in left:
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
            self._outbox.put(line_of({**cancel, "params": {"requestId": upstream}}))

    # --------------------------------------------------------------------------- from the server
    def _read(self) -> None:
        try:
            each_line(self._server.readline, self._take, self._take_long)
        finally:
            reason = self._server.stop(1.0)
            with self._lock:
                self.reason = reason or "has ended"
                self._outbox.close()
                for each in (*self._requests.values(), *self._waiting):
                    each.client.put(dead_server_answer(each.id, self.reason))
                self._requests.clear()
                self._waiting.clear()
                for client in self._clients:
                    client.end()

    def _take_long(self, head: bytes, rest: Iterable[bytes]) -> None:
        request = unchecked_id(head, last_bytes(rest), answer=True)
        self._fail(request, "sent an answer that is too long")

    def _take(self, line: bytes) -> None:
        messages = server_messages(line)
        if not messages and line.strip():
            self._fail(unchecked_id(line, answer=True), "sent what is not a message")
        for message, text in with_texts(messages, line):
            self._take_message(message, text)

    def _fail(self, request: Id | None, reason: str) -> None:
        with self._lock:
            asked = None if request is None else self._requests.pop(request, None)
        if asked is not None:
            asked.client.put(error_answer(asked.id, INTERNAL_ERROR, f"the server {reason}"))

    def _take_message(self, message: Any, text: str) -> None:
        answered, request = answer_id(message), request_id(message)
        if answered is not None:
            self._take_answer(answered, message, text)
        elif request is not None:
            reason = "a server that is shared by several clients can ask none of them"
            answer = error_answer(request, METHOD_NOT_FOUND, reason)
            if message["method"] == "ping":
                answer = {"jsonrpc": "2.0", "id": request, "result": {}}
            self._outbox.put(line_of(answer))
        elif isinstance(message, dict) and message.get("method") == "notifications/progress":
            params = object_in(message, "params")
            token = as_id(params.get("progressToken"))
            with self._lock:
                asked = None if token is None else self._requests.get(token)
            if asked is not None:
                changed = {**message, "params": {**params, "progressToken": asked.token}}
                asked.client.put_text(respelled(text, message, changed))
        elif isinstance(message, dict) and message.get("method") in _FOR_ALL:
            with self._lock:
                clients = [*self._clients]
            for client in clients:
                client.put_text(text)

    def _take_answer(self, answered: Id, message: dict[str, Any], text: str) -> None:
        with self._lock:
            asked = self._requests.pop(answered, None)
            waiting: list[_Request] = []
            if asked is not None and asked.version is not None:
                self._is_shaking_hands = False
                self._handshake = message if "result" in message else None
                waiting, self._waiting = [asked, *self._waiting], []
        for each in waiting:
            each.client.put(_shown_handshake(message, each))
        if asked is not None and not waiting:
            asked.client.put_text(respelled(text, message, {**message, "id": asked.id}))


def _shown_handshake(handshake: dict[str, Any], asked: _Request) -> dict[str, Any]:
    """Return the answer to `initialize` for one client."""
    answer, result = {**handshake, "id": asked.id}, object_in(handshake, "result")
    if "protocolVersion" in result:
        negotiated = str(result["protocolVersion"])
        is_older = asked.version in HANDSHAKE_VERSIONS and str(asked.version) < negotiated
        able = {**object_in(result, "capabilities")}
        able.pop("logging", None)
        for ability, refused in (("resources", "subscribe"), ("tasks", "list")):
            if ability in able:
                able[ability] = {k: v for k, v in object_in(able, ability).items() if k != refused}
        version = asked.version if is_older else negotiated
        answer["result"] = {**result, "protocolVersion": version, "capabilities": able}
    return answer


class SharedClient:
    """A shared server as the relay of one client has it."""

    def __init__(self, shared: SharedServer, name: str) -> None:
        self._shared = shared
        self._name = name
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._size = 0
        """The bytes of the lines."""
        self._is_closing = False
        self._is_overdue = False
        """True if the client does not read: it gets nothing any more."""
        self._lock = threading.Lock()  # guards the last, and the bytes
        self._context = contextvars.copy_context()  # for the log: it names the session

    def readline(self, size: int, /) -> bytes:
        """Return the next line that is for this client; nothing at the end."""
        del size  # it has been read already
        line = self._lines.get()
        with self._lock:
            self._size -= len(line)
        return line

    def send(self, parts: Iterable[bytes], /) -> None:
        """Send a line of this client.

        Raises:
            OSError: if the server has gone.

        """
        if self._shared.reason or self._is_overdue:
            raise BrokenPipeError
        self._shared.send(self, b"".join(parts))

    def close(self) -> None:
        """End when all requests are answered."""
        self._is_closing = True
        if not self._shared.has_open(self):
            self.end()

    def stop(self, patience: float, /) -> str:
        """Leave the server, and return how it ended, if it has."""
        del patience  # nothing of this client's has to end
        self._shared.leave(self)
        self.end()
        left = "was left: its client does not read" if self._is_overdue else "was left"
        return self._shared.reason or left

    def put(self, message: dict[str, Any]) -> None:
        """Pass a message to this client."""
        self.put_text(text_of(message))

    def put_text(self, text: str) -> None:
        """Pass the text of a message to this client; end it if too much waits for it already."""
        line = line_of_texts(text)
        with self._lock:
            if self._is_overdue:
                return
            waiting = self._lines.qsize()
            is_large = waiting > 0 and self._size + len(line) > MAX_MESSAGE_LINE
            self._is_overdue = is_overdue = waiting >= MAX_OUTBOX_LINES or is_large
            if not is_overdue:
                self._size += len(line)
                self._lines.put(line)
        if is_overdue:
            self._drop()
        elif self._is_closing and not self._shared.has_open(self):
            self.end()

    def _drop(self) -> None:
        """Forget what waits for a client that does not read, and leave the server."""
        with contextlib.suppress(Empty):
            while True:
                self._lines.get_nowait()
        self._shared.leave(self)
        self.end()
        server = f"the shared server {quoted(self._name)}" if self._name else "the shared server"
        words = f"a client was dropped that does not read what {server} sends"
        fields = log_fields("server", server=self._name, outcome="dropped", reason=words)
        self._context.run(LOGGER.warning, "%s", words, extra=fields)

    def end(self) -> None:
        """End what this client reads."""
        self._lines.put(b"")
