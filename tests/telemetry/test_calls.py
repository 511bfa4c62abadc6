"""What OpenTelemetry is told of calls, with its SDK exporting to memory: spans and counts."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import types
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip(
    "opentelemetry.sdk", reason="needs OpenTelemetry: pip install opentelemetry-sdk"
)

from instrumented import READ, REFUSED, BrokenError, asearch, kinds, later, made, search, wholly
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode
from recorded import Recorded

from schema2model import Tool, ToolError, Toolset
from schema2model.telemetry import Telemetry, instrument


# ----------------------------------------------------------------------------- what is recorded
@kinds
@pytest.mark.parametrize(("arguments", "status", "rules"), READ)
def test_a_call_is_counted_and_has_a_span(
    recorded: Recorded, function: Any, arguments: Any, status: str, rules: list[str]
) -> None:
    """Under the conventions' names, with what became of its arguments."""
    tool = made(recorded, function)
    assert wholly(tool, arguments) == wholly(Tool.from_function(function), arguments)
    assert recorded.calls == {("search", status): 1}
    assert recorded.changes == Counter(("search", rule) for rule in rules)
    assert recorded.executions == {("search", None): 1}
    (span,) = recorded.spans
    assert (span.name, span.kind) == ("execute_tool search", SpanKind.INTERNAL)
    assert span.status.status_code is StatusCode.UNSET
    assert span.instrumentation_scope.name == "schema2model"
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": tool.description,
        "schema2model.status": status,
        **({"schema2model.rules": tuple(dict.fromkeys(rules))} if rules else {}),
    }


def test_every_change_counts(recorded: Recorded) -> None:
    """Also the second by the same rule."""
    made(recorded).call({"query": "x", "limit": "1", "tags": '["a"]'})
    assert recorded.changes == {("search", "json_text"): 2}


def test_a_parameter_in_the_string_of_another_one_counts(recorded: Recorded) -> None:
    """The call is valid, and not what the model meant."""
    made(recorded).call({"query": 'x</query>\n<parameter name="limit">1'})
    made(recorded).call({"query": "x"})
    assert recorded.swallowed == {"search": 1}


@kinds
@pytest.mark.parametrize("arguments", [{"query": "x", "limit": "many"}, "no arguments"])
def test_a_refused_call_has_a_span_but_no_duration(
    recorded: Recorded, function: Any, arguments: Any
) -> None:
    """As it was never executed."""
    with pytest.raises(ToolError):
        wholly(made(recorded, function), arguments)
    assert recorded.calls == {("search", "refused"): 1}
    assert (recorded.changes, recorded.executions) == ({}, {})
    (span,) = recorded.spans
    assert span.name == "execute_tool search"
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
    assert span.attributes["schema2model.status"] == "refused"
    assert span.attributes["error.type"] == REFUSED


ERRORS = [
    pytest.param(KeyError("x"), "KeyError", id="of Python's"),
    pytest.param(BrokenError("x"), f"{BrokenError.__module__}.BrokenError", id="of its own"),
    pytest.param(ToolError("x"), REFUSED, id="for the model"),
    pytest.param(asyncio.CancelledError(), "asyncio.exceptions.CancelledError", id="cancelled"),
]


@kinds
@pytest.mark.parametrize(("error", "name"), ERRORS)
def test_a_function_that_fails(
    recorded: Recorded, error: BaseException, name: str, function: Any
) -> None:
    """Its error passes unchanged, and has left its type."""

    def fail(limit: int) -> None:
        raise error

    async def afail(limit: int) -> None:
        raise error

    def fail_later(limit: int) -> Any:
        return afail(limit)

    failing = {search: fail, asearch: afail, later: fail_later}[function]
    with pytest.raises(type(error)):
        wholly(made(recorded, failing, "fail"), {"limit": "1"})
    assert recorded.calls == {("fail", "coerced"): 1}
    assert recorded.executions == {("fail", name): 1}
    (span,) = recorded.spans
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
    assert span.attributes["error.type"] == name
    assert span.events == ()


def test_a_result_without_json_is_no_failure(recorded: Recorded) -> None:
    """The function has run, and its result is returned."""
    tool = made(recorded, lambda: object(), "f")  # noqa: PLW0108 - a signature
    assert type(tool.call({})) is object
    assert recorded.executions == {("f", None): 1}


def test_an_asynchronous_tool_that_is_not_awaited_is_a_failure(recorded: Recorded) -> None:
    """The span ends with the call."""
    with pytest.raises(TypeError, match="await"):
        made(recorded, later).call({"query": "x"})
    assert recorded.executions == {("search", "TypeError"): 1}


def test_durations_are_in_the_buckets_of_the_conventions(recorded: Recorded) -> None:
    """Seconds, as long as the span."""
    made(recorded).call({"query": "x"})
    (point,) = recorded.metrics["gen_ai.execute_tool.duration"]
    assert point.explicit_bounds[:3] == (0.01, 0.02, 0.04)
    assert point.explicit_bounds[-1] == 81.92
    (span,) = recorded.spans
    assert 0 < point.sum <= (span.end_time - span.start_time) / 1e9 + 1e-3
    assert point.attributes == {"gen_ai.tool.name": "search", "gen_ai.tool.type": "function"}


