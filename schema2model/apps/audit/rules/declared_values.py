"""Rules about values that a schema names itself, and that are not valid under it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schema2model.apps.audit.audited_tools import AuditedTool
from schema2model.apps.audit.findings import Found, rule
from schema2model.json.quoting import quoted
from schema2model.json.values import type_of
from schema2model.schema.nodes import Node, reachable

_ARRAYS = frozenset(("array", "null"))


@rule(
    "misplaced-enum",
    "error",
    "Move it into items, where it says what each item may be; no array is valid now.",
)
def misplaced_enum(tool: AuditedTool) -> Iterator[Found]:
    """An enum next to the type array, which no array can satisfy.

    The choices are not arrays, but usually items.
    """
    for node in tool.nodes:
        chosen = _misplaced_choices(tool, node)
        parts = reachable([node], Node.conjuncts)[1:]
        if chosen is None or any(_misplaced_choices(tool, part) is not None for part in parts):
            continue  # the part itself is the place
        keyword = "enum" if "enum" in chosen.schema else "const"
        place = f"{node.place.pointer}/{keyword}" if chosen is node else node.place.pointer
        if any(type_of(choice) == "array" for choice in chosen.choices or ()):
            message = f'no array among the values of "{keyword}" is valid here'
        else:
            one = "one of " if keyword == "enum" else ""
            values = quoted(chosen.schema[keyword])
            message = f'no array is {one}{values}; "{keyword}" belongs in "items"'
        yield Found(place, message)


def _misplaced_choices(tool: AuditedTool, node: Node) -> Node | None:
    """Return the node with choices, if it expects arrays and no choice is a valid one."""
    parts = reachable([node], Node.conjuncts)
    chosen = next((part for part in parts if part.choices is not None), None)
    if chosen is None:
        return None
    allowed = [frozenset(part.types) for part in parts if part.types is not None]
    for branches in (group for part in parts for group in (part.any_of, part.one_of)):
        kinds = [tool.allowed_types(branch) for branch in branches]
        if kinds and None not in kinds:
            allowed.append(frozenset().union(*filter(None, kinds)))
    types = frozenset.intersection(*allowed) if allowed else frozenset()
    if "array" not in types or not types <= _ARRAYS:
        return None
    arrays = [choice for choice in chosen.choices or () if type_of(choice) == "array"]
    return chosen if len(tool.invalid_choices(node, arrays)) == len(arrays) else None


@rule(
    "invalid-default",
    "warning",
    "Correct the default or the schema; models send what they see there.",
)
def invalid_default(tool: AuditedTool) -> Iterator[Found]:
    """A default is not valid under its own schema."""
    for node, default in _keyword_values(tool, "default"):
        if default is not None and not tool.accepts(node, default):
            message = f"the default {quoted(default)} is not valid here"
            yield Found(f"{node.place.pointer}/default", message)


@rule(
    "invalid-choice",
    "warning",
    "Correct the value or the type; a model that chooses it is refused.",
)
def invalid_choice(tool: AuditedTool) -> Iterator[Found]:
    """A value of enum or const is not valid under the rest of its schema."""
    for keyword in ("enum", "const"):
        for node, value in _keyword_values(tool, keyword):
            choices = value if keyword == "enum" else [value]
            wrong = tool.invalid_choices(node, choices)
            if wrong and node.choices is not None and _misplaced_choices(tool, node) is None:
                message = f"{quoted(wrong[0])} can never be valid here"
                more = f", nor can {len(wrong) - 1} more" if wrong[1:] else ""
                yield Found(f"{node.place.pointer}/{keyword}", message + more)


@rule("invalid-example", "warning", "Correct the example; models copy it.")
def invalid_example(tool: AuditedTool) -> Iterator[Found]:
    """An example is not valid under its own schema."""
    for node, examples in _keyword_values(tool, "examples"):
        values = examples if isinstance(examples, list) else ()
        wrong = next((value for value in values if not tool.accepts(node, value)), None)
        if wrong is not None:
            message = f"the example {quoted(wrong)} is not valid here"
            yield Found(f"{node.place.pointer}/examples", message)


@rule("null-default", "note", "Leave the default out: a property that is not required needs none.")
def null_default(tool: AuditedTool) -> Iterator[Found]:
    """The default is null where null is not valid."""
    for node, default in _keyword_values(tool, "default"):
        if default is None and not tool.accepts(node, None):
            yield Found(f"{node.place.pointer}/default", "the default is null, which is not valid")


def _keyword_values(tool: AuditedTool, keyword: str) -> Iterator[tuple[Node, Any]]:
    """Yield the nodes that have a keyword, and its value."""
    for node in tool.nodes:
        if isinstance(node.schema, dict) and keyword in node.schema:
            yield node, node.schema[keyword]
