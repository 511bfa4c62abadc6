"""`docs/adapters`: every example runs as it stands."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import subprocess
import sys

import pytest
from contract_tables import INDEX, driver

from schema2model import adapters

PAGES = {path.stem: path.read_text("utf-8") for path in INDEX.parent.glob("adapters/*.md")}
ROWS = re.findall(r"^\| \[(\w+)\]\(adapters/\1\.md\) \|", INDEX.read_text("utf-8"), re.MULTILINE)


def run(code: str) -> str:
    """What Python says of it in a process of its own, if it fails."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stderr if done.returncode else ""


@pytest.mark.adapters
@pytest.mark.parametrize("name", PAGES)
def test_an_example_runs_as_it_stands(name: str) -> None:
    """Copied into a file of its own, each block does what it asserts."""
    blocks = re.findall(r"```python\n(.*?)```", PAGES[name], re.DOTALL)
    assert blocks, f"{name} has no example"
    try:
        driver(name)
    except ImportError as error:
        pytest.skip(f"{name}: {error}")
    if name == "mcp" and importlib.util.find_spec("mcp.server.mcpserver") is None:
        pytest.skip("the example is for mcp 2.x")
    for block in blocks:
        assert run(block) == ""


def test_every_adapter_is_described() -> None:
    """A module has a page of its name, and a row in the index."""
    modules = {module.name for module in pkgutil.iter_modules(adapters.__path__)}
    assert modules - {"common"} == set(PAGES)
    assert sorted(PAGES) == ROWS


@pytest.mark.parametrize("name", sorted({*PAGES} - {"bowtie", "jsonschema"}))
def test_a_page_says_what_becomes_of_an_error_that_is_not_retryable(name: str) -> None:
    """Of every adapter for tools."""
    assert "retryable=False" in PAGES[name]
