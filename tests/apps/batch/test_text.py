"""`Layout("text")`: the calls in what models wrote, row by row."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from reported import figures_of

from schema2model.apps.batch import Corrector, Layout, correct_rows
from schema2model.apps.batch.summary import Summary

TOOL = {
    "name": "search",
    "parameters": {
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["q"],
    },
}
BROKEN = {"name": "broken", "parameters": {"type": "nothing"}}
CORRECTOR = Corrector([TOOL, BROKEN])


def corrected(text: Any, **more: Any) -> dict[str, Any]:
    """A row, corrected."""
    layout = Layout("text", tools="tools")
    [row] = correct_rows([{"text": text, "model": "m", **more}], CORRECTOR, layout)
    return row


def call(arguments: str, name: str = "search") -> str:
    """A call as a model writes it."""
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


@pytest.mark.parametrize(
    ("text", "status", "calls"),
    [
        ("Hello.", "unchanged", []),
        (call('{"q": "x"}'), "unchanged", [{"tool": "search", "arguments": {"q": "x"}}]),
        (
            call('{"q": "x", "limit": "3"}'),
            "coerced",
            [{"tool": "search", "arguments": {"q": "x", "limit": 3}}],
        ),
        (call("{'q': 'x',}"), "repaired", [{"tool": "search", "arguments": {"q": "x"}}]),
        (
            call('{"q": "x"}') + call('{"limit": 1}'),
            "refused",
            [{"tool": "search", "arguments": {"q": "x"}}, None],
        ),
        (None, "refused", None),
    ],
)
def test_what_becomes_of_a_text(text: Any, status: str, calls: Any) -> None:
    """Its status is the worst of its calls."""
    row = corrected(text)
    assert (row["status"], row["corrected"]) == (status, calls)
    assert {*Layout("text").added} <= row.keys()
    assert (row["error"] is None) == (status != "refused")


def test_changes_say_where() -> None:
    """In the list of calls, and in each call's own arguments."""
    row = corrected("Hm. " + call('{"q": "x", "limit": "3"}'))
    [change] = row["changes"]
    assert (change["path"], change["rule"]) == ("/0/arguments/limit", "json_text")
    [entry] = row["calls"]
    assert (entry["path"], entry["tool"], entry["status"]) == ("/0", "search", "coerced")
    assert [each["path"] for each in entry["changes"]] == ["/limit"]


def test_tools_that_were_offered_come_first() -> None:
    """And a tool whose schema is wrong costs its own calls only."""
    offered = json.dumps(
        [{"name": "search", "parameters": {"properties": {"q": {"type": "null"}}}}]
    )
    row = corrected(call('{"q": "null"}'), tools=offered)
    assert row["corrected"] == [{"tool": "search", "arguments": {"q": None}}]
    row = corrected(call("{}", "broken") + call('{"q": "x"}'))
    assert [each["status"] for each in row["calls"]] == ["refused", "unchanged"]
    assert "schema of the tool" in row["calls"][0]["error"]


def test_reports_count_them() -> None:
    """Call by call, with what was sent."""
    row = corrected(call('{"q": "x"}') + call('{"limit": 1}'))
    document = figures_of([row], Layout("text")).document()
    assert document["calls"]["unchanged"] == document["calls"]["refused"] == 1
    assert document["refused"][0]["examples"][0]["sent"].startswith("<tool_call>")


@given(st.text() | st.binary() | st.none() | st.integers())
def test_no_row_raises(text: Any) -> None:
    """Whatever is in it."""
    assert corrected(text)["status"] in {"unchanged", "coerced", "repaired", "refused"}


def test_calls_that_may_hold_another_one_are_counted_by_themselves() -> None:
    """The reason names the tool and says so: attempts to make a quotation run can be found."""
    quoted = call('{"q": "y"}')
    texts = [f'<tool_call>{{"name": "search", "arguments": {{"q": "see {quoted[:-12]}', call("{]")]
    summary = Summary()
    for text in texts:
        for name, outcome in CORRECTOR.read(text):
            summary.add_row(outcome, {"tool": name}, Layout())
    reasons = {entry["about"]: entry["count"] for entry in summary.document()["refused"]}
    assert reasons == {"search /: contained": 1, "search /: json": 1}
