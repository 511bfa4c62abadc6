"""`Toolset`: tools by name, and calls in the shape of any provider."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

from pydantic import BaseModel
from typing_extensions import Unpack

from schema2model.calls.call_types import Call
from schema2model.calls.tool_names import ToolNames, unknown_tool
from schema2model.errors import ToolError
from schema2model.json.quoting import printable
from schema2model.tools.argument_text import replace_text
from schema2model.tools.conversation import Arguments, named_call
from schema2model.tools.execution import LOGGER
from schema2model.tools.providers.definitions import declarations
from schema2model.tools.providers.sdk_types import (
    AnthropicTool,
    ChatShape,
    ChatTool,
    GeminiTool,
    ResponsesTool,
)
from schema2model.tools.signatures import Inject, require_injected
from schema2model.tools.tool import Prepared, Tool, ToolOptions, function_tool

if TYPE_CHECKING:
    from schema2model.calls.reading import CallReader, Errors
    from schema2model.strict.budget import RequestBudget
    from schema2model.tools.answering import Approve

__all__ = ["Toolset"]

MAX_SHOWN = 5
"""Names of tools that `repr` shows; further ones are counted."""


class Toolset:
    """Tools by name, from tools, definitions and functions alike.

    Args:
        tools: a `Tool`, a definition as `Tool.from_schema` takes, or a function, each.
        inject: types or names of injected parameters, as for `Tool.from_function`.
        strict: the provider that is to enforce the schemas, as for `CompiledSchema.strict`.
            `definitions` are strict then where they can be, and `prepare` decodes. Where a provider
            limits the strict tools of a request, as many as possible are strict. `{"name": True}`
            says which tools have to be strict, or must not be.
        strict_provider: the provider where `strict` is a mapping; OpenAI by default.
        max_items: maximum items of arrays in strict definitions that have no maximum.
        max_length: the same for the characters of strings.
        options: for definitions and functions; see `ToolOptions`.

    Raises:
        ValueError: if two tools have one name.
        TypeError: for an entry of `inject` that no tool has, and an unknown option.
        SchemaError: if a tool that has to be strict cannot be, or they exceed the limits.

    >>> def add(a: int, b: int) -> int:
    ...     return a + b
    >>> tools = Toolset([add])
    >>> tools.prepare_call({"function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}).call()
    3

    """

    __slots__ = ("_names", "_strict", "_tools")

    def __init__(  # noqa: PLR0913 - one option, one argument
        self,
        tools: Iterable[Any] = (),
        *,
        inject: Inject = (),
        strict: str | Mapping[str, bool] | None = None,
        strict_provider: str = "openai",
        max_items: int | None = None,
        max_length: int | None = None,
        **options: Unpack[ToolOptions],
    ) -> None:
        inject = inject if isinstance(inject, (str, type)) else tuple(inject)
        if callable(tools) or isinstance(tools, (Tool, Mapping)):
            message = f"Toolset takes a list of tools: Toolset([{type(tools).__name__}, ...])"
            raise TypeError(message)
        self._tools: dict[str, Tool] = {}
        for given in tools:
            for tool in _tools(given, inject, options):
                if tool.name in self._tools:
                    name = printable(tool.name)
                    message = f"two tools are called `{name}`; a model could not tell them apart"
                    raise ValueError(message)
                self._tools[tool.name] = tool
        require_injected(inject, [tool.injected for tool in self])
        self._strict: RequestBudget | None = None
        if strict is not None:
            provider, asked = (strict, {}) if isinstance(strict, str) else (strict_provider, strict)
            self._make_strict(provider, asked, max_items, max_length)
        self._names = ToolNames({name: tool.compiled for name, tool in self._tools.items()})

    def _make_strict(
        self,
        provider: str,
        asked: Mapping[str, bool],
        max_items: int | None,
        max_length: int | None,
    ) -> None:
        from schema2model.strict.toolset import strict_schemas  # noqa: PLC0415 - few are strict

        engines = {name: tool.compiled.engine for name, tool in self._tools.items()}
        schemas, self._strict = strict_schemas(
            engines, provider, asked, max_items=max_items, max_length=max_length
        )
        for name, schema in schemas.items():
            self._tools[name] = replace(self._tools[name], strict=schema)

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
        names = [*self._tools]
        more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
        return f"<Toolset {', '.join(names[:MAX_SHOWN]) or 'without tools'}{more}>"

    @overload
    def definitions(self, provider: ChatShape) -> list[ChatTool]: ...
    @overload
    def definitions(self, provider: Literal["openai-responses"]) -> list[ResponsesTool]: ...
    @overload
    def definitions(self, provider: Literal["anthropic"]) -> list[AnthropicTool]: ...
    @overload
    def definitions(self, provider: Literal["gemini"]) -> list[GeminiTool]: ...
    @overload
    def definitions(self, provider: Literal["mcp"]) -> list[dict[str, Any]]: ...
    @overload
    def definitions(self, provider: str) -> list[Any]: ...
    def definitions(self, provider: str) -> Any:
        """The definitions of all tools for a provider; see `Tool.definition`.

        >>> def now() -> str: ...
        >>> [each["name"] for each in Toolset([now]).definitions("mcp")]
        ['now']
        """
        return [tool.definition(provider) for tool in self]

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
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            if isinstance(arguments, (str, bytes, bytearray)):
                replace_text(arguments, call)
            error = unknown_tool(name, self._tools)
            LOGGER.debug("a call was refused: there is no such tool")
            raise error
        return tool.prepare(arguments, call, previous=previous)

    def call(self, name: str, arguments: Arguments, /, **injected: Any) -> Any:
        """Prepare a call of the tool of that name, and run it; see `Tool.call`.

        Raises:
            ToolError: see `prepare` and `Tool.call`.
            TypeError: see `Tool.call`.

        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> Toolset([add]).call("add", '{"a": "1", "b": 2}')
        3

        """
        return self.prepare(name, arguments).call(**injected)

    async def acall(self, name: str, arguments: Arguments, /, **injected: Any) -> Any:
        """Prepare a call of the tool of that name, run it, and await it; see `Tool.acall`.

        Raises:
            ToolError: see `prepare` and `Tool.call`.
            TypeError: see `Tool.call`.

        """
        return await self.prepare(name, arguments).acall(**injected)

    def read_calls(
        self,
        text: str,
        format: str | None = None,  # noqa: A002 - the field's word
        errors: Errors = "raise",
    ) -> list[Call]:
        """The calls in what a model wrote, in any of the formats that models write them in.

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
            message = f'errors is "raise" or "keep", not {errors!r}'
            raise ValueError(message)
        return _read_calls()(text, self._names, format, errors)

    def call_reader(self, format: str | None = None) -> CallReader:  # noqa: A002 - see `read_calls`
        """A reader of calls from text that streams; see `read_calls`.

        Raises:
            ValueError: for an unknown format.

        >>> tool = {"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}}}
        >>> reader = Toolset([tool]).call_reader()
        >>> for chunk in ("Adding: <tool_c", 'all>{"name": "add", "arg', 'uments": {"a": "1"}}'):
        ...     for call in reader.feed(chunk):
        ...         print(call.name, call.arguments)
        add {'a': 1}
        >>> reader.finish(), reader.text
        ([], 'Adding: ')

        """
        from schema2model.calls.reading import CallReader  # noqa: PLC0415 - few read whole calls

        return CallReader(self._names, format)

    def answer(
        self,
        message: Any,
        *,
        finish_reason: str | None = None,
        memory: MutableMapping[str, ToolError] | None = None,
        approve: Approve | None = None,
        **injected: Any,
    ) -> list[dict[str, Any]]:
        """Run all calls of an assistant message, and return the messages to append after it.

        Every call gets a result: also one of an unknown tool, one that cannot be read and one that
        fails with a `ToolError`. So the history can be sent again.

        Args:
            message: an assistant message or response of OpenAI (chat completions or Responses),
                Anthropic, Gemini or LangChain, as an object of its SDK or a mapping. Repaired
                arguments are written back into it.
            finish_reason: why the reply ended, if the message does not say it. After `"length"`,
                `"max_tokens"` and the like, a call whose text has to be repaired is refused.
            memory: the last error of each tool, by name; pass the same mapping for all turns of a
                conversation, and a repeated mistake is pointed out.
            approve: gets each prepared call before it runs; it raises `ToolError` to refuse it.
            injected: values for injected parameters.

        Raises:
            TypeError: if it is not an assistant message, and for the mistakes of `Tool.call`.
            Exception: of a tool, other than `ToolError`.

        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> call = {"id": "c1", "function": {"name": "add", "arguments": "{'a': 1, 'b': '2'}"}}
        >>> Toolset([add]).answer({"role": "assistant", "tool_calls": [call]})
        [{'role': 'tool', 'tool_call_id': 'c1', 'content': '3'}]

        """
        from schema2model.tools.answering import answered  # noqa: PLC0415 - few use it

        return answered(
            self,
            message,
            finish_reason=finish_reason,
            memory=memory,
            approve=approve,
            injected=injected,
        )

    async def aanswer(
        self,
        message: Any,
        *,
        finish_reason: str | None = None,
        memory: MutableMapping[str, ToolError] | None = None,
        approve: Approve | None = None,
        limit: int | None = None,
        **injected: Any,
    ) -> list[dict[str, Any]]:
        """Run all calls of an assistant message concurrently; see `answer`.

        Args:
            message: see `answer`.
            finish_reason: see `answer`.
            memory: see `answer`.
            approve: see `answer`; it may be asynchronous.
            limit: how many calls run at the same time; all of them if it is not given.
            injected: see `answer`.

        Raises:
            TypeError: see `answer`.
            Exception: see `answer`.

        """
        from schema2model.tools.answering import aanswered  # noqa: PLC0415 - few use it

        return await aanswered(
            self,
            message,
            finish_reason=finish_reason,
            memory=memory,
            approve=approve,
            limit=limit,
            injected=injected,
        )

    def prepare_call(
        self, call: Any, *, previous: ToolError | str | None = None, truncated: bool = False
    ) -> Prepared:
        """Prepare a call of the conversation, in which repaired text is replaced.

        Args:
            call: a tool call of OpenAI (chat or responses), Anthropic, Gemini, MCP, LangChain or
                LiveKit, as an object or a mapping; or the text of one, as `read_calls` reads it.
            previous: what answered the model's last call of the same tool; see `Tool.prepare`.
            truncated: whether the reply ended too soon, as the provider's `finish_reason` or
                `stop_reason` says. Then arguments whose text has to be repaired are refused.

        Raises:
            ToolError: where the arguments are refused, there is no tool of that name, or a text
                holds no call or several.
            TypeError: for the developer, if it is not a call.

        >>> def now() -> str: ...
        >>> call = {"type": "function_call", "name": "now", "arguments": ""}
        >>> Toolset([now]).prepare_call(call).arguments, call["arguments"]
        ({}, '{}')
        >>> Toolset([now]).prepare_call("<tool_call>now</tool_call>").arguments
        {}

        """
        if isinstance(call, str):
            from schema2model.calls.reading import only_call  # noqa: PLC0415 - as above

            read = only_call(self.read_calls(call))
            return self.prepare(read.name, read.arguments, previous=previous)
        name, arguments = named_call(call)
        given = {} if arguments is None else arguments
        prepared = self.prepare(name, given, call, previous=previous)
        if truncated and prepared.repaired:
            raise ToolError.for_text(prepared.tool.name, _TRUNCATED)
        return prepared


_TRUNCATED = "the reply ended before the arguments were complete; send the whole call again"


@functools.cache
def _read_calls() -> Callable[[str, ToolNames, str | None, Errors], list[Call]]:
    from schema2model.calls.reading import read_calls  # noqa: PLC0415 - few read whole calls

    return read_calls


def _tools(given: Any, inject: Inject, options: ToolOptions) -> Iterator[Tool]:
    if isinstance(given, Tool):
        yield given
    elif callable(given):
        yield function_tool(given, inject, options)
    else:
        for definition in declarations(given):
            yield Tool.from_schema(definition, **options)


def _is_method(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name)
    methods = (staticmethod, classmethod, functools.partialmethod)
    return inspect.isfunction(found) or isinstance(found, methods)
