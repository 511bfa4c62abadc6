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
from scripted_models import Script, reply
from type_checkers import CHECKERS, LOOPS, TYPING, Diagnostic, installed

from schema2model import Toolset

ROOT = Path(__file__).parents[2]
WRONG, RIGHT = '{"fruits": {"first": 1}}', "{'fruits': '[\"pears\"]', 'minimum': '7'}"
PARSED = {"fruits": '["pears"]', "minimum": "7"}
"""The right arguments of a provider that parses them."""
REFUSED = "/fruits: must be a JSON array of strings"
QUESTION = "How many pears?"


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


def answering(httpx: Any, respond: Callable[[Any, Any], Any], requests: list[Any]) -> Any:
    """A transport whose responses are what `respond` makes of requests, which are kept."""

    def answer(request: Any) -> Any:
        requests.append(json.loads(request.content))
        return respond(request, requests[-1])

    return httpx.MockTransport(answer)


def from_chat(requests: list[Any]) -> None:
    """Chat completions get messages."""
    history = requests[2]["messages"]
    assert [each["role"] for each in history] == ["user", "assistant", "tool", "assistant", "tool"]
    assert REFUSED in history[2]["content"]
    assert json.loads(history[3]["tool_calls"][0]["function"]["arguments"])["minimum"] == "7"
    assert history[4] == {"role": "tool", "tool_call_id": "call_2", "content": '{"pears":7}'}


def from_responses(requests: list[Any]) -> None:
    """The Responses API gets items."""
    history = requests[2]["input"]
    assert REFUSED in history[2]["output"]
    assert json.loads(history[3]["arguments"])["minimum"] == "7"
    answer = {"type": "function_call_output", "call_id": "call_2", "output": '{"pears":7}'}
    assert history[4] == answer


def from_messages(requests: list[Any]) -> None:
    """Anthropic gets blocks; the input in its streams is what nobody has checked."""
    is_stream = bool(requests[0].get("stream"))
    assert requests[0]["tools"][0].get("eager_input_streaming", False) is is_stream
    refused, sent, answered = requests[2]["messages"][2:]
    assert refused["content"][0]["is_error"]
    assert REFUSED in refused["content"][0]["content"]
    assert sent["content"][0]["input"] == PARSED
    result = {"type": "tool_result", "tool_use_id": "toolu_2", "content": '{"pears":7}'}
    assert answered == {"role": "user", "content": [result]}


LOOPS_BY_API = [
    *(("openai", name, from_chat) for name in ("openai_loop", "openai_streaming_loop")),
    ("openai", "terminal_loop", from_chat),
    *(("openai", name, from_responses) for name in ("responses_loop", "responses_streaming_loop")),
    *(
        ("anthropic", name, from_messages)
        for name in ("anthropic_loop", "anthropic_streaming_loop")
    ),
]


@pytest.mark.parametrize(
    ("sdk", "loop", "check"),
    LOOPS_BY_API,
    indirect=["loop"],
    ids=[each[1] for each in LOOPS_BY_API],
)
def test_a_refused_call_is_made_again(
    sdk: str, loop: Callable[..., Any], check: Callable[[list[Any]], None], capsys: Any
) -> None:
    """The SDK parses the replies, or their pieces, and the repaired history is sent."""
    import httpx2  # noqa: PLC0415 - may be missing

    client = importlib.import_module(sdk)
    whole = json.dumps(PARSED) if loop.__module__ == "anthropic_loop" else RIGHT
    scripts = iter(
        [
            Script((("stock", WRONG),), first=1),
            Script((("stock", whole),), first=2),
            Script(say="Seven."),
        ]
    )
    requests: list[Any] = []

    def respond(request: Any, sent: Any) -> Any:
        content_type, parts = reply(request.url.path, sent, next(scripts))
        headers = {"content-type": content_type}
        return httpx2.Response(200, content=b"".join(parts), headers=headers)

    transport = answering(httpx2, respond, requests)
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    if inspect.iscoroutinefunction(loop):

        async def ask() -> str:
            http = httpx2.AsyncClient(transport=transport)
            async with client.AsyncOpenAI(api_key="x", http_client=http) as opened:
                said: str = await loop(opened, "m", messages, Toolset([stock]))
                return said

        assert asyncio.run(ask()) == "Seven."
        printed = capsys.readouterr().out
        assert "stock {'fruits': ['pears'], 'minimum': 7}\n" in printed
        assert "\x1b[Kstock {}" in printed
        assert REFUSED in printed
    else:
        kind = client.OpenAI if sdk == "openai" else client.Anthropic
        opened = kind(api_key="x", http_client=httpx2.Client(transport=transport))
        assert loop(opened, "m", messages, Toolset([stock])) == "Seven."
        is_streamed = "streaming" in loop.__module__
        assert capsys.readouterr().out.split() == ["Seven."] * is_streamed
        assert [bool(each.get("stream")) for each in requests] == [is_streamed] * 3
    check(requests)


