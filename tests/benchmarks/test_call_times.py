"""The comparison of the times of two versions: that it measures what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.call_times import CALL, ROOT, Job, Version

BLOCK = f"<tool_call>{CALL}</tool_call>"


def test_a_version_reads_in_an_interpreter_of_its_own() -> None:
    """Whole and in pieces, and counts the calls that it has read."""
    version = Version(ROOT)
    try:
        for job, count in ((Job(BLOCK), 1), (Job(BLOCK * 3, 4, 2), 3), (Job("Hello.", 4), 0)):
            seconds, calls = version.seconds(job)
            assert calls == count
            assert seconds > 0
    finally:
        version.close()


def test_a_checkout_without_the_package_is_refused(tmp_path: Path) -> None:
    """The version that is installed would be measured in its place."""
    with pytest.raises(SystemExit, match="has no package schema2model"):
        Version(tmp_path)


def test_it_prints_the_tables() -> None:
    """Of one format and one hostile text, beside this version itself."""
    command = ["benchmarks.call_times", "--before", str(ROOT), "--rounds", "1"]
    for only, match, row in (
        ("usual", "hermes", "| a call alone |"),
        ("growth", "turns", "| turns |"),
    ):
        made = subprocess.run(  # noqa: S603 - our own
            [sys.executable, "-m", *command, "--only", only, "--match", match],
            cwd=Path(__file__).parents[2],
            check=True,
            capture_output=True,
            text=True,
        )
        assert "before" in made.stdout
        assert row in made.stdout
        assert "Not read" not in made.stdout
