# ruff: noqa: D103 - the names state the promises; the processes are our own
"""The promises of runs: one row out for each row in, whole or not at all, resumed where killed."""

from __future__ import annotations

import bz2
import gzip
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from schema2model.apps.batch import STATUSES, Corrector, Layout, correct_rows

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("daft")

from corpora import (  # noqa: E402
    CORRECTOR,
    TOOL,
    Command,
    files_of,
    lines,
    long_rows,
    output_of,
    rows,
    without_source,
    zstd,
)
from dying import dying  # noqa: E402

from schema2model.apps.batch import line_readers  # noqa: E402 - after what it needs
from schema2model.apps.batch.inputs import BatchError, find_sources, plan  # noqa: E402
from schema2model.apps.batch.line_readers import read_lines  # noqa: E402
from schema2model.apps.batch.parts import WORK, Job  # noqa: E402
from schema2model.apps.batch.report.corrected_rows import Output  # noqa: E402
from schema2model.apps.batch.running import run_batch  # noqa: E402

pytestmark = pytest.mark.adapters


def test_a_correct_row_costs_few_calls(tmp_path: Path) -> None:
    """Of functions in Python and in C, the tool's nested arguments included."""
    nested = {"items": {"type": "object", "properties": {"name": {"type": "string"}}}}
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "parts": nested}}
    corrector = Corrector([{"name": "f", "parameters": schema}])
    arguments = json.dumps({"n": 1, "parts": [{"name": "a"}, {"name": "b"}]})
    path = tmp_path / "in.jsonl"
    path.write_bytes(lines([{"model": "m", "tool": "f", "arguments": arguments}] * 1000))
    (tmp_path / "out" / WORK).mkdir(parents=True)
    (part,) = plan(find_sources([str(path)]), path.stat().st_size + 1)
    job = Job(corrector, Layout(), part.store, str(tmp_path / "out"))
    count = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        job.do(part)
    finally:
        sys.setprofile(before)
    assert count < 49_000


# ----------------------------------------------------------------------------- what becomes of rows
@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("in.jsonl", bytes),
        ("in.ndjson.gz", gzip.compress),
        ("in.json.zst", zstd),
        ("in.jsonl.bz2", bz2.compress),
    ],
)
def test_every_line_has_one_row_in_order(
    tmp_path: Path, name: str, written: Callable[[bytes], bytes]
) -> None:
    given = rows(500)
    (tmp_path / name).write_bytes(written(lines(given)))
    summary = run_batch([str(tmp_path / name)], str(tmp_path / "out"), CORRECTOR, part_size=5000)
    found = output_of(tmp_path / "out")
    assert without_source(found) == list(correct_rows(given, CORRECTOR))
    positions = [row["source_position"] for row in found]
    content = lines(given)
    assert [json.loads(content[at:].split(b"\n", 1)[0]) for at in positions] == given
    assert [row["source_line"] for row in found] == list(range(1, 501))
    assert {row["source_file"] for row in found} == {str(tmp_path / name)}
    assert summary.total == 500 == sum(summary.rows.values())
    parts = len(list((tmp_path / "out").glob("part-*")))
    assert parts > 5 if name == "in.jsonl" else parts == 1


def test_lines_stay_as_they_are_byte_by_byte(tmp_path: Path) -> None:
    content = [
        rb'{"tool": "search", "arguments": "{\"q\": \"a\"}", "x": 1.10, "x": 1e400, "y": "\ud800"}',
        b"{  }",
        b'{"tool":"search","arguments":{"q":1},"big":' + b"9" * 1000 + b"}",
        b'{"tool":"search","arguments":"{}","nan":NaN}',
    ]
    (tmp_path / "in.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n\n \t\n".join(content))
    run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR)
    written = (tmp_path / "out" / "part-000000.jsonl").read_bytes().splitlines()
    assert len(written) == len(content)
    for before, after in zip(content, written, strict=True):
        assert after.startswith(before[:-1].rstrip())


BAD_LINES: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"what?", "the line is not JSON"),
    "no object": (b"[1, 2]", "the line is JSON, but no object"),
    "no UTF-8": (b'{"tool": "\xff\xfe"}', "the line is not JSON"),
    "UTF-16": ('{"tool": "search"}'.encode("utf-16-le"), "the line is not JSON"),
    "too deep": (b"[" * 100_000, "the line is"),
    "cut off": (b'{"tool": "search", "argu', "the line is not JSON"),
    "a column in the way": (b'{"status": 1}', "a column of the name"),
    "two tools": (b'{"tool": "search", "tool": "other"}', 'the row has two values for "tool"'),
    "two values": (
        b'{"tool": "search", "arguments": {"q": "a", "q": "b"}}',
        'the row has two values for "q"',
    ),
    "no tool": (b'{"arguments": "{}"}', "the row names no tool"),
    "no such tool": (b'{"tool": "serch", "arguments": "{}"}', "There is no tool `serch`"),
}


