"""Members that a schema allows and does not declare, and those that may be misspelt.

`{"dry_run": true}` is valid where `dryRun` is declared, unless the object closes itself; the tool
then runs for real.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from schema2model.coerce.rules.plan import name_spelling
from schema2model.errors import Issue
from schema2model.json.pointers import JSONPath, pointer
from schema2model.json.quoting import quoted
from schema2model.schema.nodes import Node

__all__ = ["UndeclaredMember", "undeclared_issues", "undeclared_members"]


class UndeclaredMember(NamedTuple):
    """A member whose name no subschema declares."""

    path: JSONPath
    value: Any
    similar: str | None
    """The declared and absent name that differs only in spelling, if there is just one."""


def undeclared_members(root: Node, value: Any) -> Iterator[UndeclaredMember]:
    """Yield the members of a valid value that the schema does not declare.

    Those of a map, with a schema of additional properties, are declared.

    >>> from schema2model import compile_schema
    >>> schema = {"properties": {"dryRun": {"type": "boolean"}}}
    >>> root = compile_schema(schema).engine.root
    >>> [member.similar for member in undeclared_members(root, {"dry_run": True, "x": 1})]
    ['dryRun', None]

    """
    queue: list[tuple[JSONPath, Any, tuple[Node, ...]]] = [((), value, (root,))]
    for path, part, nodes in queue:  # it grows during the loop
        parts = [each for node in nodes for each in node.all_in_place()]
        if type(part) is list:
            for index, item in enumerate(part):
                inner = tuple(child for each in parts for child in each.item_subschemas(index))
                if inner and type(item) in {dict, list}:
                    queue.append(((*path, index), item, inner))
        elif type(part) is dict:
            declared = {name for each in parts for name in each.properties}
            is_map = not declared or any(_has_schema(each.additional) for each in parts)
            absent = [name for name in declared if name not in part]
            for name, member in part.items():
                inner = tuple(c for each in parts for c in each.property_subschemas(name))
                if type(member) in {dict, list}:
                    queue.append(((*path, name), member, inner))
                if not is_map and not any(each.declares(name) for each in parts):
                    spelled = name_spelling(name)
                    same = [other for other in absent if name_spelling(other) == spelled]
                    similar = same[0] if len(same) == 1 else None
                    yield UndeclaredMember((*path, name), member, similar)


def undeclared_issues(root: Node, value: Any, *, similar_only: bool) -> tuple[Issue, ...]:
    """Return an issue for each undeclared member, or only for those that may be misspelt."""
    issues = []
    for member in undeclared_members(root, value):
        if member.similar is not None or not similar_only:
            advice = "leave it out"
            if member.similar is not None:
                advice = f"rename it to {quoted(member.similar)}"
            path, found = pointer(member.path), quoted(member.value)
            keyword, wanted = "additionalProperties", "no property of this name"
            issues.append(Issue(path, keyword, wanted, found, _schema=False, advice=advice))
    return tuple(issues)


def _has_schema(additional: Node | None) -> bool:
    return additional is not None and not isinstance(additional.schema, bool)
