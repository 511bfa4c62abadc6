"""MCP servers, started by a command or reached at a URL, through the official SDK, 1.x and 2.x.

The SDK is the extra `mcp`; it is imported when a server is first asked. Whatever goes wrong with a
server ends in an `InputError` of one line: it is a stranger, and may do or say anything.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shlex
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final
from urllib.parse import urlsplit

import click
from pydantic_core import ValidationError

from schema2model.apps.cli.output import InputError, describe_start, on_one_line
from schema2model.apps.proxy.connecting import EndpointError, opened
from schema2model.apps.proxy.secret_headers import Header, hidden
from schema2model.extras import needs
from schema2model.faults import describe_error, describe_server_error
from schema2model.limits import MAX_TOOL_PAGES

__all__ = [
    "TIMEOUT",
    "ServerAddress",
    "call_tool",
    "list_tools",
    "session",
]

TIMEOUT = 30.0
"""Seconds in which a server has to answer."""

MAX_CLOSING = 10.0
"""Seconds that a session may take to close."""

MAX_WORDS = 300
"""Maximum characters of a server's standard error that a message quotes."""

_CLOSED = -32000
"""The SDK's error code for a connection that has ended (JSON-RPC's range for implementations)."""

for _name in ("mcp", "client", "asyncio"):  # a server's rubbish is not for the terminal
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


# ---------------------------------------------------------------------------------------- sessions
def _transport(server: ServerAddress, errlog: IO[str]) -> Any:
    """Return the context in which the streams of the SDK's messages from and to a server are open.

    The standard error of a command goes to `errlog`, a file of the operating system.
    """
    from mcp import StdioServerParameters, stdio_client

    if server.url is not None:
        return opened(server.url, server.headers)
    program, *arguments = server.command
    parameters = StdioServerParameters(
        command=program,
        args=arguments,
        env={**os.environ, **dict(server.environment)},
        cwd=server.folder,
    )
    return stdio_client(parameters, errlog=errlog)  # type: ignore[arg-type, unused-ignore]


@contextlib.asynccontextmanager
async def session(server: ServerAddress, *, timeout: float = TIMEOUT) -> AsyncIterator[Any]:
    """Open an initialised session with a server; both end with the context.

    The server's standard error is held back; its end is quoted if something fails.

    Args:
        server: where it is.
        timeout: seconds in which it has to be initialised.

    Raises:
        InputError: if the server cannot be started or reached, does not answer in time, answers
            what is not MCP, or goes away; also where that happens within the context, or
            anything else does but for errors of click, which stay as they are.

    """
    import tempfile

    with _sdk():
        import anyio
        from mcp import ClientSession

    failure: BaseException | None = None
    is_done = False

    async def handle(message: Any) -> None:
        """End where the SDK 1.x has got an answer that is none, and would wait for another."""
        nonlocal failure
        if isinstance(message, Exception):
            failure = message
            closing.cancel()

    options = _client_features()
    if server.url is not None:  # over stdio, servers may print what they like
        options["message_handler"] = handle
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errlog:
        try:
            with anyio.CancelScope() as closing:
                async with (
                    _transport(server, errlog) as (read, write),
                    ClientSession(read, write, **options) as opened,
                ):
                    try:
                        with anyio.fail_after(timeout):
                            await _shake_hands(opened)
                        yield opened
                        is_done = True
                    except BaseException as error:
                        failure = failure or error
                        raise
                    finally:
                        closing.deadline = anyio.current_time() + MAX_CLOSING
            if failure is not None:  # a server that does not let go must not hide it
                raise failure  # noqa: TRY301 - to the handler of all that goes wrong
        except Exception as error:  # noqa: BLE001 - there is no telling what a transport raises
            if is_done and failure is None:  # the SDK 1.x, if the server speaks while it is closed
                return
            raise _refusal(server, error, timeout, errlog) from None


async def _shake_hands(opened: Any) -> None:
    """Begin a session, also with a server that is too new for a handshake, if the SDK is as new."""
    try:
        await opened.initialize()
    except Exception as error:
        if _code(error) in {None, _CLOSED} or not hasattr(opened, "discover"):
            raise
        try:
            await opened.discover()
        except Exception:  # noqa: BLE001 - what was wrong before says more
            raise error from None


async def list_tools(session: Any, *, timeout: float = TIMEOUT) -> list[dict[str, Any]]:
    """Return all tools of a server, as it sent them, page by page.

    Args:
        session: an initialised `ClientSession`.
        timeout: seconds that all pages together may take.

    Raises:
        InputError: if there are more than `MAX_TOOL_PAGES` pages.
        TimeoutError: if it takes too long; in the context of `session` that is an `InputError`.

    """
    with _sdk():
        import anyio
        from mcp.types import PaginatedRequestParams

    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    with anyio.fail_after(timeout):
        for _ in range(MAX_TOOL_PAGES):
            params = PaginatedRequestParams(cursor=cursor) if cursor else None
            listed = await session.list_tools(params=params)
            page = listed.model_dump(by_alias=True, exclude_unset=True)
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor:
                return tools
    message = f"the server's list of tools has more than {MAX_TOOL_PAGES} pages"
    raise InputError(message)


