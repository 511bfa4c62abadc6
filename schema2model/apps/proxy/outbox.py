"""Lines that wait for a server: who sends them does not wait, even if the server reads none."""

from __future__ import annotations

import contextlib
import threading
from collections import deque

from schema2model.apps.proxy.relay import Server
from schema2model.limits import MAX_OUTBOX_LINES

__all__ = ["Outbox"]


class Outbox:
    """Writes lines to a server, in their order, in a thread of its own."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lines: deque[bytes] = deque()
        self._is_closed = False
        self._changed = threading.Condition()
        threading.Thread(target=self._write, daemon=True).start()

    def put(self, line: bytes) -> bool:
        """Send a line soon. Return False if too many wait already; then it is not sent."""
        with self._changed:
            has_room = len(self._lines) < MAX_OUTBOX_LINES
            if has_room:
                self._lines.append(line)
                self._changed.notify()
            return has_room

    def close(self) -> None:
        """Close the server's input, when all lines have been written."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _write(self) -> None:
        with contextlib.suppress(OSError):  # whoever reads from the server reports its end
            while (line := self._next()) is not None:
                self._server.send((line,))
        with contextlib.suppress(OSError):
            self._server.close()

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._is_closed)
            return self._lines.popleft() if self._lines else None
