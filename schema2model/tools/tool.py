"""`Tool`: from the raw arguments of a call to a function that was called."""

from __future__ import annotations

import copy
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, cast, overload

from typing_extensions import TypedDict, TypeVar, Unpack

from schema2model.cache import compile_schema
from schema2model.calls.call_types import DecodedArguments
from schema2model.coerce.undeclared import undeclared_issues
from schema2model.coercions import Coercion, Preset, coercion_named
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.json.values import NotJSONError, plain_copy
from schema2model.tools.argument_text import (
    read_arguments,
    read_strict_arguments,
)
from schema2model.tools.argument_values import jsonable, unpacked
from schema2model.tools.conversation import Arguments
from schema2model.tools.execution import LOGGER, Conduct, Execution, UnknownArguments, arun, run
from schema2model.tools.handlers import read_handler
from schema2model.tools.leaked_markup import refuse_swallowed
from schema2model.tools.misuse import refuse_call_mapping, require_options
from schema2model.tools.parameters import Parameters, standalone
from schema2model.tools.prepared import PreparedCall, R
from schema2model.tools.providers.definitions import (
    Definition,
    provider_definition,
    read_definition,
    strict_definition,
)
from schema2model.tools.providers.sdk_types import (
    AnthropicTool,
    ChatShape,
    ChatTool,
    GeminiTool,
    ResponsesTool,
)
from schema2model.tools.signatures import Inject, read_function, require_injected

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["Observer", "Prepared", "Tool", "ToolOptions", "function_tool"]

T = TypeVar("T")

