"""Pages whose code is scripts, to be copied as they stand: each runs, and prints what is below it.

A block of `python` is run, in one namespace for its page, and so is one of `shell`. If a block of
`text` follows, it is what was printed. A block with a title is a file of that name.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "tutorial.md",
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
]
NEEDS = {
    "mcp.md": ("mcp", "mcp.server.mcpserver"),
    "loops.md": ("openai", "anthropic", "google", "google.genai", "langchain_core", "httpx2"),
}
"""Modules that a page's code imports and that are not installed with `dev`."""
LAST = {"tutorial.md": "pydantic_ai"}
"""A module that only the end of a page imports; without it, the page ends there."""

_BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """Code of a page, where it begins, and what is said to be printed."""

    language: str
    title: str
    code: str
    line: int
    printed: str | None


def blocks(page: str) -> Iterator[Block]:
    """The code of a page, in its order."""
    found = list(_BLOCK.finditer(page))
    for match, after in zip_longest(found, found[1:]):
        language, title, code = match.groups()
        is_followed = after and after[1] == "text" and not page[match.end() : after.start()].strip()
        line = page.count("\n", 0, match.start()) + 1
        yield Block(language, title or "", code, line, after[3] if after and is_followed else None)


def run_python(block: Block, namespace: dict[str, Any], name: str) -> str:
    """What a block prints; its line numbers are those of the page."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = compile("\n" * block.line + block.code, name, "exec", dont_inherit=True)
        exec(code, namespace)  # noqa: S102 - our page
    return printed.getvalue()


def run_shell(block: Block) -> str:
    """What a block prints on standard output, with this environment's commands first."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    done = subprocess.run(  # noqa: S602 - our page
        block.code, shell=True, env=environment, text=True, capture_output=True, check=False
    )
    return done.stdout


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_runs_as_it_stands(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copied block by block, it prints what it says."""
    for module in NEEDS.get(path.name, ()):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    namespace: dict[str, Any] = {"__name__": "page"}
    last = LAST.get(path.name)
    is_missing = last is not None and importlib.util.find_spec(last) is None
    for block in blocks(path.read_text("utf-8")):
        if is_missing and f"from {last} import" in block.code:
            break
        if block.title:
            (tmp_path / block.title).write_text(block.code, "utf-8")
        elif block.language == "python":
            printed = run_python(block, namespace, path.name)
            assert block.printed in {None, printed}, f"{path.name}, line {block.line}"
        elif block.language == "shell" and block.printed is not None:
            assert run_shell(block) == block.printed, f"{path.name}, line {block.line}"


def test_no_prompt_is_copied() -> None:
    """What these pages show can be pasted: neither `>>>` nor `$` stands before it."""
    for path in PAGES:
        for block in blocks(path.read_text("utf-8")):
            if block.language in {"python", "shell"}:
                assert not re.search(r"^ *(>>>|\.\.\.|\$ )", block.code, re.MULTILINE), path.name
