"""The changes between a given value and its valid result.

Both values are walked down together, as long as the members of objects and arrays are read one by
one. Equal parts are passed over. Where a part differs, the alternatives of the rules are tried on
it: if one of them makes the result, that is the rule. Only if none does is the part searched again.

Between `{"a": ["1"], "b": 2}` and `{"a": [1], "b": 2}` the way leads to `a`, then to its first
item, where `number_text` or `json_text` makes `1` of `"1"`: that is the only step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from schema2model.coerce.rules.active_rules import ActiveRules, Alternative
from schema2model.coerce.rules.scalars import json_text
from schema2model.coerce.search.argument_search import search_arguments
from schema2model.coerce.search.independent_members import MemberReader
from schema2model.coerce.search.reader import Reader
from schema2model.coerce.search.readings import Step
from schema2model.json.equality import type_exact_bytes
from schema2model.json.values import CONTAINERS, plain_copy
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts

__all__ = ["diff_changes"]

_Part: TypeAlias = tuple[tuple[str | int, ...], Node, Any, Any]
"""The path of a part, its subschema, and its value before and after."""

_ABSENT = object()
"""In the place of a property that the result does not have."""


def diff_changes(
    root: Node, verdicts: Verdicts, rules: ActiveRules, given: Any, result: Any
) -> tuple[Step, ...]:
    """Return the changes by which a call becomes its result, its valid reading under a node.

    Raises:
        NotJSONError: if `given` is not JSON.

    """
    try:
        if type_exact_bytes(given) == type_exact_bytes(result):
            return ()
    except ValueError:  # there are classes in it that extend JSON's own
        given = plain_copy(given, allow_inf_nan=rules.coercion.allow_inf_nan)
    if rules.coercion.reads_strings or type(given) is not type(result):
        # strings may have been read in several rounds, or the call was wrapped in something
        return search_arguments(Reader(root, verdicts, rules), given).steps
    return tuple(_Differ(MemberReader(root, verdicts, rules)).steps(given, result))


def _same(one: Any, other: Any) -> bool:
    """Return whether two plain values are equal, type by type and key by key."""
    if one is other:  # as what is valid stays
        return True
    if type(one) is not type(other) or one != other:  # most differ, and Python sees it at once
        return False
    return type_exact_bytes(one) == type_exact_bytes(other)


class _Differ:
    def __init__(self, members: MemberReader) -> None:
        self.members = members
        self.rules, self.verdicts = members.rules, members.verdicts

    def steps(self, given: Any, result: Any) -> Iterator[Step]:
        """Yield the steps from a whole call to its result, in the order in which it was read."""
        waiting: list[_Part] = [((), self.members.root, given, result)]
        while waiting:
            path, node, before, after = waiting.pop()
            if after is _ABSENT:
                yield path, str(self.rules.omission(node, before)), before, None
            elif (rule := self.single_rule(node, before, after)) is not None:
                yield path, rule, before, after
            else:
                made = before
                if type(before) is str and not node.has_in_place_subschemas():
                    parsed = json_text(before) if self.rules.coercion.json_text else before
                    made = parsed if type(parsed) is type(after) else before
                inner = self.differing_members(path, node, made, after)
                if inner is None:
                    yield from self.searched_steps(path, node, before)
                    continue
                if made is not before:
                    yield path, "json_text", before, made
                waiting += reversed(inner)

    def single_rule(self, node: Node, before: Any, after: Any) -> str | None:
        """Return the likeliest rule that makes one of the other by itself; None if none does."""
        for alternative in self.verdicts.memo(("read", node), lambda: self.alternatives(node)):
            made = alternative.function(before)
            if made is not before and _same(made, after):
                return alternative.rule
        return None

    def alternatives(self, node: Node) -> Sequence[Alternative]:
        """Return the rules for a node, or for the branches of a union of simple types."""
        node = node.dereferenced()
        if not node.has_in_place_subschemas():
            return self.rules.alternatives(node)
        branches = node.any_of
        if not node.has_only({"any_of"}) or not all(each.has_only({"types"}) for each in branches):
            return ()
        return [each for branch in branches for each in self.rules.alternatives(branch)]

    def differing_members(
        self, path: tuple[str | int, ...], node: Node, before: Any, after: Any
    ) -> list[_Part] | None:
        """Return the members that differ; None if they were not read each by itself."""
        kind = type(before)
        if kind is not type(after) or kind not in {dict, list}:
            return None
        is_object = kind is dict
        schema_node = self.members.container_schema((node,), "object" if is_object else "array")
        added = after.keys() - before.keys() if is_object else len(after) - len(before)
        if schema_node is None or added:
            return None
        found: list[_Part] = []
        for number, key in enumerate(before if is_object else range(len(before)), 1):
            one, other = before[key], after.get(key, _ABSENT) if is_object else after[key]
            # if no other differs, the last does; to compare a container takes all levels below
            is_known = not found and number == len(before) and type(one) in CONTAINERS
            if not is_known and _same(one, other):
                continue
            children = self.members.member_schemas(schema_node, key, outermost=not path)
            if children is None or len(children) != 1:
                return None
            if other is _ABSENT and self.members.reader.omission(schema_node, key, one) is None:
                return None
            found.append(((*path, key), children[0], one, other))
        return found

    def searched_steps(
        self, path: tuple[str | int, ...], node: Node, before: Any
    ) -> Iterator[Step]:
        reader = Reader(self.members.root, self.verdicts, self.rules)
        reading = reader.read(node, before) if path else search_arguments(reader, before)
        for inner, *change in reading.steps:
            yield ((*path, *inner), *change)
