"""`MessageAnswerer`: the methods of a toolset that answer whole assistant messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from schema2model.errors import ToolError

if TYPE_CHECKING:
    from schema2model.calls.call_types import Call
    from schema2model.tools.answering import Approve, Caught

__all__ = ["MessageAnswerer"]


class MessageAnswerer(ABC):
    """Answers assistant messages with tools: see `Toolset`, which is one."""

    __slots__ = ()

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """The tools."""

    @abstractmethod
    def prepare(self, name: str, arguments: Any, *, previous: ToolError | str | None = None) -> Any:
        """See `Toolset.prepare`."""

    @abstractmethod
    def prepare_call(
        self, call: Any, *, previous: ToolError | str | None = None, truncated: bool = False
    ) -> Any:
        """See `Toolset.prepare_call`."""

    @abstractmethod
    def read_calls(self, text: str, *, errors: Any = "raise") -> list[Call]:
        """See `Toolset.read_calls`."""

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
                Anthropic, Gemini or LangChain, as an object of its SDK or a mapping. Repaired
                arguments are written back into it. Or the text of a model that writes its calls
                as text; its results are `{"role": "tool", "name": …, "content": …}`.
            finish_reason: why the reply ended, if the message does not say it. After `"length"`,
                `"max_tokens"` and the like, a call that may be cut off is refused: one whose text
                has to be repaired, and the last one if the SDK has parsed its arguments.
            memory: the last error of each tool, by name; pass the same mapping for all turns of a
                conversation, and a repeated mistake is pointed out.
            approve: gets each prepared call before it runs. It returns False or raises `ToolError`
                to refuse it.
            catch: types of exceptions of tools that become the result of their call, as
                `TypeName: message`. Others end the turn; `ToolError` never does.
            injected: values for injected parameters.

        Raises:
            TypeError: if it is not an assistant message, if a tool is asynchronous, and for the
                mistakes of `Tool.call`.
            Exception: of a tool, other than `ToolError` and those to catch.

        >>> from schema2model import Toolset
        >>> def add(a: int, b: int) -> int:
        ...     return a + b
        >>> call = {"id": "c1", "function": {"name": "add", "arguments": "{'a': 1, 'b': '2'}"}}
        >>> Toolset([add]).answer({"role": "assistant", "tool_calls": [call]})
        [{'role': 'tool', 'tool_call_id': 'c1', 'content': '3'}]

        """
        from schema2model.tools.answering import AnswerOptions, answered  # noqa: PLC0415 - few use it

        options = AnswerOptions(finish_reason, memory, approve, catch, injected)
        return answered(self, message, options)

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
        from schema2model.tools.answering import AnswerOptions, aanswered  # noqa: PLC0415 - as above

        options = AnswerOptions(finish_reason, memory, approve, catch, injected)
        return await aanswered(self, message, options, limit)
