"""Locations at which two schemas differ, whatever the order and the annotations."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from schema2model.apps.audit.diff.example_arguments import MAX_SIZE, ExampleArguments
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import JSONPath
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.subschemas import map_subschemas

__all__ = ["UNPROBED", "Difference", "bound_change", "differences", "texts_of"]

_ANNOTATIONS: Final = frozenset(
    {
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$defs",
        "definitions",
    }
)
"""Keywords without a part in what is accepted; defaults are compared by the calls without them."""

_SETS: Final = frozenset({"required", "enum", "type", "anyOf", "oneOf", "allOf"})
"""Keywords whose order means nothing."""

_NEUTRAL: Final = {
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
    "required": [],
    "uniqueItems": False,
}
"""Keywords with values that allow everything, as if they were absent."""

_MEMBERS: Final = frozenset({"properties", "items", "prefixItems", "$ref", "allOf"})
"""Keywords whose subschemas are locations of their own, or nodes of the same location."""

UNPROBED: Final = frozenset(
    {
        "pattern",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "minContains",
        "maxContains",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "patternProperties",
        "propertyNames",
        "prefixItems",
        "items",
        "additionalItems",
        "properties",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose change may affect callers although no call shows it."""

_LOWER: Final = ("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum")
_UPPER: Final = ("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum")

_BOUNDS_BESIDE: Final = {
    "pattern": ("minLength", "maxLength"),
    "multipleOf": (*_LOWER[3:], *_UPPER[3:]),
}
"""Bounds whose limits are not tried, since another keyword may exclude them."""


class _Part(NamedTuple):
    """A keyword with its value, the text of that without subschemas, and these by their paths."""

    key: str
    value: Any
    text: str
    below: list[tuple[JSONPath, Node]]

    def numbered(self, numbers: Mapping[Node, int]) -> tuple[tuple[JSONPath, int], ...]:
        """Return the paths with the numbers of the subschemas."""
        return tuple(sorted((path, numbers[node]) for path, node in self.below))

    def texts(self) -> list[str]:
        """Return the value as JSON text, and all that it refers to."""
        inside = reachable([node for _, node in self.below], Node.applied)
        targets = dict.fromkeys(each for node in inside for each in node.reference)
        values = [self.value, *(each.schema for each in targets)]
        return [canonical_json(_sorted(each)) for each in values]


def _part_of(key: str, value: Any, inner: Mapping[JSONPath, Node]) -> _Part:
    below: list[tuple[JSONPath, Node]] = []

    def take_out(subschema: Any, path: JSONPath) -> Any:
        if path not in inner or isinstance(subschema, bool):
            return subschema
        below.append((path[:1] if key in _SETS else path, inner[path]))
        return None

    said = map_subschemas({key: value}, take_out)[key]
    if key in _SETS and isinstance(said, list):
        said = sorted(map(_sorted, said), key=canonical_json)
    return _Part(key, value, canonical_json(_sorted(said)), below)


_Keywords = Mapping[str, Mapping[Hashable, _Part]]
"""Keywords by what they say."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The keywords of one location by which two schemas differ.

    One side is None if only the other schema describes the location. `branches` has the keywords of
    all branches of its unions, in the old schema and in the new one.
    """

    old: _Keywords | None
    new: _Keywords | None
    branches: tuple[_Keywords, _Keywords]

    @property
    def sides(self) -> list[_Keywords]:
        """The keywords of both schemas; none where one does not describe the location."""
        return [side or {} for side in (self.old, self.new)]

    @property
    def keywords(self) -> frozenset[str]:
        """The keywords that say something else."""
        return _differing(*self.sides)

    @property
    def keywords_of_branches(self) -> frozenset[str]:
        """The keywords that say something else in the branches of unions."""
        return _differing(*self.branches)

    def texts(self) -> str:
        """Return all values that differ, as one text."""
        return "\n".join(
            text for key in self.keywords for side in self.sides for text in texts_of(side, key)
        )

    def is_beyond_probing(self) -> bool:
        """Return whether no call that is tried may show this difference."""
        return any(_is_beyond_probing(*sides) for sides in (self.sides, self.branches))


def texts_of(side: _Keywords, keyword: str) -> list[str]:
    """Return the values of a keyword as JSON texts, and all that they refer to."""
    return sorted(text for part in side.get(keyword, {}).values() for text in part.texts())


def _differing(old: _Keywords, new: _Keywords) -> frozenset[str]:
    said = ((key, old.get(key, {}), new.get(key, {})) for key in {**old, **new})
    return frozenset(key for key, before, after in said if before.keys() != after.keys())


def _is_beyond_probing(old: _Keywords, new: _Keywords) -> bool:
    keywords = _differing(old, new)
    sizes = [
        text
        for side in (old, new)
        for key in (*_LOWER[:3], *_UPPER[:3])
        if key in keywords
        for text in texts_of(side, key)
    ]
    is_partial = any(
        other in {**old, **new} and not keywords.isdisjoint(bounds)
        for other, bounds in _BOUNDS_BESIDE.items()
    )
    is_large = any(float(size) > MAX_SIZE for size in sizes)
    return bool(keywords & UNPROBED) or is_partial or is_large


