"""`schema2model strict` without its options: read tools, project them, write the accounts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from schema2model.apps.cli.output import InputError, shown
from schema2model.errors import SchemaError
from schema2model.json.quoting import printable
from schema2model.strict.enforcement import AccountEntry
from schema2model.strict.profiles import profile_named
from schema2model.tools.providers.definitions import Definition
from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset

__all__ = ["Projections", "projected"]


class Projected(NamedTuple):
    """One tool: its definition, and what becomes of its keywords; or why it is not strict."""

    name: str
    definition: dict[str, Any] | None
    account: tuple[AccountEntry, ...]
    reason: str | None


def projected(
    definitions: Iterable[Definition], provider: str, dialect: str | None, **limits: Any
) -> Projections:
    """Return the strict definitions of tools, and their accounts.

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
    return Projections(provider, toolset, [*_projections(toolset, broken, api)])


def _projections(toolset: Toolset, broken: dict[str, str], api: Any) -> Iterable[Projected]:
    reasons = {} if toolset.budget is None else toolset.budget.reasons
    for tool in toolset:
        account = () if tool.strict is None else tool.strict.account
        definition = None if tool.strict is None else tool.definition(api)
        yield Projected(tool.name, definition, account, reasons.get(tool.name))
    for name, reason in broken.items():
        yield Projected(name, None, (), reason)


@dataclass(frozen=True)
class Projections:
    """The tools of a list for a provider."""

    provider: str
    toolset: Toolset
    tools: list[Projected]

    @property
    def are_strict(self) -> bool:
        """True if all are."""
        return all(each.reason is None for each in self.tools)

    def document(self) -> dict[str, Any]:
        """Return them as JSON values."""
        budget = None
        if self.toolset.budget is not None and self.toolset.budget.limits is not None:
            limits = dataclasses.asdict(self.toolset.budget.limits)
            budget = {"cost": self.toolset.budget.cost._asdict(), "limits": limits}
        return {
            "provider": self.provider,
            "budget": budget,
            "tools": [
                {
                    "name": each.name,
                    "strict": each.reason is None,
                    "reason": each.reason,
                    "definition": each.definition,
                    "account": [dataclasses.asdict(entry) for entry in each.account],
                }
                for each in self.tools
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield each tool's account and definition."""
        for each in self.tools:
            if each.reason is not None:
                yield shown(f"{printable(each.name)}: not strict: {each.reason}\n")
                continue
            yield f"{printable(each.name)}: strict"
            yield from (shown(f"  {entry}") for entry in each.account)
            yield shown(json.dumps(each.definition, indent=2, ensure_ascii=False) + "\n")
        if self.toolset.budget is not None and self.toolset.budget.limits is not None:
            yield shown(str(self.toolset.budget))
