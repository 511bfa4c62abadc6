"""`Toolset`: tools by name, and calls in the shape of any provider."""

from __future__ import annotations

import functools
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from schema2model.calls.call_types import Call
from schema2model.calls.tool_names import ToolNames, unknown_tool
from schema2model.errors import ToolError
from schema2model.tools.argument_text import replace_text
from schema2model.tools.conversation import Arguments, named_call
from schema2model.tools.execution import LOGGER
from schema2model.tools.tool import Prepared
from schema2model.tools.tool_collection import ToolCollection

if TYPE_CHECKING:
    from schema2model.calls.reading import CallReader, Errors
    from schema2model.tools.answering import Approve

__all__ = ["Toolset"]


class Toolset(ToolCollection):
    """Tools by name, from tools, definitions and functions alike.

    Args:
        tools: each is a `Tool`, a definition as `Tool.from_definition` takes, or a function.
        inject: types or names of injected parameters, as for `Tool`.
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

    __slots__ = ()

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
