"""`Listener`: the proxy as an HTTP server, from its socket to its end."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schema2model.apps.proxy.listen.access import limited, only_for_hosts, with_token
from schema2model.apps.proxy.listen.metrics import CONTENT_TYPE
from schema2model.apps.proxy.listen.sessions import SessionLimits, Sessions, Start
from schema2model.extras import extra
from schema2model.limits import MAX_CONNECTIONS

with extra("mcp"):
    import uvicorn
    from anyio.from_thread import start_blocking_portal
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

__all__ = ["Listener", "is_loopback"]

CONNECTIONS = 8
"""Connections for each session: a client has a stream, and one for each open request."""

GRACE = 5.0
"""Seconds in which open requests may be answered after a signal to end."""

LOGGER = logging.getLogger("schema2model.proxy")


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
        start: Start,
        *,
        metrics: Callable[[Sessions], str],
        tokens: Callable[[], Mapping[str, str]] | None = None,
        hosts: Sequence[str] = (),
        limits: SessionLimits | None = None,
    ) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family)
        # accepted sockets inherit it; asyncio sets it only where a socket names its protocol
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._port: int = self._socket.getsockname()[1]
        self._host = host
        self._start = start
        self._metrics = metrics
        self._tokens = tokens
        self._hosts = hosts
        self._limits = limits or SessionLimits()
        self._calls: list[Callable[[], None]] = []
        self._is_stopping = False  # no Event, whose lock the interrupted thread may hold

    @property
    def url(self) -> str:
        """The URL for clients."""
        return f"http://{_bracketed(self._host)}:{self._port}/mcp"

    def run(self) -> None:
        """Serve until `stop` is called."""
        with self._socket, start_blocking_portal() as portal:
            sessions = Sessions(self._start, portal, self._limits, self._tokens)
            server = uvicorn.Server(self._config(sessions))
            with portal.wrap_async_context_manager(sessions.running()):
                serving = portal.start_task_soon(server.serve, [self._socket])
                serving.add_done_callback(lambda _: self.stop())
                while not self._is_stopping:
                    time.sleep(0.1)
                    while self._calls:
                        self._calls.pop(0)()
                with contextlib.suppress(RuntimeError):
                    portal.call(sessions.drain, GRACE)
                server.should_exit = True
                server.force_exit = True
                serving.result()

    def call_soon(self, function: Callable[[], None]) -> None:
        """Call a function in the thread of `run`. A signal's handler may call it."""
        self._calls.append(function)

    def stop(self) -> None:
        """Make `run` return soon. A signal's handler may call it."""
        self._is_stopping = True

    def _config(self, sessions: Sessions) -> uvicorn.Config:
        async def metrics(_: Any) -> PlainTextResponse:
            return PlainTextResponse(self._metrics(sessions), media_type=CONTENT_TYPE)

        async def health(_: Any) -> PlainTextResponse:
            return PlainTextResponse("ok\n")

        async def ready(_: Any) -> PlainTextResponse:
            if sessions.is_ready:
                return PlainTextResponse("ready\n")
            return PlainTextResponse("no session can be opened\n", 503)

        proxy = limited(sessions)
        app = Starlette(
            routes=[
                Route("/healthz", health),
                Route("/readyz", ready),
                Route(
                    "/metrics", with_token(_Application(Route("/metrics", metrics)), self._tokens)
                ),
                Route("/mcp", with_token(_Application(proxy), self._tokens)),
            ]
        )
        return uvicorn.Config(
            only_for_hosts(app, self._accepted_hosts()),
            lifespan="off",
            http="h11",  # the stricter parser, also where httptools is installed
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=max(MAX_CONNECTIONS, CONNECTIONS * self._limits.max_sessions),
            timeout_graceful_shutdown=1,
        )

    def _accepted_hosts(self) -> list[str]:
        names = [_bracketed(self._host), "localhost", "127.0.0.1", "[::1]"]
        own = [f"{name}:{self._port}" for name in names]
        return [*dict.fromkeys([*own, *self._hosts])]


class _Application:
    """An ASGI application that a route does not take for a function of requests."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request."""
        handle = self._app.handle if isinstance(self._app, Route) else self._app
        await handle(scope, receive, send)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
