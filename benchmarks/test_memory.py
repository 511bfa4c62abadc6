"""Many schemas at once: what each compiled one keeps in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.contenders import installed
from benchmarks.memory import KEPT_ERRORS, LEFT_BEHIND, PROBES

ROOT = Path(__file__).parent.parent
MANY = 10_000
FEW = {"datamodel-code-generator": 500}
NEEDED = {
    "jsonschema-rs": "jsonschema_rs",
    "fastjsonschema": "fastjsonschema",
    "json-schema-to-pydantic": "json_schema_to_pydantic",
    "datamodel-code-generator": "datamodel_code_generator",
}


pytestmark = [
    pytest.mark.benchmark(group="memory"),
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's /proc"),
]


def _probed(benchmark: Any, kind: str, count: int) -> float:
    """What the probe says of a kind, in a process of its own."""
    probe = [sys.executable, "-W", "ignore", "-m", "benchmarks.memory", kind, str(count)]
    taken: list[float] = []

    def run() -> None:
        done = subprocess.run(probe, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603 - our own program
        taken.append(float(done.stdout))

    benchmark.pedantic(run)
    return taken[0]


@pytest.mark.parametrize("contender", PROBES)
def test_kept(benchmark: Any, contender: str) -> None:
    """Distinct schemas of a median tool are compiled in a process of their own and kept."""
    installed(NEEDED.get(contender, "schema2model"))
    count = FEW.get(contender, MANY)
    count = count if benchmark.enabled else min(count, 60)
    taken = _probed(benchmark, contender, count)
    assert taken >= 0
    benchmark.extra_info |= {"case": "median tool", "contender": contender}
    benchmark.extra_info |= {"schemas": count, "KiB per schema": round(taken / 1024, 2)}


def test_left_behind(benchmark: Any) -> None:
    """What 60 large schemas leave in the cache, each of them used once and let go."""
    count = 60 if benchmark.enabled else 3
    taken = _probed(benchmark, LEFT_BEHIND, count)
    benchmark.extra_info |= {"case": "schemas of 90 KB", "contender": LEFT_BEHIND}
    benchmark.extra_info |= {"schemas": count, "MiB": round(taken / 2**20)}


def test_errors_that_are_kept(benchmark: Any) -> None:
    """What an error weighs, of arguments that held a hundred objects."""
    count = MANY if benchmark.enabled else 500
    taken = _probed(benchmark, KEPT_ERRORS, count)
    assert taken < 10_000  # with the arguments it would be 40,000
    benchmark.extra_info |= {"case": "arguments of 100 objects", "contender": KEPT_ERRORS}
    benchmark.extra_info |= {"errors": count, "KiB per error": round(taken / 1024, 2)}
