"""`schema2model check` without its options: read tools, audit them, write the report."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import click

from schema2model.auditing import SEVERITIES, Report, audit
from schema2model.auditing.sarif import Artifact, sarif
from schema2model.cli.json_locations import lines_in, pointers_in
from schema2model.cli.listing import fail_for_all, listed_tools
from schema2model.cli.output import STDIN, InputError, write_json
from schema2model.cli.reports import write_report
from schema2model.cli.schemas import items_in
from schema2model.cli.servers import ServerAddress
from schema2model.errors import SchemaError
from schema2model.tools.providers.definitions import Definition, read_definition

__all__ = ["Form", "check_file", "check_servers"]

Form = Literal["text", "json", "sarif"]


def check_file(path: Path, *, dialect: str | None, form: Form) -> Report:
    """Audit the tools in a file, and write the report.

    Raises:
        InputError: if the file cannot be read, or the dialect is unknown.

    """
    document, items = items_in(path)
    definitions = [_read(item) for item in items]
    report = _audited(definitions, dialect)
    artifact = None
    if form == "sarif" and path != STDIN:
        artifact = _artifact(path, document, items, definitions)
    _write(report, form, artifact)
    return report


def check_servers(
    servers: Mapping[str, ServerAddress], *, timeout: float, dialect: str | None, form: Form
) -> tuple[Report, bool]:
    """Audit the tools of servers, and write one report, with the server's name before each tool.

    Returns:
        The report, and whether all servers have listed their tools. Standard error gives the
        reason for each that has not.

    Raises:
        InputError: if no server has, or the dialect is unknown.

    """
    listed = listed_tools(servers, timeout)
    refused = {n: each for n, each in listed.items() if isinstance(each, click.ClickException)}
    if len(refused) == len(listed):
        fail_for_all([*refused.values()])
    report = Report(
        tuple(
            dataclasses.replace(tool, name=f"{name}/{tool.name}" if name else tool.name)
            for name, found in listed.items()
            if not isinstance(found, click.ClickException)
            for tool in _audited(found, dialect).tools
        )
    )
    _write(report, form, None)
    for error in refused.values():
        error.show()
    return report, not refused


def _audited(definitions: list[Any], dialect: str | None) -> Report:
    try:
        return audit(definitions, dialect=dialect)
    except SchemaError as error:  # only the dialect can be wrong
        raise InputError(str(error)) from None


def _write(report: Report, form: Form, artifact: Artifact | None) -> None:
    if form == "sarif":
        write_json(sarif(report, artifact))
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
    """The file, with the lines of all that is in it."""
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
