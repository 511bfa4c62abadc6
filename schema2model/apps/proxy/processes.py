"""A server that is a process: lines on its standard input and output."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from schema2model.apps.proxy.relay import BUFFER_SIZE, write_parts

__all__ = ["Process"]

LAST_WARNING = 1.0
"""Seconds between the signal that asks to end, and the one that does not ask."""


_STARTER = ThreadPoolExecutor(1, "schema2model-starter")
"""The thread that starts all processes, which ends with the program."""


def _death_signal() -> Callable[[], None] | None:
    """Return what a process calls so that it is killed when the proxy dies; None but on Linux.

    Without it, a server that ignores the end of its input would outlive a proxy that is killed.
    """
    if sys.platform != "linux":
        return None
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) and None


_PR_SET_PDEATHSIG = 1
_DIE_WITH_PROXY = _death_signal()


class Process:
    """A running server process. By default it inherits our environment, folder and standard error.

    On POSIX it leads a process group, so that its children end with it: `npx` and `uvx` run the
    server proper as a child.

    Args:
        command: the program and its arguments.
        environment: variables in addition to our environment.
        folder: where it runs.

    Raises:
        OSError: if it cannot be started.

    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Iterable[tuple[str, str]] = (),
        folder: str | None = None,
    ) -> None:
        self.is_refused = False
        self.unsent = b""
        program, *arguments = command
        found = shutil.which(program) or program  # on Windows, npx is npx.cmd
        # the death signal comes with the end of the thread that has started the process
        self._child: subprocess.Popen[bytes] = _STARTER.submit(
            subprocess.Popen,
            [found, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **dict(environment)},
            cwd=folder,
            start_new_session=True,
            preexec_fn=_DIE_WITH_PROXY,
        ).result()
        self._input: Any = self._child.stdin
        output = cast("io.RawIOBase", self._child.stdout)
        self.readline = io.BufferedReader(output, BUFFER_SIZE).readline

    def send(self, parts: Iterable[bytes]) -> None:
        """Write a line to its standard input; it blocks until the server takes it.

        Raises:
            OSError: if it does not take any more.

        """
        try:
            write_parts(self._input, parts)
        except ValueError as error:  # it was closed
            raise BrokenPipeError from error

    def close(self) -> None:
        """Close its standard input."""
        self._input.close()

    def stop(self, patience: float) -> str:
        """Wait for its end, then end what is left of it and its children. Return how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(patience)
        code = self._child.returncode
        deadline = time.monotonic() + LAST_WARNING
        self._signal(signal.SIGTERM)
        while self._signal(0) and time.monotonic() < deadline:
            time.sleep(0.01)
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self._child.wait()
        if code is None:
            return "had to be stopped"
        return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def _signal(self, number: int) -> bool:
        """Signal the server and its children; 0 does nothing. Return False if all have gone."""
        self._child.poll()  # an ended process is there until then
        if os.name != "posix":
            self._child.kill()
            return False
        try:
            os.killpg(self._child.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True
