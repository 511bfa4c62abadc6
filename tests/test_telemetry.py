"""What OpenTelemetry is told of calls, and what it is not; with its SDK, exporting to memory."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import json
import pickle
import re
import subprocess
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "opentelemetry.sdk", reason="needs OpenTelemetry: pip install opentelemetry-sdk"
)

from opentelemetry import metrics, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode
from recorded import Recorded

from schema2model import Tool, ToolError, Toolset, compile_schema
from schema2model.telemetry import Telemetry, instrument

PAGE = Path(__file__).parent.parent / "docs" / "telemetry.md"
SECRET = "hunter2"  # noqa: S105 - the arguments' own
REFUSED = "schema2model.errors.ToolError"


class BrokenError(Exception):
    """What a function raises."""


def search(query: str, limit: int = 10, tags: list[str] | None = None) -> str:
    """Look something up."""
    return f"{limit} of {query} {tags}"


async def asearch(query: str, limit: int = 10, tags: list[str] | None = None) -> str:
    """Look something up."""
    await asyncio.sleep(0)
    return search(query, limit, tags)


def later(query: str, limit: int = 10, tags: list[str] | None = None) -> Any:
    """Look something up; it is not known to be asynchronous."""
    return asearch(query, limit, tags)


@pytest.fixture
def recorded() -> Recorded:
    """What is recorded when nothing else is asked for."""
    return Recorded()


def made(recorded: Recorded, function: Callable[..., Any] = search, name: str = "search") -> Tool:
    """An instrumented tool."""
    return instrument(Tool.from_function(function, name=name), recorded.telemetry)


def wholly(tool: Tool, arguments: Any) -> Any:
    """The result of a call, in whichever way the tool can be called."""
    return asyncio.run(tool.acall(arguments))


kinds = pytest.mark.parametrize("function", [search, asearch, later])

READ = [
    pytest.param({"query": "x", "limit": 1}, "unchanged", [], id="a mapping"),
    pytest.param('{"query": "x", "limit": 1} ', "unchanged", [], id="text"),
    pytest.param(b'{"limit": 1, "query": "x"}', "unchanged", [], id="bytes"),
    pytest.param(types.MappingProxyType({"query": "x"}), "unchanged", [], id="no dict"),
    pytest.param({"query": "x", "limit": "1"}, "coerced", ["json_text"], id="a string"),
    pytest.param({"query": "x", "limit": 1.0}, "coerced", ["integral_floats"], id="1.0 for 1"),
    pytest.param('[{"query": "x"}]', "coerced", ["listed_arguments"], id="in a list"),
    pytest.param(
        {"query": 1, "limit": "1", "tags": "['a']"},
        "coerced",
        ["json_text", "loose_json_text", "scalar_to_text"],
        id="three rules",
    ),
    pytest.param("{'query': 'x',}", "repaired", ["repair_text"] * 3, id="malformed"),
    pytest.param(
        "{'query': 'x', 'limit': '1'}", "repaired", ["json_text", *["repair_text"] * 2], id="both"
    ),
]


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


# ---------------------------------------------------------------------------- what is not told
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


# ------------------------------------------------------------------------------- instrumenting
def test_a_tool_that_is_not_instrumented_is_not_observed(recorded: Recorded) -> None:
    """Also if it is the one that an instrumented one was made of."""
    tool, compiled = Tool.from_function(search), compile_schema({"type": "integer"})
    tools = Toolset([tool])
    for target in (tool, compiled, tools):
        instrument(target, recorded.telemetry)
    tool.call({"query": "x"})
    compiled.validate("1")
    tools["search"].call({"query": "x"})
    assert (recorded.calls, recorded.spans) == ({}, ())


def test_an_instrumented_tool_is_otherwise_the_same() -> None:
    """With its function, its options and who else is told."""
    told: list[str] = []
    tool = Tool.from_function(
        search,
        on_prepared=lambda prepared: told.append("prepared"),
        on_started=lambda prepared: told.append("started"),
        on_finished=lambda prepared, result, error: told.append(result),
        truncate_above=7,
    )
    observed = instrument(instrument(tool))
    assert type(observed) is Tool
    assert (observed.name, observed.schema, observed.function) == ("search", tool.schema, search)
    assert observed.definition("openai") == tool.definition("openai")
    result = observed.call({"query": "cats"})
    assert result.startswith("10 of c… [truncated")
    assert told == ["prepared", "started", result]
    assert observed.as_function()("cats") == result


@pytest.mark.parametrize(
    "tools",
    [
        lambda telemetry: Toolset([search], observer=telemetry),
        lambda telemetry: Toolset([Tool.from_function(search, observer=telemetry)]),
        lambda telemetry: instrument(Toolset([search]), telemetry),
        lambda telemetry: instrument(instrument(Toolset([search])), telemetry),
    ],
    ids=["toolset's option", "tool's option", "instrumented", "twice"],
)
def test_every_way_to_turn_it_on(recorded: Recorded, tools: Any) -> None:
    """Counts a call once."""
    made = tools(recorded.telemetry)
    assert isinstance(made, Toolset)
    made.prepare("search", {"query": "x", "limit": "1"}).call()
    made["search"].as_function()("x")
    assert recorded.calls == {("search", "coerced"): 1, ("search", "unchanged"): 1}
    assert recorded.executions == {("search", None): 2}


def test_a_tool_without_a_function_is_counted_without_spans(recorded: Recorded) -> None:
    """Who executes it has them."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    tool = instrument(Tool.from_schema({"name": "f", "parameters": schema}), recorded.telemetry)
    tool.prepare({"a": "1"})
    with pytest.raises(ToolError):
        tool.prepare({"a": "x"})
    assert recorded.calls == {("f", "coerced"): 1, ("f", "refused"): 1}
    assert (recorded.spans, recorded.executions) == ((), {})


