"""`schema2model proxy`: between any MCP client and a server, coercing the arguments of calls."""

from __future__ import annotations

import functools
import logging
import os
import re
import shlex
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from schema2model.apps.cli.options import (
    FILE,
    NumberRange,
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
from schema2model.apps.cli.settings import coercion_by_tool, proxy_config_option
from schema2model.apps.proxy.log_fields import Origin, log_fields
from schema2model.coercions import Preset
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_SESSIONS

if TYPE_CHECKING:
    from schema2model.apps.cli.servers import ServerAddress
    from schema2model.apps.proxy.calls import Tally
    from schema2model.apps.proxy.listen.listener import Listener
    from schema2model.apps.proxy.listen.sessions import Sessions
    from schema2model.apps.proxy.relay import ClientInput, ClientOutput, Relay, Server
    from schema2model.apps.proxy.result_checks import Results
    from schema2model.apps.proxy.shared_server import SharedServer
    from schema2model.schema.undeclared import UnknownArguments
    from schema2model.tools.results import ResultMode

__all__ = ["ListenOptions", "listen_options", "listening", "proxy"]

LOGGER = logging.getLogger("schema2model.proxy")

MIN_TOKEN = 16
"""Minimum characters of a token."""

_HOST: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")


@dataclass(slots=True)
class ListenOptions:
    """The address that the proxy listens on, and its access rules."""

    host: str
    port: int
    tokens: dict[str, str]
    """The names of the bearer tokens, by token."""
    token_file: Path | None
    hosts: tuple[str, ...]
    limits: dict[str, Any]
    """Those of `SessionLimits` that were given."""


def listen_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `--listen`; a command gets them as `listen`, or None."""

    @functools.wraps(function)
    def command_of(
        *, listen: str | None, token_file: Path | None, hosts: tuple[str, ...], **others: Any
    ) -> Any:
        found = {name: others.pop(name) for name in _LIMIT_NAMES}
        limits = {name: each for name, each in found.items() if each is not None}
        if listen is None:
            if token_file is not None or hosts:
                message = "--token-file and --allow-host are for --listen."
                raise click.UsageError(message)
            if limits:
                names = ", ".join(f"--{name.replace('_', '-')}" for name in _LIMIT_NAMES)
                message = f"{names} are for --listen."
                raise click.UsageError(message)
            return function(listen=None, **others)
        for each in hosts:
            _require_host(each)
        host, port = _listen_address(listen)
        tokens = {} if token_file is None else _read_tokens(token_file)
        options = ListenOptions(host, port, tokens, token_file, hosts, limits)
        return function(listen=options, **others)

    wrapped: Callable[..., Any] = command_of
    for option in (*_LIMITS, _ALLOW_HOST, _TOKEN_FILE, _LISTEN):
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
    help="The bearer tokens; clients of --listen must send one: one alone in a file, or "
    "lines of NAME: TOKEN.",
)
_ALLOW_HOST = click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="A further name by which clients of --listen may call this host. May be repeated.",
)


_LIMIT_NAMES: Final = ("max_sessions", "idle_timeout", "disconnect_timeout")
_LIMITS = (
    click.option(
        "--disconnect-timeout",
        type=NumberRange(0.1),
        metavar="SECONDS",
        help="End a session of --listen that has neither a request nor a stream for so long.  "
        "[default: 1800]",
    ),
    click.option(
        "--idle-timeout",
        type=NumberRange(0.1),
        metavar="SECONDS",
        help="End a session of --listen without a request for so long.  [default: 1800]",
    ),
    click.option(
        "--max-sessions",
        type=click.IntRange(1),
        metavar="NUMBER",
        help="Sessions of --listen at a time; one more replaces the one that is disconnected "
        f"longest, if there is one.  [default: {MAX_SESSIONS}]",
    ),
)


def _listen_address(value: str) -> tuple[str, int]:
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or "/" in host or not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004
        message = f"--listen takes HOST:PORT, such as 127.0.0.1:8000, not {quoted(value)}."
        raise click.UsageError(message)
    return host, int(port)


def _require_host(value: str) -> None:
    if not _HOST.fullmatch(value):
        message = (
            f"--allow-host takes HOST or HOST:PORT, such as mcp.example.org, not {quoted(value)}."
        )
        raise click.UsageError(message)


def _read_tokens(path: Path) -> dict[str, str]:
    """Return the names of the tokens in a file, by token; one alone has the name `client`."""
    try:
        lines = path.read_text("ascii").split("\n")
    except UnicodeDecodeError:
        lines = []
    except OSError as error:
        message = f"cannot read {shown(str(path))}: {describe_error(error)}"
        raise InputError(message) from None
    entries = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    named = [entry.rpartition(":") for entry in entries]
    tokens = {token.strip(): name.strip() or "client" for name, _, token in named}
    is_named = len(entries) == 1 or all(name.strip() for name, _, _ in named)
    is_strong = all(len(each) >= MIN_TOKEN and _TOKEN.fullmatch(each) for each in tokens)
    if not tokens or not is_named or not is_strong or len(tokens) < len(entries):
        message = (
            f"{shown(str(path))} must have one token of at least {MIN_TOKEN} letters, digits or "
            "-._~+/ , such as `openssl rand -hex 32` prints; or lines of NAME: TOKEN"
        )
        raise InputError(message)
    return tokens


def listening(
    options: ListenOptions,
    start: Callable[[], Server],
    relay_between: Callable[..., Relay],
    tally: Tally,
    results: Results | None,
) -> Listener:
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
        from schema2model.apps.proxy.listen.sessions import NotStartedError, SessionLimits
    except ImportError as error:
        raise InputError(str(error)) from None
    if options.token_file is None and not is_loopback(options.host):
        message = (
            f"other machines can reach {options.host}: give a --token-file, or listen on 127.0.0.1"
        )
        raise InputError(message)

    def relay(source: ClientInput, sink: ClientOutput, session: str) -> Relay:
        try:
            with Origin(session).of():
                server = start()
        except click.ClickException as error:
            raise NotStartedError(error.message) from None
        return relay_between(server, source, sink, session=session)

    def metrics(sessions: Sessions) -> str:
        return exposition(
            tally.outcomes(),
            results.outcomes() if results else {},
            latencies=tally.latencies(),
            gauges={"sessions": len(sessions), "open_requests": sessions.open_requests},
            counters={"sessions_refused": sessions.refused, "restarts": tally.restarts},
        )

    try:
        listener = Listener(
            options.host,
            options.port,
            relay,
            metrics=metrics,
            tokens=None if options.token_file is None else lambda: options.tokens,
            hosts=options.hosts,
            limits=SessionLimits(**options.limits),
        )
    except OSError as error:
        message = f"cannot listen on {options.host}:{options.port}: {describe_error(error)}"
        raise InputError(message) from None
    LOGGER.log(SUMMARY_LEVEL, "listens on %s", listener.url)
    return listener


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
  0  the client has gone, or the proxy was asked to end
  1  the server has gone before the client, or without an answer to each request
  2  the server cannot be started, or the command line is wrong
"""


@click.command(
    epilog=_EPILOG,
    context_settings={"allow_interspersed_args": False},  # what follows COMMAND is its own
)
@proxy_config_option
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
@click.option(
    "--call-timeout",
    type=NumberRange(0, min_open=True, max=86400),
    metavar="SECONDS",
    help="Answer a call with an error if the server takes longer.  [default: no limit]",
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
    call_timeout: float | None,
    as_json: bool,
    listen: ListenOptions | None,
    words: tuple[str, ...],
) -> None:
    """Run between an MCP client and a server, or several, on standard input and output.

    Messages pass byte for byte, except for the arguments of tool calls, which are corrected by the
    tool's schema. A call that cannot be corrected is answered with an error for the model, and
    never reaches the server. At the end, standard error has a summary, by tool and rule.
    """
    if as_json and log is None:
        message = "--json is for the lines of --log: give --log FILE, or --log -."
        raise click.UsageError(message, context)
    one_source(context, {"COMMAND": words or None, **given.sources()}, given)
    from schema2model.apps.proxy.calls import Tally
    from schema2model.apps.proxy.relay import Relay
    from schema2model.apps.proxy.result_checks import Results

    servers = _choose_servers(words, given)
    secrets = [header for server in servers.values() for header in server.headers]
    names = _names(servers)
    reopen_log = log_to(log, secrets, names, as_json=as_json)
    read_results = None if results == "off" else Results(results, coercion)
    relay_between = functools.partial(
        Relay,
        coercion=coercion,
        coercion_by_tool=coercion_by_tool(context),
        strict=strict,
        results=read_results,
        unknown_arguments=unknown_arguments,
        tally=(tally := Tally()),
        call_timeout=call_timeout,
    )
    if listen is not None:
        shared = _SharedServers()

        def start() -> Server:
            return _started(servers, shared, tally.count_restart)

        def reread() -> None:
            """Read the tokens and the servers again; what cannot be read stays as it is."""
            nonlocal servers
            reopen_log()
            try:
                tokens = {} if listen.token_file is None else _read_tokens(listen.token_file)
                servers = _choose_servers(words, given)
            except click.ClickException as error:
                LOGGER.warning("nothing is changed: %s", error.message)
                return
            secrets.extend(header for server in servers.values() for header in server.headers)
            names.update(_names(servers))
            shared.keep(servers.values())
            listen.tokens = tokens
            LOGGER.warning("tokens and servers were read again; new sessions have them")

        listener = listening(listen, start, relay_between, tally, read_results)
        _end_by_signals(listener.stop)
        _reread_by_signal(lambda: listener.call_soon(reread))
        listener.run()
        shared.stop()
        _summarize(tally, read_results)
        return
    source, sink = _standard_streams()
    _reread_by_signal(reopen_log)
    relay = relay_between(_started(servers), source, sink)
    _end_by_signals(relay.stop)
    ended_well = relay.run()
    _summarize(tally, read_results)
    context.exit(0 if ended_well else 1)


def _names(servers: Mapping[str, ServerAddress]) -> dict[str, str]:
    """Return the names of servers for the log, by the prefix of their tools."""
    return {prefix: prefix.removesuffix("__") or str(each) for prefix, each in servers.items()}


def _summarize(tally: Tally, results: Results | None) -> None:
    """Log the summary of calls and results."""
    for line, fields in [*tally.lines(), *(results.lines() if results else ())]:
        LOGGER.log(SUMMARY_LEVEL, "%s", line, extra=fields)


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


class _SharedServers:
    """The servers that the sessions of `--listen` share, each started for the first session."""

    def __init__(self) -> None:
        self._running: dict[ServerAddress, SharedServer] = {}
        self._lock = threading.Lock()

    def client(
        self, prefix: str, address: ServerAddress, restarted: Callable[[], object]
    ) -> Server | str:
        """Return a server as one more session has it, or the reason why it cannot be started."""
        from schema2model.apps.proxy.shared_server import SharedServer

        with self._lock:
            known = self._running.get(address)
            if known is None or known.reason:
                started = _start(prefix, address, restarted, restarts=True)
                if isinstance(started, str):
                    return started
                known = self._running[address] = SharedServer(started)
            return known.client(prefix.removesuffix("__"))

    def keep(self, addresses: Iterable[ServerAddress]) -> None:
        """End all other servers, each with its last session."""
        with self._lock:
            for address in self._running.keys() - {*addresses}:
                self._running.pop(address).retire()

    def stop(self) -> None:
        """End them."""
        with self._lock:
            for each in self._running.values():
                each.stop()


def _started(
    servers: Mapping[str, ServerAddress],
    shared: _SharedServers | None = None,
    restarted: Callable[[], object] = bool,
) -> Server:
    """Start the servers, and return them as one.

    Args:
        servers: by the prefix of their tools.
        shared: those that the sessions share, where there are sessions; then servers that end are
            started again.
        restarted: is called when one is.

    """
    from schema2model.apps.proxy.server_group import ServerGroup

    started: dict[str, Server] = {}
    absent: dict[str, str] = {}
    try:
        for prefix, server in servers.items():
            if shared is not None and server.is_stateless:
                running = shared.client(prefix, server, restarted)
            else:
                running = _start(prefix, server, restarted, restarts=shared is not None)
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
        LOGGER.warning("%s", words, extra=fields)
    return ServerGroup(started, absent=absent)


def _named(prefix: str, reason: str) -> str:
    """Return a reason with the name of the entry, if it has one."""
    return f"the server {quoted(prefix.removesuffix('__'))} {reason}" if prefix else reason


def _start(
    prefix: str, server: ServerAddress, restarted: Callable[[], object], *, restarts: bool
) -> Server | str:
    """Return the server, started, or the reason why it cannot be."""
    name = prefix.removesuffix("__") or None
    from schema2model.apps.proxy.restarting import RestartingServer

    if server.url is not None:
        try:
            from schema2model.apps.proxy.endpoints import Endpoint
        except ImportError as error:
            raise InputError(str(error)) from None
        connect = functools.partial(Endpoint, server.url, server.headers)
        return RestartingServer(connect, name=name, restarted=restarted)
    from schema2model.apps.proxy.processes import Process

    run = functools.partial(Process, server.command, server.environment, server.folder)
    try:
        if not restarts:
            return run()
        return RestartingServer(run, delay=RESTART_DELAY, name=name, restarted=restarted)
    except (OSError, ValueError) as error:  # the latter for a NUL character
        program = shlex.quote(server.command[0])  # clients are told; arguments may be secret
        return f"cannot start `{program}`: {describe_start(error, server.folder)}"


def _reread_by_signal(reread: Callable[[], None]) -> None:
    """Let SIGHUP reopen the log and read tokens and servers again."""
    if hasattr(signal, "SIGHUP"):  # not on Windows
        signal.signal(signal.SIGHUP, lambda *_: reread())


def _end_by_signals(stop: Callable[[], None]) -> None:
    """Let signals end the server too, and a closed pipe be an error like any other."""
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # not in the background
            signal.signal(number, lambda *_: stop())
