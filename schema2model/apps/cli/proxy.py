"""`schema2model proxy`: between any MCP client and a server, coercing the arguments of calls."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import re
import shlex
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from schema2model.apps.cli.options import (
    FILE,
    ServerOptions,
    coercion_option,
    one_source,
    results_option,
    server_options,
    strict_option,
    unknown_arguments_option,
)
from schema2model.apps.cli.output import InputError, describe_start, shown
from schema2model.apps.cli.proxy_log import SUMMARY_LEVEL, log_to
from schema2model.apps.cli.settings import coercion_by_tool, config_option
from schema2model.apps.proxy.log_fields import log_fields
from schema2model.coercions import Preset
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted

if TYPE_CHECKING:
    from schema2model.apps.cli.servers import ServerAddress
    from schema2model.apps.proxy.calls import Tally
    from schema2model.apps.proxy.listen.listener import Listener
    from schema2model.apps.proxy.relay import ClientInput, ClientOutput, Relay, Server
    from schema2model.apps.proxy.result_checks import Results
    from schema2model.schema.undeclared import UnknownArguments
    from schema2model.tools.results import ResultMode

__all__ = ["ListenOptions", "listen_options", "listening", "proxy"]

MIN_TOKEN = 16
"""Minimum characters of a token."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """The address that the proxy listens on, and its access rules."""

    host: str
    port: int
    token: str | None
    hosts: tuple[str, ...]


def listen_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `--listen`; a command gets them as `listen`, or None."""

    @functools.wraps(function)
    def command_of(
        *, listen: str | None, token_file: Path | None, hosts: tuple[str, ...], **others: Any
    ) -> Any:
        if listen is None:
            if token_file is not None or hosts:
                message = "--token-file and --allow-host are for --listen."
                raise click.UsageError(message)
            return function(listen=None, **others)
        host, port = _listen_address(listen)
        token = None if token_file is None else _read_token(token_file)
        return function(listen=ListenOptions(host, port, token, hosts), **others)

    wrapped: Callable[..., Any] = command_of
    for option in (_ALLOW_HOST, _TOKEN_FILE, _LISTEN):
        wrapped = option(wrapped)
    return wrapped


_LISTEN = click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Serve clients over streamable HTTP, instead of one on standard input and output. A host "
    "that other machines reach needs a --token-file.",
)
_TOKEN_FILE = click.option(
    "--token-file",
    type=FILE,
    metavar="FILE",
    help="The bearer token that clients of --listen must send, alone in a file.",
)
_ALLOW_HOST = click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="A further name by which clients of --listen may call this host. May be repeated.",
)


def _listen_address(value: str) -> tuple[str, int]:
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or "/" in host or not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004
        message = f"--listen takes HOST:PORT, such as 127.0.0.1:8000, not {quoted(value)}."
        raise click.UsageError(message)
    return host, int(port)


def _read_token(path: Path) -> str:
    try:
        token = path.read_text("ascii").strip()
    except UnicodeDecodeError:
        token = ""
    except OSError as error:
        message = f"cannot read {shown(str(path))}: {describe_error(error)}"
        raise InputError(message) from None
    if len(token) < MIN_TOKEN or not _TOKEN.fullmatch(token):
        message = (
            f"{shown(str(path))} must have one token of at least {MIN_TOKEN} letters, digits or "
            "-._~+/ , such as `openssl rand -hex 32` prints"
        )
        raise InputError(message)
    return token