def differences(old: ExampleArguments, new: ExampleArguments) -> dict[JSONPath, Difference]:
    """Return the locations at which two schemas differ, each with the difference."""
    statements = _Statements(old, new)
    found: dict[JSONPath, Difference] = {}
    repeated: set[JSONPath] = set()
    one_sided: set[JSONPath] = set()
    chains: dict[JSONPath, frozenset[Any]] = {}
    for location in dict.fromkeys([*old.locations, *new.locations]):
        own = frozenset(
            node for each in (old, new) for node in each.subschemas(location) if not node.reference
        )
        chains[location] = own
        around_it = [chains[location[:depth]] for depth in range(len(location))]
        if own and own in around_it:  # a schema that refers to itself repeats its differences
            repeated.add(location)
        if any(location[:depth] in repeated for depth in range(len(location) + 1)):
            continue
        before, after = (
            statements.keywords(each, location, each.subschemas(location))
            if location in each.locations
            else None
            for each in (old, new)
        )
        was, now = (
            statements.keywords(each, location, each.branches(location)) for each in (old, new)
        )
        difference = Difference(before, after, (was, now))
        if None in (difference.old, difference.new):
            one_sided.add(location)
            if location[:-1] not in one_sided:
                found[location] = difference
        elif difference.keywords:
            found[location] = difference
    return found


class _Statements:
    """The meaning of the keywords of two schemas, without the order and names of definitions."""

    def __init__(self, *sides: ExampleArguments) -> None:
        self._parts: dict[Node, dict[str, _Part]] = {}
        """The keywords of all nodes, but for those that add other nodes."""
        for side in sides:
            for node in reachable(side.locations[()], Node.applied):
                own = [each for each in node.applied() if each not in node.reference]
                inner = {each.place.path[len(node.place.path) :]: each for each in own}
                schema = side.keywords(node)
                self._parts[node] = {
                    key: _part_of(key, value, inner)
                    for key, value in schema.items()
                    if _is_own(key, schema, is_leaf=True)
                }

    def keywords(
        self, side: ExampleArguments, location: JSONPath, nodes: Iterable[Node]
    ) -> _Keywords:
        """Return what nodes say about the values at a location itself."""
        found: dict[str, dict[Hashable, _Part]] = {}
        for node in nodes:
            schema = side.keywords(node)
            for key, part in self._parts[node].items():
                if _is_own(key, schema, is_leaf=location not in side.expanded):
                    said = part.text, part.numbered(self._numbers) if part.below else ()
                    found.setdefault(key, {})[said] = part
        return found

    @cached_property
    def _numbers(self) -> Mapping[Node, int]:
        """A number for each node: the same for those that say the same."""
        numbers, count = dict.fromkeys(self._parts, 0), 0
        parts = {
            node: [
                part
                for each in reachable([node], Node.conjuncts)
                for part in self._parts[each].values()
            ]
            for node in numbers
        }
        for level in range(_MAX_COMPARED + 1):  # each time, they tell one level more apart
            known: dict[Hashable, int] = {}
            said = {
                node: frozenset((each.key, each.text, each.numbered(numbers)) for each in own)
                for node, own in parts.items()
            }
            numbers = {node: known.setdefault(whole, len(known)) for node, whole in said.items()}
            if len(known) == count:
                break
            count = len(known)
            if level == _MAX_COMPARED:  # what differs further down is not known: nothing is equal
                return {node: number for number, node in enumerate(numbers)}
        return numbers


_MAX_COMPARED: Final = 100
"""Maximum levels of subschemas in which two schemas are compared."""


def _is_own(key: str, schema: Mapping[str, Any], *, is_leaf: bool) -> bool:
    """Return whether a keyword belongs to its own location, not to those below it."""
    value = schema[key]
    if key in _ANNOTATIONS or value == _NEUTRAL.get(key, ()):
        return False
    if key == "minProperties" and isinstance(schema.get("required"), list):
        return bool(value > len({*schema["required"]}))
    if key == "additionalProperties":
        return value is False or (is_leaf and value is not True)
    if key in {"items", "prefixItems", "additionalItems"}:
        lists = (schema.get(each) for each in ("prefixItems", "items"))
        first = next((each for each in lists if isinstance(each, list)), [])
        others = not isinstance(value, list)
        return is_leaf or len(first) + others > 2  # noqa: PLR2004 - the first two are locations
    return is_leaf and key not in {"$ref", "allOf"} if key in _MEMBERS else True


def _sorted(value: Any) -> Any:
    return (
        json.loads(json.dumps(value, sort_keys=True)) if isinstance(value, (dict, list)) else value
    )


def bound_change(difference: Difference) -> Iterator[tuple[str, str, str]]:
    """Yield what a difference says by itself: a kind of judgement, a name below it, and words.

    It needs no call: a required name, a closed object, and the bounds of sizes and numbers.
    """
    required = [
        {name for text in texts_of(side, "required") for name in json.loads(text)}
        for side in difference.sides
    ]
    for name in sorted(required[1] - required[0]):
        yield "refused", name, "is required now"
    for name in sorted(required[0] - required[1]):
        yield "accepted", name, "is optional now"
    closed = ["false" in texts_of(side, "additionalProperties") for side in difference.sides]
    if closed[0] != closed[1]:
        yield ("closed", "", "") if closed[1] else ("opened", "", "")
    for key in (*_LOWER, *_UPPER):
        limits = [[json.loads(text) for text in texts_of(side, key)] for side in difference.sides]
        if limits[0] == limits[1] or any(len(each) > 1 for each in limits):
            continue
        was, now = (next(iter(each), None) for each in limits)
        is_tighter = now is not None and (was is None or (now > was) == (key in _LOWER))
        kind = "refused" if is_tighter else "accepted"
        yield kind, "", f"{key} is {'gone' if now is None else canonical_json(now)} now"
