"""The calls of an assistant message of any provider, and the messages that hold their results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pydantic_core import from_json

from schema2model.tools.conversation import call_id, is_text
from schema2model.tools.providers.definitions import lacks_attribute, member

if TYPE_CHECKING:
    from schema2model.errors import ToolError
    from schema2model.tools.tool import Prepared

__all__ = [
    "ENDED",
    "TRUNCATED",
    "AssembledCall",
    "AssembledReply",
    "CallResult",
    "Turn",
    "Write",
    "ended_too_soon",
    "listed_turn",
    "reason_word",
    "turn_of",
]

ENDED: Final = "the reply ended before the arguments were complete"
TRUNCATED: Final = f"{ENDED}; send the whole call again"
"""The reason for a refusal of a call at the end of a reply that was cut off."""

AGAIN: Final = "The function call was malformed, and was not made. Write the whole call again."
"""The message for a model whose call the provider has thrown away."""

_CUT_OFF: Final = frozenset(
    {
        "blocklist",
        "cancelled",
        "content_filter",
        "content_filtered",
        "failed",
        "guardrail_intervened",
        "incomplete",
        "length",
        "max_output_tokens",
        "max_tokens",
        "model_context_window_exceeded",
        "model_length",
        "prohibited_content",
        "recitation",
        "safety",
        "spii",
    }
)
"""The reasons that providers give for a reply that ended too soon, in small letters."""

_REASONS: Final = (
    "stop_reason",
    "stopReason",
    "finish_reason",
    "finishReason",
    "done_reason",
    "status",
)
"""The members in which providers give the reason, in the order of preference."""

_CALLS: Final = ("function_call", "custom_tool_call")
"""Types of items of OpenAI's Responses API that the application has to answer."""

_BLOCKS: Final = ("tool_call", "invalid_tool_call")
"""Types of LangChain's blocks that hold a call."""

_GEMINI_CALLS: Final = ("function_call", "functionCall")
"""The members of Gemini's parts that hold a call, in Python and in JSON."""

_KNOWN: Final = (
    "known are those of OpenAI (chat completions and Responses), Anthropic, Gemini, Bedrock, "
    "Cohere, Ollama and LangChain"
)

_CALL_NAMES: Final = frozenset(("functioncall", "toolcall", "tooluse", "invalidtoolcall"))
"""Names of members and types that hold calls, without `_`, capitals and the plural's `s`."""

_NOT_SEARCHED: Final = frozenset(
    ("arguments", "args", "input", "parameters", "text", "tool_choice", "tools", "usage")
)
"""Members that never hold the calls of a message."""

_MAX_SEARCHED: Final = 8
"""Maximum levels of a message that are searched for calls in an unknown shape."""


class CallResult(NamedTuple):
    """The result of a call, to be written in the way of its provider."""

    call: Any
    name: str
    text: str
    is_error: bool


Write: TypeAlias = Callable[[list[CallResult]], list[dict[str, Any]]]


class Turn(NamedTuple):
    """The calls of an assistant message, how their results are written, and why it ended."""

    calls: list[Any]
    write: Write
    end_reason: Any = None
    rival: Any = None
    """The call that may be the last one instead, where the order of all calls is not known."""

    def cuts_off(self, call: Any, arguments: Any, end_reason: Any = None) -> bool:
        """Return whether arguments may be incomplete: a text, or what an SDK has parsed last.

        >>> calls = [{"type": "tool_use", "input": {"a": 1}}, {"type": "tool_use", "input": {}}]
        >>> turn = turn_of({"content": calls, "role": "assistant", "stop_reason": "max_tokens"})
        >>> [turn.cuts_off(call, call["input"]) for call in calls]
        [False, True]
        """
        is_last = any(call is each for each in (*self.calls[-1:], self.rival))
        return (is_last or is_text(arguments)) and self.truncated(end_reason)

    def truncated(self, end_reason: Any = None) -> bool:
        """Return whether the reply ended too soon, by the given reason or else by its own.

        >>> turn_of({"content": [], "role": "assistant", "stop_reason": "max_tokens"}).truncated()
        True
        """
        return ended_too_soon(self.end_reason if end_reason is None else end_reason)

    def answers(self, results: list[CallResult], end_reason: Any = None) -> list[dict[str, Any]]:
        """Return the messages that answer the calls, or ask again for one that Gemini left out.

        >>> turn = turn_of({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]})
        >>> [message["role"] for message in turn.answers([])]
        ['user']
        """
        reason = self.end_reason if end_reason is None else end_reason
        if results or _lower(reason) != "malformed_function_call":
            return self.write(results)
        is_gemini = getattr(self.write, "func", self.write) is gemini_responses
        return [
            {"role": "user", **({"parts": [{"text": AGAIN}]} if is_gemini else {"content": AGAIN})}
        ]


