# ruff: noqa: D103 - the names state the promises
"""The answer to an assistant message: every call gets a result, in the provider's shape."""

from __future__ import annotations

import asyncio
import copy
import datetime as dt
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from answering import ERROR, ROME, TOOLS, Report, chat, later
from pydantic import BaseModel, Field, field_serializer

from schema2model import Tool, ToolError, Toolset
from schema2model.tools.result_writing import result_text


def test_every_call_of_chat_completions_gets_a_result() -> None:
    message = chat(
        ("forecast", "{'city': 'Rome', 'days': '1',}"),
        ("forecast", '{"days": 1}'),
        ("forecast", '{"city": "Nowhere"}'),
        ("foreca", "{}"),
        ("forecast", '{"city": "Ro'),
    )
    results = TOOLS.answer(message)
    assert [each["tool_call_id"] for each in results] == ["c0", "c1", "c2", "c3", "c4"]
    assert {each["role"] for each in results} == {"tool"}
    texts = [each["content"] for each in results]
    assert texts[0] == ROME
    assert texts[1].startswith(ERROR)
    assert texts[2] == "no city of that name"
    assert "forecast" in texts[3]
    assert "cut off" in texts[4]
    for call in message["tool_calls"]:
        assert type(json.loads(call["function"]["arguments"])) is dict


def test_results_of_responses_anthropic_gemini_and_langchain_have_their_shapes() -> None:
    call = {"name": "forecast", "input": {"city": "Rome"}}
    bad = {"name": "forecast", "input": {"days": "x"}}
    blocks = [
        {"type": "text", "text": "Wait."},
        {"type": "tool_use", "id": "t1", **call},
        {"type": "tool_use", "id": "t2", **bad},
    ]
    [answer] = TOOLS.answer({"role": "assistant", "content": blocks, "stop_reason": "tool_use"})
    assert answer["role"] == "user"
    good, wrong = answer["content"]
    assert good == {"type": "tool_result", "tool_use_id": "t1", "content": ROME}
    assert (wrong["tool_use_id"], wrong["is_error"]) == ("t2", True)

    [same] = TOOLS.answer(blocks)
    assert same["content"][0] == good

    item = {"type": "function_call", "id": "i", "call_id": "c", "name": "forecast"}
    output = [{"type": "reasoning"}, {**item, "arguments": '{"city": "Rome"}'}]
    expected = [{"type": "function_call_output", "call_id": "c", "output": ROME}]
    assert TOOLS.answer(output) == expected
    assert TOOLS.answer({"output": output, "status": "completed"}) == expected

    response = {"name": "forecast", "response": {"output": ROME}}
    for key, written in (
        ("function_call", "function_response"),
        ("functionCall", "functionResponse"),
    ):
        part = {key: {"name": "forecast", "args": {"city": "Rome"}}}
        expected = [{"role": "user", "parts": [{written: response}]}]
        assert TOOLS.answer({"role": "model", "parts": [{"text": "Wait."}, part]}) == expected

    calls = [{"name": "forecast", "args": {"city": "Rome"}, "id": "c", "type": "tool_call"}]
    [result] = TOOLS.answer({"type": "ai", "content": "", "tool_calls": calls})
    assert result == {"role": "tool", "tool_call_id": "c", "content": ROME, "status": "success"}


def test_a_message_without_calls_has_no_answer() -> None:
    assert TOOLS.answer({"role": "assistant", "content": "Five."}) == []
    assert TOOLS.answer([{"type": "message", "content": []}]) == []
    with pytest.raises(TypeError, match="is not an assistant message"):
        TOOLS.answer(object())


def test_a_conversation_is_not_an_answer() -> None:
    for messages in ([1], [{"role": "user", "content": "Go on."}, chat(("forecast", "{}"))]):
        with pytest.raises(TypeError, match="one assistant message"):
            TOOLS.answer(messages)


