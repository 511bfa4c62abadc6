# ruff: noqa: D103 - the names state the promises
"""Where rows have calls is found: the layout, its columns, the calls of every provider's shape."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from schema2model.apps.batch import Corrector, Layout, correct_rows
from schema2model.apps.batch.alarms import Alarm, alarm_of
from schema2model.apps.batch.conversations import recorded_in
from schema2model.apps.batch.detection import FoundLayout, find_layout
from schema2model.apps.batch.rows import correct_row
from schema2model.apps.batch.summary import Summary
from schema2model.limits import MAX_DETECTED_TEXT

PARAMETERS = {"q": {"type": "string"}, "limit": {"type": "integer"}}
TOOL = {"name": "search", "parameters": {"properties": PARAMETERS, "required": ["q"]}}
CORRECTOR = Corrector([TOOL])
GIVEN = {"q": "a", "limit": "3"}
TEXT = json.dumps(GIVEN)
RIGHT = {"q": "a", "limit": 3}

OPENAI: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "search", "arguments": TEXT}}
    ],
}
ITEM = {"type": "function_call", "call_id": "1", "name": "search", "arguments": TEXT}
BLOCK = {"type": "tool_use", "id": "1", "name": "search", "input": GIVEN}
ANTHROPIC = {"role": "assistant", "content": [{"type": "text", "text": "Hm."}, BLOCK]}
GEMINI: dict[str, Any] = {
    "role": "model",
    "parts": [{"functionCall": {"name": "search", "args": GIVEN}}],
}
HELLO = {"role": "user", "content": "Hello"}

LAYOUTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a call": ({"tool": "search", "arguments": TEXT}, "calls", 'tool in "tool"'),
    "other names": ({"name": "search", "args": GIVEN}, "calls", 'arguments in "args"'),
    "a Responses item": (ITEM, "calls", 'arguments in "arguments"'),
    "a block": (BLOCK, "calls", 'arguments in "input"'),
    "OpenAI messages": ({"messages": [HELLO, OPENAI]}, "chat", "OpenAI chat messages"),
    "as JSON text": ({"log": json.dumps([HELLO, OPENAI])}, "chat", 'in "log"'),
    "a tool call": (OPENAI["tool_calls"][0], "chat", 'OpenAI tool calls in "function"'),
    "a part": (GEMINI["parts"][0], "chat", 'functionCall parts in "functionCall"'),
    "a message": (OPENAI, "chat", "OpenAI chat messages in each row"),
    "choices": ({"choices": [{"message": OPENAI}]}, "chat", "choices[].message"),
    "a batch response": (
        {"custom_id": "1", "response": {"body": {"choices": [{"message": OPENAI}]}}},
        "chat",
        'choices[].message in "response"',
    ),
    "a function_call": (
        {
            "messages": [
                {"role": "assistant", "function_call": {"name": "search", "arguments": TEXT}}
            ]
        },
        "chat",
        "OpenAI chat messages",
    ),
    "Responses": ({"output": [{"type": "reasoning"}, ITEM]}, "chat", "Responses API items"),
    "Anthropic messages": ({"messages": [ANTHROPIC]}, "chat", "Anthropic content blocks"),
    "an Anthropic response": ({"type": "message", **ANTHROPIC}, "chat", "Anthropic content blocks"),
    "an Anthropic batch result": (
        {"result": {"type": "succeeded", "message": ANTHROPIC}},
        "chat",
        "Anthropic content blocks",
    ),
    "Gemini contents": ({"contents": [GEMINI]}, "chat", "Gemini functionCall parts"),
    "a Gemini response": (
        {"candidates": [{"content": GEMINI}]},
        "chat",
        'Gemini functionCall parts in "candidates"',
    ),
    "both": (
        {"request": {"messages": [OPENAI]}, "response": {"choices": [{"message": OPENAI}]}},
        "chat",
        "in each row",
    ),
    "text": (
        {
            "prompt": "?",
            "answer": f'Well. <tool_call>{{"name": "search", "arguments": {TEXT}}}</tool_call>',
        },
        "text",
        'text in "answer"',
    ),
}


@pytest.mark.parametrize(("row", "kind", "words"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout_is_found_and_its_calls_are_corrected(
    row: dict[str, Any], kind: str, words: str
) -> None:
    before = copy.deepcopy(row)
    found = find_layout([row], CORRECTOR)
    assert (found.layout.kind, found.rows, found.of) == (kind, 1, 1)
    assert words in found.words
    outcome = correct_row(row, CORRECTOR, found.layout)
    assert (outcome.status, outcome.error) == ("coerced", None)
    assert "/limit" in outcome.changes[0].path
    assert '"3"' not in json.dumps(outcome.corrected).replace("\\", "")
    assert row == before


@pytest.mark.parametrize("kind", ["calls", "chat", "text"])
def test_a_layout_that_is_said_is_kept(kind: Any) -> None:
    rows = [row for row, _, _ in LAYOUTS.values()]
    assert find_layout(rows, CORRECTOR, kind=kind).layout.kind == kind


def test_a_misspelt_layout_is_refused() -> None:
    """With the one that is meant."""
    with pytest.raises(ValueError, match="unknown layout 'call'; did you mean 'calls'"):
        Layout("call")  # type: ignore[arg-type]


def test_columns_that_are_said_are_kept() -> None:
    row = {"tool": "x", "name": "search", "arguments": "{}", "input": TEXT, "model": "m", "who": 1}
    named = {"tool": "name", "arguments": "input", "model": "by", "id": "who", "tools": None}
    layout = find_layout([row], CORRECTOR, given=named).layout
    assert (layout.tool, layout.arguments, layout.model, layout.id) == (
        *("name", "input", "by", "who"),
    )


COLUMNS = {
    "tool": "tool tool_name toolName name function_name function",
    "arguments": """arguments args input tool_input tool_arguments tool_args toolInput
        function_arguments parameters params""",
    "model": "model model_name model_id modelVersion",
    "tools": "tools functions available_tools tool_definitions",
    "id": "conversation_id session_id thread_id trace_id custom_id request_id call_id id",
}


@pytest.mark.parametrize(("field", "names"), COLUMNS.items(), ids=COLUMNS)
def test_columns_are_found_by_the_names_that_people_give_them(field: str, names: str) -> None:
    """One at a time; of several, the first here is the likeliest."""
    usual = {"tool": "tool", "arguments": "arguments"}
    values = {"tool": "search", "arguments": TEXT, "model": "m", "tools": [TOOL], "id": "i"}
    corrector = Corrector() if field == "tools" else CORRECTOR  # which knows its tools
    several: dict[str, Any] = {}
    for name in reversed(names.split()):
        columns = {**usual, field: name}
        row = {column: values[each] for each, column in columns.items()}
        assert getattr(find_layout([row], corrector).layout, field) == name
        several |= row
        if field not in usual:
            assert getattr(find_layout([several], corrector).layout, field) == name


def test_known_tools_tell_which_column_is_meant() -> None:
    """A person's name beside some text is no call."""
    rows = [{"name": "Ann", "input": "What?", "messages": [OPENAI]} for _ in range(3)]
    assert find_layout(rows, CORRECTOR).layout.messages == "messages"


