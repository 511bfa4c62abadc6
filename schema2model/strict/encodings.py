"""Encodings: how values of a schema are written in a projection, and read back.

An encoding knows both directions, so that encoding and its inverse are in one class.
`emitter` writes the schema of an encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jsonschema_rs import Draft202012Validator
from typing_extensions import override

from schema2model.json.equality import json_key
from schema2model.json.pointers import JSONPath
from schema2model.json.quoting import quoted
from schema2model.json.values import CONTAINERS
from schema2model.limits import MAX_DEPTH
from schema2model.schema.nodes import reachable

__all__ = [
    "JSON_TYPES",
    "Array",
    "Decoder",
    "Encoding",
    "EntryKind",
    "Field",
    "Leaves",
    "Link",
    "Map",
    "Mismatch",
    "Noted",
    "Object",
    "Plain",
    "Tagged",
    "Union",
    "free_name",
    "list_decoder",
    "reachable_encodings",
    "unchanged",
    "without_notes",
]

Decoder = Callable[[Any], Any]
"""Reads back a value of an encoding; it returns a value of any other encoding unchanged."""


class Mismatch(Exception):  # noqa: N818 - it never leaves the package
    """A value, or a part of it, cannot be written in an encoding, or read back.

    A decoder does not know where its value is: it passes the value as `within`, and the path from
    there.
    """

    def __init__(
        self, path: JSONPath, keyword: str, expected: str, value: Any, within: Any = None
    ) -> None:
        super().__init__(expected)
        self.path = path
        self.within = within
        self.keyword = keyword
        self.expected = expected
        self.value = value


class Encoding:
    """One way to write the values of a subschema."""

    alters = False
    """True if it writes some value differently, apart from the parts of the value."""
    name = ""
    note = ""
    words = ""
    _decoder: Decoder | None = None
    alters_parts = False
    """True if it or one of its parts alters values, once all of them are built."""

    def children(self) -> Iterable[Encoding]:
        """Return the encodings of the parts."""
        return ()

    def encode(self, value: Any, path: JSONPath) -> Any:
        """Return a value as the projection writes it.

        Raises:
            Mismatch: if the encoding has no way to write it.

        """
        raise NotImplementedError

    def make_decoder(self) -> Decoder:
        """Return the function that reads back values of an encoding that alters some."""
        raise NotImplementedError

    def accepts_null(self) -> bool:
        """Return whether null may be valid for the projection."""
        return False

    def decoder(self) -> Decoder | None:
        """Return the function that reads back values; None if all values are written unchanged."""
        if self._decoder is None and self.alters_parts:
            self._decoder = self.make_decoder()
        return self._decoder


def reachable_encodings(start: Encoding) -> list[Encoding]:
    """Return an encoding and all encodings of its parts, each once."""
    return reachable([start], lambda each: each.children())


# ------------------------------------------------------------------------ scalars, wrappers
@dataclass(eq=False)
class Plain(Encoding):
    """Values written unchanged: scalars under keywords that the provider enforces."""

    schema: dict[str, Any]

    @cached_property
    def _validator(self) -> Draft202012Validator:
        return Draft202012Validator(self.schema, validate_formats=False)

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        if not self._validator.is_valid(value):
            keyword = "enum" if "enum" in self.schema else "type"
            raise Mismatch(path, keyword, f"a value of {quoted(self.schema)}", value)
        return value

    @override
    def accepts_null(self) -> bool:
        return self.schema.get("type") == "null" or not self.schema


@dataclass(eq=False)
class Noted(Encoding):
    """Another encoding, with a description of its own."""

    encoding: Encoding
    note: str
    words: str = ""

    @override
    def children(self) -> Iterable[Encoding]:
        return (self.encoding,)

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        return self.encoding.encode(value, path)

    @override
    def decoder(self) -> Decoder | None:
        return self.encoding.decoder()

    @override
    def accepts_null(self) -> bool:
        return self.encoding.accepts_null()


@dataclass(eq=False)
class Link(Encoding):
    """An encoding that is still being built: the beginning of a recursion."""

    target: Encoding | None = None

    @override
    def children(self) -> Iterable[Encoding]:
        return () if self.target is None else (self.target,)

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        assert self.target is not None  # noqa: S101 - links are closed when the build ends
        return self.target.encode(value, path)

    @override
    def make_decoder(self) -> Decoder:
        target = self.target
        assert target is not None  # noqa: S101
        planned: Decoder | None = None

        def decode(value: Any) -> Any:
            nonlocal planned
            if planned is None:  # the plan of the target may contain this very link
                planned = target.decoder() or unchanged
            return planned(value)

        return decode

    @override
    def accepts_null(self) -> bool:
        return True  # perhaps: its target is not known yet


@dataclass(eq=False)
class Tagged(Encoding):
    """An encoding within an object of one property, which distinguishes it from others."""

    key: str
    encoding: Encoding
    alters = True

    @override
    def children(self) -> Iterable[Encoding]:
        return (self.encoding,)

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        return {self.key: self.encoding.encode(value, path)}

    @override
    def make_decoder(self) -> Decoder:
        key, inner = self.key, self.encoding.decoder()

        def decode(value: Any) -> Any:
            if type(value) is not dict or value.keys() != {key}:
                return value
            return value[key] if inner is None else inner(value[key])

        return decode


@dataclass(eq=False)
class Union(Encoding):
    """Alternatives; the first that fits is taken."""

    branches: tuple[Encoding, ...]
    types: tuple[frozenset[str], ...]
    make_tests: Callable[[], list[Callable[[Any], bool]]] | None = None
    """Bound once the schemas of the branches are written: it makes the tests that say which
    branch a value of the projection is of, where its type alone does not."""

    @override
    def children(self) -> Iterable[Encoding]:
        return self.branches

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        decode = self.decoder()
        mismatches: list[Mismatch] = []
        for branch in self.branches:
            try:
                written = branch.encode(value, path)
            except Mismatch as error:
                mismatches.append(error)
                continue
            # a branch is right only if its value is read back as that branch reads it
            own = branch.decoder() or unchanged
            if decode is None or decode(written) == own(written):
                return written
        # first what the projection gives up: all else may be of branches that the value is not of
        mismatches.sort(key=lambda e: (e.keyword == "additionalProperties", len(e.path)))
        raise (
            mismatches[-1]
            if mismatches
            else Mismatch(path, "anyOf", "a value of one alternative", value)
        )

    @override
    def make_decoder(self) -> Decoder:
        decoders = [branch.decoder() for branch in self.branches]
        accepts = lazy_tests(self)
        by_type: dict[type, Decoder] = {}
        for kind, name in _TYPE_NAMES.items():
            indices = [index for index, types in enumerate(self.types) if name in types]
            found = [decoders[index] for index in indices]
            if any(inner is not None for inner in found):
                only = found[0] if len(found) == 1 else None
                by_type[kind] = only or _tested_decoder(indices, decoders, accepts)
        choose = by_type.get

        def decode(value: Any) -> Any:
            inner = choose(type(value))
            return value if inner is None else inner(value)

        return decode

    @override
    def accepts_null(self) -> bool:
        return any(branch.accepts_null() for branch in self.branches)


def lazy_tests(encoding: Union | Map) -> Callable[[int, Any], bool]:
    """Return whether the schema of an alternative, by its index, accepts a value."""
    tests: list[Callable[[Any], bool]] = []

    def accepts(index: int, value: Any) -> bool:
        if not tests:
            assert encoding.make_tests is not None  # noqa: S101 - bound when the schema is written
            tests.extend(encoding.make_tests())
        return tests[index](value)

    return accepts


def _tested_decoder(
    indices: list[int], decoders: list[Decoder | None], accepts: Callable[[int, Any], bool]
) -> Decoder:
    """Return a decoder that asks the schemas of some branches whose a value is."""

    def decode(value: Any) -> Any:
        inner = next((decoders[index] for index in indices if accepts(index, value)), None)
        return value if inner is None else inner(value)

    return decode


_TYPE_NAMES: dict[type, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    list: "array",
    dict: "object",
}
"""JSON's types by Python's own, integers as numbers."""

JSON_TYPES = (*dict.fromkeys(_TYPE_NAMES.values()),)
"""The types of JSON, scalars first."""


def list_decoder(encoding: Encoding) -> Callable[[list[Any]], list[Any]]:
    """Return the function that reads back a list of values of an encoding that alters some."""
    inner = encoding.decoder()
    assert inner is not None  # noqa: S101 - the caller asks only for such
    return lambda items: [inner(each) if type(each) in CONTAINERS else each for each in items]


def unchanged(value: Any) -> Any:
    """Return the value: the decoder of an encoding that alters none."""
    return value


def free_name(stem: str, taken: Collection[str]) -> str:
    """Return a name, with a number where it is taken.

    >>> free_name("value", {"value", "value_2"})
    'value_3'
    """
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    return name


def without_notes(encoding: Encoding) -> Encoding:
    """Return an encoding without its description."""
    while isinstance(encoding, Noted):
        encoding = encoding.encoding
    return encoding


# ---------------------------------------------------------------------------------- arrays
@dataclass(eq=False)
class Array(Encoding):
    """An array whose items all have one encoding."""

    items: Encoding
    bounds: Mapping[str, int]

    @override
    def children(self) -> Iterable[Encoding]:
        return (self.items,)

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        if type(value) is not list:
            raise Mismatch(path, "type", "an array", value)
        require_size(value, self.bounds, path)
        return [self.items.encode(item, (*path, i)) for i, item in enumerate(value)]

    @override
    def make_decoder(self) -> Decoder:
        items = list_decoder(self.items)
        return lambda value: items(value) if type(value) is list else value


def require_size(value: list[Any], bounds: Mapping[str, int], path: JSONPath) -> None:
    """Refuse a list of a size that a provider is not to allow.

    Raises:
        Mismatch: if it is.

    """
    if len(value) < bounds.get("minItems", 0):
        raise Mismatch(path, "minItems", f"at least {bounds['minItems']} items", value)
    if len(value) > bounds.get("maxItems", len(value)):
        raise Mismatch(path, "maxItems", f"at most {bounds['maxItems']} items", value)


@dataclass(eq=False)
class Leaves(Encoding):
    """Any object or array as the list of its scalars and empty containers, each with its path.

    It needs no recursion: the encoding of values that are nested deeper than a provider allows.
    """

    form: Tagged
    """The encoding of the list: an array of objects under the name `leaves`."""
    alters = True
    note = "A nested value: each scalar in it, with the keys and indices that lead to it."

    @override
    def children(self) -> Iterable[Encoding]:
        return (self.form,)

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        if type(value) not in CONTAINERS:
            raise Mismatch(path, "type", "an object or an array", value)
        try:
            return self.form.encode([*_list_leaves(value, [])], path)
        except Mismatch as mismatch:
            mismatch.path = path  # the list has other places
            raise

    @override
    def make_decoder(self) -> Decoder:
        read = self.form.decoder() or unchanged

        def decode(value: Any) -> Any:
            leaves = read(value) if type(value) is dict else None
            if type(leaves) is not list or not all(map(_is_leaf, leaves)):
                return value
            try:
                return _assembled(leaves, 0) if leaves else {}
            except Mismatch as mismatch:
                mismatch.within = value
                raise

        return decode


def _list_leaves(value: Any, path: list[str | int]) -> Iterable[dict[str, Any]]:
    if type(value) not in CONTAINERS or not value:
        empty = {"empty": "object" if type(value) is dict else "array"}
        yield {"path": path, "value": empty if type(value) in CONTAINERS else value}
        return
    for token, each in value.items() if type(value) is dict else enumerate(value):
        yield from _list_leaves(each, [*path, token])


def _is_leaf(value: Any) -> bool:
    return (
        type(value) is dict
        and value.keys() == {"path", "value"}
        and type(value["path"]) is list
        and {str, int}.issuperset(map(type, value["path"]))
    )


def _assembled(leaves: list[dict[str, Any]], level: int) -> Any:
    """Return the value that leaves make, whose paths are the same up to a level."""
    first = leaves[0]
    if len(leaves) == 1 and len(first["path"]) == level:
        value = first["value"]
        return value if type(value) is not dict else [] if value.get("empty") == "array" else {}
    below: dict[str | int, list[dict[str, Any]]] = {}
    for leaf in leaves:
        if not level < len(leaf["path"]) <= MAX_DEPTH:
            expected = f"a path of {MAX_DEPTH} levels at most, that fits those of all other leaves"
            raise Mismatch(("leaves",), "type", expected, leaf["path"])
        below.setdefault(leaf["path"][level], []).append(leaf)
    made = {token: _assembled(each, level + 1) for token, each in below.items()}
    if {*map(type, made)} == {str}:
        return made
    if made.keys() != {*range(len(made))}:
        expected = "indices from 0 without a gap, or names"
        raise Mismatch(("leaves",), "type", expected, [*made])
    return [made[index] for index in range(len(made))]


# --------------------------------------------------------------------------------- objects
@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A property: its name, its name in the projection, and the encoding of its value."""

    name: str
    key: str
    encoding: Encoding
    required: bool
    nullable: bool = False
    """True if null means that the property is absent."""
    null_default: bool = False
    """True if null is the default, so that a null which is sent means the same."""


