"""Checks of a request before anything reads it: Host, Origin, token, size and time of the body."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schema2model.extras import extra
from schema2model.limits import MAX_REQUEST_BODY

with extra("mcp"):
    import anyio
    from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
    from mcp.server.auth.provider import AccessToken
    from mcp.server.streamable_http_manager import RequestBodyLimitMiddleware
    from mcp.server.transport_security import (
        TransportSecurityMiddleware,
        TransportSecuritySettings,
    )
    from starlette.middleware.authentication import AuthenticationMiddleware
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse

__all__ = ["BODY_TIMEOUT", "limited", "only_for_hosts", "with_token"]

BODY_TIMEOUT = 20.0
"""Seconds in which the body of a request has to arrive."""


def only_for_hosts(app: Any, hosts: Sequence[str]) -> Any:
    """Return an application that refuses other hosts and origins, against DNS rebinding.

    Args:
        app: an ASGI application.
        hosts: values of the header `Host`, such as `localhost:8000`.

    """
    hosts = [host.lower() for host in hosts]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    settings = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=[*hosts], allowed_origins=origins
    )
    security = TransportSecurityMiddleware(settings)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        scope["headers"] = [
            (name, value.lower() if name in {b"host", b"origin"} else value)
            for name, value in scope["headers"]
        ]
        refused = await security.validate_request(Request(scope))
        await (refused or app)(scope, receive, send)

    return guarded


def with_token(app: Any, tokens: Callable[[], Mapping[str, str]] | None) -> Any:
    """Return an application that asks for a bearer token; the same application without tokens.

    Args:
        app: an ASGI application.
        tokens: returns the names of the tokens that count now, by token.

    """
    if tokens is None:
        return app
    backend = BearerAuthBackend(_Tokens(tokens))
    return AuthenticationMiddleware(RequireAuthMiddleware(app, []), backend=backend)


class _Tokens:
    """Verifies the tokens of the proxy, in time that does not depend on their texts."""

    def __init__(self, tokens: Callable[[], Mapping[str, str]]) -> None:
        self._tokens = tokens

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that a token gives, or None."""
        found = None
        for known, name in self._tokens().items():
            if hmac.compare_digest(token.encode(), known.encode()):
                found = AccessToken(token=token, client_id=name, scopes=[])
        return found


def limited(
    app: Any, *, max_body: int = MAX_REQUEST_BODY, body_timeout: float = BODY_TIMEOUT
) -> Any:
    """Return an application that refuses bodies that are too large or too slow."""
    bounded = RequestBodyLimitMiddleware(app, max_body)

    async def timed(scope: Any, receive: Any, send: Any) -> None:
        deadline = time.monotonic() + body_timeout
        is_complete = False

        async def next_part() -> Any:
            nonlocal is_complete
            if is_complete:
                return await receive()
            with anyio.fail_after(max(0.0, deadline - time.monotonic())):
                part = await receive()
            is_complete = not part.get("more_body", False)
            return part

        try:
            await bounded(scope, next_part, send)
        except TimeoutError:
            if is_complete:
                raise
            late = PlainTextResponse("The request body took too long", 408)
            late.headers["connection"] = "close"
            await late(scope, receive, send)

    return timed
