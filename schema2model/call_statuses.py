"""The statuses of calls: the words of `batch`, `report`, the proxy and telemetry."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, Protocol

__all__ = ["STATUSES", "Status", "status_of"]

Status = Literal["unchanged", "coerced", "repaired", "refused"]

STATUSES: Final[tuple[Status, ...]] = ("unchanged", "coerced", "repaired", "refused")
"""From the best to the worst: valid as sent; valid after values were read as the schema wants
them; valid after the text itself was repaired; not valid."""


class _Change(Protocol):
    @property
    def rule(self) -> str: ...


def status_of(changes: Collection[_Change]) -> Literal["unchanged", "coerced", "repaired"]:
    """Return how arguments became valid: `repaired` if their text was not JSON.

    >>> from schema2model.types import Change
    >>> status_of([Change("/a", "json_text", "1", 1)])
    'coerced'
    """
    if not changes:
        return "unchanged"
    is_repaired = any(each.rule.startswith(("repair_text", "fallback_reader")) for each in changes)
    return "repaired" if is_repaired else "coerced"
