# ruff: noqa: D103 - the names state the promises
"""Files of other formats than JSON Lines: their rows, as lines of JSON."""

from __future__ import annotations

import bz2
import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

pytest.importorskip("pyarrow")
pytest.importorskip("daft")

from corpora import CORRECTOR, output_of, rows

from schema2model.apps.batch.detection import find_layout
from schema2model.apps.batch.inputs import (
    BatchError,
    FileFormat,
    filesystem_of,
    find_sources,
    plan,
)
from schema2model.apps.batch.line_readers import read_lines
from schema2model.apps.batch.running import run_batch, sample_rows

pytestmark = pytest.mark.adapters

ROWS = [{"tool": "search", "arguments": '{"q": "a"}'}, {"tool": "serach", "arguments": "{'q':\n1}"}]


def lines_of(path: Path, file_format: FileFormat | None = None) -> list[tuple[int, int, bytes]]:
    [part] = plan(find_sources([str(path)], file_format), 2**20)
    with filesystem_of("").open_input_file(str(path)) as file:
        return list(read_lines(file, part))


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b" \r\n\n"])
@pytest.mark.parametrize(
    ("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)]
)
def test_the_elements_of_a_list_are_lines(
    tmp_path: Path, indent: int | None, before: bytes, ending: str, pack: Any
) -> None:
    """With the offsets of their first bytes, which line breaks do not change."""
    text = before + json.dumps([*ROWS, {"é": "\u2028"}, 1], indent=indent).encode()
    path = tmp_path / f"rows.json{ending}"
    path.write_bytes(pack(text))
    found = lines_of(path)
    assert [json.loads(line) for _, _, line in found] == [*ROWS, {"é": "\u2028"}, 1]
    assert [number for _, number, _ in found] == [1, 2, 3, 4]
    for position, _, line in found:
        assert b"\n" not in line
        assert text[position : position + len(line)].replace(b"\n", b" ") == line


@given(st.lists(st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5)))
def test_any_list_is_read_element_by_element(tmp_path_factory: Any, values: list[Any]) -> None:
    path = tmp_path_factory.mktemp("list") / "rows.json"
    for indent in (None, 1):
        path.write_text(json.dumps(values, indent=indent, ensure_ascii=False), "utf-8")
        assert [json.loads(line) for _, _, line in lines_of(path)] == values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"[]", []),
        (b" [ ] ", []),
        (b"[1, 2", [b"1", b"2"]),
        (b"[1, 2,", [b"1", b"2", b"["]),
        (b"[1, 2,]", [b"1", b"2"]),
        (b"[1 2]", [b"1 2]"]),
        (b"[1, {'a':\n2}, 3]", [b"1", b"{'a': 2}, 3]"]),
        (b"[1] x", [b"1", b"] x"]),
        (b"[" + b"1" * 10_000 + b", 1e999, NaN]", [b"1" * 10_000, b"1e999", b"NaN"]),
        (b"[", [b"["]),
        (b"[1, " + b"[" * 100_000, [b"1", b"[" * 100_000]),
        (b'{\n "tool": "search"\n}\n', [b'{  "tool": "search" }']),
        (b"{ \r\n}", [b"{   }"]),
    ],
)
def test_what_is_no_list_is_a_line_that_is_refused(
    tmp_path: Path, text: bytes, expected: list[bytes]
) -> None:
    """Nothing of it is lost; and an object on several lines is a row."""
    path = tmp_path / "rows.json"
    path.write_bytes(text)
    assert [line for _, _, line in lines_of(path)] == expected


@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_records_are_objects_of_their_cells(
    tmp_path: Path, ending: str, delimiter: str, newline: str
) -> None:
    records = [
        ["tool", "arguments"],
        ["search", '"{""q"": ""a, b""}"'],
        [],
        ["é", '"x\ny"'],
        ["only"],
        ["a", "b", "c"],
    ]
    text = newline.join(delimiter.join(record) for record in records)
    path = tmp_path / f"rows.{ending}"
    path.write_text("\ufeff" + text + newline, "utf-8", newline="")
    found = [(number, json.loads(line)) for _, number, line in lines_of(path)]
    assert found == [
        (2, {"tool": "search", "arguments": '{"q": "a, b"}'}),
        (5, {"tool": "é", "arguments": "x\ny"}),
        (6, ["only"]),
        (7, ["a", "b", "c"]),
    ]


@pytest.mark.parametrize("text", [b"", b"\n", b"a", b"a,b\n\xff,\xc3", b'a\n"x', b"a\n\0"])
def test_odd_tables_lose_nothing_in_silence(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text)
    for _, _, line in lines_of(path):
        assert isinstance(json.loads(line), dict | list)


