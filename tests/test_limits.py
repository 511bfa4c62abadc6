"""The table of safety limits is complete, and the documentation shows it."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
from sources import MODULES, parsed

from schema2model import limits

PAGE = (Path(__file__).parent.parent / "docs" / "security.md").read_text("utf-8")
SOURCE = inspect.getsource(limits)


@pytest.mark.parametrize("name", limits.__all__)
def test_a_limit_names_its_unit_and_what_it_protects(name: str) -> None:
    """In its docstring, which the page repeats with the value."""
    found = re.search(
        rf'^{name}: Final = .*?\n"""(Maximum .*?)"""', SOURCE, re.MULTILINE | re.DOTALL
    )
    assert found is not None
    sentence = " ".join(found[1].split())
    assert f"| `{name}` | {getattr(limits, name):,} | {sentence} |" in PAGE


def test_every_limit_is_used() -> None:
    """By a module that imports it from the table."""
    imported = {
        alias.name
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.ImportFrom) and node.module == "schema2model.limits"
        for alias in node.names
    }
    assert imported == set(limits.__all__)
