"""`schema2model check` without its options: read tools, audit them, write the report."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import click

from schema2model.apps.audit import SEVERITIES, Report, ToolReport, audit
from schema2model.apps.audit.sarif import Artifact, sarif
from schema2model.apps.audit.selection import Fingerprint, baseline_of
from schema2model.apps.cli.json_locations import lines_in, pointers_in
from schema2model.apps.cli.listing import fail_for_all, listed_tools
from schema2model.apps.cli.output import STDIN, InputError, write_json
from schema2model.apps.cli.reports import write_report
from schema2model.apps.cli.schemas import definitions_in, document_in, items_in
from schema2model.apps.cli.servers import ServerAddress
from schema2model.errors import SchemaError
from schema2model.tools.providers.definitions import Definition, read_definition

__all__ = [
    "Audited",
    "Form",
    "audited_files",
    "audited_servers",
    "known_findings",
    "write_audit",
]

Form = Literal["text", "json", "sarif"]


@dataclass(frozen=True, slots=True)
class Audited:
    """A report, and where its tools are."""

    report: Report
    artifacts: tuple[Artifact, ...] | None = None
    """The files, in the order of their tools; None if they are of servers."""
    is_complete: bool = True
    """False if a server has not listed its tools."""


def audited_files(paths: Sequence[Path], *, dialect: str | None) -> Audited:
    """Audit the tools in files, each on its own.

    Args:
        paths: of files and folders; `-` is standard input. Of a folder, all `*.json` files with
            tools count, also in folders within.
        dialect: of schemas that carry none.

    Raises:
        InputError: if a file cannot be read, or the dialect is unknown.

    """
    files = [file for path in paths for file in _files_at(path)]
    tools: list[ToolReport] = []
    artifacts: list[Artifact] = []
    for path in files:
        document, items = items_in(path)
        definitions = [_read(item) for item in items]
        for tool in _audited(definitions, dialect).tools:
            name = tool.name if len(files) == 1 else f"{path.as_posix()}: {tool.name}"
            findings = tuple(dataclasses.replace(each, tool=name) for each in tool.findings)
            tools.append(dataclasses.replace(tool, name=name, findings=findings))
        artifacts.append(_artifact(path, document, items, definitions))
    return Audited(Report(tuple(tools)), tuple(artifacts))


def _files_at(path: Path) -> list[Path]:
    """The file at a path, or those with tools in the folder there."""
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


def audited_servers(
    servers: Mapping[str, ServerAddress], *, timeout: float, dialect: str | None
) -> Audited:
    """Audit the tools of servers, with the server's name before each tool.

    Standard error names each server that has not listed its tools.

    Raises:
        InputError: if no server has, or the dialect is unknown.

    """
    listed = listed_tools(servers, timeout)
    refused = [each for each in listed.values() if isinstance(each, click.ClickException)]
    if len(refused) == len(listed):
        fail_for_all(refused)
    report = Report(
        tuple(
            dataclasses.replace(tool, name=f"{name}/{tool.name}" if name else tool.name)
            for name, found in listed.items()
            if not isinstance(found, click.ClickException)
            for tool in _audited(found, dialect).tools
        )
    )
    for error in refused:
        error.show()
    return Audited(report, None, is_complete=not refused)


def known_findings(path: Path) -> Counter[Fingerprint]:
    """The findings in a baseline.

    Raises:
        InputError: if the file is not one.

    """
    try:
        return baseline_of(document_in(path))
    except ValueError as error:
        message = f"{path}: {error}"
        raise InputError(message) from None


def _audited(definitions: list[Any], dialect: str | None) -> Report:
    try:
        return audit(definitions, dialect=dialect)
    except SchemaError as error:  # only the dialect can be wrong
        raise InputError(str(error)) from None


def write_audit(audited: Audited, report: Report, form: Form) -> None:
    """Write the findings of a report that count, in one of the forms."""
    if form == "sarif":
        write_json(sarif(report, audited.artifacts))
    elif form == "json":
        write_json(_document(report))
    else:
        write_report(report)


def _read(item: Any) -> Any:
    """The definition that an item is; or the item, if it is none."""
    try:
        return item if isinstance(item, Definition) else read_definition(item)
    except (SchemaError, RecursionError):
        return item


def _document(report: Report) -> dict[str, Any]:
    """The report as JSON."""
    summary = {severity: report.count(severity) for severity in SEVERITIES}
    return {"summary": summary, "tools": [dataclasses.asdict(tool) for tool in report.tools]}


# ------------------------------------------------------------------------------ places in a file
def _artifact(path: Path, document: Any, items: list[Any], definitions: list[Any]) -> Artifact:
    """The file, with the lines of all that is in it; standard input has no name."""
    if path == STDIN:
        return Artifact("", schemas=[""] * len(items))
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):  # JSON may be UTF-16; and files may go
        text = ""
    pointers = pointers_in(document)
    schemas = [_schema_place(*each, pointers) for each in zip(items, definitions, strict=True)]
    uri = path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
    return Artifact(uri, lines_in(text), schemas)


def _schema_place(item: Any, definition: Any, pointers: Mapping[int, str]) -> str:
    """The JSON Pointer of a tool's schema in the file, or of the tool if it has none."""
    place = pointers.get(id(item), "")
    if not isinstance(definition, Definition) or not definition.key:
        return place
    inner = item.get("function")
    if isinstance(inner, dict) and definition.key in inner:
        place += "/function"
    return f"{place}/{definition.key}"
