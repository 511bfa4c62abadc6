"""What the release makes of the README for the index, which has no files beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from schema2model import extras

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://example.org/ann/schema2model"
WORKFLOW = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")


def run_step(name: str, folder: Path) -> None:
    """Run a step of the workflow in a folder."""
    found = re.search(rf"- name: {name}.*?run: \|\n(.*?)\n      - ", WORKFLOW, re.DOTALL)
    assert found is not None
    subprocess.run(  # noqa: S603 - our own step
        [sys.executable, "-c", textwrap.dedent(found[1])],
        cwd=folder,
        env={**os.environ, "REPOSITORY": REPOSITORY, "TAG": "v1.2.3"},
        check=True,
    )


def test_commands_install_the_distribution(tmp_path: Path) -> None:
    """On all pages and in errors, by one constant; what contributors type stays a checkout."""
    pages = ["README.md", *(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md"))]
    sources = {name: ROOT / name for name in pages}
    sources["schema2model/extras.py"] = Path(extras.__file__)  # the tests may be of a wheel
    for name, source in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source.read_text("utf-8"), "utf-8")
    run_step("Errors and pages", tmp_path)
    texts = [(tmp_path / name).read_text("utf-8") for name in pages]
    assert sum('pip install "pydantic-schema2model[' in text for text in texts) > 20
    assert not any(re.search(r"""pip install ["']?\.\[""", text) for text in texts)
    assert "not on PyPI" not in texts[0]
    assert 'pip install -e ".[dev]"' in texts[0]
    command = "from extras import needs; print(needs('mcp'))"
    path = {**os.environ, "PYTHONPATH": str(tmp_path / "schema2model")}
    said = subprocess.run(  # noqa: S603
        [sys.executable, "-c", command], env=path, capture_output=True, text=True, check=True
    )
    assert said.stdout == "needs the extra \"mcp\": pip install 'pydantic-schema2model[mcp]'\n"


def test_links_of_the_readme_are_absolute(tmp_path: Path) -> None:
    """They lead to the files of the tag; those of pictures lead to their contents."""
    before = (ROOT / "README.md").read_text("utf-8")
    (tmp_path / "README.md").write_text(before, "utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\n', "utf-8")
    run_step("On the index", tmp_path)
    after = (tmp_path / "README.md").read_text("utf-8")
    targets = re.findall(r"\]\((.*?)\)", after)
    files = [re.sub(f"^{REPOSITORY}/(?:blob|raw)/v1.2.3/", "", target) for target in targets]
    assert files == re.findall(r"\]\((.*?)\)", before)
    assert all((ROOT / file.partition("#")[0]).is_file() for file in files)
    pictures = re.findall(r"!\[[^\]]*\]\((.*?)\)", after)
    assert pictures
    assert all(picture.startswith(f"{REPOSITORY}/raw/v1.2.3/") for picture in pictures)
    assert re.sub(f"{REPOSITORY}/(?:blob|raw)/v1.2.3/", "", after) == before
    assert f'Repository = "{REPOSITORY}"' in (tmp_path / "pyproject.toml").read_text("utf-8")
