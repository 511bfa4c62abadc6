"""`schema2model check`: what is wrong with tools, of a file or of a live MCP server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from schema2model.cli.options import dialect_option, header_option, no_headers_without

if TYPE_CHECKING:
    from schema2model.auditing import Severity
    from schema2model.cli.checking import Form
    from schema2model.proxying.secret_headers import Header

__all__ = ["check"]

_LEVELS = ("error", "warning", "note", "never")

_EPILOG = """\b
Examples:
  The tools in a file, whoever's shape they have:
    schema2model check tools.json
  Those of an MCP server, started by a command, or at a URL:
    schema2model check --server 'npx -y @modelcontextprotocol/server-everything'
    schema2model check --url https://example.org/mcp --header @key.txt
  Fail in CI on warnings too, and show them in code review:
    schema2model check tools.json --fail-on warning --sarif > check.sarif

\b
Exit codes:
  0  there are no findings of the severity of --fail-on, nor worse ones
  1  there are
  2  the file cannot be read, the server does not answer, or the command line is wrong
"""


@click.command(epilog=_EPILOG, short_help="Find what is wrong with tools, or misleads models.")
@click.argument("path", metavar="[FILE]", type=click.Path(path_type=Path), required=False)
@click.option("--server", "command", metavar="COMMAND", help="Ask the MCP server that it starts.")
@click.option("--url", metavar="URL", help="Ask the MCP server there, over streamable HTTP.")
@header_option
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True, max=86400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a server may take to start, and then to list its tools.",
)
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
    command: str | None,
    url: str | None,
    headers: tuple[Header, ...],
    timeout: float,
    dialect: str | None,
    fail_on: Severity | Literal["never"],
    form: Form,
) -> None:
    """Find what is wrong with the tools in FILE, or of an MCP server, and what misleads models.

    Whether each schema compiles, how large it is and how long that takes; and what language models
    are likely to get wrong with it. FILE is a tool as MCP, OpenAI, Anthropic, Gemini or LiveKit
    define it, a list of tools, the answer to MCP's tools/list, or a JSON Schema.
    """
    if sum(given is not None for given in (path, command, url)) != 1:
        message = "Give one of FILE, --server and --url."
        raise click.UsageError(message, context)
    no_headers_without(url, headers, context)
    from schema2model.cli.checking import (  # noqa: PLC0415 - other commands need not wait
        check_file,
        check_server,
    )
    from schema2model.cli.servers import ServerAddress  # noqa: PLC0415 - the same

    if path is not None:
        report = check_file(path, dialect=dialect, form=form)
    else:
        server = ServerAddress.at(command=command, url=url, headers=headers)
        report = check_server(server, timeout=timeout, dialect=dialect, form=form)
    context.exit(1 if fail_on != "never" and report.fails(fail_on) else 0)