@pytest.mark.parametrize(("line", "error"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_one_refused_row_with_the_reason(
    tmp_path: Path, line: bytes, error: str
) -> None:
    good = b'{"tool": "search", "arguments": "{\\"q\\": \\"a\\"}"}'
    (tmp_path / "in.jsonl").write_bytes(b"\n".join([good, line, good]))
    summary = run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR)
    found = output_of(tmp_path / "out")
    assert [row["status"] for row in found] == ["unchanged", "refused", "unchanged"]
    assert error in found[1]["error"]
    if not error.startswith(("the row", "There is")):
        assert found[1]["line"] == line.decode("utf-8", "backslashreplace")
    assert summary.rows["refused"] == 1


SAME = b'{"tool": "search", "tool": "search", "arguments": {"q": "\\u003a", "q": ":"}}'
ELSEWHERE = b'{"tool": "search", "arguments": {"q": "a"}, "x": 1, "x": 2, "y": {"z": 1, "z": 2}}'

SPELLED = rb'{"tool": "search", "tool": "\u0073earch", "arguments": {"q": "a"}, "z": 1, "z": 2}'
SPACED = b'{"tool": "search", "arguments": {"q":"a"}, "arguments": {"q": "a"}, "z": 1, "z": 2}'
NAMES_TWICE = {
    "equal values": SAME,
    "columns not read": ELSEWHERE,
    "an escape in one": SPELLED,
    "a blank in one": SPACED,
}


@pytest.mark.parametrize("line", NAMES_TWICE.values(), ids=NAMES_TWICE)
def test_a_name_may_come_twice_where_no_value_is_lost(tmp_path: Path, line: bytes) -> None:
    """Where both values are equal, or nobody reads them."""
    (tmp_path / "in.jsonl").write_bytes(line)
    run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR)
    assert [row["status"] for row in output_of(tmp_path / "out")] == ["unchanged"]


@pytest.mark.parametrize("as_text", [True, False])
def test_a_call_in_a_conversation_with_two_values_for_a_name_is_refused(
    tmp_path: Path,
    as_text: bool,  # noqa: FBT001 - a case
) -> None:
    """Whether the row has the conversation or its text."""
    call = '{"type": "tool_use", "id": "1", "name": "search", "input": {"q": "a", "q": "b"}}'
    messages = f'[{{"role": "assistant", "content": [{call}]}}]'
    line = f'{{"messages": {json.dumps(messages) if as_text else messages}}}'
    (tmp_path / "in.jsonl").write_text(line)
    layout = Layout("chat")
    run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR, layout=layout)
    (row,) = output_of(tmp_path / "out")
    assert row["status"] == "refused"
    assert row["corrected"] is None
    assert row["error"] == 'the row has two values for "q"'


BLOCK = '[{"role": "assistant", "content": [{"type": "tool_use", "name": "search", "input": %s}]}]'


@pytest.mark.parametrize(
    ("row", "layout"),
    [
        ('{"tool": "search", "arguments": %s}', Layout()),
        (f'{{"messages": {BLOCK}}}', Layout("chat")),
        (f'{{"messages": {json.dumps(BLOCK)}}}', Layout("chat")),
        (f'{{"messages": {BLOCK}}}', Layout("chat", messages=None)),
        (BLOCK[1:-1], Layout("chat", messages=None)),
    ],
)
def test_a_string_gets_a_number_as_it_is_spelled(tmp_path: Path, row: str, layout: Layout) -> None:
    """As from the text of arguments: 3.10 is another version than 3.1."""
    arguments = '{"q": 3.10}'
    in_text = '\\"' in row
    (tmp_path / "in.jsonl").write_text(
        row % (json.dumps(arguments)[1:-1] if in_text else arguments)
    )
    run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR, layout=layout)
    (found,) = output_of(tmp_path / "out")
    assert found["status"] == "coerced"
    assert '{"q": "3.10"}' in json.dumps(found["corrected"])


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_half_a_surrogate_pair_in_the_text_of_a_conversation_is_read(
    tmp_path: Path, suffix: str
) -> None:
    """Escaped in the text, and in lines also escaped in the row, so that the text has it raw."""
    calls = [{"type": "tool_use", "id": "1", "name": "search", "input": {"q": 1}}]
    messages = [{"role": "user", "content": "\ud800"}, {"role": "assistant", "content": calls}]
    texts = [json.dumps(messages)]
    if suffix == "jsonl":
        texts.append(json.dumps(messages, ensure_ascii=False))
        (tmp_path / "in.jsonl").write_text("\n".join(json.dumps({"messages": t}) for t in texts))
    else:
        pq.write_table(pa.table({"messages": texts}), tmp_path / "in.parquet")
    layout = Layout("chat")
    run_batch([str(tmp_path / f"in.{suffix}")], str(tmp_path / "out"), CORRECTOR, layout=layout)
    rows = output_of(tmp_path / "out")
    assert [row["status"] for row in rows] == ["coerced"] * len(texts)