def test_a_byte_that_is_no_text_is_an_escape_in_its_cell(tmp_path: Path) -> None:
    """As in lines of JSON; half a surrogate pair would make rows that other programs refuse."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a,b\n\xff,\xc3\n")
    ((_, _, line),) = lines_of(path)
    assert json.loads(line) == {"a": "\\xff", "b": "\\xc3"}


def test_a_record_with_other_cells_is_refused_in_the_words_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('tool,arguments\nsearch,{},x\nsearch,"{""q"": ""a""}"\n')
    run_batch([str(path)], str(tmp_path / "out"), CORRECTOR)
    lines = (tmp_path / "out" / "part-000000.jsonl").read_text().splitlines()
    assert [json.loads(line)["error"] for line in lines] == [
        "the row does not have one cell for each name in the first record",
        None,
    ]
    assert json.loads(lines[0])["line"] == '["search","{}","x"]'


def test_a_table_that_names_two_columns_alike_is_refused_with_the_name(tmp_path: Path) -> None:
    """Not row by row: all would be lost."""
    path = tmp_path / "rows.csv"
    path.write_text("tool,x,arguments,x\nsearch,1,{},2\n")
    with pytest.raises(
        BatchError, match=r'rows\.csv: the first record names more than one column "x"'
    ):
        run_batch([str(path)], str(tmp_path / "out"), CORRECTOR)


def test_cells_may_be_long(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a\n" + "x" * 1_000_000)
    [(_, _, line)] = lines_of(path)
    assert len(json.loads(line)["a"]) == 1_000_000


@pytest.mark.parametrize("ending", ["json", "txt"])
def test_small_files_take_little_memory(tmp_path: Path, ending: str) -> None:
    """Whatever the limit for large ones is."""
    path = tmp_path / f"rows.{ending}"
    path.write_text("[1]")
    tracemalloc.start()
    try:
        assert len(lines_of(path)) == 1
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()


def test_a_text_is_one_row(tmp_path: Path) -> None:
    """So that no call is cut by a line break."""
    path = tmp_path / "answer.log"
    path.write_text('Well.\n<tool_call>\n{"name": "search", "arguments": {"q": 1}}\n</tool_call>\n')
    [(_, number, line)] = lines_of(path)
    assert number == 1
    assert json.loads(line) == {"text": path.read_text()}


def test_a_format_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text("tool,arguments\nsearch,{}\n")
    with pytest.raises(BatchError, match="--input-format"):
        find_sources([str(path)])
    [(_, _, line)] = lines_of(path, "csv")
    assert json.loads(line) == {"tool": "search", "arguments": "{}"}
    assert [source.path for source in find_sources([str(tmp_path)], "csv")] == [path.as_posix()]


def test_a_named_format_is_not_guessed_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text("[1]\n[2]\n")
    assert [line for _, _, line in lines_of(path, "jsonl")] == [b"[1]", b"[2]"]


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_damaged_compression_is_an_error_that_names_the_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.json.{ending}"
    path.write_bytes(b"not compressed")
    with pytest.raises(BatchError, match=r"rows\.json"):
        run_batch([str(path)], str(tmp_path / "out"), CORRECTOR, workers=1)


def test_folders_are_searched_for_rows_only(tmp_path: Path) -> None:
    for name in ("a.jsonl", "notes.txt", "b.csv"):
        (tmp_path / name).write_text("")
    assert [source.name for source in find_sources([str(tmp_path)])] == [
        (tmp_path / "a.jsonl").as_posix()
    ]


@pytest.mark.parametrize("ending", ["json", "csv", "jsonl"])
def test_a_run_gives_the_same_outcomes_for_every_format(tmp_path: Path, ending: str) -> None:
    given_rows = rows(50)
    path = tmp_path / f"in.{ending}"
    if ending == "json":
        path.write_text(json.dumps(given_rows, indent=1))
    elif ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, given_rows)))
    else:
        import csv  # noqa: PLC0415 - for the test's data only

        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["tool", "arguments"], extrasaction="ignore")
            writer.writeheader()
            for row in given_rows:
                text = row["arguments"]
                text = text if isinstance(text, str) else json.dumps(text)
                writer.writerow({**row, "arguments": text})
    layout = find_layout(sample_rows(find_sources([str(path)])), CORRECTOR).layout
    run_batch([str(path)], str(tmp_path / "out"), CORRECTOR, layout=layout, workers=1)
    found = output_of(tmp_path / "out")
    assert [row["tool"] for row in found] == [row["tool"] for row in given_rows]
    expected = [CORRECTOR.correct(row["tool"], row["arguments"]).status for row in given_rows]
    assert [row["status"] for row in found] == expected
