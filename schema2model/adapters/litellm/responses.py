"""OpenAI's responses: correct items of `function_call`; make such items of calls in text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litellm.types.llms.openai import GenericEvent
from openai.types.responses import ResponseFunctionToolCall

from schema2model.adapters.litellm.apis import with_member
from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall
from schema2model.limits import MAX_STREAMED_TEXT
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
    read = [each for item in output for each in _split_item(item, tools, ended=ended)]
    if len(read) != len(output) or any(a is not b for a, b in zip(read, output, strict=True)):
        put(response, "output", read)


def _split_item(item: Any, tools: RequestTools, *, ended: bool) -> list[Any]:
    """Split an item into its prose and the calls in it."""
    texts = {n: member(part, "text") for n, part in enumerate(_parts(item))}
    whole = ended and not _is_cut_off(item)
    return _Read(tools, {n: t for n, t in texts.items() if isinstance(t, str)}, whole).items(item)


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


class _Read:
    """The parts of a message's text: their prose, and the calls in them."""

    def __init__(self, tools: RequestTools, texts: dict[Any, str], whole: bool) -> None:  # noqa: FBT001
        read = {number: tools.read_text(text, whole=whole) for number, text in texts.items()}
        self.prose = {number: prose for number, (prose, _) in read.items()}
        self.calls = [call for _, calls in read.values() for call in calls]
        self.is_seen = not self.calls or any(prose.strip() for prose in self.prose.values())

    def items(self, item: Any) -> list[Any]:
        """Return the items that replace it: its prose, if it has any, and the calls."""
        if not self.calls:
            return [item]
        content = [
            with_member(part, "text", self.prose[n]) if n in self.prose else part
            for n, part in enumerate(_parts(item))
        ]
        prose = [with_member(item, "content", content)] if self.is_seen else []
        return prose + [_call_item(call) for call in self.calls]

    def shown(self, events: list[Any]) -> Iterator[Any]:
        """Yield the events of the message with its prose, in one piece for each part."""
        left = dict(self.prose)
        for event in events:
            number = member(event, "content_index")
            if event.type == _DELTA:
                if piece := left.pop(number, ""):
                    yield with_member(event, "delta", piece)
            elif event.type == "response.output_item.done":
                yield with_member(event, "item", self.items(event.item)[0])
            elif number not in self.prose or event.type == "response.content_part.added":
                yield event
            elif event.type == "response.output_text.done":
                yield with_member(event, "text", self.prose[number])
            elif (part := member(event, "part")) is not None:
                yield with_member(event, "part", with_member(part, "text", self.prose[number]))
            else:
                yield event


class ResponsesTextStream:
    """Takes the calls out of the text of a stream of events.

    A message is shown when it has ended, and the calls in it follow. Without prose, it is left out.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._held: dict[Any, list[Any]] = {}  # the events of messages, by their place
        self._read: list[_Read] = []
        self._places: dict[Any, int] = {}  # of items: where they were, and where they are
        self._count = 0
        self._number = 0

    def feed(self, event: Any) -> list[Any]:
        """Return the events to send for an event."""
        kind, index = event.type, member(event, "output_index")
        before = self._released(kind)
        if kind in _FINAL_EVENTS:
            sent = [self._final_event(event)]
        elif index is None:
            sent = [event]
        elif kind == "response.output_item.added" and member(event.item, "type") == "message":
            self._held[index], sent = [event], []
        elif index in self._held:
            self._held[index].append(event)
            sent = self._over_bound(index)
        else:
            sent = [with_member(event, "output_index", self._place(index))]
        return [self._numbered(each) for each in [*before, *sent]]

    def finish(self) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        sent = [e for index in [*self._held] for e in self._shown(index, whole=False)]
        return [self._numbered(each) for each in sent]

    def _released(self, kind: str) -> list[Any]:
        """Return the events held back until the model's text has ended."""
        whole = kind == "response.completed"
        return [
            event
            for index, held in [*self._held.items()]
            if kind in _FINAL_EVENTS or held[-1].type == "response.output_item.done"
            for event in self._shown(index, whole=whole or kind not in _FINAL_EVENTS)
        ]

    def _over_bound(self, index: Any) -> list[Any]:
        texts = (member(event, "delta") for event in self._held[index] if event.type == _DELTA)
        is_over = sum(map(len, filter(None, texts))) > MAX_STREAMED_TEXT
        return [*self._shown(index, whole=False)] if is_over else []

    def _shown(self, index: Any, *, whole: bool) -> Iterator[Any]:
        """Yield the events of a message, and those of the calls in it."""
        held, texts = self._held.pop(index), dict[Any, str]()
        for event in held:
            if event.type == _DELTA:
                number = member(event, "content_index")
                texts[number] = texts.get(number, "") + event.delta
        is_whole = whole and not _is_cut_off(member(held[-1], "item"))
        read = _Read(self._tools, texts, is_whole)
        self._read.append(read)
        if read.is_seen:
            for event in read.shown(held) if read.calls else held:
                yield with_member(event, "output_index", self._place(index))
        for call in read.calls:
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
        if not isinstance(given, list) or not any(read.calls for read in self._read):
            return event
        messages = iter(self._read)
        output: list[Any] = []
        for item in given:
            read = next(messages, None) if member(item, "type") == "message" else None
            output += [item] if read is None else read.items(item)
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