def test_a_call_without_a_name_or_of_a_custom_tool_is_answered() -> None:
    call = {"id": "c", "function": {"name": None, "arguments": "{}"}}
    custom = {"id": "d", "type": "custom", "custom": {"name": "grep", "input": "x"}}
    results = TOOLS.answer({"role": "assistant", "tool_calls": [call, custom]})
    assert [each["tool_call_id"] for each in results] == ["c", "d"]
    assert results[0]["content"] == "There is no tool ``; the tools are `forecast`"
    assert results[1]["content"] == "There is no tool `grep`; the tools are `forecast`"
    item = {"type": "custom_tool_call", "id": "i", "call_id": "c", "name": "grep", "input": "x"}
    [output] = TOOLS.answer([item])
    assert (output["type"], output["call_id"]) == ("custom_tool_call_output", "c")
    with pytest.raises(TypeError, match="is not a tool call"):
        TOOLS.answer({"role": "assistant", "tool_calls": [{}]})


@pytest.mark.parametrize(
    "function", [{"arguments": "{'a': 1"}, {"name": None, "arguments": "{'a': 1"}]
)
@pytest.mark.parametrize("id_", [{}, {"id": "c"}])
def test_the_other_calls_run_where_one_has_no_name(function: Any, id_: Any) -> None:
    """Its arguments become the JSON of an object, so that the history can be sent again."""
    nameless = {**id_, "type": "function", "function": dict(function)}
    named = {"id": "d", "function": {"name": "forecast", "arguments": '{"city": "Rome"}'}}
    message = {"role": "assistant", "tool_calls": [nameless, named]}
    results = TOOLS.answer(message)
    assert [each["content"] for each in results] == [
        "There is no tool ``; the tools are `forecast`",
        ROME,
    ]
    assert nameless["function"]["arguments"] == '{"a":1}'
    nameless["function"]["arguments"] = function["arguments"]

    def interrupt(_: Any) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TOOLS.answer(message, approve=interrupt)
    assert nameless["function"] == function
    part = {"functionCall": {"args": {"a": 1}}}
    [answered] = TOOLS.answer({"role": "model", "parts": [part]})
    [response] = answered["parts"]
    assert "There is no tool" in response["functionResponse"]["response"]["error"]


def test_a_call_without_an_id_is_answered_by_its_name() -> None:
    call = {"function": {"name": "forecast", "arguments": {"city": "Rome"}}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    assert TOOLS.answer(message) == [{"role": "tool", "name": "forecast", "content": ROME}]


def test_a_name_that_is_nested_deeply_is_no_tool() -> None:
    """The answer quotes the beginning of it."""
    name: list[Any] = []
    for _ in range(5000):
        name = [name]
    call = {"type": "tool_use", "id": "1", "name": name, "input": {}}
    [answer] = Toolset([]).answer({"role": "assistant", "content": [call]})
    assert "no tool" in str(answer)


def test_calls_written_as_text_are_answered() -> None:
    text = (
        "Let me see. <function=forecast><parameter=city>Rome</parameter></function>\n"
        "<function=foreca><parameter=city>Rome</parameter></function>\n"
        "<function=forecast><parameter=days>1</parameter></function>"
    )
    good, unknown, wrong = TOOLS.answer(text)
    assert good == {"role": "tool", "name": "forecast", "content": ROME}
    assert unknown["content"] == "There is no tool `foreca`; call `forecast`"
    assert wrong["content"].startswith(ERROR)
    assert TOOLS.answer("It is sunny.") == []
    memory: dict[str, ToolError] = {}
    wrong_text = "<function=forecast><parameter=days>1</parameter></function>"
    TOOLS.answer(wrong_text, memory=memory)
    [again] = asyncio.run(TOOLS.aanswer(wrong_text, memory=memory))
    assert "The last call had the same problem" in again["content"]


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_after_a_reply_that_ended_too_soon_a_repaired_call_is_refused(reason: str) -> None:
    message = chat(("forecast", '{"city": "Rome", "days": 1'), ("forecast", '{"city": "Rome"}'))
    cut, whole = TOOLS.answer(message, finish_reason=reason)
    assert "send the whole call again" in cut["content"]
    assert whole["content"] == ROME
    choice = {"message": chat(("forecast", '{"city": "Rome",')), "finish_reason": reason}
    for reply in ({"choices": [choice]}, copy.deepcopy(choice)):
        [refused] = TOOLS.answer(copy.deepcopy(reply))
        assert refused["content"].startswith(ERROR)
        assert "send the whole call again" in refused["content"]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ('<tool_call>{"name": "forecast", "arguments": {"city": "Rome"', False),
        ('<tool_call>{"name": "forecast", "arguments": {"city": "Rome"}}', True),
        ('<tool_call>{"name": "forecast", "arguments": {"city": "Rome"}}</tool_call>', True),
        ("<function=forecast><parameter=city>Rome</parameter>", False),
    ],
)
def test_text_that_ended_too_soon_is_run_only_if_it_is_complete(text: str, *, runs: bool) -> None:
    [result] = TOOLS.answer(text)
    assert result["content"] == ROME
    [result] = TOOLS.answer(text, finish_reason="length")
    assert (result["content"] == ROME) is runs
    assert runs or "send the whole call again" in result["content"]


