"""One contract for all adapters: what it finds is recorded, and counted in the documentation."""

from __future__ import annotations

import asyncio
import importlib
import json
import pkgutil
from typing import Any

import contract_tables as tables
import pytest
from contract import (
    ALONE,
    CASES,
    CONTEXT,
    FUNCTION,
    NOTHING,
    SUNDAYS,
    SYNCHRONOUS,
    Call,
    Driver,
    Job,
    Tools,
    as_wanted,
    now,
    outcome,
)
from probe import EXACT, HOPELESS, PROBLEM, STRINGS

from schema2model import Tool, ToolError, Toolset

PROVIDERS_WARN = pytest.mark.filterwarnings("ignore")  # of frameworks' own making

FROM_TOOL, WRAPS = "from_tool", "wrap_tool"
RIGHT = {name: tables.recorded(name).get("right", {}) for name in tables.names()}
"""What becomes of a right call, by the adapter and the way."""
WRAPPERS = [name for name in tables.names() if WRAPS in RIGHT[name]]
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
    adapter = importlib.import_module(f"schema2model.adapters.{name}")
    once = adapter.wrap_tool
    monkeypatch.setattr(adapter, WRAPS, lambda *theirs: once(once(*theirs)))
    assert outcome(of, WRAPS, case) == tables.recorded(name)[case][WRAPS]


# ------------------------------------------------------------- what holds beyond the tables
AGENTS = [name for name in tables.names() if name != "mcp" and FUNCTION in RIGHT[name]]
"""The adapters of frameworks that run tools, of schemas and of functions."""
BROKEN = {"type": "object", "properties": {"limit": {"type": "nothing"}}, "required": []}
CHECKED = {"crewai", "haystack", "llama_index"}
"""Frameworks that make no tools of their own of a broken schema: see their own tests."""
TO_DEFAULTS = {"semantic_kernel", "strands"}
"""Frameworks that leave null to the default of a function."""
OTHER_RULES = {"agno", "crewai", "dspy", "livekit", "llama_index", "openai_agents"}
"""Adapters whose wrappers and hooks read the calls of tools of ours by their own rules first."""
NOT_AWAITED = [name for name in AGENTS if tables.recorded(name)[SYNCHRONOUS][FROM_TOOL] != NOTHING]
"""Those whose agents run without an event loop, too."""

in_each = pytest.mark.parametrize("name", AGENTS)


def told(of: Driver, setup: Any, *sent: Any, name: str = "search") -> list[str]:
    """What the model is told of some calls."""
    return asyncio.run(of.converse(setup, tuple(Call(arguments, name) for arguments in sent)))


def told_now(of: Driver, setup: Any, *sent: Any) -> list[str]:
    """The same, where nothing can be awaited."""
    assert of.converse_now is not None
    return now(of.converse_now, setup, tuple(Call(arguments) for arguments in sent))


def agent(name: str) -> tuple[Driver, Tools]:
    """The driver of an adapter, and the tools of its framework."""
    of = driver(name)
    assert of.tools is not None
    return of, of.tools


@pytest.mark.adapters
@PROVIDERS_WARN
@in_each
def test_a_function_gets_what_its_signature_says(name: str) -> None:
    """Its types, its defaults for what is not sent or null, and nothing that is refused."""
    of, tools = agent(name)
    own = {"tags": None, "limit": 1, "active": False, "page": 1, "opts": None}
    exact = {**EXACT, "page": 1} if name in TO_DEFAULTS else EXACT
    makers = dict(tools.coercing)
    for way, make in tools.hooks.items():
        makers[f"wrap_tool and {way}"] = lambda tool, make=make: make(tools.adapter.wrap_tool(tool))
    for way, make in makers.items():
        for talk in (told, *([told_now] if of.converse_now else [])):
            job = Job(has_defaults=True)
            setup = make(tools.function(job))
            *ran, refused = talk(of, setup, STRINGS, {"limit": "1", "active": None}, HOPELESS)
            assert [same(got) for got in job.got] == [same(exact), same(own)], way
            assert all(f"for {CONTEXT}" in each for each in ran), way
            assert PROBLEM in refused.replace("\\", ""), way


