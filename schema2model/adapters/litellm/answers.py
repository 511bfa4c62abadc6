"""Answers of any API that LiteLLM speaks, told apart by their shape."""

from __future__ import annotations

import logging
from typing import Any

from schema2model.adapters.litellm.arguments import RequestTools
from schema2model.adapters.litellm.chat import ChatStream, correct_chat
from schema2model.adapters.litellm.messages import MessagesStream, correct_messages
from schema2model.adapters.litellm.responses import ResponsesStream, correct_responses
from schema2model.tools.providers.definitions import member

__all__ = ["Stream", "correct"]

LOGGER = logging.getLogger("schema2model.adapters")

_WHOLE = {"choices": correct_chat, "content": correct_messages, "output": correct_responses}
"""What holds the answer."""


def correct(response: Any, tools: RequestTools) -> None:
    """Correct the arguments in a whole response, in its place."""
    for key, correct_it in _WHOLE.items():
        if isinstance(member(response, key), list):
            correct_it(response, tools)
            return


class Stream:
    """Corrects a stream, of whichever API its chunks are."""

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._stream: ChatStream | MessagesStream | ResponsesStream | None = None
        self._passes = False  # everything, as it comes

    def feed(self, chunk: Any) -> list[Any]:
        """What to send for a chunk. Never raises."""
        if self._passes:
            return [chunk]
        if self._stream is None:
            self._stream = self._of(chunk)
        try:
            return self._stream.feed(chunk)
        except Exception as error:  # noqa: BLE001 - LiteLLM's shapes are not said to be stable
            reason = type(error).__name__  # which says nothing of what is in it
            LOGGER.warning("a stream goes on as it comes, for its shape is unknown: %s", reason)
            self._passes = True
            return [*self._stream.finish(as_sent=True), chunk]

    def finish(self) -> list[Any]:
        """What is still held."""
        return [] if self._stream is None or self._passes else self._stream.finish()

    def _of(self, chunk: Any) -> ChatStream | MessagesStream | ResponsesStream:
        if isinstance(chunk, (str, bytes, bytearray)):
            return MessagesStream(self._tools)
        kind = ResponsesStream if hasattr(chunk, "type") else ChatStream
        return kind(self._tools)
