"""The search in objects and arrays: each member is read under its subschemas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from pydantic_core import SchemaError as CoreSchemaError, SchemaValidator, core_schema as cs

from schema2model.coerce.native.lowering import lower
from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.coerce.rules.envelopes import ENVELOPES
from schema2model.coerce.search.readings import ContainerBuilder, Reading, joined
from schema2model.coerce.search.text_cache import TextRuleCache
from schema2model.coercions import COSTS
from schema2model.json.names import has_other_sense, name_spelling
from schema2model.json.parsing import NOTHING
from schema2model.limits import MAX_ISSUES
from schema2model.schema.nodes import ANYTHING, Node, reachable
from schema2model.schema.verdicts import Verdicts

__all__ = ["BulkValidator", "ContainerReader", "Search"]

MAX_INVALID = 2 * MAX_ISSUES
"""Maximum invalid members of a container; after them, no more are read."""

MANY = 100
"""Maximum members that are read one by one; pydantic-core validates more in bulk."""

SLICE = 32
"""Members in one validation in bulk."""

Search: TypeAlias = Generator[Any, Any, Any]
"""A search that may yield others, and returns a reading."""


class BulkValidator:
    """Bulk validation by pydantic-core of many members that share one subschema.

    Most members that a model sends in the wrong form have a reading, and pydantic-core finds it
    much faster than the search. The search reads only those that it rejects. If one of them has no
    valid reading, the container has none either, and the others need no search.

    >>> from schema2model import compile_schema
    >>> engine = compile_schema({"type": "integer"})._engine
    >>> bulk = BulkValidator(engine.verdicts, engine.rules)
    >>> [index for index, _ in bulk.changes(engine.root, [1, "2", "x"])]
    [1, 2]
    """

    def __init__(self, verdicts: Verdicts, rules: ActiveRules) -> None:
        self.verdicts = verdicts
        self.rules = rules

    def changes(self, node: Node, members: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the index and the coerced value of each invalid member.

        The value is `NOTHING` if pydantic-core rejects the member.
        """
        if isinstance(node.schema, bool):  # `true` has no place of its own, and no invalid member
            return
        is_valid = self.verdicts.tests[node]
        are_valid = self.verdicts.all_valid_at(node.dereferenced().place)
        for start in range(0, len(members), SLICE):
            some = members[start : start + SLICE]
            if not are_valid(some):
                invalid = [n for n, member in enumerate(some, start) if not is_valid(member)]
                values = self._validate(node, [members[n] for n in invalid])
                yield from zip(invalid, values, strict=True)

    def _validate(self, node: Node, members: Sequence[Any]) -> Sequence[Any]:
        validator = self.verdicts.memo(("bulk", node, self.rules), lambda: self._compile(node))
        if validator is None:
            return [NOTHING] * len(members)
        try:
            values: list[Any] = validator.validate_python(members)
        except ValueError:
            if len(members) == 1:
                return [NOTHING]
            return [value for member in members for value in self._validate(node, [member])]
        return values

    def _compile(self, node: Node) -> SchemaValidator | None:
        """Return the validator for lists of values of a node; None if it is not exact."""
        try:
            lowered = lower(node, self.rules, self.verdicts, coerces=True)
            return SchemaValidator(cs.list_schema(lowered.schema)) if lowered.exact else None
        except (CoreSchemaError, RecursionError):  # the search does without it
            return None


