"""Pydantic AI with MCP servers, whose tools get exact arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("pydantic_ai", reason=needs("pydantic-ai"))

from forking import python
from pydantic_ai_agents import converse
from staging import staged

from schema2model.adapters.pydantic_ai import CoercionCapability, process_tool_call, wrap_server

pytestmark = pytest.mark.adapters

FILES = "['a.txt']"


def git_server() -> Any:
    """A real server, over stdio."""
    mcp = pytest.importorskip(
        "pydantic_ai.mcp", reason="needs pydantic-ai-slim[mcp]", exc_type=ImportError
    )
    from fastmcp.client.transports import StdioTransport  # noqa: PLC0415 - comes with that extra

    return mcp.MCPToolset(StdioTransport(python(), ["-m", "mcp_server_git"]))


def test_an_mcp_server_alone_gets_strings(repository: Path) -> None:
    """What this one cannot read as JSON it refuses."""
    arguments = {"repo_path": str(repository), "files": FILES}
    _, answer = converse(arguments, name="git_add", toolsets=[git_server()])
    assert answer.outcome == "retried"
    assert staged(repository) == []


@pytest.mark.parametrize("by", ["wrap_server", "capability", "process_tool_call"])
def test_an_mcp_server_gets_exact_arguments(repository: Path, by: str) -> None:
    """By each way."""
    arguments, server = {"repo_path": str(repository), "files": FILES}, git_server()
    if by == "wrap_server":
        converse(arguments, name="git_add", toolsets=[wrap_server(server)])
    elif by == "capability":
        options = {"toolsets": [server], "capabilities": [CoercionCapability()]}
        converse(arguments, name="git_add", **options)
    else:
        server.process_tool_call = process_tool_call(server.list_tools)
        converse(arguments, name="git_add", toolsets=[server])
    assert staged(repository) == ["a.txt"]


@pytest.mark.parametrize("by", ["wrap_server", "process_tool_call"])
def test_a_hopeless_call_does_not_reach_an_mcp_server(repository: Path, by: str) -> None:
    """The model is told in our words."""
    arguments, server = {"repo_path": str(repository), "files": 5}, git_server()
    if by == "wrap_server":
        server = wrap_server(server)
    else:
        server.process_tool_call = process_tool_call(server.list_tools)
    _, answer = converse(arguments, name="git_add", toolsets=[server])
    assert answer.content == (
        "Error parsing arguments for `git_add`:\n"
        "- /files: must be a JSON array of at least 1 item, "
        'each string, not 5; write it like ["…"], with the values from the request\n\n'
        "Fix the errors and try again."
    )
