"""Sessions of clients over HTTP: each has a transport of the MCP SDK, a relay, and its own servers.

What a client sends reaches the relay byte for byte; what a server sends is parsed, since the
transport needs to know the request that it answers. An answer to a request that is not open is
dropped and logged.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from schema2model.apps.proxy.endpoints import MESSAGE, STREAM_CLOSED
from schema2model.apps.proxy.handshakes import VERSIONS
from schema2model.apps.proxy.json_rpc import (
    CONNECTION_CLOSED,
    HEAD_SIZE,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Id,
    answer_id,
    cancelled_id,
    client_messages,
    error_answer,
    object_in,
    request_id,
    server_messages,
    unchecked_id,
    why_unchecked,
)
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.apps.proxy.relay import ClientInput, ClientOutput, Relay
from schema2model.errors import unexpected
from schema2model.extras import extra
from schema2model.limits import MAX_MESSAGE_LINE, MAX_OPEN_REQUESTS, MAX_SESSIONS

with extra("mcp"):
    import anyio
    from anyio import to_thread
    from anyio.from_thread import BlockingPortal
    from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
    from mcp.shared.message import ServerMessageMetadata, SessionMessage
    from starlette.datastructures import Headers
    from starlette.responses import JSONResponse

__all__ = ["NotStartedError", "SessionLimits", "Sessions", "Start"]

IDLE_TIMEOUT = 30 * 60.0
"""Seconds after which a session without requests ends."""

REQUEST_CANCELLED = -32800
"""The code that the SDK has for a request that its client has cancelled."""

LOGGER = logging.getLogger("schema2model.proxy")

Start = Callable[[ClientInput, ClientOutput, str], Relay]
"""Starts the servers of a session, with a relay between them and the client."""

FAREWELL = 1.0
"""Seconds in which the last answers are sent."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """The number of sessions at a time, and when one ends without its client's wish."""

    max_sessions: int = MAX_SESSIONS
    idle_timeout: float = IDLE_TIMEOUT
    """Seconds without a request."""
    disconnect_timeout: float = IDLE_TIMEOUT
    """Seconds without a request and without a stream: the client may have gone."""


class NotStartedError(Exception):
    """The servers of a session cannot be started; the message is for the client."""


@dataclass(slots=True, eq=False)
class _Pipe:
    """The two ends of a relay: what one client sends, and where its answers go."""

    portal: BlockingPortal
    deliver: Callable[[bytes, bytes], Any]
    """Sends a line to the client, or reports one that is too long, given its beginning
    and the end; a coroutine function."""
    lines: Any
    """The stream of lines that the client has sent."""
    _begun: bytearray = field(default_factory=bytearray)
    _tail: bytes = b""

    def readline(self, size: int, /) -> bytes:
        """Return the next message of the client, in a line of its own; nothing at the end."""
        del size  # its length was limited already
        with contextlib.suppress(*STREAM_CLOSED, RuntimeError):
            line: bytes = self.portal.call(self.lines.receive)
            return line
        return b""

    def write(self, part: Any, /) -> int:
        """Send a line, or a part of one.

        Raises:
            OSError: if the client has gone.

        """
        data = bytes(part)
        if self._tail or len(self._begun) + len(data) > MAX_MESSAGE_LINE:
            del self._begun[HEAD_SIZE:]
            self._tail = (self._tail + data)[-HEAD_SIZE:]
        else:
            self._begun += data
        if data.endswith(b"\n"):
            line, tail = bytes(self._begun), self._tail
            self._begun, self._tail = bytearray(), b""
            try:
                self.portal.call(self.deliver, line, tail)
            except (*STREAM_CLOSED, RuntimeError) as error:
                raise BrokenPipeError from error
        return len(data)


