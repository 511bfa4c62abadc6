"""LiteLLM: requests with strict definitions, and answers whose calls are decoded, once."""

from __future__ import annotations

import asyncio
import copy
import json
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest

from schema2model.extras import needs

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise
pytest.importorskip("litellm", reason=needs("litellm"))
import litellm
from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices

from schema2model import compile_schema
from schema2model.adapters.litellm import Coercion

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning"),  # LiteLLM's own
]

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "days": {"type": "integer", "maximum": 9},
        "due": {"type": ["string", "null"]},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["title"],
}
FUNCTION = {"name": "note", "description": "Note.", "parameters": SCHEMA}
TOOLS: dict[str, list[Any]] = {
    "chat": [{"type": "function", "function": FUNCTION}],
    "responses": [{"type": "function", **FUNCTION}],
    "messages": [{"name": "note", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}],
}
LABELS = [{"key": "b", "value": "c"}]
SENT = {"title": "a", "days": None, "due": {"value": None}, "labels": LABELS}
MEANT = {"title": "a", "due": None, "labels": {"b": "c"}}


@pytest.fixture
def coercion(monkeypatch: pytest.MonkeyPatch) -> Coercion:
    """A strict callback that LiteLLM knows."""
    made = Coercion(strict="openai")
    monkeypatch.setattr(litellm, "callbacks", [made])
    return made


def asked(text: str) -> dict[str, Any]:
    """A request, with what the model answers."""
    function = {"name": "note", "arguments": text}
    return {
        "model": "openai/gpt-4.1",
        "messages": [{"role": "user", "content": "Go on."}],
        "tools": copy.deepcopy(TOOLS["chat"]),
        "mock_response": "",
        "mock_tool_calls": [{"id": "1", "type": "function", "function": function}],
    }


def arguments(answer: Any) -> Any:
    """The arguments of the only call."""
    (call,) = answer.choices[0].message.tool_calls
    return json.loads(call.function.arguments)


