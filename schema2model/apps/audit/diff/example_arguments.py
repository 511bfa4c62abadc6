"""Example arguments for a schema: valid calls, and values at its limits for each location."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Any

from schema2model.coerce.diagnosis.examples import Examples
from schema2model.coerce.diagnosis.members import MemberChecker
from schema2model.coerce.diagnosis.unions import closure, flatten_branches
from schema2model.coerce.diagnosis.violations import issues
from schema2model.compiled import CompiledSchema
from schema2model.errors import Issue
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import JSONPath
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.parts import Parts

__all__ = ["FREE_NAMES", "MAX_SIZE", "ExampleArguments", "issues_of"]

MAX_CALLS = 6
"""Maximum valid calls."""

MAX_LOCATIONS = 2_000
"""Number of locations from which on no more containers have their members added."""

MAX_LEVELS = 8
"""Maximum levels of containers around a location."""

MAX_BRANCHES = 60
"""Maximum subschemas and branches of unions that give values for one location."""

MAX_SIZE = 10_000
"""Maximum length of a text or an array that is made to probe a limit."""

FREE_NAMES = (*(f"key{number}" for number in range(1, 10)), "_", "Z", "0", "-")
"""Names for additional properties: the first that a schema does not declare."""


def issues_of(compiled: CompiledSchema, value: Any) -> tuple[Issue, ...]:
    """Return the issues of a value, without a search for what it may mean.

    >>> from schema2model import compile_schema
    >>> issues_of(compile_schema({"type": "integer"}), "1")[0].keyword
    'type'
    """
    return issues(compiled._engine.verdicts, compiled._engine.root, value)


class ExampleArguments:
    """Example arguments for one schema, and values for each location in them.

    >>> from schema2model import compile_schema
    >>> schema = {"properties": {"n": {"type": "integer", "maximum": 5}}, "required": ["n"]}
    >>> examples = ExampleArguments(compile_schema({"type": "object", **schema}))
    >>> examples.calls(), [*examples.locations], 5 in examples.values(("n",))
    ([{'n': 1}], [(), ('n',)], True)
    """

    def __init__(self, compiled: CompiledSchema) -> None:
        self._compiled = compiled
        self._examples = Examples(compiled._engine.verdicts, levels=MAX_LEVELS)
        self._members = MemberChecker(compiled._engine.verdicts)
        self._containers: dict[tuple[JSONPath, type], Any] = {}
        self._samples = functools.cache(self._examples.samples)
        self.locations, self.expanded = _locations(compiled._engine.root)
        """The locations that the schema describes, each with the subschemas for it; and those of
        which the members are locations, too."""

    def keywords(self, node: Node) -> dict[str, Any]:
        """Return the keywords of a subschema that its dialect knows, with their values."""
        schema = node.schema
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        dialect = self._compiled._engine.verdicts.documents.dialect_of(node.place.document)
        if dialect.ref_overrides and "$ref" in schema:
            return {"$ref": schema["$ref"]}
        return {name: value for name, value in schema.items() if name in dialect.keywords}

    def subschemas(self, location: JSONPath) -> tuple[Node, ...]:
        """Return the subschemas for a location, with those that they refer to or join."""
        return closure(self.locations.get(location, ()))

    def branches(self, location: JSONPath) -> list[Node]:
        """Return the branches of the unions at a location, with those that they refer to or join.

        Unions within branches have their branches here, too.
        """
        nodes = self.locations.get(location, ())
        alone = {*closure(nodes)}
        return [node for node in _branches(nodes) if node not in alone]

    @cached_property
    def declared(self) -> frozenset[str | int]:
        """The properties that any location declares."""
        return frozenset(name for node in self._all_subschemas() for name in node.properties)

    @cached_property
    def required(self) -> frozenset[str | int]:
        """The properties that any location requires."""
        return frozenset(name for node in self._all_subschemas() for name in node.required)

    def _all_subschemas(self) -> Iterator[Node]:
        return chain(*map(_branches, self.locations.values()))

    def accepts(self, location: JSONPath, value: Any) -> bool:
        """Return whether a value is valid at a location, whatever is around it."""
        nodes = self.locations.get(location)
        return nodes is not None and self._members.valid(nodes, value)

    def calls(self) -> list[Any]:
        """Return valid calls: the smallest, the largest, and some in between.

        >>> from schema2model import compile_schema
        >>> schema = {"type": "object", "properties": {name: {"const": 1} for name in "abcdefgh"}}
        >>> [len(call) for call in ExampleArguments(compile_schema(schema)).calls()]
        [0, 1, 7, 8, 2, 3]
        """
        made: dict[str, Any] = {}
        samples = self._samples((self._compiled._engine.root,))
        for value in (*samples, self._required_call()):
            if isinstance(value, dict) and self._compiled.is_valid(value):
                made.setdefault(canonical_json(value), value)
        ordered = sorted(made.values(), key=lambda call: len(canonical_json(call)))
        kept = [*ordered[:2], *ordered[-2:], *ordered]
        return [*{canonical_json(call): call for call in kept}.values()][:MAX_CALLS]

    def _required_call(self) -> dict[str, Any]:
        """Return a call with the required properties, however many there are."""
        nodes = closure((self._compiled._engine.root,))
        described = Parts(nodes)
        call = {}
        for name in dict.fromkeys(chain(*(node.required for node in nodes))):
            parts = described.property_subschemas(name)
            samples = self._samples(parts) if parts else ["text"]
            valid = (each for each in samples if self._members.valid(parts, each))
            call[name] = next(valid, None)
        return call

    def container(self, location: JSONPath, kind: type) -> Any:
        """Return a valid object or array for a location, or None."""
        known = self._containers
        if (location, kind) not in known:  # making each anew took a third of the time of `diff`
            nodes = self.locations.get(location, ())
            samples = self._samples(nodes) if nodes else ()
            found = (
                each for each in samples if type(each) is kind and self.accepts(location, each)
            )
            known[location, kind] = next(found, None)
        return copy.deepcopy(known[location, kind])

    def choices(self, location: JSONPath) -> dict[str, Any]:
        """Return the values that a location or a branch of its unions enumerates, by JSON text."""
        nodes = _branches(self.locations.get(location, ()))
        return {canonical_json(each): each for node in nodes for each in node.choices or ()}

    def containers(self, location: JSONPath) -> Iterator[Any]:
        """Yield the largest object or array for each branch of the unions at a location."""
        for node in islice(_branches(self.locations.get(location, ())), MAX_BRANCHES):
            if node.accepts("array") or node.accepts("object"):
                samples = self._samples((node,))
                yield from [each for each in samples if isinstance(each, (list, dict))][-1:]

    def is_sampled(self, location: JSONPath) -> bool:
        """Return whether each branch of the unions at a location gives values."""
        nodes = _branches(self.locations.get(location, ()))
        return sum(node.choices is None for node in nodes) <= MAX_BRANCHES

    def values(self, location: JSONPath) -> Iterator[Any]:
        """Yield values at the limits of what the schema accepts at a location."""
        nodes = self.locations.get(location, ())
        if nodes:
            yield from self._samples(nodes)
            branches = _branches(nodes)
            for node in islice(reachable(branches, _on_condition), MAX_BRANCHES):
                if isinstance(node.schema, dict):
                    is_container = node.accepts("array") or node.accepts("object")
                    samples = self._samples((node,)) if is_container else ()
                    yield from _limits(node.schema, samples)
                    yield from samples if node not in branches else ()


def _on_condition(node: Node) -> Iterator[Node]:
    for each in node.conditions:
        yield from filter(None, (each.test, each.then, each.otherwise))
    yield from node.negated


def _branches(nodes: Sequence[Node]) -> list[Node]:
    """Return the subschemas of a location, and the branches of their unions."""
    found = dict.fromkeys(closure(nodes))
    for node in [*found]:
        for group in filter(None, (node.any_of, node.one_of)):
            for leaf in flatten_branches(group):
                found |= dict.fromkeys(leaf.nodes)
    return [*found]


def _locations(root: Node) -> tuple[dict[JSONPath, tuple[Node, ...]], set[JSONPath]]:
    locations: dict[JSONPath, tuple[Node, ...]] = {(): (root,)}
    queue: list[JSONPath] = [()]
    expanded: set[JSONPath] = set()
    for location in queue:
        if len(location) >= MAX_LEVELS or len(locations) >= MAX_LOCATIONS:
            continue
        expanded.add(location)
        found: dict[JSONPath, tuple[Node, ...]] = {}
        for node in _branches(locations[location]):
            inner = dict(node.properties)
            free = next((name for name in FREE_NAMES if not node.declares(name)), None)
            if free and node.additional is not None and not node.additional.is_false:
                inner[free] = node.additional
            items: dict[str | int, Node] = {
                index: each for index in range(2) for each in node.item_subschemas(index)
            }
            for key, child in [*inner.items(), *items.items()]:
                inner_location = (*location, key)
                found[inner_location] = (*found.get(inner_location, ()), child)
        locations |= found
        queue += found
    return locations, expanded


def _limits(schema: dict[str, Any], samples: Iterable[Any]) -> Iterator[Any]:
    """Yield values just within and just outside the bounds that a schema states."""
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        bound = schema.get(keyword)
        if isinstance(bound, (int, float)) and not isinstance(bound, bool):
            yield from (bound + each for each in (0, -1, 1, -0.5, 0.5))
    factor = schema.get("multipleOf")
    if isinstance(factor, (int, float)):
        yield from [factor, 2 * factor, factor / 2, 7 * factor, factor + 1]
    for size in _sizes(schema, "Length"):
        yield "x" * size
    samples = [*islice(samples, 3)]
    lists = [each for each in samples if isinstance(each, list) and each]
    maps = [each for each in samples if isinstance(each, dict) and each]
    item = lists[0][0] if lists else "text"
    if schema.get("type") == "array" or lists:
        yield [item, item]
        for size in _sizes(schema, "Items"):
            yield [item] * size
    member = next((value for each in maps for value in each.values()), "text")
    for size in _sizes(schema, "Properties"):
        yield {f"key{index}": member for index in range(1, size + 1)}
    if isinstance(schema.get("default"), (str, int, float, list, dict)):
        yield schema["default"]


def _sizes(schema: dict[str, Any], of: str) -> Iterator[int]:
    """Yield the sizes just within and just outside those that a schema allows."""
    for size in (schema.get(f"min{of}"), schema.get(f"max{of}")):
        if isinstance(size, int) and size <= MAX_SIZE:
            yield from range(max(size - 1, 0), size + 2)
