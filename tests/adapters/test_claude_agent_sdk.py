"""The Claude Agent SDK with its own Claude Code: what the contract does not say."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "claude_agent_sdk",
    reason=needs("claude-agent-sdk"),
)
from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server
from contract import Call, Job
from drivers.claude_agent_sdk import converse, raw
from forking import python
from mcp.types import Tool as Definition, ToolAnnotations
from probe import DEFINITION, EXACT, HOPELESS, MESSAGE, SCHEMA, STRINGS

from schema2model import Tool, Toolset
from schema2model.adapters.claude_agent_sdk import coercion, from_tool, wrap_server

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def told(*scripted: Any, **setup: Any) -> list[str]:
    """What the model is told of each call of `search`."""
    script = tuple(Call(arguments) for arguments in scripted)
    return asyncio.run(converse(setup, script))


def served(*tools: SdkMcpTool[Any]) -> Any:
    """A server in the process."""
    return create_sdk_mcp_server("shop", tools=list(tools))


def hooked(servers: Any, name: str, arguments: Any, **options: Any) -> Any:
    """What the hook answers, as Claude Code asks it."""
    (matcher,) = coercion(servers, **options)["PreToolUse"]
    asked: Any = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": arguments}
    (hook,) = matcher.hooks
    answer: Any = asyncio.run(hook(asked, "toolu_1", {"signal": None}))
    return answer.get("hookSpecificOutput", {})


def test_a_tool_of_names_and_types_gets_exact_arguments() -> None:
    """By the schema that the SDK makes of them."""
    got: list[Any] = []

    async def search(arguments: dict[str, Any]) -> dict[str, Any]:
        got.append(arguments)
        return {"content": [{"type": "text", "text": "found"}]}

    theirs = SdkMcpTool("search", "Find.", {"tags": list[str], "limit": int}, search)
    right, refused = told(
        {"tags": [4711], "limit": "3"},
        {"tags": [], "limit": "many"},
        mcp_servers={"shop": wrap_server(served(theirs))},
    )
    assert "found" in right
    assert MESSAGE.splitlines()[1] in refused
    assert got == [{"tags": ["4711"], "limit": 3}]


def test_another_mcp_server_gets_exact_arguments() -> None:
    """Over stdio, by the definitions that it lists; what is hopeless does not reach it."""
    properties = {**SCHEMA["properties"], "tags": {"type": "array", "items": {"type": "string"}}}
    listed = Definition.model_validate(
        {"name": "search", "inputSchema": {"type": "object", "properties": properties}}
    )
    right, refused = told(
        {"tags": [1], "limit": "10", "active": "yes"},
        {"tags": [], "limit": "many"},
        mcp_servers={"shop": {"type": "stdio", "command": python(), "args": ECHO}},
        hooks=coercion({"shop": [listed]}),
    )
    assert "(['1'], 10, True)" in right
    assert "/limit: must be an integer" in refused


def test_a_hook_changes_arguments_and_grants_nothing() -> None:
    """Permission is for others to give."""
    allowed = {"hookEventName": "PreToolUse", "updatedInput": EXACT}
    assert hooked({"shop": [DEFINITION]}, "mcp__shop__search", STRINGS) == allowed
    denied = hooked({"shop": [DEFINITION]}, "mcp__shop__search", HOPELESS)
    assert denied["permissionDecision"] == "deny"
    assert denied["permissionDecisionReason"].endswith(MESSAGE.partition("\n")[2])


@pytest.mark.parametrize(
    ("server", "tool", "called", "known"),
    [
        ("shop", "search", "mcp__shop__search", True),
        ("my shop.eu", "find/it", "mcp__my_shop_eu__find_it", True),
        ("a__b", "c__d", "mcp__a__b__c__d", True),
        ("shop", "search", "mcp__other__search", False),
        ("shop", "search", "Bash", False),
    ],
)
def test_tools_are_known_by_what_claude_code_calls_them(
    server: str,
    tool: str,
    called: str,
    known: bool,  # noqa: FBT001
) -> None:
    """Others, its own among them, are left alone."""
    ours = Tool.from_schema({"name": tool, "inputSchema": SCHEMA})
    assert bool(hooked({server: [ours]}, called, STRINGS)) == known


def test_a_tool_with_a_broken_schema_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so; others of its server are known."""
    broken = {"name": "lookup", "inputSchema": {"type": "nothing"}}
    nameless = {"inputSchema": SCHEMA}
    servers = {"shop": [broken, nameless, DEFINITION]}
    assert hooked(servers, "mcp__shop__lookup", STRINGS) == {}
    assert hooked(servers, "mcp__shop__search", STRINGS)["updatedInput"] == EXACT
    assert "nothing" in caplog.text


def test_the_methods_of_an_object_are_tools() -> None:
    """Asynchronous or not, with the SDK's own results or others."""

    class Shop:
        async def search(self, tags: list[str]) -> dict[str, Any]:
            """Find articles."""
            await asyncio.sleep(0)
            return {"content": [{"type": "text", "text": repr(tags)}]}

        def count(self, limit: int) -> list[int]:
            """Count articles."""
            return [*range(limit)]

    search, count = (from_tool(tool) for tool in Toolset.from_object(Shop()))
    content = asyncio.run(search.handler({"tags": '["a"]'}))
    assert content == {"content": [{"type": "text", "text": "['a']"}]}
    content = asyncio.run(count.handler({"limit": "3"}))
    assert content == {"content": [{"type": "text", "text": "[0,1,2]"}]}


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of the SDK's; none at all is no mapping of names to types."""
    annotations: Any = ToolAnnotations(readOnlyHint=True)
    made = from_tool(Tool.from_schema(DEFINITION), annotations=annotations)
    assert (made.name, made.description, made.input_schema) == ("search", "Find articles.", SCHEMA)
    assert made.annotations is annotations
    bare = from_tool(Tool.from_schema({"name": "now", "parameters": {"type": "object"}}))
    assert bare.input_schema == {"type": "object", "properties": {}}


def test_a_server_without_middleware_is_named() -> None:
    """As those of version 1 of the MCP SDK."""
    server: Any = {"type": "sdk", "name": "shop", "instance": object()}
    with pytest.raises(TypeError, match="since version 2"):
        wrap_server(server)
    wrapped = wrap_server(served(raw(Job())))
    assert wrapped["type"] == "sdk"