def test_long_texts_are_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a layout is found in bounded time, however much models have thought."""
    sizes: list[int] = []
    read = Corrector.read

    def noted(self: Corrector, text: str, *more: Any) -> Any:
        sizes.append(len(text))
        return read(self, text, *more)

    monkeypatch.setattr(Corrector, "read", noted)
    call = f'<tool_call>{{"name": "search", "arguments": {TEXT}}}</tool_call>'
    assert find_layout([{"text": "Hm. " * 100_000 + call}], CORRECTOR).layout.kind == "text"
    assert sizes == [MAX_DETECTED_TEXT]


def test_texts_are_not_read_where_calls_are_found() -> None:
    """A prompt beside a call may quote one."""
    row = {"tool": "search", "arguments": TEXT, "prompt": LAYOUTS["text"][0]["answer"]}
    assert find_layout([row], CORRECTOR).layout.kind == "calls"


def test_messages_a_line_are_rows_with_and_without_calls() -> None:
    rows = [HELLO, ITEM, {"type": "function_call_output", "call_id": "1", "output": "{}"}]
    layout = find_layout(rows, CORRECTOR).layout
    assert (layout.kind, layout.messages) == ("chat", None)
    found = list(correct_rows(rows, CORRECTOR, layout))
    assert [row["status"] for row in found] == ["unchanged", "coerced", "unchanged"]
    assert json.loads(found[1]["corrected"]["arguments"]) == RIGHT  # text, as it was
    columns = sorted({name for row in rows for name in row})
    filled = [{name: row.get(name) for name in columns} for row in rows]  # as in tables
    again = list(correct_rows(filled, CORRECTOR, layout))
    assert [row["status"] for row in again] == ["unchanged", "coerced", "unchanged"], again


NO_CALLS: dict[str, Any] = {
    "a result": {"role": "tool", "content": [OPENAI]},
    "an Anthropic result": [
        {"role": "user", "content": [{"type": "tool_result", "content": [BLOCK]}]}
    ],
    "arguments": [{"type": "server_tool_use", "input": {"messages": [OPENAI]}}],
    "a request's choice": {"messages": [HELLO], "function_call": {"name": "search"}},
    "a definition": {"messages": [HELLO], "tools": [{"type": "function", "function": TOOL}]},
    "Gemini's result": [{"parts": [{"functionResponse": {"response": {"messages": [OPENAI]}}}]}],
    "free text": [{"tool_calls": [{"type": "custom", "custom": {"name": "sh", "input": "ls"}}]}],
}


@pytest.mark.parametrize("value", NO_CALLS.values(), ids=NO_CALLS)
def test_what_is_no_call_is_not_taken_for_one(value: Any) -> None:
    assert recorded_in(value).calls == []


def test_a_call_within_the_arguments_of_another_is_none() -> None:
    outer = {"type": "tool_use", "name": "send", "input": {"messages": [OPENAI]}}
    assert [call.holder["name"] for call in recorded_in([{"content": [outer]}]).calls] == ["send"]


def test_a_call_of_gemini_without_arguments_has_none() -> None:
    corrector = Corrector([{"name": "now", "parameters": {"type": "object"}}])
    row = {"contents": [{"parts": [{"functionCall": {"name": "now"}}]}]}
    assert correct_row(row, corrector, Layout("chat", messages="contents")).status == "unchanged"


_KEYS = (
    *("role", "type", "content", "tool_calls", "function", "function_call", "functionCall"),
    *("messages", "name", "arguments", "args", "input", "parts", "id", "tools", "model"),
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("search"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(_VALUES.filter(lambda value: isinstance(value, dict)), max_size=4))
def test_any_rows_have_a_layout_and_one_outcome_each(rows: list[dict[str, Any]]) -> None:
    """Nothing raises, nothing is lost, and what was given is as it was."""
    before = copy.deepcopy(rows)
    found = find_layout(rows, CORRECTOR)
    assert found.rows <= found.of == len(rows)
    assert len(list(correct_rows(rows, CORRECTOR, found.layout))) == len(rows)
    assert rows == before


# ------------------------------------------------------------------------------------------ alarms
def alarm(rows: list[dict[str, Any]], layout: Layout | None = None) -> Alarm | None:
    """What a run over rows says at its end."""
    free = find_layout(rows, CORRECTOR)
    used = free if layout is None else FoundLayout(layout, 0, len(rows), 0)
    summary = Summary()
    for row in rows:
        summary.add_row(correct_row(row, CORRECTOR, used.layout), row, used.layout)
    return alarm_of(summary, CORRECTOR, used, free)


GOOD = {"tool": "search", "arguments": TEXT}
CHAT = {"messages": [HELLO, OPENAI]}

ALARMS: dict[str, tuple[list[dict[str, Any]], Layout | None, str, str]] = {
    "chats read as calls": ([CHAT] * 3, Layout(), "No call was found in 3 rows", 'in "messages"'),
    "calls read as chats": ([GOOD], Layout("chat"), "No call was found in 1 row.", 'in "tool"'),
    "no calls at all": ([{"messages": [HELLO]}], Layout("chat"), "No call", "--layout"),
    "other tools": (
        [{**GOOD, "tool": "serach"}] * 3 + [GOOD] * 2,
        None,
        "3 of 5 calls are refused for one reason: there is no tool of the name",
        'Called are "serach"; known are "search"',
    ),
    "one parameter": (
        [{**GOOD, "arguments": '{"limit": 1}'}] * 2,
        None,
        "search /q: required",
        "schema2model validate --explain",
    ),
    "two values for a name": (
        [{"messages": '[{"role": "assistant", "role": "user"}]'}],
        Layout("chat"),
        "No call was found",
        "Give each name in an object one value",
    ),
    "no rows": ([], None, "no rows", "empty"),
}


@pytest.mark.parametrize(("rows", "layout", "problem", "cure"), ALARMS.values(), ids=ALARMS)
def test_a_run_that_did_next_to_nothing_says_so_with_the_cure(
    rows: list[dict[str, Any]], layout: Layout | None, problem: str, cure: str
) -> None:
    said = alarm(rows, layout)
    assert said is not None
    assert problem in said.problem
    assert cure in said.cure


def test_a_run_is_quiet_where_half_or_less_is_refused_for_one_reason() -> None:
    bad = [{**GOOD, "tool": "serach"}, {**GOOD, "arguments": "?"}]
    assert alarm([GOOD, *bad]) is None
    assert alarm([GOOD, bad[0]]) is None
    assert alarm([GOOD, GOOD]) is None
