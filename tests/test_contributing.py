"""The places that CONTRIBUTING.md names are there."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import schema2model

ROOT = Path(__file__).parent.parent
PACKAGE = Path(schema2model.__file__).parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")

CODE = re.findall(r"`([^`]+)`|^    (.+)$", TEXT, re.MULTILINE)
WORDS = {word for pair in CODE for words in pair for word in words.split()}
PATHS = {word for word in WORDS if re.fullmatch(r"[\w.-]+/[\w./-]*|\w+\.(?:py|md|toml)", word)}
MODULES = {word for word in WORDS if re.fullmatch(r"benchmarks(?:\.\w+)?|tests\.\w+", word)}

_HEAD, *ROWS = re.findall(r"^\| .*$", TEXT.partition("## Where things go")[2], re.MULTILINE)


@pytest.mark.parametrize("path", sorted(PATHS - {".venv/bin/activate"}))
def test_a_path_exists(path: str) -> None:
    """In the repository or in the package; what ends with a stroke is a folder."""
    places = (ROOT / path, PACKAGE.parent / path, PACKAGE / path)
    assert any(place.is_dir() if path.endswith("/") else place.exists() for place in places)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_command_exists(module: str) -> None:
    """`python -m` can run it: a module, or a folder that has a main module."""
    path = ROOT / module.replace(".", "/")
    assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


def test_the_table_of_places_leaves_no_folder_out() -> None:
    """Every folder of the package is in one of its rows."""
    named = {name for row in ROWS for name in re.findall(r"`(\w+)/", row)}
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} <= named


def test_every_adapter_is_tried_with_its_framework() -> None:
    """In one of the environments of `.ci/run`; python-jsonschema is in all of them."""
    program = ROOT / ".ci" / "run"
    if not program.exists():
        pytest.skip("a source distribution has no .ci/run")
    lines = program.read_text("utf-8").replace("\\\n", " ").splitlines()
    tried = {
        name
        for line in lines
        if line.startswith("  frameworks ")
        for name in line.partition(" -- ")[0].split()[2:]
    }
    modules = {module.name for module in pkgutil.iter_modules([str(PACKAGE / "adapters")])}
    assert tried == modules - {"common", "frameworks", "jsonschema"}


OWED = {"search"}
"""The named jobs that have not passed since there is a record: one that passes leaves this list."""


@pytest.fixture
def record() -> Any:
    """The program that keeps when jobs ran."""
    path = ROOT / ".ci" / "last_runs.py"
    if not path.exists():
        pytest.skip("a source distribution has no .ci/run")
    spec = importlib.util.spec_from_file_location("last_runs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_named_job_has_passed(record: Any) -> None:
    """The last time it ran; how long ago that was is printed by `.ci/run`."""
    named = re.search(r"^named=\((.*)\)$", (ROOT / ".ci" / "run").read_text("utf-8"), re.MULTILINE)
    assert named is not None
    passed = {job for job, each in record.last_runs().items() if each["outcome"] == "passed"}
    assert passed == set(named[1].split()) - OWED


def test_a_run_of_a_named_job_is_kept(record: Any, tmp_path: Path) -> None:
    """The last one of each, with its date and commit."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs git and a clone")
    path = tmp_path / "last_runs.toml"
    for job, outcome in [("search", "failed"), ("peers", "passed"), ("search", "passed")]:
        record.write(job, outcome, path, ROOT)
    entries = record.last_runs(path)
    assert [(job, each["outcome"]) for job, each in entries.items()] == [
        ("peers", "passed"),
        ("search", "passed"),
    ]
    assert all(re.fullmatch(r"[0-9a-f]{40}", each["commit"]) for each in entries.values())
