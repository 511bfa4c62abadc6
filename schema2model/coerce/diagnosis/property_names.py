"""The names of properties: missing, unknown and invalid ones, and which of them others mean."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from schema2model.advice import Advice
from schema2model.coerce.diagnosis.describe import MAX_NAMES
from schema2model.coerce.diagnosis.members import Location, MemberChecker, Violation
from schema2model.json.equality import json_key
from schema2model.json.names import (
    Unlikeness,
    best_unless_tied,
    has_other_sense,
    is_respelled,
    negates,
    ranked,
)
from schema2model.json.pointers import pointer
from schema2model.json.quoting import printable, quoted
from schema2model.json.values import type_of
from schema2model.schema.nodes import Node
from schema2model.schema.parts import Parts

__all__ = ["MAX_COMPARED", "NameChecker"]

MAX_COMPARED = 1_000
"""Maximum names that are compared in one call to find the closest."""

MAX_EXAMINED = 300
"""Maximum names that are examined in one object."""

_DEPENDENCIES = frozenset(("dependentRequired", "dependencies"))


class NameChecker:
    """Finds the violations in the names of objects, each with advice."""

    def __init__(self, members: MemberChecker) -> None:
        self.members = members
        self._left = MAX_COMPARED

    def closest(self, name: str, names: Sequence[str], *, keep: bool = True) -> str | None:
        """Return the name that another most likely means; None if there is none, or too many.

        `keep` caches the words of `names`: those of a schema may be, but not those of arguments.
        """
        return best_unless_tied(self._ranked(name, names, keep=keep))

    def _ranked(
        self, name: str, names: Sequence[str], *, keep: bool = True
    ) -> list[tuple[Unlikeness, str]]:
        if not names or len(names) > self._left:
            return []
        self._left -= len(names)
        return ranked(name, names, keep=keep)

    def violations(self, location: Location, parts: Sequence[Node], limit: int) -> list[Violation]:
        """Return the violations of missing properties, unknown ones, and invalid names."""
        value = location.value
        missing = _missing(value, parts)[:limit]
        forbidden = dict(islice(_forbidden(value, parts), limit))
        found = self._paired(location, parts, missing, forbidden) if missing or forbidden else []
        for part in parts:
            if "propertyNames" in part.residual:
                found += islice(self._invalid_names(location, part), limit)
        return found

    def _invalid_names(self, location: Location, part: Node) -> Iterator[Violation]:
        nodes = (part.residual_subschemas["propertyNames"],)
        names = [*location.value]
        for name in self.members.suspects(nodes, names, names):
            if not self.members.valid(nodes, name):
                path = (*location.path, name)
                yield Violation(path, "propertyNames", name, nodes, nodes, "name")

    def _paired(
        self,
        location: Location,
        parts: Sequence[Node],
        missing: Sequence[str],
        forbidden: dict[str, str],
    ) -> list[Violation]:
        """Pair missing properties with unknown ones, which have them under another name or around.

        An unknown object may contain what is missing, or the missing object what is unknown.
        """
        value, found = location.value, []
        described = Parts(parts)
        declared = described.names
        loose = [name for name in islice(value, MAX_EXAMINED) if name not in declared]
        taken: set[str] = set()
        inside: set[str] = set()
        for name in loose if missing else ():
            members = _members_that_belong_outside(value, name, declared)
            if not members or not inside.isdisjoint(members):
                continue
            taken.add(name)
            inside.update(members)
            path, keyword = (*location.path, name), forbidden.get(name, "required")
            unwrap = Advice("unwrap", name, members, printable(pointer(location.path)))
            found.append(Violation(path, keyword, value[name], kind="unknown", advice=unwrap))
        for name in missing:
            if name in inside:
                continue
            nodes = described.property_subschemas(name)
            advice: Advice | None = None
            left = [each for each in loose if each not in taken]
            alike = self._ranked(name, left, keep=False)
            other = best_unless_tied(
                [
                    (how, each)
                    for how, each in alike
                    if _may_be_meant(each, name, nodes, value[each])
                ]
            )
            if other is not None:
                taken.add(other)
                advice = Advice("rename", other, name)
            elif members := _members_of_missing(nodes, described, name, left, missing):
                taken.update(members)
                sent = quoted({name: value}) if len(members) == len(value) else ""
                advice = Advice("nest", members, name, sent if sent.endswith("}") else "")
            path = (*location.path, name)
            found.append(Violation(path, "required", None, nodes, nodes, "missing", (), advice))
        unknown = {name: forbidden[name] for name in forbidden if name not in taken}
        if unknown:
            found += self.unknown(location, described, unknown, missing)
        return found

    def unknown(
        self,
        location: Location,
        described: Parts,
        unknown: dict[str, str],
        missing: Collection[str] = (),
    ) -> Iterator[Violation]:
        """Yield the violations of unknown names, given with the keywords that reject them."""
        declared = described.names
        free = [name for name in declared if name not in location.value]
        for name, keyword in unknown.items():
            value = location.value[name]
            alike = self._ranked(name, [each for each in free if each not in missing])
            other = best_unless_tied(
                [
                    (how, each)
                    for how, each in alike
                    if _may_be_meant(name, each, described.property_subschemas(each), value)
                ]
            )
            if other is not None:
                free.remove(other)
                advice = Advice("rename", name, other)
            elif (owner := _only_owner(described.nodes, name)) is not None:
                advice = Advice("nest", [name], owner)
            elif members := _members_that_belong_outside(location.value, name, declared):
                advice = Advice("unwrap", name, members, printable(pointer(location.path)))
            else:
                more = ["…"] if len(free) > MAX_NAMES else []
                advice = Advice("leave out", name, [*map(quoted, free[:MAX_NAMES]), *more])
            path = (*location.path, name)
            yield Violation(path, keyword, value, kind="unknown", advice=advice)

    def unevaluated(
        self, location: Location, node: Node, parts: Sequence[Node], limit: int
    ) -> Iterator[Violation]:
        """Yield the violations of members that are unevaluated, as jsonschema-rs lists them."""
        value = location.value
        keyword = "unevaluatedProperties" if type(value) is dict else "unevaluatedItems"
        listed = dict.fromkeys(
            key
            for error in self.members.verdicts.errors(node.place, value)
            if error.kind.name == keyword and not error.instance_path
            for key in _keys(value, error.kind.unexpected)  # type: ignore[attr-defined]
        )
        keys = [*islice(listed, limit)]
        found = [part.residual_subschemas.get(keyword) for part in parts]
        saying = [node for node in found if node is not None]
        if saying and all(type(node.schema) is dict for node in saying):
            nodes = (saying[0],)
            for key in keys:
                if not self.members.valid(nodes, value[key]):
                    yield Violation((*location.path, key), keyword, value[key], nodes, nodes)
            return
        described = Parts(parts)
        unknown = {key: keyword for key in keys if type(key) is str and not described.declares(key)}
        for key in keys:
            if key not in unknown:
                advice = Advice("leave out", key, (), "declared")  # for other values
                path = (*location.path, key)
                yield Violation(path, keyword, value[key], kind="unknown", advice=advice)
        yield from self.unknown(location, described, unknown)


def _keys(value: Any, unexpected: Sequence[str]) -> Sequence[str | int]:
    """Return the keys of unevaluated members: of items, jsonschema-rs lists the JSON texts.

    Those of equal items are the last: what precedes them is described by position.
    """
    if type(value) is dict:
        return unexpected
    left, indexes = [json_key(json.loads(text)) for text in unexpected], []
    for index in range(len(value) - 1, -1, -1):
        if left and json_key(value[index]) == left[-1]:
            left.pop()
            indexes.append(index)
    return indexes[::-1]


def _missing(value: dict[str, Any], parts: Sequence[Node]) -> list[str]:
    """Return the properties that are required, always or in addition to another, and missing."""
    missing: dict[str, None] = {}
    for part in parts:
        missing |= {name: None for name in part.required if name not in value}
        for keyword in part.residual:
            for name, others in part.schema[keyword].items() if keyword in _DEPENDENCIES else ():
                if name in value and isinstance(others, list):
                    missing |= {other: None for other in others if other not in value}
    return [*missing]


def _forbidden(value: dict[str, Any], parts: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Yield the names that are not allowed, each with the keyword that forbids it."""
    for part in parts:
        forbidden = [pattern for pattern, child in part.patterns.items() if child.is_false]
        for name in value if forbidden or part.forbids_additional else ():
            if part.forbids_additional and not part.declares(name):
                yield name, "additionalProperties"
            elif any(pattern.matches(name) for pattern in forbidden):
                yield name, "patternProperties"


