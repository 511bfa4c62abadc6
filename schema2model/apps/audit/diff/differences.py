"""Locations at which two schemas differ, whatever the order and the annotations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from schema2model.apps.audit.diff.example_arguments import MAX_SIZE, ExampleArguments
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import JSONPath
from schema2model.schema.nodes import Node

__all__ = ["UNPROBED", "Difference", "bound_change", "differences"]

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

_MAPS: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies"}
)
"""Keywords whose value has a subschema or a list for each name."""

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


_Keywords = Mapping[str, "tuple[str, ...]"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The keywords of one location by which two schemas differ, each with its values as JSON text.

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
        """The keywords whose values differ."""
        return _differing(*self.sides)

    @property
    def keywords_of_branches(self) -> frozenset[str]:
        """The keywords whose values differ in the branches of unions."""
        return _differing(*self.branches)

    def texts(self) -> str:
        """Return all values that differ, as one text."""
        return "\n".join(
            text for side in self.sides for key in self.keywords for text in side.get(key, ())
        )

    def is_beyond_probing(self) -> bool:
        """Return whether no call that is tried may show this difference."""
        return any(_is_beyond_probing(*sides) for sides in (self.sides, self.branches))


def _differing(old: _Keywords, new: _Keywords) -> frozenset[str]:
    return frozenset(key for key in {**old, **new} if old.get(key) != new.get(key))


def _is_beyond_probing(old: _Keywords, new: _Keywords) -> bool:
    keywords = _differing(old, new)
    sizes = [
        text
        for side in (old, new)
        for key in (*_LOWER[:3], *_UPPER[:3])
        if key in keywords
        for text in side.get(key, ())
    ]
    is_partial = any(
        other in {**old, **new} and not keywords.isdisjoint(bounds)
        for other, bounds in _BOUNDS_BESIDE.items()
    )
    is_large = any(float(size) > MAX_SIZE for size in sizes)
    return bool(keywords & UNPROBED) or is_partial or is_large


def differences(old: ExampleArguments, new: ExampleArguments) -> dict[JSONPath, Difference]:
    """Return the locations at which two schemas differ, each with the difference."""
    sides = _Side(old), _Side(new)
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
        before, after = (each.keywords(location) for each in sides)
        was, now = (each.keywords_of_branches(location) for each in sides)
        difference = Difference(before, after, (was, now))
        if None in (difference.old, difference.new):
            one_sided.add(location)
            if location[:-1] not in one_sided:
                found[location] = difference
        elif difference.keywords:
            found[location] = difference
    return found


class _Side:
    """One of the schemas, with the keywords of its locations in a form that no order changes."""

    def __init__(self, examples: ExampleArguments) -> None:
        self._examples = examples

    def keywords(self, location: JSONPath) -> _Keywords | None:
        """Return the values of all keywords at a location; None if it is not described."""
        is_known = location in self._examples.locations
        return self._keywords(location, self._examples.subschemas(location)) if is_known else None

    def keywords_of_branches(self, location: JSONPath) -> _Keywords:
        """Return the values of all keywords in the branches of the unions at a location."""
        return self._keywords(location, self._examples.branches(location))

    def _keywords(self, location: JSONPath, nodes: Iterable[Node]) -> _Keywords:
        values: dict[str, set[str]] = {}
        for node in nodes:
            schema = self._examples.keywords(node)
            for key, value in schema.items():
                if _is_own(key, schema, is_leaf=location not in self._examples.expanded):
                    values.setdefault(key, set()).add(self._text(key, value))
        return {key: tuple(sorted(texts)) for key, texts in values.items()}

    def _text(self, key: str, value: Any) -> str:
        text = canonical_json(_ordered(key, value))
        refers = '"$ref":' in text or '"$dynamicRef":' in text
        return f"{text}\n{self._definitions}" if refers else text

    @cached_property
    def _definitions(self) -> str:
        return canonical_json(_ordered("properties", self._examples.definitions))


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


def _ordered(key: str, value: Any) -> Any:
    """Return the value of a keyword without annotations, in an order that is always the same."""
    if key in {"const", "default"}:
        return _sorted(value)
    if isinstance(value, dict):
        if key in _MAPS:
            return {name: _ordered("required", value[name]) for name in sorted(value)}
        kept = (name for name in sorted(value) if name not in _ANNOTATIONS)
        return {name: _ordered(name, value[name]) for name in kept if not name.startswith("x-")}
    if isinstance(value, list):
        items = [_sorted(each) if key == "enum" else _ordered("", each) for each in value]
        return sorted(items, key=canonical_json) if key in _SETS else items
    return value


def _sorted(value: Any) -> Any:
    return (
        json.loads(json.dumps(value, sort_keys=True)) if isinstance(value, (dict, list)) else value
    )


def bound_change(difference: Difference) -> Iterator[tuple[str, str, str]]:
    """Yield what a difference says by itself: a kind of judgement, a name below it, and words.

    It needs no call: a required name, a closed object, and the bounds of sizes and numbers.
    """
    required = [
        {name for text in side.get("required", ()) for name in json.loads(text)}
        for side in difference.sides
    ]
    for name in sorted(required[1] - required[0]):
        yield "refused", name, "is required now"
    for name in sorted(required[0] - required[1]):
        yield "accepted", name, "is optional now"
    closed = ["false" in side.get("additionalProperties", ()) for side in difference.sides]
    if closed[0] != closed[1]:
        yield ("closed", "", "") if closed[1] else ("opened", "", "")
    for key in (*_LOWER, *_UPPER):
        limits = [[json.loads(text) for text in side.get(key, ())] for side in difference.sides]
        if limits[0] == limits[1] or any(len(each) > 1 for each in limits):
            continue
        was, now = (next(iter(each), None) for each in limits)
        is_tighter = now is not None and (was is None or (now > was) == (key in _LOWER))
        kind = "refused" if is_tighter else "accepted"
        yield kind, "", f"{key} is {'gone' if now is None else canonical_json(now)} now"
