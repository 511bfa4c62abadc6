"""A server at a URL: streamable HTTP, through the transport of the official SDK, 1.x and 2.x.

The transport passes messages on without a session: it answers nothing itself. It handles HTTP: the
session's id, reconnecting, redirects. Messages are parsed and written anew, so that members that
JSON-RPC does not define may be lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from schema2model.apps.proxy.connecting import EndpointError, SessionEndedError, opened
from schema2model.apps.proxy.json_rpc import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    VERSION,
    Id,
    answer_id,
    cancelled_id,
    client_messages,
    error_answer,
    object_in,
    request_id,
)
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.secret_headers import Header, hidden
from schema2model.apps.proxy.streams import Take, TakeLong
from schema2model.errors import unexpected
from schema2model.extras import extra
from schema2model.faults import describe_error, describe_server_error

__all__ = ["MESSAGE", "STREAM_CLOSED", "Endpoint", "Headers"]

with extra("mcp"):
    import anyio
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


MAX_WAITING = 16
"""Maximum messages of a server that wait for the client."""

FAREWELL = 2.0
"""Seconds that ending the session with the server may take."""

LOGGER = logging.getLogger("schema2model.proxy")
STREAM_CLOSED: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
"""The errors of a stream that the other side has closed."""

MESSAGE: Final[TypeAdapter[Any]] = TypeAdapter(JSONRPCMessage)


class Endpoint:
    """A connection to a server at a URL, as long as the server knows the session.

    One task owns the transport, and another sends what waits: the transport answers a message only
    when the server has taken it.

    Args:
        url: of the server.
        secrets: headers for every request to its origin.

    """

    waits_for_answers = True

    def __init__(self, url: str, secrets: Sequence[Header]) -> None:
        self._url, self._secrets = url, secrets
        self.is_refused = False
        self.unsent: Message | None = None
        self.waiting = 0
        self._to_send: asyncio.Queue[Message | None] = asyncio.Queue()
        self._received: asyncio.Queue[bytes] = asyncio.Queue(MAX_WAITING)
        self._headers = Headers()
        self._unanswered: set[Id] = set()
        self._reason = "gave no answer before the connection was closed"
        self._running = asyncio.ensure_future(self._run())

    @classmethod
    async def start(cls, url: str, secrets: Sequence[Header]) -> Endpoint:
        """Return a connection, which opens soon."""
        return cls(url, secrets)

    async def _run(self) -> None:
        try:
            async with (
                opened(self._url, self._secrets, tell=LOGGER.warning) as (received, sent),
                received,
                sent,
            ):
                sending = asyncio.ensure_future(self._send_all(sent))
                try:
                    async for each in received:
                        await self._take(each)
                finally:
                    sending.cancel()
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001 - there is no telling what a transport raises
            self._note_failure(error)

    def _note_failure(self, error: BaseException) -> None:
        cause = error
        while inner := getattr(cause, "exceptions", ()):  # of a task group
            cause = inner[0]
        is_own = isinstance(cause, EndpointError)
        if isinstance(cause, SessionEndedError):
            self.unsent = next(map(Message, client_messages(cause.unsent)), None)
        else:
            self.is_refused = is_own
        words = str(cause) if is_own else f"cannot be talked to: {describe_error(cause)}"
        self._reason = hidden(words, self._secrets)

    # ----------------------------------------------------------------------------- to the server
    async def _send_all(self, sent: Any) -> None:
        with contextlib.suppress(*STREAM_CLOSED):
            while (message := await self._to_send.get()) is not None:
                await self._send(message, sent)
                self.waiting -= message.size
            await sent.aclose()

    async def _send(self, message: Message, sent: Any) -> None:
        value = message.value
        request = request_id(value)
        try:
            # the transport would end if it could not write one, as with half a surrogate pair
            content = MESSAGE.validate_python(value)
            MESSAGE.dump_json(content)
            packed = SessionMessage(content, self._headers.of(value))
        except ValidationError:
            await self._refuse(request, INVALID_REQUEST, "this is not a JSON-RPC message")
            return
        except STREAM_CLOSED:
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                raise
            reason = f"this message cannot be sent: {unexpected(error)}"
            await self._refuse(request, INVALID_REQUEST, reason)
            return
        if request is not None:
            self._unanswered.add(request)
        self._unanswered.discard(cancelled_id(value))  # type: ignore[arg-type]
        await sent.send(packed)

    async def _refuse(self, request: Id | None, code: int, reason: str) -> None:
        await self._received.put(Message(error_answer(request, code, reason)).line)

    # --------------------------------------------------------------------------- from the server
    async def _take(self, received: Any) -> None:
        """Make a line of what the transport receives."""
        if isinstance(received, Exception):
            await self._report_lost(received)
            return
        content = received.message
        if isinstance(failed := getattr(content, "error", None), ErrorData):
            failed.message = describe_server_error(failed.message)
        value = MESSAGE.dump_python(content, by_alias=True, exclude_unset=True)
        self._learn(value)
        self._unanswered.discard(answer_id(value))  # type: ignore[arg-type]
        line = MESSAGE.dump_json(content, by_alias=True, exclude_unset=True) + b"\n"
        await self._received.put(line)

    async def _report_lost(self, error: Exception) -> None:
        """Log a response that is not a message; the SDK 1.x does not name its request.

        If only one request is open, it is answered with an error.
        """
        words = hidden(f"the server sent no message: {describe_error(error)}", self._secrets)
        LOGGER.warning("%s", words)
        if len(self._unanswered) == 1:
            await self._refuse(self._unanswered.pop(), CONNECTION_CLOSED, words)

    def _learn(self, answer: dict[str, Any]) -> None:
        try:
            self._headers.learn(answer)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - the SDK reads a stranger's schemas
            LOGGER.warning("nothing is learned from a message: %s", unexpected(error))

    async def each(self, take: Take, take_long: TakeLong) -> None:
        """Take all messages that come, each in a line of its own."""
        del take_long  # the transport has read them already
        while not (self._running.done() and self._received.empty()):
            line = asyncio.ensure_future(self._received.get())
            await asyncio.wait({line, self._running}, return_when="FIRST_COMPLETED")
            if not line.done() and self._received.empty():
                line.cancel()
                return
            more = take(await line)
            if more is not None:
                await more

    def send(self, message: Message) -> None:
        """Send a message soon."""
        self.waiting += message.size
        self._to_send.put_nowait(message)

    def close(self) -> None:
        """End the session. Who closes it has all answers."""
        self._to_send.put_nowait(None)

    async def stop(self, patience: float) -> str:
        """End the session now, and return how it ended."""
        del patience  # a server that has gone does not come back
        if not self._running.done():
            self.close()
            await asyncio.wait({self._running}, timeout=FAREWELL)
            self._running.cancel()
            await asyncio.wait({self._running}, timeout=FAREWELL)
        return self._reason
