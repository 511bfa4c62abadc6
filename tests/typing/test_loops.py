"""The loops of the guide: type checkers accept them, and they hold a conversation with the SDKs.

Only the network is replaced: each SDK parses real replies, and sends the history again.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from type_checkers import CHECKERS

from schema2model import Toolset

ROOT = Path(__file__).parents[2]
LOOPS = Path(__file__).with_name("loops")
PACKAGES = {
    "openai_loop": ("openai", "httpx2"),
    "responses_loop": ("openai", "httpx2"),
    "anthropic_loop": ("anthropic", "httpx2"),
    "gemini_loop": ("google.genai", "httpx", "PIL"),
    "langchain_loop": ("langchain_core",),
}
"""What each loop imports; without Pillow, the types of google-genai are incomplete."""

WRONG, RIGHT = '{"fruits": {"first": 1}}', "{'fruits': '[\"pears\"]', 'minimum': '7'}"
VALID = {"fruits": ["pears"], "minimum": 7}
REFUSED = "/fruits: must be a JSON array of string"


def stock(fruits: list[str], minimum: int = 0) -> dict[str, int]:
    """Say how much there is of some fruits."""
    return {fruit: max(5, minimum) for fruit in fruits}


def require(name: str) -> None:
    """Skip the test if the SDK is not installed."""
    for package in PACKAGES[name]:
        pytest.importorskip(package, reason=f"needs {package}")


@pytest.fixture
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The function of the loop that the test names."""
    require(request.param)
    monkeypatch.syspath_prepend(str(LOOPS))
    run: Callable[..., str] = importlib.import_module(request.param).run
    return run


def transport(httpx: Any, replies: list[dict[str, Any]], requests: list[Any]) -> Any:
    """A client that answers with one reply after the other, and keeps the requests."""
    remaining = iter(replies)

    def respond(request: Any) -> Any:
        requests.append(json.loads(request.content))
        return httpx.Response(200, json=next(remaining))

    return httpx.Client(transport=httpx.MockTransport(respond))


@pytest.mark.parametrize("loop", ["openai_loop"], indirect=True)
def test_chat_completions(loop: Callable[..., str]) -> None:
    """A refused call is made again, and the repaired history is sent."""
    import httpx2  # noqa: PLC0415 - may be missing
    from openai import OpenAI  # noqa: PLC0415 - as above

    def reply(message: dict[str, Any], reason: str) -> dict[str, Any]:
        choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}
        kind = {"id": "r", "object": "chat.completion", "created": 1, "model": "m"}
        return {**kind, "choices": [choice]}

    def call(id_: str, text: str) -> dict[str, Any]:
        function = {"name": "stock", "arguments": text}
        return {
            "content": None,
            "tool_calls": [{"id": id_, "type": "function", "function": function}],
        }

    requests: list[Any] = []
    replies = [
        reply(call("c1", WRONG), "tool_calls"),
        reply(call("c2", RIGHT), "tool_calls"),
        reply({"content": "Seven."}, "stop"),
    ]
    client = OpenAI(api_key="x", http_client=transport(httpx2, replies, requests))
    messages: list[Any] = [{"role": "user", "content": "How many pears?"}]
    assert loop(client, "m", messages, Toolset([stock])) == "Seven."
    history = requests[2]["messages"]
    assert [each["role"] for each in history] == ["user", "assistant", "tool", "assistant", "tool"]
    assert REFUSED in history[2]["content"]
    assert json.loads(history[3]["tool_calls"][0]["function"]["arguments"])["minimum"] == "7"
    assert history[4] == {"role": "tool", "tool_call_id": "c2", "content": '{"pears":7}'}


@pytest.mark.parametrize("loop", ["responses_loop"], indirect=True)
def test_responses(loop: Callable[..., str]) -> None:
    """The same with the items of the Responses API."""
    import httpx2  # noqa: PLC0415 - may be missing
    from openai import OpenAI  # noqa: PLC0415 - as above

    def reply(item: dict[str, Any]) -> dict[str, Any]:
        kind = {"id": "r", "object": "response", "created_at": 1, "model": "m", "tools": []}
        more = {"parallel_tool_calls": True, "tool_choice": "auto", "status": "completed"}
        return {**kind, **more, "output": [item]}

    def call(id_: str, text: str) -> dict[str, Any]:
        return {
            "type": "function_call",
            "id": "i",
            "call_id": id_,
            "name": "stock",
            "arguments": text,
        }

    text = {"type": "output_text", "text": "Seven.", "annotations": []}
    last = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    requests: list[Any] = []
    replies = [call("c1", WRONG), call("c2", RIGHT), {**last, "content": [text]}]
    http = transport(httpx2, [reply(each) for each in replies], requests)
    items: list[Any] = [{"role": "user", "content": "How many pears?"}]
    assert loop(OpenAI(api_key="x", http_client=http), "m", items, Toolset([stock])) == "Seven."
    history = requests[2]["input"]
    assert REFUSED in history[2]["output"]
    assert json.loads(history[3]["arguments"])["minimum"] == "7"
    assert history[4] == {"type": "function_call_output", "call_id": "c2", "output": '{"pears":7}'}


