"""Streams with the faults of servers, of every provider: each call is read right, or refused.

No argument ever moves from one call to another, whatever becomes of ids, indexes and names.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from case_tests import each_case
from cases import Case
from faulty_pieces import (
    BOTH,
    FAULTS,
    NONE_READ,
    OSLO,
    ROME,
    Piece,
    one_index,
    pieces,
    repeating,
    with_empty,
    without,
)
from hypothesis import assume, given, strategies as st
from reply_streams import PROVIDERS, Sent, chunks_of, delta, responses
from waiting import calls

from schema2model import Toolset
from schema2model.types import AssembledCall

TOOLS = Toolset(
    [
        {
            "name": name,
            "parameters": {
                "properties": {"city": {"type": "string"}, "tags": {"items": {"type": "string"}}},
                "additionalProperties": False,
            },
        }
        for name in ("get_weather", "set_alarm", "get")
    ]
)
"""All parameters are optional: a call without arguments would run, too."""


def as_chat(given: Sequence[Piece], reason: str | None) -> list[Any]:
    """The pieces as chunks of chat completions."""
    return [*(delta(None, piece) for piece in given), delta(reason)]


def as_langchain(given: Sequence[Piece], reason: str | None) -> list[Any]:
    """The pieces as LangChain's chunks."""
    chunks: list[Any] = [
        {
            "content": "",
            "tool_call_chunks": [
                {"args" if key == "arguments" else key: value for key, value in piece.items()}
            ],
        }
        for piece in given
    ]
    end = {"finish_reason": reason} if reason else {}
    return [*chunks, {"content": "", "tool_call_chunks": [], "response_metadata": end}]


ENCODERS = {"openai": as_chat, "litellm": as_chat, "langchain": as_langchain}
"""The providers whose calls have an index, an id and a name that faults may concern."""


def outcome(calls: Sequence[AssembledCall]) -> list[Any]:
    """The names and arguments of calls; None for each that is refused."""
    for call in calls:
        assert (call.prepared is None) == (call.error is not None)
    return [None if call.error else (call.name, call.arguments) for call in calls]


def read(provider: str, chunks: Sequence[Any]) -> tuple[list[AssembledCall], Any]:
    """The calls that chunks complete, and the reply: it has the same calls."""
    assembler = TOOLS.assembler(provider)  # type: ignore[arg-type]
    fed = [call for chunk in chunks for call in assembler.feed(chunk)]
    reply = assembler.finish()
    assert [call for call in reply.calls if call in fed] == [
        call for call in reply.calls if any(call is each for each in fed)
    ]
    assert assembler.finish().messages == reply.messages
    return fed, reply


def check_answers(reply: Any, tools: Toolset = TOOLS) -> None:
    """Every call of a reply is in its message, as valid JSON, and each has its result."""
    results = tools.answer(reply, approve=lambda _: False)
    text = json.dumps([*reply.messages, *results])
    for call in reply.calls:
        assert call.id
        assert text.count(json.dumps(call.id)) == 2, call.id  # it and its result
    assert len({call.id for call in reply.calls}) == len(reply.calls)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("provider", ENCODERS)
def test_each_call_is_read_or_refused(provider: str, fault: str) -> None:
    """Each fault has its expected end, the same for all who send calls in this way."""
    change, expected = FAULTS[fault]
    changed = change(pieces(ROME, OSLO))
    chunks = ENCODERS[provider](changed, "tool_calls")
    if fault == "all pieces in one chunk" and provider != "langchain":
        chunks = [delta(None, *changed), delta("tool_calls")]
    _, reply = read(provider, chunks)
    ends = outcome(reply.calls)
    if expected is None:  # two names of known tools: neither the one nor the other for certain
        assert ends[-1] == BOTH[1]
        assert ends[:-1] in ([None], [None, None])
    elif expected == NONE_READ:
        assert len(ends) >= len(BOTH)
        assert {*ends} == {None}
    else:
        assert ends == expected
    check_answers(reply)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("cut", [False, True])
