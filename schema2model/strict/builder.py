"""Builds the encoding of a schema in a profile, subschema by subschema.

Subschemas that apply to one value (`allOf`, `$ref` and its siblings, the branch of a union and
what is next to it) are merged. A merge may allow more than all of them together, never less: the
schema as given has the last word when a value is decoded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Final

from schema2model.errors import SchemaError
from schema2model.limits import MAX_COMBINATIONS, MAX_MERGED_BRANCHES
from schema2model.schema.nodes import Node, common_types, leading_to, reachable
from schema2model.schema.verdicts import Verdicts
from schema2model.schema.vocabularies.python_types import PYTHON_TYPE, without_marks
from schema2model.strict.encodings import (
    JSON_TYPES,
    Array,
    Encoding,
    EntryKind,
    Field,
    Leaves,
    Link,
    Map,
    Noted,
    Object,
    Plain,
    Tagged,
    without_notes,
)
from schema2model.strict.enforcement import Ledger, constraint_words, join_notes
from schema2model.strict.json_types import (
    Build,
    Handled,
    array_encoding,
    choice_encoding,
    number_encoding,
    string_encoding,
)
from schema2model.strict.nullable_properties import object_encoding
from schema2model.strict.profiles import Profile
from schema2model.strict.tagged_unions import any_of, union_encoding

__all__ = ["Builder"]

Groups = frozenset[tuple[Node, str]]
"""The unions that are multiplied out, by their node and keyword."""

_TOO_MANY: Final = "the schema has too many combinations of subschemas to be projected"

UNROLLED: Final = 3
"""Maximum levels of a recursive definition that are written out without recursion."""


class Builder:
    """Builds encodings for the nodes of one schema."""

    def __init__(
        self, verdicts: Verdicts, profile: Profile, caps: dict[str, int], *, dynamic: bool
    ) -> None:
        self.verdicts = verdicts
        self.profile = profile
        self.caps = caps
        self.dynamic = dynamic
        self.ledger = Ledger()
        self.enumerated = 0
        self._encodings: dict[Any, Encoding | None] = {}
        self._links: dict[Any, Link] = {}
        self._free: Encoding | None = None
        self._recursive: dict[Node, bool] = {}

    # ------------------------------------------------------------------------------- entrance
    def root_encoding(self, root: Node) -> Object | Tagged:
        """Return the encoding of the whole schema: an object.

        Raises:
            SchemaError: if the schema accepts no value.

        """
        encoding = self.encoding_of((root,), 0, is_root=True)
        if encoding is None:
            message = "the schema allows no value, so that nothing can be enforced"
            raise SchemaError(message)
        made = without_notes(encoding)
        if not isinstance(made, Object):
            words = "the root is written as the property `arguments` of an object"
            self.ledger.add(root, "encoded", words=words)
            made = Tagged("arguments", encoding)
        elif made is not encoding:
            made.note = encoding.note
        start: list[Encoding] = [made]
        for each in leading_to(start, lambda one: one.alters, lambda one: one.children()):
            each.alters_parts = True
        return made

    def encoding_of(
        self, nodes: tuple[Node, ...], level: int, *, is_root: bool = False
    ) -> Encoding | None:
        """Return the encoding of values that some subschemas all accept; None if there are none.

        `level` counts the recursive definitions around it, where they have to be unrolled.
        """
        flat, entered = self._applying_nodes(nodes)
        level += entered
        encoding = self._merged_encoding(
            tuple(filter(self._has_own_keywords, flat)), frozenset(), level, is_root=is_root
        )
        return None if encoding is None else with_note(encoding, description_of(flat))

    def _applying_nodes(self, nodes: Iterable[Node]) -> tuple[list[Node], int]:
        """Return all nodes that apply, and the number of recursive definitions entered."""
        flat = reachable(nodes, Node.conjuncts)
        if self.profile.recursion:
            return flat, 0
        targets = {target for node in flat for target in node.reference}
        return flat, int(any(map(self._is_recursive, targets)))

    def _has_own_keywords(self, node: Node) -> bool:
        """Return whether a node says more than the nodes that it refers to."""
        return (
            node.is_false
            or not node.has_only({"reference", "all_of"})
            or (self.format_of(node) is not None and not node.possible_types <= _WITHOUT_FORMAT)
            or (isinstance(node.schema, dict) and "additionalProperties" in node.schema)
        )

    def _is_recursive(self, node: Node) -> bool:
        if node not in self._recursive:
            self._recursive[node] = node in reachable(node.subschemas(), Node.subschemas)
        return self._recursive[node]

    # --------------------------------------------------------------------------------- shapes
    def _merged_encoding(
        self, nodes: tuple[Node, ...], used: Groups, level: int, *, is_root: bool = False
    ) -> Encoding | None:
        key = (nodes, used, level, is_root)
        if key in self._encodings:
            return self._encodings[key]
        if key in self._links:
            return self._links[key]
        if len(self._links) > MAX_COMBINATIONS:
            raise SchemaError(_TOO_MANY)
        # a recursive subschema gets the link, as its encoding is not built yet
        link = self._links[key] = Link()
        encoding = self._build_encoding(nodes, used, level, is_root=is_root)
        if encoding is not None:
            if not used:
                encoding.note = encoding.note or description_of(nodes)
            encoding.name = encoding.name or definition_name(nodes)
        link.target = encoding
        self._encodings[key] = encoding
        return encoding

    def _build_encoding(
        self, nodes: tuple[Node, ...], used: Groups, level: int, *, is_root: bool
    ) -> Encoding | None:
        self.ledger.keep_order(nodes)
        if any(node.is_false for node in nodes):
            return None
        if level > UNROLLED:
            for node in nodes:
                words = f"nested deeper than {UNROLLED} levels: a list of paths and values"
                self.ledger.add(node, "encoded", words=words)
            return self.free_encoding()
        # the choices are all that can be valid, whatever else applies: unions need not be tried
        if any(node.choices is not None for node in nodes):
            return choice_encoding(self, nodes)
        open_groups = (
            (node, keyword, branches)
            for node in nodes
            for keyword, branches in (("anyOf", node.any_of), ("oneOf", node.one_of))
            if branches and (node, keyword) not in used and differ_in_encoding(branches)
        )
        group = next(open_groups, None)
        if group is None:
            return self._encoding_by_type(nodes, used, level, is_root=is_root)
        at, keyword, branches = group
        # several unions at one value are multiplied out, as there is no conjunction of them:
        # each branch is merged with all else that applies
        before = [each.any_of if name == "anyOf" else each.one_of for each, name in used]
        if math.prod(map(len, before)) * len(branches) > MAX_MERGED_BRANCHES:
            raise SchemaError(_TOO_MANY, pointer=at.place.pointer)
        self.ledger.add(at, "enforced", keyword)
        if keyword == "oneOf" and len(branches) > 1:
            words = "that only one alternative is valid"
            self.ledger.add(at, "checked", keyword, words=words)
        encodings = []
        for branch in branches:
            flat, entered = self._applying_nodes((branch,))
            merged = tuple(dict.fromkeys((*nodes, *filter(self._has_own_keywords, flat))))
            encoding = self._merged_encoding(merged, used | {(at, keyword)}, level + entered)
            if encoding is not None:
                encodings.append(with_note(encoding, description_of(flat)))
        return union_encoding(encodings)

    def _encoding_by_type(
        self, nodes: tuple[Node, ...], used: Groups, level: int, *, is_root: bool
    ) -> Encoding | None:
        """Return the encoding of nodes whose unions are multiplied out: one for each type."""
        types = common_types(nodes)
        if types is not None and "number" in types:  # each integer is one
            types = tuple(name for name in types if name != "integer")
        if types is None and is_root:
            types = ("object",)  # providers take no other root
            for node in nodes[:1]:
                self.ledger.add(node, "given up", words="values that are not objects")
        elif types is None and not constrains_types(self.verdicts, nodes):
            return self.free_encoding()
        handled: Handled = {node: set() for node in nodes}
        is_root = is_root and types == ("object",)
        encodings = []
        for name in JSON_TYPES if types is None else types:
            encoding = self._encoding_of_type(name, nodes, handled, level, is_root=is_root)
            if encoding is not None:
                encodings.append(encoding)
        encoding = union_encoding(encodings)
        if encoding is not None:
            words = record_keywords(self, nodes, used, handled, types)
            encoding.words = join_notes(encoding.words, words)
        return encoding

    def _encoding_of_type(
        self, name: str, nodes: tuple[Node, ...], handled: Handled, level: int, *, is_root: bool
    ) -> Encoding | None:
        """Return the encoding of the values of one type; None if no value of it is valid."""
        if name == "string":
            return string_encoding(self, nodes, handled)
        if name in {"integer", "number"}:
            return number_encoding(self, nodes, handled, name)
        if name == "array":
            return array_encoding(self, nodes, handled, level)
        if name == "object":
            return object_encoding(self, nodes, handled, level, is_root=is_root)
        return Plain({"type": name})

    # ---------------------------------------------------------------------------- for builders
    def format_of(self, node: Node) -> str | None:
        """Return the format of a subschema, also where it only annotates."""
        dialect = self.verdicts.documents.dialect_of(node.place.document)
        if not isinstance(node.schema, dict) or (dialect.ref_overrides and node.reference):
            return None
        value = node.schema.get("format")
        return value if isinstance(value, str) else None

    def caller_maximum(self, keyword: str, least: int | None = None) -> dict[str, int]:
        """Return the caller's maximum for what has none, if the provider enforces it."""
        if keyword not in self.caps or keyword not in self.profile.array | self.profile.string:
            return {}
        return {keyword: max(self.caps[keyword], least or 0)}

    def free_encoding(self) -> Encoding:
        """Return the encoding of any JSON value."""
        if self._free is None:
            self._free = link = Link()
            self._free = link.target = self._any_json_value(link)
            self._free.name = "json_value"
        return self._free

    def _any_json_value(self, link: Link) -> Encoding:
        if self.profile.anything:
            return Plain({})
        items, text = self.caller_maximum("maxItems"), self.caller_maximum("maxLength")
        scalars: list[Encoding] = [
            Plain({"type": "string", **text}),
            *(Plain({"type": name}) for name in ("number", "boolean", "null")),
        ]
        if self.profile.recursion:
            entries = Map((EntryKind(link),), native=False, bounds=items, key_bounds=text)
            encodings = [*scalars, Array(link, items), Tagged("entries", entries)]
        else:
            leaves = Leaves(_leaves_form(scalars, items, text))
            encodings = [*scalars, Array(any_of(scalars), items), leaves]
        return any_of(encodings)


