"""Counts of a run: rows by status, calls by model and tool, refusals by reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from schema2model.apps.batch.bounded_names import shortened, without_indices
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.outcomes import NameDoubt, Outcome, Reason
from schema2model.coercions import STATUSES, Status
from schema2model.limits import MAX_COUNTED_NAME, MAX_COUNTED_PAIRS, MAX_COUNTED_REASONS

__all__ = ["Pair", "Summary", "counted_name"]


Pair = tuple["str | None", "str | None"]
"""The names of a model and of a tool."""


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
        self.calls: dict[Pair, dict[Status, int]] = {}
        """The calls of each model and tool by status."""
        self.results: dict[Pair, dict[Status, int]] = {}
        """The results of tools in the same way, by how they match the `outputSchema`."""
        self._result_rules: defaultdict[Pair, Counter[str]] = defaultdict(Counter)
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
        counts = self.calls.get((model, tool)) if is_text else None
        if counts is None:
            counts = _counts(self.calls, model, tool)[1]
        counts["unchanged"] += 1

    def add_row(self, outcome: Outcome, row: Mapping[str, Any], layout: Layout) -> None:
        """Count a row and its calls; one without a list of calls is one itself."""
        self.rows[outcome.status] += 1
        model = row.get(layout.model)
        reason = outcome.reason
        is_call = layout.kind == "calls" and (reason is None or reason.is_of_call)
        if is_call:
            _counts(self.calls, model, row.get(layout.tool))[1][outcome.status] += 1
            self.found += 1
            if outcome.doubts:
                self._add_doubts(row.get(layout.tool), outcome.doubts)
        for call in outcome.calls:
            _counts(self.calls, model, call.tool)[1][call.status] += 1
            self.found += 1
            if call.doubts:
                self._add_doubts(call.tool, call.doubts)
            if call.reason is not None:
                self._refused(call.reason, 1)
        if reason is not None:
            self._refused(reason, 1)
            self.damaged += not is_call
        for result in outcome.results:
            pair, counts = _counts(self.results, model, result.tool)
            counts[result.status] += 1
            self._result_rules[pair].update(change.rule for change in result.changes)

    def add(self, document: Mapping[str, Any]) -> None:
        """Count what another summary has counted, from its document."""
        for status in STATUSES:
            self.rows[status] += document["rows"][status]
        self.found += document["found"]
        self.damaged += document["damaged"]
        for entry in document["refused"]:
            self._refused(Reason(entry["reason"], entry["about"]), entry["count"])
        for entry in document["doubts"]:
            self._doubt(entry["about"], entry["count"])
        for counted, name in ((self.calls, "calls"), (self.results, "results")):
            for entry in document[name]:
                pair, counts = _counts(counted, entry["model"], entry["tool"])
                for status in STATUSES:
                    counts[status] += entry[status]
                if counted is self.results:
                    self._result_rules[pair].update(entry["rules"])

    def _refused(self, reason: Reason, count: int) -> None:
        if len(self.reasons) >= MAX_COUNTED_REASONS and reason not in self.reasons:
            reason = Reason(reason.kind)
        self.reasons[reason] += count

    def _add_doubts(self, tool: Any, doubts: tuple[NameDoubt, ...]) -> None:
        for path, similar in {(without_indices(path), similar) for path, similar in doubts}:
            self._doubt(shortened(f"{counted_name(tool)} {path}: {counted_name(similar)}"), 1)

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
        an `outputSchema` as the calls, and the number of values that each rule read.
        """
        reasons = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        refused = [{"reason": kind, "about": about, "count": n} for (kind, about), n in reasons]
        doubts = sorted(self.doubts.items(), key=lambda item: (-item[1], item[0]))
        return {
            "rows": self.rows.copy(),
            "found": self.found,
            "damaged": self.damaged,
            "calls": [{**_named(pair), **counts} for pair, counts in _sorted(self.calls)],
            "refused": refused,
            "doubts": [{"about": about, "count": n} for about, n in doubts],
            "results": [
                {
                    **_named(pair),
                    **counts,
                    "rules": dict(sorted(self._result_rules[pair].items())),
                }
                for pair, counts in _sorted(self.results)
            ],
        }


def _counts(
    counted: dict[Pair, dict[Status, int]], model: Any, tool: Any
) -> tuple[Pair, dict[Status, int]]:
    """Return the counts of a model and a tool, and under which names; those of too many share."""
    pair = counted_name(model), counted_name(tool)
    if pair not in counted:
        if len(counted) >= MAX_COUNTED_PAIRS:
            pair = None, None
        counted.setdefault(pair, dict.fromkeys(STATUSES, 0))
    return pair, counted[pair]


def _named(pair: Pair) -> dict[str, str | None]:
    return dict(zip(("model", "tool"), pair, strict=True))


def _sorted(counted: Mapping[Pair, dict[Status, int]]) -> list[tuple[Pair, dict[Status, int]]]:
    return sorted(counted.items(), key=lambda item: [name or "" for name in item[0]])


def counted_name(value: Any) -> str | None:
    """Return the name under which a model or a tool is counted; None for what is not text."""
    if type(value) is not str:
        return None
    if len(value) <= MAX_COUNTED_NAME and value.isascii():
        return value
    return shortened(value.encode("utf-8", "backslashreplace").decode())
