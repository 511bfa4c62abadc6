"""Counts of a run: rows by status, calls by model and tool, refusals by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from schema2model.apps.batch.bounded_names import shortened, without_indices
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.outcomes import NameDoubt, Outcome, Reason
from schema2model.coercions import STATUSES, Status
from schema2model.limits import MAX_COUNTED_NAME, MAX_COUNTED_PAIRS, MAX_COUNTED_REASONS

__all__ = ["Summary"]


class _Results(NamedTuple):
    """The results of a tool by how they match its `outputSchema`, and the values by rule."""

    statuses: dict[Status, int]
    rules: Counter[str]


class Summary:
    """Counts of rows, of calls, and of the reasons why they are refused.

    The counts of rows and of calls add up to their number; `found` is how many calls there are, and
    `damaged` how many rows are refused because they show none.

    >>> summary = Summary()
    >>> summary.add_row(Outcome("{}", "unchanged"), {"tool": "f"}, Layout())
    >>> summary.document()["calls"]
    [{'model': None, 'tool': 'f', 'unchanged': 1, 'coerced': 0, 'repaired': 0, 'refused': 0}]
    >>> summary.found, summary.judged
    (1, 1)
    """

    def __init__(self) -> None:
        self.rows = dict.fromkeys(STATUSES, 0)
        self._calls: dict[tuple[str | None, str | None], dict[Status, int]] = {}
        self._results: dict[str | None, _Results] = {}
        self.found = 0
        self.damaged = 0
        self.reasons: Counter[Reason] = Counter()
        self.doubts: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """The number of rows."""
        return sum(self.rows.values())

    @property
    def refused_share(self) -> float:
        """The share of rows that are refused."""
        return self.rows["refused"] / max(self.total, 1)

    def add_unchanged(self, model: Any, tool: Any) -> None:
        """Count a row with one call that stays as it is, without doubts."""
        self.rows["unchanged"] += 1
        self.found += 1
        is_text = type(model) is str and type(tool) is str
        counts = self._calls.get((model, tool)) if is_text else None
        if counts is None:
            counts = self._counts(model, tool)
        counts["unchanged"] += 1

    def add_row(self, outcome: Outcome, row: Mapping[str, Any], layout: Layout) -> None:
        """Count a row and its calls; one without a list of calls is one itself."""
        self.rows[outcome.status] += 1
        model = row.get(layout.model)
        reason = outcome.reason
        is_call = layout.kind == "calls" and (reason is None or reason.is_of_call)
        if is_call:
            self._counts(model, row.get(layout.tool))[outcome.status] += 1
            self.found += 1
            if outcome.doubts:
                self._add_doubts(row.get(layout.tool), outcome.doubts)
        for call in outcome.calls:
            self._counts(model, call.tool)[call.status] += 1
            self.found += 1
            if call.doubts:
                self._add_doubts(call.tool, call.doubts)
            if call.reason is not None:
                self._refused(call.reason, 1)
        if reason is not None:
            self._refused(reason, 1)
            self.damaged += not is_call
        for result in outcome.results:
            rules = Counter(change.rule for change in result.changes)
            self._add_results(_name(result.tool), {result.status: 1}, rules)

    def add(self, document: Mapping[str, Any]) -> None:
        """Count what another summary has counted, from its document."""
        for status in STATUSES:
            self.rows[status] += document["rows"][status]
        self.found += document["found"]
        self.damaged += document.get("damaged", 0)  # parts of older runs do not have it
        for entry in document["refused"]:
            self._refused(Reason(entry["reason"], entry["about"]), entry["count"])
        for entry in document["doubts"]:
            self._doubt(entry["about"], entry["count"])
        for entry in document["calls"]:
            counts = self._counts(entry["model"], entry["tool"])
            for status in STATUSES:
                counts[status] += entry[status]
        for entry in document.get("results", ()):
            counted = {status: entry[status] for status in STATUSES}
            self._add_results(entry["tool"], counted, entry["rules"])

    def _add_results(
        self, tool: str | None, counted: Mapping[Status, int], rules: Mapping[str, int]
    ) -> None:
        if tool not in self._results and len(self._results) >= MAX_COUNTED_PAIRS:
            tool = None
        counts = self._results.setdefault(tool, _Results(dict.fromkeys(STATUSES, 0), Counter()))
        for status, number in counted.items():
            counts.statuses[status] += number
        counts.rules.update(rules)

    def _counts(self, model: Any, tool: Any) -> dict[Status, int]:
        key = (_name(model), _name(tool))
        counts = self._calls.get(key)
        if counts is None:
            if len(self._calls) >= MAX_COUNTED_PAIRS:
                key = (None, None)
            counts = self._calls.setdefault(key, dict.fromkeys(STATUSES, 0))
        return counts

    def _refused(self, reason: Reason, count: int) -> None:
        if len(self.reasons) >= MAX_COUNTED_REASONS and reason not in self.reasons:
            reason = Reason(reason.kind)
        self.reasons[reason] += count

    def _add_doubts(self, tool: Any, doubts: tuple[NameDoubt, ...]) -> None:
        for path, similar in {(without_indices(path), similar) for path, similar in doubts}:
            self._doubt(shortened(f"{_name(tool)} {path}: {_name(similar)}"), 1)

    def _doubt(self, about: str, count: int) -> None:
        if len(self.doubts) >= MAX_COUNTED_REASONS and about not in self.doubts:
            about = ""
        self.doubts[about] += count

    @property
    def judged(self) -> int:
        """The number of calls, and of rows that are refused because they show none."""
        return self.found + self.damaged

    def document(self) -> dict[str, Any]:
        """Return the counts as JSON values.

        `rows` by status; `found`, the number of calls; `damaged`, the number of refused rows that
        show no call; `calls` for each model and tool by status;
        `refused`, the reasons, the most frequent first; `doubts`, calls with an undeclared name
        that may be misspelt, by tool, path and the declared name; `results` of tools that declare
        an `outputSchema`, for each tool by status, and the number of values that each rule read.
        """
        named = sorted(self._calls.items(), key=lambda item: [name or "" for name in item[0]])
        calls = [{"model": model, "tool": tool, **counts} for (model, tool), counts in named]
        reasons = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        refused = [{"reason": kind, "about": about, "count": n} for (kind, about), n in reasons]
        doubts = sorted(self.doubts.items(), key=lambda item: (-item[1], item[0]))
        return {
            "rows": self.rows.copy(),
            "found": self.found,
            "damaged": self.damaged,
            "calls": calls,
            "refused": refused,
            "doubts": [{"about": about, "count": n} for about, n in doubts],
            "results": [
                {"tool": tool, **counts.statuses, "rules": dict(sorted(counts.rules.items()))}
                for tool, counts in sorted(self._results.items(), key=lambda item: item[0] or "")
            ],
        }


def _name(value: Any) -> str | None:
    if type(value) is not str:
        return None
    if len(value) <= MAX_COUNTED_NAME and value.isascii():
        return value
    return shortened(value.encode("utf-8", "backslashreplace").decode())
