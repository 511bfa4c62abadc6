"""The violations in the names of an object, and the invalid members of a container."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

from schema2model.diagnosis.names import (
    MAX_COMPARED,
    NameMatcher,
    is_flattened,
    may_fit,
    names_to_validate,
    only_place,
)
from schema2model.diagnosis.unions import Leaf
from schema2model.json.equality import membership
from schema2model.json.pointers import JSONPath
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING

__all__ = [
    "Kind",
    "Location",
    "MemberChecker",
    "Violation",
    "contains_more",
    "keyword_subschema",
]

SLICES = 16
"""Number of slices in which values are validated, if there are more than that."""

MAX_NAMES = 16
"""Maximum names that one violation lists."""

MANY_CHOICES = 100
"""Minimum choices for which a set is faster than jsonschema-rs."""

MAX_LIGHT = 64
"""Maximum values in a container that is validated before it is examined."""

_CONTAINERS = frozenset((dict, list))

Kind = Literal["value", "missing", "unknown", "name", "several"]
"""The kind of a violation: an invalid value, a missing property, an unknown one, an invalid name,
or a value that is valid under several branches of `oneOf`."""


class Location(NamedTuple):
    """A location in the arguments: the value there, and the subschemas that it has to satisfy.

    `invalid` is True if one of them is known to reject the value.
    """

    path: JSONPath
    value: Any
    nodes: tuple[Node, ...]
    invalid: bool = False


class Violation(NamedTuple):
    """One violation of the schema.

    `nodes` are the subschemas that a value at the location has to satisfy, `parts` all of those
    that apply in path of them to the value, `rejecting` that of the keyword. `leaves` are the
    branches of a union that rejects the value. `other` is the property that an unknown name means,
    or the name that was sent for a missing property; `names` are unused properties. `flattened` has
    the members that belong into a missing object, `place` is where an unknown name is declared.
    `owner` are the subschemas of the object or array that an invalid value is in.
    """

    path: JSONPath
    keyword: str
    value: Any
    nodes: tuple[Node, ...]
    parts: tuple[Node, ...]
    kind: Kind = "value"
    leaves: Sequence[Leaf] = ()
    other: str | None = None
    names: tuple[str, ...] = ()
    rejecting: Node | None = None
    flattened: dict[str, Any] | None = None
    place: JSONPath | None = None
    owner: tuple[Node, ...] = ()


class MemberChecker:
    """Checks the names of objects and the members of containers, as few as possible."""

    def __init__(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts
        self._validators: dict[Node, Callable[[Any], bool]] = verdicts.memo("validators", dict)
        self.compared = NameMatcher()

    def valid(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid under a node."""
        validator = self._validators.get(node)
        if validator is None:
            validator = self._validators[node] = self._compile(node)
        return validator(value)

    def _compile(self, node: Node) -> Callable[[Any], bool]:
        if isinstance(node.schema, bool):
            return lambda _: bool(node.schema)
        return self.membership_check(node) or self.verdicts.is_valid_at(node.dereferenced().place)

    def membership_check(self, node: Node) -> Callable[[Any], bool] | None:
        """Return a check for the choices of a node that has many and nothing else; else None.

        jsonschema-rs compares a value with each of them.
        """
        if (
            node.choices is None
            or len(node.choices) < MANY_CHOICES
            or len(self.asserted_keywords(node)) > 1
        ):
            return None
        return self.verdicts.memo(
            ("membership_check", node), lambda: membership(node.choices or ())
        )

    def asserted_keywords(self, node: Node) -> list[str]:
        """Return the keywords of a node that assert something."""
        return self.verdicts.memo(node, lambda: self.verdicts.asserted(node.place))

    def children(self, parts: Sequence[Node], name: str) -> tuple[Node, ...]:
        """Return the subschemas that apply to a property."""
        if len(parts) == 1:
            return parts[0].property_subschemas(name)
        found = (child for part in parts for child in part.property_subschemas(name))
        return tuple(dict.fromkeys(found))

    # ------------------------------------------------------------------------------- members
    def invalid_members(self, location: Location, parts: Sequence[Node]) -> Iterator[Location]:
        """Yield the members that are invalid, or may be, in their order."""
        value = location.value
        if type(value) is dict and len(parts) == 1 and value.keys() <= parts[0].properties.keys():
            yield from self._declared(location, parts[0].properties)
            return
        groups: dict[tuple[Node, ...], list[Any]] = {}
        if type(value) is list:
            prefixed = max((len(node.prefix) for node in parts), default=0)
            for index in range(min(prefixed, len(value))):
                groups.setdefault(_items(parts, index), []).append(index)
            if rest := _items(parts, prefixed):
                groups.setdefault(rest, []).extend(range(prefixed, len(value)))
        elif type(value) is dict:
            if not any(node.properties or node.patterns for node in parts):
                groups[self.children(parts, "")] = list(value)
            else:
                for name in names_to_validate(value, parts):
                    groups.setdefault(self.children(parts, name), []).append(name)
        unvalidated = _heaviest(value) if groups and len(value) <= SLICES else NOTHING
        unknown = {node.additional for node in parts if type(value) is dict}
        unknown |= {child for node in parts for child in node.patterns.values()}
        for nodes, keys in groups.items():
            if not any(
                node.is_false and node in unknown for node in nodes
            ):  # a violation of the name
                yield from self._of_group(location, nodes, keys, unvalidated)

    def _declared(self, location: Location, properties: Mapping[str, Node]) -> Iterator[Location]:
        """Yield those of an object that has declared properties only."""
        unvalidated = _heaviest(location.value)
        for name, value in location.value.items():
            node = properties[name]
            is_validated = value is not unvalidated
            if not (is_validated and self.valid(node, value)):
                yield Location((*location.path, name), value, (node,), invalid=is_validated)

    def _of_group(
        self, location: Location, nodes: tuple[Node, ...], keys: list[Any], unvalidated: Any
    ) -> Iterator[Location]:
        """Yield those of members to which the same subschemas apply."""
        if len(keys) == 1:
            value = location.value[keys[0]]
            if value is unvalidated:
                yield Location((*location.path, keys[0]), value, nodes)
            elif not all(self.valid(node, value) for node in nodes):
                yield Location((*location.path, keys[0]), value, nodes, invalid=True)
            return
        values = [location.value[key] for key in keys]
        start = 0
        if len(values) <= SLICES and any(each is unvalidated for each in values):
            for key, value in zip(keys, values, strict=True):
                if value is unvalidated:
                    yield Location((*location.path, key), value, nodes)
                elif not all(self.valid(node, value) for node in nodes):
                    yield Location((*location.path, key), value, nodes, invalid=True)
            return
        while start < len(values):
            firsts = [
                next(self._invalid_indices(node, values, start), len(values)) for node in nodes
            ]
            start = min(firsts, default=len(values))
            if start < len(values):
                yield Location((*location.path, keys[start]), values[start], nodes, invalid=True)
            start += 1

    def _invalid_indices(
        self, node: Node, values: list[Any], start: int, stop: int | None = None
    ) -> Iterator[int]:
        """Yield the indices of the values that are invalid under a node."""
        stop = len(values) if stop is None else stop
        if isinstance(node.schema, bool):
            yield from () if node.schema else range(start, stop)
        elif stop - start <= SLICES or self.membership_check(node) is not None:
            yield from (i for i in range(start, stop) if not self.valid(node, values[i]))
        else:
            are_valid = self.verdicts.all_valid_at(node.dereferenced().place)
            step = max(SLICES, (stop - start + SLICES - 1) // SLICES)
            for low in range(start, stop, step):
                high = min(low + step, stop)
                if not are_valid(values[low:high]):
                    yield from self._invalid_indices(node, values, low, high)

    # --------------------------------------------------------------------------------- names
    def name_violations(
        self, location: Location, parts: Sequence[Node], limit: int
    ) -> list[Violation]:
        """Return the violations of missing properties, unknown ones, and invalid names."""
        missing = self._missing(location, parts)[:limit]
        forbidden = [*islice(self._forbidden(location, parts), limit)]
        found = (
            self._pair_names(location, parts, missing, forbidden) if missing or forbidden else []
        )
        return [*found, *islice(self._invalid_names(location, parts), limit)]

    def _pair_names(
        self,
        location: Location,
        parts: Sequence[Node],
        missing: Sequence[str],
        forbidden: Sequence[tuple[str, str]],
    ) -> list[Violation]:
        """Pair missing properties with unknown ones, which are likely renames."""
        known: Collection[str] = parts[0].properties
        if len(parts) > 1:
            known = {name: None for node in parts for name in node.properties}
        loose = [name for name in islice(location.value, MAX_COMPARED) if name not in known]
        free = [name for name in known if name not in location.value] if forbidden else []
        violations = []
        taken: set[str] = set()
        for name in missing:
            nodes = self.children(parts, name)
            others = [
                each for each in loose if each not in taken and may_fit(nodes, location.value[each])
            ]
            other = self.compared.closest(name, others, keep=False)
            flattened = None
            if other is not None:
                taken.add(other)
            elif len(missing) == 1 and is_flattened(nodes, location.value, loose):
                taken.update(loose)
                flattened = location.value
            violations.append(
                Violation(
                    (*location.path, name),
                    "required",
                    None,
                    nodes,
                    nodes,
                    "missing",
                    other=other,
                    flattened=flattened,
                )
            )
        for name, keyword in forbidden:
            if name not in taken:
                value = location.value[name]
                others = [
                    each
                    for each in free
                    if each not in missing and may_fit(self.children(parts, each), value)
                ]
                violation = Violation(
                    (*location.path, name),
                    keyword,
                    value,
                    (),
                    (),
                    "unknown",
                    other=self.compared.closest(name, others),
                    place=only_place(location.path, parts, name),
                )
                violations.append(violation._replace(names=tuple(islice(free, MAX_NAMES))))
        return violations

    def _missing(self, location: Location, parts: Sequence[Node]) -> list[str]:
        value = location.value
        missing: dict[str, None] = {}
        for node in parts:
            missing |= {name: None for name in node.required if name not in value}
            dependent = self.verdicts.memo(("dependent", node), partial(self._dependent, node))
            for name, others in dependent:
                if name in value:
                    missing |= {other: None for other in others if other not in value}
        return [*missing]

    def _dependent(self, node: Node) -> list[tuple[str, list[str]]]:
        """Return the properties that require others."""
        groups = [
            node.schema[keyword].items()
            for keyword in ("dependentRequired", "dependencies")
            if keyword in self.asserted_keywords(node)
        ]
        return [(name, others) for name, others in chain(*groups) if isinstance(others, list)]

    def _forbidden(self, location: Location, parts: Sequence[Node]) -> Iterator[tuple[str, str]]:
        for node in parts:
            if node.forbids_additional:
                for name in location.value:
                    if not node.declares(name):
                        yield name, "additionalProperties"
            for pattern, child in node.patterns.items():
                if child.is_false:
                    for name in location.value:
                        if pattern.matches(name):
                            yield name, "patternProperties"

    def _invalid_names(self, location: Location, parts: Sequence[Node]) -> Iterator[Violation]:
        for node in parts:
            if "propertyNames" not in node.residual:
                continue
            names = self.verdicts.memo(
                ("names", node), partial(keyword_subschema, node, "propertyNames")
            )
            keys = list(location.value)
            for index in self._invalid_indices(names, keys, 0):
                path = (*location.path, keys[index])
                yield Violation(path, "propertyNames", keys[index], (names,), (names,), "name")

    # --------------------------------------------------------------------------- unevaluated
    def unevaluated(self, location: Location, node: Node, parts: Sequence[Node]) -> list[Violation]:
        """Return the violations of properties that are unevaluated."""
        value = location.value
        if type(value) is not dict:
            return []
        known = dict.fromkeys(name for part in parts for name in part.properties)
        evaluated = {name: value[name] for name in value if name in known}
        others = [name for name in value if name not in known]
        if not others or not self.valid(node, evaluated):
            return []
        invalid = self._unevaluated(node, evaluated, {name: value[name] for name in others})
        free = [name for name in known if name not in value]
        return [
            Violation(
                (*location.path, name),
                "unevaluatedProperties",
                value[name],
                (),
                (),
                "unknown",
                other=self.compared.closest(name, free),
                names=tuple(free[:MAX_NAMES]),
            )
            for name in islice(invalid, MAX_NAMES)
        ]

    def _unevaluated(
        self, node: Node, evaluated: dict[str, Any], others: dict[str, Any]
    ) -> Iterator[str]:
        """Yield the properties that a node rejects in addition to the evaluated ones."""
        if len(others) > SLICES:
            names = [*others]
            half = len(names) // 2
            for some in (names[:half], names[half:]):
                part = {name: others[name] for name in some}
                if not self.valid(node, evaluated | part):
                    yield from self._unevaluated(node, evaluated, part)
        else:
            yield from (n for n in others if not self.valid(node, {**evaluated, n: others[n]}))


def keyword_subschema(node: Node, keyword: str) -> Node:
    """Return the subschema of a keyword that only jsonschema-rs implements."""
    place = node.place._replace(path=(*node.place.path, keyword))
    inner = Node(node.schema[keyword], place)
    if isinstance(inner.schema, dict) and "$ref" not in inner.schema:
        kinds = inner.schema.get("type")
        if kinds is not None:
            inner.types = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        if "const" in inner.schema or "enum" in inner.schema:
            inner.choices = inner.schema.get("enum", [inner.schema.get("const")])
    return inner


def _items(parts: Sequence[Node], index: int) -> tuple[Node, ...]:
    """Return the subschemas that apply to the item at an index."""
    return tuple(dict.fromkeys(child for part in parts for child in part.item_subschemas(index)))


def _heaviest(value: Any) -> Any:
    """Return the member that contains the most values, if it contains many; or `NOTHING`.

    It is examined without validation: otherwise deep values would be validated at every level.
    """
    members = value.values() if type(value) is dict else value
    heavy = [
        each for each in members if type(each) in _CONTAINERS and contains_more(each, MAX_LIGHT)
    ]
    limit = MAX_LIGHT
    while len(heavy) > 1:
        limit *= 4
        heavy = [each for each in heavy if contains_more(each, limit)]
    return heavy[0] if heavy else NOTHING


def contains_more(value: Any, limit: int) -> bool:
    """Return whether a container contains more values than `limit`, at all depths."""
    queue = [value]
    for each in queue:  # it grows during the loop
        limit -= len(each)
        if limit < 0:
            return True
        inner = each.values() if type(each) is dict else each
        queue += [part for part in inner if type(part) in _CONTAINERS]
    return False
