"""LiteLLM's SDK, and what becomes of streams of every shape."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise
pytest.importorskip("litellm", reason=needs("litellm"))
import litellm
from hypothesis import given, strategies as st
from litellm.types.llms.openai import GenericEvent
from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices
from probe import EXACT, HOPELESS, SCHEMA, STRINGS

from schema2model import Tool, ToolError, Toolset
from schema2model.adapters.litellm import Coercion, arguments, coercion

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning"),  # LiteLLM's own
]

PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "litellm.md"
SDK = PAGE.read_text("utf-8").partition("## In the SDK")[2].partition("\n## ")[0]
FUNCTION = {"name": "search", "parameters": SCHEMA}
TOOLS: dict[str, list[Any]] = {
    "chat": [{"type": "function", "function": FUNCTION}],
    "messages": [{"name": "search", "input_schema": SCHEMA}],
    "responses": [{"type": "function", **FUNCTION}],
}
READING = Coercion(text_calls=True)
RIGHT = '{"tags":  ["a"], "limit": 1}'


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


def is_json(text: str) -> bool:
    """Whether Python's own parser takes it."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


# --------------------------------------------------------------------------------- the SDK
@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Ask a model that calls `search`, with our callback in place."""
    monkeypatch.setattr(litellm, "callbacks", [Coercion()])

    def call(text: str, through: Any = None, **options: Any) -> str:
        asked = {
            "model": "openai/gpt-4.1",
            "messages": [{"role": "user", "content": "Go on."}],
            "tools": TOOLS["chat"],
            "mock_response": "",
            "mock_tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "search", "arguments": text}}
            ],
        }
        answer = asyncio.run((through or litellm.acompletion)(**{**asked, **options}))
        return answer.choices[0].message.tool_calls[0].function.arguments

    return call


def test_an_answer_in_the_sdk_is_right(called: Any) -> None:
    """By `litellm.callbacks` alone; without tools in the request, it stays as it is."""
    assert json.loads(called(json.dumps(STRINGS))) == EXACT
    assert called(RIGHT) == RIGHT
    assert called(json.dumps(HOPELESS)) == json.dumps(HOPELESS)
    assert json.loads(called(json.dumps(STRINGS), tools=None)) == STRINGS


def test_an_answer_through_a_router_is_right(called: Any) -> None:
    """It is LiteLLM's own way to have several deployments."""
    parameters = {"model": "openai/gpt-4.1", "api_key": "of these tests"}
    router = litellm.Router([{"model_name": "any", "litellm_params": parameters}])
    text = called(json.dumps(STRINGS), router.acompletion, model="any")
    assert json.loads(text) == EXACT


def test_the_documented_program_runs() -> None:
    """As it stands."""
    (program,) = re.findall(r"```python\n(.*?)```", SDK, re.DOTALL)
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603


def test_the_log_says_once_that_the_callback_is_active(caplog: pytest.LogCaptureFixture) -> None:
    """In LiteLLM's own log, at the level of information."""
    logger = logging.getLogger("LiteLLM")
    logger.addHandler(caplog.handler)
    caplog.set_level(logging.INFO, "LiteLLM")
    try:
        callback = Coercion()
        assert "schema2model" not in caplog.text
        for _ in range(3):
            callback.correct(None, [])
    finally:
        logger.removeHandler(caplog.handler)
    records = {id(each) for each in caplog.records if "schema2model is active" in each.message}
    assert len(records) == 1


def test_a_subclass_has_the_hook_of_streams() -> None:
    """LiteLLM looks for it in no base class."""

    class Mine(Coercion):
        pass

    class Other(Mine):
        def async_post_call_streaming_iterator_hook(self, *_: Any, **__: Any) -> Any:
            return "other"

    hook = "async_post_call_streaming_iterator_hook"
    assert vars(Mine)[hook] is vars(Coercion)[hook]
    assert Other().async_post_call_streaming_iterator_hook() == "other"


# --------------------------------------------------------------------------- whole answers
def chat_answer(text: str, reason: str = "tool_calls") -> dict[str, Any]:
    """One with a call and a custom tool's."""
    call = {"type": "function", "function": {"name": "search", "arguments": text}}
    message = {"tool_calls": [{"type": "custom", "custom": {"input": "1"}}, call]}
    return {"choices": [{"message": message, "finish_reason": reason}]}


def responses_answer(text: str, status: str = "completed") -> dict[str, Any]:
    """One with a call and a message."""
    call = {"type": "function_call", "name": "search", "arguments": text, "status": status}
    return {"output": [{"type": "message", "content": []}, call]}


def messages_answer(value: Any, reason: str = "tool_use") -> dict[str, Any]:
    """One with a call, a text, and a call that the provider runs itself."""
    server = {"type": "server_tool_use", "name": "search", "input": {"limit": "1"}}
    call = {"type": "tool_use", "name": "search", "input": value}
    return {"content": [{"type": "text", "text": ""}, server, call], "stop_reason": reason}


