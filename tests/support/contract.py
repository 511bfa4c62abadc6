"""The calls that every adapter is tried with, and the words for what becomes of them.

A driver (a module of `drivers`, of the adapter's name) brings a framework: the ways to give it a
tool, and a conversation in which a scripted model makes calls. All else is the same for all.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, Signature
from typing import Any

from probe import DEFINITION, EXACT, HOPELESS, PROBLEM, SCHEMA, STRINGS
from pydantic import BaseModel
from waiting import PATIENCE

from schema2model import Tool, ToolError

__all__ = [
    "ALONE",
    "AS_JSON",
    "AS_PYTHON",
    "CASES",
    "COMPLETED",
    "CONTEXT",
    "DONE",
    "FUNCTION",
    "LACKS_CLOSERS",
    "NOTHING",
    "NO_VALUES",
    "SUNDAYS",
    "SYNCHRONOUS",
    "WANTED",
    "WRITTEN_WITH_STR",
    "Call",
    "Driver",
    "Job",
    "Script",
    "Tools",
    "as_wanted",
    "is_wanted",
    "now",
    "outcome",
]

# LiteLLM, which several frameworks bring, asks the network for its prices otherwise.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

ALONE, FUNCTION = "alone", "alone, function"
"""The ways of a framework without us: with a tool of a schema, and with one of a function."""
DONE = "Done."
"""What a scripted model says when it has made its calls."""


class Who(str):
    """A person: the type of what an application injects."""

    __slots__ = ()


CONTEXT = Who("Ada")
"""What an application knows of a conversation, and its tools are told."""


@dataclass(frozen=True)
class Call:
    """A call that a model makes: its arguments as an object, or as the text that a provider has."""

    arguments: Any
    name: str = "search"
    is_cut_off: bool = False
    """Whether the reply ends too soon, in it, and the provider says so."""

    @property
    def text(self) -> str:
        """The arguments as text."""
        given = self.arguments
        return given if isinstance(given, str) else json.dumps(given)


Script = tuple[Call, ...]
"""The calls of a conversation, each of which follows the answer to the one before."""


class Opts(BaseModel):
    """Options."""

    depth: int | None = None


_POSITIONAL = Parameter.POSITIONAL_OR_KEYWORD
_PARAMETERS = [
    Parameter("limit", _POSITIONAL, annotation=int),
    Parameter("tags", _POSITIONAL, annotation=list[str] | None, default=None),
    Parameter("active", _POSITIONAL, annotation=bool | None, default=None),
    Parameter("page", _POSITIONAL, annotation=int | None, default=None),
    Parameter("opts", _POSITIONAL, annotation=Opts | None, default=None),
]
_WITH_DEFAULTS = [
    *_PARAMETERS[:2],
    Parameter("active", _POSITIONAL, annotation=bool, default=False),
    Parameter("page", _POSITIONAL, annotation=int | None, default=1),
    *_PARAMETERS[4:],
]


@dataclass
class Job:
    """What the tool does with a call, whichever way a framework is given it."""

    asynchronous: bool = False
    does: Callable[[dict[str, Any], str], Any] = lambda _, context: f"for {context}"
    got: list[dict[str, Any]] = field(default_factory=list)
    sees_null: bool = True
    returns: Any = str
    options: dict[str, Any] = field(default_factory=dict)
    """The options of what checks its calls: the tool if it is ours, else the wrapper or hook."""
    by_type: bool = False
    """Whether it asks for what the application knows by the type of that."""
    inject: dict[str, Any] = field(default_factory=dict)
    """The options of `from_tool`."""
    schema: Any = field(default_factory=lambda: SCHEMA)
    """The schema of a tool of the framework's own."""
    has_defaults: bool = False
    """Whether its function has values of its own for what is not sent; it notes them as well."""

    def run(self, arguments: dict[str, Any], context: str = CONTEXT) -> Any:
        """Note the arguments, and do it."""
        self.got.append(arguments)
        return self.does(arguments, context)

    def function(
        self, parameter: str = "", kind: Any = None, read: Any = None, *, is_coroutine: bool = False
    ) -> Any:
        """A function with types, as frameworks make tools of; some take coroutine functions alone.

        Its first parameter, if it is named, is of a kind in which `read` finds the context. What is
        None counts as not sent: a function cannot tell, unless it has values of its own.
        """
        own = _WITH_DEFAULTS if self.has_defaults else _PARAMETERS
        context = [Parameter(parameter, _POSITIONAL, annotation=kind)] if parameter else []
        signature = Signature([*context, *own], return_annotation=self.returns)

        def read_arguments(*given: Any, **named: Any) -> tuple[dict[str, Any], str]:
            bound = signature.bind(*given, **named)
            if self.has_defaults:
                bound.apply_defaults()
            arguments = bound.arguments
            found = read(arguments.pop(parameter)) if parameter else CONTEXT
            plain = {
                name: value.model_dump(exclude_none=True) if isinstance(value, Opts) else value
                for name, value in arguments.items()
            }
            return plain if self.has_defaults else self.meant(plain), found

        if self.asynchronous or is_coroutine:

            async def search(*given: Any, **named: Any) -> Any:
                result = self.run(*read_arguments(*given, **named))
                return await result if self.asynchronous else result

        else:

            def search(*given: Any, **named: Any) -> Any:
                return self.run(*read_arguments(*given, **named))

        made: Any = search
        made.__doc__ = "Find articles."
        made.__signature__ = signature
        made.__annotations__ = {
            **{each.name: each.annotation for each in signature.parameters.values()},
            "return": self.returns,
        }
        self.sees_null = False
        return made

    def meant(self, arguments: Any) -> Any:
        """Arguments as the tool sees them."""
        if self.sees_null or arguments is None:
            return arguments
        return {name: value for name, value in arguments.items() if value is not None}

    def ours(self, read: Callable[[Any], str] | None = None) -> Tool:
        """The tool, whose context `read` finds in what the framework hands over."""
        if self.by_type:

            def search(raw_arguments: dict[str, Any], person: Who) -> Any:
                return self.run(raw_arguments, person)

        elif read is None:
            if self.asynchronous:

                async def search(raw_arguments: dict[str, Any]) -> Any:
                    return await self.run(raw_arguments)

            else:

                def search(raw_arguments: dict[str, Any]) -> Any:
                    return self.run(raw_arguments)

        elif self.asynchronous:

            async def search(raw_arguments: dict[str, Any], context: Any) -> Any:
                return await self.run(raw_arguments, read(context))

        else:

            def search(raw_arguments: dict[str, Any], context: Any) -> Any:
                return self.run(raw_arguments, read(context))

        search.__annotations__["return"] = self.returns
        return Tool.from_definition(DEFINITION, search, **self.options)


