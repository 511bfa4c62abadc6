"""The encodings of strings, numbers, enumerated choices and arrays.

Each function keeps the keywords that the provider enforces and lists them in `handled`; the
builder records the others as checked when a call is decoded. `nullable_properties` has objects.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final, Protocol

from schema2model.json.equality import distinct
from schema2model.json.values import EXACT_FLOATS, NUMBERS, is_integral_float, type_of
from schema2model.schema.choices import valid_choices
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.strict.encodings import Array, Encoding, Noted, Plain
from schema2model.strict.enforcement import Ledger, shortened_json
from schema2model.strict.profiles import Profile
from schema2model.strict.tagged_unions import union_encoding

__all__ = [
    "Build",
    "Handled",
    "array_encoding",
    "choice_encoding",
    "number_encoding",
    "string_encoding",
]


class Build(Protocol):
    """The part of `Builder` that the functions for single types use."""

    verdicts: Verdicts
    profile: Profile
    ledger: Ledger
    dynamic: bool
    enumerated: int
    """Enumerated values so far."""

    def encoding_of(self, nodes: tuple[Node, ...], level: int) -> Encoding | None:
        """Return the encoding of the values that all of some subschemas accept; None if none is."""

    def format_of(self, node: Node) -> str | None:
        """Return the format of a subschema, also where it only annotates."""

    def free_encoding(self) -> Encoding:
        """Return the encoding of any JSON value."""

    def caller_maximum(self, keyword: str, least: int | None = None) -> dict[str, int]:
        """Return the caller's maximum for what has none, if the provider enforces it."""


Handled = dict[Node, set[str]]
"""The keywords of each node that the encoding enforces."""

MAX_COUNTED: Final = 100_000
"""Maximum length that an engine counts to at a bearable cost."""

_PORTABLE: Final = re.compile(
    r"""(?: [^\\()\[\]{}*+?|.^$] | \\[dwsDWS.\-/\\()\[\]{}*+?|^$"'@:\#&%!~=<>,;_tnr]
    | \[ \^? (?: [^\\\[\]&~] | \\[dwsDWS.\-/\\()\[\]{}*+?|^$"'@:\#&%!~=<>,;_tnr] )+ \]
    | [*+?|.^$] | \{\d{1,3}(?:,(?:\d{1,3})?)?\} | \((?:\?:|(?!\?)) | \) )*""",
    re.VERBOSE,
)
"""Regular expressions that all engines take, and take alike."""

_PLAIN: Final = (
    r"""[a-zA-Z0-9_ \-/:@\#&%!~=<>,;']|\\[dw.\-/+*?()\[\]{}|^$]|[*+?]"""
    r"""|\{\d{1,3}(?:,(?:\d{1,3})?)?\}"""
    r"""|\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[a-zA-Z0-9_ /:@\#&%!~=<>,;'.+*?()]"""
    r"""|\\[dw.\-/]|-(?=\]))+\]"""
)

_WHOLE: Final = re.compile(rf"\^(?:{_PLAIN}|\((?:\?:|(?!\?))(?:{_PLAIN}|\|)*\))*\$")
"""Anchored ones that match no quote, backslash, control character, or letter but ASCII's."""


# ------------------------------------------------------------------------------------ strings
def string_encoding(build: Build, nodes: tuple[Node, ...], handled: Handled) -> Encoding | None:
    """Return the encoding of the strings that all nodes accept; None if there are none."""
    profile = build.profile
    schema: dict[str, Any] = {"type": "string"}
    for node in nodes:
        found = build.format_of(node)
        if found in profile.formats and schema.setdefault("format", found) == found:
            handled[node].add("format")
    if "pattern" in profile.string and "format" not in schema:
        _add_pattern(schema, nodes, handled, profile)
    least, most = strictest_lengths([node.lengths for node in nodes])
    if least is not None and most is not None and least > most:
        return None
    # an engine that forces a format, too, might find that nothing has this length
    if "format" not in schema:
        for keyword, length in (("minLength", least), ("maxLength", most)):
            if keyword in profile.string and length is not None and length <= MAX_COUNTED:
                schema[keyword] = length
                mark_enforced(nodes, handled, keyword)
        if "maxLength" not in schema and "pattern" not in schema:
            schema |= build.caller_maximum("maxLength", least)
    return Plain(schema)