def test_requests_are_sent_strict(coercion: Coercion, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reaches LiteLLM's provider is the projection; the caller's own tools stay."""
    sent: list[Any] = []
    hook = coercion.async_post_call_success_deployment_hook

    async def watched(request_data: Any, response: Any, call_type: Any) -> Any:
        sent.extend(request_data["tools"])
        return await hook(request_data, response, call_type)

    monkeypatch.setattr(coercion, "async_post_call_success_deployment_hook", watched)
    request = asked(json.dumps(SENT))
    answer = asyncio.run(litellm.acompletion(**request))
    assert arguments(answer) == MEANT
    assert request["tools"] == TOOLS["chat"]
    (definition,) = sent
    assert definition["function"]["strict"] is True
    assert definition["function"]["description"] == "Note."
    assert definition["function"]["parameters"] == compile_schema(SCHEMA).strict("openai").schema


@pytest.mark.parametrize("text", [json.dumps(MEANT | {"days": 1}), "{'title': 'a', 'days': '1'}"])
def test_models_that_do_not_obey_are_read_too(coercion: Coercion, text: str) -> None:
    """As `decode` reads them."""
    answer = asyncio.run(litellm.acompletion(**asked(text)))
    assert arguments(answer)["days"] == 1


def test_the_proxy_decodes_once(coercion: Coercion) -> None:
    """Its hook for whole answers has the caller's tools, and sees decoded arguments."""
    request = asked(json.dumps(SENT))
    answer = asyncio.run(litellm.acompletion(**request))
    asyncio.run(coercion.async_post_call_success_hook(request, None, answer))
    assert arguments(answer) == MEANT


def test_what_is_refused_is_decoded_all_the_same(coercion: Coercion) -> None:
    """The agent knows the schema as given: its error names what the model got wrong."""
    answer = asyncio.run(litellm.acompletion(**asked(json.dumps(SENT | {"days": 10}))))
    assert arguments(answer) == MEANT | {"days": 10}


def test_where_there_is_no_hook() -> None:
    """`strict_tools` gives what to send, `correct` decodes."""
    coercion = Coercion(strict="openai")
    request = asked(json.dumps(SENT))
    request["tools"] = coercion.strict_tools(request["tools"])
    answer = litellm.completion(**request)
    again = copy.deepcopy(answer)
    assert arguments(coercion.correct(answer, request["tools"])) == MEANT
    assert arguments(coercion.correct(again, TOOLS["chat"])) == MEANT
    assert Coercion().strict_tools(TOOLS["chat"]) is TOOLS["chat"]


def test_streams_are_decoded() -> None:
    """With the tools of the request, as the proxy has them."""
    coercion = Coercion(strict="openai")
    text = json.dumps(SENT)

    async def source() -> AsyncIterator[Any]:
        for name, fragment in (("note", text[:20]), (None, text[20:])):
            call = {"index": 0, "function": {"name": name, "arguments": fragment}}
            yield ModelResponseStream([StreamingChoices(delta=Delta(tool_calls=[call]))])
        yield ModelResponseStream([StreamingChoices(finish_reason="tool_calls")])

    async def run() -> str:
        request = {"tools": TOOLS["chat"]}
        chunks = coercion.async_post_call_streaming_iterator_hook(None, source(), request)
        return "".join(
            [
                call.function.arguments or ""
                async for chunk in chunks
                for call in chunk.choices[0].delta.tool_calls or ()
            ]
        )

    assert json.loads(asyncio.run(run())) == MEANT


@pytest.mark.parametrize("shape", TOOLS)
def test_definitions_of_all_shapes_are_strict(shape: str) -> None:
    """What else a definition says stays; what has no projection, too."""
    coercion = Coercion(strict="openai")
    other = {"type": "web_search"}
    broken = {"name": "broken", "input_schema": {"type": "object", "properties": 5}}
    definition, *rest = coercion.strict_tools([*TOOLS[shape], other, broken])
    assert rest == [other, broken]
    inner = definition.get("function", definition)
    assert inner["strict"] is True
    schema = inner.get("parameters") or inner["input_schema"]
    assert schema == compile_schema(SCHEMA).strict("openai").schema
    assert set(definition) == set(TOOLS[shape][0]) | (
        {"strict"} if "function" not in definition else set()
    )


def test_messages_and_responses_are_decoded() -> None:
    """In place, as objects and as text."""
    coercion = Coercion(strict="anthropic")
    sent = {"title": "a", "due": None, "labels": LABELS}
    block = {"type": "tool_use", "name": "note", "input": sent}
    message = {"content": [block], "stop_reason": "tool_use"}
    coercion.correct(message, TOOLS["messages"])
    assert block["input"] == MEANT
    coercion = Coercion(strict="openai")
    call = {"type": "function_call", "name": "note", "arguments": json.dumps(SENT)}
    coercion.correct({"output": [call], "status": "completed"}, TOOLS["responses"])
    assert json.loads(str(call["arguments"])) == MEANT


def test_calls_in_text_are_decoded_once() -> None:
    """They become calls, and are decoded as all others are."""
    coercion = Coercion(strict="openai", text_calls=True)
    text = json.dumps({"name": "note", "arguments": SENT})
    request = asked("")
    request["mock_response"] = f"<tool_call>{text}</tool_call>"
    del request["mock_tool_calls"]
    answer = litellm.completion(**request)
    assert arguments(coercion.correct(answer, TOOLS["chat"])) == MEANT


def test_each_request_has_its_own_definitions() -> None:
    """LiteLLM rewrites them in place, for Gemini: later requests get what was made."""
    coercion = Coercion(strict="gemini")
    (definition,) = coercion.strict_tools(TOOLS["chat"])
    before = copy.deepcopy(definition)
    litellm.utils.get_optional_params(
        "gemini-2.5-pro", custom_llm_provider="gemini", tools=[definition]
    )
    definition["function"]["parameters"]["properties"].clear()
    assert coercion.strict_tools(TOOLS["chat"]) == [before]
    (copied,) = copy.deepcopy(coercion.strict_tools(TOOLS["chat"]))
    assert copied.tool.prepare({"title": "a"}).arguments == {"title": "a"}


def test_an_unknown_provider_is_refused() -> None:
    """Where it is named."""
    with pytest.raises(ValueError, match="did you mean 'openai'"):
        Coercion(strict="openia")
