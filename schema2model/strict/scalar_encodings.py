"""The encodings of strings and numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from schema2model.json.equality import distinct
from schema2model.schema.nodes import Node
from schema2model.strict.build import Build
from schema2model.strict.encodings import Encoding, Plain
from schema2model.strict.profiles import Profile

__all__ = [
    "EXACT",
    "MAX_COUNTED",
    "Handled",
    "mark",
    "number_encoding",
    "strictest",
    "string_encoding",
]

Handled = dict[Node, set[str]]
"""The keywords of each node that the encoding enforces."""

EXACT: Final = 2**53
"""The first integer after which floats skip some."""
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
_WHOLE: Final = re.compile(rf"\^(?:{_PLAIN}|\((?:\?:)?(?:{_PLAIN}|\|)*\))*\$")
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
    least, most = strictest([node.lengths for node in nodes])
    if least is not None and most is not None and least > most:
        return None
    # an engine that forces a format, too, might find that nothing has this length
    if "format" not in schema:
        for keyword, length in (("minLength", least), ("maxLength", most)):
            if keyword in profile.string and length is not None and length <= MAX_COUNTED:
                schema[keyword] = length
                mark(nodes, handled, keyword)
        if "maxLength" not in schema and "pattern" not in schema:
            schema |= build.cap("maxLength", least)
    return Plain(schema)


def _add_pattern(
    schema: dict[str, Any], nodes: tuple[Node, ...], handled: Handled, profile: Profile
) -> None:
    allowed = _WHOLE if profile.whole_patterns else _PORTABLE
    for node in nodes:
        if "pattern" not in node.residual:
            continue
        pattern = node.schema["pattern"]
        if allowed.fullmatch(pattern) and schema.setdefault("pattern", pattern) == pattern:
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
    if _is_empty(bounds, factors, whole=name == "integer"):
        return None
    for keyword, key, strictest_of, nearest in (
        ("minimum", "ge", max, math.ceil),
        ("exclusiveMinimum", "gt", max, math.floor),
        ("maximum", "le", min, math.floor),
        ("exclusiveMaximum", "lt", min, math.ceil),
    ):
        values = [each[key] for each in bounds if key in each]
        if values and keyword in allowed and _is_short(strictest_of(values)):
            bound = strictest_of(values)
            schema[keyword] = nearest(bound) if name == "integer" else bound
            mark(nodes, handled, keyword)
    if len(factors) == 1 and "multipleOf" in allowed and _is_short(factors[0]):
        schema["multipleOf"] = factors[0]
        mark(nodes, handled, "multipleOf")
    return Plain(schema)


def _is_short(value: float) -> bool:
    """Return whether a bound has a short decimal encoding, which every engine can compare with."""
    return "e" not in repr(value).lower() and abs(value) < EXACT


def _is_empty(bounds: list[Mapping[str, Any]], factors: list[Any], *, whole: bool) -> bool:
    """Return whether no number, or no whole number, is within all bounds."""
    low, is_open_low = _end(bounds, "ge", "gt", max)
    high, is_open_high = _end(bounds, "le", "lt", min)
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


def _end(
    bounds: list[Mapping[str, Any]], closed: str, opened: str, pick: Any
) -> tuple[Fraction | None, bool]:
    """Return the strictest bound at one end, and whether it is excluded itself."""
    values = [(Fraction(str(b[key])), key) for b in bounds for key in (closed, opened) if key in b]
    if not values:
        return None, False
    end = pick(value for value, _ in values)
    return end, (end, opened) in values


def mark(nodes: tuple[Node, ...], handled: Handled, keyword: str) -> None:
    """Record that the encoding enforces a keyword of all nodes."""
    for node in nodes:
        if isinstance(node.schema, dict) and keyword in node.schema:
            handled[node].add(keyword)


def strictest(limits: list[Mapping[str, int]]) -> tuple[int | None, int | None]:
    """Return the strictest of several least and most lengths."""
    least = [each["min_length"] for each in limits if "min_length" in each]
    most = [each["max_length"] for each in limits if "max_length" in each]
    return max(least, default=None), min(most, default=None)
