"""Answers of any API that LiteLLM speaks, detected by their shape."""

from __future__ import annotations

from typing import Any

from schema2model.adapters.litellm.anthropic_messages import (
    MessagesStream,
    MessagesTextStream,
    correct_messages,
    extract_message_calls,
)
from schema2model.adapters.litellm.arguments import RequestTools
from schema2model.adapters.litellm.chat import (
    ChatStream,
    ChatTextStream,
    correct_chat,
    extract_chat_calls,
)
from schema2model.adapters.litellm.responses import (
    ResponsesStream,
    ResponsesTextStream,
    correct_responses,
    extract_response_calls,
)
from schema2model.logs import logger_named
from schema2model.tools.providers.definitions import member

__all__ = ["Stream", "correct"]

LOGGER = logger_named("schema2model.adapters")

_WHOLE = {
    "choices": (extract_chat_calls, correct_chat),
    "content": (extract_message_calls, correct_messages),
    "output": (extract_response_calls, correct_responses),
}
"""For a type of answer: the readers that take calls out of its text, and that correct arguments."""


def correct(response: Any, tools: RequestTools) -> None:
    """Correct the arguments in a whole response, in its place."""
    for key, (read, correct_it) in _WHOLE.items():
        if isinstance(member(response, key), list):
            if tools.text_calls:
                read(response, tools)
            correct_it(response, tools)
            return


class Stream:
    """Corrects a stream, of whichever API its chunks are."""

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._reading: ChatTextStream | MessagesTextStream | ResponsesTextStream | None = None
        self._correcting: ChatStream | MessagesStream | ResponsesStream | None = None
        self._passes = False  # everything, as it comes

    def feed(self, chunk: Any) -> list[Any]:
        """Return the chunks to send for a chunk. Never raises."""
        if self._passes:
            return [chunk]
        if self._correcting is None:
            self._begin(chunk)
        try:
            read = [chunk] if self._reading is None else self._reading.feed(chunk)
            return self._corrected(read)
        except Exception as error:  # noqa: BLE001 - LiteLLM's shapes are not said to be stable
            reason = type(error).__name__  # which says nothing of what is in it
            LOGGER.warning("a stream goes on as it comes, for its shape is unknown: %s", reason)
            return [*self._rest(as_sent=True), chunk]

    def finish(self) -> list[Any]:
        """Return the events that are still held back."""
        return [] if self._passes else self._rest(as_sent=False)

    def _rest(self, *, as_sent: bool) -> list[Any]:
        """Return all that is held, and from now on nothing is."""
        self._passes = True
        held = [] if self._reading is None else self._corrected(self._reading.finish())
        if self._correcting is not None:
            held += self._correcting.finish(as_sent=as_sent)
        return held

    def _corrected(self, chunks: list[Any]) -> list[Any]:
        correcting = self._correcting
        return [] if correcting is None else [c for each in chunks for c in correcting.feed(each)]

    def _begin(self, chunk: Any) -> None:
        """Tell which API it is."""
        tools = self._tools
        if isinstance(chunk, (str, bytes, bytearray)):
            self._reading, self._correcting = MessagesTextStream(tools), MessagesStream(tools)
        elif hasattr(chunk, "type"):
            self._reading, self._correcting = ResponsesTextStream(tools), ResponsesStream(tools)
        else:
            self._reading, self._correcting = ChatTextStream(tools), ChatStream(tools)
        if not tools.text_calls:
            self._reading = None
