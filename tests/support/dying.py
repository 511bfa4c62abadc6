# ruff: noqa: S603 - the processes are our own; the moments are not public
"""Batches that are killed at a moment of theirs, however fast they are."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpora import CORRECTOR
from forking import python

from schema2model.apps.batch import running
from schema2model.apps.batch.inputs import Part
from schema2model.apps.batch.parts import Job
from schema2model.apps.cli import main

LAST = 3
"""The part with which a worker dies."""

_PYTHON = sys.executable  # whatever a test puts there


def dying(
    moment: str, count: int, *arguments: str, folder: Path
) -> subprocess.CompletedProcess[bytes]:
    """How a run ends that is killed, or loses a worker, when something has happened.

    Args:
        moment: "recorded" for a part, "copied" for a file of the output in a store, or "worker"
            for one that dies itself.
        count: of such events.
        arguments: `batch` and what the command takes; or an input, an output, the size of a part.
        folder: where it runs.

    """
    program = "import dying; dying.begin()"
    begin = _PYTHON if "ray" in arguments else python()
    return subprocess.run(
        [begin, "-c", program, moment, str(count), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        check=False,
        start_new_session=True,
    )


def begin() -> None:
    """Run it in this process, up to the moment."""
    if os.getpgrp() != os.getpid():
        os.setsid()  # it is to die with its group
    moment, count = sys.argv.pop(1), int(sys.argv.pop(1))
    _prepare(moment, count)
    if sys.argv[1] == "batch":
        main()
    else:
        given, output, size = sys.argv[1:]
        running.run_batch([given], output, CORRECTOR, part_size=int(size))


def _prepare(moment: str, count: int) -> None:
    if moment == "recorded":
        running._Run.add = _last(count, running._Run.add)  # type: ignore[method-assign]
    elif moment == "copied":
        found = running.filesystem_of
        running.filesystem_of = lambda store: _Copying(found(store), count)  # type: ignore[assignment]
    else:
        running.Job = _DyingJob  # type: ignore[misc]


def _last(count: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that ends all of the run's processes when it has been called so many times."""
    numbers = itertools.count(1)

    def wrapper(*arguments: Any) -> None:
        function(*arguments)
        if next(numbers) == count:
            os.killpg(0, signal.SIGKILL)

    return wrapper


class _Copying:
    """A file system where no more than some files are copied."""

    def __init__(self, filesystem: Any, count: int) -> None:
        self._filesystem = filesystem
        self.copy_file = _last(count, filesystem.copy_file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._filesystem, name)


class _DyingJob(Job):
    """A job whose worker is lost with a part in the midst."""

    __slots__ = ()

    def do(self, part: Part) -> dict[str, Any]:
        """Correct a part, or die."""
        if part.number == LAST:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().do(part)