def _add_pattern(
    schema: dict[str, Any], nodes: tuple[Node, ...], handled: Handled, profile: Profile
) -> None:
    """Enforce the first pattern that all engines understand alike; the others are checked."""
    portable = _WHOLE if profile.whole_patterns else _PORTABLE
    for node in nodes:
        if "pattern" not in node.residual:
            continue
        pattern = node.schema["pattern"]
        if portable.fullmatch(pattern) and schema.setdefault("pattern", pattern) == pattern:
            handled[node].add("pattern")


# ------------------------------------------------------------------------------------ numbers
def number_encoding(
    build: Build, nodes: tuple[Node, ...], handled: Handled, name: str
) -> Encoding | None:
    """Return the encoding of the numbers that all nodes accept; None if there are none."""
    allowed = build.profile.number
    schema: dict[str, Any] = {"type": name}
    bounds = [node.bounds for node in nodes]
    factors = list(distinct(each["multiple_of"] for each in bounds if "multiple_of" in each))
    if _has_no_number(bounds, factors, whole=name == "integer"):
        return None
    for keyword, key, strictest_of, nearest in (
        ("minimum", "ge", max, math.ceil),
        ("exclusiveMinimum", "gt", max, math.floor),
        ("maximum", "le", min, math.floor),
        ("exclusiveMaximum", "lt", min, math.ceil),
    ):
        values = [each[key] for each in bounds if key in each]
        if values and keyword in allowed and _has_short_decimal(strictest_of(values)):
            bound = strictest_of(values)
            schema[keyword] = nearest(bound) if name == "integer" else bound
            mark_enforced(nodes, handled, keyword)
    if len(factors) == 1 and "multipleOf" in allowed and _has_short_decimal(factors[0]):
        schema["multipleOf"] = factors[0]
        mark_enforced(nodes, handled, "multipleOf")
    return Plain(schema)


def _has_short_decimal(value: float) -> bool:
    """Return whether a bound has a short decimal encoding, which every engine can compare with."""
    return "e" not in repr(value).lower() and abs(value) < EXACT_FLOATS


def _has_no_number(bounds: list[Mapping[str, Any]], factors: list[Any], *, whole: bool) -> bool:
    """Return whether no number, or no whole number, is within all bounds."""
    low, is_open_low = _strictest_bound(bounds, "ge", "gt", max)
    high, is_open_high = _strictest_bound(bounds, "le", "lt", min)
    if low is None or high is None:
        return False
    if low > high or (low == high and (is_open_low or is_open_high)):
        return True
    steps = [Fraction(str(factor)) for factor in factors] + ([Fraction(1)] if whole else [])
    if not steps:
        return False
    common = math.lcm(*(step.denominator for step in steps))
    step = Fraction(math.lcm(*(int(step * common) for step in steps)), common)
    first = math.floor(low / step) + 1 if is_open_low else math.ceil(low / step)
    last = math.ceil(high / step) - 1 if is_open_high else math.floor(high / step)
    return first > last


def _strictest_bound(
    bounds: list[Mapping[str, Any]], closed: str, opened: str, pick: Any
) -> tuple[Fraction | None, bool]:
    """Return the strictest_lengths bound at one end, and whether it is excluded itself."""
    values = [(Fraction(str(b[key])), key) for b in bounds for key in (closed, opened) if key in b]
    if not values:
        return None, False
    end = pick(value for value, _ in values)
    return end, (end, opened) in values


def mark_enforced(nodes: tuple[Node, ...], handled: Handled, keyword: str) -> None:
    """Record that the encoding enforces a keyword of all nodes."""
    for node in nodes:
        if keyword in node.schema:
            handled[node].add(keyword)


def strictest_lengths(limits: list[Mapping[str, int]]) -> tuple[int | None, int | None]:
    """Return the strictest_lengths of several least and most lengths."""
    least = [each["min_length"] for each in limits if "min_length" in each]
    most = [each["max_length"] for each in limits if "max_length" in each]
    return max(least, default=None), min(most, default=None)


