"""The proxy between clients and servers that others have written, over stdio and HTTP."""

# ruff: noqa: E402, S603, S607 - the SDK may be missing; the processes are our own

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:.*deprecated as of 2026-07-28"),  # servers still have it
]
pytest.importorskip("mcp", reason=needs("mcp"))

import mcp
from failures import FAILURES, SECRET, raising
from forking import python
from locked import Locked, served
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client import streamable_http
from mcp.shared import exceptions
from mcp.types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    TextContent,
)
from on_a_loop import Shared
from overhttp import Raw, calling
from ports import connects, listening, nobody
from waiting import until

from schema2model.apps.proxy.endpoints import Endpoint, Headers

V2 = hasattr(mcp, "Client")
MCP_ERROR: Any = getattr(exceptions, "MCPError" if V2 else "McpError")
PROXY = ["-m", "schema2model", "proxy"]
ECHO = str(Path(__file__).with_name("mcp_server.py"))
HTTP = str(Path(__file__).with_name("http_server.py"))


@contextlib.asynccontextmanager
async def session(
    *words: str, program: str | None = None, **options: Any
) -> AsyncIterator[ClientSession]:
    """A session with a program, which is Python by default."""
    parameters = StdioServerParameters(command=program or python(), args=list(words))
    async with (
        stdio_client(parameters) as (read, write),
        ClientSession(read, write, **options) as client,
    ):
        await client.initialize()
        yield client


async def called(client: Any, name: str, arguments: Any, **options: Any) -> tuple[str, bool]:
    """What a model gets to read of a call's result, and whether it is an error."""
    result = plain(await client.call_tool(name, arguments, **options))
    return result["content"][0]["text"], result.get("isError", False)


def plain(value: Any) -> Any:
    """What was said, in the words of the protocol."""
    return value.model_dump(by_alias=True, mode="json", exclude_unset=True)


# --------------------------------------------------------------------------- servers in Python
def test_calls_of_the_git_server_are_coerced(tmp_path: Path) -> None:
    """It refuses an array that was sent as text."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.txt").write_text("a")
    sent = {"repo_path": str(tmp_path), "files": "['a.txt']"}
    server = ["-m", "mcp_server_git"]

    async def run() -> None:
        async with session(*server) as client:
            _, is_error = await called(client, "git_add", sent)
            assert is_error
        async with session(*PROXY, "--", python(), *server) as client:
            assert await called(client, "git_add", sent) == ("Files staged successfully", False)
            text, is_error = await called(client, "git_add", {"files": []})
            assert is_error
            assert text.startswith("Error parsing arguments for `git_add`:")

    asyncio.run(run())


def test_correct_calls_of_the_time_server_pass() -> None:
    """And hopeless ones are answered without asking it."""
    pytest.importorskip("mcp_server_time", reason="needs mcp-server-time")

    async def run() -> None:
        async with session(*PROXY, "--", python(), "-m", "mcp_server_time") as client:
            text, is_error = await called(client, "get_current_time", {"timezone": "UTC"})
            assert not is_error
            assert '"timezone": "UTC"' in text
            hopeless = {"source_timezone": "UTC", "time": {"hour": 12}}
            text, is_error = await called(client, "convert_time", hopeless)
            assert is_error
            assert "- /target_timezone is missing" in text

    asyncio.run(run())


def test_schemas_are_read_anew_when_the_server_says_so() -> None:
    """The client is told as well."""
    messages: list[str] = []

    async def handler(message: Any) -> None:
        messages.append(type(getattr(message, "root", message)).__name__)

    async def run() -> None:
        proxy = [*PROXY, "--", python(), ECHO]
        async with session(*proxy, message_handler=handler) as client:
            sent = {"tags": "['a',]", "limit": " 7 "}
            assert await called(client, "search", sent) == ("(['a'], 7, False)", False)
            await called(client, "rename", {"to": "found"})
            assert await called(client, "search", {"query": "7.0"}) == ("found: 7", False)
            text, is_error = await called(client, "search", {"query": "x"})
            assert is_error
            assert text.startswith("Error parsing arguments for `search`:")

    asyncio.run(run())
    assert messages == ["ToolListChangedNotification"]


@pytest.mark.skipif(not V2, reason="mcp 1.x does not know the protocol without a handshake")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_protocol_is_that_of_client_and_server(mode: str) -> None:
    """With a handshake, or with what the client says of itself in every request."""

    async def run() -> None:
        versions = []
        for words in ([ECHO], [*PROXY, "--", python(), ECHO]):
            parameters = StdioServerParameters(command=python(), args=words)
            async with mcp.Client(stdio_client(parameters), mode=mode) as client:
                versions.append(client.protocol_version)
        assert versions[0] == versions[1]
        async with mcp.Client(stdio_client(parameters), mode=mode) as client:  # nobody has listed
            sent = {"tags": "['a',]", "limit": " 7 "}
            assert await called(client, "search", sent) == ("(['a'], 7, False)", False)
            text, is_error = await called(client, "search", {"limit": "many"})
            assert is_error
            assert text.startswith("Error parsing arguments for `search`:")

    asyncio.run(run())


# ------------------------------------------------------------------------------------------- HTTP
@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of a server in Python."""
    with listening(sys.executable, HTTP, "PORT") as port:
        yield f"http://127.0.0.1:{port}/mcp"


