"""The answer to an assistant message: all of its calls, prepared, run and written as results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from pydantic_core import to_json

from schema2model.errors import ToolError
from schema2model.tools.conversation import call_id, named_call
from schema2model.tools.providers.definitions import member

__all__ = ["Approve", "CallPreparer", "Turn", "aanswered", "answered", "result_text", "turn_of"]

Approve: TypeAlias = Callable[[Any], Any]
"""Takes a prepared call before it runs; it raises `ToolError` to refuse it. It may be awaitable."""

_CUT_OFF = frozenset(("length", "max_tokens", "max_output_tokens", "incomplete", "model_length"))
"""The reasons that providers give for a reply that ended too soon, in small letters."""


class CallPreparer(Protocol):
    """The part of a toolset that is needed here."""

    def prepare_call(
        self, call: Any, *, previous: ToolError | str | None = None, truncated: bool = False
    ) -> Any:
        """See `Toolset.prepare_call`."""


class Turn(NamedTuple):
    """The calls of an assistant message, and how their results are written."""

    calls: list[Any]
    write: Callable[[list[tuple[Any, str, str, bool]]], list[dict[str, Any]]]
    """Takes the call, its name, the text of its result and whether that is an error, of each."""
    finish_reason: Any = None


def turn_of(message: Any) -> Turn:
    """Find the calls in a message of any provider.

    Args:
        message: an assistant message of OpenAI's chat completions, Anthropic, Gemini or LangChain,
            a response of one of these or of OpenAI's Responses API, or a list of its items; an
            object of an SDK or a mapping.

    Raises:
        TypeError: if it is none of these.

    >>> message = {"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}
    >>> [call["id"] for call in turn_of(message).calls]
    ['c1']

    """
    if choices := member(message, "choices"):
        (choice, *_) = choices
        inner = turn_of(member(choice, "message"))
        return inner._replace(finish_reason=member(choice, "finish_reason"))
    if candidates := member(message, "candidates"):
        (candidate, *_) = candidates
        inner = turn_of(member(candidate, "content"))
        return inner._replace(finish_reason=member(candidate, "finish_reason"))
    items = message if isinstance(message, (list, tuple)) else member(message, "output")
    if isinstance(items, (list, tuple)):
        if uses := _of_type(items, "tool_use"):
            return Turn(uses, _anthropic_results)
        return Turn(_of_type(items, "function_call"), _responses_outputs, member(message, "status"))
    parts = member(message, "parts")
    if isinstance(parts, (list, tuple)):
        found = (member(part, "function_call") or member(part, "functionCall") for part in parts)
        return Turn([call for call in found if call], _gemini_responses)
    calls, content = member(message, "tool_calls"), member(message, "content")
    blocks = content if isinstance(content, (list, tuple)) else ()
    is_message = member(message, "role") is not None or member(message, "type") == "ai"
    if calls is not None or blocks or is_message:
        uses = _of_type(blocks, "tool_use")
        reason = member(message, "stop_reason")
        if calls or not uses:
            invalid = member(message, "invalid_tool_calls")
            return Turn([*(calls or ()), *(invalid or ())], _tool_messages, reason)
        return Turn(uses, _anthropic_results, reason)
    kind = type(message).__name__
    problem = (
        f"this {kind} is not an assistant message; known are those of OpenAI, Anthropic, Gemini "
        "and LangChain"
    )
    raise TypeError(problem)


def _of_type(items: Iterable[Any], kind: str) -> list[Any]:
    return [item for item in items if member(item, "type") == kind]


def _tool_messages(results: list[tuple[Any, str, str, bool]]) -> list[dict[str, Any]]:
    written = []
    for call, _, text, is_error in results:
        message = {"role": "tool", "tool_call_id": call_id(call), "content": text}
        if member(call, "args") is not None:  # LangChain's
            message["status"] = "error" if is_error else "success"
        written.append(message)
    return written


def _responses_outputs(results: list[tuple[Any, str, str, bool]]) -> list[dict[str, Any]]:
    return [
        {"type": "function_call_output", "call_id": call_id(call), "output": text}
        for call, _, text, _ in results
    ]


def _anthropic_results(results: list[tuple[Any, str, str, bool]]) -> list[dict[str, Any]]:
    blocks = [
        {"type": "tool_result", "tool_use_id": call_id(call), "content": text}
        | ({"is_error": True} if is_error else {})
        for call, _, text, is_error in results
    ]
    return [{"role": "user", "content": blocks}] if blocks else []


def _gemini_responses(results: list[tuple[Any, str, str, bool]]) -> list[dict[str, Any]]:
    parts = []
    for call, name, text, is_error in results:
        response: dict[str, Any] = {"name": name, "response": {_GEMINI[is_error]: text}}
        if id_ := call_id(call):
            response["id"] = id_
        parts.append({"function_response": response})
    return [{"role": "user", "parts": parts}] if parts else []


_GEMINI = {False: "output", True: "error"}
"""The keys of a function's response that Gemini documents."""


def result_text(result: Any) -> str:
    """Write the result of a tool for a model: text as it is, other values as JSON.

    Models, dataclasses, dates, sets and bytes have a JSON form; any other object is its `str`.

    >>> result_text("sunny"), result_text({"days": {3}}), result_text(None)
    ('sunny', '{"days":[3]}', 'null')
    """
    if isinstance(result, str):
        return result
    try:
        return to_json(result, fallback=_shown, bytes_mode="utf8").decode()
    except ValueError:  # bytes that are no text, or a circle
        try:
            return to_json(result, fallback=_shown, bytes_mode="base64").decode()
        except ValueError:
            return _shown(result)


def _shown(value: Any) -> str:
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    return str(value)


class _Step:
    """One call of a turn, from its preparation to its result."""

    def __init__(
        self, tools: CallPreparer, call: Any, memory: MutableMapping[str, ToolError]
    ) -> None:
        self.call = call
        self.prepared: Any = None
        self.name = ""
        self._tools = tools
        self._memory = memory
        self._error: ToolError | None = None
        self._result: Any = None

    def prepare(self, *, truncated: bool) -> None:
        """Prepare the call, or keep the reason why it is refused."""
        self.name = str(named_call(self.call)[0])
        previous = self._memory.get(self.name)
        try:
            self.prepared = self._tools.prepare_call(
                self.call, previous=previous, truncated=truncated
            )
        except ToolError as error:
            self.fail(error)

    def fail(self, error: ToolError) -> None:
        """Keep an error as the result, for the model and for its next call of the tool."""
        self.prepared, self._error = None, error
        self._memory[self.name] = error

    def finish(self, result: Any) -> None:
        """Keep the result."""
        self._memory.pop(self.name, None)
        self._result = result

    def written(self) -> tuple[Any, str, str, bool]:
        """Return the call, its name, the text of its result, and whether that is an error."""
        if self._error is None:
            return self.call, self.name, result_text(self._result), False
        text = str(self._error)
        if not self._error.retryable:
            text = f"{text}\nDo not call it again."
        return self.call, self.name, text, True


def _steps(
    tools: CallPreparer,
    turn: Turn,
    finish_reason: Any,
    memory: MutableMapping[str, ToolError] | None,
) -> Iterator[_Step]:
    reason = finish_reason if finish_reason is not None else turn.finish_reason
    truncated = str(getattr(reason, "value", reason)).lower() in _CUT_OFF
    known = {} if memory is None else memory
    for call in turn.calls:
        step = _Step(tools, call, known)
        step.prepare(truncated=truncated)
        yield step


def answered(  # noqa: PLR0913 - one option, one argument
    tools: CallPreparer,
    message: Any,
    *,
    finish_reason: str | None,
    memory: MutableMapping[str, ToolError] | None,
    approve: Approve | None,
    injected: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Run the calls of a message, one after the other; see `Toolset.answer`."""
    turn = turn_of(message)
    steps = [*_steps(tools, turn, finish_reason, memory)]
    for step in steps:
        if step.prepared is not None:
            try:
                if approve is not None:
                    approve(step.prepared)
                step.finish(step.prepared.call(**injected))
            except ToolError as error:
                step.fail(error)
    return turn.write([step.written() for step in steps])


async def aanswered(  # noqa: PLR0913 - one option, one argument
    tools: CallPreparer,
    message: Any,
    *,
    finish_reason: str | None,
    memory: MutableMapping[str, ToolError] | None,
    approve: Approve | None,
    limit: int | None,
    injected: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Run the calls of a message concurrently; see `Toolset.aanswer`."""
    turn = turn_of(message)
    steps = [*_steps(tools, turn, finish_reason, memory)]
    slots = asyncio.Semaphore(limit or max(len(steps), 1))

    async def run(step: _Step) -> None:
        async with slots:
            try:
                approved = None if approve is None else approve(step.prepared)
                if isinstance(approved, Awaitable):
                    await approved
                step.finish(await step.prepared.acall(**injected))
            except ToolError as error:
                step.fail(error)

    await asyncio.gather(*(run(step) for step in steps if step.prepared is not None))
    return turn.write([step.written() for step in steps])
