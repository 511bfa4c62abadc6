"""Writes the versions of all that an extra installs, for whoever wants the same ones again.

python .ci/constraints.py cli mcp > constraints.txt
pip install --constraint constraints.txt ".[cli,mcp]"
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(extras: list[str]) -> None:
    """Ask pip what it would install in a fresh environment, and write the names and versions."""
    target = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    options = ["--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    command = [sys.executable, "-m", "pip", "install", *options, target]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)  # noqa: S603
    found = [each["metadata"] for each in report["install"] if not each["is_direct"]]
    lines = sorted(f"{each['name'].lower()}=={each['version']}\n" for each in found)
    sys.stdout.write("".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
