"""Locations in the arguments, the violations there, and the invalid members of a container."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from schema2model.coerce.diagnosis.unions import Leaf
from schema2model.json.parsing import NOTHING
from schema2model.json.pointers import JSONPath
from schema2model.json.values import CONTAINERS, contains_more
from schema2model.schema.nodes import Node
from schema2model.schema.parts import Parts
from schema2model.schema.verdicts import Verdicts

__all__ = ["Kind", "Location", "MemberChecker", "Violation"]

SLICES = 16
"""Number of slices in which members are validated, if there are more than that."""

MAX_LIGHT = 16
"""Maximum values in a largest container with siblings that is validated before it is examined."""

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
    that apply in place of them to the value. `leaves` are the branches of a union that rejects the
    value. `advice` says what to do about a name, if that is known. `owner` are the subschemas of
    the object or array that an invalid value is in.
    """

    path: JSONPath
    keyword: str
    value: Any
    nodes: tuple[Node, ...] = ()
    parts: tuple[Node, ...] = ()
    kind: Kind = "value"
    leaves: Sequence[Leaf] = ()
    advice: str | None = None
    owner: tuple[Node, ...] = ()


class MemberChecker:
    """Finds the invalid members of containers, with as few validations as possible."""

    def __init__(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts

    def valid(self, nodes: Sequence[Node], value: Any) -> bool:
        """Return whether a value is valid under all of some nodes."""
        for node in nodes:
            is_valid = self.verdicts.tests[node]
            if not is_valid(value):
                return False
        return True

    def invalid_members(self, location: Location, parts: Sequence[Node]) -> Iterator[Location]:
        """Yield the members that are invalid, or may be; not those with a forbidden name."""
        path, value, _, _ = location
        heaviest = _heaviest(value) if len(value) <= SLICES else NOTHING
        tests = self.verdicts.tests
        for nodes, keys in _groups(value, parts):
            few = len(keys) <= SLICES
            for key in keys if few else self.suspects(nodes, keys, [*map(value.__getitem__, keys)]):
                member = value[key]
                for node in nodes:
                    if member is heaviest or not tests[node](member):
                        yield Location((*path, key), member, nodes, member is not heaviest)
                        break

    def suspects(
        self, nodes: Sequence[Node], keys: Sequence[Any], values: list[Any]
    ) -> Iterator[Any]:
        """Yield those of some keys whose values may be invalid under nodes.

        Many are validated in slices, and those of an invalid slice again.
        """
        if len(keys) <= SLICES:
            yield from keys
            return
        tests = [self.verdicts.all_valid_at(node.dereferenced().place) for node in nodes]
        step = max(SLICES, -(len(keys) // -SLICES))
        for low in range(0, len(keys), step):
            some = values[low : low + step]
            for test in tests:
                if not test(some):
                    yield from self.suspects(nodes, keys[low : low + step], some)
                    break


def _groups(value: Any, parts: Sequence[Node]) -> Iterable[tuple[tuple[Node, ...], Sequence[Any]]]:
    """Return the keys of the members of a container, by the subschemas that apply to them.

    Names that a pattern or `additionalProperties` forbids are left out.
    """
    part = parts[0]
    groups: dict[tuple[Node, ...], Any] = {}
    if type(value) is list:
        prefixed = min(max(len(part.prefix) for part in parts), len(value))
        described = Parts(parts)
        groups |= {described.item_subschemas(index): [index] for index in range(prefixed)}
        groups[described.item_subschemas(prefixed)] = range(prefixed, len(value))
        return groups.items()
    if len(parts) == 1 and not part.additional and not part.patterns:  # as most often
        own = part.properties
        return [((own[name],), (name,)) for name in value if name in own]
    described = Parts(parts)
    for name in value:
        groups.setdefault(described.property_subschemas(name), []).append(name)
    of_names = [each for part in parts for each in (part.additional, *part.patterns.values())]
    forbidding = {node for node in of_names if node is not None and node.is_false}
    return [(nodes, keys) for nodes, keys in groups.items() if forbidding.isdisjoint(nodes)]


def _heaviest(value: Any) -> Any:
    """Return the member that contains the most values, if it contains many; or `NOTHING`.

    It is examined without validation: otherwise deep values would be validated at every level.
    """
    heavy = value.values() if type(value) is dict else value
    limit = MAX_LIGHT
    while heavy := [
        each for each in heavy if type(each) in CONTAINERS and contains_more(each, limit)
    ]:
        if len(heavy) == 1:
            return heavy[0]
        limit *= 4
    return NOTHING
