"""Example values for messages, made from a schema and verified valid, and their shapes.

A shape has the names without the values, which a model would copy.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice
from typing import Any

from schema2model.coerce.diagnosis.describe import strictest_bound
from schema2model.coerce.diagnosis.members import MemberChecker, Violation
from schema2model.coerce.diagnosis.unions import closure, flatten_branches, open_unions
from schema2model.json.equality import distinct
from schema2model.json.parsing import NOTHING
from schema2model.json.quoting import MAX_EXAMPLE, quoted
from schema2model.json.values import exact_fraction, type_of
from schema2model.schema.keywords import KEYWORDS
from schema2model.schema.nodes import Node
from schema2model.schema.parts import Parts
from schema2model.schema.verdicts import Verdicts
from schema2model.schema.vocabularies.python_types import NAME_EXAMPLE

__all__ = ["ExampleShapes", "Examples", "today"]

MAX_LEVELS = 5
"""Maximum levels of containers in an example."""

MAX_MEMBERS = 20
"""Maximum members of a container in an example."""

MAX_TRIED = 40
"""Maximum candidates for one value."""

MAX_WORK = 1_000
"""Maximum candidates for one example and visits of subschemas, with all values in it."""

MAX_LENGTH = 200
"""Maximum characters of a text in an example."""

_WORD = "text"
_ANY = ("string", "integer", "object", "array", "boolean", "null")

A_DAY = 86_400
"""Seconds."""


def today() -> int:
    """Return the number of the day: examples may show its date."""
    return int(time.time()) // A_DAY


class Examples:
    """Makes examples for the locations in the arguments of one schema."""

    def __init__(self, verdicts: Verdicts, *, levels: int = MAX_LEVELS) -> None:
        self._members = MemberChecker(verdicts)
        self._levels = levels
        self._left = 0

    def example_for(self, violation: Violation, likely: str | None = None) -> Any:
        """Return an example for the location of a violation, or None.

        It is `likely`, if that is not None and valid; or else as near to what was sent as possible.
        """
        sent = None if violation.kind == "missing" else violation.value
        self._left = MAX_WORK
        groups = [leaf.nodes for leaf in violation.leaves[:MAX_TRIED]]
        kind = type_of(sent)
        groups.sort(key=lambda nodes: not any(kind in node.expected_types for node in nodes))
        tried = (self.candidates(nodes, sent) for nodes in groups or [violation.nodes])
        first = () if likely is None else (likely,)
        accepting = [violation.nodes] if violation.nodes else groups
        return next(self._valid_ones(chain(first, *tried), *accepting), None)

    def samples(self, nodes: Sequence[Node]) -> list[Any]:
        """Return values that subschemas accept together, with candidates that they may accept."""
        self._left = MAX_WORK
        return [*islice(self.candidates(nodes, None), MAX_TRIED)]

    def _valid_ones(self, values: Iterable[Any], *groups: Sequence[Node]) -> Iterator[Any]:
        """Yield the values that all nodes of one group accept."""
        for value in islice(values, MAX_TRIED):
            self._left -= 1
            try:
                is_valid = any(self._members.valid(nodes, value) for nodes in groups)
            except ValueError:
                continue
            if is_valid:
                yield value

    def _valid_member(self, nodes: Sequence[Node], level: int) -> Any:
        """Return a valid value for a member, or `NOTHING`."""
        return next(self._valid_ones(self.candidates(nodes, None, level), nodes), NOTHING)

    # ------------------------------------------------------------------------------ candidates
    def candidates(
        self, nodes: Sequence[Node], sent: Any, level: int = 0, opened: frozenset[int] = frozenset()
    ) -> Iterator[Any]:
        """Yield values that subschemas may accept, the likeliest first; no unions in `opened`."""
        nodes = closure(nodes)
        self._left -= 1 + len(nodes) // 20
        if self._left < 0:
            return
        schemas = [node.schema for node in nodes if isinstance(node.schema, dict)]
        yield from _shortened(schemas, sent)
        yield from _declared_examples(schemas)
        choices = next((node.choices for node in nodes if node.choices is not None), None)
        if choices is not None:
            yield from islice(choices, MAX_TRIED)
            return
        for node in nodes if level < self._levels else ():
            for group in open_unions((node,), opened):
                others = [each for each in nodes if each is not node or node.has_assertions()]
                for leaf in flatten_branches(group)[:MAX_TRIED]:
                    together = [*others, *leaf.nodes]
                    known = opened | leaf.opened | {id(group)}
                    yield from islice(self.candidates(together, sent, level + 1, known), 3)
        kinds = next((node.types for node in nodes if node.types), None)
        for kind in kinds or _likely_types(schemas, type_of(sent)):
            yield from self._candidates_of_type(kind, nodes, schemas, level)

    def _candidates_of_type(
        self, kind: str, nodes: Sequence[Node], schemas: list[dict[str, Any]], level: int
    ) -> Iterator[Any]:
        if kind == "null":
            yield None
        elif kind == "boolean":
            yield True
            yield False
        elif kind in {"integer", "number"}:
            yield from _number_candidates(kind, schemas)
        elif kind == "string":
            yield from _string_candidates(schemas)
        elif level < self._levels:
            yield from (self._array_candidates if kind == "array" else self._object_candidates)(
                nodes, schemas, level
            )

    def _array_candidates(
        self, nodes: Sequence[Node], schemas: list[dict[str, Any]], level: int
    ) -> Iterator[list[Any]]:
        parts = Parts(nodes)
        prefix = next((node.prefix for node in nodes if node.prefix), ())
        items = [node.items for node in nodes if node.items is not None]
        least = int(strictest_bound(schemas, "minItems", max) or 0)
        made = [
            self._valid_member(parts.item_subschemas(index), level + 1)
            for index in range(min(len(prefix), MAX_MEMBERS))
        ]
        if NOTHING in made:
            made = []
        missing = max(least, 1) - len(made)
        if 0 < missing <= MAX_MEMBERS:
            valid = self._valid_ones(distinct(self.candidates(items, None, level + 1)), items)
            several = [*islice(valid, missing)]
            if several:
                yield [*made, *(several[i % len(several)] for i in range(missing))]
        yield made
        for node in nodes:
            if "contains" in node.residual:
                one = self._valid_member((node.residual_subschemas["contains"],), level + 1)
                times = int(node.schema.get("minContains", 1))
                if one is not NOTHING and times <= MAX_MEMBERS:
                    yield [*made, *([one] * times)]

    def _object_candidates(
        self, nodes: Sequence[Node], schemas: list[dict[str, Any]], level: int
    ) -> Iterator[dict[str, Any]]:
        names = dict.fromkeys(chain(*(node.required for node in nodes)))
        if len(names) > MAX_MEMBERS:
            return
        parts = Parts(nodes)
        made = {
            name: self._valid_member(parts.property_subschemas(name), level + 1) for name in names
        }
        if NOTHING in made.values():
            return
        declared = {name: child for node in nodes for name, child in node.properties.items()}
        values = [node.additional for node in nodes if node.additional is not None]
        least = int(strictest_bound(schemas, "minProperties", max) or 0)
        other = self._valid_member(values, level + 1) if values or least else NOTHING
        if other is not NOTHING and (least or not (made or declared)):
            number = min(max(least - len(made), 1), MAX_MEMBERS)
            known = [schema[NAME_EXAMPLE] for schema in schemas if NAME_EXAMPLE in schema]
            others = known[:1] or [f"key{index}" for index in range(1, number + 1)]
            yield {**made, **dict.fromkeys(others, other)}
        yield dict(made)
        for name, child in islice(declared.items(), MAX_MEMBERS):
            value = NOTHING if name in made else self._valid_member((child,), level + 1)
            if value is not NOTHING:
                made[name] = value
                yield dict(made)


def _declared_examples(schemas: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield the examples and defaults in the schemas."""
    for schema in schemas:
        if isinstance(schema.get("examples"), list):
            yield from islice(schema["examples"], 3)
        for keyword in ("example", "default"):
            if schema.get(keyword) is not None:
                yield schema[keyword]


