"""LiteLLM's streams without calls, without an end, of an unknown shape, and many at once."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from schema2model.extras import needs

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise
pytest.importorskip("litellm", reason=needs("litellm"))
from faulty_pieces import BOTH, FAULTS, OSLO, ROME, pieces
from litellm.types.llms.openai import GenericEvent
from litellm_streams import (
    TOOLS,
    chat_chunk,
    chat_fragment,
    read_chat,
    read_responses,
    sse,
    streamed,
)

from schema2model.adapters.litellm import apis, coercion

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning"),  # LiteLLM's own
]


def test_what_has_no_calls_is_passed_on_itself() -> None:
    """Not a copy of it; so does everything where there are no tools."""
    chunks = [chat_chunk(0, {"content": "a"}), chat_chunk(0, {}, "stop")]
    assert all(a is b for a, b in zip(streamed(chunks, TOOLS["chat"]), chunks, strict=True))
    chunks = [chat_fragment(0, 0, "search", '{"limit": "1"}')]
    for tools in (None, [], "tools", [{"type": "web_search"}]):
        assert streamed(chunks, tools) == chunks


def streams(calls: list[tuple[str, str]], size: int) -> dict[str, list[Any]]:
    """The same calls as a stream of each API, without an end."""
    cut = [
        (n, name, t[i : i + size])
        for n, (name, t) in enumerate(calls)
        for i in range(0, len(t), size)
    ]
    begun: set[int] = set()
    found: dict[str, list[Any]] = {"chat": [], "messages": [], "responses": []}
    for number, name, piece in cut:
        if number not in begun:
            block = {"type": "tool_use", "name": name, "input": {}}
            item = {"type": "function_call", "name": name, "arguments": ""}
            found["messages"].append(sse("content_block_start", index=number, content_block=block))
            added = {"type": "response.output_item.added", "output_index": number, "item": item}
            found["responses"].append(GenericEvent(**added))
        found["chat"].append(chat_fragment(0, number, None if number in begun else name, piece))
        delta = {"type": "input_json_delta", "partial_json": piece}
        found["messages"].append(sse("content_block_delta", index=number, delta=delta))
        event = {"type": "response.function_call_arguments.delta", "output_index": number}
        found["responses"].append(GenericEvent(**event, delta=piece))
        begun.add(number)
    return found


def arguments_in(api: str, got: list[Any]) -> list[str]:
    """All arguments in what was sent."""
    if api == "chat":
        return [text for _, text in read_chat(got)[0].values()]
    if api == "messages":
        frames = b"".join(got).split(b"\n\n")[:-1]
        events = [json.loads(frame.partition(b"data: ")[2]) for frame in frames]
        texts = {e["index"]: "" for e in events}
        for e in events:
            texts[e["index"]] += e.get("delta", {}).get("partial_json", "")
        return [*texts.values()]
    return read_responses(got)["delta"]


@pytest.mark.parametrize("api", TOOLS)
def test_a_stream_without_an_end_is_held_back_within_bounds(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From there on it is passed on as it comes, and nothing of it is lost or changed."""
    monkeypatch.setattr(apis, "MAX_STREAMED_TEXT", 2_000)
    calls = [("search", '{"limit": "1"}'), ("search", '{"tags": ["' + "a" * 900)]
    chunks = streams(calls, 20)[api]
    got = streamed(chunks, TOOLS[api])
    first, second = arguments_in(api, got)
    assert first == ('{"limit":1}' if api == "chat" else calls[0][1])  # no end, no correction
    assert second == calls[1][1]
    held = [a for a, b in zip(got[-20:], chunks[-20:], strict=True) if a != b]
    assert not held


@pytest.mark.parametrize("api", TOOLS)
def test_chunks_of_an_unknown_shape_are_passed_on(
    api: str, caplog: pytest.LogCaptureFixture
) -> None:
    """LiteLLM's chunks change from version to version. What is held goes before them."""
    chunks = streams([("search", '{"limit": "1", ')], 20)[api]
    strange: list[Any] = [None, 3, {"delta": 1}, object()]
    got = streamed([*chunks, *strange, *chunks], TOOLS[api])
    assert got[-len(chunks) - len(strange) :] == [*strange, *chunks]
    assert arguments_in(api, got[: -len(chunks) - len(strange)]) == ['{"limit": "1", ']
    assert "a stream goes on as it comes" in caplog.text
    assert streamed(strange, TOOLS[api]) == strange


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_arguments_that_are_no_text_are_passed_on(api: str) -> None:
    """As what else is strange: what was held goes before them, and nothing is raised."""
    chunks = streams([("search", '{"limit": "1", ')], 20)[api]
    strange = chunks[-1].model_copy(deep=True)
    if api == "chat":
        strange.choices[0].delta.tool_calls[0].function.arguments = {"limit": 1}
    else:
        strange.delta = {"limit": 1}
    got = streamed([*chunks, strange, *chunks], TOOLS[api])
    assert got[-len(chunks) - 1 :] == [strange, *chunks]
    assert arguments_in(api, got[: -len(chunks) - 1]) == ['{"limit": "1", ']


