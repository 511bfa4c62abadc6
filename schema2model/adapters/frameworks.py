"""Frameworks as records, and the three shapes in which their calls pass through this library.

A schema2model tool that they run (`Ours`), a tool or hook of theirs whose calls are checked
(`wrapped`, `Checkers`), and the list of a server's tools (`CheckedServer`). Only this module
handles options, injected values, asynchronous functions and refusals.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from typing_extensions import Unpack

from schema2model.adapters.common import (
    require_server,
    require_theirs,
    require_tool,
    with_checker,
    with_methods,
)
from schema2model.errors import ToolError
from schema2model.json.quoting import printable
from schema2model.tools.answering import prepare_sent
from schema2model.tools.execution import arun, run
from schema2model.tools.parameters import not_injected
from schema2model.tools.tool import Prepared, Tool, parts_of, without_prepare_hooks
from schema2model.tools.tool_cache import (
    CheckerOptions,
    ToolCache,
    checker_options,
    compile_checker,
)

__all__ = ["CheckedServer", "Checkers", "Framework", "Ours", "Seen", "wrapped"]

_T = TypeVar("_T")
_MISSING: Final = object()


class Seen(NamedTuple):
    """A framework's own tool, as a model sees it."""

    name: str
    schema: Any
    origin: Any = None
    """The source of the schema; see `compile_checker`."""
    key: str | None = None
    """The key of the tool, where several have the same name."""
    schema_of: Callable[[Any], Any] | None = None
    """A function that makes the schema of `schema`, where that costs too much for every call."""


def _raise(error: ToolError) -> Any:
    raise error


@dataclass(frozen=True)
class Framework:
    """The differences between frameworks.

    Attributes:
        kinds: the classes of its tools.
        seen: returns a tool as a model sees it; None if the tool has no schema.
        refuse: makes the answer to a refused call of a `ToolError`, or raises the framework's own.
        context: the type that tools declare to get the conversation's context; None without one.
        application: finds in that context what the application has put there.
        cut_off: returns whether a reply ended too soon in the call that has that context.

    """

    kinds: Any = ()
    seen: Callable[[Any], Seen | None] = lambda _: None
    refuse: Callable[[ToolError], Any] = _raise
    context: Any = None
    application: Callable[[Any], Any] | None = None
    cut_off: Callable[[Any], bool] = lambda _: False