_NAMES = {
    kind: {name for name, keyword in KEYWORDS if keyword.instance == kind}
    for kind in ("string", "object", "array", "number")
}
"""The keywords for each type."""

_EXAMPLES = [(name, keyword.example) for name, keyword in KEYWORDS if keyword.example is not None]


def _likely_types(schemas: list[dict[str, Any]], sent: str) -> list[str]:
    """Return the types to try if none is declared: those that keywords apply to, or all."""
    limited = [
        kind
        for kind, keywords in _NAMES.items()
        if any(not keywords.isdisjoint(schema) for schema in schemas)
    ]
    return sorted(limited, key=lambda kind: kind != sent) or list(_ANY)


def _shortened(schemas: list[dict[str, Any]], sent: Any) -> Iterator[Any]:
    """Yield values near to what was sent, if a message may quote it.

    A list without its duplicates, and cut to the limit that it exceeds.
    """
    if type(sent) is not list or quoted(sent).endswith("…"):
        return  # a message repeats no more of it than it may quote
    if any(type(each) in {list, dict} for each in sent[:MAX_MEMBERS]):
        return
    if any(schema.get("uniqueItems") is True for schema in schemas):
        sent = [*distinct(sent)]
        yield sent
    most = strictest_bound(schemas, "maxItems", min)
    if most:
        yield sent[: int(most)]


