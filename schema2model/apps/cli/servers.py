"""MCP servers that commands ask: started by a command, or reached at a URL.

They are hops of the proxy, each with one session that asks one thing after the other. Whatever goes
wrong with a server ends in an `InputError` of one line: it is a stranger, and may do or say
anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import re
import shlex
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Final, TypeVar
from urllib.parse import urlsplit

from schema2model.apps.cli.output import InputError, describe_start
from schema2model.apps.cli.printer import in_one_line
from schema2model.apps.proxy.handshakes import describe_client, why_not_opened
from schema2model.apps.proxy.hop import Connection, Hop
from schema2model.apps.proxy.json_rpc import (
    INVALID_REQUEST,
    VERSION,
    error_answer,
    object_in,
    request_id,
)
from schema2model.apps.proxy.merging import own_info
from schema2model.apps.proxy.messages import Message
from schema2model.apps.proxy.processes import Process
from schema2model.apps.proxy.secret_headers import Header, hidden
from schema2model.apps.proxy.versions import (
    DISCOVER,
    HANDSHAKE_VERSIONS,
    INITIALIZE,
    MODERN_VERSION,
)
from schema2model.limits import MAX_TOOL_PAGES

__all__ = ["TIMEOUT", "ServerAddress", "ServerSession", "connector", "session"]

TIMEOUT = 30.0
"""Seconds in which a server has to answer."""

FAREWELL = 1.0
"""Seconds that a server has to end after its input has ended."""

MAX_WORDS = 300
"""Maximum characters of a server's standard error that a message quotes."""

_T = TypeVar("_T")

for _name in ("mcp", "client", "asyncio", "schema2model"):  # a server's rubbish is not for people
    logging.getLogger(_name).addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a server: the command that starts it, or its URL."""

    command: tuple[str, ...] = ()
    url: str | None = None
    headers: tuple[Header, ...] = ()
    environment: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Variables that the command gets in addition to the environment of this process."""
    folder: str | None = None
    """The folder in which the command runs; by default, the current one."""
    is_stateless: bool = False
    """True if all clients of `--listen` may share it."""

    @classmethod
    def at(
        cls,
        *,
        command: str | None = None,
        url: str | None = None,
        headers: tuple[Header, ...] = (),
    ) -> ServerAddress:
        """Return the server of a command line in shell syntax, or of a URL with its headers.

        Raises:
            InputError: unless it is one of them, and makes sense.

        >>> ServerAddress.at(command="npx -y 'my server'").command
        ('npx', '-y', 'my server')

        """
        if (command is None) == (url is None):
            message = "a server has either a command or a URL"
            raise InputError(message)
        if command is not None:
            return cls(command=_split_command(command))
        try:
            parts = urlsplit(url or "")
            known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            known = False
        if not known:
            message = "the URL of a server looks like https://example.org/mcp"
            raise InputError(message)
        return cls(url=url, headers=headers)

    def __str__(self) -> str:
        """Return the command or the URL, without what may be secret in it."""
        if self.url is None:
            return shlex.join(_without_secrets(self.command))
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


_SECRET: Final = re.compile(r"(?i)auth|credential|key|passw|secret|token")
"""Names of options whose values are secret."""


def _without_secrets(words: Iterable[str]) -> Iterator[str]:
    """Yield the words of a command, with dots for values of variables and of options for secrets.

    >>> " ".join(_without_secrets(["env", "API_KEY=abc", "server", "--token", "abc", "--mode=x"]))
    'env API_KEY=... server --token ... --mode=x'
    """
    follows = False
    for word in words:
        name, equals, _ = word.partition("=")
        is_option = word.startswith("-")
        is_secret = is_option and _SECRET.search(name) is not None
        if equals and (is_secret or name.isidentifier()):
            yield f"{name}=..."
        else:
            yield "..." if follows and not is_option else word
        follows = is_secret and not equals


