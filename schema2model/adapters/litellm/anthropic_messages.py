"""Calls in Anthropic's messages: `content[].input` of type `tool_use`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schema2model.adapters.litellm.arguments import HeldBack, HeldCall, RequestTools, put
from schema2model.adapters.litellm.sse import Frames, event_in, frame_of
from schema2model.limits import MAX_STREAMED_TEXT
from schema2model.tools.providers.definitions import member

__all__ = ["LAST_EVENTS", "LIMITS", "MessagesStream", "correct_messages"]

LIMITS = frozenset({"max_tokens", "model_context_window_exceeded", "refusal"})
"""Reasons to stop that are not the model's own."""

LAST_EVENTS = frozenset({"message_delta", "message_stop", "error"})
"""Events after which no block goes on."""


def correct_messages(response: Any, tools: RequestTools) -> None:
    """Correct the arguments in a whole response.

    Those of a call in which the model was cut off stay as they are: they are an object by now, and
    nobody knows what it would have held.
    """
    content = member(response, "content")
    last = content[-1] if member(response, "stop_reason") in LIMITS and content else None
    for block in content:
        if member(block, "type") == "tool_use" and block is not last:
            given = member(block, "input")
            value = tools.value(member(block, "name"), given)
            if value is not given:
                put(block, "input", value)


class MessagesStream:
    """Corrects a stream of server-sent events: bytes, in pieces of any size.

    Fragments of arguments become empty ones. The corrected text follows in one piece when the event
    after the block's end has shown whether the model was cut off. All other events are passed on
    byte by byte.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._budget = HeldBack()
        self._passes = False  # everything, as it comes
        self._calls: dict[int, HeldCall] = {}
        self._stopped: tuple[int, bytes] | None = None
        self._frames = Frames()

    def feed(self, chunk: bytes | str) -> list[bytes]:
        """Return the events to send for an event."""
        data = chunk.encode(errors="surrogatepass") if isinstance(chunk, str) else bytes(chunk)
        idle = not self._calls and not self._frames
        if idle and (self._passes or (b"tool_use" not in data and data.endswith(b"\n\n"))):
            return [data]
        if len(self._frames) + len(data) > MAX_STREAMED_TEXT:
            return [*self.finish(as_sent=True), data]
        events = [event for frame in self._frames.feed(data) for event in self._event(frame)]
        return [b"".join(events)] if events else []

    def finish(self, *, as_sent: bool = False) -> list[bytes]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        self._passes = self._passes or as_sent
        events = [event for index in [*self._calls] for event in self._released(index)]
        rest = self._frames.finish()
        return [*events, rest] if rest else events

    def _event(self, frame: bytes) -> Iterator[bytes]:
        event = event_in(frame)
        kind, index = event.get("type"), event.get("index")
        index = index if isinstance(index, int) else -1
        if kind in LAST_EVENTS:
            reason = member(event.get("delta"), "stop_reason")
            for held in [*self._calls]:
                yield from self._released(held, cut_off=kind == "error" or reason in LIMITS)
        elif self._stopped is not None and kind != "ping":
            yield from self._released(self._stopped[0], cut_off=False)
        call = self._calls.get(index)
        if kind == "content_block_start":
            if call is not None:
                yield from self._released(index)
            yield self._started(index, event, frame)
        elif kind == "content_block_delta" and call is not None:
            yield from self._delta(index, call, event, frame)
        elif kind == "content_block_stop" and call is not None:
            self._stopped = index, frame
        else:
            yield frame

    def _started(self, index: int, event: dict[str, Any], frame: bytes) -> bytes:
        block = event.get("content_block")
        if member(block, "type") != "tool_use" or self._passes or not self._budget.allows([""]):
            return frame
        self._calls[index] = HeldCall(member(block, "name"))
        given = member(block, "input")
        value = self._tools.value(member(block, "name"), given) if given else given
        if value is given:
            return frame
        return frame_of({**event, "content_block": {**event["content_block"], "input": value}})

    def _delta(
        self, index: int, call: HeldCall, event: dict[str, Any], frame: bytes
    ) -> Iterator[bytes]:
        text = member(event.get("delta"), "partial_json")
        if not isinstance(text, str) or not text:
            yield frame
        elif self._budget.allows([text]):
            call.add(text)
            yield _fragment(index, "")
        else:
            self._passes = True
            for held in [*self._calls]:
                yield from self._released(held)
            yield frame

    def _released(self, index: int, *, cut_off: bool = True) -> Iterator[bytes]:
        """The arguments of a block, and its end, if that has come."""
        call = self._calls.pop(index)
        text = call.text
        if text:
            as_sent = self._passes
            corrected = text if as_sent else self._tools.text(call.name, text, cut_off=cut_off)
            yield _fragment(index, corrected)
        if self._stopped is not None and self._stopped[0] == index:
            yield self._stopped[1]
            self._stopped = None


def _fragment(index: int, text: str) -> bytes:
    delta = {"type": "input_json_delta", "partial_json": text}
    return frame_of({"type": "content_block_delta", "index": index, "delta": delta})
