# ruff: noqa: D103 - the names state the promises
"""Names of tools in other cases and separators: read where guesses are allowed, else named."""

from __future__ import annotations

from typing import Any

import pytest

from schema2model import ToolError, Toolset
from schema2model.apps.batch import Corrector
from schema2model.apps.proxy.calls import ListedTools

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}
TOOLS: list[Any] = [
    {"name": name, "parameters": SCHEMA}
    for name in ("create_ticket", "listTickets", "getItem", "get_item", "step_2")
]
SPELLED = [
    ("createTicket", "create_ticket"),
    ("create-ticket", "create_ticket"),
    ("CREATE_TICKET", "create_ticket"),
    ("functions.create_ticket", "create_ticket"),
    ("functions.create_ticket:0", "create_ticket"),
    ("list_tickets", "listTickets"),
]
UNKNOWN = ["ticket", "create", "get-item", "step", "step_3", "createTickets", "", "x" * 10_000]


@pytest.mark.parametrize(("spelled", "name"), SPELLED)
def test_the_one_tool_that_a_spelling_means_is_called(spelled: str, name: str) -> None:
    tools = Toolset(TOOLS, coercion="forgiving")
    assert tools.prepare(spelled, {"title": "x"}).tool.name == name
    call = {"type": "function_call", "name": spelled, "arguments": '{"title": "x"}'}
    assert tools.prepare_call(call).tool.name == name
    for preset in ("default", "forgiving"):
        text = f'<tool_call>{{"name": "{spelled}", "arguments": {{}}}}</tool_call>'
        assert Toolset(TOOLS, coercion=preset).read_calls(text)[0].name == name


@pytest.mark.parametrize(("spelled", "name"), SPELLED)
def test_elsewhere_the_message_names_the_tool(spelled: str, name: str) -> None:
    with pytest.raises(ToolError) as raised:
        Toolset(TOOLS).prepare(spelled, {})
    assert str(raised.value) == f"There is no tool `{spelled}`; call `{name}`"
    for preset in ("default", "forgiving"):
        outcome = Corrector(TOOLS, coercion=preset).correct(spelled, {})
        assert outcome.error == f"There is no tool `{spelled}`; call `{name}`"


@pytest.mark.parametrize("spelled", UNKNOWN)
def test_a_name_that_means_no_tool_or_several_is_refused(spelled: str) -> None:
    with pytest.raises(ToolError, match="There is no tool"):
        Toolset(TOOLS, coercion="forgiving").prepare(spelled, {})


@pytest.mark.parametrize(("spelled", "name"), SPELLED)
def test_the_proxy_sends_the_servers_own_name_where_guesses_are_allowed(
    spelled: str, name: str
) -> None:
    message = {"method": "tools/call", "params": {"name": spelled, "arguments": {"title": "x"}}}
    for preset, sent in (("default", spelled), ("forgiving", name)):
        tools = ListedTools(preset)
        tools.add({"tools": [{"name": each["name"], "inputSchema": SCHEMA} for each in TOOLS]})
        assert tools.coerced(message)["params"] == {"name": sent, "arguments": {"title": "x"}}
