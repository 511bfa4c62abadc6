"""Replies with calls as the streams of each provider, whole and with the faults of servers."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple


class Sent(NamedTuple):
    """A call as a model makes it: in pieces of its argument text."""

    id: str
    name: str
    pieces: Sequence[str]

    @property
    def text(self) -> str:
        """Its arguments."""
        return "".join(self.pieces)


def delta(reason: str | None = None, *calls: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A chunk of chat completions. A call is written flat, without `function`."""
    nested = []
    for call in calls:
        function = {key: call[key] for key in ("name", "arguments") if key in call}
        rest = {key: call[key] for key in call if key not in function}
        nested.append({**rest, "function": function})
    choice = {"index": 0, "delta": {**({"tool_calls": nested} if nested else {}), **members}}
    return {"object": "chat.completion.chunk", "choices": [{**choice, "finish_reason": reason}]}


def chat(*deltas: dict[str, Any] | list[dict[str, Any]], reason: str | None = "tool_calls") -> Any:
    """A stream of chat completions, a delta each, or several in one chunk, then its end."""
    chunks = [delta(None, *(each if isinstance(each, list) else [each])) for each in deltas]
    return [*chunks, delta(reason), {"choices": [], "usage": {"total_tokens": 1}}]


def responses(*events: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A stream of the Responses API."""
    return [{"type": f"response.{kind}", "sequence_number": n, **e} for n, (kind, e) in enumerate(events)]  # fmt: skip  # noqa: E501


def _openai(calls: Sequence[Sent], order: Iterable[int], reason: str) -> list[Any]:
    first = {"chat": "length", "whole": "tool_calls"}[reason]
    deltas: list[Any] = [delta(role="assistant", content=None)]
    taken = dict.fromkeys(range(len(calls)), 0)
    for index in order:
        call, number = calls[index], taken[index]
        if not number:
            head = {"index": index, "id": call.id, "type": "function", "name": call.name}
            deltas.append(delta(None, {**head, "arguments": ""}))
        deltas.append(delta(None, {"index": index, "arguments": call.pieces[number]}))
        taken[index] += 1
    return [*deltas, delta(first)]


def _responses(calls: Sequence[Sent], order: Iterable[int], reason: str) -> list[Any]:
    events: list[tuple[str, dict[str, Any]]] = [("created", {})]
    taken = dict.fromkeys(range(len(calls)), 0)
    for index in order:
        call, number = calls[index], taken[index]
        where = {"output_index": index}
        item = {"type": "function_call", "id": f"i{index}", "call_id": call.id, "name": call.name}
        if not number:
            events.append(("output_item.added", {**where, "item": {**item, "arguments": ""}}))
        piece = {**where, "item_id": f"i{index}", "delta": call.pieces[number]}
        events.append(("function_call_arguments.delta", piece))
        taken[index] += 1
        if taken[index] == len(call.pieces) and (reason == "whole" or index < len(calls) - 1):
            whole = {"item_id": f"i{index}", **where, "arguments": call.text}
            events.append(("function_call_arguments.done", whole))
            done = {**item, "arguments": call.text, "status": "completed"}
            events.append(("output_item.done", {**where, "item": done}))
    status = {"chat": "incomplete", "whole": "completed"}[reason]
    return responses(*events, (status, {"response": {"status": status, "output": []}}))


def _anthropic(calls: Sequence[Sent], order: Iterable[int], reason: str) -> list[Any]:
    events: list[Any] = [{"type": "message_start", "message": {"role": "assistant"}}]
    taken = dict.fromkeys(range(len(calls)), 0)
    for index in order:
        call, number = calls[index], taken[index]
        if not number:
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            events.append({"type": "content_block_start", "index": index, "content_block": block})
        piece = {"type": "input_json_delta", "partial_json": call.pieces[number]}
        events.append({"type": "content_block_delta", "index": index, "delta": piece})
        taken[index] += 1
        if taken[index] == len(call.pieces):
            events.append({"type": "content_block_stop", "index": index})
    stop = {"chat": "max_tokens", "whole": "tool_use"}[reason]
    end = {"type": "message_delta", "delta": {"stop_reason": stop}}
    return [*events, end, {"type": "message_stop"}]


def _langchain(calls: Sequence[Sent], order: Iterable[int], reason: str) -> list[Any]:
    chunks: list[Any] = [{"type": "AIMessageChunk", "content": "", "tool_call_chunks": []}]
    taken = dict.fromkeys(range(len(calls)), 0)
    for index in order:
        call, number = calls[index], taken[index]
        piece = {"index": index, "args": call.pieces[number], "id": None, "name": None}
        if not number:
            piece.update(id=call.id, name=call.name)
        chunks.append({"type": "AIMessageChunk", "content": "", "tool_call_chunks": [piece]})
        taken[index] += 1
    end = {"finish_reason": {"chat": "length", "whole": "tool_calls"}[reason]}
    return [*chunks, {"content": "", "tool_call_chunks": [], "response_metadata": end}]


PROVIDERS: dict[str, Callable[[Sequence[Sent], Iterable[int], str], list[Any]]] = {
    "openai": _openai,
    "litellm": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "langchain": _langchain,
}
"""The writers of streams whose arguments are text in pieces: all but Gemini's."""


def chunks_of(
    provider: str, calls: Sequence[Sent], order: Sequence[int] | None = None, *, cut: bool = False
) -> list[Any]:
    """A stream as its provider documents it.

    Args:
        provider: one of `PROVIDERS`.
        calls: the calls of the reply.
        order: the index of the call of each piece; one call after the other by default.
        cut: whether the reply ended too soon.

    """
    if order is None:
        one_by_one = ([index] * len(call.pieces) for index, call in enumerate(calls))
        order = [*itertools.chain.from_iterable(one_by_one)]
    chunks = PROVIDERS[provider](calls, order, "chat" if cut else "whole")
    return json.loads(json.dumps(chunks))  # type: ignore[no-any-return]
