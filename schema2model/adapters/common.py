"""Helpers shared by adapters."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from schema2model.errors import ToolError
from schema2model.json.pointers import pointer_tokens
from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset

__all__ = [
    "as_validation_error",
    "core_schema_of",
    "made_returning",
    "ours_behind",
    "raising",
    "require_server",
    "require_theirs",
    "require_tool",
    "reraised_as",
    "watch_list_changes",
    "with_checker",
    "with_methods",
    "with_ours",
]

_T = TypeVar("_T")


def require_tool(tool: Any) -> None:
    """Refuse what is not a `Tool` of ours, when a framework's tool is made of it.

    Raises:
        TypeError: that says what to pass.

    >>> require_tool(len)
    Traceback (most recent call last):
        ...
    TypeError: from_tool takes a schema2model.Tool, not a function; pass Tool(len)

    """
    if isinstance(tool, Tool):
        return
    kind = _kind_of(tool)
    if isinstance(tool, Toolset):
        advice = "pass its tools, [from_tool(tool) for tool in toolset]"
    elif _is_function(tool):
        advice = f"pass Tool({tool.__name__})"
    elif isinstance(tool, Mapping):
        advice = "pass Tool.from_definition(definition, function)"
    else:
        advice = "a tool of the framework's own is for its wrapper, such as wrap_tool"
    message = f"from_tool takes a schema2model.Tool, not {kind}; {advice}"
    raise TypeError(message)


def require_theirs(given: Any, kinds: Any, function: str) -> None:
    """Refuse what is not a framework's own object, when it is wrapped.

    Args:
        given: what is wrapped.
        kinds: the class that is expected, or several.
        function: the name of the function that wraps.

    Raises:
        TypeError: that says what to pass.

    >>> require_theirs("search", Exception, "wrap_tool")
    Traceback (most recent call last):
        ...
    TypeError: wrap_tool takes builtins.Exception, not a str

    """
    if isinstance(given, kinds) and not isinstance(given, (Tool, Toolset)):  # a Tool is callable
        return
    expected = " or ".join(
        f"{kind.__module__}.{kind.__qualname__}"
        for kind in (kinds if isinstance(kinds, tuple) else (kinds,))
    )
    _refuse_theirs(given, expected, function)


def require_server(server: Any) -> None:
    """Refuse what does not list and call tools, when it is wrapped as an MCP server.

    Raises:
        TypeError: that says what to pass.

    >>> require_server("https://example.org/mcp")
    Traceback (most recent call last):
        ...
    TypeError: wrap_server takes an object with list_tools and call_tool, not a str

    """
    if isinstance(server, type) or not callable(getattr(server, "list_tools", None)):
        _refuse_theirs(server, "an object with list_tools and call_tool", "wrap_server")


def _refuse_theirs(given: Any, expected: str, function: str) -> NoReturn:
    advice = ""
    if isinstance(given, Tool):
        advice = "; pass that to from_tool"
    elif isinstance(given, Toolset):
        advice = "; pass its tools to from_tool"
    elif isinstance(given, (list, tuple)):
        advice = f"; pass each of them to {function}"
    elif _is_function(given):
        advice = f"; pass from_tool(Tool({given.__name__}))"
    message = f"{function} takes {expected}, not {_kind_of(given)}{advice}"
    raise TypeError(message)


def _is_function(value: Any) -> bool:
    """Return whether a value is a function or method; a framework's tool may be a descriptor."""
    return isinstance(value, (types.FunctionType, types.MethodType, types.BuiltinFunctionType))


def _kind_of(value: Any) -> str:
    """Return the name of a value's class, with that of its package where it needs one."""
    if _is_function(value):
        return "a function"
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    kind = type(value)
    module = kind.__module__.partition(".")[0]
    return f"a {kind.__name__}" if module == "builtins" else f"a {module}.{kind.__name__}"


@contextlib.contextmanager
def reraised_as(theirs: type[Exception], final: type[Exception] | None = None) -> Iterator[None]:
    """Turn a `ToolError` raised in this context into an error of the framework, with its text.

    Args:
        theirs: the framework's error.
        final: its error that asks for no further attempt, for what is not `retryable`; `theirs`
            if it has none.

    >>> with reraised_as(LookupError):
    ...     raise ToolError("no city of that name")
    Traceback (most recent call last):
        ...
    LookupError: no city of that name

    """
    try:
        yield
    except ToolError as error:
        raising(theirs, final)(error)


def raising(theirs: type[Exception], final: type[Exception] | None = None) -> Callable[..., Any]:
    """Return a function that raises a framework's error for a `ToolError`; see `reraised_as`."""

    def refuse(error: ToolError) -> NoReturn:
        raise (theirs if error.retryable or final is None else final)(str(error)) from error

    return refuse


