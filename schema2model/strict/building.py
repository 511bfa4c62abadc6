"""Builds the form of a schema: which form stands for each of its subschemas in a profile.

Subschemas that apply to one value (`allOf`, `$ref` and its siblings, the branch of a union and
what is next to it) are merged. A merge may allow more than all of them together, never less: the
schema as given has the last word when a value is decoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from schema2model.errors import SchemaError
from schema2model.limits import MAX_SUBSCHEMAS
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.verdicts import Verdicts
from schema2model.strict.account import Ledger
from schema2model.strict.array_building import array_form
from schema2model.strict.arrays import Array, Leaves
from schema2model.strict.choices import choice_form
from schema2model.strict.forms import Form, Link, Noted, Plain, Tagged, bare
from schema2model.strict.merging import TYPES, asserts, description_of, differ_in_form, merged_types
from schema2model.strict.object_building import object_form
from schema2model.strict.objects import EntryKind, Map, Object, Wrapped
from schema2model.strict.profiles import Profile
from schema2model.strict.remainder import Groups, constrains_types, record_keywords
from schema2model.strict.scalars import Handled, number_form, string_form
from schema2model.strict.unions import any_of, union_form
from schema2model.strict.words import joined

__all__ = ["Builder"]

UNROLLED: Final = 3
"""Levels of a recursive definition that are written out where a provider has no recursion."""
MAX_BRANCHES: Final = 200
"""Maximum branches that the unions of one subschema are multiplied out to."""


class Builder:
    """Builds forms for the nodes of one schema."""

    def __init__(
        self, verdicts: Verdicts, profile: Profile, caps: dict[str, int], *, dynamic: bool
    ) -> None:
        self.verdicts = verdicts
        self.profile = profile
        self.caps = caps
        self.dynamic = dynamic
        self.ledger = Ledger()
        self.enumerated = 0
        self._forms: dict[Any, Form | None] = {}
        self._links: dict[Any, Link] = {}
        self._free: Form | None = None
        self._recursive: dict[Node, bool] = {}

    # ------------------------------------------------------------------------------- entrance
    def root_form(self, root: Node) -> Object:
        """Return the form of the whole schema: an object.

        Raises:
            SchemaError: if the schema accepts no value.

        """
        form = self.form_of((root,), 0, is_root=True)
        if form is None:
            message = "the schema allows no value, so that nothing can be enforced"
            raise SchemaError(message)
        inner = bare(form)
        if isinstance(inner, Object):
            if inner is not form:
                inner.note = form.note
            return inner
        words = "the root is written as the property `arguments` of an object"
        self.ledger.add(root, "encoded", words=words)
        return Wrapped(form)

    def form_of(self, nodes: tuple[Node, ...], level: int, *, is_root: bool = False) -> Form | None:
        """Return the form of the values that all of some subschemas accept; None if no value is.

        `level` counts the recursive definitions around it, where they have to be unrolled.
        """
        flat, entered = self._flat(nodes)
        level += entered
        form = self._shape(tuple(filter(asserts, flat)), frozenset(), level, is_root=is_root)
        return None if form is None else noted(form, description_of(flat))

    def _flat(self, nodes: Iterable[Node]) -> tuple[list[Node], int]:
        """Return all nodes that apply, and the number of recursive definitions entered."""
        flat = reachable(nodes, Node.conjuncts)
        if self.profile.recursion:
            return flat, 0
        targets = {target for node in flat for target in node.reference}
        return flat, int(any(map(self._is_recursive, targets)))

    def _is_recursive(self, node: Node) -> bool:
        if node not in self._recursive:
            self._recursive[node] = node in reachable(node.subschemas(), Node.subschemas)
        return self._recursive[node]

    # --------------------------------------------------------------------------------- shapes
    def _shape(
        self, nodes: tuple[Node, ...], used: Groups, level: int, *, is_root: bool = False
    ) -> Form | None:
        key = (nodes, used, level, is_root)
        if key in self._forms:
            return self._forms[key]
        if key in self._links:
            return self._links[key]
        if len(self._links) > MAX_SUBSCHEMAS // 10:
            message = "the schema has too many combinations of subschemas to be projected"
            raise SchemaError(message)
        link = self._links[key] = Link()
        form = self._built(nodes, used, level, is_root=is_root)
        if form is not None and form.note == "" and not used:
            form.note = description_of(nodes)
        link.target = form
        self._forms[key] = form
        return form

    def _built(
        self, nodes: tuple[Node, ...], used: Groups, level: int, *, is_root: bool
    ) -> Form | None:
        self.ledger.meet(nodes)
        if any(node.is_false for node in nodes):
            return None
        if level > UNROLLED:
            for node in nodes:
                words = f"nested deeper than {UNROLLED} levels: a list of paths and values"
                self.ledger.add(node, "encoded", words=words)
            return self.free_form()
        if any(node.choices is not None for node in nodes):
            return choice_form(self, nodes)
        open_groups = [
            (node, keyword, branches)
            for node in nodes
            for keyword, branches in (("anyOf", node.any_of), ("oneOf", node.one_of))
            if branches and (node, keyword) not in used
        ]
        for node, keyword, branches in open_groups:
            if len(branches) * (len(used) + 1) > MAX_BRANCHES or not differ_in_form(branches):
                continue
            return self._expanded(nodes, used | {(node, keyword)}, node, keyword, branches, level)
        return self._typed(nodes, used, level, is_root=is_root)

    def _expanded(  # noqa: PLR0913, PLR0917 - the state of one step
        self,
        nodes: tuple[Node, ...],
        used: Groups,
        at: Node,
        keyword: str,
        branches: tuple[Node, ...],
        level: int,
    ) -> Form | None:
        """Return the union of the branches, each merged with all else that applies."""
        self.ledger.add(at, "enforced", keyword)
        if keyword == "oneOf" and len(branches) > 1:
            words = "that only one alternative is valid"
            self.ledger.add(at, "checked", keyword, words=words)
        forms = []
        for branch in branches:
            flat, entered = self._flat((branch,))
            merged = tuple(dict.fromkeys((*nodes, *filter(asserts, flat))))
            form = self._shape(merged, used, level + entered)
            if form is not None:
                forms.append(noted(form, description_of(flat)))
        return union_form(forms)

    def _typed(
        self, nodes: tuple[Node, ...], used: Groups, level: int, *, is_root: bool
    ) -> Form | None:
        """Return the form of nodes whose unions are multiplied out: one for each type."""
        types = merged_types(nodes)
        if types is None and is_root:
            types = ("object",)
            for node in nodes[:1]:
                self.ledger.add(node, "given up", words="values that are not objects")
        elif types is None and not constrains_types(self.verdicts, nodes):
            return self.free_form()
        handled: Handled = {node: set() for node in nodes}
        forms = []
        for name in TYPES if types is None else types:
            form = self._of_type(name, nodes, handled, level, is_root=is_root)
            if form is not None:
                forms.append(form)
        form = union_form(forms)
        if form is not None:
            words = record_keywords(self, nodes, used, handled, types)
            form.words = joined(form.words, words)
        return form

    def _of_type(
        self, name: str, nodes: tuple[Node, ...], handled: Handled, level: int, *, is_root: bool
    ) -> Form | None:
        """Return the form of the values of one type; None if no value of it is valid."""
        if name == "string":
            return string_form(self, nodes, handled)
        if name in {"integer", "number"}:
            return number_form(self, nodes, handled, name)
        if name == "array":
            return array_form(self, nodes, handled, level)
        if name == "object":
            return object_form(self, nodes, handled, level, is_root=is_root)
        return Plain({"type": name})

    # ---------------------------------------------------------------------------- for builders
    def format_of(self, node: Node) -> str | None:
        """Return the format of a subschema, also where it only annotates."""
        dialect = self.verdicts.documents.dialect_of(node.place.document)
        if not isinstance(node.schema, dict) or (dialect.ref_overrides and node.reference):
            return None
        value = node.schema.get("format")
        return value if isinstance(value, str) else None

    def cap(self, schema: dict[str, Any], keyword: str, least: int | None) -> None:
        """Add the caller's maximum to a schema that has none."""
        if keyword in self.caps:
            schema[keyword] = max(self.caps[keyword], least or 0)

    def free_form(self) -> Form:
        """Return the form of any JSON value."""
        if self._free is None:
            self._free = link = Link()
            self._free = link.target = self._any_value(link)
        return self._free

    def _any_value(self, link: Link) -> Form:
        if self.profile.anything:
            return Plain({})
        scalars: list[Form] = [Plain({"type": name}) for name in TYPES[:4]]
        if self.profile.recursion:
            entries = Map((EntryKind(link),), native=False)
            forms = [*scalars, Array(link, {}), Tagged("entries", entries)]
        else:
            forms = [*scalars, Array(any_of(scalars), {}), Leaves()]
        return any_of(forms)


def noted(form: Form, note: str) -> Form:
    """Return a form with a description: itself, if it has that."""
    return form if not note or note == form.note else Noted(form, note)
