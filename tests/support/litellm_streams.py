"""Answers of each of LiteLLM's APIs as streams: how they are written, cut, sent and read."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import strategies as st
from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices
from probe import EXACT, HOPELESS, SCHEMA, STRINGS

from schema2model.adapters.litellm import Coercion, coercion

FUNCTION = {"name": "search", "parameters": SCHEMA}
TOOLS: dict[str, list[Any]] = {
    "chat": [{"type": "function", "function": FUNCTION}],
    "messages": [{"name": "search", "input_schema": SCHEMA}],
    "responses": [{"type": "function", **FUNCTION}],
}
READING = Coercion(text_calls=True)
RIGHT = '{"tags":  ["a"], "limit": 1}'

TEXTS = st.sampled_from(
    [
        *(json.dumps(STRINGS), json.dumps(EXACT), json.dumps(HOPELESS), RIGHT, ""),
        *(
            '{"limit": "1", "tags": ["a"',
            '{"limit": "1", "tags": ["a',
            "{'limit': 3,}",
            "{",
            "null",
        ),
        *(
            '{"limit": 3}{"limit": 3}',
            '{"limit": 3}{"limit": 4}',
            "ünïcode",
            '{"limit": "\\u00e9"}',
        ),
    ]
)
NAMES = st.sampled_from(["search", "search", "unknown"])
CALLS = st.lists(st.tuples(NAMES, TEXTS), max_size=4)
ENDS = st.sampled_from(["finished", "limited", "early", "error"])


def error_of(end: str) -> Exception | None:
    """What a stream ends with."""
    return ConnectionError() if end == "error" else None


def pieces(draw: st.DrawFn, text: Any) -> list[Any]:
    """A text or bytes, cut anywhere."""
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=4).map(sorted))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def streamed(
    chunks: list[Any], tools: Any, callback: Coercion = coercion, error: Exception | None = None
) -> list[Any]:
    """What is sent for chunks, also if an error follows them."""

    async def source() -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk
        if error is not None:
            raise error

    async def run() -> list[Any]:
        sent: list[Any] = []
        with contextlib.nullcontext() if error is None else pytest.raises(type(error)):
            async for chunk in callback.stream(source(), tools):
                sent.append(chunk)  # noqa: PERF401 - what came before an error counts
        return sent

    return asyncio.run(run())


def chat_chunk(index: int, delta: dict[str, Any], reason: str | None = None) -> Any:
    """One of LiteLLM's."""
    choice = StreamingChoices(index=index, delta=Delta(**delta), finish_reason=reason)
    return ModelResponseStream([choice], id="1", created=1, model="m")


def chat_fragment(index: int, call: int, name: str | None, text: str) -> Any:
    """A chunk with a fragment of a call; the first one has its name."""
    head = {"id": f"call_{call}", "type": "function"} if name else {}
    fragment = {"index": call, **head, "function": {"name": name, "arguments": text}}
    said = {"content": "…"} if name else {}
    return chat_chunk(index, {"tool_calls": [fragment], **said})


def read_chat(chunks: list[Any]) -> tuple[dict[Any, tuple[str, str]], str, list[Any]]:
    """Calls, text and ends, as clients put them together; a call is over when the next begins."""
    found: dict[Any, list[str]] = {}
    over: dict[Any, list[str]] = {}
    text, ends = "", []
    for choice in (choice for chunk in chunks for choice in chunk.choices):
        text += choice.delta.content or ""
        for part in choice.delta.tool_calls or ():
            key = choice.index, part.index
            if key not in found:
                assert part.id == f"call_{part.index}"
                over |= {k: [*v] for k, v in found.items() if k[0] == choice.index}
            call = found.setdefault(key, ["", ""])
            call[0] += part.function.name or ""
            call[1] += part.function.arguments
        if choice.finish_reason:
            ends.append((choice.index, choice.finish_reason))
    assert all(found[key] == call for key, call in over.items())
    return {key: (name, text) for key, (name, text) in found.items()}, text, ends


def sse(kind: str, **members: Any) -> bytes:
    """An event of Anthropic's."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


def read_responses(events: list[Any]) -> dict[str, list[Any]]:
    """Each of the copies of the arguments that a stream holds."""
    found: dict[str, list[Any]] = {"delta": [], "done": [], "item": [], "response": []}
    for event in events:
        kind = event.type
        if kind == "response.output_item.added":
            found["delta"].append("")
        elif kind == "response.function_call_arguments.delta":
            found["delta"][event.output_index] += event.delta
        elif kind == "response.function_call_arguments.done":
            found["done"].append(event.arguments)
        elif kind == "response.output_item.done":
            found["item"].append(event.item["arguments"])
        elif kind in {"response.completed", "response.incomplete"}:
            found["response"] = [item["arguments"] for item in event.response.output]
    return found