# --------------------------------------------------------------------- a tool of ours, run by them
class Ours:
    """A schema2model tool, as a framework runs it.

    An injected parameter gets the value that `inject` has under its name. Otherwise it gets what
    the application has put into the framework's context: the value of the parameter's name, or the
    only one of its type. The context itself goes to a parameter that is annotated with its type,
    or is not annotated and has its name: `context`, `ctx`, or the name of the type.

    Args:
        framework: which.
        tool: one with a function.
        inject: values for injected parameters, by the parameter's name.
        is_checked: whether the arguments of each call have been prepared before.

    Raises:
        TypeError: for what is not a tool of ours, or an injected parameter that nothing can fill.

    """

    def __init__(
        self,
        framework: Framework,
        tool: Tool,
        inject: Mapping[str, Any] | None = None,
        *,
        is_checked: bool = False,
    ) -> None:
        require_tool(tool)
        self.tool = without_prepare_hooks(tool) if is_checked else tool
        self._framework = framework
        self._given = dict(inject or {})
        for name in self._given:
            if name not in tool.injected:
                raise not_injected(name, tool.injected, tool.name)
        parameters = parts_of(tool).parameters
        self.is_asynchronous = parameters is not None and (
            parameters.asynchronous or parameters.yields_asynchronously
        )
        self._wanted: dict[str, tuple[type, ...]] = {}
        for name in tool.injected.keys() - self._given.keys():
            kinds = self._wanted[name] = _kinds(tool, name)
            may_come = framework.application is not None or _is_context(framework, name, kinds)
            if not may_come:
                self._require_default(name, kinds)

    def prepare(self, arguments: Any, call: Any = None, context: Any = None) -> Prepared:
        """Return a prepared call; see `prepare_sent`."""
        cut_off = context is not None and self._framework.cut_off(context)
        return prepare_sent(self.tool, arguments, call, cut_off=cut_off)  # type: ignore[no-any-return]

    def execute(self, prepared: Prepared, context: Any = None) -> Any:
        """Run a prepared call where nothing can be awaited; iterators are collected.

        Raises:
            TypeError: for an asynchronous function, and a value to inject that is missing.

        """
        return run(prepared, self._values(context), as_is=True, collects=True)

    async def aexecute(
        self, prepared: Prepared, context: Any = None, *, threaded: bool = True
    ) -> Any:
        """Run a prepared call and await it; a plain function runs in a thread if `threaded`."""
        values, options = self._values(context), {"as_is": True, "collects": True}
        if self.is_asynchronous or not threaded:
            return await arun(prepared, values, **options)
        result = await asyncio.to_thread(run, prepared, values, awaits=True, **options)
        return await result if inspect.isawaitable(result) else result

    def call(self, arguments: Any, context: Any = None, call: Any = None) -> Any:
        """Return the result of a call, or the answer to a refused one."""
        try:
            return self.execute(self.prepare(arguments, call, context), context)
        except ToolError as error:
            return self._framework.refuse(error)

    async def acall(self, arguments: Any, context: Any = None, call: Any = None) -> Any:
        """Return the same, awaited."""
        try:
            return await self.aexecute(self.prepare(arguments, call, context), context)
        except ToolError as error:
            return self._framework.refuse(error)

    def _values(self, context: Any) -> dict[str, Any]:
        """Return the injected values, before the function runs."""
        framework, values = self._framework, dict(self._given)
        for name, kinds in self._wanted.items():
            value = _MISSING
            if framework.application is not None and context is not None:
                with contextlib.suppress(ValueError):  # outside of a run, there is none
                    value = _found(framework.application(context), name, kinds)
            if value is _MISSING and context is not None:
                is_meant = _is_context(framework, name, kinds) or _is_a(context, kinds)
                value = context if is_meant else _MISSING
            if value is _MISSING:
                self._require_default(name, kinds)
            else:
                values[name] = value
        return values

    def _require_default(self, name: str, kinds: tuple[type, ...]) -> None:
        parameter = parts_of(self.tool).parameters.signature.parameters[name]  # type: ignore[union-attr]
        if parameter.default is not inspect.Parameter.empty:
            return
        own = getattr(self._framework.context, "__name__", None)
        of_kind = f" of {' or '.join(kind.__qualname__ for kind in kinds)}" if kinds else ""
        has = "nothing to inject" if own is None else f"only its {own}, and no such value in it,"
        message = (
            f"`{printable(self.tool.name)}` needs `{name}`{of_kind}, and the framework has {has} "
            f"here: pass from_tool(tool, inject={{{name!r}: ...}})"
        )
        raise TypeError(message)


def _kinds(tool: Tool, name: str) -> tuple[type, ...]:
    """Return the classes by which a parameter is injected; none if only its name says it."""
    from schema2model.tools.signatures import parameter_classes  # noqa: PLC0415 - few inject

    found = parameter_classes(tool.function, name)
    entry = tool.injected[name]
    return found or ((entry,) if isinstance(entry, type) else ())


def _is_context(framework: Framework, name: str, kinds: tuple[type, ...]) -> bool:
    """Return whether a parameter is for the framework's own context."""
    own = framework.context
    if own is None:
        return False
    if kinds:
        return not {own, *getattr(own, "__mro__", ())}.isdisjoint(kinds)
    words = re.findall(r"[A-Z][a-z]*", own.__name__)
    return name in {"context", "ctx", words[-1].lower(), "_".join(words).lower()}


def _is_a(value: Any, kinds: tuple[type, ...]) -> bool:
    try:
        return isinstance(value, kinds)
    except TypeError:  # of a TypedDict or a protocol, which says nothing of values
        return False


