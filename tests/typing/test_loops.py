"""The loops of the guide: type checkers accept them, and they hold a conversation with the SDKs.

Only the network is replaced: each SDK parses real replies, and sends the history again.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from type_checkers import CHECKERS, LOOPS, TYPING, Diagnostic, installed

from schema2model import Toolset

ROOT = Path(__file__).parents[2]
WRONG, RIGHT = '{"fruits": {"first": 1}}', "{'fruits': '[\"pears\"]', 'minimum': '7'}"
VALID = {"fruits": ["pears"], "minimum": 7}
REFUSED = "/fruits: must be a JSON array of string"


def stock(fruits: list[str], minimum: int = 0) -> dict[str, int]:
    """Say how much there is of some fruits."""
    return {fruit: max(5, minimum) for fruit in fruits}


def require(name: str) -> None:
    """Skip the test if the SDK is not installed."""
    for package in LOOPS[name]:
        pytest.importorskip(package, reason=f"needs {package}")


@pytest.fixture
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The function of the loop that the test names."""
    require(request.param)
    monkeypatch.syspath_prepend(str(TYPING / "loops"))
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


@pytest.mark.parametrize("content", [{}, {"content": {"role": "model"}}], ids=["none", "empty"])
@pytest.mark.parametrize("loop", ["gemini_loop"], indirect=True)
def test_gemini_writes_a_call_again_that_was_thrown_away(
    loop: Callable[..., str], content: dict[str, Any]
) -> None:
    """The next request asks for it; a reply without parts is not sent back."""
    import httpx  # noqa: PLC0415 - may be missing
    from google.genai import Client, types  # noqa: PLC0415 - as above

    requests: list[Any] = []
    thrown_away = {"candidates": [{**content, "finishReason": "MALFORMED_FUNCTION_CALL"}]}
    answer = {"content": {"role": "model", "parts": [{"text": "Seven."}]}, "finishReason": "STOP"}
    http = transport(httpx, [thrown_away, {"candidates": [answer]}], requests)
    client = Client(api_key="x", http_options=types.HttpOptions(httpx_client=http))
    contents: list[Any] = [{"role": "user", "parts": [{"text": "How many pears?"}]}]
    assert loop(client, "m", contents, Toolset([stock])) == "Seven."
    asked, again = requests[1]["contents"]
    assert asked["parts"] == [{"text": "How many pears?"}]
    assert again["role"] == "user"
    assert "Write the whole call again" in again["parts"][0]["text"]


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


# ----------------------------------------------------------------------------------- streams
def streamed(httpx: Any, replies: list[list[dict[str, Any]]], requests: list[Any]) -> Any:
    """A transport that answers with the events of one reply after the other."""
    remaining = iter(replies)

    def respond(request: Any) -> Any:
        requests.append(json.loads(request.content))
        events = []
        for event in next(remaining):
            head = f"event: {event['type']}\n" if isinstance(event.get("type"), str) else ""
            events.append(f"{head}data: {json.dumps(event)}\n\n")
        text = "".join(events)
        return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})

    return httpx.MockTransport(respond)


