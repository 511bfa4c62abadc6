"""`pytest benchmarks --benchmark-disable` runs each benchmark once, as a smoke test."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Let `--benchmark-disable` overrule the `--benchmark-skip` of the project's own options."""
    if config.option.benchmark_disable:
        config.option.benchmark_skip = False
