"""Reads members of containers each by itself, with the same result as a search of the whole.

That is possible where no union, condition or choice looks at several members, and no rule can read
the container as another type. So arguments that are still arriving can be shown (`partial`), and
the changes of complete ones be found part by part (`value_changes`). The members of any other
container have to wait until it is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.coerce.rules.envelopes import ENVELOPE_KEYS, ENVELOPES
from schema2model.coerce.rules.restructuring import may_be_path
from schema2model.coerce.rules.scalars import json_text
from schema2model.coerce.search.reader import Reader
from schema2model.coerce.search.readings import Reading, joined
from schema2model.json.parsing import NOTHING, Spellings
from schema2model.limits import MAX_READINGS
from schema2model.schema.nodes import ANYTHING, Node
from schema2model.schema.verdicts import Verdicts

__all__ = ["MemberReader", "UndecidedError", "accept_any_string"]

LEAST_LEFT: Final = MAX_READINGS // 2
"""Half of the limit is kept back, as the search for the whole call may take each step twice."""

_HANDS_ON: Final = frozenset(("reference", "all_of", "any_of", "one_of"))
"""If a `Node` has only one of these, with one subschema, it means what that subschema means."""

_OF_CONTAINERS: Final = {"types", "items", "prefix", "properties", "additional", "required"}
"""Attributes that assert nothing of a string, nor of an array as a whole but its types."""

_BY_ITSELF: Final = _OF_CONTAINERS | {"sizes", "bounds", "lengths"}
"""Attributes of a `Node` with which each member is read by itself."""

_NOT_OF_ARRAYS: Final = _BY_ITSELF - {"items", "prefix", "sizes"}
"""Those of them that assert nothing of an array but its types."""

_REFUSING: Final = frozenset(("patterns", "residual"))
"""Attributes that may refuse the members together. Then the call is an error; but where strings
are read although they are valid, all of them are left as they were instead."""


class UndecidedError(Exception):
    """Only the whole text decides what the next part means."""


class MemberReader:
    """Reads members one after the other, with one search's worth of work for all of them."""

    def __init__(self, root: Node, verdicts: Verdicts, rules: ActiveRules) -> None:
        self.reader = Reader(root, verdicts, rules)
        self.root, self.verdicts, self.rules = root, verdicts, rules
        self.coercion = rules.coercion
        self._steps = 0  # of the search for the whole call, from container to container

    def container_schema(self, children: Sequence[Node], kind: str) -> Node | None:
        """Return the node by which the members of an object or array are read, each by itself.

        `children` are the subschemas for the container. None if its members have to wait for it.
        """
        if len(children) > 1:
            return None
        node = children[0] if children else ANYTHING
        key = ("members", node, kind)
        schema_node, steps = self.verdicts.memo(
            key, lambda: self._find_container_schema(node, kind)
        )
        self._steps += steps
        return schema_node

    def _find_container_schema(self, node: Node, kind: str) -> tuple[Node | None, int]:
        """Return that node, and what it costs the search for the whole call to come to it."""
        node, steps = _sole_subschema(node)
        spoken = _BY_ITSELF if self.coercion.reads_strings else _BY_ITSELF | _REFUSING
        if node.is_false or not node.has_only(spoken):
            return None, steps
        if node.types is not None and {*node.types} - {"null"} != {kind}:
            return None, steps
        if kind == "array" and self._may_become_another(node):
            return None, steps
        return node, steps

    def _may_become_another(self, node: Node) -> bool:
        """Return whether a rule may take an array for its only item or an object, or omit items."""
        if self.coercion.nested_list and (
            not node.has_only(_OF_CONTAINERS)
            or any(item.accepts("array") for item in node.item_subschemas(0))
        ):
            return True
        pairs_fit = self.coercion.listed_pairs and node.accepts("object")
        if pairs_fit and not node.has_only(_NOT_OF_ARRAYS):
            return True
        return any(each.rule == "repeated_items" for each in self.rules.alternatives(node))

    def member_schemas(
        self, node: Node, key: str | int, *, outermost: bool
    ) -> Sequence[Node] | None:
        """Return the subschemas for the member with a name or index; `outermost` in the call.

        None if a rule may yet rename the member, drop it, or take it for the whole call.
        """
        undescribed = (ANYTHING,) if self.coercion.text_over_string else ()
        if isinstance(key, int):
            return node.item_subschemas(key) or undescribed
        if key not in node.properties and self._may_move(node, key, outermost=outermost):
            return None
        if node.forbids_additional and not node.declares(key):
            return None
        return node.property_subschemas(key) or undescribed

    def _may_move(self, node: Node, key: str, *, outermost: bool) -> bool:
        """Return whether a rule may take an undeclared member for another, or for the object."""
        coercion = self.coercion
        if outermost and coercion.envelope and key in ENVELOPE_KEYS:
            return True
        if outermost and coercion.sole_envelope and (key in ENVELOPES or key == "type"):
            return not node.declares(key)
        if node.declares(key):
            return False
        return bool(
            (node.required and (coercion.key_spelling or coercion.sole_key))
            or (node.properties and coercion.flattened_keys and may_be_path(key))
            or (key == "item" and coercion.item_envelope)
        )

    def may_be_proven(self, node: Node, key: str) -> bool:
        """Return whether an undeclared member, the first of a call, may prove to hold all of it.

        It does not if the call is valid with any members that are not declared.
        """
        if not (self.coercion.sole_envelope and node.properties) or node.declares(key):
            return False
        return bool(node.required) or not node.has_only({"types", "properties"})

    def may_be_omitted(self, node: Node, key: str | int) -> bool:
        """Return whether a container may be left out if it turns out to be empty."""
        omitted = self.reader.omission(node, key, {}) is not None
        return omitted and not self.reader.valid(node.properties[str(key)], {})

    def read_member(
        self,
        node: Node,
        key: str | int,
        children: Sequence[Node],
        value: Any,
        spellings: Spellings | None = None,
    ) -> Any:
        """Return the reading of a member, or `NOTHING` if it has none, or is left out.

        Raises:
            UndecidedError: if so much has been searched that the search for the whole may give up.

        """
        reader = self.reader
        reader.restart(spellings)
        if self.coercion.envelope and isinstance(key, str):
            inner = json_text(value) if self.coercion.json_text else value
            if type(inner) is dict and inner.keys() == {key}:
                return NOTHING  # the object as a whole may have the member in place of it
        reading = Reading(value, value, valid=True)
        for child in children:
            left = reader.left
            reading = joined(reading, reader.read(child, reading.value))
            if reader.left < left and reader.left - self._steps < LEAST_LEFT:
                raise UndecidedError
            if not reading.valid:
                return NOTHING
        return NOTHING if reader.left_out(node, key, value, reading) else reading.value


def accept_any_string(nodes: Sequence[Node] | None) -> bool:
    """Return whether nodes accept every string; False if they are not known."""
    if nodes is None:
        return False
    meant = [_sole_subschema(node)[0] for node in nodes]
    return all(
        not node.is_false
        and node.has_only(_OF_CONTAINERS | {"sizes", "bounds"})
        and (node.types is None or "string" in node.types)
        for node in meant
    )


def _sole_subschema(node: Node) -> tuple[Node, int]:
    """Return the only subschema of a node for values other than null, and the steps to it."""
    steps = 1
    while len(vars(node)) == 1 and not _HANDS_ON.isdisjoint(vars(node)):
        parts = [part for group in vars(node).values() for part in group if not part.is_null()]
        if len(parts) != 1:
            break
        node, steps = parts[0], steps + 1
    return node, steps
