"""The encodings of arrays, and of values that are nested too deeply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from schema2model.strict.encodings import Decoder, Encoding, Mismatch, Tokens, each_item

__all__ = ["Array", "Leaves", "Tuple", "check_length", "check_size"]


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
        check_size(value, self.bounds, path)
        return [self.items.encode(item, (*path, i)) for i, item in enumerate(value)]

    @override
    def plan(self) -> Decoder:
        items = each_item(self.items)
        return lambda value: items(value) if type(value) is list else value


def check_size(value: list[Any], bounds: Mapping[str, int], path: Tokens) -> None:
    """Refuse a list of a size that a provider is not to allow.

    Raises:
        Mismatch: if it is.

    """
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
        super().__init__(alters=not native)
        self.prefix = prefix
        self.rest = rest
        self.bounds = bounds
        self.native = native

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
        check_size(value, self.bounds, path)
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


def check_length(text: str, bounds: Mapping[str, int], path: Tokens) -> None:
    """Refuse a string that is longer than a provider is to allow.

    Raises:
        Mismatch: if it is.

    """
    if len(text) > bounds.get("maxLength", len(text)):
        raise Mismatch(path, "maxLength", f"at most {bounds['maxLength']} characters", text)


class Leaves(Encoding):
    """Any JSON value as the list of its scalars and empty containers, each with its path.

    It needs no recursion, and stands for what is nested deeper than a provider allows.
    """

    __slots__ = ("bounds", "text_bounds")

    def __init__(self, bounds: Mapping[str, int], text_bounds: Mapping[str, int]) -> None:
        super().__init__(alters=True)
        self.bounds = bounds
        self.text_bounds = text_bounds

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        if type(value) not in {dict, list}:
            raise Mismatch(path, "type", "an object or an array", value)
        leaves = [*_leaves(value, [])]
        check_size(leaves, self.bounds, path)
        for leaf in leaves:
            check_size(leaf["path"], self.bounds, path)
            for text in (*leaf["path"], leaf["value"]):
                if type(text) is str:
                    check_length(text, self.text_bounds, path)
        return {"leaves": leaves}

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
            return _assembled(leaves)

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


class _Node(dict[str | int, Any]):
    """The values at the next tokens of some paths: further nodes, or the values of leaves."""


def _assembled(leaves: list[dict[str, Any]]) -> Any:
    root = _Node()
    for leaf in leaves:
        node = root
        last: str | int = ""
        for token in leaf["path"]:
            if type(token) is not str and type(token) is not int:
                raise _conflict(leaf)
            inner = node.setdefault(last, _Node())
            if type(inner) is not _Node:
                raise _conflict(leaf)
            node, last = inner, token
        if last in node:
            raise _conflict(leaf)
        value = leaf["value"]
        if type(value) is dict:
            value = [] if value.get("empty") == "array" else {}
        node[last] = value
    return _value_of(root.get("", {}))


def _conflict(leaf: Mapping[str, Any]) -> Mismatch:
    return Mismatch(("leaves",), "type", "one value for each path", leaf["path"])


def _value_of(node: Any) -> Any:
    if type(node) is not _Node:
        return node
    kinds = {*map(type, node)}
    if kinds == {str}:
        return {token: _value_of(each) for token, each in node.items()}
    if kinds != {int} or min(node) != 0 or max(node) != len(node) - 1:
        expected = "indices from 0 without a gap, or names"
        raise Mismatch(("leaves",), "type", expected, [*node])
    return [_value_of(node[index]) for index in range(len(node))]