_TYPING = frozenset({"type", "enum", "const"})
"""Keywords that say which types of values a schema takes."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Tool(Generic[R]):
    """A name, a description, a compiled schema, and optionally a function.

    Made by `from_schema` or `from_function`.

    >>> def search(query: str, limit: int = 10) -> str:
    ...     "Look something up."
    ...     return f"{limit} results for {query}"
    >>> tool = Tool.from_function(search)
    >>> tool.call('{"query": "cats", "limit": "3"}')
    '3 results for cats'
    """

    name: str
    description: str
    compiled: CompiledSchema
    parameters: Parameters | None = None
    conduct: Conduct = field(default_factory=Conduct, repr=False)
    source: Definition | None = field(default=None, repr=False)
    strict: StrictSchema | None = field(default=None, repr=False)
    """The projection that the model's arguments follow, in a toolset that is strict."""

    def __repr__(self) -> str:
        return f"<Tool {self.name!r}>"

    @overload
    @classmethod
    def from_schema(
        cls, definition: Any, function: None = None, **options: Unpack[ToolOptions]
    ) -> Tool[Any]: ...
    @overload
    @classmethod
    def from_schema(
        cls,
        definition: Any,
        function: Callable[..., Coroutine[Any, Any, T]],
        **options: Unpack[ToolOptions],
    ) -> Tool[T]: ...
    @overload
    @classmethod
    def from_schema(
        cls, definition: Any, function: Callable[..., T], **options: Unpack[ToolOptions]
    ) -> Tool[T]: ...
    @classmethod
    def from_schema(
        cls,
        definition: Any,
        function: Callable[..., Any] | None = None,
        **options: Unpack[ToolOptions],
    ) -> Tool[Any]:
        """A tool from the definition that a provider or server gives.

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

        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        >>> tool = Tool.from_schema({"name": "weather", "inputSchema": schema})
        >>> tool.prepare({"city": "Rome"}).arguments
        {'city': 'Rome'}

        """
        require_options(options, ToolOptions.__annotations__, "from_schema")
        read = read_definition(definition)
        read = replace(read, dialect=options.get("dialect") or read.dialect)
        schema = read.schema
        if schema is True or (isinstance(schema, dict) and schema.keys().isdisjoint(_TYPING)):
            # Arguments are an object, even if the schema does not say so.
            schema = {"type": "object", **({} if schema is True else schema)}
        compiled = _compiled(schema, read.name, {**options, "dialect": read.dialect})
        parameters = None
        if function is not None:
            parameters = read_handler(function, read.name, read.json_schema)
        return cls(read.name, read.description, compiled, parameters, _conduct(options), read)

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
        """A tool from the signature and docstring of anything that can be called.

        Args:
            function: a function, bound method, `functools.partial` or object with `__call__`.
            name: its own name if not given.
            description: what its docstring says before the parameters if not given.
            inject: types or names of parameters that the model knows nothing of; they are passed
                to `call` by name.
            options: see `ToolOptions`.

        Raises:
            SchemaError: for a signature that a JSON object cannot express.
            TypeError: for an entry of `inject` that no parameter has, and an unknown option.

        >>> def greet(name: str, session: object) -> str:
        ...     return f"{session}: hello {name}"
        >>> tool = Tool.from_function(greet, inject=("session",))
        >>> tool.schema["properties"], tool.call({"name": "Ann"}, session="s1")
        ({'name': {'type': 'string'}}, 's1: hello Ann')

        """
        inject = inject if isinstance(inject, (str, type)) else tuple(inject)
        tool = function_tool(function, inject, options, name=name, description=description)
        require_injected(inject, [tool.injected])
        return tool

    @property
    def schema(self) -> dict[str, Any] | bool:
        """A copy of the schema as it was given.

        >>> Tool.from_schema({"name": "now", "parameters": {}}).schema
        {}
        """
        return self.compiled.schema if self.source is None else copy.deepcopy(self.source.schema)

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that runs it, if it has one."""
        return None if self.parameters is None else self.parameters.function

    @property
    def asynchronous(self) -> bool:
        """Whether calling the function makes a coroutine, to be awaited."""
        return self.parameters is not None and self.parameters.asynchronous

    @property
    def injected(self) -> Mapping[str, Any]:
        """The injected parameters, each with the type or name by which it is injected."""
        return {} if self.parameters is None else dict(self.parameters.injected)

    def arranged(
        self, bound: Any, injected: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments for the function, with what is injected.

        Without a function, all arguments are keywords.
        """
        if self.parameters is not None:
            return self.parameters.arrange(bound, injected)
        return ((), dict(bound)) if isinstance(bound, dict) else ((bound,), {})

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
    def definition(self, provider: str) -> Any: ...
    def definition(self, provider: str) -> Any:
        """The definition of the tool for a provider.

        Args:
            provider: `"openai"` (chat completions), `"openai-responses"`, `"gpt-oss"`,
                `"anthropic"`, `"gemini"` or `"mcp"`.

        Raises:
            ValueError: for another provider, or a schema that it can take in no form.

        >>> tool = Tool.from_schema({"name": "now", "parameters": {"type": "object"}})
        >>> tool.definition("mcp")
        {'name': 'now', 'inputSchema': {'type': 'object'}}

        """
        given = self.source or Definition(self.name, self.description, self.schema)
        if self.strict is not None and provider in self.strict.profile.apis:
            return strict_definition(given, provider, self.strict)
        return copy.deepcopy(provider_definition(given, provider))

    @property
    def shown_schema(self) -> dict[str, Any]:
        """The schema that models are shown: a strict tool's projection, or that for MCP.

        Raises:
            ValueError: for a schema that is not of objects.

        >>> def now(zone: str = "UTC") -> str: ...
        >>> Tool.from_function(now).shown_schema["properties"]
        {'zone': {'default': 'UTC', 'type': 'string'}}

        """
        if self.strict is not None:
            return self.strict.schema
        return self.definition("mcp")["inputSchema"]  # type: ignore[no-any-return]

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
            if self.strict is not None and type(arguments) is not DecodedArguments:
                value, repaired = self._decoded(arguments, self.strict, call)
            elif type(arguments) is dict:
                value = self.compiled.validate(arguments)
            elif issubclass(type(arguments), (str, bytes, bytearray)):
                value, repaired = read_arguments(arguments, self.compiled, call)  # type: ignore[arg-type]
            else:
                value = self.compiled.validate(unpacked(arguments, self.name))
            if self.conduct.refuse_markup or self.conduct.unknown_arguments != "keep":
                self._refuse_valid(value)
            if parameters is None or parameters.convert is None:
                bound = value
            else:
                bound = parameters.convert(value)
        except ToolError as refused:
            refuse_call_mapping(arguments, self.name)
            error = refused if previous is None else refused.after(previous)
            keywords = {issue.keyword for issue in error.issues}  # no values, nor their names
            LOGGER.debug("a call of `%s` was refused by %s", self.name, sorted(keywords))
            if self.conduct.observer is not None:
                self.conduct.observer.refused(self, arguments, call, error)
            raise error from refused.__cause__
        prepared = Prepared(self, value, bound, arguments, repaired, call)
        if self.conduct.observer is not None:
            self.conduct.observer.prepared(prepared)
        if self.conduct.on_prepared is not None:
            self.conduct.on_prepared(prepared)
        return prepared

    def _decoded(self, arguments: Any, strict: StrictSchema, call: Any) -> tuple[Any, bool]:
        """The arguments that a model wrote for the projection, and whether text was repaired."""
        if issubclass(type(arguments), (str, bytes, bytearray)):
            return read_strict_arguments(arguments, self.compiled, strict, call)
        return strict.decode(unpacked(arguments, self.name)), False

    def _refuse_valid(self, value: Any) -> None:
        """Refuse valid arguments as the options say."""
        engine = self.compiled.engine
        if self.conduct.refuse_markup:
            refuse_swallowed(self.name, value, engine.anchors.names())
        if self.conduct.unknown_arguments != "keep":
            similar_only = self.conduct.unknown_arguments == "refuse_similar"
            if found := undeclared_issues(engine.root, value, similar_only=similar_only):
                raise ToolError.for_arguments(self.name, found)

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
        parameters = self.parameters
        if parameters is None:
            message = f"`{self.name}` has no function; pass one to Tool.from_schema"
            raise TypeError(message)

        # whoever reads the signature calls it as the schema as given says
        tool = replace(self, strict=None)

        def called(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            arguments, injected = parameters.taken(args, kwargs)
            try:
                plain_copy(arguments)
            except NotJSONError:  # frameworks pass on instances that they made
                arguments = jsonable(arguments)
            execute = arun if parameters.asynchronous else run
            return execute(tool.prepare(arguments), injected, as_is=True)

        return standalone(parameters, called, self.name)


def function_tool(
    function: Callable[..., Any],
    inject: Inject,
    options: ToolOptions,
    *,
    name: str | None = None,
    description: str | None = None,
) -> Tool[Any]:
    """Return the tool of a function, which may have none of the injected parameters.

    Raises:
        SchemaError: for a signature that a JSON object cannot express.
        TypeError: for an unknown option.

    """
    known = [*ToolOptions.__annotations__, "name", "description", "inject"]
    require_options(options, known, "from_function")
    coercion = coercion_named(options.get("coercion", "default"))
    read = read_function(function, name=name, inject=inject, coercion=coercion)
    compiled = _compiled(read.schema, read.name, options)
    text = read.description if description is None else description
    return Tool(read.name, text, compiled, read.parameters, _conduct(options))


def _compiled(schema: Any, name: str, options: ToolOptions) -> CompiledSchema:
    return compile_schema(
        schema,
        name=name,
        coercion=options.get("coercion", "default"),
        dialect=options.get("dialect"),
        formats=options.get("formats"),
        fallback_reader=options.get("fallback_reader"),
    )


_COMPILING = frozenset({"coercion", "dialect", "formats", "fallback_reader"})
"""The options of a tool that are not about its calls."""


def _conduct(options: ToolOptions) -> Conduct:
    chosen: Any = {name: value for name, value in options.items() if name not in _COMPILING}
    return Conduct(**chosen)


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
