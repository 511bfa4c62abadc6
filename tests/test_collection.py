"""What pytest makes of modules that cannot be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = {
    "test_broken": "import no_such_module",
    "test_old": "from schema2model.errors import no_such_name",
    "test_needy": "import pytest\npytest.importorskip('other_module', reason='needs another')",
}


def test_a_module_that_cannot_be_imported_is_an_error_unless_it_says_what_it_needs(
    tmp_path: Path,
) -> None:
    """Nobody would miss its tests; then it is skipped, and the reason is shown."""
    for name, line in MODULES.items():
        text = f"{line}\n\n\ndef test_nothing() -> None:\n    pass\n"
        (tmp_path / f"{name}.py").write_text(text)
    words = ["-q", "-n", "0", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-m", "pytest", *words, "--rootdir", str(ROOT), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603
    assert done.returncode not in {0, 5}
    assert "No module named 'no_such_module'" in done.stdout
    assert "cannot import name 'no_such_name'" in done.stdout
    assert "1 skipped, 2 errors" in done.stdout
    assert "needs another" in done.stdout
