"""A projection as Gemini's `Schema`: types in capitals, null as `nullable`, nothing closed."""

from __future__ import annotations

from typing import Any

__all__ = ["openapi_schema"]


def openapi_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without references as Gemini's `parameters` take it.

    >>> openapi_schema({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "A name"})
    {'type': 'STRING', 'nullable': True, 'description': 'A name'}
    """
    branches = schema.get("anyOf")
    if branches is not None:
        kept = [openapi_schema(each) for each in branches if each.get("type") != "null"]
        rest = {name: value for name, value in schema.items() if name != "anyOf"}
        nullable = {"nullable": True} if len(kept) < len(branches) else {}
        if len(kept) == 1:
            return {**kept[0], **nullable, **rest}
        return {"anyOf": kept, **nullable, **rest}
    if schema.get("type") == "null":
        return {**schema, "type": "STRING", "nullable": True, "description": "Only null."}
    written = {key: each for key, each in schema.items() if key != "additionalProperties"}
    written["type"] = schema["type"].upper()
    if "enum" in schema:
        written["format"] = "enum"
    if "items" in schema:
        written["items"] = openapi_schema(schema["items"])
    if "properties" in schema:
        properties = schema["properties"]
        written["properties"] = {name: openapi_schema(each) for name, each in properties.items()}
        written["propertyOrdering"] = [*properties]
    return written
