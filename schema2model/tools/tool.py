"""`Tool`: from the raw arguments of a call to a function that was called."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NoReturn, Protocol, cast, overload

from typing_extensions import TypedDict, TypeVar, Unpack

from schema2model.calls.call_types import DecodedArguments
from schema2model.coercions import Coercion, Preset
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.equality import type_exact_bytes
from schema2model.json.quoting import printable
from schema2model.json.values import NotJSONError
from schema2model.schema.undeclared import UnknownArguments
from schema2model.tools.conversation import Arguments, call_id, is_text
from schema2model.tools.developer_mistakes import require_options, warn_of_call_mapping
from schema2model.tools.execution import (
    LOGGER,
    Execution,
    ExecutionObserver,
    HookObserver,
    arun,
    run,
    text_for_model,
)
from schema2model.tools.parameters import (
    Inject,
    imitate_function,
    kept_injected,
    require_injected,
)
from schema2model.tools.preparing import as_json_values, invert_arguments, read_call
from schema2model.tools.providers.definitions import (
    AnthropicTool,
    ChatShape,
    ChatTool,
    Definition,
    GeminiTool,
    Provider,
    ResponsesTool,
    provider_definition,
    strict_definition,
)
from schema2model.tools.tool_parts import ToolParts, definition_parts, function_parts

if TYPE_CHECKING:
    from schema2model.coerce.partial import PartialArguments
    from schema2model.coerce.search.readings import Change
    from schema2model.strict.strict_schema import StrictSchema

__all__ = [
    "CheckerOptions",
    "DefinitionOptions",
    "FunctionOptions",
    "Observer",
    "Prepared",
    "Tool",
    "ToolOptions",
    "changes_between",
    "declared_results",
    "parts_of",
    "tool",
    "with_observer",
    "with_parts",
    "with_strict",
    "without_prepare_hooks",
]

T = TypeVar("T")

R = TypeVar("R", default=Any)
"""The result of a tool's function; of an asynchronous one, the awaited result."""


class Observer(Protocol):
    """Callbacks for every call of a tool, including refused ones.

    The option `observer` of everything that makes tools takes one. It is called in the caller's
    thread, and is not awaited.
    """

    def prepared(self, prepared: Prepared) -> object:
        """Note a call with valid arguments."""

    def refused(self, tool: Tool, arguments: Any, call: Any, error: ToolError) -> object:
        """Note a refused call; `arguments` and `call` are those that `prepare` got."""

    def started(self, prepared: Prepared) -> Execution:
        """Begin an execution, just before the function is called."""


class CheckerOptions(TypedDict, total=False):
    """Options of every way to check the arguments of a tool that somebody else runs.

    They are those of `ToolOptions` that have a meaning there.
    """

    coercion: Preset | Coercion
    dialect: str | None
    formats: Literal["annotate", "assert"] | None
    fallback_reader: Callable[[str], Any] | None
    messages: Literal["plain", "corrected"]
    observer: Observer | None
    refuse_markup: bool
    unknown_arguments: UnknownArguments


class ToolOptions(CheckerOptions, total=False):
    """Options of every way to make a tool.

    Those up to `messages` are of `compile_schema`, the others say what happens around a call.
    `observer` is an `Observer`. `warn_above` logs a warning for results of more characters of text
    (default 50,000; None disables it). `truncate_above` cuts results that are longer text; results
    of other types stay as they are, and the text that models get of them is cut. `refuse_markup`
    refuses calls in which a string contains the end of another parameter's markup.
    `unknown_arguments="refuse"` refuses arguments that the schema allows and does not declare, and
    `"refuse_similar"` those that spell a declared, absent one differently: `dry_run` for `dryRun`.
    """

    # as `observer`, in three functions
    on_prepared: Callable[[Prepared], object] | None
    on_started: Callable[[Prepared], object] | None
    on_finished: Callable[[Prepared, Any, BaseException | None], object] | None
    warn_above: int | None
    truncate_above: int | None


class DefinitionOptions(ToolOptions, total=False):
    """Options for a tool that is made of a definition: also its name and description."""

    name: str | None
    description: str | None


class FunctionOptions(DefinitionOptions, total=False):
    """Options for a tool that is made of a function: also what is injected."""

    inject: Inject


