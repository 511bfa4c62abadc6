"""The printer of reports: those of check, diff, strict and batch are lines, and a document."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import click

from schema2model.apps.audit.findings import Severity
from schema2model.apps.cli.options import Form
from schema2model.apps.cli.output import on_one_line, write_json, write_styled

__all__ = [
    "COLOURS",
    "and_more",
    "counts_line",
    "in_one_line",
    "terminal_width",
    "write_report",
    "write_review",
]

COLOURS: dict[Severity, str] = {"error": "red", "warning": "yellow", "note": "cyan"}


class Report(Protocol):
    """The findings of a command."""

    def lines(self) -> Iterable[str]:
        """Yield the lines for people, which may be in colour."""

    def document(self) -> Any:
        """Return the same for programs."""


class ReviewReport(Report, Protocol):
    """Findings that have places in files."""

    def sarif(self) -> dict[str, Any]:
        """Return them as a SARIF log, for code review."""


def write_report(report: Report, *, as_json: bool) -> None:
    """Write a report for people, or for programs."""
    if as_json:
        write_json(report.document())
    else:
        for line in report.lines():
            write_styled(line)


def write_review(report: ReviewReport, form: Form) -> None:
    """Write a report in one of the forms."""
    if form == "sarif":
        write_json(report.sarif())
    else:
        write_report(report, as_json=form == "json")


def counts_line(subject: str, counts: Iterable[tuple[int, str, Severity]], nothing: str) -> str:
    """Return a line of counts, each in words and of a severity; only those that are not 0."""
    words = [click.style(each, fg=COLOURS[severity]) for number, each, severity in counts if number]
    return f"{subject}: {', '.join(words) or nothing}"


def in_one_line(text: str, most: int, *, end: bool = False) -> str:
    """Return a text in one line of a maximum length: its beginning, or its end."""
    line = on_one_line(text)
    if len(line) <= most:
        return line
    return f"…{line[1 - most :]}" if end else f"{line[: most - 1]}…"


def and_more(number: int, shown: int, indent: str = "  ", words: str = "") -> Iterator[str]:
    """Yield a line about what is not shown, if there is any."""
    if number > shown:
        yield f"{indent}and {number - shown:,} more{words}"


def terminal_width(least: int, most: int) -> int:
    """Return the columns of the terminal, within limits."""
    return max(min(most, shutil.get_terminal_size().columns), least)
