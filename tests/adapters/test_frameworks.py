"""What is decided once for all frameworks: injected values, asynchronous functions, iterators."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from schema2model import Tool, ToolError, Toolset
from schema2model.adapters.frameworks import Framework, Ours


class Session:
    """What an application injects by its type."""


class OtherSession(Session):
    """A subclass of it."""


class RunContext:
    """A framework's context, with what the application has put there."""

    def __init__(self, given: Any = None) -> None:
        self.given = given


class OwnContext(RunContext):
    """What a framework hands over may be of a subclass."""


@dataclass
class Deps:
    """What an application has, as an object."""

    session: Session
    user: str = "Ada"


SESSION, OTHER = Session(), OtherSession()
WITH_VALUES = Framework(context=RunContext, application=lambda context: context.given)
CONTEXT_ONLY = Framework(context=RunContext)
NOTHING = Framework()


def by_type(n: int, session: Session) -> Any:
    """A parameter that is injected by its type."""
    return session


def optional(n: int, session: Session | None = None) -> Any:
    """One that may be left out."""
    return session


def by_name(n: int, user: Any) -> Any:
    """One that is injected by its name."""
    return user


def typed_name(n: int, user: str) -> Any:
    """One of a name, with a type that many values have."""
    return user


def with_context(n: int, ctx: RunContext) -> Any:
    """One that asks for the framework's context by its type."""
    return ctx


def named_context(n: int, run_context: Any) -> Any:
    """One that asks for it by its name."""
    return run_context


def other_context(n: int, context: Session) -> Any:
    """One of that name, which is annotated with another type."""
    return context


def ran(framework: Framework, tool: Tool, context: Any, **options: Any) -> Any:
    """The result of a call."""
    return Ours(framework, tool, **options).call({"n": "1"}, context)


@pytest.mark.parametrize(
    ("function", "inject", "given", "found"),
    [
        (by_type, Session, {"s": SESSION, "x": 1}, SESSION),
        (by_type, Session, SESSION, SESSION),
        (by_type, Session, Deps(SESSION), SESSION),
        (by_type, Session, {"other": OTHER, "session": SESSION}, SESSION),
        (by_type, Session, {"other": OTHER}, OTHER),
        (optional, Session, {"x": 1}, None),
        (optional, Session, {"s": SESSION}, SESSION),
        (by_name, "user", {"user": "Ada", "other": "Bob"}, "Ada"),
        (typed_name, "user", {"user": "Ada"}, "Ada"),
        (typed_name, "user", Deps(SESSION), "Ada"),
        (by_type, "session", {"anything": SESSION}, SESSION),
    ],
)
def test_a_value_is_injected_by_name_or_type(
    function: Any, inject: Any, given: Any, found: Any
) -> None:
    """Of what the application has put into the framework's context; `inject=` has the last word."""
    tool = Tool(function, inject=inject)
    assert ran(WITH_VALUES, tool, RunContext(given)) is found
    own = OtherSession()
    (name,) = tool.injected
    for framework in (WITH_VALUES, CONTEXT_ONLY, NOTHING):
        assert ran(framework, tool, RunContext(given), inject={name: own}) is own


@pytest.mark.parametrize("kind", [RunContext, OwnContext])
@pytest.mark.parametrize("framework", [WITH_VALUES, CONTEXT_ONLY])
def test_a_context_goes_to_what_asks_for_it(framework: Framework, kind: Any) -> None:
    """By its type or by its name."""
    context = kind({})
    assert ran(framework, Tool(with_context, inject=RunContext), context) is context
    assert ran(framework, Tool(named_context, inject="run_context"), context) is context


@pytest.mark.parametrize(
    ("function", "inject", "given"),
    [
        (by_type, Session, {"x": 1}),
        (by_type, Session, None),
        (by_type, Session, {"a": SESSION, "b": OTHER}),
        (by_type, Session, {"session": "no session", "a": 1}),
        (by_name, "user", {"other": "Bob"}),
        (typed_name, "user", {"name": "Bob"}),
        (other_context, "context", {"x": 1}),
    ],
)
def test_what_is_missing_or_ambiguous_is_said_before_the_function_runs(
    function: Any, inject: Any, given: Any
) -> None:
    """At the call where the framework has values of the application, else when the tool is made."""
    tool = Tool(function, inject=inject)
    (name,) = tool.injected
    needs = rf"needs `{name}`.*"
    advice = rf" pass from_tool\(tool, inject={{'{name}': \.\.\.}}\)"
    ours = Ours(WITH_VALUES, tool)
    with pytest.raises(TypeError, match=needs + advice):
        ours.call({"n": 1}, RunContext(given))
    with pytest.raises(TypeError, match=needs + advice):
        asyncio.run(ours.acall({"n": 1}, RunContext(given)))
    for framework, has in ((CONTEXT_ONLY, "only its RunContext"), (NOTHING, "nothing to inject")):
        with pytest.raises(TypeError, match=f"the framework has {has}.*{advice}"):
            Ours(framework, tool)


def test_a_context_is_no_value_for_another_type() -> None:
    """A toolset's `inject` gives each parameter its own, or says what is missing."""
    tools = Toolset([by_type, with_context], inject=[Session, RunContext])
    context = RunContext({"mine": SESSION})
    found = [ran(WITH_VALUES, tool, context) for tool in tools]
    assert found == [SESSION, context]


def test_a_value_that_nothing_asks_for_is_a_mistake() -> None:
    """A typo in `inject=` would leave its parameter unfilled."""
    with pytest.raises(TypeError, match="what can be injected: `session`"):
        Ours(NOTHING, Tool(by_type, inject=Session), {"sesion": SESSION})


async def later(n: int) -> str:
    """An asynchronous tool."""
    await asyncio.sleep(0)
    return f"{n} later"


def returns_awaitable(n: int) -> Any:
    """A plain function whose result has to be awaited."""
    return later(n)


async def yields_later(n: int) -> AsyncIterator[int]:
    """An asynchronous generator."""
    for each in range(n):
        yield each


def returns_async_generator(n: int) -> Any:
    """A plain function of one."""
    return yields_later(n)


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (later, "3 later"),
        (returns_awaitable, "3 later"),
        (yields_later, [0, 1, 2]),
        (returns_async_generator, [0, 1, 2]),
    ],
)
def test_what_is_asynchronous_is_awaited_or_refused(function: Any, found: Any) -> None:
    """Never a coroutine in the place of a result, and never one that nobody awaits."""
    ours = Ours(NOTHING, Tool(function))
    assert asyncio.run(ours.acall({"n": "3"})) == found
    with pytest.raises(TypeError, match=r"is asynchronous; use .* run the agent with await"):
        ours.call({"n": "3"})


def yields(n: int) -> Iterator[int]:
    """A generator."""
    yield from range(n)
    if n > 3:
        message = "too many"
        raise ToolError(message)


def test_iterators_are_collected(caplog: pytest.LogCaptureFixture) -> None:
    """Also within containers; what they raise is the error of the call, and nothing is logged."""
    answers = Framework(refuse=str)
    for tool, found in (
        (Tool(yields), [0, 1, 2]),
        (Tool(lambda n: {"a": [iter("ab")]}, name="f"), {"a": [["a", "b"]]}),
    ):
        ours = Ours(answers, tool)
        assert ours.call({"n": 3}) == asyncio.run(ours.acall({"n": 3})) == found
    assert "too many" in Ours(answers, Tool(yields)).call({"n": 4})
    assert not [each for each in caplog.records if each.levelname == "WARNING"]


def test_the_result_of_a_generator_is_cut() -> None:
    """`truncate_above` holds for what it has yielded."""
    tool = Tool(yields, truncate_above=4)
    assert Ours(NOTHING, tool).call({"n": 3}).startswith("[0,1… [truncated")


def test_plain_functions_run_in_a_thread_of_an_asynchronous_agent() -> None:
    """So that they do not block it; where a framework wants that, in its loop."""

    def is_main() -> bool:
        return threading.current_thread() is threading.main_thread()

    ours = Ours(NOTHING, Tool(is_main))
    prepared = ours.prepare({})
    assert asyncio.run(ours.aexecute(prepared)) is False
    assert asyncio.run(ours.aexecute(prepared, threaded=False)) is True
