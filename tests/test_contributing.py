"""The places that CONTRIBUTING.md names are there."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

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
