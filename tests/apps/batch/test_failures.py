"""One row costs one row: whatever is raised over it, it is refused, and the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from failures import FAILURES, PATTERNS, SECRET, raising

from schema2model.apps.batch import (
    Corrector,
    Layout,
    correct_rows,
    corrector as batch_corrector,
    outcomes as batch_outcomes,
)
from schema2model.coerce.engine_search import Search

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from corpora import TOOL, Command, output_of  # noqa: E402

from schema2model.apps.batch import (  # noqa: E402 - after what they need
    columns as batch_columns,
    parts as batch_parts,
)
from schema2model.apps.batch.columns import correct_arrow  # noqa: E402
from schema2model.apps.batch.inputs import find_sources, plan  # noqa: E402
from schema2model.apps.batch.parts import WORK, Job  # noqa: E402

CORRECTOR = Corrector([TOOL])
CHAT = Layout("chat")
ARGUMENTS = ['{"q": 1}', json.dumps({"q": 1, "limit": SECRET}), '{"q": 2}']
ROWS = [{"tool": "search", "arguments": text} for text in ARGUMENTS]
CALLS = [{"function": {"name": "search", "arguments": text}} for text in ARGUMENTS]
STATUSES = ["coerced", "refused", "coerced"]

every_failure = pytest.mark.parametrize("error", FAILURES, ids=lambda each: type(each).__name__)


def reason(error: BaseException) -> str:
    """What is said of a row over which an error was raised."""
    return f"this could not be read: {type(error).__name__}"


def done(folder: Path) -> list[dict[str, Any]]:
    """What became of the rows of a folder's files, part by part, in this process."""
    out = folder / "out"
    (out / WORK).mkdir(parents=True)
    job = Job(CORRECTOR, Layout(), "", str(out))
    columns = ["status", "error"]
    for part in plan(find_sources([f"{folder}/in.*"]), 2**20):
        record = job.do(part)
        found = output_of(out, columns)[-sum(record["rows"].values()) :]
        assert record["rows"]["refused"] == sum(row["status"] == "refused" for row in found)
    return output_of(out, columns)


