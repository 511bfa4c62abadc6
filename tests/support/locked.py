"""A server at a URL that wants a header, of whichever SDK is installed, in a thread of tests."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import uvicorn
import uvicorn.server
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from waiting import until

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:  # 1.x
    from mcp.server.fastmcp import FastMCP as MCPServer


class _Impatient:
    """`asyncio` for uvicorn, which sleeps twice for a tenth of a second before it ends."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        """Sleep for a part of that."""
        await asyncio.sleep(seconds / 20)


uvicorn.server.asyncio = _Impatient()  # type: ignore[assignment, attr-defined]

FORBIDDEN = 13
"""A limit that this server has for nobody."""


def application(*, older: bool) -> Any:
    """What the SDK makes of a server, at `/mcp`, or with its older transport at `/sse`."""
    server = MCPServer("locked", log_level="CRITICAL")

    @server.tool()
    def search(limit: int) -> str:
        """Answer with the argument."""
        return repr(limit)

    return server.sse_app() if older else server.streamable_http_app()


def leaks(key: str, message: Any) -> dict[str, Response]:
    """Answers to a message that tell the key, in as many ways as servers and libraries have."""
    asked = {"jsonrpc": "2.0", "id": message.get("id")}
    long = f"{'x' * 60}{key}{'y' * 60}"
    tools = [
        {"name": f"no {key}", "inputSchema": {}},
        {"name": "search", "inputSchema": {"type": key.lower()}},
    ]
    listed = {"tools": tools} if message.get("method") == "tools/list" else HELLO
    texts = {
        "error": {**asked, "error": {"code": -32001, "message": long, "data": long}},
        "no-error": {**asked, "error": {"code": key, "message": key}},
        "no-result": {**asked, "result": long},
        "no-message": {"hello": long, key: key},
        "no-object": [key, long],
        "version": {**asked, "result": {**HELLO, "protocolVersion": key}},
        "no-info": {**asked, "result": {**HELLO, "serverInfo": {key: {key: long}}}},
        "tools": {**asked, "result": listed},
    }
    header = quote(key, safe=" -") if not key.isascii() else key
    return {
        **{name: JSONResponse(text) for name, text in texts.items()},
        "type": Response("{}", media_type=f"text/{header.lower()}"),
        "no-json": Response(long, media_type="application/json"),
        "events": Response(f"data: {long}\n\n", media_type="text/event-stream"),
        "redirect": RedirectResponse(f"http://127.0.0.1:9/{quote(key)}?{quote(key)}", 307),
        "locked": Response(key, 401, {"www-authenticate": header}),
        "lost": Response(key, 500, {"x-key": header}),
        "gone": Response(key, 404, {"location": quote(key)}),
    }


HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "leaky", "version": "1"},
}


LEAKS = tuple(leaks("a", {}))
"""The names of these answers."""


class Locked:
    """An application that answers who sends the right `Authorization`, and notes what it is sent.

    Args:
        key: the value that it wants; None for any.
        older: whether it speaks the older transport.

    """

    def __init__(self, key: bytes | None, *, older: bool = False) -> None:
        self.application = application(older=older)
        self.key = key
        self.seen: list[tuple[str, str, bytes | None]] = []
        self.elsewhere = ""
        self.expired = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or hand it on to the SDK."""
        answer: Any = self.application
        if scope["type"] == "http":
            body = await Request(scope, receive).body()
            given = dict(scope["headers"]).get(b"authorization")
            self.seen.append((scope["method"], scope["path"], given))
            receive = _after(body, receive)
            answer = self._answer(scope, given, json.loads(body or b"{}")) or answer
        await answer(scope, receive, send)

    def _answer(self, scope: Any, given: bytes | None, message: Any) -> Response | None:
        """What is answered before the SDK sees it; None if that is to answer."""
        path = scope["path"]
        if path.startswith("/redirects/"):  # STATUS/away, or STATUS/here
            _, _, status, where = path.split("/")
            return RedirectResponse(f"{self.elsewhere if where == 'away' else ''}/mcp", int(status))
        if self.key is not None and given != self.key:
            return Response(status_code=401 if given is None else 403)
        if self.expired:
            return Response(status_code=401)
        if path == "/tells":
            error = {"code": -32001, "message": f"unknown: {(given or b'').decode('latin-1')}"}
            return JSONResponse({"jsonrpc": "2.0", "id": message.get("id"), "error": error})
        if path.startswith("/leaks/"):
            if scope["method"] != "POST" or "id" not in message:
                return Response(status_code=405 if scope["method"] == "GET" else 202)
            return leaks((given or b"").decode("latin-1"), message)[path.rpartition("/")[2]]
        if scope["method"] == "GET" and self.elsewhere:
            return RedirectResponse(f"{self.elsewhere}/stream", 307)
        arguments = message.get("params", {}).get("arguments", {})
        return Response(status_code=403) if arguments.get("limit") == FORBIDDEN else None


def _after(body: bytes, receive: Any) -> Any:
    """Receive a body that has been read, and then what comes."""
    events = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return events.pop() if events else await receive()

    return again


@contextlib.contextmanager
def served(locked: Locked) -> Iterator[str]:
    """The origin of a server, which ends with the context."""
    config = uvicorn.Config(
        locked, port=0, log_level="critical", ws="none", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        gc.collect(1)  # what the SDK 1.26 has just left open is not for the next test
