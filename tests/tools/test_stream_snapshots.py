"""Streams that repeat what they have sent, go on after an end, or lose a name or an end."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st
from reply_streams import PROVIDERS, Sent, chunks_of

from schema2model import Toolset

TOOLS = Toolset(
    [
        {
            "name": "book",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
                "required": ["city"],
            },
        },
        {"name": "now", "parameters": {"properties": {"zone": {"type": "string"}}}},
    ]
)
WHOLE = '{"city": "Rome", "nights": 3}'
READ = ("book", {"city": "Rome", "nights": 3})


def calls_of(provider: Any, chunks: Sequence[Any]) -> list[Any]:
    """The calls of a stream, or the texts of their errors."""
    assembler = TOOLS.assembler(provider)
    for chunk in chunks:
        assembler.feed(chunk)
    return [
        str(call.error) if call.error else (call.name, call.arguments)
        for call in assembler.finish().calls
    ]


def piece(arguments: str | None, **own: Any) -> dict[str, Any]:
    """A piece of a call of chat completions."""
    function = {"arguments": arguments, "name": own.pop("name", None)}
    return {"index": 0, "function": {k: v for k, v in function.items() if v is not None}, **own}


def chat(*pieces: Any, reason: str | None = "tool_calls") -> list[Any]:
    """Chunks of chat completions."""
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in pieces]
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]


def langchain(*pieces: Any) -> list[Any]:
    """Chunks of LangChain."""
    parts = [
        {
            "index": each["index"],
            "args": each["function"].get("arguments"),
            "name": each["function"].get("name"),
            "id": each.get("id"),
        }
        for each in pieces
    ]
    end = {"content": "", "response_metadata": {"finish_reason": "tool_calls"}}
    return [*({"content": "", "tool_call_chunks": [each]} for each in parts), end]


@given(
    city=st.text(),
    cuts=st.lists(st.integers(1, 80), max_size=6),
    repeats=st.integers(0, 1),
    identified=st.sampled_from(["first", "all", "none"]),
    encode=st.sampled_from([chat, langchain]),
)
def test_snapshots_of_the_arguments_are_one_reading(
    city: str, cuts: list[int], repeats: int, identified: str, encode: Any
) -> None:
    """Each piece begins with the whole of the last: the call is that of the last piece."""
    text = json.dumps({"city": city, "nights": 3})
    ends = [*sorted({min(cut, len(text)) for cut in cuts}), *[len(text)] * (1 + repeats)]
    own = {"id": "1", "name": "book"}
    named = own if identified == "all" else {}
    snapshots = [text[:end] for end in ends]
    pieces = [piece(snapshots[0], **own), *(piece(each, **named) for each in snapshots[1:])]
    provider = "openai" if encode is chat else "langchain"
    assert calls_of(provider, encode(*pieces)) == [("book", {"city": city, "nights": 3})]


def test_the_last_snapshot_may_be_cut_off() -> None:
    """Then the call is, too."""
    (error,) = calls_of(
        "openai",
        chat(piece('{"ci', id="1", name="book"), piece('{"city": "Ro'), reason="length"),
    )
    assert "the reply ended before" in error or "cut off" in error


@pytest.mark.parametrize(
    "pieces",
    [
        (piece('{"city": "Rome"}', id="1", name="book"), piece('{"city": "Oslo"}')),
        (piece('{"city": "Rome"}{"city": "Oslo"}', id="1", name="book"),),
        (piece('{"city": "Rome"}', id="1", name="book"), piece('{"city": "Oslo"}', id="1")),
    ],
)
def test_two_objects_under_one_index_are_refused(pieces: Any) -> None:
    """Where nothing says that there are two calls, nobody knows which is meant."""
    (error,) = calls_of("openai", chat(*pieces))
    assert "could not be separated" in error


@pytest.mark.parametrize("own", [{"id": "2"}, {"id": "2", "name": "book"}, {"name": "book"}])
def test_two_objects_under_one_index_that_are_told_apart_are_two_calls(own: Any) -> None:
    """By an id or a name of their own; without a name, the second is refused."""
    second = piece('{"city": "Oslo"}', **own)
    first, other = calls_of("openai", chat(piece(WHOLE, id="1", name="book"), second))
    assert first == READ
    assert other == ("book", {"city": "Oslo"}) or "without the name of a tool" in other


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_that_is_fed_is_changed(provider: Any) -> None:
    """Although the text of a call is repaired in the message."""
    pieces = ["{'city': 'Rome',", " 'nights': '3',}"]
    chunks = chunks_of(provider, [Sent("1", "book", pieces), Sent("2", "now", ["{}"])])
    before = copy.deepcopy(chunks)
    assert calls_of(provider, chunks) == [READ, ("now", {})]
    assert chunks == before


STOP = {"type": "content_block_stop", "index": 0}


def test_arguments_without_a_name_are_an_error_that_says_so() -> None:
    """It names no tool, and does not list those that there are."""
    assert calls_of("openai", chat(piece(WHOLE))) == [
        "A call without the name of a tool was sent; send the whole call again."
    ]
    assert calls_of("openai", chat(piece("{}", id="1"))) == []


def gemini(*parts: Any, reason: str | None = None) -> dict[str, Any]:
    """A chunk of Gemini, or a whole response."""
    end = {} if reason is None else {"finishReason": reason}
    return {"candidates": [{"content": {"parts": [*parts]}, **end}]}


@pytest.mark.parametrize("path", ["$.nights", "$.city"])
@pytest.mark.parametrize("reason", ["MAX_TOKENS", None])
def test_a_call_of_gemini_that_is_cut_off_says_so(path: str, reason: str | None) -> None:
    """Not that a property is missing, which the model has just not come to."""
    kind = "numberValue" if path == "$.nights" else "stringValue"
    value = {"jsonPath": path, kind: 3 if path == "$.nights" else "Ro"}
    call = {"name": "book", "willContinue": True, "partialArgs": [value]}
    end = [] if reason is None else [gemini(reason=reason)]
    (error,) = calls_of("gemini", [gemini({"functionCall": call}), *end])
    assert "the reply ended before the arguments were complete" in error
    assert "missing" not in error


@pytest.mark.parametrize("parts", [[], [{"text": "print(book(city='Rome'))"}]])
def test_a_call_that_gemini_threw_away_is_asked_for_again(parts: Any) -> None:
    """`MALFORMED_FUNCTION_CALL` would end the loop of an agent without a word."""
    response = gemini(*parts, reason="MALFORMED_FUNCTION_CALL")
    assembler = TOOLS.assembler("gemini")
    assembler.feed(response)
    for message in (response, assembler.finish()):
        (again,) = TOOLS.answer(message)
        assert again["role"] == "user"
        assert "Write the whole call again" in again["parts"][0]["text"]
    said = {"role": "assistant", "content": ""}
    reply = {"choices": [{"message": said, "finish_reason": "malformed_function_call"}]}
    (again,) = TOOLS.answer(reply)
    assert "Write the whole call again" in again["content"]
    assert TOOLS.answer(gemini({"text": "Done."}, reason="STOP")) == []


def test_a_chunk_of_chat_completions_is_read_as_ever() -> None:
    """Pieces that happen to repeat what came before, and are JSON only together."""
    for pieces in (['{"', '{": 1, "city": "x"}'], ['{"', '{": 1, "city": "x', '"}']):
        chunks = chat(*(piece(each, id="1", name="book") for each in pieces))
        assert calls_of("openai", chunks) == [("book", {"{": 1, "city": "x"})]
