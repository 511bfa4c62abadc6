"""Calls in LiteLLM's streams, and in their text, are those of whole answers, wherever they end."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest

from schema2model.extras import needs

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise
pytest.importorskip("litellm", reason=needs("litellm"))
from hypothesis import given, strategies as st
from litellm.types.llms.openai import GenericEvent
from litellm_streams import (
    CALLS,
    ENDS,
    FUNCTION,
    READING,
    TOOLS,
    chat_chunk,
    chat_fragment,
    error_of,
    pieces,
    read_chat,
    read_responses,
    sse,
    streamed,
)
from probe import EXACT, STRINGS
from wire import is_json

from schema2model import Tool, ToolError, Toolset

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning"),  # LiteLLM's own
]


def expected(name: str, text: str, *, cut_off: bool = False) -> str:
    """What arguments should arrive as: the same, or the JSON that our tool makes of them."""
    if name != "search" or (cut_off and not is_json(text)):
        return text
    try:
        prepared = Tool.from_schema(FUNCTION).prepare(text)
    except ToolError:
        return text
    as_sent = not prepared.repaired and not prepared.changes
    return text if as_sent else prepared.canonical


# ---------------------------------------------------------------------------------- chunks
@st.composite
def chats(draw: st.DrawFn) -> tuple[list[Any], dict[Any, tuple[str, str]], str]:
    """Chunks of one or two choices, mixed, with the calls of each one after the other."""
    choices = [draw(CALLS) for _ in range(draw(st.integers(1, 2)))]
    end = draw(ENDS)
    reason = {"finished": "tool_calls", "limited": "length"}.get(end)
    queues: list[list[Any]] = []
    for index, calls in enumerate(choices):
        queue = []
        for number, (name, text) in enumerate(calls):
            for place, piece in enumerate(pieces(draw, text)):
                queue.append(chat_fragment(index, number, None if place else name, piece))
        queues.append([*queue, chat_chunk(index, {}, reason)] if reason else queue)
    order = draw(st.permutations([i for i, queue in enumerate(queues) for _ in queue]))
    chunks = [queues[i].pop(0) for i in order]
    sent = {(i, n): call for i, calls in enumerate(choices) for n, call in enumerate(calls)}
    return chunks, sent, end


@given(chats())
def test_calls_in_streams_of_chunks_are_those_of_whole_answers(drawn: Any) -> None:
    """However they are cut and mixed. All else stays, and nothing is lost where a stream ends."""
    chunks, sent, end = drawn
    before = [chunk.model_dump() for chunk in chunks]
    got = streamed(chunks, TOOLS["chat"], error=error_of(end))
    calls, text, ends = read_chat(got)
    cut_off = end != "finished"
    assert calls == {
        (choice, call): (
            name,
            expected(name, text, cut_off=cut_off and (choice, call + 1) not in sent),
        )
        for (choice, call), (name, text) in sent.items()
    }
    assert (text, ends) == read_chat(chunks)[1:]
    assert [chunk.model_dump() for chunk in chunks] == before  # LiteLLM's logs have them, too


def test_calls_that_are_mixed_wait_for_each_other() -> None:
    """No provider is known to mix them; where one does, clients get them one after the other."""
    chunks = [
        chat_fragment(0, 0, "search", '{"limit": '),
        chat_fragment(0, 1, "search", '{"limit"'),
        chat_fragment(0, 0, None, '"1"}'),
        chat_fragment(0, 1, None, ': "2"}'),
        chat_chunk(0, {}, "tool_calls"),
    ]
    calls, _, _ = read_chat(streamed(chunks, TOOLS["chat"]))
    assert calls == {(0, 0): ("search", '{"limit":1}'), (0, 1): ("search", '{"limit":2}')}


def test_a_call_that_is_mixed_with_the_last_one_may_be_cut_off_as_well() -> None:
    """Only one that nothing came of after the next began is complete in a limited answer."""
    first, rest = chat_fragment(0, 0, "search", "{'limit': 1"), chat_fragment(0, 0, None, "}")
    second = chat_fragment(0, 1, "search", '{"limit": ')
    end = chat_chunk(0, {}, "length")
    for chunks, right in (([first, rest, second], '{"limit":1}'), ([first, second, rest], None)):
        calls, _, _ = read_chat(streamed([*chunks, end], TOOLS["chat"]))
        assert calls[0, 0] == ("search", right or "{'limit': 1}")
        assert calls[0, 1] == ("search", '{"limit": ')


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    """Some providers count them all as the first."""
    chunks = [chat_fragment(0, 0, "search", '{"limit": "1"}') for _ in range(2)]
    chunks[1].choices[0].delta.tool_calls[0].id = "another"
    got = streamed([*chunks, chat_chunk(0, {}, "tool_calls")], TOOLS["chat"])
    parts = [p for c in got for p in c.choices[0].delta.tool_calls or ()]
    told = [(part.id, part.function.arguments) for part in parts]
    assert told == [("call_0", '{"limit":1}'), ("another", '{"limit":1}')]


HALF, REST = '{"limit": 1, "tags": ["a"]', ', "active": true}'


@pytest.mark.parametrize(
    ("heads", "texts", "right"),
    [
        pytest.param([{}, {"id": "b"}], [HALF, REST], [HALF, REST], id="a-new-id"),
        pytest.param(
            [{}, {"id": "b"}], ["", '{"limit": 1}'], ["", '{"limit": 1}'], id="after-the-name"
        ),
        pytest.param(
            [{}, {"id": "b", "name": "search"}],
            [HALF, "}"],
            [HALF, "}"],
            id="a-new-id-and-the-name",
        ),
        pytest.param([{}, {"index": 1}], [HALF, REST], [HALF, REST], id="an-index-without-a-head"),
        pytest.param(
            [{"id": None}, {"id": "b"}, {"id": "b"}],
            ["", '{"limit"', ': "1"}'],
            ["", "", "", '{"limit":1}'],
            id="the-id-late",
        ),
        pytest.param(
            [{}, {"id": "b", "name": "search"}, {}, {"id": "b"}],
            ['{"limit": "1', '{"limit": "2', '"}', '"}'],
            ['{"limit": "1"}', '{"limit":2}'],
            id="by-turns-at-one-index",
        ),
    ],
)
def test_arguments_that_may_be_of_two_calls_stay_as_they_are(
    heads: list[dict[str, Any]], texts: list[str], right: list[str]
) -> None:
    """A client that joins them by their index, and one that does not, get what the model wrote."""
    chunks = []
    for number, (head, text) in enumerate(zip(heads, texts, strict=True)):
        given = {"index": 0, "id": "a", **({"name": "search"} if number == 0 else {}), **head}
        if given["index"]:
            del given["id"]
        function = {"name": given.pop("name", None), "arguments": text}
        chunks.append(chat_chunk(0, {"tool_calls": [{**given, "function": function}]}))
    got = streamed([*chunks, chat_chunk(0, {}, "tool_calls")], TOOLS["chat"])
    parts = [p for c in got for p in c.choices[0].delta.tool_calls or ()]
    sent = [part.function.arguments for part in parts]
    assert [text for text in sent if text] == [text for text in right if text]


def test_what_else_a_fragment_holds_is_kept() -> None:
    """Custom tools' calls, and what providers add: a call that waits keeps it, too."""
    custom = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "n", "input": "1"}}
    chunks = [
        chat_chunk(0, {"tool_calls": [custom]}),
        chat_fragment(0, 1, "search", "{'limit': 1}"),
        chat_fragment(0, 2, "search", '{"limit": "2"}'),
        chat_chunk(0, {}, "tool_calls"),
    ]
    chunks[2].choices[0].delta.tool_calls[0].provider_specific_fields = {"signature": "s"}
    got = streamed(chunks, TOOLS["chat"])
    parts = [p for c in got for p in c.choices[0].delta.tool_calls or ()]
    assert parts[0].custom.input == "1"
    (last,) = [p for p in parts if p.index == 2]
    assert last.provider_specific_fields == {"signature": "s"}
    assert (last.id, last.function.arguments) == ("call_2", '{"limit":2}')


