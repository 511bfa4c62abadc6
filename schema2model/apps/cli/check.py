"""`schema2model check`: what is wrong with tools, of a file or of a live MCP server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from schema2model.apps.cli.options import (
    FILE,
    LEVELS,
    FileOptions,
    FormOptions,
    argument,
    command,
    flag,
    option,
    usage_error,
)
from schema2model.apps.cli.output import write_file
from schema2model.apps.cli.settings import check_config_option

if TYPE_CHECKING:
    from schema2model.apps.audit import Severity

__all__ = ["check"]


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
  Those in all files of a folder, but for what was known before:
    schema2model check tools/ --baseline known.json --update-baseline
    schema2model check tools/ --baseline known.json
  Count what the tools cost in each request, and fail above a limit:
    schema2model check tools.json --tokens --max-tokens 5000
  Fail in CI on warnings too, and show them in code review:
    schema2model check tools.json --fail-on warning --sarif > check.sarif

\b
Exit codes:
  0  no finding is as severe as --fail-on
  1  at least one is, or the tools have more than --max-tokens
  2  the file cannot be read, a server does not answer, or the command line is wrong
"""


@dataclass(frozen=True, kw_only=True)
class CheckOptions(FormOptions, FileOptions):
    """Tools, and the findings that count."""

    path: tuple[Path, ...] = argument(metavar="[FILE]...", type=FILE, nargs=-1)
    named: tuple[Path, ...] = option(
        "--tools", type=FILE, multiple=True, metavar="FILE", help="The same as FILE."
    )
    select: tuple[str, ...] = option(
        metavar="RULES", multiple=True, help="Count the findings of these only."
    )
    ignore: tuple[str, ...] = option(
        metavar="RULES", multiple=True, help="Leave the findings of these out."
    )
    baseline: Path | None = option(
        metavar="FILE", type=FILE, help="Leave out the findings in FILE."
    )
    update_baseline: bool = flag("Write all findings to the baseline, and exit with 0.")
    config: tuple[Path, ...] = check_config_option()
    fail_on: Severity | Literal["never"] | None = option(
        type=click.Choice(LEVELS), help="The least severity that makes the exit code 1."
    )
    tokens: bool = flag("Show the tokens of each tool, and their sum (estimated).")
    max_tokens: int | None = option(
        type=click.IntRange(0),
        help="Exit with 1 if all tools together have more tokens than this.",
    )


@command(CheckOptions, epilog=_EPILOG)
def check(given: CheckOptions) -> int:
    """Find what is wrong with the tools in FILE, or of MCP servers, and what misleads models.

    Whether each schema compiles, how large it is and how long that takes; and what language models
    are likely to get wrong with it. FILE is a tool as MCP, OpenAI, Anthropic, Gemini or LiveKit
    define it, a list of tools, the answer to MCP's tools/list, or a JSON Schema; or a folder with
    such files, or '-' for standard input.
    """
    from schema2model.apps.audit.selection import baseline_text, require_rules, selected
    from schema2model.apps.cli import check_report
    from schema2model.apps.cli.printer import write_review

    # those of the settings, if the command line names none
    paths = given.file or (None if any(given.sources.values()) else given.config or None)
    given.require_one(FILE=paths)
    select, ignore, form = _rules(given.select), _rules(given.ignore), given.form
    if given.update_baseline and given.baseline is None:
        message = "--update-baseline needs --baseline FILE."
        raise usage_error(message)
    try:
        require_rules((*select, *ignore))
    except ValueError as error:
        raise usage_error(str(error)) from None
    audited = check_report.audited(paths, given)
    if given.update_baseline and given.baseline is not None:
        report = selected(audited.report, select=select, ignore=ignore)
        write_file(given.baseline, baseline_text(report).encode())
        return 0 if audited.is_complete else 2
    known = None if given.baseline is None else check_report.known_findings(given.baseline)
    report = selected(audited.report, select=select, ignore=ignore, baseline=known)
    limit = given.max_tokens
    shown = check_report.CheckReport(report, audited.artifacts, given.tokens, limit)
    write_review(shown, form)
    level = given.fail_on or "error"
    found = level != "never" and report.fails(level)
    found |= limit is not None and report.tokens > limit
    return int(found) if audited.is_complete else 2


def _rules(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of rules, which may be separated by commas."""
    return tuple(name for each in given for name in each.replace(",", " ").split())