def halves(text: str) -> tuple[str, str]:
    """A text in two pieces."""
    return text[: len(text) // 2], text[len(text) // 2 :]


def chat_stream(delta: dict[str, Any], *more: dict[str, Any], reason: str) -> list[dict[str, Any]]:
    """Chunks of chat completions with these deltas."""
    kind = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    ends = [{"index": 0, "delta": each, "finish_reason": None} for each in (delta, *more)]
    last = {"index": 0, "delta": {}, "finish_reason": reason}
    return [{**kind, "choices": [choice]} for choice in (*ends, last)]


def chat_replies() -> list[list[dict[str, Any]]]:
    """A wrong call, a right one in JavaScript's spelling, and an answer."""

    def call(id_: str, text: str) -> list[dict[str, Any]]:
        head = {"id": id_, "type": "function", "function": {"name": "stock", "arguments": ""}}
        pieces = [{"index": 0, "function": {"arguments": each}} for each in halves(text)]
        return chat_stream(
            *({"tool_calls": [each]} for each in ({"index": 0, **head}, *pieces)),
            reason="tool_calls",
        )

    answer = chat_stream({"content": "Sev"}, {"content": "en."}, reason="stop")
    return [call("c1", WRONG), call("c2", RIGHT), answer]


@pytest.mark.parametrize("loop", ["openai_streaming_loop", "terminal_loop"], indirect=True)
def test_chat_completions_stream(loop: Callable[..., Any], capsys: Any) -> None:
    """The SDK's own chunks are read; the history is the same as without streaming."""
    import httpx2  # noqa: PLC0415 - may be missing
    from openai import AsyncOpenAI, OpenAI  # noqa: PLC0415 - as above

    requests: list[Any] = []
    transport = streamed(httpx2, chat_replies(), requests)
    messages: list[Any] = [{"role": "user", "content": "How many pears?"}]
    if inspect.iscoroutinefunction(loop):

        async def ask() -> str:
            http = httpx2.AsyncClient(transport=transport)
            async with AsyncOpenAI(api_key="x", http_client=http) as client:
                said: str = await loop(client, "m", messages, Toolset([stock]))
                return said

        assert asyncio.run(ask()) == "Seven."
        printed = capsys.readouterr().out
        assert "stock {'fruits': ['pears'], 'minimum': 7}\n" in printed
        assert "\x1b[Kstock {}" in printed
        assert REFUSED in printed
    else:
        client = OpenAI(api_key="x", http_client=httpx2.Client(transport=transport))
        assert loop(client, "m", messages, Toolset([stock])) == "Seven."
        assert capsys.readouterr().out.split() == ["Seven."]
    assert all(request["stream"] for request in requests)
    history = requests[2]["messages"]
    assert [each["role"] for each in history] == ["user", "assistant", "tool", "assistant", "tool"]
    assert REFUSED in history[2]["content"]
    assert json.loads(history[3]["tool_calls"][0]["function"]["arguments"])["minimum"] == "7"
    assert history[4] == {"role": "tool", "tool_call_id": "c2", "content": '{"pears":7}'}


@pytest.mark.parametrize("loop", ["responses_streaming_loop"], indirect=True)
def test_responses_stream(loop: Callable[..., str], capsys: Any) -> None:
    """The same with the events of the Responses API."""
    import httpx2  # noqa: PLC0415 - may be missing
    from openai import OpenAI  # noqa: PLC0415 - as above

    def reply(item: dict[str, Any], key: str, text: str) -> list[dict[str, Any]]:
        where = {"output_index": 0, "item_id": item["id"]}
        kind = "output_text" if key == "content" else "function_call_arguments"
        content = [{"type": "output_text", "text": text, "annotations": []}]
        begun = {**item, key: [] if key == "content" else ""}
        done = {**item, key: content if key == "content" else text, "status": "completed"}
        response = {"id": "r", "object": "response", "created_at": 1, "model": "m", "tools": []}
        more = {"parallel_tool_calls": True, "tool_choice": "auto", "output": [done]}
        part = {"content_index": 0, "logprobs": []} if key == "content" else {}
        events = [
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            *(
                {"type": f"response.{kind}.delta", **where, **part, "delta": each}
                for each in halves(text)
            ),
            {"type": "response.output_item.done", "output_index": 0, "item": done},
            {"type": "response.completed", "response": {**response, **more, "status": "completed"}},
        ]
        return [{**event, "sequence_number": number} for number, event in enumerate(events)]

    def call(id_: str, text: str) -> list[dict[str, Any]]:
        item = {"type": "function_call", "id": f"i{id_}", "call_id": id_, "name": "stock"}
        return reply(item, "arguments", text)

    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    replies = [call("c1", WRONG), call("c2", RIGHT), reply(message, "content", "Seven.")]
    requests: list[Any] = []
    http = httpx2.Client(transport=streamed(httpx2, replies, requests))
    items: list[Any] = [{"role": "user", "content": "How many pears?"}]
    assert loop(OpenAI(api_key="x", http_client=http), "m", items, Toolset([stock])) == "Seven."
    assert capsys.readouterr().out.split() == ["Seven."]
    history = requests[2]["input"]
    assert REFUSED in history[2]["output"]
    assert json.loads(history[3]["arguments"])["minimum"] == "7"
    assert history[4] == {"type": "function_call_output", "call_id": "c2", "output": '{"pears":7}'}


@pytest.mark.parametrize("loop", ["anthropic_streaming_loop"], indirect=True)
def test_anthropic_streams(loop: Callable[..., str], capsys: Any) -> None:
    """The same with blocks, whose input nobody has checked."""
    import httpx2  # noqa: PLC0415 - may be missing
    from anthropic import Anthropic  # noqa: PLC0415 - as above

    def reply(block: dict[str, Any], kind: str, text: str, reason: str) -> list[dict[str, Any]]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "r", "type": "message", "role": "assistant", "model": "m"}
        begun = {**message, "usage": usage, "content": [], "stop_reason": None}
        key = "text" if kind == "text_delta" else "partial_json"
        pieces = [{"type": kind, key: each} for each in halves(text)]
        end = {"stop_reason": reason, "stop_sequence": None}
        return [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": block},
            *({"type": "content_block_delta", "index": 0, "delta": each} for each in pieces),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]

    def use(id_: str, text: str) -> list[dict[str, Any]]:
        block = {"type": "tool_use", "id": id_, "name": "stock", "input": {}}
        return reply(block, "input_json_delta", text, "tool_use")

    last = reply({"type": "text", "text": ""}, "text_delta", "Seven.", "end_turn")
    replies = [use("t1", WRONG), use("t2", RIGHT), last]
    requests: list[Any] = []
    http = httpx2.Client(transport=streamed(httpx2, replies, requests))
    messages: list[Any] = [{"role": "user", "content": "How many pears?"}]
    client = Anthropic(api_key="x", http_client=http)
    assert loop(client, "m", messages, Toolset([stock])) == "Seven."
    assert capsys.readouterr().out.split() == ["Seven."]
    assert requests[0]["tools"][0]["eager_input_streaming"]
    refused, sent, answered = requests[2]["messages"][2:]
    assert refused["content"][0]["is_error"]
    assert REFUSED in refused["content"][0]["content"]
    assert sent["content"][0]["input"] == {"fruits": '["pears"]', "minimum": "7"}
    result = {"type": "tool_result", "tool_use_id": "t2", "content": '{"pears":7}'}
    assert answered == {"role": "user", "content": [result]}


