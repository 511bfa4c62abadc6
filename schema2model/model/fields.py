"""The declared properties of a schema as pydantic's fields: what people and frameworks read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Union

import annotated_types
from pydantic import BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from schema2model.engine.lowering import native_alternatives
from schema2model.engine.plan import Plan
from schema2model.schema.nodes import Node

__all__ = ["annotation", "fields_for"]

_MAX_ANNOTATION = 8
"""Levels of a type that an annotation spells out."""

_TYPES: dict[str, Any] = {
    "null": None,
    "boolean": bool,
    "integer": int,
    "number": float,
    "string": str,
}
_CONSTRAINTS: dict[str, Callable[[Any], Any]] = {
    "ge": annotated_types.Ge,
    "gt": annotated_types.Gt,
    "le": annotated_types.Le,
    "lt": annotated_types.Lt,
    "multiple_of": annotated_types.MultipleOf,
    "min_length": annotated_types.MinLen,
    "max_length": annotated_types.MaxLen,
}


def fields_for(root: Node, plan: Plan) -> dict[str, FieldInfo]:
    """A description of every declared property: type, bounds, default, what runs before."""
    return {
        name: _field(child, plan, required=name in root.required)
        for name, child in root.properties.items()
    }


def _field(node: Node, plan: Plan, *, required: bool) -> FieldInfo:
    schema = node.schema if isinstance(node.schema, dict) else {}
    default = PydanticUndefined if required else schema.get("default")
    description = schema.get("description")
    title = schema.get("title")
    field = FieldInfo(
        annotation=annotation(node),
        default=default,
        description=description if isinstance(description, str) else None,
        title=title if isinstance(title, str) else None,
    )
    field.metadata = [
        _CONSTRAINTS[name](bound)
        for bounds in (node.bounds, node.lengths, node.sizes)
        for name, bound in bounds.items()
    ]
    field.metadata += [
        BeforeValidator(alternative.function) for alternative in native_alternatives(node, plan)
    ]
    return field


def annotation(node: Node, depth: int = _MAX_ANNOTATION) -> Any:
    """The Python type that says most about a node.

    >>> from schema2model import compile_schema
    >>> model = compile_schema({"properties": {"sort": {"enum": ["asc", "desc"]}}}).model
    >>> model.model_fields["sort"].annotation
    typing.Literal['asc', 'desc']
    """
    if depth == 0 or node.never:
        return Any
    if node.choices is not None:
        return _literal(node.choices)
    if node.types is not None:
        return _union([_single(node, kind, depth) for kind in node.types])
    for group in (node.any_of, node.one_of):
        if group:
            return _union([annotation(child, depth - 1) for child in group])
    if len(node.reference + node.all_of) == 1:
        return annotation((node.reference + node.all_of)[0], depth - 1)
    if node.properties:
        return _single(node, "object", depth)
    return Any


def _single(node: Node, kind: str, depth: int) -> Any:
    if kind == "array":
        return list[annotation(node.items, depth - 1)] if node.items is not None else list[Any]  # type: ignore[misc]
    if kind == "object":
        free = node.properties or node.patterns or node.additional is None
        value = Any if free else annotation(node.additional, depth - 1)  # type: ignore[arg-type]
        return dict[str, value]  # type: ignore[valid-type]
    return _TYPES[kind]


def _union(kinds: list[Any]) -> Any:
    return Union[tuple(kinds)] if kinds else Any  # noqa: UP007 - of as many as there are


def _literal(choices: list[Any]) -> Any:
    simple = [c for c in choices if c is None or isinstance(c, (str, int, bool))]
    if len(simple) < len(choices) or not simple:
        return Any
    return Literal[tuple(simple)]
