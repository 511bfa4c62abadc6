"""Answer an assistant message: prepare and run all of its calls, and write their results."""

from __future__ import annotations

import inspect
import json
from collections.abc import (
    Awaitable,
    Callable,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from schema2model.calls.call_types import Call
from schema2model.errors import ToolError, without_frames
from schema2model.json.quoting import abridged_repr, printable, quoted
from schema2model.tools.assistant_message import (
    ENDED,
    TRUNCATED,
    AssembledCall,
    AssembledReply,
    CallResult,
    Turn,
    turn_of,
)
from schema2model.tools.conversation import (
    call_arguments,
    call_id,
    is_text,
    named_call,
    restore_arguments,
)
from schema2model.tools.execution import arun, require_runnable, run, text_for_model
from schema2model.tools.parameters import declared_by
from schema2model.tools.result_writing import encodable, result_text

if TYPE_CHECKING:
    import asyncio

    from schema2model.tools.tool import Tool

__all__ = [
    "AnswerOptions",
    "Approve",
    "Caught",
    "aanswer_message",
    "answer_message",
    "prepare_sent",
    "prepare_written",
    "text_results",
]

Approve: TypeAlias = Callable[[Any], object]
"""Takes a prepared call before it runs. Anything but True refuses it, and so does a `ToolError`.

With `aanswer` it may be asynchronous. Arguments that it changes are checked again.
"""

Caught: TypeAlias = type[Exception] | tuple[type[Exception], ...]
"""Types of exceptions that become the result of their call."""


@dataclass(slots=True)  # freezing would double the time of making it
class AnswerOptions:
    """The options of `Toolset.answer`."""

    finish_reason: str | None = None
    memory: MutableMapping[str, ToolError] | None = None
    approve: Approve | None = None
    catch: Caught = ()
    injected: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the types of the options.

        Raises:
            TypeError: if one is of another type.

        """
        if not _is_caught(self.catch):
            catch = abridged_repr(self.catch)
            message = f"catch is a type of exceptions, or a tuple of them, not {catch}"
            raise TypeError(message)
        reason = self.finish_reason
        if reason is None and self.memory is None and self.approve is None:  # as most often
            return
        if reason is not None:  # it may be of an enumeration of an SDK
            reason = getattr(reason, "value", reason)
        for name, given, kind, words in (
            ("finish_reason", reason, str, "the text that the provider gave"),
            ("memory", self.memory, MutableMapping, "a dictionary, the same for all turns"),
            ("approve", self.approve, Callable, "a function of a prepared call"),
        ):
            if given is not None and not isinstance(given, kind):  # type: ignore[arg-type]
                message = f"{name} is {words}, or None, not {abridged_repr(given)}"
                raise TypeError(message)


def _is_caught(types: Any) -> bool:
    """Return whether `except` takes it: a type of exceptions, or a tuple of such."""
    if isinstance(types, tuple):
        return all(map(_is_caught, types))
    return isinstance(types, type) and issubclass(types, BaseException)


class _Step:
    """One call of a turn, from its preparation to its result."""

    __slots__ = ("_options", "_result", "call", "error", "name", "prepared", "sent")

    def __init__(self, call: Any, name: str, sent: Any, options: AnswerOptions) -> None:
        self.call = call
        self.name = name
        self.sent = sent
        self.prepared: Any = None
        self.error: ToolError | None = None
        self._options = options
        self._result: Any = None

    def require_runnable(self, *, awaited: bool) -> None:
        """Check that the call can be run, unless it has to be approved, and may not run at all.

        Raises:
            TypeError: if the tool has no function, an injected value is missing, or the function is
                asynchronous and its result is not awaited.

        """
        parameters = self.prepared._tool._parts.parameters
        if parameters is not None and not awaited:
            if parameters.asynchronous or parameters.yields_asynchronously:
                raise _asynchronous(self)
            if not (parameters.injected or self._options.injected):  # as most often
                return
        if self._options.approve is None:
            require_runnable(self.prepared, self._injected)

    @property
    def _injected(self) -> dict[str, Any]:
        """The injected values that the tool declares."""
        return declared_by(self.prepared, self._options.injected)

    def approve(self) -> Any:
        """Ask the hook; return what it returns, which may be awaitable."""
        approve: Any = self._options.approve
        return approve(self.prepared)

    def require(self, approval: object) -> None:
        """Refuse the call unless the hook has returned True; check what it has changed.

        Raises:
            ToolError: if it is not approved, or its arguments are not valid any more.

        """
        if approval is not True:
            message = f"The call of `{printable(self.name)}` was not approved; it was not made."
            raise ToolError(message)
        self.prepared._settle()

    def run(self) -> None:
        """Run the call, if it is approved, and keep its result or error."""
        try:
            if self._options.approve is not None:
                approval = self.approve()
                if inspect.isawaitable(approval):
                    if inspect.iscoroutine(approval):
                        approval.close()
                    message = "`approve` is asynchronous; use `await tools.aanswer(...)`"
                    raise TypeError(message)
                self.require(approval)
        except ToolError as error:
            self.error = error
            return
        try:
            self._result = run(self.prepared, self._injected, collects=True)
        except ToolError as error:
            self.error = error
        except self._options.catch as error:
            self.error = ToolError(result_text(error))

    async def arun(self, slots: asyncio.Semaphore) -> None:
        """Run the call like `run`, as soon as there is a slot."""
        async with slots:
            try:
                if self._options.approve is not None:
                    approval = self.approve()
                    self.require(await approval if isinstance(approval, Awaitable) else approval)
            except ToolError as error:
                self.error = error
                return
            try:
                self._result = await arun(self.prepared, self._injected, collects=True)
            except ToolError as error:
                self.error = error
            except self._options.catch as error:
                self.error = ToolError(result_text(error))

    def result(self) -> CallResult:
        """Return the result as text."""
        if self.error is None:
            return CallResult(
                self.call, self.name, text_for_model(self.prepared, self._result), is_error=False
            )
        text = encodable(str(self.error))
        if not self.error.retryable:
            text = f"{text}\nDo not call it again."
        return CallResult(self.call, self.name, text, is_error=True)


def _asynchronous(step: _Step) -> TypeError:
    problem = f"`{printable(step.name)}` is asynchronous; use `await tools.aanswer(...)`"
    return TypeError(problem)


def _steps(toolset: Any, message: Any, options: AnswerOptions) -> tuple[Turn, list[_Step]]:
    """Prepare all calls of a message, before any of them runs."""
    if isinstance(message, AssembledReply):
        return message.turn(), [_assembled_step(call, options) for call in message.calls]
    if isinstance(message, str):
        turn = Turn(toolset.read_calls(message, errors="keep"), text_results)
    else:
        turn = turn_of(message)
    steps: list[_Step] = []
    try:
        _prepare_calls(toolset, message, turn, options, steps)
    except BaseException:
        _restore(steps)
        raise
    return turn, steps


def _prepare_calls(
    toolset: Any, message: Any, turn: Turn, options: AnswerOptions, steps: list[_Step]
) -> None:
    """Append the step of each call of a message before its text may be replaced."""
    reason = options.finish_reason
    is_truncated = turn.truncated(reason)
    for call in turn.calls:
        given_name, arguments = _name_and_arguments(call)
        name = given_name if isinstance(given_name, str) else quoted(given_name)
        step = _Step(call, encodable(name), arguments, options)
        steps.append(step)
        try:
            previous = options.memory.get(name) if options.memory else None
            if isinstance(call, Call):
                is_cut = is_truncated and call is turn.calls[-1]
                step.prepared = prepare_written(toolset, call, message, previous, is_cut=is_cut)
                continue
            step.prepared = toolset._prepare_named(
                call,
                given_name,
                arguments,
                previous,
                cut_off=is_truncated and turn.cuts_off(call, arguments, reason),
            )
        except ToolError as error:
            step.error = error


def prepare_sent(
    tool: Tool,
    arguments: Any,
    call: Any = None,
    previous: ToolError | str | None = None,
    *,
    cut_off: bool,
) -> Any:
    """Return a prepared call, whose arguments may be incomplete if they are `cut_off`.

    Text that is JSON is complete. SDKs and frameworks complete what they parse.

    Raises:
        ToolError: if the arguments are refused, or may be incomplete.

    """
    if cut_off and not is_text(arguments):
        raise _cut_off_error(tool.name, previous)
    prepared = tool.prepare(arguments, call, previous=previous)
    if cut_off and prepared.repaired:
        raise _cut_off_error(tool.name, previous)
    return prepared


def _cut_off_error(name: str, previous: ToolError | str | None) -> ToolError:
    """Return the error for a call that a reply was cut off in; `previous` answered the last one."""
    if previous is None or ENDED not in str(previous):
        return ToolError.for_text(name, TRUNCATED)
    return ToolError.for_text(name, f"{ENDED}, as the last one did; make it shorter")


def prepare_written(
    toolset: Any, call: Call, text: str, previous: ToolError | None = None, *, is_cut: bool
) -> Any:
    """Return the prepared call that was read from a text; `is_cut` if the text ended too soon.

    Raises:
        ToolError: if it is refused, or may be incomplete at the end of such a text.

    """
    if call.error is not None:
        raise call.error if previous is None else call.error.after(previous)
    if is_cut and call.end >= len(text.rstrip()) and not _is_json(text[call.start : call.end]):
        raise _cut_off_error(call.name, previous)
    return toolset.prepare(call.name, call.arguments, call, previous=previous)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _assembled_step(call: AssembledCall, options: AnswerOptions) -> _Step:
    """Return the step of a call of a stream, which is prepared or refused already."""
    step = _Step(call.call, encodable(call.name), None, options)
    previous = (options.memory or {}).get(call.name)
    step.prepared, step.error = call.prepared, call.error
    if call.error is not None and previous is not None:
        step.error = call.error.after(previous)
    return step


def text_results(results: list[CallResult]) -> list[dict[str, Any]]:
    """Return the messages with the results of calls that were written as text."""
    return [{"role": "tool", "name": name, "content": text} for _, name, text, _ in results]


def _name_and_arguments(call: Any) -> tuple[Any, Any]:
    """Return the name of a call, which may be empty, and its arguments."""
    try:
        return named_call(call)
    except TypeError:
        arguments = call_arguments(call)
        if arguments is None and call_id(call) is None:
            raise
        return "", arguments


def _remember(steps: Sequence[_Step], memory: MutableMapping[str, ToolError] | None) -> None:
    """Keep the last error of each tool that was called; forget that of one that succeeded."""
    if memory is None:
        return
    for step in steps:
        memory.pop(step.name, None)
    failed = ((step.name, step.error) for step in steps if step.error is not None)
    memory.update((name, without_frames(error)) for name, error in failed)


def _restore(steps: Sequence[_Step]) -> None:
    """Put the arguments back as they were sent, after an exception has ended the turn.

    Otherwise the repaired text of a call that was cut off would run when the turn is repeated.
    """
    for step in steps:
        if not isinstance(step.call, Call):
            restore_arguments(step.call, step.sent)


def answer_message(toolset: Any, message: Any, options: AnswerOptions) -> list[dict[str, Any]]:
    """Run the calls of a message, one after the other; see `Toolset.answer`.

    Raises:
        TypeError: before any of them runs, if one is asynchronous, or cannot be called.

    """
    turn, steps = _steps(toolset, message, options)
    ready = [step for step in steps if step.prepared is not None]
    try:
        for step in ready:
            step.require_runnable(awaited=False)
        for step in ready:
            step.run()
    except BaseException:
        _restore(steps)
        raise
    _remember(steps, options.memory)
    return turn.answers([step.result() for step in steps], options.finish_reason)


async def aanswer_message(
    toolset: Any, message: Any, options: AnswerOptions, limit: int | None
) -> list[dict[str, Any]]:
    """Run the calls of a message concurrently; see `Toolset.aanswer`.

    Raises:
        ValueError: for a limit below 1.

    """
    import asyncio  # noqa: PLC0415 - it is large, and only this function needs it

    if limit is not None and limit < 1:
        problem = f"limit is the number of calls that run at the same time, not {limit}"
        raise ValueError(problem)
    turn, steps = _steps(toolset, message, options)
    slots = asyncio.Semaphore(limit or max(len(steps), 1))
    ready = [step for step in steps if step.prepared is not None]
    tasks: list[asyncio.Future[None]] = []
    try:
        for step in ready:
            step.require_runnable(awaited=True)
        tasks = [asyncio.ensure_future(step.arun(slots)) for step in ready]
        try:
            await asyncio.gather(*tasks)
        finally:  # after an exception, no call goes on unattended
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    except BaseException:
        _restore(steps)
        raise
    _remember(steps, options.memory)
    return turn.answers([step.result() for step in steps], options.finish_reason)