class _Session:
    """One client: its transport, the relay, and the requests that are open."""

    def __init__(self, portal: BlockingPortal, token: str | None) -> None:
        self.token = token
        self.name = uuid.uuid4().hex
        self.transport = StreamableHTTPServerTransport(self.name)
        self.connections = 0
        """The HTTP requests of the client that are being served, streams included."""
        self.posts = 0
        self.last_connected = self.last_posted = time.monotonic()
        self.open: dict[Id, Any] = {}
        """The requests that are not answered, each with its progress token."""
        self._portal = portal
        self._sent: Any = None

    @contextlib.contextmanager
    def connected(self, method: str) -> Iterator[None]:
        """Note that the client has a connection in this context."""
        self.connections += 1
        self.posts += method == "POST"
        try:
            yield
        finally:
            self.connections -= 1
            self.last_connected = time.monotonic()
            if method == "POST":
                self.posts -= 1
                self.last_posted = self.last_connected

    async def serve(
        self,
        start: Start,
        limiter: anyio.CapacityLimiter,
        admit: Callable[[_Session], Awaitable[None]],
        *,
        task_status: Any,
    ) -> None:
        """Serve one client until it, or the server, ends; one that asks nothing is not admitted."""
        feed, lines = anyio.create_memory_object_stream[bytes](0)
        pipe = _Pipe(self._portal, self._deliver, lines)
        async with self.transport.connect() as (received, self._sent):
            task_status.started()
            async with anyio.create_task_group() as tasks, feed, lines:
                begun = anyio.Event()
                tasks.start_soon(self._receive, received, feed, begun)
                await begun.wait()
                if not self.transport.is_terminated:
                    begin = functools.partial(start, pipe, pipe, self.name[:8])
                    await self._relay(begin, limiter, admit)
                tasks.cancel_scope.cancel()

    async def _relay(
        self,
        start: Callable[[], Relay],
        limiter: anyio.CapacityLimiter,
        admit: Callable[[_Session], Awaitable[None]],
    ) -> None:
        """Run a relay in a thread. If this is cancelled, end its servers first."""
        try:
            await admit(self)
            relay = await to_thread.run_sync(start, limiter=limiter)
        except NotStartedError as error:
            LOGGER.error("%s", error)  # noqa: TRY400 - a traceback may show what is secret
            await self.fail_all(str(error))
            return
        ended = anyio.Event()

        async def run() -> None:
            try:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(relay.run, limiter=limiter)
            finally:
                ended.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            try:
                await ended.wait()
            finally:
                relay.stop()

    async def _receive(self, received: Any, feed: Any, begun: anyio.Event) -> None:
        """Pass on what the client sends, until it ends the session."""
        with contextlib.suppress(*STREAM_CLOSED):
            async for message in received:
                if isinstance(message, Exception):
                    continue
                line = await _line(message)
                parsed = MESSAGE.dump_python(message.message, by_alias=True, exclude_unset=True)
                request = request_id(parsed)
                messages = client_messages(line)
                ids = map(request_id, messages)
                if not all(each is None or type(each) in {str, int} for each in ids):
                    # the SDK takes it for a notification
                    _log_dropped("a request whose id is neither a string nor an integer")
                    continue
                if request is not None and (reason := self._refusal(line, messages)):
                    await self._send(_error_message(request, INVALID_REQUEST, reason))
                    continue
                self._register(request, parsed)
                begun.set()
                await feed.send(line)
                await self._end_cancelled(parsed)
        begun.set()
        await feed.aclose()

    def _refusal(self, line: bytes, messages: list[Any]) -> str:
        """Return the reason why a request is not forwarded, or nothing."""
        if not messages:
            return why_unchecked(line)
        return "too many requests are open" if len(self.open) >= MAX_OPEN_REQUESTS else ""

    def _register(self, request: Id | None, message: dict[str, Any]) -> None:
        if request is None:
            return
        meta = object_in(object_in(message, "params"), "_meta")
        self.open[request] = meta.get("progressToken")

    async def _end_cancelled(self, message: dict[str, Any]) -> None:
        """Answer a request that its client has cancelled: the transport waits for an answer."""
        request = cancelled_id(message)
        if request is not None and self.open.pop(request, self) is not self:
            await self._send(_error_message(request, REQUEST_CANCELLED, "it was cancelled"))

    async def _deliver(self, line: bytes, tail: bytes) -> None:
        """Send what a server has sent, if it is for this client."""
        messages = [] if tail else server_messages(line)
        if not messages and line.strip():
            request = unchecked_id(line, tail, answer=True)
            await self._refuse(request, "sent what is not a message, or is too long")
        for message in messages:
            answered = answer_id(message)
            if answered is not None and answered not in self.open:
                _log_dropped("an answer to nothing that was asked")
                continue
            try:
                content = MESSAGE.validate_python(message)
                MESSAGE.dump_json(content)
            except (ValidationError, ValueError):
                await self._refuse(answered, "sent what is not a message")
                continue
            if answered is not None:
                del self.open[answered]
            related = None if answered is not None else self._related(message)
            await self._send(content, related)

    def _related(self, message: dict[str, Any]) -> Id | None:
        """Return the open request that a server's own message belongs to, if that can be known.

        A client without a stream of its own gets the message with the last request.
        """
        token = object_in(message, "params").get("progressToken")
        if message.get("method") == "notifications/progress":
            return next((each for each, known in self.open.items() if known == token), None)
        has_stream = self.connections > self.posts
        return next(reversed(self.open), None) if len(self.open) == 1 or not has_stream else None

    async def _send(self, content: Any, related: Id | None = None) -> None:
        metadata = ServerMessageMetadata(related_request_id=related)  # type: ignore[arg-type]
        await self._sent.send(SessionMessage(content, metadata))

    async def _refuse(self, request: Id | None, reason: str) -> None:
        _log_dropped(f"a message: the server {reason}")
        if request is not None and self.open.pop(request, self) is not self:
            await self._send(_error_message(request, INTERNAL_ERROR, f"the server {reason}"))

    async def fail_all(self, reason: str) -> None:
        """Answer what is open with an error."""
        with contextlib.suppress(*STREAM_CLOSED):
            while self.open:
                request, _ = self.open.popitem()
                await self._send(_error_message(request, CONNECTION_CLOSED, reason))


