"""What commands do with live servers: one, or all of a client's configuration side by side."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from forking import python

from schema2model.apps.cli.application import application
from schema2model.extras import needs

mcp = pytest.importorskip("mcp", reason=needs("mcp"))
locked = pytest.importorskip("locked", reason=needs("mcp"))
stdio_client = pytest.importorskip("mcp.client.stdio").stdio_client

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete"),  # the SDK 1.26
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject"),  # the same, by the server
]

HERE = Path(__file__).parent
ECHO = str(HERE / "mcp_server.py")
NEW = str(HERE / "modern_server.py")
SEARCH = str(HERE.parent / "support" / "search_server.py")
V2 = hasattr(mcp, "Client")


def run(*arguments: str) -> Result:
    """A command in this process."""
    return CliRunner().invoke(application, arguments)


def command(*words: str) -> str:
    """A command as it stands on a command line."""
    return " ".join(f"'{word}'" for word in (python(), *words))


@pytest.fixture
def configure(tmp_path: Path) -> Any:
    """Write a client's configuration."""

    def write(**servers: Any) -> str:
        path = tmp_path / "client.json"
        path.write_text(json.dumps({"mcpServers": servers, "theme": "dark"}))
        return str(path)

    return write


SEARCH_SERVER = {"command": sys.executable, "args": [SEARCH]}
"""The same tool, where the promise is not about the SDK."""


# ----------------------------------------------------------------------------------------- tools
def test_the_tools_of_a_server_are_a_file_for_other_commands(tmp_path: Path) -> None:
    """As it lists them."""
    result = run("tools", "--server", command(ECHO))
    assert (result.exit_code, result.stderr) == (0, "")
    (tool, *_) = json.loads(result.stdout)["tools"]
    assert tool["name"] == "search"
    assert tool["inputSchema"]["properties"]["limit"]["type"] == "integer"
    path = tmp_path / "tools.json"
    path.write_text(result.stdout)
    again = run("check", str(path), "--json", "--fail-on", "never")
    assert json.loads(again.stdout)["tools"][0]["name"] == "search"
    given = '{"tags": "[]", "limit": "1"}'
    corrected = run("validate", "--schema", str(path), "--tool", "search", given)
    assert json.loads(corrected.stdout) == {"tags": [], "limit": 1}


def test_the_tools_of_all_servers_have_their_names(configure: Any) -> None:
    """Those of a server at a URL too, with the key that the configuration has."""
    with locked.served(locked.Locked(b"Bearer key")) as origin:
        there = {"type": "http", "url": f"{origin}/mcp", "headers": {"Authorization": "Bearer key"}}
        path = configure(**{"my shop": SEARCH_SERVER, "there": there})
        result = run("tools", "--servers", path)
    assert (result.exit_code, result.stderr) == (0, "")
    names = [tool["name"] for tool in json.loads(result.stdout)["tools"]]
    assert {"my_shop__search", "there__search"} <= {*names}


def test_a_server_without_tools_is_told_by_the_exit_code() -> None:
    """The list is there, and empty."""
    result = run("tools", "--server", command(str(HERE / "check_server.py"), "none"))
    assert (result.exit_code, json.loads(result.stdout)) == (1, {"tools": []})