@dataclass(frozen=True)
class Tools:
    """The tools of a framework, and how an agent is given one.

    `raw` makes one of the schema of a job, and `function` one of its function (some take the
    framework's options as well); those of ours, and
    wrapped ones, are made by the `adapter`. `alone` makes of a tool what `converse` takes, and so
    do `hooks`, by their names, with what reads the calls of all tools. Tools of ours find what the
    application knows by `who`, in a context of the type `context`.
    """

    adapter: Any
    raw: Callable[..., Any]
    function: Callable[..., Any]
    alone: Callable[[Any], Any] = lambda tool: {"tools": [tool]}
    hooks: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    who: Callable[[Any], str] | None = None
    context: Any = None

    def wrapped(self, tool: Any, **options: Any) -> Any:
        """What `converse` takes, of a wrapped tool of the framework's own."""
        return self.alone(self.adapter.wrap_tool(tool, **options))

    @property
    def coercing(self) -> dict[str, Callable[..., Any]]:
        """What makes that of a tool of the framework's own, by each way with us."""
        return {"wrap_tool": self.wrapped, **self.hooks}

    def ours(self, tool: Tool, **options: Any) -> Any:
        """The same, of a tool of ours."""
        return self.alone(self.adapter.from_tool(tool, **options))

    @property
    def ways(self) -> dict[str, Callable[[Job], Any]]:
        """Those of a driver."""

        def coerced(make: Callable[..., Any]) -> Callable[[Job], Any]:
            return lambda job: make(self.raw(job), **job.options)

        return {
            ALONE: lambda job: self.alone(self.raw(job)),
            FUNCTION: lambda job: self.alone(self.function(job)),
            "from_tool": lambda job: self.ours(job.ours(self.who), **job.inject),
            **{way: coerced(make) for way, make in self.coercing.items()},
        }


