"""Anthropic's messages: correct blocks of `tool_use`; make such blocks of calls in text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall
from schema2model.adapters.litellm.sse import Frames, event_in, frame_of
from schema2model.adapters.litellm.text_blocks import ReadTexts, TextBlocks, TextEvents
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
    read: list[Any] = []
    for block in content:
        text = member(block, "text") if member(block, "type") == "text" else None
        given = text if isinstance(text, str) else ""
        prose, calls = tools.read_text(given, whole=ended, objects=True)
        if calls and prose.strip():
            put(block, "text", prose)
        read += [block] if prose.strip() or not calls else []
        read += [{**_begun(call), "input": call.value} for call in calls]
    if any(block not in content for block in read):
        put(response, "content", read)
        if member(response, "stop_reason") == _OWN_END:
            put(response, "stop_reason", "tool_use")


def _begun(call: ReadCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{call.number}", "name": call.name, "input": {}}


class MessagesTextStream:
    """Takes the calls out of the text of a stream of server-sent events."""

    def __init__(self, tools: RequestTools) -> None:
        self._frames = Frames()
        self._blocks = TextBlocks(_EVENTS, tools)

    def feed(self, chunk: bytes | str) -> list[bytes]:
        """Return the events to send for a piece of the stream."""
        data = chunk.encode(errors="surrogatepass") if isinstance(chunk, str) else bytes(chunk)
        sent: list[bytes] = []
        for frame in self._frames.feed(data):
            event = event_in(frame)
            is_ping = event.get("type") == "ping"  # which says nothing of how the reply goes on
            made = () if is_ping else self._blocks.feed(_Frame(event, frame))
            sent += [frame] if is_ping else [each.frame for each in made]
        return [b"".join(sent)] if sent else []

    def finish(self) -> list[bytes]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        sent, rest = [each.frame for each in self._blocks.finish()], self._frames.finish()
        return [*sent, rest] if rest else sent


class _Frame(NamedTuple):
    """An event, and the bytes in which it came or is sent."""

    event: dict[str, Any]
    frame: bytes


def _made(event: dict[str, Any]) -> _Frame:
    return _Frame(event, frame_of(event))


def _ending(given: _Frame) -> bool | None:
    kind, reason = given.event.get("type"), member(given.event.get("delta"), "stop_reason")
    return kind != "error" and reason not in _LIMITS if kind in _LAST_EVENTS else None


def _begins_text(given: _Frame) -> bool:
    block = given.event.get("content_block")
    return block is not None and member(block, "type") == "text"


def _piece(given: _Frame) -> tuple[None, str]:
    event = given.event
    text = member(event.get("content_block") or event.get("delta"), "text")
    return None, text if isinstance(text, str) else ""


def _with_prose(held: list[_Frame], read: ReadTexts) -> Iterator[_Frame]:
    """Yield the events of a block of text with its prose in one piece."""
    begun, end = held[0].event, held[-1]
    delta = {"type": "text_delta", "text": read.prose[None]}
    yield _made({**begun, "content_block": {**begun["content_block"], "text": ""}})
    yield _made({"type": "content_block_delta", "index": begun["index"], "delta": delta})
    if end.event["type"] == "content_block_stop":
        yield end


def _call(call: ReadCall, place: int) -> Iterator[_Frame]:
    delta = {"type": "input_json_delta", "partial_json": call.text}
    yield _made({"type": "content_block_start", "index": place, "content_block": _begun(call)})
    yield _made({"type": "content_block_delta", "index": place, "delta": delta})
    yield _made({"type": "content_block_stop", "index": place})


def _last(given: _Frame, texts: list[ReadTexts]) -> _Frame:
    """Return the end of a message, whose reason is that of calls if there are any."""
    event, delta = given.event, given.event.get("delta")
    if member(delta, "stop_reason") != _OWN_END or not any(read.calls for read in texts):
        return given
    return _made({**event, "delta": {**event["delta"], "stop_reason": "tool_use"}})


_EVENTS: Final = TextEvents(
    ending=_ending,
    place=lambda given: given.event.get("index"),
    begins_text=_begins_text,
    is_whole=lambda given: True if given.event.get("type") == "content_block_stop" else None,
    piece=_piece,
    with_prose=_with_prose,
    call=_call,
    moved=lambda given, place: (
        given if given.event["index"] == place else _made({**given.event, "index": place})
    ),
    last=_last,
)
