"""The calls in a conversation of any provider: their paths, and the containers of arguments.

Conversations are lists of messages or items, requests, responses, and records of both. Only members
that lead to messages are followed; the arguments and the result of a call hold no further calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["FOLLOWED", "READ", "RecordedCall", "calls_in", "is_conversation", "is_message"]

_INSIDE = (
    *("messages", "message", "content", "contents", "parts"),
    *("choices", "candidates", "output", "input", "items"),
    *("request", "response", "result", "body", "conversation", "conversations"),
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

_RESULT_TYPES = ("tool_result", "function_call_output", "custom_tool_call_output")
_RESULT_ROLES = ("tool", "function")
"""Of what tools answer."""

_ARGUMENTS = ("arguments", "args", "input")
FOLLOWED = frozenset((*_HOLDERS, *_INSIDE))
"""Members in which calls may be."""

_KNOWN = FOLLOWED | {"role"}

READ = (*_HOLDERS, *_INSIDE, "role", "type", "id", "call_id", "name", "arguments")
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


def calls_in(value: Any, column: str | None = None) -> Iterator[RecordedCall]:
    """The calls in a conversation, in order, or in a message, a request, a response.

    Args:
        value: of JSON.
        column: its name in the row, which may say what it is.

    >>> part = {"functionCall": {"name": "search", "args": {"q": "x"}}}
    >>> [call] = calls_in({"candidates": [{"content": {"parts": [part]}}]})
    >>> call.path, call.holder["name"], call.arguments
    (('candidates', 0, 'content', 'parts', 0, 'functionCall', 'args'), 'search', {'q': 'x'})

    """
    if column in _HOLDERS:
        for call in _object({column: value}, ()):
            yield call._replace(path=call.path[1:])
        return
    for call in _within(value, ()):
        yield call._replace(form=_CHOICES) if column == "choices" else call


def is_conversation(value: Any) -> bool:
    """Whether a value may hold calls: a list, or an object with a member that is looked at."""
    return isinstance(value, list) or (isinstance(value, dict) and not _KNOWN.isdisjoint(value))


def is_message(row: Mapping[str, Any]) -> bool:
    """Whether a row is a message, an item or a block itself."""
    kinds = (*_BLOCKS, *_RESULT_TYPES, "message", "reasoning")
    return row.get("role") is not None or row.get("type") in kinds


def _within(value: Any, path: _Path) -> Iterator[RecordedCall]:
    if isinstance(value, list):
        for index, member in enumerate(value):
            if isinstance(member, dict):
                yield from _object(member, (*path, index))
    elif isinstance(value, dict):
        yield from _object(value, path)


def _object(value: dict[str, Any], path: _Path) -> Iterator[RecordedCall]:
    kind, role = value.get("type"), value.get("role")
    if isinstance(kind, str) and kind in _BLOCKS:
        key = _BLOCKS[kind]
        call_id = value.get("call_id", value.get("id"))
        yield RecordedCall((*path, key), value, key, call_id, _BLOCK_FORMS[kind])
        return
    if role in _RESULT_ROLES or kind in _RESULT_TYPES:
        return
    for name, member in value.items():
        if name not in FOLLOWED or not isinstance(member, (list, dict)):
            continue  # as most are
        here = (*path, name)
        if name == "tool_calls" and isinstance(member, list):
            for index, call in enumerate(member):
                yield from _tool_call(call if isinstance(call, dict) else {}, (*here, index))
        elif name in _HOLDERS and isinstance(member, dict) and _is_call(name, member, value):
            yield _held(name, member, here, value.get("id") if name == "function" else None)
        elif name in _INSIDE and (name != "input" or isinstance(member, list)):
            yield from _within(member, here)


def _is_call(name: str, member: dict[str, Any], owner: dict[str, Any]) -> bool:
    """Whether a member is a call, not a request's choice of a tool, or a definition."""
    if name == "function":
        return "name" in member and "arguments" in member
    return name == "functionCall" or "role" in owner or not {*_ARGUMENTS}.isdisjoint(member)


def _tool_call(call: dict[str, Any], path: _Path) -> Iterator[RecordedCall]:
    if call.get("type") == "custom":  # whose input is free text
        return
    function = call.get("function")
    if isinstance(function, dict):
        yield _held("tool_calls", function, (*path, "function"), call.get("id"))
    else:
        yield _held("tool_calls", call, path, call.get("id"))


def _held(name: str, holder: dict[str, Any], path: _Path, call_id: Any) -> RecordedCall:
    default = "args" if name == "functionCall" else "arguments"
    key = next((key for key in _ARGUMENTS if key in holder), default)
    form = _CHOICES if "choices" in path else _FORMS[name]
    if name == "function_call" and key == "args":  # as Gemini's own Python types spell it
        form = _FORMS["functionCall"]
    return RecordedCall((*path, key), holder, key, call_id, form)
