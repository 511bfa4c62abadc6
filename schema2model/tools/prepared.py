"""The prepared call of a tool: valid arguments, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, cast

from typing_extensions import TypeVar

from schema2model.calls.call_types import DecodedArguments
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.values import NotJSONError
from schema2model.tools.argument_text import inverted_arguments
from schema2model.tools.conversation import call_id
from schema2model.tools.execution import arun, run, text_for_model
from schema2model.tools.tool_parts import parts_of

if TYPE_CHECKING:
    from schema2model.coerce.search.readings import Change

__all__ = ["PreparedCall", "R", "changes_between"]

R = TypeVar("R", default=Any)
"""The result of a tool's function; of an asynchronous one, the awaited result."""


class PreparedCall(Generic[R]):
    """The arguments of a call of any tool: see `Prepared`, which knows the tool."""

    __slots__ = ("_arguments", "_bound", "_call", "_changes", "_given", "_repaired", "_tool")

    _changes: tuple[Change, ...]  # set when they are first asked for

    def __init__(  # noqa: PLR0913, PLR0917 - keywords cost
        self,
        tool: Any,
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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tool by the reference of its function; a function for `call` is left out."""
        call = None if callable(self._call) else self._call
        values = (self._arguments, self._bound, self._given, self._repaired, call)
        return type(self), (self._tool, *values)

    def __repr__(self) -> str:
        return f"<Prepared {self._tool.name!r}{', repaired' if self._repaired else ''}>"

    @property
    def tool(self) -> Any:
        """The tool that is called."""
        return self._tool

    @property
    def arguments(self) -> Any:
        """The arguments as JSON values that satisfy the tool's schema."""
        return self._arguments

    @property
    def args(self) -> tuple[Any, ...]:
        """The function's positional arguments: those that it takes in no other way."""
        args: tuple[Any, ...] = parts_of(self._tool).arrange(self._bound)[0]
        return args

    @property
    def kwargs(self) -> dict[str, Any]:
        """The function's keyword arguments, of its own types, without those to be injected."""
        kwargs: dict[str, Any] = parts_of(self._tool).arrange(self._bound)[1]
        return kwargs

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
        """Whether the text given was not the JSON of an object: malformed, or encoded twice."""
        return self._repaired

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that made the arguments valid; computed on first access."""
        try:
            return self._changes
        except AttributeError:
            given, strict = self._given, self._tool.strict
            if strict is not None and type(given) is not DecodedArguments:
                given = inverted_arguments(given, strict)
            self._changes = changes_between(self._tool.compiled, given, self._arguments)
            return self._changes

    @property
    def call_id(self) -> str | None:
        """The id of the call in the conversation, if it was passed to `prepare` and has one."""
        return call_id(self._call)

    def call(self, /, **injected: Any) -> R:
        """Run the tool, and return its result; see `Tool.call`."""
        return cast("R", run(self, injected))

    async def acall(self, /, **injected: Any) -> R:
        """Run the tool, and return its result; see `Tool.acall`."""
        return cast("R", await arun(self, injected))

    def call_json(self, /, **injected: Any) -> str:
        """Run the tool, and return its result as text for a model.

        Text stays as it is. Other results become JSON: also models, dataclasses, dates, sets and
        bytes. An exception that is returned is its type and message.

        Raises:
            ToolError: see `Tool.call`.
            TypeError: see `Tool.call`.

        >>> from schema2model import Tool
        >>> def days(count: int) -> set[int]:
        ...     return {*range(count)}
        >>> Tool.from_function(days).prepare({"count": "2"}).call_json()
        '[0,1]'

        """
        return text_for_model(self, run(self, injected))

    async def acall_json(self, /, **injected: Any) -> str:
        """Run the tool, await its result, and return it as text for a model; see `call_json`.

        Raises:
            ToolError: see `Tool.call`.
            TypeError: see `Tool.call`.

        """
        return text_for_model(self, await arun(self, injected))


def changes_between(compiled: CompiledSchema, given: Any, result: Any) -> tuple[Change, ...]:
    """The changes from the given text or value to the valid result.

    >>> from schema2model import compile_schema
    >>> compiled = compile_schema({"type": "integer"})
    >>> [change.rule for change in changes_between(compiled, '"10"', 10)]
    ['json_text']
    """
    is_text = isinstance(given, (str, bytes, bytearray))
    return compiled._engine.changes(given, result, is_text=is_text)
