"""Opens the URL of a server, with the user's headers for that origin alone.

It uses the streamable HTTP client of the official SDK, 1.x and 2.x, which is imported when a URL is
opened. Headers are added to each request at the last moment, after all redirects: a request to
another origin is not made. HTTP statuses are explained in messages of our own, since the SDK's
differ from version to version, or are empty.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from http import HTTPStatus
from typing import Any, Final

from schema2model.apps.proxy.secret_headers import Header
from schema2model.faults import status_words
from schema2model.limits import MAX_PROBE_SIZE

__all__ = ["EndpointError", "SessionEndedError", "opened"]

PROBE_TIMEOUT = 2.0
"""Seconds that a server has to show that it speaks the older transport."""

_ENDPOINT: Final = re.compile(rb"^event: ?endpoint\r?$", re.MULTILINE)
"""How the older transport begins each stream."""


class EndpointError(Exception):
    """A server cannot be talked to; the message goes on after "the server"."""


class SessionEndedError(EndpointError):
    """The server does not know the session any more: it was restarted, or has forgotten it."""

    def __init__(self, unsent: bytes) -> None:
        super().__init__("has ended the session")
        self.unsent = unsent
        """The message that it has refused for that reason."""


@contextlib.asynccontextmanager
async def opened(
    url: str, headers: Sequence[Header] = (), *, tell: Callable[[str], object] = str
) -> AsyncIterator[tuple[Any, Any]]:
    """Open the streams of the SDK's messages from and to the server at a URL.

    Args:
        url: of a server that speaks streamable HTTP.
        headers: go with every request to its origin, and to no other.
        tell: is called with a message if a request is refused but the connection goes on.

    Raises:
        ImportError: if the SDK is not installed.
        EndpointError: if the server wants credentials, or redirects to another origin, or speaks
            another transport; in place of what the SDK, or the context, raises for that.
        Exception: whatever the SDK raises for a server that cannot be reached.

    """
    from mcp.client import streamable_http  # noqa: PLC0415 - an extra, and slow
    from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: PLC0415 - an extra, and slow

    unlimited = hasattr(streamable_http, "DEFAULT_MAX_SSE_EVENT_SIZE")  # 2.x takes 1 MiB otherwise
    options: dict[str, Any] = {"max_sse_event_size": None} if unlimited else {}
    client: Any = create_mcp_http_client()
    watch = _Watch(client, headers, tell)
    client.event_hooks = {"request": [watch.sends], "response": [watch.receives]}
    try:
        async with (
            client,
            streamable_http.streamable_http_client(url, http_client=client, **options) as streams,
        ):
            yield streams[0], streams[1]  # 1.x has a third
    except Exception:
        if watch.problem is None:
            raise
    if watch.problem is not None:
        raise watch.problem


class _Watch:
    """Hooks for each HTTP request and response of a connection."""

    def __init__(
        self, client: Any, headers: Sequence[Header], tell: Callable[[str], object]
    ) -> None:
        self._client = client
        self._tell = tell
        self._headers = [(h.name.encode(), h.value.encode("latin-1")) for h in headers]
        self._home: Any = None
        self._accepted = False
        self.problem: EndpointError | None = None

    async def sends(self, request: Any) -> None:
        """Add the headers to a request that is about to be sent."""
        if not self._headers:
            return
        self._home = self._home or request.url  # the first is no redirect
        if self._is_elsewhere(request.url):
            raise EndpointError(_elsewhere(request.url))
        own = {name.lower() for name, _ in self._headers}
        others = [(name, value) for name, value in request.headers.raw if name.lower() not in own]
        request.headers = type(request.headers)([*others, *self._headers])

    async def receives(self, response: Any) -> None:
        """See what the status of an answer says."""
        if response.request.method != "POST":  # what else there is, servers need not know
            return
        status = response.status_code
        _check_session(response)
        if response.has_redirect_location:
            place = response.url.join(response.headers["location"])
            if self._headers and self._is_elsewhere(place):
                self.problem = EndpointError(_elsewhere(place))
                raise self.problem
            if not self._accepted:  # some versions of the SDK follow it
                self.problem = EndpointError(f"redirects to {_shown(place)}")
        elif response.is_success:
            self._accepted, self.problem = True, None
        elif status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            self.problem = EndpointError(self._locked(HTTPStatus(status)))
            if status == HTTPStatus.UNAUTHORIZED or not self._accepted:
                raise self.problem
            self._tell(f"the server {self.problem}")  # it may be about one call
        elif status in {400, 404, 405} and not self._accepted and await self._is_older(response):
            self.problem = EndpointError(
                "speaks only the older SSE transport, not streamable HTTP; it may have that at "
                "another path, such as /mcp"
            )
            raise self.problem
        elif not self._accepted:  # what the SDK makes of it, does not say that
            self.problem = EndpointError(f"answered {status_words(status)}")
        else:  # the client gets an error in which the SDK does not say that
            self._tell(f"the server answered {status_words(status)}")

    def _is_elsewhere(self, url: Any) -> bool:
        home = self._home
        return (url.scheme, url.host, url.port) != (home.scheme, home.host, home.port)

    def _locked(self, status: HTTPStatus) -> str:
        answered = f"answered {status_words(status)}"
        if self._headers:
            return f"{answered}: what was passed with --header does not let you in"
        return f"{answered}: pass what it asks for with --header, such as 'Authorization: Bearer …'"

    async def _is_older(self, response: Any) -> bool:
        """Return whether a server that does not know `initialize` begins a stream as SSE had it."""
        import anyio  # noqa: PLC0415 - comes with the SDK

        if json.loads(response.request.content).get("method") != "initialize":
            return False
        accept = {"accept": "text/event-stream"}
        asked = self._client.build_request("GET", response.url, headers=accept)
        begun = b""
        with contextlib.suppress(Exception), anyio.move_on_after(PROBE_TIMEOUT):
            stream = await self._client.send(asked, stream=True, follow_redirects=False)
            async with contextlib.aclosing(stream):
                async for part in stream.aiter_bytes():
                    begun += part
                    if _ENDPOINT.search(begun) or len(begun) > MAX_PROBE_SIZE:
                        break
        return bool(_ENDPOINT.search(begun))


def _check_session(response: Any) -> None:
    request = response.request
    if response.status_code == HTTPStatus.NOT_FOUND and "mcp-session-id" in request.headers:
        raise SessionEndedError(request.content)


def _elsewhere(url: Any) -> str:
    place = _shown(url)
    return f"redirects to {place}, where headers do not follow; if it is right, give it as --url"


def _shown(url: Any) -> Any:
    """Return a URL without what may be secret in it."""
    return url.copy_with(userinfo=b"", query=None, fragment=None)
