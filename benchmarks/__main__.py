"""`python -m benchmarks`: run every benchmark and write what they show into the documentation."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import recovery, report
from benchmarks.results import Results

ROOT = Path(__file__).parent.parent
OPTIONS = (
    "--benchmark-only",
    "--benchmark-disable-gc",
    "--benchmark-timer=time.process_time",
    "--benchmark-columns=median,iqr,rounds",
    "--quiet",
)


def run(passes: int, chosen: list[str], directory: Path) -> list[Path]:
    """Run the benchmarks so many times; memory is only measured the first time."""
    reports = []
    for number in range(passes):
        reports.append(directory / f"{number}.json")
        again = ["--ignore=benchmarks/test_memory.py"] if number else []
        subprocess.run(  # noqa: S603 - our own program
            [
                *(sys.executable, "-m", "pytest", "benchmarks", *OPTIONS),
                *(f"--benchmark-json={reports[-1]}", *again, *chosen),
            ],
            check=True,
            cwd=ROOT,
        )
    return reports


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--passes", type=int, default=3, help="how often to run them (3)")
    parser.add_argument("--reports", type=Path, nargs="+", help="pytest-benchmark's JSON to use")
    parser.add_argument("chosen", nargs="*", help="more arguments for pytest, after --")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        reports = given.reports or run(given.passes, given.chosen, Path(directory))
        results = Results(reports)
    report.write(results, len(reports))
    recovery.main()


if __name__ == "__main__":
    main()
