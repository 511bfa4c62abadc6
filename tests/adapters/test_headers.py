"""Headers for servers at URLs: who gets them and who does not, and what servers answer."""

# ruff: noqa: E402 - the SDK may be missing

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from schema2model.extras import needs

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete"),  # the SDK 1.26
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject"),  # the same, by the server
]
pytest.importorskip("mcp", reason=needs("mcp"))

import mcp
from locked import FORBIDDEN, LEAKS, Locked, served
from overhttp import Raw, calling
from waiting import until

from schema2model.apps.cli.application import application

V2 = hasattr(mcp, "Client")
VALUE = "s3cr\xe9t-key-of-ours"
KEY = f"Bearer {VALUE}"
WRONG = "Bearer wr0ng-key"


@pytest.fixture
def locked() -> Locked:
    """A server that wants the key."""
    return Locked(KEY.encode("latin-1"))


@pytest.fixture
def origin(locked: Locked) -> Iterator[str]:
    """Where it is."""
    with served(locked) as origin:
        yield origin


@pytest.fixture
def elsewhere(locked: Locked) -> Iterator[Locked]:
    """Another server, which takes any key and to which the first redirects."""
    other = Locked(None)
    with served(other) as locked.elsewhere:
        yield other


def run(command: str, url: str, *options: str, arguments: str = '{"limit": "7"}') -> Result:
    """`schema2model check`, or a call by `schema2model call`, in this process."""
    rest = ("--json",) if command == "check" else ("search", arguments)
    return CliRunner().invoke(application, [command, "--url", url, *options, *rest])


def through_proxy(url: str, *options: str) -> str:
    """Why a proxy before a server ends, where the first request is answered with an error."""
    with Raw(url, *options) as client:
        answer = client.ask(calling(1, "search", limit=7))
        assert (answer["id"], answer["error"]["code"]) == (1, -32000)
        code, said = client.ends()
    assert code == 1
    assert said == f"schema2model proxy: {answer['error']['message']}\n"
    return said


def through_command(command: str) -> Callable[..., str]:
    """Why a command that talks to a server ends."""

    def refused(url: str, *options: str) -> str:
        result = run(command, url, *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"Error: the server `{url}` ")
        assert result.stderr.count("\n") == 1
        return result.stderr

    return refused


every_command = pytest.mark.parametrize(
    "refused",
    [through_command("check"), through_command("call"), through_proxy],
    ids=["check", "call", "proxy"],
)
every_session = pytest.mark.parametrize(
    "refused", [through_command("check"), through_command("call")], ids=["check", "call"]
)


# ----------------------------------------------------------------------------------- who gets them
@pytest.mark.parametrize("source", ["line", "file"])
def test_every_request_has_the_header(
    locked: Locked, origin: str, source: str, tmp_path: Path
) -> None:
    """From the first to the end of the session; from a line or a file."""
    option = f"authorization:  {KEY} "
    if source == "file":
        path = tmp_path / "key"
        path.write_text(f"\ufeff\nX-Other: 1\r\n{option}\r\n\n", "utf-8")
        option = f"@{path}"
    result = run("call", f"{origin}/mcp", "--header", option)
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"result": "7"})
    result = run("check", f"{origin}/mcp", "--header", option)
    assert (result.exit_code, json.loads(result.stdout)["tools"][0]["name"]) == (0, "search")
    with Raw(f"{origin}/mcp", "--header", option) as client:
        client.initialize()
        answer = client.ask(calling(1, "search", limit="7"))
        assert answer["result"]["content"][0]["text"] == "7"
        client.input.close()
        assert client.ends() == (0, "")
    assert {method for method, _, _ in locked.seen} == {"POST", "GET", "DELETE"}
    assert {key for _, _, key in locked.seen} == {KEY.encode("latin-1")}


