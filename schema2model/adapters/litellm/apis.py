"""The APIs that LiteLLM speaks: one record each, and what corrects the arguments in any of them.

A stream is cut into units: chunks with one piece of one call at most. What a unit says is read as
`Toolset.assembler` reads it; how it is written is all that a record adds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from litellm.types.utils import Delta, Function, ModelResponseStream, StreamingChoices

from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.sse import Frames, event_in, frame_of
from schema2model.limits import MAX_STREAMED_TEXT
from schema2model.tools.assembler import CallPieces, OpenCall
from schema2model.tools.assistant_message import ended_too_soon
from schema2model.tools.providers.definitions import member
from schema2model.tools.providers.streams import ANTHROPIC, CHAT, RESPONSES, Event

__all__ = ["APIS", "Api", "Correcting", "correct_calls", "with_member"]


FRAGMENT_SIZE: Final = 100
"""The memory of a fragment in addition to its characters."""


class SentCall(NamedTuple):
    """A call in a whole response: the member that holds its arguments."""

    owner: Any
    key: str
    name: Any
    cut_off: bool = False


@dataclass(frozen=True)
class Api:
    """How one API is read and written.

    Attributes:
        key: the member of a whole response that holds what the model says.
        calls: finds the calls in a whole response.
        units: cuts a chunk into units.
        events: returns the events in a unit.
        write: returns a copy of a unit with other arguments.
        takes_turns: whether clients take a call for complete when the next one begins.
        ends_late: whether only what follows the end of a call says that it was cut off.
        whole: the member of the last event with the whole response.
        number: the member that counts the events.

    """

    key: str
    calls: Callable[[Any], Iterator[SentCall]]
    units: Callable[[Any], Iterator[Any]]
    events: Callable[[Any], Iterable[Event]]
    write: Callable[[Any, Any], Any]
    takes_turns: bool = False
    ends_late: bool = False
    whole: str = ""
    number: str = ""


def correct_calls(response: Any, api: Api, tools: RequestTools) -> None:
    """Correct the arguments in a whole response, in its place."""
    for call in api.calls(response):
        given = member(call.owner, call.key)
        value = tools.read(call.name, given, cut_off=call.cut_off)
        if value is not given:
            put(call.owner, call.key, value)


class Correcting:
    """Corrects a stream.

    The pieces of a call are passed on without its arguments, but for the last piece, which is held
    back until the call is complete, and has all of them.
    """

    def __init__(self, api: Api, tools: RequestTools) -> None:
        self._api = api
        self._tools = tools
        self._left = MAX_STREAMED_TEXT  # what may be held back
        self._passes = False  # everything, as it comes
        self._replies: dict[Any, CallPieces] = {}
        self._at: dict[Any, OpenCall] = {}  # by reply and key
        self._held: dict[OpenCall, list[tuple[Any, bool]]] = {}  # units, and whether pieces
        self._numbers: deque[Any] = deque()  # of events that came, for those that are sent
        self._ended: OpenCall | None = None
        self._by_turns = False

    def feed(self, chunk: Any) -> list[Any]:
        """Return the chunks to send for a chunk."""
        api = self._api
        if api.number and (number := member(chunk, api.number)) is not None:
            self._numbers.append(number)
        return [self._numbered(u) for unit in api.units(chunk) for u in self._unit(unit)]

    def finish(self, *, as_sent: bool = False) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        self._passes = self._passes or as_sent
        held = [self._numbered(u) for reply in self._replies for u in self._over(reply)]
        return [*held, *getattr(self._api.units, "finish", list)()]

    def _numbered(self, unit: Any) -> Any:
        """Return an event with the next number: those held back come after others."""
        given = member(unit, self._api.number) if self._api.number else None
        number = None if given is None else self._numbers.popleft()
        return unit if number == given else with_member(unit, self._api.number, number)

    def _unit(self, unit: Any) -> Iterator[Any]:
        if self._passes:
            yield unit
            return
        events = [*self._api.events(unit)]
        yield from self._release_ended(events)
        sent = unit
        for event in events:
            key, call = (event.reply, event.key), None
            if event.kind in {"begin", "piece", "whole"}:
                call, sent = self._taken(event, key), self._begun(unit, event)
            elif event.kind == "end":
                call = self._at.get(key)
            if self._passes:  # the budget is used up
                yield from self.finish(as_sent=True)
            elif call in self._held and event.kind in {"piece", "whole", "end"}:
                if event.content is not None or (event.kind == "end" and self._api.ends_late):
                    self._held[call].append((unit, event.kind == "piece"))
                    sent = None
                yield from self._after(call, event)
            elif event.content is not None and event.kind == "reason":
                yield from self._over(event.reply, cut_off=ended_too_soon(event.content))
        if sent is not None:
            is_last = self._api.whole and any(event.kind == "reason" for event in events)
            yield self._last(sent) if is_last else sent
        yield from self._flowing()

    def _release_ended(self, events: list[Event]) -> Iterator[Any]:
        """Release the call that has ended before, now that it is known why."""
        if self._ended is not None and events:
            reason = next((e.content for e in events if e.kind == "reason"), None)
            ended, self._ended = self._ended, None
            yield from self._released(ended, cut_off=ended_too_soon(reason))

    def _after(self, call: OpenCall, event: Event) -> Iterator[Any]:
        """Release a call if it has ended, unless only what follows says that it was cut off."""
        if event.kind == "end":
            call.end()
            self._ended = call if self._api.ends_late else None
            if not self._api.ends_late:
                yield from self._released(call, cut_off=_is_incomplete(event.source))

    def _begun(self, unit: Any, event: Event) -> Any:
        """Return the unit with which a call begins, with the arguments that it has corrected."""
        if event.kind == "begin" and event.content:
            value = self._tools.read(event.name, event.content)
            return unit if value is event.content else self._api.write(unit, value)
        return unit

    def _taken(self, event: Event, key: Any) -> OpenCall | None:
        """Return the call that a piece is of, if it is held back."""
        pieces = self._replies.setdefault(event.reply, CallPieces(self._tools))
        source, count = event.source, len(pieces.calls)
        if self._api.takes_turns and member(source, "function") is None:
            return None  # of a custom tool, which takes text
        text = event.content if event.kind != "begin" else None
        self._left -= FRAGMENT_SIZE + str.__len__(text or "")  # it raises for what is not text
        if self._left < 0:
            self._passes = True
            return None
        if self._api.takes_turns:
            call = pieces.add_piece(text, key=event.key, id_=event.id, name=event.name)
        else:
            call = self._by_key(pieces, event, key)
        if call is None:
            return None
        self._at[key] = call
        if len(pieces.calls) > count:
            self._held[call] = []
            if self._api.takes_turns and count:
                former = pieces.calls[count - 1]
                former.exact = former.is_whole
        self._by_turns |= call is not pieces.calls[-1]
        if event.kind == "whole" and text is not None and not call.written:
            call.replace(text)
        return call

    def _by_key(self, pieces: CallPieces, event: Event, key: Any) -> OpenCall | None:
        """Return the call that a piece is of, where its key says it."""
        former = self._at.get(key)
        if event.kind == "begin" or (event.kind == "whole" and event.content is None):
            if former in self._held:
                self._held[former].append((None, False))
            return pieces.begin(key=event.key, name=event.name)
        if event.kind == "piece" and former is not None:
            return pieces.add_piece(event.content, key=event.key)
        return former

    def _over(self, reply: Any, *, cut_off: bool = True) -> Iterator[Any]:
        """Release all calls of a reply that has ended."""
        pieces = self._replies.get(reply)
        calls = [call for call in pieces.calls if call in self._held] if pieces else []
        for call in calls:
            is_last = self._by_turns or call is calls[-1] or not self._api.takes_turns
            may_be_cut = bool(self._api.whole) or (is_last and cut_off)
            yield from self._released(call, cut_off=may_be_cut)

    def _flowing(self) -> Iterator[Any]:
        """Yield what need not wait: pieces that others follow, and calls that are complete."""
        for pieces in self._replies.values():
            calls = [call for call in pieces.calls if call in self._held]
            if self._api.takes_turns:
                while len(calls) > 1 and calls[0].exact:
                    yield from self._released(calls.pop(0), cut_off=False)
                calls = calls[:1]
            for call in calls:
                held = self._held[call]
                if held and (None, False) in held:
                    yield from self._released(call)
                elif held and held[-1][1]:
                    yield from (self._api.write(unit, "") for unit, _ in held[:-1])
                    del held[:-1]

    def _released(self, call: OpenCall, *, cut_off: bool = True) -> Iterator[Any]:
        """Yield what is held of a call, with its arguments."""
        held = [each for each in self._held.pop(call) if each[0] is not None]
        text = call.written
        if not self._passes and (text or self._api.takes_turns):
            text = self._tools.call_text(call, cut_off=cut_off)
        pieces = [number for number, (_, is_piece) in enumerate(held) if is_piece]
        for number, (unit, is_piece) in enumerate(held):
            is_other = is_piece and number != pieces[-1]
            yield self._api.write(unit, "" if is_other else text)

    def _last(self, event: Any) -> Any:
        """Return the last event, with the calls of the whole response corrected in copies."""
        response = member(event, self._api.whole)
        items = member(response, self._api.key)
        changed = {}
        for call in self._api.calls(response) if isinstance(items, list) else ():
            given = member(call.owner, call.key)
            value = self._tools.read(call.name, given, cut_off=call.cut_off)
            if value is not given:
                changed[id(call.owner)] = with_member(call.owner, call.key, value)
        if not changed:
            return event
        made = [changed.get(id(item), item) for item in items]
        return with_member(event, self._api.whole, with_member(response, self._api.key, made))


def with_member(owner: Any, key: str, value: Any) -> Any:
    """Return a copy with another member: what LiteLLM logs is what the provider sent."""
    if isinstance(owner, Mapping):
        return {**owner, key: value}
    return owner.model_copy(update={key: value})


def _is_incomplete(item: Any) -> bool:
    return member(item, "status") == "incomplete"


# -------------------------------------------------------------------------- chat completions
def _chat_calls(response: Any) -> Iterator[SentCall]:
    for choice in member(response, "choices"):
        calls: Any = member(member(choice, "message"), "tool_calls") or ()
        cut_off = ended_too_soon(member(choice, "finish_reason"))
        for call in calls:
            function = member(call, "function")
            is_last = cut_off and call is calls[-1]
            yield SentCall(function, "arguments", member(function, "name"), is_last)


def _chat_units(chunk: Any) -> Iterator[Any]:
    """A chunk without its fragments, which come each by itself: before it, if it is the last."""
    fragments = [(c.index, each) for c in chunk.choices for each in c.delta.tool_calls or ()]
    single = [
        ModelResponseStream(
            [StreamingChoices(index=index, delta=Delta(tool_calls=[each]))],
            id=chunk.id,
            created=chunk.created,
            model=chunk.model,
        )
        for index, each in fragments
    ]
    if not fragments:
        yield chunk
        return
    kept = [
        c.model_copy(update={"delta": c.delta.model_copy(update={"tool_calls": None})})
        for c in chunk.choices
    ]
    rest = chunk.model_copy(update={"choices": kept})
    if any(c.finish_reason for c in kept):
        yield from (*single, rest)
    elif any(c.delta.model_dump(exclude_none=True, exclude_defaults=True) for c in kept):
        yield from (rest, *single)
    else:
        yield from single


def _write_chat(unit: Any, text: str) -> Any:
    (choice,) = unit.choices
    (fragment,) = choice.delta.tool_calls
    function = Function(name=fragment.function.name, arguments=text)
    fragment = fragment.model_copy(update={"function": function})
    delta = choice.delta.model_copy(update={"tool_calls": [fragment]})
    return unit.model_copy(update={"choices": [choice.model_copy(update={"delta": delta})]})


# ----------------------------------------------------------------------- Anthropic's messages
def _message_calls(response: Any) -> Iterator[SentCall]:
    content = member(response, "content")
    cut_off = ended_too_soon(member(response, "stop_reason"))
    for block in content:
        if member(block, "type") == "tool_use":
            yield SentCall(block, "input", member(block, "name"), cut_off and block is content[-1])


class MessageUnits:
    """Cuts bytes into events."""

    def __init__(self) -> None:
        self._frames = Frames()

    def __call__(self, chunk: bytes | str) -> Iterator[bytes]:
        data = chunk.encode(errors="surrogatepass") if isinstance(chunk, str) else bytes(chunk)
        if len(self._frames) + len(data) > MAX_STREAMED_TEXT:
            yield self._frames.finish() + data
        else:
            yield from self._frames.feed(data)

    def finish(self) -> list[bytes]:
        """Return the rest, which is not a complete event."""
        rest = self._frames.finish()
        return [rest] if rest else []


def _message_events(frame: bytes) -> Iterable[Event]:
    event = event_in(frame)
    kind = event.get("type")
    if not isinstance(kind, str) or kind == "ping":
        return ()
    found = [*ANTHROPIC.events(event)]
    return found or [Event("other")]


def _write_message(frame: bytes, content: Any) -> bytes:
    event = event_in(frame)
    if not isinstance(content, str):
        return frame_of({**event, "content_block": {**event["content_block"], "input": content}})
    if event["type"] != "content_block_delta":
        return frame
    return frame_of({**event, "delta": {**event["delta"], "partial_json": content}})


# ---------------------------------------------------------------------------------- responses
def _response_calls(response: Any) -> Iterator[SentCall]:
    for item in member(response, "output"):
        if member(item, "type") == "function_call":
            name, cut_off = member(item, "name"), _is_incomplete(item)
            yield SentCall(item, "arguments", name, cut_off)


def _response_events(event: Any) -> Iterator[Event]:
    is_call = "call_input" not in event.type and member(member(event, "item"), "type") in {
        None,
        "function_call",
    }
    return RESPONSES.events(event) if is_call and event.type != "error" else iter(())


def _write_response(event: Any, text: str) -> Any:
    if (item := member(event, "item")) is not None:
        return with_member(event, "item", with_member(item, "arguments", text))
    return with_member(event, "delta" if event.type.endswith("delta") else "arguments", text)


APIS: Final[Mapping[str, Callable[[], Api]]] = {
    "chat": lambda: Api(
        "choices", _chat_calls, _chat_units, CHAT.events, _write_chat, takes_turns=True
    ),
    "messages": lambda: Api(
        "content", _message_calls, MessageUnits(), _message_events, _write_message, ends_late=True
    ),
    "responses": lambda: Api(
        "output",
        _response_calls,
        lambda event: iter([event]),
        _response_events,
        _write_response,
        whole="response",
        number="sequence_number",
    ),
}
