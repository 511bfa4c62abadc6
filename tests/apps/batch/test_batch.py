# ruff: noqa: D103 - the names state the promises
"""The promises of batches, call by call and row by row: judged right, one for one, never raised."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hostile import ARGUMENTS, TEXTS
from hypothesis import given, strategies as st
from searching import examples

from schema2model import compile_schema
from schema2model.apps.batch import (
    STATUSES,
    Corrector,
    Layout,
    Outcome,
    correct_row,
    correct_rows,
)
from schema2model.apps.batch.outcomes import document, json_bytes
from schema2model.apps.batch.summary import Summary
from schema2model.coercions import Coercion
from schema2model.errors import ToolError
from schema2model.limits import MAX_COUNTED_NAME, MAX_COUNTED_PAIRS

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "q": {"type": "string"},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["q"],
    "additionalProperties": False,
}
SEARCH = {"name": "search", "parameters": SCHEMA}
BROKEN = {"name": "broken", "input_schema": {"type": "whole"}}
CORRECTOR = Corrector([SEARCH, BROKEN])

OUTCOMES: dict[str, tuple[Any, Any, str]] = {
    "as sent": ('{"q": "a",  "limit": 1}', '{"q": "a",  "limit": 1}', "unchanged"),
    "an object as sent": ({"q": "a"}, {"q": "a"}, "unchanged"),
    "another order": ('{"limit": 1, "q": "a"}', '{"limit": 1, "q": "a"}', "unchanged"),
    "escapes are kept": (
        r'{"q": "\u00e9\ud83d\ude00"}',
        r'{"q": "\u00e9\ud83d\ude00"}',
        "unchanged",
    ),
    "half a surrogate pair": (r'{"q": "\ud800"}', None, "refused"),
    "a number as text": ('{"q": "a", "limit": "1"}', '{"q":"a","limit":1}', "coerced"),
    "a fraction of zero": ('{"q": "a", "limit": 3.0}', '{"q":"a","limit":3}', "coerced"),
    "in an object": ({"q": 1}, {"q": "1"}, "coerced"),
    "the whole as text": (json.dumps('{"q": "a"}'), '{"q":"a"}', "coerced"),
    "blanks that are no JSON": ('\xa0{"q": "a"}', '{"q":"a"}', "repaired"),
    "Python's text": ("{'q': 'a'}", '{"q":"a"}', "repaired"),
    "both": ("{'q': 'a', 'limit': '1'}", '{"q":"a","limit":1}', "repaired"),
    "bytes": (b'{"q": "a"}', '{"q": "a"}', "unchanged"),
    "not valid": ('{"limit": 1}', None, "refused"),
    "cut off": ('{"q": "a', None, "refused"),
    "no JSON": ("what?", None, "refused"),
    "none": (None, None, "refused"),
    "no JSON value": ({"q": {1, 2}}, None, "refused"),
    "half a surrogate pair in what is refused": (r'{"q": "a", "\ud800": 1}', None, "refused"),
}


@pytest.mark.parametrize(("given", "corrected", "status"), OUTCOMES.values(), ids=OUTCOMES)
def test_a_call_is_judged(given: Any, corrected: Any, status: str) -> None:
    outcome = CORRECTOR.correct("search", given)
    assert (outcome.corrected, outcome.status) == (corrected, status)
    assert bool(outcome.changes) == (status in {"coerced", "repaired"})
    assert (outcome.error is None) == (status != "refused")


@given(
    coercion=st.sampled_from(["default", "off", "untyped", "forgiving", "lenient"]),
    text=st.dictionaries(
        st.sampled_from(["q", "limit", "tags", "x"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    ).map(json.dumps)
    | st.text()
    | st.sampled_from([given for given, _, _ in OUTCOMES.values() if isinstance(given, str)]),
)
@examples(80)
def test_a_batch_says_what_validate_json_says(coercion: str, text: str) -> None:
    """The shortcut for correct calls is one."""
    compiled = compile_schema(SCHEMA, name="search", coercion=coercion)
    outcome = Corrector([SEARCH], coercion=coercion).correct("search", text)
    if outcome.status == "refused":
        with pytest.raises(ToolError) as refused:
            compiled.validate_json(text)
        assert outcome.error == str(refused.value)
    else:
        assert json.loads(outcome.corrected) == compiled.validate_json(text)
        assert (outcome.status == "unchanged") == (not compiled.explain_json(text).changes)
        assert outcome.status != "unchanged" or outcome.corrected == text


def test_strings_that_are_read_although_valid_count_as_coerced() -> None:
    tool = {"name": "f", "parameters": {"properties": {"a": {"type": ["array", "string"]}}}}
    outcome = Corrector([tool], coercion="untyped").correct("f", '{"a": "[1]"}')
    assert (outcome.status, outcome.corrected) == ("coerced", '{"a":[1]}')
    assert Corrector([tool]).correct("f", '{"a": "[1]"}').status == "unchanged"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("serch", "There is no tool `serch`"),
        (["search"], 'the tool\'s name is text, not ["search"]'),
        ("broken", 'the schema of the tool "broken" is wrong: /type: unknown type "whole"'),
    ],
)
def test_a_call_of_no_tool_is_refused_with_the_reason(name: Any, error: str) -> None:
    outcome = CORRECTOR.correct(name, "{}")
    assert (outcome.status, outcome.corrected) == ("refused", None)
    assert error in str(outcome.error)


@pytest.mark.parametrize("build", [*ARGUMENTS.values(), *TEXTS.values()], ids=[*ARGUMENTS, *TEXTS])
def test_hostile_arguments_are_judged_too(build: Callable[[], Any]) -> None:
    """What became of them can be written, too."""
    outcome = CORRECTOR.correct("search", build())
    assert outcome.status in STATUSES
    assert json_bytes(document(outcome))


def test_two_tools_of_one_name_are_an_error() -> None:
    with pytest.raises(ValueError, match='two tools have the name "search"'):
        Corrector([SEARCH, SEARCH])


def test_a_corrector_can_be_pickled_and_does_the_same() -> None:
    corrector = Corrector([SEARCH, BROKEN], coercion=Coercion.default.replace(json_text=False))
    copy = pickle.loads(pickle.dumps(corrector))  # noqa: S301 - our own bytes
    assert copy.fingerprint == corrector.fingerprint != CORRECTOR.fingerprint
    assert copy.correct("search", '{"q": 1, "limit": "1"}') == corrector.correct(
        "search", '{"q": 1, "limit": "1"}'
    )


# --------------------------------------------------------------------------------------------- rows
def row_of(given: Mapping[str, Any], layout: Layout | None = None) -> dict[str, Any]:
    """What becomes of a row."""
    [row] = correct_rows([given], CORRECTOR, layout)
    assert {name: row[name] for name in given} == given
    return row


def test_columns_have_the_names_that_the_layout_says() -> None:
    layout = Layout(tool="name", arguments="args", prefix="s2m_")
    row = row_of({"name": "search", "args": '{"q": 1}', "status": "mine"}, layout)
    assert row["status"] == "mine"
    assert row["s2m_status"] == "coerced"
    assert row["s2m_corrected"] == '{"q":"1"}'
    assert row["s2m_changes"] == [
        {"path": "/q", "rule": "scalar_to_text", "before": "1", "after": '"1"'}
    ]


def test_what_was_left_out_has_nothing_after() -> None:
    [change] = row_of({"tool": "search", "arguments": '{"q": "a", "limit": null}'})["changes"]
    assert change == {"path": "/limit", "rule": "drop_null", "before": "null", "after": None}


@pytest.mark.parametrize(
    "tools",
    [[SEARCH], json.dumps([SEARCH]), SEARCH, {"functionDeclarations": [SEARCH]}],
    ids=["a list", "its text", "one", "Gemini's"],
)
def test_tools_may_come_with_the_row(tools: Any) -> None:
    row = {"tool": "search", "arguments": '{"q": 1}', "offered": tools}
    assert correct_row(row, Corrector(), Layout(tools="offered")).status == "coerced"


def test_the_rows_own_tools_come_first_and_others_are_known_still() -> None:
    own = [{"name": "search", "parameters": {"required": ["other"]}}]
    layout = Layout(tools="tools")
    rows = [{"tool": tool, "arguments": '{"q": "a"}', "tools": own} for tool in ("search", "s2")]
    corrector = Corrector([SEARCH, {**SEARCH, "name": "s2"}])
    assert [row["status"] for row in correct_rows(rows, corrector, layout)] == [
        "refused",
        "unchanged",
    ]


@pytest.mark.parametrize(
    "tools", ["[", 5, [{"name": "x"}], {1, 2}, "[" * 100_000, [SEARCH, SEARCH]], ids=repr
)
def test_tools_that_cannot_be_read_are_the_rows_error(tools: Any) -> None:
    row = {"tool": "search", "arguments": "{}", "tools": tools}
    outcome = correct_row(row, CORRECTOR, Layout(tools="tools"))
    assert outcome.status == "refused"
    assert outcome.error


# ------------------------------------------------------------------------------------ conversations
CHAT = Layout("chat")
OPENAI = {
    "role": "assistant",
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "search", "arguments": '{"q": "a"}'}},
        {"id": "b", "type": "function", "function": {"name": "search", "arguments": "{'q': 1}"}},
        {"id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls"}},
    ],
}
ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "d", "name": "search", "input": {"q": "a", "limit": "5"}},
        {"type": "server_tool_use", "id": "e", "name": "web_search", "input": {}},
    ],
}


def test_a_conversation_has_the_worst_status_and_all_changes_of_its_calls() -> None:
    messages = [{"role": "user", "content": "Hi"}, OPENAI, ANTHROPIC]
    before = json.dumps(messages)
    row = row_of({"messages": messages}, CHAT)
    assert json.dumps(messages) == before
    assert [(c["id"], c["tool"], c["status"]) for c in row["calls"]] == [
        ("a", "search", "unchanged"),
        ("b", "search", "repaired"),
        ("d", "search", "coerced"),
    ]
    assert (row["status"], row["error"]) == ("repaired", None)
    calls = row["corrected"][1]["tool_calls"]
    assert [call.get("function", {}).get("arguments") for call in calls] == [
        '{"q": "a"}',
        '{"q":"1"}',
        None,
    ]
    assert row["corrected"][2]["content"][1]["input"] == {"q": "a", "limit": 5}
    assert row["corrected"][0] is messages[0]
    assert [change["path"] for change in row["changes"]] == [
        "/1/tool_calls/1/function/arguments",
        "/1/tool_calls/1/function/arguments",  # the edit
        "/1/tool_calls/1/function/arguments/q",
        "/2/content/1/input/limit",
    ]
    assert [change["path"] for change in row["calls"][2]["changes"]] == ["/limit"]


def test_a_refused_call_stays_as_it_was_beside_corrected_ones() -> None:
    calls = [
        {"function": {"name": "search", "arguments": "{}"}},
        {"function": {"name": "search", "arguments": '{"q": 1}'}},
    ]
    row = row_of({"messages": [{"tool_calls": calls}]}, CHAT)
    assert row["status"] == "refused"
    assert "- /q is missing" in row["error"]
    assert [c["function"]["arguments"] for c in row["corrected"][0]["tool_calls"]] == [
        "{}",
        '{"q":"1"}',
    ]


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "user", "content": "Hi"}],
        "[]",
        [{"content": None, "tool_calls": None}, "?", None],
        [{"tool_calls": {"a": 1}}],
    ],
    ids=repr,
)
def test_a_conversation_without_calls_is_unchanged(messages: Any) -> None:
    row = row_of({"messages": messages}, CHAT)
    assert (row["status"], row["calls"], row["error"]) == ("unchanged", [], None)


@pytest.mark.parametrize(
    "messages", [None, {}, "{}", "?", 1, "[" * 100_000], ids=lambda m: repr(m)[:9]
)
def test_what_is_no_conversation_is_refused(messages: Any) -> None:
    row = row_of({"messages": messages}, CHAT)
    assert (row["status"], row["corrected"]) == ("refused", None)


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (
            {"function_call": {"name": "search", "arguments": '{"q": 1}'}},
            "/0/function_call/arguments",
        ),
        (
            {"tool_calls": [{"name": "search", "arguments": '{"q": 1}'}]},
            "/0/tool_calls/0/arguments",
        ),
        ({"tool_calls": ["?"]}, "/0/tool_calls/0/arguments"),
    ],
)
def test_no_call_of_a_conversation_is_overlooked(message: dict[str, Any], path: str) -> None:
    row = row_of({"messages": [message]}, CHAT)
    assert [call["path"] for call in row["calls"]] == [path]
    assert row["status"] in {"coerced", "refused"}


# ------------------------------------------------------------------------------------------ summary
def test_counts_add_up_to_rows_and_to_calls() -> None:
    summary = Summary()
    rows = [{"messages": [OPENAI, ANTHROPIC], "model": "m"}, {"messages": []}, {"messages": None}]
    for row in rows:
        summary.add_row(correct_row(row, CORRECTOR, CHAT), row, CHAT)
    counted = summary.document()
    assert counted["rows"] == {"unchanged": 1, "coerced": 0, "repaired": 1, "refused": 1}
    assert counted["calls"] == [
        {"model": "m", "tool": "search", "unchanged": 1, "coerced": 1, "repaired": 1, "refused": 0}
    ]
    assert summary.refused_share == 1 / 3
    twice = Summary()
    twice.add(counted)
    twice.add(counted)
    assert twice.total == 6
    assert [sum(entry[s] for s in STATUSES) for entry in twice.document()["calls"]] == [6]


def test_names_without_end_cost_bounded_memory() -> None:
    summary = Summary()
    for i in range(MAX_COUNTED_PAIRS + 10):
        summary.add_row(Outcome(None, "refused"), {"tool": f"t{i}" + "x" * 1000}, Layout())
    calls = summary.document()["calls"]
    assert sum(entry["refused"] for entry in calls) == MAX_COUNTED_PAIRS + 10
    assert len(calls) == MAX_COUNTED_PAIRS + 1
    assert calls[0]["refused"] == 10


def test_long_names_are_counted_apart() -> None:
    """Once and for all: what a part has counted is counted under the same names for the whole."""
    summary = Summary()
    for name in ("x" * 1000, "x" * 1001, "\ud800" * 1000):
        summary.add_row(Outcome(None, "refused"), {"tool": name}, Layout())
    whole = Summary()
    whole.add(summary.document())
    assert whole.document() == summary.document()
    names = [entry["tool"] for entry in whole.document()["calls"]]
    assert len(set(names)) == 3
    assert {len(name) for name in names} == {MAX_COUNTED_NAME}


# ------------------------------------------------------------------------------------------ columns
ROWS = [
    {"tool": "search", "arguments": given if given is None or isinstance(given, str) else "{}"}
    for given, _, _ in OUTCOMES.values()
]
ROWS += [{"tool": None, "arguments": "{}"}, {"tool": "broken", "arguments": None}]


OPEN = {**SEARCH, "parameters": {**SCHEMA, "additionalProperties": True}, "outputSchema": SCHEMA}
RESULTS = [OPENAI, {"role": "tool", "tool_call_id": "a", "content": '{"q": 1}'}]
COLUMNS = [
    (ROWS, CORRECTOR, Layout()),
    ([{"tool": "search", "arguments": '{"q": "a", "Limit": 1}'}], Corrector([OPEN]), Layout()),
    ([{"messages": json.dumps(RESULTS)}], Corrector([OPEN]), CHAT),
]


@pytest.mark.parametrize(("rows", "corrector", "layout"), COLUMNS, ids=["calls", "doubts", "chat"])
def test_arrow_columns_say_the_same_as_rows(
    rows: list[dict[str, Any]], corrector: Corrector, layout: Layout
) -> None:
    """With the doubts about names and, of conversations, the results, where there are any."""
    pa = pytest.importorskip("pyarrow")
    from schema2model.apps.batch.columns import correct_arrow  # noqa: PLC0415 - an extra

    table = pa.Table.from_pylist(rows).replace_schema_metadata({"a": "b"})
    corrected = correct_arrow(table, corrector, layout)
    found, expected = corrected.to_pylist(), list(correct_rows(rows, corrector, layout))
    texts = [{**row, "corrected": json_text(row["corrected"])} for row in expected]
    assert found == texts
    assert rows is ROWS or found[0].get("doubts") or found[0]["results"]
    assert corrected.select(table.column_names).equals(table)
    assert corrected.schema.metadata == table.schema.metadata
    assert correct_arrow(table[:0], corrector, layout).schema == corrected.schema


def json_text(value: Any) -> str | None:
    """What a column of text has for a value."""
    return value if value is None or isinstance(value, str) else json_bytes(value).decode()


def test_arrow_columns_of_objects_become_json_text() -> None:
    pa = pytest.importorskip("pyarrow")
    from schema2model.apps.batch.columns import correct_arrow  # noqa: PLC0415 - an extra

    table = pa.table({"tool": ["search"], "arguments": [{"q": "a", "limit": "5"}]})
    assert correct_arrow(table, CORRECTOR)["corrected"].to_pylist() == ['{"q":"a","limit":5}']
    chat = pa.table({"messages": [json.dumps([OPENAI]), "[]"]})
    corrected = correct_arrow(chat, CORRECTOR, CHAT)
    expected = correct_row({"messages": [OPENAI]}, CORRECTOR, CHAT)
    assert json.loads(corrected["corrected"][0].as_py()) == expected.corrected
    assert corrected["calls"][0][1]["id"].as_py() == "b"


def test_pandas_columns_say_the_same_as_rows() -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    from schema2model.apps.batch.columns import correct_pandas  # noqa: PLC0415 - an extra

    frame = pd.DataFrame(ROWS, index=range(100, 100 + len(ROWS)))
    corrected = correct_pandas(frame, CORRECTOR)
    assert list(corrected.index) == list(frame.index)
    expected = list(correct_rows(ROWS, CORRECTOR))
    for name in Layout().added:
        column = corrected[name].astype(object)
        assert list(column.where(column.notna(), None)) == [row[name] for row in expected]
    assert list(correct_pandas(frame[:0], CORRECTOR).columns) == list(corrected.columns)


def test_frames_may_hold_arrays_and_numbers_of_numpy() -> None:
    """As those that pandas reads from Parquet do, at any depth; too deep a value costs its row."""
    pd = pytest.importorskip("pandas")
    np = pytest.importorskip("numpy")
    pytest.importorskip("pyarrow")
    from schema2model.apps.batch.columns import correct_pandas  # noqa: PLC0415 - an extra

    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    given = {"q": "a", "limit": np.int64(5), "tags": np.array(["x"], object)}
    frame = pd.DataFrame({"tool": ["search"] * 2, "arguments": [given, {"q": deep}]})
    corrected = correct_pandas(frame, CORRECTOR)
    assert list(corrected["status"]) == ["unchanged", "refused"]
    assert corrected["corrected"][0] == {"q": "a", "limit": 5, "tags": ["x"]}
    chat = pd.DataFrame({"messages": [np.array([OPENAI, {}], object)]})
    expected = correct_row({"messages": [OPENAI, {}]}, CORRECTOR, CHAT).corrected
    assert correct_pandas(chat, CORRECTOR, CHAT)["corrected"][0] == expected


def test_columns_of_the_same_name_are_not_written_over() -> None:
    pa = pytest.importorskip("pyarrow")
    from schema2model.apps.batch.columns import correct_arrow  # noqa: PLC0415 - an extra

    table = pa.table({"tool": ["search"], "arguments": ["{}"], "status": ["mine"]})
    with pytest.raises(ValueError, match='the rows have "status" already'):
        correct_arrow(table, CORRECTOR)
    assert correct_arrow(table, CORRECTOR, Layout(prefix="new_"))["status"].to_pylist() == ["mine"]
