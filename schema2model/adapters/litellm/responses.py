"""OpenAI's responses: correct items of `function_call`; make such items of calls in text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litellm.types.llms.openai import GenericEvent
from openai.types.responses import ResponseFunctionToolCall

from schema2model.adapters.litellm.apis import with_member
from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall, TextCalls
from schema2model.tools.providers.definitions import member

__all__ = [
    "ResponsesTextStream",
    "extract_response_calls",
]

_FINAL_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})
"""Events after which nothing comes."""


def _is_cut_off(item: Any) -> bool:
    """Return whether the model was stopped while it wrote an item."""
    return member(item, "status") == "incomplete"


def extract_response_calls(response: Any, tools: RequestTools) -> None:
    """Take the calls out of the text of a whole response, where it has no others."""
    output = member(response, "output")
    if any(member(item, "type") == "function_call" for item in output):
        return
    ended = member(response, "status") == "completed"
    read = [each for item in output for each in _split_item(item, tools, ended=ended)]
    if len(read) != len(output) or any(a is not b for a, b in zip(read, output, strict=True)):
        put(response, "output", read)


def _split_item(item: Any, tools: RequestTools, *, ended: bool) -> list[Any]:
    """Split an item into its prose and the calls in it."""
    message = _Message()
    for number, part in enumerate(_parts(item)):
        if isinstance(text := member(part, "text"), str):
            message.text(number, tools).feed(text)
    message.finish(whole=ended and not _is_cut_off(item))
    return message.items(item)


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


class ResponsesTextStream:
    """Takes the calls out of the text of a stream of events.

    They follow when the message that holds them has ended. A message begins when there is
    something to be seen in it; otherwise the item is left out.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._messages: dict[Any, _Message] = {}  # by their place
        self._ended: list[_Message] = []
        self._places: dict[Any, int] = {}  # of items: where they were, and where they are
        self._count = 0
        self._number = 0

    def feed(self, event: Any) -> list[Any]:
        """Return the events to send for an event."""
        kind, index = event.type, member(event, "output_index")
        message = self._messages.get(index)
        before = self._released_events(kind)
        if kind in _FINAL_EVENTS:
            sent = [self._final_event(event)]
        elif index is None:
            sent = [event]
        elif kind == "response.output_item.added" and member(event.item, "type") == "message":
            self._messages[index] = _Message()
            self._messages[index].waiting.append(event)
            sent = []
        elif message is None:
            sent = [with_member(event, "output_index", self._place(index))]
        else:
            sent = [*self._more(index, message, event)]
        return [self._numbered(each) for each in [*before, *sent]]

    def _released_events(self, kind: str) -> list[Any]:
        """Return the events held back until the model's text has ended."""
        if kind in _FINAL_EVENTS:
            whole = kind == "response.completed"
            return [e for i in [*self._messages] for e in self._finished(i, whole=whole)]
        return [e for i, m in [*self._messages.items()] if m.ended for e in self._finished(i)]

    def finish(self) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        sent = [e for i in [*self._messages] for e in self._finished(i, whole=False)]
        return [self._numbered(each) for each in sent]

    def _more(self, index: Any, message: _Message, event: Any) -> Iterator[Any]:
        kind, part = event.type, member(event, "content_index")
        if kind == "response.output_text.delta":
            message.feed(part, event, self._tools)
            if message.is_seen:
                yield from self._shown(index, message)
        elif kind == "response.output_item.done":
            message.ended = event
        elif kind in {"response.output_text.done", "response.content_part.done"}:
            message.repeated.append(event)
        else:
            message.waiting.append(event)
            if message.is_seen:
                yield from self._shown(index, message)

    def _shown(self, index: Any, message: _Message) -> Iterator[Any]:
        """Return the waiting events, and those for new prose."""
        place = self._place(index)
        for event in [*message.waiting, *message.new_text()]:
            yield with_member(event, "output_index", place)
        message.waiting.clear()

    def _finished(self, index: Any, *, whole: bool = True) -> Iterator[Any]:
        message = self._messages.pop(index)
        message.finish(whole=whole and not _is_cut_off(member(message.ended, "item")))
        self._ended.append(message)
        if message.is_seen or not message.calls:
            yield from self._shown(index, message)
            for event in message.repeats():
                yield with_member(message.told(event), "output_index", self._place(index))
        for call in message.calls:
            yield from self._call(call)

    def _call(self, call: ReadCall) -> Iterator[Any]:
        place, self._count = self._count, self._count + 1
        at: dict[str, Any] = {"output_index": place, "sequence_number": 0}
        item = _call_item(call)
        begun = item.model_copy(update={"arguments": "", "status": "in_progress"})
        kind = "response.function_call_arguments"
        text = {"item_id": item.id, "arguments": call.text, "name": call.name}
        yield GenericEvent(type="response.output_item.added", item=begun, **at)
        yield GenericEvent(type=f"{kind}.delta", delta=call.text, item_id=item.id, **at)
        yield GenericEvent(type=f"{kind}.done", **text, **at)
        yield GenericEvent(type="response.output_item.done", item=item, **at)

    def _final_event(self, event: Any) -> Any:
        """Return the last event, which holds the whole response."""
        response = member(event, "response")
        given = member(response, "output")
        if not isinstance(given, list) or not any(message.calls for message in self._ended):
            return event
        messages = iter(self._ended)
        output: list[Any] = []
        for item in given:
            message = next(messages, None) if member(item, "type") == "message" else None
            output += [item] if message is None else message.items(item)
        return with_member(event, "response", with_member(response, "output", output))

    def _place(self, index: Any) -> int:
        if index not in self._places:
            self._places[index], self._count = self._count, self._count + 1
        return self._places[index]

    def _numbered(self, event: Any) -> Any:
        """Return an event with its number in the stream, if it has one."""
        number = self._number
        self._number += 1
        if member(event, "sequence_number") in {None, number}:
            return event
        return with_member(event, "sequence_number", number)


