"""`Toolset`: tools by name, and calls in the shape of any provider."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, overload

from typing_extensions import Unpack

from schema2model.calls.call_types import Call
from schema2model.calls.tool_names import ToolNames, unknown_tool
from schema2model.errors import ToolError
from schema2model.json.quoting import abridged_repr, printable
from schema2model.tools.answering import (
    AnswerOptions,
    Approve,
    Caught,
    aanswer_message,
    answer_message,
    prepare_sent,
)
from schema2model.tools.conversation import Arguments, is_text, named_call
from schema2model.tools.developer_mistakes import require_options
from schema2model.tools.execution import LOGGER
from schema2model.tools.parameters import (
    Inject,
    declared_by,
    kept_injected,
    require_declared,
    require_injected,
)
from schema2model.tools.preparing import replace_text
from schema2model.tools.providers.definitions import (
    AnthropicTool,
    ChatShape,
    ChatTool,
    GeminiTool,
    Provider,
    ResponsesTool,
    declarations,
)
from schema2model.tools.tool import Prepared, Tool, ToolOptions, with_parts, with_strict
from schema2model.tools.tool_parts import function_parts

if TYPE_CHECKING:
    from schema2model.calls.call_reader import CallReader, Errors
    from schema2model.calls.formats.wire_format import WireFormat
    from schema2model.strict.request_cost import RequestBudget
    from schema2model.tools.assembler import Assembler, StreamProvider

__all__ = ["BrokenTool", "Toolset"]

_D = TypeVar("_D")

MAX_SHOWN: Final = 5
"""Names of tools that `repr` shows; further ones are counted."""


_METHODS: Final = (FunctionType, staticmethod, classmethod, functools.partialmethod)
"""Types of the members of a class that are methods."""


class BrokenTool(NamedTuple):
    """A tool that could not be made: what was given, and why not."""

    given: Any
    error: ValueError


class Toolset:
    """Tools by name, from tools, definitions and functions alike.

    Args:
        tools: a `Tool`, a definition as `Tool.from_definition` takes, or a function, each.
        inject: types or names of injected parameters, as for `Tool`.
        strict: the provider that is to enforce the schemas, as for `CompiledSchema.strict`.
            `definitions` are strict then where they can be, and calls are decoded. Where a provider
            limits the strict tools of a request, as many as possible are strict. `{"name": True}`
            says which tools have to be strict, or must not be.
        strict_provider: the provider where `strict` is a mapping; OpenAI by default.
        max_items: maximum items of arrays in strict definitions that have no maximum.
        max_length: the same for the characters of strings.
        wire_formats: formats of your own in which the model may write calls as text.
        errors: `"keep"` leaves out tools that cannot be made, and lists them in `broken`: one bad
            schema of a server does not take its other tools away.
        options: for definitions and functions; see `ToolOptions`.

    Raises:
        ValueError: if two tools have one name, unless errors are kept.
        TypeError: for an entry of `inject` that no tool has, and an unknown option.
        SchemaError: for a tool that cannot be made, unless errors are kept; and if one that has to
            be strict cannot be, or they exceed the limits.

    >>> def add(a: int, b: int) -> int:
    ...     return a + b
    >>> tools = Toolset([add])
    >>> tools.prepare_call({"function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}).call()
    3

    """

    __slots__ = ("_broken", "_given", "_names", "_projection", "_strict", "_tools", "_wire_formats")

    _broken: tuple[BrokenTool, ...]
    _strict: RequestBudget | None
    _tools: dict[str, Tool]
    _names: ToolNames

    def __init__(  # noqa: PLR0913 - one option, one argument
        self,
        tools: Iterable[Any] = (),
        *,
        inject: Inject = (),
        strict: str | Mapping[str, bool] | None = None,
        strict_provider: str = "openai",
        max_items: int | None = None,
        max_length: int | None = None,
        wire_formats: Iterable[WireFormat] = (),
        errors: Errors = "raise",
        **options: Unpack[ToolOptions],
    ) -> None:
        inject = kept_injected(inject)
        if callable(tools) or isinstance(tools, Mapping):
            message = (
                f"Toolset takes a list of tools: Toolset([tool, ...]), not {type(tools).__name__}"
            )
            raise TypeError(message)
        self._wire_formats = _require_wire_formats(wire_formats)
        self._given: dict[str, Tool] = {}
        self._broken = ()
        self._projection: Callable[..., Any] | None = None
        if strict is not None:
            from schema2model.strict.request_cost import strict_schemas  # noqa: PLC0415 - few are strict

            provider, asked = (strict, {}) if isinstance(strict, str) else (strict_provider, strict)
            self._projection = functools.partial(
                strict_schemas,
                provider=provider,
                asked=asked,
                max_items=max_items,
                max_length=max_length,
            )
        self._extend(tools, inject, options, errors)

    def _extend(
        self,
        tools: Iterable[Any],
        inject: Inject,
        options: ToolOptions,
        errors: Errors = "raise",
    ) -> None:
        """Add tools, and project all of them again if the toolset is strict."""
        require_options(options, ToolOptions.__annotations__, "Toolset")
        if errors not in {"raise", "keep"}:
            message = f'errors is "raise" or "keep", not {abridged_repr(errors)}'
            raise ValueError(message)
        if errors == "keep":  # what is wrong with an option is no tool's fault
            Tool.from_definition({"name": "any", "parameters": {}}, **options)
        added: list[Tool] = []
        broken: list[BrokenTool] = []
        given = dict(self._given)
        for each in (single for several in tools for single in _singles(several)):
            try:
                tool = _tool_of(each, inject, options)
                if tool.name in given:
                    name = printable(tool.name)
                    message = f"two tools are called `{name}`; a model could not tell them apart"
                    raise ValueError(message)  # noqa: TRY301 - it may be kept
            except ValueError as error:  # a SchemaError, most often
                if errors == "raise":
                    raise
                broken.append(BrokenTool(each, error))
                continue
            given[tool.name] = tool
            added.append(tool)
        require_injected(inject, [tool.injected for tool in added])
        tools, budget = dict(given), None
        if self._projection is not None:
            engines = {name: tool.compiled._engine for name, tool in given.items()}
            schemas, budget = self._projection(engines)
            for name, schema in schemas.items():
                tools[name] = with_strict(given[name], schema)
        self._given, self._tools, self._strict = given, tools, budget
        self._broken += tuple(broken)
        self._names = ToolNames(
            {name: tool.compiled for name, tool in tools.items()},
            {name: tool.strict for name, tool in tools.items() if tool.strict is not None},
        )

    def add(
        self,
        *tools: Any,
        inject: Inject = (),
        errors: Errors = "raise",
        **options: Unpack[ToolOptions],
    ) -> None:
        """Add tools; a strict toolset projects all of them again.

        Args:
            tools: see `Toolset`.
            inject: see `Toolset`.
            errors: see `Toolset`.
            options: for definitions and functions; see `ToolOptions`.

        Raises:
            ValueError: if two tools have one name, unless errors are kept; then none is added.
            TypeError: see `Toolset`.
            SchemaError: see `Toolset`.

        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> tools = Toolset()
        >>> tools.add(add)
        >>> [tool.name for tool in tools]
        ['add']

        """
        self._extend(tools, kept_injected(inject), options, errors)

    def __add__(self, other: Iterable[Any]) -> Toolset:
        """Return a toolset with the tools of both; it is strict as this one is."""
        joined = Toolset()
        joined._copy_from(self)
        if isinstance(other, Toolset):
            joined._wire_formats = (*dict.fromkeys((*self._wire_formats, *other._wire_formats)),)
            joined._broken += other._broken
            other = other._given.values()
        joined._extend(other, (), {})
        return joined

    def _copy_from(self, other: Toolset) -> None:
        """Add the tools of another toolset, with its formats, and strict as it is."""
        self._wire_formats, self._projection = other._wire_formats, other._projection
        self._broken = other._broken
        self._extend(other._given.values(), (), {})

    @property
    def broken(self) -> tuple[BrokenTool, ...]:
        """The tools that could not be made, with their errors, where those are kept.

        >>> def now() -> str: ...
        >>> bad = {"name": "bad", "parameters": {"type": "nothing"}}
        >>> tools = Toolset([bad, now], errors="keep")
        >>> [tool.name for tool in tools], [str(each.error)[:40] for each in tools.broken]
        (['now'], ['the schema of `bad`: /type: unknown type'])
        """
        return self._broken

    @property
    def budget(self) -> RequestBudget | None:
        """Which tools are strict, what they take of a request's limits, and why others are not.

        None if the toolset is not strict.

        >>> def now(zone: str) -> str: ...
        >>> print(Toolset([now], strict="anthropic").budget)
        strict: now
        of the limits of one request: 1 tools with 0 optional parameters and 0 of several types
        the limits: 20 tools with 24 optional parameters and 16 of several types
        """
        return self._strict

    @classmethod
    def from_object(
        cls, instance: object, inject: Inject = (), **options: Unpack[ToolOptions]
    ) -> Toolset:
        """Make a toolset of the public methods of an object, in the order of their definition.

        Raises:
            ValueError: where it has none.
            TypeError: for a class.

        >>> class Counter:
        ...     def count(self, to: int) -> list[int]:
        ...         return list(range(1, to + 1))
        >>> Toolset.from_object(Counter())["count"].call({"to": 3})
        [1, 2, 3]

        """
        return cls(_public_methods(instance), inject=inject, **options)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def get(self, name: str, default: _D | None = None) -> Tool | _D | None:
        """Return the tool of that name, or `default` if there is none."""
        return self._tools.get(name, default)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools or (
            isinstance(name, Tool) and self._tools.get(name.name) is name
        )

    def __repr__(self) -> str:
        names = [*self._tools]
        more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
        return f"<Toolset {', '.join(names[:MAX_SHOWN]) or 'without tools'}{more}>"

    @overload
    def definitions(self, provider: ChatShape) -> list[ChatTool]: ...
    @overload
    def definitions(self, provider: Literal["openai-responses"]) -> list[ResponsesTool]: ...
    @overload
    def definitions(
        self, provider: Literal["anthropic"], *, eager_input_streaming: bool = ...
    ) -> list[AnthropicTool]: ...
    @overload
    def definitions(self, provider: Literal["gemini"]) -> list[GeminiTool]: ...
    @overload
    def definitions(self, provider: Literal["mcp"]) -> list[dict[str, Any]]: ...
    @overload
    def definitions(self, provider: Provider) -> list[Any]: ...
    def definitions(self, provider: Provider, *, eager_input_streaming: bool = False) -> Any:
        """Return the definitions of all tools for a provider; see `Tool.definition`.

        Args:
            provider: see `Tool.definition`.
            eager_input_streaming: for Anthropic, send arguments as the model writes them. They
                arrive earlier, and nobody has checked that they are JSON: read them with
                `assembler`, which repairs or refuses them.

        Raises:
            ValueError: see `Tool.definition`; and for eager streaming from another provider.

        >>> def now() -> str: ...
        >>> [each["name"] for each in Toolset([now]).definitions("mcp")]
        ['now']

        """
        if not eager_input_streaming:
            return [tool.definition(provider) for tool in self]
        if provider != "anthropic":
            message = f"eager_input_streaming is Anthropic's, not for {abridged_repr(provider)}"
            raise ValueError(message)
        return [{**tool.definition(provider), "eager_input_streaming": True} for tool in self]

    def prepare(
        self,
        name: str,
        arguments: Arguments,
        call: Any = None,
        *,
        previous: ToolError | str | None = None,
    ) -> Prepared:
        """Prepare a call of the tool of that name; see `Tool.prepare`.

        Raises:
            ToolError: also for an unknown tool; the message has the closest names.

        >>> def add(a: int, b: int) -> int: ...
        >>> Toolset([add]).prepare("add", '{"a": "1", "b": 2}').arguments
        {'a': 1, 'b': 2}

        """
        return self._meant_tool(name, arguments, call).prepare(arguments, call, previous=previous)

    def _meant_tool(self, name: Any, arguments: Any, call: Any) -> Tool:
        """Return the tool that a call means; for an unknown one, mend the conversation and raise.

        Raises:
            ToolError: with the closest names.

        """
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            tool = self._respelled_tool(name)
        if tool is None:
            if is_text(arguments):
                replace_text(arguments, call)
            error = unknown_tool(name, self._tools, self._names.find)
            LOGGER.debug("a call was refused: unknown tool")
            raise error
        return tool

    def _respelled_tool(self, name: Any) -> Tool | None:
        """Return the one tool that a name means, as `read_calls` takes it; none with `off`."""
        meant = self._names.find(name) if isinstance(name, str) else None
        tool = None if meant is None else self._tools[meant]
        return None if tool is None or tool.compiled.coercion.is_off else tool

    def call(self, name: str, arguments: Arguments, /, **injected: Any) -> Any:
        """Prepare a call of the tool of that name, and run it; see `Tool.call`.

        Raises:
            ToolError: see `prepare` and `Tool.call`.
            TypeError: see `Tool.call`; an injected value may be for another tool of the set.

        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> Toolset([add]).call("add", '{"a": "1", "b": 2}')
        3

        """
        require_declared(injected, self)
        prepared = self.prepare(name, arguments)
        return prepared.call(**declared_by(prepared, injected))

    async def acall(self, name: str, arguments: Arguments, /, **injected: Any) -> Any:
        """Prepare a call of the tool of that name, run it, and await it; see `Tool.acall`.

        Raises:
            ToolError: see `prepare` and `Tool.call`.
            TypeError: see `call`.

        """
        require_declared(injected, self)
        prepared = self.prepare(name, arguments)
        return await prepared.acall(**declared_by(prepared, injected))

    def read_calls(
        self,
        text: str,
        format: str | None = None,  # noqa: A002 - the field's word
        errors: Errors = "raise",
    ) -> list[Call]:
        """Return the calls in the text of a model, in any format that models write calls in.

        Args:
            text: all of it: prose, thinking and fences around the calls are left out.
            format: the name of the format, if it is known; else it is found from its markers.
            errors: `"keep"` returns a call that cannot be read with its `error`.

        Returns:
            The calls in their order, none for prose. Their arguments satisfy the tools' schemas.

        Raises:
            ToolError: the first that cannot be read, unless errors are kept.
            ValueError: for an unknown format, and another word for `errors`.

        >>> tool = {"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}}}
        >>> Toolset([tool]).read_calls("<function=add><parameter=a>1</parameter></function>")
        [Call(name='add', arguments={'a': 1}, format='qwen3_coder', start=0, end=51, error=None)]

        """
        if errors not in {"raise", "keep"}:
            message = f'errors is "raise" or "keep", not {abridged_repr(errors)}'
            raise ValueError(message)
        from schema2model.calls.call_reader import read_calls  # noqa: PLC0415 - calls seldom come as text

        return read_calls(text, self._names, format, errors, self._wire_formats)

    def call_reader(self, format: str | None = None) -> CallReader:  # noqa: A002 - see `read_calls`
        """Return a reader of calls from text that streams; see `read_calls`.

        Raises:
            ValueError: for an unknown format.

        >>> tool = {"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}}}
        >>> reader = Toolset([tool]).call_reader()
        >>> ends = 'uments": {"a": "1"}}</tool_call>'
        >>> chunks = ("Adding: <tool_c", 'all>{"name": "add", "arg', ends)
        >>> for chunk in chunks:
        ...     for call in reader.feed(chunk):
        ...         print(call.name, call.arguments)
        add {'a': 1}
        >>> reader.finish(), reader.text
        ([], 'Adding: ')

        """
        from schema2model.calls.call_reader import CallReader  # noqa: PLC0415 - calls seldom come as text

        return CallReader(self._names, format, self._wire_formats)

    def assembler(self, provider: StreamProvider, *, strings: bool = False) -> Assembler:
        """Return a reader of one reply that streams: raw chunks in, prepared calls out.

        Pieces are joined by their ids, indexes and names. Pieces that may be of two calls are of
        none: both are refused.

        Args:
            provider: `"openai"` (chat completions, also of other servers), `"litellm"`,
                `"openai-responses"`, `"anthropic"`, `"gemini"` or `"langchain"`.
            strings: whether `arriving` also shows strings while they arrive; see `Tool.partial`.

        Raises:
            ValueError: for an unknown provider.

        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> def chunk(reason=None, **call):
        ...     delta = {"tool_calls": [{"index": 0, **call}]} if call else {}
        ...     return {"choices": [{"delta": delta, "finish_reason": reason}]}
        >>> tools = Toolset([add])
        >>> reply = tools.assembler("openai")
        >>> reply.feed(chunk(id="c1", function={"name": "add", "arguments": '{"a": "1'}))
        []
        >>> reply.feed(chunk(function={"arguments": '", "b": 2'})), reply.arriving
        ([], ArrivingCall(name='add', arguments={'a': 1}))
        >>> reply.feed(chunk(function={"arguments": "}"})), reply.feed(chunk("tool_calls"))
        ([], [AssembledCall(name='add', id='c1', prepared=<Prepared 'add'>, error=None)])
        >>> tools.answer(reply.finish())
        [{'role': 'tool', 'tool_call_id': 'c1', 'content': '3'}]

        """
        # few replies stream through it
        from schema2model.tools.assembler import Assembler  # noqa: PLC0415
        from schema2model.tools.providers.streams import stream_shape  # noqa: PLC0415

        return Assembler(self, stream_shape(provider), strings=strings)

    def prepare_call(
        self, call: Any, *, previous: ToolError | str | None = None, truncated: bool = False
    ) -> Prepared:
        """Prepare a call of the conversation, in which repaired text is replaced.

        Args:
            call: a tool call of OpenAI (chat or responses), Anthropic, Gemini, Bedrock, Cohere,
                MCP, LangChain or LiveKit, as an object or a mapping; or the text of one, as
                `read_calls` reads it.
            previous: what answered the model's last call of the same tool; see `Tool.prepare`.
            truncated: whether the reply ended too soon, as the provider's `finish_reason` or
                `stop_reason` says. Then arguments whose text has to be repaired are refused.

        Raises:
            ToolError: where the arguments are refused, the tool is unknown, or a text holds no
                call or several.
            TypeError: for the developer, if it is not a call.

        >>> def now() -> str: ...
        >>> call = {"type": "function_call", "name": "now", "arguments": ""}
        >>> Toolset([now]).prepare_call(call).arguments, call["arguments"]
        ({}, '{}')
        >>> Toolset([now]).prepare_call("<tool_call>now</tool_call>").arguments
        {}

        """
        if isinstance(call, str):
            from schema2model.calls.call_reader import only_call  # noqa: PLC0415 - calls seldom come as text

            read = only_call(self.read_calls(call))
            return self.prepare(read.name, read.arguments, previous=previous)
        name, arguments = named_call(call)
        cut_off = truncated and is_text(arguments)
        return self._prepare_named(call, name, arguments, previous, cut_off=cut_off)

    def _prepare_named(
        self,
        call: Any,
        name: str,
        arguments: Any,
        previous: ToolError | str | None,
        *,
        cut_off: bool,
    ) -> Prepared:
        """Prepare a call whose name and arguments `named_call` has found; see `prepare_sent`."""
        given = {} if arguments is None else arguments
        tool = self._meant_tool(name, given, call)
        prepared: Prepared = prepare_sent(tool, given, call, previous, cut_off=cut_off)
        return prepared

    def answer(
        self,
        message: Any,
        *,
        finish_reason: str | None = None,
        memory: MutableMapping[str, ToolError] | None = None,
        approve: Approve | None = None,
        catch: Caught = (),
        **injected: Any,
    ) -> list[Any]:
        """Run all calls of an assistant message, and return the messages to append after it.

        Every call gets a result: also one of an unknown tool, one that cannot be read and one that
        fails with a `ToolError`. So the history can be sent again.

        Args:
            message: an assistant message or response of OpenAI (chat completions or Responses),
                Anthropic, Gemini, Bedrock, Cohere, Ollama or LangChain, as an object of its SDK or
                a mapping, or the list of its calls. Repaired arguments are written back into it. Or
                a reply that an `assembler` has read. Or the text of a model that writes its calls
                as text; its results are `{"role": "tool", "name": …, "content": …}`.
            finish_reason: why the reply ended, if the message does not say it. After `"length"`,
                `"max_tokens"` and the like, a call that may be cut off is refused: one whose text
                has to be repaired, and the last one if the SDK has parsed its arguments.
            memory: the last error of each tool, by name; pass the same mapping for all turns of a
                conversation, and a repeated mistake is pointed out.
            approve: gets each prepared call before it runs, and returns True to approve it.
                Anything else refuses it, and so does a `ToolError`. Arguments that it changes are
                checked again.
            catch: types of exceptions of tools that become the result of their call, as
                `TypeName: message`. Others end the turn; `ToolError` never does.
            injected: values for injected parameters, by name, for the tools that declare them.

        Raises:
            TypeError: if it is not an assistant message, if it holds calls in a shape that is not
                known, if a tool is asynchronous, for an injected value that no tool declares, and
                for the mistakes of `Tool.call`.
            Exception: of a tool, other than `ToolError` and those to catch.

        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> call = {"id": "c1", "function": {"name": "add", "arguments": "{'a': 1, 'b': '2'}"}}
        >>> Toolset([add]).answer({"role": "assistant", "tool_calls": [call]})
        [{'role': 'tool', 'tool_call_id': 'c1', 'content': '3'}]

        """
        require_declared(injected, self)
        options = AnswerOptions(finish_reason, memory, approve, catch, injected)
        return answer_message(self, message, options)

    async def aanswer(  # noqa: PLR0913 - one option, one argument
        self,
        message: Any,
        *,
        finish_reason: str | None = None,
        memory: MutableMapping[str, ToolError] | None = None,
        approve: Approve | None = None,
        catch: Caught = (),
        limit: int | None = None,
        **injected: Any,
    ) -> list[Any]:
        """Run all calls of an assistant message concurrently; see `answer`.

        The results are in the order of the calls. Synchronous functions run in the event loop, one
        after the other. If an exception ends the turn, the other calls are cancelled.

        Args:
            message: see `answer`.
            finish_reason: see `answer`.
            memory: see `answer`.
            approve: see `answer`; it may be asynchronous.
            catch: see `answer`.
            limit: maximum number of calls that run at the same time; no limit by default.
            injected: see `answer`.

        Raises:
            TypeError: see `answer`.
            ValueError: for a limit below 1.
            Exception: see `answer`.

        """
        require_declared(injected, self)
        options = AnswerOptions(finish_reason, memory, approve, catch, injected)
        return await aanswer_message(self, message, options, limit)


def _require_wire_formats(given: Iterable[WireFormat]) -> tuple[WireFormat, ...]:
    """The formats of one's own; raises TypeError for anything else."""
    if not given:
        return ()
    from schema2model.calls.formats.wire_format import WireFormat  # noqa: PLC0415 - few have their own

    formats = tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(isinstance(each, WireFormat) for each in formats):
        message = f"wire_formats is a list of WireFormat, not {abridged_repr(given)}"
        raise TypeError(message)
    return formats


def _singles(given: Any) -> Iterable[Any]:
    """Return a tool, a function, or the definitions in one object."""
    return [given] if isinstance(given, Tool) or callable(given) else declarations(given)


def _tool_of(given: Any, inject: Inject, options: ToolOptions) -> Tool:
    if isinstance(given, Tool):
        return given
    if callable(given):
        return with_parts(function_parts(given, {**options, "inject": inject}))
    return Tool.from_definition(given, **options)


def _public_methods(instance: object) -> list[Callable[..., Any]]:
    """Return the public methods of an object, in the order of their definition.

    Raises:
        ValueError: if it has none.
        TypeError: for a class.

    """
    from pydantic import BaseModel  # noqa: PLC0415 - few toolsets are made of an object

    if isinstance(instance, type):
        message = f"from_object takes an instance; write {instance.__name__}()"
        raise TypeError(message)
    names = dict.fromkeys(
        name
        for kind in reversed(type(instance).__mro__)
        if kind not in {object, BaseModel}
        for name in vars(kind)
        if not name.startswith("_")
        and isinstance(inspect.getattr_static(type(instance), name), _METHODS)
    )
    if not names:
        message = f"this {type(instance).__name__} has no public methods to make tools of"
        raise ValueError(message)
    return [getattr(instance, name) for name in names]
