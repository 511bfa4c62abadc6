"""LiteLLM's SDK, and what becomes of whole answers."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import os
from typing import Any

import pytest

from schema2model.extras import needs

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise
pytest.importorskip("litellm", reason=needs("litellm"))
import litellm
from hypothesis import given, strategies as st
from litellm_streams import READING, RIGHT, TOOLS, streamed
from probe import EXACT, HOPELESS, STRINGS

from schema2model.adapters.litellm import Coercion, coercion

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning"),  # LiteLLM's own
]


# --------------------------------------------------------------------------- the MCP gateway
def gateway_call(arguments: Any, callback: Coercion = coercion, **data: Any) -> Any:
    """What LiteLLM's own code makes of a call of a tool that a client has listed."""
    proxy_utils = pytest.importorskip("litellm.proxy.utils", reason="needs litellm[proxy]")
    logging_hooks = proxy_utils.ProxyLogging.__new__(proxy_utils.ProxyLogging)
    (function,) = (t["function"] for t in TOOLS["chat"] if t["function"]["name"] == "search")
    given = {"name": "search", "arguments": arguments, "server_name": "shop"}
    given |= {"tool_input_schema": function["parameters"], **data}
    request = logging_hooks.create_mcp_request_object_from_kwargs(given)
    asked = logging_hooks.convert_mcp_to_llm_format(request, given)
    answer = asyncio.run(callback.async_pre_call_hook(None, None, asked, "call_mcp_tool"))
    return logging_hooks.convert_mcp_hook_response_to_kwargs(answer, given)["arguments"]


def test_calls_of_the_mcp_gateway_are_corrected() -> None:
    """By the schema that the client has listed; those without one stay as they are."""
    assert gateway_call(STRINGS) == EXACT
    assert gateway_call(EXACT) == EXACT
    assert gateway_call(STRINGS, tool_input_schema=None) == STRINGS


def test_calls_of_the_mcp_gateway_without_a_reading_are_refused() -> None:
    """With the message for the model, which the gateway makes a result of."""
    fastapi = pytest.importorskip("fastapi", reason="needs litellm[proxy]")
    with pytest.raises(fastapi.HTTPException) as caught:
        gateway_call(HOPELESS)
    assert caught.value.detail.startswith("Error parsing arguments for `search`:")


def test_other_requests_of_the_proxy_stay_as_they_are() -> None:
    """Also those of a subclass, in which LiteLLM looks for the hook itself."""

    class Own(Coercion):
        """One more."""

    assert "async_pre_call_hook" in vars(Own)
    asked = {"messages": [], "tools": TOOLS["chat"]}
    assert asyncio.run(Own().async_pre_call_hook(None, None, asked, "acompletion")) is None


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


def two_calls(text: str) -> dict[str, Any]:
    """One with a call, and another in which the model was cut off."""
    answer = chat_answer('{"limit": "1"', "length")
    calls = answer["choices"][0]["message"]["tool_calls"]
    calls[0] = {"type": "function", "function": {"name": "search", "arguments": text}}
    return answer


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
            "chat",
            two_calls("{'limit': 1}"),
            two_calls('{"limit":1}'),
            id="chat-cut-off-in-the-next",
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


OBJECT, TEXT = (
    json.dumps({"name": "search", "arguments": arguments}) for arguments in ({"limit": 1}, "cheap")
)
UNKNOWN = json.dumps({"name": "find", "arguments": {}})


@pytest.mark.parametrize(
    ("api", "calls", "prose"),
    [
        ("chat", [UNKNOWN, OBJECT], f"1: {UNKNOWN}2: 3"),
        ("messages", [UNKNOWN, OBJECT], f"1: {UNKNOWN}2: 3"),
        ("messages", [OBJECT, TEXT], f"1: 2: {TEXT}3"),
    ],
    ids=["chat-unknown", "messages-unknown", "messages-no-object"],
)
def test_what_cannot_be_a_call_stays_at_its_place_in_the_text(
    api: str, calls: list[str], prose: str
) -> None:
    """A tool that is not there; and in messages arguments that are no object, next to others."""
    text = "1: <tool_call>{}</tool_call>2: <tool_call>{}</tool_call>3".format(*calls)
    answer: dict[str, Any] = {
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }
    if api == "chat":
        answer = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    READING.correct(answer, TOOLS[api])
    if api == "chat":
        message = answer["choices"][0]["message"]
        assert (message["content"], len(message["tool_calls"])) == (prose, 1)
    else:
        assert [block.get("text") for block in answer["content"]] == [prose, None]


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
