"""Calls that probe the limits of two schemas: valid ones, and each with one place changed."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from schema2model.coerce.diagnosis.examples import Examples
from schema2model.coerce.diagnosis.unions import closure, flatten_branches
from schema2model.compiled import CompiledSchema
from schema2model.json.canonical import canonical_json
from schema2model.schema.nodes import Node

__all__ = ["CallPath", "Sampler", "any_values", "changed_calls"]

MAX_BASES = 6
"""Maximum valid calls of one schema that are changed place by place."""

MAX_SITES = 300
"""Maximum places of one schema."""

MAX_LEVELS = 8
"""Maximum levels of containers around a place."""

MAX_VALUES = 60
"""Maximum values for one place."""

MAX_SIZE = 1_000
"""Maximum length of a text or an array that is made to probe a limit."""

CallPath = tuple[str | int, ...]
"""The names and indices that lead to a place in arguments."""

Site = dict[CallPath, tuple[Node, ...]]

_ANYTHING: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**6,
    "",
    "text",
    "1",
    [],
    ["text"],
    [0],
    {},
)
_FORMATTED: Final = (
    "2024-02-29",
    "2024-02-29T12:00:00Z",
    "12:00:00Z",
    "P1D",
    "a@b.example",
    "example.com",
    "https://example.com/a",
    "/a",
    "127.0.0.1",
    "::1",
    "123e4567-e89b-12d3-a456-426614174000",
)


class Sampler:
    """Makes calls for one schema."""

    def __init__(self, compiled: CompiledSchema) -> None:
        self._compiled = compiled
        self._examples = Examples(compiled._engine.verdicts, levels=MAX_LEVELS)
        self.sites = _sites(compiled._engine.root)

    def bases(self) -> list[Any]:
        """Valid calls: the smallest, the largest, and some in between."""
        made: dict[str, Any] = {}
        for value in self._examples.samples((self._compiled._engine.root,)):
            if isinstance(value, dict) and self._compiled.is_valid(value):
                made.setdefault(canonical_json(value), value)
        ordered = sorted(made.values(), key=lambda call: len(canonical_json(call)))
        kept = [*ordered[:2], *ordered[-2:], *ordered[len(ordered) // 2 :]]
        return [*{canonical_json(call): call for call in kept}.values()][:MAX_BASES]

    def choices(self, location: CallPath) -> dict[str, Any]:
        """Return the allowed values of a place, by their JSON text; none if it has no `enum`."""
        nodes = closure(self.sites.get(location, ()))
        return {canonical_json(each): each for node in nodes for each in node.choices or ()}

    def values(self, location: CallPath) -> Iterator[Any]:
        """Values at the limits of what the schema accepts at a place."""
        nodes = self.sites.get(location, ())
        if nodes:
            yield from self._examples.samples(nodes)
            for node in islice(_branches(nodes), MAX_VALUES):
                if isinstance(node.schema, dict):
                    samples = self._examples.samples((node,)) if node.accepts("array") else ()
                    yield from _limits(node.schema, samples)


def changed_calls(base: Any, location: CallPath, values: Iterable[Any]) -> Iterator[Any]:
    """Yield a call with each of the values at a place, and without the place."""
    if not location:
        return
    *around, last = location
    seen: set[str] = set()
    for value in islice(values, MAX_VALUES):
        text = canonical_json(value)
        if text not in seen:
            seen.add(text)
            call = copy.deepcopy(base)
            holder = _at(call, around)
            if not _fits(holder, last):
                return
            if isinstance(holder, list) and last == len(holder):
                holder.append(value)
            else:
                holder[last] = value
            yield call
    call = copy.deepcopy(base)
    holder = _at(call, around)
    keys = range(len(holder)) if isinstance(holder, list) else holder or ()
    if last in keys:
        del holder[last]
        yield call


def any_values() -> Iterator[Any]:
    """Values of all types and formats."""
    yield from _ANYTHING
    yield from _FORMATTED


def _at(call: Any, location: Sequence[str | int]) -> Any:
    for key in location:
        if not _fits(call, key) or (
            key not in call if isinstance(call, dict) else key == len(call)
        ):
            return None
        call = call[key]
    return call


def _fits(holder: Any, key: str | int) -> bool:
    if isinstance(holder, dict):
        return isinstance(key, str)
    return isinstance(holder, list) and isinstance(key, int) and key <= len(holder)


def _branches(nodes: Sequence[Node]) -> list[Node]:
    """Return the subschemas of a place, and the branches of their unions."""
    found = dict.fromkeys(closure(nodes))
    for node in [*found]:
        for group in filter(None, (node.any_of, node.one_of)):
            for leaf in flatten_branches(group):
                found |= dict.fromkeys(leaf.nodes)
    return [*found]


def _sites(root: Node) -> Site:
    """Return the places that a schema describes, each with the subschemas for it."""
    sites: Site = {(): (root,)}
    queue: list[CallPath] = [()]
    for location in queue:
        if len(location) >= MAX_LEVELS or len(sites) >= MAX_SITES:
            continue
        found: Site = {}
        for node in _branches(sites[location]):
            inner = dict(node.properties)
            if node.additional is not None and not node.additional.is_false:
                inner.setdefault("key1", node.additional)
            items: dict[str | int, Node] = {
                index: each for index in range(2) for each in node.item_subschemas(index)
            }
            for key, child in [*inner.items(), *items.items()]:
                place = (*location, key)
                found[place] = (*found.get(place, ()), child)
        for place, nodes in islice(found.items(), MAX_SITES - len(sites)):
            sites[place] = nodes
            queue.append(place)
    return sites


def _limits(schema: dict[str, Any], samples: Iterable[Any]) -> Iterator[Any]:
    """Values just within and just outside the bounds that a schema states."""
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
