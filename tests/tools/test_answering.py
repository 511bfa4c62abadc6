# ruff: noqa: D103 - the names state the promises
"""The answer to an assistant message: every call gets a result, in the provider's shape."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from schema2model import ToolError, Toolset
from schema2model.tools.answering import result_text


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


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_after_a_reply_that_ended_too_soon_a_repaired_call_is_refused(reason: str) -> None:
    message = chat(("forecast", '{"city": "Rome", "days": 1'), ("forecast", '{"city": "Rome"}'))
    cut, whole = TOOLS.answer(message, finish_reason=reason)
    assert "send the whole call again" in cut["content"]
    assert whole["content"] == ROME
    choice = {"message": chat(("forecast", '{"city": "Rome",')), "finish_reason": reason}
    [refused] = TOOLS.answer({"choices": [choice]})
    assert refused["content"].startswith(ERROR)


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
        (ValueError("bad"), '"ValueError: bad"'),
        ([Report(city="x", day=dt.date(2030, 1, 1))], '[{"city":"x","day":"2030-01-01"}]'),
    ],
)
def test_a_result_is_written_for_a_model(result: Any, text: str) -> None:
    assert result_text(result) == text


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
