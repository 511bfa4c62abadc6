"""Rules about whether a definition is usable at all, and about the root of its schema."""

from __future__ import annotations

from collections.abc import Iterator

from schema2model.apps.audit.audited_tools import AuditedTool
from schema2model.apps.audit.findings import Found, rule

_UNIONS = ("oneOf", "anyOf", "allOf", "enum", "not")


@rule(
    "unusable",
    "error",
    "Mend what the message names; clients may leave the tool out or refuse the whole list.",
)
def unusable(tool: AuditedTool) -> Iterator[Found]:
    """The definition cannot be read, or its schema cannot be compiled."""
    if tool.error is not None:
        place = tool.error.pointer
        yield Found(place, str(tool.error).removeprefix(place).lstrip(": "))


@rule(
    "root-not-object",
    "error",
    'Put "type": "object" at the top: MCP and all providers ask for it.',
)
def root_not_object(tool: AuditedTool) -> Iterator[Found]:
    """The schema is not one of objects."""
    if tool.root is not None and tool.root.types != ("object",):
        yield Found("", 'the schema has no "type": "object" at its top')


@rule(
    "root-union",
    "error",
    "OpenAI and Anthropic refuse them there: make one object of the properties of all, or several "
    "tools.",
)
def root_union(tool: AuditedTool) -> Iterator[Found]:
    """The root of the schema is a union."""
    schema = tool.root.schema if tool.root else None
    if isinstance(schema, dict):
        for keyword in _UNIONS:
            if keyword in schema:
                yield Found(f"/{keyword}", f"{keyword} is at the top of the schema")
