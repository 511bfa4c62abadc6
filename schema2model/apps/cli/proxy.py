"""`schema2model proxy`: between any MCP client and a server, coercing the arguments of calls."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from schema2model.apps.cli.listening import ListenOptions, listen_options, read_tokens
from schema2model.apps.cli.options import (
    NumberRange,
    ServerOptions,
    coercion_option,
    one_source,
    results_option,
    server_options,
    strict_option,
    unknown_arguments_option,
)
from schema2model.apps.cli.proxy_log import SUMMARY_LEVEL, log_to
from schema2model.apps.cli.settings import proxy_config_option, proxy_tables
from schema2model.coercions import Preset

if TYPE_CHECKING:
    from schema2model.apps.cli.servers import ServerAddress
    from schema2model.apps.proxy.calls import Tally
    from schema2model.apps.proxy.result_checks import Results
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
@click.option(
    "--only",
    multiple=True,
    metavar="TOOL",
    help="Let clients see and call these tools only; * stands for any text. May be repeated.",
)
@click.option(
    "--access-log", is_flag=True, help="Write a line of --log for calls that do not change, too."
)
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
    only: tuple[str, ...],
    access_log: bool,
    listen: ListenOptions | None,
    words: tuple[str, ...],
) -> None:
    """Run between an MCP client and a server, or several, on standard input and output.

    Messages pass byte for byte, except for the arguments of tool calls, which are corrected by the
    tool's schema. A call that cannot be corrected is answered with an error for the model, and
    never reaches the server. At the end, standard error has a summary, by tool and rule.
    """
    for name, is_given in (("--json", as_json), ("--access-log", access_log)):
        if is_given and log is None:
            message = f"{name} is for the lines of --log: give --log FILE, or --log -."
            raise click.UsageError(message, context)
    one_source(context, {"COMMAND": words or None, **given.sources()}, given)
    from schema2model.apps.cli.proxy_running import run_listening, run_stdio
    from schema2model.apps.proxy.calls import Tally
    from schema2model.apps.proxy.result_checks import Results
    from schema2model.apps.proxy.visible_tools import VisibleTools

    servers = _choose_servers(words, given)
    secrets = [header for server in servers.values() for header in server.headers]
    names = _names(servers)
    reopen_log = log_to(log, secrets, names, as_json=as_json)
    tally, read_results = Tally(), None if results == "off" else Results(results, coercion)
    tables = proxy_tables(context)
    visible = VisibleTools(tables.hidden, only, tables.only_for)
    options: dict[str, Any] = {
        "coercion": coercion,
        "coercion_by_tool": tables.coercion_by_tool,
        "strict": strict,
        "results": read_results,
        "unknown_arguments": unknown_arguments,
        "tally": tally,
        "call_timeout": call_timeout,
        "logs_all": access_log,
    }
    if listen is None:
        options["shows"] = visible.of(None)
        ended_well = run_stdio(servers, options, reopen_log)
        _summarize(tally, read_results)
        context.exit(0 if ended_well else 1)

    def reread() -> None:
        """Read the tokens and the servers again; what cannot be read stays as it is."""
        nonlocal servers, visible
        reopen_log()
        try:
            tables = proxy_tables(context)
            tokens = {} if listen.token_file is None else read_tokens(listen.token_file)
            servers = _choose_servers(words, given)
        except click.ClickException as error:
            LOGGER.warning("nothing is changed: %s", error.message)
            return
        secrets.extend(header for server in servers.values() for header in server.headers)
        names.update(_names(servers))
        listen.tokens = tokens
        visible = VisibleTools(tables.hidden, only, tables.only_for)
        LOGGER.warning("tokens and servers were read again; new sessions have them")

    run_listening(lambda: (servers, visible), listen, options, reread)
    _summarize(tally, read_results)


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
