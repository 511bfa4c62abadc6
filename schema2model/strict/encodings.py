"""Encodings: how values of a schema are written in a projection, and read back.

An encoding knows both directions, so that encoding and its inverse are in one class.
`objects` and `arrays` have those of containers; `emission` writes the schema of an encoding.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator
from typing_extensions import override

from schema2model.json.equality import json_key
from schema2model.json.quoting import quoted

__all__ = [
    "CONTAINERS",
    "Choice",
    "Decoder",
    "Encoding",
    "Link",
    "Mismatch",
    "Noted",
    "Plain",
    "Tagged",
    "Tokens",
    "Union",
    "alters_text",
    "bare",
    "each_item",
    "reachable_encodings",
]

Tokens = tuple[str | int, ...]
"""The tokens that lead to a part of a value."""

Decoder = Callable[[Any], Any]
"""Reads back a value of an encoding; it returns a value of any other encoding unchanged."""


class Mismatch(Exception):  # noqa: N818 - it never leaves the package
    """A value, or a part of it, cannot be written in an encoding."""

    def __init__(self, path: Tokens, keyword: str, expected: str, value: Any) -> None:
        super().__init__(expected)
        self.path = path
        self.keyword = keyword
        self.expected = expected
        self.value = value


class Encoding:
    """One way to write the values of a subschema."""

    __slots__ = ("_decoder", "alters", "name", "note", "words")

    alters: bool
    """True if it writes some value differently, apart from the parts of the value."""

    def __init__(self, *, alters: bool = False) -> None:
        self.alters = alters
        self.name = ""
        self.note = ""
        self.words = ""
        self._decoder: Decoder | None = None

    def children(self) -> Iterable[Encoding]:
        """Return the encodings of the parts."""
        return ()

    def encode(self, value: Any, path: Tokens) -> Any:
        """Return a value as the projection writes it.

        Raises:
            Mismatch: if the encoding has no way to write it.

        """
        raise NotImplementedError

    def plan(self) -> Decoder:
        """Return the function that reads back values of an encoding that alters some."""
        raise NotImplementedError

    def accepts_null(self) -> bool:
        """Return whether null may be valid for the projection."""
        return False

    def decoder(self) -> Decoder | None:
        """Return the function that reads back values; None if all values are written unchanged."""
        if self._decoder is None and any(encoding.alters for encoding in reachable_encodings(self)):
            self._decoder = self.plan()
        return self._decoder


def reachable_encodings(start: Encoding) -> list[Encoding]:
    """Return an encoding and all encodings of its parts, each once."""
    found = {id(start): start}
    queue = [start]
    for encoding in queue:  # which grows on the way
        for child in encoding.children():
            if id(child) not in found:
                found[id(child)] = child
                queue.append(child)
    return queue


class Plain(Encoding):
    """Values written unchanged: scalars under keywords that the provider enforces."""

    __slots__ = ("_is_valid", "schema")

    def __init__(self, schema: dict[str, Any]) -> None:
        super().__init__()
        self.schema = schema
        self._is_valid: Callable[[Any], bool] | None = None

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        if self._is_valid is None:
            self._is_valid = Draft202012Validator(self.schema, validate_formats=False).is_valid
        if not self._is_valid(value):
            keyword = "enum" if "enum" in self.schema else "type"
            raise Mismatch(path, keyword, f"a value of {quoted(self.schema)}", value)
        return value

    @override
    def accepts_null(self) -> bool:
        return self.schema.get("type") == "null" or not self.schema


class Choice(Encoding):
    """Choices that are written as text: containers, and what a provider cannot enumerate."""

    __slots__ = ("_by_value", "labels")

    def __init__(self, labels: Mapping[str, Any]) -> None:
        super().__init__(alters=True)
        self.labels = labels
        self._by_value = {json_key(value): label for label, value in labels.items()}

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        label = self._by_value.get(json_key(value))
        if label is None:
            raise Mismatch(path, "enum", f"one of {', '.join(self.labels)}", value)
        return label

    @override
    def plan(self) -> Decoder:
        labels = self.labels

        def decode(value: Any) -> Any:
            return copy.deepcopy(labels[value]) if type(value) is str and value in labels else value

        return decode


class Noted(Encoding):
    """Another encoding, with a description of its own."""

    __slots__ = ("encoding",)

    def __init__(self, encoding: Encoding, note: str, words: str = "") -> None:
        super().__init__()
        self.encoding = encoding
        self.note = note
        self.words = words

    @override
    def children(self) -> Iterable[Encoding]:
        return (self.encoding,)

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        return self.encoding.encode(value, path)

    @override
    def decoder(self) -> Decoder | None:
        return self.encoding.decoder()

    @override
    def accepts_null(self) -> bool:
        return self.encoding.accepts_null()


class Link(Encoding):
    """An encoding that is still being built: the beginning of a recursion."""

    __slots__ = ("target",)

    target: Encoding | None

    def __init__(self) -> None:
        super().__init__()
        self.target = None

    @override
    def children(self) -> Iterable[Encoding]:
        return () if self.target is None else (self.target,)

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        assert self.target is not None  # noqa: S101 - links are closed when the build ends
        return self.target.encode(value, path)

    @override
    def plan(self) -> Decoder:
        target = self.target
        assert target is not None  # noqa: S101
        planned: Decoder | None = None

        def decode(value: Any) -> Any:
            nonlocal planned
            if planned is None:  # the plan of the target may contain this very link
                planned = target.decoder() or _unchanged
            return planned(value)

        return decode

    @override
    def accepts_null(self) -> bool:
        return True  # perhaps: its target is not known yet


class Tagged(Encoding):
    """An encoding within an object of one property, which distinguishes it from others."""

    __slots__ = ("encoding", "key")

    def __init__(self, key: str, encoding: Encoding) -> None:
        super().__init__(alters=True)
        self.key = key
        self.encoding = encoding

    @override
    def children(self) -> Iterable[Encoding]:
        return (self.encoding,)

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        return {self.key: self.encoding.encode(value, path)}

    @override
    def plan(self) -> Decoder:
        key, inner = self.key, self.encoding.decoder()

        def decode(value: Any) -> Any:
            if type(value) is not dict or len(value) != 1 or key not in value:
                return value
            return value[key] if inner is None else inner(value[key])

        return decode


class Union(Encoding):
    """Alternatives; the first that fits is taken.

    `tests` are bound once the schemas of the branches are written: they say which branch a value
    of the projection is of, where its type alone does not.
    """

    __slots__ = ("branches", "make_tests", "types")

    def __init__(self, branches: tuple[Encoding, ...], types: tuple[frozenset[str], ...]) -> None:
        super().__init__()
        self.branches = branches
        self.types = types
        self.make_tests: Callable[[], list[Callable[[Any], bool]]] | None = None

    @override
    def children(self) -> Iterable[Encoding]:
        return self.branches

    @override
    def encode(self, value: Any, path: Tokens) -> Any:
        decode = self.decoder()
        mismatches: list[Mismatch] = []
        for branch in self.branches:
            try:
                written = branch.encode(value, path)
            except Mismatch as error:
                mismatches.append(error)
                continue
            if decode is None or decode(written) == value:
                return written
        # first what the projection gives up: all else may be of branches that the value is not of
        mismatches.sort(key=lambda e: (e.keyword == "additionalProperties", len(e.path)))
        raise (
            mismatches[-1]
            if mismatches
            else Mismatch(path, "anyOf", "a value of one alternative", value)
        )

    @override
    def plan(self) -> Decoder:
        decoders = [branch.decoder() for branch in self.branches]
        tests: list[Callable[[Any], bool]] = []
        by_type: dict[type, Decoder] = {}
        for kind, name in _TYPE_NAMES.items():
            indices = [index for index, types in enumerate(self.types) if name in types]
            found = [decoders[index] for index in indices]
            if any(inner is not None for inner in found):
                only = found[0] if len(found) == 1 else None
                by_type[kind] = only or self._tested(indices, decoders, tests)
        choose = by_type.get

        def decode(value: Any) -> Any:
            inner = choose(type(value))
            return value if inner is None else inner(value)

        return decode

    def _tested(
        self,
        indices: list[int],
        decoders: list[Decoder | None],
        tests: list[Callable[[Any], bool]],
    ) -> Decoder:
        """Return a decoder that asks the schemas of some branches whose a value is."""

        def decode(value: Any) -> Any:
            if not tests:
                assert self.make_tests is not None  # noqa: S101 - bound when the schema is written
                tests.extend(self.make_tests())
            for index in indices:
                if tests[index](value):
                    inner = decoders[index]
                    return value if inner is None else inner(value)
            return value

        return decode

    @override
    def accepts_null(self) -> bool:
        return any(branch.accepts_null() for branch in self.branches)


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


CONTAINERS = frozenset((dict, list))
"""The types of values that encodings without a `Choice` in them alter."""


def each_item(encoding: Encoding) -> Callable[[list[Any]], list[Any]]:
    """Return the function that reads back a list of values of an encoding that alters some."""
    inner = encoding.decoder()
    assert inner is not None  # noqa: S101 - the caller asks only for such
    if alters_text(encoding):
        return lambda items: [*map(inner, items)]
    return lambda items: [inner(each) if type(each) in CONTAINERS else each for each in items]


def alters_text(encoding: Encoding) -> bool:
    """Return whether an encoding writes some value as another string."""
    return any(isinstance(each, Choice) for each in reachable_encodings(encoding))


def _unchanged(value: Any) -> Any:
    return value


def bare(encoding: Encoding) -> Encoding:
    """Return an encoding without its description."""
    while isinstance(encoding, Noted):
        encoding = encoding.encoding
    return encoding
