"""`schema2model strict`: strict definitions of tools, and the account of each."""

from __future__ import annotations

from dataclasses import dataclass

import click

from schema2model.apps.cli.options import (
    FileOptions,
    command,
    flag,
    option,
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


@dataclass(frozen=True, kw_only=True)
class StrictOptions(FileOptions):
    """Tools, and the provider that they are for."""

    provider: str = option(
        default="openai",
        show_default=True,
        metavar="NAME",
        help="The provider or engine that is to enforce the schemas.",
    )
    max_items: int | None = option(
        type=click.IntRange(1), help="Maximum items of arrays without one."
    )
    max_length: int | None = option(
        type=click.IntRange(1), help="Maximum length of strings without one."
    )
    as_json: bool = flag("Print JSON.", "--json")


@command(StrictOptions, epilog=_EPILOG)
def strict(given: StrictOptions) -> int:
    """Write strict definitions of the tools in FILE, or of MCP servers, and the account of each.

    The account lists what the provider enforces, what is checked when a call is decoded, what is
    encoded and how, and what is given up. Where a provider limits the strict tools of one request,
    as many as possible are strict.
    """
    given.require_one(FILE=given.file)
    from schema2model.apps.cli.listing import chosen_definitions
    from schema2model.apps.cli.printer import write_report
    from schema2model.apps.cli.strict_report import projected

    limits = {"max_items": given.max_items, "max_length": given.max_length}
    found = chosen_definitions(given.file, given, given.timeout)
    tools = projected(found, given.provider, given.dialect, **limits)
    write_report(tools, as_json=given.as_json)
    return 0 if tools.are_strict else 1