async def call_tool(
    session: Any, name: str, arguments: Any, *, timeout: float = TIMEOUT
) -> dict[str, Any]:
    """Return the result of a tool, as the server sent it.

    Args:
        session: an initialised `ClientSession`.
        name: the tool's.
        arguments: its arguments.
        timeout: seconds that it may take.

    Raises:
        TimeoutError: if it takes too long; in the context of `session` that is an `InputError`.

    """
    with _sdk():
        import anyio

    for check in ("validate_tool_result", "_validate_tool_result"):  # in 2.x, in 1.x
        if hasattr(session, check):  # its error would hide what the server has sent
            setattr(session, check, _accept_result)
    with anyio.fail_after(timeout):
        answered = await session.call_tool(name, arguments)
    result: dict[str, Any] = answered.model_dump(by_alias=True, mode="json", exclude_unset=True)
    return result


async def _accept_result(name: str, result: Any) -> None:
    """Accept any result; `call` reads it by the tool's `outputSchema` itself."""


@contextlib.contextmanager
def _sdk() -> Iterator[None]:
    """Imports of the SDK happen in this context."""
    try:
        yield
    except ImportError as error:
        missing = f" (the module {error.name} is missing)" if error.name else ""
        message = f"to ask a server {needs('mcp')}{missing}"
        raise InputError(message) from None


# ----------------------------------------------------------------------------------------- errors
def _refusal(
    server: ServerAddress, error: Exception, timeout: float, errlog: IO[str]
) -> click.ClickException:
    """Return the message for an error, in one line."""
    causes = sorted(_causes(error), key=_is_ended)  # which may be but what another error led to
    for cause in causes:
        if isinstance(cause, InputError):  # which may name what the server has listed
            return InputError(hidden(cause.message, server.headers))
        if isinstance(cause, click.ClickException):
            return cause
    reason = hidden(_reason(causes[0], timeout, server.folder), server.headers)
    if server.url is not None:
        reason = reason.replace(server.url, str(server))
    message = f"the server `{server}` {_line(reason)}"
    words = _last_words(errlog)
    return InputError(f"{message}; it says: {words}" if words else message)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors that a task group has gathered, or the error itself."""
    inner: Sequence[BaseException] = getattr(error, "exceptions", ())
    if not inner:
        yield error
    for each in inner:
        yield from _causes(each)


def _is_ended(cause: BaseException) -> bool:
    """Return whether an error says only that the server is not there any more."""
    import anyio

    gone = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
    return isinstance(cause, (*gone, ConnectionError)) or _code(cause) == _CLOSED


def _code(cause: BaseException) -> int | None:
    """Return the code of the SDK's errors, `McpError` in 1.x and `MCPError` in 2.x."""
    code: int | None = getattr(getattr(cause, "error", None), "code", None)
    return code


def _reason(cause: BaseException, timeout: float, folder: str | None) -> str:
    if isinstance(cause, EndpointError):
        return str(cause)
    if _is_ended(cause):
        return "ended before it answered"
    if isinstance(cause, TimeoutError):
        return f"gave no answer within {timeout:g} seconds"
    if isinstance(cause, OSError):
        return f"cannot be started: {describe_start(cause, folder)}"
    if isinstance(cause, ValidationError):
        return f"gave an answer that is not MCP's: {describe_error(cause)}"
    if _code(cause) is not None:
        return f"answered with an error: {describe_server_error(str(cause))}"
    return f"cannot be talked to: {describe_error(cause)}"


def _last_words(errlog: IO[str]) -> str:
    """Return the end of a server's standard error."""
    errlog.flush()
    end = errlog.seek(0, os.SEEK_END)
    errlog.seek(max(0, end - 4 * MAX_WORDS))
    return _line(" / ".join(line.strip() for line in errlog.read().splitlines()[-3:]), end=True)


def _line(text: str, *, end: bool = False) -> str:
    """Return a text in one line, cut where it is long."""
    line = on_one_line(text)
    if len(line) <= MAX_WORDS:
        return line
    return f"…{line[-MAX_WORDS:]}" if end else f"{line[:MAX_WORDS]}…"


def _client_features() -> dict[str, Any]:
    """Arguments of the SDK's `ClientSession` that declare sampling, elicitation and roots.

    A request for a sample or for a user's input is answered with an error: nobody is there to give
    it. It has no roots.
    """
    from mcp.types import (
        INVALID_REQUEST,
        ErrorData,
        ListRootsResult,
    )

    async def refuse(*_: Any) -> ErrorData:
        return ErrorData(code=INVALID_REQUEST, message="there is neither a model nor a user here")

    async def roots(*_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[])

    return {
        "sampling_callback": refuse,
        "elicitation_callback": refuse,
        "list_roots_callback": roots,
    }