@pytest.mark.parametrize("loop", ["gemini_loop", "gemini_streaming_loop"], indirect=True)
def test_gemini(loop: Callable[..., str], capsys: Any) -> None:
    """The same with contents and their parts."""
    import httpx  # noqa: PLC0415 - may be missing
    from google.genai import Client, types  # noqa: PLC0415 - as above

    def call(arguments: Any) -> list[dict[str, Any]]:
        function = {"name": "stock", "args": arguments}
        return [{"functionCall": function, "thoughtSignature": "c2lnbmVk"}]

    replies = iter([call(json.loads(WRONG)), call(PARSED), [{"text": "Sev"}, {"text": "en."}]])
    requests: list[Any] = []

    def respond(request: Any, _: Any) -> Any:
        parts = next(replies)
        if "stream" not in request.url.path:
            content = {"role": "model", "parts": parts}
            return httpx.Response(200, json={"candidates": [{"content": content, **END}]})
        contents = [{"content": {"role": "model", "parts": [part]}} for part in parts]
        ends = {"content": {"role": "model", "parts": [{"text": ""}]}, **END}
        events = [json.dumps({"candidates": [each]}) for each in (*contents, ends)]
        text = "".join(f"data: {event}\n\n" for event in events)
        return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})

    http = httpx.Client(transport=answering(httpx, respond, requests))
    client = Client(api_key="x", http_options=types.HttpOptions(httpx_client=http))
    contents: list[Any] = [{"role": "user", "parts": [{"text": QUESTION}]}]
    assert loop(client, "m", contents, Toolset([stock])) == "Seven."
    assert capsys.readouterr().out.split() == ["Seven."] * ("streaming" in loop.__module__)
    refused, sent, answered = requests[2]["contents"][2:]
    assert REFUSED in refused["parts"][0]["functionResponse"]["response"]["error"]
    assert sent["parts"][0]["thoughtSignature"] == "c2lnbmVk"
    response = {"name": "stock", "response": {"output": '{"pears":7}'}}
    assert answered["parts"] == [{"functionResponse": response}]


END = {"finishReason": "STOP"}


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
    answer = {"content": {"role": "model", "parts": [{"text": "Seven."}]}, **END}
    replies = iter([thrown_away, {"candidates": [answer]}])
    transport = answering(httpx, lambda *_: httpx.Response(200, json=next(replies)), requests)
    http = httpx.Client(transport=transport)
    client = Client(api_key="x", http_options=types.HttpOptions(httpx_client=http))
    contents: list[Any] = [{"role": "user", "parts": [{"text": QUESTION}]}]
    assert loop(client, "m", contents, Toolset([stock])) == "Seven."
    asked, again = requests[1]["contents"]
    assert asked["parts"] == [{"text": QUESTION}]
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
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    assert loop(model, messages, Toolset([stock])) == "Seven."
    assert seen[0]["function"]["name"] == "stock"
    refused, answered = seen[3][2], seen[3][4]
    assert isinstance(refused, ToolMessage)
    assert (refused.status, answered.status) == ("error", "success")
    assert REFUSED in refused.content
    assert (answered.content, answered.tool_call_id) == ('{"pears":7}', "l2")


def halves(text: str) -> tuple[str, str]:
    """A text in two pieces."""
    return text[: len(text) // 2], text[len(text) // 2 :]


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

    messages: list[Any] = [{"role": "user", "content": QUESTION}]
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
