"""One contract for all adapters, and the tables of the documentation, which are what it finds."""

from __future__ import annotations

import pkgutil
import re
import sys
from pathlib import Path

import contract_tables as tables
import pytest
from contract import ALONE, CASES, FUNCTION, Driver, as_wanted, outcome

PROVIDERS_WARN = pytest.mark.filterwarnings("ignore")  # of frameworks' own making

WRAPS = "wrap_tool"
WRAPPERS = [name for name in tables.names() if WRAPS in tables.documented(name).get("right", {})]
"""The adapters that wrap the tools of a framework."""


def driver(name: str) -> Driver:
    """The driver of an adapter, if its framework is here."""
    try:
        return tables.driver(name)
    except ImportError as error:
        pytest.skip(f"{name}: {error}")


@pytest.mark.adapters
@PROVIDERS_WARN
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", tables.names())
def test_a_call_becomes_what_the_table_says(name: str, case: str) -> None:
    """By every way; and what it says is what is wanted, or there is a reason for it."""
    of = driver(name)
    found = {way: outcome(of, way, case) for way in of.ways}
    assert tables.documented(name)[case] == found
    wanted = all(as_wanted(of, way, case, found) for way in of.ways if way not in {ALONE, FUNCTION})
    assert wanted == (case not in of.differs)


@pytest.mark.adapters
@PROVIDERS_WARN
@pytest.mark.parametrize(
    "case", ["stringified", "wrong beyond reading", "context injected", "result a model"]
)
@pytest.mark.parametrize("name", WRAPPERS)
def test_wrapping_twice_is_wrapping_once(
    name: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that is wrapped already is wrapped like any other."""
    of = driver(name)
    module = sys.modules[f"drivers.{name}"]
    once = module.wrap_tool
    monkeypatch.setattr(module, WRAPS, lambda *theirs: once(once(*theirs)))
    assert outcome(of, WRAPS, case) == tables.documented(name)[case][WRAPS]


def test_every_adapter_has_a_driver() -> None:
    """And a page."""
    from schema2model import adapters  # noqa: PLC0415 - its path is wanted

    modules = {module.name for module in pkgutil.iter_modules(adapters.__path__)}
    assert modules - {"common", "frameworks"} == set(tables.names())
    pages = {path.stem for path in (tables.INDEX.parent / "adapters").glob("*.md")}
    assert pages == set(tables.names())


def test_the_index_counts_what_the_tables_say() -> None:
    """`python tests/support/contract_tables.py` writes both."""
    text = tables.INDEX.read_text("utf-8")
    assert tables.counts() in text
    assert len(re.findall(r"^\| \[\w+\]\(adapters/", text, re.MULTILINE)) >= len(tables.names())


@pytest.mark.parametrize("name", tables.names())
def test_a_table_has_every_case(name: str) -> None:
    """Cases with the same outcomes share a row; what a page lacks is said."""
    assert not tables.missing(name)
    assert sorted(tables.documented(name)) == sorted(CASES)


def test_what_a_page_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page itself, or its marks; and nothing is written then."""
    monkeypatch.setattr(tables, "DOCS", tmp_path)
    assert tables.missing("new") == "docs/adapters/new.md is missing"
    (tmp_path / "adapters").mkdir()
    tables.page("new").write_text(f"# New\n\n{tables.BEGIN}\n", "utf-8")
    assert tables.missing("new") == f"docs/adapters/new.md lacks {tables.END}"
    assert tables.documented("new") == {}
    tables.page("new").write_text(f"{tables.BEGIN}\n\n{tables.END}", "utf-8")
    assert tables.missing("new") == ""
