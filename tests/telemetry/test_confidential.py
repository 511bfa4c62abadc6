"""What OpenTelemetry is not told of calls, and what becomes of hostile arguments and names."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip(
    "opentelemetry.sdk", reason="needs OpenTelemetry: pip install opentelemetry-sdk"
)

from instrumented import BrokenError, made, search
from recorded import Recorded

from schema2model import Tool, ToolError, Toolset
from schema2model.telemetry import instrument

SECRET = "hunter2"  # noqa: S105 - the arguments' own


def confidential(tool: Tool, tools: Toolset, compiled: Any) -> Iterator[Callable[[], Any]]:
    """Calls of all kinds, with the secret in every place."""
    yield lambda: tool.call({"query": SECRET})
    yield lambda: tool.call(f"{{'query': '{SECRET}', 'limit': '7',}}")
    yield lambda: tool.call({"query": SECRET, "limit": SECRET})
    yield lambda: tool.call(SECRET)
    yield lambda: tool.call({SECRET: SECRET})
    yield lambda: tools.prepare(SECRET, SECRET)
    yield lambda: tools.prepare("search", {"query": SECRET, "tags": SECRET})
    yield lambda: compiled.validate_json(SECRET)
    yield lambda: compiled.validate({"query": [SECRET]})


def exported(recorded: Recorded) -> str:
    """All that is told of calls with secrets, some of which fail with them."""

    def fail(query: str, limit: int = 1, tags: list[str] | None = None) -> str:
        if limit == 7:
            raise KeyError(query)
        return query

    tools = instrument(Toolset([Tool.from_function(fail, name="search")]), recorded.telemetry)
    compiled = instrument(tools["search"].compiled, recorded.telemetry)
    for call in confidential(tools["search"], tools, compiled):
        with contextlib.suppress(KeyError, ToolError):
            call()
    return recorded.text


def test_neither_arguments_nor_results_nor_messages_are_recorded(recorded: Recorded) -> None:
    """Whatever becomes of the call."""
    text = exported(recorded)
    assert SECRET not in text
    assert '"KeyError"' in text
    assert recorded.calls["search", "refused"] > 3


@pytest.mark.parametrize("option", ["record_arguments", "record_exceptions"])
def test_they_are_if_that_is_asked(option: str) -> None:
    """Arguments as valid as they became, refused ones as they came; exceptions as events."""
    recorded = Recorded(**{option: True})
    assert SECRET in exported(recorded)
    key = "gen_ai.tool.call.arguments"
    told = [span.attributes[key] for span in recorded.spans if key in span.attributes]
    events = [event.name for span in recorded.spans for event in span.events]
    if option == "record_arguments":
        assert told[:2] == [f'{{"query":"{SECRET}"}}', f'{{"query":"{SECRET}","limit":7}}']
        assert SECRET in told
        assert events == []
    else:
        assert told == []
        assert set(events) == {"exception"}


class Hostile:
    """What raises, whatever is done to it."""

    def __repr__(self) -> str:
        raise BrokenError

    __str__ = __iter__ = __len__ = __bool__ = __repr__  # type: ignore[assignment]


cyclic: dict[str, Any] = {"query": "x"}
cyclic["tags"] = [cyclic]

HOSTILE = [
    pytest.param({"query": Hostile()}, id="raises"),
    pytest.param(Hostile(), id="raises as a whole"),
    pytest.param(cyclic, id="cyclic"),
    pytest.param({"query": "\ud800", "limit": "x"}, id="half a surrogate pair"),
    pytest.param(b"\xff\xfe", id="no text"),
    pytest.param({"query": "x", "limit": float("nan")}, id="nan"),
    pytest.param(json.loads('{"query": ' + "[" * 5000 + "]" * 5000 + "}"), id="deep")
    if sys.version_info >= (3, 12)
    else pytest.param('{"query": ' + "[" * 5000, id="deep"),
    pytest.param(None, id="none"),
]


@pytest.mark.parametrize("arguments", HOSTILE)
def test_hostile_arguments_end_in_what_they_end_in_anyway(arguments: Any) -> None:
    """And what is recorded of them, every exporter can encode."""
    recorded = Recorded(record_arguments=True, record_exceptions=True)
    with pytest.raises(ToolError) as plain:
        Tool.from_function(search).call(arguments)
    with pytest.raises(ToolError) as observed:
        made(recorded).prepare(arguments, {"id": "\ud800" * 1000, "arguments": arguments})
    assert str(observed.value) == str(plain.value)
    assert recorded.calls == {("search", "refused"): 1}
    (span,) = recorded.spans
    assert len(span.attributes["gen_ai.tool.call.id"]) == 200
    recorded.text.encode()
    for value in span.attributes.values():
        value.encode()


def test_unknown_tools_are_one_time_series(recorded: Recorded) -> None:
    """Whatever names models come up with."""
    tools = instrument(Toolset([search]), recorded.telemetry)
    for name in [*map(str, range(50)), None, ["search"]]:
        with pytest.raises(ToolError, match="There is no tool"):
            tools.prepare(name, "{}")  # type: ignore[arg-type]
    assert recorded.calls == {("_OTHER", "refused"): 52}
    assert recorded.spans == ()


def test_a_name_of_half_a_surrogate_pair_stops_no_export(recorded: Recorded) -> None:
    """Names and descriptions come from servers, and exporters encode all that there is at once."""
    definition = {"name": "f\ud800", "description": "f\ud83d", "inputSchema": {"properties": {}}}
    tool = Tool.from_definition(definition, lambda **_: "done", observer=recorded.telemetry)
    assert tool.call({}) == "done"
    with pytest.raises(ToolError):
        tool.call("[")
    for span in recorded.spans:
        assert span.name == "execute_tool f?"
        for value in span.attributes.values():
            value.encode()
    assert recorded.calls == {("f?", "unchanged"): 1, ("f?", "refused"): 1}
    assert recorded.executions == {("f?", None): 1}