def test_calls_over_http_are_coerced_or_refused(url: str) -> None:
    """Whatever their ids are."""
    with Raw(url) as client:
        client.initialize()
        answer = client.ask(calling("a", "search", tags="['x']", limit="10"))
        assert answer["id"] == "a"
        assert answer["result"]["content"][0]["text"] == "(['x'], 10, 'here')"
        answer = client.ask(calling(2, "search", tags=[], limit="many"))
        assert answer["id"] == 2
        assert answer["result"]["isError"]


@pytest.mark.skipif(
    V2 and not hasattr(streamable_http, "DEFAULT_MAX_SSE_EVENT_SIZE"),
    reason="the first releases of mcp 2 take no events of more than 1 MiB",
)
def test_answers_over_http_may_be_large(url: str) -> None:
    """As they may over stdio."""
    with Raw(url) as client:
        client.initialize()
        answer = client.ask(calling(1, "fill", size="3000000"))
        assert answer["result"]["content"][0]["text"] == "A" * 3_000_000


@pytest.mark.skipif(not V2, reason="mcp 1.x does not know the protocol without a handshake")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_http_repeats_in_headers_what_messages_say(url: str, mode: str) -> None:
    """As a client of its own would: the version, and since 2026-07-28 more."""

    async def run() -> None:
        async with mcp.Client(url, mode=mode) as client:
            version = client.protocol_version
        parameters = StdioServerParameters(command=python(), args=[*PROXY, "--url", url])
        async with mcp.Client(stdio_client(parameters), mode=mode) as client:
            assert client.protocol_version == version
            sent = {"tags": "['a',]", "limit": " 7 ", "region": "Köln"}
            assert await called(client, "search", sent) == ("(['a'], 7, 'Köln')", False)

    asyncio.run(run())