# ------------------------------------------------------------------- server-sent events
STOPS = {"finished": "tool_use", "limited": "max_tokens"}


@st.composite
def messages(draw: st.DrawFn) -> tuple[bytes, list[tuple[str, str]], str]:
    """All events of a stream, one block after the other, with pings between them."""
    calls, end = draw(CALLS), draw(ENDS)
    events = [sse("message_start", message={"role": "assistant", "content": []})]
    for index, (name, text) in enumerate(calls):
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        events.append(sse("content_block_start", index=index, content_block=block))
        for piece in pieces(draw, text):
            delta = {"type": "input_json_delta", "partial_json": piece}
            events += [sse("content_block_delta", index=index, delta=delta), sse("ping")]
        if index < len(calls) - 1 or end in STOPS:
            events += [sse("content_block_stop", index=index), sse("ping")]
    if end in STOPS:
        events.append(sse("message_delta", delta={"stop_reason": STOPS[end]}, usage={}))
        events.append(sse("message_stop"))
    elif draw(st.booleans()):
        events.append(sse("error", error={"type": "overloaded_error"}))
    newline = draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    return b"".join(events).replace(b"\n", newline), calls, end


def read_messages(data: bytes) -> tuple[list[tuple[str, str]], list[Any]]:
    """Calls, and the other events but pings; fragments only come in an open block."""
    calls: dict[int, list[str]] = {}
    rest: list[Any] = []
    open_block = None
    for frame in re.split(rb"\r\n\r\n|\n\n|\r\r", data):
        lines = re.split(rb"\r\n|\n|\r", frame)
        event = json.loads(
            b"".join(line[5:] for line in lines if line.startswith(b"data:")) or b"0"
        )
        if event and event["type"] == "content_block_delta":
            assert event["index"] == open_block
            calls[open_block][1] += event["delta"]["partial_json"]
            continue
        if event and event["type"] != "ping":
            rest.append(event)
        if event and event["type"] == "content_block_start":
            open_block = event["index"]
            calls[open_block] = [event["content_block"]["name"], ""]
        elif event and event["type"] == "content_block_stop":
            open_block = None
    return [(name, text) for name, text in calls.values()], rest


