"""Rules about values that a schema names itself, and that are not valid under it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schema2model.auditing.examined import Examined
from schema2model.auditing.records import Found
from schema2model.schema.nodes import Node
from schema2model.values import quoted

__all__ = ["invalid_choice", "invalid_default", "invalid_example", "null_default"]


def invalid_default(tool: Examined) -> Iterator[Found]:
    """A default that is not valid under its own schema."""
    for node, default in _given(tool, "default"):
        if default is not None and not tool.accepts(node, default):
            message = f"the default {quoted(default)} is not valid here"
            yield Found(f"{node.place.pointer}/default", message)


def null_default(tool: Examined) -> Iterator[Found]:
    """The default null where null is not valid."""
    for node, default in _given(tool, "default"):
        if default is None and not tool.accepts(node, None):
            yield Found(f"{node.place.pointer}/default", "the default is null, which is not valid")


def invalid_choice(tool: Examined) -> Iterator[Found]:
    """Choices of `enum` or `const` that the rest of their schema refuses."""
    for keyword in ("enum", "const"):
        for node, value in _given(tool, keyword):
            choices = value if keyword == "enum" else [value]
            wrong = [choice for choice in choices if not tool.accepts(node, choice)]
            if wrong and node.choices is not None:
                message = f"{quoted(wrong[0])} can never be valid here"
                more = f", nor can {len(wrong) - 1} more" if wrong[1:] else ""
                yield Found(f"{node.place.pointer}/{keyword}", message + more)


def invalid_example(tool: Examined) -> Iterator[Found]:
    """Examples that are not valid, which models copy."""
    for node, examples in _given(tool, "examples"):
        values = examples if isinstance(examples, list) else ()
        wrong = next((value for value in values if not tool.accepts(node, value)), None)
        if wrong is not None:
            message = f"the example {quoted(wrong)} is not valid here"
            yield Found(f"{node.place.pointer}/examples", message)


def _given(tool: Examined, keyword: str) -> Iterator[tuple[Node, Any]]:
    """The nodes where a keyword stands, and its value."""
    for node in tool.nodes:
        if isinstance(node.schema, dict) and keyword in node.schema:
            yield node, node.schema[keyword]
