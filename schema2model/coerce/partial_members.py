"""Reads members of a container that is still arriving, as they will be read when it is complete.

That is possible where the members are read one by one: no union, condition or choice looks at
several of them, and no rule can read the container as another type. The members of any
other container have to wait until it is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from schema2model.coerce.rules.arrangements import may_be_path
from schema2model.coerce.rules.envelopes import ENVELOPE_KEYS, ENVELOPES
from schema2model.coerce.rules.plan import Plan
from schema2model.coerce.rules.scalars import json_text
from schema2model.coerce.search.reader import Reader
from schema2model.coerce.search.readings import Reading, joined
from schema2model.limits import MAX_READINGS
from schema2model.schema.nodes import ANYTHING, Node
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING, Spellings

__all__ = ["MemberReader", "UndecidedError", "accept_any_string"]

LEAST_LEFT: Final = MAX_READINGS // 2
"""Half of the limit is kept back, as the search for the whole call may take each step twice."""

_HANDS_ON: Final = frozenset(("reference", "all_of", "any_of", "one_of"))
"""If a `Node` has only one of these, with one subschema, it means what that subschema means."""

_OF_CONTAINERS: Final = {"types", "items", "prefix", "properties", "additional", "required"}
"""Attributes that assert nothing of a string, nor of an array as a whole but its types."""

_BY_ITSELF: Final = _OF_CONTAINERS | {"sizes", "bounds", "lengths"}
"""Attributes of a `Node` with which each member is read by itself."""

_REFUSING: Final = frozenset(("patterns", "residual"))
"""Attributes that may refuse the members together. Then the call is an error; but where strings
are read although they are valid, all of them are left as they were instead."""


class UndecidedError(Exception):
    """Only the whole text decides what the next part means."""


class MemberReader(Reader):
    """Reads members one after the other, with one search's worth of work for all of them."""

    def __init__(self, root: Node, verdicts: Verdicts, plan: Plan) -> None:
        super().__init__(root, verdicts, plan)
        self._steps = 0  # of the search for the whole call, from container to container

    def holder(self, children: Sequence[Node], kind: str) -> Node | None:
        """The node by which the members of an object or array are read, each by itself.

        `children` are the subschemas for the container. None if its members have to wait for it.
        """
        if len(children) > 1:
            return None
        node = children[0] if children else ANYTHING
        key = ("members", node, kind)
        holder, steps = self.verdicts.memo(key, lambda: self._found(node, kind))
        self._steps += steps
        return holder

    def _found(self, node: Node, kind: str) -> tuple[Node | None, int]:
        """The holder, and what it costs the search for the whole call to come to it."""
        node, steps = _resolved(node)
        spoken = _BY_ITSELF if self.coercion.reads_strings else _BY_ITSELF | _REFUSING
        if node.is_false or not node.has_only(spoken):
            return None, steps
        if node.types is not None and {*node.types} - {"null"} != {kind}:
            return None, steps
        if kind == "array" and self.coercion.nested_list and not node.has_only(_OF_CONTAINERS):
            return None, steps  # what is in its only item may fit better
        return node, steps

    def described(self, holder: Node, key: str | int, *, outermost: bool) -> Sequence[Node] | None:
        """The subschemas for a member with this name or index; `outermost` in the whole call.

        None if a rule may yet rename the member, drop it, or take it for the whole call.
        """
        undescribed = (ANYTHING,) if self.coercion.text_over_string else ()
        if isinstance(key, int):
            return holder.item_subschemas(key) or undescribed
        if key not in holder.properties and self._may_move(holder, key, outermost=outermost):
            return None
        if holder.forbids_additional and not holder.declares(key):
            return None
        return holder.property_subschemas(key) or undescribed

    def _may_move(self, holder: Node, key: str, *, outermost: bool) -> bool:
        """Whether a rule may take an undeclared member for another, or for the whole object."""
        coercion = self.coercion
        if outermost and coercion.envelope and key in ENVELOPE_KEYS:
            return True
        if outermost and coercion.sole_envelope and (key in ENVELOPES or key == "type"):
            return not holder.declares(key)
        if holder.declares(key):
            return False
        return bool(
            (holder.required and (coercion.key_spelling or coercion.sole_key))
            or (holder.properties and coercion.flattened_keys and may_be_path(key))
            or (key == "item" and coercion.item_envelope)
        )

    def may_be_omitted(self, holder: Node, key: str | int) -> bool:
        """Whether a container may be left out if it turns out to be empty."""
        omitted = self._omission(holder, key, {}) is not None
        return omitted and not self.valid(holder.properties[str(key)], {})

    def read_member(
        self,
        holder: Node,
        key: str | int,
        children: Sequence[Node],
        value: Any,
        spellings: Spellings | None = None,
    ) -> Any:
        """The reading of a member, or `NOTHING` if it has none, or is left out.

        Raises:
            UndecidedError: if so much has been searched that the search for the whole may give up.

        """
        self._memo.clear()
        self.texts.restart(spellings)
        self._kept.clear()
        if self.coercion.envelope and isinstance(key, str):
            inner = json_text(value) if self.coercion.json_text else value
            if type(inner) is dict and inner.keys() == {key}:
                return NOTHING  # the object as a whole may have the member in place of it
        reading = Reading(value, value, valid=True)
        for child in children:
            left = self._left
            reading = joined(reading, self.read(child, reading.value))
            if self._left < left and self._left - self._steps < LEAST_LEFT:
                raise UndecidedError
            if not reading.valid:
                return NOTHING
        return NOTHING if self._left_out(holder, key, value, reading) else reading.value


def accept_any_string(nodes: Sequence[Node] | None) -> bool:
    """Return whether nodes accept every string; False if they are not known."""
    return nodes is not None and all(map(_accepts_any_string, nodes))


def _accepts_any_string(node: Node) -> bool:
    node, _ = _resolved(node)
    if node.is_false or not node.has_only(_OF_CONTAINERS | {"sizes", "bounds"}):
        return False
    return node.types is None or "string" in node.types


def _resolved(node: Node) -> tuple[Node, int]:
    """The one subschema that says all that a node says of others than null, and the steps to it."""
    steps = 1
    while len(vars(node)) == 1 and not _HANDS_ON.isdisjoint(vars(node)):
        parts = [part for group in vars(node).values() for part in group if not part.is_null()]
        if len(parts) != 1:
            break
        node, steps = parts[0], steps + 1
    return node, steps