class Tool(Generic[R]):
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

    __slots__ = ("__weakref__", "_parts")

    _parts: ToolParts

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
        if not callable(function) or isinstance(function, Tool):
            kind = type(function).__name__
            message = f"Tool takes a function, got {kind}; Tool.from_definition takes definitions"
            raise TypeError(message)
        require_options(options, FunctionOptions.__annotations__, "Tool")
        inject = options.get("inject", ())
        options["inject"] = kept_injected(inject)
        object.__setattr__(self, "_parts", function_parts(function, options))
        require_injected(options["inject"], [self.injected])

    @overload
    @classmethod
    def from_definition(
        cls: type[Tool[Any]],
        definition: Any,
        function: None = None,
        **options: Unpack[DefinitionOptions],
    ) -> Tool[Any]: ...
    @overload
    @classmethod
    def from_definition(
        cls: type[Tool[Any]],
        definition: Any,
        function: Callable[..., Coroutine[Any, Any, T]],
        **options: Unpack[DefinitionOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_definition(
        cls: type[Tool[Any]],
        definition: Any,
        function: Callable[..., T],
        **options: Unpack[DefinitionOptions],
    ) -> Tool[T]: ...
    @classmethod
    def from_definition(
        cls: type[Tool[Any]],
        definition: Any,
        function: Callable[..., Any] | None = None,
        **options: Unpack[DefinitionOptions],
    ) -> Tool[Any]:
        """Return a tool from the definition that a provider or server gives.

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
        >>> Tool.from_definition({"type": "object"}, name="now").call({})
        Traceback (most recent call last):
            ...
        TypeError: `now` has no function to call; ...

        """
        require_options(options, DefinitionOptions.__annotations__, "from_definition")
        if function is not None and (not callable(function) or isinstance(function, Tool)):
            message = f"the function of a tool is called; got {type(function).__name__}"
            raise TypeError(message)
        return with_parts(definition_parts(definition, function, options))

    # mypy takes an alias of a generic class only with `cls` annotated, as above
    from_schema = from_definition
    """An alias of `from_definition`."""

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
        """Return a tool from the signature and docstring of a callable: `Tool(function)`.

        >>> def greet(name: str, session: object) -> str:
        ...     return f"{session}: hello {name}"
        >>> tool = Tool.from_function(greet, inject=("session",))
        >>> tool.schema["properties"], tool.call({"name": "Ann"}, session="s1")
        ({'name': {'type': 'string'}}, 's1: hello Ann')
        """
        require_options(options, FunctionOptions.__annotations__, "from_function")
        return Tool(function, **options)

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        message = f"a Tool is immutable; {attribute!r} cannot be set"
        raise AttributeError(message)

    def __delattr__(self, attribute: str) -> NoReturn:
        message = f"a Tool is immutable; {attribute!r} cannot be deleted"
        raise AttributeError(message)

    def __repr__(self) -> str:
        return f"<Tool {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return with_parts, (self._parts,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tool[R]:
        return self

    # ------------------------------------------------------------------------ description
    @property
    def name(self) -> str:
        """The name by which models call it."""
        return self._parts.name

    @property
    def description(self) -> str:
        """The description that models are shown."""
        return self._parts.description

    @property
    def compiled(self) -> CompiledSchema:
        """The compiled schema of its arguments."""
        return self._parts.compiled

    @property
    def strict(self) -> StrictSchema | None:
        """The projection that the model's arguments follow, in a toolset that is strict."""
        return self._parts.strict

    @property
    def schema(self) -> dict[str, Any]:
        """A copy of the schema as it was given; a boolean as the object that means the same.

        >>> Tool.from_definition({"name": "now", "parameters": {}}).schema
        {}
        """
        given = self._parts.definition
        schema = self.compiled.schema if given is None else copy.deepcopy(given.schema)
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        return schema

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that runs it, if it has one."""
        parameters = self._parts.parameters
        return None if parameters is None else parameters.function

    @property
    def asynchronous(self) -> bool:
        """True if calling the function makes a coroutine, to be awaited."""
        parameters = self._parts.parameters
        return parameters is not None and parameters.asynchronous

    @property
    def injected(self) -> Mapping[str, Any]:
        """The injected parameters, each with the type or name by which it is injected."""
        parameters = self._parts.parameters
        return {} if parameters is None else dict(parameters.injected)

    @overload
    def definition(self, provider: ChatShape) -> ChatTool: ...
    @overload
    def definition(self, provider: Literal["openai-responses"]) -> ResponsesTool: ...
    @overload
    def definition(self, provider: Literal["anthropic"]) -> AnthropicTool: ...
    @overload
    def definition(self, provider: Literal["gemini"]) -> GeminiTool: ...
    @overload
    def definition(self, provider: Literal["mcp"]) -> dict[str, Any]: ...
    @overload
    def definition(self, provider: Provider) -> Any: ...
    def definition(self, provider: Provider) -> Any:
        """Return the definition of the tool for a provider.

        Args:
            provider: `"openai"` (chat completions), `"openai-responses"`, `"gpt-oss"`,
                `"anthropic"`, `"gemini"` or `"mcp"`.

        Raises:
            ValueError: for another provider, or a schema that it can take in no form.

        >>> tool = Tool.from_definition({"name": "now", "parameters": {"type": "object"}})
        >>> tool.definition("mcp")
        {'name': 'now', 'inputSchema': {'type': 'object'}}

        """
        given = self._parts.definition or Definition(self.name, self.description, self.schema)
        if self.strict is not None and provider in self.strict.profile.apis:
            return strict_definition(given, provider, self.strict)
        return provider_definition(given, provider)

    @property
    def shown_schema(self) -> dict[str, Any]:
        """The schema that models are shown: a strict tool's projection, or that for MCP.

        Raises:
            ValueError: for a schema that is not of objects.

        >>> def now(zone: str = "UTC") -> str: ...
        >>> Tool(now).shown_schema["properties"]
        {'zone': {'default': 'UTC', 'type': 'string'}}

        """
        if self.strict is not None:
            return self.strict.schema
        return self.definition("mcp")["inputSchema"]  # type: ignore[no-any-return]

    @property
    def output_schema(self) -> dict[str, Any] | bool | None:
        """The `outputSchema` of the definition, which results have to match; None without one."""
        definition = self._parts.definition
        given = None if definition is None else definition.extras.get("outputSchema")
        return cast("dict[str, Any] | bool | None", copy.deepcopy(given))

    def read_result(self, result: Any) -> Any:
        """Return the structured content of an MCP result, as `outputSchema` asks for it.

        JSON in the only text block replaces structured content that the server left out. The
        result of a call that has failed is not checked.

        Raises:
            ResultError: if no reading of it is valid, which is the server's mistake.

        >>> out = {"type": "object", "properties": {"n": {"type": "integer"}}}
        >>> tool = Tool.from_definition({"name": "n", "inputSchema": {}, "outputSchema": out})
        >>> tool.read_result({"content": [], "structuredContent": {"n": "3"}})
        {'n': 3}

        """
        from schema2model.tools.results import read_tool_result  # noqa: PLC0415 - few read results

        coercion = self.compiled.coercion
        return read_tool_result(self.name, self.output_schema, result, coercion=coercion).structured

    # ------------------------------------------------------------------------------ calls
    def prepare(
        self,
        arguments: Arguments,
        call: Any = None,
        *,
        previous: ToolError | str | None = None,
    ) -> Prepared[R]:
        """Return the arguments as the tool takes them, without calling it.

        Args:
            arguments: text as the provider sent it, or a mapping, which is not changed.
            call: the call in the conversation: an object or mapping that has
                `arguments`, `input` or `args`, or a function that takes text. If the text has to
                be repaired, its JSON is written there, also if the call is refused.
            previous: the error, or its text, that answered the model's last call of this tool. The
                new message points out repeated mistakes: see `ToolError.after`.

        Raises:
            ToolError: where no reading of the arguments is valid.

        >>> tool = Tool.from_definition({"name": "f", "parameters": {"type": "object"}})
        >>> call = {"name": "f", "arguments": "{'a': 1,}"}
        >>> tool.prepare(call["arguments"], call).repaired, call["arguments"]
        (True, '{"a":1}')

        """
        parts = self._parts
        observer = parts.options.observer
        try:
            value, bound, repaired = read_call(parts, arguments, call)
        except ToolError as refused:
            warn_of_call_mapping(arguments, parts.name)
            error = refused if previous is None else refused.after(previous)
            keywords = {issue.keyword for issue in error.issues}  # no values, nor their names
            LOGGER.debug("a call of `%s` was refused by %s", parts.name, sorted(keywords))
            if observer is not None:
                observer.refused(self, arguments, call, error)
            raise error from refused.__cause__
        prepared = Prepared(self, value, bound, arguments, repaired, call)
        if observer is not None:
            observer.prepared(prepared)
        return prepared

    def call(self, arguments: Arguments, /, **injected: Any) -> R:
        """Prepare the arguments and run the function.

        Raises:
            ToolError: for the model, where the arguments are refused or the function says so.
            TypeError: for the developer, if the tool has no function or an asynchronous one, or
                an injected value is missing.

        """
        result: R = run(self.prepare(arguments), injected)
        return result

    async def acall(self, arguments: Arguments, /, **injected: Any) -> R:
        """Prepare the arguments, run the function, and await it if it is asynchronous.

        A plain function runs in the caller's thread.

        Raises:
            ToolError: see `call`.
            TypeError: see `call`.

        """
        result: R = await arun(self.prepare(arguments), injected)
        return result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with its own arguments, as code and unit tests do; nothing is prepared.

        Raises:
            TypeError: if the tool has no function.

        >>> @tool
        ... def double(number: int) -> int:
        ...     return 2 * number
        >>> double(4), double.call({"number": "4"})
        (8, 8)

        """
        function = self.function
        if function is None:
            message = f"`{printable(self.name)}` has no function to call; `prepare` takes arguments"
            raise TypeError(message)
        return function(*args, **kwargs)

    def as_function(self) -> Callable[..., Any]:
        """Return a function with the tool's name, signature and docstring, without `self`.

        Frameworks that inspect functions take it; what they call it with is prepared first.

        Raises:
            TypeError: where the tool has no function.

        >>> def double(number: int) -> int:
        ...     return 2 * number
        >>> Tool(double).as_function()("4")
        8

        """
        parameters = self._parts.parameters
        if parameters is None:
            message = f"`{printable(self.name)}` has no function; pass one to Tool.from_definition"
            raise TypeError(message)
        called = with_strict(self, None)  # whoever reads the signature knows the schema as given

        def run_prepared(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            arguments, injected = parameters.split_call(args, kwargs)
            prepared = called.prepare(as_json_values(arguments))
            return run(prepared, injected, as_is=True, awaits=True)

        return imitate_function(parameters, run_prepared, self.name)

    def partial(self, *, strings: bool = False) -> PartialArguments:
        """Return the arguments of one call while their text arrives; see `CompiledSchema.partial`.

        `finish` returns the arguments that `prepare` finds in the whole text, or raises its error.
        Of a strict tool nothing is shown before `finish`: the arguments have to be decoded.

        Args:
            strings: also show strings while they grow, where the schema accepts every string.

        >>> def note(text: str, day: int) -> None: ...
        >>> arguments = Tool(note).partial(strings=True)
        >>> for chunk in ('{"day": "3', '1", "text": "Ju', 'ly"}'):
        ...     print(arguments.feed(chunk))
        {}
        {'day': 31, 'text': 'Ju'}
        {'day': 31, 'text': 'July'}
        >>> arguments.finish()
        {'text': 'July', 'day': 31}

        """
        from schema2model.coerce.partial import PartialArguments  # noqa: PLC0415 - few calls stream

        return PartialArguments(
            self.compiled._engine,
            strings=strings,
            shows=self.strict is None,
            finish=lambda text: self.prepare(text).arguments,
        )


class Prepared(Generic[R]):
    """The arguments of one call, valid and ready to run. Its attributes cannot be set.

    Made by `Tool.prepare`; `call` and `acall` run the tool. The function gets the lists and dicts
    of `arguments`, and no copies. If it or a hook changes them, the next run gets them as they are
    valid then.

    >>> tool = Tool.from_definition({"name": "f", "parameters": {"type": "object"}})
    >>> prepared = tool.prepare('{"a": 1,}')
    >>> prepared.arguments, prepared.canonical, prepared.repaired
    ({'a': 1}, '{"a":1}', True)
    """

    __slots__ = (
        "_arguments",
        "_bound",
        "_call",
        "_changes",
        "_given",
        "_repaired",
        "_seen",
        "_tool",
    )

    _changes: tuple[Change, ...]  # set when they are first asked for
    _seen: bytes | None
    """The arguments as they were when somebody first saw them, who may have changed them since."""

    def __init__(  # noqa: PLR0913, PLR0917 - keywords cost
        self,
        tool: Tool[R],
        arguments: Any,
        bound: Any,
        given: Any,
        repaired: bool,  # noqa: FBT001
        call: Any,
    ) -> None:
        self._tool = tool
        self._arguments = arguments
        self._bound = bound
        self._given = given
        self._repaired = repaired
        self._call = call
        self._seen = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tool by the reference of its function; a function for `call` is left out."""
        self._settle()
        call = None if callable(self._call) else self._call
        values = (self._arguments, self._bound, self._given, self._repaired, call)
        return type(self), (self._tool, *values)

    def __repr__(self) -> str:
        return f"<Prepared {self._tool.name!r}{', repaired' if self._repaired else ''}>"

    @property
    def tool(self) -> Tool[R]:
        """The tool that is called."""
        return self._tool

    @property
    def arguments(self) -> Any:
        """The arguments as JSON values that satisfy the tool's schema.

        If you change them, they are validated again before the function gets them.
        """
        if self._seen is None:
            parts = self._tool._parts
            if parts.parameters is not None or parts.options.observer is not None:
                self._seen = _state(self._arguments)
        return self._arguments

    def _settle(self) -> None:
        """Validate the arguments again if a hook or the application has changed them.

        Raises:
            ToolError: if they are not valid any more.

        """
        arguments, seen = self._arguments, self._seen
        if seen is None:
            return
        state = _state(arguments)
        if state == seen != _UNKNOWN:
            return
        self._seen = None
        if type(arguments) is dict and self._tool.strict is not None:
            arguments = DecodedArguments(arguments)
        self._arguments, self._bound, _ = read_call(self._tool._parts, arguments, None)

    @property
    def args(self) -> tuple[Any, ...]:
        """The function's positional arguments: those that it takes in no other way."""
        args: tuple[Any, ...] = self._arranged()[0]
        return args

    @property
    def kwargs(self) -> dict[str, Any]:
        """The function's keyword arguments, of its own types, without those to be injected."""
        kwargs: dict[str, Any] = self._arranged()[1]
        return kwargs

    def _arranged(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        self._settle()
        _ = self.arguments  # they may hold the same lists and dicts, and are seen with these
        return self._tool._parts.arrange(self._bound)

    @property
    def canonical(self) -> str:
        """The JSON text of `arguments`.

        Raises:
            ToolError: for what has no JSON text: NaN, too long an integer, half a surrogate pair.

        """
        try:
            return canonical_json(self._arguments)
        except NotJSONError as error:
            raise ToolError.for_value(self._tool.name, error) from None

    @property
    def repaired(self) -> bool:
        """True if the text was not the JSON of an object: malformed, or encoded twice."""
        return self._repaired

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that made the arguments valid; computed on first access."""
        try:
            return self._changes
        except AttributeError:
            given, strict = self._given, self._tool.strict
            if strict is not None and type(given) is not DecodedArguments:
                given = invert_arguments(given, strict)
            self._changes = changes_between(self._tool.compiled, given, self._arguments)
            return self._changes

    @property
    def call_id(self) -> str | None:
        """The id of the call in the conversation, if it was passed to `prepare` and has one."""
        return call_id(self._call)

    def call(self, /, **injected: Any) -> R:
        """Run the tool, and return its result; see `Tool.call`."""
        result: R = run(self, injected)
        return result

    async def acall(self, /, **injected: Any) -> R:
        """Run the tool, and return its result; see `Tool.acall`."""
        result: R = await arun(self, injected)
        return result

    def call_json(self, /, **injected: Any) -> str:
        """Run the tool, and return its result as text for a model.

        Text stays as it is. Other results become JSON: also models, dataclasses, dates, sets and
        bytes. An exception that is returned is its type and message.

        Raises:
            ToolError: see `Tool.call`.
            TypeError: see `Tool.call`.

        >>> def days(count: int) -> set[int]:
        ...     return {*range(count)}
        >>> Tool(days).prepare({"count": "2"}).call_json()
        '[0,1]'

        """
        return text_for_model(self, run(self, injected, collects=True))

    async def acall_json(self, /, **injected: Any) -> str:
        """Run the tool, await its result, and return it as text for a model; see `call_json`.

        Raises:
            ToolError: see `Tool.call`.
            TypeError: see `Tool.call`.

        """
        return text_for_model(self, await arun(self, injected, collects=True))


_UNKNOWN: Final = b""
"""The state of arguments that are nested too deeply for `marshal`."""


def _state(arguments: Any) -> bytes:
    try:
        return type_exact_bytes(arguments)
    except ValueError:
        return _UNKNOWN


def changes_between(compiled: CompiledSchema, given: Any, result: Any) -> tuple[Change, ...]:
    """Return the changes from the given text or value to the valid result.

    >>> from schema2model import compile_schema
    >>> compiled = compile_schema({"type": "integer"})
    >>> [change.rule for change in changes_between(compiled, '"10"', 10)]
    ['json_text']
    """
    return compiled._engine.search.changes(given, result, is_text=is_text(given))


# -------------------------------------------------------------------- the same with other parts
def parts_of(tool: Tool[Any]) -> ToolParts:
    """Return the parts that a tool is made of, for what runs and checks it elsewhere."""
    return tool._parts


def with_parts(parts: ToolParts) -> Tool[Any]:
    """Return a tool that is made of these parts."""
    made = object.__new__(Tool)
    object.__setattr__(made, "_parts", parts)
    return made


def with_strict(tool: Tool[Any], strict: StrictSchema | None) -> Tool[Any]:
    """Return the tool with the projection that the model's arguments follow."""
    return with_parts(replace(tool._parts, strict=strict))


def with_observer(tool: Tool[R], observer: Observer) -> Tool[R]:
    """Return the tool with another observer; its hooks stay."""
    parts = tool._parts
    made: Any = observer
    if isinstance(parts.options.observer, HookObserver):
        made = replace(parts.options.observer, observer=observer)
    return with_parts(replace(parts, options=replace(parts.options, observer=made)))


def without_prepare_hooks(tool: Tool[R]) -> Tool[R]:
    """Return the tool for arguments that it has prepared before: only executions are observed.

    The arguments of a strict tool have been decoded then.
    """
    parts = tool._parts
    if (observer := parts.options.observer) is not None:
        observer = ExecutionObserver(observer)
    options = replace(parts.options, observer=observer)
    return with_parts(replace(parts, strict=None, options=options))


def declared_results(tool: Tool[Any]) -> tuple[dict[str, Any] | None, Any]:
    """Return what a tool declares of its results, for a server that publishes an `outputSchema`.

    Returns:
        the definition's own `outputSchema`, and the evaluated return annotation of the function;
        None and `inspect.Signature.empty` where there is none. Nothing is declared of results
        that `truncate_above` may cut, unless they are text, nor by a schema that is true or false.

    >>> def rooms(hotel: str) -> list[str]: ...
    >>> declared_results(Tool(rooms))
    (None, list[str])

    """
    schema, function = tool.output_schema, tool.function
    annotation: Any = inspect.Signature.empty
    if function is not None:
        from schema2model.tools.signatures import return_annotation  # noqa: PLC0415 - many have none

        annotation = return_annotation(function, tool.name)
    if tool._parts.options.truncate_above is not None and annotation is not str:
        return None, inspect.Signature.empty
    return schema if isinstance(schema, dict) else None, annotation


# -------------------------------------------------------------------------------- decorator
class _Decorator(Protocol):
    """The decorator with options."""

    @overload
    def __call__(self, function: Callable[..., Coroutine[Any, Any, T]], /) -> Tool[T]: ...
    @overload
    def __call__(self, function: Callable[..., T], /) -> Tool[T]: ...


@overload
def tool(function: Callable[..., Coroutine[Any, Any, T]], /) -> Tool[T]: ...
@overload
def tool(function: Callable[..., T], /) -> Tool[T]: ...
@overload
def tool(**options: Unpack[FunctionOptions]) -> _Decorator: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a tool of a function, as a decorator with or without options; see `Tool`.

    >>> @tool
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double.call({"number": "4"})
    8
    >>> @tool(name="halve", coercion="forgiving")
    ... def half(number: float) -> float:
    ...     return number / 2
    >>> half.name
    'halve'
    """
    require_options(options, FunctionOptions.__annotations__, "tool")
    if function is None:
        return lambda decorated: Tool(decorated, **options)
    return Tool(function, **options)
