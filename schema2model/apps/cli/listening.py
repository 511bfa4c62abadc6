"""The options of `schema2model proxy --listen`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from schema2model.apps.cli.options import FILE, NumberRange
from schema2model.apps.cli.output import InputError, shown
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_SESSIONS

__all__ = ["ListenOptions", "listen_options", "read_tokens"]

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
        tokens = {} if token_file is None else read_tokens(token_file)
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


def read_tokens(path: Path) -> dict[str, str]:
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
