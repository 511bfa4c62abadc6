"""Messages of every provider: each call is answered in its own way, and an unknown shape is named.

A message whose calls are not recognised must never be taken for one without calls.
"""

from __future__ import annotations

from typing import Any

import pytest
from answering import ERROR, ROME, TOOLS
from pydantic import BaseModel

from schema2model import Toolset

GOOD, CUT = {"city": "Rome"}, '{"city": "Rome"'

FUNCTION = {"name": "forecast", "arguments": '{"city": "Rome"}'}
CHAT = {"id": "c1", "type": "function", "function": FUNCTION}
BEDROCK = {"toolUse": {"toolUseId": "b1", "name": "forecast", "input": GOOD}}
BLOCK = {"type": "tool_call", "id": "l1", "name": "forecast", "args": GOOD}
GEMINI = {"functionCall": {"name": "forecast", "args": GOOD, "id": "g1"}}

TOOL = [{"role": "tool", "tool_call_id": "c1", "content": ROME}]
FUNCTION_RESULT = [{"role": "function", "name": "forecast", "content": ROME}]
RESULT = {"toolUseId": "b1", "content": [{"text": ROME}], "status": "success"}
BEDROCK_RESULT = [{"role": "user", "content": [{"toolResult": RESULT}]}]
BLOCK_RESULT = [{"role": "tool", "tool_call_id": "l1", "content": ROME, "status": "success"}]
RESPONSE = {"name": "forecast", "response": {"output": ROME}, "id": "g1"}
GEMINI_RESULT = [{"role": "user", "parts": [{"functionResponse": RESPONSE}]}]

SHAPES: dict[str, tuple[Any, list[Any]]] = {
    "a legacy function call": (
        {"role": "assistant", "content": None, "function_call": FUNCTION},
        FUNCTION_RESULT,
    ),
    "a response with a legacy function call": (
        {"choices": [{"message": {"role": "assistant", "function_call": FUNCTION}}]},
        FUNCTION_RESULT,
    ),
    "a list of calls": ([CHAT], TOOL),
    "a list of calls without a type": ([{"id": "c1", "function": FUNCTION}], TOOL),
    "a list of LangChain's calls": (
        [{"name": "forecast", "args": GOOD, "id": "l1"}],
        BLOCK_RESULT,
    ),
    "a list of LangChain's typed calls": ([BLOCK], BLOCK_RESULT),
    "LangChain's blocks": (
        {"type": "ai", "content": [{"type": "text", "text": "x"}, BLOCK]},
        BLOCK_RESULT,
    ),
    "Bedrock's response": (
        {"output": {"message": {"role": "assistant", "content": [{"text": "x"}, BEDROCK]}}},
        BEDROCK_RESULT,
    ),
    "Bedrock's message": ({"role": "assistant", "content": [BEDROCK]}, BEDROCK_RESULT),
    "Bedrock's blocks": ([{"text": "x"}, BEDROCK], BEDROCK_RESULT),
    "Gemini's response in JSON": (
        {"candidates": [{"content": {"parts": [GEMINI]}}]},
        GEMINI_RESULT,
    ),
    "Gemini's parts": ([{"text": "x"}, GEMINI], GEMINI_RESULT),
    "Ollama's response": (
        {"message": {"role": "assistant", "tool_calls": [{"function": FUNCTION}]}, "done": True},
        [{"role": "tool", "name": "forecast", "content": ROME}],
    ),
    "Cohere's first calls": (
        [{"name": "forecast", "parameters": GOOD}],
        [{"role": "tool", "name": "forecast", "content": ROME}],
    ),
}
"""Messages by their shape, and what answers each."""


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_answered_in_its_own_way(shape: str) -> None:
    """As its provider takes it in the next request."""
    message, expected = SHAPES[shape]
    assert TOOLS.answer(message) == expected


CUT_CHAT = {"role": "assistant", "function_call": {**FUNCTION, "arguments": CUT}}
OLLAMA = {"role": "assistant", "tool_calls": [{"function": {**FUNCTION, "arguments": GOOD}}]}
CONVERSE = {"message": {"role": "assistant", "content": [BEDROCK]}}
CAMEL = {"finishReason": "MAX_TOKENS"}


@pytest.mark.parametrize(
    "message",
    [
        {"candidates": [{"content": {"parts": [GEMINI]}, **CAMEL}]},
        {"output": CONVERSE, "stopReason": "max_tokens"},
        {"role": "assistant", "content": [BLOCK], "response_metadata": CAMEL},
        {"type": "ai", "tool_calls": [BLOCK], "response_metadata": {"stopReason": "max_tokens"}},
        {"message": OLLAMA, "done_reason": "length"},
        {"choices": [{"message": CUT_CHAT, "finish_reason": "length"}]},
    ],
)
def test_a_reply_that_was_cut_off_runs_no_call(message: Any) -> None:
    """However the provider spells the reason."""
    [result] = TOOLS.answer(message)
    assert "send the whole call again" in str(result)


