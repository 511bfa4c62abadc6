"""A server at a URL: streamable HTTP, through the transport of the official SDK, 1.x and 2.x.

The transport passes messages on without a session: it answers nothing itself. It handles HTTP: the
session's id, reconnecting, redirects. Messages are parsed and written anew, so that members that
JSON-RPC does not define may be lost.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from concurrent.futures import CancelledError
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from schema2model.apps.proxy.connecting import EndpointError, SessionEndedError, opened
from schema2model.apps.proxy.json_rpc import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    PARSE_ERROR,
    VERSION,
    Id,
    answer_id,
    cancelled_id,
    client_messages,
    error_answer,
    line_of,
    object_in,
    request_id,
)
from schema2model.apps.proxy.secret_headers import Header, hidden
from schema2model.errors import unexpected
from schema2model.extras import extra
from schema2model.faults import describe_error, describe_server_error

__all__ = ["MESSAGE", "STREAM_CLOSED", "Endpoint", "Headers"]

with extra("mcp"):
    import anyio
    from anyio.from_thread import start_blocking_portal
    from mcp.shared.message import ClientMessageMetadata, SessionMessage
    from mcp.types import ErrorData, JSONRPCMessage

    try:
        from mcp.shared import inbound  # type: ignore[attr-defined]
    except ImportError:  # 1.x
        inbound = None  # type: ignore[assignment]


class Headers:
    """The HTTP headers in which MCP repeats the content of a message; stdio has none.

    The negotiated version goes with every message. Since 2026-07-28 a request states its version
    itself, and repeats it in headers, with its method, the name of its object, and those arguments
    of a call that the tool's schema marks with `x-mcp-header`. The transport of the SDK 1.x is
    older: it knows the negotiated version, and takes no headers.
    """

    def __init__(self) -> None:
        self._initialize: Id | None = None
        self._negotiated: Any = None
        self._mirrored: dict[str, dict[tuple[str, ...], str]] = {}

    def learn(self, message: dict[str, Any]) -> None:
        """Learn from a message of the server: the version, or the schemas of its tools."""
        result = object_in(message, "result")
        if self._initialize is not None and answer_id(message) == self._initialize:
            self._negotiated = result.get("protocolVersion")
        tools = result.get("tools")
        for tool in tools if isinstance(tools, list) else ():
            if not isinstance(tool, dict):
                continue
            schema, name = tool.get("inputSchema"), tool.get("name")
            if inbound and isinstance(name, str) and not inbound.find_invalid_x_mcp_header(schema):
                self._mirrored[name] = inbound.x_mcp_header_map(schema)

    def of(self, message: dict[str, Any]) -> ClientMessageMetadata | None:
        """Return the metadata with which the transport sends a message of the client."""
        method, params = message.get("method"), object_in(message, "params")
        if method == "initialize":
            self._initialize = request_id(message)
            return None
        own = object_in(params, "_meta").get(VERSION)
        version = self._negotiated if own is None else own
        if inbound is None or not isinstance(version, str):
            return None
        headers = {inbound.MCP_PROTOCOL_VERSION_HEADER: inbound.encode_header_value(version)}
        if own is not None and isinstance(method, str):
            headers[inbound.MCP_METHOD_HEADER] = inbound.encode_header_value(method)
            name = params.get(inbound.NAME_BEARING_METHODS.get(method, ""))
            if isinstance(name, str):
                headers[inbound.MCP_NAME_HEADER] = inbound.encode_header_value(name)
                mirrored = self._mirrored.get(name, {}) if method == "tools/call" else {}
                arguments = object_in(params, "arguments")
                headers |= inbound.mcp_param_headers(mirrored, arguments)
        return ClientMessageMetadata(headers=headers)  # type: ignore[call-arg]


FAREWELL = 2.0
"""Seconds that ending the session with the server may take."""

LOGGER = logging.getLogger("schema2model.proxy")
STREAM_CLOSED: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
"""The errors of a stream that the other side has closed."""

GONE: Final = (*STREAM_CLOSED, CancelledError, RuntimeError)  # the last if the event loop has ended
MESSAGE: Final[TypeAdapter[Any]] = TypeAdapter(JSONRPCMessage)


class Endpoint:
    """A server at a URL, as a relay wants it; nothing is sent before the first message."""

    def __init__(self, url: str, headers: Sequence[Header] = ()) -> None:
        self._headers = headers
        self.is_refused = False
        """True if it has ended since the server does not serve this user, or not in this way."""
        self.unsent = b""
        """The message that the server has refused as it does not know the session any more."""
        self._stack = contextlib.ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        connecting = self._portal.wrap_async_context_manager(_connected(url, headers))
        self._connection: _Connection = self._stack.enter_context(connecting)

    def readline(self, size: int) -> bytes:
        """Return the next message of the server, in a line of its own; nothing at the end."""
        del size  # the transport has read it already
        with contextlib.suppress(*GONE):
            return self._portal.call(self._connection.lines.receive)
        return b""

    def send(self, parts: Iterable[bytes]) -> None:
        """Send a line to the server.

        Raises:
            OSError: if it has gone.

        """
        try:
            self._portal.call(self._connection.send, b"".join(parts))
        except GONE as error:
            raise BrokenPipeError from error

    def close(self) -> None:
        """End when all requests are answered."""
        with contextlib.suppress(*GONE):
            self._portal.call(self._connection.close)

    def stop(self, patience: float) -> str:
        """End the session now, and return how it ended."""
        del patience  # a server that has gone does not come back
        try:
            self._stack.close()
        except Exception as error:  # noqa: BLE001 - there is no telling what a transport raises
            cause: BaseException = error
            while inner := getattr(cause, "exceptions", ()):  # of a task group
                cause = inner[0]
            own = isinstance(cause, EndpointError)
            if isinstance(cause, SessionEndedError):
                self.unsent = cause.unsent
            else:
                self.is_refused = own
            words = str(cause) if own else f"cannot be talked to: {describe_error(cause)}"
            return hidden(words, self._headers)
        return "gave no answer before the connection was closed"


class _Connection:
    """The streams of a transport, in the thread of its event loop."""

    def __init__(self, received: Any, sent: Any, secrets: Sequence[Header]) -> None:
        self._received = received
        self._sent = sent
        self._secrets = secrets
        self._headers = Headers()
        self._unanswered: set[Id] = set()
        self._closing = False
        self._lines, self.lines = anyio.create_memory_object_stream[bytes](0)

    async def forward(self) -> None:
        """Make lines of what the transport receives."""
        async with self._lines:
            async for received in self._received:
                if isinstance(received, Exception):
                    await self._lost(received)
                    continue
                content = received.message
                if isinstance(failed := getattr(content, "error", None), ErrorData):
                    failed.message = describe_server_error(failed.message)
                line = MESSAGE.dump_json(content, by_alias=True, exclude_unset=True) + b"\n"
                answer = MESSAGE.dump_python(content, by_alias=True, exclude_unset=True)
                self._learn(answer)
                await self._lines.send(line)
                self._unanswered.discard(answer_id(answer))
                await self._end_if_idle()

    async def _lost(self, error: Exception) -> None:
        """Log a response that is not a message; the SDK 1.x does not name its request.

        If only one request is open, it is answered with an error.
        """
        words = hidden(f"the server sent no message: {describe_error(error)}", self._secrets)
        LOGGER.warning("%s", words)
        if len(self._unanswered) == 1:
            request = self._unanswered.pop()
            await self._refuse(request, CONNECTION_CLOSED, words)
            await self._end_if_idle()

    def _learn(self, answer: dict[str, Any]) -> None:
        try:
            self._headers.learn(answer)
        except BaseException as error:  # noqa: BLE001 - the SDK reads a stranger's schemas
            LOGGER.warning("nothing is learned from a message: %s", unexpected(error))

    async def send(self, line: bytes) -> None:
        """Send a message, or the messages of a batch one by one; HTTP has none any more."""
        messages = client_messages(line)
        if not messages:
            await self._refuse(None, PARSE_ERROR, "this is not JSON")
        for message in messages:
            request = request_id(message)
            try:
                sent = self._message(message)
            except ValidationError:
                await self._refuse(request, INVALID_REQUEST, "this is not a JSON-RPC message")
                continue
            except BaseException as error:  # noqa: BLE001 - the transport would end with it
                reason = f"this message cannot be sent: {unexpected(error)}"
                await self._refuse(request, INVALID_REQUEST, reason)
                continue
            if request is not None:
                self._unanswered.add(request)
            self._unanswered.discard(cancelled_id(message))  # type: ignore[arg-type]
            await self._sent.send(sent)

    def _message(self, message: Any) -> SessionMessage:
        """Convert a message for the transport, which would end if it could not write one.

        Raises:
            ValueError: where UTF-8 does not spell it, as half a surrogate pair.
            Exception: whatever the SDK raises over its headers.

        """
        content = MESSAGE.validate_python(message)
        MESSAGE.dump_json(content)
        return SessionMessage(content, self._headers.of(message))

    async def _refuse(self, request: Id | None, code: int, reason: str) -> None:
        answer = error_answer(request, code, reason)
        await self._lines.send(line_of(answer))

    async def close(self) -> None:
        """Let it end when all requests are answered."""
        self._closing = True
        await self._end_if_idle()

    async def _end_if_idle(self) -> None:
        if self._closing and not self._unanswered:
            await self._sent.aclose()


@contextlib.asynccontextmanager
async def _connected(url: str, headers: Sequence[Header]) -> AsyncIterator[_Connection]:
    """A connection that ends with the context, or with the transport."""
    with anyio.CancelScope() as closing:
        async with (
            opened(url, headers, tell=LOGGER.warning) as streams,
            anyio.create_task_group() as tasks,
        ):
            connection = _Connection(*streams, headers)
            tasks.start_soon(connection.forward)
            try:
                yield connection
            finally:
                closing.deadline = anyio.current_time() + FAREWELL
                tasks.cancel_scope.cancel()