@dataclass(frozen=True, slots=True, eq=False)
class EntryKind:
    """The entries of a map whose keys match a pattern: all that no kind before it takes."""

    encoding: Encoding
    matches: Callable[[str], bool] | None = None
    pattern: str | None = None


@dataclass(eq=False)
class Map(Encoding):
    """An object with any names, written as a list of keys and values, or natively.

    No provider ties the kind of an entry to its key, so that a value may be of another kind than
    its key: it is read back by the first kind whose schema accepts it, that of its key before all.
    """

    kinds: tuple[EntryKind, ...]
    native: bool
    bounds: Mapping[str, int]
    key_bounds: Mapping[str, int]
    make_tests: Callable[[], list[Callable[[Any], bool]]] | None = None

    def __post_init__(self) -> None:
        self.alters = not self.native

    @override
    def children(self) -> Iterable[Encoding]:
        return [kind.encoding for kind in self.kinds]

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        if type(value) is not dict:
            raise Mismatch(path, "type", "an object", value)
        written = {
            name: self.entry_kind_of(name, path).encoding.encode(each, (*path, name))
            for name, each in value.items()
        }
        if self.native:
            return written
        for name in written:
            if len(name) > self.key_bounds.get("maxLength", len(name)):
                expected = f"at most {self.key_bounds['maxLength']} characters"
                raise Mismatch(path, "maxLength", expected, name)
        entries = [{"key": name, "value": each} for name, each in written.items()]
        require_size(entries, self.bounds, path)
        return entries

    def entry_kind_of(self, name: str, path: JSONPath) -> EntryKind:
        """Return the kind of entry that a name is.

        Raises:
            Mismatch: if no kind takes the name.

        """
        for kind in self.kinds:
            if kind.matches is None or kind.matches(name):
                return kind
        raise Mismatch((*path, name), "additionalProperties", "no property of this name", name)

    @override
    def make_decoder(self) -> Decoder:
        kinds = self.kinds
        decoders = [kind.encoding.decoder() for kind in kinds]
        accepts = lazy_tests(self)

        def read(name: str, value: Any) -> Any:
            matching = (
                at for at, kind in enumerate(kinds) if not kind.matches or kind.matches(name)
            )
            index = next(matching, 0)
            if len(kinds) > 1 and any(decoders):
                order = (index, *range(len(kinds)))
                index = next((at for at in order if accepts(at, value)), index)
            inner = decoders[index]
            return value if inner is None else inner(value)

        def decode(value: Any) -> Any:
            if type(value) is dict:
                return {name: read(name, each) for name, each in value.items()}
            if type(value) is not list or not all(
                type(each) is dict and each.keys() == _ENTRY and type(each["key"]) is str
                for each in value
            ):
                return value
            decoded: dict[str, Any] = {}
            for index, entry in enumerate(value):
                name = entry["key"]
                each = read(name, entry["value"])
                if name in decoded and json_key(decoded[name]) != json_key(each):
                    expected = "a key that no other entry has"
                    raise Mismatch((index, "key"), "uniqueItems", expected, name, value)
                decoded[name] = each
            return decoded

        return decode