def _leaves_form(scalars: list[Encoding], items: dict[str, int], text: dict[str, int]) -> Tagged:
    """Return the encoding of a list of scalars and empty containers, each with its path."""
    kinds = Plain({"type": "string", "enum": ["object", "array"]})
    empty = Object((Field("empty", "empty", kinds, required=True),), None, "")
    token = any_of([Plain({"type": "string", **text}), Plain({"type": "integer"})])
    parts = {"path": Array(token, items), "value": any_of([*scalars, empty])}
    fields = [Field(name, name, each, required=True) for name, each in parts.items()]
    return Tagged("leaves", Array(Object((*fields,), None, ""), items))


def with_note(encoding: Encoding, note: str) -> Encoding:
    """Return an encoding with a description: itself, if it has that."""
    return encoding if not note or note == encoding.note else Noted(encoding, note)


# -------------------------------------------------------------------------- subschemas of one value


_WITHOUT_FORMAT: Final = frozenset(("array", "boolean", "null", "object"))
"""Types whose values no format describes."""

_FORMLESS: Final = frozenset(("required", "negated", "reference", "all_of", "types", "any_of"))


def differ_in_encoding(branches: Iterable[Node]) -> bool:
    """Return whether the branches of a union differ in more than what they require.

    Alternatives such as `{"required": ["a"]}` are checked when a call is decoded.
    """
    return any(
        node.is_false
        or not vars(node).keys() - {"residual"} <= _FORMLESS
        or node.types not in {None, ("object",)}
        or bool(node.any_of)
        or not {*node.residual} <= {"not"}
        for node in reachable(branches, Node.conjuncts)
    )


