"""What the tests of batches share."""

from __future__ import annotations

import sys

import pytest
from forking import python


@pytest.fixture(autouse=True)
def _daft_starts_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have runs in this process start those of Daft with a Python that has imported it."""
    if "adapters" in request.keywords:
        monkeypatch.setattr(sys, "executable", python())