_ENTRY = {"key": None, "value": None}.keys()


@dataclass(eq=False)
class Object(Encoding):
    """An object with declared properties, and perhaps others under `extra`."""

    fields: tuple[Field, ...]
    extra: Map | None
    extra_key: str

    def __post_init__(self) -> None:
        lists = self.extra is not None and not self.extra.native
        self.alters = lists or any(each.nullable or each.key != each.name for each in self.fields)

    @override
    def children(self) -> Iterable[Encoding]:
        extra = () if self.extra is None else (self.extra,)
        return (*(field.encoding for field in self.fields), *extra)

    @override
    def encode(self, value: Any, path: JSONPath) -> Any:
        if type(value) is not dict:
            raise Mismatch(path, "type", "an object", value)
        written = {}
        for field in self.fields:
            is_default = field.null_default and value.get(field.name) is None
            if field.name in value and not is_default:
                inner = (*path, field.name)
                written[field.key] = field.encoding.encode(value[field.name], inner)
            elif field.nullable:
                written[field.key] = None
            elif field.required:
                raise Mismatch((*path, field.name), "required", "a value (required)", value)
        names = {field.name for field in self.fields}
        others = {name: each for name, each in value.items() if name not in names}
        if self.extra is None:
            if others:
                name = next(iter(others))
                expected = "no property that the schema does not declare"
                raise Mismatch((*path, name), "additionalProperties", expected, others[name])
        elif self.extra.native:
            written.update(self.extra.encode(others, path))
        else:
            written[self.extra_key] = self.extra.encode(others, path)
        return written

    @override
    def make_decoder(self) -> Decoder:
        absent = frozenset(field.key for field in self.fields if field.nullable)
        decoders = {field.key: field.encoding.decoder() for field in self.fields}
        changed = {key: inner for key, inner in decoders.items() if inner is not None}
        names = {field.key: field.name for field in self.fields if field.key != field.name}

        def decode(value: Any) -> Any:
            if type(value) is not dict:
                return value
            if not changed:
                decoded = {k: v for k, v in value.items() if v is not None or k not in absent}
            else:
                decoded = {
                    k: changed[k](v) if k in changed and type(v) in CONTAINERS else v
                    for k, v in value.items()
                    if v is not None or k not in absent
                }
            if not names:
                return decoded
            # next to its own name, the key of a property is that of another
            return {k if (n := names.get(k, k)) in decoded else n: v for k, v in decoded.items()}

        return (
            decode if self.extra is None else self._decoder_with_extra(decode, self.extra, decoders)
        )

    def _decoder_with_extra(
        self, declared: Decoder, extra: Map, known: Mapping[str, Any]
    ) -> Decoder:
        read = extra.make_decoder()
        if extra.native:
            return lambda value: (
                {
                    **declared({k: each for k, each in value.items() if k in known}),
                    **read({k: each for k, each in value.items() if k not in known}),
                }
                if type(value) is dict
                else value
            )
        key, own = self.extra_key, {field.name for field in self.fields}

        def decode(value: Any) -> Any:
            if type(value) is not dict or key not in value:
                return declared(value)
            added = read(value[key])
            if type(added) is not dict:
                return declared(value)
            for name in own.intersection(added):
                expected = "a key that the schema does not declare"
                raise Mismatch((key,), "additionalProperties", expected, name, value)
            return {**declared({k: each for k, each in value.items() if k != key}), **added}

        return decode
