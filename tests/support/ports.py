"""Servers that listen at a free port, and a port where nobody does."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from forking import start
from waiting import until

ATTEMPTS = 5
"""Somebody else may take a port before the server that it was found for."""


@contextlib.contextmanager
def nobody() -> Iterator[int]:
    """A port that is taken, and where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def connects(port: int) -> bool:
    """Whether somebody listens at a port."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def listening(*command: str) -> Iterator[int]:
    """The port of the server that a command starts, where that says `PORT` or reads it there."""
    for _ in range(ATTEMPTS):
        with nobody() as port:
            pass
        process = _started(command, port)
        until(lambda: process.poll() is not None or connects(port))  # noqa: B023 - it is waited for
        if process.poll() is None:
            break
    try:
        assert process.poll() is None, "it does not listen"
        yield port
    finally:
        process.kill()
        process.wait()


def _started(command: tuple[str, ...], port: int) -> Any:
    begin = start if command[0] == sys.executable else subprocess.Popen
    return begin(
        [str(port) if word == "PORT" else word for word in command],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
