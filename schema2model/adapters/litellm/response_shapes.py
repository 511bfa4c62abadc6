"""Answers of any API that LiteLLM speaks, detected by their shape."""

from __future__ import annotations

from typing import Any

from schema2model.adapters.litellm.anthropic_messages import (
    MessagesTextStream,
    extract_message_calls,
)
from schema2model.adapters.litellm.apis import APIS, Correcting, correct_calls
from schema2model.adapters.litellm.arguments import RequestTools
from schema2model.adapters.litellm.chat import ChatTextStream, extract_chat_calls
from schema2model.adapters.litellm.responses import ResponsesTextStream, extract_response_calls
from schema2model.logs import logger_named
from schema2model.tools.providers.definitions import member

__all__ = ["Stream", "correct"]

LOGGER = logger_named("schema2model.adapters")

_TEXTS: Any = {
    "chat": (extract_chat_calls, ChatTextStream),
    "messages": (extract_message_calls, MessagesTextStream),
    "responses": (extract_response_calls, ResponsesTextStream),
}
"""For an API: what takes calls out of the text of a whole response, and of a stream."""


def correct(response: Any, tools: RequestTools) -> None:
    """Correct the arguments in a whole response, in its place."""
    for name, made in APIS.items():
        api = made()
        if isinstance(member(response, api.key), list):
            if tools.text_calls:
                _TEXTS[name][0](response, tools)
            correct_calls(response, api, tools)
            return


class Stream:
    """Corrects a stream, of whichever API its chunks are."""

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._reading: Any = None
        self._correcting: Correcting | None = None
        self._passes = False  # everything, as it comes

    def feed(self, chunk: Any) -> list[Any]:
        """Return the chunks to send for a chunk. Never raises."""
        if self._passes:
            return [chunk]
        if self._correcting is None:
            self._choose_streams(chunk)
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

    def _choose_streams(self, chunk: Any) -> None:
        """Tell which API it is."""
        is_event = hasattr(chunk, "type")
        is_frame = isinstance(chunk, (str, bytes, bytearray))
        name = "messages" if is_frame else "responses" if is_event else "chat"
        self._correcting = Correcting(APIS[name](), self._tools)
        self._reading = _TEXTS[name][1](self._tools) if self._tools.text_calls else None
