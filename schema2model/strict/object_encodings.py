"""The encodings of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from schema2model.strict.arrays import check_length, check_size
from schema2model.strict.encodings import (
    CONTAINERS,
    Decoder,
    Encoding,
    Mismatch,
    Tagged,
    Tokens,
    alters_text,
)

__all__ = ["NULL_HOLDER", "EntryKind", "Field", "Map", "Object", "Wrapped"]

NULL_HOLDER = "value"
"""The property that holds a null which is sent, where null alone means that nothing is."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A property: its name, its name in the projection, and the encoding of its value."""

    name: str
    key: str
    encoding: Encoding
    required: bool
    nullable: bool = False
    """True if null means that the property is absent."""
    explicit_null: bool = False
    """True if `{"value": null}` means null, next to what the encoding takes."""
    wrapped: bool = False
    """True if every value is in `{"value": …}`."""

    @property
    def alters(self) -> bool:
        """True if it may be renamed, or written as null or in an object."""
        return self.nullable or self.explicit_null or self.wrapped or self.key != self.name

    def encode(self, value: Any, path: Tokens) -> Any:
        """Return the value as the projection writes it."""
        if self.explicit_null and value is None:
            return {NULL_HOLDER: None}
        written = self.encoding.encode(value, path)
        return {NULL_HOLDER: written} if self.wrapped else written

    def decoder(self) -> Decoder | None:
        """Return the function that reads back values; None if all are written unchanged."""
        inner = self.encoding.decoder()
        if self.explicit_null:
            return lambda value: (
                None
                if type(value) is dict and value == _NULL
                else value
                if inner is None
                else inner(value)
            )
        if not self.wrapped:
            return inner

        def unwrap(value: Any) -> Any:
            if type(value) is dict and len(value) == 1 and NULL_HOLDER in value:
                value = value[NULL_HOLDER]
            return value if inner is None else inner(value)

        return unwrap


_NULL = {NULL_HOLDER: None}


@dataclass(frozen=True, slots=True, eq=False)
class EntryKind:
    """The entries of a map whose keys match a pattern: all that no kind before it takes."""

    encoding: Encoding
    matches: Callable[[str], bool] | None = None
    pattern: str | None = None


class Map(Encoding):
    """An object with any names, written as a list of keys and values, or natively."""

    __slots__ = ("bounds", "key_bounds", "kinds", "native")

    def __init__(
        self,
        kinds: tuple[EntryKind, ...],
        *,
        native: bool,
        bounds: Mapping[str, int],
        key_bounds: Mapping[str, int],
    ) -> None:
        super().__init__(alters=not native)
        self.kinds = kinds
        self.native = native
        self.bounds = bounds
        self.key_bounds = key_bounds

    @override
    def children(self) -> Iterable[Encoding]:
        return [kind.encoding for kind in self.kinds]

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        if type(value) is not dict:
            raise Mismatch(path, "type", "an object", value)
        written = {
            name: self.kind_of(name, path).encoding.encode(each, (*path, name))
            for name, each in value.items()
        }
        if self.native:
            return written
        for name in written:
            check_length(name, self.key_bounds, path)
        entries = [{"key": name, "value": each} for name, each in written.items()]
        check_size(entries, self.bounds, path)
        return entries

    def kind_of(self, name: str, path: Tokens) -> EntryKind:
        """Return the kind of entry that a name is.

        Raises:
            Mismatch: if no kind takes the name.

        """
        for kind in self.kinds:
            if kind.matches is None or kind.matches(name):
                return kind
        raise Mismatch((*path, name), "additionalProperties", "no property of this name", name)

    @override
    def plan(self) -> Decoder:
        kinds = [(kind.matches, kind.encoding.decoder()) for kind in self.kinds]

        def read(name: str, value: Any) -> Any:
            for matches, inner in kinds:
                if matches is None or matches(name):
                    return value if inner is None else inner(value)
            return value

        def decode(value: Any) -> Any:
            if type(value) is dict:
                return {name: read(name, each) for name, each in value.items()}
            if type(value) is not list or not all(map(_is_entry, value)):
                return value
            decoded: dict[str, Any] = {}
            for index, entry in enumerate(value):
                name = entry["key"]
                each = read(name, entry["value"])
                if name in decoded and decoded[name] != each:
                    raise Mismatch((index, "key"), "uniqueItems", "each key once", name)
                decoded[name] = each
            return decoded

        return decode


def _is_entry(value: Any) -> bool:
    return type(value) is dict and value.keys() == _ENTRY and type(value["key"]) is str


_ENTRY = {"key": None, "value": None}.keys()


class Object(Encoding):
    """An object with declared properties, and perhaps others under `extra`."""

    __slots__ = ("extra", "extra_key", "fields")

    def __init__(self, fields: tuple[Field, ...], extra: Map | None, extra_key: str) -> None:
        lists = extra is not None and not extra.native
        super().__init__(alters=lists or any(field.alters for field in fields))
        self.fields = fields
        self.extra = extra
        self.extra_key = extra_key

    @override
    def children(self) -> Iterable[Encoding]:
        extra = () if self.extra is None else (self.extra,)
        return (*(field.encoding for field in self.fields), *extra)

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        if type(value) is not dict:
            raise Mismatch(path, "type", "an object", value)
        written = {}
        for field in self.fields:
            if field.name in value:
                written[field.key] = field.encode(value[field.name], (*path, field.name))
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
    def plan(self) -> Decoder:
        absent = frozenset(field.key for field in self.fields if field.nullable)
        decoders = {field.key: field.decoder() for field in self.fields}
        changed = {key: inner for key, inner in decoders.items() if inner is not None}
        reads_text = alters_text(self)
        names = {field.key: field.name for field in self.fields if field.key != field.name}

        def decode(value: Any) -> Any:
            if type(value) is not dict:
                return value
            decoded = value
            if absent:
                for key, each in value.items():
                    if each is None and key in absent:
                        if decoded is value:
                            decoded = value.copy()
                        del decoded[key]
            for key, inner in changed.items():
                each = decoded.get(key)
                if type(each) in CONTAINERS or (reads_text and each is not None):
                    if decoded is value:
                        decoded = value.copy()
                    decoded[key] = inner(each)
            return {names.get(k, k): v for k, v in decoded.items()} if names else decoded

        return decode if self.extra is None else self._with_extra(decode, self.extra, decoders)

    def _with_extra(self, declared: Decoder, extra: Map, known: Mapping[str, Any]) -> Decoder:
        read = extra.plan()
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
                expected = "no key of a declared property"
                raise Mismatch((key,), "additionalProperties", expected, name)
            return {**declared({k: each for k, each in value.items() if k != key}), **added}

        return decode


class Wrapped(Object):
    """A root that is not an object, as the only property of one."""

    __slots__ = ()

    KEY = "arguments"

    def __init__(self, encoding: Encoding) -> None:
        super().__init__((Field(self.KEY, self.KEY, encoding, required=True),), None, "")
        self.alters = True

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        return {self.KEY: self.fields[0].encoding.encode(value, path)}

    @override
    def plan(self) -> Decoder:
        return Tagged(self.KEY, self.fields[0].encoding).plan()