@dataclass(frozen=True)
class Driver:
    """A framework, as the contract sees it.

    `ways` make what `converse` takes; `converse` tells what the model was told of each call, and
    raises what ends the conversation. A framework that has `reads_text` is handed arguments as
    text; others have only objects, which the provider's client made of the text. With
    `has_context`, tools are told of what the application knows; with `has_coroutines`, they may be
    asynchronous; with `has_cancellation`, a conversation that is cancelled takes its tools with it;
    without `runs_tools`, the framework leaves them to the application. What does not `coerces`
    gives verdicts alone; with `has_options`, the ways with us take options. Replies can say that
    they were cut off in the arguments `cut_off`. `converse_now` is a conversation in which nothing
    can be awaited. `at_once` is how many conversations the machine
    can be asked to hold. `differs` has the reasons, by case, why a way with us does not do what is
    wanted: sentences of the adapter's page or of the index. `tools` are those of the framework.
    """

    ways: dict[str, Callable[[Job], Any]]
    converse: Callable[[Any, Script], Awaitable[list[str]]]
    reads_text: bool = True
    has_context: bool = True
    has_coroutines: bool = True
    runs_tools: bool = True
    has_cancellation: bool = True
    coerces: bool = True
    has_options: bool = True
    cut_off: tuple[Any, ...] = ()
    converse_now: Callable[[Any, Script], list[str]] | None = None
    at_once: int = 8
    differs: Mapping[str, str] = field(default_factory=dict)
    tools: Tools | None = None


# ------------------------------------------------------------------------------------ outcomes
EXACTLY = "exact"
AS_SENT = "as sent"
TOLD = "reported"
NOT_TOLD = "not reported"
ENDED = "ended"
CANCELLED = "cancelled"
AS_JSON = "JSON"
AS_PYTHON = "repr"
EARLY = "when made"
NOTHING = "-"


def _same(got: Any, meant: Any) -> bool:
    """Whether values are equal, and of the same types."""
    return json.dumps(got, sort_keys=True, default=repr) == json.dumps(meant, sort_keys=True)


@dataclass(frozen=True)
class Case:
    """A call, what the tool is to run with, and words of which one tells what is wrong."""

    sent: Any
    meant: Any = None
    told: tuple[str, ...] = (*EXACT, "JSON")
    name: str = "search"

    async def run(self, driver: Driver, way: str) -> str:
        """What becomes of it, in a word."""
        if isinstance(self.sent, str) and not driver.reads_text:
            return NOTHING
        job = Job()
        return await self.judged(driver, driver.ways[way](job), job)

    async def judged(self, driver: Driver, setup: Any, job: Job, call: Call | None = None) -> str:
        """The same, of a tool that is there already."""
        try:
            told = (await driver.converse(setup, (call or Call(self.sent, self.name),)))[-1]
        except Exception:  # noqa: BLE001 - whatever a framework ends with
            return ENDED
        if not job.got:
            return TOLD if any(word in told for word in self.told) else NOT_TOLD
        is_meant = self.meant is not None and _same(job.got[-1], job.meant(self.meant))
        return EXACTLY if is_meant and f"for {CONTEXT}" in told else AS_SENT


LACKS_CLOSERS = '{"limit": 1, "tags": ["a", "b"'
"""A text that is repaired, unless the reply says that it was cut off."""
COMPLETED = {"limit": 1, "tags": ["a"]}
"""What a framework may make of one; some do while it streams."""


class CutOff(Case):
    """Replies that end too soon: one that does not say so, and those that do; the first to fail."""

    async def run(self, driver: Driver, way: str) -> str:
        calls = [Call(sent, is_cut_off=True) for sent in driver.cut_off]
        if driver.reads_text:
            calls.insert(0, Call(self.sent))
        outcomes = []
        for call in calls:
            job = Job()
            outcomes.append(await self.judged(driver, driver.ways[way](job), job, call))
        return next((each for each in outcomes if each != TOLD), TOLD if outcomes else NOTHING)


