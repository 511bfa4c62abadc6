"""Rules about `x-mcp-header`: parameters that MCP's HTTP transport repeats in a header.

A client leaves out a tool with a wrong annotation, and servers refuse to list it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from schema2model.apps.audit.audited_tools import AuditedTool
from schema2model.apps.audit.findings import Found, rule
from schema2model.json.pointers import JSONPath, pointer
from schema2model.json.quoting import quoted
from schema2model.schema.subschemas import all_subschemas

KEYWORD = "x-mcp-header"

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
"""The name of an HTTP field, by RFC 9110."""

_PRIMITIVES = frozenset({"string", "integer", "boolean"})
"""Types whose text is the same everywhere; that of a float is not."""


@rule(
    "header-name",
    "error",
    "Name the header with letters, digits and hyphens, and differently for each parameter.",
)
def header_name(tool: AuditedTool) -> Iterator[Found]:
    """A parameter's x-mcp-header is not the name of a header, or is taken."""
    taken: dict[str, str] = {}
    for tokens, schema in _annotated(tool):
        name, place = schema[KEYWORD], pointer(tokens)
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            yield Found(f"{place}/{KEYWORD}", f"{quoted(name)} cannot be the name of a header")
        elif name.lower() in taken:
            message = f"{taken[name.lower()]} has the header {quoted(name)}, too"
            yield Found(f"{place}/{KEYWORD}", message)
        else:
            taken[name.lower()] = place


@rule("header-type", "error", "Annotate strings, integers and booleans only.")
def header_type(tool: AuditedTool) -> Iterator[Found]:
    """A parameter with x-mcp-header is not a string, an integer or a boolean."""
    for tokens, schema in _annotated(tool):
        kind = schema.get("type")
        if not isinstance(kind, str) or kind not in _PRIMITIVES:
            declared = "no type" if kind is None else f"the type {quoted(kind)}"
            yield Found(pointer((*tokens, KEYWORD)), f"the parameter has {declared}")


@rule(
    "unreachable-header",
    "error",
    "Declare the parameter below properties alone: not in items, $defs, anyOf and the like.",
)
def unreachable_header(tool: AuditedTool) -> Iterator[Found]:
    """A parameter with x-mcp-header is not reached by properties alone."""
    for tokens, _ in _annotated(tool):
        if not tokens or {*tokens[::2]} != {"properties"}:
            message = "clients cannot find the value without evaluating the schema"
            yield Found(pointer((*tokens, KEYWORD)), message)


def _annotated(tool: AuditedTool) -> Iterator[tuple[JSONPath, dict[str, Any]]]:
    """Yield each subschema with the annotation, and the tokens that lead to it."""
    if tool.nodes:  # the schema compiles, and is not too large
        for tokens, schema in all_subschemas(tool.definition.schema):
            if KEYWORD in schema:
                yield tokens, schema
