"""Members that a schema allows and does not declare, and those that may be misspelt.

`{"dry_run": true}` is valid where `dryRun` is declared, unless the object closes itself; the tool
then runs for real.
"""

from __future__ import annotations

from collections.abc import Iterator, Set  # noqa: PYI025 - any set of nodes
from functools import cached_property
from itertools import filterfalse
from typing import Any, Literal, NamedTuple, get_args

from schema2model.advice import Advice
from schema2model.errors import NO_PROPERTY, Issue
from schema2model.json.names import name_spelling
from schema2model.json.pointers import JSONPath, pointer
from schema2model.json.quoting import abridged_repr, quoted
from schema2model.json.values import CONTAINERS
from schema2model.limits import MAX_ISSUES
from schema2model.schema.nodes import Node, leading_to, reachable
from schema2model.schema.parts import Parts

__all__ = [
    "UNKNOWN_ARGUMENTS",
    "DeclaredNames",
    "UndeclaredMember",
    "UnknownArguments",
    "require_unknown_arguments",
]

UnknownArguments = Literal["keep", "refuse", "refuse_similar"]
"""Policies for arguments that the schema allows and does not declare."""

UNKNOWN_ARGUMENTS: tuple[UnknownArguments, ...] = get_args(UnknownArguments)


def require_unknown_arguments(given: object) -> None:
    """Check the value of the option `unknown_arguments`.

    Raises:
        ValueError: for another word.

    """
    if given not in UNKNOWN_ARGUMENTS:
        words = ", ".join(map(repr, UNKNOWN_ARGUMENTS))
        message = f"unknown_arguments is one of {words}, not {abridged_repr(given)}"
        raise ValueError(message)


_Member = tuple["str | int", Any, "tuple[Node, ...]"]
"""A member's key, its value and the subschemas that apply to it."""


class UndeclaredMember(NamedTuple):
    """A member whose name no subschema declares."""

    path: JSONPath
    owner: dict[str, Any]
    """The object that it is a member of."""
    parts: Parts
    """The subschemas that apply to that."""
    similar: str | None
    """The declared and absent name that differs only in spelling, if there is just one."""


class DeclaredNames:
    """The names that a schema declares for each part of a value. Safe to share between threads.

    >>> from schema2model import compile_schema
    >>> schema = {"properties": {"dryRun": {"type": "boolean"}}}
    >>> names = DeclaredNames(compile_schema(schema)._engine.root)
    >>> [member.similar for member in names.undeclared({"dry_run": True, "x": 1})]
    ['dryRun', None]
    """

    __slots__ = ("_flat", "_known", "_nested", "_root")

    def __init__(self, root: Node) -> None:
        self._root = (root,)
        # of single subschemas, for later calls
        self._known: dict[tuple[Node, ...], _Described] = {}
        self._nested: Set[Node] | None = None
        self._flat: Set[str] | None = None
        """The declared names, if no names are declared in their values."""

    def undeclared(self, value: Any) -> Iterator[UndeclaredMember]:
        """Yield the members of a valid value that the schema does not declare.

        Those of a map, with a schema of additional properties, are declared.
        """
        if self._nested is None:
            # the subschemas that declare names, for the value itself or for any part of it
            self._nested = leading_to(self._root, lambda node: node.properties, Node.subschemas)
        described: dict[tuple[Node, ...], _Described] = {}
        queue: list[tuple[JSONPath, Any, tuple[Node, ...]]] = [((), value, self._root)]
        for path, part, nodes in queue:  # it grows during the loop
            parts = self._known.get(nodes) or described.get(nodes)
            if parts is None:
                parts = _Described(nodes, self._nested)
                (self._known if len(nodes) == 1 else described)[nodes] = parts
            if type(part) is dict and not (parts.is_map or part.keys() <= parts.names):
                for name in filterfalse(parts.declares, part):
                    similar = parts.similar(name, part)
                    yield UndeclaredMember((*path, name), part, parts, similar)
            queue += [((*path, key), member, inner) for key, member, inner in parts.members(part)]

    def similar(self, value: Any) -> tuple[UndeclaredMember, ...]:
        """Return the undeclared members that may be misspelt, at most `MAX_ISSUES` and one."""
        found = []
        for member in self.undeclared(value):
            if member.similar is not None:
                found.append(member)
                if len(found) > MAX_ISSUES:
                    break
        return tuple(found)

    def declares_all(self, value: Any) -> bool:
        """Return whether all members are declared, if that is seen at a glance.

        It is in most arguments, once `undeclared` has seen some, and takes a third of its time.
        """
        if self._flat is None and (root := self._known.get(self._root)) is not None:
            self._flat = root.names if root.is_flat else frozenset()
        if self._flat and type(value) is dict:  # most tools are
            return value.keys() <= self._flat
        return self._declares_nested(value)

    def _declares_nested(self, value: Any) -> bool:
        """Return whether all members are declared, by subschemas that are known already."""
        waiting: list[tuple[Any, tuple[Node, ...]]] = [(value, self._root)]
        while waiting:
            part, nodes = waiting.pop()
            parts = self._known.get(nodes)
            if parts is None:
                return False
            if type(part) is dict and not parts.is_map:
                if not part.keys() <= parts.names:
                    return False
                for name, inner in parts.declaring_properties:
                    if type(member := part.get(name)) in CONTAINERS:
                        waiting.append((member, inner))
            elif (items := self._flat_items(part, parts)) is not None:
                if not all(map(items.issuperset, [each for each in part if type(each) is dict])):
                    return False
            else:
                waiting += [(member, inner) for _, member, inner in parts.members(part)]
        return True

    def _flat_items(self, value: Any, parts: _Described) -> frozenset[str] | None:
        """Return the declared names of the items of a list, if no names are declared in those."""
        if type(value) is not list or not parts.same_items:
            return None
        items = self._known.get(parts.same_items)
        return None if items is None or not items.is_flat else items.name_set

    def issues(self, value: Any) -> tuple[Issue, ...]:
        """Return issues for the undeclared members that may be misspelt; see `similar`."""
        return tuple(map(_issue, self.similar(value)))