def _may_be_meant(sent: str, name: str, nodes: Sequence[Node], value: Any) -> bool:
    """Return whether a value may be meant for another name, whose subschemas are `nodes`.

    Any word more may turn the meaning of a boolean.
    """
    return (
        _may_fit(nodes, value)
        and not has_other_sense(sent, name, value)
        and (type(value) is not bool or is_respelled(sent, name))
    )


def _may_fit(nodes: Sequence[Node], value: Any) -> bool:
    """Return whether a value may satisfy subschemas, perhaps after coercion.

    An object or array fits only where its type is allowed, other values only where another type is;
    text may be that of an object or array.
    """
    kind = type_of(value)
    if type(value) is str and value.lstrip()[:1] in {"{", "["}:
        return True
    if kind in {"object", "array"}:
        return all(node.accepts(kind) for node in nodes)
    return all(node.possible_types - {"object", "array", "null"} for node in nodes)


def _members_that_belong_outside(
    value: dict[str, Any], name: str, declared: Collection[str]
) -> list[str]:
    """Return the members of an undeclared object that are declared for the object around it."""
    inner = value[name]
    if type(inner) is not dict or negates(name):
        return []
    return [each for each in islice(inner, MAX_EXAMINED) if each in declared and each not in value]


def _members_of_missing(
    nodes: Sequence[Node],
    described: Parts,
    name: str,
    unknown: Sequence[str],
    missing: Sequence[str],
) -> list[str]:
    """Return the unknown names that only one missing object declares."""
    if not unknown or not all(node.possible_types <= {"object", "null"} for node in nodes):
        return []
    others = (described.property_subschemas(other) for other in missing if other != name)
    inner, rivals = Parts.in_place(nodes), Parts.in_place(chain.from_iterable(others))
    return [each for each in unknown if each in inner.names and each not in rivals.names]


def _only_owner(parts: Sequence[Node], name: str) -> str | None:
    """Return the only property of the same object that declares a name."""
    found = {
        inner
        for part in parts
        for inner, child in islice(part.properties.items(), MAX_EXAMINED)
        if child.accepts("object") and any(name in each.properties for each in child.all_in_place())
    }
    return found.pop() if len(found) == 1 else None
