"""The output of `schema2model batch`: the layout, the progress, and a short table of counts."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from schema2model.apps.batch.bounded_names import without_keys
from schema2model.apps.batch.outcomes import Reason
from schema2model.apps.batch.report.counts import shares
from schema2model.apps.cli.output import on_one_line, shown
from schema2model.apps.cli.printer import and_more, in_one_line, terminal_width
from schema2model.coercions import STATUSES

if TYPE_CHECKING:
    from schema2model.apps.batch.alarms import Alarm
    from schema2model.apps.batch.detection import FoundLayout
    from schema2model.apps.batch.running import Progress
    from schema2model.apps.batch.summary import Summary

__all__ = ["RunReport", "RunWords"]

MAX_PAIRS = 8
MAX_REASONS = 5
"""Lines of each kind in the table: all of it, with the line of progress, has at most 30."""

MAX_ALARM = 9
"""Lines of the words that say that a run as a whole went wrong."""

MAX_WIDTH = 100
_MORE = ", in _summary.json"
_NAME = 30
"""Columns of the table, and of a name in it."""


Tell = Callable[["Progress"], None]


@dataclasses.dataclass(frozen=True, slots=True)
class RunWords:
    """Words for people, in tables of at most 30 lines; or JSON for programs."""

    as_json: bool

    def say_layout(self, found: FoundLayout) -> None:
        """The first line: which layout the rows have."""
        layout = dataclasses.asdict(found.layout)
        self._say(f"Layout: {found.words}", {"layout": layout, "found": found.words})

    def say_warning(self, text: str) -> None:
        """A line about something that does not end the run."""
        self._say(text, {"warning": text})

    @contextlib.contextmanager
    def progress(self) -> Iterator[tuple[Tell, float]]:
        """Return a function that reports progress, and the seconds between two reports."""
        is_terminal = sys.stderr is not None and sys.stderr.isatty() and not self.as_json
        if not is_terminal:
            yield self._resumed_first(self._tell_line), 5.0
            return
        try:
            yield self._resumed_first(_tell_in_place), 0.5
        finally:
            _say("")

    def _resumed_first(self, tell: Tell) -> Tell:
        """A function that reports progress, and before that what an earlier attempt finished."""
        reports = itertools.count()

        def report(progress: Progress) -> None:
            if next(reports) == 0 and progress.size_before:
                share = progress.size_before / progress.total_size
                words = f"Resumed: {progress.rows_before:,} rows, {share:.0%}, were finished before"
                self._say(words, {"resumed": {"rows": progress.rows_before, "share": share}})
            tell(progress)

        return report

    def say_alarm(self, alarm: Alarm) -> None:
        """A problem of the whole run, for people."""
        if not self.as_json:
            _say(f"\n{_loud(alarm)}")

    def _tell_line(self, progress: Progress) -> None:
        left = progress.seconds_left
        document = {
            "rows": progress.rows,
            "share": round(progress.share, 4),
            "rows_per_second": round(progress.rows_per_second),
            "seconds_left": None if left is None else round(left, 1),
        }
        self._say(_how_far(progress), document)

    def _say(self, words: str, document: dict[str, Any]) -> None:
        _say(json.dumps(document) if self.as_json else shown(words))


@dataclasses.dataclass(frozen=True, slots=True)
class RunReport:
    """The counts of a run, and what is wrong with it as a whole."""

    summary: Summary
    output: str
    alarm: Alarm | None

    def document(self) -> dict[str, Any]:
        """Return them as JSON values."""
        told = None if self.alarm is None else self.alarm._asdict()
        return {**self.summary.document(), "alarm": told}

    def lines(self) -> Iterator[str]:
        """Yield the table of the counts, and where the output is."""
        summary = self.summary
        is_short = self.alarm is not None or summary.doubts
        pairs, reasons = (4, 2) if is_short else (MAX_PAIRS, MAX_REASONS)
        yield from _totals(summary)
        yield from _pairs(summary, pairs)
        yield from _reasons(summary, reasons)
        yield from _doubts(summary, 2)
        yield from _results(summary, pairs)
        output = in_one_line(without_keys(self.output), MAX_WIDTH)
        yield f"\nOutput: {output}"
        if self.alarm is None:
            yield f"Look at it: schema2model report {output} -o report.html"


def _say(text: str, *, nl: bool = True) -> None:
    """Print the progress. A closed standard error does not end the run."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True, nl=nl, color=False if os.environ.get("NO_COLOR") else None)


