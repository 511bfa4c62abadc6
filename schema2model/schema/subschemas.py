"""The subschemas of a schema, in every dialect, by the records of its keywords.

For code that looks for identifiers or rewrites a whole document; the walk follows the keyword
functions instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from schema2model.json.pointers import JSONPath
from schema2model.schema.keywords import KEYWORDS

__all__ = [
    "DEFINITIONS",
    "REFERENCES",
    "all_subschemas",
    "map_subschemas",
    "objects_within",
    "rewrite_document",
    "stands_alone",
    "subschemas",
]

_ONE = frozenset(name for name, keyword in KEYWORDS if keyword.subschema)
_LISTS = frozenset(name for name, keyword in KEYWORDS if keyword.array)
_MAPS = frozenset(name for name, keyword in KEYWORDS if keyword.names)


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[JSONPath, Any]]:
    """Yield each direct subschema of a schema object, with the path that leads to it.

    >>> list(subschemas({"items": {"type": "null"}, "anyOf": [True], "enum": [{"not": 1}]}))
    [(('items',), {'type': 'null'}), (('anyOf', 0), True)]
    >>> list(subschemas({"properties": {"a": True}, "x-unknown": {"b": True}}))
    [(('properties', 'a'), True)]
    """
    for keyword, value in schema.items():
        if isinstance(value, list):
            if keyword in _LISTS:
                for index, item in enumerate(value):
                    yield (keyword, index), item
        elif keyword in _ONE:
            yield (keyword,), value
        elif keyword in _MAPS and isinstance(value, dict):
            for name, item in value.items():
                if isinstance(item, (dict, bool)):
                    yield (keyword, name), item


def map_subschemas(
    schema: dict[str, Any], rewrite: Callable[[Any, JSONPath], Any]
) -> dict[str, Any]:
    """Return a copy of a schema object with each direct subschema rewritten, given its path, too.

    >>> map_subschemas({"anyOf": [{}, True], "enum": [{}]}, lambda below, path: path)
    {'anyOf': [('anyOf', 0), ('anyOf', 1)], 'enum': [{}]}
    """
    made = dict(schema)
    for path, below in subschemas(schema):
        keyword = str(path[0])
        if len(path) == 1:
            made[keyword] = rewrite(below, path)
            continue
        if made[keyword] is schema[keyword]:
            made[keyword] = schema[keyword].copy()
        made[keyword][path[1]] = rewrite(below, path)
    return made


def rewrite_document(document: Any, change: Callable[[dict[str, Any]], None]) -> Any:
    """Return a copy of a document whose schema objects are changed, the innermost first.

    >>> def close(schema):
    ...     schema["additionalProperties"] = False
    >>> rewrite_document({"items": {"enum": [{}]}}, close)
    {'items': {'enum': [{}], 'additionalProperties': False}, 'additionalProperties': False}
    """
    if not isinstance(document, dict):
        return document
    made = map_subschemas(document, lambda below, _: rewrite_document(below, change))
    change(made)
    return made


def all_subschemas(document: Any) -> Iterator[tuple[JSONPath, dict[str, Any]]]:
    """Yield each schema object of a document, itself first, with the path that leads to it.

    >>> [path for path, _ in all_subschemas({"items": {"not": {}}})]
    [(), ('items',), ('items', 'not')]
    """
    todo: list[tuple[JSONPath, Any]] = [((), document)]
    for path, schema in todo:  # which grows on the way
        if isinstance(schema, dict):
            yield path, schema
            todo += (((*path, *inner), below) for inner, below in subschemas(schema))


DEFINITIONS = tuple(name for name, keyword in KEYWORDS if keyword.defines)
"""Keywords that hold schemas for references only."""

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
"""Keywords that refer to other schemas."""

_OUTWARD = frozenset((*REFERENCES, "$schema"))


def stands_alone(schema: Any) -> bool:
    """Return whether a schema refers to nothing, and so means the same without its document.

    >>> schemas = {"type": "null"}, {"$ref": "#"}, {"$schema": "draft-07"}
    >>> [stands_alone({"items": schema}) for schema in schemas]
    [True, False, False]
    """
    return all(_OUTWARD.isdisjoint(part) for part in objects_within(schema))


def objects_within(document: Any) -> Iterator[dict[str, Any]]:
    """Yield each object of a document, itself first; also those that are data, and no subschemas.

    >>> list(objects_within([{"enum": [{}]}]))
    [{'enum': [{}]}, {}]
    """
    todo = [document]
    for part in todo:  # which grows on the way
        if isinstance(part, dict):
            yield part
            todo += part.values()
        elif isinstance(part, list):
            todo += part