def test_the_last_call_is_refused_if_it_was_parsed_and_the_reply_ended_too_soon() -> None:
    """An SDK may have closed what the model had not: nobody can tell."""
    use = {"type": "tool_use", "name": "forecast", "input": {"city": "Rome"}}
    blocks = [{**use, "id": "t1"}, {**use, "id": "t2"}]
    message = {"role": "assistant", "content": blocks, "stop_reason": "max_tokens"}
    [answer] = TOOLS.answer(message)
    whole, cut = answer["content"]
    assert whole["content"] == ROME
    assert "send the whole call again" in cut["content"]
    for reason in ("tool_use", "refusal"):  # the provider's refusal cuts nothing off
        [answer] = TOOLS.answer({**message, "stop_reason": reason})
        assert [each["content"] for each in answer["content"]] == [ROME, ROME]


def test_what_a_parsed_call_lacks_where_the_reply_ended_too_soon_is_no_mistake() -> None:
    """The model is told that the reply was cut off; a tool that does not exist is still one."""
    blocks = [{"type": "tool_use", "name": "forecast", "input": {}, "id": "t1"}]
    message = {"role": "assistant", "content": blocks, "stop_reason": "max_tokens"}
    [[told]] = (each["content"] for each in TOOLS.answer(message))
    assert "send the whole call again" in told["content"]
    assert "missing" not in told["content"]
    blocks[0]["name"] = "foreca"
    [[told]] = (each["content"] for each in TOOLS.answer(message))
    assert told["content"] == "There is no tool `foreca`; call `forecast`"


@pytest.mark.parametrize(
    ("blocks", "order", "refused"),
    [
        (["t1", "t2"], ["t1", "t2"], ["t1", "t2"]),
        (["t2", "t1"], ["t2", "t1"], ["t1"]),
        ([], ["t2", "t1"], ["t2", "t1"]),
    ],
)
def test_calls_that_langchain_lists_apart_are_in_the_order_of_the_blocks(
    blocks: list[str], order: list[str], refused: list[str]
) -> None:
    """Where it is not known, either of two may be the last, which was cut off."""
    message = {
        "type": "ai",
        "content": [{"type": "text", "text": "."}, *({"type": "use", "id": id_} for id_ in blocks)],
        "tool_calls": [{"name": "forecast", "args": {"city": "Rome"}, "id": "t2"}],
        "invalid_tool_calls": [{"name": "forecast", "args": "{'city': 'Rome'", "id": "t1"}],
        "response_metadata": {"finish_reason": "length"},
    }
    answers = TOOLS.answer(copy.deepcopy(message))
    assert [each["tool_call_id"] for each in answers] == order
    cut = [each["tool_call_id"] for each in answers if "send the whole" in each["content"]]
    assert cut == refused
    answers = TOOLS.answer(message, finish_reason="stop")
    assert [each["content"] for each in answers] == [ROME, ROME]


