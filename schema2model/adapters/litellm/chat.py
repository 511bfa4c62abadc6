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
from schema2model.adapters.litellm.calls_in_text import ReadCall
from schema2model.limits import MAX_STREAMED_TEXT
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
        prose, calls = tools.read_text(content, whole=ended)
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

    The text of a choice is shown when it has ended, and before it the calls in it.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._texts: dict[int, list[str]] = {}  # of choices that have not ended
        self._counts: dict[int, int] = {}  # of the calls in them
        self._last: Any = None

    def feed(self, chunk: Any) -> list[Any]:
        """Return the chunks to send for a chunk."""
        made: list[Any] = []
        kept = [self._taken(choice, chunk, made) for choice in chunk.choices]
        self._last = chunk
        if any(ours is not theirs for ours, theirs in zip(kept, chunk.choices, strict=True)):
            chunk = chunk.model_copy(update={"choices": kept})
        return [*made, chunk]

    def finish(self) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        sent: list[Any] = []
        for index in [*self._texts]:
            prose, calls = self._read(index, self._last, whole=False)
            sent += [_chunk_after(self._last, index, content=prose)] if prose else []
            sent += calls
        return sent

    def _taken(self, choice: Any, chunk: Any, made: list[Any]) -> Any:
        """Return the choice as it should be; chunks with calls are added to a list."""
        delta, end, index = choice.delta, choice.finish_reason, choice.index
        if delta.content:
            self._texts.setdefault(index, []).append(delta.content)
        held = self._texts.get(index, ())
        prose = "" if delta.content else delta.content
        if held and (end or delta.tool_calls or sum(map(len, held)) > MAX_STREAMED_TEXT):
            prose, calls = self._read(index, chunk, whole=end == "stop")
            made += calls
        count = self._counts.get(index, 0)
        changed: dict[str, Any] = {} if prose == delta.content else {"content": prose}
        if delta.tool_calls and count:
            changed["tool_calls"] = [
                call.model_copy(update={"index": call.index + count}) for call in delta.tool_calls
            ]
        reason = "tool_calls" if end == "stop" and count else end
        if not changed and reason == end:
            return choice
        delta = delta.model_copy(update=changed)
        return choice.model_copy(update={"delta": delta, "finish_reason": reason})

    def _read(self, index: int, chunk: Any, *, whole: bool) -> tuple[str, list[Any]]:
        """Return the prose of a choice that has ended, and chunks with its calls."""
        prose, calls = self._tools.read_text("".join(self._texts.pop(index)), whole=whole)
        first = self._counts.get(index, 0)
        self._counts[index] = first + len(calls)
        return prose, [
            _chunk_after(chunk, index, tool_calls=[_piece(call, number)])
            for number, call in enumerate(calls, first)
        ]


def _piece(call: ReadCall, index: int) -> ChatCompletionDeltaToolCall:
    function = Function(name=call.name, arguments=call.text)
    return ChatCompletionDeltaToolCall(
        index=index, id=f"call_{call.number}", type="function", function=function
    )
