"""The budget of one request: which tools are strict where a provider limits them together.

Anthropic counts strict tools, optional parameters and parameters of several types over a request,
each in its schema and not in its definitions. As many tools as possible are made strict; the same
tools always give the same choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from schema2model.errors import SchemaError
from schema2model.json.quoting import printable
from schema2model.strict.profiles import Profile, RequestLimits

__all__ = ["RequestBudget", "RequestCost", "chosen_tools", "cost_of"]


class RequestCost(NamedTuple):
    """The part of a request's limits that one tool, or several, take.

    >>> cost_of({"type": "object", "properties": {"a": {"type": "string"}}, "required": []})
    RequestCost(tools=1, optional_parameters=1, union_parameters=0)
    """

    tools: int
    optional_parameters: int
    union_parameters: int

    def __add__(self, other: Any) -> RequestCost:
        return RequestCost(*(a + b for a, b in zip(self, other, strict=True)))

    def fits(self, limits: RequestLimits) -> bool:
        """Return whether the limits of a request allow it."""
        return (
            self.tools <= limits.tools
            and self.optional_parameters <= limits.optional_parameters
            and self.union_parameters <= limits.union_parameters
        )


NO_COST = RequestCost(0, 0, 0)


@dataclass(frozen=True, slots=True)
class RequestBudget:
    """Which tools are strict, what they take of the limits, and why others are not strict."""

    strict: tuple[str, ...]
    """The names of the tools that are strict."""
    cost: RequestCost
    limits: RequestLimits | None
    """None if the provider has none."""
    over: tuple[str, ...]
    """The names of the tools that could be strict, and do not fit."""
    reasons: Mapping[str, str]
    """The reason for each tool that is not strict, by its name."""

    def __str__(self) -> str:
        lines = [f"strict: {', '.join(map(printable, self.strict)) or 'no tool'}"]
        if self.limits is not None:
            lines.append(f"of the limits of one request: {_words(self.cost)}")
            lines.append(f"the limits: {_words(self.limits)}")
        return "\n".join(
            [*lines, *(f"not strict: {printable(n)}: {why}" for n, why in self.reasons.items())]
        )


def cost_of(schema: Mapping[str, Any]) -> RequestCost:
    """Return the cost of a projection: what is in its definitions does not count."""
    optional = unions = 0
    queue: list[Any] = [schema]
    for part in queue:  # which grows on the way
        if not isinstance(part, dict):
            continue
        properties = part.get("properties", {})
        optional += len(properties) - len(part.get("required", ()))
        unions += "anyOf" in part
        queue += [*properties.values(), *part.get("anyOf", ()), part.get("items")]
    return RequestCost(1, optional, unions)


def chosen_tools(
    costs: Mapping[str, RequestCost],
    profile: Profile,
    asked: Mapping[str, bool],
    errors: Mapping[str, str],
) -> RequestBudget:
    """Return which tools are strict.

    Args:
        costs: the cost of each tool that has a projection.
        profile: of the provider.
        asked: tools that are strict, or not, by the caller's wish.
        errors: the reasons of tools without a projection.

    Raises:
        SchemaError: if the tools that have to be strict exceed the limits, or have no projection.

    """
    limits = profile.request
    for name, wanted in asked.items():
        if wanted and name in errors:
            message = f"`{printable(name)}` cannot be strict: {errors[name]}"
            raise SchemaError(message)
    forced = [name for name in costs if asked.get(name) is True]
    free = [name for name in costs if name not in asked]
    cost = sum((costs[name] for name in forced), NO_COST)
    if limits is not None:
        if not cost.fits(limits):
            message = f"the tools that have to be strict take {_words(cost)}; {_words(limits)} fit"
            raise SchemaError(message)
        free = _most(free, costs, cost, limits)
    strict = tuple(name for name in costs if name in {*forced, *free})
    over = tuple(name for name in costs if name not in strict and asked.get(name) is not False)
    reasons = {
        **errors,
        **dict.fromkeys(over, f"over the limits of one request to {profile.title}"),
        **{name: "not asked for" for name, wanted in asked.items() if not wanted},
    }
    total = sum((costs[name] for name in strict), NO_COST)
    return RequestBudget(strict, total, limits, over, reasons)


def _most(
    names: list[str], costs: Mapping[str, RequestCost], spent: RequestCost, limits: RequestLimits
) -> list[str]:
    """Return as many names as fit, by dynamic programming over what they cost together."""
    best: dict[tuple[int, int], tuple[RequestCost, tuple[str, ...]]] = {spent[1:]: (spent, ())}
    for name in names:
        for cost, chosen in [*best.values()]:
            after = cost + costs[name]
            known = best.get(after[1:])
            if after.fits(limits) and (known is None or known[0].tools < after.tools):
                best[after[1:]] = (after, (*chosen, name))
    cheapest = sorted(best.values(), key=lambda item: item[0])
    return list(max(cheapest, key=lambda item: item[0].tools)[1])


def _words(cost: Any) -> str:
    tools, optional, unions = (
        cost.tools,
        cost.optional_parameters,
        cost.union_parameters,
    )
    return f"{tools} tools with {optional} optional parameters and {unions} of several types"
