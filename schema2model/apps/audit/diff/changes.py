"""Changes between two versions of tools, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from schema2model.apps.audit.findings import SEVERITIES, Severity

__all__ = ["KINDS", "SEVERITY", "ChangeKind", "Comparison", "ToolChange"]

ChangeKind = Literal["breaking", "uncompared", "risky", "additive"]

KINDS: Final[tuple[ChangeKind, ...]] = ("breaking", "uncompared", "risky", "additive")
"""The worst first: calls that were accepted are not any more; the schemas differ and no call shows
whether callers are affected; calls are accepted, with another meaning or other results; calls are
accepted that were not."""

SEVERITY: Final[dict[ChangeKind, Severity]] = dict(zip(KINDS, ("error", *SEVERITIES), strict=True))
"""The severity of each kind, as in the audit."""


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One change of a tool.

    `path` is the JSON Pointer of the place in the arguments, with `*` for any item of an array, and
    `""` for the tool as a whole. `call` shows it: arguments that `accepted_by` accepts, and the
    other version does not; or that mean something else, if both accept them. It is None if no
    arguments are known that show it.
    """

    kind: ChangeKind
    tool: str
    path: str
    message: str
    call: Any = None
    accepted_by: Literal["old", "new", "both"] | None = None

    @property
    def severity(self) -> Severity:
        """The severity, as in the audit."""
        return SEVERITY[self.kind]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes between two lists of tools, the worst first, tool by tool."""

    changes: tuple[ToolChange, ...]
    tools: int
    """The number of tools with a name of their own, in both lists together."""

    def count(self, kind: ChangeKind) -> int:
        """Return the number of changes of a kind."""
        return sum(change.kind == kind for change in self.changes)

    def fails(self, severity: Severity) -> bool:
        """Return whether any change is of this severity or a worse one."""
        worse = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return any(change.severity in worse for change in self.changes)
