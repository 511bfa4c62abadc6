# ruff: noqa: D103 - the names state the promises
"""Messages of the providers' SDKs are read, and the answers are what the SDKs take."""

from __future__ import annotations

import json

import pytest
from answering import ERROR, ROME, TOOLS, chat
from pydantic import TypeAdapter


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


def test_messages_of_langchain_are_read() -> None:
    messages = pytest.importorskip("langchain_core.messages", reason="needs langchain-core")
    call = {"name": "forecast", "args": {"city": "Rome"}, "id": "l1"}
    invalid = {"name": "forecast", "args": '{"city": "Rome"', "id": "l2", "error": "no JSON"}
    message = messages.AIMessage("", tool_calls=[call], invalid_tool_calls=[invalid])
    converted = messages.utils.convert_to_messages(TOOLS.answer(message))
    assert [each.tool_call_id for each in converted] == ["l1", "l2"]
    assert [each.content for each in converted] == [ROME, ROME]


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
