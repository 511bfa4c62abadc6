"""Many schemas at once: what each compiled one keeps in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.contenders import installed
from benchmarks.memory import LEFT_BEHIND, PROBES

ROOT = Path(__file__).parent.parent
MANY = 10_000
FEW = {"datamodel-code-generator": 500}
NEEDED = {
    "jsonschema-rs": "jsonschema_rs",
    "fastjsonschema": "fastjsonschema",
    "json-schema-to-pydantic": "json_schema_to_pydantic",
    "datamodel-code-generator": "datamodel_code_generator",
}


@pytest.mark.benchmark(group="memory")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's /proc")
@pytest.mark.parametrize("contender", PROBES)
def test_kept(benchmark: Any, contender: str) -> None:
    """Distinct schemas of a median tool are compiled in a process of their own and kept."""
    installed(NEEDED.get(contender, "schema2model"))
    count = FEW.get(contender, MANY)
    count = count if benchmark.enabled else min(count, 60)
    probe = [sys.executable, "-W", "ignore", "-m", "benchmarks.memory"]
    taken: list[float] = []

    def run() -> None:
        done = subprocess.run(  # noqa: S603 - our own program
            [*probe, contender, str(count)], capture_output=True, text=True, check=True, cwd=ROOT
        )
        taken.append(float(done.stdout))

    benchmark.pedantic(run)
    assert taken[0] >= 0
    benchmark.extra_info |= {"case": "median tool", "contender": contender}
    benchmark.extra_info |= {"schemas": count, "KiB per schema": round(taken[0] / 1024, 2)}


@pytest.mark.benchmark(group="memory")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's /proc")
def test_left_behind(benchmark: Any) -> None:
    """What 60 large schemas leave in the cache, each of them used once and let go."""
    count = 60 if benchmark.enabled else 3
    probe = [sys.executable, "-W", "ignore", "-m", "benchmarks.memory"]
    taken: list[int] = []

    def run() -> None:
        done = subprocess.run(  # noqa: S603 - our own program
            [*probe, LEFT_BEHIND, str(count)], capture_output=True, text=True, check=True, cwd=ROOT
        )
        taken.append(int(done.stdout))

    benchmark.pedantic(run)
    benchmark.extra_info |= {"case": "schemas of 90 KB", "contender": LEFT_BEHIND}
    benchmark.extra_info |= {"schemas": count, "MiB": round(taken[0] / 2**20)}
