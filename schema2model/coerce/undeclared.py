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
from schema2model.limits import MAX_ISSUES
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
    >>> from schema2model.compiled import engine_of
    >>> schema = {"properties": {"dryRun": {"type": "boolean"}}}
    >>> root = engine_of(compile_schema(schema)).root
    >>> [member.similar for member in undeclared_members(root, {"dry_run": True, "x": 1})]
    ['dryRun', None]

    """
    described: dict[tuple[Node, ...], _Parts] = {}
    queue: list[tuple[JSONPath, Any, tuple[Node, ...]]] = [((), value, (root,))]
    for path, part, nodes in queue:  # it grows during the loop
        parts = described.get(nodes)
        if parts is None:
            parts = described[nodes] = _Parts(nodes)
        if type(part) is list:
            for index, item in enumerate(part):
                if type(item) in {dict, list} and (inner := parts.item_subschemas(index)):
                    queue.append(((*path, index), item, inner))
        elif type(part) is dict:
            for name, member in part.items():
                if type(member) in {dict, list}:
                    queue.append(((*path, name), member, parts.property_subschemas(name)))
                if not parts.is_map and not parts.declares(name):
                    yield UndeclaredMember((*path, name), member, parts.similar(name, part))


class _Parts:
    """The subschemas that apply to a value, and the spellings of the names that they declare."""

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self._parts = [each for node in nodes for each in node.all_in_place()]
        names = {name for each in self._parts for name in each.properties}
        self.is_map = not names or any(_has_schema(each.additional) for each in self._parts)
        self._spellings: dict[str, list[str]] = {}
        for name in names:
            self._spellings.setdefault(name_spelling(name), []).append(name)

    def item_subschemas(self, index: int) -> tuple[Node, ...]:
        return tuple(child for each in self._parts for child in each.item_subschemas(index))

    def property_subschemas(self, name: str) -> tuple[Node, ...]:
        return tuple(child for each in self._parts for child in each.property_subschemas(name))

    def declares(self, name: str) -> bool:
        return any(each.declares(name) for each in self._parts)

    def similar(self, name: str, value: dict[str, Any]) -> str | None:
        """Return the only declared and absent name that is spelled like another."""
        same = [each for each in self._spellings.get(name_spelling(name), ()) if each not in value]
        return same[0] if len(same) == 1 else None


def undeclared_issues(root: Node, value: Any, *, similar_only: bool) -> tuple[Issue, ...]:
    """Return issues for undeclared members, or only for those that may be misspelt.

    At most `MAX_ISSUES` and one, as of any refusal.
    """
    issues = []
    for member in undeclared_members(root, value):
        if member.similar is not None or not similar_only:
            advice = "leave it out"
            if member.similar is not None:
                advice = f"rename it to {quoted(member.similar)}"
            path, found = pointer(member.path), quoted(member.value)
            keyword, wanted = "additionalProperties", "no property of this name"
            issues.append(Issue(path, keyword, wanted, found, _schema=False, advice=advice))
            if len(issues) > MAX_ISSUES:
                break
    return tuple(issues)


def _has_schema(additional: Node | None) -> bool:
    return additional is not None and not isinstance(additional.schema, bool)