def ended_too_soon(reason: Any) -> bool:
    """Return whether a reason is one for which a reply ends too soon; a refusal is a whole reply.

    >>> ended_too_soon("MAX_TOKENS"), ended_too_soon("stop"), ended_too_soon("refusal")
    (True, False, False)
    """
    return _lower(reason) in _CUT_OFF


def _lower(reason: Any) -> str:
    return str(getattr(reason, "value", reason)).lower()


@dataclass(frozen=True, slots=True)
class AssembledCall:
    """A call of a reply that has streamed: prepared, or with the error to answer it with."""

    name: str
    """The name of the tool, as the model wrote it."""
    id: str | None
    """The id of the call in the message; None for one that was written as text."""
    prepared: Prepared[Any] | None
    """The call, ready to run; None if it is refused."""
    error: ToolError | None
    """Why it is refused."""
    call: Any = field(repr=False, compare=False)
    """The call in the message, in the shape of the provider."""

    @property
    def arguments(self) -> Any:
        """The arguments as JSON values that satisfy the tool's schema; None if it is refused."""
        return None if self.prepared is None else self.prepared.arguments


@dataclass(frozen=True, slots=True)
class AssembledReply:
    """A reply that has streamed, for the history and for `Toolset.answer`."""

    messages: list[Any]
    """The messages to append to the history: one, or the items of Responses; none if empty."""
    calls: list[AssembledCall]
    """All calls, in the order of their beginnings."""
    finish_reason: str | None
    """Why the reply ended, in the provider's words; None if the stream did not say it."""
    truncated: bool
    """True if it ended too soon, also where the stream just stopped."""
    text: str
    """The text for the user."""
    write: Write = field(repr=False, compare=False)

    @property
    def cut_off(self) -> list[AssembledCall]:
        """The calls that are refused because the reply ended before they were complete."""
        return [
            call
            for call in self.calls
            if self.truncated and call.error is not None and ENDED in str(call.error)
        ]

    def turn(self) -> Turn:
        """Return the calls and the way to write their results."""
        return Turn([call.call for call in self.calls], self.write, self.finish_reason)


def turn_of(message: Any) -> Turn:
    """Find the calls in a message of any provider.

    Args:
        message: an assistant message of OpenAI's chat completions, Anthropic, Gemini, Bedrock or
            LangChain, a response or choice of one of these or of OpenAI's Responses API, or a list
            of its items, blocks or calls; an object of an SDK or a mapping.

    Raises:
        TypeError: if it is none of these, or holds calls in a shape that is not known.

    >>> message = {"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}
    >>> [call["id"] for call in turn_of(message).calls]
    ['c1']

    """
    turn = _find_turn(message)
    if not turn.calls and (name := _unknown_calls(message)) is not None:
        kind = type(message).__name__
        problem = f"this {kind} holds calls in a shape that is not known (`{name}`); {_KNOWN}"
        raise TypeError(problem)
    return turn


def _find_turn(message: Any) -> Turn:
    if _has_member(message, "choices"):
        return _first_turn(member(message, "choices"), "message", tool_messages)
    if _has_member(message, "candidates"):
        return _first_turn(member(message, "candidates"), "content", gemini_responses)
    output = member(message, "output")
    # one of the choices, a response of Cohere or Ollama, LangChain's generation; Bedrock's response
    for owner in (message,) if output is None else (message, output):
        if (inner := member(owner, "message")) is not None and not isinstance(inner, str):
            found, reason = _find_turn(inner), reason_word(message)
            return found if reason is None else found._replace(end_reason=reason)
    items = message if isinstance(message, (list, tuple)) else output
    if isinstance(items, (list, tuple)):
        return _turn_of_items(message, items)
    if _has_member(message, "parts"):
        return _turn_of_parts(member(message, "parts") or ())
    turn = _message_turn(message)
    if turn is None:
        problem = f"this {type(message).__name__} is not an assistant message; {_KNOWN}"
        raise TypeError(problem)
    return turn