def test_a_text_that_is_cut_off_was_the_last() -> None:
    """So the call that LangChain has read is whole."""
    message = {
        "type": "ai",
        "content": "",
        "tool_calls": [{"name": "forecast", "args": {"city": "Rome"}, "id": "t1"}],
        "invalid_tool_calls": [{"name": "forecast", "args": '{"city": "Ro', "id": "t2"}],
        "response_metadata": {"finish_reason": "length"},
    }
    whole, cut = TOOLS.answer(message)
    assert whole["content"] == ROME
    assert "send the whole" in cut["content"]


def test_a_call_that_is_cut_off_again_has_to_be_shorter() -> None:
    """To send the same once more would end the same way."""
    call = {"type": "tool_use", "id": "a", "name": "forecast", "input": {"city": "Ro"}}
    message = {"role": "assistant", "content": [call], "stop_reason": "max_tokens"}
    memory: dict[str, Any] = {}
    told = [TOOLS.answer(message, memory=memory)[0]["content"][0]["content"] for _ in range(3)]
    assert "send the whole call again" in told[0]
    for each in told[1:]:
        assert "as the last one did; make it shorter" in each


@pytest.mark.parametrize("is_asynchronous", [True, False])
@pytest.mark.parametrize("is_injected", [True, False])
def test_no_call_runs_if_one_of_them_cannot(is_asynchronous: bool, is_injected: bool) -> None:  # noqa: FBT001
    """It would run again when the developer has mended the mistake."""
    runs: list[int] = []

    def count(number: int) -> None:
        runs.append(number)

    def save(session: object) -> None: ...

    other = Tool(save, inject=["session"]) if is_injected else {"name": "save", "parameters": {}}
    tools, message = Toolset([count, other]), chat(("count", '{"number": 1}'), ("save", "{}"))
    with pytest.raises(TypeError, match="`save`"):
        asyncio.run(tools.aanswer(message)) if is_asynchronous else tools.answer(message)
    assert runs == []


@pytest.mark.parametrize("is_asynchronous", [True, False])
def test_a_call_that_was_cut_off_stays_so_if_the_preparation_of_another_fails(
    is_asynchronous: bool,  # noqa: FBT001
) -> None:
    """Its text, closed for the history, would run when the turn is repeated."""
    cities: list[list[str]] = []

    def visit(cities_: list[str]) -> None:
        cities.append(cities_)

    def fail(prepared: Any) -> None:
        raise ConnectionError

    tools = Toolset([visit], on_prepared=fail)
    message = chat(("visit", '{"cities_": ["Rome", "Par'), ("visit", '{"cities_": []}'))
    sent = copy.deepcopy(message)
    with pytest.raises(ConnectionError):
        asyncio.run(tools.aanswer(message)) if is_asynchronous else tools.answer(message)
    assert message == sent
    assert "cut off" in Toolset([visit]).answer(message)[0]["content"]
    assert cities == [[]]


@dataclass(frozen=True)
class Key:
    """A key of a result."""

    x: int


@dataclass
class Point:
    """A result that is a dataclass."""

    x: float


class Raw(Enum):
    """A result that is bytes by another name."""

    ESC = b"\xfb"


class Picture(BaseModel):
    """A result that is a model, with bytes."""

    png: bytes = Field(serialization_alias="PNG")
    at: Any


