"""`schema2model proxy`: between any MCP client and a server, coercing the arguments of calls."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from schema2model.apps.cli.listening import ListenOptions
from schema2model.apps.cli.options import (
    FILE,
    NumberRange,
    ServerOptions,
    argument,
    coercion_option,
    command,
    flag,
    option,
    results_option,
    unknown_arguments_option,
    usage_error,
)
from schema2model.apps.cli.proxy_log import SUMMARY_LEVEL, log_to
from schema2model.apps.cli.settings import proxy_config_option, proxy_tables
from schema2model.coercions import Preset
from schema2model.strict.profiles import PROFILES

if TYPE_CHECKING:
    from schema2model.apps.cli.servers import ServerAddress
    from schema2model.apps.proxy.calls import CallPolicy
    from schema2model.schema.undeclared import UnknownArguments
    from schema2model.tools.results import ResultMode

__all__ = ["proxy"]

LOGGER = logging.getLogger("schema2model.proxy")

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


@dataclass(frozen=True, kw_only=True)
class ProxyOptions(ListenOptions, ServerOptions):
    """Servers, clients, and what becomes of the messages between them."""

    config: Path | None = proxy_config_option()
    coercion: Preset = coercion_option()
    unknown_arguments: UnknownArguments = unknown_arguments_option()
    strict: str | None = option(
        type=click.Choice([*PROFILES]),
        help="Show clients the schemas that a provider enforces, and decode the calls.",
    )
    results: ResultMode = results_option("off")
    log: Path | None = option(
        type=FILE,
        metavar="FILE",
        help="Append a line for each call that is changed or refused; '-' is standard error.",
    )
    call_timeout: float | None = option(
        type=NumberRange(0, min_open=True, max=86400),
        metavar="SECONDS",
        help="Answer a call with an error if the server takes longer.  [default: no limit]",
    )
    as_json: bool = flag("Write the lines of --log as JSON objects.", "--json")
    only: tuple[str, ...] = option(
        multiple=True,
        metavar="TOOL",
        help="Let clients see and call these tools only; * matches any text. May be repeated.",
    )
    access_log: bool = flag("Write a line of --log for calls that do not change, too.")
    words: tuple[str, ...] = argument(nargs=-1, metavar="[COMMAND [ARGUMENT]...]")


@command(
    ProxyOptions,
    epilog=_EPILOG,
    context_settings={"allow_interspersed_args": False},  # what follows COMMAND is its own
)
def proxy(given: ProxyOptions) -> int:
    """Run between an MCP client and a server, or several, on standard input and output.

    Messages pass byte for byte, except for the arguments of tool calls, which are corrected by the
    tool's schema. A call that cannot be corrected is answered with an error for the model, and
    never reaches the server. At the end, standard error has a summary, by tool and rule.
    """
    for name, is_given in (("--json", given.as_json), ("--access-log", given.access_log)):
        if is_given and given.log is None:
            message = f"{name} is for the lines of --log: give --log FILE, or --log -."
            raise usage_error(message)
    given.require_one(COMMAND=given.words)
    given.require_listen()
    from schema2model.apps.cli.proxy_running import run_listening, run_stdio
    from schema2model.apps.proxy.calls import CallPolicy
    from schema2model.apps.proxy.visible_tools import VisibleTools

    def read() -> tuple[dict[str, ServerAddress], VisibleTools, dict[str, str]]:
        """Read the servers, the tables and the tokens."""
        hidden, only_for = tables.hidden, tables.only_for
        return _choose_servers(given), VisibleTools(hidden, given.only, only_for), given.tokens()

    address = None if given.listen is None else given.address
    tables = proxy_tables(given.config)
    servers, visible, tokens = read()
    secrets = [header for server in servers.values() for header in server.headers]
    names = _names(servers)
    reopen_log = log_to(given.log, secrets, names, as_json=given.as_json)
    policy = CallPolicy(
        given.coercion,
        tables.coercion_by_tool,
        given.strict,
        given.unknown_arguments,
        given.results,
        given.call_timeout,
        given.access_log,
    )
    if address is None:
        ended_well = run_stdio(servers, policy, visible.of(None), reopen_log)
        _summarize(policy)
        return 0 if ended_well else 1

    def reread() -> None:
        """Read them again; what cannot be read stays as it is."""
        nonlocal tables, servers, visible, tokens
        reopen_log()
        try:
            tables = proxy_tables(given.config)
            servers, visible, tokens = read()
        except click.ClickException as error:
            LOGGER.warning("nothing is changed: %s", error.message)
            return
        secrets.extend(header for server in servers.values() for header in server.headers)
        names.update(_names(servers))
        LOGGER.warning("tokens and servers were read again; new sessions have them")

    run_listening(address, lambda: (servers, visible, tokens), given, policy, reread)
    _summarize(policy)
    return 0


def _names(servers: Mapping[str, ServerAddress]) -> dict[str, str]:
    """Return the names of servers for the log, by the prefix of their tools."""
    return {prefix: prefix.removesuffix("__") or str(each) for prefix, each in servers.items()}


def _summarize(policy: CallPolicy) -> None:
    """Log the summary of calls and results."""
    for line, fields in policy.tally.lines():
        LOGGER.log(SUMMARY_LEVEL, "%s", line, extra=fields)


def _choose_servers(given: ProxyOptions) -> dict[str, ServerAddress]:
    """Return the servers, by the prefix of their tools; there is none where there is one server."""
    from schema2model.apps.cli.servers import ServerAddress

    if given.words:
        return {"": ServerAddress(command=given.words)}
    from schema2model.apps.cli.configurations import prefixes
    from schema2model.apps.cli.listing import chosen_servers

    servers = chosen_servers(given)
    before = prefixes([*servers])
    return {before[name]: server for name, server in servers.items()}
