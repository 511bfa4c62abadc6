"""`schema2model diff`: what changes for callers between two versions of tools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from schema2model.apps.cli.options import (
    FILE,
    LEVELS,
    FormOptions,
    ServerOptions,
    argument,
    coercion_option,
    command,
    option,
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


@dataclass(frozen=True, kw_only=True)
class DiffOptions(FormOptions, ServerOptions):
    """Two versions of tools."""

    old: Path = argument(metavar="OLD", type=FILE)
    new: Path | None = argument(metavar="[NEW]", type=FILE, required=False)
    timeout: float = timeout_option()
    coercion: Preset = coercion_option()
    calls: Path | None = option(
        metavar="FILE",
        type=FILE,
        help="Recorded calls, one on a line or in a list; those whose outcome changes are shown.",
    )
    fail_on: Severity | Literal["never"] = option(
        type=click.Choice(LEVELS),
        default="error",
        show_default=True,
        help="The least severity that makes the exit code 1.",
    )


@command(DiffOptions, epilog=_EPILOG)
def diff(given: DiffOptions) -> int:
    """List what changes for callers between the tools in OLD and those in NEW, or of a server.

    Changes are found by calls, not by the text of the schemas: each is shown with a call that one
    version accepts and the other does not. A file is what 'schema2model check' reads.
    """
    given.require_one(NEW=given.new)
    from schema2model.apps.cli.diff_report import compared
    from schema2model.apps.cli.listing import chosen_definitions
    from schema2model.apps.cli.printer import write_review

    after, form = chosen_definitions(given.new, given, given.timeout), given.form
    changes = compared(given.old, given.new, after, calls=given.calls, coercion=given.coercion)
    write_review(changes, form)
    return int(given.fail_on != "never" and changes.comparison.fails(given.fail_on))
