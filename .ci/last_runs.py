"""When the jobs of `.ci/run` that have to be named ran last: `.ci/last_runs.toml`, to be committed.

python .ci/last_runs.py              # prints how old each is
python .ci/last_runs.py NAME passed  # writes one
"""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from pathlib import Path

RECORD = Path(__file__).with_name("last_runs.toml")
ENTRY = re.compile(
    r'\[(?P<job>\w+)\]\ndate = (?P<date>[\d-]+)\ncommit = "(?P<commit>\w+)"\n'
    r'outcome = "(?P<outcome>passed|failed)"\n'
)


def last_runs(path: Path = RECORD) -> dict[str, dict[str, str]]:
    """The entries by job."""
    text = path.read_text("utf-8") if path.exists() else ""
    return {found["job"]: found.groupdict() for found in ENTRY.finditer(text)}


def write(job: str, outcome: str, path: Path = RECORD, clone: Path = RECORD.parent) -> None:
    """Write the entry of a job that has just ended, of the commit that is checked out."""
    command = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(command, cwd=clone, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    today = dt.datetime.now(dt.timezone.utc).date()
    entry = {"job": job, "date": str(today), "commit": head.stdout.strip(), "outcome": outcome}
    entries = {**last_runs(path), job: entry}
    lines = (
        '[{job}]\ndate = {date}\ncommit = "{commit}"\noutcome = "{outcome}"\n'.format(
            **entries[name]
        )
        for name in sorted(entries)
    )
    path.write_text("\n".join(lines), "utf-8")


def main(words: list[str]) -> None:
    """Write an entry, or print the age of all."""
    if words:
        write(*words)
        return
    today = dt.datetime.now(dt.timezone.utc).date()
    for job, entry in last_runs().items():
        age = (today - dt.date.fromisoformat(entry["date"])).days
        sys.stdout.write(f"== {job}: {entry['outcome']} {age} days ago, {entry['commit'][:8]}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
