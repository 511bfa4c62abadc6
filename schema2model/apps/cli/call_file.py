"""The calls in a file of `schema2model validate --calls`, each with the schema of its tool."""

from __future__ import annotations

import codecs
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from schema2model.apps.cli.output import InputError, content_of
from schema2model.apps.cli.schemas import definition_in, definitions_in
from schema2model.calls.tool_names import unknown_tool
from schema2model.errors import ToolError
from schema2model.json.repeated_names import RepeatedNameError, parse_unique, repeated_name_in
from schema2model.json.spans import as_spelled, item_spans
from schema2model.limits import MAX_ARGUMENTS_SIZE
from schema2model.tools.conversation import CALL_MEMBERS, named_call
from schema2model.tools.providers.definitions import Definition

__all__ = ["FileCall", "calls_in_file"]

_READ = CALL_MEMBERS | {"tool"}
"""The members of a call that are read."""


class FileCall(NamedTuple):
    """A call in a file: its location there, its tool and arguments."""

    place: str
    name: str | None
    arguments: Any
    tool: Definition | None
    """The tool, or the schema; None for an unknown tool."""
    error: ToolError | None = None
    """The refusal of a call of an unknown tool."""


def calls_in_file(path: Path, tools: Path, tool: str | None) -> Iterator[FileCall]:
    """Yield the calls in a file: on lines of their own, or in a JSON list.

    Each names one of the tools, in the shape of any provider; or it is the arguments of the only
    tool, or of the one that is chosen.

    Raises:
        InputError: if a file cannot be read, or does not say which tool a call is for.

    """
    defined = definitions_in(tools) if tool is None else [definition_in(tools, tool)]
    only = defined[0] if len(defined) == 1 else None
    by_name = {each.name: each for each in defined if each.key}
    for place, text in _texts(path):
        value, is_unique = _parsed(text)
        name, arguments = _named_call(value) if tool is None else (None, value)
        called = only if name is None else by_name.get(name, only)
        if called is not None and name not in by_name:
            name, arguments = called.name if called.key else None, value
        spelled = text.decode() if isinstance(arguments, (dict, list)) else ""
        if not is_unique and (arguments is value or repeated_name_in(spelled, _READ) is not None):
            arguments = text  # which is what the message is to be about
        elif (to_arguments := _path_to(arguments, value)) is not None:
            arguments = as_spelled(arguments, spelled, to_arguments)
        if called is not None:
            yield FileCall(place, name, arguments, called)
        elif name is not None:
            yield FileCall(place, name, arguments, None, unknown_tool(name, by_name))
        else:
            message = f"{path}, {place} names none of the tools in {tools}; choose one by --tool"
            raise InputError(message)


def _path_to(part: Any, value: Any) -> tuple[str, ...] | None:
    """Return the path to the arguments in a call, which a provider may put into a part of it."""
    if part is value:
        return ()
    members = value.items() if isinstance(value, dict) else ()
    paths = ((name, _path_to(part, member)) for name, member in members if name in _READ)
    return next(((name, *path) for name, path in paths if path is not None), None)


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


def _parsed(text: bytes) -> tuple[Any, bool]:
    """Return the value of a call, or its text if it is not JSON, and whether its names are unique.

    Of two values for one name it is the last.
    """
    with contextlib.suppress(ValueError, RecursionError):
        try:
            return parse_unique(text), True
        except RepeatedNameError:
            return json.loads(text), False
    return text, True


def _texts(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the text of each line that is not blank, or of each item of a list, with its place."""
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
        if isinstance(json.loads(text), list):
            spelled = text.decode()
            for number, (start, end) in enumerate(item_spans(spelled), 1):
                yield f"item {number}", spelled[start:end].encode()
            return
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            yield f"line {number}", line.strip()
