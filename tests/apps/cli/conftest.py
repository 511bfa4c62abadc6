"""What the tests of commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from certificates import read_one_certificate

one_certificate = pytest.fixture(autouse=True)(read_one_certificate)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Any], str]:
    """Write a document, or text, or bytes, to a file, and return its name."""

    def write(content: Any) -> str:
        path = tmp_path / "schema.json"
        if not isinstance(content, bytes):
            content = (content if isinstance(content, str) else json.dumps(content)).encode()
        path.write_bytes(content)
        return str(path)

    return write