@given(messages(), st.data())
def test_calls_in_streams_of_events_are_those_of_whole_answers(drawn: Any, data: Any) -> None:
    """However the bytes are cut, and wherever they end."""
    sent, calls, end = drawn
    chunks = pieces(data.draw, sent)
    got = b"".join(streamed(chunks, TOOLS["messages"], error=error_of(end)))
    found, rest = read_messages(got)
    cut_off = end != "finished"
    assert found == [
        (name, expected(name, text, cut_off=cut_off and number == len(calls) - 1) if text else "")
        for number, (name, text) in enumerate(calls)
    ]
    assert rest == read_messages(sent)[1]


@given(st.binary(max_size=200), st.data())
def test_other_bytes_are_passed_on_as_they_are(sent: bytes, data: Any) -> None:
    """Whatever they are: Gemini's events, comments, an event that never ends."""
    assert b"".join(streamed(pieces(data.draw, sent), TOOLS["messages"])) == sent
    text = [sse("ping").decode(), 'data: {"candidates": []}\n\n', ": comment", "\n\n"]
    assert b"".join(streamed(text, TOOLS["messages"])) == "".join(text).encode()


def test_an_emoji_that_is_cut_in_two_is_joined() -> None:
    """Servers in JavaScript cut texts within it, and each event has half of a surrogate pair."""
    block = {"type": "tool_use", "name": "search", "input": {}}
    events = [sse("content_block_start", index=0, content_block=block)]
    for text in ('{"limit": "1", ', '"tags": ["\ud83d', '\ude00"]}'):
        delta = {"type": "input_json_delta", "partial_json": text}
        events.append(sse("content_block_delta", index=0, delta=delta))
    events.append(sse("content_block_stop", index=0))
    frames = b"".join(streamed(events, TOOLS["messages"])).split(b"\n\n")[:-1]
    told = [json.loads(frame.partition(b"data: ")[2]) for frame in frames]
    text = "".join(event["delta"]["partial_json"] for event in told if "delta" in event)
    assert json.loads(text) == {"limit": 1, "tags": ["😀"]}


def test_an_input_that_comes_with_its_block_is_corrected() -> None:
    """Where a provider does not write it piece by piece."""
    block = {"type": "tool_use", "name": "search", "input": STRINGS}
    events = [sse("content_block_start", index=0, content_block=block)]
    events.append(sse("content_block_stop", index=0))
    right = [sse("content_block_start", index=0, content_block={**block, "input": EXACT})]
    right.append(events[1])
    assert b"".join(streamed(events, TOOLS["messages"])) == b"".join(right)


# ------------------------------------------------------------------- events of responses
STATUSES = {"finished": "completed", "limited": "incomplete"}


