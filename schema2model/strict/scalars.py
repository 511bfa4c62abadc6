"""The forms of strings, numbers and choices."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from schema2model.errors import SchemaError
from schema2model.json.equality import distinct
from schema2model.json.values import type_of
from schema2model.schema.nodes import Node
from schema2model.strict.forms import Choice, Form, Plain
from schema2model.strict.unions import union_form

if TYPE_CHECKING:
    from schema2model.strict.building import Builder

__all__ = ["enum_form", "number_form", "string_form"]

Handled = dict[Node, set[str]]
"""The keywords of each node that the form enforces."""

_PORTABLE: Final = re.compile(
    r"""(?x) (?: [^\\()\[\]{}*+?|.^$] | \\[dwsDWS.\-/\\()\[\]{}*+?|^$"'@:#&%!~=<>,;_tnr]
    | \[ \^? (?: [^\\\[\]&~] | \\[dwsDWS.\-/\\()\[\]{}*+?|^$tnr"'@:#&%!~=<>,;_] )+ \]
    | [*+?|.^$] | \{\d+(?:,\d*)?\} | \((?:\?:)? | \) )*"""
)
"""Regular expressions that mean the same everywhere, or nearly so."""
_LOOKAROUND: Final = re.compile(r"\(\?<?[=!]")


def string_form(builder: Builder, nodes: tuple[Node, ...], handled: Handled) -> Form | None:
    """Return the form of the strings that all nodes accept; None if there are none."""
    profile = builder.profile
    schema: dict[str, Any] = {"type": "string"}
    for node in nodes:
        if not isinstance(node.schema, dict) or "$ref" in node.schema and node.has_only("reference"):
            continue
        form = node.schema.get("format")
        if isinstance(form, str) and form in profile.formats and schema.setdefault("format", form) == form:
            handled[node].add("format")
    for node in nodes:
        if "pattern" not in node.residual or "pattern" not in profile.string or "format" in schema:
            continue
        pattern = node.schema["pattern"]
        if _is_portable(pattern, lookaround=profile.lookaround) and schema.setdefault("pattern", pattern) == pattern:
            handled[node].add("pattern")
    bounded = profile.lengths_with_pattern or not schema.keys() & {"pattern", "format"}
    least, most = strictest([node.lengths for node in nodes])
    if least is not None and most is not None and least > most:
        return None
    for keyword, length in (("minLength", least), ("maxLength", most)):
        if length is not None and keyword in profile.string and bounded and _is_engine_size(length):
            schema[keyword] = length
            mark(nodes, handled, keyword)
    if most is None and "maxLength" in builder.caps and not schema.keys() & {"pattern", "format"}:
        schema["maxLength"] = max(builder.caps["maxLength"], schema.get("minLength", 0))
    return Plain(schema)


def _is_engine_size(size: int) -> bool:
    """Return whether an engine counts so far at a bearable cost."""
    return size <= _MAX_COUNTED


_MAX_COUNTED: Final = 100_000


def _is_portable(pattern: str, *, lookaround: bool) -> bool:
    if lookaround and _LOOKAROUND.search(pattern):
        return True
    if _PORTABLE.fullmatch(pattern) is None:
        return False
    return all(int(number) <= 1000 for number in re.findall(r"\{(\d+)|,(\d+)\}", pattern) for number in number if number)  # noqa: PLR2004, PLR1704


def number_form(builder: Builder, nodes: tuple[Node, ...], handled: Handled, name: str) -> Form | None:
    """Return the form of the numbers that all nodes accept; None if there are none."""
    profile = builder.profile
    schema: dict[str, Any] = {"type": name}
    bounds = [node.bounds for node in nodes]
    low = max((b[key] for b in bounds for key in ("ge", "gt") if key in b), default=None)
    high = min((b[key] for b in bounds for key in ("le", "lt") if key in b), default=None)
    if low is not None and high is not None and low > high:
        return None
    for keyword, key, best in (
        ("minimum", "ge", max),
        ("exclusiveMinimum", "gt", max),
        ("maximum", "le", min),
        ("exclusiveMaximum", "lt", min),
    ):
        values = [each[key] for each in bounds if key in each]
        if values and keyword in profile.number and _is_plain_number(best(values)):
            schema[keyword] = best(values)
            mark(nodes, handled, keyword)
    factors = list(distinct(each["multiple_of"] for each in bounds if "multiple_of" in each))
    if len(factors) == 1 and "multipleOf" in profile.number and _is_plain_number(factors[0]):
        schema["multipleOf"] = factors[0]
        mark(nodes, handled, "multipleOf")
    return Plain(schema)


def _is_plain_number(value: float) -> bool:
    """Return whether a bound has a short decimal form, which every engine can compare with."""
    return "e" not in repr(value).lower() and abs(value) < 2**63


def mark(nodes: tuple[Node, ...], handled: Handled, keyword: str) -> None:
    """Record that the form enforces a keyword of all nodes."""
    for node in nodes:
        if isinstance(node.schema, dict) and keyword in node.schema:
            handled[node].add(keyword)


def strictest(limits: list[Mapping[str, int]]) -> tuple[int | None, int | None]:
    """Return the strictest of several least and most lengths."""
    least = [each["min_length"] for each in limits if "min_length" in each]
    most = [each["max_length"] for each in limits if "max_length" in each]
    return max(least, default=None), min(most, default=None)


def enum_form(builder: Builder, chosen: list[Node], nodes: tuple[Node, ...]) -> Any:
    """Return the form of choices; `()` if none is valid, None if a provider cannot list them."""
    choices = list(distinct(chosen[0].choices or ()))
    if not builder.dynamic:
        tests = [builder.verdicts.is_valid_at(node.place) for node in nodes if isinstance(node.schema, dict)]
        choices = [choice for choice in choices if all(test(choice) for test in tests)]
    if not choices:
        return ()
    limit = builder.profile.max_enum_values
    scalars: dict[str, list[Any]] = {}
    texts = {choice for choice in choices if isinstance(choice, str)}
    labels: dict[str, Any] = {}
    for choice in choices:
        name = type_of(choice)
        if name in builder.profile.enumerable or (name == "null" and "null" in builder.profile.enumerable):
            scalars.setdefault(name, []).append(choice)
        elif name == "null":
            scalars.setdefault(name, []).append(choice)
        else:
            label = json.dumps(choice, ensure_ascii=False)
            while label in texts or label in labels:
                label += " "
            labels[label] = choice
    if limit is not None and builder.enumerated + len(choices) > limit:
        if labels:
            message = f"more than {limit} enumerated values, some of which only an enum can express"
            raise SchemaError(message, pointer=chosen[0].place.pointer)
        for node in chosen:
            builder.ledger.add(node.place.pointer, "checked", "enum", words=f"more than {limit} values")
        return union_form([Plain({"type": name}) for name in _wider(scalars)])
    builder.enumerated += len(choices)
    forms: list[Form] = []
    for name, values in scalars.items():
        forms.append(Plain({"type": name} if name == "null" else {"type": name, "enum": values}))
    if labels:
        forms.append(Choice(labels))
        builder.ledger.add(chosen[0].place.pointer, "encoded", "enum", words="choices as their text")
    else:
        for node in chosen:
            keyword = "const" if isinstance(node.schema, dict) and "enum" not in node.schema else "enum"
            builder.ledger.add(node.place.pointer, "enforced", keyword)
    return union_form(forms)


def _wider(scalars: Mapping[str, Any]) -> list[str]:
    return [name for name in scalars if not (name == "integer" and "number" in scalars)]
