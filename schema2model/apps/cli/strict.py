"""`schema2model strict`: strict definitions of tools, and the account of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schema2model.apps.cli.options import (
    ServerOptions,
    dialect_option,
    one_source,
    server_options,
    timeout_option,
    tools_argument,
)

__all__ = ["strict"]

_EPILOG = """\b
Examples:
  Strict definitions of the tools in a file, and the treatment of each keyword:
    schema2model strict tools.json --provider openai
  Which tools of an MCP server Anthropic can enforce in one request, as JSON:
    schema2model strict --server 'uvx mcp-server-time' --provider anthropic --json

\b
Exit codes:
  0  all tools are strict
  1  at least one is not
  2  the file cannot be read, a server does not answer, or the command line is wrong
"""


@click.command(epilog=_EPILOG)
@tools_argument()
@server_options()
@timeout_option
@dialect_option
@click.option(
    "--provider",
    default="openai",
    show_default=True,
    metavar="NAME",
    help="The provider or engine that is to enforce the schemas.",
)
@click.option("--max-items", type=click.IntRange(1), help="Maximum items of arrays without one.")
@click.option("--max-length", type=click.IntRange(1), help="Maximum length of strings without one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def strict(  # noqa: PLR0913 - one for each option
    context: click.Context,
    /,
    *,
    path: Path | None,
    given: ServerOptions,
    timeout: float,
    dialect: str | None,
    provider: str,
    as_json: bool,
    **limits: Any,
) -> None:
    """Write strict definitions of the tools in FILE, or of MCP servers, and the account of each.

    The account lists what the provider enforces, what is checked when a call is decoded, what is
    encoded and how, and what is given up. Where a provider limits the strict tools of one request,
    as many as possible are strict.
    """
    one_source(context, {"FILE": path, **given.sources()}, given)
    from schema2model.apps.cli.listing import chosen_definitions
    from schema2model.apps.cli.strict_report import write_projections

    are_strict = write_projections(
        chosen_definitions(path, given, timeout), provider, dialect, as_json=as_json, **limits
    )
    context.exit(0 if are_strict else 1)
