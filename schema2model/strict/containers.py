"""The forms of objects and arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from schema2model.json.quoting import quoted
from schema2model.strict.forms import Decoder, Form, Mismatch, Path

__all__ = [
    "ABSENT_OR_NULL",
    "Array",
    "EntryKind",
    "Field",
    "Leaves",
    "Map",
    "Object",
    "Tuple",
]

ABSENT_OR_NULL = "value"
"""The property that holds a null which is sent, where null alone means that nothing is."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A property: its name, its name in the projection, and the form of its value."""

    name: str
    key: str
    form: Form
    required: bool
    nullable: bool = False
    """True if null means that the property is absent."""
    explicit_null: bool = False
    """True if `{"value": null}` means null, next to what the form takes."""
    wrapped: bool = False
    """True if every value is in `{"value": …}`."""

    def encode(self, value: Any, path: Path) -> Any:
        """Return the value as the projection writes it."""
        if self.explicit_null and value is None:
            return {ABSENT_OR_NULL: None}
        written = self.form.encode(value, path)
        return {ABSENT_OR_NULL: written} if self.wrapped else written

    def decoder(self) -> Decoder | None:
        """Return the function that reads back values; None if all are written unchanged."""
        inner = self.form.decoder()
        if self.explicit_null:
            return lambda value: (
                None if value == _NULL else value if inner is None else inner(value)
            )
        if not self.wrapped:
            return inner

        def unwrap(value: Any) -> Any:
            if type(value) is dict and len(value) == 1 and ABSENT_OR_NULL in value:
                value = value[ABSENT_OR_NULL]
            return value if inner is None else inner(value)

        return unwrap


_NULL = {ABSENT_OR_NULL: None}


@dataclass(frozen=True, slots=True, eq=False)
class EntryKind:
    """The entries of a map whose keys match a pattern: all that no kind before it takes."""

    form: Form
    matches: Callable[[str], bool] | None = None
    pattern: str | None = None


class Map(Form):
    """An object with any names, written as a list of keys and values, or natively."""

    __slots__ = ("kinds", "max_size", "min_size", "native")

    def __init__(
        self, kinds: tuple[EntryKind, ...], *, native: bool, sizes: tuple[int, int | None] = (0, None)
    ) -> None:
        super().__init__()
        self.kinds = kinds
        self.native = native
        self.min_size, self.max_size = sizes

    @property
    def alters(self) -> bool:  # type: ignore[override]
        """True if it is written as a list."""
        return not self.native

    def children(self) -> Iterable[Form]:
        return [kind.form for kind in self.kinds]

    def encode(self, value: Any, path: Path) -> Any:
        if type(value) is not dict:
            raise Mismatch(path, "type", "an object", value)
        written = {name: self.kind_of(name, path).form.encode(each, (*path, name)) for name, each in value.items()}
        if self.native:
            return written
        return [{"key": name, "value": each} for name, each in written.items()]

    def kind_of(self, name: str, path: Path) -> EntryKind:
        """Return the kind of entry that a name is.

        Raises:
            Mismatch: if no kind takes the name.

        """
        for kind in self.kinds:
            if kind.matches is None or kind.matches(name):
                return kind
        raise Mismatch((*path, name), "additionalProperties", "no property of this name", name)

    def plan(self) -> Decoder:
        kinds = [(kind.matches, kind.form.decoder()) for kind in self.kinds]

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
    return type(value) is dict and len(value) == 2 and "value" in value and type(value.get("key")) is str  # noqa: PLR2004


