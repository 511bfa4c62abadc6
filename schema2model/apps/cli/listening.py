"""`proxy --listen`: its options, and the listener that they describe."""

from __future__ import annotations

import contextlib
import functools
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from schema2model.apps.cli.options import FILE
from schema2model.apps.cli.output import InputError, shown
from schema2model.apps.cli.proxy_log import SUMMARY_LEVEL
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted

if TYPE_CHECKING:
    from schema2model.apps.proxy.calls import Tally
    from schema2model.apps.proxy.listen.listener import Listener
    from schema2model.apps.proxy.relay import ClientInput, ClientOutput, Relay, Server
    from schema2model.apps.proxy.result_checks import Results

__all__ = ["ListenOptions", "listen_options", "listening"]

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
        host, port = _address(listen)
        token = None if token_file is None else _token(token_file)
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


def _address(value: str) -> tuple[str, int]:
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or "/" in host or not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004
        message = f"--listen takes HOST:PORT, such as 127.0.0.1:8000, not {quoted(value)}."
        raise click.UsageError(message)
    return host, int(port)


def _token(path: Path) -> str:
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
        from schema2model.apps.proxy.listen.listener import (  # noqa: PLC0415 - an extra
            Listener,
            is_loopback,
        )
        from schema2model.apps.proxy.listen.metrics import exposition  # noqa: PLC0415 - the same
        from schema2model.apps.proxy.listen.sessions import NotStartedError  # noqa: PLC0415 - the same
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
