"""What is wrong with arguments, in words that a model can act on.

jsonschema-rs finds the problems; here each kind of them gets its words. Of a union only the
branch that was meant is reported: one whose type fits, then the one with the fewest problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from jsonschema_rs import ValidationError

from schema2model.errors import Issue
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.values import is_shallow, pointer, quoted

__all__ = ["issues"]

MAX_FOUND = 100
"""Problems that are looked at; a message spells out fewer."""

MAX_COMPARED = 1_000
"""Names and choices that are compared in one call when looking for the closest."""

MAX_DEPTH = 6
"""Levels of a value that are looked at as a whole: jsonschema-rs tells of every branch of every
union on the way down, and of their branches, which multiply from level to level."""

Words = tuple[str, str]
"""What was expected, and what was found."""


def issues(verdicts: Verdicts, root: Node, value: Any) -> tuple[Issue, ...]:
    """The problems of an invalid value, each once, in the order in which they stand in it."""
    node, part, path = _innermost(verdicts, root, value)
    asked = _Asked(verdicts.root)
    found: dict[Issue, None] = {}
    for error in verdicts.errors(node.place, part):
        for issue in _issues(error, asked):
            found[replace(issue, path=pointer(path) + issue.path)] = None
            if len(found) >= MAX_FOUND:
                return tuple(found)
    return tuple(found)


class _Asked:
    """The root schema, and how many names may still be compared with what was sent."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.left = MAX_COMPARED

    def closest(self, word: str, words: list[str]) -> str | None:
        """The one of some words that is hardly another; None if there is none, or too many."""
        import difflib  # noqa: PLC0415 - only when something is wrong

        words = words[: self.left]
        self.left -= len(words)
        known = {w[:80].casefold(): w for w in reversed(words)}
        close = difflib.get_close_matches(word[:80].casefold(), known, n=1)
        return known[close[0]] if close else None

    def hint(self, word: str, words: list[str]) -> str:
        """The words for that."""
        closest = self.closest(word, words)
        return "" if closest is None else f" (did you mean {quoted(closest)}?)"


def _innermost(verdicts: Verdicts, node: Node, value: Any) -> tuple[Node, Any, list[str | int]]:
    """Of a deep value, the part where the trouble is."""
    path: list[str | int] = []
    while not is_shallow(value, MAX_DEPTH):
        for part in node.parts():
            inside = _invalid_member(verdicts, part, value)
            if inside is not None:
                key, node = inside
                value = value[key]
                path.append(key)
                break
        else:
            break
    return node, value, path


def _invalid_member(verdicts: Verdicts, node: Node, value: Any) -> tuple[str | int, Node] | None:
    """A member that a subschema refuses, unless another member says that it is not meant."""
    members: list[tuple[str | int, Node]] = []
    if isinstance(value, dict):
        members = [(key, node.properties[key]) for key in value if key in node.properties]
    elif isinstance(value, list) and node.items is not None:
        members = [(index, node.items) for index in range(len(node.prefix), len(value))]
    refused = [(key, child) for key, child in members if not verdicts.part(child.place)(value[key])]
    tagged = any(child.choices is not None for _, child in refused)
    return refused[0] if refused and not tagged else None


def _issues(error: ValidationError, asked: _Asked) -> Iterator[Issue]:
    name = error.kind.name
    if name in {"anyOf", "oneOf"} and (branches := getattr(error.kind, "context", None)):
        meant = _branch_meant(error, branches)
        if meant:
            for inner in meant:
                yield from _issues(inner, asked)
            return
        if tags := _tags(error, branches, asked):
            yield tags
            return
    if name == "propertyNames":
        yield from _issues(error.kind.error, asked)  # type: ignore[attr-defined]
        return
    if name in {"additionalProperties", "unevaluatedProperties"}:
        yield from _unknown(error, asked)
        return
    expected, found = _words(error, asked)
    yield Issue(pointer(error.instance_path), name, expected, found)


