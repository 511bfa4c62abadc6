"""The cost of one request: the tools that are strict where a provider limits them together.

Anthropic counts strict tools, optional parameters and parameters of several types over a request,
each in its schema and not in its definitions. As many tools as possible are made strict; the same
tools always give the same choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from schema2model.coerce.engine import Engine
from schema2model.errors import SchemaError
from schema2model.json.quoting import abridged_repr, printable
from schema2model.schema.subschemas import DEFINITIONS, all_subschemas
from schema2model.strict.profiles import Profile, RequestLimits, profile_named
from schema2model.strict.strict_schema import StrictSchema, strict_schema

__all__ = ["RequestBudget", "RequestCost", "cost_of", "strict_schemas"]


def strict_schemas(
    engines: Mapping[str, Engine],
    provider: str,
    asked: Mapping[str, bool] | None = None,
    *,
    max_items: int | None = None,
    max_length: int | None = None,
) -> tuple[dict[str, StrictSchema], RequestBudget]:
    """Return the projections of the tools that are strict, and the account of the request.

    Args:
        engines: the tools by name.
        provider: as for `CompiledSchema.strict`.
        asked: tools that are strict, or not, by the caller's wish.
        max_items: as for `CompiledSchema.strict`.
        max_length: as for `CompiledSchema.strict`.

    Raises:
        SchemaError: if a tool that has to be strict cannot be, or all of them exceed the limits.
        ValueError: for an unknown provider or tool.

    """
    asked = {} if asked is None else asked
    if not isinstance(asked, Mapping) or not all(isinstance(each, bool) for each in asked.values()):
        words = "a provider's name or a mapping of tools to booleans"
        message = f"`strict` is {words}, not {abridged_repr(asked)}"
        raise TypeError(message)
    profile = profile_named(provider)
    unknown = [name for name in asked if name not in engines]
    if unknown:
        message = f"`strict` names an unknown tool, {abridged_repr(unknown[0])}"
        raise ValueError(message)
    errors: dict[str, str] = {}

    def projected(*, saves_budget: bool) -> dict[str, StrictSchema]:
        made = {}
        for name, engine in engines.items():
            if asked.get(name) is False:
                continue
            try:
                made[name] = strict_schema(
                    engine,
                    provider,
                    max_items=max_items,
                    max_length=max_length,
                    saves_budget=saves_budget,
                )
            except SchemaError as error:
                errors[name] = str(error)
        return made

    schemas = projected(saves_budget=False)
    costs = {name: cost_of(strict.schema) for name, strict in schemas.items()}
    limits = profile.request
    # definitions do not count, but are harder to read: they are written only where they are needed
    if limits is not None and profile.definitions_save_budget:
        optional = sum(cost.optional_parameters for cost in costs.values())
        unions = sum(cost.union_parameters for cost in costs.values())
        if optional > limits.optional_parameters or unions > limits.union_parameters:
            schemas = projected(saves_budget=True)
            costs = {name: cost_of(strict.schema) for name, strict in schemas.items()}
    budget = choose_tools(costs, profile, asked, errors)
    return {name: schemas[name] for name in budget.strict}, budget


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


_NO_COST = RequestCost(0, 0, 0)


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
            lines.append(f"of the limits of one request: {_describe_cost(self.cost)}")
            lines.append(f"the limits: {_describe_cost(self.limits)}")
        return "\n".join(
            [*lines, *(f"not strict: {printable(n)}: {why}" for n, why in self.reasons.items())]
        )


def cost_of(schema: Mapping[str, Any]) -> RequestCost:
    """Return the cost of a projection: what is in its definitions does not count."""
    optional = unions = 0
    own = {key: value for key, value in schema.items() if key not in DEFINITIONS}
    for _, part in all_subschemas(own):
        optional += len(part.get("properties", ())) - len(part.get("required", ()))
        unions += "anyOf" in part
    return RequestCost(1, optional, unions)


def choose_tools(
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
    for name, is_asked in asked.items():
        if is_asked and name in errors:
            message = f"`{printable(name)}` cannot be strict: {errors[name]}"
            raise SchemaError(message)
    forced = [name for name in costs if asked.get(name) is True]
    free = [name for name in costs if name not in asked]
    cost = sum((costs[name] for name in forced), _NO_COST)
    if limits is not None:
        if not cost.fits(limits):
            taken = _describe_cost(cost)
            message = f"the tools that have to be strict take {taken}; {_describe_cost(limits)} fit"
            raise SchemaError(message)
        free = _most_tools(free, costs, cost, limits)
    strict = tuple(name for name in costs if name in {*forced, *free})
    over = tuple(name for name in costs if name not in strict and asked.get(name) is not False)
    reasons = {
        **errors,
        **dict.fromkeys(over, f"over the limits of one request to {profile.title}"),
        **{name: "not asked for" for name, is_asked in asked.items() if not is_asked},
    }
    total = sum((costs[name] for name in strict), _NO_COST)
    return RequestBudget(strict, total, limits, over, reasons)


def _most_tools(
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


def _describe_cost(cost: Any) -> str:
    optional, unions = cost.optional_parameters, cost.union_parameters
    return f"{cost.tools} tools with {optional} optional parameters and {unions} of several types"
