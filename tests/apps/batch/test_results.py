# ruff: noqa: D103 - the names state the promises
"""Results in conversations, compared with the `outputSchema` of their tools, counted and shown."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from reported import figures_of

from schema2model.apps.batch import Corrector, Layout, correct_rows
from schema2model.apps.batch.rows import correct_row
from schema2model.apps.batch.summary import Summary

MISSING = "the structured content is missing"

COUNT = {
    "name": "count",
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    },
}
SAY = {"name": "say", "inputSchema": {"type": "object"}}
CORRECTOR = Corrector([COUNT, SAY])
CHAT = Layout("chat")


def openai(text: Any, tool: str = "count") -> list[Any]:
    call = {"id": "1", "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": text},
    ]


def anthropic(text: Any, **more: Any) -> list[Any]:
    result = {"type": "tool_result", "tool_use_id": "1", "content": text, **more}
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "count", "input": {}}],
        },
        {"role": "user", "content": [result]},
    ]


def responses(text: Any) -> list[Any]:
    return [
        {"type": "function_call", "call_id": "1", "name": "count", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": text},
    ]


def gemini(response: Any, role: str = "user") -> list[Any]:
    result = {"functionResponse": {"name": "count", "response": response}}
    return [
        {"role": "model", "parts": [{"functionCall": {"name": "count", "args": {}}}]},
        {"role": role, "parts": [{"text": "x"}, result]},
    ]


def of_mcp(content: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(content)}]}


TEXT = '{"n": "3"}'
BLOCKS = [{"type": "text", "text": TEXT}]


@pytest.mark.parametrize(
    ("messages", "path"),
    [
        (openai(TEXT), "/1"),
        (openai(BLOCKS), "/1"),
        (anthropic(TEXT), "/1/content/0"),
        (anthropic(BLOCKS), "/1/content/0"),
        (responses(TEXT), "/1"),
        (gemini({"n": "3"}), "/1/parts/1"),
        (gemini({"n": "3"}, "function"), "/1/parts/1"),
        (gemini({"output": {"n": "3"}}), "/1/parts/1"),
        (gemini(of_mcp({"n": "3"})), "/1/parts/1"),
        ([{"role": "function", "name": "count", "content": TEXT}], "/0"),
    ],
)
def test_the_results_of_all_providers_are_found(messages: list[Any], path: str) -> None:
    [row] = correct_rows([{"messages": messages}], CORRECTOR, CHAT)
    assert row["status"] == "unchanged"  # a result is not the model's
    assert row["corrected"] == messages
    [result] = row["results"]
    assert (result["path"], result["tool"], result["status"]) == (path, "count", "coerced")
    [change] = result["changes"]
    assert (change["path"], change["rule"], change["after"]) == ("/n", "json_text", "3")


@pytest.mark.parametrize(
    ("sent", "status"),
    [('{"n": 3}', "unchanged"), (TEXT, "coerced"), ("{}", "refused"), ("no", "refused")],
)
def test_results_are_counted_by_tool_status_and_rule_and_reported(sent: str, status: str) -> None:
    row = {"messages": openai(sent)}
    summary, merged = Summary(), Summary()
    summary.add_row(correct_row(row, CORRECTOR, CHAT), row, CHAT)
    merged.add(summary.document())
    for each in (summary, merged):
        [counts] = each.document()["results"]
        assert counts["tool"] == "count"
        assert [key for key, number in counts.items() if number == 1] == [status]
        assert counts["rules"] == ({"json_text": 1} if status == "coerced" else {})
        assert each.document()["refused"] == []
    document = figures_of([*correct_rows([row], CORRECTOR, CHAT)], CHAT).document()
    [of_tool] = document["results"]
    assert (of_tool["tool"], of_tool["calls"], of_tool[status]) == ("count", 1, 1)
    expected = {
        "unchanged": [],
        "coerced": [("/n", "json_text")],
        "refused": [
            ("/n", "integer") if sent == "{}" else ("", "the structured content is missing")
        ],
    }[status]
    assert [(each["path"], each["what"]) for each in document["mismatches"]] == expected
    assert all(each["of"] == 1 for each in document["mismatches"])
    assert document["refused"] == []


@pytest.mark.parametrize(
    "messages",
    [
        openai(TEXT, "say"),
        openai(TEXT, "other"),
        anthropic("not found", is_error=True),
        gemini({"error": "not found"}),
        [{"role": "tool", "tool_call_id": "9", "content": TEXT}],
        [{"role": "tool", "tool_call_id": ["9"], "name": {}, "content": TEXT}],
        [{"role": "tool", "parts": "x"}],
    ],
)
def test_results_are_not_checked_without_a_schema_a_call_or_after_a_failure(
    messages: list[Any],
) -> None:
    [row] = correct_rows([{"messages": messages}], CORRECTOR, CHAT)
    assert row["results"] == []


def test_tools_of_a_row_have_an_output_schema_too() -> None:
    row = {"tools": [COUNT], "messages": openai(TEXT)}
    [corrected] = correct_rows([row], Corrector(), Layout("chat", tools="tools"))
    assert [result["status"] for result in corrected["results"]] == ["coerced"]


@pytest.mark.parametrize("schema", [{"type": "wrong"}, {"$ref": "https://example.com/a"}, 3])
def test_a_broken_output_schema_costs_only_the_results(schema: Any) -> None:
    tool = {**COUNT, "outputSchema": schema}
    corrector = pickle.loads(pickle.dumps(Corrector([tool])))  # noqa: S301 - our own bytes
    [row] = correct_rows([{"messages": openai(TEXT)}], corrector, CHAT)
    assert row["status"] == "unchanged"
    [result] = row["results"]
    assert result["status"] == "refused"
    assert result["error"]


@pytest.mark.parametrize("content", [None, 3, [], [3], {"a": 1}, "[" * 100_000, "\ud800", b"x"])
def test_odd_results_never_raise(content: Any) -> None:
    for messages in (openai(content), anthropic(content), responses(content), gemini(content)):
        [row] = correct_rows([{"messages": messages}], CORRECTOR, CHAT)
        assert [result["status"] for result in row["results"]] == ["refused"]


def test_an_empty_response_of_gemini_is_the_result_itself() -> None:
    [row] = correct_rows([{"messages": gemini({})}], CORRECTOR, CHAT)
    [result] = row["results"]
    assert "/n: expected integer, found nothing" in result["error"]


def test_a_result_is_of_the_last_call_before_it_with_its_id() -> None:
    """Some servers number the calls of each turn anew."""
    for messages in ([*openai(TEXT), *openai("x", "say")], [*openai("x", "say"), *openai(TEXT)]):
        outcome = correct_row({"messages": messages}, CORRECTOR, CHAT)
        assert [(each.tool, each.status) for each in outcome.results] == [("count", "coerced")]