def test_a_line_without_end_costs_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_readers, "MAX_BATCH_LINE", 1000)
    monkeypatch.setattr(line_readers, "_BLOCK", 64)
    content = b"\n".join([b"a" * 999, b"b" * 1000, b"c" * 1001, b"d" * 5000, b"e"])
    path = tmp_path / "in.jsonl"
    path.write_bytes(content)
    for part_size in (10_000, 100, 7):
        found = []
        for part in plan(find_sources([str(path)]), part_size):
            with pa.OSFile(str(path)) as file:
                found += list(read_lines(file, part))
        assert [at for at, _, _ in found] == [0, 1000, 2001, 3003, 8004]
        assert [number for _, number, _ in found] == [1, 2, 3, 4, 5]
        assert [len(line) for _, _, line in found] == [999, 1000, 1001, 1001, 1]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_every_line_belongs_to_one_part_wherever_it_is_cut(tmp_path: Path, size: int) -> None:
    path = tmp_path / "in.jsonl"
    content = b"1\n\n22\r\n\n" + b"3" * 20 + b"\n4\n5"
    for mark in (b"", b"\xef\xbb\xbf"):  # as editors of Windows begin a text
        path.write_bytes(mark + content)
        found = []
        for part in plan(find_sources([str(path)]), size):
            with pa.OSFile(str(path)) as file:
                found += [(at - len(mark), n, line) for at, n, line in read_lines(file, part)]
        expected = [(0, 1, b"1"), (3, 3, b"22"), (8, 5, b"3" * 20), (29, 6, b"4"), (31, 7, b"5")]
        assert found == expected


def _text(values: list[bytes]) -> pa.Array:
    """Text as a program may write it that does not check it."""
    binary = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(binary), binary.buffers())


@pytest.mark.parametrize("column", ["tool", "arguments", "model", "other", "code", "inner"])
def test_text_of_parquet_that_is_not_utf8_costs_its_row_at_most(
    tmp_path: Path, column: str
) -> None:
    """In any column: plain, of categories, or nested. Reports can be made of the output, too."""
    good = {"tool": b"search", "arguments": b'{"q": "a"}', "model": b"m", "other": b"o"}
    columns = {name: [text] * 5 for name, text in {**good, "code": b"c", "inner": b"i"}.items()}
    columns[column][2] = b"\xff\xfe"
    table = pa.table({name: _text(values) for name, values in columns.items()})
    table = table.set_column(4, "code", _dictionary(columns["code"]))
    inner = pa.ListArray.from_arrays(pa.array(range(6), pa.int32()), _text(columns["inner"]))
    pq.write_table(table.set_column(5, "inner", inner), tmp_path / "in.parquet")
    run_batch([str(tmp_path / "in.parquet")], str(tmp_path / "out"), CORRECTOR, layout=Layout())
    found = Output.at(str(tmp_path / "out")).figures().document()
    refused = int(column in ("tool", "arguments", "model"))
    unchanged = 5 - refused
    assert found["rows"] == {
        **dict.fromkeys(STATUSES, 0),
        "unchanged": unchanged,
        "refused": refused,
    }


def _dictionary(values: list[bytes]) -> pa.Array:
    distinct = sorted(set(values))
    return pa.DictionaryArray.from_arrays(
        pa.array([distinct.index(value) for value in values]), _text(distinct)
    )


