"""The schema that a file holds, or that of one tool among those that it defines.

A file may be a JSON Schema, the definition of a tool as MCP, OpenAI, Anthropic, Gemini or LiveKit
write it, a list of such, or the answer to MCP's `tools/list`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from schema2model.cli.output import InputError
from schema2model.compiled import MAX_SCHEMA_SIZE
from schema2model.instances import MAX_DIGITS, quoted

__all__ = ["Definition", "definition_in"]

MAX_NAMES = 10
"""So many tools are named in a message; the rest are counted."""

MAX_COMPARED = 1000
"""Names that are compared with one that is not there, and characters of each."""

_LISTS = ("tools", "functions", "functionDeclarations", "function_declarations")
_SCHEMAS = (
    "inputSchema",
    "input_schema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "parameters",
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A schema, with the name of the tool that it is for and the dialect of its provider."""

    name: str | None
    schema: Any
    dialect: str | None = None


def definition_in(path: Path, tool: str | None) -> Definition:
    """The schema in a file, or that of the tool of this name.

    Raises:
        InputError: if the file cannot be read, or it does not say which schema is meant.

    """
    document = _document(path)
    found = list(_definitions(document))
    if not found and _members(document) is not None:
        message = f"{path} defines no tool with a schema"
        raise InputError(message)
    if not found and tool is not None:
        message = f"{path} is a JSON Schema and defines no tools; leave --tool out"
        raise InputError(message)
    if not found:
        return Definition(None, document)
    if tool is None and len(found) > 1:
        message = f"{path} defines {len(found)} tools; choose one by --tool: {_listed(found)}"
        raise InputError(message)
    named = [each for each in found if tool in (None, each.name)]
    if not named:
        message = f"{path} defines no tool {quoted(tool)}; {_closest(tool or '', found)}"
        raise InputError(message)
    if len(named) > 1:
        message = f"{path} defines {len(named)} tools of the name {quoted(tool)}"
        raise InputError(message)
    return named[0]


def _document(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SCHEMA_SIZE + 1)
    except OSError as error:
        message = f"cannot read {path}: {error.strerror}"
        raise InputError(message) from None
    if len(content) > MAX_SCHEMA_SIZE:
        message = f"{path} is larger than {MAX_SCHEMA_SIZE >> 20} MiB"
        raise InputError(message)
    try:
        return json.loads(content, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        message = f"{path} is not JSON: {error}"
    except UnicodeDecodeError as error:
        message = f"{path} is not JSON: its byte {error.start} is not valid {error.encoding}"
    except RecursionError:
        message = f"{path} is nested too deeply"
    except ValueError:
        message = f"{path} has a number that no JSON spells, or of more than {MAX_DIGITS} digits"
    raise InputError(message) from None


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


# ------------------------------------------------------------------------------ providers' shapes
def _definitions(document: Any) -> Iterator[Definition]:
    """The tools with a schema in a document; none if it is a schema itself."""
    members = _members(document)
    for item in (document,) if members is None else members:
        inner = _members(item)  # Gemini lists lists
        for each in (item,) if inner is None else inner:
            definition = _definition(each)
            if definition is not None:
                yield definition


def _members(value: Any) -> list[Any] | None:
    """What is in a list of tools, or in an envelope around one; None for anything else."""
    is_answer = isinstance(value, dict) and ("jsonrpc" in value or "result" in value)
    if is_answer:
        value = value.get("result")
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if isinstance(value, list):
        return value
    return [] if is_answer else None


def _definition(value: Any) -> Definition | None:
    if not isinstance(value, dict):
        return None
    is_function = value.get("type") == "function"
    if isinstance(value.get("function"), dict):
        value = value["function"]
    key = next((key for key in _SCHEMAS if isinstance(value.get(key), dict)), None)
    name = value.get("name")
    if not isinstance(name, str) or not (key or is_function):
        return None
    schema = value[key] if key else {"type": "object", "properties": {}}
    kind = schema.get("type") if key == "parameters" else None
    shouts = isinstance(kind, str) and kind.isupper()
    return Definition(name, schema, "gemini" if shouts else None)


# ---------------------------------------------------------------------------------------- messages
def _listed(found: list[Definition]) -> str:
    names = ", ".join(quoted(each.name) for each in found[:MAX_NAMES])
    return names if len(found) <= MAX_NAMES else f"{names} and {len(found) - MAX_NAMES} more"


def _closest(tool: str, found: list[Definition]) -> str:
    names = [each.name[:MAX_COMPARED] for each in found[:MAX_COMPARED] if each.name]
    close = difflib.get_close_matches(tool[:MAX_COMPARED], names)
    if close:
        return f"did you mean {' or '.join(map(quoted, close))}?"
    return f"it defines {_listed(found)}"
