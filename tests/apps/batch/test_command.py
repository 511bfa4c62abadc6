# ruff: noqa: D103 - the names state the promises; the processes are our own
"""The promises of `schema2model batch`: what it prints where, its exit codes, and its document."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import click
import pytest

from schema2model.apps.batch import Layout

pytest.importorskip("pyarrow")
pytest.importorskip("daft")

from corpora import (
    CORRECTOR,
    TOOL,
    Command,
    lines,
    long_rows,
    output_of,
    rows,
)

from schema2model.apps.batch import parts as batch_parts
from schema2model.apps.batch.inputs import FileFormat, find_sources, plan
from schema2model.apps.batch.running import SUMMARY, Progress
from schema2model.apps.cli.batch import batch

pytestmark = pytest.mark.adapters


# ------------------------------------------------------------------------------------- the command
def test_counts_are_printed_and_add_up(tmp_path: Path, command: Command) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(1000)) + b"?\n")
    done = command("in.jsonl", "-o", "out", "--json")
    assert done.returncode == 0
    counts = json.loads(done.stdout)
    assert counts.pop("alarm") is None
    assert counts["found"] == 1000
    assert sum(counts["rows"].values()) == 1001
    assert counts["damaged"] == 1
    for status, number in counts["rows"].items():
        damaged = counts["damaged"] if status == "refused" else 0
        assert sum(entry[status] for entry in counts["calls"]) + damaged == number > 0
    assert {entry["model"] for entry in counts["calls"]} == {"m0", "m1", "m2"}
    kept = json.loads((tmp_path / "out" / SUMMARY).read_text())
    assert counts == {name: kept[name] for name in counts}
    assert kept["layout"]["tool"] == "tool"


def test_long_names_are_cut_on_terminals_only(tmp_path: Path, command: Command) -> None:
    """And the worst pair of a model and a tool is first, as in the report."""
    long = "a-model-with-a-long-name-" * 4
    given = [{"model": "m", "tool": "x", "arguments": "{}"}]
    given += [{"model": long, "tool": "x", "arguments": "{}"} for _ in range(9)]
    given += [{"model": long, "tool": "search", "arguments": '{"q": "a"}'} for _ in range(30)]
    (tmp_path / "in.jsonl").write_bytes(lines(given))
    printed = command("in.jsonl", "-o", "out").stdout.decode()
    assert f"{long}, search" in printed
    assert printed.index(f"{long}, x") < printed.index("\nm, x") < printed.index(f"{long}, search")


@pytest.mark.parametrize(("share", "code"), [("0.5", 0), ("0.2", 1), ("0", 1)])
def test_the_exit_code_tells_of_too_many_refused_rows(
    tmp_path: Path, command: Command, share: str, code: int
) -> None:
    given = [{"tool": tool, "arguments": '{"q": "a"}'} for tool in ("search", "search", "x")]
    (tmp_path / "in.jsonl").write_bytes(lines(given))
    done = command("in.jsonl", "-o", "out", "--max-refused", share)
    assert done.returncode == code
    assert len(output_of(tmp_path / "out")) == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rows.xlsx", "name its format: --input-format"),
        ("rows.parquet.gz", "is none of .jsonl, .ndjson"),
        ("rows", "name its format: --input-format"),
    ],
)
def test_another_kind_of_file_is_an_error_that_says_what_to_do(
    tmp_path: Path, command: Command, name: str, words: str
) -> None:
    (tmp_path / name).write_text("\n [\n" + ",\n".join(map(json.dumps, rows(3))) + "]")
    done = command(name, "-o", "out")
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()


def test_standard_input_is_read_and_has_a_name(tmp_path: Path, command: Command) -> None:
    given = rows(30)
    for number, text in enumerate((lines(given), json.dumps(given, indent=1).encode())):
        done = command("-", "-o", f"out{number}", input=text)
        assert done.returncode == 0, done.stderr
        found = output_of(tmp_path / f"out{number}")
        assert [row["tool"] for row in found] == [row["tool"] for row in given]
        assert {row["source_file"] for row in found} == {"-"}
        assert [row["source_line"] for row in found] == list(range(1, 31))


def test_a_full_disk_for_standard_input_is_an_error(tmp_path: Path, command: Command) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    code = (
        "import tempfile, os; make = tempfile.mkdtemp\n"
        "def full(*a, **k):\n"
        "    folder = make(*a, **k)\n"
        "    os.symlink('/dev/full', folder + '/rows.json')\n"
        "    return folder\n"
        "tempfile.mkdtemp = full\n"
        "from schema2model.apps.cli import main; main()"
    )
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", code, "batch", "-", "--tools", "tools.json", "-o", "out"],
        cwd=tmp_path,
        env=environment,
        input=b"{}" * 10**6,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"no space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not list((tmp_path / "tmp").iterdir())


def test_a_cluster_does_not_read_standard_input(command: Command) -> None:
    done = command("-", "-o", "out", "--runner", "ray", input=b"{}")
    assert done.returncode == 2
    assert b"write it to a file" in done.stderr


def test_the_formats_of_the_command_are_those_of_the_library() -> None:
    [option] = [each for each in batch.params if each.name == "input_format"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == get_args(FileFormat)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.jsonl", "-o", "out"], "found no file to read at"),
        (["in.jsonl", "-o", "in.jsonl"], "exists already"),
        (["in.jsonl", "-o", "out", "--tools", "none.json"], "cannot read none.json"),
        (["in.jsonl", "-o", "out", "--max-refused", "2"], "not in the range"),
        (["in.jsonl", "-o", "out", "--tool-column", "status", "--dialect", "x"], "x"),
        (["in.jsonl"], "Missing option '-o'"),
    ],
)
def test_what_cannot_begin_exits_with_2(
    tmp_path: Path, command: Command, arguments: list[str], words: str
) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(3)))
    done = command(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "tools.json"]


def test_a_broken_tool_is_told_of_and_costs_its_own_calls_only(
    tmp_path: Path, command: Command
) -> None:
    tools = [TOOL, {"name": "broken", "parameters": {"type": "whole"}}]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    given = [{"tool": tool, "arguments": '{"q": "a"}'} for tool in ("search", "broken")]
    (tmp_path / "in.jsonl").write_bytes(lines(given))
    done = command("in.jsonl", "-o", "out")
    assert done.returncode == 0
    assert b'the schema of the tool "broken" is wrong' in done.stderr
    assert [row["status"] for row in output_of(tmp_path / "out")] == ["unchanged", "refused"]


def test_progress_is_json_for_programs(tmp_path: Path, command: Command) -> None:
    """From the first line on, which says what the layout is."""
    (tmp_path / "in.jsonl").write_bytes(lines(rows(100)))
    told = command("in.jsonl", "-o", "out", "--json").stderr.splitlines()
    first, *_, last = map(json.loads, told)
    assert first["layout"]["kind"] == "calls"
    assert (last["rows"], last["share"], last["seconds_left"]) == (100, 1.0, 0.0)
    assert last["rows_per_second"] > 0


def test_progress_is_a_line_for_people_on_a_terminal(tmp_path: Path, command: Command) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(100)))
    controller, terminal = os.openpty()
    done = command("in.jsonl", "-o", "out", stderr=terminal)
    os.close(terminal)
    written = os.read(controller, 10_000).decode()
    os.close(controller)
    assert done.returncode == 0
    assert "100 rows  100%" in written.rpartition("\r\x1b[K")[2]


def test_a_run_does_not_end_because_nobody_reads_how_far_it_is(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(100)))
    reader, writer = os.pipe()
    os.close(reader)
    done = command("in.jsonl", "-o", "out", stderr=writer)
    os.close(writer)
    assert done.returncode == 0
    assert len(output_of(tmp_path / "out")) == 100


def test_a_part_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be divided has progress too."""
    monkeypatch.setattr(batch_parts, "_BEAT", 0.0)
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(lines(long_rows(3_000)), 1))
    (tmp_path / "out" / batch_parts.WORK).mkdir(parents=True)
    [part] = plan(find_sources([str(tmp_path / "in.jsonl.gz")]), 1)
    job = batch_parts.Job(CORRECTOR, Layout(), "", str(tmp_path / "out"))
    job.do(part)
    beat = json.loads(Path(batch_parts.work_path(job.directory, 0, "beat")).read_text())
    assert 0 < beat["rows"] < 3_000
    assert 0 < beat["size"] <= part.size


