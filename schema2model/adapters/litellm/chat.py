"""Chat completions: correct `choices[].message.tool_calls`; make such calls of those in text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litellm.types.utils import (
    ChatCompletionDeltaToolCall,
    ChatCompletionMessageToolCall,
    Delta,
    Function,
    ModelResponseStream,
    StreamingChoices,
)

from schema2model.adapters.litellm.arguments import RequestTools, put
from schema2model.adapters.litellm.calls_in_text import ReadCall, TextCalls
from schema2model.tools.providers.definitions import member

__all__ = ["ChatTextStream", "extract_chat_calls"]


def _chunk_after(last: Any, index: int, **delta: Any) -> ModelResponseStream:
    choice = StreamingChoices(index=index, delta=Delta(**delta))
    return ModelResponseStream([choice], id=last.id, created=last.created, model=last.model)


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
