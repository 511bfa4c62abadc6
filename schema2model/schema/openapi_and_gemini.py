"""Schemas of OpenAPI 3.0 and of Gemini, rewritten place for place as JSON Schema 2020-12.

OpenAPI 3.0.3, "Schema Object"; Gemini API, `Schema`. Neither is a JSON Schema dialect: `nullable`
replaces a type, exclusive bounds are booleans, Gemini's types are in capitals and its counts
may be strings, as Protocol Buffers write 64-bit integers.
"""

from __future__ import annotations

from typing import Any

from schema2model.schema.subschemas import rewrite_document

__all__ = ["from_gemini", "from_openapi", "make_bounds_numbers", "with_nullable_types"]

_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")


def from_openapi(document: Any) -> Any:
    """Rewrite an OpenAPI 3.0 Schema Object, and those under `components/schemas`.

    >>> from_openapi({"type": "integer", "minimum": 0, "exclusiveMinimum": True, "nullable": True})
    {'type': ['integer', 'null'], 'exclusiveMinimum': 0}
    """
    return rewrite_document(document, _openapi_as_json_schema)


def _openapi_as_json_schema(schema: dict[str, Any]) -> None:
    if "$ref" in schema:
        # a Reference Object: nothing next to `$ref` counts, but definitions may be there
        for name in schema.keys() - {"$ref", "$defs", "definitions", "components"}:
            del schema[name]
    make_bounds_numbers(schema)
    _add_null(schema)
    schema.pop("nullable", None)
    components = schema.get("components")
    if isinstance(components, dict) and isinstance(components.get("schemas"), dict):
        named = components["schemas"].items()
        schemas = {name: from_openapi(value) for name, value in named}
        schema["components"] = {**components, "schemas": schemas}


def _add_null(schema: dict[str, Any]) -> None:
    """Add null to the types of a schema that is nullable."""
    types = schema.get("type")
    if schema.get("nullable") is True and isinstance(types, (str, list)):
        listed = [types] if isinstance(types, str) else types
        schema["type"] = listed if "null" in listed else [*listed, "null"]


def with_nullable_types(document: Any) -> Any:
    """Return a document of JSON Schema whose `nullable` means what it does in OpenAPI 3.0.

    No dialect of JSON Schema has the keyword, but servers that are made from OpenAPI publish it.

    >>> with_nullable_types({"type": "integer", "nullable": True, "minimum": 0})
    {'type': ['integer', 'null'], 'nullable': True, 'minimum': 0}
    """
    return rewrite_document(document, _add_null)


def from_gemini(document: Any) -> Any:
    """Rewrite a Gemini Schema.

    >>> from_gemini({"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1"})
    {'type': 'array', 'items': {'type': 'string'}, 'minItems': 1}
    """
    return rewrite_document(document, _gemini_as_json_schema)


def _gemini_as_json_schema(schema: dict[str, Any]) -> None:
    kind = schema.get("type")
    if kind == "TYPE_UNSPECIFIED":
        del schema["type"]
    elif isinstance(kind, str):
        schema["type"] = kind.lower()
    for count in _COUNTS:
        if isinstance(schema.get(count), str) and schema[count].isdecimal():
            schema[count] = int(schema[count])
    _add_null(schema)
    if schema.pop("nullable", False) is True:  # null is one of all choices and alternatives, too
        if isinstance(schema.get("enum"), list):
            schema["enum"] = [*schema["enum"], None]
        if isinstance(schema.get("anyOf"), list):
            schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]


def make_bounds_numbers(schema: dict[str, Any]) -> None:
    """Replace exclusive bounds that are booleans, as in draft 4, by numbers.

    >>> schema = {"minimum": 0, "exclusiveMinimum": True, "exclusiveMaximum": False}
    >>> make_bounds_numbers(schema)
    >>> schema
    {'exclusiveMinimum': 0}
    """
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
            schema[exclusive] = schema.pop(bound)