def _words(error: ValidationError, asked: _Asked) -> Words:
    words = _WORDS.get(error.kind.name)
    if words is None:
        return f"what {error.kind.name!r} demands ({error.message[:80]})", quoted(error.instance)
    made = words(error, asked)
    return made if isinstance(made, tuple) else (made, quoted(error.instance))


# -------------------------------------------------------------------------------- unions
def _branch_meant(
    error: ValidationError, branches: list[list[ValidationError]]
) -> list[ValidationError]:
    """The problems of the branch that was meant; none if that cannot be told."""
    here = len(error.instance_path)
    fitting = [b for b in branches if b and not any(_misses(inner, here) for inner in b)]
    return min(fitting, key=len) if fitting else []


def _misses(error: ValidationError, here: int) -> bool:
    """Whether an error says that a branch is for something else: by type, or by its tag."""
    name = error.kind.name
    depth = len(error.instance_path) - here
    if depth == 0 and name in {"anyOf", "oneOf"}:
        inner = getattr(error.kind, "context", [])
        return all(any(_misses(e, here) for e in branch) for branch in inner)
    return (depth == 0 and name in {"type", "enum", "const"}) or (depth == 1 and _is_tag(error))


def _is_tag(error: ValidationError) -> bool:
    """Whether a property may have one value only, and has another."""
    return error.kind.name == "const" or (error.kind.name == "enum" and len(error.kind.value) == 1)


def _tags(
    error: ValidationError, branches: list[list[ValidationError]], asked: _Asked
) -> Issue | None:
    """Where every branch of the right type asks for another tag at the same place: that."""
    here = len(error.instance_path)
    tags = [
        next((e for e in branch if _is_tag(e) and len(e.instance_path) == here + 1), None)
        for branch in branches
        if not any(e.kind.name == "type" and len(e.instance_path) == here for e in branch)
    ]
    places = {pointer(tag.instance_path) for tag in tags if tag is not None}
    if None in tags or len(places) != 1:
        return None
    values = [
        tag.kind.value if tag.kind.name == "const" else tag.kind.value[0]
        for tag in tags
        if tag is not None
    ]
    found = next(tag.instance for tag in tags if tag is not None)
    return Issue(places.pop(), "const", _one_of(values, found, asked), quoted(found))


def _alternatives(error: ValidationError, asked: _Asked) -> Words | str:
    branches = getattr(error.kind, "context", None) or []
    expected: dict[str, None] = {}
    for branch in branches:
        for inner in branch:
            if len(inner.instance_path) == len(error.instance_path):
                for words in _words(inner, asked)[0].split(" or "):
                    expected[words] = None
    if not expected or len(expected) > 5:  # noqa: PLR2004 - more would not be read
        return f"one of {len(branches)} alternatives"
    return " or ".join(expected)


# -------------------------------------------------------------------------------- objects
def _unknown(error: ValidationError, asked: _Asked) -> Iterator[Issue]:
    declared = _siblings(error, asked).get("properties", {})
    sent = error.instance if isinstance(error.instance, dict) else {}
    free = [name for name in declared if name not in sent]
    for name in error.kind.unexpected:  # type: ignore[attr-defined]
        hint = asked.hint(name, free)
        value = sent.get(name)
        yield Issue(
            pointer([*error.instance_path, name]),
            error.kind.name,
            f"no property of this name{hint}",
            quoted(value),
        )


def _required(error: ValidationError, asked: _Asked) -> Words:
    name: str = error.kind.property  # type: ignore[attr-defined]
    declared = _siblings(error, asked).get("properties", {})
    sent = error.instance if isinstance(error.instance, dict) else {}
    closest = asked.closest(name, [key for key in sent if key not in declared])
    found = "nothing under that name" if closest is None else f"{quoted(closest)} instead"
    return f"the required property {quoted(name)}", found


