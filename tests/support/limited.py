"""A place to try what may crash or never end: a process of limited memory and processor time.

It is used again for the next case until it dies. As a script, this file is that process.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

SECONDS = 120
"""Processor time of a case, by default.

Every case takes a fraction of it, and what is exponential takes for ever.
"""

MEMORY = 3 * 2**30
"""Bytes of address space, not all of which is ever used."""


def limited(module: str, function: str, *arguments: Any, seconds: int = SECONDS) -> Any:
    """What a function of a module here returns, as JSON; or in words, how its process has ended."""
    case = (seconds, module, function, *arguments)
    if _process().has_worked:
        answer = _process().ask(*case)
        if answer is not None:
            return answer[0]
        _process.cache_clear()  # which may have died of what it did before
    answer = _process().ask(*case)
    if answer is not None:
        return answer[0]
    ending = _process().ending(seconds)
    _process.cache_clear()
    return ending


class _Process:
    """The process, from outside."""

    def __init__(self) -> None:
        self.has_worked = False
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(  # noqa: S603 - this file
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
        )
        atexit.register(self.close)

    def ask(self, *case: Any) -> list[Any] | None:
        """The answer to a case, in a list; None if it has died of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(case).encode() + b"\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        self.has_worked = True
        return [json.loads(line)] if line.endswith(b"\n") else None

    def ending(self, seconds: int) -> str:
        """How it has ended."""
        code = self._process.wait()
        if code == -24:
            return f"not done after {seconds} seconds"
        self._said.seek(0)
        return f"ended with {code}: {self._said.read()[-500:].decode(errors='replace')}"

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
        self._said.close()


@functools.cache
def _process() -> _Process:
    return _Process()


def _main() -> None:
    """Answer case after case."""
    gc.disable()
    with os.fdopen(os.dup(1), "wb", buffering=0) as answers:
        os.dup2(2, 1)  # for what libraries print
        for line in sys.stdin:
            gc.collect()  # here, and never within a case, where much that is alive is no garbage
            gc.freeze()
            seconds, module, function, *arguments = json.loads(line)
            _limit(seconds)
            answer = getattr(importlib.import_module(module), function)(*arguments)
            answers.write(json.dumps(answer).encode() + b"\n")


def _limit(seconds: int) -> None:
    with contextlib.suppress(ImportError):  # where there are no such limits
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + seconds, most))


if __name__ == "__main__":
    _main()
