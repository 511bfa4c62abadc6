"""`schema2model diff`: what changes for callers between two versions of tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from schema2model.apps.cli.options import (
    FILE,
    LEVELS,
    Form,
    ServerOptions,
    coercion_option,
    form_options,
    one_source,
    server_options,
    timeout_option,
)
from schema2model.coercions import Preset

if TYPE_CHECKING:
    from schema2model.apps.audit import Severity

__all__ = ["diff"]


_EPILOG = """\b
Examples:
  What a new version of a file changes:
    schema2model diff tools.old.json tools.json
  What the server does differently from the file that was kept of it:
    schema2model diff tools.json --server 'uvx mcp-server-time'
  How many recorded calls are affected:
    schema2model diff tools.old.json tools.json --calls calls.jsonl
  Fail in CI on risky changes too, and show them in code review:
    schema2model diff tools.old.json tools.json --fail-on warning --sarif > diff.sarif

\b
Kinds of changes:
  breaking    (error)    calls that were accepted are not any more
  uncompared  (error)    the schemas differ, and no call shows whether callers are affected
  risky       (warning)  calls are accepted as before, but mean or return something else
  additive    (note)     calls are accepted that were not

\b
Exit codes:
  0  no change is as severe as --fail-on
  1  at least one is
  2  a file cannot be read, a server does not answer, or the command line is wrong
"""


@click.command(epilog=_EPILOG)
@click.argument("old", metavar="OLD", type=FILE)
@click.argument("new", metavar="[NEW]", type=FILE, required=False)
@server_options()
@timeout_option
@coercion_option
@click.option(
    "--calls",
    metavar="FILE",
    type=FILE,
    help="Recorded calls, one on a line or in a list; those whose outcome changes are shown.",
)
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    default="error",
    show_default=True,
    help="The least severity that makes the exit code 1.",
)
@click.pass_context
@form_options("changes")
def diff(  # noqa: PLR0913 - one for each option
    context: click.Context,
    *,
    old: Path,
    new: Path | None,
    given: ServerOptions,
    timeout: float,
    coercion: Preset,
    calls: Path | None,
    fail_on: Severity | Literal["never"],
    form: Form,
) -> None:
    """List what changes for callers between the tools in OLD and those in NEW, or of a server.

    Changes are found by calls, not by the text of the schemas: each is shown with a call that one
    version accepts and the other does not. A file is what 'schema2model check' reads.
    """
    one_source(context, {"NEW": new, **given.sources()}, given)
    from schema2model.apps.cli import diff_report

    compared = diff_report.compared(old, new, given, timeout, calls=calls, coercion=coercion)
    compared.write(form)
    context.exit(1 if fail_on != "never" and compared.comparison.fails(fail_on) else 0)