def test_spans_that_are_not_sampled_do_not_count_less() -> None:
    """Metrics are of all calls."""
    recorded = Recorded()
    telemetry = Telemetry(
        tracer_provider=TracerProvider(sampler=ALWAYS_OFF), meter_provider=recorded.meter_provider
    )
    instrument(Tool.from_function(search), telemetry).call({"query": 1})
    assert recorded.calls == {("search", "coerced"): 1}
    assert recorded.executions == {("search", None): 1}


CALLS: dict[str, tuple[Callable[[Any], Any], str | None]] = {
    "openai": (
        lambda given: {"id": "c1", "function": {"name": "search", "arguments": json.dumps(given)}},
        "c1",
    ),
    "openai-responses": (
        lambda given: {
            "id": "fc_1",
            "call_id": "c1",
            "name": "search",
            "arguments": json.dumps(given),
        },
        "c1",
    ),
    "anthropic": (
        lambda given: {"type": "tool_use", "id": "c1", "name": "search", "input": given},
        "c1",
    ),
    "gemini": (lambda given: {"functionCall": {"id": "c1", "name": "search", "args": given}}, "c1"),
    "langchain": (lambda given: {"name": "search", "args": given, "id": "c1"}, "c1"),
    "object": (
        lambda given: types.SimpleNamespace(call_id="c1", name="search", arguments=given),
        "c1",
    ),
    "mcp": (lambda given: {"params": {"name": "search", "arguments": given}}, None),
    "id that is no text": (lambda given: {"id": 7, "name": "search", "arguments": given}, None),
}


@pytest.mark.parametrize("arguments", [{"query": "x"}, {"limit": "x"}], ids=["valid", "refused"])
@pytest.mark.parametrize(("call", "found"), CALLS.values(), ids=CALLS)
def test_a_span_has_the_id_of_the_call(
    recorded: Recorded, call: Any, found: str | None, arguments: Any
) -> None:
    """Of a call in any provider's shape, if it has one."""
    tools = instrument(Toolset([search]), recorded.telemetry)
    with contextlib.suppress(ToolError):
        tools.prepare_call(call(arguments)).call()
    (span,) = recorded.spans
    assert span.attributes.get("gen_ai.tool.call.id") == found


# ------------------------------------------------------------------------------------- contexts
@kinds
def test_what_a_function_does_is_within_its_span(recorded: Recorded, function: Any) -> None:
    """While it runs, while it is awaited, and no longer."""
    tracer = recorded.tracer_provider.get_tracer("application")

    @functools.wraps(function)
    def outer(**arguments: Any) -> Any:
        with tracer.start_as_current_span("inner"):
            return function(**arguments)

    async def inner(**arguments: Any) -> Any:
        with tracer.start_as_current_span("awaited"):
            return await asearch(**arguments)

    if function is later:
        outer.__wrapped__ = function = inner
    elif function is asearch:
        outer = inner  # type: ignore[assignment]
        outer.__wrapped__ = asearch  # type: ignore[attr-defined]
    tool = made(recorded, outer)
    with tracer.start_as_current_span("agent"):
        current = trace.get_current_span()
        wholly(tool, {"query": "x"})
        assert trace.get_current_span() is current
    names = {span.context.span_id: span.name for span in recorded.spans}
    parents = {span.name: span.parent and names[span.parent.span_id] for span in recorded.spans}
    assert parents.pop("execute_tool search") == "agent"
    assert parents.pop("agent") is None
    assert parents
    assert set(parents.values()) == {"execute_tool search"}


def test_calls_at_the_same_time_have_spans_of_their_own(recorded: Recorded) -> None:
    """Of one prepared call, too."""
    tracer = recorded.tracer_provider.get_tracer("application")

    async def wait(name: str) -> str:
        with tracer.start_as_current_span("inner"):
            await asyncio.sleep(0)
        return name

    async def main() -> None:
        prepared = made(recorded, wait, "wait").prepare({"name": "x"})
        await asyncio.gather(*(prepared.acall() for _ in range(20)))

    asyncio.run(main())
    executions = [span for span in recorded.spans if span.name == "execute_tool wait"]
    inner = [span for span in recorded.spans if span.name == "inner"]
    ids = {span.context.span_id for span in executions}
    assert len(ids) == 20
    assert {span.parent.span_id for span in inner} == ids
    assert recorded.executions == {("wait", None): 20}
    assert recorded.calls == {("wait", "unchanged"): 1}


def test_counts_of_threads_add_up(recorded: Recorded) -> None:
    """Nothing is lost, and nobody's span is somebody else's parent."""
    tool = made(recorded)
    sent = [{"query": "x", "limit": limit} for limit in (1, "1", "many")] * 100

    def call(arguments: Any) -> None:
        with contextlib.suppress(ToolError):
            tool.call(arguments)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, sent))
    assert recorded.calls == {
        ("search", status): 100 for status in ("unchanged", "coerced", "refused")
    }
    assert recorded.executions == {("search", None): 200}
    assert {span.parent for span in recorded.spans} == {None}
    assert len(recorded.spans) == 300
