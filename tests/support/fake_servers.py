"""Servers of a test's own behind `ServerGroup`, without processes, and the client before them."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterable
from typing import Any

from on_a_loop import ServerGroup
from waiting import PATIENCE


class FakeServer:
    """A server of the test's: what it is sent waits in `sent`, and it says what it is told to.

    It reads while `reads` is set.
    """

    def __init__(self, *, reads: bool = True) -> None:
        self.sent: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.reads = threading.Event()
        self.is_stopped = False
        if reads:
            self.reads.set()

    def readline(self, size: int, /) -> bytes:
        """The next line, or the next part of a long one."""
        line = self._lines.get()
        if len(line) > size:
            line, rest = line[:size], line[size:]
            lines, self._lines = self._lines, queue.SimpleQueue()
            self._lines.put(rest)
            while not lines.empty():
                self._lines.put(lines.get())
        return line

    def send(self, parts: Iterable[bytes], /) -> None:
        """Take a line."""
        self.reads.wait()
        self.sent.put(json.loads(b"".join(parts)))

    def close(self) -> None:
        """Nothing more comes."""

    def stop(self, patience: float, /) -> str:
        """End."""
        del patience
        self.is_stopped = True
        self.reads.set()
        self._lines.put(b"")
        return "has ended"

    def next(self) -> Any:
        """The next message that it was sent."""
        return self.sent.get(timeout=PATIENCE)

    def say(self, message: Any) -> None:
        """Write a message, or a text as it is."""
        text = message if isinstance(message, str) else json.dumps(message)
        self._lines.put(text.encode() + b"\n")

    def answer(self, request: Any, **result: Any) -> None:
        """Answer a request."""
        self.say({"jsonrpc": "2.0", "id": request, "result": result})


class Ends:
    """Servers, and the client before them."""

    def __init__(self, patience: float, **servers: FakeServer) -> None:
        prefixes = {f"{name}__": server for name, server in servers.items()}
        self.servers = servers
        self.several = ServerGroup(prefixes, patience=patience)
        self._heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while line := self.several.readline(2**20):
            self._heard.put(line)

    def say(self, message: Any) -> None:
        """Send a message of the client's, or a text as it is."""
        text = message if isinstance(message, str) else json.dumps(message)
        self.several.send((text.encode() + b"\n",))

    def line(self) -> str:
        """The next line that the client gets."""
        return self._heard.get(timeout=PATIENCE).decode()

    def next(self) -> Any:
        """The next message that the client gets."""
        return json.loads(self.line())