class Hexadecimal(BaseModel):
    """A model that writes bytes in its own way."""

    raw: bytes

    @field_serializer("raw", when_used="json")
    def digits(self, raw: bytes) -> str:
        """Write hexadecimal digits."""
        return raw.hex()


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("sunny", "sunny"),
        (None, "null"),
        ({"a": {1}}, '{"a":[1]}'),
        (Point(1.5), '{"x":1.5}'),
        (dt.date(2030, 1, 31), '"2030-01-31"'),
        (b"abc", "abc"),
        (b"\xff", "/w=="),
        (bytearray(b"\xfb\xff"), "+/8="),
        ([b"abc"], '["abc"]'),
        ({"a_-": [b"\xff", "_-"], b"\xfb\xff": {b"b"}}, '{"a_-":["/w==","_-"],"+/8=":["Yg=="]}'),
        ({(1, b"\xfb"): [Point(b"\xfb"), Raw.ESC]}, '{"1,+w==":[{"x":"+w=="},"+w=="]}'),  # type: ignore[arg-type]
        ((each for each in (b"a", "b", b"\xfb")), '["YQ==","b","+w=="]'),
        ((each for each in (b"a", "b")), '["a","b"]'),
        ({"a": [(each for each in (b"a", b"\xfb"))]}, '{"a":[["YQ==","+w=="]]}'),
        (map(bytes, ([255], [97])), '["/w==","YQ=="]'),
        (
            [{"a": {(each for each in (Raw.ESC, iter([dt.date(2030, 1, 1)])))}}],
            '[{"a":[["+w==",["2030-01-01"]]]}]',
        ),
        ({Key(1): b"\xff"}, '{"Key(x=1)":"/w=="}'),
        (ValueError("bad"), "ValueError: bad"),
        ([ValueError("bad")], '["ValueError: bad"]'),
        ("half \ud800", "half ?"),
        ({"half \ud800": ["città", "\ud800", True]}, '{"half ?":["città","?",true]}'),
        ({"\ud800": 1, "?": 2}, "{'\\ud800': 1, '?': 2}"),
        ([Picture(png=b"\xfb", at=None)], '[{"PNG":"+w==","at":null}]'),
        (Picture(png=b"", at=Picture(png=b"", at="\ud800")), '{"PNG":"","at":{"PNG":"","at":"?"}}'),
        ([Hexadecimal(raw=b"\xfb"), b"\xfb"], '[{"raw":"fb"},"+w=="]'),
        ([Report(city="x", day=dt.date(2030, 1, 1))], '[{"city":"x","day":"2030-01-01"}]'),
    ],
)
def test_a_result_is_written_for_a_model(result: Any, text: str) -> None:
    """Nothing of it is lost, be it text, bytes or what a generator yields."""
    assert result_text(result) == text


class Rows(BaseModel):
    """A result that is a model, whose rows pydantic yields while it writes them."""

    x: Iterable[str]


@pytest.mark.parametrize(
    ("around", "taken", "text"),
    [
        (lambda rows: rows, lambda result: result, '["0","1","2"]'),
        (lambda rows: {"a": [rows]}, lambda result: result["a"][0], '{"a":[["0","1","2"]]}'),
        (Point, lambda result: result.x, '{"x":["0","1","2"]}'),
        (lambda rows: Rows(x=rows), lambda result: result.x, '{"x":["0","1","2"]}'),
        (
            lambda rows: [Point(Rows(x=rows))],
            lambda result: result[0].x.x,
            '[{"x":{"x":["0","1","2"]}}]',
        ),
    ],
    ids=["itself", "container", "dataclass", "model", "nested"],
)
def test_an_iterator_in_a_result_is_not_used_up_before_it_is_written(
    around: Callable[[Any], Any], taken: Callable[[Any], Any], text: str
) -> None:
    """Neither by the log of its size, nor for an application that calls the tool itself."""

    def numbers(n: int) -> Any:
        return around(map(str, range(n)))

    tools = Toolset([numbers])
    call = {"id": "1", "type": "function", "function": {"name": "numbers", "arguments": '{"n": 3}'}}
    [answer] = tools.answer({"role": "assistant", "tool_calls": [call]})
    assert answer["content"] == text
    assert [*taken(tools["numbers"].call({"n": 3}))] == ["0", "1", "2"]


def test_of_a_dataclass_that_holds_itself_and_an_iterator_only_the_type_is_shown() -> None:
    """It has no JSON form, and to look for iterators in it ends."""
    point = Point(0)
    point.x = [point, point, iter("ab")]  # type: ignore[assignment]
    assert result_text(point) == "a Point that cannot be written"