def _turn_of_items(message: Any, items: list[Any] | tuple[Any, ...]) -> Turn:
    """Return the turn of a list: items of Responses, blocks, parts, or the calls themselves."""
    types = [member(item, "type") for item in items]
    if all(isinstance(type_, str) for type_ in types) and "function" not in types:
        if found := _turn_of_blocks(items):
            return found
        return Turn(_of_type(items, *_CALLS), responses_outputs, _responses_status(message, items))
    if all(member(item, "role") is None for item in items):
        if all(_is_call(item) for item in items):
            return Turn([*items], tool_messages)
        if (parts := _turn_of_parts(items)).calls or (parts := _turn_of_uses(items)).calls:
            return parts
    problem = (
        "this list holds neither the items of one response nor tool calls; give one assistant "
        f"message or response; {_KNOWN}"
    )
    raise TypeError(problem)


def _is_call(item: Any) -> bool:
    part = member(item, "function")
    owner = item if part is None else part
    return member(owner, "name") is not None


def _turn_of_blocks(blocks: Iterable[Any]) -> Turn | None:
    """Return the turn of blocks of Anthropic, Bedrock or LangChain; None if they hold no calls."""
    if uses := _of_type(blocks, "tool_use"):
        return Turn(uses, anthropic_results)
    if calls := _of_type(blocks, *_BLOCKS):
        return Turn(calls, tool_messages)
    turn = _turn_of_uses(blocks)
    return turn if turn.calls else None


def _turn_of_uses(blocks: Iterable[Any]) -> Turn:
    """Return the turn of Bedrock's blocks, which have no type."""
    uses = [member(block, "toolUse") for block in blocks]
    return Turn([use for use in uses if use], _bedrock_results)


def _turn_of_parts(parts: Iterable[Any]) -> Turn:
    """Return the turn of Gemini's parts; the results are spelled as the calls are."""
    found = [(key, call) for part in parts for key in _GEMINI_CALLS if (call := member(part, key))]
    is_json = any(key == "functionCall" for key, _ in found)
    write = functools.partial(gemini_responses, key="functionResponse")
    return Turn([call for _, call in found], write if is_json else gemini_responses)


def _has_member(owner: Any, key: str) -> bool:
    kind: Any = type(owner)
    if kind is dict:  # as in `member`
        return key in owner
    if lacks_attribute(kind, key):
        return key in (getattr(owner, "__pydantic_extra__", None) or ())
    return key in owner if isinstance(owner, Mapping) else hasattr(owner, key)


def _of_type(items: Iterable[Any], *types: str) -> list[Any]:
    return [item for item in items if member(item, "type") in types]


def _first_turn(replies: Any, key: str, write: Write) -> Turn:
    """Return the turn of the first reply; a blocked request has none, or an empty one."""
    reply = next(iter(replies or ()), None)
    message = None if reply is None else member(reply, key)
    turn = Turn([], write) if message is None else _find_turn(message)
    return turn._replace(end_reason=None if reply is None else reason_word(reply))


def reason_word(*owners: Any) -> Any:
    """Return the first reason that one of the owners gives."""
    for owner in owners:
        for key in _REASONS:
            reason = member(owner, key)
            if reason is not None:
                return reason
    return None


def _responses_status(response: Any, items: Iterable[Any]) -> Any:
    if isinstance(response, (list, tuple)):
        statuses = [member(item, "status") for item in items]
        return "incomplete" if "incomplete" in statuses else None
    return member(response, "status")


def _message_turn(message: Any) -> Turn | None:
    """Return the turn of a message of chat completions, Anthropic or LangChain; else None."""
    calls, content = member(message, "tool_calls"), member(message, "content")
    blocks = content if isinstance(content, (list, tuple)) else ()
    is_message = member(message, "role") is not None or member(message, "type") == "ai"
    legacy = member(message, "function_call")
    if calls is None and not blocks and not is_message and legacy is None:
        return None
    listed = listed_turn(message)
    if not listed.calls and (found := _turn_of_blocks(blocks)):
        return found._replace(end_reason=listed.end_reason)
    # LangChain's messages have both, where some calls are blocks only
    if not calls and (uses := _of_type(blocks, "tool_use")):
        return Turn(uses, anthropic_results, listed.end_reason)
    if not listed.calls and legacy:
        return Turn([legacy], function_messages, listed.end_reason)
    return listed


