"""What providers document of their strict modes, written down independently of the package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_WORDS = {"title", "description"}
_FORMATS = {
    *("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"),
}
_SCALAR = {"type", "enum"} | _WORDS
_NUMBER = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_OBJECT = {"type", "properties", "required", "additionalProperties"} | _WORDS

_KEYWORDS: dict[str, dict[str, set[str]]] = {
    "openai": {
        "string": {"pattern", "format", "minLength", "maxLength"},
        "number": _NUMBER,
        "array": {"items", "minItems", "maxItems"},
    },
    "anthropic": {"string": {"pattern", "format"}, "number": set(), "array": {"items", "minItems"}},
    "azure": {"string": set(), "number": set(), "array": {"items"}},
    "groq": {"string": set(), "number": set(), "array": {"items"}},
    "xai": {
        "string": {"pattern", "format"},
        "number": _NUMBER,
        "array": {"items", "minItems", "maxItems"},
    },
}
_LEVELS = {"openai": 10, "groq": 10, "xai": 10, "azure": 5}
_PROPERTIES = {"openai": 5000, "groq": 5000, "xai": 5000, "azure": 100}


def broken_rules(root: dict[str, Any], provider: str) -> list[str]:
    """The rules of a provider that a schema breaks; the engines' are those that they compile."""
    if provider == "gemini":
        return [*_broken_for_gemini(root, "", root.get("$defs", {}))]
    if provider == "gemini-openapi":
        return [*_broken_for_openapi(root, "")]
    if provider not in _KEYWORDS:
        return []
    found = [] if root.get("type") == "object" else ["the root is not an object"]
    definitions = root.get("$defs", {})
    for at, part in [("", root), *((f"/$defs/{name}", each) for name, each in definitions.items())]:
        count = [0]
        found += _broken(part, at, 1, provider, definitions, count)
        if count[0] > _PROPERTIES.get(provider, count[0]):
            found.append(f"{at}: {count[0]} properties")
    if provider == "anthropic" and _is_recursive(definitions):
        found.append("it is recursive")
    return found


def _broken(  # noqa: C901, PLR0912, PLR0913, PLR0917 - the list of rules
    schema: Any, at: str, level: int, provider: str, definitions: dict[str, Any], count: list[int]
) -> Iterator[str]:
    if not isinstance(schema, dict) or not schema:
        yield f"{at}: an empty or boolean schema"
        return
    if "$ref" in schema:
        if schema.keys() != {"$ref"}:
            yield f"{at}: {sorted(schema)} next to $ref"
        if schema["$ref"].removeprefix("#/$defs/") not in definitions:
            yield f"{at}: {schema['$ref']} leads nowhere"
        return
    if "anyOf" in schema:
        if schema.keys() - {"anyOf"} - _WORDS:
            yield f"{at}: {sorted(schema)} next to anyOf"
        for index, branch in enumerate(schema["anyOf"]):
            yield from _broken(branch, f"{at}/anyOf/{index}", level, provider, definitions, count)
        return
    kind = schema.get("type")
    if kind == "object":
        allowed = _OBJECT
    elif kind in {"string", "array"}:
        allowed = _SCALAR | _KEYWORDS[provider][kind]
    elif kind in {"integer", "number"}:
        allowed = _SCALAR | _KEYWORDS[provider]["number"]
    elif kind in {"boolean", "null"}:
        allowed = _SCALAR
    else:
        yield f"{at}: type {kind!r}"
        return
    if more := schema.keys() - allowed - ({"$defs"} if not at else set()):
        yield f"{at}: {sorted(more)}"
    extra = {"uri"} if provider == "anthropic" else set()
    if schema.get("format", "date") not in _FORMATS | extra:
        yield f"{at}: format {schema['format']}"
    if any(isinstance(choice, (dict, list)) for choice in schema.get("enum", ())):
        yield f"{at}: containers in an enum"
    if provider == "anthropic" and schema.get("minItems", 0) > 1:
        yield f"{at}: minItems"
    if kind == "array":
        yield from _broken(schema.get("items"), f"{at}/items", level, provider, definitions, count)
    if kind == "object":
        properties = schema.get("properties")
        if not isinstance(properties, dict) or schema.get("additionalProperties") is not False:
            yield f"{at}: not closed"
            return
        if provider != "anthropic" and [*properties] != schema.get("required"):
            yield f"{at}: not all required"
        if level > _LEVELS.get(provider, level):
            yield f"{at}: deeper than {_LEVELS[provider]} levels"
        count[0] += len(properties)
        for name, each in properties.items():
            yield from _broken(
                each, f"{at}/properties/{name}", level + 1, provider, definitions, count
            )


