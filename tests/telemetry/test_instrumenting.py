"""What can be instrumented, and how: it is otherwise the same, and can be copied and pickled."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import pytest

pytest.importorskip(
    "opentelemetry.sdk", reason="needs OpenTelemetry: pip install opentelemetry-sdk"
)

from instrumented import READ, asearch, made, search
from opentelemetry import metrics, trace
from recorded import Recorded

from schema2model import Tool, ToolError, Toolset, compile_schema
from schema2model.calls.formats.wire_format import WireFormat
from schema2model.telemetry import instrument


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


def test_an_instrumented_toolset_is_otherwise_the_same(recorded: Recorded) -> None:
    """As strict, also for tools that are added, and with the formats of its own."""
    own = WireFormat("own", ("[[{name}]]", "[[end]]"), ("[[{key}=", "]]"))
    plain = Toolset([search], strict="openai", wire_formats=[own])
    tools = instrument(plain, recorded.telemetry)
    assert tools.budget == plain.budget
    tools.add(asearch)
    assert all(tool.strict is not None for tool in tools)
    assert [call.name for call in tools.read_calls("[[search]][[query=x]][[end]]")] == ["search"]


def test_a_tool_that_is_found_by_its_spelling_is_counted_once(recorded: Recorded) -> None:
    """Under its own name, not as an unknown one."""
    tools = instrument(Toolset([search], coercion="lenient"), recorded.telemetry)
    tools.prepare("Search", {"query": "x"})
    with pytest.raises(ToolError):
        tools.prepare("other", {})
    assert recorded.calls == {("search", "unchanged"): 1, ("_OTHER", "refused"): 1}


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
    """Half a surrogate pair is text in Python, and cannot be encoded: both calls are refused."""
    compiled = instrument(Tool.from_function(search).compiled, recorded.telemetry)
    with pytest.raises(ToolError):
        compiled.validate({"query": "\ud800"})
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
