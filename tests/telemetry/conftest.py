"""What the tests of telemetry share."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def recorded() -> Any:
    """What is recorded when nothing else is asked for."""
    from recorded import Recorded  # noqa: PLC0415 - needs OpenTelemetry's SDK

    return Recorded()
