"""What is said where an extra is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

import pytest

import schema2model
from schema2model.extras import DISTRIBUTION, extra, needs

ROOT = Path(__file__).parents[1]
PACKAGE = Path(schema2model.__file__).parent
OFFERED = metadata(DISTRIBUTION).get_all("Provides-Extra") or []


@pytest.mark.parametrize("name", OFFERED)
def test_a_missing_extra_is_named_and_how_to_install_it(name: str) -> None:
    """The end of the message can be copied to a shell."""
    with pytest.raises(ImportError) as missing, extra(name):
        import no_such_framework  # noqa: F401, PLC0415
    command = f"pip install '{DISTRIBUTION}[{name}]'"
    assert str(missing.value).endswith(command)
    assert needs(name).endswith(command)
    assert missing.value.name == "no_such_framework"


@pytest.mark.parametrize(
    ("module", "missing", "name"),
    [
        ("columns", "pyarrow", "batch"),
        ("frames", "pyarrow", "batch"),
        ("running", "pyarrow", "batch"),
        ("report.page", "jinja2", "report"),
    ],
)
def test_the_parts_of_batch_name_their_extra(module: str, missing: str, name: str) -> None:
    """Each is imported by itself."""
    script = f"import sys; sys.modules['{missing}'] = None; import schema2model.apps.batch.{module}"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert done.stderr.strip().endswith(needs(name))


def test_every_extra_that_is_asked_for_exists() -> None:
    """A hint that installs nothing is worse than none."""
    asked = set()
    for path in PACKAGE.rglob("*.py"):
        if path.name != "extras.py":
            asked |= set(re.findall(r"""\b(?:extra|needs)\(["']([a-z-]+)["']""", path.read_text()))
    assert len(asked) > 10
    assert asked <= set(OFFERED)


def test_pages_install_the_clone() -> None:
    """Those of pages, in a clone: before a release and after it."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [
        (path.name, source)
        for path in pages
        for source in re.findall(r"""pip install (?:-e )?["']?([^\s"'`\[]+)\[""", path.read_text())
    ]
    ours = {source for _, source in found if source in {".", DISTRIBUTION, "schema2model"}}
    assert len(found) > 30
    assert ours == {"."}


def test_nobody_else_says_how_to_install_an_extra() -> None:
    """The distribution's name is written once."""
    for path in PACKAGE.rglob("*.py"):
        if path.name != "extras.py":
            text = path.read_text()
            assert "pip install '" not in text, path
            assert DISTRIBUTION not in text, path
