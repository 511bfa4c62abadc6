"""`schema2model tools`: the tools of live MCP servers, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from schema2model.cli.options import (
    header_option,
    one_source,
    server_option,
    servers_option,
    timeout_option,
    url_option,
)
from schema2model.cli.output import write_json

if TYPE_CHECKING:
    from schema2model.proxying.secret_headers import Header

__all__ = ["tools"]

_EPILOG = """\b
Examples:
  Keep the tools of a server in a file, for the other commands:
    schema2model tools --server 'uvx mcp-server-time' > tools.json
  Those of all servers that a client has:
    schema2model tools --servers ~/.cursor/mcp.json

\b
Exit codes:
  0  the tools are listed
  1  there are none
  2  a server cannot be talked to, or the command line is wrong
"""


@click.command(epilog=_EPILOG, short_help="List the tools of MCP servers as JSON.")
@server_option
@url_option
@header_option
@servers_option
@timeout_option
@click.pass_context
def tools(  # noqa: PLR0913 - one for each option
    context: click.Context,
    *,
    command: str | None,
    url: str | None,
    headers: tuple[Header, ...],
    configuration: Path | None,
    timeout: float,
) -> None:
    """Print the tools of an MCP server as it lists them: an object with the member "tools".

    Those of several servers have the server's name before theirs, as 'schema2model proxy' has.
    """
    sources = {"--server": command, "--url": url, "--servers": configuration}
    one_source(context, sources, headers)
    from schema2model.cli.listing import (  # noqa: PLC0415 - other commands need not wait
        chosen_servers,
        tools_of,
    )

    servers = chosen_servers(command=command, url=url, headers=headers, configuration=configuration)
    listed = tools_of(servers, timeout)
    write_json({"tools": listed})
    context.exit(0 if listed else 1)
