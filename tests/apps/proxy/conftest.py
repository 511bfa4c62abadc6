"""What the tests of the proxy share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from proxied import Connect, clients


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Start a proxy with a server."""
    with clients(tmp_path) as connect:
        yield connect
