# ruff: noqa: D103 - the names state the promises
"""Undeclared names like declared, absent ones: kept, counted and shown, or refused by an option."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from schema2model.apps.batch import Corrector, Layout, correct_rows
from schema2model.apps.batch.report.figures import Figures
from schema2model.apps.batch.rows import correct_row
from schema2model.apps.batch.summary import Summary

TOOL: dict[str, Any] = {
    "name": "delete",
    "parameters": {
        "type": "object",
        "properties": {"dryRun": {"type": "boolean"}, "n": {"type": "integer"}},
    },
}
CALL = {"name": "delete", "arguments": {"dry_run": True}}
ROWS = [
    (Layout(), {"tool": "delete", "arguments": '{"dry_run": true}'}, "/dry_run"),
    (Layout(), {"tool": "delete", "arguments": {"dry_run": True, "n": "1"}}, "/dry_run"),
    (Layout(), {"tool": "delete", "arguments": "{'dry_run': true,}"}, "/dry_run"),
    (
        Layout("chat"),
        {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "function": CALL}]}]},
        "/0/tool_calls/0/function/arguments/dry_run",
    ),
    (
        Layout("text"),
        {"text": '<tool_call>{"name": "delete", "arguments": {"dry_run": true}}</tool_call>'},
        "/0/arguments/dry_run",
    ),
]


@pytest.mark.parametrize(("layout", "row", "path"), ROWS)
def test_doubts_are_listed_counted_and_reported(
    layout: Layout, row: dict[str, Any], path: str
) -> None:
    corrector = Corrector([TOOL])
    [added] = correct_rows([row], corrector, layout)
    assert added["status"] != "refused"
    assert added["doubts"] == [{"path": path, "similar": "dryRun"}]
    summary, merged = Summary(), Summary()
    summary.add_row(correct_row(row, corrector, layout), row, layout)
    merged.add(summary.document())
    for each in (summary, merged):
        assert each.document()["doubts"] == [{"about": "delete /dry_run: dryRun", "count": 1}]
    figures = Figures(summary, layout)
    figures.add(added)
    [entry] = figures.document()["doubts"]
    assert (entry["tool"], entry["path"], entry["what"]) == ("delete", "/dry_run", "dryRun")
    assert (entry["calls"], entry["of"]) == (1, 1)


@pytest.mark.parametrize("option", ["refuse", "refuse_similar"])
@pytest.mark.parametrize(("layout", "row", "_path"), ROWS)
def test_calls_in_doubt_are_refused_by_an_option(
    layout: Layout, row: dict[str, Any], _path: str, option: Any
) -> None:
    corrector = Corrector([TOOL], unknown_arguments=option)
    for each in (corrector, pickle.loads(pickle.dumps(corrector))):  # noqa: S301 - our own
        [added] = correct_rows([row], each, layout)
        assert (added["status"], added["doubts"]) == ("refused", [])
        assert 'rename "dry_run" to "dryRun"' in added["error"]


def test_declared_and_other_names_are_no_doubt() -> None:
    for arguments in ({"dryRun": True}, {"other": 1}, {"dryRun": True, "dry_run": True}):
        [added] = correct_rows([{"tool": "delete", "arguments": arguments}], Corrector([TOOL]))
        assert added["doubts"] == []


def test_a_swallowed_parameter_is_a_doubt() -> None:
    tool = {
        "name": "save",
        "parameters": {"properties": {"core": {"type": "string"}, "more": {"type": "string"}}},
    }
    core = 'Text.</core>\n<parameter name="more">b'
    row = {"tool": "save", "arguments": {"core": core, "n": 1}}
    [added] = correct_rows([row], Corrector([tool]))
    assert added["status"] == "unchanged"
    assert added["doubts"] == [{"path": "/core", "similar": "more"}]
    row["arguments"] = {"core": core, "more": "b"}
    [added] = correct_rows([row], Corrector([tool]))
    assert added["doubts"] == []


def test_a_swallowed_parameter_is_no_call_without_doubts() -> None:
    """Also once the tool's names are known, when most calls are accepted at a glance."""
    properties = {"core": {"type": "string"}, "more": {"type": "string"}}
    corrector = Corrector([{"name": "save", "parameters": {"properties": properties}}])
    corrector.correct("save", {"core": "a", "other": 1})
    swallowed = 'Text.</core>\n<parameter name="more">b'
    for core, expected in (("a < b", True), (swallowed, False)):
        assert corrector.accepts("save", {"core": core}) is expected
        assert corrector.accepts("save", json.dumps({"core": core})) is expected


def test_another_word_is_an_error_and_options_tell_corrections_apart() -> None:
    with pytest.raises(ValueError, match="unknown_arguments is one of"):
        Corrector([TOOL], unknown_arguments="drop")  # type: ignore[arg-type]
    strict = Corrector([TOOL], unknown_arguments="refuse")
    assert strict.fingerprint != Corrector([TOOL]).fingerprint
    assert strict.options["unknown_arguments"] == "refuse"
