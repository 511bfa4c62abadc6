"""How tests wait: for events, however busy the machine is, and by the processor's clock."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

__all__ = ["PATIENCE", "processor_time", "until"]

PATIENCE = 600.0
"""Seconds after which something is taken not to happen at all; no promise is about them."""


def until(happened: Callable[[], object]) -> None:
    """Wait until something has happened that tells nobody."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it has not happened"
        time.sleep(0.005)  # so that what is waited for has the processor


ROUNDS = 300_000
"""Rounds of an empty loop, which take 5 ms where nothing else runs."""


@contextlib.contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """What is done in the context takes this process no longer where nothing else runs.

    An empty loop right after it tells how much slower the processor is than that.
    """
    begun = time.process_time()
    yield
    spent = time.process_time() - begun
    begun = time.process_time()
    for _ in range(ROUNDS):
        pass
    slowness = max(1, (time.process_time() - begun) / 0.005)
    assert spent < seconds * slowness
