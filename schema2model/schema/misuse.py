"""What is given in the place of a schema, or of a word in one, and what was meant by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schema2model.json.quoting import quoted
from schema2model.json.values import TYPES

__all__ = ["instead_of_schema", "unknown_type"]

_SCHEMA_KEYS = (
    *("inputSchema", "input_schema", "parameters"),
    *("parametersJsonSchema", "parameters_json_schema"),
)
_SEVERAL = ("functionDeclarations", "function_declarations")
_KEYWORDS = frozenset(
    (
        *("type", "enum", "const", "properties", "required", "additionalProperties", "items"),
        *("$ref", "$schema", "$defs", "definitions", "allOf", "anyOf", "oneOf", "not", "if"),
    )
)
"""What a schema has, and a tool's definition has not."""

_MEANT: Mapping[str, str] = {
    **dict.fromkeys(("int", "long", "int32", "int64", "whole"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "num"), "number"),
    **dict.fromkeys(("str", "text", "char", "varchar", "date", "datetime", "uuid"), "string"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("list", "tuple", "set", "sequence"), "array"),
    **dict.fromkeys(("dict", "map", "struct", "record", "json", "mapping"), "object"),
    **dict.fromkeys(("none", "nil", "nonetype", "undefined"), "null"),
}
"""Types by the names that programming languages have for them."""


def instead_of_schema(given: Any) -> str | None:
    """Why something is no schema, and what takes it; None if it may be one.

    >>> instead_of_schema('{"type": "object"}')
    'this is the text of a schema; pass what json.loads makes of it'
    >>> instead_of_schema({"name": "now", "input_schema": {"type": "object"}})
    'this is the definition of a tool, and no schema; Tool.from_schema takes it'
    """
    if isinstance(given, (str, bytes, bytearray)):
        return "this is the text of a schema; pass what json.loads makes of it"
    if isinstance(given, type):
        return f"{given.__name__} is a class; coercing({given.__name__}) is one that coerces"
    if callable(given):
        return "this is a function; Tool.from_function takes it"
    if _holds_definitions(given):
        return "this is a list of tools; Toolset takes it"
    if _is_definition(given):
        return "this is the definition of a tool, and no schema; Tool.from_schema takes it"
    if given is None or isinstance(given, (list, tuple, int, float)):
        return f"a schema is an object or a boolean, not {quoted(given)}"
    return None


def _holds_definitions(given: Any) -> bool:
    """Whether it is a list of tools, or has such a list as Gemini does."""
    if isinstance(given, Mapping):
        return any(key in given for key in _SEVERAL) and _KEYWORDS.isdisjoint(given)
    return isinstance(given, (list, tuple)) and any(_is_definition(each) for each in given)


def _is_definition(given: Any) -> bool:
    """Whether it has a name and, by some name, a schema, and no keyword of one itself."""
    if not isinstance(given, Mapping):
        return hasattr(given, "name") and any(hasattr(given, key) for key in _SCHEMA_KEYS)
    if given.get("type") == "function" and not isinstance(given.get("properties"), Mapping):
        return True
    named = isinstance(given.get("name"), str) and _KEYWORDS.isdisjoint(given)
    return named and any(isinstance(given.get(key), Mapping) for key in _SCHEMA_KEYS)


def unknown_type(given: Any) -> str:
    """What is wrong with the value of a `type`, and what was meant.

    >>> unknown_type("int")
    'unknown type "int"; did you mean "integer"?'
    >>> unknown_type(["STRING", "NULL"])
    'unknown type "STRING"; did you mean "string"? For a schema with all types in capitals, pass
     dialect="gemini"'
    """
    names = given if isinstance(given, list) else [given]
    unknown = [name for name in names if not isinstance(name, str) or name not in TYPES]
    if not unknown:
        return f"{quoted(given)} is no type: list at least one, and each once"
    name = unknown[0]
    known = ", ".join(quoted(each) for each in TYPES)
    if not isinstance(name, str):
        return f"{quoted(name)} is no type; known are {known}"
    lower = name.strip().lower()
    meant = lower if lower in TYPES else _MEANT.get(lower)
    if lower == "any":
        return f"unknown type {quoted(name)}; leave the type out where anything may stand"
    if meant is None:
        return f"unknown type {quoted(name)}; known are {known}"
    capitals = ' For a schema with all types in capitals, pass dialect="gemini"'
    hint = capitals if name.isupper() and lower in TYPES else ""
    return f"unknown type {quoted(name)}; did you mean {quoted(meant)}?{hint}"