@contextlib.contextmanager
def listening(
    options: ListenOptions,
    start: Callable[[], Server],
    relay_between: Callable[[Server, ClientInput, ClientOutput], Relay],
    tally: Tally,
    results: Results | None,
) -> Iterator[Listener]:
    """Return the listener that the options describe. It has its socket already.

    Args:
        options: those of the command line.
        start: starts the servers of one session.
        relay_between: connects servers and a client.
        tally: counts the calls of all sessions.
        results: counts their results.

    Raises:
        InputError: if it cannot listen, or must not.

    """
    try:
        from schema2model.apps.proxy.listen.listener import (
            Listener,
            is_loopback,
        )
        from schema2model.apps.proxy.listen.metrics import exposition
        from schema2model.apps.proxy.listen.sessions import NotStartedError
    except ImportError as error:
        raise InputError(str(error)) from None
    if options.token is None and not is_loopback(options.host):
        message = (
            f"other machines can reach {options.host}: give a --token-file, or listen on 127.0.0.1"
        )
        raise InputError(message)

    def relay(source: ClientInput, sink: ClientOutput) -> Relay:
        try:
            server = start()
        except click.ClickException as error:
            raise NotStartedError(error.message) from None
        return relay_between(server, source, sink)

    def metrics(sessions: int) -> str:
        return exposition(tally.outcomes(), results.outcomes() if results else {}, sessions)

    try:
        listener = Listener(
            options.host,
            options.port,
            relay,
            metrics=metrics,
            token=options.token,
            hosts=options.hosts,
        )
    except OSError as error:
        message = f"cannot listen on {options.host}:{options.port}: {describe_error(error)}"
        raise InputError(message) from None
    words = f"listens on {listener.url}"
    logging.getLogger("schema2model.proxy").log(SUMMARY_LEVEL, words)
    yield listener


RESTART_DELAY = 0.5
"""Seconds between the end of a server of `--listen` and its first restart."""

_EPILOG = """\b
Examples:
  In the configuration of a client, where it says "command": "uvx", "args": ["mcp-server-git"]:
    "command": "schema2model", "args": ["proxy", "--", "uvx", "mcp-server-git"]
  A server at a URL, for a client that only starts commands:
    schema2model proxy --url https://example.org/mcp --header @key.txt
  All servers of a client's configuration as one; the names of tools begin with their server's:
    schema2model proxy --servers ~/.cursor/mcp.json
  See which calls are changed, and by which rules:
    schema2model proxy --log - -- npx -y @modelcontextprotocol/server-everything
  For a team, over streamable HTTP; each client gets servers of its own:
    schema2model proxy --listen 127.0.0.1:8000 --token-file token.txt -- uvx mcp-server-git

\b
Exit codes:
  0  the client has gone, or the proxy was told to end
  1  the server has gone before the client, or without an answer to each request
  2  the server cannot be started, or the command line is wrong
"""


@click.command(
    epilog=_EPILOG,
    context_settings={"allow_interspersed_args": False},  # what follows COMMAND is its own
)
@config_option
@server_options()
@coercion_option
@unknown_arguments_option
@strict_option
@results_option("off")
@click.option(
    "--log",
    metavar="FILE",
    help="Append a line for each call that is changed or refused; '-' is standard error.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the lines of --log as JSON objects.")
@listen_options
@click.argument("words", nargs=-1, metavar="[COMMAND [ARGUMENT]...]")
@click.pass_context
def proxy(  # noqa: PLR0913 - one for each option
    context: click.Context,
    *,
    given: ServerOptions,
    coercion: Preset,
    unknown_arguments: UnknownArguments,
    strict: str | None,
    results: ResultMode,
    log: str | None,
    as_json: bool,
    listen: ListenOptions | None,
    words: tuple[str, ...],
) -> None:
    """Run between an MCP client and a server, or several, on standard input and output.

    Messages pass byte for byte, except for the arguments of tool calls, which are corrected by the
    tool's schema. A call that cannot be corrected is answered with an error for the model, and
    never reaches the server. At the end, standard error has a summary, by tool and rule.
    """
    one_source(context, {"COMMAND": words or None, **given.sources()}, given)
    from schema2model.apps.proxy.calls import Tally
    from schema2model.apps.proxy.relay import Relay
    from schema2model.apps.proxy.result_checks import Results

    servers = _choose_servers(words, given)
    secrets = tuple(header for server in servers.values() for header in server.headers)
    names = {prefix: prefix.removesuffix("__") or str(each) for prefix, each in servers.items()}
    log_to(log, secrets, names, as_json=as_json)
    read_results = None if results == "off" else Results(results, coercion)
    relay_between = functools.partial(
        Relay,
        coercion=coercion,
        coercion_by_tool=coercion_by_tool(context),
        strict=strict,
        results=read_results,
        unknown_arguments=unknown_arguments,
        tally=(tally := Tally()),
    )
    if listen is not None:
        start = functools.partial(_started, servers, restarts=True)
        with listening(listen, start, relay_between, tally, read_results) as listener:
            _end_by_signals(listener.stop)
            listener.run()
        _summarize(tally, read_results)
        return
    source, sink = _standard_streams()
    relay = relay_between(_started(servers), source, sink)
    _end_by_signals(relay.stop)
    ended_well = relay.run()
    _summarize(tally, read_results)
    context.exit(0 if ended_well else 1)


