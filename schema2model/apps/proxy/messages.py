"""A message: its value, and the line that it came in, whose spelling it keeps."""

from __future__ import annotations

import re
from typing import Any, Final

from schema2model.apps.proxy.json_rpc import text_of, with_texts
from schema2model.json.spans import respelled

__all__ = ["HEAD_ID", "Message"]

HEAD_ID: Final = re.compile(
    r'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,18}|"[^"\\]*")(?=\s*[,}])'
)
"""The id of a message that it begins with, as SDKs write messages."""


class Message:
    r"""A message between a client and a server. It is never changed in place.

    >>> message = Message({"id": 1, "price": 1.1}, b'{"id": 1, "price": 1.10}\n')
    >>> message.line
    b'{"id": 1, "price": 1.10}\n'
    >>> message.become({**message.value, "id": "own"}).line
    b'{"id": "own", "price": 1.10}\n'

    """

    __slots__ = ("_given", "_line", "value")

    def __init__(self, value: Any, line: bytes | None = None, given: Any = None) -> None:
        self.value = value
        self._line = line
        self._given = value if given is None else given

    def become(self, value: Any) -> Message:
        """Return the message with another value, which shares parts with this one."""
        return self if value is self.value else Message(value, self._line, self._given)

    @property
    def text(self) -> str:
        """Its JSON text; parts that did not change are spelt as they came."""
        if self._line is None:
            return text_of(self.value)
        text, given, value = self._line.decode(), self._given, self.value
        if value is given:
            return text.strip()
        if given.keys() == value.keys() and all(
            value[name] is given[name] for name in given if name != "id"
        ):
            head = HEAD_ID.match(text)
            if head is not None and text.count('"id"') == 1 and "\\u006" not in text:
                return f"{text[: head.start(1)]}{text_of(value['id'])}{text[head.end(1) :].strip()}"
        return respelled(text, given, value)

    def once(self) -> Message:
        """Return the message without a member that comes twice: parsers differ in which counts."""
        if self._line is None or type(self.value) is not dict:
            return self
        text = respelled(self._line.decode(), self._given, {**self.value})
        return Message(self.value, text.encode() + b"\n")

    @property
    def size(self) -> int:
        """The number of bytes in which it came; 0 for a message of the proxy's own."""
        return len(self._line or b"")

    @property
    def line(self) -> bytes:
        """It in a line of its own."""
        if self._line is not None and self.value is self._given:
            return self._line
        return self.text.encode() + b"\n"

    @staticmethod
    def all_in(values: list[Any], line: bytes) -> list[Message]:
        """Return the messages in a line: one, or a batch."""
        if len(values) == 1 and not line.lstrip().startswith(b"["):
            return [Message(values[0], line)]
        return [Message(value, text.encode() + b"\n") for value, text in with_texts(values, line)]