def test_environment_and_folder_are_those_of_the_configuration(
    configure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables stand for what they are here, or for what is written behind them."""
    monkeypatch.setenv("ECHO_SERVER", SEARCH)
    note = tmp_path / "note"
    program = (
        "import os, pathlib, runpy; pathlib.Path(os.environ['NOTE']).write_text(os.getcwd());"
        "runpy.run_path(os.environ['ECHO'], run_name='__main__')"
    )
    entry = {
        "command": "${NO_SUCH_VARIABLE:-" + sys.executable + "}",
        "args": ["-c", program],
        "env": {"ECHO": "${env:ECHO_SERVER}", "NOTE": str(note)},
        "cwd": str(tmp_path),
    }
    assert run("tools", "--servers", configure(echo=entry)).exit_code == 0
    assert Path(note.read_text()).samefile(tmp_path)


# ----------------------------------------------------------------------------------------- check
def test_all_servers_are_checked(configure: Any) -> None:
    """Their tools in one report, each with its server's name; disabled ones are left alone."""
    path = configure(
        one=SEARCH_SERVER, two=SEARCH_SERVER, off={"command": "/no/such/program", "disabled": True}
    )
    result = run("check", "--servers", path, "--json", "--fail-on", "never")
    assert (result.exit_code, result.stderr) == (0, "")
    names = [tool["name"] for tool in json.loads(result.stdout)["tools"]]
    assert {"one/search", "two/search"} <= {*names}
    text = run("check", "--servers", path, "--fail-on", "never").stdout
    assert "one/search" in text


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ({"command": "/no/such/program"}, "cannot be started"),
        ({"command": sys.executable, "args": ["-c", "raise SystemExit(3)"]}, "ended with"),
        (
            {"command": sys.executable, "args": ["-c", "import time; time.sleep(60)"]},
            "gave no answer within 6 seconds",
        ),
        ({"url": "http://127.0.0.1:9/mcp"}, "the server `http://127.0.0.1:9/mcp`"),
    ],
    ids=["missing", "crash", "silent", "unreachable"],
)
def test_a_server_that_does_not_answer_costs_no_other(
    configure: Any, bad: Any, problem: str
) -> None:
    """One line names its entry, and the exit code says that the report is not complete."""
    path = configure(bad=bad, good=SEARCH_SERVER)
    result = run("check", "--servers", path, "--fail-on", "never", "--timeout", "6")
    assert result.exit_code == 2
    assert "good/search" in result.stdout
    assert result.stderr.startswith('Error: "bad": the server `')
    assert problem in result.stderr
    assert result.stderr.count("\n") == 1
    if "within 6 seconds" in problem:
        return  # it is waited for once
    result = run("tools", "--servers", path, "--timeout", "6")
    assert result.exit_code == 2
    assert "good__search" in {tool["name"] for tool in json.loads(result.stdout)["tools"]}
    assert '"bad": ' in result.stderr


CONFIGURATIONS = [
    pytest.param({"a": {}}, "has neither a command nor a URL", id="nothing"),
    pytest.param({"a": {"command": "x", "url": "http://x"}}, "or both", id="both"),
    pytest.param({"a": []}, 'the server "a" is not an object', id="list"),
    pytest.param({}, "names no servers", id="none"),
    pytest.param({"a": {"command": "x", "args": "y"}}, "args that are not a list", id="args"),
    pytest.param({"a": {"command": "x", "env": {"A": 1}}}, "env that are not an object", id="env"),
    pytest.param({"a": {"url": "ftp://x"}}, "looks like https://", id="scheme"),
    pytest.param({"a": {"url": "http://x", "type": "sse"}}, "older SSE transport", id="sse"),
    pytest.param(
        {"a": {"url": "http://x", "headers": {"A b": "s3cr3t"}}}, "not the name", id="header"
    ),
    pytest.param({"a": {"command": "${NOT_SET_HERE}"}}, "NOT_SET_HERE, which is not", id="unset"),
    pytest.param({"a b": {"command": "x"}, "a.b": {"command": "x"}}, "alike", id="alike"),
]


@pytest.mark.parametrize("command", ["tools", "proxy"])
@pytest.mark.parametrize(("servers", "problem"), CONFIGURATIONS)
def test_a_configuration_that_makes_no_sense_is_a_line(
    configure: Any, servers: Any, problem: str, command: str
) -> None:
    """With exit code 2, before a server is started; and without what may be secret."""
    result = run(command, "--servers", configure(**servers))
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
    assert "s3cr3t" not in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "codegen"])
def test_a_configuration_in_the_place_of_a_file_starts_nothing(
    configure: Any, command: str, tmp_path: Path
) -> None:
    """A file of a stranger's must not run programs; the error says how they are asked."""
    note = tmp_path / "note"
    entry = {"command": sys.executable, "args": ["-c", f"open({str(note)!r}, 'w')"]}
    result = run(command, configure(a=entry))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is a client's configuration; give it with --servers" in result.stderr
    assert not note.exists()


