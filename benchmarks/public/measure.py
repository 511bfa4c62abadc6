"""Measures one reader on cases: what it gets right, and how long it takes."""

from __future__ import annotations

import signal
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from benchmarks.corruptions import REFUSE
from benchmarks.public.cases import Case
from benchmarks.recovery import judged

__all__ = ["Outcome", "measure"]

Read = Callable[[dict[str, Any], str], Any]

MAX_SECONDS = 2.0
"""Maximum seconds for one case, where the system can interrupt; after that it counts as refused."""

ROUNDS = 5
"""Times that each case is read against the clock."""

Key = tuple[str, str, str]
"""The source, the kind and the group of cases."""


@dataclass(slots=True)
class Outcome:
    """The counts of one reader, and its processor time."""

    counts: dict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """`right`, `wrong` and `refused`; a case that is to be refused is right if it is."""
    seconds: dict[Key, float] = field(default_factory=dict)
    """Processor time of all cases of a group, the least of all rounds.

    The time that a reader takes which does nothing is subtracted: it is that of the clock.
    """

    def of(self, source: str, kind: str) -> Counter[str]:
        """Return the counts of all groups of a kind."""
        total: Counter[str] = Counter()
        for key, counter in self.counts.items():
            if key[:2] == (source, kind):
                total += counter
        return total

    def microseconds(self, source: str, kind: str) -> float:
        """Return the mean time of a case."""
        seconds = sum(spent for key, spent in self.seconds.items() if key[:2] == (source, kind))
        return 1e6 * seconds / self.of(source, kind).total()


def measure(read: Read, cases: Iterable[Case]) -> Outcome:
    """Judge each case, then read all cases of each group against the clock, in rounds.

    Raises:
        ImportError: if the reader needs a package that is not installed.

    """
    outcome = Outcome()
    groups: dict[Key, list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.source, case.kind, case.group].append(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, some in groups.items():
            for case in some:
                outcome.counts[key][_verdict(read, case)] += 1
        # rounds of all groups: a machine that is slow for a second is so for a part of a round
        rounds = [
            {key: (_spent(read, some), _spent(_nothing, some)) for key, some in groups.items()}
            for _ in range(ROUNDS)
        ]
    for key in groups:
        spent, on_nothing = map(min, zip(*(each[key] for each in rounds), strict=True))
        outcome.seconds[key] = max(spent - on_nothing, 0.0)
    return outcome


def _verdict(read: Read, case: Case) -> str:
    def reader(text: str) -> Any:
        with _limited():
            return read(case.schema, text)

    verdict = judged(reader, case.text, case.meant)
    if case.meant is REFUSE:
        return "right" if verdict == "refused" else "wrong"
    return {"recovered": "right"}.get(verdict, verdict)


def _nothing(_schema: dict[str, Any], _text: str) -> None:
    """Read nothing."""


def _spent(read: Read, cases: Sequence[Case]) -> float:
    begun = time.process_time()
    for case in cases:
        with suppress(Exception), _limited():
            read(case.schema, case.text)
    return time.process_time() - begun


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TimeoutError after `MAX_SECONDS`: some readers follow any pattern of a schema."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, _too_slow)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_slow(*_: object) -> None:
    message = f"more than {MAX_SECONDS} seconds"
    raise TimeoutError(message)