@pytest.mark.parametrize(("arguments", "status", "rules"), READ)
def test_a_compiled_schema_counts_what_it_reads(
    recorded: Recorded, arguments: Any, status: str, rules: list[str]
) -> None:
    """And has no spans, as reading takes microseconds."""
    plain = Tool.from_function(search).compiled
    compiled = instrument(plain, recorded.telemetry)
    way = "validate_json" if isinstance(arguments, (str, bytes)) else "validate"
    given = arguments if way == "validate_json" else dict(arguments)
    assert getattr(compiled, way)(given) == getattr(plain, way)(given)
    assert recorded.calls == {("search", status): 1}
    assert recorded.changes == Counter(("search", rule) for rule in rules)
    assert recorded.spans == ()


def test_an_instrumented_schema_is_otherwise_the_same(recorded: Recorded) -> None:
    """Its errors, too."""
    plain = Tool.from_function(search).compiled
    compiled = instrument(plain, recorded.telemetry)
    assert (compiled.schema, compiled.dialect, compiled.coercion, compiled.name) == (
        plain.schema,
        plain.dialect,
        plain.coercion,
        "search",
    )
    assert compiled.explain({"query": 1}) == plain.explain({"query": 1})
    assert compiled.model.model_validate({"query": 1}).model_dump() == {"query": "1"}
    for validate in ("validate", "validate_json"):
        with pytest.raises(ToolError) as theirs:
            getattr(plain, validate)("[1]")
        with pytest.raises(ToolError) as ours:
            getattr(compiled, validate)("[1]")
        assert str(ours.value) == str(theirs.value)
    assert recorded.calls == {("search", "refused"): 2}


@pytest.mark.parametrize(
    ("schema", "value", "status"),
    [
        ({"type": "integer"}, "1", "coerced"),
        ({"type": "object"}, '{"a": 1}', "coerced"),
        ({"type": "string"}, "1", "unchanged"),
        ({"type": "string"}, '"x"', "unchanged"),
    ],
)
def test_a_string_among_values_is_no_text(
    recorded: Recorded, schema: dict[str, Any], value: str, status: str
) -> None:
    """What `validate` makes of it is a change, what `validate_json` parses is none."""
    compiled = instrument(compile_schema(schema), recorded.telemetry)
    compiled.validate(value)
    assert recorded.calls == {("tool", status): 1}


def test_text_that_is_no_unicode_is_counted_like_any_other(recorded: Recorded) -> None:
    """Half a surrogate pair is text in Python, and cannot be encoded."""
    compiled = instrument(Tool.from_function(search).compiled, recorded.telemetry)
    assert compiled.validate({"query": "\ud800"}) == {"query": "\ud800"}
    with pytest.raises(ToolError):
        compiled.validate_json('{"query": "\ud800"}')
    assert sum(recorded.calls.values()) == 2


def test_nothing_else_can_be_instrumented() -> None:
    """The developer is told what can."""
    with pytest.raises(
        TypeError, match="instrument takes a Tool, a Toolset or a compiled schema, got function"
    ):
        instrument(search)  # type: ignore[type-var]