def _tell_in_place(progress: Progress) -> None:
    """The line that says how far it is, in the place of the one before."""
    _say(f"\r\x1b[K{_how_far(progress)}", nl=False)


def _how_far(progress: Progress) -> str:
    left = progress.seconds_left
    words = [
        f"{progress.rows:,} rows",
        f"{progress.share:.0%}",
        f"{progress.rows_per_second:,.0f} rows/s",
        "" if left is None else f"{_duration(left)} left",
    ]
    return "  ".join(words).rstrip()


def _duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> _duration(7), _duration(125), _duration(7322)
    ('7 s', '2 min 5 s', '2 h 2 min')
    """
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    parts = [(hours, "h"), (minute, "min"), (second, "s")]
    first = next((i for i, (number, _) in enumerate(parts) if number), 2)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2])


# -------------------------------------------------------------------------------------- the table
def _totals(summary: Summary) -> Iterator[str]:
    """Yield the rows and the calls by status."""
    yield _line("", ["total", *STATUSES])
    yield _line("rows", [summary.total, *summary.rows.values()])
    if summary.found != summary.total:
        usable = [sum(each[status] for each in summary.calls.values()) for status in STATUSES[:-1]]
        yield _line("calls", [summary.found, *usable, summary.found - sum(usable)])
    if summary.damaged:
        yield _line("damaged rows", [summary.damaged])


def _pairs(summary: Summary, listed: int) -> Iterator[str]:
    """Yield the models and tools with the most refused calls."""
    if len(summary.calls) > 1:  # otherwise it is the line of all calls
        heading = _line("model, tool: worst first", ["calls", *STATUSES])
        yield from _worst(heading, shares(summary.calls, "model", "tool"), listed)


def _results(summary: Summary, listed: int) -> Iterator[str]:
    """Yield the tools whose results match their `outputSchema` least."""
    heading = _line("results by outputSchema", ["results", *STATUSES])
    yield from _worst(heading, shares(summary.results, "tool"), listed)


def _worst(heading: str, entries: list[dict[str, Any]], listed: int) -> Iterator[str]:
    """Yield a table of counts by status under a heading."""
    if entries:
        yield from ("", heading)
    for entry in entries[:listed]:
        names = [_cell(entry[key] or "-", _NAME) for key in ("model", "tool") if key in entry]
        yield _line(", ".join(names), [entry[column] for column in ("calls", *STATUSES)])
    yield from and_more(len(entries), listed, words=_MORE)


def _reasons(summary: Summary, listed: int) -> Iterator[str]:
    """Why calls and rows are refused."""
    entries = [
        (entry["count"], Reason(entry["reason"], entry["about"]).words)
        for entry in summary.document()["refused"]
    ]
    yield from _counted("refused because", entries, listed)


def _doubts(summary: Summary, listed: int) -> Iterator[str]:
    """Yield the undeclared names that may be misspelt, each with the declared one."""
    entries = [
        (entry["count"], entry["about"] or "several") for entry in summary.document()["doubts"]
    ]
    yield from _counted("doubts: undeclared names like declared, absent ones", entries, listed)


def _counted(heading: str, entries: list[tuple[int, str]], listed: int) -> Iterator[str]:
    """Numbers with words under a heading; nothing if there are none."""
    if entries:
        yield from ("", heading)
    for count, words in entries[:listed]:
        yield f"{count:>11,}  {_cell(words, _width() - 13)}"
    yield from and_more(len(entries), listed, words=_MORE)


def _line(name: str, cells: list[Any]) -> str:
    columns = [f"{cell:>11,}" if isinstance(cell, int) else f"{cell:>11}" for cell in cells]
    room = max(_width() - 11 * len(cells), 12)
    return f"{_cell(name, room):<{room}}{''.join(columns)}"


def _cell(text: str, length: int) -> str:
    """Return a text in a table, truncated on terminals only: files and pipes get all of it."""
    return in_one_line(text, length) if sys.stdout.isatty() else on_one_line(text)


def _width() -> int:
    return terminal_width(60, MAX_WIDTH)


def _loud(alarm: Alarm) -> str:
    problem, cure = (
        textwrap.fill(shown(text), _width(), max_lines=MAX_ALARM // 2 + last, placeholder=" …")
        for last, text in enumerate(alarm)
    )
    return f"{click.style(problem, fg='red', bold=True)}\n{cure}"
