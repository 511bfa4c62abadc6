"""Errors for developers who pass something else instead of a schema, or of a type in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from schema2model.json.quoting import quoted
from schema2model.json.values import TYPES
from schema2model.schema.keywords import KEYWORDS

__all__ = ["DECLARATIONS", "SCHEMA_KEYS", "instead_of_schema", "unknown_type"]

SCHEMA_KEYS = {
    "inputSchema": "mcp",
    "input_schema": "anthropic",
    "parametersJsonSchema": "gemini",
    "parameters_json_schema": "gemini",
    "parameters": "openai-responses",
}
"""The members with a tool definition's schema, by provider."""
DECLARATIONS = ("functionDeclarations", "function_declarations")
"""The members with several definitions."""
_KEYWORDS = frozenset(name for name, keyword in KEYWORDS if keyword.function or keyword.defines)
"""Keywords that a schema may have and a tool definition does not."""

_MEANT: Mapping[str, str] = {
    **dict.fromkeys(("int", "long", "int32", "int64", "whole"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "num"), "number"),
    **dict.fromkeys(("str", "text", "char", "varchar", "date", "datetime", "uuid"), "string"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("list", "tuple", "set", "sequence"), "array"),
    **dict.fromkeys(("dict", "map", "struct", "record", "json", "mapping"), "object"),
    **dict.fromkeys(("none", "nil", "nonetype", "undefined"), "null"),
}
"""JSON types by their names in programming languages."""


def instead_of_schema(given: Any) -> str | None:
    """Return why something is not a schema, and which call is right; None if it may be one.

    >>> instead_of_schema('{"type": "object"}')
    'got a string; pass `json.loads(text)`'
    >>> instead_of_schema({"name": "now", "input_schema": {"type": "object"}})
    'got a tool definition; call `Tool.from_definition(definition)`'
    """
    if type(given) is dict and type(given.get("properties")) is dict:
        return None  # as most are
    if isinstance(given, (str, bytes, bytearray)):
        return f"got {'a string' if isinstance(given, str) else 'bytes'}; pass `json.loads(text)`"
    if isinstance(given, type):
        name = given.__name__
        is_model = hasattr(given, "model_json_schema") or is_dataclass(given)
        advice = f"call `coercing({name})`" if is_model else "pass a JSON Schema, a dict"
        return f"got the class {name}; {advice}"
    if callable(given):
        return "got a function; call `Tool(function)`"
    if _holds_definitions(given):
        return "got a list of tools; call `Toolset(tools)`"
    if _is_definition(given):
        return "got a tool definition; call `Tool.from_definition(definition)`"
    if given is None or isinstance(given, (list, tuple, int, float)):
        return f"a schema is an object or a boolean, not {quoted(given)}"
    return None


def _holds_definitions(given: Any) -> bool:
    """Return whether it is a list of tools, or contains one as Gemini's format does."""
    if isinstance(given, Mapping):
        return any(key in given for key in DECLARATIONS) and _KEYWORDS.isdisjoint(given)
    return isinstance(given, (list, tuple)) and any(_is_definition(each) for each in given)


def _is_definition(given: Any) -> bool:
    """Return whether it has a name and a schema, and no keyword of a schema itself."""
    if not isinstance(given, Mapping):
        return hasattr(given, "name") and any(hasattr(given, key) for key in SCHEMA_KEYS)
    if given.get("type") == "function" and not isinstance(given.get("properties"), Mapping):
        return True
    named = isinstance(given.get("name"), str) and _KEYWORDS.isdisjoint(given)
    return named and any(isinstance(given.get(key), Mapping) for key in SCHEMA_KEYS)


def unknown_type(given: Any) -> str:
    """Return what is wrong with the value of a `type`, and the likely intention.

    >>> unknown_type("int")
    'unknown type "int"; did you mean "integer"?'
    >>> unknown_type(["STRING", "NULL"])
    'unknown type "STRING"; did you mean "string"? For a schema with all types in capitals, pass
     dialect="gemini"'
    """
    names = given if isinstance(given, list) else [given]
    unknown = [name for name in names if not isinstance(name, str) or name not in TYPES]
    if not unknown:
        return f"{quoted(given)} is not a type: list at least one, and each once"
    name = unknown[0]
    known = ", ".join(quoted(each) for each in TYPES)
    if not isinstance(name, str):
        return f"{quoted(name)} is not a type; known are {known}"
    lower = name.strip().lower()
    meant = lower if lower in TYPES else _MEANT.get(lower)
    if lower == "any":
        return f"unknown type {quoted(name)}; leave the type out to allow any value"
    if meant is None:
        return f"unknown type {quoted(name)}; known are {known}"
    capitals = ' For a schema with all types in capitals, pass dialect="gemini"'
    hint = capitals if name.isupper() and lower in TYPES else ""
    return f"unknown type {quoted(name)}; did you mean {quoted(meant)}?{hint}"
