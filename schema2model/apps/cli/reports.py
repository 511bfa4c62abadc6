"""A report for people: a line for each tool with its findings below, and what to do about them."""

from __future__ import annotations

import shutil
import textwrap
from itertools import groupby

import click

from schema2model.apps.audit import SEVERITIES, Finding, Report, ToolReport
from schema2model.apps.cli.output import on_one_line, write_styled
from schema2model.errors import SchemaError
from schema2model.schema.dialects import dialect_named

__all__ = ["write_report"]

WIDTH = 80
"""Columns at most, where the terminal has as many."""

MAX_LISTED = 3
"""Messages of one rule about one tool, and places of each, that are shown; the rest are counted."""

MAX_TEXT = 200
"""Characters of a name or message that are shown."""

MAX_NAME = 40
"""Columns that names of tools are filled up to."""

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def write_report(report: Report) -> None:
    """Print a report on standard output, in colour on a terminal only."""
    width = max(min(WIDTH, shutil.get_terminal_size().columns), 40)
    names = min(max((len(_cut(tool.name)) for tool in report.tools), default=0), MAX_NAME)
    for tool in report.tools:
        write_styled(_heading(tool, names))
        for _, alike in groupby(tool.findings, key=lambda finding: finding.rule):
            write_styled(_lines(list(alike), width))
    advice = {finding.rule: finding.suggestion for finding in report.findings}
    if advice:
        write_styled("\nWhat to do:")
    for rule, suggestion in sorted(advice.items()):
        write_styled(_wrapped(f"  {rule}: {suggestion}", width))
    write_styled(f"\n{_summary(report)}")


def _heading(tool: ToolReport, names: int) -> str:
    """The heading of a tool: its name, and the findings about it as a whole."""
    name = click.style((_cut(tool.name) or "(no name)").ljust(names), bold=True)
    if tool.error is not None or tool.seconds is None or tool.dialect is None:
        return f"{name}  {click.style('cannot be used', fg='red')}"
    return f"{name}  {_dialect(tool.dialect)}  {tool.size:7,} B {tool.seconds * 1000:7.1f} ms"


def _dialect(uri: str) -> str:
    try:
        return dialect_named(uri).name
    except SchemaError:  # one of their own
        return _cut(uri)


def _lines(alike: list[Finding], width: int) -> str:
    """The findings of one rule in one tool: each message once, with its places."""
    severity = alike[0].severity
    lines = [f"  {click.style(severity, fg=_COLOURS[severity])} {alike[0].rule}"]
    places: dict[str, list[str]] = {}
    for finding in alike:
        places.setdefault(finding.message, []).append(finding.pointer)
    for message, pointers in [*places.items()][:MAX_LISTED]:
        lines.append(_wrapped(f"    {_cut(message)}", width))
        lines += [
            _wrapped(f"      {_cut(place)}", width) for place in pointers[:MAX_LISTED] if place
        ]
        lines += _rest("      ", len(pointers), "place")
    return "\n".join([*lines, *_rest("    ", len(places), "finding")])


def _rest(indent: str, number: int, noun: str) -> list[str]:
    more = number - MAX_LISTED
    return [f"{indent}and {_counted(more, f'more {noun}')}"] if more > 0 else []


def _wrapped(text: str, width: int) -> str:
    indent = " " * (len(text) - len(text.lstrip()))
    return textwrap.fill(text, width, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def _cut(text: str) -> str:
    """A text of the tool's author in one line, cut where it is long."""
    line = on_one_line(text[: 2 * MAX_TEXT])
    return line if len(line) <= MAX_TEXT else f"{line[:MAX_TEXT]}…"


def _summary(report: Report) -> str:
    counts = [
        click.style(_counted(report.count(severity), severity), fg=_COLOURS[severity])
        for severity in SEVERITIES
        if report.count(severity)
    ]
    return f"{_counted(len(report.tools), 'tool')}: {', '.join(counts) or 'nothing found'}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