def test_an_instrumented_tool_can_be_copied(recorded: Recorded) -> None:
    """As frameworks do; the copy is observed by the same."""
    copied = copy.deepcopy(made(recorded))
    copied.call({"query": "x"})
    assert recorded.calls == {("search", "unchanged"): 1}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_an_instrumented_schema_can_be_copied(recorded: Recorded, copied: Any) -> None:
    """As frameworks do; the copy is observed by the same."""
    plain = compile_schema({"properties": {"a": {"type": "integer"}}})
    again = copied(instrument(plain, recorded.telemetry))
    assert again.validate({"a": "1"}) == {"a": 1}
    assert again.schema == plain.schema
    assert recorded.calls == {("tool", "coerced"): 1}
    assert copied(recorded.telemetry) is recorded.telemetry
    assert copied(plain) is plain


def make_global(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let its providers be those of the process, which can be set only once."""
    traces, measures = recorded.tracer_provider, recorded.meter_provider
    monkeypatch.setattr(trace, "get_tracer", lambda *scope: traces.get_tracer(*scope[:2]))
    monkeypatch.setattr(metrics, "get_meter", lambda *scope: measures.get_meter(*scope[:2]))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_what_is_instrumented_can_be_pickled(
    monkeypatch: pytest.MonkeyPatch, protocol: int
) -> None:
    """It is observed on the other side too, by that side's global providers."""
    before, after = Recorded(), Recorded()
    tool = Tool.from_function(search)
    make_global(before, monkeypatch)
    made = [instrument(target) for target in (tool.compiled, tool, Toolset([tool]))]
    spelled = pickle.dumps(made, protocol)
    make_global(after, monkeypatch)
    compiled, again, tools = pickle.loads(spelled)  # noqa: S301 - our own bytes
    assert compiled.validate({"query": 1}) == {"query": "1"}
    again.call({"query": "x"})
    tools.prepare("search", {"query": "x"})
    assert before.calls == {}
    assert after.calls == {("search", "coerced"): 1, ("search", "unchanged"): 2}


def test_providers_cannot_be_pickled(recorded: Recorded) -> None:
    """The developer is told, in one line."""
    for target in (compile_schema({}), Tool.from_function(search)):
        with pytest.raises((pickle.PicklingError, TypeError), match="with providers of its own"):
            pickle.dumps(instrument(target, recorded.telemetry))


def test_spans_that_are_not_sampled_do_not_count_less() -> None:
    """Metrics are of all calls."""
    recorded = Recorded()
    telemetry = Telemetry(
        tracer_provider=TracerProvider(sampler=ALWAYS_OFF), meter_provider=recorded.meter_provider
    )
    instrument(Tool.from_function(search), telemetry).call({"query": 1})
    assert recorded.calls == {("search", "coerced"): 1}
    assert recorded.executions == {("search", None): 1}


# ------------------------------------------------------------------------- processes of their own
def run(code: str) -> str:
    """What a program of its own prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_only_telemetry_imports_opentelemetry() -> None:
    """Importing the package does not, nor making and calling tools."""
    code = """if True:
        import sys
        from schema2model import Tool, Toolset, compile_schema
        def f(a: int) -> int:
            return a
        Toolset([f]).prepare("f", {"a": "1"}).call()
        print([name for name in sys.modules if name.startswith("opentelemetry")])
    """
    assert run(code) == "[]"


def test_without_the_package_the_extra_is_named() -> None:
    """One line says what to install."""
    code = """if True:
        import sys
        sys.modules["opentelemetry"] = None
        try:
            import schema2model.telemetry
        except ImportError as error:
            print(error)
    """
    assert run(code).endswith(
        "this needs the extra \"otel\": pip install 'pydantic-schema2model[otel]'"
    )


def test_an_sdk_may_be_set_up_later() -> None:
    """Tools are made when modules are imported, which is before."""
    code = """if True:
        from opentelemetry import metrics
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from schema2model import Tool
        from schema2model.telemetry import instrument
        def f(a: int) -> int:
            return a
        tool = instrument(Tool.from_function(f))
        tool.call({"a": 1})
        reader = InMemoryMetricReader()
        metrics.set_meter_provider(MeterProvider([reader]))
        tool.call({"a": "1"})
        (resource,) = reader.get_metrics_data().resource_metrics
        (scope,) = resource.scope_metrics
        print(scope.scope.name, sorted(metric.name for metric in scope.metrics))
    """
    names = ["gen_ai.execute_tool.duration", "schema2model.calls", "schema2model.changes"]
    assert run(code) == f"schema2model {names}"


BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_documentation_runs_as_it_stands(number: int) -> None:
    """Each block does what it asserts, copied into a file of its own."""
    assert run(BLOCKS[number]) == ""


def test_the_documentation_has_examples() -> None:
    """Which the test before this one has run."""
    assert len(BLOCKS) >= 3
