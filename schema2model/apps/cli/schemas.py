"""The schema that a file holds, or that of one tool among those that it defines.

A file may be a JSON Schema, the definition of a tool in any shape that `definitions` reads, a list
of such, or an envelope around a list: a provider's request, or the answer to MCP's `tools/list`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from schema2model.apps.cli.output import InputError, content_of, file_name
from schema2model.errors import SchemaError
from schema2model.faults import json_fault
from schema2model.json.names import likely
from schema2model.json.quoting import list_names, quoted
from schema2model.limits import MAX_SCHEMA_SIZE
from schema2model.schema.dialects import DIALECTS
from schema2model.schema.vocabularies.metadata import METADATA
from schema2model.tools.providers.definitions import Definition, declarations, read_definition

__all__ = [
    "definition_in",
    "definitions_in",
    "document_in",
    "items_in",
    "without_comments",
]

MAX_NAMES = 10
"""Maximum tools named in a message; the rest are counted."""

_STRING = r'("(?:\\.|[^"\\])*(?:"|\Z))'
_COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/|(/\*.*)", re.DOTALL)
"""A string, a comment, or one that never closes and stays for the error message."""

_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\r\n]")

_LISTS = ("tools", "functions")
_KEYWORDS = frozenset({name for d in DIALECTS for name in d.keywords} - set(METADATA))


def definition_in(path: Path, tool: str | None) -> Definition:
    """Return the schema in a file, or the tool of this name.

    Raises:
        InputError: if the file cannot be read, or it does not say which schema is meant.

    """
    found = definitions_in(path)
    if not found[0].key:
        if tool is not None:
            message = f"{path} is a JSON Schema and defines no tools; leave --tool out"
            raise InputError(message)
        return found[0]
    names = [each.name for each in found]
    if tool is None and len(found) > 1:
        listed = list_names(names, MAX_NAMES)
        message = f"{path} defines {len(found)} tools; choose one by --tool: {listed}"
        raise InputError(message)
    named = [each for each in found if tool in (None, each.name)]
    if not named:
        close = " or ".join(map(quoted, likely(tool or "", names)[:3]))
        advice = f"did you mean {close}?" if close else f"it defines {list_names(names, MAX_NAMES)}"
        message = f"{path} defines no tool {quoted(tool)}; {advice}"
        raise InputError(message)
    if len(named) > 1:
        message = f"{path} defines {len(named)} tools of the name {quoted(tool)}"
        raise InputError(message)
    return named[0]


def definitions_in(path: Path, document: Any = None) -> list[Definition]:
    """Return all tools in a file.

    A file that is a JSON Schema is one tool, without a `key`, of the schema's title or else the
    file's name.

    Args:
        path: the file.
        document: the document in it, if it was read before.

    Raises:
        InputError: if the file cannot be read, or it defines nothing.

    """
    document = _tools_document(path, document)
    listed = _members(document)
    items = [document] if listed is None else listed
    read = [_definition(each) for item in items for each in _declared(item)]
    found = [each for each in read if isinstance(each, Definition)]
    if not found and listed is None and _is_schema(document):
        title = document.get("title") if isinstance(document, dict) else None
        return [Definition(title if isinstance(title, str) else path.stem, "", document)]
    if not found:
        message = f"{path}: {read[0]}" if read else f"{path} defines no tools"
        raise InputError(message)
    return found


def items_in(path: Path) -> tuple[Any, list[Any]]:
    """Return the document in a file, and the parts of it that define tools, well or badly.

    A file that is a JSON Schema has one part, a `Definition` without name and key.

    Raises:
        InputError: if the file cannot be read, or its list of tools is empty.

    """
    document = _tools_document(path)
    listed = _members(document)
    given = [document] if listed is None else listed
    items = [each for item in given for each in _declared(item)]
    if listed is None and _is_schema(document) and isinstance(_definition(document), SchemaError):
        return document, [Definition("", "", document)]
    if not items:
        message = f"{path} defines no tools"
        raise InputError(message)
    return document, items


def _tools_document(path: Path, document: Any = None) -> Any:
    document = document_in(path) if document is None else document
    if isinstance(document, dict) and isinstance(document.get("mcpServers"), dict):
        message = f"{path} is a client's configuration; give it with --servers to ask its servers"
        raise InputError(message)
    if isinstance(document, dict) and "openapi" in document and "paths" in document:
        message = f"{path} is an OpenAPI document and defines no tools; `codegen` takes it"
        raise InputError(message)
    return document


def document_in(path: Path, *, comments: bool = False) -> Any:
    """Return the JSON document in a file.

    Args:
        path: the file.
        comments: accept comments and trailing commas, as editors do in configurations.

    Raises:
        InputError: if it cannot be read, is too large, or is not JSON.

    """
    content = content_of(path, MAX_SCHEMA_SIZE)
    try:
        text = without_comments(content) if comments else content
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        message = f"{file_name(path)} is nested too deeply"
    except ValueError as error:
        message = f"{file_name(path)} is not JSON: {json_fault(error)}"
    raise InputError(message) from None


def without_comments(content: bytes) -> str:
    """Replace comments and trailing commas by spaces, so that all else keeps its position.

    >>> without_comments(b'{"a": "//b", // c')
    '{"a": "//b",     '
    """
    text = content.decode(json.detect_encoding(content))
    text = _COMMENT.sub(
        lambda found: found[1] or found[2] or _NOT_LINE_END.sub(" ", found[0]), text
    )
    return _TRAILING_COMMA.sub(lambda found: found[1] or " ", text)


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


# --------------------------------------------------------------------------------- what it holds
def _members(document: Any) -> list[Any] | None:
    """Return the tools in a list of tools, or in an envelope around one; None for anything else."""
    is_answer = isinstance(document, dict) and ("jsonrpc" in document or "result" in document)
    if is_answer:
        document = document.get("result")
    if isinstance(document, dict):
        lists = (document.get(key) for key in _LISTS)
        document = next((each for each in lists if isinstance(each, list)), None)
    if isinstance(document, list):
        return document
    return [] if is_answer else None


def _declared(item: Any) -> list[Any]:
    try:
        return list(declarations(item))
    except TypeError:  # what should be a list of declarations is none
        return [None]


def _definition(item: Any) -> Definition | SchemaError:
    try:
        return read_definition(item)
    except SchemaError as error:
        return error


def _is_schema(document: Any) -> bool:
    """Return whether a value without a tool is meant as a schema: it has a keyword, or is empty."""
    if not isinstance(document, dict):
        return True  # true or false; the compiler refuses the rest
    says = document.keys() - set(METADATA)
    return document.get("type") != "function" and (not says or not says.isdisjoint(_KEYWORDS))