@pytest.mark.parametrize("command", ["check", "codegen", "tools", "proxy"])
def test_there_is_one_source(command: str) -> None:
    """A usage error names them."""
    result = run(command, "--server", "x", "--url", "http://x")
    assert result.exit_code == 2
    assert "Give one of" in result.stderr


# --------------------------------------------------------------------------------------- codegen
def test_classes_are_made_for_the_tools_of_servers(configure: Any, tmp_path: Path) -> None:
    """And are compared with what they are by now."""
    pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")
    output = tmp_path / "made.py"
    source = ("--servers", configure(shop=SEARCH_SERVER))
    assert run("codegen", *source, "-o", str(output)).exit_code == 0
    assert "Made by: schema2model codegen --servers client.json" in output.read_text()
    assert '"shop__search": ' in output.read_text()
    assert run("codegen", *source, "-o", str(output), "--check").exit_code == 0
    one = run("codegen", "--server", command(SEARCH))
    assert '"search": ' in one.stdout
    assert run("codegen", "--server", command(SEARCH), "-o", str(output), "--check").exit_code == 1


# ------------------------------------------------------------------------------------------ call
def test_a_tool_that_takes_too_long_is_not_waited_for() -> None:
    """It ends in a line."""
    server = command(str(HERE / "check_server.py"), "slow-tool")
    result = run("call", "--server", server, "--timeout", "2", "find", "{}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "gave no answer within 2 seconds" in result.stderr


# -------------------------------------------------------------------------------- newest revision
@pytest.mark.skipif(not V2, reason="the SDK 1.x is older than the newest revision")
def test_a_server_without_a_handshake_is_asked_all_the_same() -> None:
    """It knows only the revision in which each request says what it is of."""
    listed = run("tools", "--server", command(NEW))
    assert (listed.exit_code, listed.stderr) == (0, "")
    assert [tool["name"] for tool in json.loads(listed.stdout)["tools"]] == ["add"]
    called = run("call", "--server", command(NEW), "add", '{"a": "1", "b": "2"}')
    assert called.exit_code == 0
    assert json.loads(called.stdout) == [{"type": "text", "text": "3"}]


# ----------------------------------------------------------------------------------------- proxy
async def called(client: Any, name: str, arguments: Any) -> tuple[str, bool]:
    """What a tool answers, as text, and whether it is an error."""
    result = (await client.call_tool(name, arguments)).model_dump(by_alias=True)
    return result["content"][0]["text"], bool(result.get("isError"))


async def uses_both(client: Any) -> None:
    """List the tools of a server that is a process and of one at a URL, and call them."""
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"here__search", "there__search"} <= names
    sent = {"tags": "['a',]", "limit": " 7 "}
    assert await called(client, "here__search", sent) == ("(['a'], 7, False)", False)
    assert await called(client, "there__search", {"limit": "8"}) == ("8", False)
    text, is_error = await called(client, "there__search", {"limit": "x"})
    assert is_error
    assert text.startswith("Error parsing arguments for `there__search`:")


MODES = ["session", *(["auto", "legacy"] if V2 else [])]


@pytest.mark.parametrize("mode", MODES)
def test_a_client_has_several_servers_as_one(configure: Any, mode: str) -> None:
    """The SDK's own, with a handshake or with what it says of itself in every request."""

    async def use(path: str) -> None:
        words = ["-m", "schema2model", "proxy", "--servers", path]
        parameters = mcp.StdioServerParameters(command=python(), args=words)
        if mode != "session":
            async with mcp.Client(stdio_client(parameters), mode=mode) as client:
                await uses_both(client)
            return
        async with (
            stdio_client(parameters) as streams,
            mcp.ClientSession(*streams) as client,
        ):
            await client.initialize()
            await uses_both(client)

    with locked.served(locked.Locked(b"Bearer key")) as origin:
        there = {"url": f"{origin}/mcp", "headers": {"Authorization": "Bearer key"}}
        asyncio.run(use(configure(here=SEARCH_SERVER, there=there)))
