"""What the git server of MCP's makers has done to a repository."""

from __future__ import annotations

import subprocess
from pathlib import Path


def staged(repository: Path) -> list[str]:
    """The names of the files that are staged."""
    command = ["git", "-C", repository, "diff", "--cached", "--name-only"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()  # noqa: S603
