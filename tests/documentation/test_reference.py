"""The reference has all that may be imported: every name of the package, every public module."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

from public_names import ALIASES, pages

import schema2model
from schema2model import adapters, types

DOCUMENTS = Path(__file__).parents[2] / "docs"
PAGES = [*DOCUMENTS.rglob("*.md"), DOCUMENTS.parent / "README.md"]
REFERENCE = [DOCUMENTS / "reference.md", *sorted((DOCUMENTS / "reference").glob("*.md"))]

_DOCUMENTED = re.compile(r"^::: (\S+)$", re.MULTILINE)
_IMPORTED = re.compile(r"(?:^|[ .])(?:from|import) (schema2model(?:\.\w+)*)", re.MULTILINE)

DOCUMENTED = {name for page in REFERENCE for name in _DOCUMENTED.findall(page.read_text("utf-8"))}


def test_every_name_of_the_package_is_documented() -> None:
    """What `from schema2model import` offers, and `from schema2model.types import`."""
    assert not {f"schema2model.{name}" for name in schema2model.__all__} - DOCUMENTED
    own = {*types.__all__} - ALIASES.keys()
    assert not {f"schema2model.types.{name}" for name in own} - DOCUMENTED


def test_the_list_of_public_names_is_complete() -> None:
    """Every name and every member of the main classes, in the words of its docstring."""
    advice = "run python tests/support/public_names.py"
    for path, text in pages().items():
        assert text in path.read_text("utf-8"), advice


def test_one_page_alone_needs_the_generator_of_the_site() -> None:
    """And says so; the others can be read on a code host."""
    generated = [page for page in PAGES if _DOCUMENTED.search(page.read_text("utf-8"))]
    assert generated == [DOCUMENTS / "reference" / "docstrings.md"]


def test_every_adapter_is_documented() -> None:
    """What frameworks have in common is none."""
    modules = {module.name for module in pkgutil.iter_modules(adapters.__path__)}
    names = modules - {"common", "frameworks"}
    assert not {f"schema2model.adapters.{name}" for name in names} - DOCUMENTED


def test_every_module_that_pages_import_is_documented() -> None:
    """What a reader is told to import can be looked up."""
    imported = {name for page in PAGES for name in _IMPORTED.findall(page.read_text("utf-8"))}
    known = DOCUMENTED | {name.rpartition(".")[0] for name in DOCUMENTED}
    assert not imported - known
