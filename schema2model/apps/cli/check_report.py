"""The report of `schema2model check`: read and audit tools, and write what is wrong with them."""

from __future__ import annotations

import dataclasses
import os
import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from schema2model.apps.audit import SEVERITIES, Finding, Report, ToolReport, audit
from schema2model.apps.audit.sarif import Artifact, sarif
from schema2model.apps.audit.selection import Fingerprint, baseline_of
from schema2model.apps.cli.configurations import SERVER_KEYS
from schema2model.apps.cli.json_locations import lines_in, pointers_in
from schema2model.apps.cli.listing import chosen_servers, tools_of_any
from schema2model.apps.cli.options import Form
from schema2model.apps.cli.output import STDIN, InputError, on_one_line, write_json, write_styled
from schema2model.apps.cli.schemas import (
    definitions_in,
    document_in,
    items_in,
    without_comments,
)
from schema2model.apps.cli.servers import ServerAddress
from schema2model.errors import SchemaError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import counted
from schema2model.schema.dialects import dialect_named
from schema2model.tools.providers.definitions import Definition, read_definition

if TYPE_CHECKING:
    from schema2model.apps.cli.check import CheckOptions

__all__ = [
    "Audited",
    "artifact_of",
    "audited",
    "definition_or_item",
    "known_findings",
    "write_audit",
]

WIDTH = 80
"""Columns at most, where the terminal has as many."""

MAX_LISTED = 3
"""Messages of one rule about one tool, and places of each, that are shown; the rest are counted."""

MAX_TEXT = 200
"""Characters of a name or message that are shown."""

MAX_NAME = 40
"""Columns that names of tools are filled up to."""

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@dataclass(frozen=True, slots=True)
class Audited:
    """A report, and where its tools are."""

    report: Report
    artifacts: tuple[Artifact, ...] | None = None
    """The files, in the order of their tools; None if they are of servers that no file names."""
    is_complete: bool = True
    """False if a server did not list its tools."""


def audited(paths: Sequence[Path] | None, given: CheckOptions) -> Audited:
    """Audit the tools in files, or those of servers.

    Raises:
        InputError: if they cannot be read, or the dialect is unknown.

    """
    if paths:
        return _audited_files(paths, given.dialect)
    servers = chosen_servers(given)
    return _audited_servers(servers, given.timeout, given.dialect, given.configuration)


def _audited_files(paths: Sequence[Path], dialect: str | None) -> Audited:
    """Audit the tools in files, each on its own.

    Of a folder, all `*.json` files with tools count, also in folders within.
    """
    files = [file for path in paths for file in _files_at(path)]
    tools: list[ToolReport] = []
    artifacts: list[Artifact] = []
    for path in files:
        document, items = items_in(path)
        definitions = [definition_or_item(item) for item in items]
        before = "" if len(files) == 1 else f"{path.as_posix()}: "
        tools += _audited(definitions, dialect, before)
        artifacts.append(artifact_of(path, document, items, definitions))
    return Audited(Report(tuple(tools)), tuple(artifacts))


def _files_at(path: Path) -> list[Path]:
    """Return the file at a path, or those with tools in the folder there."""
    if not path.is_dir():
        return [path]
    found = [each for each in sorted(path.rglob("*.json")) if _has_tools(each)]
    if not found:
        message = f"{path} has no *.json file that defines tools"
        raise InputError(message)
    return found


def _has_tools(path: Path) -> bool:
    try:
        return bool(definitions_in(path))
    except InputError:
        return False


def _audited_servers(
    servers: Mapping[str, ServerAddress],
    timeout: float,
    dialect: str | None,
    configuration: Path | None,
) -> Audited:
    """Audit the tools of servers, with the server's name before each tool.

    Standard error names each server that did not list its tools. The place of a tool is the entry
    of its server in the configuration that names it, if there is one.
    """
    listed, refused = tools_of_any(servers, timeout)
    tools: list[ToolReport] = []
    owners: list[str] = []
    for name, found in listed.items():
        tools += _audited(found, dialect, name and f"{name}/")
        owners += [name] * (len(tools) - len(owners))
    for error in refused:
        error.show()
    artifacts = None if configuration is None else (_configuration_artifact(configuration, owners),)
    return Audited(Report(tuple(tools)), artifacts, is_complete=not refused)


def _configuration_artifact(path: Path, owners: Sequence[str]) -> Artifact:
    """Return a client's configuration, with the line of each server's entry."""
    if path == STDIN:
        return Artifact("", schemas=[""] * len(owners))
    lines = lines_in(without_comments(path.read_bytes()))
    key = next((key for key in SERVER_KEYS if f"/{key}" in lines), "")
    return Artifact(_uri(path), lines, [pointer((key, name)) for name in owners])


def known_findings(path: Path) -> Counter[Fingerprint]:
    """Return the findings in a baseline.

    Raises:
        InputError: if the file is not one.

    """
    if path != STDIN and not path.exists():
        message = f"the baseline {path} does not exist; --update-baseline writes it"
        raise InputError(message)
    try:
        return baseline_of(document_in(path))
    except ValueError as error:
        message = f"{path}: {error}"
        raise InputError(message) from None