@pytest.mark.parametrize(
    ("api", "answer", "right"),
    [
        pytest.param("chat", chat_answer('{"limit": "1"}'), chat_answer('{"limit":1}'), id="chat"),
        pytest.param("chat", chat_answer(""), chat_answer(""), id="chat-nothing"),
        pytest.param("chat", chat_answer(RIGHT), chat_answer(RIGHT), id="chat-right"),
        pytest.param(
            "chat",
            chat_answer('{"limit": "1"', "length"),
            chat_answer('{"limit": "1"', "length"),
            id="chat-cut-off",
        ),
        pytest.param(
            "chat",
            chat_answer('{"limit": "1"}', "length"),
            chat_answer('{"limit":1}', "length"),
            id="chat-cut-off-behind-it",
        ),
        pytest.param(
            "responses",
            responses_answer('{"limit": "1"'),
            responses_answer('{"limit":1}'),
            id="responses",
        ),
        pytest.param(
            "responses",
            responses_answer('{"limit": "1"', "incomplete"),
            responses_answer('{"limit": "1"', "incomplete"),
            id="responses-cut-off",
        ),
        pytest.param("messages", messages_answer(STRINGS), messages_answer(EXACT), id="messages"),
        pytest.param(
            "messages", messages_answer(HOPELESS), messages_answer(HOPELESS), id="messages-hopeless"
        ),
        pytest.param(
            "messages",
            messages_answer(STRINGS, "max_tokens"),
            messages_answer(STRINGS, "max_tokens"),
            id="messages-cut-off",
        ),
    ],
)
def test_whole_answers_are_corrected_where_they_stand(api: str, answer: Any, right: Any) -> None:
    """In each API's shape; what other calls hold stays as it is."""
    given = copy.deepcopy(answer)
    assert coercion.correct(given, TOOLS[api]) is given
    assert given == right


def test_the_first_of_two_tools_of_one_name_is_not_taken_for_both() -> None:
    """Which is meant is not known."""
    other = {"name": "search", "parameters": {"properties": {"limit": {"type": "string"}}}}
    given = chat_answer('{"limit": "1"}')
    tools = [*TOOLS["chat"], {"type": "function", "function": other}]
    assert coercion.correct(given, tools) == chat_answer('{"limit": "1"}')


def test_a_schema_that_cannot_be_compiled_costs_no_other_tool(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log has its name."""
    broken = {"name": "broken", "parameters": {"type": "nothing"}}
    call = {"function": {"name": "broken", "arguments": '{"limit": "1"}'}}
    given = chat_answer('{"limit": "1"}')
    given["choices"][0]["message"]["tool_calls"].append(call)
    coercion.correct(given, [{"type": "function", "function": broken}, *TOOLS["chat"]])
    texts = [c["function"]["arguments"] for c in given["choices"][0]["message"]["tool_calls"][1:]]
    assert texts == ['{"limit":1}', '{"limit": "1"}']
    assert "the arguments of `broken` stay as they are" in caplog.text


KEYS = st.sampled_from(
    [
        *("choices", "message", "tool_calls", "function", "name", "arguments", "delta", "index"),
        *("content", "type", "input", "output", "item", "parameters", "input_schema", "id"),
    ]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)


@given(ANYTHING, ANYTHING)
def test_answers_and_tools_of_any_shape_raise_nothing(answer: Any, tools: Any) -> None:
    """Clients send tools, and providers answers, that are not what they should be."""
    before = copy.deepcopy(answer)
    assert coercion.correct(answer, tools) is answer
    assert coercion.correct(answer, TOOLS["chat"]) is answer
    assert answer == before
    assert READING.correct(answer, TOOLS["chat"]) is answer
    if not isinstance(answer, str):  # which is a part of an event
        assert streamed([answer, answer], TOOLS["chat"]) == [answer, answer]
        assert streamed([answer, answer], TOOLS["chat"], READING) == [answer, answer]


# --------------------------------------------------------------------------------- streams
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


def pieces(draw: st.DrawFn, text: Any) -> list[Any]:
    """A text or bytes, cut anywhere."""
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=4).map(sorted))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


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


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    """Some providers count them all as the first."""
    chunks = [chat_fragment(0, 0, "search", '{"limit": "1"}') for _ in range(2)]
    chunks[1].choices[0].delta.tool_calls[0].id = "another"
    got = streamed([*chunks, chat_chunk(0, {}, "tool_calls")], TOOLS["chat"])
    parts = [p for c in got for p in c.choices[0].delta.tool_calls or ()]
    told = [(part.id, part.function.arguments) for part in parts]
    assert told == [
        ("call_0", ""),
        (None, '{"limit":1}'),
        ("another", ""),
        (None, '{"limit":1}'),
    ]


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
def sse(kind: str, **members: Any) -> bytes:
    """An event of Anthropic's."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


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


@given(responses())
def test_calls_in_streams_of_responses_are_those_of_whole_answers(drawn: Any) -> None:
    """All copies of the arguments alike; and as many events as came, with their numbers."""
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
    assert sorted(e.sequence_number for e in got) == [e.sequence_number for e in events]
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


# ------------------------------------------------------------------------- strange streams
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
    monkeypatch.setattr(arguments, "MAX_STREAMED_TEXT", 2_000)
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
