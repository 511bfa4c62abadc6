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
    files_of,
    lines,
    long_rows,
    output_of,
    rows,
)

pytestmark = pytest.mark.adapters


# ------------------------------------------------------------------------------------------ runners
def test_ray_gives_the_same_files(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("ray")
    (tmp_path / "in.jsonl").write_bytes(lines(long_rows(2_000)))
    native = command("in.jsonl", "-o", "native", "--part-size", "1")
    ray = command("in.jsonl", "-o", "ray", "--part-size", "1", "--runner", "ray")
    assert (native.returncode, ray.returncode) == (0, 0), ray.stderr
    assert native.stdout.replace(b"native", b"ray") == ray.stdout
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
from schema2model.apps.batch import Corrector, correct_rows
from schema2model.apps.batch.frames import correct_daft
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


KILLED = """
import os, signal, sys
if "daft.execution.udf_worker" in sys.orig_argv:
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""What Python runs as it starts: a worker does not live to say that it is there."""


CUT_OFF = """
import os, sys
if "-c" in sys.orig_argv:
    os.write(1, b'{"part": {"number": 0')
    os._exit(1)
"""
"""What Python runs as it starts: a driver that says half a record and is gone."""


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        pytest.param(
            KILLED,
            "a worker ended as it began, by signal 9",
            id="a worker",
            marks=pytest.mark.skipif(
                not hasattr(os, "waitid"), reason="needs the system to tell of lost processes"
            ),
        ),
        pytest.param(CUT_OFF, "no output", id="the driver"),
    ],
)
def test_what_is_lost_as_it_starts_ends_the_run_which_can_be_started_again(
    tmp_path: Path, command: Command, first: str, reason: str
) -> None:
    """Daft waits forever for a worker that is lost; half a record of the driver's is none."""
    (tmp_path / "in.jsonl").write_bytes(lines(rows(300)))
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sitecustomize.py").write_text(first)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "first")}
    done = command("in.jsonl", "-o", "out", env=environment)
    assert done.returncode == 2
    last = done.stderr.decode().splitlines()[-1]
    assert last == f"Error: Daft was lost: {reason}"
    assert command("in.jsonl", "-o", "out").returncode == 0
    assert len(output_of(tmp_path / "out")) == 300