@pytest.mark.parametrize("loop", ["gemini_streaming_loop"], indirect=True)
def test_gemini_streams(loop: Callable[..., str], capsys: Any) -> None:
    """The same with contents and their parts."""
    import httpx  # noqa: PLC0415 - may be missing
    from google.genai import Client, types  # noqa: PLC0415 - as above

    def reply(*parts: dict[str, Any]) -> list[dict[str, Any]]:
        contents = [{"role": "model", "parts": [part]} for part in parts]
        end = {"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}
        return [{"candidates": [each]} for each in (*({"content": c} for c in contents), end)]

    def call(arguments: Any) -> list[dict[str, Any]]:
        signed = {"thoughtSignature": "c2lnbmVk"}
        return reply({"functionCall": {"name": "stock", "args": arguments}, **signed})

    requests: list[Any] = []
    right = call({"fruits": '["pears"]', "minimum": "7"})
    replies = [call(json.loads(WRONG)), right, reply({"text": "Sev"}, {"text": "en."})]
    http = httpx.Client(transport=streamed(httpx, replies, requests))
    client = Client(api_key="x", http_options=types.HttpOptions(httpx_client=http))
    contents: list[Any] = [{"role": "user", "parts": [{"text": "How many pears?"}]}]
    assert loop(client, "m", contents, Toolset([stock])) == "Seven."
    assert capsys.readouterr().out.split() == ["Seven."]
    refused, sent, answered = requests[2]["contents"][2:]
    assert REFUSED in refused["parts"][0]["functionResponse"]["response"]["error"]
    assert sent["parts"][0]["thoughtSignature"] == "c2lnbmVk"
    response = {"name": "stock", "response": {"output": '{"pears":7}'}}
    assert answered["parts"] == [{"functionResponse": response}]


@pytest.mark.parametrize("loop", ["langchain_streaming_loop"], indirect=True)
def test_langchain_streams(loop: Callable[..., str], capsys: Any) -> None:
    """The same with LangChain's chunks, which have one index for both calls of a reply."""
    from langchain_core.language_models import FakeMessagesListChatModel  # noqa: PLC0415 - as above
    from langchain_core.messages import AIMessageChunk, ToolMessage  # noqa: PLC0415 - as above
    from langchain_core.outputs import ChatGenerationChunk  # noqa: PLC0415 - as above

    def call(id_: str, text: str) -> list[Any]:
        head = {"name": "stock", "args": "", "id": id_, "index": 0}
        pieces = [{"name": None, "args": each, "id": None, "index": 0} for each in halves(text)]
        return [AIMessageChunk("", tool_call_chunks=[each]) for each in (head, *pieces)]

    replies = [
        [*call("l0", '{"fruits": []}'), *call("l1", WRONG)],
        call("l2", RIGHT),
        [AIMessageChunk("Sev"), AIMessageChunk("en.")],
    ]
    seen: list[Any] = []

    class Scripted(FakeMessagesListChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _stream(self, messages: list[Any], *args: Any, **options: Any) -> Any:
            seen.append([*messages])
            for chunk in replies[len(seen) - 1]:
                yield ChatGenerationChunk(message=chunk)

    messages: list[Any] = [{"role": "user", "content": "How many pears?"}]
    assert loop(Scripted(responses=[]), messages, Toolset([stock])) == "Seven."
    assert capsys.readouterr().out.split() == ["Seven."]
    _, first, empty, refused, second, answered = seen[2]
    assert [call["id"] for call in first.tool_calls] == ["l0", "l1"]
    assert [call["args"]["minimum"] for call in second.tool_calls] == ["7"]
    assert isinstance(refused, ToolMessage)
    assert [each.status for each in (empty, refused, answered)] == ["success", "error", "success"]
    assert REFUSED in refused.content
    assert (answered.content, answered.tool_call_id) == ('{"pears":7}', "l2")


@pytest.mark.parametrize("name", LOOPS)
def test_the_guide_shows_the_loop(name: str) -> None:
    """Its code is the module, line by line."""
    page = (ROOT / "docs" / "guides" / "loops.md").read_text("utf-8")
    pattern = rf'^```python title="{name}\.py"\n(.*?)^```$'
    [block] = re.findall(pattern, page, re.MULTILINE | re.DOTALL)
    assert block == (TYPING / "loops" / f"{name}.py").read_text("utf-8")


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_accept_the_loops(
    checker: str, diagnosed: Callable[[str], list[Diagnostic]]
) -> None:
    """In their strict modes, with the types of the SDKs."""
    if not any(map(installed, LOOPS.values())):
        pytest.skip(f"needs one of {', '.join(LOOPS)}")
    assert [each for each in diagnosed(checker) if each.module in LOOPS] == []
