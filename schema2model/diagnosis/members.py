"""Places in arguments: what is refused of an object's names and of a container's members."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

from schema2model.diagnosis.unions import Leaf
from schema2model.json.equality import membership
from schema2model.likeness import meant
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING

__all__ = ["Compared", "Kind", "Members", "Problem", "Spot", "below", "names_judged"]

Path = tuple[str | int, ...]

FEW = 16
"""Values that are judged one by one; more are judged in as many slices first."""

MANY = 100
"""Choices that are not compared one by one."""

LIGHT = 64
"""Values that a container may hold to be judged as a whole without a second thought."""

_CONTAINERS = frozenset((dict, list))

COMPARED_IN_A_CALL = 300
"""Names that are compared in one call when looking for the closest."""

Kind = Literal["value", "missing", "unknown", "name", "several"]
"""What a problem is about: a value, a property that is not there or not known, a property's name,
or a value that fits more than one branch of `oneOf`."""


class Spot(NamedTuple):
    """A place in the arguments: the value there, and the subschemas that it has to satisfy.

    `refused` tells that one of them is known to refuse the value.
    """

    path: Path
    value: Any
    nodes: tuple[Node, ...]
    refused: bool = False


class Problem(NamedTuple):
    """One thing that is wrong.

    `nodes` are the subschemas that a value at the place has to satisfy, `parts` all of those that
    apply in place of them to what was sent. `leaves` are the branches of the union that is wrong.
    `other` is a name: of the property that was meant, or of what was sent for one that is missing.
    """

    path: Path
    keyword: str
    value: Any
    nodes: tuple[Node, ...]
    parts: tuple[Node, ...]
    kind: Kind = "value"
    leaves: Sequence[Leaf] = ()
    other: str | None = None
    names: tuple[str, ...] = ()
    refusing: Node | None = None


class Members:
    """Judges an object's names, and the members of containers, as few as need be."""

    def __init__(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts
        self._validators: dict[Node, Callable[[Any], bool]] = verdicts.memo("validators", dict)
        self.compared = Compared()

    def valid(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid under a node."""
        validator = self._validators.get(node)
        if validator is None:
            validator = self._validators[node] = self._compile(node)
        return validator(value)

    def _compile(self, node: Node) -> Callable[[Any], bool]:
        if isinstance(node.schema, bool):
            return lambda _: bool(node.schema)
        return self.among(node) or self.verdicts.is_valid_at(node.dereferenced().place)

    def among(self, node: Node) -> Callable[[Any], bool] | None:
        """Whether a value is one of a node's many choices, if it asks for nothing else.

        jsonschema-rs compares a value with each of them.
        """
        if node.choices is None or len(node.choices) < MANY or len(self.asserted(node)) > 1:
            return None
        return self.verdicts.memo(("among", node), lambda: membership(node.choices or ()))

    def asserted(self, node: Node) -> list[str]:
        """The keywords of a node that assert something."""
        return self.verdicts.memo(node, lambda: self.verdicts.asserted(node.place))

    def children(self, parts: Sequence[Node], name: str) -> tuple[Node, ...]:
        """The subschemas for a property of this name."""
        if len(parts) == 1:
            return parts[0].property_subschemas(name)
        found = (child for part in parts for child in part.property_subschemas(name))
        return tuple(dict.fromkeys(found))

    # ------------------------------------------------------------------------------- members
    def refused(self, spot: Spot, parts: Sequence[Node]) -> Iterator[Spot]:
        """The members that are refused, or may be, in their order."""
        value = spot.value
        if type(value) is dict and len(parts) == 1 and value.keys() <= parts[0].properties.keys():
            yield from self._declared(spot, parts[0].properties)
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
                for name in names_judged(value, parts):
                    groups.setdefault(self.children(parts, name), []).append(name)
        unjudged = _heaviest(value) if groups and len(value) <= FEW else NOTHING
        unknown = {node.additional for node in parts if type(value) is dict}
        unknown |= {child for node in parts for child in node.patterns.values()}
        for nodes, keys in groups.items():
            if not any(node.is_false and node in unknown for node in nodes):  # told as a name
                yield from self._of_group(spot, nodes, keys, unjudged)

    def _declared(self, spot: Spot, properties: Mapping[str, Node]) -> Iterator[Spot]:
        """Those of declared properties, each of which has a subschema of its own."""
        unjudged = _heaviest(spot.value)
        for name, value in spot.value.items():
            node = properties[name]
            is_judged = value is not unjudged
            if not (is_judged and self.valid(node, value)):
                yield Spot((*spot.path, name), value, (node,), refused=is_judged)

    def _of_group(
        self, spot: Spot, nodes: tuple[Node, ...], keys: list[Any], unjudged: Any
    ) -> Iterator[Spot]:
        """Of members to which the same subschemas apply, those that are refused."""
        if len(keys) == 1:
            value = spot.value[keys[0]]
            if value is unjudged:
                yield Spot((*spot.path, keys[0]), value, nodes)
            elif not all(self.valid(node, value) for node in nodes):
                yield Spot((*spot.path, keys[0]), value, nodes, refused=True)
            return
        values = [spot.value[key] for key in keys]
        start = 0
        if len(values) <= FEW and any(each is unjudged for each in values):
            for key, value in zip(keys, values, strict=True):
                if value is unjudged:
                    yield Spot((*spot.path, key), value, nodes)
                elif not all(self.valid(node, value) for node in nodes):
                    yield Spot((*spot.path, key), value, nodes, refused=True)
            return
        while start < len(values):
            firsts = [next(self._failing(node, values, start), len(values)) for node in nodes]
            start = min(firsts, default=len(values))
            if start < len(values):
                yield Spot((*spot.path, keys[start]), values[start], nodes, refused=True)
            start += 1

    def _failing(
        self, node: Node, values: list[Any], start: int, stop: int | None = None
    ) -> Iterator[int]:
        """The indices of the values that a node refuses."""
        stop = len(values) if stop is None else stop
        if isinstance(node.schema, bool):
            yield from () if node.schema else range(start, stop)
        elif stop - start <= FEW or self.among(node) is not None:
            yield from (i for i in range(start, stop) if not self.valid(node, values[i]))
        else:
            are_valid = self.verdicts.all_valid_at(node.dereferenced().place)
            step = max(FEW, (stop - start + FEW - 1) // FEW)
            for low in range(start, stop, step):
                high = min(low + step, stop)
                if not are_valid(values[low:high]):
                    yield from self._failing(node, values, low, high)

    # --------------------------------------------------------------------------------- names
    def names(self, spot: Spot, parts: Sequence[Node], limit: int) -> list[Problem]:
        """Properties that are missing, that are not known, and names that are refused."""
        missing = self._missing(spot, parts)[:limit]
        refused = [*islice(self._unknown(spot, parts), limit)]
        found = self._misspelt(spot, parts, missing, refused) if missing or refused else []
        return [*found, *islice(self._misnamed(spot, parts), limit)]

    def _misspelt(
        self,
        spot: Spot,
        parts: Sequence[Node],
        missing: Sequence[str],
        refused: Sequence[tuple[str, str]],
    ) -> list[Problem]:
        """Names that are missing and names that are not known: one may be meant by the other."""
        known: Collection[str] = parts[0].properties
        if len(parts) > 1:
            known = {name: None for node in parts for name in node.properties}
        loose = [name for name in islice(spot.value, COMPARED_IN_A_CALL) if name not in known]
        free = [name for name in known if name not in spot.value] if refused else []
        problems = []
        taken: set[str] = set()
        for name in missing:
            sole = loose[0] if len(loose) == len(missing) == 1 else None
            others = [each for each in loose if each not in taken]
            other = self.compared.closest(name, others, keep=False) or sole
            if other is not None:
                taken.add(other)
            nodes = self.children(parts, name)
            place = (*spot.path, name)
            problems.append(Problem(place, "required", None, nodes, nodes, "missing", other=other))
        for name, keyword in refused:
            if name not in taken:
                other = self.compared.closest(name, [each for each in free if each not in missing])
                place = (*spot.path, name)
                problem = Problem(place, keyword, spot.value[name], (), (), "unknown", other=other)
                problems.append(problem._replace(names=tuple(islice(free, FEW))))
        return problems

    def _missing(self, spot: Spot, parts: Sequence[Node]) -> list[str]:
        value = spot.value
        missing: dict[str, None] = {}
        for node in parts:
            missing |= {name: None for name in node.required if name not in value}
            for name, others in self.verdicts.memo(("dependent", node), lambda: self._dependent(node)):
                if name in value:
                    missing |= {other: None for other in others if other not in value}
        return [*missing]

    def _dependent(self, node: Node) -> list[tuple[str, list[str]]]:
        """The properties that want others beside them."""
        groups = [
            node.schema[keyword].items()
            for keyword in ("dependentRequired", "dependencies")
            if keyword in self.asserted(node)
        ]
        return [(name, others) for name, others in chain(*groups) if isinstance(others, list)]

    def _unknown(self, spot: Spot, parts: Sequence[Node]) -> Iterator[tuple[str, str]]:
        for node in parts:
            if node.forbids_additional:
                for name in spot.value:
                    if not node.declares(name):
                        yield name, "additionalProperties"
            for pattern, child in node.patterns.items():
                if child.is_false:
                    for name in spot.value:
                        if pattern.matches(name):
                            yield name, "patternProperties"

    def _misnamed(self, spot: Spot, parts: Sequence[Node]) -> Iterator[Problem]:
        for node in parts:
            if "propertyNames" not in node.residual:
                continue
            names = self.verdicts.memo(("names", node), partial(below, node, "propertyNames"))
            keys = list(spot.value)
            for index in self._failing(names, keys, 0):
                path = (*spot.path, keys[index])
                yield Problem(path, "propertyNames", keys[index], (names,), (names,), "name")

    # --------------------------------------------------------------------------- unevaluated
    def unevaluated(self, spot: Spot, node: Node, parts: Sequence[Node]) -> list[Problem]:
        """Which properties no other keyword has looked at."""
        value = spot.value
        if type(value) is not dict:
            return []
        known = dict.fromkeys(name for part in parts for name in part.properties)
        looked_at = {name: value[name] for name in value if name in known}
        others = [name for name in value if name not in known]
        if not others or not self.valid(node, looked_at):
            return []
        refused = self._unevaluated(node, looked_at, {name: value[name] for name in others})
        free = [name for name in known if name not in value]
        return [
            Problem(
                (*spot.path, name),
                "unevaluatedProperties",
                value[name],
                (),
                (),
                "unknown",
                other=self.compared.closest(name, free),
                names=tuple(free[:FEW]),
            )
            for name in islice(refused, FEW)
        ]

    def _unevaluated(
        self, node: Node, looked_at: dict[str, Any], others: dict[str, Any]
    ) -> Iterator[str]:
        """The properties that a node refuses beside those that are looked at."""
        if len(others) > FEW:
            names = [*others]
            half = len(names) // 2
            for some in (names[:half], names[half:]):
                part = {name: others[name] for name in some}
                if not self.valid(node, looked_at | part):
                    yield from self._unevaluated(node, looked_at, part)
        else:
            yield from (n for n in others if not self.valid(node, {**looked_at, n: others[n]}))


def below(node: Node, keyword: str) -> Node:
    """The subschema of a keyword that lowering leaves to jsonschema-rs."""
    place = node.place._replace(path=(*node.place.path, keyword))
    inner = Node(node.schema[keyword], place)
    if isinstance(inner.schema, dict) and "$ref" not in inner.schema:
        kinds = inner.schema.get("type")
        if kinds is not None:
            inner.types = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        if "const" in inner.schema or "enum" in inner.schema:
            inner.choices = inner.schema.get("enum", [inner.schema.get("const")])
    return inner


class Compared:
    """Compares names, up to `COMPARED_IN_A_CALL` in one call."""

    def __init__(self) -> None:
        self._left = COMPARED_IN_A_CALL

    def closest(self, word: str, words: Sequence[str], *, keep: bool = True) -> str | None:
        """The one of some words that was likely meant; None if there is none, or too many.

        `keep` says that the words are those of a schema, and not of what was sent.

        >>> Compared().closest("max_result", ["max_results", "query"])
        'max_results'
        """
        if not words or len(words) > self._left:
            return None
        self._left -= len(words)
        return meant(word, words, keep=keep)


def names_judged(value: dict[str, Any], parts: Sequence[Node]) -> Iterable[str]:
    """The names in an object, but for most of those that one of its subschemas does not allow."""
    for node in parts:
        if node.forbids_additional and not node.patterns and len(node.properties) < len(value):
            return [name for name in node.properties if name in value]
    return value


def _items(parts: Sequence[Node], index: int) -> tuple[Node, ...]:
    """The subschemas for the item at an index."""
    return tuple(dict.fromkeys(child for part in parts for child in part.item_subschemas(index)))


def _heaviest(value: Any) -> Any:
    """The member that holds more than all others together, if it holds much.

    It is looked into without being judged before, or deep values would be judged on every level.
    """
    members = value.values() if type(value) is dict else value
    heavy = [each for each in members if type(each) in _CONTAINERS and _holds_more(each, LIGHT)]
    limit = LIGHT
    while len(heavy) > 1:
        limit *= 4
        heavy = [each for each in heavy if _holds_more(each, limit)]
    return heavy[0] if heavy else NOTHING


def _holds_more(value: Any, limit: int) -> bool:
    """Whether a container holds more values than that, within one another."""
    queue = [value]
    for each in queue:  # which grows on the way
        limit -= len(each)
        if limit < 0:
            return True
        inner = each.values() if type(each) is dict else each
        queue += [part for part in inner if type(part) in _CONTAINERS]
    return False