class Sessions:
    """The sessions of all clients, as an ASGI application.

    Args:
        start: starts the servers of a session, with a relay between them and the client; the last
            argument is the session's name. It may raise `NotStartedError`.
        portal: of the event loop in which this runs.
        limits: of sessions.
        tokens: returns the tokens that count now; a session ends with the one that has opened it.

    """

    def __init__(
        self,
        start: Start,
        portal: BlockingPortal,
        limits: SessionLimits,
        tokens: Callable[[], Container[str]] | None = None,
    ) -> None:
        self._start = start
        self._portal = portal
        self._limits = limits
        self._tokens = tokens
        self.refused = 0
        """The sessions that were refused."""
        self._sessions: dict[str, _Session] = {}
        self._tasks: Any = None
        self._limiter: Any = None
        self._is_ending = False

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def open_requests(self) -> int:
        """The number of requests that are not answered."""
        return sum(len(each.open) for each in [*self._sessions.values()])

    @property
    def is_ready(self) -> bool:
        """True if another session can be opened."""
        is_full = len(self._sessions) >= self._limits.max_sessions
        return not self._is_ending and (not is_full or self._replaceable() is not None)

    def _replaceable(self) -> _Session | None:
        """Return the session that is longest without a connection; None if all have one."""
        idle = [each for each in self._sessions.values() if not each.connections]
        return min(idle, key=lambda each: each.last_connected, default=None)

    async def _end_abandoned(self) -> None:
        """End sessions whose clients ask nothing or have gone, or whose tokens were removed."""
        idle, gone = self._limits.idle_timeout, self._limits.disconnect_timeout
        while True:
            await anyio.sleep(min(1.0, idle / 4, gone / 4))
            now = time.monotonic()
            for each in [*self._sessions.values()]:
                is_idle = not each.posts and each.last_posted < now - idle
                is_gone = not each.connections and each.last_connected < now - gone
                if is_idle or is_gone or not self._may_stay(each):
                    await self._discard(each)

    def _may_stay(self, session: _Session) -> bool:
        """Return whether the token of a session counts still."""
        return self._tokens is None or session.token is None or session.token in self._tokens()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve in this context. All sessions and their servers end with it."""
        self._limiter = anyio.CapacityLimiter(self._limits.max_sessions * 2)
        async with anyio.create_task_group() as self._tasks:
            self._tasks.start_soon(self._end_abandoned)
            try:
                yield
            finally:
                self._tasks.cancel_scope.cancel()

    async def drain(self, patience: float) -> None:
        """Refuse new sessions, and wait until all requests are answered; at last by an error."""
        self._is_ending = True
        with anyio.move_on_after(patience):
            while self.open_requests:  # noqa: ASYNC110 - at the end
                await anyio.sleep(0.02)
        late = [each for each in self._sessions.values() if each.open]
        with anyio.move_on_after(FAREWELL):
            for each in late:
                await each.fail_all("the proxy ends")
            while late and any(each.posts for each in late):  # noqa: ASYNC110 - at the end
                await anyio.sleep(0.02)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request: it opens a session, or belongs to one."""
        # no events are kept to be sent again; with this header the SDK would fail
        scope["headers"] = [each for each in scope["headers"] if each[0] != b"last-event-id"]
        headers = Headers(scope=scope)
        name = headers.get(MCP_SESSION_ID_HEADER)
        version = headers.get("mcp-protocol-version")
        if version is not None and version not in VERSIONS:
            await _error(400, "this is not a version of MCP")(scope, receive, send)
            return
        if name is None:
            await self._open(scope, receive, send)
        elif (session := self._sessions.get(name)) and session.token == _token(scope):
            with session.connected(scope["method"]):
                await _handle(session, scope, receive, send)
            if session.transport.is_terminated:
                self._sessions.pop(name, None)
        else:
            await _error(404, "unknown session")(scope, receive, send)

    async def _open(self, scope: Any, receive: Any, send: Any) -> None:
        if not self.is_ready:
            self.refused += 1
            reason = "the proxy ends" if self._is_ending else "too many sessions are open"
            await _error(503, reason)(scope, receive, send)
            return
        session = _Session(self._portal, _token(scope))
        status = 500

        async def watched(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            with session.connected("POST"):
                await self._tasks.start(self._serve, session)
                await _handle(session, scope, receive, watched)
        finally:
            if status >= 400:  # noqa: PLR2004 - the errors of HTTP
                await self._discard(session)

    async def _admit(self, session: _Session) -> None:
        """Keep a session that its client has begun; one that is disconnected makes room.

        Raises:
            NotStartedError: if all sessions are taken.

        """
        is_full = len(self._sessions) >= self._limits.max_sessions
        gone = self._replaceable() if is_full else None
        if is_full and gone is None:  # others have begun at the same time
            self.refused += 1
            message = "too many sessions are open"
            raise NotStartedError(message)
        self._sessions[session.name] = session
        if gone is not None:
            await self._discard(gone)

    async def _serve(self, session: _Session, *, task_status: Any) -> None:
        try:
            await session.serve(self._start, self._limiter, self._admit, task_status=task_status)
        except Exception as error:  # noqa: BLE001 - the other sessions go on
            LOGGER.error("a session has ended: %s", unexpected(error))  # noqa: TRY400 - secrets
        finally:
            await self._discard(session)

    async def _discard(self, session: _Session) -> None:
        self._sessions.pop(session.name, None)
        if not session.transport.is_terminated:
            with anyio.CancelScope(shield=True):
                await session.transport.terminate()


async def _handle(session: _Session, scope: Any, receive: Any, send: Any) -> None:
    """Serve a request of a session. If that ends meanwhile, the log has a line, and no traceback.

    Raises:
        TimeoutError: if the body takes too long.

    """
    try:
        await session.transport.handle_request(scope, receive, send)
    except TimeoutError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the SDK or the connection raises
        LOGGER.error("a request was not answered: %s", unexpected(error))  # noqa: TRY400 - secrets


def _token(scope: Any) -> str | None:
    """Return the token of a request; None without one."""
    user = scope.get("user")
    return user.access_token.token if user is not None else None


async def _line(message: Any) -> bytes:
    """Return the message of a client in one line, as it was spelt."""
    body: bytes = await message.metadata.request_context.body()  # has been read, and is kept
    return body.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def _error_message(request: Id, code: int, reason: str) -> Any:
    return MESSAGE.validate_python(error_answer(request, code, reason))


def _error(status: int, reason: str) -> JSONResponse:
    return JSONResponse(error_answer(None, CONNECTION_CLOSED, reason), status_code=status)


def _log_dropped(thing: str) -> None:
    fields = log_fields("server", outcome="dropped", reason=thing)
    LOGGER.warning("dropped %s", thing, extra=fields)
