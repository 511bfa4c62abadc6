"""What is tagged is what is built, and says where the repository is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://example.org/ann/schema2model"
WORKFLOWS = {
    path.name: path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")
}


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="a source distribution has no .ci/run")
def test_the_address_is_written_once(tmp_path: Path) -> None:
    """Links of the README lead to files of the repository; those of pictures to their contents."""
    before = (ROOT / "README.md").read_text("utf-8")
    for name in ("README.md", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    command = [sys.executable, str(ROOT / ".ci" / "address.py"), f"{REPOSITORY}/"]
    subprocess.run(command, cwd=tmp_path, check=True)  # noqa: S603 - our own
    after = (tmp_path / "README.md").read_text("utf-8")
    targets = re.findall(r"\]\((.*?)\)", after)
    files = [re.sub(f"^{REPOSITORY}/(?:blob|raw)/HEAD/", "", target) for target in targets]
    assert files == re.findall(r"\]\((.*?)\)", before)
    assert all((ROOT / file.partition("#")[0]).is_file() for file in files)
    pictures = re.findall(r"!\[[^\]]*\]\((.*?)\)", after)
    assert pictures
    assert all(picture.startswith(f"{REPOSITORY}/raw/HEAD/") for picture in pictures)
    assert re.sub(f"{REPOSITORY}/(?:blob|raw)/HEAD/", "", after) == before
    project = (tmp_path / "pyproject.toml").read_text("utf-8")
    assert f'[project.urls]\nRepository = "{REPOSITORY}"\n' in project
    again = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)  # noqa: S603
    assert (again.returncode, again.stderr) == (1, "pyproject.toml has the address already\n")
    assert (tmp_path / "README.md").read_text("utf-8") == after


def test_the_release_builds_the_files_of_the_tag() -> None:
    """Nothing writes any before it builds, and the build leaves them as they are."""
    steps = WORKFLOWS["release.yml"].split("      - ")
    build = next(n for n, step in enumerate(steps) if step.startswith("run: python -m build"))
    assert not any("write_text" in step or "sed " in step for step in steps[:build])
    assert "git diff --exit-code" in steps[build + 1]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_named_by_commit(name: str) -> None:
    """With the version beside it, which a human can read; the workflows of this folder by path."""
    used = re.findall(r"uses: (.+)", WORKFLOWS[name])
    assert used
    pinned = re.compile(r"[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+|\./\.github/workflows/\w+\.yml")
    assert [each for each in used if not pinned.fullmatch(each)] == []


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="a source distribution has no .ci/run")
def test_the_commands_before_a_commit_are_those_of_the_style_job() -> None:
    """All four, with the same arguments."""
    program = (ROOT / ".ci" / "run").read_text("utf-8")
    job = re.search(r"^style\(\) \{\n(.*?)^\}", program, re.MULTILINE | re.DOTALL)
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    commands = [each.strip() for each in re.findall(r"entry: ([^,\n]+)", hooks)]
    assert job is not None
    assert commands == [line.strip() for line in job[1].splitlines()[3:]]
