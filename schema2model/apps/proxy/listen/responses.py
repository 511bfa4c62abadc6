"""Bodies of HTTP requests, and responses: one message, or a stream of events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

from schema2model.apps.proxy.json_rpc import CONNECTION_CLOSED, Id, error_answer
from schema2model.apps.proxy.messages import Message
from schema2model.extras import extra
from schema2model.limits import MAX_MESSAGE_LINE, MAX_REQUEST_BODY

with extra("mcp"):
    import anyio

__all__ = ["CLOSE", "JSON", "Outlet", "Pairs", "fail", "read_body", "reply", "send_stream"]

Pairs = Iterable[tuple[bytes, bytes]]
"""Headers."""

BODY_TIMEOUT = 20.0
"""Seconds in which the body of a request has to arrive."""

PING_EVERY = 15.0
"""Seconds after which a stream without messages has a comment: proxies close silent connections."""

OVERHEAD = 512
"""Bytes of memory that a waiting message takes besides its text."""

JSON: Final = b"application/json"
_TEXT: Final = b"text/plain; charset=utf-8"
CLOSE: Final = (b"connection", b"close")
_EVENT: Final = b"event: message\ndata: "


class Outlet:
    """The messages for one HTTP response: that of a request, or the stream of a session."""

    def __init__(self, token: Any = None) -> None:
        self.token = token
        """The token by which the client knows progress of the request."""
        self.is_last = False
        """True if nothing more comes."""
        self.is_full = False
        """True if the client leaves too much unread."""
        self._messages: deque[Message] = deque()
        self._size = 0
        self._is_dropped = False
        self._changed: asyncio.Future[None] | None = None

    def put(self, message: Message, *, last: bool = False) -> None:
        """Send a message soon."""
        if not self._is_dropped:
            self._messages.append(message)
            self._size += len(message.line) + OVERHEAD
            self.is_full = self._size > MAX_MESSAGE_LINE and len(self._messages) > 1
        self.is_last = self.is_last or last
        self._wake()

    def end(self) -> None:
        """Send no more."""
        self.is_last = True
        self._wake()

    def drop(self) -> None:
        """Forget what waits, and what comes: the client has gone."""
        self._is_dropped, self.is_full = True, False
        self._messages.clear()
        self.end()

    def _wake(self) -> None:
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    async def take(self, seconds: float) -> list[Message]:
        """Return what has come, or comes in time."""
        if not self._messages and not self.is_last:
            loop = asyncio.get_running_loop()
            self._changed = loop.create_future()
            timer = loop.call_later(seconds, self._wake)
            try:
                await self._changed
            finally:
                timer.cancel()
        got = [*self._messages]
        self._messages.clear()
        self._size = 0
        return got


async def reply(send: Any, status: int, body: bytes, kind: bytes = _TEXT, more: Pairs = ()) -> None:
    """Send a response with a body."""
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def fail(
    send: Any, status: int, reason: str, code: int = CONNECTION_CLOSED, request: Id | None = None
) -> None:
    """Send a response with an error of JSON-RPC."""
    await reply(send, status, json.dumps(error_answer(request, code, reason)).encode(), JSON)


async def send_stream(
    receive: Any, send: Any, outlet: Outlet, got: list[Message], more: Pairs
) -> None:
    """Send messages as events until the last, or until the client has gone.

    Args:
        receive: that of ASGI.
        send: the same.
        outlet: the messages.
        got: those that were taken already.
        more: headers.

    """
    kind = (b"content-type", b"text/event-stream")
    headers = [kind, (b"cache-control", b"no-cache, no-transform"), *more]
    await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        outlet.drop()

    watching = asyncio.ensure_future(watch())
    try:
        body = b""
        while True:
            body = b"".join(_EVENT + each.line + b"\n" for each in got) or body
            is_last = outlet.is_last
            await send({"type": "http.response.body", "body": body, "more_body": True})
            if is_last and not (got := await outlet.take(0)):
                await send({"type": "http.response.body", "body": b""})
                return
            if not is_last:
                got = await outlet.take(PING_EVERY)
                body = b"" if outlet.is_last else b": ping\n\n"
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


async def read_body(headers: dict[bytes, bytes], receive: Any, send: Any) -> bytes | None:
    """Return the body of a request; None if it was refused as too large or too slow."""
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > MAX_REQUEST_BODY:
        await reply(send, 413, b"Request body too large")
        return None
    body = b""
    try:
        with anyio.fail_after(BODY_TIMEOUT):
            while len(body) <= MAX_REQUEST_BODY:
                event = await receive()
                if event["type"] == "http.disconnect":
                    return None
                body += event["body"]
                if not event.get("more_body"):
                    return body
    except TimeoutError:
        await reply(send, 408, b"The request body took too long", more=[CLOSE])
        return None
    await reply(send, 413, b"Request body too large", more=[CLOSE])
    return None
