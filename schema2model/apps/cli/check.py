"""`schema2model check`: what is wrong with tools, of a file or of a live MCP server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from schema2model.apps.cli.options import (
    FILE,
    LEVELS,
    Form,
    ServerOptions,
    dialect_option,
    form_options,
    one_source,
    server_options,
    timeout_option,
    tools_argument,
)
from schema2model.apps.cli.output import write_file
from schema2model.apps.cli.settings import check_config_option, files_to_check

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


@click.command(epilog=_EPILOG)
@tools_argument(several=True)
@server_options()
@timeout_option
@dialect_option
@click.option("--select", metavar="RULES", multiple=True, help="Count the findings of these only.")
@click.option("--ignore", metavar="RULES", multiple=True, help="Leave the findings of these out.")
@click.option("--baseline", metavar="FILE", type=FILE, help="Leave out the findings in FILE.")
@click.option(
    "--update-baseline", is_flag=True, help="Write all findings to the baseline, and exit with 0."
)
@check_config_option
@click.option(
    "--fail-on", type=click.Choice(LEVELS), help="The least severity that makes the exit code 1."
)
@click.option(
    "--tokens", is_flag=True, help="Show the tokens of each tool, and their sum (estimated)."
)
@click.option(
    "--max-tokens",
    type=click.IntRange(0),
    help="Exit with 1 if all tools together have more tokens than this.",
)
@click.pass_context
@form_options("report")
def check(  # noqa: PLR0913 - one for each option
    context: click.Context,
    *,
    paths: tuple[Path, ...],
    given: ServerOptions,
    timeout: float,
    dialect: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    baseline: Path | None,
    update_baseline: bool,
    fail_on: Severity | Literal["never"] | None,
    tokens: bool,
    max_tokens: int | None,
    form: Form,
) -> None:
    """Find what is wrong with the tools in FILE, or of MCP servers, and what misleads models.

    Whether each schema compiles, how large it is and how long that takes; and what language models
    are likely to get wrong with it. FILE is a tool as MCP, OpenAI, Anthropic, Gemini or LiveKit
    define it, a list of tools, the answer to MCP's tools/list, or a JSON Schema; or a folder with
    such files, or '-' for standard input.
    """
    from schema2model.apps.cli import check_report

    if not any(given.sources().values()):
        paths = paths or files_to_check(context)
    one_source(context, {"FILE": paths or None, **given.sources()}, given)
    select, ignore = _rules(select), _rules(ignore)
    if update_baseline and baseline is None:
        message = "--update-baseline needs --baseline FILE."
        raise click.UsageError(message, context)
    from schema2model.apps.audit.selection import baseline_text, require_rules, selected

    try:
        require_rules((*select, *ignore))
    except ValueError as error:
        raise click.UsageError(str(error), context) from None
    if paths:
        audited = check_report.audited_files(paths, dialect=dialect)
    else:
        from schema2model.apps.cli.listing import chosen_servers

        servers = chosen_servers(given)
        audited = check_report.audited_servers(
            servers, timeout=timeout, dialect=dialect, configuration=given.configuration
        )
    if update_baseline and baseline is not None:
        report = selected(audited.report, select=select, ignore=ignore)
        write_file(baseline, baseline_text(report).encode())
        context.exit(0 if audited.is_complete else 2)
    known = None if baseline is None else check_report.known_findings(baseline)
    report = selected(audited.report, select=select, ignore=ignore, baseline=known)
    check_report.write_audit(audited, report, form, tokens=tokens, limit=max_tokens)
    level = fail_on or "error"
    found = level != "never" and report.fails(level)
    found |= max_tokens is not None and report.tokens > max_tokens
    context.exit((1 if found else 0) if audited.is_complete else 2)


def _rules(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of rules, which may be separated by commas."""
    return tuple(name for each in given for name in each.replace(",", " ").split())