def test_time_left_goes_by_what_this_attempt_has_done() -> None:
    progress = Progress(
        rows=300, rows_before=100, size=30, size_before=10, total_size=110, seconds=2.0
    )
    assert (progress.rows_per_second, progress.seconds_left) == (100.0, 8.0)
    assert Progress(0, 0, 10, 10, 20, 1.0).seconds_left is None


def test_a_run_that_found_nothing_exits_with_3_and_says_the_cure(
    tmp_path: Path, command: Command
) -> None:
    call = {"function": {"name": "search", "arguments": '{"q": "a"}'}}
    chat = [{"messages": [{"role": "assistant", "tool_calls": [call]}]}] * 3
    (tmp_path / "in.jsonl").write_bytes(lines(chat))
    done = command("in.jsonl", "-o", "out", "--layout", "calls")
    assert done.returncode == 3
    words = " ".join(done.stderr.decode().split())
    assert "No call was found in 3 rows." in words
    assert 'OpenAI chat messages in "messages"' in words
    assert len(output_of(tmp_path / "out")) == 3
    told = json.loads(command("in.jsonl", "-o", "json", "--layout", "calls", "--json").stdout)
    assert set(told["alarm"]) == {"problem", "cure"}
    assert command("in.jsonl", "-o", "found").returncode == 0