def _siblings(error: ValidationError, asked: _Asked) -> dict[str, Any]:
    """The schema object in which the keyword stands that refuses a value."""
    schema = asked.schema
    try:
        for token in error.schema_path[:-1]:
            schema = schema[token]
    except (KeyError, IndexError, TypeError):
        return {}
    return schema if isinstance(schema, dict) else {}


# -------------------------------------------------------------------------------- values
def _types(error: ValidationError, asked: _Asked) -> str:
    declared = _siblings(error, asked).get("type")
    return " or ".join(declared if isinstance(declared, list) else error.kind.types)  # type: ignore[attr-defined]


def _choices(error: ValidationError, asked: _Asked) -> str:
    return _one_of(error.kind.options, error.instance, asked)  # type: ignore[attr-defined]


def _one_of(options: list[Any], found: Any, asked: _Asked) -> str:
    """The values to choose from, with the closest to what was found."""
    if not options:
        return "nothing here"
    shown = ", ".join(map(quoted, options[:20]))
    more = f" and {len(options) - 20} more" if len(options) > 20 else ""  # noqa: PLR2004
    hint = ""
    if isinstance(found, str):
        hint = asked.hint(found, [option for option in options if isinstance(option, str)])
    return f"one of {shown}{more}{hint}" if len(options) > 1 else f"{shown}{hint}"


def _limit(template: str) -> Callable[[ValidationError, Any], str]:
    def words(error: ValidationError, asked: _Asked) -> str:  # noqa: ARG001
        return template.format(quoted(error.kind.value))

    return words


def _count(limit: str, one: str, many: str) -> Callable[[ValidationError, Any], str]:
    def words(error: ValidationError, asked: _Asked) -> str:  # noqa: ARG001
        number = int(error.kind.value)
        return f"{limit} {number} {one if number == 1 else many}"

    return words


def _contains(error: ValidationError, asked: _Asked) -> str:
    keywords = _siblings(error, asked)
    most = f" and at most {keywords['maxContains']}" if "maxContains" in keywords else ""
    number = f"at least {keywords.get('minContains', 1)}{most}"
    return f"{number} of the items to fit {quoted(keywords.get('contains'))}"


def _exactly_one(error: ValidationError, asked: _Asked) -> Words | str:
    if type(error.kind).__name__.endswith("MultipleValid"):
        return (
            "what fits exactly one of the alternatives",
            f"{quoted(error.instance)}, which fits several",
        )
    return _alternatives(error, asked)


def _pattern(error: ValidationError, asked: _Asked) -> str:  # noqa: ARG001
    if type(error.kind).__name__.endswith("Pattern"):
        return f"text that matches the pattern {quoted(error.kind.value)}"
    return "shorter text, or simpler: to match it with the pattern takes too long"


def _fixed(expected: str) -> Callable[[ValidationError, Any], str]:
    return lambda *_: expected


_WORDS: dict[str, Callable[[ValidationError, Any], Words | str]] = {
    "type": _types,
    "enum": _choices,
    "const": _limit("{}"),
    "required": _required,
    "anyOf": _alternatives,
    "oneOf": _exactly_one,
    "not": _limit("anything but what fits {}"),
    "falseSchema": _fixed("nothing here"),
    "minimum": _limit("a number of at least {}"),
    "maximum": _limit("a number of at most {}"),
    "exclusiveMinimum": _limit("a number greater than {}"),
    "exclusiveMaximum": _limit("a number less than {}"),
    "multipleOf": _limit("a multiple of {}"),
    "minLength": _count("at least", "character", "characters"),
    "maxLength": _count("at most", "character", "characters"),
    "pattern": _pattern,
    "format": _limit("text in the format {}"),
    "minItems": _count("at least", "item", "items"),
    "maxItems": _count("at most", "item", "items"),
    "uniqueItems": _fixed("items that differ from one another"),
    "contains": _contains,
    "minProperties": _count("at least", "property", "properties"),
    "maxProperties": _count("at most", "property", "properties"),
    "additionalItems": _count("at most", "item", "items"),
    "unevaluatedItems": _fixed("no further items"),
}
