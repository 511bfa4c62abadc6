"""OpenAI's responses: correct items of `function_call`; make such items of calls in text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from litellm.types.llms.openai import GenericEvent
from openai.types.responses import ResponseFunctionToolCall

from schema2model.adapters.litellm.apis import with_member
from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall
from schema2model.adapters.litellm.text_blocks import ReadTexts, TextBlocks, TextEvents
from schema2model.tools.providers.definitions import member

__all__ = [
    "ResponsesTextStream",
    "extract_response_calls",
]

_FINAL_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})
"""Events after which nothing comes."""
_DELTA = "response.output_text.delta"


def _is_cut_off(item: Any) -> bool:
    """Return whether the model was stopped while it wrote an item."""
    return member(item, "status") == "incomplete"


def extract_response_calls(response: Any, tools: RequestTools) -> None:
    """Take the calls out of the text of a whole response, where it has no others."""
    output = member(response, "output")
    if any(member(item, "type") == "function_call" for item in output):
        return
    ended = member(response, "status") == "completed"
    read: list[Any] = []
    for item in output:
        parts = {n: member(part, "text") for n, part in enumerate(_parts(item))}
        texts = {n: text for n, text in parts.items() if isinstance(text, str)}
        read += _items(item, ReadTexts(tools, texts, whole=ended and not _is_cut_off(item)))
    if len(read) != len(output) or any(a is not b for a, b in zip(read, output, strict=True)):
        put(response, "output", read)


def _parts(item: Any) -> list[Any]:
    content = member(item, "content")
    return content if member(item, "type") == "message" and isinstance(content, list) else []


def _call_item(call: ReadCall) -> Any:
    return ResponseFunctionToolCall(
        type="function_call",
        id=f"fc_{call.number}",
        call_id=f"call_{call.number}",
        name=call.name,
        arguments=call.text,
        status="completed" if call.whole else "incomplete",
    )


def _items(item: Any, read: ReadTexts) -> list[Any]:
    """Return the items that replace a message: its prose, if it has any, and the calls."""
    if not read.calls:
        return [item]
    content = [
        with_member(part, "text", read.prose[n]) if n in read.prose else part
        for n, part in enumerate(_parts(item))
    ]
    prose = [with_member(item, "content", content)] if read.is_seen else []
    return prose + [_call_item(call) for call in read.calls]


class ResponsesTextStream:
    """Takes the calls out of the text of a stream of events, and numbers all events anew."""

    def __init__(self, tools: RequestTools) -> None:
        self._blocks = TextBlocks(_EVENTS, tools)
        self._numbers = itertools.count()

    def feed(self, event: Any) -> list[Any]:
        """Return the events to send for an event."""
        return [*map(self._numbered, self._blocks.feed(event))]

    def finish(self) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        return [*map(self._numbered, self._blocks.finish())]

    def _numbered(self, event: Any) -> Any:
        """Return an event with its number in the stream, if it has one."""
        number = next(self._numbers)
        if member(event, "sequence_number") in {None, number}:
            return event
        return with_member(event, "sequence_number", number)


def _is_whole(event: Any) -> bool | None:
    return not _is_cut_off(event.item) if event.type == "response.output_item.done" else None


def _piece(event: Any) -> tuple[Any, str]:
    return member(event, "content_index"), event.delta if event.type == _DELTA else ""


def _with_prose(held: list[Any], read: ReadTexts) -> Iterator[Any]:
    """Yield the events of a message with its prose, in one piece for each part."""
    left = dict(read.prose)
    for event in held:
        number = member(event, "content_index")
        if event.type == _DELTA:
            if piece := left.pop(number, ""):
                yield with_member(event, "delta", piece)
        elif event.type == "response.output_item.done":
            yield with_member(event, "item", _items(event.item, read)[0])
        elif number not in read.prose or event.type == "response.content_part.added":
            yield event
        elif event.type == "response.output_text.done":
            yield with_member(event, "text", read.prose[number])
        elif (part := member(event, "part")) is not None:
            yield with_member(event, "part", with_member(part, "text", read.prose[number]))
        else:
            yield event


def _call(call: ReadCall, place: int) -> Iterator[Any]:
    at: dict[str, Any] = {"output_index": place, "sequence_number": 0}
    item = _call_item(call)
    begun = item.model_copy(update={"arguments": "", "status": "in_progress"})
    kind = "response.function_call_arguments"
    text = {"item_id": item.id, "arguments": call.text, "name": call.name}
    yield GenericEvent(type="response.output_item.added", item=begun, **at)
    yield GenericEvent(type=f"{kind}.delta", delta=call.text, item_id=item.id, **at)
    yield GenericEvent(type=f"{kind}.done", **text, **at)
    yield GenericEvent(type="response.output_item.done", item=item, **at)


def _last(event: Any, texts: list[ReadTexts]) -> Any:
    """Return the last event, which holds the whole response."""
    response = member(event, "response")
    given = member(response, "output")
    if not isinstance(given, list) or not any(read.calls for read in texts):
        return event
    messages = iter(texts)
    output: list[Any] = []
    for item in given:
        read = next(messages, None) if member(item, "type") == "message" else None
        output += [item] if read is None else _items(item, read)
    return with_member(event, "response", with_member(response, "output", output))


_EVENTS: Final = TextEvents(
    ending=lambda event: (
        event.type == "response.completed" if event.type in _FINAL_EVENTS else None
    ),
    place=lambda event: member(event, "output_index"),
    begins_text=lambda event: (
        event.type == "response.output_item.added" and member(event.item, "type") == "message"
    ),
    is_whole=_is_whole,
    piece=_piece,
    with_prose=_with_prose,
    call=_call,
    moved=lambda event, place: with_member(event, "output_index", place),
    last=_last,
)
