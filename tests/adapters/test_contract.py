"""One contract for all adapters: what it finds is recorded, and counted in the documentation."""

from __future__ import annotations

import pkgutil
import sys

import contract_tables as tables
import pytest
from contract import ALONE, CASES, FUNCTION, Driver, as_wanted, outcome

PROVIDERS_WARN = pytest.mark.filterwarnings("ignore")  # of frameworks' own making

WRAPS = "wrap_tool"
WRAPPERS = [name for name in tables.names() if WRAPS in tables.recorded(name).get("right", {})]
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
def test_a_call_becomes_what_is_recorded(name: str, case: str) -> None:
    """By every way; and it is what is wanted, or there is a reason for it."""
    of = driver(name)
    found = {way: outcome(of, way, case) for way in of.ways}
    assert tables.recorded(name)[case] == found
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
    assert outcome(of, WRAPS, case) == tables.recorded(name)[case][WRAPS]


def test_every_adapter_has_a_driver() -> None:
    """And a page."""
    from schema2model import adapters  # noqa: PLC0415 - its path is wanted

    modules = {module.name for module in pkgutil.iter_modules(adapters.__path__)}
    assert modules - {"common", "frameworks"} == set(tables.names())
    pages = {path.stem for path in (tables.INDEX.parent / "adapters").glob("*.md")}
    assert pages == set(tables.names())


@pytest.mark.adapters
@pytest.mark.parametrize("name", tables.names())
def test_a_page_says_why_a_call_ends_otherwise(name: str) -> None:
    """Each reason is a sentence of the adapter's page; the index has those of several."""
    pages = tables.page(name).read_text("utf-8") + tables.INDEX.read_text("utf-8")
    for reason in set(driver(name).differs.values()):
        assert reason in tables.plain(pages)


def test_the_index_counts_what_is_recorded() -> None:
    """`python tests/support/contract_tables.py` writes both."""
    assert f"{tables.BEGIN}\n{tables.counts()}\n{tables.END}" in tables.INDEX.read_text("utf-8")


@pytest.mark.parametrize("name", tables.names())
def test_every_case_is_recorded(name: str) -> None:
    """Of each adapter, and in the index."""
    assert sorted(tables.recorded(name)) == sorted(CASES)
    assert f"| [{name}](adapters/{name}.md) |" in tables.counts()


def test_an_adapter_that_has_never_run_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its outcomes are written when it runs for the first time."""
    monkeypatch.setattr(tables, "names", lambda: ["agno", "new"])
    assert tables.recorded("new") == {}
    assert [line.count("](") for line in tables.counts().splitlines()] == [0, 0, 1]
