"""`docs/adapters`: every example runs as it stands."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import pkgutil
import re
import sys
import types
import warnings
from pathlib import Path

import pytest
from contract_tables import INDEX, driver

from schema2model import adapters

PAGES = {path.stem: path.read_text("utf-8") for path in INDEX.parent.glob("adapters/*.md")}
ROWS = re.findall(r"^\| \[(\w+)\]\(adapters/\1\.md\) \|", INDEX.read_text("utf-8"), re.MULTILINE)


def run(code: str) -> None:
    """Run an example as a module; a process of its own would import the framework anew."""
    module = types.ModuleType("example")
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        patched.setitem(sys.modules, module.__name__, module)
        if "litellm" in sys.modules:
            patched.setattr("litellm.callbacks", [])  # an example sets them
        warnings.simplefilter("ignore")  # which are errors for other tests
        exec(compile(code, "example.py", "exec", dont_inherit=True), vars(module))  # noqa: S102
        with contextlib.suppress(RuntimeError):  # there is none
            asyncio.get_event_loop().close()  # of an agent that ran without one
        asyncio.set_event_loop(None)


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
        run(block)


def test_every_adapter_is_described() -> None:
    """A module has a page of its name, and a row in the index."""
    modules = {module.name for module in pkgutil.iter_modules(adapters.__path__)}
    assert modules - {"common", "frameworks"} == set(PAGES)
    assert sorted(PAGES) == ROWS


def test_the_index_names_the_adapters_that_show_what_is_not_retryable() -> None:
    """All others have no place for it."""
    folder = Path(adapters.__file__).parent
    able = {
        path.relative_to(folder).parts[0].removesuffix(".py")
        for path in folder.rglob("*.py")
        if re.search(r"\.retryable|ToolFailed", path.read_text("utf-8"))
    } - {"common"}
    sentence = INDEX.read_text("utf-8").split("retryable=False)` reaches")[1].split(".\n")[0]
    assert able == set(re.findall(r"\[(\w+)\]\(adapters/", sentence))
    assert all("retryable=False" in PAGES[name] for name in able)