@pytest.mark.parametrize("loop", ["anthropic_loop"], indirect=True)
def test_anthropic(loop: Callable[..., str]) -> None:
    """The same with blocks."""
    import httpx2  # noqa: PLC0415 - may be missing
    from anthropic import Anthropic  # noqa: PLC0415 - as above

    def reply(block: dict[str, Any], reason: str) -> dict[str, Any]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        kind = {"id": "r", "type": "message", "role": "assistant", "model": "m", "usage": usage}
        return {**kind, "content": [block], "stop_reason": reason}

    def use(id_: str, arguments: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": id_, "name": "stock", "input": arguments}

    requests: list[Any] = []
    replies = [
        reply(use("t1", json.loads(WRONG)), "tool_use"),
        reply(use("t2", {"fruits": '["pears"]', "minimum": "7"}), "tool_use"),
        reply({"type": "text", "text": "Seven."}, "end_turn"),
    ]
    client = Anthropic(api_key="x", http_client=transport(httpx2, replies, requests))
    messages: list[Any] = [{"role": "user", "content": "How many pears?"}]
    assert loop(client, "m", messages, Toolset([stock])) == "Seven."
    refused, answered = requests[2]["messages"][2], requests[2]["messages"][4]
    assert refused["content"][0]["is_error"]
    assert REFUSED in refused["content"][0]["content"]
    result = {"type": "tool_result", "tool_use_id": "t2", "content": '{"pears":7}'}
    assert answered == {"role": "user", "content": [result]}


@pytest.mark.parametrize("loop", ["gemini_loop"], indirect=True)
def test_gemini(loop: Callable[..., str]) -> None:
    """The same with contents and their parts."""
    import httpx  # noqa: PLC0415 - may be missing
    from google.genai import Client, types  # noqa: PLC0415 - as above

    def reply(part: dict[str, Any]) -> dict[str, Any]:
        content = {"role": "model", "parts": [part]}
        return {"candidates": [{"content": content, "finishReason": "STOP"}]}

    def call(arguments: Any) -> dict[str, Any]:
        return reply({"functionCall": {"name": "stock", "args": arguments}})

    requests: list[Any] = []
    right = call({"fruits": '["pears"]', "minimum": "7"})
    replies = [call(json.loads(WRONG)), right, reply({"text": "Seven."})]
    http = transport(httpx, replies, requests)
    client = Client(api_key="x", http_options=types.HttpOptions(httpx_client=http))
    contents: list[Any] = [{"role": "user", "parts": [{"text": "How many pears?"}]}]
    assert loop(client, "m", contents, Toolset([stock])) == "Seven."
    refused, answered = requests[2]["contents"][2], requests[2]["contents"][4]
    assert REFUSED in refused["parts"][0]["functionResponse"]["response"]["error"]
    response = {"name": "stock", "response": {"output": '{"pears":7}'}}
    assert answered["parts"] == [{"functionResponse": response}]


@pytest.mark.parametrize("loop", ["langchain_loop"], indirect=True)
def test_langchain(loop: Callable[..., str]) -> None:
    """The same with LangChain's messages."""
    from langchain_core.language_models import FakeMessagesListChatModel  # noqa: PLC0415 - as above
    from langchain_core.messages import AIMessage, ToolMessage  # noqa: PLC0415 - as above
    from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: PLC0415

    seen: list[Any] = []

    class Scripted(FakeMessagesListChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            seen.extend(convert_to_openai_tool(tool) for tool in tools)
            return self

        def _generate(self, messages: list[Any], *args: Any, **options: Any) -> Any:
            seen.append(messages)
            return super()._generate(messages, *args, **options)

    wrong = {"name": "stock", "args": json.loads(WRONG), "id": "l1"}
    invalid = {"name": "stock", "args": RIGHT, "id": "l2", "error": "not JSON"}
    model = Scripted(
        responses=[
            AIMessage("", tool_calls=[wrong]),
            AIMessage("", invalid_tool_calls=[invalid]),
            AIMessage("Seven."),
        ]
    )
    messages: list[Any] = [{"role": "user", "content": "How many pears?"}]
    assert loop(model, messages, Toolset([stock])) == "Seven."
    assert seen[0]["function"]["name"] == "stock"
    refused, answered = seen[3][2], seen[3][4]
    assert isinstance(refused, ToolMessage)
    assert (refused.status, answered.status) == ("error", "success")
    assert REFUSED in refused.content
    assert (answered.content, answered.tool_call_id) == ('{"pears":7}', "l2")


@pytest.mark.parametrize("name", PACKAGES)
def test_the_guide_shows_the_loop(name: str) -> None:
    """Its code is the module, line by line."""
    page = (ROOT / "docs" / "guides" / "loops.md").read_text("utf-8")
    pattern = rf'^```python title="{name}\.py"\n(.*?)^```$'
    [block] = re.findall(pattern, page, re.MULTILINE | re.DOTALL)
    assert block == (LOOPS / f"{name}.py").read_text("utf-8")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the checkers, with the cache of what they read of the SDKs."""
    return tmp_path_factory.mktemp("checked")


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", PACKAGES)
def test_type_checkers_accept_the_loop(name: str, checker: str, folder: Path) -> None:
    """In their strict modes, with the types of the SDK."""
    require(name)
    pytest.importorskip(checker, reason=f"needs {checker}")
    assert [*CHECKERS[checker]([LOOPS / f"{name}.py"], folder)] == []
