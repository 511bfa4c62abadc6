"""The reference has all that may be imported: every name of the package, every public module."""

from __future__ import annotations

import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest
from public_names import ALIASES, CLASSES, SUPERSEDED, members, pages

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
    superseded = {name.removeprefix("types.") for name in SUPERSEDED}
    own = {*types.__all__} - ALIASES.keys() - superseded
    assert not {f"schema2model.types.{name}" for name in own} - DOCUMENTED


def test_the_list_of_public_names_is_complete() -> None:
    """Every name and every member of the main classes, in the words of its docstring."""
    advice = "run python tests/support/public_names.py"
    for path, text in pages().items():
        assert text in path.read_text("utf-8"), advice


@pytest.mark.parametrize("name", SUPERSEDED)
def test_a_superseded_name_works_and_no_page_has_it(name: str) -> None:
    """Programs that use it go on; who reads the pages finds one way for each job."""
    owner, _, attribute = name.rpartition(".")
    thing: Any = schema2model
    for part in owner.split("."):
        thing = getattr(thing, part)
    if owner in {"CompiledSchema.validate", "CompiledSchema.validate_json"}:
        assert attribute in inspect.signature(thing).parameters
        pattern = rf"\.{owner.rpartition('.')[2]}\([^)\n]*\b{attribute}="
    elif owner == "types.ToolOptions":
        assert attribute in thing.__annotations__
        pattern = rf"\b{attribute}\b"
    else:
        assert hasattr(thing, attribute)
        owners = {owner, owner.lower(), "tools" if owner == "Toolset" else owner}
        import_of = rf"|types import [^\n]*\b{attribute}\b" if owner == "types" else ""
        pattern = rf"(?<!\w)(?:{'|'.join(owners)})\.{attribute}\b{import_of}"
    found = [page.name for page in PAGES if re.search(pattern, page.read_text("utf-8"))]
    assert not found, f"write {SUPERSEDED[name]}"


def test_few_names_are_documented() -> None:
    """All of the two modules, with what the main classes offer but for records and their fields."""
    modules = [f"schema2model.{name}" for name in schema2model.__all__]
    modules += [name for name in types.__all__ if f"types.{name}" not in SUPERSEDED]
    offered = [
        f"{kind.__name__}.{name}"
        for kind in CLASSES
        if kind.__name__ in {"CompiledSchema", "Tool", "Toolset", "ToolError"}
        for name, _ in members(kind)
    ]
    assert len(modules) <= 30
    assert len(offered) <= 48


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