def test_the_calls_of_every_provider_are_read(provider: str, cut: bool) -> None:  # noqa: FBT001
    """One after the other, and by turns; and what is cut off is refused, and nothing else."""
    for order in ([0, 0, 1, 1, 1], [0, 1, 0, 1, 1]):
        chunks = chunks_of(provider, [ROME, OSLO], order, cut=cut)
        if not cut:
            fed, reply = read(provider, chunks)
            assert outcome(fed) == outcome(reply.calls) == BOTH
            assert (reply.truncated, reply.cut_off) == (False, [])
            check_answers(reply)
            continue
        short = OSLO._replace(pieces=[*OSLO.pieces[:2], "]"])  # a brace would complete it
        _, reply = read(provider, chunks_of(provider, [ROME, short], order, cut=True))
        assert outcome(reply.calls) == [BOTH[0], None]
        assert reply.truncated
        assert [call.name for call in reply.cut_off] == ["set_alarm"]
        check_answers(reply)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream_that_breaks_off_runs_nothing_that_may_be_cut(provider: str) -> None:
    """However few of its chunks have come; what was complete is read."""
    chunks = chunks_of(provider, [ROME, OSLO])
    for number in range(len(chunks)):
        _, reply = read(provider, chunks[:number])
        for end, expected in zip(outcome(reply.calls), BOTH, strict=False):
            assert end in (None, expected)
        if provider != "langchain":
            assert reply.truncated == (reply.finish_reason is None)
        check_answers(reply)


@each_case("streams")
def test_a_stream_is_read_or_refused(case: Case) -> None:
    """No argument is lost in silence or in another call, and every call has its answer.

    The message that goes back has each call, with an object as its input where one belongs.
    """
    tools, provider = Toolset(case.tools), case.line["provider"]
    assembler = tools.assembler(provider)
    fed = [call for chunk in case.input for call in assembler.feed(chunk)]
    reply = assembler.finish()
    calls = [call and (call["name"], call["arguments"]) for call in map(read_call, case.result)]
    assert outcome(reply.calls) == calls
    if case.group == "reported":
        assert fed == reply.calls
        assert len(tools.answer(reply, approve=lambda _: False)) in {1, len(calls)}
    elif provider == "gemini":
        [message], [results] = reply.messages, tools.answer(reply, approve=lambda _: False)
        assert len(message["parts"]) == len(results["parts"]) == len(calls)
    else:
        check_answers(reply, tools)
    if case.group == "blocks":
        assert all(type(block["input"]) is dict for block in reply.messages[0]["content"])


def read_call(call: dict[str, Any]) -> dict[str, Any] | None:
    """A call of a case; None for one that is refused."""
    return None if "refused" in call else call


def test_a_message_of_langchain_may_come_as_a_whole() -> None:
    """With calls, with invalid ones, or with text alone."""
    call = {"name": "get_weather", "args": {"city": "Rome"}, "id": "a"}
    invalid = {"name": "set_alarm", "args": '{"tags": ["Oslo"', "id": "b", "error": "no JSON"}
    whole = {"content": "See: ", "tool_calls": [call], "invalid_tool_calls": [invalid]}
    fed, reply = read("langchain", [whole])
    assert (outcome(fed), outcome(reply.calls), reply.text) == (BOTH[:1], BOTH, "See: ")
    fed, reply = read("langchain", [{"content": "Hello"}])
    assert (fed, reply.text) == ([], "Hello")


def test_a_response_may_come_as_a_whole() -> None:
    """From a server that does not stream: its last event has all of it."""
    items = [
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "Wait."}]},
        {"type": "function_call", "call_id": "a", "name": "get", "arguments": '{"city": "Rome"}'},
    ]
    whole = {"status": "completed", "output": items}
    end = ("completed", {"response": whole})
    for chunks in (responses(end), responses(("output_text.delta", {"delta": "Wait."}), end)):
        _, reply = read("openai-responses", chunks)
        assert outcome(reply.calls) == [("get", {"city": "Rome"})]
        assert reply.messages == items
        assert reply.text == "Wait."


def test_an_item_of_an_sdk_keeps_its_type() -> None:
    """In the message, where a copy of it stands, since its arguments may be mended."""
    item = SimpleNamespace(type="function_call", call_id="a", name="get", arguments='{"city": 1}')
    whole = SimpleNamespace(status="completed", output=[item])
    _, reply = read("openai-responses", responses(("completed", {"response": whole})))
    assert reply.messages == [item]
    assert reply.messages[0] is not item


