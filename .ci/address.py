"""Writes where the repository is, once it is known: `python .ci/address.py https://HOST/OWNER/NAME`.

Into `pyproject.toml`, and into the README, whose links lead nowhere on a package index otherwise.
Commit what it changes: a release is built of the files that are tagged, as they are.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LINK = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)")


def main(address: str) -> None:
    """Write it in the current folder."""
    readme, project = Path("README.md"), Path("pyproject.toml")
    text = project.read_text("utf-8")
    if "[project.urls]" in text:
        sys.exit("pyproject.toml has the address already")
    urls = f'[project.urls]\nRepository = "{address}"\n\n'
    project.write_text(text.replace("[project.scripts]", f"{urls}[project.scripts]"), "utf-8")
    kinds = {"!": "raw", "": "blob"}
    text = readme.read_text("utf-8")
    text = LINK.sub(lambda found: f"{found[0]}{address}/{kinds[found[1]]}/HEAD/", text)
    readme.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