def _split_command(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        message = "the command of the server has a quotation mark that is not closed"
        if command.endswith("\\"):
            message = "the command of the server ends with a backslash"
        raise InputError(message) from None
    if not words:
        message = "the command of the server is empty"
        raise InputError(message)
    return words


def connector(
    server: ServerAddress, errors: IO[bytes] | None = None
) -> Callable[[], Awaitable[Connection]]:
    """Return a function that starts a server, or connects to it.

    Args:
        server: where it is.
        errors: the file of its standard error, if it is not ours.

    Raises:
        InputError: if it needs what is not installed.

    """
    if server.url is None:
        command, environment = server.command, server.environment
        return functools.partial(Process.start, command, environment, server.folder, errors)
    try:
        from schema2model.apps.proxy.endpoints import Endpoint
    except ImportError as error:
        raise InputError(str(error)) from None
    return functools.partial(Endpoint.start, server.url, server.headers)


# ---------------------------------------------------------------------------------------- sessions
_NOT_MCP = "gave an answer that is not MCP's"


class _ServerError(Exception):
    """A server failed to answer a request; the message goes on after "the server"."""


class ServerSession:
    """A client of one server, which asks one thing after the other.

    It has no roots, and nobody who could give a sample or a user's input.
    """

    def __init__(self, hop: Hop, timeout: float) -> None:
        self._hop, self._timeout = hop, timeout
        self._meta: dict[str, Any] = {}  # describes the client in each request, if it must
        hop.askers.add(self)

    async def open(self) -> None:
        """Begin, also with a server that is too new for a handshake."""
        await self._in_time(self._opened())

    async def _opened(self) -> None:
        params = {
            "protocolVersion": HANDSHAKE_VERSIONS[-1],
            "capabilities": {"sampling": {}, "elicitation": {}, "roots": {}},
            "clientInfo": own_info(),
        }
        try:
            await self._opened_by(INITIALIZE, params)
        except _ServerError as error:
            if self._hop.has_ended:
                raise
            self._meta = {**describe_client(params), VERSION: MODERN_VERSION}
            try:
                await self._opened_by(DISCOVER, {})
            except _ServerError:  # what was wrong before says more
                raise error from None
        else:
            done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            self._hop.tell(self, Message(done))

    async def _opened_by(self, method: str, params: dict[str, Any]) -> None:
        reason = why_not_opened(method, await self._ask(method, params))
        if reason is not None:
            message = f"{_NOT_MCP}: {reason}"
            raise _ServerError(message)

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools, as the server sends them, page by page."""
        return await self._in_time(self._all_pages())

    async def _all_pages(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = []
        params: dict[str, Any] = {}
        for _ in range(MAX_TOOL_PAGES):
            page = await self._ask("tools/list", params)
            listed = page.get("tools")
            if not isinstance(listed, list) or not all(map(_is_tool, listed)):
                raise _ServerError(_NOT_MCP)
            tools += listed
            if not page.get("nextCursor"):
                return tools
            params = {"cursor": page["nextCursor"]}
        message = f"the server's list of tools has more than {MAX_TOOL_PAGES} pages"
        raise InputError(message)

    async def call(self, name: str, arguments: Any) -> dict[str, Any]:
        """Return the result of a tool, as the server sends it."""
        params = {"name": name, "arguments": arguments}
        result = await self._in_time(self._ask("tools/call", params))
        blocks = result.get("content", [])
        if not isinstance(blocks, list) or not all(isinstance(each, dict) for each in blocks):
            raise _ServerError(_NOT_MCP)
        return {"content": [], **result}

    async def _in_time(self, work: Coroutine[Any, Any, _T]) -> _T:
        try:
            return await asyncio.wait_for(work, self._timeout)
        except asyncio.TimeoutError:
            message = f"gave no answer within {self._timeout:g} seconds"
            raise _ServerError(message) from None

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request."""
        if self._meta:
            params = {**params, "_meta": self._meta}
        value = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await self._hop.answer_to(self, Message(value))
        result, words = answer.get("result"), object_in(answer, "error").get("message")
        if isinstance(result, dict):
            return result
        if self._hop.has_ended:
            raise _ServerError(self._hop.reason)
        if not isinstance(words, str):
            raise _ServerError(_NOT_MCP)
        message = f"answered with an error: {words}"
        raise _ServerError(message)

    # ---------------------------------------------------------------------------- from the server
    def told(self, hop: Hop, message: Message) -> None:
        """Answer a request of the server's."""
        request, method = request_id(message.value), message.value["method"]
        if request is None:
            return
        reason = "there is neither a model nor a user here"
        answer = error_answer(request, INVALID_REQUEST, reason)
        if method in {"ping", "roots/list"}:
            result: dict[str, Any] = {"roots": []} if method == "roots/list" else {}
            answer = {"jsonrpc": "2.0", "id": request, "result": result}
        hop.tell(self, Message(answer))

    def has_ended(self, hop: Hop) -> None:
        """Do nothing: what was asked has an answer that says so."""

    def full(self) -> None:
        """Let the server never wait."""


@contextlib.asynccontextmanager
async def session(
    server: ServerAddress, *, timeout: float = TIMEOUT
) -> AsyncIterator[ServerSession]:
    """Open a session with a server; both end with the context.

    The server's standard error is held back; its end is quoted if something fails.

    Args:
        server: where it is.
        timeout: seconds in which it has to begin, and then for each thing that it is asked.

    Raises:
        InputError: if the server cannot be started or reached, does not answer in time, answers
            what is not MCP, or goes away; also where that happens within the context.

    """
    with tempfile.TemporaryFile() as errors:
        hop = Hop(connector(server, errors))
        try:
            await _started(hop, server)
            opened = ServerSession(hop, timeout)
            await opened.open()
            yield opened
        except _ServerError as error:
            hop.close()
            ended = await hop.stop(FAREWELL)  # with an HTTP status, if there is one
            reason = _redacted(ended if hop.is_refused else str(error), server)
            message = f"the server `{server}` {in_one_line(reason, MAX_WORDS)}"
            words = _last_words(errors)
            raise InputError(f"{message}; it says: {words}" if words else message) from None
        except InputError as error:  # which may name what the server has listed
            raise InputError(hidden(error.message, server.headers)) from None
        finally:
            hop.close()
            await hop.stop(FAREWELL)


async def _started(hop: Hop, server: ServerAddress) -> None:
    try:
        await hop.start()
    except (OSError, ValueError) as error:  # the latter for a NUL character
        message = f"cannot be started: {describe_start(error, server.folder)}"
        raise _ServerError(message) from None


def _is_tool(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def _redacted(words: str, server: ServerAddress) -> str:
    words = hidden(words, server.headers)
    return words if server.url is None else words.replace(server.url, str(server))


def _last_words(errors: IO[bytes]) -> str:
    """Return the end of a server's standard error."""
    end = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, end - 4 * MAX_WORDS))
    lines = errors.read().decode(errors="replace").splitlines()[-3:]
    return in_one_line(" / ".join(line.strip() for line in lines), MAX_WORDS, end=True)
