"""Rules about names and descriptions: what a model reads before it chooses and calls a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from schema2model.auditing.examined import Examined, folded
from schema2model.auditing.records import Found
from schema2model.schema.nodes import Node
from schema2model.values import quoted

__all__ = [
    "duplicate_name",
    "hidden_text",
    "long_description",
    "property_description",
    "property_name",
    "similar_name",
    "similar_properties",
    "tool_description",
    "tool_name",
]

MAX_DESCRIPTION = 1024
"""Characters of a tool's description that OpenAI takes."""

MAX_NAMES = 5
"""So many names are listed in a message; the rest are counted."""

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
"""Control characters and those that show nothing or turn a line around; not those of emoji."""


def tool_name(tool: Examined) -> Iterator[Found]:
    """A name that OpenAI or Anthropic refuses."""
    name = tool.definition.name
    if name and not _TOOL_NAME.fullmatch(name):
        yield Found("", f"the name {quoted(name)} is too long, or has other characters")


def duplicate_name(tool: Examined) -> Iterator[Found]:
    """A name that another tool of the list has, too."""
    name = tool.definition.name
    times = tool.namesakes[name]
    if name and times > 1:
        yield Found("", f"{times} tools have the name {quoted(name)}")


def similar_name(tool: Examined) -> Iterator[Found]:
    """A name that differs from another only by case or separators."""
    name = tool.definition.name
    others = [*islice((other for other in tool.namesakes if other != name), MAX_NAMES)]
    if others:
        yield Found("", f"the name {quoted(name)} is hardly another than {_listed(others)}")


def tool_description(tool: Examined) -> Iterator[Found]:
    """A tool without a description; a schema alone, that is no tool, needs none."""
    if tool.definition.name and not tool.definition.description.strip():
        yield Found("", "the tool has no description")


def long_description(tool: Examined) -> Iterator[Found]:
    """A tool's description that OpenAI refuses."""
    length = len(tool.definition.description)
    if length > MAX_DESCRIPTION:
        yield Found("", f"the tool's description has {length:,} characters")


def hidden_text(tool: Examined) -> Iterator[Found]:
    """Characters that people do not see and models read, in names and descriptions."""
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


def property_name(tool: Examined) -> Iterator[Found]:
    """A property's name that Anthropic refuses."""
    for node in tool.nodes:
        for name, part in node.properties.items():
            if not _PROPERTY_NAME.fullmatch(name):
                yield Found(part.place.pointer, f"the property's name is {quoted(name)}")


def similar_properties(tool: Examined) -> Iterator[Found]:
    """Properties of one object that differ only by case or separators."""
    for node in tool.nodes:
        alike: dict[str, list[str]] = {}
        for name in node.properties:
            alike.setdefault(folded(name), []).append(name)
        for names in alike.values():
            if len(names) > 1:
                message = f"the properties {_listed(names)} are hardly told apart"
                yield Found(node.properties[names[-1]].place.pointer, message)


def property_description(tool: Examined) -> Iterator[Found]:
    """Properties without a description, once for each object."""
    for node in tool.nodes:
        names = [name for name, part in node.properties.items() if not _is_described(part)]
        if names:
            count = f"{len(names)} of {len(node.properties)}"
            message = f"{count} properties have no description: {_listed(names)}"
            yield Found(f"{node.place.pointer}/properties", message)


def _is_described(node: Node) -> bool:
    """Whether a property has a description, or choices or properties that speak for it."""
    return any(
        part.choices
        or part.properties
        or (isinstance(part.schema, dict) and "description" in part.schema)
        for part in node.parts()
    )


def _listed(names: list[str]) -> str:
    listed = ", ".join(map(quoted, names[:MAX_NAMES]))
    return listed if len(names) <= MAX_NAMES else f"{listed} and {len(names) - MAX_NAMES} more"