def description_of(nodes: Iterable[Node]) -> str:
    """Return the first description of some nodes."""
    for node in nodes:
        text = node.schema.get("description") if isinstance(node.schema, dict) else None
        if isinstance(text, str) and text.strip():
            return text
    return ""


def definition_name(nodes: Iterable[Node]) -> str:
    """Return the name of a definition or property that is the first of some nodes, or ""."""
    for node in nodes:
        path = node.place.path
        if len(path) > 1 and path[-2] in {"$defs", "definitions", "properties"}:
            return re.sub(r"[^a-zA-Z0-9_.-]", "_", str(path[-1]))[:_MAX_NAME]
    return ""


_MAX_NAME: Final = 60
"""Maximum characters of the name of a definition."""


# ------------------------------------------------------------------- keywords that are only checked

_STRUCTURE: Final = frozenset(
    (
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "allOf",
        "properties",
        "items",
        "additionalProperties",
        "additionalItems",
        "patternProperties",
        "enum",
        "const",
        "required",
    )
)
"""Keywords that decide the encoding, rather than constrain its values."""


def constrains_types(verdicts: Verdicts, nodes: tuple[Node, ...]) -> bool:
    """Return whether nodes without a type have a keyword that any type's encoding could express."""
    return any(
        node.has_object_keywords()
        or node.has_array_keywords()
        or any(keyword not in _STRUCTURE for keyword in _asserted_keywords(verdicts, node))
        for node in nodes
    )


