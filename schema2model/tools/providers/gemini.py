"""JSON Schema reduced to what Gemini takes: Gemini API, `Schema`."""

from __future__ import annotations

import json
from typing import Any

from schema2model.json.pointers import JSONPath
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_PROJECTED
from schema2model.schema.references import Documents
from schema2model.schema.vocabularies.format import format_phrase
from schema2model.tools.providers.simplifying import follow_reference, merge_alternatives

__all__ = ["gemini_schema"]

_MAX_DEPTH = 32
"""Levels that are spelled out; Gemini takes hardly more."""

_TITLES = ("title", "description")
_KINDS = ("string", "number", "integer", "boolean", "array", "object")
_KEPT = {
    "STRING": ("minLength", "maxLength", "pattern"),
    "NUMBER": ("minimum", "maximum"),
    "INTEGER": ("minimum", "maximum"),
    "ARRAY": ("minItems", "maxItems"),
    "OBJECT": ("minProperties", "maxProperties"),
    "BOOLEAN": (),
}
_FORMATS = {
    "STRING": {"date-time"},
    "NUMBER": {"float", "double"},
    "INTEGER": {"int32", "int64"},
}
_IMPLIED = (
    ("properties", "object"),
    ("additionalProperties", "object"),
    ("items", "array"),
    ("prefixItems", "array"),
    ("pattern", "string"),
    ("minLength", "string"),
    ("maxLength", "string"),
    ("minimum", "number"),
    ("maximum", "number"),
    ("multipleOf", "number"),
)
"""The type that a keyword is about, for schemas that name no type."""
_SCALARS = [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}]
_AS_TEXT = "A JSON object, written as text."
"""Describes an object whose properties Gemini cannot express: the model writes JSON in a string."""


