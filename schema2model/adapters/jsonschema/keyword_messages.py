"""The messages of python-jsonschema for each keyword."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["KeywordMessage", "Refusal", "keyword_messages"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A keyword that refuses an instance: its value, the schema that has it, and what is known.

    `message` and `kind` are those of jsonschema-rs's first error. `passes` returns whether a value
    is valid under the subschema that is the keyword's value, `is_old` whether the dialect is before
    2019-09.
    """

    instance: Any
    value: Any
    schema: Any
    message: str
    kind: Any
    passes: Callable[[Any], bool]
    is_old: bool


class KeywordMessage(NamedTuple):
    """An error's message, and the keyword that it is of, where that is another one."""

    message: str
    keyword: str | None = None


def keyword_messages(keyword: str | None, refusal: Refusal) -> Iterator[KeywordMessage]:
    """Yield a message for each error of python-jsonschema; none for unknown keywords."""
    if refusal.schema is False:
        yield KeywordMessage(f"False schema does not allow {refusal.instance!r}")
        return
    words = _WORDS.get(str(keyword)) if isinstance(refusal.schema, dict) else None
    for message in words(refusal) if words else (refusal.message,):
        yield message if isinstance(message, KeywordMessage) else KeywordMessage(message)


_Words = Callable[[Refusal], Iterable["str | KeywordMessage"]]


def _simply(template: str) -> _Words:
    return lambda r: [template.format(i=r.instance, v=r.value)]


def _sized(limit: int, otherwise: str, at_limit: str) -> _Words:
    """Return the message for a size, which reads better without a limit of 0 or 1."""
    return lambda r: [f"{r.instance!r} {at_limit if r.value == limit else otherwise}"]


def _compared(words: str, bound: str, exclusive: str) -> _Words:
    """Of a bound, which in draft 4 may be an exclusive one by another keyword."""

    def compared(r: Refusal) -> Iterator[str]:
        equal = " than or equal to" if r.schema.get(exclusive) is True else " than"
        yield f"{r.instance!r} is {words}{equal} the {bound} of {r.value!r}"

    return compared


def _unexpected(what: str, extras: Sequence[Any], end: str = "unexpected") -> str:
    listed = ", ".join(map(repr, extras))
    return f"{what} ({listed} {'was' if len(extras) == 1 else 'were'} {end})"


def _type(r: Refusal) -> Iterator[str]:
    types = [r.value] if isinstance(r.value, str) else r.value
    yield f"{r.instance!r} is not of type {', '.join(map(repr, types))}"


def _required(r: Refusal) -> Iterator[str]:
    for name in r.value:
        if name not in r.instance:
            yield f"{name!r} is a required property"


def _dependent(r: Refusal) -> Iterator[str]:
    for name, needed in r.value.items():
        if name in r.instance and isinstance(needed, list):
            for other in needed:
                if other not in r.instance:
                    yield f"{other!r} is a dependency of {name!r}"


def _additional_properties(r: Refusal) -> Iterator[str]:
    extras = sorted(getattr(r.kind, "unexpected", r.instance))
    if "patternProperties" not in r.schema:
        yield _unexpected("Additional properties are not allowed", extras)
        return
    patterns = ", ".join(map(repr, sorted(r.schema["patternProperties"])))
    listed = ", ".join(map(repr, extras))
    verb = "does" if len(extras) == 1 else "do"
    yield f"{listed} {verb} not match any of the regexes: {patterns}"


def _additional_items(r: Refusal) -> Iterator[str]:
    extras = r.instance[len(r.schema.get("items", ())) :]
    yield _unexpected("Additional items are not allowed", extras)


def _items(r: Refusal) -> Iterator[str]:
    allowed = len(r.schema.get("prefixItems", ()))
    extras = r.instance[allowed:]
    shown = extras[0] if len(extras) == 1 else extras
    noun = "item" if allowed == 1 else "items"
    yield f"Expected at most {allowed} {noun} but found {len(extras)} extra: {shown!r}"


def _unevaluated_items(r: Refusal) -> Iterator[str]:
    extras = [json.loads(text) for text in r.kind.unexpected]
    yield _unexpected("Unevaluated items are not allowed", extras)


def _unevaluated_properties(r: Refusal) -> Iterator[str]:
    names = set(r.kind.unexpected)
    if r.value is False:
        yield _unexpected("Unevaluated properties are not allowed", sorted(names))
        return
    extras = [name for name in r.instance if name in names and not r.passes(r.instance[name])]
    what = "Unevaluated properties are not valid under the given schema"
    yield _unexpected(what, extras, "unevaluated and invalid")


def _contains(r: Refusal) -> Iterator[KeywordMessage]:
    if r.is_old:
        yield KeywordMessage(f"None of {r.instance!r} are valid under the given schema")
        return
    most = r.schema.get("maxContains", len(r.instance))
    least = r.schema.get("minContains", 1)
    matching = sum(map(r.passes, r.instance))
    if matching > most:
        text = f"Too many items match the given schema (expected at most {most})"
        yield KeywordMessage(text, "maxContains")
    elif matching:
        text = f"expected at least {least} but only {matching} matched"
        yield KeywordMessage(f"Too few items match the given schema ({text})", "minContains")
    else:
        yield KeywordMessage(f"{r.instance!r} does not contain items matching the given schema")


def _one_of(r: Refusal) -> Iterator[str]:
    context = r.kind.context
    first, *others = [s for s, errors in zip(r.value, context, strict=True) if not errors] or [None]
    if others:
        listed = ", ".join(map(repr, [*others, first]))
        yield f"{r.instance!r} is valid under each of {listed}"
    else:
        yield f"{r.instance!r} is not valid under any of the given schemas"


_WORDS: dict[str, _Words] = {
    "type": _type,
    "enum": _simply("{i!r} is not one of {v!r}"),
    "const": _simply("{v!r} was expected"),
    "minimum": _compared("less", "minimum", "exclusiveMinimum"),
    "maximum": _compared("greater", "maximum", "exclusiveMaximum"),
    "exclusiveMinimum": _simply("{i!r} is less than or equal to the minimum of {v!r}"),
    "exclusiveMaximum": _simply("{i!r} is greater than or equal to the maximum of {v!r}"),
    "multipleOf": _simply("{i!r} is not a multiple of {v}"),
    "minLength": _sized(1, "is too short", "should be non-empty"),
    "maxLength": _sized(0, "is too long", "is expected to be empty"),
    "minItems": _sized(1, "is too short", "should be non-empty"),
    "maxItems": _sized(0, "is too long", "is expected to be empty"),
    "minProperties": _sized(1, "does not have enough properties", "should be non-empty"),
    "maxProperties": _sized(0, "has too many properties", "is expected to be empty"),
    "pattern": _simply("{i!r} does not match {v!r}"),
    "format": _simply("{i!r} is not a {v!r}"),
    "uniqueItems": _simply("{i!r} has non-unique elements"),
    "required": _required,
    "dependentRequired": _dependent,
    "dependencies": _dependent,
    "additionalProperties": _additional_properties,
    "additionalItems": _additional_items,
    "items": _items,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
    "contains": _contains,
    "anyOf": _simply("{i!r} is not valid under any of the given schemas"),
    "oneOf": _one_of,
    "not": _simply("{i!r} should not be valid under {v!r}"),
}
