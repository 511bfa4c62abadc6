# ruff: noqa: D103 - the names state the promises
"""Rows that repeat lists of tools: what is parsed once is what every row has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

pytest.importorskip("pyarrow")
pytest.importorskip("daft")

from corpora import TOOL, output_of

from schema2model.apps.batch import Corrector, Layout, correct_rows
from schema2model.apps.batch.offered_tools import OfferedTools, RowParser
from schema2model.apps.batch.running import run_batch
from schema2model.limits import MAX_CACHED_TOOL_LISTS

pytestmark = pytest.mark.adapters

LISTS = ('["a"]', '["a", "b"]', '[ "a"]', '["a", {"tools": ["a"]}]', '"[\\"a\\"]"', '"tools"', "[]")
OTHERS = ("null", "1", '"x"', '"\\"tools\\": [\\"a\\"]"', '{"tools": ["a"]}', "[1", '"\ud800')
"""Values of other members: texts and objects in which a list is, and damaged ones."""

names = st.sampled_from(['"tools"', '"t\\u006fols"', '"a\\"tools"', '"é"', '"id"'])
members = st.tuples(names, st.sampled_from([":", ": ", " :  "]), st.sampled_from(LISTS + OTHERS))
objects = st.lists(members, max_size=4).map(
    lambda found: "{" + ", ".join("".join(member) for member in found) + "}"
)
lines = st.lists(
    objects.map(lambda text: text.encode("utf-8", "surrogatepass")), min_size=2, max_size=8
)


def compiled(definitions: Any) -> OfferedTools:
    if not definitions:
        message = "there are none"
        raise ValueError(message)
    return OfferedTools({json.dumps(definitions): None})


def parsed(parse: Any, line: bytes) -> Any:
    """The row, with the column as it is compiled; the error if there is none."""
    try:
        row = parse(line)
    except ValueError as error:
        return type(error)
    if row.get("tools") and not isinstance(row["tools"], OfferedTools):
        row["tools"] = compiled(row["tools"])
    return row


@given(lines)
def test_a_list_that_is_parsed_once_is_that_of_each_row(given_lines: list[bytes]) -> None:
    """Wherever else its text or its name is in the line, and whatever is damaged."""
    parser = RowParser("tools", compiled)
    from_json = RowParser("another column", compiled).parse
    for line in given_lines * 2:
        assert parsed(parser.parse, line) == parsed(from_json, line)


def test_a_repeated_list_is_compiled_once_and_not_parsed_again() -> None:
    """Not even if it is at another place of the line."""
    found: list[Any] = []
    parser = RowParser("tools", lambda given: found.append(given) or compiled(given))
    tools = json.dumps([TOOL]).encode()
    first = parser.parse(b'{"tools": %b, "id": 1}' % tools)
    again = [parser.parse(b'{"id": %d, "tools":%b}' % (number, tools)) for number in range(3)]
    assert first["tools"] == [TOOL]
    assert all(type(row["tools"]) is OfferedTools for row in again)
    assert found == [[TOOL]]


def test_no_more_lists_are_kept_than_the_limit_allows() -> None:
    """However many there are."""
    parser = RowParser("tools", compiled)
    for number in range(MAX_CACHED_TOOL_LISTS + 3):
        parser.parse(b'{"tools": ["f%d"]}' % number)
    kept = parser.parse(b'{"tools": ["f%d"]}' % (MAX_CACHED_TOOL_LISTS - 1))
    late = parser.parse(b'{"tools": ["f%d"]}' % MAX_CACHED_TOOL_LISTS)
    assert type(kept["tools"]) is OfferedTools
    assert type(late["tools"]) is list


@pytest.mark.parametrize("column", ["tools", "messages"])
def test_rows_with_lists_that_repeat_are_corrected_as_others_are(
    column: str, tmp_path: Path
) -> None:
    """With tools that differ only at their end, and with a column that is read for two reasons."""
    other = {**TOOL, "description": "another"}
    call = {"function": {"name": TOOL["name"], "arguments": "{'q': 1}"}}
    message = {"role": "assistant", "tool_calls": [call]}
    given_rows = [
        {"tools": [TOOL, *more], "messages": [message], "id": number}
        for number in range(4)
        for more in ([], [{**other, "name": "x"}], [other])
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in given_rows))
    layout = Layout("chat", tools=column)
    run_batch([str(path)], str(tmp_path / "out"), Corrector([TOOL]), layout=layout)
    found = [row["status"] for row in output_of(tmp_path / "out")]
    assert found == [row["status"] for row in correct_rows(given_rows, Corrector([TOOL]), layout)]
    expected = ["repaired", "repaired", "refused"] if column == "tools" else ["refused"] * 3
    assert found == expected * 4


def test_rows_that_are_conversations_themselves_keep_their_tools(tmp_path: Path) -> None:
    """Their corrected rows have the list as it came, in each row that repeats it."""
    call = {"id": "1", "function": {"name": TOOL["name"], "arguments": "{'q': 1}"}}
    row = {"role": "assistant", "tool_calls": [call], "tools": [TOOL]}
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(row)}\n" * 3)
    layout = Layout("chat", messages=None, tools="tools")
    run_batch([str(path)], str(tmp_path / "out"), Corrector([]), layout=layout)
    expected = [each["corrected"] for each in correct_rows([row] * 3, Corrector([]), layout)]
    assert [each["corrected"] for each in output_of(tmp_path / "out")] == expected
