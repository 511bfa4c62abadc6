"""Limits of the regular expressions in a document, which may cost their engine too much."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from schema2model.errors import SchemaError
from schema2model.json.pointers import JSONPath, pointer
from schema2model.limits import MAX_CLASS_ESCAPES, MAX_GROUPS
from schema2model.schema.subschemas import all_subschemas

__all__ = ["refuse_costly_patterns"]

_GROUP: Final = re.compile(r"(?<!\\)\((?!\?)")
_CLASS_ESCAPE: Final = re.compile(r"\\[dDwWsSc]")


def refuse_costly_patterns(document: Any) -> None:
    """Refuse patterns that an engine could compile only in too much memory or time.

    Raises:
        SchemaError: if a pattern has more than `MAX_GROUPS` groups, or the patterns together have
            class escapes that cost as much as `MAX_CLASS_ESCAPES` in one: jsonschema-rs 0.60
            replaces each in a copy of the whole pattern, in quadratic time.

    """
    cost = 0
    for pattern, path in _patterns(document):
        place = pointer(path)
        if len(_GROUP.findall(pattern)) > MAX_GROUPS:
            message = f"a pattern of more than {MAX_GROUPS} groups at {place or 'the root'}"
            raise SchemaError(message, pointer=place)
        cost += len(_CLASS_ESCAPE.findall(pattern)) ** 2
        if cost > MAX_CLASS_ESCAPES**2:
            message = f"too many escapes such as \\d and \\s in patterns, at {place or 'the root'}"
            raise SchemaError(message, pointer=place)


def _patterns(document: Any) -> Iterator[tuple[str, JSONPath]]:
    """Yield each regular expression of a document, with the path to its subschema."""
    for path, schema in all_subschemas(document):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"], path
        for name in names if isinstance(names := schema.get("patternProperties"), dict) else ():
            yield name, path
