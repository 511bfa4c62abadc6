"""The calls in a file of `schema2model validate --calls`, each with the schema of its tool."""

from __future__ import annotations

import codecs
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from schema2model.apps.cli.output import InputError, content_of
from schema2model.apps.cli.schemas import Subject, subject_in, subjects_in
from schema2model.calls.tool_names import unknown_tool
from schema2model.errors import ToolError
from schema2model.limits import MAX_ARGUMENTS_SIZE
from schema2model.tools.conversation import named_call

__all__ = ["FileCall", "calls_in_file"]


class FileCall(NamedTuple):
    """A call in a file: its location there, its tool and arguments."""

    place: str
    name: str | None
    arguments: Any
    subject: Subject | None
    """The schema; None if there is no such tool."""
    error: ToolError | None = None
    """The refusal of a call of an unknown tool."""


def calls_in_file(path: Path, tools: Path, tool: str | None) -> Iterator[FileCall]:
    """Yield the calls in a file: on lines of their own, or in a JSON list.

    Each names one of the tools, in the shape of any provider; or it is the arguments of the only
    tool, or of the one that is chosen.

    Raises:
        InputError: if a file cannot be read, or does not say which tool a call is for.

    """
    subjects = subjects_in(tools) if tool is None else [subject_in(tools, tool)]
    only = subjects[0] if len(subjects) == 1 else None
    by_name = {each.name: each for each in subjects if each.name is not None}
    for place, value in _values(path):
        name, arguments = _named_call(value) if tool is None else (None, None)
        if name in by_name:
            yield FileCall(place, name, arguments, by_name[name])
        elif only is not None:
            yield FileCall(place, only.name, value, only)
        elif name is not None:
            yield FileCall(place, name, arguments, None, unknown_tool(name, by_name))
        else:
            message = f"{path}, {place} names none of the tools in {tools}; choose one by --tool"
            raise InputError(message)


def _named_call(value: Any) -> tuple[str | None, Any]:
    """Return the name of the tool that a call names, and its arguments; None if it names none."""
    if not isinstance(value, dict):
        return None, None
    with contextlib.suppress(TypeError):
        call = value
        if "tool" in value and "name" not in value:  # as batches have it
            call = {**value, "name": value["tool"]}
        name, arguments = named_call(call)
        if isinstance(name, str):
            return name, arguments
    return None, None


def _values(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the value of each line, or of each item of a list; a line that is not JSON as text."""
    content = content_of(path, MAX_ARGUMENTS_SIZE)
    text = content.removeprefix(codecs.BOM_UTF8)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        encoding = json.detect_encoding(content)
        try:
            text = content.decode(encoding).encode()
        except UnicodeError:
            message = f"{path} is not text in {encoding.upper()}"
            raise InputError(message) from None
    if not text.strip():
        message = f"{path} is empty"
        raise InputError(message)
    with contextlib.suppress(ValueError, RecursionError):
        document = json.loads(text)
        if isinstance(document, list):
            yield from ((f"item {number}", item) for number, item in enumerate(document, 1))
            return
    for number, line in enumerate(text.split(b"\n"), 1):
        value: Any = line.strip()
        if value:
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(value)
            yield f"line {number}", value
