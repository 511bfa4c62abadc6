"""Schemas with less in them, for providers that take only part of JSON Schema."""

from __future__ import annotations

from typing import Any

from schema2model.errors import SchemaError
from schema2model.json.quoting import printable
from schema2model.limits import MAX_INLINED_REFERENCES, MAX_REFERENCE_CHAIN
from schema2model.schema.references import Documents
from schema2model.schema.subschemas import DEFINITIONS, map_subschemas, rewrite_document

__all__ = ["follow_reference", "inline_refs", "merge_alternatives", "object_schema", "with_items"]

_ALTERNATIVES = ("anyOf", "oneOf")
_COMBINING = ("anyOf", "oneOf", "allOf", "$ref", "if", "then", "else")
_REFUSED_AT_TOP = (*_COMBINING, "enum", "const", "not")


def object_schema(schema: Any, name: str) -> dict[str, Any]:
    """Return a schema whose top declares an object and its properties.

    A schema that does so already is returned unchanged.

    Raises:
        ValueError: where it takes no objects.

    >>> object_schema({"anyOf": [{"required": ["a"], "properties": {"a": {}}}]}, "f")
    {'type': 'object', 'properties': {'a': {}}, 'required': ['a']}

    """
    if schema is True:
        schema = {}
    if not isinstance(schema, dict):
        message = (
            f"the schema of `{printable(name)}` allows nothing, so that no provider can take it"
        )
        raise ValueError(message)  # noqa: TRY004 - a value of the right type, and no use
    simple = "properties" in schema and not any(keyword in schema for keyword in _REFUSED_AT_TOP)
    if schema.get("type") == "object" and simple:
        return schema
    flat = merge_alternatives(schema, Documents.alone(schema))
    kinds = flat.get("type", "object")
    if kinds != "object" and "object" not in kinds:
        message = f"the schema of `{printable(name)}` is of {kinds!r}; providers take only objects"
        raise ValueError(message)
    placed = {"type", "properties", *_REFUSED_AT_TOP}
    rest = {key: value for key, value in flat.items() if key not in placed}
    return {"type": "object", "properties": flat.get("properties", {}), **rest}


def with_items(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema in which every array declares its items: OpenAI refuses one without.

    >>> with_items({"properties": {"a": {"type": "array"}}})
    {'properties': {'a': {'type': 'array', 'items': {}}}}
    """

    def change(part: dict[str, Any]) -> None:
        if "items" not in part and "array" in (part.get("type"), *_list(part.get("type"))):
            part["items"] = {}

    made: dict[str, Any] = rewrite_document(schema, change)
    return made


def merge_alternatives(schema: Any, documents: Documents, *, depth: int = 8) -> dict[str, Any]:
    """Merge the top-level references and alternatives of a schema into one schema.

    >>> parts = [{"required": ["a"]}, {"type": "object"}]
    >>> merge_alternatives({"allOf": parts}, Documents.alone({}))
    {'type': 'object', 'required': ['a']}
    """
    schema = follow_reference(schema, documents)
    if not isinstance(schema, dict):
        return {}
    made = {key: value for key, value in schema.items() if key not in _COMBINING}
    if depth == 0:
        return made

    def merged(keyword: str) -> list[dict[str, Any]]:
        inner = _list(schema.get(keyword))
        return [merge_alternatives(part, documents, depth=depth - 1) for part in inner]

    parts = [*merged("allOf"), *map(_united, filter(None, map(merged, _ALTERNATIVES)))]
    required = [name for part in (made, *parts) for name in _list(part.get("required"))]
    properties: dict[str, Any] = {}
    for part in (made, *parts):
        inner = part.get("properties")
        for key, value in inner.items() if isinstance(inner, dict) else ():
            properties.setdefault(key, value)
    # A part that forbids other properties would forbid those of the other parts.
    closing = {"additionalProperties", "unevaluatedProperties"} if parts else set()
    whole: dict[str, Any] = {}
    for part in (*parts, made):
        whole.update((key, value) for key, value in part.items() if key not in closing)
    if properties:
        whole["properties"] = properties
    whole.pop("required", None)
    if required:
        whole["required"] = list(dict.fromkeys(required))
    return whole


def _united(alternatives: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the properties of all alternatives that are objects, and what else all of them say."""
    typed = [part.get("type", "object") for part in alternatives]
    objects = [
        part
        for part, kinds in zip(alternatives, typed, strict=True)
        if kinds == "object" or "object" in _list(kinds)
    ]
    first, *others = objects or alternatives
    whole = {
        key: value
        for key, value in first.items()
        if all(key in part and part[key] == value for part in others)
    }
    whole["required"] = [
        name
        for name in _list(first.get("required"))
        if all(name in _list(part.get("required")) for part in others)
    ]
    properties: dict[str, list[Any]] = {}
    for part in (first, *others):
        inner = part.get("properties")
        for key, value in inner.items() if isinstance(inner, dict) else ():
            known = properties.setdefault(key, [])
            known += [value] if value not in known else []
    whole["properties"] = {
        key: known[0] if len(known) == 1 else {"anyOf": known} for key, known in properties.items()
    }
    return whole


def follow_reference(schema: Any, documents: Documents) -> Any:
    """Replace a `$ref` in a document by its target; drop one that leads nowhere.

    >>> documents = Documents.alone({"$defs": {"a": {"type": "null"}}})
    >>> follow_reference({"$ref": "#/$defs/a", "title": "A"}, documents)
    {'type': 'null', 'title': 'A'}
    """
    for _ in range(MAX_REFERENCE_CHAIN):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        target, _place = documents.resolve(schema["$ref"], documents.root()) or (None, None)
        schema = {**target, **beside} if isinstance(target, dict) else beside
    return {}


def inline_refs(schema: Any, root: Any) -> Any:
    """Inline the references in a schema, and leave out what they refer to.

    Where a definition refers to itself, and after `MAX_INLINED_REFERENCES`, anything is allowed.

    Raises:
        SchemaError: if it is nested too deeply.

    >>> inline_refs({"items": {"$ref": "#/$defs/a"}}, {"$defs": {"a": {"type": "integer"}}})
    {'items': {'type': 'integer'}}
    >>> root = {"$defs": {"a": {"$anchor": "b"}}}
    >>> inline_refs({"not": {"$ref": "#b"}, "const": {"$ref": "#b"}}, root)
    {'not': {'$anchor': 'b'}, 'const': {'$ref': '#b'}}

    """
    left = iter(range(MAX_INLINED_REFERENCES))
    documents = Documents.alone(root)

    def read(part: Any, inside: tuple[str, ...]) -> Any:
        if not isinstance(part, dict):
            return part
        reference = part.get("$ref")
        if isinstance(reference, str):
            if reference not in inside and next(left, None) is not None:
                return read(follow_reference(part, documents), (*inside, reference))
            part = {**part}
            del part["$ref"]
        kept = {key: value for key, value in part.items() if key not in DEFINITIONS}
        return map_subschemas(kept, lambda below, _: read(below, inside))

    try:
        return read(schema, ())
    except RecursionError:
        message = "the schema is nested too deeply, with its references inlined"
        raise SchemaError(message) from None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
