"""`schema2model strict` without its options: read tools, project them, write the accounts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from schema2model.apps.cli.output import InputError, write_json, write_text
from schema2model.errors import SchemaError
from schema2model.json.quoting import printable
from schema2model.strict.enforcement import AccountEntry
from schema2model.strict.profiles import profile_named
from schema2model.tools.providers.definitions import Definition
from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset

__all__ = ["write_projections"]


class Projected(NamedTuple):
    """One tool: its definition, and what becomes of its keywords; or why it is not strict."""

    name: str
    definition: dict[str, Any] | None
    account: tuple[AccountEntry, ...]
    reason: str | None


def write_projections(
    definitions: Iterable[Definition],
    provider: str,
    dialect: str | None,
    *,
    as_json: bool,
    **limits: Any,
) -> bool:
    """Print the strict definitions and their accounts; return whether all tools are strict.

    Raises:
        InputError: for an unknown provider.

    """
    try:
        api: Any = profile_named(provider).apis[0]
    except ValueError as error:
        raise InputError(str(error)) from None
    tools: dict[str, Tool] = {}
    broken: dict[str, str] = {}
    for each in definitions:
        if each.name in tools:
            broken[each.name] = "two tools have this name"
            continue
        shape = {"name": each.name, "description": each.description, "parameters": each.schema}
        try:
            tools[each.name] = Tool.from_definition(shape, dialect=dialect or each.dialect)
        except SchemaError as error:
            broken[each.name] = str(error)
    toolset = Toolset(tools.values(), strict=provider, **limits)
    projections = [*_projections(toolset, broken, api)]
    if as_json:
        write_json(_document(toolset, projections, provider))
    else:
        _write(toolset, projections)
    return all(each.reason is None for each in projections)


def _projections(toolset: Toolset, broken: dict[str, str], api: Any) -> Iterable[Projected]:
    reasons = {} if toolset.budget is None else toolset.budget.reasons
    for tool in toolset:
        account = () if tool.strict is None else tool.strict.account
        definition = None if tool.strict is None else tool.definition(api)
        yield Projected(tool.name, definition, account, reasons.get(tool.name))
    for name, reason in broken.items():
        yield Projected(name, None, (), reason)


def _document(toolset: Toolset, projections: list[Projected], provider: str) -> dict[str, Any]:
    """Return the projections as JSON."""
    budget = None
    if toolset.budget is not None and toolset.budget.limits is not None:
        limits = dataclasses.asdict(toolset.budget.limits)
        budget = {"cost": toolset.budget.cost._asdict(), "limits": limits}
    return {
        "provider": provider,
        "budget": budget,
        "tools": [
            {
                "name": each.name,
                "strict": each.reason is None,
                "reason": each.reason,
                "definition": each.definition,
                "account": [dataclasses.asdict(entry) for entry in each.account],
            }
            for each in projections
        ],
    }


def _write(toolset: Toolset, projections: list[Projected]) -> None:
    for each in projections:
        if each.reason is not None:
            write_text(f"{printable(each.name)}: not strict: {each.reason}\n")
            continue
        write_text(f"{printable(each.name)}: strict")
        for entry in each.account:
            write_text(f"  {entry}")
        write_text(json.dumps(each.definition, indent=2, ensure_ascii=False) + "\n")
    if toolset.budget is not None and toolset.budget.limits is not None:
        write_text(str(toolset.budget))