SENT = '{"city": "Rome"}'
CUSTOM = {"type": "custom_tool_call", "id": "i", "call_id": "a", "name": "get", "input": ""}


@pytest.mark.parametrize(
    ("provider", "chunks", "message"),
    [
        pytest.param(
            "openai-responses",
            responses(
                ("output_item.added", {"output_index": 0, "item": CUSTOM}),
                ("custom_tool_call_input.delta", {"output_index": 0, "delta": SENT}),
            ),
            {"type": "custom_tool_call", "call_id": "a", "name": "get", "input": SENT},
            id="a call of a custom tool is one",
        ),
        pytest.param(
            "openai",
            [delta(None, {"index": 0, "id": "a", "arguments": SENT})],
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "a",
                        "type": "function",
                        "function": {"name": "unknown", "arguments": SENT},
                    }
                ],
            },
            id="a call without a name gets one",
        ),
        pytest.param(
            "openai",
            [{"choices": [{"delta": {"content": "Hi"}}]}, delta(5)],  # type: ignore[arg-type]
            {"role": "assistant", "content": "Hi"},
            id="a text without a role, and a reason that is no text",
        ),
    ],
)
def test_a_message_can_be_sent_back(provider: str, chunks: list[Any], message: Any) -> None:
    """Whatever a server has left out."""
    _, reply = read(provider, chunks)
    assert (reply.messages, reply.finish_reason) == ([message], None)


def test_an_empty_object_before_the_arguments_is_not_shown() -> None:
    """Some servers begin with one, in any pieces."""
    assembler = TOOLS.assembler("openai")
    for piece in ("{", "}", '{"city": "Rome", '):
        assembler.feed(delta(None, {"index": 0, "id": "a", "name": "get", "arguments": piece}))
    assert assembler.arriving == ("get", {"city": "Rome"})