def test_parquet_has_its_columns_and_the_added_ones(tmp_path: Path) -> None:
    given = rows(1000, text=True)
    table = pa.Table.from_pylist(given).append_column(
        "n", pa.array(range(1000), pa.decimal128(9, 2))
    )
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=100)
    size = (tmp_path / "in.parquet").stat().st_size // 4
    run_batch([str(tmp_path)], str(tmp_path / "out"), CORRECTOR, part_size=size)
    assert len(list((tmp_path / "out").glob("part-*.parquet"))) >= 4
    found = pa.concat_tables(
        pq.read_table(path) for path in sorted((tmp_path / "out").glob("part-*"))
    )
    assert found.select(table.column_names).equals(table)
    assert found["source_position"].to_pylist() == list(range(1000))
    expected = list(correct_rows(given, CORRECTOR))
    for name in Layout().added:
        assert found[name].to_pylist() == [row[name] for row in expected]


def test_conversations_are_corrected_in_any_format(tmp_path: Path) -> None:
    call = {"id": "1", "function": {"name": "search", "arguments": '{"q": 1}'}}
    given = [{"messages": [{"role": "assistant", "tool_calls": [call]}], "tools": [TOOL]}] * 3
    (tmp_path / "in.jsonl").write_bytes(lines(given))
    pq.write_table(
        pa.table({name: [json.dumps(row[name]) for row in given] for name in given[0]}),
        tmp_path / "in.parquet",
    )
    layout = Layout("chat", tools="tools")
    summary = run_batch([str(tmp_path)], str(tmp_path / "out"), Corrector(), layout=layout)
    found = output_of(tmp_path / "out")
    for row in found:
        corrected = row["corrected"]
        messages = json.loads(corrected) if isinstance(corrected, str) else corrected
        assert messages[0]["tool_calls"][0]["function"]["arguments"] == '{"q":"1"}'
        assert [call["status"] for call in row["calls"]] == ["coerced"]
    assert summary.rows["coerced"] == len(found) == 6


def test_files_come_in_the_order_given_each_once(tmp_path: Path) -> None:
    unfinished = "b/out.unfinished-0123456789abcdef/part-000000.jsonl"
    hidden = ("b/_hidden.jsonl", "b/.hidden/x.jsonl", unfinished, "b/readme.md")
    for name in ("b/x.jsonl", "b/c/y.jsonl", "a.jsonl", *hidden):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(lines(rows(1)))
    places = [f"{tmp_path}/a.*", f"{tmp_path}/b", f"{tmp_path}/**/[xy].jsonl"]
    names = [Path(source.path).name for source in find_sources(places)]
    assert names == ["a.jsonl", "y.jsonl", "x.jsonl"]
    [source] = find_sources([(tmp_path / "a.jsonl").as_uri()])
    assert source.name == str(tmp_path / "a.jsonl")


def test_odd_names_of_files_are_names(tmp_path: Path) -> None:
    names = ["a b#%20?\n.jsonl", "[1].jsonl", "*.jsonl", "é😀.jsonl", 'a"\\.jsonl', "x:y.jsonl"]
    folder = tmp_path / "[a]*"
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(lines(rows(2)))
    places = [str(folder / name) for name in names]
    run_batch([*places, str(folder)], str(tmp_path / "o #%?\n*"), CORRECTOR)
    found = output_of(tmp_path / "o #%?\n*")
    assert [row["source_file"] for row in found[::2]] == places


@pytest.mark.skipif(sys.platform != "linux", reason="needs names that are any bytes")
@pytest.mark.parametrize("place", ["", "\udcff.jsonl"])
def test_a_name_that_cannot_be_told_is_an_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "\udcff.jsonl").write_bytes(lines(rows(2)))
    with pytest.raises(BatchError, match="cannot list"):
        run_batch([str(tmp_path / place)], str(tmp_path / "out"), CORRECTOR)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("place", ["none.jsonl", "*.jsonl", "notes.md", "nowhere://x", "s3x://a/b"])
def test_an_input_that_is_none_is_an_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "notes.md").write_text("{}")
    place = place if "://" in place else str(tmp_path / place)
    with pytest.raises(BatchError, match=place.rpartition("/")[2].replace("*", ".")):
        run_batch([place], str(tmp_path / "out"), CORRECTOR)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]


def test_no_name_is_not_the_folder_that_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(3)))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BatchError, match='found no file to read at ""'):
        run_batch([""], "out", CORRECTOR)


@pytest.mark.parametrize("place", ["out", "out/", "{}/out", "file://{}/out/"])
def test_an_output_is_one_folder_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(3)))
    monkeypatch.chdir(tmp_path)
    run_batch(["in.jsonl"], place.format(tmp_path), CORRECTOR)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out"]
    assert len(output_of(tmp_path / "out")) == 3