def _audited(definitions: list[Any], dialect: str | None, before: str) -> Iterator[ToolReport]:
    """Yield the reports of tools, with a text before the name of each."""
    try:
        tools = audit(definitions, dialect=dialect).tools
    except SchemaError as error:  # only the dialect can be wrong
        raise InputError(str(error)) from None
    for tool in tools:
        name = f"{before}{tool.name}"
        findings = tuple(dataclasses.replace(each, tool=name) for each in tool.findings)
        yield dataclasses.replace(tool, name=name, findings=findings)


def write_audit(
    audited: Audited, report: Report, form: Form, *, tokens: bool = False, limit: int | None = None
) -> None:
    """Write the findings of a report that count, in one of the forms.

    Args:
        audited: the report of all findings, and where its tools are.
        report: of the findings that count.
        form: text for people, JSON or SARIF.
        tokens: whether the text shows the tokens of each tool, and their sum.
        limit: the maximum tokens of all tools together.

    """
    if form == "sarif":
        write_json(sarif(report, audited.artifacts))
    elif form == "json":
        summary = {severity: report.count(severity) for severity in SEVERITIES}
        tools = [dataclasses.asdict(tool) for tool in report.tools]
        write_json({"summary": summary, "tokens": report.tokens, "tools": tools})
    else:
        _write_text(report, tokens=tokens or limit is not None, limit=limit)


def definition_or_item(item: Any) -> Any:
    """Return the definition that an item is; or the item, if it is none."""
    try:
        return read_definition(item)
    except (SchemaError, RecursionError):
        return item


# ------------------------------------------------------------------------------ places in a file
def artifact_of(path: Path, document: Any, items: list[Any], definitions: list[Any]) -> Artifact:
    """Return the file, with the lines of all that is in it; standard input has no name."""
    if path == STDIN:
        return Artifact("", schemas=[""] * len(items))
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):  # JSON may be UTF-16; and files may go
        text = ""
    pointers = pointers_in(document)
    schemas = [_schema_place(*each, pointers) for each in zip(items, definitions, strict=True)]
    return Artifact(_uri(path), lines_in(text), schemas)


def _uri(path: Path) -> str:
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def _schema_place(item: Any, definition: Any, pointers: Mapping[int, str]) -> str:
    """Return the JSON Pointer of a tool's schema in the file, or of the tool if it has none."""
    place = pointers.get(id(item), "")
    if not isinstance(definition, Definition) or not definition.key:
        return place
    inner = item.get("function")
    if isinstance(inner, dict) and definition.key in inner:
        place += "/function"
    return f"{place}/{definition.key}"


# ------------------------------------------------------------------------- the report for people
def _write_text(report: Report, *, tokens: bool, limit: int | None) -> None:
    """Print a report on standard output, in colour on a terminal only."""
    width = max(min(WIDTH, shutil.get_terminal_size().columns), 40)
    names = min(max((len(_cut(tool.name)) for tool in report.tools), default=0), MAX_NAME)
    for tool in report.tools:
        write_styled(_heading(tool, names, tokens=tokens))
        for _, alike in groupby(tool.findings, key=lambda finding: finding.rule):
            write_styled(_rule_lines(list(alike), width))
    advice = {finding.rule: finding.suggestion for finding in report.findings}
    if advice:
        write_styled("\nWhat to do:")
    for rule, suggestion in sorted(advice.items()):
        write_styled(_wrapped(f"  {rule}: {suggestion}", width))
    write_styled(f"\n{_summary(report)}")
    if tokens:
        write_styled(_token_sum(report, limit))


def _token_sum(report: Report, limit: int | None) -> str:
    total = f"about {counted(report.tokens, 'token')} in each request"
    if limit is None:
        return total
    exceeded = report.tokens > limit
    verdict = f"{'more than' if exceeded else 'within'} the maximum of {limit:,}"
    return click.style(f"{total}, {verdict}", fg=_COLOURS["error"] if exceeded else None)


def _heading(tool: ToolReport, names: int, *, tokens: bool) -> str:
    """Return the heading of a tool: its name, and the findings about it as a whole."""
    name = click.style((_cut(tool.name) or "(no name)").ljust(names), bold=True)
    if tool.error is not None or tool.seconds is None or tool.dialect is None:
        return f"{name}  {click.style('cannot be used', fg='red')}"
    heading = f"{name}  {_dialect(tool.dialect)}  {tool.size:7,} B {tool.seconds * 1000:7.1f} ms"
    return f"{heading} {tool.tokens:7,} tokens" if tokens else heading


def _dialect(uri: str) -> str:
    try:
        return dialect_named(uri).name
    except SchemaError:  # one of their own
        return _cut(uri)


def _rule_lines(alike: list[Finding], width: int) -> str:
    """Return the findings of one rule in one tool: each message once, with its places."""
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
    return [f"{indent}and {counted(more, f'more {noun}')}"] if more > 0 else []


def _wrapped(text: str, width: int) -> str:
    indent = " " * (len(text) - len(text.lstrip()))
    return textwrap.fill(text, width, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def _cut(text: str) -> str:
    """Return a text of the tool's author in one line, cut where it is long."""
    line = on_one_line(text[: 2 * MAX_TEXT])
    return line if len(line) <= MAX_TEXT else f"{line[:MAX_TEXT]}…"


def _summary(report: Report) -> str:
    counts = [
        click.style(counted(report.count(severity), severity), fg=_COLOURS[severity])
        for severity in SEVERITIES
        if report.count(severity)
    ]
    return f"{counted(len(report.tools), 'tool')}: {', '.join(counts) or 'nothing found'}"
