"""What recorded calls say about the rules is counted as it should be."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

import pytest

from benchmarks.evidence import evidence, rows, sent_in

LIMIT = {"type": "object", "properties": {"limit": {"type": "integer"}, "sort": {"enum": ["asc"]}}}
TOOLS = [{"name": "search", "parameters": LIMIT}]


def found(*records: dict[str, Any]) -> Any:
    """The evidence of some records."""
    return evidence(one for record in records for one in sent_in(record))


@pytest.mark.parametrize(
    ("sent", "expected", "fired", "right"),
    [
        ({"limit": 5}, {"limit": 5}, [], []),
        ({"limit": "5"}, {"limit": 5}, ["json_text"], ["json_text"]),
        ({"limit": "5"}, {"limit": 50}, ["json_text"], []),
        ({"limit": "5"}, "refuse", ["json_text"], []),
        ({"limit": True}, {"limit": 1}, [], []),
        (
            {"limit": "5", "sort": "ASC"},
            {"limit": 5, "sort": "asc"},
            *[["choice_spelling", "json_text"]] * 2,
        ),
    ],
    ids=repr,
)
def test_a_single_call(sent: Any, expected: Any, fired: list[str], right: list[str]) -> None:
    """Each rule that had a part in a reading has fired, and was right if the result is."""
    seen = found({"schema": LIMIT, "arguments": sent, "expected": expected})
    assert (sorted(seen.fired), sorted(seen.right)) == (fired, right)
    assert (seen.calls, seen.read) == (1, int(bool(fired)))


@pytest.mark.parametrize(
    ("text", "accepted", "right"),
    [
        ('{"name": "search", "arguments": {"limit": "5"}}', {"limit": [5, 6]}, 1),
        ('{"name": "search", "arguments": {"limit": "5"}}', {"limit": [5], "sort": ["asc", ""]}, 1),
        ('{"name": "search", "arguments": {"limit": "5"}}', {"limit": [5], "sort": ["asc"]}, 0),
        ('{"name": "search", "arguments": {"limit": "5"}}', {"limit": [6]}, 0),
        ('{"name": "search", "arguments": {"limit": "5"}}', {}, 0),
    ],
)
def test_what_a_model_wrote(text: str, accepted: dict[str, Any], right: int) -> None:
    """The calls in it are compared with the values that count as right."""
    expected = [{"name": "search", "arguments": accepted}]
    seen = found({"tools": TOOLS, "text": text, "expected": expected})
    assert (seen.wrong, seen.fired["json_text"], seen.right["json_text"]) == (1, 1, right)


def test_records_of_other_layouts_say_nothing() -> None:
    """Nor does prose, or a schema that is none."""
    seen = found(
        {"question": "?"},
        {"tools": TOOLS, "text": "Sure!", "expected": [{"name": "search", "arguments": {}}]},
        {"schema": {"type": "whole"}, "arguments": {}, "expected": {}},
    )
    assert seen.calls == 0


def test_files_are_lines_or_an_array(tmp_path: pathlib.Path) -> None:
    """Gzipped or not."""
    records = [{"a": 1}, {"b": "\n"}]
    lines = "\n".join(map(json.dumps, records)).encode()
    for name, content in {
        "lines.jsonl": lines,
        "lines.jsonl.gz": gzip.compress(lines),
        "array.json": json.dumps(records, indent=1).encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
        assert list(rows(tmp_path / name)) == records
