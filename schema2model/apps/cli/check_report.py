"""The report of `schema2model check`: read and audit tools, and write what is wrong with them."""

from __future__ import annotations

import dataclasses
import os
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from schema2model.apps.audit import SEVERITIES, Finding, Report, ToolReport, audit
from schema2model.apps.audit.sarif import Artifact, sarif
from schema2model.apps.audit.selection import Fingerprint, baseline_of
from schema2model.apps.cli.configurations import SERVER_KEYS
from schema2model.apps.cli.json_locations import lines_in, pointers_in
from schema2model.apps.cli.listing import chosen_servers, tools_of_any
from schema2model.apps.cli.options import FileOptions
from schema2model.apps.cli.output import STDIN, InputError
from schema2model.apps.cli.printer import (
    COLOURS,
    and_more,
    counts_line,
    in_one_line,
    terminal_width,
)
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

__all__ = [
    "Audited",
    "CheckReport",
    "audited",
    "known_findings",
    "located_tools",
]

WIDTH = 80
"""Columns at most, where the terminal has as many."""

MAX_LISTED = 3
"""Messages of one rule about one tool, and places of each, that are shown; the rest are counted."""

MAX_TEXT = 200
"""Characters of a name or message that are shown."""

MAX_NAME = 40
"""Columns that names of tools are filled up to."""


@dataclass(frozen=True, slots=True)
class Audited:
    """A report, and where its tools are."""

    report: Report
    artifacts: tuple[Artifact, ...] | None = None
    """The files, in the order of their tools; None if they are of servers that no file names."""
    is_complete: bool = True
    """False if a server did not list its tools."""


def audited(paths: Sequence[Path] | None, given: FileOptions) -> Audited:
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
        definitions, artifact = located_tools(path)
        before = "" if len(files) == 1 else f"{path.as_posix()}: "
        tools += _audited(definitions, dialect, before)
        artifacts.append(artifact)
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


# ------------------------------------------------------------------------------ places in a file
def located_tools(path: Path) -> tuple[list[Any], Artifact]:
    """Return the definitions in a file, or what should be one; and the file, with their places.

    Standard input has no name, and no places.

    Raises:
        InputError: if the file cannot be read, or has no tools.

    """
    document, items = items_in(path)
    definitions = [_definition_or_item(item) for item in items]
    if path == STDIN:
        return definitions, Artifact("", schemas=[""] * len(items))
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):  # JSON may be UTF-16; and files may go
        text = ""
    pointers = pointers_in(document)
    schemas = [_schema_place(*each, pointers) for each in zip(items, definitions, strict=True)]
    return definitions, Artifact(_uri(path), lines_in(text), schemas)


def _definition_or_item(item: Any) -> Any:
    """Return the definition that an item is; or the item, if it is none."""
    try:
        return read_definition(item)
    except (SchemaError, RecursionError):
        return item


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


# ------------------------------------------------------------------------------------ the report
@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings that count, and where the tools are."""

    report: Report
    artifacts: tuple[Artifact, ...] | None
    tokens: bool = False
    """True if the lines have the tokens of each tool, and their sum."""
    limit: int | None = None
    """The maximum tokens of all tools together."""

    def sarif(self) -> dict[str, Any]:
        """Return it as a SARIF log."""
        return sarif(self.report, self.artifacts)

    def document(self) -> dict[str, Any]:
        """Return it as JSON values."""
        summary = {severity: self.report.count(severity) for severity in SEVERITIES}
        tools = [dataclasses.asdict(tool) for tool in self.report.tools]
        return {"summary": summary, "tokens": self.report.tokens, "tools": tools}

    def lines(self) -> Iterator[str]:
        """Yield tool by tool what was found, and what to do."""
        report, tokens = self.report, self.tokens or self.limit is not None
        width = terminal_width(40, WIDTH)
        names = min(max((len(_cut(tool.name)) for tool in report.tools), default=0), MAX_NAME)
        for tool in report.tools:
            yield _heading(tool, names, tokens=tokens)
            for _, alike in groupby(tool.findings, key=lambda finding: finding.rule):
                yield from _rule_lines(list(alike), width)
        advice = {finding.rule: finding.suggestion for finding in report.findings}
        if advice:
            yield "\nWhat to do:"
        for rule, suggestion in sorted(advice.items()):
            yield _wrapped(f"  {rule}: {suggestion}", width)
        numbers = ((severity, report.count(severity)) for severity in SEVERITIES)
        counts = ((number, counted(number, severity), severity) for severity, number in numbers)
        yield ""
        yield counts_line(counted(len(report.tools), "tool"), counts, "nothing found")
        if tokens:
            yield _token_sum(report, self.limit)


def _token_sum(report: Report, limit: int | None) -> str:
    total = f"about {counted(report.tokens, 'token')} in each request"
    if limit is None:
        return total
    exceeded = report.tokens > limit
    verdict = f"{'more than' if exceeded else 'within'} the maximum of {limit:,}"
    return click.style(f"{total}, {verdict}", fg=COLOURS["error"] if exceeded else None)


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


def _rule_lines(alike: list[Finding], width: int) -> Iterator[str]:
    """Yield the findings of one rule in one tool: each message once, with its places."""
    severity = alike[0].severity
    yield f"  {click.style(severity, fg=COLOURS[severity])} {alike[0].rule}"
    places: dict[str, list[str]] = {}
    for finding in alike:
        places.setdefault(finding.message, []).append(finding.pointer)
    for message, pointers in [*places.items()][:MAX_LISTED]:
        yield _wrapped(f"    {_cut(message)}", width)
        for place in filter(None, pointers[:MAX_LISTED]):
            yield _wrapped(f"      {_cut(place)}", width)
        yield from and_more(len(pointers), MAX_LISTED, "      ")
    yield from and_more(len(places), MAX_LISTED, "    ")


def _wrapped(text: str, width: int) -> str:
    indent = " " * (len(text) - len(text.lstrip()))
    return textwrap.fill(text, width, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def _cut(text: str) -> str:
    """Return a text of the tool's author in one line, cut where it is long."""
    return in_one_line(text[: 2 * MAX_TEXT], MAX_TEXT)