class Again(Case):
    """A refused call, and then the one that it should have been."""

    async def run(self, driver: Driver, way: str) -> str:
        job = Job()
        setup = driver.ways[way](job)
        try:
            told = await driver.converse(setup, (Call(HOPELESS), Call(EXACT)))
        except Exception:  # noqa: BLE001
            return ENDED
        if len(job.got) != 1 or not _same(job.got[0], job.meant(EXACT)):
            return AS_SENT
        return EXACTLY if "limit" in told[0] and f"for {CONTEXT}" in told[1] else NOT_TOLD


class Asynchronous(Case):
    """A tool that is a coroutine function."""

    async def run(self, driver: Driver, way: str) -> str:
        if not (driver.has_coroutines and driver.runs_tools):
            return NOTHING

        async def does(_: Any, context: str) -> str:
            await asyncio.sleep(0)
            return f"for {context}"

        job = Job(asynchronous=True, does=does)
        return await self.judged(driver, driver.ways[way](job), job)


class Injected(Case):
    """A tool that is told what the application knows of the conversation."""

    async def run(self, driver: Driver, way: str) -> str:
        if driver.has_context and driver.runs_tools:
            return await super().run(driver, way)
        return NOTHING


class Failing(Case):
    """A tool of ours that answers with an error; how others fail is their framework's affair."""

    async def run(self, driver: Driver, way: str) -> str:
        if way != "from_tool" or not driver.runs_tools:
            return NOTHING

        def does(_: Any, __: str) -> Any:
            raise ToolError(self.told[0])

        job = Job(does=does)
        try:
            told = await driver.converse(driver.ways[way](job), (Call(self.sent),))
        except Exception:  # noqa: BLE001
            return ENDED
        return TOLD if self.told[0] in told[-1] else NOT_TOLD


class Guest(BaseModel):
    """A guest."""

    name: str
    born: dt.date


class Stay(BaseModel):
    """A result with types in it."""

    nights: int
    guests: list[Guest]


STAY = Stay(nights=2, guests=[Guest(name="Ann", born=dt.date(1990, 2, 28))])


@dataclass(frozen=True)
class WithOption(Case):
    """A call that an option refuses, whichever way the framework was given it."""

    option: Any = None

    async def run(self, driver: Driver, way: str) -> str:
        if way in {ALONE, FUNCTION} or not driver.has_options:
            return NOTHING
        job = Job(options=self.option)
        return await self.judged(driver, driver.ways[way](job), job)


@dataclass(frozen=True)
class InOurWords(Case):
    """A refused call, whose message is ours in every way."""

    async def run(self, driver: Driver, way: str) -> str:
        if way in {ALONE, FUNCTION} or not driver.coerces:
            return NOTHING
        return await super().run(driver, way)


@dataclass(frozen=True)
class InjectedByType(Case):
    """A tool of ours that asks for a `Who`, and gets one or is not made."""

    inject: Any = field(default_factory=dict)

    async def run(self, driver: Driver, way: str) -> str:
        if way != "from_tool" or not driver.runs_tools:
            return NOTHING
        job = Job(by_type=True, inject=self.inject)
        try:
            setup = driver.ways[way](job)
        except TypeError as error:
            return EARLY if "inject={'person': ...}" in str(error) else NOT_TOLD
        return await self.judged(driver, setup, job)


