"""Anthropic's messages: correct blocks of `tool_use`; make such blocks of calls in text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall
from schema2model.adapters.litellm.sse import Frames, event_in, frame_of
from schema2model.limits import MAX_STREAMED_TEXT
from schema2model.tools.providers.definitions import member

__all__ = [
    "MessagesTextStream",
    "extract_message_calls",
]

_LIMITS = frozenset({"max_tokens", "model_context_window_exceeded", "refusal"})
"""Reasons to stop that are not the model's own."""

_LAST_EVENTS = frozenset({"message_delta", "message_stop", "error"})
"""Events after which no block goes on."""


_OWN_END = "end_turn"
"""The stop reason of a message that is complete for the provider."""


def extract_message_calls(response: Any, tools: RequestTools) -> None:
    """Take the calls out of the text of a whole response, where it has no others."""
    content = member(response, "content")
    if any(member(block, "type") == "tool_use" for block in content):
        return
    ended = member(response, "stop_reason") not in _LIMITS
    found, read = False, []
    for block in content:
        text = member(block, "text")
        if member(block, "type") != "text" or not isinstance(text, str):
            read.append(block)
            continue
        prose, calls = tools.read_text(text, whole=ended, objects=True)
        found |= bool(calls)
        if not calls:
            read.append(block)
            continue
        if prose.strip():
            put(block, "text", prose)
            read.append(block)
        read += [{**_begun(call), "input": call.value} for call in calls]
    if found:
        put(response, "content", read)
        if member(response, "stop_reason") == _OWN_END:
            put(response, "stop_reason", "tool_use")


def _begun(call: ReadCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{call.number}", "name": call.name, "input": {}}


class MessagesTextStream:
    """Takes the calls out of the text of a stream of server-sent events.

    A block of text is shown when it has ended, and the calls in it follow. Without prose, it is
    left out.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._frames = Frames()
        self._held: dict[int, list[tuple[dict[str, Any], bytes]]] = {}  # blocks of text
        self._stopped: int | None = None
        self._places: dict[int, int] = {}  # of blocks: where they were, and where they are
        self._count = 0
        self._found = False

    def feed(self, chunk: bytes | str) -> list[bytes]:
        """Return the events to send for an event."""
        data = chunk.encode(errors="surrogatepass") if isinstance(chunk, str) else bytes(chunk)
        events = [event for frame in self._frames.feed(data) for event in self._event(frame)]
        return [b"".join(events)] if events else []

    def finish(self) -> list[bytes]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        events = [event for index in [*self._held] for event in self._shown(index, whole=False)]
        rest = self._frames.finish()
        return [*events, rest] if rest else events

    def _event(self, frame: bytes) -> Iterator[bytes]:
        event = event_in(frame)
        kind, index = event.get("type"), event.get("index")
        if kind in _LAST_EVENTS:
            reason = member(event.get("delta"), "stop_reason")
            for held in [*self._held]:
                yield from self._shown(held, whole=kind != "error" and reason not in _LIMITS)
            if self._found and reason == _OWN_END:
                frame = frame_of({**event, "delta": {**event["delta"], "stop_reason": "tool_use"}})
        elif self._stopped is not None and kind != "ping":
            yield from self._shown(self._stopped, whole=True)
        if not isinstance(index, int):
            yield frame
        elif kind == "content_block_start" and _text_of(event) is not None:
            self._held[index] = [(event, frame)]
        elif index in self._held:
            yield from self._hold(index, event, frame)
        else:
            yield self._placed(index, event, frame)

    def _hold(self, index: int, event: dict[str, Any], frame: bytes) -> Iterator[bytes]:
        held = self._held[index]
        held.append((event, frame))
        if event.get("type") == "content_block_stop":
            self._stopped = index
        elif sum(len(each) for _, each in held) > MAX_STREAMED_TEXT:
            yield from self._shown(index, whole=False)

    def _shown(self, index: int, *, whole: bool) -> Iterator[bytes]:
        """Yield a block of text, and the calls in it."""
        held = self._held.pop(index)
        self._stopped = None
        text = "".join(_text_of(event) or "" for event, _ in held)
        prose, calls = self._tools.read_text(text, whole=whole)
        if prose.strip() or not calls:
            for event, frame in _with_text(held, prose) if calls else held:
                yield self._placed(index, event, frame)
        self._found |= bool(calls)
        for call in calls:
            yield from self._call(call)

    def _call(self, call: ReadCall) -> Iterator[bytes]:
        place, self._count = self._count, self._count + 1
        delta = {"type": "input_json_delta", "partial_json": call.text}
        begun = {"type": "content_block_start", "index": place, "content_block": _begun(call)}
        yield frame_of(begun)
        yield frame_of({"type": "content_block_delta", "index": place, "delta": delta})
        yield frame_of({"type": "content_block_stop", "index": place})

    def _placed(self, index: int, event: dict[str, Any], frame: bytes) -> bytes:
        if index not in self._places:
            self._places[index], self._count = self._count, self._count + 1
        place = self._places[index]
        return frame if place == index else frame_of({**event, "index": place})


def _text_of(event: dict[str, Any]) -> str | None:
    """Return the piece of a text block's text in an event; None if it has none."""
    block = event.get("content_block")
    owner = event.get("delta") if block is None else block
    if block is not None and member(block, "type") != "text":
        return None
    text = member(owner, "text")
    return text if isinstance(text, str) else "" if block is not None else None


def _with_text(
    held: list[tuple[dict[str, Any], bytes]], prose: str
) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Yield the events of a block of text with other text, in one piece."""
    for event, frame in held:
        text, own = _text_of(event), event
        if event.get("type") == "content_block_start":
            own = {**event, "content_block": {**event["content_block"], "text": ""}}
        elif text is not None:
            own, prose = {**event, "delta": {**event["delta"], "text": prose}}, ""
            if not own["delta"]["text"]:
                continue
        elif event.get("type") == "content_block_stop" and prose:  # all came with the start
            delta = {"type": "text_delta", "text": prose}
            made = {"type": "content_block_delta", "index": event["index"], "delta": delta}
            yield made, frame_of(made)
        yield own, frame if own is event else frame_of(own)