class Object(Form):
    """An object with declared properties, and perhaps others under `extra`."""

    __slots__ = ("extra", "extra_key", "fields")

    def __init__(self, fields: tuple[Field, ...], extra: Map | None, extra_key: str) -> None:
        super().__init__()
        self.fields = fields
        self.extra = extra
        self.extra_key = extra_key

    @property
    def alters(self) -> bool:  # type: ignore[override]
        """True if a property may be written as null, renamed, or listed."""
        return (self.extra is not None and not self.extra.native) or any(
            field.nullable or field.explicit_null or field.wrapped or field.key != field.name
            for field in self.fields
        )

    def children(self) -> Iterable[Form]:
        extra = () if self.extra is None else (self.extra,)
        return (*(field.form for field in self.fields), *extra)

    def encode(self, value: Any, path: Path) -> Any:
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

    def plan(self) -> Decoder:
        absent = frozenset(field.key for field in self.fields if field.nullable)
        decoders = {field.key: field.decoder() for field in self.fields}
        changed = {key: inner for key, inner in decoders.items() if inner is not None}
        names = {field.key: field.name for field in self.fields if field.key != field.name}
        simple = not changed and not names

        def decode(value: Any) -> Any:
            if type(value) is not dict:
                return value
            if simple:
                return {k: each for k, each in value.items() if each is not None or k not in absent}
            decoded = {}
            for key, each in value.items():
                if each is None and key in absent:
                    continue
                inner = changed.get(key)
                decoded[names.get(key, key)] = each if inner is None else inner(each)
            return decoded

        return decode if self.extra is None else self._with_extra(decode, self.extra, decoders)

    def _with_extra(self, declared: Decoder, extra: Map, known: Mapping[str, Any]) -> Decoder:
        read, key = extra.plan(), self.extra_key
        own = {field.name for field in self.fields}

        def decode(value: Any) -> Any:
            if type(value) is not dict:
                return value
            if extra.native:
                others = {k: each for k, each in value.items() if k not in known}
                return {**declared({k: value[k] for k in value if k in known}), **read(others)}
            others = value.get(key)
            if type(others) is not list:
                return declared(value)
            added = read(others)
            decoded = declared({k: each for k, each in value.items() if k != key})
            for name in added if type(added) is dict else ():
                if name in own:
                    expected = "no key of a declared property"
                    raise Mismatch((key,), "additionalProperties", expected, name)
            return {**decoded, **added} if type(added) is dict else {**decoded, key: others}

        return decode


class Array(Form):
    """An array whose items all have one form; without `items`, only the empty array."""

    __slots__ = ("bounds", "items")

    def __init__(self, items: Form, bounds: Mapping[str, int]) -> None:
        super().__init__()
        self.items = items
        self.bounds = bounds

    def children(self) -> Iterable[Form]:
        return (self.items,)

    def encode(self, value: Any, path: Path) -> Any:
        if type(value) is not list:
            raise Mismatch(path, "type", "an array", value)
        _check_size(value, self.bounds, path)
        return [self.items.encode(item, (*path, i)) for i, item in enumerate(value)]

    def plan(self) -> Decoder:
        inner = self.items.decoder()
        assert inner is not None  # noqa: S101 - only arrays whose items are altered are planned
        return lambda value: [inner(item) for item in value] if type(value) is list else value


def _check_size(value: list[Any], bounds: Mapping[str, int], path: Path) -> None:
    if len(value) < bounds.get("minItems", 0):
        raise Mismatch(path, "minItems", f"at least {bounds['minItems']} items", value)
    if len(value) > bounds.get("maxItems", len(value)):
        raise Mismatch(path, "maxItems", f"at most {bounds['maxItems']} items", value)


