"""The encodings of arrays, and of values that are nested too deeply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from schema2model.strict.encodings import Decoder, Encoding, Mismatch, Tokens

__all__ = ["Array", "Leaves", "Tuple"]


class Array(Encoding):
    """An array whose items all have one encoding; without `items`, only the empty array."""

    __slots__ = ("bounds", "items")

    def __init__(self, items: Encoding, bounds: Mapping[str, int]) -> None:
        super().__init__()
        self.items = items
        self.bounds = bounds

    @override
    def children(self) -> Iterable[Encoding]:
        return (self.items,)

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        if type(value) is not list:
            raise Mismatch(path, "type", "an array", value)
        _check_size(value, self.bounds, path)
        return [self.items.encode(item, (*path, i)) for i, item in enumerate(value)]

    @override
    def plan(self) -> Decoder:
        inner = self.items.decoder()
        assert inner is not None  # noqa: S101 - only arrays whose items are altered are planned
        return lambda value: [inner(item) for item in value] if type(value) is list else value


def _check_size(value: list[Any], bounds: Mapping[str, int], path: Tokens) -> None:
    if len(value) < bounds.get("minItems", 0):
        raise Mismatch(path, "minItems", f"at least {bounds['minItems']} items", value)
    if len(value) > bounds.get("maxItems", len(value)):
        raise Mismatch(path, "maxItems", f"at most {bounds['maxItems']} items", value)


class Tuple(Encoding):
    """An array with one encoding for each position: native, or an object of the positions."""

    __slots__ = ("bounds", "native", "prefix", "rest")

    def __init__(
        self,
        prefix: tuple[Encoding, ...],
        rest: Encoding | None,
        bounds: Mapping[str, int],
        *,
        native: bool,
    ) -> None:
        super().__init__()
        self.prefix = prefix
        self.rest = rest
        self.bounds = bounds
        self.native = native

    @property
    @override
    def alters(self) -> bool:  # type: ignore[override]
        """True if it is written as an object."""
        return not self.native

    @override
    def children(self) -> Iterable[Encoding]:
        return (*self.prefix, *(() if self.rest is None else (self.rest,)))

    def encoding_at(self, index: int) -> Encoding | None:
        """Return the encoding of the item at an index."""
        return self.prefix[index] if index < len(self.prefix) else self.rest

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        if type(value) is not list:
            raise Mismatch(path, "type", "an array", value)
        _check_size(value, self.bounds, path)
        written = []
        for index, item in enumerate(value):
            encoding = self.encoding_at(index)
            if encoding is None:
                raise Mismatch((*path, index), "items", "no item at this position", item)
            written.append(encoding.encode(item, (*path, index)))
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

    @override
    def plan(self) -> Decoder:
        prefix = [encoding.decoder() for encoding in self.prefix]
        rest = None if self.rest is None else self.rest.decoder()
        required = self.required()

        def items(value: list[Any]) -> list[Any]:
            pairs = zip(value, [*prefix, *[rest] * len(value)], strict=False)
            return [item if inner is None else inner(item) for item, inner in pairs]

        def decode(value: Any) -> Any:
            if type(value) is list:
                return items(value)
            if type(value) is not dict or not value.keys() <= {
                *map(str, range(len(prefix))),
                "rest",
            }:
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


class Leaves(Encoding):
    """Any JSON value as the list of its scalars and empty containers, each with its path.

    It needs no recursion, and stands for what is nested deeper than a provider allows.
    """

    __slots__ = ()

    alters = True

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        if type(value) not in {dict, list}:
            raise Mismatch(path, "type", "an object or an array", value)
        return {"leaves": [*_leaves(value, [])]}

    @override
    def plan(self) -> Decoder:
        def decode(value: Any) -> Any:
            if type(value) is not dict or value.keys() != {"leaves"}:
                return value
            leaves = value["leaves"]
            if type(leaves) is not list or not all(
                type(leaf) is dict
                and leaf.keys() == {"path", "value"}
                and type(leaf["path"]) is list
                for leaf in leaves
            ):
                return value
            return _assembled([(leaf["path"], leaf["value"]) for leaf in leaves], ())

        return decode


def _leaves(value: Any, path: list[str | int]) -> Iterable[dict[str, Any]]:
    if type(value) not in {dict, list} or not value:
        scalar = (
            value
            if type(value) not in {dict, list}
            else {"empty": "object" if type(value) is dict else "array"}
        )
        yield {"path": path, "value": scalar}
        return
    for token, each in value.items() if type(value) is dict else enumerate(value):
        yield from _leaves(each, [*path, token])


def _assembled(leaves: list[tuple[list[Any], Any]], path: Tokens) -> Any:
    if len(leaves) == 1 and not leaves[0][0]:
        value = leaves[0][1]
        if type(value) is dict:
            return [] if value.get("empty") == "array" else {}
        return value
    groups: dict[Any, list[tuple[list[Any], Any]]] = {}
    for tokens, value in leaves:
        if not tokens or type(tokens[0]) not in {str, int}:
            raise Mismatch((*path, "leaves"), "type", "one value for each path", tokens)
        groups.setdefault(tokens[0], []).append((tokens[1:], value))
    if all(type(token) is str for token in groups):
        return {token: _assembled(each, (*path, token)) for token, each in groups.items()}
    if sorted(groups, key=str) != sorted(range(len(groups)), key=str):
        expected = "indices from 0 without a gap, or names"
        raise Mismatch((*path, "leaves"), "type", expected, list(groups))
    return [_assembled(groups[index], (*path, index)) for index in range(len(groups))]
