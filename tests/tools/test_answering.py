# ruff: noqa: D103 - the names state the promises
"""The answer to an assistant message: every call gets a result, in the provider's shape."""

from __future__ import annotations

import asyncio
import copy
import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from schema2model import ToolError, Toolset
from schema2model.tools.result_text import result_text


class Report(BaseModel):
    """A result that is a model."""

    city: str
    day: dt.date


def forecast(city: str, days: int = 1) -> Report:
    if city == "Nowhere":
        message = "no city of that name"
        raise ToolError(message)
    if city == "Closed":
        message = "the service is closed"
        raise ToolError(message, retryable=False)
    return Report(city=city * days, day=dt.date(2030, 1, 31))


async def later(city: str) -> str:
    await asyncio.sleep(0)
    return f"later in {city}"


TOOLS = Toolset([forecast])
ROME = '{"city":"Rome","day":"2030-01-31"}'
ERROR = "Error parsing arguments for `forecast`:"


def chat(*calls: tuple[str, Any]) -> dict[str, Any]:
    """An assistant message of chat completions."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"c{number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for number, (name, arguments) in enumerate(calls)
        ],
    }


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

    part = {"functionCall": {"name": "forecast", "args": {"city": "Rome"}}}
    response = {"name": "forecast", "response": {"output": ROME}}
    expected = [{"role": "user", "parts": [{"function_response": response}]}]
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


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_turn_that_an_exception_ends_may_be_repeated(asynchronous: bool) -> None:  # noqa: FBT001
    """The message is as it was: a call that was cut off is refused the second time, too."""
    attempts: list[str] = []

    def store(city: str) -> str:
        attempts.append(city)
        if len(attempts) == 1:
            message = "no connection"
            raise OSError(message)
        return "stored"

    def answer(message: Any) -> list[Any]:
        tools = Toolset([store, forecast])
        return asyncio.run(tools.aanswer(message)) if asynchronous else tools.answer(message)

    message = chat(("store", "{'city': 'Rome'}"), ("forecast", '{"days": 2, "city": "Ro'))
    sent = copy.deepcopy(message)
    with pytest.raises(OSError, match="no connection"):
        answer(message)
    assert message == sent
    stored, refused = answer(message)
    assert (attempts, stored["content"]) == (["Rome", "Rome"], "stored")
    assert "cut off inside a string" in refused["content"]
    written = [call["function"]["arguments"] for call in message["tool_calls"]]
    assert [*map(json.loads, written)] == [{"city": "Rome"}, {"days": 2, "city": "Ro"}]


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


def test_a_repeated_mistake_is_pointed_out_and_a_final_error_says_so() -> None:
    memory: dict[str, ToolError] = {}
    wrong = ("forecast", '{"days": 1}')
    TOOLS.answer(chat(wrong), memory=memory)
    [again] = TOOLS.answer(chat(wrong), memory=memory)
    assert "The last call had the same problem" in again["content"]
    TOOLS.answer(chat(("forecast", '{"city": "Rome"}')), memory=memory)
    assert not memory
    [final] = TOOLS.answer(chat(("forecast", '{"city": "Closed"}')))
    assert final["content"] == "the service is closed\nDo not call it again."


def test_calls_run_concurrently_in_their_order_and_after_approval() -> None:
    tools = Toolset([forecast, later])
    asked: list[str] = []

    async def approve(prepared: Any) -> None:
        asked.append(prepared.tool.name)
        if prepared.arguments.get("city") == "Oslo":
            message = "the user said no"
            raise ToolError(message)

    message = chat(
        *(("later", '{"city": "Rome"}'), ("forecast", '{"city": "Rome"}')),
        ("later", '{"city": "Oslo"}'),
    )
    for limit in (None, 1):
        results = asyncio.run(tools.aanswer(message, approve=approve, limit=limit))
        assert [each["content"] for each in results] == ["later in Rome", ROME, "the user said no"]
    assert asked == ["later", "forecast", "later"] * 2


def test_injected_values_reach_the_tools_and_bugs_are_raised() -> None:
    def add(number: int, session: str) -> str:
        return f"{session}: {1 // number}"

    tools = Toolset([add], inject="session")
    [result] = tools.answer(chat(("add", '{"number": 1}')), session="s1")
    assert result["content"] == "s1: 1"
    with pytest.raises(ZeroDivisionError):
        tools.answer(chat(("add", '{"number": 0}')), session="s1")


@dataclass
class Point:
    """A result that is a dataclass."""

    x: float


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("sunny", "sunny"),
        (None, "null"),
        ({"a": {1}}, '{"a":[1]}'),
        (Point(1.5), '{"x":1.5}'),
        (dt.date(2030, 1, 31), '"2030-01-31"'),
        (b"abc", '"abc"'),
        (b"\xff", '"_w=="'),
        (ValueError("bad"), "ValueError: bad"),
        ([ValueError("bad")], '["ValueError: bad"]'),
        ("half \ud800", "half ?"),
        ([Report(city="x", day=dt.date(2030, 1, 1))], '[{"city":"x","day":"2030-01-01"}]'),
    ],
)
def test_a_result_is_written_for_a_model(result: Any, text: str) -> None:
    assert result_text(result) == text


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
    [answer] = TOOLS.answer({**message, "stop_reason": "tool_use"})
    assert [each["content"] for each in answer["content"]] == [ROME, ROME]


def test_equal_mistakes_in_one_message_are_not_called_repeated() -> None:
    """The model has not seen the first answer when it makes the second call."""
    memory: dict[str, ToolError] = {}
    wrong = ("forecast", '{"days": 1}')
    first, second = TOOLS.answer(chat(wrong, wrong), memory=memory)
    assert first["content"] == second["content"]
    assert "last call" not in first["content"]
    good = ("forecast", '{"city": "Rome"}')
    for message in (chat(wrong, good), chat(good, wrong)):
        TOOLS.answer(message, memory=memory)
        assert "forecast" in memory


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


def test_a_call_without_an_id_is_answered_by_its_name() -> None:
    call = {"function": {"name": "forecast", "arguments": {"city": "Rome"}}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    assert TOOLS.answer(message) == [{"role": "tool", "name": "forecast", "content": ROME}]


def test_a_refusal_by_the_hook_does_not_run_the_tool() -> None:
    ran: list[str] = []

    def pay(amount: int) -> str:
        ran.append(f"{amount}")
        return "paid"

    tools, message = Toolset([pay]), chat(("pay", '{"amount": 1}'), ("pay", '{"amount": 9}'))
    for answer in (
        tools.answer(message, approve=lambda call: call.arguments["amount"] < 5),
        asyncio.run(tools.aanswer(message, approve=lambda call: call.arguments["amount"] < 5)),
    ):
        assert [each["content"] for each in answer] == [
            "paid",
            "The call of `pay` was not approved; it was not made.",
        ]
    assert ran == ["1", "1"]

    async def approve(_: Any) -> bool:
        return True

    with pytest.raises(TypeError, match="use `await tools"):
        tools.answer(message, approve=approve)
    assert ran == ["1", "1"]


def test_an_asynchronous_tool_is_noticed_before_any_other_runs() -> None:
    ran: list[str] = []

    def note(text: str) -> None:
        ran.append(text)

    message = chat(("note", '{"text": "x"}'), ("later", '{"city": "Rome"}'))
    with pytest.raises(TypeError, match="use `await tools"):
        Toolset([note, later]).answer(message)
    assert not ran


def test_exceptions_to_catch_become_results_and_others_cancel_the_turn() -> None:
    cancelled: list[str] = []

    async def fail(code: int) -> int:
        await asyncio.sleep(0)
        return 1 // code

    async def wait(seconds: float) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            cancelled.append("wait")
            raise
        return "waited"

    def divide(by: int) -> int:
        return 1 // by

    tools = Toolset([fail, wait])
    message = chat(("wait", '{"seconds": 5}'), ("fail", '{"code": 0}'))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(tools.aanswer(message))
    assert cancelled == ["wait"]
    message = chat(("wait", '{"seconds": 0}'), ("fail", '{"code": 0}'))
    for answer in (
        asyncio.run(tools.aanswer(message, catch=ZeroDivisionError))[1:],
        Toolset([divide]).answer(chat(("divide", '{"by": 0}')), catch=(ArithmeticError, OSError)),
    ):
        [result] = answer
        assert result["content"].startswith("ZeroDivisionError: ")


def test_a_limit_bounds_the_calls_that_run_at_the_same_time() -> None:
    running, most = 0, 0

    async def work(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (5 - number))
        running -= 1
        return number

    message = chat(*(("work", json.dumps({"number": number})) for number in range(5)))
    for limit, expected in ((None, 5), (2, 2), (1, 1)):
        most = 0
        results = asyncio.run(Toolset([work]).aanswer(message, limit=limit))
        assert [each["content"] for each in results] == ["0", "1", "2", "3", "4"]
        assert most == expected
    with pytest.raises(ValueError, match="limit is"):
        asyncio.run(Toolset([work]).aanswer(message, limit=0))


def test_responses_of_openai_are_read_and_can_be_sent_again() -> None:
    chat_types = pytest.importorskip("openai.types.chat", reason="needs openai")
    response = chat_types.ChatCompletion.model_validate(
        {
            "id": "r",
            "object": "chat.completion",
            "created": 1,
            "model": "x",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "length",
                    "message": chat(
                        ("forecast", '{"city": "Rome"}'),
                        ("foreca", "{"),
                        ("forecast", '{"city": "Rome"'),
                    ),
                }
            ],
        }
    )
    results = TOOLS.answer(response)
    assert results[0]["content"] == ROME
    assert "send the whole call again" in results[2]["content"]
    message = response.choices[0].message
    for call in message.tool_calls:
        assert type(json.loads(call.function.arguments)) is dict
    answered = {call.id for call in message.tool_calls}
    assert answered == {each["tool_call_id"] for each in results}
    parameter = TypeAdapter(chat_types.ChatCompletionToolMessageParam)
    assert [parameter.validate_python(each) for each in results] == results


def test_items_of_the_responses_api_are_read_and_answered() -> None:
    responses = pytest.importorskip("openai.types.responses", reason="needs openai")
    item = {"type": "function_call", "call_id": "c1", "name": "forecast", "id": "i1"}
    response = responses.Response.model_validate(
        {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "x",
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [
                {"type": "reasoning", "id": "x", "summary": []},
                {**item, "arguments": '{"city": "Rome"}'},
                {**item, "call_id": "c2", "arguments": '{"city": "Rome"'},
            ],
        }
    )
    whole, cut = TOOLS.answer(response)
    assert whole == {"type": "function_call_output", "call_id": "c1", "output": ROME}
    assert "send the whole call again" in cut["output"]
    assert json.loads(response.output[2].arguments) == {"city": "Rome"}
    parameter = TypeAdapter(responses.response_input_item_param.FunctionCallOutput)
    assert parameter.validate_python(whole) == whole


def test_objects_of_the_sdks_are_read() -> None:
    openai = pytest.importorskip("openai.types.chat", reason="needs openai")
    message = openai.ChatCompletionMessage.model_validate(
        chat(("forecast", "{'city': 'Rome'}"), ("forecast", "{}"))
    )
    first, second = TOOLS.answer(message)
    assert first["content"] == ROME
    assert second["content"].startswith(ERROR)
    assert message.tool_calls[0].function.arguments == '{"city":"Rome"}'


def test_messages_of_anthropic_are_read() -> None:
    anthropic = pytest.importorskip("anthropic.types", reason="needs anthropic")
    use = {"type": "tool_use", "id": "t1", "name": "forecast", "input": {"city": "Rome"}}
    message = anthropic.Message.model_validate(
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "x",
            "content": [use],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    [answer] = TOOLS.answer(message)
    assert answer["content"][0]["content"] == ROME


def test_responses_of_gemini_are_read() -> None:
    types = pytest.importorskip("google.genai.types", reason="needs google-genai")
    call = types.FunctionCall(name="forecast", args={"city": "Rome"}, id="g1")
    content = types.Content(role="model", parts=[types.Part(function_call=call)])
    response = types.GenerateContentResponse(candidates=[types.Candidate(content=content)])
    [answer] = TOOLS.answer(response)
    assert types.Content.model_validate(answer).parts[0].function_response.response == {
        "output": ROME
    }


def test_messages_of_langchain_are_read() -> None:
    messages = pytest.importorskip("langchain_core.messages", reason="needs langchain-core")
    call = {"name": "forecast", "args": {"city": "Rome"}, "id": "l1"}
    invalid = {"name": "forecast", "args": '{"city": "Rome"', "id": "l2", "error": "no JSON"}
    message = messages.AIMessage("", tool_calls=[call], invalid_tool_calls=[invalid])
    converted = messages.utils.convert_to_messages(TOOLS.answer(message))
    assert [each.tool_call_id for each in converted] == ["l1", "l2"]
    assert [each.content for each in converted] == [ROME, ROME]


def test_blocked_replies_of_gemini_have_no_answer() -> None:
    types = pytest.importorskip("google.genai.types", reason="needs google-genai")
    for response in (
        types.GenerateContentResponse(candidates=None),
        types.GenerateContentResponse(candidates=[types.Candidate(content=None)]),
        types.GenerateContentResponse(
            candidates=[types.Candidate(content=types.Content(role="model", parts=None))]
        ),
    ):
        assert TOOLS.answer(response) == []
    call = types.FunctionCall(name="forecast", args={"city": "Rome"})
    content = types.Content(role="model", parts=[types.Part(function_call=call)])
    candidate = types.Candidate(content=content, finish_reason=types.FinishReason.MAX_TOKENS)
    [answer] = TOOLS.answer(types.GenerateContentResponse(candidates=[candidate]))
    text = types.Content.model_validate(answer).parts[0].function_response.response["error"]
    assert "send the whole call again" in text


def test_the_end_reason_of_langchain_is_read() -> None:
    messages = pytest.importorskip("langchain_core.messages", reason="needs langchain-core")
    calls = [{"name": "forecast", "args": {"city": "Rome"}, "id": f"l{n}"} for n in (1, 2)]
    for metadata in ({"finish_reason": "length"}, {"stop_reason": "max_tokens"}):
        message = messages.AIMessage("", tool_calls=calls, response_metadata=metadata)
        whole, cut = messages.utils.convert_to_messages(TOOLS.answer(message))
        assert (whole.content, whole.status, cut.status) == (ROME, "success", "error")
        assert "send the whole call again" in cut.content
    chunk = messages.AIMessageChunk(
        "", tool_call_chunks=[{"name": "forecast", "args": '{"city": "Ro', "id": "l1", "index": 0}]
    )
    [refused] = TOOLS.answer(chunk, finish_reason="length")
    assert "send the whole call again" in refused["content"]
    assert refused["tool_call_id"] == "l1"


def test_a_name_that_is_nested_deeply_is_no_tool() -> None:
    """The answer quotes the beginning of it."""
    name: list[Any] = []
    for _ in range(5000):
        name = [name]
    call = {"type": "tool_use", "id": "1", "name": name, "input": {}}
    [answer] = Toolset([]).answer({"role": "assistant", "content": [call]})
    assert "no tool" in str(answer)