class ContainerReader(ABC):
    """Reads containers. The readings of their members are other searches."""

    texts: TextRuleCache

    def __init__(self, verdicts: Verdicts, rules: ActiveRules) -> None:
        self.verdicts = verdicts
        self.rules = rules
        self.coercion = rules.coercion

    @abstractmethod
    def valid(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid under a node."""

    @abstractmethod
    def read(self, node: Node, value: Any) -> Reading:
        """Return the best reading of a value under a node."""

    @abstractmethod
    def _read(self, node: Node, value: Any, depth: int = 0, *, in_place: bool = False) -> Any:
        """Return the best reading of a value under a node, or the search for it."""

    def _members(self, node: Node, value: Any, *, in_place: bool) -> Search:
        """Return the reading of a container in which each member is read, not yet validated."""
        free = self.coercion.text_over_string and not in_place
        is_object = type(value) is dict
        has_keywords = node.has_object_keywords() if is_object else node.has_array_keywords()
        if not (is_object or type(value) is list) or not (free or has_keywords):
            return Reading(value, value, valid=True)
        parts = node.all_in_place() if free else ()
        renames = is_object and self.coercion.key_spelling and node.properties
        keys: Sequence[Any] = [*value] if is_object else range(len(value))
        result = ContainerBuilder(value)
        changes = yield from self._bulk_changes(node, value)
        for key in keys if changes is None else result.set_many(changes):
            item = value[key]
            children = _member_subschemas(node, key, parts)
            if not children:
                continue
            # a member that is valid needs no turn in the list of searches: that is most of them
            reading = self._read(children[0], item)
            if type(reading) is not Reading:
                reading = yield reading
            for child in children[1:]:
                reading = joined(reading, (yield self._read(child, reading.value)))
            if reading.valid and reading.value is item:
                continue
            if left_out := self._left_out(node, key, item, reading):
                result.remove(key, left_out)
            else:
                result.set(key, reading)
                if result.invalid == MAX_INVALID and not renames:
                    break
        if is_object and (self.coercion.key_spelling or self.coercion.drop_unknown):
            yield from self._unknown_keys(node, value, result)
        return result.build()

    def _bulk_changes(self, node: Node, value: Any) -> Search:
        """Return what pydantic-core changes in many members of a container that stays invalid.

        Either a member has no valid reading, or the container is not valid with the readings of
        all of them. Then it does not matter which rules apply to the members. None if it does.
        """
        every = self._member_in_bulk(node, value)
        if every is None:
            return None
        rest = self._changes(every, value)
        changes, result = [], value.copy()
        for key, new in rest:
            changes.append((key, new))
            if new is NOTHING:
                reading = yield self._read(every, value[key])
                if not reading.valid:
                    return _until_enough(chain(changes, rest))
                result[key] = reading.value
            else:
                result[key] = new
        return None if self.valid(node, result) else changes

    def read_in_bulk(self, node: Node, value: Any) -> Any:
        """Return a container whose members, if they are many, are read by pydantic-core.

        Those that it rejects stay as they are, and all after the last that a message may need.
        """
        every = self._member_in_bulk(node, value)
        if every is None:
            return value
        result = value.copy()
        for key, new in _until_enough(self._changes(every, value)):
            if new is not NOTHING:
                result[key] = new
        return result

    def _member_in_bulk(self, node: Node, value: Any) -> Node | None:
        """Return the subschema of all members of a container, if they are read in bulk."""
        is_object = type(value) is dict
        others = (node.properties or node.patterns) if is_object else node.prefix
        every = node.additional if is_object else node.items
        if others or every is None or every.is_false or len(value) <= MANY:
            return None
        is_independent = self.verdicts.memo(
            ("independent", node), lambda: _members_are_independent(node, every)
        )
        return every if is_independent else None

    def _changes(self, every: Node, value: Any) -> Iterator[tuple[Any, Any]]:
        """Return the key and the coerced value of each invalid member, as `BulkValidator` does."""
        is_object = type(value) is dict
        keys, members = ([*value], [*value.values()]) if is_object else (range(len(value)), value)
        bulk = BulkValidator(self.verdicts, self.rules)
        return ((keys[index], new) for index, new in bulk.changes(every, members))

    def omits(self, node: Node, name: str, value: Any) -> bool:
        """Return whether a rule leaves a property of an object out."""
        if self._omission(node, name, value) is None:
            return False
        reading = self.read(node.properties[name], value)
        return self._left_out(node, name, value, reading) is not None

    def _omission(self, node: Node, key: Any, value: Any) -> str | None:
        """Return the rule that may leave a member of a container out."""
        if key not in node.properties or key in node.required:
            return None
        return self.rules.omission(node.properties[key], value)

    def _left_out(self, node: Node, key: Any, value: Any, reading: Reading) -> str | None:
        """Return the rule that leaves a member out, if it costs less than its reading."""
        rule = self._omission(node, key, value)
        return None if reading.valid and rule and reading.cost <= COSTS[rule] else rule

    def _unknown_keys(self, node: Node, value: dict[str, Any], result: ContainerBuilder) -> Search:
        # what a sole envelope holds is all of the arguments
        drops = (
            node.forbids_additional
            and self.coercion.drop_unknown
            and not (value.keys() <= ENVELOPES)
        )
        wanted = node.properties.keys() if node.forbids_additional else node.required
        wanted = wanted & node.properties.keys() - value.keys()
        renames = self.coercion.key_spelling and bool(wanted)
        if not (renames or drops):
            return
        unknown = [name for name in value if not node.declares(name)]
        names = (*node.properties, *unknown) if renames else ()
        spelled = {name: self.texts.apply(name_spelling, name) for name in names}
        count = Counter(spelled.values())
        declared = {spelled[name]: name for name in node.properties} if renames else {}
        for name in unknown:
            meant = declared.get(spelled[name]) if renames else None
            if (
                meant is not None
                and meant in wanted
                and count[spelled[name]] == 2  # noqa: PLR2004 - the two, and no rival
                and not has_other_sense(name, meant, value[name])
            ):
                reading = yield self._read(node.properties[meant], value[name])
                result.rename(name, meant, reading)
            elif drops:
                result.remove(name, "drop_unknown")


def _until_enough(changes: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield changes up to the last invalid member that a message may need."""
    left = MAX_INVALID
    for index, value in changes:
        yield index, value
        left -= value is NOTHING
        if not left:
            return


def _member_subschemas(node: Node, key: Any, parts: Sequence[Node] = ()) -> tuple[Node, ...]:
    """Return what describes a member, other than `false` for additional properties.

    With `parts`, a member that none of them describes may be anything.
    """
    if parts and not any(_member_subschemas(part, key) for part in parts):
        return (ANYTHING,)
    if type(key) is int:
        return node.item_subschemas(key)
    children = node.property_subschemas(key)
    return () if node.forbids_additional and children == (node.additional,) else children


def _members_are_independent(node: Node, every: Node) -> bool:
    """Return whether `every` alone applies to the members of a container, and to each by itself.

    False for a tree, whose members have its own subschema: at each level, pydantic-core would
    validate all levels below it again.
    """
    others = [part for part in node.all_in_place() if part is not node]
    if not all(part.has_only(_WITHOUT_MEMBERS) for part in others):
        return False
    return every not in reachable(every.subschemas(), Node.subschemas)


_WITHOUT_MEMBERS = {"sizes", "bounds", "lengths", "residual", "all_of", "reference"}
"""Attributes of a `Node` that do not change how the members of a container are read."""