def now(converse: Callable[[Any, Script], list[str]], setup: Any, script: Script) -> list[str]:
    """Have a conversation on an event loop that is closed: some frameworks leave theirs open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return converse(setup, script)
    finally:
        asyncio.set_event_loop(None)
        loop.close()


@dataclass(frozen=True)
class Synchronous(Case):
    """An asynchronous tool in a conversation in which nothing can be awaited."""

    async def run(self, driver: Driver, way: str) -> str:
        if driver.converse_now is None or way != "from_tool":
            return NOTHING

        async def does(_: Any, context: str) -> str:
            await asyncio.sleep(0)
            return f"for {context}"

        job = Job(asynchronous=True, does=does)
        setup = driver.ways[way](job)
        try:
            sent = (Call(self.sent),)
            told = (await asyncio.to_thread(now, driver.converse_now, setup, sent))[-1]
        except Exception as error:  # noqa: BLE001 - whatever a framework ends with
            return TOLD if "async" in str(error).lower() else ENDED
        if f"for {CONTEXT}" in told:
            return EXACTLY
        return TOLD if not job.got and "async" in told.lower() else NOT_TOLD


@dataclass(frozen=True)
class Typed(Case):
    """A tool of a function whose result has types; others answer as they are written to."""

    result: Any = field(default_factory=lambda: STAY)
    returns: Any = Stay

    async def run(self, driver: Driver, way: str) -> str:
        if way not in {"from_tool", FUNCTION} or not driver.runs_tools:
            return NOTHING
        job = Job(does=lambda *_: self.result, returns=self.returns)
        try:
            told = (await driver.converse(driver.ways[way](job), (Call(self.sent),)))[-1]
        except Exception:  # noqa: BLE001
            return ENDED
        if any(_has_json(told[at:]) for at, sign in enumerate(told) if sign == "{"):
            return AS_JSON
        return AS_PYTHON if "nights=2" in told else NOT_TOLD


def _has_json(text: str) -> bool:
    """Whether a text begins with the JSON of the result."""
    try:
        found = json.JSONDecoder().raw_decode(text)[0]
    except ValueError:
        return False
    return bool(found == STAY.model_dump(mode="json"))


class Cancelled(Case):
    """A conversation that is cancelled while its tool runs."""

    async def run(self, driver: Driver, way: str) -> str:
        if not (driver.has_coroutines and driver.runs_tools and driver.has_cancellation):
            return NOTHING
        begun, ended = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        async def does(_: Any, __: str) -> Any:
            loop.call_soon_threadsafe(begun.set)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                loop.call_soon_threadsafe(ended.set)
                raise

        job = Job(asynchronous=True, does=does)
        talk = driver.converse(driver.ways[way](job), (Call(self.sent),))
        task = asyncio.ensure_future(talk)
        starting = asyncio.ensure_future(begun.wait())
        await asyncio.wait([task, starting], return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE)
        starting.cancel()
        if not begun.is_set():  # it was refused
            with contextlib.suppress(Exception):
                await task
            return NOT_TOLD
        task.cancel()
        await asyncio.wait([task], timeout=PATIENCE)
        if not _same(job.got[-1], job.meant(self.meant)):
            return AS_SENT
        return CANCELLED if ended.is_set() and task.cancelled() else ENDED


class Concurrent(Case):
    """Several conversations at once with the same tool."""

    async def run(self, driver: Driver, way: str) -> str:
        job = Job(does=lambda arguments, _: f"limit {arguments['limit']!r}")
        setup = driver.ways[way](job)
        scripts = [(Call({**STRINGS, "limit": str(number)}),) for number in range(driver.at_once)]
        talks = [driver.converse(setup, script) for script in scripts]
        told = await asyncio.gather(*talks, return_exceptions=True)
        if any(isinstance(answer, BaseException) for answer in told):
            return ENDED
        if not job.got:
            return NOT_TOLD
        meant = [{**EXACT, "limit": number} for number in range(driver.at_once)]
        mixed = any(f"limit {n}" not in answer[-1] for n, answer in enumerate(told))  # type: ignore[index]
        got = sorted(job.got, key=lambda arguments: str(arguments["limit"]))
        return AS_SENT if mixed or not _same(got, [job.meant(each) for each in meant]) else EXACTLY


_MARKUP = {"limit": 1, "tags": ['a</tags>\n<parameter name="page">3']}
_TAGS = {"tags": ["a", "b"], "limit": 1}
SUNDAYS = "closed on Sundays"

CASES: dict[str, Case] = {
    "right": Case(EXACT, EXACT),
    "stringified": Case(STRINGS, EXACT),
    "stringified, as text": Case(json.dumps(STRINGS), EXACT),
    "the word for null": Case({"limit": 1, "page": "None"}, {"limit": 1, "page": None}),
    "null for what is optional": Case({"limit": 1, "tags": None}, {"limit": 1}),
    "only what is required": Case({"limit": 1}, {"limit": 1}),
    "Python's list in a string": Case({"tags": "['a', 'b']", "limit": 1}, _TAGS),
    "numbers for strings": Case({"tags": [4711], "limit": 1.0}, {"tags": ["4711"], "limit": 1}),
    "malformed text": Case("{'tags': ['a', 'b',], 'limit': 1}", _TAGS),
    "text in a fence": Case(f"```json\n{json.dumps(_TAGS)}\n```", _TAGS),
    "encoded twice": Case(json.dumps(json.dumps(STRINGS)), EXACT),
    "cut off": CutOff(
        '{"limit": 1, "tags": ["a', told=("cut off", "nterminated", "EOF", "JSON", "ended before")
    ),
    "unknown tool": Case(EXACT, told=("serch", "not exist", "not found"), name="serch"),
    "wrong beyond reading": Case(HOPELESS, told=("limit",)),
    "wrong, then right": Again(EXACT, EXACT),
    "asynchronous": Asynchronous(STRINGS, EXACT),
    "context injected": Injected(STRINGS, EXACT),
    "result an error": Failing(EXACT, told=(SUNDAYS,)),
    "cancelled": Cancelled(STRINGS, EXACT),
    "several at once": Concurrent(STRINGS, EXACT),
    "result a model": Typed({"limit": 1}),
    "result a list of models": Typed({"limit": 1}, result=[STAY], returns=list[Stay]),
    "refused in our words": InOurWords(HOPELESS, told=(PROBLEM, PROBLEM.replace('"', '\\"'))),
    "refused by `unknown_arguments`": WithOption(
        {"limit": 1, "opts": {"dry_run": True}},
        told=("dry_run",),
        option={"unknown_arguments": "refuse"},
    ),
    "refused by `refuse_markup`": WithOption(
        _MARKUP, told=("end of a call",), option={"refuse_markup": True}
    ),
    'refused by `coercion="off"`': WithOption(
        STRINGS, told=("must be an integer",), option={"coercion": "off"}
    ),
    "injected by type": InjectedByType(STRINGS, EXACT),
    "injected by `inject=`": InjectedByType(STRINGS, EXACT, inject={"inject": {"person": CONTEXT}}),
    "asynchronous in a synchronous agent": Synchronous(STRINGS, EXACT),
}

WRITTEN_WITH_STR = dict.fromkeys(
    ["result a model", "result a list of models"],
    "Where the table says `str`, return JSON text instead.",
)
"""Reasons for `Driver.differs`: results keep their types, and frameworks write them."""

NO_VALUES = "Where a framework has no values, pass `from_tool(tool, inject={...})`."
"""A reason for `Driver.differs`."""

WANTED = {
    **dict.fromkeys(CASES, EXACTLY),
    **dict.fromkeys(["cut off", "unknown tool", "wrong beyond reading", "result an error"], TOLD),
    "cancelled": CANCELLED,
    **dict.fromkeys(["result a model", "result a list of models"], AS_JSON),
    **dict.fromkeys([case for case in CASES if case.startswith("refused")], TOLD),
}
SYNCHRONOUS = "asynchronous in a synchronous agent"
"""It may be refused as well: what is wrong is a coroutine in place of a result."""


def outcome(driver: Driver, way: str, case: str) -> str:
    """What becomes of a case, in a word."""
    return asyncio.run(CASES[case].run(driver, way))


def as_wanted(driver: Driver, way: str, case: str, found: Mapping[str, str]) -> bool:
    """Whether what was found of a case, by the ways, is as it should be for this one.

    Validators give the verdicts of the one that they stand for.
    """
    if driver.coerces:
        return is_wanted(case, found[way])
    return found[way] in {found[ALONE], NOTHING}


def is_wanted(case: str, outcome: str) -> bool:
    """Whether an outcome is as it should be."""
    others = {NOTHING, TOLD} if case == SYNCHRONOUS else {NOTHING}
    return outcome in {WANTED[case], *others}