def _asserted_keywords(verdicts: Verdicts, node: Node) -> list[str]:
    """Return the keywords of a subschema that assert; the engine's own is none of the schema's."""
    return [keyword for keyword in verdicts.asserted(node.place) if keyword != PYTHON_TYPE]


def record_keywords(
    build: Build,
    nodes: tuple[Node, ...],
    used: Groups,
    handled: Handled,
    types: tuple[str, ...] | None,
) -> str:
    """Record which keywords are enforced and which are checked; return the latter in words."""
    phrases: list[str] = []
    kinds = {"number" if name == "integer" else name for name in types or JSON_TYPES}
    for node in nodes:
        enforced, checked = [], []
        records = build.verdicts.documents.dialect_of(node.place.document).keywords
        for keyword in _asserted_keywords(build.verdicts, node):
            is_tuple = keyword == "items" and isinstance(node.schema[keyword], list)
            if keyword in handled[node] or keyword == "type":
                enforced.append(keyword)
            elif (
                (keyword not in _STRUCTURE or is_tuple)
                and (node, keyword) not in used
                # a keyword says nothing about values of types other than its own
                and (keyword not in records or records[keyword].instance in {None, *kinds})
            ):
                checked.append(keyword)
        if build.format_of(node) and "string" in kinds:
            (enforced if "format" in handled[node] else checked).append("format")
        if enforced:
            build.ledger.add(node, "enforced", *dict.fromkeys(enforced))
        if checked:
            build.ledger.add(node, "checked", *dict.fromkeys(checked))
            phrases += constraint_words(without_marks(node.schema), dict.fromkeys(checked))
    text = "; ".join(dict.fromkeys(phrases))
    return f"Must be: {text}." if text else ""
