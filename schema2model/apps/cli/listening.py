"""The options of `schema2model proxy --listen`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from schema2model.apps.cli.options import FILE, NumberRange, option, options_given, usage_error
from schema2model.apps.cli.output import InputError, shown
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_SESSIONS

__all__ = ["ListenOptions", "read_tokens"]

MIN_TOKEN = 16
"""Minimum characters of a token."""

_HOST: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")


@dataclass(frozen=True, kw_only=True)
class ListenOptions:
    """The address that the proxy listens on, and its access rules."""

    listen: str | None = option(
        metavar="HOST:PORT",
        help="Serve clients over streamable HTTP, instead of one on standard input and output. A "
        "host that other machines reach needs a --token-file.",
    )
    token_file: Path | None = option(
        type=FILE,
        metavar="FILE",
        help="The bearer tokens; clients of --listen must send one: one alone in a file, or lines "
        "of NAME: TOKEN.",
    )
    allow_host: tuple[str, ...] = option(
        multiple=True,
        metavar="HOST[:PORT]",
        help="A further name by which clients of --listen may call this host. May be repeated.",
    )
    max_sessions: int = option(
        type=click.IntRange(1),
        default=MAX_SESSIONS,
        show_default=True,
        metavar="NUMBER",
        help="Sessions of --listen at a time; one more replaces the one that is disconnected "
        "longest, if there is one.",
    )
    idle_timeout: float = option(
        type=NumberRange(0.1),
        default=1800.0,
        show_default=True,
        metavar="SECONDS",
        help="End a session of --listen without a request for so long.",
    )
    disconnect_timeout: float = option(
        type=NumberRange(0.1),
        default=1800.0,
        show_default=True,
        metavar="SECONDS",
        help="End a session of --listen that has neither a request nor a stream for so long.",
    )

    @property
    def address(self) -> tuple[str, int]:
        """The host and the port.

        Raises:
            click.UsageError: if it is none.

        """
        return _listen_address(self.listen or "")

    def tokens(self) -> dict[str, str]:
        """Read the names of the tokens, by token.

        Raises:
            InputError: if the file has none.

        """
        return {} if self.token_file is None else read_tokens(self.token_file)

    def require_listen(self) -> None:
        """Refuse options that only make sense for a proxy that listens, or that never do.

        Raises:
            click.UsageError: with the names of the options.

        """
        given = options_given(ListenOptions)
        if given and self.listen is None:
            message = f"{', '.join(given)}: only for --listen."
            raise usage_error(message)
        for each in self.allow_host:
            _require_host(each)


def _listen_address(value: str) -> tuple[str, int]:
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or "/" in host or not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004
        message = f"--listen takes HOST:PORT, such as 127.0.0.1:8000, not {quoted(value)}."
        raise usage_error(message)
    return host, int(port)


def _require_host(value: str) -> None:
    if not _HOST.fullmatch(value):
        message = (
            f"--allow-host takes HOST or HOST:PORT, such as mcp.example.org, not {quoted(value)}."
        )
        raise usage_error(message)


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
