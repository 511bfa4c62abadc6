# ruff: noqa: D103, S603 - the names state the promises; the processes are our own
"""The promises of runs that are started again: after Ctrl-C, over an output, after other runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("daft")

from corpora import RUN, Command, lines, long_rows, output_of, rows
from waiting import until

from schema2model.apps.batch.running import SUMMARY
from schema2model.apps.batch.unfinished_runs import find_leftovers

pytestmark = pytest.mark.adapters

UNFINISHED = "out.unfinished-0123456789abcdef"


WORDS = ["--tools", "tools.json", "in.jsonl", "-o", "out", "--part-size", "1", "--workers", "1"]


def interrupted(folder: Path, handler: Any) -> tuple[int, str]:
    """The exit code and the words of a run that Ctrl-C meets, with a handler set by its shell."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        process = subprocess.Popen(
            [*RUN, *WORDS, "--json"], cwd=folder, stderr=subprocess.PIPE, start_new_session=True
        )
    finally:
        signal.signal(signal.SIGINT, before)
    until(
        lambda: process.poll() is not None or any(folder.glob("out.unfinished-*/_work/*.done.json"))
    )
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[1].decode()
    return process.returncode, said


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_says_how_far_it_came_and_how_to_go_on(tmp_path: Path, command: Command) -> None:
    assert command("none", "-o", "out").returncode == 2  # it has put the tools there
    (tmp_path / "in.jsonl").write_bytes(lines(long_rows(8_000)))
    code, said = interrupted(tmp_path, signal.default_int_handler)
    assert code == 2, said
    assert "parts are finished and kept: the same command goes on from there" in said
    assert "Traceback" not in said
    done = command(*WORDS[2:], "--json")
    assert done.returncode == 0, done.stderr
    resumed = [json.loads(line) for line in done.stderr.splitlines() if b'"resumed"' in line]
    assert len(resumed) == 1
    assert resumed[0]["resumed"]["rows"] > 0
    assert len(output_of(tmp_path / "out")) == 8_000


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_no_output_lacks_a_part_where_only_daft_heeds_ctrl_c(
    tmp_path: Path, command: Command
) -> None:
    """As in the background of a shell, which has commands ignore it: Daft ends without an error."""
    assert command("none", "-o", "out").returncode == 2
    (tmp_path / "in.jsonl").write_bytes(lines(long_rows(4_000)))
    code, said = interrupted(tmp_path, signal.SIG_IGN)
    assert (tmp_path / "out").exists() == (code == 0)
    if code == 0:
        assert len(output_of(tmp_path / "out")) == 4_000
    else:
        assert "the same command goes on from there" in said


def test_an_output_is_overwritten_only_if_asked_for(tmp_path: Path, command: Command) -> None:
    for number in (30, 50):
        (tmp_path / "in.jsonl").write_bytes(lines(rows(number)))
        done = command("in.jsonl", "-o", "out", *(["--overwrite"] if number == 50 else []))
        assert done.returncode == 0
    assert len(output_of(tmp_path / "out")) == 50
    done = command("in.jsonl", "-o", "out")
    assert done.returncode == 2
    assert b"exists already, and is not overwritten; --overwrite replaces it" in done.stderr


def test_nothing_but_an_output_is_overwritten(tmp_path: Path, command: Command) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(30)))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").write_text("x")
    done = command("in.jsonl", "-o", "out", "--overwrite")
    assert done.returncode == 2
    assert b"it is not the output of an earlier run" in done.stderr
    assert (tmp_path / "out" / "precious").read_text() == "x"


def test_a_useless_output_does_not_block_the_next_run(tmp_path: Path, command: Command) -> None:
    call = {"function": {"name": "search", "arguments": '{"q": "a"}'}}
    chat = [{"messages": [{"role": "assistant", "tool_calls": [call]}]}] * 3
    (tmp_path / "in.jsonl").write_bytes(lines(chat))
    assert command("in.jsonl", "-o", "out", "--layout", "calls").returncode == 3
    done = command("in.jsonl", "-o", "out")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out" / SUMMARY).read_text())
    assert "useless" not in summary


def test_what_other_runs_left_is_named_and_removed(tmp_path: Path, command: Command) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(rows(30)))
    (tmp_path / UNFINISHED).mkdir()
    (tmp_path / UNFINISHED / "part").write_bytes(bytes(2**20))
    (tmp_path / "other.unfinished-0123456789abcdef").mkdir()
    assert [each.size for each in find_leftovers(str(tmp_path / "out"))] == [2**20]
    done = command("in.jsonl", "-o", "out")
    assert f"{UNFINISHED} (1.0 MiB), of another run; --clean removes it" in done.stderr.decode()
    assert (tmp_path / UNFINISHED).exists()
    done = command("in.jsonl", "-o", "out", "--overwrite", "--clean")
    assert f"{UNFINISHED} (1.0 MiB), removed" in done.stderr.decode()
    assert not (tmp_path / UNFINISHED).exists()
    assert (tmp_path / "other.unfinished-0123456789abcdef").exists()