NUMBERS = {"Ro": "1", "me": "2", "Oslo": "3"}
RIGHT = dict(zip(map(repr, BOTH), ('{"city":12}', '{"tags":[3]}'), strict=True))


@pytest.mark.parametrize("fault", [name for name in FAULTS if "an object in place" not in name])
def test_calls_of_faulty_streams_are_corrected_if_an_assembler_reads_them(fault: str) -> None:
    """The others stay as they came: the agent that runs the tools refuses them."""
    properties = {"city": {"type": "integer"}, "tags": {"items": {"type": "integer"}}}
    parameters = {"type": "object", "properties": properties, "additionalProperties": False}
    names = ("get_weather", "set_alarm", "get")
    tools = [{"type": "function", "function": {"name": n, "parameters": parameters}} for n in names]
    change, expected = FAULTS[fault]
    chunks, given = [], ""
    for piece in change(pieces(ROME, OSLO)):
        text = re.sub("Ro|me|Oslo", lambda found: NUMBERS[found[0]], piece.get("arguments") or "")
        function = {"name": piece.get("name"), "arguments": text}
        call = {"index": piece.get("index"), "id": piece.get("id"), "function": function}
        chunks.append(chat_chunk(0, {"tool_calls": [call]}))
        given += text
    got = streamed([*chunks, chat_chunk(0, {}, "tool_calls")], tools)
    parts = [part for chunk in got for part in chunk.choices[0].delta.tool_calls or ()]
    sent = [part.function.arguments for part in parts if part.function.arguments]
    corrected = [text for text in sent if text in RIGHT.values()]
    read = [BOTH[1]] if expected is None else [each for each in expected if each is not None]
    assert corrected == [RIGHT[repr(each)] for each in read]
    if not read:
        assert sorted("".join(sent)) == sorted(given)


@pytest.mark.parametrize("api", ["messages", "responses"])
@pytest.mark.parametrize(("heads", "right"), [(1, '{"limit":1}'), (2, '{"limit": "1"}')])
def test_fragments_at_an_index_used_twice_stay_as_they_are(
    api: str, heads: int, right: str
) -> None:
    """Nobody knows of which of the two calls they are."""
    head, fragment = streams([("search", '{"limit": "1"}')], 20)[api]
    end = sse("content_block_stop", index=0)
    if api == "responses":
        item = {"type": "function_call", "name": "search", "arguments": ""}
        end = GenericEvent(type="response.output_item.done", output_index=0, item=item)
    got = streamed([head] * heads + [fragment, end], TOOLS[api])
    assert "".join(arguments_in(api, got)) == right


def test_a_call_of_a_tool_without_parameters_is_complete_without_arguments() -> None:
    """So the fragments after the next head at its index are of the next call."""
    tools = [{"type": "function", "function": {"name": "refresh"}}, *TOOLS["chat"]]
    for text in ("", "{}"):
        chunks = [chat_fragment(0, 0, "refresh", text), chat_fragment(0, 0, "search", "")]
        chunks[1].choices[0].delta.tool_calls[0].id = "another"
        chunks += [chat_fragment(0, 0, None, '{"limit": "1"}'), chat_chunk(0, {}, "tool_calls")]
        parts = [p for c in streamed(chunks, tools) for p in c.choices[0].delta.tool_calls or ()]
        assert "".join(part.function.arguments for part in parts) == text + '{"limit":1}'


def test_streams_at_once_are_kept_apart() -> None:
    """One callback serves them all."""

    async def one(number: int) -> str:
        async def source() -> AsyncIterator[Any]:
            yield chat_fragment(0, 0, "search", '{"limit": ')
            await asyncio.sleep(0)
            yield chat_fragment(0, 0, None, f'"{number}"}}')
            await asyncio.sleep(0)
            yield chat_chunk(0, {}, "tool_calls")

        got = [chunk async for chunk in coercion.stream(source(), TOOLS["chat"])]
        return read_chat(got)[0][0, 0][1]

    async def run() -> list[str]:
        return await asyncio.gather(*map(one, range(20)))

    assert asyncio.run(run()) == [f'{{"limit":{number}}}' for number in range(20)]
