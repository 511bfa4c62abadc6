"""The calls in a conversation of any provider, and the results of tools, each with its path.

Conversations are lists of messages or items, requests, responses, and records of both. Only members
that lead to messages are followed; the arguments and the result of a call hold no further calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = [
    "FOLLOWED",
    "READ",
    "Recorded",
    "RecordedCall",
    "RecordedResult",
    "is_conversation",
    "is_message",
    "recorded_in",
]

_INSIDE = (
    "messages",
    "message",
    "content",
    "contents",
    "parts",
    "choices",
    "candidates",
    "output",
    "input",
    "items",
    "request",
    "response",
    "result",
    "body",
    "conversation",
    "conversations",
)
"""Members that lead to messages, items or blocks."""

_HOLDERS = ("tool_calls", "function_call", "functionCall", "function")
"""Members that are calls."""

_BLOCKS = {"function_call": "arguments", "tool_use": "input"}
"""Types of items that are calls themselves, and where those have their arguments."""

_FORMS = {
    "tool_calls": "OpenAI chat messages",
    "function_call": "OpenAI chat messages",
    "function": "OpenAI tool calls",
    "functionCall": "Gemini functionCall parts",
}
_CHOICES = "choices[].message"
_BLOCK_FORMS = {"function_call": "Responses API items", "tool_use": "Anthropic content blocks"}

_SPEAKERS = ("user", "assistant", "system", "developer", "model")
"""Roles whose messages have no results of tools."""

_RESULT_TYPES = ("tool_result", "function_call_output", "custom_tool_call_output")
_RESULT_ROLES = ("tool", "function")
_RESPONSES = ("functionResponse", "function_response")
"""The places of a tool's result: items of a type, messages of a role, members of a part."""

_ARGUMENTS = ("arguments", "args", "input")
FOLLOWED = frozenset((*_HOLDERS, *_INSIDE, *_RESPONSES))
"""Members in which calls and results may be."""

_KNOWN = FOLLOWED | {"role"}

READ = (*_HOLDERS, *_INSIDE, *_RESPONSES, "role", "type", "id", "call_id", "name", "arguments")
"""The members of a row that are looked at where the row itself is a conversation or a message."""

_Path = tuple["str | int", ...]


class RecordedCall(NamedTuple):
    """A call in a conversation. `path` leads to its arguments, which are `holder[key]`.

    `form` says whose shape it has.
    """

    path: _Path
    holder: dict[str, Any]
    key: str
    id: Any
    form: str

    @property
    def arguments(self) -> Any:
        """As they were sent; a call of Gemini's that needs none may have none."""
        return self.holder.get(self.key, {} if self.form == _FORMS["functionCall"] else None)


class RecordedResult(NamedTuple):
    """The result of a tool in a conversation: the message, item, block or part that has it.

    `calls_before` is the number of calls before it.
    """

    path: _Path
    holder: dict[str, Any]
    calls_before: int

    @property
    def call_id(self) -> Any:
        """The id of the call that it answers, if it names one."""
        holder = self._response or self.holder
        keys = ("tool_call_id", "tool_use_id", "call_id", "id")
        return next((holder[key] for key in keys if holder.get(key) is not None), None)

    @property
    def name(self) -> Any:
        """The tool's name, if it is there."""
        return (self._response or self.holder).get("name")

    @property
    def result(self) -> dict[str, Any]:
        """The result as MCP writes it."""
        if self._response is not None:
            response = self._response.get("response")
            if isinstance(response, dict) and isinstance(response.get("content"), list):
                return response
            if isinstance(response, dict) and response and response.keys() <= {"output", "error"}:
                # Gemini API, "FunctionResponse": these keys, or the response itself
                return {"structuredContent": response.get("output"), "isError": "error" in response}
            return {"structuredContent": response}
        content = self.holder.get("content", self.holder.get("output"))
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        return {"content": blocks, "isError": self.holder.get("is_error")}

    @property
    def _response(self) -> dict[str, Any] | None:
        members = (self.holder.get(name) for name in _RESPONSES)
        return next((member for member in members if isinstance(member, dict)), None)


class Recorded(NamedTuple):
    """The calls, texts and results of a conversation, in order."""

    calls: list[RecordedCall]
    results: list[RecordedResult]


