"""`py.typed` is true: type checkers find the mistakes in a user's script, and nothing else."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from type_checkers import CACHE

FOLDER = Path(__file__).parent
SCRIPTS = {"user_script": (), "sdk_script": ("openai", "anthropic", "google-genai")}
"""Scripts, with the packages that they need."""


def marked(script: Path) -> set[int]:
    """The lines that are mistakes."""
    lines = script.read_text().splitlines()
    return {n for n, line in enumerate(lines, 1) if line.endswith("  # error")}


def told_by_mypy(script: Path, folder: Path) -> set[int]:
    """The lines with an error, as a user without our configuration sees them."""
    command = ["mypy", "--strict", "--config-file=", CACHE, str(script)]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=folder
    )
    assert "error:" in done.stdout, done.stdout + done.stderr
    return {int(line) for line in re.findall(rf"{script.name}:(\d+): error", done.stdout)}


def told_by_pyright(script: Path, folder: Path) -> set[int]:
    """The same, by the other widespread one."""
    command = ["pyright", "--pythonpath", sys.executable, "--outputjson", str(script)]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=folder
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


CHECKERS = {"mypy": told_by_mypy, "pyright": told_by_pyright}


@pytest.mark.parametrize("name", CHECKERS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_type_checkers_find_the_mistakes(script: str, name: str, tmp_path: Path) -> None:
    """Those that are marked, and no other: what is right is no error."""
    for package in (name, *SCRIPTS[script]):
        if importlib.util.find_spec(package.partition("-")[0]) is None:
            pytest.skip(f"needs {package}: pip install '{package}'")
    path = FOLDER / f"{script}.py"
    assert CHECKERS[name](path, tmp_path) == marked(path)
    assert marked(path)


def test_the_mistakes_are_many() -> None:
    """Of a user's script."""
    assert len(marked(FOLDER / "user_script.py")) > 15
