"""Instrumented tools in the frameworks that they are made for: counted, and once."""

from __future__ import annotations

import asyncio
from typing import Any

import contract_tables as tables
import pytest

pytest.importorskip(
    "opentelemetry.sdk", reason="needs OpenTelemetry: pip install opentelemetry-sdk"
)

from contract import Call, Driver, Job, Tools
from opentelemetry import trace
from recorded import Recorded

from schema2model import Tool
from schema2model.telemetry import instrument

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore"),  # of the frameworks' own making
]

CORRECT = {"tags": ["a"], "limit": 10}
STRINGS = {"tags": '["a"]', "limit": "10"}
HOPELESS = {"tags": [], "limit": "many"}


FRAMEWORKS = ["fastmcp", "langchain", "livekit", "llama_index", "openai_agents", "pydantic_ai"]
"""Some of each kind: servers, and agents that hand over objects, text, or what was read before."""
SCRIPT = Call(CORRECT), Call(STRINGS), Call(HOPELESS)
STATUSES = ["unchanged", "coerced", "refused"]


def tools_of(name: str) -> tuple[Driver, Tools]:
    """The driver of an adapter and the tools of its framework, if that is here."""
    try:
        of = tables.driver(name)
    except ImportError as error:
        pytest.skip(f"{name}: {error}")
    assert of.tools is not None
    return of, of.tools


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_runs_an_instrumented_tool(name: str, *, asynchronous: bool) -> None:
    """Each call is counted once by what was sent, and the function runs in its span."""
    of, tools = tools_of(name)
    recorded = Recorded()
    current: list[Any] = []

    def search(tags: list[str], limit: int) -> str:
        current.append(trace.get_current_span().get_span_context().span_id)
        return repr((tags, limit))

    async def asearch(tags: list[str], limit: int) -> str:
        return search(tags, limit)

    tool = Tool.from_function(asearch if asynchronous else search, name="search")
    asyncio.run(of.converse(tools.ours(instrument(tool, recorded.telemetry)), SCRIPT))
    assert recorded.calls == {("search", status): 1 for status in STATUSES}
    assert recorded.changes == {("search", "json_text"): 2}
    assert recorded.executions == {("search", None): 2}
    spans = [span for span in recorded.spans if span.name == "execute_tool search"]
    if name != "pydantic_ai":  # which executes tools with arguments that were read before
        assert [span.attributes["schema2model.status"] for span in spans] == STATUSES
    assert [span.context.span_id for span in spans[:2]] == current
    if name == "openai_agents":
        ids = [span.attributes["gen_ai.tool.call.id"] for span in spans]
        assert ids == ["call-0", "call-1", "call-2"]


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_what_is_wrapped_is_counted(name: str) -> None:
    """By what the framework's tool would have got; its execution is the framework's own."""
    of, tools = tools_of(name)
    recorded = Recorded()
    theirs = tools.raw(Job())
    asyncio.run(of.converse(tools.wrapped(theirs, observer=recorded.telemetry), SCRIPT))
    assert recorded.calls == {("search", status): 1 for status in STATUSES}
    assert recorded.executions == {}
