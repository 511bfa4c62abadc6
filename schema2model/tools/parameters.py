"""How functions take arguments, and functions that look like others."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, TypeAlias

from schema2model.errors import SchemaError
from schema2model.json.quoting import abridged_repr, printable

__all__ = [
    "Inject",
    "InstanceArguments",
    "Parameters",
    "declared_by",
    "docstring_of",
    "imitate_function",
    "is_async_generator_function",
    "is_coroutine_function",
    "kept_injected",
    "name_of",
    "not_injected",
    "require_declared",
    "require_injected",
    "unwrap_function",
]

Inject: TypeAlias = Iterable[type | str] | type | str
"""Types or names of parameters that the application fills in, never the model."""

_EMPTY = inspect.Parameter.empty
_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """How a function takes the arguments of a call.

    Attributes:
        function: what is called.
        signature: all that it takes.
        injected: the parameters that the application fills in, with the type or name that says so.
        asynchronous: whether calling it makes a coroutine.
        yields_asynchronously: whether calling it makes an asynchronous generator.
        known: types and names that may be injected even if this function does not take them.
        properties: the names of properties that differ from those of their parameters.
        convert: turns validated arguments into what the parameters are annotated with.
        whole: the parameter that takes all arguments as one mapping, if there is one.
        positional: the parameters that take no keywords.

    >>> def add(a: int, b: int, /) -> int: ...
    >>> Parameters(add, inspect.signature(add), injected={}).arrange({"a": 1, "b": 2}, {})
    ((1, 2), {})

    """

    function: Callable[..., Any]
    signature: inspect.Signature
    injected: Mapping[str, Any]
    asynchronous: bool = field(init=False)
    yields_asynchronously: bool = field(init=False)
    known: frozenset[Any] = frozenset()
    properties: Mapping[str, str] = field(default_factory=dict)
    convert: Callable[[Any], dict[str, Any]] | None = None
    whole: str | None = None
    positional: tuple[inspect.Parameter, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "asynchronous", is_coroutine_function(self.function))
        yields = is_async_generator_function(self.function)
        object.__setattr__(self, "yields_asynchronously", yields)
        given = [*self.signature.parameters.values()]
        # a `functools.singledispatch` asks for the type of its first argument, by position
        is_dispatched = inspect.isfunction(self.function) and hasattr(self.function, "register")
        dispatched = given[:1] if is_dispatched else []
        positional = (p for p in given if p.kind is _POSITIONAL or p in dispatched)
        object.__setattr__(self, "positional", tuple(positional))

    def arrange(
        self, values: Mapping[str, Any], injected: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and the keyword arguments that pass on `values` and `injected`."""
        named = {self.whole: values} if self.whole else dict(values)
        for name in self.injected:
            if name in injected:
                named[name] = injected[name]
        if not self.positional:
            return (), named
        positional = [*self.positional]
        while positional and positional[-1].name not in named:
            positional.pop()
        gaps = [p.name for p in positional if p.name not in named and p.default is _EMPTY]
        args = (named.pop(p.name, p.default) for p in positional if p.name not in gaps)
        return tuple(args), named

    def check(self, name: str, injected: Mapping[str, Any]) -> None:
        """Refuse injected values that are missing, or that the function does not take."""
        for parameter in self.injected:
            if parameter not in injected and self.signature.parameters[parameter].default is _EMPTY:
                message = (
                    f"`{printable(name)}` needs `{parameter}`, which the application has to fill "
                    f"in: pass it next to the arguments, as {parameter}=..."
                )
                raise TypeError(message)
        for given, value in injected.items():
            if given in self.injected or not self.known.isdisjoint((given, *type(value).__mro__)):
                continue  # a toolset is given what any of its tools may need
            raise not_injected(given, self.injected, name)

    def split_call(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Split what the function was called with into the call's arguments and the injected ones.

        Raises:
            TypeError: for more positional arguments than it takes, or one of them twice.

        """
        parameters = self.signature.parameters
        named = {
            name: value
            for name, value in kwargs.items()
            if name in parameters and parameters[name].kind is not _VAR_KEYWORD
        }
        values = {**kwargs, **self.signature.bind_partial(*args, **named).arguments}
        injected = {name: values.pop(name) for name in self.injected if name in values}
        if self.whole:
            return values.get(self.whole, {}), injected
        # A default passed on by a framework need not be JSON, and the function has it anyway.
        arguments = {
            self.properties.get(name, name): value
            for name, value in values.items()
            if name not in parameters or value is not parameters[name].default
        }
        return arguments, injected


class InstanceArguments(dict[str, Any]):
    """The arguments of a class that validates them, and the instance that they have made.

    >>> InstanceArguments({"real": "1"}, 1 + 0j).call(real="1")
    (1+0j)
    """

    def __init__(self, arguments: Mapping[str, Any], instance: Any) -> None:
        super().__init__(arguments)
        self._instance = instance

    def call(self, **arguments: Any) -> Any:
        """Return the instance, as the class would if it were called with the arguments."""
        del arguments
        return self._instance


def kept_injected(inject: Inject) -> Inject:
    """Return the types and names of injected parameters, to be read more than once.

    Raises:
        TypeError: if it is neither one nor several of them.

    >>> kept_injected(3)
    Traceback (most recent call last):
        ...
    TypeError: inject is a type, the name of a parameter, or several of these; got int

    """
    if isinstance(inject, (str, type)):
        return inject
    if not isinstance(inject, Iterable):
        got = type(inject).__name__
        message = f"inject is a type, the name of a parameter, or several of these; got {got}"
        raise TypeError(message)
    return tuple(inject)


def require_injected(inject: Inject, found: Iterable[Mapping[str, Any]]) -> None:
    """Refuse entries of `inject` by which no parameter is injected.

    Args:
        inject: types or names of parameters, as for `Tool`.
        found: the injected parameters of each function.

    Raises:
        TypeError: for the first such entry: a typo would show its parameter to the model.

    >>> require_injected(["user_di"], [{"user_id": "user_id"}])
    Traceback (most recent call last):
        ...
    TypeError: inject names 'user_di', but no function has such a parameter

    """
    entries = {entry for each in found for entry in each.values()}
    for wanted in [inject] if isinstance(inject, (str, type)) else inject:
        if wanted not in entries:
            name = getattr(wanted, "__name__", wanted)
            message = f"inject names {abridged_repr(name)}, but no function has such a parameter"
            raise TypeError(message)


def require_declared(values: Mapping[str, Any], tools: Iterable[Any]) -> None:
    """Refuse injected values that no tool of a set takes.

    Raises:
        TypeError: for the first such name.

    """
    if values:
        declared = {name: None for tool in tools for name in tool.injected}
        for given in values:
            if given not in declared:
                raise not_injected(given, declared)


def declared_by(prepared: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the injected values that the tool of a prepared call takes."""
    if not values:  # as most often: to ask for the names takes 3 % of a call
        return {}
    return {name: values[name] for name in prepared.tool.injected if name in values}


def not_injected(given: str, declared: Iterable[str], name: str | None = None) -> TypeError:
    """Return the error for an injected value that a tool, or every tool of a set, does not take."""
    takes = "no tool takes an" if name is None else f"`{printable(name)}` takes no"
    listed = ", ".join(f"`{parameter}`" for parameter in declared) or "none"
    return TypeError(f"{takes} injected `{given}`; what can be injected: {listed}")


# ----------------------------------------------------------------------- what is called
def name_of(function: Any) -> str:
    """Return the name of a function, or of the class of a callable object.

    Raises:
        SchemaError: for a lambda.

    >>> name_of(functools.partial(len, "abc"))
    'len'

    """
    named = function.func if isinstance(function, functools.partial) else function
    name = getattr(named, "__name__", None) or type(named).__name__
    if not isinstance(name, str) or name == "<lambda>":
        message = "a lambda has no name that a model could call; pass name="
        raise SchemaError(message)
    return name


def unwrap_function(function: Any) -> Any:
    """Return the plain function inside decorators, partials, methods and callable objects.

    Its annotations and its globals are those that the author saw.

    >>> unwrap_function(functools.partial(name_of, "abc")) is name_of
    True
    """
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__") and "__signature__" not in vars(function):
            function = function.__wrapped__
        elif isinstance(function, type):
            function = function.__init__  # type: ignore[misc] # the class is at hand itself
        elif inspect.ismethod(function):
            function = function.__func__
        elif not inspect.isroutine(function) and inspect.isroutine(type(function).__call__):
            function = type(function).__call__
        else:
            return function


def docstring_of(function: Any) -> str | None:
    """Return the docstring of a function, or of the `__call__` or class of an object.

    >>> docstring_of(functools.partial(len, "abc"))
    'Return the number of items in a container.'
    """
    if isinstance(function, functools.partial):
        return docstring_of(function.func)
    if isinstance(function, type):  # what it inherits says what its base is
        own = function.__doc__ or ""
        made_up = is_dataclass(function) and own.startswith(f"{function.__name__}(")
        return None if made_up else inspect.cleandoc(own)
    if inspect.isroutine(function):
        return inspect.getdoc(function)
    return type(function).__call__.__doc__ or type(function).__doc__


def is_coroutine_function(function: Any) -> bool:
    """Return whether calling an object makes a coroutine; False for what cannot be called.

    >>> async def search() -> None: ...
    >>> is_coroutine_function(search), is_coroutine_function(None)
    (True, False)
    """
    return _is_kind(function, inspect.iscoroutinefunction)


def is_async_generator_function(function: Any) -> bool:
    """Return whether calling an object makes an asynchronous generator.

    >>> async def count(): yield 1
    >>> is_async_generator_function(count), is_async_generator_function(len)
    (True, False)
    """
    return _is_kind(function, inspect.isasyncgenfunction)


def _is_kind(function: Any, check: Callable[[Any], bool]) -> bool:
    return check(function) or check(getattr(type(function), "__call__", None))  # noqa: B004


# ------------------------------------------------------------------------------ and back again
def imitate_function(
    parameters: Parameters, run: Callable[[tuple[Any, ...], dict[str, Any]], Any], name: str
) -> Callable[..., Any]:
    """Return a function with the name, signature and docstring of another and its own behaviour.

    Args:
        parameters: those of the other function.
        run: called with the positional and the keyword arguments; returns an awaitable if the
            other function is asynchronous.
        name: for functions that have none.

    >>> def add(a: int, b: int) -> int: ...
    >>> made = imitate_function(
    ...     Parameters(add, inspect.signature(add), injected={}), lambda args, kwargs: args, "add"
    ... )
    >>> made.__name__, str(inspect.signature(made)), made(1, 2)
    ('add', "(a: 'int', b: 'int') -> 'int'", (1, 2))

    """

    def synchronous(*args: Any, **kwargs: Any) -> Any:
        return run(args, kwargs)

    async def asynchronous(*args: Any, **kwargs: Any) -> Any:
        return await run(args, kwargs)

    template: Any = asynchronous if parameters.asynchronous else synchronous
    made: types.FunctionType = template
    function, written = parameters.function, unwrap_function(parameters.function)
    scope = getattr(written, "__globals__", None)
    if scope is not None:
        # Annotations may be strings, which frameworks evaluate in the function's own globals.
        made = types.FunctionType(made.__code__, scope, None, None, made.__closure__)
    signature = parameters.signature
    annotations = {p.name: p.annotation for p in signature.parameters.values()}
    annotations["return"] = signature.return_annotation
    name = getattr(function, "__name__", name).replace("<lambda>", name)
    made.__name__ = name
    made.__qualname__ = getattr(function, "__qualname__", name).replace("<lambda>", name)
    made.__module__ = getattr(written, "__module__", None) or __name__
    made.__doc__ = function.__doc__ if inspect.isroutine(function) else docstring_of(function)
    made.__annotations__ = {key: kind for key, kind in annotations.items() if kind is not _EMPTY}
    made.__signature__ = signature  # type: ignore[attr-defined]
    return made
