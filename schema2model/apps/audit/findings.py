"""Findings of an audit, as plain records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from schema2model.apps.audit.audited_tools import AuditedTool

__all__ = [
    "SEVERITIES",
    "Finding",
    "Found",
    "Report",
    "Rule",
    "Severity",
    "ToolReport",
    "rule",
]

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""The severities, the worst first: a call fails; a model is likely to go wrong; worth knowing."""


class Found(NamedTuple):
    """A match of a rule: the JSON Pointer of a location in the schema, and the problem there."""

    pointer: str
    message: str


Check = Callable[["AuditedTool"], Iterator[Found]]
"""A function that finds all matches of a rule in a tool."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A check of every tool."""

    id: str
    severity: Severity
    title: str
    suggestion: str
    check: Check


def rule(name: str, severity: Severity, suggestion: str) -> Callable[[Check], Rule]:
    """Return a decorator that makes a rule of a function, whose docstring begins with its title."""

    def made(check: Check) -> Rule:
        title = (check.__doc__ or "").partition("\n")[0]
        return Rule(name, severity, title, suggestion, check)

    return made


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of a tool; `pointer` leads into its schema."""

    rule: str
    severity: Severity
    tool: str
    pointer: str
    message: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class ToolReport:
    """The findings about one tool.

    `error` is why its definition cannot be used, if so; then `dialect` and `seconds` are None.
    `size` counts the bytes of the schema as compact JSON, `tokens` estimates those of the whole
    definition, `seconds` is what compiling it took.
    """

    name: str
    size: int
    tokens: int
    dialect: str | None
    seconds: float | None
    error: str | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The findings about a list of tools, in its order."""

    tools: tuple[ToolReport, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, tool by tool."""
        return tuple(finding for tool in self.tools for finding in tool.findings)

    @property
    def tokens(self) -> int:
        """The estimated tokens of all tools, which are part of every request."""
        return sum(tool.tokens for tool in self.tools)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def fails(self, severity: Severity) -> bool:
        """Return whether any finding is of this severity or a worse one."""
        worse = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return any(finding.severity in worse for finding in self.findings)