def _issue(member: UndeclaredMember) -> Issue:
    name = str(member.path[-1])
    path, found = pointer(member.path), quoted(member.owner[name])
    advice = Advice("rename", name, member.similar)
    return Issue(path, "additionalProperties", NO_PROPERTY, found, _schema=False, advice=advice)


class _Described(Parts):
    """The subschemas that apply to a value, and the spellings of the names that they declare.

    Members in which no names are declared are passed over: the search in correct calls would take
    twice as long.
    """

    def __init__(self, nodes: tuple[Node, ...], declaring: Set[Node]) -> None:
        super().__init__(reachable(nodes, Node.in_place_subschemas))
        self._declaring = declaring
        self.name_set = frozenset(self.names)
        additional = (each.additional for each in self.nodes if each.additional is not None)
        self.is_map = not self.names or any(not isinstance(a.schema, bool) for a in additional)
        items = [(*each.prefix, *filter(None, [each.items])) for each in self.nodes]
        self._has_leaf_items = all(map(declaring.isdisjoint, items))
        is_same = not any(each.prefix for each in self.nodes)
        self.same_items = self.item_subschemas(0) if is_same else None
        self._inner: dict[str, tuple[Node, ...]] = {}
        self._spellings: dict[str, list[str]] = {}
        for name in self.names:
            self._spellings.setdefault(name_spelling(name), []).append(name)

    def members(self, value: Any) -> list[_Member]:
        """Return the members in which names may be declared, with their keys and subschemas."""
        if type(value) is dict:
            return [
                (name, member, inner)
                for name, member in value.items()
                if type(member) in CONTAINERS and (inner := self._inside(name))
            ]
        if type(value) is list and not self._has_leaf_items:
            same = self.same_items
            return [
                (index, item, self.item_subschemas(index) if same is None else same)
                for index, item in enumerate(value)
                if type(item) in CONTAINERS
            ]
        return []

    @cached_property
    def is_flat(self) -> bool:
        """Whether names are declared here, and in no value of them."""
        return not (self.is_map or self.declaring_properties)

    @cached_property
    def declaring_properties(self) -> list[tuple[str, tuple[Node, ...]]]:
        """The declared names in whose values names are declared, with their subschemas."""
        return [(name, inner) for name in self.names if (inner := self._inside(name))]

    def _inside(self, name: str) -> tuple[Node, ...]:
        """Return the subschemas of a property, if names are declared in its value."""
        inner = self._inner.get(name)
        if inner is None:
            inner = self.property_subschemas(name)
            inner = () if self._declaring.isdisjoint(inner) else inner
            if name in self.names:
                self._inner[name] = inner
        return inner

    def similar(self, name: str, value: dict[str, Any]) -> str | None:
        """Return the only declared and absent name that is spelled like another."""
        same = [each for each in self._spellings.get(name_spelling(name), ()) if each not in value]
        return same[0] if len(same) == 1 else None