@pytest.mark.adapters
@PROVIDERS_WARN
@pytest.mark.parametrize("name", NOT_AWAITED)
def test_what_is_not_awaited_gets_exact_arguments(name: str) -> None:
    """By every way, where an agent has such a run."""
    of, tools = agent(name)
    for way in (FROM_TOOL, *tools.coercing):
        job = Job()
        ran, refused = told_now(of, tools.ways[way](job), STRINGS, HOPELESS)
        assert [same(got) for got in job.got] == [same(EXACT)], way
        assert f"for {CONTEXT}" in ran, way
        assert PROBLEM in refused.replace("\\", ""), way


def same(arguments: Any) -> str:
    """Arguments as text, in which types differ as well."""
    return json.dumps(arguments, sort_keys=True)


@pytest.mark.adapters
@PROVIDERS_WARN
@in_each
def test_a_tool_of_ours_reads_by_its_own_rules_and_types(name: str) -> None:
    """Whatever the rules of what reads its arguments before it."""

    def search(codes: set[int]) -> str:
        """Find articles."""
        got.append(codes)
        return "found"

    of, tools = agent(name)
    makers = {} if name in OTHER_RULES else tools.coercing
    for way, make in {FROM_TOOL: tools.alone, **makers}.items():
        got: list[set[int]] = []
        forgiving = tools.adapter.from_tool(Tool(search, coercion="forgiving"))
        told(of, make(forgiving), {"codes": "1, 1"})
        assert got == [{1}], way
        told(of, make(tools.adapter.from_tool(Tool(search, coercion="off"))), {"codes": "[1]"})
        assert got == [{1}], way


@pytest.mark.adapters
@PROVIDERS_WARN
@pytest.mark.parametrize("name", [name for name in AGENTS if name not in CHECKED])
def test_a_tool_with_a_broken_schema_works_as_before(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is the same one, is called with what was sent, and the log says so."""
    of, tools = agent(name)
    job = Job(schema=BROKEN)
    theirs = tools.raw(job)
    assert tools.adapter.wrap_tool(theirs) is theirs
    assert "search" in caplog.text
    for make in tools.hooks.values():
        told(of, make(theirs), {"limit": "1"})
    assert job.got == [{"limit": "1"}] * len(tools.hooks)


@pytest.mark.adapters
@PROVIDERS_WARN
@in_each
def test_what_was_wrapped_stays_as_it_was(name: str) -> None:
    """The wrapped one is of its class; wrapping twice is wrapping once."""
    of, tools = agent(name)
    job = Job()
    theirs = tools.raw(job)
    wrapped = tools.adapter.wrap_tool(tools.adapter.wrap_tool(theirs))
    assert isinstance(wrapped, type(theirs)) == (name != "fastmcp")  # which has its own way
    told(of, tools.alone(wrapped), STRINGS)
    assert [same(got) for got in job.got] == [same(EXACT)]
    job.got.clear()
    alone = asyncio.run(CASES["stringified"].judged(of, tools.alone(theirs), job))
    assert alone == tables.recorded(name)["stringified"][ALONE]


@pytest.mark.adapters
@PROVIDERS_WARN
@in_each
@pytest.mark.parametrize("method", ["search", "later", "fail"])
def test_the_methods_of_an_object_are_tools(name: str, method: str) -> None:
    """Synchronous or not; they get the context by its type, and tell the model what is wrong."""
    of, tools = agent(name)
    who = tools.who or str

    class Shop:
        def search(self, tags: list[str], *, context: Any = CONTEXT) -> str:
            """Find articles."""
            return f"{tags} for {who(context)}"

        async def later(self, tags: list[str], *, context: Any = CONTEXT) -> str:
            """Find articles, in a while."""
            await asyncio.sleep(0)
            return self.search(tags, context=context)

        async def fail(self, tags: list[str]) -> str:
            """Fail."""
            raise ToolError(SUNDAYS)

    for each in (Shop.search, Shop.later):
        each.__annotations__["context"] = tools.context or str
    made = Toolset.from_object(Shop(), inject=tools.context or ())
    answers = told(of, tools.ours(made[method]), {"tags": '["a"]'}, name=method)
    assert (SUNDAYS if method == "fail" else f"['a'] for {CONTEXT}") in answers[0]


@pytest.mark.adapters
@PROVIDERS_WARN
@in_each
def test_events_told_to_the_application_are_told_once(name: str) -> None:
    """However often a framework asks for the arguments."""
    of, tools = agent(name)
    seen: list[Any] = []
    ours = Job(options={"on_prepared": seen.append}).ours(tools.who)
    told(of, tools.ours(ours), {"limit": "1"})
    assert [prepared.arguments for prepared in seen] == [{"limit": 1}]


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
