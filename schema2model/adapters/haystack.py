"""Haystack: exact arguments for all tools of an agent, also of MCP servers.

Agent(chat_generator=..., tools=[...], hooks={"before_tool": [CoercionHook()]})  # all tools
Agent(chat_generator=..., tools=[from_tool(tool), wrap_tool(theirs)])

A refused call gets a tool result with `error` set and the message. The hook also repairs the
history, because an agent runs the calls in it. The chat generator parses malformed text.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import Unpack

from schema2model import Coercion, Tool, ToolError
from schema2model.adapters.common import ours_behind, with_checker
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.assistant_message import Turn, reason_word, tool_messages
from schema2model.tools.tool_cache import CheckerOptions

with extra("haystack"):
    from haystack import default_from_dict, default_to_dict
    from haystack.components.agents import State
    from haystack.dataclasses import ChatMessage, ToolCall
    from haystack.tools import Tool as TheirTool, flatten_tools_or_toolsets
    from haystack.tools.errors import ToolInvocationError

__all__ = ["CoercionHook", "from_tool", "wrap_tool"]


def _seen(theirs: TheirTool) -> Seen:
    return Seen(theirs.name, _asked_of_the_model(theirs), ours_behind(theirs))


_HAYSTACK = Framework(TheirTool, _seen, context=State, application=lambda state: state.data)


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any) -> TheirTool:
    """Return a Haystack tool that runs a schema2model tool.

    One with an asynchronous function works with `run_async` alone, as Haystack's own.

    Args:
        tool: one with a function; what is injected is a value in the agent's `State`, or that.
        inject: values for injected parameters, by name.
        options: what else Haystack's `Tool` has: `outputs_to_state`, `outputs_to_string`, ...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_HAYSTACK, tool, inject, is_checked=True)

    # Haystack fills in what is annotated as its state. Any name may be a property's, but hardly
    # this one; and a tool that has it runs alone, so one that needs none should not have it.
    def call(haystack_state: State | None = None, **arguments: Any) -> Any:
        return ours.call(arguments, haystack_state)

    async def acall(haystack_state: State | None = None, **arguments: Any) -> Any:
        return await ours.acall(arguments, haystack_state)

    def call_without(**arguments: Any) -> Any:
        return ours.call(arguments)

    async def acall_without(**arguments: Any) -> Any:
        return await ours.acall(arguments)

    described: dict[str, Any] = {"name": tool.name, "description": tool.description}
    described["parameters"] = tool.shown_schema
    if ours.is_asynchronous:
        described["async_function"] = acall if tool.injected else acall_without
    else:
        described["function"] = call if tool.injected else call_without
    return with_checker(_FromTool(**described, **options), tool)


def wrap_tool(theirs: TheirTool, **options: Unpack[CheckerOptions]) -> TheirTool:
    """Return a copy of a Haystack tool that coerces its arguments first.

    It is `theirs` itself if its schema cannot be compiled.
    """
    return wrapped(_HAYSTACK, theirs, _Coercing, **options)


