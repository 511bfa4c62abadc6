"""What pytest makes of modules that cannot be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from skips import MOST, too_many

ROOT = Path(__file__).parents[1]
MODULES = {
    "test_broken": "import no_such_module",
    "test_old": "from schema2model.errors import no_such_name",
    "test_needy": "import pytest\npytest.importorskip('other_module', reason='needs another')",
}


def ran(folder: Path) -> subprocess.CompletedProcess[str]:
    """The tests of a folder, as those of this repository run."""
    words = ["-q", "-n", "0", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-m", "pytest", *words, "--rootdir", str(ROOT), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603


def test_a_module_that_cannot_be_imported_is_an_error_unless_it_says_what_it_needs(
    tmp_path: Path,
) -> None:
    """Nobody would miss its tests; then it is skipped, and the reason is shown."""
    for name, line in MODULES.items():
        text = f"{line}\n\n\ndef test_nothing() -> None:\n    pass\n"
        (tmp_path / f"{name}.py").write_text(text)
    done = ran(tmp_path)
    assert done.returncode not in {0, 5}
    assert "No module named 'no_such_module'" in done.stdout
    assert "cannot import name 'no_such_name'" in done.stdout
    assert "1 skipped, 2 errors" in done.stdout
    assert "needs another" in done.stdout


def test_more_may_not_be_skipped_than_is_known(tmp_path: Path) -> None:
    """A run fails that skips a test for a reason that nobody foresaw, or too many for one."""
    reasons = {"needs git": 2, "because": 1}
    lines = "".join(
        f"@pytest.mark.skip(reason={reason!r})\ndef test_{count}() -> None: ...\n"
        for reason, count in reasons.items()
    )
    (tmp_path / "test_skipped.py").write_text(f"import pytest\n\n{lines}")
    (tmp_path / "conftest.py").write_text(
        (ROOT / "tests" / "conftest.py")
        .read_text()
        .replace("Path(__file__).parent", f"Path({str(ROOT / 'tests')!r})")
    )
    done = ran(tmp_path)
    assert done.returncode == 1
    assert "1 skipped, where at most 0 may be: because" in done.stdout
    known = next(iter(MOST))
    assert too_many(["needs git"] * MOST[known]) == []
    assert len(too_many(["needs git"] * (MOST[known] + 1))) == 1