def as_validation_error(error: ToolError, name: str, sent: Any) -> ValidationError:
    """Return a refusal as an error of pydantic's, with our words, where a framework expects that.

    >>> str(as_validation_error(ToolError("no"), "search", {})).splitlines()[1:2]
    ['  no [type=schema2model, input_value={}, input_type=dict]']
    """
    found = [(issue.path, issue.message) for issue in error.issues] or [("", str(error))]
    details = [
        InitErrorDetails(
            type=PydanticCustomError("schema2model", "{message}", {"message": message}),
            loc=tuple(pointer_tokens(path)),
            input=sent,
        )
        for path, message in found
    ]
    return ValidationError.from_exception_data(name, details)


@functools.lru_cache
def core_schema_of(kind: Any) -> Any:
    """Return what pydantic has made of a type; None of what it takes for no type.

    It is the same object each time, so that a checker that is made of it is made once.
    """
    try:
        return TypeAdapter(kind).core_schema
    except Exception:  # noqa: BLE001 - whatever a framework has for a type
        return None


def made_returning(make: Callable[[Callable[[], Any]], _T], annotation: Any, name: str) -> _T:
    """Return what a server makes of a function with a return annotation: an `outputSchema`.

    An annotation that the server cannot take counts as none, as its tools run without one.

    Args:
        make: the server's own maker of tools.
        annotation: `inspect.Signature.empty` for none.
        name: the function's.

    >>> made_returning(inspect.signature, list[str], "rooms")
    <Signature () -> list[str]>

    """

    def made() -> Any: ...

    made.__name__ = name
    made.__annotations__ = {}
    if annotation is not inspect.Signature.empty:
        made.__annotations__ = {"return": annotation}
        with contextlib.suppress(PydanticUserError, TypeError):
            return make(made)
        made.__annotations__ = {}
    return make(made)


def with_methods(theirs: Any, methods: type) -> Any:
    """Return a copy of a framework's tool with the methods of a class before those of its own.

    It is a copy and no wrapper, since frameworks tell tools apart with `isinstance`, and since a
    tool may hold more than its framework knows of.

    >>> class Tool:
    ...     def call(self):
    ...         return "called"
    >>> class Loud:
    ...     def call(self):
    ...         return super().call().upper()
    >>> made = with_methods(Tool(), Loud)
    >>> made.call(), isinstance(made, Tool)
    ('CALLED', True)
    """
    made = copy.copy(theirs)
    object.__setattr__(made, "__class__", _subclass_with(methods, type(theirs)))  # type: ignore[arg-type]
    return made


def with_ours(made: _T, runs: Any) -> _T:
    """Return a framework's tool that runs one of ours, by its `_runs`, which it gets here."""
    owner: Any = made
    owner._runs = runs
    return made


def with_checker(made: _T, checker: Tool) -> _T:
    """Return a framework's tool with the checker of its arguments, its `_checker`.

    A tool that runs one of ours may have one, too: so they have different names.
    """
    owner: Any = made
    owner._checker = checker
    return made


def ours_behind(theirs: object) -> Tool | None:
    """Return the tool of ours that reads the arguments of a framework's tool, if one does.

    >>> from schema2model import Tool
    >>> def theirs(x: int) -> int: ...
    >>> ours_behind(theirs), ours_behind(with_checker(theirs, Tool(theirs)))
    (None, <Tool 'theirs'>)
    """
    for found in (getattr(theirs, "_checker", None), getattr(theirs, "_runs", None)):
        tool = getattr(found, "tool", found)
        if isinstance(tool, Tool):
            return tool
    return None


@functools.cache
def _subclass_with(methods: type, kind: type) -> type:
    if issubclass(kind, methods):
        return kind
    return type(kind.__name__, (methods, kind), {"__module__": kind.__module__})


def watch_list_changes(session: Any, changed: Callable[[], object]) -> None:
    """Call a function whenever an MCP server announces in a session that its tools have changed.

    Args:
        session: one of the SDK's, on the side of the server.
        changed: is called before the announcement is sent; once, however often it is given.

    """
    send = session.send_notification
    watchers = getattr(send, "watchers", None)
    if watchers is None:
        watchers = set()

        async def send_watched(notification: Any, *args: Any, **options: Any) -> None:
            content = getattr(notification, "root", notification)  # SDK 1.x
            if getattr(content, "method", "") == "notifications/tools/list_changed":
                for each in [*watchers]:
                    each()
            await send(notification, *args, **options)

        send_watched.watchers = watchers  # type: ignore[attr-defined]
        session.send_notification = send_watched
    watchers.add(changed)
