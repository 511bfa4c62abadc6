"""The projections of the tools of one request, within the limits that a provider sets to all."""

from __future__ import annotations

from collections.abc import Mapping

from schema2model.coerce.engine import Engine
from schema2model.errors import SchemaError
from schema2model.json.quoting import abridged_repr
from schema2model.strict.profiles import profile_named
from schema2model.strict.request_budget import RequestBudget, chosen_tools, cost_of
from schema2model.strict.strict_schema import StrictSchema, strict_schema

__all__ = ["strict_schemas"]


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
    if not isinstance(asked, Mapping):
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
    if limits is not None and profile.definitions_save_budget:
        optional = sum(cost.optional_parameters for cost in costs.values())
        unions = sum(cost.union_parameters for cost in costs.values())
        if optional > limits.optional_parameters or unions > limits.union_parameters:
            schemas = projected(saves_budget=True)
            costs = {name: cost_of(strict.schema) for name, strict in schemas.items()}
    budget = chosen_tools(costs, profile, asked, errors)
    return {name: schemas[name] for name in budget.strict}, budget
