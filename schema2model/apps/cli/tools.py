"""`schema2model tools`: the tools of live MCP servers, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

from schema2model.apps.cli.options import ServerOptions, command, flag, timeout_option
from schema2model.apps.cli.output import write_json, write_text

__all__ = ["tools"]

_EPILOG = """\b
Examples:
  Keep the tools of a server in a file, for the other commands:
    schema2model tools --server 'uvx mcp-server-time' > tools.json
  Those of all servers in a client's configuration:
    schema2model tools --servers ~/.cursor/mcp.json

\b
Exit codes:
  0  the tools are listed
  1  there are none
  2  a server cannot be talked to, or the command line is wrong
"""


@dataclass(frozen=True, kw_only=True)
class ToolsOptions(ServerOptions):
    """Servers, and the form of the list."""

    timeout: float = timeout_option()
    as_json: bool = flag("Print all in one line.", "--json")


@command(ToolsOptions, epilog=_EPILOG)
def tools(given: ToolsOptions) -> int:
    """Print the tools of an MCP server as it lists them: an object with the member "tools".

    Those of several servers have the server's name before theirs, as 'schema2model proxy' has. A
    server that does not answer is named on standard error; the tools of the others are printed.
    """
    given.require_one()
    from schema2model.apps.cli.configurations import prefixes
    from schema2model.apps.cli.listing import chosen_servers, named_tools, tools_of_any

    servers = chosen_servers(given)
    prefixes([*servers])  # before they are started
    listed, refused = tools_of_any(servers, given.timeout)
    found = named_tools(listed)
    if given.as_json:
        write_json({"tools": found})
    else:
        # one tool on a line, so that findings about them have lines
        lines = ",\n".join(map(json.dumps, found))
        write_text(f'{{"tools": [\n{lines}\n]}}' if found else '{"tools": []}')
    for error in refused:
        error.show()
    return 2 if refused else 0 if found else 1
