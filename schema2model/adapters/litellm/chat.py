"""Chat completions: correct `choices[].message.tool_calls`; make such calls of those in text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from litellm.types.utils import (
    ChatCompletionDeltaToolCall,
    ChatCompletionMessageToolCall,
    Delta,
    Function,
    ModelResponseStream,
    StreamingChoices,
)

from schema2model.adapters.litellm.arguments import HeldBack, RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall, TextCalls
from schema2model.tools.assembler import CallPieces, OpenCall
from schema2model.tools.providers.definitions import member

__all__ = ["ChatStream", "ChatTextStream", "correct_chat", "extract_chat_calls"]

_CUT_OFF = frozenset({"length", "content_filter"})
"""Reasons to finish that are not the model's own."""


def correct_chat(response: Any, tools: RequestTools) -> None:
    """Correct the arguments in a whole response."""
    for choice in member(response, "choices"):
        cut_off = member(choice, "finish_reason") in _CUT_OFF
        calls = [*(member(member(choice, "message"), "tool_calls") or ())]
        for call in calls:
            function = member(call, "function")
            given = member(function, "arguments")
            is_cut_off = cut_off and call is calls[-1]
            text = tools.text(member(function, "name"), given, cut_off=is_cut_off)
            if text is not given:
                put(function, "arguments", text)


class ChatStream:
    """Corrects a stream of `ModelResponseStream`.

    Fragments of arguments become empty ones, and the corrected text follows in one piece. Clients
    take a call for complete when the next one begins. So calls are sent one after the other: if the
    text of one is not JSON when the next begins, the next waits.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._budget = HeldBack()
        self._choices: dict[int, _Calls] = {}
        self._last: Any = None

    def feed(self, chunk: Any) -> list[Any]:
        """Return the chunks to send for a chunk."""
        given = [(c, c.delta.tool_calls or (), c.finish_reason) for c in chunk.choices]
        if not any(fragments or (end and c.index in self._choices) for c, fragments, end in given):
            return [chunk]
        if not self._budget.allows(_arguments(f) for _, fragments, _ in given for f in fragments):
            return [*self.finish(as_sent=True), chunk]
        self._last = chunk
        before: list[Any] = []
        after: list[Any] = []
        kept: list[Any] = []
        for choice, fragments, end in given:
            calls = self._choices.setdefault(choice.index, _Calls(self._tools))
            shown = [part for f in fragments for part in calls.take(f, shows=not end)]
            released = calls.released(self._tools, finished=bool(end), cut_off=end in _CUT_OFF)
            (before if end else after).extend(self._chunk(choice.index, part) for part in released)
            delta = choice.delta.model_copy(update={"tool_calls": shown or None})
            kept.append(choice.model_copy(update={"delta": delta}) if fragments else choice)
        return [*before, chunk.model_copy(update={"choices": kept}), *after]

    def finish(self, *, as_sent: bool = False) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        tools = None if as_sent else self._tools
        return [
            self._chunk(index, part)
            for index, calls in self._choices.items()
            for part in calls.released(tools, finished=True, cut_off=True)
        ]

    def _chunk(self, index: int, fragment: Any) -> ModelResponseStream:
        return _chunk_after(self._last, index, tool_calls=[fragment])


def _chunk_after(last: Any, index: int, **delta: Any) -> ModelResponseStream:
    choice = StreamingChoices(index=index, delta=Delta(**delta))
    return ModelResponseStream([choice], id=last.id, created=last.created, model=last.model)


def _arguments(fragment: Any) -> str:
    return member(member(fragment, "function"), "arguments") or ""


class _Calls(CallPieces):
    """The calls of one choice, in their order; those that are held back are `_open`."""

    def __init__(self, tools: RequestTools) -> None:
        super().__init__(tools)
        self._waiting: dict[OpenCall, list[Any]] = {}
        """For each of them, the other members of its fragments, if it waits."""
        self._takes_turns = False
        """True if a fragment was of an earlier call than the one before it."""

    def take(self, fragment: Any, *, shows: bool) -> Iterator[Any]:
        """Hold back what a fragment has of arguments; yield what is to be seen of it at once."""
        function, count = member(fragment, "function"), len(self._calls)
        call = None
        if function is not None:
            call = self.add_piece(
                function.arguments, key=fragment.index, id_=fragment.id, name=function.name
            )
        if call is not None and len(self._calls) > count:
            if count:
                former = self._calls[count - 1]
                former.exact = former.is_whole
            call.extras["index"] = fragment.index
            self._waiting[call] = []
        if call is None or call not in self._waiting:
            yield fragment  # of a custom tool, which takes text; or behind what was JSON already
            return
        self._takes_turns |= call is not self._calls[-1]
        rest = _with_arguments(fragment, "")
        if shows and call is self._open[0]:
            yield rest
        elif fragment.id or function.name or fragment.model_extra:
            self._waiting[call].append(rest)

    def released(
        self, tools: RequestTools | None, *, finished: bool, cut_off: bool
    ) -> Iterator[Any]:
        """Calls that need not wait any longer, corrected if there are tools."""
        while self._open and (finished or (self._open[0].exact and len(self._open) > 1)):
            call = self._open.pop(0)
            waiting = self._waiting.pop(call)
            is_cut_off = cut_off and (self._takes_turns or not self._open)
            text = call.written if tools is None else tools.call_text(call, cut_off=is_cut_off)
            if waiting:
                yield from waiting[:-1]
                yield _with_arguments(waiting[-1], text)
            elif text:
                function, index = Function(name=None, arguments=text), call.extras["index"]
                yield ChatCompletionDeltaToolCall(index=index, type="function", function=function)
        if self._open:
            waiting = self._waiting[self._open[0]]
            yield from waiting
            waiting.clear()


def _with_arguments(fragment: Any, text: str) -> Any:
    function = Function(name=fragment.function.name, arguments=text)
    return fragment.model_copy(update={"function": function})


def extract_chat_calls(response: Any, tools: RequestTools) -> None:
    """Take the calls out of the text of a whole response, where it has no others."""
    for choice in member(response, "choices"):
        message = member(choice, "message")
        content = member(message, "content")
        if not isinstance(content, str) or member(message, "tool_calls"):
            continue
        ended = member(choice, "finish_reason") == "stop"
        prose, calls = tools.text_calls_reader().all_of(content, whole=ended)
        if calls:
            made: list[Any] = [
                {
                    "id": f"call_{call.number}",
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.text},
                }
                for call in calls
            ]
            if not isinstance(message, Mapping):
                made = [ChatCompletionMessageToolCall(**each) for each in made]
            put(message, "tool_calls", made)
            put(message, "content", prose if prose.strip() else None)
            if ended:
                put(choice, "finish_reason", "tool_calls")


class ChatTextStream:
    """Takes the calls out of the text of a stream of `ModelResponseStream`.

    Each call is sent whole, before the chunk that has the last of it.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._choices: dict[int, _Choice] = {}
        self._last: Any = None

    def feed(self, chunk: Any) -> list[Any]:
        """Return the chunks to send for a chunk."""
        kept: list[Any] = []
        calls: list[tuple[int, Any]] = []
        for choice in chunk.choices:
            if choice.index not in self._choices and choice.delta.content:
                self._choices[choice.index] = _Choice(self._tools.text_calls_reader())
            reading = self._choices.get(choice.index)
            kept.append(choice if reading is None else reading.take(choice, calls))
        self._last = chunk
        made = [_chunk_after(chunk, index, tool_calls=[call]) for index, call in calls]
        if any(ours is not theirs for ours, theirs in zip(kept, chunk.choices, strict=True)):
            chunk = chunk.model_copy(update={"choices": kept})
        return [*made, chunk]

    def finish(self) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        sent: list[Any] = []
        for index, choice in self._choices.items():
            prose, calls = choice.finish(whole=False)
            sent += [_chunk_after(self._last, index, content=prose)] if prose else []
            sent += [_chunk_after(self._last, index, tool_calls=[call]) for call in calls]
        return sent


