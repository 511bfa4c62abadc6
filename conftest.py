"""How tests are spread over processes, which `-n auto` among the project's options asks for."""

from __future__ import annotations

import pytest


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """None of its own for what is timed, or for a single test; as many as processors otherwise."""
    is_timed = config.option.benchmark_only or config.option.benchmark_disable
    return 0 if is_timed or any("::" in argument for argument in config.args) else None
