"""What pytest makes of modules that cannot be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def collected(path: Path) -> subprocess.CompletedProcess[str]:
    """A run of pytest over a file, with the project's options."""
    words = ["-q", "-n", "0", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-m", "pytest", *words, "--rootdir", str(ROOT), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603


@pytest.mark.parametrize(
    "line", ["import no_such_module", "from schema2model.errors import no_such_name"]
)
def test_a_test_module_that_cannot_be_imported_is_an_error(tmp_path: Path, line: str) -> None:
    """Nobody would miss its tests."""
    path = tmp_path / "test_broken.py"
    path.write_text(f"{line}\n\n\ndef test_nothing() -> None:\n    pass\n")
    done = collected(path)
    assert done.returncode not in {0, 5}
    assert "ImportError" in done.stdout or "ModuleNotFoundError" in done.stdout


def test_a_test_module_may_say_what_it_needs(tmp_path: Path) -> None:
    """Then it is skipped, and the reason is shown."""
    path = tmp_path / "test_needy.py"
    path.write_text("import pytest\n\npytest.importorskip('no_such_module', reason='needs it')\n")
    done = collected(path)
    assert done.returncode in {0, 5}
    assert "needs it" in done.stdout