def test_what_http_cannot_carry_is_answered(url: str) -> None:
    """As JSON-RPC has it; and the connection stays."""
    with Raw(url) as client:
        assert client.ask(b"rubbish\n")["error"]["code"] == -32700
        assert client.ask(b'{"id": 1.5}\n')["error"]["code"] == -32600
        client.initialize()
        refused = client.ask(calling(6, "fill", size=1, more="\ud83d"))
        assert refused["result"]["isError"]
        assert "half of a surrogate pair" in refused["result"]["content"][0]["text"]
        params = {"x": "\ud83d"}
        refused = client.ask({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": params})
        assert (refused["id"], refused["error"]["code"]) == (7, -32600)
        assert refused["error"]["message"].startswith("this message cannot be sent: ")
        refused = client.ask({"jsonrpc": "2.0", "id": 8, "method": "ping", "params": 5})
        assert (refused["id"], refused["error"]["code"]) == (8, -32600)
        assert client.ask(calling(1, "fill", size=1))["result"]["content"][0]["text"] == "A"


@pytest.fixture(scope="module")
def locked() -> Iterator[str]:
    """The URL of a server in this process, which takes any key."""
    with served(Locked(None)) as origin:
        yield f"{origin}/mcp"


@pytest.mark.parametrize("error", FAILURES, ids=lambda each: type(each).__name__)
def test_what_is_raised_over_a_message_does_not_end_the_connection(
    locked: str,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In either direction: the one is answered, and of the other nothing is learned."""

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(Headers, "of", raising(Headers.of, error))
    monkeypatch.setattr(Headers, "learn", fail)
    endpoint = Shared(functools.partial(Endpoint.start, locked, ()), delay=0.0).client()

    def ask(message: dict[str, Any]) -> Any:
        endpoint.send([json.dumps(message).encode()])
        return json.loads(endpoint.readline(0))

    params = {"protocolVersion": "2025-06-18", "capabilities": {}}
    for name in (SECRET, "test"):
        info = {"clientInfo": {"name": name, "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {**params, **info}}
        answer = ask(message)
        if name == SECRET:
            assert (answer["id"], answer["error"]["code"]) == (0, -32600)
            assert SECRET not in answer["error"]["message"]
    assert answer["result"]
    endpoint.send([b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'])
    assert "error" in ask(calling(1, "search", limit=SECRET))
    assert ask(calling(2, "search", limit=7))["result"]["content"][0]["text"] == "7"
    assert f"nothing is learned from a message: {type(error).__name__}" in caplog.text
    assert SECRET not in caplog.text
    endpoint.stop(0)


WAITING = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    method, tools = message.get("method"), [{"name": "wait", "inputSchema": {"type": "object"}}]
    result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
              "serverInfo": {"name": "x", "version": "1"}, "tools": tools}
    if method == "tools/call":
        time.sleep(600)
    elif "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_a_client_that_ends_with_an_open_call_ends_well(tmp_path: Path, *, several: bool) -> None:
    """Nothing is written to it any more, which some releases of the SDK cannot take."""
    entry = {"command": sys.executable, "args": ["-c", WAITING]}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"a": entry, "b": entry}}))
    one = ["--", sys.executable, "-c", WAITING]
    servers = ["--servers", str(tmp_path / "servers.json")] if several else one

    async def run() -> None:
        async with session(*PROXY, *servers) as client:
            limit: Any = 0.3 if V2 else timedelta(seconds=0.3)
            name = "a__wait" if several else "wait"
            with pytest.raises(MCP_ERROR, match=r"(?i)timed out"):
                await client.call_tool(name, {}, read_timeout_seconds=limit)

    asyncio.run(run())


def test_the_client_gets_its_answers_after_its_last_word(url: str) -> None:
    """Then the session ends, at once."""
    with Raw(url) as client:
        client.initialize()
        client.say(calling(1, "fill", size="1"))
        client.input.close()
        assert json.loads(client.output.readline())["id"] == 1
        assert client.output.readline() == b""
        assert client.ends() == (0, "")


def test_a_server_that_dies_leaves_no_request_without_an_answer() -> None:
    """Each gets an error, and standard error says why."""
    with (
        listening(sys.executable, HTTP, "PORT") as port,
        Raw(f"http://127.0.0.1:{port}/mcp") as client,
    ):
        client.initialize()
        client.say(calling("x", "die"))
        until(lambda: not connects(port))
        client.say(calling(0, "die"))  # which shows that the server has gone, if nothing else does
        answers = [json.loads(client.output.readline()) for _ in range(2)]
        assert [(each["id"], bool(each["error"])) for each in answers] == [("x", True), (0, True)]
        for number in range(1, 4):  # the server may be started again
            answer = client.ask(calling(number, "die"))
            assert (answer["id"], bool(answer["error"])) == (number, True)
        client.input.close()
        code, said = client.ends()
        assert code == 0
        assert said.startswith("schema2model proxy: the server cannot be talked to: ")


def test_a_url_where_nobody_listens_is_an_error() -> None:
    """The first request is answered with it."""
    with nobody() as port, Raw(f"http://127.0.0.1:{port}/mcp") as client:
        answer = client.ask(calling(1, "search"))
        assert answer["id"] == 1
        assert answer["error"]["code"] == -32000
        code, said = client.ends()
        assert code == 1
        assert said.startswith("schema2model proxy: the server cannot be talked to: ")


@pytest.mark.parametrize("url", ["example.org", "ftp://example.org", "http://[::1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    """Before the client has said anything."""
    with Raw(url) as client:
        code, said = client.ends()
    assert (code, said.count("\n")) == (2, 1)
    assert "the URL of a server looks like https://example.org/mcp" in said


# ----------------------------------------------------------------------------- the whole protocol
async def conversation(*words: str, program: str | None = None) -> list[Any]:
    """What both sides say to each other, with all that the protocol has."""
    said: list[Any] = []

    async def sample(context: Any, params: Any) -> Any:
        said.append(plain(params))
        content = TextContent(type="text", text="sampled")
        return CreateMessageResult(role="assistant", content=content, model="none")

    async def elicit(context: Any, params: Any) -> Any:
        said.append(plain(params))
        return ElicitResult(action="accept", content={"name": "Ann"})

    async def roots(context: Any) -> Any:
        return ListRootsResult.model_validate({"roots": [{"uri": "file:///tmp", "name": "é"}]})

    async def log(params: Any) -> None:
        logged.set()

    async def progress(done: float, total: float | None, message: str | None) -> None:
        said.append((done, total, message))

    logged = asyncio.Event()
    handlers: dict[str, Any] = {
        "sampling_callback": sample,
        "elicitation_callback": elicit,
        "list_roots_callback": roots,
        "logging_callback": log,
    }
    async with session(*words, program=program, **handlers) as client:
        tools = plain(await client.list_tools())["tools"]
        said.append({tool["name"]: tool for tool in tools})
        said.append(plain(await client.list_prompts()))
        said.append(plain(await client.get_prompt("args-prompt", {"city": "Zürich"})))
        said.append(plain(await client.list_resource_templates()))
        resources = plain(await client.list_resources())["resources"]
        said.append(resources)
        said.append(plain(await client.read_resource(resources[0]["uri"])))
        reference = PromptReference(type="ref/prompt", name="completable-prompt")
        department = {"name": "department", "value": "E"}
        said.append(plain(await client.complete(reference, department)))
        said.append(plain(await client.send_ping()))
        await client.set_logging_level("debug")
        await client.call_tool("toggle-simulated-logging", {})  # which says who the session is
        await logged.wait()
        await client.call_tool("toggle-simulated-logging", {})
        for name, arguments in (
            ("get-tiny-image", {}),
            ("get-structured-content", {"location": "Chicago"}),
            ("get-roots-list", {}),
            ("trigger-sampling-request", {"prompt": "p", "maxTokens": 7}),
            ("trigger-elicitation-request", {}),
        ):
            said.append((name, plain(await client.call_tool(name, arguments))))
        steps = {"duration": 0.3, "steps": 3}
        long = client.call_tool("trigger-long-running-operation", steps, progress_callback=progress)
        said.append(plain(await long))
    return said


@pytest.fixture(scope="module")
def alone(everything: str) -> list[Any]:
    """What the server in JavaScript and a client say to each other without us."""
    said = asyncio.run(conversation("stdio", program=everything))
    assert len(said) > 15
    return said


def test_the_whole_protocol_passes_over_stdio(everything: str, alone: list[Any]) -> None:
    """Sampling, elicitation, roots, progress, logging, resources, prompts, completion, images."""
    assert asyncio.run(conversation(*PROXY, "--", everything, "stdio")) == alone


def test_the_whole_protocol_passes_over_http(everything: str, alone: list[Any]) -> None:
    """To a client that speaks stdio, the server is as if it were a process."""
    with listening(everything, "streamableHttp") as port:
        url = f"http://127.0.0.1:{port}/mcp"
        assert asyncio.run(conversation(*PROXY, "--url", url)) == alone


SUM = {"a": "2", "b": "3.0"}


def test_a_server_in_javascript_refuses_numbers_as_text(everything: str) -> None:
    """Without us."""

    async def run() -> None:
        async with session("stdio", program=everything) as client:
            text, is_error = await called(client, "get-sum", SUM)
            assert is_error
            assert "expected number, received string" in text

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["stdio", "streamableHttp"])
def test_calls_of_a_server_in_javascript_are_coerced(everything: str, kind: str) -> None:
    """It refuses numbers that were sent as text."""

    async def run(*proxy: str) -> None:
        async with session(*proxy) as client:
            assert await called(client, "get-sum", SUM) == ("The sum of 2 and 3 is 5.", False)
            text, is_error = await called(client, "get-sum", {"a": "two", "b": 3})
            assert is_error
            told = (
                "Error parsing arguments for `get-sum`:\n"
                '- /a: must be a number, without quotes, not "two"'
            )
            assert text.startswith(told)

    if kind == "stdio":
        asyncio.run(run(*PROXY, "--", everything, "stdio"))
    else:
        with listening(everything, kind) as port:
            asyncio.run(run(*PROXY, "--url", f"http://127.0.0.1:{port}/mcp"))