class Tuple(Form):
    """An array with one form for each position: native, or an object of the positions."""

    __slots__ = ("bounds", "native", "prefix", "rest")

    def __init__(
        self, prefix: tuple[Form, ...], rest: Form | None, bounds: Mapping[str, int], *, native: bool
    ) -> None:
        super().__init__()
        self.prefix = prefix
        self.rest = rest
        self.bounds = bounds
        self.native = native

    @property
    def alters(self) -> bool:  # type: ignore[override]
        """True if it is written as an object."""
        return not self.native

    def children(self) -> Iterable[Form]:
        return (*self.prefix, *(() if self.rest is None else (self.rest,)))

    def form_at(self, index: int) -> Form | None:
        """Return the form of the item at an index."""
        return self.prefix[index] if index < len(self.prefix) else self.rest

    def encode(self, value: Any, path: Path) -> Any:
        if type(value) is not list:
            raise Mismatch(path, "type", "an array", value)
        _check_size(value, self.bounds, path)
        written = []
        for index, item in enumerate(value):
            form = self.form_at(index)
            if form is None:
                raise Mismatch((*path, index), "items", "no item at this position", item)
            written.append(form.encode(item, (*path, index)))
        return written if self.native else self._as_object(written)

    def required(self) -> int:
        """Return the number of positions that always have an item."""
        return min(self.bounds.get("minItems", 0), len(self.prefix))

    def _as_object(self, written: list[Any]) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for index in range(len(self.prefix)):
            if index < self.required():
                named[str(index)] = written[index]
            else:
                named[str(index)] = {"item": written[index]} if index < len(written) else None
        if self.rest is not None:
            named["rest"] = written[len(self.prefix) :]
        return named

    def plan(self) -> Decoder:
        prefix = [form.decoder() for form in self.prefix]
        rest = None if self.rest is None else self.rest.decoder()
        required = self.required()

        def items(value: list[Any]) -> list[Any]:
            pairs = zip(value, [*prefix, *[rest] * len(value)], strict=False)
            return [item if inner is None else inner(item) for item, inner in pairs]

        def decode(value: Any) -> Any:
            if type(value) is list:
                return items(value)
            if type(value) is not dict or not value.keys() <= {*map(str, range(len(prefix))), "rest"}:
                return value
            listed: list[Any] = []
            for index in range(len(prefix)):
                item = value.get(str(index))
                if index >= required:
                    if type(item) is not dict or len(item) != 1 or "item" not in item:
                        continue
                    item = item["item"]
                if index > len(listed):
                    expected = "a value, as a later position has one"
                    raise Mismatch((str(len(listed)),), "prefixItems", expected, None)
                listed.append(item)
            others = value.get("rest")
            if others and len(listed) < len(prefix):
                expected = "a value, as a later position has one"
                raise Mismatch((str(len(listed)),), "prefixItems", expected, None)
            return items([*listed, *(others if type(others) is list else ())])

        return decode


class Leaves(Form):
    """Any JSON value as the list of its scalars and empty containers, each with its path.

    It needs no recursion, and stands for what is nested deeper than a provider allows.
    """

    __slots__ = ()

    alters = True

    def encode(self, value: Any, path: Path) -> Any:
        if type(value) not in {dict, list}:
            raise Mismatch(path, "type", "an object or an array", value)
        return {"leaves": [*_leaves(value, [])]}

    def plan(self) -> Decoder:
        def decode(value: Any) -> Any:
            if type(value) is not dict or value.keys() != {"leaves"}:
                return value
            leaves = value["leaves"]
            if type(leaves) is not list or not all(
                type(leaf) is dict and leaf.keys() == {"path", "value"} and type(leaf["path"]) is list
                for leaf in leaves
            ):
                return value
            return _assembled([(leaf["path"], leaf["value"]) for leaf in leaves], ())

        return decode


def _leaves(value: Any, path: list[str | int]) -> Iterable[dict[str, Any]]:
    if type(value) not in {dict, list} or not value:
        scalar = value if type(value) not in {dict, list} else {"empty": "object" if type(value) is dict else "array"}
        yield {"path": path, "value": scalar}
        return
    for token, each in value.items() if type(value) is dict else enumerate(value):
        yield from _leaves(each, [*path, token])


def _assembled(leaves: list[tuple[list[Any], Any]], path: Path) -> Any:
    if len(leaves) == 1 and not leaves[0][0]:
        value = leaves[0][1]
        if type(value) is dict:
            return [] if value.get("empty") == "array" else {}
        return value
    groups: dict[Any, list[tuple[list[Any], Any]]] = {}
    for tokens, value in leaves:
        if not tokens or type(tokens[0]) not in {str, int}:
            raise Mismatch((*path, "leaves"), "type", "one value for each path", quoted(tokens))
        groups.setdefault(tokens[0], []).append((tokens[1:], value))
    if all(type(token) is str for token in groups):
        return {token: _assembled(each, (*path, token)) for token, each in groups.items()}
    if sorted(groups, key=str) != sorted(range(len(groups)), key=str):
        expected = "indices from 0 without a gap, or names"
        raise Mismatch((*path, "leaves"), "type", expected, list(groups))
    return [_assembled(groups[index], (*path, index)) for index in range(len(groups))]