def _gemini(*parts: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": [*parts]}}
    return {"candidates": [{**candidate, **({"finishReason": reason} if reason else {})}]}


def test_pieces_of_a_text_of_gemini_are_one_part_of_the_message() -> None:
    """Thoughts apart, which are not for the user."""
    assembler = Toolset([]).assembler("gemini")
    for part in ({"text": "a", "thought": True}, {"text": "b"}, {"text": "c"}):
        assembler.feed(_gemini(part))
    assert assembler.finish().messages == [
        {"role": "model", "parts": [{"text": "a", "thought": True}, {"text": "bc"}]}
    ]


# ---------------------------------------------------------------------------------- locality
@st.composite
def faulty(draw: st.DrawFn) -> tuple[list[Any], list[Piece]]:
    """Calls whose every value names its call, and their pieces with faults."""
    count = draw(st.integers(1, 4))
    calls = []
    for number in range(count):
        values: dict[str, Any] = {}
        if draw(st.booleans()):
            values["city"] = f"city of {number}"
        if draw(st.booleans()):
            values["tags"] = [f"tag of {number}"] * draw(st.integers(0, 3))
        text = json.dumps(values) if values or draw(st.booleans()) else ""
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
        texts = [text[a:b] for a, b in itertools.pairwise((0, *cuts, len(text)))]
        name = draw(st.sampled_from(["get_weather", "set_alarm", "get"]))
        calls.append((number, name, values, texts))
    made = []
    for number, name, _, texts in calls:
        head = {"index": number, "id": f"id{number}", "name": name, "arguments": ""}
        made.append([head, *({"index": number, "arguments": text} for text in texts)])
    order = [number for number, each in enumerate(made) for _ in each]
    by_turns = draw(st.booleans())
    if by_turns:
        order = draw(st.permutations(order))
    sent = [made[number].pop(0) for number in order]
    for fault in draw(
        st.lists(
            st.sampled_from([repeating("id"), repeating("name"), with_empty]),
            max_size=2,
        )
    ):
        sent = fault(sent) if fault is with_empty or all("index" in p for p in sent) else sent
    how = draw(st.sampled_from([list, one_index, without("index")]))
    for _ in range(draw(st.integers(0, 2 if how is list else 1))):  # pieces are lost
        # without an index, nothing tells the arguments of a lost head from those before it, nor
        # the halves of two calls that have lost the others from one call
        numbers = [n for n, piece in enumerate(sent) if how is list or "name" not in piece]
        if numbers:
            sent.pop(draw(st.sampled_from(numbers)))
    sent = how(sent)
    if draw(st.booleans()):
        # then nothing tells the head of a call from the name of one before it, sent again
        names = [name for _, name, _, _ in calls]
        assume(how is list or not by_turns or len({*names}) == len(names))
        sent = without("id")(sent)
    return [(name, values) for _, name, values, _ in calls], sent


@given(faulty(), st.sampled_from([*ENCODERS]), st.sampled_from(["tool_calls", "length", None]))
def test_no_argument_moves_to_another_call(
    made: tuple[list[Any], list[Piece]], provider: str, reason: str | None
) -> None:
    """Whatever is lost, repeated or used twice: each value is in its own call, or in none."""
    calls, sent = made
    _, reply = read(provider, ENCODERS[provider](sent, reason))
    for call in reply.calls:
        if call.error is None and call.arguments:
            texts = [call.arguments.get("city", ""), *call.arguments.get("tags", ())]
            owners = {int(digit) for text in texts for digit in re.findall(r"\d", text)}
            assert len(owners) <= 1, call
            assert all(call.name == calls[number][0] for number in owners)
    check_answers(reply)


@given(st.data(), st.sampled_from([*PROVIDERS]))
def test_whole_streams_are_read_however_they_are_cut(data: st.DataObject, provider: str) -> None:
    """Sequential or by turns, with texts that hold brackets, quotes and empty objects."""
    texts = st.text(alphabet='{}[]"\\,: aé\U0001f600', max_size=8)
    calls = []
    for number in range(data.draw(st.integers(1, 3))):
        text = json.dumps({"city": data.draw(texts)}, ensure_ascii=data.draw(st.booleans()))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
        cut = [text[a:b] for a, b in itertools.pairwise((0, *cuts, len(text)))]
        calls.append(Sent(f"c{number}", "get", cut))
    order = [number for number, call in enumerate(calls) for _ in call.pieces]
    if data.draw(st.booleans()):
        order = [*data.draw(st.permutations(order))]
    fed, reply = read(provider, chunks_of(provider, calls, order))
    meant = {call.id: ("get", json.loads(call.text)) for call in calls}
    assert {call.id: (call.name, call.arguments) for call in reply.calls} == meant
    assert len(fed) == len(meant)
    check_answers(reply)


def _prose(provider: str, pieces: Sequence[str]) -> list[Any]:
    """The chunks of a text that comes in pieces."""
    if provider == "anthropic":
        block = {"type": "text", "text": ""}
        start = {"type": "content_block_start", "index": 9, "content_block": block}
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
        inner = [{"type": "content_block_delta", "index": 9, "delta": each} for each in deltas]
        return [start, *inner, {"type": "content_block_stop", "index": 9}]
    if provider == "openai-responses":
        return responses(*(("output_text.delta", {"delta": piece}) for piece in pieces))
    if provider == "langchain":
        return [{"content": piece, "tool_call_chunks": []} for piece in pieces]
    if provider == "gemini":
        return [{"candidates": [{"content": {"parts": [{"text": piece}]}}]} for piece in pieces]
    return [delta(content=piece) for piece in pieces]


def _message_text(message: Any) -> str:
    """The text of an assistant's message, in any shape."""
    parts = message.get("content", message.get("parts"))
    return parts if isinstance(parts, str) else "".join(each.get("text", "") for each in parts)


PROSE = ["Hello", "Let me look that up.", "a < b and", "get", "{city}:", "[TOOL", "```json", "Ok\n"]
"""Texts whose end might begin a call."""


@given(st.data(), st.sampled_from([*PROVIDERS, "gpt-oss", "gemini"]), st.sampled_from(PROSE))
def test_all_prose_around_a_call_is_shown(data: st.DataObject, provider: str, text: str) -> None:
    """What might have begun a call in text is prose, where the reply has a call of the API's."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    prose = _prose(provider, [text[a:b] for a, b in itertools.pairwise((0, *cuts, len(text)))])
    if provider == "gemini":
        part = {"functionCall": {"name": ROME.name, "args": {"city": "Rome"}}}
        called: list[Any] = [{"candidates": [{"content": {"parts": [part]}}]}]
        called.append({"candidates": [{"finishReason": "STOP"}]})
    else:
        called = chunks_of("openai" if provider == "gpt-oss" else provider, [ROME])
    place = data.draw(st.integers(0, len(called)))
    assembler = TOOLS.assembler(provider)  # type: ignore[arg-type]
    shown = ""
    for chunk in (*called[:place], *prose, *called[place:]):
        assembler.feed(chunk)
        shown += assembler.new_text()
    reply = assembler.finish()
    assert outcome(reply.calls) == BOTH[:1]
    assert shown + assembler.new_text() == assembler.text == reply.text == text
    if provider != "openai-responses":  # whose items come whole
        assert _message_text(reply.messages[0]) == text


@pytest.mark.parametrize("value", [math.nan, -math.inf, 10**5000], ids=["nan", "inf", "long"])
@pytest.mark.parametrize("provider", ["openai", "gemini", "anthropic"])
def test_an_object_that_is_not_json_is_refused(provider: Any, value: Any) -> None:
    """As in a whole message: the stream goes on, and the model gets the refusal."""
    arguments = {"city": "Rome", "tags": [value]}
    block = {"type": "tool_use", "id": "a", "name": "get", "input": arguments}
    part = {"functionCall": {"name": "get", "args": arguments}}
    chunk = {
        "openai": delta("stop", {"index": 0, "id": "a", "name": "get", "arguments": arguments}),
        "gemini": {"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]},
        "anthropic": {"type": "content_block_start", "index": 0, "content_block": block},
    }[provider]
    reply = TOOLS.assembler(provider)
    reply.feed(chunk)
    (call,) = reply.finish().calls
    assert call.error is not None


@pytest.mark.filterwarnings("ignore")  # LiteLLM's own
def test_chunks_of_litellm_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own classes, with one index for two calls."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or else it asks the network
    utils = pytest.importorskip("litellm.types.utils", reason="needs litellm")

    def chunk(reason: str | None = None, *calls: Any) -> Any:
        choice = utils.StreamingChoices(
            delta=utils.Delta(tool_calls=[*calls] or None), finish_reason=reason
        )
        return utils.ModelResponseStream(choices=[choice])

    def call(id_: str | None, name: str | None, text: str) -> Any:
        function = {"name": name, "arguments": text}
        return {"index": 0, "id": id_, "type": "function", "function": function}

    chunks = [
        chunk(None, call("a", "get", '{"city": "Rome"}')),
        chunk(None, call("b", "get", '{"city": ')),
        chunk(None, call(None, None, '"Oslo"}')),
        chunk("tool_calls"),
    ]
    _, reply = read("litellm", chunks)
    assert outcome(reply.calls) == [("get", {"city": "Rome"}), ("get", {"city": "Oslo"})]
    check_answers(reply)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [f"{' ' * 9_000}{{}}", f"{{{' ' * 9_000}}}", f'{{"tags": [{"{}," * 3_000}""]}}'],
    ids=["blanks before", "blanks within", "objects"],
)
def test_arguments_are_joined_in_linear_time(arguments: str, named: bool) -> None:  # noqa: FBT001
    """A character at a time, each for some calls, also where each has the name of the tool."""
    first = {"index": 0, "id": None if named else "a", "name": "get", "arguments": ""}
    assembler = TOOLS.assembler("openai")
    with calls(300 * len(arguments)):
        assembler.feed(delta(None, first))
        for char in arguments:
            name = {"name": "get"} if named else {}
            assembler.feed(delta(None, {"index": 0, **name, "arguments": char}))
        assembler.feed(delta("tool_calls"))
        [call] = assembler.finish().calls
    assert (call.error is None) == arguments.endswith(("  {}", "  }"))


HALF: Piece = {"index": 0, "id": "half", "name": "get", "arguments": '{"city": "Rome"'}


def test_a_reply_with_a_hundred_doubts_is_refused_as_a_whole() -> None:
    """Heads without arguments at one index, or arguments without heads, and what follows them."""
    heads = [{"index": 0, "id": f"{n}", "name": "get", "arguments": ""} for n in range(200)]
    lost = [{"index": n, "arguments": "x"} for n in range(1, 200)]
    for sent in (heads, [HALF, *lost]):
        last = {"index": 300, "id": "last", "name": "get", "arguments": '{"city": "Rome"}'}
        _, reply = read("openai", as_chat([*sent, last], "stop"))
        assert {call.error is None for call in reply.calls} == {False}
