"""`Tool`: from the raw arguments of a call to a function that was called."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, cast, overload

from typing_extensions import TypedDict, TypeVar, Unpack

from schema2model.coercions import Coercion, Preset
from schema2model.errors import ToolError
from schema2model.tools.argument_text import (
    read_arguments,
)
from schema2model.tools.argument_values import unpacked
from schema2model.tools.as_function import standalone_function
from schema2model.tools.base import BaseTool, from_parts
from schema2model.tools.checks import decoded_arguments, refuse_by_options
from schema2model.tools.construction import parts_from_definition, parts_from_function
from schema2model.tools.conversation import Arguments
from schema2model.tools.execution import LOGGER, Execution, UnknownArguments, arun, run
from schema2model.tools.prepared import PreparedCall, R
from schema2model.tools.signatures import Inject, require_injected
from schema2model.tools.usage_errors import refuse_call_mapping

__all__ = ["Observer", "Prepared", "Tool", "ToolOptions"]

T = TypeVar("T")


class Observer(Protocol):
    """Callbacks for every call of a tool, including refused ones.

    The hooks of `ToolOptions` get a beginning and an end; an observer can match them by the
    `Execution`.
    """

    def prepared(self, prepared: Prepared) -> object:
        """The arguments of a call are valid."""

    def refused(self, tool: Tool, arguments: Any, call: Any, error: ToolError) -> object:
        """The arguments of a call are not valid; they and `call` are what `prepare` was given."""

    def started(self, prepared: Prepared) -> Execution:
        """The function is about to be called."""


class ToolOptions(TypedDict, total=False):
    """Options of every way to make a tool.

    The first four are those of `compile_schema`, the others say what happens around a call.
    `observer` is an `Observer`. Hooks are called in the caller's thread, and are not awaited:
    `on_prepared(prepared)` when the arguments are valid, `on_started(prepared)` just before the
    function is called, `on_finished(prepared, result, error)` after it, with the exception as
    `error` if it raised one. `warn_above` logs a warning for results of more characters of JSON
    (default 50,000; None disables it), and `truncate_above` cuts longer ones. `refuse_markup`
    refuses calls in which a string contains the end of another parameter's markup.
    `unknown_arguments="refuse"` refuses arguments that the schema allows and does not declare, and
    `"refuse_similar"` those that spell a declared, absent one differently: `dry_run` for `dryRun`.
    """

    coercion: Preset | Coercion
    dialect: str | None
    formats: Literal["annotate", "assert"] | None
    fallback_reader: Callable[[str], Any] | None
    on_prepared: Callable[[Prepared], object] | None
    on_started: Callable[[Prepared], object] | None
    on_finished: Callable[[Prepared, Any, BaseException | None], object] | None
    observer: Observer | None
    warn_above: int | None
    truncate_above: int | None
    refuse_markup: bool
    unknown_arguments: UnknownArguments


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Tool(BaseTool, Generic[R]):
    """A name, a description, a compiled schema, and optionally a function.

    Made from a function, with `from_definition` from the definition of a provider or server, or
    with `from_schema` from a schema.

    Args:
        function: a function, bound method, `functools.partial` or object with `__call__`.
        name: its own name if not given.
        description: what its docstring says before the parameters if not given.
        inject: types or names of parameters that the model knows nothing of; they are passed to
            `call` by name.
        options: see `ToolOptions`.

    Raises:
        SchemaError: for a signature that a JSON object cannot express.
        TypeError: for anything but a function, an entry of `inject` that no parameter has, and an
            unknown option.

    >>> def search(query: str, limit: int = 10) -> str:
    ...     "Look something up."
    ...     return f"{limit} results for {query}"
    >>> tool = Tool(search)
    >>> tool.call('{"query": "cats", "limit": "3"}')
    '3 results for cats'

    """

    @overload
    def __init__(
        self,
        function: Callable[..., Coroutine[Any, Any, R]],
        *,
        name: str | None = None,
        description: str | None = None,
        inject: Inject = (),
        **options: Unpack[ToolOptions],
    ) -> None: ...
    @overload
    def __init__(
        self,
        function: Callable[..., R],
        *,
        name: str | None = None,
        description: str | None = None,
        inject: Inject = (),
        **options: Unpack[ToolOptions],
    ) -> None: ...
    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        inject: Inject = (),
        **options: Unpack[ToolOptions],
    ) -> None:
        if not callable(function):
            kind = type(function).__name__
            message = f"Tool takes a function, not a {kind}; see Tool.from_definition, from_schema"
            raise TypeError(message)
        inject = inject if isinstance(inject, (str, type)) else tuple(inject)
        parts = parts_from_function(function, inject, options, name=name, description=description)
        BaseTool.__init__(self, *parts)
        require_injected(inject, [self.injected])

    @overload
    @classmethod
    def from_definition(
        cls, definition: Any, function: None = None, **options: Unpack[ToolOptions]
    ) -> Tool[Any]: ...
    @overload
    @classmethod
    def from_definition(
        cls,
        definition: Any,
        function: Callable[..., Coroutine[Any, Any, T]],
        **options: Unpack[ToolOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_definition(
        cls, definition: Any, function: Callable[..., T], **options: Unpack[ToolOptions]
    ) -> Tool[T]: ...
    @classmethod
    def from_definition(
        cls,
        definition: Any,
        function: Callable[..., Any] | None = None,
        **options: Unpack[ToolOptions],
    ) -> Tool[Any]:
        """Make a tool from the definition that a provider or server gives.

        Args:
            definition: a mapping or object in the shape of MCP, OpenAI (chat or responses),
                Anthropic, Gemini or a LiveKit raw schema.
            function: what runs it. It takes the properties as arguments, converted to the types of
                its annotations, or all of them as one parameter `raw_arguments`; what else it
                takes is passed to `call`.
            options: see `ToolOptions`.

        Raises:
            SchemaError: where name or schema is missing or wrong, or the function does not fit:
                a parameter is missing, or its annotation takes no value that the schema allows.
            TypeError: for an unknown option.

        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        >>> tool = Tool.from_definition({"name": "weather", "inputSchema": schema})
        >>> tool.prepare({"city": "Rome"}).arguments
        {'city': 'Rome'}

        """
        return from_parts(cls, parts_from_definition(definition, function, options))

    @overload
    @classmethod
    def from_schema(
        cls,
        schema: Any,
        function: None = None,
        *,
        name: str | None = None,
        description: str = "",
        **options: Unpack[ToolOptions],
    ) -> Tool[Any]: ...
    @overload
    @classmethod
    def from_schema(
        cls,
        schema: Any,
        function: Callable[..., Coroutine[Any, Any, T]],
        *,
        name: str | None = None,
        description: str = "",
        **options: Unpack[ToolOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_schema(
        cls,
        schema: Any,
        function: Callable[..., T],
        *,
        name: str | None = None,
        description: str = "",
        **options: Unpack[ToolOptions],
    ) -> Tool[T]: ...
    @classmethod
    def from_schema(
        cls,
        schema: Any,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        description: str = "",
        **options: Unpack[ToolOptions],
    ) -> Tool[Any]:
        """Make a tool from a JSON Schema and a name; without a name, see `from_definition`.

        Args:
            schema: the schema of the arguments.
            function: see `from_definition`.
            name: the name of the tool.
            description: the description of the tool.
            options: see `ToolOptions`.

        Raises:
            SchemaError: see `from_definition`.
            TypeError: see `from_definition`.

        >>> schema = {"properties": {"city": {"type": "string"}}}
        >>> Tool.from_schema(schema, name="weather").prepare("{'city': 'Rome'}").arguments
        {'city': 'Rome'}

        """
        definition = schema
        if name is not None or description:
            definition = {"name": name, "description": description, "parameters": schema}
        parts = parts_from_definition(definition, function, options, method="from_schema")
        return from_parts(cls, parts)

    @overload
    @classmethod
    def from_function(
        cls,
        function: Callable[..., Coroutine[Any, Any, T]],
        *,
        name: str | None = None,
        description: str | None = None,
        inject: Inject = (),
        **options: Unpack[ToolOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_function(
        cls,
        function: Callable[..., T],
        *,
        name: str | None = None,
        description: str | None = None,
        inject: Inject = (),
        **options: Unpack[ToolOptions],
    ) -> Tool[T]: ...
    @classmethod
    def from_function(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        inject: Inject = (),
        **options: Unpack[ToolOptions],
    ) -> Tool[Any]:
        """Make a tool from a function: `Tool(function)` under its older name.

        >>> def greet(name: str, session: object) -> str:
        ...     return f"{session}: hello {name}"
        >>> tool = Tool.from_function(greet, inject=("session",))
        >>> tool.schema["properties"], tool.call({"name": "Ann"}, session="s1")
        ({'name': {'type': 'string'}}, 's1: hello Ann')
        """
        return cls(function, name=name, description=description, inject=inject, **options)

    # ------------------------------------------------------------------------------ calls
    def prepare(
        self,
        arguments: Arguments,
        call: Any = None,
        *,
        previous: ToolError | str | None = None,
    ) -> Prepared[R]:
        """The arguments as the tool takes them; nothing is called.

        Args:
            arguments: text as the provider sent it, or a mapping, which is not changed.
            call: the call in the conversation: an object or mapping that has
                `arguments`, `input` or `args`, or a function that takes text. If the text has to
                be repaired, its JSON is written there, also if the call is refused.
            previous: the error, or its text, that answered the model's last call of this tool. The
                new message points out repeated mistakes: see `ToolError.after`.

        Raises:
            ToolError: where no reading of the arguments is valid.

        >>> tool = Tool.from_schema({"name": "f", "parameters": {"type": "object"}})
        >>> call = {"name": "f", "arguments": "{'a': 1,}"}
        >>> tool.prepare(call["arguments"], call).repaired, call["arguments"]
        (True, '{"a":1}')

        """
        parameters = self.parameters
        repaired = False
        try:
            if self.strict is not None:
                value, repaired = decoded_arguments(self, arguments, self.strict, call)
            elif type(arguments) is dict:
                value = self.compiled.validate(arguments)
            elif issubclass(type(arguments), (str, bytes, bytearray)):
                value, repaired = read_arguments(arguments, self.compiled, call)  # type: ignore[arg-type]
            else:
                value = self.compiled.validate(unpacked(arguments, self.name))
            if self._options.refuse_markup or self._options.unknown_arguments != "keep":
                refuse_by_options(self.compiled, self._options, value)
            if parameters is None or parameters.convert is None:
                bound = value
            else:
                bound = parameters.convert(value)
        except ToolError as refused:
            refuse_call_mapping(arguments, self.name)
            error = refused if previous is None else refused.after(previous)
            keywords = {issue.keyword for issue in error.issues}  # no values, nor their names
            LOGGER.debug("a call of `%s` was refused by %s", self.name, sorted(keywords))
            if self._options.observer is not None:
                self._options.observer.refused(self, arguments, call, error)
            raise error from refused.__cause__
        prepared = Prepared(self, value, bound, arguments, repaired, call)
        if self._options.observer is not None:
            self._options.observer.prepared(prepared)
        if self._options.on_prepared is not None:
            self._options.on_prepared(prepared)
        return prepared

    def call(self, arguments: Arguments, /, **injected: Any) -> R:
        """Prepare the arguments and run the function.

        Raises:
            ToolError: for the model, where the arguments are refused or the function says so.
            TypeError: for the developer, if the tool has no function or an asynchronous one, or
                an injected value is missing.

        """
        return cast("R", run(self.prepare(arguments), injected))

    async def acall(self, arguments: Arguments, /, **injected: Any) -> R:
        """Prepare the arguments, run the function, and await it if it is asynchronous.

        A plain function runs in the caller's thread.

        Raises:
            ToolError: see `call`.
            TypeError: see `call`.

        """
        return cast("R", await arun(self.prepare(arguments), injected))

    def as_function(self) -> Callable[..., Any]:
        """A function with the name, signature and docstring of the tool's own, without `self`.

        Frameworks that inspect functions take it; what they call it with is prepared first.

        Raises:
            TypeError: where the tool has no function.

        >>> def double(number: int) -> int:
        ...     return 2 * number
        >>> Tool.from_function(double).as_function()("4")
        8

        """
        return standalone_function(self)


class Prepared(PreparedCall[R]):
    """The arguments of one call, valid and ready to run. Its attributes cannot be set.

    Made by `Tool.prepare`; `call` and `acall` run the tool. The function gets the lists and dicts
    of `arguments`, and no copies. If it changes them, a second run sees the changes.

    >>> tool = Tool.from_schema({"name": "f", "parameters": {"type": "object"}})
    >>> prepared = tool.prepare('{"a": 1,}')
    >>> prepared.arguments, prepared.canonical, prepared.repaired
    ({'a': 1}, '{"a":1}', True)
    """

    __slots__ = ()

    @property
    def tool(self) -> Tool[R]:
        """The tool that is called."""
        return cast("Tool[R]", self._tool)
