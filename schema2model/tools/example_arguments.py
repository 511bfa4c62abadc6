"""Example arguments for a schema: valid calls, and values at its limits for each location."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from schema2model.coerce.diagnosis.examples import Examples
from schema2model.coerce.diagnosis.unions import closure, flatten_branches
from schema2model.compiled import CompiledSchema
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import JSONPath
from schema2model.schema.nodes import Node

__all__ = ["ExampleArguments"]

MAX_CALLS = 6
"""Maximum valid calls."""

MAX_LOCATIONS = 300
"""Maximum locations."""

MAX_LEVELS = 8
"""Maximum levels of containers around a location."""

MAX_BRANCHES = 60
"""Maximum subschemas and branches of unions that give values for one location."""

MAX_SIZE = 1_000
"""Maximum length of a text or an array that is made to probe a limit."""


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
        self.locations = _locations(compiled._engine.root)
        """The locations that the schema describes, each with the subschemas for it."""

    def calls(self) -> list[Any]:
        """Return valid calls: the smallest, the largest, and some in between."""
        made: dict[str, Any] = {}
        for value in self._examples.samples((self._compiled._engine.root,)):
            if isinstance(value, dict) and self._compiled.is_valid(value):
                made.setdefault(canonical_json(value), value)
        ordered = sorted(made.values(), key=lambda call: len(canonical_json(call)))
        kept = [*ordered[:2], *ordered[-2:], *ordered[len(ordered) // 2 :]]
        return [*{canonical_json(call): call for call in kept}.values()][:MAX_CALLS]

    def choices(self, location: JSONPath) -> dict[str, Any]:
        """Return the only values that a location allows, by their JSON text; {} if any are."""
        nodes = closure(self.locations.get(location, ()))
        return {canonical_json(each): each for node in nodes for each in node.choices or ()}

    def values(self, location: JSONPath) -> Iterator[Any]:
        """Yield values at the limits of what the schema accepts at a location."""
        nodes = self.locations.get(location, ())
        if nodes:
            yield from self._examples.samples(nodes)
            for node in islice(_branches(nodes), MAX_BRANCHES):
                if isinstance(node.schema, dict):
                    samples = self._examples.samples((node,)) if node.accepts("array") else ()
                    yield from _limits(node.schema, samples)


def _branches(nodes: Sequence[Node]) -> list[Node]:
    """Return the subschemas of a location, and the branches of their unions."""
    found = dict.fromkeys(closure(nodes))
    for node in [*found]:
        for group in filter(None, (node.any_of, node.one_of)):
            for leaf in flatten_branches(group):
                found |= dict.fromkeys(leaf.nodes)
    return [*found]


def _locations(root: Node) -> dict[JSONPath, tuple[Node, ...]]:
    locations: dict[JSONPath, tuple[Node, ...]] = {(): (root,)}
    queue: list[JSONPath] = [()]
    for location in queue:
        if len(location) >= MAX_LEVELS or len(locations) >= MAX_LOCATIONS:
            continue
        found: dict[JSONPath, tuple[Node, ...]] = {}
        for node in _branches(locations[location]):
            inner = dict(node.properties)
            if node.additional is not None and not node.additional.is_false:
                inner.setdefault("key1", node.additional)
            items: dict[str | int, Node] = {
                index: each for index in range(2) for each in node.item_subschemas(index)
            }
            for key, child in [*inner.items(), *items.items()]:
                inner_location = (*location, key)
                found[inner_location] = (*found.get(inner_location, ()), child)
        for inner_location, nodes in islice(found.items(), MAX_LOCATIONS - len(locations)):
            locations[inner_location] = nodes
            queue.append(inner_location)
    return locations


def _limits(schema: dict[str, Any], samples: Iterable[Any]) -> Iterator[Any]:
    """Yield values just within and just outside the bounds that a schema states."""
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        bound = schema.get(keyword)
        if isinstance(bound, (int, float)) and not isinstance(bound, bool):
            yield from (bound + each for each in (0, -1, 1, -0.5, 0.5))
    factor = schema.get("multipleOf")
    if isinstance(factor, (int, float)):
        yield from [factor, 2 * factor, factor / 2, 7 * factor, factor + 1]
    for keyword in ("minLength", "maxLength"):
        size = schema.get(keyword)
        if isinstance(size, int) and size <= MAX_SIZE:
            yield from ["x" * each for each in range(max(size - 1, 0), size + 2)]
    samples = [*islice(samples, 3)]
    lists = [each for each in samples if isinstance(each, list) and each]
    item = lists[0][0] if lists else "text"
    if schema.get("type") == "array" or lists:
        yield [item, item]
        for keyword in ("minItems", "maxItems"):
            size = schema.get(keyword)
            if isinstance(size, int) and size <= MAX_SIZE:
                yield from [[item] * each for each in range(max(size - 1, 0), size + 2)]
    if isinstance(schema.get("default"), (str, int, float, list, dict)):
        yield schema["default"]