def _summarize(tally: Tally, results: Results | None) -> None:
    """Log the summary of calls and results."""
    for line, fields in [*tally.lines(), *(results.lines() if results else ())]:
        logging.getLogger("schema2model.proxy").log(SUMMARY_LEVEL, "%s", line, extra=fields)


def _choose_servers(words: tuple[str, ...], given: ServerOptions) -> dict[str, ServerAddress]:
    """Return the servers, by the prefix of their tools; there is none where there is one server."""
    from schema2model.apps.cli.servers import ServerAddress

    if words:
        return {"": ServerAddress(command=words)}
    from schema2model.apps.cli.configurations import prefixes
    from schema2model.apps.cli.listing import chosen_servers

    servers = chosen_servers(given)
    before = prefixes([*servers])
    return {before[name]: server for name, server in servers.items()}


def _standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output as files of their own, which nothing else flushes at the exit."""
    from schema2model.apps.proxy.relay import BUFFER_SIZE

    try:
        return os.fdopen(os.dup(0), "rb", BUFFER_SIZE), os.fdopen(os.dup(1), "wb", 0)
    except OSError as error:
        message = f"standard input or output is closed: {describe_error(error)}"
        raise InputError(message) from None


def _started(servers: Mapping[str, ServerAddress], *, restarts: bool = False) -> Server:
    """Start the servers, and return them as one; `restarts` starts processes again that end."""
    from schema2model.apps.proxy.server_group import ServerGroup

    started: dict[str, Server] = {}
    absent: dict[str, str] = {}
    try:
        for prefix, server in servers.items():
            running = _start(server, restarts=restarts)
            if isinstance(running, str):  # the others go on
                absent[prefix] = running
            else:
                started[prefix] = running
    except BaseException:
        for each in started.values():
            each.stop(0)
        raise
    if not started:
        raise InputError("; ".join(_named(*each) for each in absent.items()))
    if [*started] == [""]:
        return started[""]
    for prefix, reason in absent.items():
        name = prefix.removesuffix("__")
        fields = log_fields("server", server=name, outcome="missing", reason=reason)
        words = _named(prefix, reason)
        logging.getLogger("schema2model.proxy").warning("%s", words, extra=fields)
    return ServerGroup(started, absent=absent)


def _named(prefix: str, reason: str) -> str:
    """Return a reason with the name of the entry, if it has one."""
    return f"the server {quoted(prefix.removesuffix('__'))} {reason}" if prefix else reason


def _start(server: ServerAddress, *, restarts: bool) -> Server | str:
    """Return the server, started, or the reason why it cannot be."""
    from schema2model.apps.proxy.restarting import RestartingServer

    if server.url is not None:
        try:
            from schema2model.apps.proxy.endpoints import Endpoint
        except ImportError as error:
            raise InputError(str(error)) from None
        return RestartingServer(functools.partial(Endpoint, server.url, server.headers))
    from schema2model.apps.proxy.processes import Process

    run = functools.partial(Process, server.command, server.environment, server.folder)
    try:
        return RestartingServer(run, delay=RESTART_DELAY) if restarts else run()
    except (OSError, ValueError) as error:  # the latter for a NUL character
        return f"cannot start `{shlex.join(server.command)}`: {describe_start(error)}"


def _end_by_signals(stop: Callable[[], None]) -> None:
    """Let signals end the server too, and a closed pipe be an error like any other."""
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # not in the background
            signal.signal(number, lambda *_: stop())
