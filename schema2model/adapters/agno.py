"""Agno: exact arguments for all tools of an agent, also of MCP servers.

Agent(model=..., tools=[...], tool_hooks=[coercion()])  # all tools, toolkits and MCP servers
Agent(model=..., tools=[from_tool(tool), wrap_tool(theirs)])

The error of a refused call is the message for the model. Before any of this, Agno parses the text
of a call as JSON or a Python literal, answers other text itself, and turns the texts "null",
"none", "true" and "false" into null and booleans, at the top level. The conversation is unchanged.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from typing_extensions import Unpack

from schema2model import Tool
from schema2model.adapters.common import reraised_as
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.json.quoting import printable
from schema2model.tools.tool_cache import CheckerOptions

with extra("agno"):
    from agno.exceptions import RetryAgentRun
    from agno.run import RunContext
    from agno.tools import Function, Toolkit
    from agno.tools.function import FunctionCall

__all__ = ["coercion", "from_tool", "wrap_tool"]


def _seen(theirs: Function | Callable[..., Any]) -> Seen:
    """Return how models see a function; its schema may have to be made of the signature."""
    function = theirs if isinstance(theirs, Function) else Function.from_callable(theirs)
    if not function.skip_entrypoint_processing:
        function = function.model_copy(deep=False)
        function.parameters = dict(function.parameters)
        function.process_entrypoint()
    return Seen(function.name, function.parameters)


_AGNO = Framework(
    (Function, Callable),
    _seen,
    context=RunContext,
    application=lambda context: context.dependencies or {},
)


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any) -> Function:
    """Return an Agno function that runs a schema2model tool.

    Args:
        tool: one with a function; what is injected is one of the run's `dependencies`, or the
            `RunContext`.
        inject: values for injected parameters, by name.
        options: what else Agno's `Function` has: `requires_confirmation`, `cache_results`, ...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_AGNO, tool, inject)

    # Agno fills in what is annotated as its context. Any name may be a property's, but hardly this
    # one.
    def call(agno_run_context: RunContext | None = None, **arguments: Any) -> Any:
        return ours.call(arguments, agno_run_context)

    async def acall(agno_run_context: RunContext | None = None, **arguments: Any) -> Any:
        return await ours.acall(arguments, agno_run_context)

    return Function(
        name=tool.name,
        description=tool.description,
        parameters=tool.shown_schema,
        entrypoint=_awaited(acall, tool.name) if ours.is_asynchronous else call,
        skip_entrypoint_processing=True,
        **options,
    )


def _awaited(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a coroutine function that refuses to be called by what cannot await it.

    Agno calls it in a synchronous run, too, and writes the coroutine as its result.
    """

    class Awaited(functools.partial):  # type: ignore[type-arg] # which counts as what it wraps
        def __call__(self, /, **arguments: Any) -> Any:
            frame: Any = inspect.currentframe()
            if not frame.f_back.f_code.co_flags & inspect.CO_COROUTINE:
                message = f"`{printable(name)}` is asynchronous; run the agent with `arun`"
                raise TypeError(message)
            return super().__call__(**arguments)

    return functools.update_wrapper(Awaited(function), function)


def wrap_tool(theirs: Function | Callable[..., Any], **options: Unpack[CheckerOptions]) -> Function:
    """Return an Agno function whose `pre_hook` coerces its arguments.

    One that it has already comes after ours. It is `theirs` itself, or as Agno would make it of a
    Python function, if its schema cannot be compiled.
    """
    made: Any = wrapped(_AGNO, theirs, _checked, **options)
    return made if isinstance(made, Function) else Function.from_callable(made)


def _checked(theirs: Any, checker: Tool) -> Function:
    function = theirs if isinstance(theirs, Function) else Function.from_callable(theirs)
    later = function.pre_hook

    def coerced(fc: FunctionCall, agent: Any, team: Any, run_context: Any) -> Any:
        with reraised_as(RetryAgentRun):  # all else Agno would log, and run the tool
            fc.arguments = checker.prepare(fc.arguments or {}).arguments
        if later is None:
            return None
        offered = {"fc": fc, "agent": agent, "team": team, "run_context": run_context}
        wanted = inspect.signature(later).parameters
        return later(**{name: offered[name] for name in wanted if name in offered})

    async def coerced_async(fc: FunctionCall, agent: Any, team: Any, run_context: Any) -> None:
        await coerced(fc, agent, team, run_context)

    made = function.model_copy(deep=False)
    made.pre_hook = coerced_async if inspect.iscoroutinefunction(later) else coerced
    return made


def coercion(**options: Unpack[CheckerOptions]) -> Callable[..., Any]:
    """Return a hook for `tool_hooks` that coerces the arguments of all tools of an agent or team.

    A refused call raises our `ToolError`, whose message Agno sends to the model.
    """
    checkers = Checkers(_AGNO, **options)

    def coerce(  # noqa: PLR0913, PLR0917 - Agno looks at the names
        function_name: str,
        function_call: Callable[..., Any],
        arguments: dict[str, Any],
        run_context: RunContext | None,
        agent: Any,
        team: Any,
    ) -> Any:
        for owner in (run_context, agent, team):
            tools = getattr(owner, "tools", None)
            for theirs in _find_functions(
                tools if isinstance(tools, Iterable) else (), function_name
            ):
                read = dict(checkers.arguments(theirs, arguments))
                # Keyword arguments that a hook passes on are overridden by these.
                arguments.clear()
                arguments.update(read)
                return function_call(**arguments)
        return function_call(**arguments)

    return coerce


def _find_functions(tools: Iterable[Any], name: str) -> Iterable[Any]:
    """Return the functions of a name: those of Agno's, and Python's own."""
    for tool in tools:
        if isinstance(tool, Toolkit):
            found = tool.get_async_functions().get(name)
            if found is not None:
                yield found
        elif isinstance(tool, Function):
            if tool.name == name:
                yield tool
        elif callable(tool) and getattr(tool, "__name__", None) == name:
            yield tool
