"""What the tests of commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Any], str]:
    """Write a document, or bytes, to a file, and return its name."""

    def write(content: Any) -> str:
        path = tmp_path / "schema.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    return write
