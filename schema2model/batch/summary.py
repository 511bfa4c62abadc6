"""What is counted on the way: rows by status, and calls by model, tool and status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schema2model.batch.names import MAX_NAME, shortened
from schema2model.batch.outcomes import STATUSES, Outcome, Status
from schema2model.batch.records import Layout

__all__ = ["Summary"]

MAX_NAMES = 10_000
"""So many pairs of a model and a tool are told apart; further ones count as unnamed."""


class Summary:
    """Counts of rows and calls. The counts of either add up to its number.

    >>> summary = Summary()
    >>> summary.add_row(Outcome("{}", "unchanged"), {"tool": "f"}, Layout())
    >>> summary.document()["calls"]
    [{'model': None, 'tool': 'f', 'unchanged': 1, 'coerced': 0, 'repaired': 0, 'refused': 0}]
    """

    def __init__(self) -> None:
        self.rows = dict.fromkeys(STATUSES, 0)
        self._calls: dict[tuple[str | None, str | None], dict[Status, int]] = {}

    @property
    def total(self) -> int:
        """How many rows there are."""
        return sum(self.rows.values())

    @property
    def refused_share(self) -> float:
        """The share of rows that are refused."""
        return self.rows["refused"] / max(self.total, 1)

    def add_row(self, outcome: Outcome, row: Mapping[str, Any], layout: Layout) -> None:
        """Count a row and its calls; one without a list of calls is one itself."""
        self.rows[outcome.status] += 1
        model = row.get(layout.model)
        if layout.kind == "calls":
            self._counts(model, row.get(layout.tool))[outcome.status] += 1
        for call in outcome.calls:
            self._counts(model, call.tool)[call.status] += 1

    def add(self, document: Mapping[str, Any]) -> None:
        """Count what another summary has counted, from its document."""
        for status in STATUSES:
            self.rows[status] += document["rows"][status]
        for entry in document["calls"]:
            counts = self._counts(entry["model"], entry["tool"])
            for status in STATUSES:
                counts[status] += entry[status]

    def _counts(self, model: Any, tool: Any) -> dict[Status, int]:
        key = (_name(model), _name(tool))
        counts = self._calls.get(key)
        if counts is None:
            if len(self._calls) >= MAX_NAMES:
                key = (None, None)
            counts = self._calls.setdefault(key, dict.fromkeys(STATUSES, 0))
        return counts

    def document(self) -> dict[str, Any]:
        """The counts as JSON values: `rows` by status, and `calls` for each model and tool."""
        named = sorted(self._calls.items(), key=lambda item: [name or "" for name in item[0]])
        calls = [{"model": model, "tool": tool, **counts} for (model, tool), counts in named]
        return {"rows": self.rows.copy(), "calls": calls}


def _name(value: Any) -> str | None:
    if type(value) is not str:
        return None
    if len(value) <= MAX_NAME and value.isascii():
        return value
    return shortened(value.encode("utf-8", "backslashreplace").decode())
