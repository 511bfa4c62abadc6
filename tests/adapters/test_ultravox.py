"""Ultravox in LiveKit Agents: what the plugin makes of the events that the service sends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "livekit.plugins.ultravox",
    reason=needs("ultravox"),
)
from livekit.agents import function_tool, llm
from livekit.plugins import ultravox
from livekit.plugins.ultravox.realtime.events import ClientToolInvocationEvent

from schema2model import Tool
from schema2model.adapters import livekit
from schema2model.adapters.ultravox import coerce_parameters_to_schema

pytestmark = pytest.mark.adapters

NULLABLE = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
SCHEMA = {
    "type": "object",
    "properties": {
        "alert_type": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
        "include_valuation": {"type": "boolean"},
        "category_id": NULLABLE,
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "opts": {"type": "object", "properties": {"depth": {"type": "integer"}}},
    },
    "required": ["limit"],
}
STRINGS = {
    "alert_type": '["low_stock"]',
    "limit": "10",
    "include_valuation": "true",
    "category_id": "null",
}
EXACT = {"alert_type": ["low_stock"], "limit": 10, "include_valuation": True, "category_id": None}


def raw(schema: Any = SCHEMA) -> llm.RawFunctionTool[..., Any]:
    """A raw tool of LiveKit's own."""

    async def stock(raw_arguments: dict[str, Any]) -> None: ...

    return function_tool(stock, raw_schema={"name": "stock", "parameters": schema})


@function_tool
async def stock(
    limit: int,
    alert_type: list[str],
    include_valuation: bool,  # noqa: FBT001 - a model names its arguments
    category_id: int | None = None,
) -> None:
    """List articles."""


class Group(llm.Toolset):
    """A toolset of LiveKit's own."""

    def __init__(self) -> None:
        super().__init__(id="group", tools=[raw()])


TOOLS = {
    "raw tool": [raw()],
    "typed tool": [stock],
    "our tool": [livekit.from_tool(Tool.from_schema({"name": "stock", "parameters": SCHEMA}))],
    "toolset": [Group()],
    "context": llm.ToolContext([raw()]),
    "schema that cannot be compiled": [raw({"type": "nothing"})],
    "no such tool": [],
}


@pytest.mark.parametrize("tools", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize("parameters", [STRINGS, EXACT], ids=["strings", "exact"])
def test_parameters_have_the_types_of_the_schema(tools: Any, parameters: Any) -> None:
    """And where none is known, those that they look like; what was not sent stays unset."""
    given = dict(parameters)
    coerced = coerce_parameters_to_schema(tools, "stock", given)
    assert coerced == EXACT
    assert [type(value) for value in coerced.values()] == [type(v) for v in EXACT.values()]
    assert given == parameters


@pytest.mark.parametrize(
    ("parameters", "coerced"),
    [
        ({"limit": "many", "category_id": "7"}, {"limit": "many", "category_id": 7}),
        ({"limit": "1", "note": "null"}, {"limit": 1, "note": None}),
        ({"limit": "1", "note": "10"}, {"limit": 1, "note": "10"}),
        ({"limit": "1", "opts": '{"depth": "3"}'}, {"limit": 1, "opts": {"depth": 3}}),
        ({"limit": "1", "more": "[2]"}, {"limit": 1, "more": [2]}),
        ({}, {}),
    ],
    ids=["hopeless", "null in a string", "a string", "nested", "undeclared", "nothing"],
)
def test_everything_is_read_as_text(parameters: Any, coerced: Any) -> None:
    """By the schema; what has no reading stays as it was, and nothing is raised."""
    assert coerce_parameters_to_schema([raw()], "stock", parameters) == coerced


@pytest.mark.parametrize(
    ("text", "value"),
    [("a few", "a few"), ("007", "007"), ("[1", "[1"), ("", ""), ("-1.5", -1.5)],
)
def test_without_a_schema_only_what_is_json_is_read(text: str, value: Any) -> None:
    """All else is text."""
    assert coerce_parameters_to_schema([], "stock", {"it": text}) == {"it": value}


@pytest.mark.parametrize("text", ["-inf", "inf", "Infinity", "-Infinity", "nan", "NaN", " INF "])
def test_numbers_that_json_does_not_have(text: str) -> None:
    """Are read where the schema has a number, and nowhere else; what is finite stays in bounds."""
    properties: dict[str, Any] = {
        "ratio": {"type": "number"},
        "ratios": {"type": "array", "items": {"type": "number"}},
        "limit": {"type": "integer"},
        "note": {"type": "string"},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
    }
    sent = {"ratio": text, "ratios": f'["{text}"]', "limit": text, "note": text}
    tools = [raw({"type": "object", "properties": properties})]
    coerced = coerce_parameters_to_schema(tools, "stock", sent)
    number = float(text)
    assert repr(coerced) == repr({"ratio": number, "ratios": [number], "limit": text, "note": text})
    assert coerce_parameters_to_schema(tools, "stock", {"share": text}) == {"share": text}
    assert coerce_parameters_to_schema([], "stock", sent)["ratio"] == text


# ------------------------------------------------------------------------------ in the plugin
class Session(ultravox.RealtimeSession):
    """The plugin's session with the drop-in where it handles the event."""

    def _handle_tool_invocation_event(self, event: ClientToolInvocationEvent) -> None:
        parameters = coerce_parameters_to_schema(self.tools, event.tool_name, event.parameters)
        super()._handle_tool_invocation_event(event.model_copy(update={"parameters": parameters}))


def received(session_class: type[ultravox.RealtimeSession]) -> Any:
    """The arguments of the call that a session makes of the service's event."""
    event = ClientToolInvocationEvent(toolName="stock", invocationId="1", parameters=STRINGS)

    async def run() -> llm.FunctionCall:
        model = ultravox.RealtimeModel(api_key="none")
        session = session_class(model)
        generations: list[Any] = []
        session.on("generation_created", generations.append)
        await session.update_tools([raw()])
        session._handle_tool_invocation_event(event)
        calls = [call async for call in generations[0].function_stream]
        await session.aclose()
        return calls[0]

    return json.loads(asyncio.run(run()).arguments)


def test_the_plugin_alone_passes_on_strings() -> None:
    """Whatever the schema says."""
    assert received(ultravox.RealtimeSession) == STRINGS


def test_the_plugin_passes_on_what_the_schema_says() -> None:
    """And the conversation holds it."""
    assert received(Session) == EXACT


def test_a_wrapped_tool_reads_what_the_plugin_passes_on() -> None:
    """And what has no reading is refused in our words."""
    got: list[Any] = []

    async def note(raw_arguments: dict[str, Any]) -> None:
        got.append(raw_arguments)

    theirs = function_tool(note, raw_schema={"name": "note", "parameters": SCHEMA})
    wrapped = livekit.wrap_tool(theirs, coercion="untyped")
    asyncio.run(wrapped({**STRINGS, "note": "null"}))
    assert got == [{**EXACT, "note": None}]
    with pytest.raises(llm.ToolError, match="/limit: must be an integer"):
        asyncio.run(wrapped({"limit": "many"}))
