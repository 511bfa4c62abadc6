"""What pytest-benchmark measured: medians and quartiles, and ratios of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Measurement", "Ratio", "Results", "growth"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """Seconds per call: the median of the rounds, and their quartiles."""

    low: float
    median: float
    high: float
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, benchmark: dict[str, Any]) -> Measurement:
        """One entry of a report by pytest-benchmark."""
        extra, stats = benchmark["extra_info"], benchmark["stats"]
        if "seconds" in extra:  # taken inside a process that the benchmark started
            low, median, high = extra["seconds"]
        else:
            low, median, high = stats["q1"], stats["median"], stats["q3"]
        return cls(low, median, high, extra)


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of medians, between the ratios of the opposite quartiles."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, one: Measurement, other: Measurement) -> Ratio:
        """How long one takes, the other's time being 1."""
        return cls(one.low / other.high, one.median / other.median, one.high / other.low)

    def __str__(self) -> str:
        return f"{_short(self.median)} ({_short(self.low)}-{_short(self.high)})"


def _short(number: float) -> str:
    """Three digits at most.

    >>> _short(0.123), _short(12.34), _short(1234.5)
    ('0.12', '12.3', '1,234')
    """
    if number < 10:
        return f"{number:.2f}"
    return f"{number:.1f}" if number < 100 else f"{number:,.0f}"


class Results:
    """The measurements of several passes: of each benchmark, the pass least disturbed."""

    def __init__(self, reports: Iterable[Path]) -> None:
        self.measurements: dict[tuple[str, str, str, int], Measurement] = {}
        for report in reports:
            content = json.loads(report.read_text(encoding="utf-8"))
            self.machine = content["machine_info"]
            self.commit = content["commit_info"]
            self.datetime = content["datetime"]
            for benchmark in content["benchmarks"]:
                self._add(benchmark)

    def _add(self, benchmark: dict[str, Any]) -> None:
        extra = benchmark["extra_info"]
        if "case" not in extra:
            return
        key = benchmark["group"], extra["case"], extra["contender"], extra.get("size", 0)
        new = Measurement.read(benchmark)
        old = self.measurements.get(key)
        if old is None or new.median < old.median:
            self.measurements[key] = new

    def cases(self, group: str) -> list[str]:
        """What was measured in a group, in order."""
        return list(dict.fromkeys(key[1] for key in self.measurements if key[0] == group))

    def contenders(self, group: str, case: str | None = None) -> list[str]:
        """Who took part in a group, or in one case of it."""
        keys = [key for key in self.measurements if key[0] == group and case in {None, key[1]}]
        return list(dict.fromkeys(key[2] for key in keys))

    def sizes(self, group: str, case: str) -> list[int]:
        """The sizes at which a case was measured, from the smallest."""
        keys = [key for key in self.measurements if key[:2] == (group, case)]
        return sorted({key[3] for key in keys})

    def get(self, group: str, case: str, contender: str, size: int = 0) -> Measurement | None:
        """One measurement, if it was made."""
        return self.measurements.get((group, case, contender, size))

    def ratio(self, group: str, case: str, one: str, other: str) -> Ratio | None:
        """The ratio of two contenders in one case, if both were measured."""
        first, second = self.get(group, case, one), self.get(group, case, other)
        return Ratio.of(first, second) if first and second else None


def growth(sizes: list[int], measured: list[Measurement | None]) -> float | None:
    """The exponent by which time grew over the last step measured: 1 is linear, 2 quadratic.

    None if there was no step.

    >>> seconds = [Measurement(s, s, s) for s in (1.0, 2.0, 200.0)]
    >>> growth([1, 10, 100, 1000], [*seconds, None])
    2.0
    """
    steps = [(size, m.median) for size, m in zip(sizes, measured, strict=True) if m]
    if len(steps) == 1:
        return None
    (size, time), (larger, longer) = steps[-2:]
    return math.log(longer / time) / math.log(larger / size)