# --------------------------------------------------------------------------------- while it is read
@pytest.fixture(params=FAILURES, ids=lambda each: type(each).__name__)
def error(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> BaseException:
    """What is raised over the arguments of the second call."""
    monkeypatch.setattr(Search, "explain", raising(Search.explain, request.param))
    given: BaseException = request.param
    return given


def test_what_is_raised_over_a_row_refuses_it(error: BaseException) -> None:
    """With the type's name alone."""
    found = list(correct_rows(ROWS, CORRECTOR))
    assert [row["status"] for row in found] == STATUSES
    assert (found[1]["corrected"], found[1]["error"]) == (None, reason(error))


def test_what_is_raised_over_a_call_leaves_the_conversation_whole(error: BaseException) -> None:
    """Its other calls are corrected, and so are other conversations."""
    messages = [{"role": "assistant", "tool_calls": CALLS}]
    first, second = correct_rows(
        [{"messages": messages}, {"messages": messages[:0]}], CORRECTOR, CHAT
    )
    assert [call["status"] for call in first["calls"]] == STATUSES
    assert first["error"] == reason(error)
    assert second["status"] == "unchanged"


def test_what_is_raised_over_a_row_of_a_column_refuses_it(error: BaseException) -> None:
    """Arrow's columns are one for one."""
    found = correct_arrow(pa.Table.from_pylist(ROWS), CORRECTOR)
    assert found["status"].to_pylist() == STATUSES
    assert found["error"].to_pylist() == [None, reason(error), None]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_what_is_raised_over_a_row_of_a_file_refuses_it(
    error: BaseException, tmp_path: Path, suffix: str
) -> None:
    """Its part is finished, with counts that add up."""
    if suffix == "jsonl":
        (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    else:
        pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "in.parquet")
    found = done(tmp_path)
    assert [row["status"] for row in found] == STATUSES
    assert found[1]["error"] == reason(error)


# -------------------------------------------------------------------------- before and after that
@every_failure
def test_what_is_raised_over_a_schema_costs_the_calls_of_its_tool(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those that are known from the start, and of those that rows bring along."""
    compiling = raising(lambda _, schema, **options: compile_schema(schema, **options), error)
    compile_schema = batch_corrector.compile_schema
    monkeypatch.setattr(batch_corrector, "compile_schema", lambda *a, **k: compiling(None, *a, **k))
    odd = {"name": "odd", "parameters": {"title": SECRET}}
    offered = [{"tool": name, "arguments": "{}", "tools": [odd]} for name in ("odd", "search")]
    found = list(correct_rows(offered, Corrector([TOOL]), Layout(tools="tools")))
    told = f'the schema of the tool "odd" is not understood: {type(error).__name__}'
    assert found[0]["error"] == told
    assert found[1]["error"].startswith("Error parsing arguments for `search`:")
    corrector = Corrector([TOOL, odd])
    assert corrector.broken == {"odd": told}
    assert [row["status"] for row in correct_rows(ROWS, corrector)] == STATUSES


@pytest.mark.parametrize(
    "error",
    # no JSON, and nested too deeply
    [each for each in FAILURES if not isinstance(each, (ValueError, RecursionError))],
    ids=lambda each: type(each).__name__,
)
def test_what_is_raised_over_a_line_refuses_it(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is kept."""
    parse = raising(lambda _, line: json.loads(line), error)
    monkeypatch.setattr(batch_parts, "parse_unique", lambda line: parse(None, line))
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    found = done(tmp_path)
    assert [row["status"] for row in found] == STATUSES
    assert SECRET in found[1]["line"]
    assert found[1]["error"] == reason(error)


@every_failure
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_what_is_raised_over_what_is_written_refuses_the_row(
    error: BaseException, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is counted as refused, too."""
    write = raising(lambda _, value: json_bytes(value), error)
    json_bytes = batch_outcomes.json_bytes
    for module in (batch_outcomes, batch_columns, batch_parts):
        monkeypatch.setattr(module, "json_bytes", lambda value: write(None, value))
    doubly = json.dumps(json.dumps({"q": SECRET}))
    rows = [ROWS[0], {"tool": "search", "arguments": doubly}, ROWS[2]]
    assert [row["status"] for row in correct_rows(rows, CORRECTOR)] == STATUSES
    if suffix == "jsonl":
        (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    else:
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in.parquet")
    found = done(tmp_path)
    assert [row["status"] for row in found] == STATUSES
    assert found[1]["error"] == reason(error)


# ------------------------------------------------------------------------------------ as it happens
def test_values_that_python_cannot_hold_cost_their_rows(tmp_path: Path) -> None:
    """No UTF-8, or a time beyond all years; in the columns that count, too."""
    offsets = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (0, 8, 9, 17)))
    text = pa.Array.from_buffers(
        pa.string(), 3, [None, offsets, pa.py_buffer(b'{"q": 1}\xff{"q": 2}')]
    )
    times = pa.array([0, 2**62, 0], pa.timestamp("us"))
    tools = ["search"] * 3
    model = pa.Array.from_buffers(
        pa.string(), 3, [None, offsets, pa.py_buffer(b"a" * 8 + b"\xffb" + b"b" * 7)]
    )
    for number, table in enumerate(
        [
            pa.table({"tool": tools, "arguments": text}),
            pa.table({"tool": tools, "arguments": pa.StructArray.from_arrays([times], ["at"])}),
            pa.table({"tool": tools, "arguments": ARGUMENTS, "model": model}),
        ]
    ):
        pq.write_table(table, tmp_path / f"in.{number}.parquet")
    found = done(tmp_path)
    assert [row["status"] for row in found[:3]] == STATUSES
    errors = [row["error"] for row in found]
    assert errors[1] == errors[7] == "the row has text that is not UTF-8"
    assert errors[4] == "this could not be read: OverflowError"
    assert errors[3] == errors[5]
    assert errors[3].startswith("Error parsing arguments")


class Unwritable:
    """No JSON."""


def test_values_that_cannot_be_written_cost_their_rows() -> None:
    """Rows of Python may hold anything."""
    messages: list[Any] = [{"tool_calls": CALLS[:1]}]
    loop: list[Any] = [{"tool_calls": CALLS[:1]}]
    loop.append(loop)
    rows = [{"messages": given} for given in (messages, [Unwritable(), *messages], loop, messages)]
    found = list(correct_rows(rows, CORRECTOR, CHAT))
    assert [row["status"] for row in found] == ["coerced"] * 4
    assert found[1]["corrected"][0] is rows[1]["messages"][0]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_that_libraries_do_not_agree_on_costs_nothing_else(pattern: str) -> None:
    """Its tool's calls have an outcome each, and so have others."""
    schema = {"type": "object", "patternProperties": {pattern: {"type": "integer"}}}
    corrector = Corrector([TOOL, {"name": "odd", "parameters": schema}])
    odd = [{"tool": "odd", "arguments": text} for text in ('{"x-a": "1"}', "{'x': 1}", "{}", "?")]
    found = list(correct_rows([*odd, *ROWS], corrector))
    assert len(found) == len(odd) + len(ROWS)
    assert [row["status"] for row in found[-3:]] == ["coerced", "refused", "coerced"]


def test_a_run_goes_on_where_a_row_cannot_be_read(tmp_path: Path, command: Command) -> None:
    """In processes of its own, with exit code 0, and no second attempt is needed."""
    pytest.importorskip("daft")
    odd = {"name": "odd", "parameters": {"patternProperties": {"(?i)^x-": {"type": "integer"}}}}
    (tmp_path / "tools.json").write_text(json.dumps([TOOL, odd]))
    rows = [*ROWS, {"tool": "odd", "arguments": '{"x-a": "many"}'}, *ROWS]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    ran = command("in.jsonl", "-o", "out")
    assert ran.returncode == 0, ran.stderr
    found = output_of(tmp_path / "out")
    assert [row["status"] for row in found] == [*STATUSES, "refused", *STATUSES]
    assert b"Traceback" not in ran.stderr


def test_a_prefix_may_look_like_a_format(tmp_path: Path) -> None:
    """The names of added columns are written as they are."""
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (tmp_path / "out" / WORK).mkdir(parents=True)
    job = Job(CORRECTOR, Layout(prefix="%d %"), "", str(tmp_path / "out"))
    [part] = plan(find_sources([str(tmp_path / "in.jsonl")]), 2**20)
    job.do(part)
    found = output_of(tmp_path / "out")
    assert [row["%d %source_line"] for row in found] == [1, 2, 3]
    assert {*found[0]} == {*ROWS[0], *job.layout.added, *job.source_columns()}
