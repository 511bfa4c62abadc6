# ruff: noqa: D103, S603 - the names state the promises; the processes are our own
"""The promises of runners: each gives the same rows, and says why where it cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("daft")

from corpora import (
    TOOL,
    Command,
    command_in,
    files_of,
    lines,
    rows,
)

pytestmark = pytest.mark.adapters


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """`schema2model batch` in a folder of its own."""
    return command_in(tmp_path)


# ------------------------------------------------------------------------------------------ runners
def test_ray_gives_the_same_files(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("ray")
    (tmp_path / "in.jsonl").write_bytes(lines(rows(20_000)))
    native = command("in.jsonl", "-o", "native", "--part-size", "1")
    ray = command("in.jsonl", "-o", "ray", "--part-size", "1", "--runner", "ray")
    assert (native.returncode, ray.returncode) == (0, 0), ray.stderr
    assert native.stdout == ray.stdout
    assert files_of(tmp_path / "native") == files_of(tmp_path / "ray")


def test_a_cluster_that_does_not_answer_is_an_error(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("ray")
    (tmp_path / "in.jsonl").write_bytes(lines(rows(3)))
    done = command("in.jsonl", "-o", "out", "--runner", "ray", "--address", "127.0.0.1:1")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[-1].startswith("Error: Daft cannot go on")
    assert b"Traceback" not in done.stderr


def test_a_daft_frame_gets_the_same_columns() -> None:
    program = f"""
import daft, json, os
from schema2model.batch import Corrector, correct_rows
from schema2model.batch.frames import correct_daft
rows = json.loads({json.dumps(json.dumps(rows(300, text=True)))})
corrector = Corrector([{TOOL!r}])
frame = correct_daft(daft.from_pylist(rows), corrector, workers=2)
assert frame.to_pylist() == list(correct_rows(rows, corrector))
try:
    correct_daft(frame, corrector)
except ValueError as error:
    assert "already" in str(error)
    print("as promised", flush=True)
os._exit(0)  # Daft's threads may be at work still
"""
    environment = {**os.environ, "DAFT_ANALYTICS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, env=environment
    )
    assert done.stdout.endswith(b"as promised\n"), done.stderr
