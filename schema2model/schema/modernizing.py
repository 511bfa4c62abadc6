"""Schemas of earlier drafts, in the words of 2020-12: OpenAPI 3.1 and pydantic know no others."""

from __future__ import annotations

from typing import Any

from schema2model.schema.dialects import DEFAULT, Dialect
from schema2model.schema.openapi_and_gemini import make_bounds_numbers
from schema2model.schema.vocabularies.metadata import METADATA

__all__ = ["modernize"]

_ADDED = DEFAULT.keywords.keys() - METADATA.keys()
"""Keywords that say nothing in an earlier draft which does not know them."""

_ANNOTATIONS: dict[str, type[Any]] = {
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), bool),
    **dict.fromkeys(("$comment", "contentEncoding", "contentMediaType"), str),
    "examples": list,
}
"""The types of annotations, which an earlier draft may not define."""


def modernize(schema: dict[str, Any], dialect: Dialect) -> None:
    """Change a schema object of a dialect to one of 2020-12 that means the same.

    Its subschemas are left as they are.

    >>> from schema2model.schema.dialects import dialect_named
    >>> pair = {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False}
    >>> modernize(pair, dialect_named("draft-07"))
    >>> pair
    {'prefixItems': [{'type': 'string'}, {'type': 'integer'}], 'items': False}
    """
    for name in [*schema]:
        ignored = name in _ADDED and name not in dialect.keywords
        if ignored or not isinstance(schema[name], _ANNOTATIONS.get(name, object)):
            del schema[name]
    others = schema.pop("additionalItems", None)
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")
        if others is not None:
            schema["items"] = others
    if "dependentRequired" not in dialect.keywords:
        for name, needed in schema.pop("dependencies", {}).items():
            keyword = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
            schema.setdefault(keyword, {})[name] = needed
    make_bounds_numbers(schema)
