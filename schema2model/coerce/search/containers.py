"""How the members of objects and arrays are read, each under the subschemas for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

from schema2model.coerce.rules.envelopes import ENVELOPES
from schema2model.coerce.rules.omissions import omission
from schema2model.coerce.rules.plan import Plan, name_spelling
from schema2model.coerce.search.bulk import Alike
from schema2model.coerce.search.readings import ContainerReading, Reading, both
from schema2model.coercions import COSTS
from schema2model.limits import MAX_ISSUES
from schema2model.schema.nodes import ANYTHING, Node, reachable
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING

__all__ = ["ContainerReader", "Search"]

ENOUGH = 2 * MAX_ISSUES
"""Refused members of a container behind which no more of them are read: it is refused as well."""

MANY = 100
"""Up to so many members are read one by one; of more, pydantic-core tells which it refuses."""

Search: TypeAlias = Generator[Any, Any, Any]
"""A search that may yield others, and returns what it has found."""


class ContainerReader(ABC):
    """Reads containers; whether their members can be read is for searches of their own."""

    def __init__(self, verdicts: Verdicts, plan: Plan) -> None:
        self.verdicts = verdicts
        self.plan = plan
        self.coercion = plan.coercion
        self.alike = Alike(verdicts, plan)

    @abstractmethod
    def valid(self, node: Node, value: Any) -> bool:
        """Whether a value is valid under a node."""

    @abstractmethod
    def stays(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid under a node, and no rule applies to valid values."""

    @abstractmethod
    def _read(self, node: Node, value: Any, chain: int = 0, *, within: bool = False) -> Search:
        """Search the best reading of a value under a node."""

    def _members(self, node: Node, value: Any, *, within: bool) -> Search:
        """A container with each member read under the subschemas for it."""
        free = self.coercion.text_over_string and not within
        if type(value) is dict and (free or node.has_object_keywords()):
            return (yield from self._object(node, value, node.all_in_place() if free else ()))
        if type(value) is list and (free or node.has_array_keywords()):
            return (yield from self._array(node, value, node.all_in_place() if free else ()))
        return Reading(value, value)

    def _array(self, node: Node, value: list[Any], parts: Sequence[Node]) -> Search:
        result = ContainerReading(value)
        free = parts and not any(part.items or part.prefix for part in parts)
        every = ANYTHING if free else node.items
        prefixed = min(len(node.prefix), len(value))
        rest: Sequence[int] = range(prefixed, len(value))
        whole = None if prefixed else list
        made = every and (yield from self._without_rules(node, every, value[prefixed:], whole))
        if made:
            rest = result.take(zip(rest, made, strict=True))
        for index in (*range(prefixed), *rest):
            children = node.item_subschemas(index)
            if parts and not any(part.item_subschemas(index) for part in parts):
                children = (ANYTHING,)
            for child in children:
                if self.stays(child, value[index]):
                    continue
                result.put(index, (yield self._read(child, value[index])))
            if result.refused == ENOUGH:
                break
        return result.reading()

    def _without_rules(
        self,
        node: Node,
        every: Node,
        members: Sequence[Any],
        whole: Callable[[list[Any]], Any] | None,
    ) -> Search:
        """What pydantic-core makes of many members, where the container cannot be made valid.

        Either one of its members cannot be read, or the container that `whole` makes of what they
        are read as is not valid. Then the rules by which they are read do not matter. It is None
        where they do.
        """
        apart = ("apart", node, every)
        if len(members) <= MANY or not self.verdicts.memo(apart, lambda: _apart(node, every)):
            return None
        for index in self.alike.refused(every, members):
            if not (yield self._read(every, members[index])).valid:
                return self.alike.made(every, members)
        if whole is None or not self.alike.is_exact(every):
            return None
        made = [*self.alike.made(every, members)]
        read = made.copy()
        for index, known in enumerate(made):
            if known is NOTHING:
                read[index] = (yield self._read(every, members[index])).value
        return None if self.valid(node, whole(read)) else made

    def _object(self, node: Node, value: dict[str, Any], parts: Sequence[Node]) -> Search:
        coercion = self.coercion
        result = ContainerReading(value)
        renames = coercion.key_spelling and node.properties
        names: Sequence[str] = [*value]
        every = (
            None if node.properties or node.patterns or node.forbids_additional else node.additional
        )
        members = [*value.values()] if every else []
        made = every and (
            yield from self._without_rules(
                node, every, members, lambda read: dict(zip(value, read, strict=True))
            )
        )
        if made:
            names = result.take(zip(names, made, strict=True))
        for name in names:
            item = value[name]
            children = self._children(node, name)
            if len(children) == 1 and self.stays(children[0], item):
                continue  # without a search, which takes five times as long
            reading = Reading(item, item, valid=True)
            for child in children:
                reading = both(reading, (yield self._read(child, reading.value)))
            if parts and not any(self._children(part, name) for part in parts):
                reading = both(reading, (yield self._read(ANYTHING, item)))
            if left_out := self._left_out(node, name, item, reading):
                result.drop(name, left_out)
            elif not reading.valid or reading.value is not item:
                result.put(name, reading)
                if result.refused == ENOUGH and not renames:
                    break
        if coercion.key_spelling or coercion.drop_unknown:
            yield from self._unknown_keys(node, value, result)
        return result.reading()

    def _left_out(self, node: Node, name: str, item: Any, reading: Reading) -> str | None:
        """The rule that leaves a property out, unless it is required, or is rather read."""
        if name not in node.properties or name in node.required:
            return None
        rule = omission(self.coercion, node.properties[name], item)
        return None if reading.valid and rule and reading.cost <= COSTS[rule] else rule

    @staticmethod
    def _children(node: Node, name: str) -> tuple[Node, ...]:
        """The subschemas for a property; none for one that `additionalProperties` forbids."""
        children = node.property_subschemas(name)
        return () if node.forbids_additional and children == (node.additional,) else children

    def _unknown_keys(self, node: Node, value: dict[str, Any], result: ContainerReading) -> Search:
        unknown = [name for name in value if not node.declares(name)]
        spellings = Counter(map(name_spelling, (*node.properties, *unknown)))
        declared = {name_spelling(name): name for name in node.properties}
        # what a sole envelope holds is all of the arguments
        drops = (
            node.forbids_additional
            and self.coercion.drop_unknown
            and not (value.keys() <= ENVELOPES)
        )
        for name in unknown:
            spelled = declared.get(name_spelling(name), name)
            if (
                self.coercion.key_spelling
                and spelled not in value
                and spellings[name_spelling(name)] == 2  # noqa: PLR2004 - the two, and no rival
                and (node.forbids_additional or spelled in node.required)
            ):
                reading = yield self._read(node.properties[spelled], value[name])
                result.rename(name, spelled, reading)
            elif drops:
                result.drop(name, "drop_unknown")


def _apart(node: Node, every: Node) -> bool:
    """Whether the members of a container are read by themselves, and by no other subschema.

    Not so for a tree, whose members have its own subschema: at each level, pydantic-core would
    read all levels below it again.
    """
    others = [part for part in node.all_in_place() if part is not node]
    if not all(part.has_only(*_SAYING_NOTHING_OF_MEMBERS) for part in others):
        return False
    return every not in reachable(every.subschemas(), Node.subschemas)


_SAYING_NOTHING_OF_MEMBERS = ("sizes", "bounds", "lengths", "residual", "all_of", "reference")
"""Attributes of a `Node` under which no container is read as anything but itself."""