def test_a_header_is_more_than_the_urls_password(locked: Locked, origin: str) -> None:
    """Who gives both means the header."""
    url = f"{origin}/mcp".replace("//", "//user:password@")
    assert run("call", url, "--header", f"Authorization: {KEY}").exit_code == 0
    assert {key for _, _, key in locked.seen} == {KEY.encode("latin-1")}


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_within_the_origin_is_followed(locked: Locked, origin: str, status: int) -> None:
    """With the header."""
    url = f"{origin}/redirects/{status}/here"
    result = run("call", url, "--header", f"Authorization: {KEY}")
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"result": "7"})


@every_command
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_origin_is_told(
    origin: str, elsewhere: Locked, locked: Locked, status: int, refused: Callable[..., str]
) -> None:
    """It gets no header, nor anything else."""
    told = refused(f"{origin}/redirects/{status}/away", "--header", f"Authorization: {KEY}")
    assert f"redirects to {locked.elsewhere}/mcp, where headers do not follow" in told
    assert elsewhere.seen == []
    assert {path for _, path, _ in locked.seen} == {f"/redirects/{status}/away"}


def test_a_stream_that_is_redirected_is_done_without(
    locked: Locked, origin: str, elsewhere: Locked
) -> None:
    """What a server has for browsers, perhaps; its tools are there all the same."""
    with Raw(f"{origin}/mcp", "--header", f"Authorization: {KEY}") as client:
        client.initialize()
        until(lambda: "GET" in {method for method, _, _ in locked.seen})
        answer = client.ask(calling(1, "search", limit="7"))
        assert answer["result"]["content"][0]["text"] == "7"
        client.input.close()
        assert client.ends() == (0, "")
    assert elsewhere.seen == []


# ------------------------------------------------------------------------------ what servers answer
@every_command
@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param((), "answered 401 Unauthorized: pass what it asks for with --header", id="no"),
        pytest.param(
            ("--header", f"Authorization: {WRONG}"),
            "answered 403 Forbidden: what was passed with --header does not let you in",
            id="wrong",
        ),
    ],
)
def test_a_server_that_wants_a_key_says_so(
    origin: str, options: tuple[str, ...], told: str, refused: Callable[..., str]
) -> None:
    """And how to pass one, but not which one was."""
    words = refused(f"{origin}/mcp", *options)
    assert told in words
    assert WRONG not in words


def test_a_call_that_is_forbidden_is_told(origin: str) -> None:
    """Also where a server has listed its tools."""
    option = ("--header", f"Authorization: {KEY}")
    result = run("call", f"{origin}/mcp", *option, arguments=f'{{"limit": {FORBIDDEN}}}')
    assert (result.exit_code, result.stdout) == (2, "")
    assert "answered 403 Forbidden: what was passed with --header does not" in result.stderr


def test_a_call_that_is_forbidden_is_told_by_the_proxy(origin: str) -> None:
    """With an answer; the SDK 1.x ends the connection there, 2.x lets the next call pass."""
    with Raw(f"{origin}/mcp", "--header", f"Authorization: {KEY}") as client:
        client.initialize()
        assert client.ask(calling(1, "search", limit=FORBIDDEN))["error"]
        if V2:
            answer = client.ask(calling(2, "search", limit="7"))
            assert answer["result"]["content"][0]["text"] == "7"
            client.input.close()
        code, said = client.ends()
    assert code == (0 if V2 else 1)
    line = "schema2model proxy: the server answered 403 Forbidden: what was passed with --header"
    assert all(each.startswith(line) for each in said.splitlines())
    assert said.count("\n") == (1 if V2 else 2)


def test_a_key_that_is_worth_nothing_any_more_ends_the_proxy(locked: Locked, origin: str) -> None:
    """Whoever starts it again reads the file of the new one."""
    with Raw(f"{origin}/mcp", "--header", f"Authorization: {KEY}") as client:
        client.initialize()
        assert client.ask(calling(1, "search", limit=7))["result"]
        locked.expired = True
        answer = client.ask(calling(2, "search", limit=7))
        assert "answered 401 Unauthorized: what was passed with --header" in str(answer["error"])
        assert client.ends()[0] == 1


@every_session
def test_a_server_that_tells_the_key_is_not_repeated(
    origin: str, refused: Callable[..., str]
) -> None:
    """Neither with its scheme nor without."""
    told = refused(f"{origin}/tells", "--header", f"Authorization: {KEY}")
    assert "answered with an error: unknown: …" in told
    assert VALUE not in told