def test_the_json_of_a_gemini_response_is_cut_off() -> None:
    """`model_dump(by_alias=True)` has its reason in camelCase."""
    types = pytest.importorskip("google.genai.types", reason="needs google-genai")
    call = types.FunctionCall(name="forecast", args=GOOD)
    content = types.Content(role="model", parts=[types.Part(function_call=call)])
    candidate = types.Candidate(content=content, finish_reason=types.FinishReason.MAX_TOKENS)
    response = types.GenerateContentResponse(candidates=[candidate])
    for dumped in (
        response.model_dump(by_alias=True),
        response.model_dump(by_alias=True, mode="json"),
        response.model_dump(),
    ):
        [result] = TOOLS.answer(dumped)
        assert "send the whole call again" in str(types.Content.model_validate(result))


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "toolCalls": [CHAT]},
        {"role": "assistant", "content": [{"type": "toolCall", "name": "forecast"}]},
        {"role": "assistant", "content": [{"kind": "x", "tool_uses": [{"name": "forecast"}]}]},
        {"type": "ai", "data": {"content": "", "tool_calls": [BLOCK]}},
        {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [CHAT]}},
        [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [CHAT]}],
        {"message": {"role": "assistant", "function_calls": [FUNCTION]}, "finish_reason": "stop"},
    ],
)
def test_calls_in_an_unknown_shape_are_an_error(message: Any) -> None:
    """It names the known shapes; no calls would look like the final answer."""
    with pytest.raises(
        TypeError, match=r"known are those of OpenAI .*, Anthropic, Gemini, Bedrock"
    ):
        TOOLS.answer(message)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "Sunny.", "tool_calls": None},
        {"role": "assistant", "content": [{"type": "text", "text": '{"tool_calls": [1]}'}]},
        {"role": "assistant", "content": [{"type": "server_tool_use", "name": "x", "input": {}}]},
        [{"type": "message", "content": [{"type": "output_text", "text": "x"}]}],
        {"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}]},
        {"output": {"message": {"role": "assistant", "content": [{"text": "x"}]}}},
        {"role": "assistant", "content": "x", "tools": [{"tool_calls": [1]}]},
    ],
)
def test_a_message_without_calls_has_no_answer(message: Any) -> None:
    """Nothing in it is taken for a call."""
    assert TOOLS.answer(message) == []


def test_a_call_whose_arguments_are_not_found_is_an_error() -> None:
    """An application that passes it has to know; without arguments it would run with none."""
    for call in ({"name": "forecast", "kwargs": GOOD}, {"name": "forecast", "tool_input": GOOD}):
        with pytest.raises(
            TypeError, match=r"has its arguments under `.*`; known are the calls of"
        ):
            TOOLS.prepare_call(call)
    with pytest.raises(TypeError, match="is a message, not a tool call; pass it to `answer`"):
        TOOLS.prepare_call({"role": "assistant", "name": "bob", "tool_calls": [CHAT]})
    assert TOOLS.prepare_call(BEDROCK).call_id == "b1"
    assert TOOLS.prepare_call({"function_call": FUNCTION}).arguments == GOOD
    assert TOOLS.prepare_call({"name": "forecast", "parameters": GOOD}).arguments == GOOD
    assert TOOLS.answer([{"id": "c1", "function": {"name": "forecast"}}])[0]["content"].startswith(
        ERROR
    )


class Function(BaseModel, extra="allow"):
    """A part of a call, in an SDK that keeps members that it does not know."""

    name: str


class SdkCall(BaseModel, extra="allow"):
    """A call, in the same SDK."""

    function: Function

    @property
    def id(self) -> str:
        """The id, which is no field."""
        return "c1"


class SdkMessage(BaseModel, extra="allow"):
    """A message, in the same SDK."""

    role: str


def test_members_of_models_are_fields_properties_or_extra() -> None:
    """An object of an SDK is read like the mapping that it was made of."""
    tools = Toolset([{"name": "f", "parameters": {"type": "object"}}])
    function = Function.model_validate({"name": "f", "arguments": "{'a': 1}"})
    call = SdkCall(function=function)
    prepared = tools.prepare_call(call)
    assert (prepared.arguments, prepared.call_id) == ({"a": 1}, "c1")
    assert function.model_extra == {"arguments": '{"a":1}'}
    message = SdkMessage.model_validate({"role": "assistant", "tool_calls": [call]})
    with pytest.raises(TypeError, match="`f` has no function"):
        tools.answer(message)
    unset = SdkMessage.model_construct(tool_calls=[])
    assert tools.answer(SdkMessage.model_validate({"role": "assistant"})) == []
    assert tools.answer(unset) == []
