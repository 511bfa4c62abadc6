"""`pytest benchmarks --benchmark-disable` runs each benchmark once, as a smoke test."""

from __future__ import annotations

import pytest

collect_ignore = ["batch.py"]
"""It needs what the extra `batch` installs, and has no examples."""


def pytest_configure(config: pytest.Config) -> None:
    """Let `--benchmark-disable` overrule the `--benchmark-skip` of the project's own options."""
    if config.option.benchmark_disable:
        config.option.benchmark_skip = False
