"""`python -m benchmarks`: run every benchmark and write what they show into the documentation."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks import exactness, report
from benchmarks.results import Results

ROOT = Path(__file__).parent.parent
NEEDED = ("datamodel_code_generator", "jiter", "json_schema_to_pydantic", "msgspec")
"""What is compared with; without them the tables would have gaps."""
OPTIONS = (
    "--benchmark-only",
    "--benchmark-disable-gc",
    "--benchmark-timer=time.process_time",
    "--benchmark-columns=median,iqr,rounds",
    "--quiet",
)


def run(passes: int, chosen: list[str], directory: Path) -> tuple[list[Path], int]:
    """Run the benchmarks so many times; memory is only measured the first time.

    Returns:
        pytest-benchmark's reports, and 1 if a benchmark failed, which is then in none of them.

    """
    reports: list[Path] = []
    failed = 0
    for number in range(passes):
        reports.append(directory / f"{number}.json")
        again = ["--ignore=benchmarks/test_memory.py"] if number else []
        command = [sys.executable, "-m", "pytest", "benchmarks", *OPTIONS, *again, *chosen]
        command.append(f"--benchmark-json={reports[-1]}")
        code = subprocess.run(command, check=False, cwd=ROOT).returncode  # noqa: S603 - our own
        if code not in {0, 1}:
            message = f"pytest ended with {code}"
            raise SystemExit(message)
        failed |= code
    return reports, failed


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--passes", type=int, default=3, help="how often to run them (3)")
    parser.add_argument("--reports", type=Path, nargs="+", help="pytest-benchmark's JSON to use")
    parser.add_argument("chosen", nargs="*", help="more arguments for pytest, after --")
    given = parser.parse_args()
    missing = [module for module in NEEDED if find_spec(module) is None]
    if missing:
        parser.error(f'{", ".join(missing)} missing; install with: pip install -e ".[dev,bench]"')
    with tempfile.TemporaryDirectory() as directory:
        reports, failed = given.reports, 0
        if not reports:
            reports, failed = run(given.passes, given.chosen, Path(directory))
        results = Results(reports)
    report.write(results, len(reports))
    exactness.main()
    sys.exit(failed)


if __name__ == "__main__":
    main()
