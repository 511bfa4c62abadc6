"""A client of a proxy, and of the scripted server behind it; and messages to send."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from forking import start
from waiting import PATIENCE

SERVER = [sys.executable, str(Path(__file__).with_name("scripted_server.py"))]
PROXY = [sys.executable, "-m", "schema2model", "proxy"]
PATIENT = [sys.executable, str(Path(__file__).with_name("patient_proxy.py"))]
posix = pytest.mark.skipif(os.name != "posix", reason="signals and groups are those of POSIX")


class Client:
    """The two ends of a proxy: what a client says and hears, and what the server was sent."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        options: tuple[str, ...] = (),
        patience: float = PATIENCE,
        server: list[str] | None = None,
    ) -> None:
        self.received = folder / "received"
        self.said = folder / "stderr"
        command = server or [*SERVER, str(self.received), *words]
        behind = [] if "--servers" in options else ["--", *command]
        proxy = [*PATIENT, str(patience), "proxy", *options, *behind]
        with self.said.open("wb") as stderr:
            self.process = start(
                proxy if options != ("direct",) else command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        self.input: Any = self.process.stdin
        self._heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.reading = threading.Event()
        self.reading.set()
        self.deaf = False
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        output: Any = self.process.stdout
        with output:
            for line in output:
                self._heard.put(line)
                self.reading.wait()
                if self.deaf:
                    return
        self._heard.put(b"")

    def close(self) -> None:
        """End, whatever has become of it."""
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.input.close()
        self.reading.set()
        self.listener.join()

    def send(self, *messages: Any) -> None:
        """Write messages, or lines as they are."""
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            self.input.write(line)
        self.input.flush()

    def send_meanwhile(self, *messages: Any) -> None:
        """The same in the background, as far as they are taken."""

        def send() -> None:
            with contextlib.suppress(BrokenPipeError):
                self.send(*messages)

        threading.Thread(target=send, daemon=True).start()

    def line(self) -> bytes:
        """The next line, or nothing at the end."""
        return self._heard.get(timeout=PATIENCE)

    def next(self) -> Any:
        """The next message."""
        return json.loads(self.line())

    def is_full(self) -> bool:
        """Whether the pipe that it does not read is full, as far as its size in bytes tells.

        A pipe is as many pages, and the first and those where a line begins may be full in part.
        """
        import fcntl  # noqa: PLC0415 - not on Windows
        import termios  # noqa: PLC0415 - the same

        output: Any = self.process.stdout
        waiting = fcntl.ioctl(output, termios.FIONREAD, bytes(4))
        size = fcntl.fcntl(output, fcntl.F_GETPIPE_SZ) if hasattr(fcntl, "F_GETPIPE_SZ") else 2**16
        return int.from_bytes(waiting, sys.byteorder) > size - 3 * mmap.PAGESIZE

    def served(self) -> list[bytes]:
        """The lines that the server was sent, without what the proxy asks for itself."""
        lines = self.received.read_bytes().splitlines(keepends=True)
        return [line for line in lines if b'"schema2model-' not in line]

    def ends(self) -> tuple[int, str]:
        """The exit code, and what is on standard error but for the server's own line."""
        code = self.process.wait(PATIENCE)
        return code, untold(self.said.read_text().replace("the server is there\n", ""))


def untold(said: str) -> str:
    """What a proxy has said, without what it tells of calls at its end."""
    return _TOLD.sub("", said)


_TOLD = re.compile(
    r"^schema2model proxy: (?:of \d+ calls|\"[^\n]*\"): \d+ (?:coerced|repaired|refused)[^\n]*\n"
    r"|^schema2model proxy: of \d+ calls, [^\n]*\n",
    re.MULTILINE,
)

Connect = Callable[..., Client]


def has_gone(pid: int) -> bool:
    """Whether a process has ended, if perhaps nobody has asked how."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


@contextlib.contextmanager
def clients(folder: Path) -> Iterator[Connect]:
    """A function that starts a proxy with a server; all of them end with the context."""
    started: list[Client] = []

    def connect(*words: str, **options: Any) -> Client:
        started.append(Client(folder, *words, **options))
        return started[-1]

    try:
        yield connect
    finally:
        for client in started:
            client.close()


def request(number: Any, method: str, **params: Any) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: Any, arguments: Any, name: str = "search", **params: Any) -> dict[str, Any]:
    """A call of a tool."""
    return request(number, "tools/call", name=name, arguments=arguments, **params)


def got(message: Any) -> Any:
    """The arguments that reached the server, as it says in its result."""
    return message["result"]["got"]["arguments"]


def refusal(number: Any, found: str = '"many"') -> dict[str, Any]:
    """What a call with a wrong limit is answered with."""
    form = ", without quotes" if found.startswith('"') else ""
    problem = f"must be an integer{form}, not {found}"
    end = "\n\nFix the errors and try again."
    text = f"Error parsing arguments for `search`:\n- /limit: {problem}{end}"
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    return {"jsonrpc": "2.0", "id": number, "result": result}


STRINGIFIED = {"tags": '["a"]', "limit": "10"}
TYPED = {"tags": ["a"], "limit": 10}