class _Message:
    """An item of text: its parts, and the calls in them."""

    def __init__(self) -> None:
        self._parts: dict[Any, _Part] = {}
        self.waiting: list[Any] = []
        """Events, until something is to be seen."""
        self.repeated: list[Any] = []
        """Events that repeat the text."""
        self.ended: Any = None
        """The last of them."""
        self.calls: list[ReadCall] = []

    def text(self, number: Any, tools: RequestTools) -> _Part:
        """Return the part of this number."""
        if number not in self._parts:
            self._parts[number] = _Part(tools.text_calls_reader(), self.calls)
        return self._parts[number]

    def feed(self, number: Any, event: Any, tools: RequestTools) -> None:
        """Take a piece of the text."""
        part = self.text(number, tools)
        part.event = event
        part.feed(event.delta)

    def finish(self, *, whole: bool) -> None:
        """No more text comes."""
        for part in self._parts.values():
            part.finish(whole=whole)

    @property
    def is_seen(self) -> bool:
        """True if it has visible text."""
        return any(part.prose.strip() for part in self._parts.values())

    def new_text(self) -> Iterator[Any]:
        """Return events for the prose that is still to be sent."""
        for part in self._parts.values():
            if part.new:
                yield with_member(part.event, "delta", part.new)
                part.new = ""

    def repeats(self) -> list[Any]:
        """Return all events that repeat the text."""
        return self.repeated if self.ended is None else [*self.repeated, self.ended]

    def told(self, event: Any) -> Any:
        """Return an event that repeats the text, with the prose of it."""
        if event.type == "response.output_item.done":
            (item,) = self.items(event.item)[:1]
            return with_member(event, "item", item)
        part = self._parts.get(member(event, "content_index"))
        if part is None or not self.calls:
            return event
        if event.type == "response.output_text.done":
            return with_member(event, "text", part.prose)
        return with_member(event, "part", with_member(event.part, "text", part.prose))

    def items(self, item: Any) -> list[Any]:
        """Return the items that replace it: its prose, if it has any, and the calls."""
        if not self.calls:
            return [item]
        content = [
            part if (read := self._parts.get(n)) is None else with_member(part, "text", read.prose)
            for n, part in enumerate(_parts(item))
        ]
        prose = [with_member(item, "content", content)] if self.is_seen else []
        return prose + [_call_item(call) for call in self.calls]


class _Part:
    """A part of a message's text."""

    def __init__(self, text: TextCalls, calls: list[ReadCall]) -> None:
        self._text = text
        self._calls = calls
        self.event: Any = None
        self.prose = self.new = ""

    def feed(self, piece: str) -> None:
        """Take a piece of it."""
        self._take(*self._text.feed(piece))

    def finish(self, *, whole: bool) -> None:
        """No more of it comes."""
        self._take(*self._text.finish(whole=whole))

    def _take(self, prose: str, calls: list[ReadCall]) -> None:
        self.prose += prose
        self.new += prose
        self._calls += calls
