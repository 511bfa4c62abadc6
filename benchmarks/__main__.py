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


README = tuple(
    f"benchmarks/test_{name}.py" for name in ("hot_path", "text", "calls", "compile", "import")
)
"""The benchmarks that the README's table shows."""


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
        command = [sys.executable, "-m", "pytest", *OPTIONS, *again, *chosen]
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
    parser.add_argument("--readme", action="store_true", help="only the README's table")
    parser.add_argument("chosen", nargs="*", help="more arguments for pytest, after --")
    given = parser.parse_args()
    missing = [module for module in NEEDED if find_spec(module) is None]
    if missing:
        parser.error(f'{", ".join(missing)} missing; install with: pip install -e ".[dev,bench]"')
    with tempfile.TemporaryDirectory() as directory:
        reports, failed = given.reports, 0
        if not reports:
            chosen = [*(README if given.readme else ["benchmarks"]), *given.chosen]
            reports, failed = run(given.passes, chosen, Path(directory))
        results = Results(reports)
    if given.readme:
        report.write_readme(results)
    else:
        report.write(results, len(reports))
        exactness.main()
    sys.exit(failed)


if __name__ == "__main__":
    main()
