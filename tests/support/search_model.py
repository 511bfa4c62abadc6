"""A compiled model with properties of many kinds, and arguments for it."""

from __future__ import annotations

from schema2model import compile_schema

INTEGER, STRING = {"type": "integer"}, {"type": "string"}
SCHEMA = {
    "type": "object",
    "title": "search",
    "description": "Finds things.",
    "properties": {
        "query": {"type": "string", "description": "What to look for.", "minLength": 1},
        "limit": {"type": "integer", "minimum": 1, "exclusiveMaximum": 100, "default": 10},
        "score": {"type": "number", "multipleOf": 0.5},
        "tags": {"type": "array", "items": STRING, "maxItems": 5},
        "order": {"enum": ["asc", "desc"]},
        "cursor": {"type": ["string", "null"], "default": None},
        "either": {"anyOf": [INTEGER, {"type": "array", "items": INTEGER}]},
        "inner": {"type": "object", "properties": {"a": INTEGER}},
        "counts": {"type": "object", "additionalProperties": INTEGER},
        "exact": {"type": "boolean"},
    },
    "required": ["query"],
}
SEARCH = compile_schema(SCHEMA)
MODEL = SEARCH.model

FULL = {"query": "x", "cursor": None, "inner": {"a": 1, "b": None}, "more": 1}