@st.composite
def responses(draw: st.DrawFn) -> tuple[list[Any], list[tuple[str, str]], str]:
    """All events of a stream, in the order of a provider, or of LiteLLM's translation."""
    calls, end = draw(CALLS), draw(ENDS)
    translated = draw(st.booleans())
    events: list[Any] = [GenericEvent(type="response.created", response={})]
    ends: list[Any] = []
    output: list[Any] = []
    for index, (name, text) in enumerate(calls):
        is_last = index == len(calls) - 1
        status = STATUSES.get(end, "completed") if is_last else "completed"
        item = {"type": "function_call", "name": name, "arguments": text, "status": status}
        output.append(item)
        place = {"output_index": index, "item_id": f"fc_{index}"}
        added = {**item, "arguments": "", "status": "in_progress"}
        events.append(
            GenericEvent(type="response.output_item.added", output_index=index, item=added)
        )
        events += [
            GenericEvent(type="response.function_call_arguments.delta", delta=piece, **place)
            for piece in pieces(draw, text)
        ]
        done = [
            GenericEvent(type="response.function_call_arguments.done", arguments=text, **place),
            GenericEvent(type="response.output_item.done", output_index=index, item=item),
        ]
        if end in STATUSES or not is_last:
            if translated:
                ends += done
            else:
                events += done
    if end in STATUSES:
        response = GenericEvent(type="response", output=output, status=STATUSES[end])
        ends.append(GenericEvent(type=f"response.{STATUSES[end]}", response=response))
    for number, event in enumerate([*events, *ends]):
        event.sequence_number = number
    return [*events, *ends], calls, end


@given(responses())
def test_calls_in_streams_of_responses_are_those_of_whole_answers(drawn: Any) -> None:
    """All copies of the arguments alike; and as many events as came, numbered as they were."""
    events, calls, end = drawn
    before = [event.model_dump() for event in events]
    got = streamed(events, TOOLS["responses"], error=error_of(end))
    translated = {"early", "error"} & {end} and not any("done" in e.type for e in events)
    right = [
        expected(
            name,
            text,
            cut_off=end != "finished" and (number == len(calls) - 1 or bool(translated)),
        )
        for number, (name, text) in enumerate(calls)
    ]
    found = read_responses(got)
    assert found["delta"] == right
    for copies in ("done", "item", "response"):
        assert found[copies] == right[: len(found[copies])]
        assert len(found[copies]) == len(read_responses(events)[copies])
    assert [e.sequence_number for e in got] == [e.sequence_number for e in events]
    assert [event.model_dump() for event in events] == before  # LiteLLM's logs have them, too


# --------------------------------------------------------------------------- calls in text
PARTS = [
    "Let me look.\n",
    "1 < 2 {and so on}\n",
    '<tool_call>{"name": "search", "arguments": {"limit": "3"}}</tool_call>',
    "<function=search>\n<parameter=limit>\n4\n</parameter>\n</function>\n",
    "<think>Which?</think>\n",
]


@given(st.lists(st.sampled_from(PARTS), max_size=4).map("".join), st.data())
def test_calls_in_the_text_of_streams_are_those_of_whole_texts(text: str, data: Any) -> None:
    """However it is cut: the same calls in each API, counted in their order, and the same prose."""
    read = Toolset([FUNCTION]).call_reader()
    read.finish(text)
    right = [json.dumps(call.arguments, separators=(",", ":")) for call in read.calls]
    cut = pieces(data.draw, text)

    chunks = [chat_chunk(0, {"content": piece}) for piece in cut]
    got = streamed([*chunks, chat_chunk(0, {}, "stop")], TOOLS["chat"], READING)
    prose = "".join(chunk.choices[0].delta.content or "" for chunk in got)
    parts = [part for chunk in got for part in chunk.choices[0].delta.tool_calls or ()]
    ids = [part.id for part in parts if part.id]
    assert len(set(ids)) == len(ids) == len(right)
    assert "".join(part.function.arguments for part in parts) == "".join(right)
    assert {part.index for part in parts} == set(range(len(right)))
    assert got[-1].choices[0].finish_reason == ("tool_calls" if right else "stop")

    events = [sse("content_block_start", index=0, content_block={"type": "text", "text": ""})]
    deltas = [{"type": "text_delta", "text": piece} for piece in cut]
    events += [sse("content_block_delta", index=0, delta=delta) for delta in deltas]
    events.append(sse("content_block_stop", index=0))
    events.append(sse("message_delta", delta={"stop_reason": "end_turn"}, usage={}))
    frames = b"".join(streamed(events, TOOLS["messages"], READING)).split(b"\n\n")[:-1]
    told = [json.loads(frame.partition(b"data: ")[2]) for frame in frames]
    begun = [event["index"] for event in told if event["type"] == "content_block_start"]
    changes = [event["delta"] for event in told if event["type"] == "content_block_delta"]
    assert begun == list(range(len(begun)))
    assert "".join(delta.get("partial_json", "") for delta in changes) == "".join(right)
    assert "".join(delta.get("text", "") for delta in changes).strip() == prose.strip()
    assert told[-1]["delta"]["stop_reason"] == ("tool_use" if right else "end_turn")