def test_two_values_for_a_name_are_the_reason_that_is_counted(
    tmp_path: Path, command: Command
) -> None:
    """And not that nothing is in its column."""
    line = '{"tool": "search", "arguments": {"q": "a"}, "arguments": {"q": "b"}}'
    (tmp_path / "in.jsonl").write_text(line)
    done = command(str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out"))
    assert b'1  the row has two values for "arguments"' in done.stdout
    assert "Give each name in an object one value" in " ".join(done.stderr.decode().split())


def test_the_words_have_at_most_30_lines_however_much_there_is_to_say(
    tmp_path: Path, command: Command
) -> None:
    long = "x" * 500
    given = [
        {"model": f"m{i}{long}", "tool": f"t{i % 40}{long}", "arguments": "?"} for i in range(400)
    ]
    good = [{"model": f"g{i}", "tool": "search", "arguments": '{"q": "a"}'} for i in range(600)]
    for name, corpus in (("alarm", given), ("quiet", given + good)):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(corpus))
        done = command(f"{name}.jsonl", "-o", f"out-{name}")
        assert done.returncode == (3 if name == "alarm" else 0)
        written = (done.stderr + done.stdout).decode().splitlines()
        assert len(written) <= 30
        assert max(map(len, done.stderr.decode().splitlines()[1:])) <= 100
        assert max(map(len, written)) <= 500  # names are counted by their first 200 characters


# ------------------------------------------------------------------------------------- the document
def test_the_example_of_the_document_is_true(tmp_path: Path, command: Command) -> None:
    text = (Path(__file__).parents[3] / "docs" / "batch.md").read_text(encoding="utf-8")
    _, files, _, printed, _ = re.split(r"<!-- batch:\w+ -->", text)
    tools, calls = re.findall(r"```\n(.*?)```", files, re.DOTALL)
    (tmp_path / "tools.json").write_text(tools)
    (tmp_path / "calls.jsonl").write_text(calls)
    done = command("calls.jsonl", "-o", "corrected")
    first = done.stderr.decode().splitlines()[0]
    assert f"{first}\n\n{done.stdout.decode()}" == printed.strip().strip("`").lstrip("\n")
    names = set(output_of(tmp_path / "corrected")[0])
    assert {*re.findall(r"`(\w+)`", text)} >= names - {"tool", "arguments", "model"}


@pytest.mark.parametrize("option", ["tool", "arguments", "messages", "model"])
def test_a_column_that_no_row_has_ends_the_command(
    tmp_path: Path, command: Command, option: str
) -> None:
    """With the names of those that there are."""
    (tmp_path / "in.jsonl").write_bytes(lines(rows(3)))
    done = command("in.jsonl", "-o", "out", f"--{option}-column", "nope")
    assert done.returncode == 2
    assert b'has a column "nope"; they have "' in done.stderr
    assert not (tmp_path / "out").exists()