def parts_of_key(text: str) -> list[str]:
    """What of the key is in a text, in whatever case and between whatever signs."""
    letters = "".join(filter(str.isalnum, text.lower()))
    whole = "".join(filter(str.isalnum, VALUE.lower()))
    return [whole[i : i + 6] for i in range(len(whole) - 5) if whole[i : i + 6] in letters]


@pytest.mark.parametrize("command", ["check", "call"])
@pytest.mark.parametrize("leak", LEAKS)
def test_however_a_server_tells_the_key_it_is_not_repeated(
    origin: str, command: str, leak: str
) -> None:
    """Nor does any library's error quote it, however long the answer is that it is about."""
    result = run(command, f"{origin}/leaks/{leak}", "--header", f"Authorization: {KEY}")
    assert result.exit_code in {1, 2}
    assert parts_of_key(result.stderr) == []
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "leak", ["error", "no-error", "no-message", "tools", "type", "no-json", "events", "redirect"]
)
def test_however_a_server_tells_the_key_the_proxy_does_not_log_it(
    origin: str, leak: str, tmp_path: Path
) -> None:
    """Nor answer with an error that quotes it, but for the server's own."""
    log = tmp_path / "log"
    options = ("--header", f"Authorization: {KEY}", "--log", str(log))
    params: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
    params["clientInfo"] = {"name": "raw", "version": "1"}
    asked = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with Raw(f"{origin}/leaks/{leak}", *options) as client:
        for message in (asked, listed, calling(2, "search", limit="x")):
            with contextlib.suppress(BrokenPipeError):  # after an answer that ends it
                client.say(message)
            answer = client.output.readline()
            if answer and "error" in json.loads(answer) and leak != "error":
                assert parts_of_key(answer.decode()) == []
        with contextlib.suppress(BrokenPipeError):
            client.input.close()
        _, said = client.ends()
    assert parts_of_key(said + log.read_text()) == []
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "leak", ["no-error", "no-result", "no-message", "no-object", "type", "no-json", "events"]
)
def test_a_request_is_answered_also_where_the_server_sends_no_message(
    origin: str, leak: str
) -> None:
    """At once, with an error that has nothing of the answer; and so is the next one."""
    with Raw(f"{origin}/leaks/{leak}", "--header", f"Authorization: {KEY}") as client:
        for number in (1, 2):
            answer = client.ask({"jsonrpc": "2.0", "id": number, "method": "ping"})
            assert answer["id"] == number
            assert answer["error"]["message"]
            assert parts_of_key(answer["error"]["message"]) == []
        client.input.close()
        code, said = client.ends()
    assert code == 0
    assert parts_of_key(said) == []


@every_session
def test_the_older_transport_is_named(refused: Callable[..., str]) -> None:
    """Where a server speaks nothing else."""
    with served(Locked(None, older=True)) as origin:
        told = refused(f"{origin}/sse", "--header", f"Authorization: {KEY}")
        assert "speaks only the older SSE transport, not streamable HTTP" in told
        assert "SSE" not in refused(f"{origin}/nothing")


def test_the_proxy_names_the_older_transport() -> None:
    """To the client, as soon as it shakes hands."""
    with served(Locked(None, older=True)) as origin, Raw(f"{origin}/sse") as client:
        params: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
        asked = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        answer = client.ask(asked)
        assert "speaks only the older SSE transport" in answer["error"]["message"]
        assert client.ends()[0] == 1


@pytest.mark.parametrize("key", [KEY, WRONG], ids=["right", "wrong"])
def test_nothing_is_logged_of_headers(
    origin: str, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    """By us, the SDK, or its HTTP client, however much they are asked to log."""
    caplog.set_level(logging.DEBUG)
    result = run("call", f"{origin}/mcp", "--header", f"Authorization: {key}")
    assert caplog.records
    for text in (caplog.text, result.output, repr([vars(record) for record in caplog.records])):
        assert key not in text
        assert key.partition(" ")[2] not in text
