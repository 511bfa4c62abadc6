"""Builds the form of a schema: which form stands for each of its subschemas in a profile.

Subschemas that apply to one value (`allOf`, `$ref` and its siblings, the branch of a union and
what is next to it) are merged. A merge may allow more than all of them together, never less: the
schema as given has the last word when a value is decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from schema2model.errors import SchemaError
from schema2model.limits import MAX_SUBSCHEMAS
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.verdicts import Verdicts
from schema2model.strict.account import Ledger
from schema2model.strict.containers import Leaves, Object
from schema2model.strict.container_building import array_form, object_form
from schema2model.strict.forms import Form, Link, Noted, Plain, Tagged
from schema2model.strict.profiles import Profile
from schema2model.strict.scalars import enum_form, number_form, string_form
from schema2model.strict.unions import union_form
from schema2model.strict.words import constraint_words, joined

__all__ = ["Builder", "Caps"]

UNROLLED: Final = 3
"""Levels of a recursive definition that are written out where a provider has no recursion."""
MAX_BRANCHES: Final = 200
"""Maximum branches that the unions of one subschema are multiplied out to."""

_TYPES: Final = ("string", "number", "boolean", "null", "array", "object")
_Groups = frozenset[tuple[Node, str]]


class Builder:
    """Builds forms for the nodes of one schema."""

    def __init__(self, verdicts: Verdicts, profile: Profile, caps: dict[str, int], *, dynamic: bool) -> None:
        self.verdicts = verdicts
        self.profile = profile
        self.caps = caps
        self.dynamic = dynamic
        self.ledger = Ledger()
        self.enumerated = 0
        self._forms: dict[Any, Form | None] = {}
        self._links: dict[Any, Link] = {}
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
        inner = form
        while isinstance(inner, Noted):
            inner = inner.form
        if isinstance(inner, Object):
            if inner is not form:
                inner.note = form.note
            return inner
        words = "the root is written as the property `arguments` of an object"
        self.ledger.add("", "encoded", words=words)
        return Wrapped(form)

    def form_of(self, nodes: tuple[Node, ...], level: int, *, is_root: bool = False) -> Form | None:
        """Return the form of the values that all of some subschemas accept; None if no value is.

        `level` counts the recursive definitions around it, where they have to be unrolled.
        """
        flat, entered = self._flat(nodes)
        level += entered
        form = self._shape(tuple(filter(_asserts, flat)), frozenset(), level, is_root=is_root)
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
        self, nodes: tuple[Node, ...], used: _Groups, level: int, *, is_root: bool = False
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
        self, nodes: tuple[Node, ...], used: _Groups, level: int, *, is_root: bool
    ) -> Form | None:
        if any(node.is_false for node in nodes):
            return None
        if level > UNROLLED:
            for node in nodes:
                words = f"nested deeper than {UNROLLED} levels: a list of paths and values"
                self.ledger.add(node.place.pointer, "encoded", words=words)
            return self.free_form()
        chosen = [node for node in nodes if node.choices is not None]
        if chosen and (form := enum_form(self, chosen, nodes)) is not None:
            return form if form != () else None
        open_groups = [
            (node, keyword, branches)
            for node in nodes
            for keyword, branches in (("anyOf", node.any_of), ("oneOf", node.one_of))
            if branches and (node, keyword) not in used
        ]
        for node, keyword, branches in open_groups:
            if len(branches) * (len(used) + 1) > MAX_BRANCHES or not _informs(branches):
                continue
            return self._expanded(nodes, used | {(node, keyword)}, node, keyword, branches, level)
        return self._typed(nodes, used, level, is_root=is_root)

    def _expanded(  # noqa: PLR0913, PLR0917 - the state of one step
        self,
        nodes: tuple[Node, ...],
        used: _Groups,
        at: Node,
        keyword: str,
        branches: tuple[Node, ...],
        level: int,
    ) -> Form | None:
        """Return the union of the branches, each merged with all else that applies."""
        self.ledger.add(at.place.pointer, "enforced" if keyword == "anyOf" else "checked", keyword)
        forms = []
        for branch in branches:
            flat, entered = self._flat((branch,))
            merged = tuple(dict.fromkeys((*nodes, *filter(_asserts, flat))))
            form = self._shape(merged, used, level + entered)
            if form is not None:
                forms.append(noted(form, description_of(flat)))
        form = union_form(forms)
        if form is not None and keyword == "oneOf" and len(forms) > 1:
            form.words = ""
        return form

    def _typed(
        self, nodes: tuple[Node, ...], used: _Groups, level: int, *, is_root: bool
    ) -> Form | None:
        """Return the form of nodes whose unions are multiplied out: one for each type."""
        types = merged_types(nodes)
        implied = types is None
        if types is None:
            types = ("object",) if is_root else _TYPES
            if is_root:
                words = "values that are not objects"
                self.ledger.add("", "given up", words=words)
            elif not any(node.has_object_keywords() or node.has_array_keywords() for node in nodes) and self._is_free(nodes):
                return self.free_form()
        handled: dict[Node, set[str]] = {node: set() for node in nodes}
        forms: list[Form] = []
        for name in types:
            if name in {"boolean", "null"}:
                forms.append(Plain({"type": name}))
                continue
            if name == "string":
                form: Form | None = string_form(self, nodes, handled)
            elif name in {"integer", "number"}:
                form = number_form(self, nodes, handled, name)
            elif name == "array":
                form = array_form(self, nodes, handled, level)
            else:
                form = object_form(self, nodes, handled, level, is_root=is_root)
            if form is not None:
                forms.append(form)
        form = union_form(forms)
        if form is not None:
            form.words = joined(form.words, self._account(nodes, used, handled, types if not implied else ()))
        return form

    def _is_free(self, nodes: tuple[Node, ...]) -> bool:
        return not any(
            keyword not in _STRUCTURE for node in nodes for keyword in self._asserted(node)
        )

    def _asserted(self, node: Node) -> list[str]:
        return self.verdicts.asserted(node.place) if isinstance(node.schema, dict) else []

    def _account(
        self,
        nodes: tuple[Node, ...],
        used: _Groups,
        handled: dict[Node, set[str]],
        types: tuple[str, ...],
    ) -> str:
        """Record what is enforced and what is checked; return the latter in words."""
        phrases: list[str] = []
        for node in nodes:
            pointer = node.place.pointer
            enforced, checked = [], []
            for keyword in self._asserted(node):
                if keyword in handled[node] or keyword == "type":
                    enforced.append(keyword)
                elif keyword in _STRUCTURE or (node, keyword) in used and keyword == "anyOf":
                    continue
                elif not self._concerns(node, keyword, types):
                    continue
                else:
                    checked.append(keyword)
            schema = node.schema
            if isinstance(schema, dict) and "format" in schema and "string" in (types or _TYPES):
                (enforced if "format" in handled[node] else checked).append("format")
            if enforced:
                self.ledger.add(pointer, "enforced", *dict.fromkeys(enforced))
            if checked:
                self.ledger.add(pointer, "checked", *dict.fromkeys(checked))
                phrases += constraint_words(schema, dict.fromkeys(checked))
        text = "; ".join(dict.fromkeys(phrases))
        return f"Must be: {text}." if text else ""

    def _concerns(self, node: Node, keyword: str, types: tuple[str, ...]) -> bool:
        """Return whether a keyword applies to a value of some types."""
        dialect = self.verdicts.documents.dialect_of(node.place.document)
        record = dialect.keywords.get(keyword)
        instance = None if record is None else record.instance
        kinds = {"number" if name == "integer" else name for name in types or _TYPES}
        return instance is None or instance in kinds

    # ----------------------------------------------------------------------------------- free
    def free_form(self) -> Form:
        """Return the form of any JSON value."""
        key = "free"
        if key in self._forms:
            return self._forms[key]  # type: ignore[return-value]
        if key in self._links:
            return self._links[key]
        link = self._links[key] = Link()
        link.target = self._forms[key] = self._free(link)
        return link.target  # type: ignore[return-value]

    def _free(self, link: Link) -> Form:
        from schema2model.strict.containers import Array, EntryKind, Map  # noqa: PLC0415

        if self.profile.anything:
            return Plain({})
        scalars: list[Form] = [Plain({"type": name}) for name in _TYPES[:4]]
        if self.profile.recursion:
            entries = Map((EntryKind(link),), native=False)
            form = union_form([*scalars, Array(link, {}), Tagged("entries", entries)])
        else:
            inner = union_form([Plain({"type": name}) for name in _TYPES[:4]])
            assert inner is not None  # noqa: S101
            form = union_form([*scalars, Array(inner, {}), Leaves()])
        assert form is not None  # noqa: S101
        return form


class Wrapped(Object):
    """A root that is not an object, as the only property of one."""

    __slots__ = ()

    KEY = "arguments"

    def __init__(self, form: Form) -> None:
        from schema2model.strict.containers import Field  # noqa: PLC0415

        super().__init__((Field(self.KEY, self.KEY, form, required=True),), None, "")

    alters = True

    def encode(self, value: Any, path: Any) -> Any:
        return {self.KEY: self.fields[0].form.encode(value, path)}

    def plan(self) -> Any:
        return Tagged(self.KEY, self.fields[0].form).plan()


_STRUCTURE: Final = frozenset(
    (
        *("$ref", "allOf", "anyOf", "type", "properties", "required", "items", "prefixItems"),
        *("additionalProperties", "additionalItems", "patternProperties", "enum", "const"),
        *("$dynamicRef", "$recursiveRef"),
    )
)
"""Keywords that decide the form, rather than constrain its values."""


def _asserts(node: Node) -> bool:
    """Return whether a node says more than the nodes that it refers to."""
    return node.is_false or node.has_assertions() or not node.has_only("reference", "all_of") or _has_format(node) or _is_open(node)


def _has_format(node: Node) -> bool:
    return isinstance(node.schema, dict) and "format" in node.schema and "$ref" not in node.schema


def _is_open(node: Node) -> bool:
    return isinstance(node.schema, dict) and "additionalProperties" in node.schema


def _informs(branches: tuple[Node, ...]) -> bool:
    """Return whether the branches of a union differ in more than what they require."""
    for branch in branches:
        for node in reachable([branch], Node.conjuncts):
            if node.is_false or not vars(node).keys() <= {"required", "negated", "residual", "reference", "all_of", "types", "any_of"}:
                return True
            if node.types not in {None, ("object",)} or node.any_of or (node.residual and set(node.residual) != {"not"}):
                return True
    return False


def description_of(nodes: Iterable[Node]) -> str:
    """Return the first description, or title."""
    schemas = [node.schema for node in nodes if isinstance(node.schema, dict)]
    for schema in schemas:
        text = schema.get("description")
        if isinstance(text, str) and text.strip():
            return text
    return ""


def noted(form: Form, note: str) -> Form:
    """Return a form with a description: itself, if it has that."""
    return form if not note or note == form.note else Noted(form, note)


def merged_types(nodes: Iterable[Node]) -> tuple[str, ...] | None:
    """Return the types that all nodes allow, in the order of the first; None if all are."""
    merged: tuple[str, ...] | None = None
    for node in nodes:
        if node.types is None:
            continue
        if merged is None:
            merged = node.types
            continue
        kept = [name for name in merged if name in node.types or (name == "integer" and "number" in node.types)]
        if "number" in merged and "number" not in node.types and "integer" in node.types:
            kept.append("integer")
        merged = tuple(kept)
    if merged is not None and "number" in merged:
        merged = tuple(name for name in merged if name != "integer")
    return merged


_ = re
