"""How tests wait: for events, however busy the machine is; and what they count instead of time."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

PATIENCE = 600.0
"""Seconds after which something is taken not to happen at all; no promise is about them."""


def until(happened: Callable[[], object]) -> None:
    """Wait until something has happened that tells nobody."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it has not happened"
        time.sleep(0.005)  # so that what is waited for has the processor


@contextlib.contextmanager
def calls(most: int) -> Iterator[None]:
    """What is done in the context calls no more functions, of Python or of C: it is ended then.

    They are the same on every machine. A single one of C, such as a search by a pattern, may
    take for ever: `rounds` is for those.
    """
    left = most

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal left
        left -= event in {"call", "c_call"}
        if left < 0:
            message = f"more than {most} calls"
            raise AssertionError(message)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


LOOP = 300_000


def rounds(work: Callable[[], object], enough: float = 0) -> float:
    """How many rounds of an empty loop take as long as the work, a loop before and one after it.

    The least of three times, as the processor may be slowed down for a moment; or the first that is
    `enough` or fewer.
    """
    least = math.inf
    for _ in range(3):
        loop = _seconds(_loop)
        spent = _seconds(work)
        least = min(least, 2 * LOOP * spent / (loop + _seconds(_loop)))
        if least <= enough:
            break
    return least


def _loop() -> None:
    for _ in range(LOOP):
        pass


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun
