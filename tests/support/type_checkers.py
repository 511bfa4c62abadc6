"""mypy and pyright in their strict modes, as a user without our configuration runs them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["CACHE", "CHECKERS", "installed"]

_FOLDER = tempfile.TemporaryDirectory()
CACHE = f"--cache-dir={_FOLDER.name}"
"""mypy's option for what it knows of the SDKs, which it reads once for all tests of a process."""


def errors_of_mypy(paths: Sequence[Path], folder: Path) -> Iterator[str]:
    """The errors of mypy in its strict mode."""
    options = ["--strict", "--config-file=", CACHE]
    command = [sys.executable, "-m", "mypy", *options, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)  # noqa: S603
    assert "no issues found" in done.stdout or "error:" in done.stdout, done.stdout + done.stderr
    return (line for line in done.stdout.splitlines() if "error:" in line)


def errors_of_pyright(paths: Sequence[Path], folder: Path) -> Iterator[str]:
    """The errors of pyright in its strict mode."""
    names = [path.name for path in paths]
    for path in paths:
        (folder / path.name).write_text(f"# pyright: strict\n{path.read_text('utf-8')}", "utf-8")
    options = ["--pythonpath", sys.executable, "--outputjson", *names]
    command = [sys.executable, "-m", "pyright", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)  # noqa: S603
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == len(names)
    return (f"{each['file']}: {each['message']}" for each in found["generalDiagnostics"])


def installed(packages: tuple[str, ...]) -> bool:
    """Return whether all of these packages can be imported."""
    try:
        return all(importlib.util.find_spec(package) for package in packages)
    except ModuleNotFoundError:  # of a parent
        return False


CHECKERS = {"mypy": errors_of_mypy, "pyright": errors_of_pyright}