def _found(application: Any, name: str, kinds: tuple[type, ...]) -> Any:
    """Return what an application has for a parameter: of its name, or else the only of its type."""
    if isinstance(application, Mapping):
        named = application
    elif dataclasses.is_dataclass(application):
        names = [each.name for each in dataclasses.fields(application)]
        named = {each: getattr(application, each) for each in names}
    else:
        named = getattr(application, "__dict__", {})
    if name in named and (not kinds or _is_a(named[name], kinds)):
        return named[name]
    values = (application, *named.values()) if kinds else ()
    fitting = {id(value): value for value in values if _is_a(value, kinds)}
    return fitting.popitem()[1] if len(fitting) == 1 else _MISSING


# ------------------------------------------------------------------------ a tool of theirs, checked
def wrapped(
    framework: Framework,
    theirs: _T,
    checked: type | Callable[[_T, Tool], _T],
    **options: Unpack[CheckerOptions],
) -> _T:
    """Return a copy of their tool that checks its arguments; itself if its schema says nothing.

    Args:
        framework: which.
        theirs: the tool.
        checked: makes the copy: a class with the methods that come before its own, which use
            `_checker`, or a function of the tool and the checker.
        options: see `CheckerOptions`; all are the checker's, which is asked for every call.

    """
    require_theirs(theirs, framework.kinds, "wrap_tool")
    options = checker_options(**options)
    seen = framework.seen(theirs)
    if seen is None:
        return theirs
    schema = seen.schema if seen.schema_of is None else seen.schema_of(seen.schema)
    checker = compile_checker(seen.name, schema, seen.origin, **options)
    if checker is None:
        return theirs
    if isinstance(checked, type):
        return with_checker(with_methods(theirs, checked), checker)
    return checked(theirs, checker)


class Checkers:
    """Checks the calls of all tools that pass through a hook or middleware."""

    def __init__(self, framework: Framework, **options: Unpack[CheckerOptions]) -> None:
        self._framework = framework
        self.cache = ToolCache(**options)

    def of(self, theirs: Any) -> Tool | None:
        """Return the checker of their tool; None if it has none."""
        if not isinstance(theirs, self._framework.kinds):
            return None
        seen = self._framework.seen(theirs)
        if seen is None:
            return None
        name, schema, origin, key, schema_of = seen
        return self.cache.get(name, schema, key, schema_of=schema_of, origin=origin)

    def arguments(self, theirs: Any, sent: Any, *, cut_off: bool = False) -> Any:
        """Return the arguments of a call of their tool; see `prepare_sent`.

        Raises:
            ToolError: where no reading of them is valid.

        """
        checker = self.of(theirs)
        if checker is None:
            return sent
        return prepare_sent(checker, sent, cut_off=cut_off).arguments


# ------------------------------------------------------------------------- a server's list
class CheckedServer:
    """Lists and calls tools in its own way, and leaves all else to another server or client.

    Args:
        theirs: what is wrapped.
        refuse: makes the answer to a refused call of an error, or raises.
        options: see `CheckerOptions`.

    """

    def __init__(
        self,
        theirs: Any,
        refuse: Callable[[ToolError], Any] = _raise,
        **options: Unpack[CheckerOptions],
    ) -> None:
        require_server(theirs)
        self._theirs = theirs
        self._refuse = refuse
        self._checkers = ToolCache(**options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)

    async def list_tools(self, *args: Any, **options: Any) -> Any:
        """List the tools, whose schemas count from now on."""
        listed = await self._theirs.list_tools(*args, **options)
        tools: Iterable[Any] = getattr(listed, "tools", listed)
        if tools is listed:  # all of them, not a page
            self._checkers.schemas.clear()
        for tool in tools:  # the protocol's names are the same in every version of the SDK
            self._checkers.add(tool.name, tool.model_dump(by_alias=True)["inputSchema"])
        return listed

    async def call_tool(self, name: str, arguments: Any = None, *args: Any, **options: Any) -> Any:
        """Call a tool with the arguments that it takes."""
        checker = self._checkers.listed(name)
        try:
            arguments = arguments if checker is None else checker.prepare(arguments).arguments
        except ToolError as error:
            return self._refuse(error)
        return await self._theirs.call_tool(name, arguments, *args, **options)