class _Choice:
    """The text of one choice, and how many calls were in it."""

    def __init__(self, text: TextCalls) -> None:
        self._text = text
        self._count = 0

    def take(self, choice: Any, calls: list[tuple[int, Any]]) -> Any:
        """Return the choice as it should be; the calls that it completes are added to a list."""
        delta, end = choice.delta, choice.finish_reason
        prose, made = "", list[Any]()
        if delta.content:
            prose, made = self._made(*self._text.feed(delta.content))
        if end or delta.tool_calls:
            rest, others = self.finish(whole=end == "stop")
            prose, made = prose + rest, made + others
        calls.extend((choice.index, call) for call in made)
        changed: dict[str, Any] = {}
        if prose != (delta.content or ""):
            changed["content"] = prose
        if delta.tool_calls and self._count:
            changed["tool_calls"] = [
                call.model_copy(update={"index": call.index + self._count})
                for call in delta.tool_calls
            ]
        reason = "tool_calls" if end == "stop" and self._count else end
        if not changed and reason == end:
            return choice
        delta = delta.model_copy(update=changed)
        return choice.model_copy(update={"delta": delta, "finish_reason": reason})

    def finish(self, *, whole: bool) -> tuple[str, list[Any]]:
        """Return what is left at the end of the text."""
        return self._made(*self._text.finish(whole=whole))

    def _made(self, prose: str, calls: list[ReadCall]) -> tuple[str, list[Any]]:
        first = self._count
        self._count += len(calls)
        return prose, [
            ChatCompletionDeltaToolCall(
                index=index,
                id=f"call_{call.number}",
                type="function",
                function=Function(name=call.name, arguments=call.text),
            )
            for index, call in enumerate(calls, first)
        ]