@pytest.mark.parametrize("levels", [None, 600], ids=["circular", "deep"])
def test_an_iterator_in_a_result_that_has_no_json_form_is_written_as_python_does(
    levels: int | None,
) -> None:
    """It was called: whatever it returns, the model gets an answer."""
    result: list[Any] = [iter("ab")]
    if levels is None:
        result.append(result)
    for _ in range(levels or 0):
        result = [result]
    assert result_text(result).startswith("[[" if levels else "[['a', 'b']")


def test_a_result_that_is_nested_too_deeply_leaves_the_other_calls_their_results() -> None:
    """Neither JSON nor Python writes it; the function has run, and the model learns why."""

    def nested(levels: int) -> Any:
        result: list[Any] = []
        for _ in range(levels):
            result = [result]
        return result

    first, second = (Toolset([nested]) + TOOLS).answer(
        chat(("nested", '{"levels": 100000}'), ("forecast", '{"city": "Rome"}'))
    )
    assert first["content"] == "a list that is nested too deeply to be written"
    assert second["content"] == ROME


class _UnwritableError(Exception):
    """Neither a result nor an error that can be written."""

    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize("is_raised", [True, False])
def test_what_cannot_be_written_leaves_the_other_calls_their_results(is_raised: bool) -> None:  # noqa: FBT001
    """The functions have run, and the model learns of it."""

    def failing() -> Any:
        if is_raised:
            raise _UnwritableError
        return _UnwritableError()

    first, second = (Toolset([failing]) + TOOLS).answer(
        chat(("failing", "{}"), ("forecast", '{"city": "Rome"}')), catch=_UnwritableError
    )
    assert first["content"] == "a _UnwritableError that cannot be written"
    assert second["content"] == ROME


@pytest.mark.parametrize("error", [ToolError("told"), ValueError("boom")], ids=repr)
def test_an_error_of_a_generator_is_that_of_its_call(error: Exception) -> None:
    """The other calls of the message keep their results."""

    def numbers(n: int) -> Any:
        yield n
        raise error

    tools = Toolset([numbers]) + TOOLS
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": text}}
        for name, text in (("numbers", '{"n": 1}'), ("forecast", '{"city": "Rome"}'))
    ]
    message = {"role": "assistant", "tool_calls": calls}
    first, second = tools.answer(message, catch=ValueError)
    assert str(error) in first["content"]
    assert second["content"] == ROME


@pytest.mark.parametrize("error", [None, ToolError("told")], ids=repr)
def test_an_asynchronous_generator_is_awaited_like_a_coroutine(error: ToolError | None) -> None:
    """Its items are the result; without `await` nothing of it would run."""

    async def numbers(n: int) -> Any:
        yield n
        yield await asyncio.sleep(0, n + 1)
        if error is not None:
            raise error

    tools, message = Toolset([numbers]), chat(("numbers", '{"n": 1}'))
    [result] = asyncio.run(tools.aanswer(message))
    assert result["content"] == ("[1,2]" if error is None else "told")
    with pytest.raises(TypeError, match="is asynchronous"):
        tools.answer(message)
    if error is None:
        assert asyncio.run(tools.prepare("numbers", {"n": 1}).acall_json()) == "[1,2]"


def test_a_prepared_call_returns_its_result_as_text() -> None:
    prepared = TOOLS.prepare("forecast", {"city": "Rome"})
    assert prepared.call_json() == ROME
    assert asyncio.run(prepared.acall_json()) == ROME
    waiting = Toolset([later]).prepare("later", {"city": "Rome"})
    assert asyncio.run(waiting.acall_json()) == "later in Rome"
    with pytest.raises(TypeError, match="is asynchronous"):
        waiting.call_json()
    with pytest.raises(ToolError, match="no city"):
        TOOLS.prepare("forecast", {"city": "Nowhere"}).call_json()
