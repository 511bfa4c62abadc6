"""Programs in Python that start at once: a process that has imported what they need forks for them.

`start` is `subprocess.Popen` for such programs, and `python` is a Python for others to start them.
What they import of other packages is there already; they import all of ours themselves. As a
script, this file is the process that forks.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import functools
import gc
import importlib
import os
import runpy
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_PACKAGES = (
    *("click", "jsonschema_rs", "pydantic.root_model", "importlib.metadata", "inspect", "logging"),
    *("concurrent.futures.thread", "json", "ssl", "subprocess", "tomllib"),
    *("mcp", "mcp.server.mcpserver", "mcp.server.fastmcp", "mcp.server.streamable_http_manager"),
    *("mcp.client.sse", "mcp.client.streamable_http", "anyio._backends._asyncio", "httpx"),
    *("starlette.applications", "uvicorn", "mcp_server_git.server", "mcp_server_time.server"),
    *("pyarrow.fs", "pyarrow.parquet", "daft"),
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
    return Program(command[1:], **streams)


def python(*modules: str) -> str:
    """Return the path of a Python that takes such words, for programs that others start.

    It hands its streams on to a program like those of `start`, and ends as that does.

    Args:
        modules: what such programs need, if they need others than most programs of tests.

    """
    if not hasattr(os, "fork"):
        return sys.executable
    return str(_forker(*(modules or _PACKAGES)) / "python")


class Program:
    """A running program: as much of `subprocess.Popen` as tests use."""

    def __init__(
        self,
        words: Sequence[str],
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
        ignored = [int(each) for each in _SIGNALS if signal.getsignal(each) == signal.SIG_IGN]
        asked = [[*words], str(Path.cwd()), dict(os.environ if env is None else env), ignored]
        self._status = socket.socket(socket.AF_UNIX)
        self._status.connect(str(_forker(*_PACKAGES) / "socket"))
        request = b"%a\n" % asked
        self._status.sendall(request[socket.send_fds(self._status, [request], given) :])
        for descriptor, stream in zip(given, named, strict=True):
            if stream in (subprocess.PIPE, subprocess.DEVNULL):
                os.close(descriptor)
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
            with contextlib.suppress(ProcessLookupError):  # it has just ended
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
def _forker(*modules: str) -> Path:
    """Start a process that forks, and return the folder of its socket and its Python."""
    folder = Path(tempfile.mkdtemp(prefix="forker-"))
    relay = folder / "python"
    relay.write_text(_RELAY.replace("PYTHON", shlex.quote(sys.executable)))
    relay.chmod(0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "socket"))
    listener.listen(128)
    with listener:
        process = subprocess.Popen(  # noqa: S603 - this file
            [sys.executable, __file__, str(relay), str(listener.fileno()), *modules],
            stdin=subprocess.PIPE,  # which ends with this process
            env={**os.environ, "DAFT_ANALYTICS_ENABLED": "0"},
            pass_fds=[listener.fileno()],
        )
    atexit.register(process.communicate)
    return folder


_RELAY = """#!/bin/sh
'''exec' PYTHON -IS "$0" "$@"
' '''
import _socket, os, signal, sys
here, *words = sys.argv
status = _socket.socket(_socket.AF_UNIX)
status.connect(os.path.join(os.path.dirname(here), "socket"))
streams = b"".join(n.to_bytes(4, sys.byteorder) for n in range(3))
signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ignored = [int(each) for each in signals if signal.getsignal(each) == signal.SIG_IGN]
asked = [words, os.getcwd(), dict(os.environ), ignored]
rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)
text = b"%a\\n" % asked
status.sendall(text[status.sendmsg([text], [rights]):])
for n in range(3):
    os.close(n)
answers = open(status.detach(), "rb", 0)
program = int(answers.readline())
for number in signals:
    signal.signal(number, lambda number, _: os.kill(program, number))
code = int(answers.readline())
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
    os.kill(os.getpid(), -code)
os._exit(code)
"""
"""A Python that hands on its streams: it imports next to nothing, and so is there at once.

Its first line is a shell's, since the path of an interpreter may be long, or have spaces.
"""


# ------------------------------------------------------------------------- the process that forks
def _main(relay: str, listener: socket.socket, modules: Sequence[str]) -> list[str]:
    """Fork for each program, and return its command line in the process that becomes it."""
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    gc.freeze()  # what is there is no garbage of a program: to look for it would copy all pages
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for programs
    while True:
        if listener not in select.select([listener, sys.stdin], [], [])[0]:
            shutil.rmtree(Path(relay).parent)
            os._exit(0)
        status, _ = listener.accept()
        if not os.fork():
            break
        status.close()
    listener.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with status:
        asked, streams, _, _ = socket.recv_fds(status, 2**16, 3)
        while not asked.endswith(b"\n"):
            asked += status.recv(2**16)
        words, folder, environment, ignored = ast.literal_eval(asked.decode())
        program = os.fork()
        if program:
            for stream in streams:
                os.close(stream)
            status.sendall(b"%d\n" % program)
            threading.Thread(target=_end_with, args=(status, program), daemon=True).start()
            _, code = os.waitpid(program, 0)
            with contextlib.suppress(BrokenPipeError):  # nobody wants to know any more
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
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.executable = relay
    return list(words)


def _end_with(status: socket.socket, program: int) -> None:
    """End a program with the process that started it, or that lets go of it."""
    with contextlib.suppress(OSError):  # it has ended by itself
        status.recv(1)
        os.kill(program, signal.SIGKILL)


def _run(first: str, *rest: str) -> None:
    """Run the program of a command line."""
    if first == "-m":
        module, *rest = rest
        sys.argv, sys.path[0] = [module, *rest], str(Path.cwd())
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    elif first == "-c":
        text, *rest = rest
        sys.argv, sys.path[0] = ["-c", *rest], ""
        exec(text, {"__name__": "__main__"})  # noqa: S102 - of our own tests
    else:
        sys.argv, sys.path[0] = [first, *rest], str(Path(first).parent)
        runpy.run_path(first, run_name="__main__")


def _end(code: Any) -> None:
    """End as Python does, but for taking apart all modules: what they need would be copied."""
    if code is not None and not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in {sys.stdout, sys.__stdout__}:  # which a module may have kept that was there
        if stream is not None and not stream.closed:
            try:
                stream.flush()
            except OSError:  # nobody reads it
                code = 120
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    _words = _main(sys.argv[1], socket.socket(fileno=int(sys.argv[2])), sys.argv[3:])
    _code: Any = None
    try:
        _run(*_words)
    except SystemExit as _ended:
        _code = _ended.code
    except Exception:  # noqa: BLE001 - as Python does
        sys.excepthook(*sys.exc_info())
        _code = 1
    _end(_code)
