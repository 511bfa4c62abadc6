"""The part of a tool's schema that Python's annotations can express, as a smaller JSON Schema.

An outline accepts whatever the schema accepts, and often more. It is built anew from the compiled
schema, in whatever dialect that is, of nothing but `type`, `enum`, `anyOf`, `items`, `properties`,
`required`, `additionalProperties`, bounds, a scalar `default`, `description`, and `$ref` to a class
of the same module. No keyword of a stranger's schema gets any further than this.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schema2model.apps.codegen.identifiers import (
    CONVERTED,
    Names,
    class_name,
)
from schema2model.errors import SchemaError
from schema2model.json.values import type_of
from schema2model.limits import MAX_GENERATED_TYPES
from schema2model.model.conversions import python_type
from schema2model.schema.nodes import Node
from schema2model.schema.object_shapes import Shapes

__all__ = ["Outlines", "references"]

MAX_DEPTH = 16
"""Maximum levels of a schema with annotations of their own; deeper values are `Any`."""

MAX_ALTERNATIVES = 100
"""Maximum types of a union; a union of more is `Any`."""

_Outline = dict[str, Any]

_LITERAL = frozenset((str, int, bool, type(None)))

_SCALARS: Mapping[str, tuple[str, ...]] = {
    "null": ("null",),
    "boolean": ("boolean",),
    "string": ("string",),
    "integer": ("integer",),
    "number": ("integer", "number"),  # as a float, an integer would lose digits
}
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_LENGTHS = {"min_length": "minLength", "max_length": "maxLength"}
_SIZES = {"min_length": "minItems", "max_length": "maxItems"}


class Outlines:
    """The outlines of a module's classes.

    Args:
        converts: whether strings of some formats become Python objects.
        components: the components of a document, by name.

    """

    def __init__(
        self, *, converts: bool = False, components: Mapping[str, Node] | None = None
    ) -> None:
        self._converts = converts
        self._classes: dict[str, _Outline] = {}
        self._roots: list[str] = []
        reserved = (name for names in CONVERTED.values() for name in names)
        self._names = Names(reserved if converts else ())
        self._named: dict[Node, str] = {}
        self._of_document = components is not None
        self._shapes = Shapes()
        self._parts = 0
        for component, node in (components or {}).items():
            if node.dereferenced() is node and self._is_class(node):
                self._named[node] = self._names.reserve(class_name(component, "Model"))

    def add_component(self, node: Node) -> str | None:
        """Outline a component, and return the name of its class; None if none is made of it."""
        node = node.dereferenced()
        if node not in self._named:
            return None
        name = self._named[node]
        if name not in self._roots:
            self._roots.append(name)
            self._outline_class(node, name, 0)
        return name

    def _is_class(self, node: Node) -> bool:
        """Return whether a schema describes objects with properties, not a union or a choice."""
        parts, fields = self._shapes[node].parts, self._shapes[node].fields
        if not fields or any(part.choices is not None for part in parts):
            return False
        types = next((part.types for part in parts if part.types is not None), None)
        is_union = any(part.any_of or part.one_of for part in parts)
        return not is_union if types is None else {"object"} <= {*types} <= {"object", "null"}

    def add(self, tool: str, description: str, node: Node) -> str:
        """Outline the arguments of a tool, and return the name of their class.

        Raises:
            SchemaError: if they are not an object, or the annotations would get too long.

        """
        if not node.accepts("object"):
            message = "the arguments are not an object; a class is made for objects"
            raise SchemaError(message)
        name = self._class_of(node, class_name(tool), 0)
        self._classes[name] |= _plain_description(description)
        self._roots.append(name)
        return name

    def classes(self) -> dict[str, _Outline]:
        """Return the outlines of the classes that the tools or components need, by name.

        Each comes after those that it needs, except for circles.
        """
        made: dict[str, _Outline] = {}
        seen = set[str]()
        for root in self._roots:
            steps = [] if root in seen else [(root, references(self._classes[root]))]
            seen.add(root)
            while steps:
                name, rest = steps[-1]
                needed = next(rest, None)
                if needed is None:
                    made[name] = self._classes[name]
                    steps.pop()
                elif needed not in seen:
                    seen.add(needed)
                    steps.append((needed, references(self._classes[needed])))
        return made

    def _class_of(self, node: Node, name: str, depth: int) -> str:
        """Return the name of the class for an object, which is made if there is none yet."""
        if node not in self._named:
            self._named[node] = self._names.reserve(name)
            self._outline_class(node, self._named[node], depth)
        return self._named[node]

    def _outline_class(self, node: Node, name: str, depth: int) -> None:
        shape = self._shapes[node]
        undeclared = sorted(shape.required - shape.fields.keys())
        fields: dict[str, list[Node]] = {**shape.fields, **{field: [] for field in undeclared}}
        properties = {}
        for field, alternatives in fields.items():
            outline = self._outline_union(alternatives, name + class_name(field), depth + 1)
            if len(alternatives) == 1:
                outline |= self._sibling_keywords(alternatives[0], outline)
            properties[field] = outline
        # the bases of the classes of a document are open
        says_openness = shape.closed or not self._of_document
        self._classes[name] = {
            "type": "object",
            "properties": properties,
            "required": [field for field in fields if field in shape.required],
            **({"additionalProperties": not shape.closed} if says_openness else {}),
            **_description(node.dereferenced()),
        }

    def _sibling_keywords(self, node: Node, outline: _Outline) -> _Outline:
        """Return the keywords of a property in addition to its type."""
        made = _native_bounds(node.dereferenced(), outline)
        default = node.schema.get("default") if isinstance(node.schema, dict) else None
        if _is_of_outline(default, outline):
            made["default"] = default
        made |= _description(node)
        own_class = self._classes.get(outline.get("$ref", "").rpartition("/")[2], {})
        if own_class.get("description") == made.get("description"):
            made.pop("description", None)  # which is that of the class
        return made

    def _outline_union(self, nodes: Sequence[Node], name: str, depth: int) -> _Outline:
        self._count_types(1)
        if len(nodes) > MAX_ALTERNATIVES:
            return {}
        return _join_alternatives([self._outline_value(node, name, depth) for node in nodes])

    def _outline_value(self, node: Node, name: str, depth: int) -> _Outline:
        """Return the outline of a value; `name` is what a class for it would be called."""
        if depth > MAX_DEPTH or node.is_false:
            return {}
        node = node.dereferenced()
        name = _defined_name(node) or name
        parts = self._shapes[node].parts
        choices = next((part.choices for part in parts if part.choices is not None), None)
        if choices is not None and all(map(_is_literal, choices)):
            self._count_types(len(choices))
            return {"enum": choices}
        types = next((part.types for part in parts if part.types is not None), None)
        if types is None and self._of_document and node in self._named:
            return {"$ref": f"#/$defs/{self._named[node]}"}  # most documents mean an object
        if types is None:
            group = next((g for p in parts for g in (p.any_of, p.one_of) if g), ())
            return self._outline_union(group, name, depth + 1)
        return _join_alternatives([self._outline_type(kind, node, name, depth) for kind in types])

    def _outline_type(self, kind: str, node: Node, name: str, depth: int) -> _Outline:
        if kind == "string" and self._converts and python_type(node) is not None:
            return {"type": "string", "format": node.schema["format"]}
        if kind in _SCALARS:
            return {"type": [*_SCALARS[kind]]}
        parts = self._shapes[node].parts
        if kind == "array":
            items = [p.items for p in parts if p.items is not None and not p.prefix]
            return {
                "type": "array",
                "items": self._outline_union(items[:1], name + "Item", depth + 1),
            }
        if self._shapes[node].fields:
            return {"$ref": f"#/$defs/{self._class_of(node, name, depth)}"}
        values = [p.additional for p in parts if p.additional is not None and not p.patterns]
        inner = self._outline_union(values[:1], name + "Value", depth + 1)
        return {"type": "object", "additionalProperties": inner or True}

    def _count_types(self, parts: int) -> None:
        self._parts += parts
        if self._parts > MAX_GENERATED_TYPES:
            message = f"annotations of more than {MAX_GENERATED_TYPES} parts are not written"
            raise SchemaError(message)


# ----------------------------------------------------------------------------------------- types
def references(outline: Any) -> Iterator[str]:
    """Yield the classes that an outline refers to."""
    if isinstance(outline, dict):
        if isinstance(outline.get("$ref"), str):
            yield outline["$ref"].rpartition("/")[2]
        for inner in outline.values():
            yield from references(inner)
    elif isinstance(outline, list):
        for inner in outline:
            yield from references(inner)


def _defined_name(node: Node) -> str:
    """Return the name of a schema that its document defines for use in several places."""
    path = node.place.path
    is_defined = len(path) == 2 and path[0] in {"$defs", "definitions"}  # noqa: PLR2004
    return class_name(str(path[1])) if is_defined else ""


def _join_alternatives(outlines: list[_Outline]) -> _Outline:
    """Return a union of outlines; any value if one of them accepts that."""
    flat = [each for outline in outlines for each in outline.get("anyOf", [outline])]
    if {} in flat or not 0 < len(flat) <= MAX_ALTERNATIVES:
        return {}
    scalars = [kind for each in flat if type(each.get("type")) is list for kind in each["type"]]
    others = [each for each in flat if type(each.get("type")) is not list]
    alternatives = [each for index, each in enumerate(others) if each not in others[:index]]
    if scalars == ["null"] and not alternatives:
        return {"enum": [None]}
    if scalars:
        alternatives.append({"type": list(dict.fromkeys(scalars))})
    return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def _is_literal(value: Any) -> bool:
    """Return whether `typing.Literal` takes a value (PEP 586); mypy takes no larger integers."""
    return type(value) in _LITERAL and not (type(value) is int and abs(value) >= 2**63)


# ------------------------------------------------------------------- keywords next to the type
def _description(node: Node) -> _Outline:
    text = node.schema.get("description") if isinstance(node.schema, dict) else None
    return _plain_description(text)


def _plain_description(text: Any) -> _Outline:
    """Return a description as plain lines, without what turns text around or cannot be encoded."""
    lines = text.expandtabs().splitlines() if isinstance(text, str) else ()
    plain = ["".join(filter(str.isprintable, line)).rstrip() for line in lines]
    described = "\n".join(plain).strip()
    return {"description": described} if described else {}


def _native_bounds(node: Node, outline: _Outline) -> _Outline:
    """Return the bounds that pydantic understands as JSON Schema does."""
    kinds = None if "format" in outline else outline.get("type")
    kinds = {kinds} if isinstance(kinds, str) else {*(kinds or ())} - {"null"}
    if kinds and kinds <= {"integer", "number"}:
        return {
            _BOUNDS[name]: bound
            for name, bound in node.bounds.items()
            if name in _BOUNDS and _is_exact_number(bound, whole="number" not in kinds)
        }
    if kinds == {"string"}:
        return {_LENGTHS[name]: length for name, length in node.lengths.items()}
    if kinds == {"array"}:
        return {_SIZES[name]: size for name, size in node.sizes.items()}
    return {}


def _is_exact_number(bound: float, *, whole: bool) -> bool:
    """Return whether a number is the same when it is written as Python's `int` or `float`."""
    try:
        return math.isfinite(bound) and float(bound) == bound and (not whole or bound % 1 == 0)
    except OverflowError:
        return False


def _is_of_outline(value: Any, outline: _Outline) -> bool:
    """Return whether a value is text, a number, a boolean, or empty, and of a type."""
    if type(value) in {list, dict}:
        return not value and outline.get("type") == ("array" if type(value) is list else "object")
    if type(value) not in {str, int, float, bool} or "format" in outline:
        return False
    if "anyOf" in outline:
        return any(_is_of_outline(value, each) for each in outline["anyOf"])
    if "enum" in outline:
        return any(type(each) is type(value) and each == value for each in outline["enum"])
    return not outline or type_of(value) in outline.get("type", ())
