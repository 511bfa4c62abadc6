"""What the tests of several adapters share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from certificates import read_one_certificate

one_certificate = pytest.fixture(autouse=True)(read_one_certificate)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with a file that is not staged."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git from PyPI")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)  # noqa: S603, S607
    (tmp_path / "a.txt").write_text("a")
    return tmp_path
