"""`schema2model check`: what is wrong with tools, of a file or of a live MCP server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from schema2model.cli.options import (
    FILE,
    ServerOptions,
    dialect_option,
    one_source,
    server_options,
    timeout_option,
)

if TYPE_CHECKING:
    from schema2model.auditing import Severity
    from schema2model.cli.checking import Form

__all__ = ["check"]

_LEVELS = ("error", "warning", "note", "never")

_EPILOG = """\b
Examples:
  The tools in a file, of any provider:
    schema2model check tools.json
    curl -s https://example.org/openapi-tools.json | schema2model check -
  Those of an MCP server, started by a command, or at a URL:
    schema2model check --server 'npx -y @modelcontextprotocol/server-everything'
    schema2model check --url https://example.org/mcp --header @key.txt
  Those of all servers in a client's configuration, which are started:
    schema2model check --servers ~/.cursor/mcp.json
  Fail in CI on warnings too, and show them in code review:
    schema2model check tools.json --fail-on warning --sarif > check.sarif

\b
Exit codes:
  0  no finding is as severe as --fail-on
  1  at least one is
  2  the file cannot be read, a server does not answer, or the command line is wrong
"""


@click.command(epilog=_EPILOG, short_help="Find what is wrong with tools, or misleads models.")
@click.argument("path", metavar="[FILE]", type=FILE, required=False)
@server_options()
@timeout_option
@dialect_option
@click.option(
    "--fail-on",
    type=click.Choice(_LEVELS),
    default="error",
    show_default=True,
    help="The least severity that makes the exit code 1.",
)
@click.option("--json", "form", flag_value="json", default="text", help="Print the report as JSON.")
@click.option("--sarif", "form", flag_value="sarif", help="Print the report as SARIF 2.1.0.")
@click.pass_context
def check(  # noqa: PLR0913 - one for each option
    context: click.Context,
    *,
    path: Path | None,
    given: ServerOptions,
    timeout: float,
    dialect: str | None,
    fail_on: Severity | Literal["never"],
    form: Form,
) -> None:
    """Find what is wrong with the tools in FILE, or of MCP servers, and what misleads models.

    Whether each schema compiles, how large it is and how long that takes; and what language models
    are likely to get wrong with it. FILE is a tool as MCP, OpenAI, Anthropic, Gemini or LiveKit
    define it, a list of tools, the answer to MCP's tools/list, or a JSON Schema; - is standard
    input.
    """
    one_source(context, {"FILE": path, **given.sources()}, given)
    from schema2model.cli.checking import (  # noqa: PLC0415 - other commands need not wait
        check_file,
        check_servers,
    )
    from schema2model.cli.listing import chosen_servers  # noqa: PLC0415 - the same

    if path is not None:
        report, complete = check_file(path, dialect=dialect, form=form), True
    else:
        servers = chosen_servers(given)
        report, complete = check_servers(servers, timeout=timeout, dialect=dialect, form=form)
    found = fail_on != "never" and report.fails(fail_on)
    context.exit((1 if found else 0) if complete else 2)
