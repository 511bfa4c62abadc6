"""Rules about names and descriptions: what a model reads before it chooses and calls a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from schema2model.apps.audit.audited_tools import AuditedTool, fold_name
from schema2model.apps.audit.findings import Found, rule
from schema2model.json.quoting import MAX_NAMED, list_names, quoted
from schema2model.schema.nodes import Node

MAX_DESCRIPTION = 1024
"""Maximum characters of a tool's description at OpenAI."""

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
"""Control characters and those that show nothing or turn a line around; not those of emoji."""


@rule("tool-name", "error", "Use letters, digits, _ and - only, and 64 characters at most.")
def tool_name(tool: AuditedTool) -> Iterator[Found]:
    """Providers refuse the tool's name."""
    name = tool.definition.name
    if name and not _TOOL_NAME.fullmatch(name):
        yield Found("", f"the name {quoted(name)} is too long, or has other characters")


@rule("property-name", "error", "Use letters, digits, _, . and - only, and 64 characters at most.")
def property_name(tool: AuditedTool) -> Iterator[Found]:
    """Providers refuse a property's name."""
    for node in tool.nodes:
        for name, part in node.properties.items():
            if not _PROPERTY_NAME.fullmatch(name):
                yield Found(part.place.pointer, f"the property's name is {quoted(name)}")


@rule(
    "duplicate-name",
    "error",
    "Rename one; providers refuse the list, and a call cannot say which is meant.",
)
def duplicate_name(tool: AuditedTool) -> Iterator[Found]:
    """Tools have the same name."""
    name = tool.definition.name
    times = tool.namesakes[name]
    if name and times > 1:
        yield Found("", f"{times} tools have the name {quoted(name)}")


@rule(
    "similar-name",
    "warning",
    "Rename one; models mix them up, and some clients make them the same.",
)
def similar_name(tool: AuditedTool) -> Iterator[Found]:
    """Names of tools differ only by case or separators."""
    name = tool.definition.name
    others = [*islice((other for other in tool.namesakes if other != name), MAX_NAMED)]
    if others:
        yield Found("", f"the name {quoted(name)} is hardly another than {list_names(others)}")


@rule("similar-properties", "warning", "Keep one of them.")
def similar_properties(tool: AuditedTool) -> Iterator[Found]:
    """Names of properties differ only by case or separators."""
    for node in tool.nodes:
        alike: dict[str, list[str]] = {}
        for name in node.properties:
            alike.setdefault(fold_name(name), []).append(name)
        for names in alike.values():
            if len(names) > 1:
                message = f"the properties {list_names(names)} differ only in spelling"
                yield Found(node.properties[names[-1]].place.pointer, message)


@rule(
    "hidden-text",
    "warning",
    "Remove them; models read what people overlook, and it may be meant so.",
)
def hidden_text(tool: AuditedTool) -> Iterator[Found]:
    """Names or descriptions have characters that nobody sees."""
    texts = [("", "the tool's name", tool.definition.name)]
    texts.append(("", "the tool's description", tool.definition.description))
    for node in tool.nodes:
        texts += [(part.place.pointer, "the name", name) for name, part in node.properties.items()]
        if isinstance(node.schema, dict):
            texts += [
                (f"{node.place.pointer}/{keyword}", f"the {keyword}", node.schema[keyword])
                for keyword in ("title", "description")
                if isinstance(node.schema.get(keyword), str)
            ]
    for place, what, text in texts:
        found = _HIDDEN.search(text)
        if found:
            yield Found(place, f"{what} has the invisible character U+{ord(found[0]):04X}")


@rule("tool-description", "warning", "Say what it does, and when it is the one to call.")
def tool_description(tool: AuditedTool) -> Iterator[Found]:
    """The tool has no description.

    A schema without a tool needs none.
    """
    if tool.definition.name and not tool.definition.description.strip():
        yield Found("", "the tool has no description")


@rule(
    "long-description",
    "warning",
    "OpenAI takes 1,024 characters; move details to the properties that they are about.",
)
def long_description(tool: AuditedTool) -> Iterator[Found]:
    """The tool's description is too long."""
    length = len(tool.definition.description)
    if length > MAX_DESCRIPTION:
        yield Found("", f"the tool's description has {length:,} characters")


@rule("property-description", "note", "Say what each is, in which form, and give an example.")
def property_description(tool: AuditedTool) -> Iterator[Found]:
    """Properties have no description.

    Once for each object.
    """
    for node in tool.nodes:
        names = [name for name, part in node.properties.items() if not _is_described(part)]
        if names:
            count = f"{len(names)} of {len(node.properties)}"
            message = f"{count} properties have no description: {list_names(names)}"
            yield Found(f"{node.place.pointer}/properties", message)


def _is_described(node: Node) -> bool:
    """Return whether a property has a description, or choices or properties that speak for it."""
    return any(
        part.choices
        or part.properties
        or (isinstance(part.schema, dict) and "description" in part.schema)
        for part in node.all_in_place()
    )
