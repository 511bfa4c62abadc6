"""The declared properties of a schema as pydantic's fields: what people and frameworks read."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal, Union

import annotated_types
from pydantic import BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.model.conversions import conversion_of, python_type
from schema2model.model.objects import Objects, default_of
from schema2model.schema.nodes import Node

__all__ = ["Fields"]

MAX_LEVELS = 8
"""Maximum levels of a type in an annotation; deeper ones are `Any`."""

_TYPES: dict[str, Any] = {
    "null": None,
    "boolean": bool,
    "integer": int,
    "number": float,
    "string": str,
}
_BOUNDS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], int]]] = {
    "ge": (annotated_types.Ge, math.ceil),
    "gt": (annotated_types.Gt, math.floor),
    "le": (annotated_types.Le, math.floor),
    "lt": (annotated_types.Lt, math.ceil),
    "multiple_of": (annotated_types.MultipleOf, int),
}
"""pydantic's bounds of numbers, and the function that rounds one to an equal integer bound."""

_LENGTHS: dict[str, Callable[[int], Any]] = {
    "min_length": annotated_types.MinLen,
    "max_length": annotated_types.MaxLen,
}


class Fields:
    """Makes the fields of models.

    Args:
        objects: what the objects of the schema look like.
        rules: the rules by which values are read.
        model_of: the model of objects with declared properties.
        converts: whether strings of some formats are Python objects.

    """

    def __init__(
        self,
        objects: Objects,
        rules: ActiveRules,
        model_of: Callable[[Node], type[Any]],
        *,
        converts: bool = False,
    ) -> None:
        self._objects = objects
        self._rules = rules
        self._model_of = model_of
        self._converts = converts

    def make_fields(self, node: Node) -> dict[str, FieldInfo]:
        """Return the field of every declared property: type, bounds, default, validators."""
        shape = self._objects.shapes[node]
        return {
            name: self._make_field(nodes, required=name in shape.required)
            for name, nodes in shape.fields.items()
        }

    def _make_field(self, nodes: Sequence[Node], *, required: bool) -> FieldInfo:
        node = nodes[0] if len(nodes) == 1 else None
        schema = node.schema if node is not None and isinstance(node.schema, dict) else {}
        default = default_of(node)[1] if node is not None else None
        description = schema.get("description")
        title = schema.get("title")
        field = FieldInfo(
            annotation=_union_annotation([self.annotation(each) for each in nodes]),
            default=PydanticUndefined if required else default,
            description=description if isinstance(description, str) else None,
            title=title if isinstance(title, str) else None,
        )
        if node is None:
            return field
        is_converted = self._converts and conversion_of([node]) is not None
        field.metadata = [] if is_converted else _native_constraints(node)
        field.metadata += [
            BeforeValidator(alternative.function)
            for alternative in self._rules.native_alternatives(node)
        ]
        return field

    def annotation(self, node: Node, levels: int = MAX_LEVELS) -> Any:
        """Return the Python type that says most about a node.

        >>> from schema2model import compile_schema
        >>> model = compile_schema({"properties": {"sort": {"enum": ["asc", "desc"]}}}).model
        >>> model.model_fields["sort"].annotation
        typing.Literal['asc', 'desc']
        """
        node = node.dereferenced()
        if levels == 0 or node.is_false:
            return Any
        if node.choices is not None:
            return _literal_annotation(node.choices)
        if node.types is not None:
            return _union_annotation(
                [self._type_annotation(node, kind, levels) for kind in node.types]
            )
        if any(part.properties for part in self._objects.shapes[node].parts):
            return self._model_of(node)
        for group in (node.any_of, node.one_of):
            if group:
                return _union_annotation([self.annotation(child, levels - 1) for child in group])
        around = node.conjuncts()
        return self.annotation(around[0], levels - 1) if len(around) == 1 else Any

    def _type_annotation(self, node: Node, kind: str, levels: int) -> Any:
        if kind == "array":
            return self._list_annotation(node, levels)
        if kind == "object":
            branches = self._objects.branches(node, "object")
            return _union_annotation(
                [self._object_annotation(branch, levels) for branch in branches]
            )
        if kind == "string" and self._converts:
            return python_type(node) or str
        return _TYPES[kind]

    def _list_annotation(self, node: Node, levels: int) -> Any:
        items = self.annotation(node.items, levels - 1) if node.items is not None else Any
        if self._converts and conversion_of([node]) is not None:
            return tuple[items, ...]  # type: ignore[valid-type]
        return list[items]  # type: ignore[valid-type]

    def _object_annotation(self, node: Node, levels: int) -> Any:
        if self._objects.fields(node):
            return self._model_of(node)
        free = node.patterns or node.additional is None
        value = Any if free else self.annotation(node.additional, levels - 1)  # type: ignore[arg-type]
        return dict[str, value]  # type: ignore[valid-type]


def _native_constraints(node: Node) -> list[Any]:
    """Return the bounds of a node of one type, as pydantic can apply them to that.

    Those of a node of several types are left to the schema: pydantic would compare all with them.
    """
    kinds = {*(node.types or ())} - {"null"}
    if len(kinds) != 1 or node.choices is not None:
        return []
    (kind,) = kinds
    if kind in {"string", "array"}:
        lengths = node.lengths if kind == "string" else node.sizes
        return [_LENGTHS[name](length) for name, length in lengths.items()]
    if kind not in {"integer", "number"}:
        return []
    made = []
    for name, bound in node.bounds.items():
        constraint, whole = _BOUNDS[name]
        # a bound beyond floats, or a fractional factor of integers, is left to the schema
        fits = abs(bound) <= sys.float_info.max if kind == "number" else name != "multiple_of"
        if fits or (kind == "integer" and whole(bound) == bound):
            made.append(constraint(whole(bound) if kind == "integer" else bound))
    return made


def _union_annotation(kinds: list[Any]) -> Any:
    return Union[tuple(kinds)] if kinds else Any  # noqa: UP007 - of as many as there are


def _literal_annotation(choices: list[Any]) -> Any:
    simple = [c for c in choices if c is None or isinstance(c, (str, int, bool))]
    if len(simple) < len(choices) or not simple:
        return Any
    return Literal[tuple(simple)]