# ------------------------------------------------------------------------------------ scalars
def _number_candidates(kind: str, schemas: list[dict[str, Any]]) -> Iterator[int | float]:
    """Yield numbers near the bounds, which are exact: some exceed all floats."""

    def bound(pick: Callable[[Any], Any], *keywords: str) -> Fraction | None:
        found = (strictest_bound(schemas, keyword, pick) for keyword in keywords)
        exact = [exact_fraction(each) for each in found if each is not None]
        return pick(exact) if exact else None

    low = bound(max, "minimum", "exclusiveMinimum")
    high = bound(min, "maximum", "exclusiveMaximum")
    step = bound(max, "multipleOf")
    start = low if low is not None else (min(high, Fraction(1)) if high is not None else 1)
    found: list[Fraction | int] = []
    if step:
        first = math.ceil(start / step)
        found += [times * step for times in (first, first + 1, first - 1, 1, 0)]
    if low is not None and high is not None:
        found.append(10)  # a usual one
    found += [math.ceil(start), math.floor(start) + 1, math.ceil(start) - 1]
    if kind == "number":
        found += [] if low is None or high is None else [(low + high) / 2]
        found += [start, start + Fraction(1, 2)]
    for value in found:
        if value.denominator == 1:
            yield int(value)
        elif -sys.float_info.max <= value <= sys.float_info.max:
            yield float(value)


def _string_candidates(schemas: list[dict[str, Any]]) -> Iterator[str]:
    least = int(strictest_bound(schemas, "minLength", max) or 0)
    most = strictest_bound(schemas, "maxLength", min)
    most = MAX_LENGTH if most is None else int(most)
    for schema in schemas:
        made = (example(schema[name]) for name, example in _EXAMPLES if name in schema)
        yield from (text for text in made if text is not None)
    if least <= MAX_LENGTH:
        word = _WORD * (max(least, 1) // len(_WORD) + 1)
        yield word[: max(least, min(most, len(_WORD)))]


# ------------------------------------------------------------------------------------- shapes
class ExampleShapes:
    """Writes the shapes of examples. A value is shown only where no other is accepted."""

    def __init__(self, verdicts: Verdicts) -> None:
        self._members = MemberChecker(verdicts)

    def text(self, groups: Sequence[Sequence[Node]], example: Any) -> str | None:
        """Return the shape of an example that one group of subschemas accepts.

        It is empty for an empty container, and None if it is too long for a message.
        """
        if not example:
            return ""
        nodes = next((nodes for nodes in groups if self._members.valid(nodes, example)), ())
        text = self._text(nodes, example, 0)
        return text if len(text) <= MAX_EXAMPLE else None

    def _text(self, nodes: Sequence[Node], value: Any, level: int) -> str:
        nodes = self._applicable(nodes, value)
        if level > MAX_LEVELS:
            return "…"
        parts = Parts(nodes)
        if type(value) is dict:
            members = (
                f"{quoted(name)}: {self._text(parts.property_subschemas(name), member, level + 1)}"
                for name, member in value.items()
            )
            return f"{{{', '.join(members)}}}"
        if type(value) is list:
            items = (
                self._text(parts.item_subschemas(index), item, level + 1)
                for index, item in enumerate(value)
            )
            return f"[{', '.join(dict.fromkeys(items))}]"
        if any(node.choices is not None and len(node.choices) == 1 for node in nodes):
            return quoted(value)
        return '"…"' if type(value) is str else "…"

    def _applicable(self, nodes: Sequence[Node], value: Any) -> tuple[Node, ...]:
        """Return the subschemas with those of the branches that accept a value."""
        nodes = closure(nodes)
        for group in open_unions(nodes, frozenset()):
            for leaf in flatten_branches(group):
                if self._members.valid(leaf.nodes, value):
                    nodes += leaf.nodes
                    break
        return nodes