def recorded_in(value: Any, column: str | None = None) -> Recorded:
    """Return the calls and results in a conversation, a message, a request or a response.

    Args:
        value: of JSON.
        column: its name in the row, which may say what it is.

    >>> part = {"functionCall": {"name": "search", "args": {"q": "x"}}}
    >>> [call], _ = recorded_in({"candidates": [{"content": {"parts": [part]}}]})
    >>> call.path, call.holder["name"], call.arguments
    (('candidates', 0, 'content', 'parts', 0, 'functionCall', 'args'), 'search', {'q': 'x'})

    """
    found = Recorded([], [])
    if column in _HOLDERS:
        _add_object({column: value}, (), found)
        found.calls[:] = [call._replace(path=call.path[1:]) for call in found.calls]
        return found
    _add(value, (), found)
    if column == "choices":
        found.calls[:] = [call._replace(form=_CHOICES) for call in found.calls]
    return found


def is_conversation(value: Any) -> bool:
    """Return whether a value may hold calls: a list, or an object with a member of these names."""
    return isinstance(value, list) or (isinstance(value, dict) and not _KNOWN.isdisjoint(value))


def is_message(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a message, an item or a block itself."""
    kinds = (*_BLOCKS, *_RESULT_TYPES, "message", "reasoning")
    return row.get("role") is not None or row.get("type") in kinds


def _add(value: Any, path: _Path, found: Recorded) -> None:
    """Add what a list or an object holds."""
    if isinstance(value, list):
        for index, member in enumerate(value):
            # most messages are nothing but text: `_add_object` takes three times as long
            if isinstance(member, dict) and not (
                len(member) == 2  # noqa: PLR2004 - the two that are asked for
                and type(member.get("content")) is str
                and member.get("role") in _SPEAKERS
            ):
                _add_object(member, (*path, index), found)
    elif isinstance(value, dict):
        _add_object(value, path, found)


def _add_object(value: dict[str, Any], path: _Path, found: Recorded) -> None:
    kind = value.get("type")
    if isinstance(kind, str) and kind in _BLOCKS:
        key = _BLOCKS[kind]
        call_id = value.get("call_id", value.get("id"))
        found.calls.append(RecordedCall((*path, key), value, key, call_id, _BLOCK_FORMS[kind]))
    elif (kind and kind in _RESULT_TYPES) or value.get("role") in _RESULT_ROLES:
        _add_result(value, path, found)
    else:
        for name, member in value.items():
            if type(member) is not str and name in FOLLOWED and isinstance(member, (list, dict)):
                _add_member(name, member, value, path, found)


def _add_result(value: dict[str, Any], path: _Path, found: Recorded) -> None:
    parts = value.get("parts")
    if parts is None:
        found.results.append(RecordedResult(path, value, len(found.calls)))
    elif isinstance(parts, list):  # Gemini's
        for index, part in enumerate(parts):
            if isinstance(part, dict) and not part.keys().isdisjoint(_RESPONSES):
                here = (*path, "parts", index)
                found.results.append(RecordedResult(here, part, len(found.calls)))


def _add_member(
    name: str, member: Any, owner: dict[str, Any], path: _Path, found: Recorded
) -> None:
    here = (*path, name)
    if name == "tool_calls" and isinstance(member, list):
        for index, call in enumerate(member):
            _add_tool_call(call if isinstance(call, dict) else {}, (*here, index), found)
    elif name in _HOLDERS and isinstance(member, dict) and _is_call(name, member, owner):
        call_id = owner.get("id") if name == "function" else None
        found.calls.append(_held(name, member, here, call_id))
    elif name in _INSIDE and (name != "input" or isinstance(member, list)):
        _add(member, here, found)
    elif name in _RESPONSES:
        found.results.append(RecordedResult(path, owner, len(found.calls)))


def _is_call(name: str, member: dict[str, Any], owner: dict[str, Any]) -> bool:
    """Return whether a member is a call, not a request's choice of a tool, or a definition."""
    if name == "function":
        return "name" in member and "arguments" in member
    return name == "functionCall" or "role" in owner or not {*_ARGUMENTS}.isdisjoint(member)


def _add_tool_call(call: dict[str, Any], path: _Path, found: Recorded) -> None:
    if call.get("type") == "custom":  # whose input is free text
        return
    function = call.get("function")
    if isinstance(function, dict):
        found.calls.append(_held("tool_calls", function, (*path, "function"), call.get("id")))
    else:
        found.calls.append(_held("tool_calls", call, path, call.get("id")))


def _held(name: str, holder: dict[str, Any], path: _Path, call_id: Any) -> RecordedCall:
    key = "arguments"
    if key not in holder:  # few have another
        default = "args" if name == "functionCall" else key
        key = next((key for key in _ARGUMENTS if key in holder), default)
    form = _CHOICES if "choices" in path else _FORMS[name]
    if name == "function_call" and key == "args":  # as Gemini's own Python types spell it
        form = _FORMS["functionCall"]
    return RecordedCall((*path, key), holder, key, call_id, form)
