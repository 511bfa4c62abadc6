"""LangChain's tools of MCP servers, with our interceptor or wrapped each."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("langchain_core", reason=needs("langchain"))
from forking import python
from langchain_core.tools import BaseTool
from langchain_tools import call
from probe import MESSAGE

from schema2model.adapters.langchain import interceptor, wrap_tool

pytestmark = pytest.mark.adapters


def over_stdio(arguments: list[str], run: Callable[[Any, Callable[..., Any]], Any]) -> Any:
    """The outcome of `run`, given a session with a server and what loads its tools."""
    pytest.importorskip(
        "langchain_mcp_adapters", reason="needs langchain-mcp-adapters: pip install it"
    )
    from langchain_mcp_adapters.sessions import create_session  # noqa: PLC0415
    from langchain_mcp_adapters.tools import load_mcp_tools  # noqa: PLC0415

    async def connected() -> Any:
        connection = {"transport": "stdio", "command": python(), "args": arguments}
        async with create_session(connection) as session:
            await session.initialize()
            return await run(session, load_mcp_tools)

    return asyncio.run(connected())


ECHO = [str(Path(__file__).parent / "mcp_server.py")]


async def alone(session: Any, load: Any) -> list[BaseTool]:
    """Tools as LangChain loads them."""
    return await load(session)


async def intercepted(session: Any, load: Any) -> list[BaseTool]:
    """Tools with our interceptor."""
    listed = (await session.list_tools()).tools
    return await load(session, tool_interceptors=[interceptor(listed)])


async def wrapped(session: Any, load: Any) -> list[BaseTool]:
    """Tools that are wrapped each."""
    return [wrap_tool(theirs) for theirs in await load(session)]


def answers(server: list[str], loaded: Any, name: str, *sent: Any) -> list[Any]:
    """What a tool of a server answers, one after the other; its text, or the error."""

    async def run(session: Any, load: Any) -> list[Any]:
        theirs = {tool.name: tool for tool in await loaded(session, load)}[name]
        return [await theirs.ainvoke(call(arguments, name)) for arguments in sent]

    return over_stdio(server, run)


ours = pytest.mark.parametrize("loaded", [intercepted, wrapped])


@ours
def test_a_server_of_functions_is_sent_exact_arguments(loaded: Any) -> None:
    """Correct ones are the same as without us."""
    sent = {"tags": '["a"]', "limit": "10", "active": "yes"}
    exact = {"tags": ["a"], "limit": 10, "active": True}
    texts = [answer.content[0]["text"] for answer in answers(ECHO, loaded, "search", sent, exact)]
    assert texts == ["(['a'], 10, True)"] * 2


def git_log(repository: Path, loaded: Any, count: Any) -> str:
    """What mcp-server-git answers, which checks its arguments exactly."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git: pip install it")
    for command in (
        ["init", "-q"],
        [
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.c",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "one",
        ],
    ):
        subprocess.run(["git", *command], cwd=repository, check=True)  # noqa: S603, S607
    arguments = {"repo_path": str(repository), "max_count": count}
    (answer,) = answers(["-m", "mcp_server_git"], loaded, "git_log", arguments)
    return f"{answer.status}: {answer.content[0]['text']}"


def test_langchain_alone_sends_strings_to_a_server(tmp_path: Path) -> None:
    """And mcp-server-git refuses them."""
    refused = git_log(tmp_path, alone, "1")
    assert refused.startswith("error: ")
    assert "'1' is not of type 'integer'" in refused


@ours
def test_a_server_in_the_wild_is_sent_exact_arguments(loaded: Any, tmp_path: Path) -> None:
    """Which mcp-server-git takes."""
    assert git_log(tmp_path, loaded, "1").startswith("success: Commit history:")


def test_the_interceptor_refuses_as_the_server_would() -> None:
    """With a result that says so, which the model is shown."""
    (answer,) = answers(ECHO, intercepted, "search", {"tags": [], "limit": "many"})
    assert (answer.content[0]["text"], answer.status) == (MESSAGE, "error")


def test_a_server_that_reads_times_is_left_to_judge_them() -> None:
    """Strings that are right stay as they are."""
    pytest.importorskip("mcp_server_time", reason="needs mcp-server-time: pip install it")
    sent = {"source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Tokyo"}
    server = ["-m", "mcp_server_time", "--local-timezone", "UTC"]
    (answer,) = answers(server, intercepted, "convert_time", sent)
    assert json.loads(answer.content[0]["text"])["time_difference"] == "+9.0h"
