"""The subschemas of a schema, in every dialect, by the records of its keywords.

For code that looks for identifiers or rewrites a whole document; the walk follows the keyword
functions instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schema2model.schema.keywords import KEYWORDS

__all__ = ["OUTWARD", "all_subschemas", "stands_alone", "subschemas"]

_ONE = frozenset(name for name, keyword in KEYWORDS if keyword.subschema)
_LISTS = frozenset(name for name, keyword in KEYWORDS if keyword.array)
_MAPS = frozenset(name for name, keyword in KEYWORDS if keyword.names)


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each direct subschema of a schema object, with the tokens that lead to it.

    >>> list(subschemas({"items": {"type": "null"}, "anyOf": [True], "enum": [{"not": 1}]}))
    [(('items',), {'type': 'null'}), (('anyOf', '0'), True)]
    >>> list(subschemas({"properties": {"a": True}, "x-unknown": {"b": True}}))
    [(('properties', 'a'), True)]
    """
    for keyword, value in schema.items():
        if isinstance(value, list):
            if keyword in _LISTS:
                for index, item in enumerate(value):
                    yield (keyword, str(index)), item
        elif keyword in _ONE:
            yield (keyword,), value
        elif keyword in _MAPS and isinstance(value, dict):
            for name, item in value.items():
                if isinstance(item, (dict, bool)):
                    yield (keyword, name), item


def all_subschemas(document: Any) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield each schema object of a document, itself first, with the tokens that lead to it.

    >>> [tokens for tokens, _ in all_subschemas({"items": {"not": {}}})]
    [(), ('items',), ('items', 'not')]
    """
    todo: list[tuple[tuple[str, ...], Any]] = [((), document)]
    for path, schema in todo:  # which grows on the way
        if isinstance(schema, dict):
            yield path, schema
            todo += (((*path, *tokens), below) for tokens, below in subschemas(schema))


OUTWARD = frozenset(("$ref", "$dynamicRef", "$recursiveRef", "$schema"))
"""Keywords whose value leads to other schemas."""


def stands_alone(schema: Any) -> bool:
    """Return whether a schema refers to nothing, and so means the same without its document.

    >>> schemas = {"type": "null"}, {"$ref": "#"}, {"$schema": "draft-07"}
    >>> [stands_alone({"items": schema}) for schema in schemas]
    [True, False, False]
    """
    todo = [schema]
    for part in todo:  # which grows on the way
        if isinstance(part, dict):
            if not OUTWARD.isdisjoint(part):
                return False
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return True
