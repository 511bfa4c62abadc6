"""What the release makes of the README for the index, which has no files beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://example.org/ann/schema2model"
STEP = re.compile(r"- name: On the index.*?run: \|\n(.*?)\n      - ", re.DOTALL)


def test_links_of_the_readme_are_absolute(tmp_path: Path) -> None:
    """They lead to the files of the tag; those of pictures lead to their contents."""
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    found = STEP.search(workflow)
    assert found is not None
    before = (ROOT / "README.md").read_text("utf-8")
    (tmp_path / "README.md").write_text(before, "utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\n', "utf-8")
    subprocess.run(  # noqa: S603 - our own step
        [sys.executable, "-c", textwrap.dedent(found[1])],
        cwd=tmp_path,
        env={**os.environ, "REPOSITORY": REPOSITORY, "TAG": "v1.2.3"},
        check=True,
    )
    after = (tmp_path / "README.md").read_text("utf-8")
    targets = re.findall(r"\]\((.*?)\)", after)
    files = [re.sub(f"^{REPOSITORY}/(?:blob|raw)/v1.2.3/", "", target) for target in targets]
    assert files == re.findall(r"\]\((.*?)\)", before)
    assert all((ROOT / file.partition("#")[0]).is_file() for file in files)
    assert f"git clone {REPOSITORY} schema2model" in after
    pictures = re.findall(r"!\[[^\]]*\]\((.*?)\)", after)
    assert pictures
    assert all(picture.startswith(f"{REPOSITORY}/raw/v1.2.3/") for picture in pictures)
    restored = re.sub(f"{REPOSITORY}/(?:blob|raw)/v1.2.3/", "", after).replace(
        f"clone {REPOSITORY}", "clone URL-OF-THIS-REPOSITORY"
    )
    assert restored == before
    assert f'Repository = "{REPOSITORY}"' in (tmp_path / "pyproject.toml").read_text("utf-8")