def _broken_for_gemini(  # noqa: C901 - the list of rules
    schema: Any, at: str, definitions: dict[str, Any]
) -> Iterator[str]:
    """`parametersJsonSchema`: references without siblings, and few keywords."""
    if not isinstance(schema, dict) or not schema:
        yield f"{at}: {schema}"
        return
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if schema.keys() != {"$ref"} or name not in definitions:
            yield f"{at}: {schema}"
        return
    allowed = {*("type", "anyOf", "enum", "format", "minimum", "maximum", "items", "prefixItems")}
    allowed |= {"minItems", "maxItems", "properties", "required", "additionalProperties"} | _WORDS
    if more := schema.keys() - allowed - ({"$defs"} if not at else set()):
        yield f"{at}: {sorted(more)}"
    if ("type" in schema) == ("anyOf" in schema) or not isinstance(schema.get("type", ""), str):
        yield f"{at}: one type, or alternatives"
    if not all(type(each) in {str, int, float} for each in schema.get("enum", ())):
        yield f"{at}: choices that are not strings or numbers"
    properties = schema.get("properties", {})
    parts = {f"{at}/properties/{name}": each for name, each in properties.items()}
    if any(name not in properties for name in schema.get("required", ())):
        yield f"{at}: an unknown property is required"
    for key in ("anyOf", "prefixItems"):
        parts |= {f"{at}/{key}/{n}": each for n, each in enumerate(schema.get(key, ()))}
    parts |= {f"{at}/$defs/{name}": each for name, each in schema.get("$defs", {}).items()}
    for key in ("items", "additionalProperties"):
        if not isinstance(schema.get(key, False), bool):
            parts[f"{at}/{key}"] = schema[key]
    for place, part in parts.items():
        yield from _broken_for_gemini(part, place, definitions)
    if not at and _is_recursive(definitions):
        yield "it is recursive"


_OPENAPI_TYPES = {"OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER", "BOOLEAN"}


def _broken_for_openapi(schema: dict[str, Any], at: str) -> Iterator[str]:
    """`parameters`: types in capitals, no references, nothing closed, strings as choices."""
    allowed = {*("type", "anyOf", "enum", "format", "items", "properties", "required", "nullable")}
    if more := schema.keys() - allowed - {"propertyOrdering"} - _WORDS:
        yield f"{at}: {sorted(more)}"
    if ("type" in schema) == ("anyOf" in schema) or schema.get("type", "STRING") not in (
        _OPENAPI_TYPES
    ):
        yield f"{at}: one type, or alternatives"
    if not all(type(each) is str for each in schema.get("enum", ())):
        yield f"{at}: choices that are not strings"
    if schema.get("type") == "ARRAY" and "items" not in schema:
        yield f"{at}: no items"
    properties = schema.get("properties", {})
    if [*properties] != schema.get("propertyOrdering", []):
        yield f"{at}: without the order of its properties"
    if schema.get("type") == "OBJECT" and at and not properties:
        yield f"{at}: an object without properties"
    for name, each in properties.items():
        yield from _broken_for_openapi(each, f"{at}/properties/{name}")
    for number, each in enumerate(schema.get("anyOf", ())):
        yield from _broken_for_openapi(each, f"{at}/anyOf/{number}")
    if "items" in schema:
        yield from _broken_for_openapi(schema["items"], f"{at}/items")


def _is_recursive(definitions: dict[str, Any]) -> bool:
    edges = {name: _references(each) for name, each in definitions.items()}

    def leads_back(name: str, seen: frozenset[str]) -> bool:
        return any(each in seen or leads_back(each, seen | {each}) for each in edges.get(name, ()))

    return any(leads_back(name, frozenset((name,))) for name in edges)


def _references(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {name for each in schema for name in _references(each)}
    if not isinstance(schema, dict):
        return set()
    own = schema.get("$ref")
    found = {name for each in schema.values() for name in _references(each)}
    return found | {own.removeprefix("#/$defs/")} if isinstance(own, str) else found
