"""Server-sent events: cut out of the bytes in which they come, read, and written."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic_core import from_json

__all__ = ["Frames", "event_in", "frame_of"]

_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(rb"\r\n|\n|\r")


class Frames:
    """Cuts bytes into server-sent events, however they come."""

    def __init__(self) -> None:
        self._rest = bytearray()  # of an event that is not complete yet

    def __len__(self) -> int:
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the events that a piece completes."""
        searched = max(len(self._rest) - 3, 0)  # the last bytes may begin a blank line
        self._rest += data
        events: list[bytes] = []
        start = 0
        for end in [found.end() for found in _BLANK_LINE.finditer(self._rest, searched)]:
            events.append(bytes(self._rest[start:end]))
            start = end
        del self._rest[:start]
        return events

    def finish(self) -> bytes:
        """Return the rest, which is not a complete event."""
        rest, self._rest = bytes(self._rest), bytearray()
        return rest


def event_in(frame: bytes) -> dict[str, Any]:
    """Return the data of an event; nothing where it is none of Anthropic's."""
    data = b"".join(line[5:] for line in _LINE.split(frame) if line.startswith(b"data:"))
    try:
        event = from_json(data)
    except ValueError:
        try:
            event = json.loads(data)  # half a surrogate pair, too: JavaScript cuts texts there
        except (ValueError, RecursionError):
            return {}
    return event if isinstance(event, dict) else {}


def frame_of(event: dict[str, Any]) -> bytes:
    """Return an event as it is sent."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
