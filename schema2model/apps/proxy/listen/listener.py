"""`Listener`: the proxy as an HTTP server, from its socket to its end.

An answer that nothing precedes is JSON, in the line that the server wrote; a stream of events
begins if something else comes first, or nothing for `STREAM_AFTER` seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from schema2model.apps.proxy.group import Solo
from schema2model.apps.proxy.json_rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Id,
    answer_id,
    cancelled_id,
    client_messages,
    error_answer,
    object_in,
    request_id,
    unchecked_id,
    why_unchecked,
)
from schema2model.apps.proxy.listen.access import Access, User
from schema2model.apps.proxy.listen.clients import Client, Clients, SessionLimits, is_json_rpc
from schema2model.apps.proxy.listen.metrics import CONTENT_TYPE
from schema2model.apps.proxy.listen.responses import (
    CLOSE,
    JSON,
    Outlet,
    fail,
    read_body,
    reply,
    send_stream,
)
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.session import Session
from schema2model.apps.proxy.versions import VERSIONS
from schema2model.errors import unexpected
from schema2model.extras import extra
from schema2model.limits import MAX_CONNECTIONS, MAX_OPEN_REQUESTS

with extra("mcp"):
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Listener", "NotStartedError", "is_loopback"]

LOGGER = logging.getLogger("schema2model.proxy")

STREAM_AFTER = 5.0
"""Seconds after which a request without an answer gets a stream: proxies close silent responses."""

HEAD_TIMEOUT = 10.0
"""Seconds in which a connection has to send the headers of a request."""

GRACE = 5.0
"""Seconds in which open requests may be answered after a signal to end."""

LAST_WORDS = 0.05
"""Seconds in which errors for the rest are written."""

REQUEST_CANCELLED = -32800
"""The code that editors have for a request which its client has cancelled."""

BUFFER_SIZE = 2**16
"""Bytes that are read at once."""


class NotStartedError(Exception):
    """The servers of a session cannot be started; the message says why."""


def is_loopback(host: str) -> bool:
    """Return whether only programs of this machine reach a host.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "a.test")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Listener:
    """The proxy over streamable HTTP at `/mcp`, with `/healthz`, `/readyz` and `/metrics`.

    Args:
        host: where it listens.
        port: the same; 0 for any that is free.
        start: starts the servers of one session. It may raise `NotStartedError`.
        new_session: returns the session of a client.
        metrics: the text of `/metrics` for the sessions.
        tokens: returns the names of the bearer tokens, by token; each request needs one, except
            those of `/healthz` and `/readyz`.
        hosts: further values of the header `Host` that are accepted.
        limits: of sessions.

    Raises:
        OSError: if it cannot listen there.

    """

    def __init__(  # noqa: PLR0913 - options
        self,
        host: str,
        port: int,
        start: Callable[[], Awaitable[Solo]],
        new_session: Callable[[Client], Session],
        *,
        metrics: Callable[[Clients], str],
        tokens: Callable[[], Mapping[str, str]] | None = None,
        hosts: Sequence[str] = (),
        limits: SessionLimits | None = None,
    ) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family)
        # accepted sockets inherit it; asyncio sets it only where a socket names its protocol
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        port = self._socket.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{port}/mcp"
        """The URL for clients."""
        self._limits = limits or SessionLimits()
        own = [f"{each}:{port}" for each in (shown, "localhost", "127.0.0.1", "[::1]")]
        self._access = Access([*own, *hosts], tokens, self._limits.max_sessions)
        self.clients = Clients(self._limits, self._access.names)
        """The sessions."""
        self._start, self._new_session, self._metrics = start, new_session, metrics
        self._told = asyncio.Event()
        self._ending: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------------------------ the service
    def stop(self) -> None:
        """Make `run` return soon."""
        self._told.set()

    async def run(self) -> None:
        """Serve until `stop` is called."""
        server = _Server(
            uvicorn.Config(
                self._serve_safely,
                interface="asgi3",
                proxy_headers=False,
                lifespan="off",
                http=_Guarded,  # of h11, the stricter parser
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        serving = asyncio.ensure_future(server.serve([self._socket]))
        sweeping = asyncio.ensure_future(self._end_abandoned())
        told = asyncio.ensure_future(self._told.wait())
        await asyncio.wait({serving, told}, return_when="FIRST_COMPLETED")
        self._told.set()
        deadline = time.monotonic() + GRACE
        while self.clients.open_requests and time.monotonic() < deadline:  # noqa: ASYNC110 - rare
            await asyncio.sleep(0.02)
        for each in self.clients:
            each.fail_all("the proxy ends")
        await asyncio.sleep(LAST_WORDS)
        sweeping.cancel()
        await asyncio.gather(*map(self._end, self.clients), *self._ending)
        server.should_exit = server.force_exit = True
        await serving

    async def _end_abandoned(self) -> None:
        """End sessions that nobody uses, or nobody may use, any more."""
        idle, gone = self._limits.idle_timeout, self._limits.disconnect_timeout
        while True:
            await asyncio.sleep(min(1.0, idle / 4, gone / 4))
            now = time.monotonic()
            for each in self.clients:
                is_idle = not each.posts and each.last_posted < now - idle
                is_gone = not each.connections and each.last_connected < now - gone
                if is_idle or is_gone or each.is_over or not self._access.counts(each.user):
                    self._end_soon(each)

    def _end_soon(self, client: Client) -> None:
        task = asyncio.ensure_future(self._end(client))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, client: Client) -> None:
        """End a session, and its servers."""
        if not self.clients.remove(client):
            return
        client.is_over = True
        client.session.client_has_ended = True
        client.fail_all("the session has ended")
        if client.stream is not None:
            client.stream.end()
        client.server.close()
        await client.server.stop(0.0)

    # ------------------------------------------------------------------------------ one request
    async def _serve_safely(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request; whatever goes wrong with it, the log has one line, without values."""
        has_begun = False

        async def noted(event: Any) -> None:
            nonlocal has_begun
            has_begun = True
            await send(event)

        try:
            await self._serve(scope, receive, noted)
        except Exception as error:  # noqa: BLE001 - the others go on
            LOGGER.error("a request was not answered: %s", unexpected(error))  # noqa: TRY400
            if not has_begun:
                await fail(send, 500, "the proxy has failed", INTERNAL_ERROR)

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        path = scope["path"]
        if (refused := self._access.why_refused(scope["headers"])) is not None:
            await reply(send, *refused, more=[CLOSE])
        elif path == "/healthz":
            await reply(send, 200, b"ok\n")
        elif path == "/readyz":
            is_ready = not self._told.is_set() and self.clients.has_room()
            words = b"ready\n" if is_ready else b"no session can be opened\n"
            await reply(send, 200 if is_ready else 503, words)
        elif path not in {"/metrics", "/mcp"}:
            await reply(send, 404, b"Not Found")
        elif (user := self._access.user(headers)) is None:
            body = b'{"error":"invalid_token","error_description":"Authentication required"}'
            challenge = (b"www-authenticate", b'Bearer error="invalid_token"')
            await reply(send, 401, body, JSON, [challenge])
        elif path == "/metrics":
            await reply(send, 200, self._metrics(self.clients).encode(), CONTENT_TYPE.encode())
        elif self._access.enter(user):
            try:
                await self._serve_mcp(user, scope["method"], headers, receive, send)
            finally:
                self._access.leave(user)
        else:
            await fail(send, 503, "too many requests are open")

    async def _serve_mcp(
        self, user: User, method: str, headers: dict[bytes, bytes], receive: Any, send: Any
    ) -> None:
        name = headers.get(b"mcp-session-id")
        client = self.clients.get(name)
        version = headers.get(b"mcp-protocol-version")
        if version is not None and version.decode("latin-1") not in VERSIONS:
            await fail(send, 400, "this is not a version of MCP")
        elif name is not None and (client is None or client.user != user):
            await fail(send, 404, "unknown session")
        elif method == "POST":
            await self._post(client, user, headers, receive, send)
        elif method not in {"GET", "DELETE"}:
            await fail(send, 405, "this method is not known")
        elif client is None:
            await fail(send, 400, "this needs a session")
        elif method == "DELETE":
            await self._end(client)
            await reply(send, 200, b"")
        elif b"text/event-stream" not in headers.get(b"accept", b""):
            await fail(send, 406, "a client must accept text/event-stream")
        elif client.stream is not None:
            await fail(send, 409, "there is a stream already")
        else:
            client.stream = outlet = Outlet()
            try:
                await self._stream(client, outlet, [], receive, send)
            finally:
                client.stream = None

    async def _post(
        self,
        client: Client | None,
        user: User,
        headers: dict[bytes, bytes],
        receive: Any,
        send: Any,
    ) -> None:
        accept = headers.get(b"accept", b"")
        if b"*/*" not in accept and not (JSON in accept and b"text/event-stream" in accept):
            await fail(send, 406, "a client must accept application/json and text/event-stream")
            return
        if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != JSON:
            await fail(send, 400, "the content type has to be application/json")
            return
        body = await read_body(headers, receive, send)
        if body is None:
            return
        line = body.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
        values = client_messages(line)
        if not values or not isinstance(values[0], dict) or line.lstrip()[:1] == b"[":
            reason = "a request has one message" if values else why_unchecked(line)
            code = INVALID_REQUEST if values else PARSE_ERROR
            await fail(send, 400, reason, code, unchecked_id(line))
            return
        value = values[0]
        request = request_id(value)
        is_answerable = request is not None or answer_id(value) is not None or "id" not in value
        if not is_json_rpc(value) or not is_answerable:
            await fail(send, 400, "this is not a JSON-RPC message", INVALID_REQUEST, request)
            return
        if client is None:
            if value.get("method") != "initialize" or request is None:
                await fail(send, 400, "this needs a session")
                return
            client = await self._open(user, send, request)
        if client is not None:
            await self._exchange(client, Message(value, line), receive, send)

    async def _exchange(self, client: Client, message: Message, receive: Any, send: Any) -> None:
        """Pass a message on, and answer it."""
        client.last_posted = client.last_connected = time.monotonic()
        value = message.value
        request = request_id(value)
        if request is None:
            await client.session.from_client(message)
            cancelled = cancelled_id(value)
            if cancelled in client.posts:
                answer = error_answer(cancelled, REQUEST_CANCELLED, "it was cancelled")
                client.send(Message(answer))
            await reply(send, 202, b"", JSON, client.header())
            return
        if request in client.posts or len(client.posts) >= MAX_OPEN_REQUESTS:
            is_open = request in client.posts
            reason = "a request with this id is open" if is_open else "too many requests are open"
            refused = Message(error_answer(request, INVALID_REQUEST, reason))
            await reply(send, 200, refused.line, JSON, client.header())
            return
        meta = object_in(object_in(value, "params"), "_meta")
        outlet = client.posts[request] = Outlet(meta.get("progressToken"))
        client.calls += value["method"] == "tools/call"
        client.connections += 1
        try:
            await client.session.from_client(message)
            got = await outlet.take(STREAM_AFTER)
            if outlet.is_last and len(got) == 1:
                await reply(send, 200, got[0].line, JSON, client.header())
            else:
                await self._stream(client, outlet, got, receive, send)
        finally:
            client.connections -= 1
            client.last_posted = client.last_connected = time.monotonic()
            outlet.drop()

    async def _stream(
        self, client: Client, outlet: Outlet, got: list[Message], receive: Any, send: Any
    ) -> None:
        client.connections += 1
        try:
            await send_stream(receive, send, outlet, got, client.header())
        finally:
            client.connections -= 1
            client.last_connected = time.monotonic()

    # --------------------------------------------------------------------------------- sessions
    async def _open(self, user: User, send: Any, request: Id) -> Client | None:
        """Open a session, or say why there is none."""
        client = Client(user)
        with client.origin.of(request):
            if self._told.is_set() or not self.clients.has_room(user.name):
                await self._refuse(send)
                return None
            self.clients.opening[user.name] += 1
            try:
                client.server = await self._start()
            except NotStartedError as error:
                LOGGER.error("%s", error)  # noqa: TRY400 - secrets
                answer = error_answer(request, CONNECTION_CLOSED, str(error))
                await reply(send, 200, json.dumps(answer).encode(), JSON, client.header())
                return None
            finally:
                self.clients.opening[user.name] -= 1
        client.session = self._new_session(client)
        client.session.server = client.server
        client.server.session = client.session
        gone = self.clients.to_replace(user.name)
        if self._told.is_set() or not (gone or self.clients.is_free(user.name)):
            await client.server.stop(0.0)  # the room was taken meanwhile
            await self._refuse(send)
            return None
        if gone is not None:
            self._end_soon(gone)
        self.clients.add(client)
        ending = asyncio.ensure_future(client.server.ended())
        ending.add_done_callback(lambda _: self._end_soon(client))
        return client

    async def _refuse(self, send: Any) -> None:
        self.clients.refused += 1
        is_ending = self._told.is_set()
        await fail(send, 503, "the proxy ends" if is_ending else "too many sessions are open")


class _Server(uvicorn.Server):
    """A server that leaves signals alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield


class _Guarded(H11Protocol):
    """A connection that is closed if it does not send the headers of a request in time.

    Of too many such connections, the oldest is closed for a new one.
    """

    _waiting: dict[_Guarded, asyncio.TimerHandle] = {}  # noqa: RUF012 - of all, oldest first

    def connection_made(self, transport: Any) -> None:
        """Wait for headers."""
        super().connection_made(transport)
        with contextlib.suppress(AttributeError):  # not of every event loop
            transport.max_size = BUFFER_SIZE  # of 256 KiB, each read would map memory anew
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._served()
        elif self not in self._waiting:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._served()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if len(self._waiting) >= MAX_CONNECTIONS:
            next(iter(self._waiting))._close()
        loop = asyncio.get_running_loop()
        self._waiting[self] = loop.call_later(HEAD_TIMEOUT, self._close)

    def _served(self) -> None:
        timer = self._waiting.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _close(self) -> None:
        self._served()
        self.transport.close()
