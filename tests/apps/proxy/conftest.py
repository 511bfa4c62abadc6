"""What the tests of the proxy share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import read_one_certificate
from proxied import Connect, clients

one_certificate = pytest.fixture(autouse=True)(read_one_certificate)


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Start a proxy with a server."""
    with clients(tmp_path) as connect:
        yield connect
