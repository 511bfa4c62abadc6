"""Anthropic's messages: correct blocks of `tool_use`; make such blocks of calls in text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall, TextCalls
from schema2model.adapters.litellm.sse import Frames, event_in, frame_of
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
        prose, calls = tools.text_calls_reader(objects=True).all_of(text, whole=ended)
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

    They follow when the text that holds them has ended. A block of text begins when there is
    something to be seen in it; otherwise the block is left out.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._frames = Frames()
        self._texts: dict[int, _Block] = {}
        self._places: dict[int, int] = {}  # of blocks: where they were, and where they are
        self._count = 0
        self._found = False
        self._stopped: tuple[int, bytes] | None = None

    def feed(self, chunk: bytes | str) -> list[bytes]:
        """Return the events to send for an event."""
        data = chunk.encode(errors="surrogatepass") if isinstance(chunk, str) else bytes(chunk)
        events = [event for frame in self._frames.feed(data) for event in self._event(frame)]
        return [b"".join(events)] if events else []

    def finish(self) -> list[bytes]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        events = [event for index in [*self._texts] for event in self._ended(index, whole=False)]
        rest = self._frames.finish()
        return [*events, rest] if rest else events

    def _event(self, frame: bytes) -> Iterator[bytes]:
        event = event_in(frame)
        kind, index = event.get("type"), event.get("index")
        if kind in _LAST_EVENTS:
            reason = member(event.get("delta"), "stop_reason")
            for held in [*self._texts]:
                yield from self._ended(held, whole=kind != "error" and reason not in _LIMITS)
            if self._found and reason == _OWN_END:
                frame = frame_of({**event, "delta": {**event["delta"], "stop_reason": "tool_use"}})
        elif self._stopped is not None and kind != "ping":
            yield from self._ended(self._stopped[0], whole=True)
        block = self._texts.get(index) if isinstance(index, int) else None
        if not isinstance(index, int):
            yield frame
        elif kind == "content_block_start":
            yield from self._started(index, event, frame)
        elif block is None:
            yield self._placed(index, event, frame)
        elif kind == "content_block_stop":
            self._stopped = index, frame
        else:
            yield from self._more(index, block, event)

    def _started(self, index: int, event: dict[str, Any], frame: bytes) -> Iterator[bytes]:
        content = event.get("content_block")
        if member(content, "type") != "text" or not isinstance(content, Mapping):
            yield self._placed(index, event, frame)
            return
        block = self._texts[index] = _Block(self._tools.text_calls_reader())
        block.waiting.append({**event, "content_block": {**content, "text": ""}})
        if isinstance(given := content.get("text"), str):
            yield from self._seen(index, block, block.feed(given))

    def _more(self, index: int, block: _Block, event: dict[str, Any]) -> Iterator[bytes]:
        text = member(event.get("delta"), "text")
        if isinstance(text, str):
            yield from self._seen(index, block, block.feed(text))
        elif block.waiting:
            block.waiting.append(event)
        else:
            yield frame_of({**event, "index": self._place(index)})

    def _seen(self, index: int, block: _Block, prose: str) -> Iterator[bytes]:
        """Show prose; blanks with which a block begins wait for what follows them."""
        block.held += prose
        if block.waiting and not block.held.strip():
            return
        yield from self._shown(index, block)

    def _shown(self, index: int, block: _Block) -> Iterator[bytes]:
        place = self._place(index)
        yield from (frame_of({**event, "index": place}) for event in block.waiting)
        block.waiting.clear()
        if block.held:
            delta = {"type": "text_delta", "text": block.held}
            yield frame_of({"type": "content_block_delta", "index": place, "delta": delta})
            block.held = ""

    def _ended(self, index: int, *, whole: bool) -> Iterator[bytes]:
        """Yield the rest of a text, its end if that has come, and the calls in it."""
        block = self._texts.pop(index)
        block.held += block.finish(whole=whole)
        if not block.calls or not block.waiting or block.held.strip():
            yield from self._shown(index, block)
            if self._stopped is not None and self._stopped[0] == index:
                yield self._placed(index, event_in(self._stopped[1]), self._stopped[1])
        if self._stopped is not None and self._stopped[0] == index:
            self._stopped = None
        self._found |= bool(block.calls)
        for call in block.calls:
            yield from self._call(call)

    def _call(self, call: ReadCall) -> Iterator[bytes]:
        place, self._count = self._count, self._count + 1
        delta = {"type": "input_json_delta", "partial_json": call.text}
        begun = {"type": "content_block_start", "index": place, "content_block": _begun(call)}
        yield frame_of(begun)
        yield frame_of({"type": "content_block_delta", "index": place, "delta": delta})
        yield frame_of({"type": "content_block_stop", "index": place})

    def _placed(self, index: int, event: dict[str, Any], frame: bytes) -> bytes:
        place = self._place(index)
        return frame if place == index else frame_of({**event, "index": place})

    def _place(self, index: int) -> int:
        if index not in self._places:
            self._places[index], self._count = self._count, self._count + 1
        return self._places[index]


class _Block:
    """A block of text that is arriving."""

    def __init__(self, text: TextCalls) -> None:
        self._text = text
        self.waiting: list[dict[str, Any]] = []  # events, until something is to be seen
        self.held = ""
        self.calls: list[ReadCall] = []

    def feed(self, piece: str) -> str:
        """Take a piece of the text; the prose in it."""
        prose, calls = self._text.feed(piece)
        self.calls += calls
        return prose

    def finish(self, *, whole: bool) -> str:
        """Return the prose that is left."""
        prose, calls = self._text.finish(whole=whole)
        self.calls += calls
        return prose
