"""`Tool`: from the raw arguments of a call to a function that was called."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, cast, overload

from typing_extensions import TypedDict, TypeVar, Unpack

from schema2model.coercions import Coercion, Preset
from schema2model.errors import ToolError
from schema2model.tools.base import BaseTool
from schema2model.tools.conduct import UnknownArguments
from schema2model.tools.conversation import Arguments
from schema2model.tools.developer_mistakes import refuse_call_mapping, require_options
from schema2model.tools.execution import LOGGER, Execution, arun, run
from schema2model.tools.prepared import PreparedCall, R
from schema2model.tools.preparing import function_of, read_call
from schema2model.tools.signatures import Inject, require_injected
from schema2model.tools.tool_parts import ToolParts, definition_parts, function_parts, parts_of

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = [
    "DefinitionOptions",
    "FunctionOptions",
    "Observer",
    "Prepared",
    "Tool",
    "ToolOptions",
    "with_parts",
    "with_strict",
]

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
    (default 50,000; None disables it). `truncate_above` cuts results that are longer text; results
    of other types stay as they are, and the text that models get of them is cut. `refuse_markup`
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


class DefinitionOptions(ToolOptions, total=False):
    """Options for a tool that is made of a definition: also its name and description."""

    name: str | None
    description: str | None


class FunctionOptions(DefinitionOptions, total=False):
    """Options for a tool that is made of a function: also what is injected."""

    inject: Inject


class Tool(BaseTool, Generic[R]):
    """A name, a description, a compiled schema, and optionally a function. Immutable.

    `Tool(function)` and the decorator `tool` make one from a function, `Tool.from_definition` from
    the definition that a provider or server gives.

    Args:
        function: a function, bound method, `functools.partial` or object with `__call__`.
        options: see `ToolOptions`; also `name` and `description`, if they are not the function's
            own, and `inject`: types or names of parameters that the model knows nothing of, which
            are passed to `call` by name.

    Raises:
        SchemaError: for a signature that a JSON object cannot express.
        TypeError: for an entry of `inject` that no parameter has, and an unknown option.

    >>> def search(query: str, limit: int = 10) -> str:
    ...     "Look something up."
    ...     return f"{limit} results for {query}"
    >>> Tool(search).call('{"query": "cats", "limit": "3"}')
    '3 results for cats'

    """

    __slots__ = ()

    @overload
    def __init__(
        self: Tool[T],
        function: Callable[..., Coroutine[Any, Any, T]],
        **options: Unpack[FunctionOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Tool[T], function: Callable[..., T], **options: Unpack[FunctionOptions]
    ) -> None: ...
    def __init__(self, function: Callable[..., Any], **options: Unpack[FunctionOptions]) -> None:
        if not callable(function):
            kind = type(function).__name__
            message = f"Tool takes a function, got {kind}; Tool.from_definition takes definitions"
            raise TypeError(message)
        require_options(options, FunctionOptions.__annotations__, "Tool")
        inject = options.get("inject", ())
        options["inject"] = inject if isinstance(inject, (str, type)) else tuple(inject)
        object.__setattr__(self, "_parts", function_parts(function, options))
        require_injected(options["inject"], [self.injected])

    @overload
    @classmethod
    def from_definition(
        cls, definition: Any, function: None = None, **options: Unpack[DefinitionOptions]
    ) -> Tool[Any]: ...
    @overload
    @classmethod
    def from_definition(
        cls,
        definition: Any,
        function: Callable[..., Coroutine[Any, Any, T]],
        **options: Unpack[DefinitionOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_definition(
        cls,
        definition: Any,
        function: Callable[..., T],
        **options: Unpack[DefinitionOptions],
    ) -> Tool[T]: ...
    @classmethod
    def from_definition(
        cls,
        definition: Any,
        function: Callable[..., Any] | None = None,
        **options: Unpack[DefinitionOptions],
    ) -> Tool[Any]:
        """A tool from the definition that a provider or server gives.

        Args:
            definition: a mapping or object in the shape of MCP, OpenAI (chat or responses),
                Anthropic, Gemini or a LiveKit raw schema; with `name`, also a JSON Schema.
            function: what runs it. It takes the properties as arguments, converted to the types of
                its annotations, or all of them as one parameter `raw_arguments`; what else it
                takes is passed to `call`.
            options: see `ToolOptions`; also `name` and `description`, if they are not the
                definition's.

        Raises:
            SchemaError: where name or schema is missing or wrong, or the function does not fit:
                a parameter is missing, or its annotation takes no value that the schema allows.

        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        >>> tool = Tool.from_definition({"name": "weather", "inputSchema": schema})
        >>> tool.prepare({"city": "Rome"}).arguments
        {'city': 'Rome'}

        """
        require_options(options, DefinitionOptions.__annotations__, "from_definition")
        if function is not None and not callable(function):
            message = f"the function of a tool is called; got {type(function).__name__}"
            raise TypeError(message)
        return with_parts(definition_parts(definition, function, options))

    @overload
    @classmethod
    def from_schema(
        cls, definition: Any, function: None = None, **options: Unpack[DefinitionOptions]
    ) -> Tool[Any]: ...
    @overload
    @classmethod
    def from_schema(
        cls,
        definition: Any,
        function: Callable[..., Coroutine[Any, Any, T]],
        **options: Unpack[DefinitionOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_schema(
        cls,
        definition: Any,
        function: Callable[..., T],
        **options: Unpack[DefinitionOptions],
    ) -> Tool[T]: ...
    @classmethod
    def from_schema(cls, definition: Any, function: Any = None, **options: Any) -> Tool[Any]:
        """A tool from a JSON Schema and a `name`, or from a definition; see `from_definition`.

        >>> Tool.from_schema({"type": "object"}, name="now").call({})
        Traceback (most recent call last):
            ...
        TypeError: `now` has no function to call; ...
        """
        require_options(options, DefinitionOptions.__annotations__, "from_schema")
        return cls.from_definition(definition, function, **options)

    @overload
    @classmethod
    def from_function(
        cls,
        function: Callable[..., Coroutine[Any, Any, T]],
        **options: Unpack[FunctionOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_function(
        cls, function: Callable[..., T], **options: Unpack[FunctionOptions]
    ) -> Tool[T]: ...
    @classmethod
    def from_function(cls, function: Callable[..., Any], **options: Any) -> Tool[Any]:
        """A tool from the signature and docstring of anything that can be called: `Tool(function)`.

        >>> def greet(name: str, session: object) -> str:
        ...     return f"{session}: hello {name}"
        >>> tool = Tool.from_function(greet, inject=("session",))
        >>> tool.schema["properties"], tool.call({"name": "Ann"}, session="s1")
        ({'name': {'type': 'string'}}, 's1: hello Ann')
        """
        require_options(options, FunctionOptions.__annotations__, "from_function")
        return Tool(function, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return with_parts, (self._parts,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tool[R]:
        return self

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
        parts = self._parts
        conduct = parts.conduct
        try:
            value, bound, repaired = read_call(parts, arguments, call)
        except ToolError as refused:
            refuse_call_mapping(arguments, parts.name)
            error = refused if previous is None else refused.after(previous)
            keywords = {issue.keyword for issue in error.issues}  # no values, nor their names
            LOGGER.debug("a call of `%s` was refused by %s", parts.name, sorted(keywords))
            if conduct.observer is not None:
                conduct.observer.refused(self, arguments, call, error)
            raise error from refused.__cause__
        prepared = Prepared(self, value, bound, arguments, repaired, call)
        if conduct.observer is not None:
            conduct.observer.prepared(prepared)
        if conduct.on_prepared is not None:
            conduct.on_prepared(prepared)
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
        # whoever reads the signature calls it as the schema as given says
        return function_of(self, with_strict(self, None).prepare)


def with_parts(parts: ToolParts) -> Tool[Any]:
    """Return a tool that is made of these parts."""
    made = object.__new__(Tool)
    object.__setattr__(made, "_parts", parts)
    return made


def with_strict(tool: Tool[Any], strict: StrictSchema | None) -> Tool[Any]:
    """Return the tool with the projection that the model's arguments follow."""
    return with_parts(replace(parts_of(tool), strict=strict))


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
