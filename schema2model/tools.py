"""`Tool` and `Toolset`: from the raw arguments of a call to a function that was called."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from typing_extensions import Unpack

from schema2model.cache import compile_schema
from schema2model.coercions import coercion_named
from schema2model.compiled import CompiledSchema
from schema2model.definitions import Definition, declarations, provider_definition, read_definition
from schema2model.errors import Issue, ToolError
from schema2model.functions import Inject, read_function, read_handler
from schema2model.instances import NotJSONError, plain, quoted
from schema2model.parameters import Parameters, standalone
from schema2model.preparing import Arguments, Prepared, named_call, read_text, replace_text
from schema2model.running import LOGGER, Conduct, ToolOptions, arun, conduct, run

__all__ = ["Tool", "ToolOptions", "Toolset"]


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A name, a description, a compiled schema, and optionally the function behind them.

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

    @classmethod
    def from_schema(
        cls,
        definition: Any,
        function: Callable[..., Any] | None = None,
        **options: Unpack[ToolOptions],
    ) -> Tool:
        """A tool from the definition that a provider or server gives.

        Args:
            definition: a mapping or object in the shape of MCP, OpenAI (chat or responses),
                Anthropic, Gemini or a LiveKit raw schema.
            function: what runs it. It takes the properties as arguments, or all of them as one
                parameter `raw_arguments`; what else it takes is passed to `call`.
            options: see `ToolOptions`.

        Raises:
            SchemaError: where name or schema is missing or wrong, or the function does not fit.

        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        >>> tool = Tool.from_schema({"name": "weather", "inputSchema": schema})
        >>> tool.prepare({"city": "Rome"}).arguments
        {'city': 'Rome'}

        """
        read = read_definition(definition)
        compiled = _compiled(read.schema, read.name, options, read.dialect)
        parameters = None
        if function is not None:
            parameters = read_handler(function, read.name, read.json_schema)
        return cls(read.name, read.description, compiled, parameters, conduct(options), read)

    @classmethod
    def from_function(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        inject: Inject = (),
        **options: Unpack[ToolOptions],
    ) -> Tool:
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

        >>> def greet(name: str, session: object) -> str:
        ...     return f"{session}: hello {name}"
        >>> tool = Tool.from_function(greet, inject=("session",))
        >>> tool.schema["properties"], tool.call({"name": "Ann"}, session="s1")
        ({'name': {'type': 'string'}}, 's1: hello Ann')

        """
        coercion = coercion_named(options.get("coercion", "default"))
        read = read_function(function, name=name, inject=inject, coercion=coercion)
        compiled = _compiled(read.schema, read.name, options, None)
        text = read.description if description is None else description
        return cls(read.name, text, compiled, read.parameters, conduct(options))

    @property
    def schema(self) -> dict[str, Any] | bool:
        """A copy of the schema as it was given."""
        return self.compiled.schema

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that runs it, if it has one."""
        return None if self.parameters is None else self.parameters.function

    @property
    def injected(self) -> Mapping[str, Any]:
        """The parameters that the application fills in, with the type or name that said so."""
        return {} if self.parameters is None else dict(self.parameters.injected)

    def arranged(
        self, bound: Any, injected: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What the function is called with; without one, the arguments are the keywords."""
        if self.parameters is not None:
            return self.parameters.arrange(bound, injected)
        return ((), dict(bound)) if isinstance(bound, dict) else ((bound,), {})

    def definition(self, provider: str) -> dict[str, Any]:
        """The tool as a provider wants it described.

        Args:
            provider: `"openai"` (chat completions), `"openai-responses"`, `"anthropic"`,
                `"gemini"` or `"mcp"`.

        Raises:
            ValueError: for another provider, or a schema that it can take in no form.

        >>> tool = Tool.from_schema({"name": "now", "parameters": {"type": "object"}})
        >>> tool.definition("mcp")
        {'name': 'now', 'inputSchema': {'type': 'object'}}

        """
        given = self.source or Definition(self.name, self.description, self.schema)
        return provider_definition(given, provider)

    # ------------------------------------------------------------------------------ calls
    def prepare(self, arguments: Arguments, call: Any = None) -> Prepared:
        """The arguments as the tool takes them; nothing is called.

        Args:
            arguments: text as the provider sent it, or a mapping, which is not changed.
            call: the call that stands in the conversation: an object or mapping that has
                `arguments`, `input` or `args`, or a function that takes text. If the text has to
                be repaired, its JSON is put there before anything else can go wrong.

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
            if type(arguments) is dict:
                value = self.compiled.validate(arguments)
            elif isinstance(arguments, (str, bytes, bytearray)):
                value, repaired = read_text(arguments, self.compiled, call)
            else:
                given = dict(arguments) if isinstance(arguments, Mapping) else arguments
                value = self.compiled.validate(given)
            if parameters is None or parameters.convert is None:
                bound = value
            else:
                bound = parameters.convert(value)
        except ToolError as error:
            LOGGER.debug("a call of `%s` was refused: %s", self.name, error)
            raise
        prepared = Prepared(self, value, bound, arguments, repaired)
        if self.conduct.on_prepared is not None:
            self.conduct.on_prepared(prepared)
        return prepared

    def call(self, arguments: Arguments, /, **injected: Any) -> Any:
        """Prepare the arguments and run the function.

        Raises:
            ToolError: for the model, where the arguments are refused or the function says so.
            TypeError: for the developer, where the tool has no function or an asynchronous one,
                an injected value is missing, or the result has no JSON.

        """
        return run(self.prepare(arguments), injected)

    async def acall(self, arguments: Arguments, /, **injected: Any) -> Any:
        """Prepare the arguments, run the function, and await it if it is asynchronous.

        A plain function runs in the caller's thread.

        Raises:
            ToolError: see `call`.
            TypeError: see `call`.

        """
        return await arun(self.prepare(arguments), injected)

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

        def called(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            arguments, injected = parameters.taken(args, kwargs)
            try:
                plain(arguments)
            except NotJSONError:  # frameworks pass on instances that they made
                arguments = _jsonable(arguments)
            execute = arun if parameters.asynchronous else run
            return execute(self.prepare(arguments), injected, as_is=True)

        return standalone(parameters, called)


def _jsonable(arguments: Any) -> Any:
    try:
        return to_jsonable_python(arguments, by_alias=True, round_trip=True)
    except ValueError:
        return arguments  # which the schema refuses with a reason


def _compiled(schema: Any, name: str, options: ToolOptions, dialect: str | None) -> CompiledSchema:
    return compile_schema(
        schema,
        name=name,
        coercion=options.get("coercion", "default"),
        dialect=options.get("dialect") or dialect,
        formats=options.get("formats"),
    )


class Toolset:
    """Tools by name, from tools, definitions and functions alike.

    Args:
        tools: a `Tool`, a definition as `Tool.from_schema` takes, or a function, each.
        inject: what functions are injected with, as for `Tool.from_function`.
        options: for those that are no tools yet; see `ToolOptions`.

    Raises:
        ValueError: where two tools have one name.

    >>> def add(a: int, b: int) -> int:
    ...     return a + b
    >>> tools = Toolset([add])
    >>> tools.prepare_call({"function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}).call()
    3

    """

    __slots__ = ("_tools",)

    def __init__(
        self, tools: Iterable[Any] = (), *, inject: Inject = (), **options: Unpack[ToolOptions]
    ) -> None:
        self._tools: dict[str, Tool] = {}
        for given in tools:
            for tool in _tools(given, inject, options):
                if tool.name in self._tools:
                    message = (
                        f"two tools are called `{tool.name}`; a model could not tell them apart"
                    )
                    raise ValueError(message)
                self._tools[tool.name] = tool

    @classmethod
    def from_object(
        cls, instance: object, inject: Inject = (), **options: Unpack[ToolOptions]
    ) -> Toolset:
        """The public methods of an object, in the order of their definition.

        Raises:
            ValueError: where it has none.

        >>> class Counter:
        ...     def count(self, to: int) -> list[int]:
        ...         return list(range(1, to + 1))
        >>> Toolset.from_object(Counter())["count"].call({"to": 3})
        [1, 2, 3]

        """
        names = dict.fromkeys(
            name
            for kind in reversed(type(instance).__mro__)
            if kind not in {object, BaseModel}
            for name in vars(kind)
            if not name.startswith("_") and _is_method(type(instance), name)
        )
        if not names:
            message = f"this {type(instance).__name__} has no public methods to make tools of"
            raise ValueError(message)
        return cls([getattr(instance, name) for name in names], inject=inject, **options)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools or (
            isinstance(name, Tool) and self._tools.get(name.name) is name
        )

    def __repr__(self) -> str:
        return f"<Toolset {', '.join(self._tools) or 'without tools'}>"

    def definitions(self, provider: str) -> list[dict[str, Any]]:
        """Every tool as a provider wants it described; see `Tool.definition`."""
        return [tool.definition(provider) for tool in self]

    def prepare(self, name: str, arguments: Arguments, call: Any = None) -> Prepared:
        """Prepare a call of the tool of that name; see `Tool.prepare`.

        Raises:
            ToolError: also where there is no such tool; the message has the closest names.

        """
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            if isinstance(arguments, (str, bytes, bytearray)):
                replace_text(arguments, None, call)
            error = _unknown(name, self._tools)
            LOGGER.debug("a call was refused: %s", error)
            raise error
        return tool.prepare(arguments, call)

    def prepare_call(self, call: Any) -> Prepared:
        """Prepare a call as it stands in the conversation, where repaired text is put back.

        Args:
            call: a tool call of OpenAI (chat or responses), Anthropic, Gemini, MCP, LangChain or
                LiveKit, as an object or a mapping.

        Raises:
            ToolError: where the arguments are refused, or there is no tool of that name.
            TypeError: for the developer, where it is no call.

        """
        name, arguments = named_call(call)
        return self.prepare(name, {} if arguments is None else arguments, call)


def _tools(given: Any, inject: Inject, options: ToolOptions) -> Iterator[Tool]:
    if isinstance(given, Tool):
        yield given
    elif callable(given):
        yield Tool.from_function(given, inject=inject, **options)
    else:
        for definition in declarations(given):
            yield Tool.from_schema(definition, **options)


def _is_method(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name)
    methods = (staticmethod, classmethod, functools.partialmethod)
    return inspect.isfunction(found) or isinstance(found, methods)


def _unknown(name: Any, tools: Mapping[str, Tool]) -> ToolError:
    asked = name if isinstance(name, str) else quoted(name)
    by_spelling = {known.lower(): known for known in tools}
    last = asked.lower().replace(":", ".").rsplit(".", 1)[-1]
    close = difflib.get_close_matches(last, by_spelling, 3, 0.5)
    names = [by_spelling[match] for match in close] or list(tools)[:10]
    listed = ", ".join(f"`{known}`" for known in names)
    hint = f"; the closest are {listed}" if close else f"; there are {listed}" if names else ""
    issue = Issue("", "name", f"the name of a tool{hint}", quoted(name))
    shown = quoted(asked)[1:-1]
    message = f"Error parsing arguments for `{shown}`:\n- there is no tool of that name{hint}"
    return ToolError(message, issues=(issue,))