def listed_turn(message: Any) -> Turn:
    """Return the turn of the calls that a message of chat completions or LangChain lists.

    LangChain lists the calls whose text is not JSON apart. Their order among the others is that of
    the blocks of the content, if the provider has some.

    >>> message = {"tool_calls": [{"id": "b", "args": {}}], "content": [{"id": "a"}, {"id": "b"}]}
    >>> message["invalid_tool_calls"] = [{"id": "a", "args": "{'x': 1}"}]
    >>> [call["id"] for call in listed_turn(message).calls]
    ['a', 'b']
    """
    metadata = member(message, "response_metadata")
    reason = reason_word(message, *((metadata,) if isinstance(metadata, Mapping) else ()))
    calls = [*(member(message, "tool_calls") or ())]
    invalid = [*(member(message, "invalid_tool_calls") or ())]
    if not (calls and invalid):
        return Turn([*calls, *invalid], tool_messages, reason)
    every, blocks = [*calls, *invalid], member(message, "content")
    of_blocks = map(call_id, blocks) if isinstance(blocks, (list, tuple)) else ()
    places: dict[Any, int] = {id_: n for n, id_ in enumerate(of_blocks) if id_ is not None}
    if all(call_id(call) in places for call in every):
        every.sort(key=lambda call: places[call_id(call)])
        return Turn(every, tool_messages, reason)
    return Turn(every, tool_messages, reason, None if _is_cut_off(invalid[-1]) else calls[-1])


def _is_cut_off(call: Any) -> bool:
    """Return whether the text of a call is the beginning of JSON, and no more."""
    try:
        from_json(member(call, "args"), allow_partial=True)
    except (TypeError, ValueError):
        return False
    return True


def _unknown_calls(message: Any, depth: int = _MAX_SEARCHED) -> str | None:
    """Return the name of a member, or of a type, that says that a message holds calls."""
    if isinstance(message, (list, tuple)):
        found = (_unknown_calls(item, depth - 1) for item in message)
        return next((name for name in found if name), None)
    for key, value in message_members(message).items() if depth else ():
        named = value if key == "type" and isinstance(value, str) else key
        if value and named.replace("_", "").lower().removesuffix("s") in _CALL_NAMES:
            return named
        if key not in _NOT_SEARCHED and (name := _unknown_calls(value, depth - 1)):
            return name
    return None


def message_members(owner: Any) -> dict[str, Any]:
    """Return the members of a mapping, or the attributes of an SDK's object."""
    if not isinstance(owner, Mapping):
        owner = {**getattr(owner, "__dict__", {}), **(getattr(owner, "model_extra", None) or {})}
    return {key: value for key, value in owner.items() if isinstance(key, str)}


def tool_messages(results: list[CallResult]) -> list[dict[str, Any]]:
    written = []
    for call, name, text, is_error in results:
        id_ = call_id(call)
        key, known = ("name", name) if id_ is None else ("tool_call_id", id_)
        message: dict[str, Any] = {"role": "tool", key: known, "content": text}
        if member(call, "args") is not None:  # LangChain's
            message["status"] = "error" if is_error else "success"
        written.append(message)
    return written


def responses_outputs(results: list[CallResult]) -> list[dict[str, Any]]:
    return [
        {"type": f"{member(call, 'type')}_output", "call_id": call_id(call), "output": text}
        for call, _, text, _ in results
    ]


def anthropic_results(results: list[CallResult]) -> list[dict[str, Any]]:
    blocks = [
        {"type": "tool_result", "tool_use_id": call_id(call), "content": text}
        | ({"is_error": True} if is_error else {})
        for call, _, text, is_error in results
    ]
    return [{"role": "user", "content": blocks}] if blocks else []


def _bedrock_results(results: list[CallResult]) -> list[dict[str, Any]]:
    blocks = [
        {
            "toolResult": {
                "toolUseId": call_id(call),
                "content": [{"text": text}],
                "status": "error" if is_error else "success",
            }
        }
        for call, _, text, is_error in results
    ]
    return [{"role": "user", "content": blocks}] if blocks else []


def function_messages(results: list[CallResult]) -> list[dict[str, Any]]:
    return [{"role": "function", "name": name, "content": text} for _, name, text, _ in results]


def gemini_responses(
    results: list[CallResult], key: str = "function_response"
) -> list[dict[str, Any]]:
    parts = []
    for call, name, text, is_error in results:
        response: dict[str, Any] = {"name": name, "response": {_GEMINI[is_error]: text}}
        if id_ := call_id(call):
            response["id"] = id_
        parts.append({key: response})
    return [{"role": "user", "parts": parts}] if parts else []


_GEMINI = {False: "output", True: "error"}
"""The keys of a function's response that Gemini documents."""
