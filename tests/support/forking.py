"""Programs in Python that start at once: a process that has imported what they need forks for them.

`start` is `subprocess.Popen` for such programs. What they import of other packages is there
already; they import all of ours themselves. As a script, this file is the process that forks.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

__all__ = ["Program", "start"]

_PACKAGES = (
    *("click", "jsonschema_rs", "pydantic.root_model", "importlib.metadata", "inspect", "logging"),
    *("concurrent.futures.thread", "json", "ssl", "subprocess", "tomllib"),
    *("mcp", "mcp.server.mcpserver", "mcp.server.fastmcp", "mcp.server.streamable_http_manager"),
    *("mcp.client.sse", "mcp.client.streamable_http", "anyio._backends._asyncio", "httpx"),
    *("starlette.applications", "uvicorn"),
)
"""Modules that programs import, of other packages and of Python, where they are installed."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else []))
"""Signals that a program ignores if the process that starts it does."""


def start(command: Sequence[str], **streams: Any) -> Any:
    """Start `python FILE …`, `python -m MODULE …` or `python -c TEXT …`.

    Args:
        command: as for `subprocess.Popen`; it begins with this interpreter.
        streams: `stdin`, `stdout` and `stderr`, each `PIPE`, `DEVNULL`, an open file or None; and
            `text` and `env`.

    """
    if not hasattr(os, "fork"):
        return subprocess.Popen(command, **streams)  # noqa: S603 - our own programs
    assert command[0] == sys.executable
    return Program(command[1:], _forker(), **streams)


class Program:
    """A running program: as much of `subprocess.Popen` as tests use."""

    def __init__(
        self,
        words: Sequence[str],
        forker: socket.socket,
        *,
        text: bool = False,
        env: dict[str, str] | None = None,
        **streams: Any,
    ) -> None:
        self.args = words
        self.returncode: int | None = None
        named = [streams.pop(name, None) for name in ("stdin", "stdout", "stderr")]
        assert not streams
        piped = [_piped(stream, number, text=text) for number, stream in enumerate(named)]
        self.stdin, self.stdout, self.stderr = (ours for ours, _ in piped)
        given = [its for _, its in piped]
        self._status, status = socket.socketpair()
        with status:
            socket.send_fds(forker, [b"1"], [*given, status.fileno()])
        for descriptor, stream in zip(given, named, strict=True):
            if stream in (subprocess.PIPE, subprocess.DEVNULL):
                os.close(descriptor)
        ignored = [number for number in _SIGNALS if signal.getsignal(number) == signal.SIG_IGN]
        asked = json.dumps(
            [words, str(Path.cwd()), dict(os.environ if env is None else env), ignored]
        )
        self._status.sendall(asked.encode() + b"\n")
        self._told = self._status.makefile("rb", buffering=0)  # so that `select` knows all there is
        self.pid = int(self._told.readline())

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and return its exit code."""
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired([*self.args], timeout or 0.0)
            self.returncode = int(self._told.readline())
            self._told.close()
            self._status.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[Any, Any]:
        """Close its input, and return what is left of its output once it has ended."""
        if self.stdin is not None:
            self.stdin.close()
        open_ = [s for s in (self.stdout, self.stderr) if s is not None and not s.closed]
        with ThreadPoolExecutor(2) as threads:  # or it may wait for one while the other is read
            left = dict(zip(open_, threads.map(lambda stream: stream.read(), open_), strict=True))
        for stream in open_:
            stream.close()
        self.wait(timeout)
        return left.get(self.stdout), left.get(self.stderr)


def _piped(stream: Any, number: int, *, text: bool) -> tuple[Any, int]:
    """Return our end of a stream if it is a pipe, and the descriptor for the program."""
    if stream == subprocess.DEVNULL:
        return None, os.open(os.devnull, os.O_RDWR)
    if stream != subprocess.PIPE:
        return None, number if stream is None else stream.fileno()
    read, write = os.pipe()
    kind = "t" if text else "b"
    ours, mode, its = (write, "w", read) if number == 0 else (read, "r", write)
    return open(ours, mode + kind), its  # noqa: PTH123 - a descriptor


@functools.cache
def _forker() -> socket.socket:
    """Start the process that forks, and return the socket over which to ask it."""
    ours, its = socket.socketpair()
    with its:
        process = subprocess.Popen(  # noqa: S603 - this file
            [sys.executable, __file__, str(its.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[its.fileno()],
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# ------------------------------------------------------------------------- the process that forks
def _main(asked: socket.socket) -> list[str]:
    """Fork for each program, and return its command line in the process that becomes it."""
    for module in _PACKAGES:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    gc.freeze()  # what is there is no garbage of a program: to look for it would copy all pages
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for programs
    while True:
        message, descriptors, _, _ = socket.recv_fds(asked, 1, 4)
        if not message:
            os._exit(0)
        if not os.fork():
            break
        for descriptor in descriptors:
            os.close(descriptor)
    asked.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, descriptor = descriptors
    with socket.socket(fileno=descriptor) as status:
        with status.makefile("rb") as lines:
            words, folder, environment, ignored = json.loads(lines.readline())
        program = os.fork()
        if program:
            for stream in streams:
                os.close(stream)
            status.sendall(b"%d\n" % program)
            _, code = os.waitpid(program, 0)
            status.sendall(b"%d\n" % os.waitstatus_to_exitcode(code))
            os._exit(0)
    for number in _SIGNALS:
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in ignored else usual)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return list(words)


if __name__ == "__main__":
    _first, *_rest = _main(socket.socket(fileno=int(sys.argv[1])))
    if _first == "-m":
        _first, *_rest = _rest
        sys.argv, sys.path[0] = [_first, *_rest], str(Path.cwd())
        runpy.run_module(_first, run_name="__main__", alter_sys=True)
    elif _first == "-c":
        _text, *_rest = _rest
        sys.argv, sys.path[0] = ["-c", *_rest], ""
        exec(_text, {"__name__": "__main__"})  # noqa: S102 - of our own tests
    else:
        sys.argv, sys.path[0] = [_first, *_rest], str(Path(_first).parent)
        runpy.run_path(_first, run_name="__main__")
