"""Rules about values that can be read in two ways, or that are not described at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from schema2model.apps.audit.audited_tools import AuditedTool
from schema2model.apps.audit.findings import Found, rule
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_COMPARED_BRANCHES
from schema2model.schema.discriminators import branches_by_text
from schema2model.schema.nodes import Node

_CONTAINERS = {"array": ('["a"]', "[]"), "object": ('{"a": "b"}', "{}")}
_SCALARS = {"number": ("10",), "integer": ("10",), "boolean": ("true",)}
_NULL = {"null": ("null",)}
"""Texts that models send for a type."""


@rule("string-or-container", "warning", "Take the container alone; one string is an array of one.")
def string_or_container(tool: AuditedTool) -> Iterator[Found]:
    """A string or a container: text that is JSON can be meant as either."""
    return _ambiguous_unions(tool, _CONTAINERS)


@rule("string-or-scalar", "warning", "Take one of them alone, and convert in the tool.")
def string_or_scalar(tool: AuditedTool) -> Iterator[Found]:
    """A string or a number or boolean: text like "10" can be meant as either."""
    return _ambiguous_unions(tool, _SCALARS)


@rule("nullable-string", "note", "Leave the property out of required, and null out of its type.")
def nullable_string(tool: AuditedTool) -> Iterator[Found]:
    """A string or null: the text "null" can be meant as either."""
    return _ambiguous_unions(tool, _NULL)


def _ambiguous_unions(tool: AuditedTool, texts: Mapping[str, tuple[str, ...]]) -> Iterator[Found]:
    """Yield unions of a string and other types, whose texts are valid strings, too."""
    for node in tool.nodes:
        kinds = tool.allowed_types(node)
        is_union = len(node.types or ()) > 1 or node.any_of or node.one_of
        # the types of parts that apply in place are joined there, and found there
        if kinds is None or "string" not in kinds or not is_union:
            continue
        for kind, spellings in texts.items():
            text = next((text for text in spellings if tool.accepts(node, text)), None)
            if kind in kinds and text is not None:
                article = "" if kind == "null" else "an " if kind[0] in "aio" else "a "
                expected = f"a string or {article}{kind}"
                message = f"it may be {expected}: the text {quoted(text)} is both"
                yield Found(node.place.pointer, message)
                break


@rule(
    "free-form-object",
    "warning",
    "Declare properties, or the values' schema under additionalProperties.",
)
def free_form_object(tool: AuditedTool) -> Iterator[Found]:
    """An object declares no properties.

    The root is one for a tool without parameters.
    """
    for node in tool.nodes[1:]:
        if "object" in (node.types or ()) and not _is_described_by(tool, node, _describes_members):
            yield Found(node.place.pointer, "the object's properties are not declared")


@rule("untyped-items", "warning", "Declare items; OpenAI and Gemini refuse an array without.")
def untyped_items(tool: AuditedTool) -> Iterator[Found]:
    """An array does not declare its items."""
    for node in tool.nodes:
        if "array" in (node.types or ()) and not _is_described_by(tool, node, _describes_items):
            yield Found(node.place.pointer, "the array's items are not declared")


def _is_described_by(tool: AuditedTool, node: Node, describes: Callable[[Node], bool]) -> bool:
    """Return whether anything that applies to the same value describes what is in it."""
    return any(map(describes, (*node.all_in_place(), *tool.host_nodes(node))))


def _describes_members(node: Node) -> bool:
    schema, additional = node.schema, node.additional
    return bool(
        (isinstance(schema, dict) and "properties" in schema)  # be it that there are none
        or node.patterns
        or node.choices
        or (additional and not _accepts_anything(additional))
    )


def _describes_items(node: Node) -> bool:
    return bool(node.items or node.prefix or node.choices)


@rule(
    "untyped-value",
    "warning",
    "Give it a type: without one, nothing can be checked or corrected.",
)
def untyped_value(tool: AuditedTool) -> Iterator[Found]:
    """A value may be anything."""
    for node in tool.nodes:
        items = (node.items,) if node.items is not None and not node.prefix else ()
        for part in (*node.properties.values(), *node.prefix, *items):
            if _accepts_anything(part):
                yield Found(part.place.pointer, "it has no type, and may be anything")


def _accepts_anything(node: Node) -> bool:
    """Return whether a node, and all that applies in place of it, leaves a value free."""
    return not any(
        part.is_false or part.has_assertions() or part.negated for part in node.all_in_place()
    )


@rule(
    "overlapping-one-of",
    "warning",
    "Use anyOf, or require a property in each branch that is a const of its own.",
)
def overlapping_one_of(tool: AuditedTool) -> Iterator[Found]:
    """Branches of oneOf overlap.

    A value that is valid under both is not valid.
    """
    for node in tool.nodes:
        if branches_by_text(node.one_of) is not None:
            continue
        branches = enumerate(node.one_of[:MAX_COMPARED_BRANCHES])
        for (n, one), (m, other) in combinations(branches, 2):
            both = (tool.allowed_types(one) or frozenset()) & (
                tool.allowed_types(other) or frozenset()
            )
            if both and not _are_apart(tool, one, other):
                kinds = " or ".join(sorted(both - {"integer"} or both))
                message = f"branches {n} and {m} of oneOf may both accept the same {kinds}"
                yield Found(f"{node.place.pointer}/oneOf", message)
                break


def _are_apart(tool: AuditedTool, one: Node, other: Node) -> bool:
    """Return whether two branches differ in their choices, or by what an object must have."""
    for node, against in ((one, other), (other, one)):
        if node.choices is not None:
            return not any(tool.accepts(against, choice) for choice in node.choices)
        if node.required and against.forbids_additional:
            return not all(map(against.declares, node.required))
    return False
