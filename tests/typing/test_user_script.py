"""`py.typed` is true: type checkers find the mistakes in a user's script, and nothing else."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("user_script.py")
MARKED = {
    n for n, line in enumerate(SCRIPT.read_text().splitlines(), 1) if line.endswith("  # error")
}


def told_by_mypy(folder: Path) -> set[int]:
    """The lines with an error, as a user without our configuration sees them."""
    command = ["mypy", "--strict", "--config-file=", f"--cache-dir={folder}", str(SCRIPT)]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=folder
    )
    assert "error:" in done.stdout, done.stdout + done.stderr
    return {int(line) for line in re.findall(r"user_script\.py:(\d+): error", done.stdout)}


def told_by_pyright(folder: Path) -> set[int]:
    """The same, by the other widespread one."""
    command = ["pyright", "--pythonpath", sys.executable, "--outputjson", str(SCRIPT)]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=folder
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


CHECKERS = {"mypy": told_by_mypy, "pyright": told_by_pyright}


@pytest.mark.parametrize("name", CHECKERS)
def test_type_checkers_find_the_mistakes(name: str, tmp_path: Path) -> None:
    """Those that are marked, and no other: what is right is no error."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"needs {name}: pip install '{name}[nodejs]'")
    assert CHECKERS[name](tmp_path) == MARKED
    assert len(MARKED) > 15