def gemini_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Reduce a JSON Schema to Gemini's `Schema`, as closely as that can express it.

    Types are in capitals and null is `nullable`. References are spelled out, `oneOf` is `anyOf`,
    `allOf` is taken together, `const` is an `enum`; choices other than text and formats other than
    `date-time` move to the description, exclusive integer bounds to the next integer. An object
    without declared properties, or that contains itself, becomes text with JSON in it, and so does
    all that comes after `MAX_PROJECTED` subschemas. Dropped are defaults, formats of numbers,
    `additionalProperties`, and every keyword that Gemini has none for.

    >>> gemini_schema({"type": ["integer", "null"], "exclusiveMinimum": 0, "default": 1})
    {'nullable': True, 'type': 'INTEGER', 'minimum': 1}
    """
    return _Reducer(schema).reduced(schema, ())


class _Reducer:
    """Walks a document; `above` are the references and merged parts that lead to a schema."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.documents = Documents.alone(root)
        self._left = iter(range(MAX_PROJECTED))

    def reduced(self, given: Any, above: JSONPath) -> dict[str, Any]:
        keywords = given if isinstance(given, dict) else {}
        through = [keywords["$ref"]] if isinstance(keywords.get("$ref"), str) else []
        through += [id(given)] if "allOf" in keywords else []
        if next(self._left, None) is None or not set(through).isdisjoint(above):
            return {"type": "STRING", "description": _AS_TEXT}
        above = (*above, *through)
        schema = follow_reference(given, self.documents)
        if not isinstance(schema, dict) or len(above) > _MAX_DEPTH:
            schema = {}
        if "allOf" in schema:
            kept = {key: schema[key] for key in ("anyOf", "oneOf") if key in schema}
            apart = {key: value for key, value in schema.items() if key not in kept}
            schema = {**merge_alternatives(apart, self.documents), **kept}
        made = {key: schema[key] for key in _TITLES if isinstance(schema.get(key), str)}
        self.fill(made, schema, above)
        return made

    def fill(self, made: dict[str, Any], schema: dict[str, Any], above: JSONPath) -> None:
        branches = schema.get("anyOf") or schema.get("oneOf") or []
        choices = [schema["const"]] if "const" in schema else schema.get("enum")
        kinds = _kinds(schema)
        if None in kinds or schema.get("nullable") is True or (choices and None in choices):
            made["nullable"] = True
        named = [kind for kind in kinds if kind is not None]
        if choices:
            self.choices(made, [choice for choice in choices if choice is not None], named)
        elif branches:
            rest = {key: schema[key] for key in schema if key not in {"anyOf", "oneOf"}}
            self.branches(made, branches, rest, above)
        elif len(named) == 1:
            self.single(made, schema, named[0], above)
        elif named:
            # the title and description are those of the whole, which has them already
            own = {key: schema[key] for key in schema if key not in _TITLES}
            made["anyOf"] = [self.reduced({**own, "type": kind}, above) for kind in named]
        elif "nullable" in made:
            made["type"] = "STRING"
        else:
            made["anyOf"] = [dict(scalar) for scalar in _SCALARS]

    def choices(self, made: dict[str, Any], choices: list[Any], kinds: list[str]) -> None:
        if choices and all(isinstance(choice, str) and choice for choice in choices):
            made.update({"type": "STRING", "format": "enum", "enum": [*dict.fromkeys(choices)]})
            return
        found = dict.fromkeys(_kind_of(choice) for choice in choices)
        named = kinds or list(found) or ["string"]
        made["type"] = "NUMBER" if set(named) == {"integer", "number"} else named[0].upper()
        if made["type"] in {"ARRAY", "OBJECT"}:
            made["type"] = "STRING"
        listed = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
        _remark(made, f"One of: {listed}." if listed else "Only null.")

    def branches(
        self,
        made: dict[str, Any],
        branches: list[Any],
        rest: dict[str, Any],
        above: JSONPath,
    ) -> None:
        inherited = {key: rest[key] for key in ("type", "properties", "required") if key in rest}
        if isinstance(inherited.get("type"), list):
            del inherited["type"]
        kept = [
            each for each in branches if not isinstance(each, dict) or each.get("type") != "null"
        ]
        if len(kept) < len(branches):
            made["nullable"] = True
        reduced = []
        for branch in kept:
            whole = branch
            if len(kept) == 1 and isinstance(branch, dict):  # it is described by what is around it
                own = {key: made[key] for key in _TITLES if key in made}
                whole = {**branch, **own} if own else branch
            if inherited:
                whole = merge_alternatives({"allOf": [inherited, whole]}, self.documents)
            if whole is branch:
                reduced.append(self.reduced(branch, above))
            elif id(branch) in above:
                reduced.append({"type": "STRING", "description": _AS_TEXT})
            else:
                reduced.append(self.reduced(whole, (*above, id(branch))))
        reduced = [part for n, part in enumerate(reduced) if part not in reduced[:n]]
        if len(reduced) == 1:
            made.update({**made, **reduced[0]} if len(kept) == 1 else {**reduced[0], **made})
        elif reduced:
            made["anyOf"] = reduced
        else:
            made["type"] = "STRING"

    def single(
        self, made: dict[str, Any], schema: dict[str, Any], kind: str, above: JSONPath
    ) -> None:
        made["type"] = kind.upper()
        for keyword in _KEPT[made["type"]]:
            if keyword in schema:
                made[keyword] = schema[keyword]
        name = schema.get("format")
        if name in _FORMATS.get(made["type"], ()):
            made["format"] = name
        elif kind == "string" and isinstance(name, str):
            _remark(made, f"A string{format_phrase([name])}.")
        if kind in {"integer", "number"}:
            _bounds(made, schema)
        elif kind == "array":
            made["items"] = self.items(schema, above)
        elif kind == "object":
            self.members(made, schema, above)

    def items(self, schema: dict[str, Any], above: JSONPath) -> dict[str, Any]:
        items = schema.get("items", {})
        is_prefix = isinstance(items, list)  # as in earlier drafts
        prefix = items if is_prefix else schema.get("prefixItems") or []
        rest = schema.get("additionalItems") if is_prefix else items
        several = [*prefix, rest] if rest or not prefix else prefix
        reduced = [self.reduced(item, above) for item in several]
        reduced = [part for n, part in enumerate(reduced) if part not in reduced[:n]]
        return reduced[0] if len(reduced) == 1 else {"anyOf": reduced}

    def members(self, made: dict[str, Any], schema: dict[str, Any], above: JSONPath) -> None:
        properties = schema.get("properties")
        if not isinstance(properties, dict) or not properties:
            if schema is not self.root:
                made.update({"type": "STRING"})
                for keyword in _KEPT["OBJECT"]:
                    made.pop(keyword, None)
                _remark(made, _AS_TEXT)
            return
        made["properties"] = {name: self.reduced(p, above) for name, p in properties.items()}
        required = [name for name in schema.get("required", ()) if name in properties]
        if required:
            made["required"] = required


def _kinds(schema: dict[str, Any]) -> list[str | None]:
    """Return the types of a schema, null as None; those its keywords imply if it names none."""
    named = schema.get("type")
    if named is None:
        implied = next((kind for keyword, kind in _IMPLIED if keyword in schema), None)
        return [] if implied is None else [implied]
    kinds = named if isinstance(named, list) else [named]
    return [kind if kind in _KINDS else None for kind in kinds]


def _kind_of(choice: Any) -> str:
    if isinstance(choice, bool):
        return "boolean"
    if isinstance(choice, int):
        return "integer"
    return "number" if isinstance(choice, float) else "string"


def _bounds(made: dict[str, Any], schema: dict[str, Any]) -> None:
    for keyword, exclusive, step in (
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ):
        bound = schema.get(exclusive)
        if type(bound) is int and made["type"] == "INTEGER":
            made.setdefault(keyword, bound + step)
        elif type(bound) in {int, float}:
            made.setdefault(keyword, bound)
            _remark(made, f"Not {quoted(bound)} itself.")


def _remark(made: dict[str, Any], text: str) -> None:
    made["description"] = f"{made['description']} {text}" if "description" in made else text
