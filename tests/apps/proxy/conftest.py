"""What the tests of the proxy share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from certificates import read_one_certificate
from fake_servers import Ends, FakeServer
from proxied import Connect, clients
from waiting import PATIENCE

one_certificate = pytest.fixture(autouse=True)(read_one_certificate)


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Start a proxy with a server."""
    with clients(tmp_path) as connect:
        yield connect


@pytest.fixture
def ends(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[..., Ends]]:
    """Put several servers, by default "one" and "two", behind a client; all end with the test."""
    caplog.set_level("WARNING", "schema2model.proxy")
    started: list[Ends] = []

    def start(*names: str, patience: float = PATIENCE, **servers: FakeServer) -> Ends:
        made = servers or {name: FakeServer() for name in names or ("one", "two")}
        started.append(Ends(patience, **made))
        return started[-1]

    yield start
    for each in started:
        each.several.stop(0)