# ------------------------------------------------------------------------------------ choices
def choice_encoding(build: Build, nodes: tuple[Node, ...]) -> Encoding | None:
    """Return the encoding of the choices that all nodes accept; None if there are none.

    What a provider cannot enumerate is a value of its type.
    """
    chosen = [node for node in nodes if node.choices is not None]
    choices = list(_valid_choices(build, chosen[0].choices or (), nodes))
    by_type: dict[str, list[Any]] = {}
    for choice in choices:
        by_type.setdefault(type_of(choice), []).append(choice)
    limit = _excess(build.profile, build.enumerated + len(choices), by_type.get("string", []))
    if not limit:
        build.enumerated += len(choices)
    unlisted = {
        name
        for name, values in by_type.items()
        if name != "null" and (limit or not _is_enumerable(build.profile, name, values))
    }
    encodings: list[Encoding] = [
        Plain(
            {"type": name} if name == "null" or name in unlisted else {"type": name, "enum": each}
        )
        for name, each in by_type.items()
    ]
    is_scalar = unlisted.isdisjoint(("object", "array"))
    encoding = union_encoding(encodings) if is_scalar else build.free_encoding()
    for node in chosen:
        keywords = [name for name in ("enum", "const") if name in node.schema]
        if not unlisted:
            build.ledger.add(node, "enforced", *keywords)
            continue
        words = f"more than {limit}" if limit else ""
        build.ledger.add(node, "checked", *keywords, words=words)
    if encoding is None or not unlisted or limit:
        return encoding
    return Noted(encoding, "", f"Must be: one of {shortened_json(choices)}.")


def _is_enumerable(profile: Profile, name: str, values: list[Any]) -> bool:
    """Return whether an enum of a provider may list values of a type."""
    # great numbers crash some engines
    is_great = name in NUMBERS and any(abs(each) >= EXACT_FLOATS for each in values)
    return name in profile.enumerable and not is_great


def _valid_choices(build: Build, choices: Iterable[Any], nodes: tuple[Node, ...]) -> Iterable[Any]:
    """Return the choices that all nodes accept, if a node can be asked by itself."""
    # a whole float is written as the integer that it is: engines compare texts
    choices = [
        int(each) if is_integral_float(each) and abs(each) < EXACT_FLOATS else each
        for each in choices
    ]
    choices = list(distinct(choices))
    if build.dynamic:
        return choices
    accepted = valid_choices(build.verdicts, nodes, choices)
    return [choice for choice in choices if accepted(choice)]


def _excess(profile: Profile, enumerated: int, texts: list[str]) -> str:
    """Return the limit that another enum exceeds in words; "" if it exceeds none."""
    most, characters = profile.max_enum_values, profile.max_listed_characters
    if most is not None and enumerated > most:
        return f"{most} enumerated values"
    if characters is not None and len(texts) > _MANY and sum(map(len, texts)) > characters:
        return f"{characters} characters of enumerated values"
    return ""


_MANY: Final = 250
"""Maximum strings of an enum whose characters are not counted."""


# ------------------------------------------------------------------------------------- arrays
def array_encoding(
    build: Build, nodes: tuple[Node, ...], handled: Handled, level: int
) -> Encoding | None:
    """Return the encoding of the arrays that all nodes accept; None if there are none.

    An item may be what any position allows: which one it is at is only checked.
    """
    least, most = strictest_lengths([node.sizes for node in nodes])
    prefix, rest = _position_encodings(build, nodes, level)
    if rest is None:
        # no item is valid after the prefix, so that its length is the maximum
        most = len(prefix) if most is None else min(most, len(prefix))
    if least is not None and most is not None and least > most:
        return None
    items = union_encoding([*prefix[:most], *filter(None, (rest,))]) if prefix else rest
    bounds = _enforced_bounds(build, nodes, handled, least, most)
    return Array(items or Plain({"type": "null"}), bounds)


def _position_encodings(
    build: Build, nodes: tuple[Node, ...], level: int
) -> tuple[list[Encoding], Encoding | None]:
    """Return the encodings of the items at the first positions, and of all further ones."""

    def item_encoding(index: int) -> Encoding | None:
        applying = tuple(each for node in nodes for each in node.item_subschemas(index))
        return build.encoding_of(applying, level)

    prefix: list[Encoding] = []
    for index in range(max((len(node.prefix) for node in nodes), default=0)):
        encoding = item_encoding(index)
        if encoding is None:  # no array is longer
            return prefix, None
        prefix.append(encoding)
    return prefix, item_encoding(len(prefix))


def _enforced_bounds(
    build: Build,
    nodes: tuple[Node, ...],
    handled: Handled,
    least: int | None,
    most: int | None,
) -> dict[str, int]:
    """Return the bounds that the provider enforces."""
    profile = build.profile
    bounds: dict[str, int] = {}
    if least and "minItems" in profile.array and least <= MAX_COUNTED:
        limit = profile.max_min_items
        bounds["minItems"] = least if limit is None else min(least, limit)
        if bounds["minItems"] == least:
            mark_enforced(nodes, handled, "minItems")
    if most is None or most > MAX_COUNTED:
        bounds |= build.caller_maximum("maxItems", least)
    elif "maxItems" in profile.array:
        bounds["maxItems"] = most
        mark_enforced(nodes, handled, "maxItems")
    return bounds
