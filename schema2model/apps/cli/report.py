"""`schema2model report`: what went wrong in a corpus, as a page for people, or as figures."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from schema2model.apps.cli.options import (
    argument,
    command,
    flag,
    option,
    output_option,
    usage_error,
)
from schema2model.apps.cli.output import (
    InputError,
    require_writable,
    shown,
    write_file,
    write_json,
    write_words,
)
from schema2model.extras import needs

if TYPE_CHECKING:
    from schema2model.apps.batch.report.corrected_rows import Output
    from schema2model.apps.batch.report.figures import Figures

__all__ = ["report"]

_INTERVAL = 5.0
"""Seconds between two reports of progress."""

_EPILOG = """\b
Examples:
  Show the results of 'schema2model batch':
    schema2model report corrected -o report.html
  Two runs side by side, such as two presets or two weeks:
    schema2model report corrected --compare corrected-before -o report.html
  The same figures for a program; here, the parameter that goes wrong most:
    schema2model report corrected --json | jq '.changed[0]'

\b
Exit codes:
  0  the report is complete
  1  there is a report, but rows are missing that the run counted
  2  OUTPUT is not of 'schema2model batch', or cannot be read, or the page cannot be written
"""


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """An output, perhaps another, and what is written about it."""

    place: str = argument(metavar="OUTPUT")
    output: Path | None = output_option(
        "Where to write the page, over what is there.  [default: standard output]"
    )
    compare: str | None = option(
        metavar="OTHER", help="Another run, which is shown next to this one, tool by tool."
    )
    as_json: bool = flag("Print the figures as JSON, and no page.", "--json")
    top: int = option(
        type=click.IntRange(1),
        default=50,
        show_default=True,
        metavar="NUMBER",
        help="Models, tools, parameters that are listed; the rest are counted.",
    )


@command(ReportOptions, epilog=_EPILOG)
def report(given: ReportOptions) -> int:
    """Write a page about OUTPUT, the folder or URL that 'schema2model batch' has written.

    The page is one file that loads nothing. It shows which model gets which parameter wrong, the
    worst first; unknown tools; the rules that corrected calls; examples.
    """
    if given.as_json and given.output is not None:
        message = "--json prints the figures; leave --output out."
        raise usage_error(message)
    if given.output is not None:
        require_writable(given.output)
    found, figures = _counted(given.place)
    document = found.document(figures, given.top)
    if given.compare is not None:
        from schema2model.apps.batch.report.two_runs import compared_runs

        other, other_figures = _counted(given.compare)
        compared = compared_runs(figures, other_figures, given.top)
        document["compared"] = {"output": other.name, **compared}
    if given.as_json:
        write_json(document)
    else:
        from schema2model.apps.batch.report.page import page

        write_file(given.output, page(document, found.name).encode())
    if figures.rows != found.summary.total:
        write_words(shown(f"{found.name} lacks rows that its summary counts"))
        return 1
    return 0


def _counted(place: str) -> tuple[Output, Figures]:
    try:
        import jinja2  # noqa: F401 - say that it is missing before hours of reading

        from schema2model.apps.batch.report.corrected_rows import Output, ReportError
    except ImportError as error:
        if error.name not in {"jinja2", "pyarrow"}:
            raise
        message = f"this command {needs('report')}"
        raise InputError(message) from None
    try:
        found = Output.at(place)
        return found, found.figures(_progress_of(found))
    except ReportError as error:
        raise InputError(str(error)) from None


def _progress_of(output: Output) -> Callable[[int], None]:
    """Return a function that says every few seconds how many rows have been read."""
    due = time.monotonic() + _INTERVAL

    def tell(rows: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            write_words(shown(f"{output.name}: {rows:,} of {output.summary.total:,} rows"))
            due = time.monotonic() + _INTERVAL

    return tell