def test_a_link_that_leads_nowhere_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(3)))
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    with pytest.raises(BatchError, match="exists already"):
        run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_column_that_is_there_twice_is_told(tmp_path: Path) -> None:
    table = pa.table([["search"], ["serch"], ["{}"]], names=["tool", "tool", "arguments"])
    pq.write_table(table, tmp_path / "b.parquet")
    (tmp_path / "a.jsonl").write_bytes(lines(rows(3)))
    with pytest.raises(BatchError, match=r'b\.parquet: the rows have more than one column "tool"'):
        run_batch([str(tmp_path)], str(tmp_path / "out"), CORRECTOR)


def test_a_column_in_the_way_is_told_before_anything_is_done(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines([{"status": 200, **row} for row in rows(3)]))
    with pytest.raises(BatchError, match='the rows have "status" already'):
        run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
    layout = Layout(prefix="s2m_")
    run_batch([str(tmp_path / "in.jsonl")], str(tmp_path / "out"), CORRECTOR, layout=layout)
    assert {row["status"] for row in output_of(tmp_path / "out")} == {200}


def test_a_damaged_file_leaves_no_output_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    given = rows(300)
    (tmp_path / "a.jsonl").write_bytes(lines(given))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines(given))[:-20])
    places = [str(tmp_path)]  # where the unfinished output is, too
    for _ in range(2):
        with pytest.raises(
            BatchError, match=r"b\.jsonl\.gz: it ends in the middle of .*; 1 of 2 parts"
        ):
            run_batch(places, str(tmp_path / "out"), CORRECTOR)
        assert not (tmp_path / "out").exists()
        [unfinished] = tmp_path.glob("out.unfinished-*/_work")
        assert not list(unfinished.glob("*.tmp"))  # which would fill a disk
        (unfinished / "killed.tmp").write_bytes(b"half a part")
    [kept] = tmp_path.glob("out.unfinished-*/part-*")
    written = kept.stat().st_mtime_ns
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines(given)))
    summary = run_batch(places, str(tmp_path / "out"), CORRECTOR)
    assert (tmp_path / "out" / kept.name).stat().st_mtime_ns == written
    assert summary.total == len(output_of(tmp_path / "out")) == 600
    assert not list(tmp_path.glob("*unfinished*"))


@pytest.mark.parametrize("runner", ["native", "ray"])
def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_rows(
    tmp_path: Path, command: Command, runner: str
) -> None:
    if runner == "ray":
        pytest.importorskip("ray")
    (tmp_path / "in.jsonl").write_bytes(lines(long_rows(5_000)))
    arguments = ["in.jsonl", "-o", "out", "--part-size", "1"]
    arguments += ["--runner", runner, "--workers", "1", "--json"]
    killed = dying("recorded", 3, "batch", "--tools", "tools.json", *arguments, folder=tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    finished = len(list(tmp_path.glob("out.unfinished-*/_work/*.done.json")))
    assert finished >= 3
    assert not (tmp_path / "out").exists()
    [unfinished] = tmp_path.glob("out.unfinished-*")
    kept = {path.name: path.stat().st_mtime_ns for path in unfinished.glob("part-*")}
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    again = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*")}
    assert len(again.items() & kept.items()) >= finished
    native = {"out": "whole", "ray": "native"}  # ray takes seconds to start
    whole = command(*[native.get(each, each) for each in arguments], "--workers", "2")
    assert whole.stdout.replace(b"native", runner.encode()) == done.stdout
    assert files_of(tmp_path / "whole") == files_of(tmp_path / "out")


def test_a_lost_worker_ends_the_run_which_goes_on_when_started_again(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(long_rows(5_000)))
    arguments = ["in.jsonl", "-o", "out", "--part-size", "1", "--workers", "1"]
    lost = dying("worker", 1, "batch", "--tools", "tools.json", *arguments, folder=tmp_path)
    assert lost.returncode == 2
    words = lost.stderr.splitlines()[-1]
    assert words.startswith(b"Error: Daft cannot go on with the runner native"), words
    assert command(*arguments).returncode == 0
    assert len(output_of(tmp_path / "out")) == 5_000


def test_a_file_that_has_changed_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(lines(rows(100)) + lines([{"id": "torn"}])[:-5])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    places = [str(path), str(tmp_path / "bad.parquet")]
    with pytest.raises(BatchError, match="1 of 2 parts"):
        run_batch(places, str(tmp_path / "out"), CORRECTOR)
    given = rows(50, text=True)
    path.write_bytes(lines(given))
    pq.write_table(pa.Table.from_pylist(given), tmp_path / "bad.parquet")
    assert run_batch(places, str(tmp_path / "out"), CORRECTOR).total == 100
    assert len(output_of(tmp_path / "out")) == 100
