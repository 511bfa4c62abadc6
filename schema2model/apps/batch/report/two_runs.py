"""Two runs side by side: the tools whose shares of refused or changed calls differ most."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from schema2model.apps.batch.report.figures import Figures
from schema2model.coercions import STATUSES

__all__ = ["compared_runs"]

_CERTAIN = 1.96
"""Standard deviations beyond which a difference is chance in one of twenty cases."""


class _Counts(NamedTuple):
    calls: int = 0
    refused: int = 0
    changed: int = 0


def compared_runs(figures: Figures, other: Figures, top: int) -> dict[str, Any]:
    """Return the counts of two runs as JSON values: of all calls, and of each tool.

    `all` and each of the `tools`, at most `top` and `unlisted` more, have `this`
    and `other`, with the numbers of `calls`, of `refused` and of `changed` ones, and `verdict`:
    `"worse"` or `"better"` than the other run, by the refused calls or, if these do not differ, by
    the changed ones; `"alike"` if the difference may be chance. The surest difference is first.
    """
    ours, others = _by_tool(figures), _by_tool(other)
    tools = [
        {"tool": tool, **_compared(ours.get(tool, _Counts()), others.get(tool, _Counts()))}
        for tool in {**ours, **others}
    ]
    tools.sort(key=lambda entry: -entry.pop("surety"))
    every = _compared(_sum(ours), _sum(others))
    del every["surety"]
    return {"all": every, "tools": tools[:top], "unlisted": len(tools[top:])}


def _by_tool(figures: Figures) -> dict[str | None, _Counts]:
    found = {}
    for entry in figures.by_tool():
        changed = sum(entry[status] for status in STATUSES[1:-1])
        found[entry["tool"]] = _Counts(entry["calls"], entry["refused"], changed)
    return found


def _sum(counts: dict[str | None, _Counts]) -> _Counts:
    return _Counts(*map(sum, zip(*counts.values(), strict=True))) if counts else _Counts()


def _compared(this: _Counts, other: _Counts) -> dict[str, Any]:
    refused = _deviations(this.refused, this.calls, other.refused, other.calls)
    changed = _deviations(this.changed, this.calls, other.changed, other.calls)
    decisive = refused if abs(refused) > _CERTAIN else changed
    verdict = "alike" if abs(decisive) <= _CERTAIN else "worse" if decisive > 0 else "better"
    return {
        "this": this._asdict(),
        "other": other._asdict(),
        "verdict": verdict,
        "surety": abs(decisive),
    }


def _deviations(part: int, whole: int, other_part: int, other_whole: int) -> float:
    """Standard deviations between two shares; 0 if one of them is of nothing."""
    if not whole or not other_whole:
        return 0.0
    pooled = (part + other_part) / (whole + other_whole)
    spread = math.sqrt(pooled * (1 - pooled) * (1 / whole + 1 / other_whole))
    return (part / whole - other_part / other_whole) / spread if spread else 0.0
