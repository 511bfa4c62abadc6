"""Calls by status for each model and tool: lists of them, the worst first, and a heat table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from schema2model.coercions import STATUSES, Status

__all__ = ["Counts", "certain_share", "heat", "shares", "worst_first"]

HEAT_MODELS = 10
HEAT_TOOLS = 14
"""Columns and rows of the heat table."""

Counts = Mapping["tuple[str | None, str | None]", "dict[Status, int]"]
"""Numbers of calls by status, of each pair of a model and a tool."""


def shares(counts: Counts, *names: str) -> list[dict[str, Any]]:
    """Return the counts of all pairs that are the same in what is named, model, tool or both.

    >>> shares({("m", "f"): {"unchanged": 1, "coerced": 0, "repaired": 0, "refused": 2}}, "tool")
    [{'tool': 'f', 'calls': 3, 'unchanged': 1, 'coerced': 0, 'repaired': 0, 'refused': 2}]
    """
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for (model, tool), of_pair in counts.items():
        named = {name: {"model": model, "tool": tool}[name] for name in names}
        zeros = dict.fromkeys(("calls", *STATUSES), 0)
        entry = found.setdefault(tuple(named.values()), {**named, **zeros})
        for status, number in of_pair.items():
            entry[status] += number
            entry["calls"] += number
    return worst_first(found.values())


def worst_first(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return entries by what share of their calls is refused at the least, and then is changed.

    One refused call of one is only a hint; a thousand of two thousand are certain.
    """

    def rank(entry: dict[str, Any]) -> tuple[float, float, int]:
        calls = entry["calls"]
        wrong = calls - entry["unchanged"]
        return certain_share(entry["refused"], calls), certain_share(wrong, calls), calls

    return sorted(entries, key=rank, reverse=True)


def certain_share(part: int, whole: int) -> float:
    """Return the share that is certain but for one time in forty: Wilson's lower bound.

    >>> [round(certain_share(*counted), 3) for counted in ((0, 9), (1, 1), (1000, 2000))]
    [0.0, 0.207, 0.478]
    """
    if not part:
        return 0.0
    z = 1.96
    share = part / whole
    spread = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    return (share + z * z / (2 * whole) - spread) / (1 + z * z / whole)


def heat(counts: Counts) -> dict[str, Any]:
    """Return the worst models and tools, and the counts of each pair; None if it has no calls.

    `models` and `tools` are names, `cells` has a list for each tool with an item for each model.
    """
    models = [entry["model"] for entry in shares(counts, "model")[:HEAT_MODELS]]
    tools = [entry["tool"] for entry in shares(counts, "tool")[:HEAT_TOOLS]]
    cells = [[_cell(counts.get((model, tool))) for model in models] for tool in tools]
    return {"models": models, "tools": tools, "cells": cells}


def _cell(of_pair: dict[Status, int] | None) -> dict[str, int] | None:
    if of_pair is None:
        return None
    changed = of_pair["coerced"] + of_pair["repaired"]
    return {"calls": sum(of_pair.values()), "refused": of_pair["refused"], "changed": changed}
