"""The calls of an assistant message of any provider, and the messages that hold their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from schema2model.tools.conversation import call_id
from schema2model.tools.providers.definitions import member

__all__ = ["CallResult", "Turn", "turn_of"]

_CUT_OFF: Final = frozenset(
    {
        "content_filter",
        "incomplete",
        "length",
        "max_output_tokens",
        "max_tokens",
        "model_context_window_exceeded",
        "model_length",
    }
)
"""The reasons that providers give for a reply that ended too soon, in small letters."""

_REASONS: Final = ("stop_reason", "finish_reason", "done_reason", "status")
"""The members in which providers give the reason, in the order of preference."""

_CALLS: Final = ("function_call", "custom_tool_call")
"""Types of items of OpenAI's Responses API that the application has to answer."""


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

    def truncated(self, end_reason: Any = None) -> bool:
        """Return whether the reply ended too soon, by the given reason or else by its own.

        >>> turn_of({"content": [], "role": "assistant", "stop_reason": "max_tokens"}).truncated()
        True
        """
        reason = self.end_reason if end_reason is None else end_reason
        return str(getattr(reason, "value", reason)).lower() in _CUT_OFF


def turn_of(message: Any) -> Turn:
    """Find the calls in a message of any provider.

    Args:
        message: an assistant message of OpenAI's chat completions, Anthropic, Gemini or LangChain,
            a response or choice of one of these or of OpenAI's Responses API, or a list of its
            items; an object of an SDK or a mapping.

    Raises:
        TypeError: if it is none of these.

    >>> message = {"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}
    >>> [call["id"] for call in turn_of(message).calls]
    ['c1']

    """
    if _has_member(message, "choices"):
        return _first_turn(member(message, "choices"), "message", _tool_messages)
    if _has_member(message, "candidates"):
        return _first_turn(member(message, "candidates"), "content", _gemini_responses)
    # one of the choices
    if _has_member(message, "message") and _has_member(message, "finish_reason"):
        return _first_turn([message], "message", _tool_messages)
    items = message if isinstance(message, (list, tuple)) else member(message, "output")
    if isinstance(items, (list, tuple)):
        if not all(isinstance(member(item, "type"), str) for item in items):
            problem = "this list has items without a type; give one assistant message or response"
            raise TypeError(problem)
        if uses := _of_type(items, "tool_use"):
            return Turn(uses, _anthropic_results)
        return Turn(_of_type(items, *_CALLS), _responses_outputs, _responses_status(message, items))
    if _has_member(message, "parts"):
        calls = (
            member(part, "function_call") or member(part, "functionCall")
            for part in member(message, "parts") or ()
        )
        return Turn([call for call in calls if call], _gemini_responses)
    turn = _message_turn(message)
    if turn is None:
        kind = type(message).__name__
        problem = (
            f"this {kind} is not an assistant message; known are those of OpenAI, Anthropic, "
            "Gemini and LangChain"
        )
        raise TypeError(problem)
    return turn


def _has_member(owner: Any, key: str) -> bool:
    return key in owner if isinstance(owner, Mapping) else hasattr(owner, key)


def _of_type(items: Iterable[Any], *types: str) -> list[Any]:
    return [item for item in items if member(item, "type") in types]


def _first_turn(replies: Any, key: str, write: Write) -> Turn:
    """Return the turn of the first reply; a blocked request has none, or an empty one."""
    reply = next(iter(replies or ()), None)
    message = None if reply is None else member(reply, key)
    reason = None if reply is None else member(reply, "finish_reason")
    turn = Turn([], write) if message is None else turn_of(message)
    return turn._replace(end_reason=reason)


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
    if calls is None and not blocks and not is_message:
        return None
    metadata = member(message, "response_metadata")
    sources = (message, metadata) if isinstance(metadata, Mapping) else (message,)
    reasons = (member(source, key) for source in sources for key in _REASONS)
    reason = next((each for each in reasons if each is not None), None)
    uses = _of_type(blocks, "tool_use")
    if calls or not uses:
        invalid = member(message, "invalid_tool_calls")
        return Turn([*(calls or ()), *(invalid or ())], _tool_messages, reason)
    return Turn(uses, _anthropic_results, reason)


def _tool_messages(results: list[CallResult]) -> list[dict[str, Any]]:
    written = []
    for call, name, text, is_error in results:
        id_ = call_id(call)
        key = {"name": name} if id_ is None else {"tool_call_id": id_}
        message: dict[str, Any] = {"role": "tool", **key, "content": text}
        if member(call, "args") is not None:  # LangChain's
            message["status"] = "error" if is_error else "success"
        written.append(message)
    return written


def _responses_outputs(results: list[CallResult]) -> list[dict[str, Any]]:
    return [
        {"type": f"{member(call, 'type')}_output", "call_id": call_id(call), "output": text}
        for call, _, text, _ in results
    ]


def _anthropic_results(results: list[CallResult]) -> list[dict[str, Any]]:
    blocks = [
        {"type": "tool_result", "tool_use_id": call_id(call), "content": text}
        | ({"is_error": True} if is_error else {})
        for call, _, text, is_error in results
    ]
    return [{"role": "user", "content": blocks}] if blocks else []


def _gemini_responses(results: list[CallResult]) -> list[dict[str, Any]]:
    parts = []
    for call, name, text, is_error in results:
        response: dict[str, Any] = {"name": name, "response": {_GEMINI[is_error]: text}}
        if id_ := call_id(call):
            response["id"] = id_
        parts.append({"function_response": response})
    return [{"role": "user", "parts": parts}] if parts else []


_GEMINI = {False: "output", True: "error"}
"""The keys of a function's response that Gemini documents."""
