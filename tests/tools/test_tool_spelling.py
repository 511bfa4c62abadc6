# ruff: noqa: D103 - the names state the promises
"""Names of tools in other cases and separators: all that `read_calls` reads are read elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schema2model import ToolError, Toolset
from schema2model.apps.batch import Corrector
from schema2model.apps.proxy.calls import CallPolicy, ListedTools
from schema2model.coercions import Preset
from schema2model.json.quoting import quoted

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
    ("tools.create_ticket", "create_ticket"),
    ('"create_ticket"', "create_ticket"),
    ("create\\_ticket", "create_ticket"),
    ("create_ticket_1", "create_ticket"),
]
UNKNOWN = ["ticket", "create", "get-item", "step", "step_3", "createTickets", "", "x" * 10_000]


@pytest.mark.parametrize(("spelled", "name"), SPELLED)
@pytest.mark.parametrize("preset", ["default", "forgiving"])
def test_the_one_tool_that_a_spelling_means_is_called(
    spelled: str, name: str, preset: Preset
) -> None:
    tools = Toolset(TOOLS, coercion=preset)
    assert tools.prepare(spelled, {"title": "x"}).tool.name == name
    call = {"type": "function_call", "name": spelled, "arguments": '{"title": "x"}'}
    assert tools.prepare_call(call).tool.name == name
    written = json.dumps({"name": spelled, "arguments": {}})
    assert tools.read_calls(f"<tool_call>{written}</tool_call>")[0].name == name


@pytest.mark.parametrize(("spelled", "name"), SPELLED)
def test_elsewhere_the_message_names_the_tool(spelled: str, name: str) -> None:
    with pytest.raises(ToolError) as raised:
        Toolset(TOOLS, coercion="off").prepare(spelled, {})
    assert str(raised.value) == f"There is no tool `{quoted(spelled)[1:-1]}`; call `{name}`"
    for preset in ("default", "forgiving"):
        outcome = Corrector(TOOLS, coercion=preset).correct(spelled, {})
        assert outcome.error == str(raised.value)


@pytest.mark.parametrize("spelled", UNKNOWN)
def test_a_name_that_means_no_tool_or_several_is_refused(spelled: str) -> None:
    with pytest.raises(ToolError, match="There is no tool"):
        Toolset(TOOLS).prepare(spelled, {})


@pytest.mark.parametrize(("spelled", "name"), SPELLED)
def test_the_proxy_sends_the_servers_own_name_where_guesses_are_allowed(
    spelled: str, name: str
) -> None:
    message = {"method": "tools/call", "params": {"name": spelled, "arguments": {"title": "x"}}}
    for preset, sent in (("default", spelled), ("forgiving", name)):
        tools = ListedTools(CallPolicy(preset))
        tools.add({"tools": [{"name": each["name"], "inputSchema": SCHEMA} for each in TOOLS]})
        assert tools.read(message).message["params"] == {"name": sent, "arguments": {"title": "x"}}