class _Coercing(TheirTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool

    def invoke(self, **arguments: Any) -> Any:
        return super().invoke(**self._coerced(arguments))

    async def invoke_async(self, **arguments: Any) -> Any:
        if self.async_function is None:  # then it is `invoke` that it calls, in a thread
            return await super().invoke_async(**arguments)
        return await super().invoke_async(**self._coerced(arguments))

    def _coerced(self, arguments: dict[str, Any]) -> dict[str, Any]:
        # What Haystack fills in stands among what the model has sent.
        filled = {"streaming_callback", *(self.inputs_from_state or {}).values()}
        filled -= {*self.parameters.get("properties", ())}
        filled |= {name for name, value in arguments.items() if isinstance(value, State)}
        sent = {name: value for name, value in arguments.items() if name not in filled}
        kept = {name: value for name, value in arguments.items() if name in filled}
        try:
            return {**self._checker.prepare(sent).arguments, **kept}
        except ToolError as error:
            raise ToolInvocationError(str(error), tool_name=self.name) from error


class _FromTool(_Coercing):
    """Says what was wrong in our words alone: Haystack would repeat all arguments."""

    def invoke(self, **arguments: Any) -> Any:
        with _in_our_words(self):
            return super().invoke(**arguments)

    async def invoke_async(self, **arguments: Any) -> Any:
        with _in_our_words(self):
            return await super().invoke_async(**arguments)


class CoercionHook:
    """Coerces the arguments of all tools of an agent, also of MCP servers.

    A call that is refused is answered at once, in a message before those of the calls that are not.
    In the dictionary of a pipeline, a hook leaves out its observer and its fallback reader.
    """

    allowed_hook_points = ("before_tool",)

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        self.coercion = options.get("coercion", "default")
        self._options = options
        self._checkers = Checkers(_HAYSTACK, **options)

    def run(self, state: State) -> None:
        """Replace the message with the calls by one with exact arguments."""
        # What `state.get` returns is a copy, and tools need not have one.
        *before, last = state.data.get("messages") or [None]
        if last is None or not last.tool_calls:
            return
        tools = {tool.name: tool for tool in flatten_tools_or_toolsets(state.data.get("tools"))}
        kept: list[ToolCall] = []
        refused: list[tuple[ToolCall, ToolError]] = []
        turn = Turn(last.tool_calls, tool_messages, reason_word(last.meta))
        for call in last.tool_calls:
            try:
                arguments = self._checkers.arguments(
                    tools.get(call.tool_name),
                    call.arguments,
                    cut_off=turn.cuts_off(call, call.arguments),
                )
                kept.append(dataclasses.replace(call, arguments=arguments))
            except ToolError as error:  # noqa: PERF203 - each call is refused by itself
                refused.append((call, error))
        messages = [*before, *_answer_refused(last, kept, refused)]
        state.set("messages", messages, handler_override=lambda _, new: new)

    def to_dict(self) -> dict[str, Any]:
        """Return the hook, for the dictionary of a pipeline."""
        given: dict[str, Any] = {**self._options}
        for name in ("observer", "fallback_reader"):
            given.pop(name, None)
        if isinstance(given.get("coercion"), Coercion):
            given["coercion"] = dataclasses.asdict(given["coercion"])
        return default_to_dict(self, **given)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> CoercionHook:
        """Return the hook, from the dictionary of a pipeline."""
        options = dict(data.get("init_parameters", {}))
        if isinstance(options.get("coercion"), dict):
            options["coercion"] = Coercion(**options["coercion"])
        return default_from_dict(cls, {**data, "init_parameters": options})


def _answer_refused(
    said: ChatMessage, kept: list[ToolCall], refused: list[tuple[ToolCall, ToolError]]
) -> list[ChatMessage]:
    """Return the message with the refused calls, their answers, and a message with the other calls.

    Haystack runs the calls of the last message alone.
    """
    groups = [calls for calls in ([call for call, _ in refused], kept) if calls]
    first, *rest = groups
    messages = [
        ChatMessage.from_assistant(
            said.text, said.meta, said.name, tool_calls=first, reasoning=said.reasoning
        )
    ]
    messages += [
        ChatMessage.from_tool(tool_result=str(error), origin=call, error=True)
        for call, error in refused
    ]
    messages += [ChatMessage.from_assistant(meta=said.meta, tool_calls=calls) for calls in rest]
    return messages


def _asked_of_the_model(theirs: TheirTool) -> dict[str, Any]:
    """Return the schema without the duty to send what Haystack fills in."""
    schema, filled = theirs.parameters, {*(theirs.inputs_from_state or {}).values()}
    required = schema.get("required", ())
    if filled.isdisjoint(required):
        return schema
    return {**schema, "required": [name for name in required if name not in filled]}


@contextlib.contextmanager
def _in_our_words(theirs: TheirTool) -> Iterator[None]:
    try:
        yield
    except ToolInvocationError as error:
        if not isinstance(error.__cause__, ToolError):
            raise
        raise ToolInvocationError(str(error.__cause__), tool_name=theirs.name) from error
