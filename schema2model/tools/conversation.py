"""Calls in a conversation: name, arguments and id, in the shape of any provider.

Calls of OpenAI (chat completions and responses), Anthropic, Gemini, Bedrock, Cohere, MCP, LangChain
and LiveKit are known, as mappings and as objects.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, NamedTuple, TypeAlias

from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.quoting import printable, quoted
from schema2model.tools.providers.definitions import member

__all__ = [
    "CALL_MEMBERS",
    "Arguments",
    "as_object",
    "call_arguments",
    "call_id",
    "is_text",
    "named_call",
    "refused_result",
    "restore_arguments",
    "takes_object",
    "write_arguments",
]

Arguments: TypeAlias = "str | bytes | bytearray | Mapping[str, Any] | None"
"""The arguments of a call, as providers and frameworks pass them."""

_KEYS = ("arguments", "input", "args", "parameters")
"""The members that may hold a call's arguments."""
_NAMED = ("name", *_KEYS)
"""The members by which the part with a call's name and arguments is known."""
_PARTS = ("function", "functionCall", "function_call", "toolUse", "params", "custom")
"""Which part of a call holds its name and arguments, if the call itself does not."""
CALL_MEMBERS = frozenset((*_NAMED, *_PARTS))
"""The members of a call in which `named_call` looks for its name and arguments."""
_IDS = ("call_id", "id", "toolUseId")
"""The members that may hold a call's id. In OpenAI and LiveKit, `id` identifies the item."""
_NOT_ARGUMENTS = frozenset(
    ("cache_control", "caller", "extra_content", "extras", "metadata", "provider_specific_fields")
)
"""Objects that providers add to a call. Any other may be arguments under an unknown name."""
_KNOWN = (
    "known are the calls of OpenAI, Anthropic, Gemini, Bedrock, Cohere, MCP, LangChain and LiveKit"
)
_STRUCTURED = ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call")
"""Types of calls whose arguments must be an object, not text: Anthropic's and LangChain's.

Bedrock's, which have no type, are known by their `toolUseId`.
"""


def named_call(call: Any) -> tuple[Any, Any]:
    """Return the name and the arguments of a call in the shape of any provider.

    Raises:
        TypeError: if it is not a call.

    >>> named_call({"type": "tool_use", "id": "1", "name": "search", "input": {"q": "x"}})
    ('search', {'q': 'x'})
    >>> named_call({"function": {"name": "search", "arguments": "{}"}})
    ('search', '{}')

    """
    part = _call_part(call)
    name = member(part, "name")
    if name is None:
        message = f"this {type(call).__name__} is not a tool call: it has no `name`; {_KNOWN}"
        raise TypeError(message)
    if part is call and isinstance(member(call, "role"), str):
        kind = type(call).__name__
        message = f"this {kind} is a message, not a tool call; pass it to `answer`; {_KNOWN}"
        raise TypeError(message)
    if (arguments := _arguments_in(part)) is not None:
        return name, arguments
    if isinstance(part, Mapping) and (unknown := _unknown_arguments(part)) is not None:
        message = f"this tool call has its arguments under `{unknown}`; {_KNOWN}"
        raise TypeError(message)
    return name, None


def call_arguments(call: Any) -> Any:
    """Return the arguments of a call, which may lack a name; None if there are none.

    >>> call_arguments({"id": "c1", "function": {"name": None, "arguments": "{}"}})
    '{}'
    """
    return _arguments_in(_call_part(call))


def _arguments_in(part: Any) -> Any:
    for key in _KEYS:
        arguments = member(part, key)
        if arguments is not None:
            return arguments
    return None


def _unknown_arguments(part: Mapping[str, Any]) -> str | None:
    """Return the member of a call without arguments that may hold them under an unknown name."""
    return next(
        (
            printable(key)
            for key, value in part.items()
            if isinstance(value, Mapping) and key not in _NOT_ARGUMENTS and not key.startswith("_")
        ),
        None,
    )


def is_text(arguments: Any) -> bool:
    """Return whether arguments are text, which is complete if it is JSON."""
    return isinstance(arguments, (str, bytes, bytearray))


def call_id(call: Any) -> str | None:
    """Return the id of a call in the shape of any provider, if there is one.

    >>> call_id({"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}})
    'toolu_1'

    """
    if call is None:
        return None
    own = _own_id(call)
    return _own_id(_call_part(call)) if own is None else own


def _own_id(owner: Any) -> str | None:
    for key in _IDS:
        id_ = member(owner, key)
        if isinstance(id_, str):
            return id_
    return None


def write_arguments(call: Any, value: Any) -> None:
    """Replace the arguments of a call: text by the JSON of a value, an object by an object.

    Args:
        call: is changed; a function is called with the JSON text instead.
        value: the arguments.

    Raises:
        TypeError: for a call that has no arguments, or whose arguments cannot be set.

    >>> call = {"function": {"name": "search", "arguments": "{'q': 'x'}"}}
    >>> write_arguments(call, {"q": "x"})
    >>> call["function"]["arguments"]
    '{"q":"x"}'

    """
    if callable(call):
        call(canonical_json(value, lone_surrogates=True))
        return
    slot = _argument_slot(call)
    content = as_object(value) if slot.structured else canonical_json(value, lone_surrogates=True)
    try:
        slot.set(content)
    except (AttributeError, TypeError, ValueError) as error:
        message = (
            f"the repaired arguments cannot be written to {slot.key!r} of this "
            f"{type(slot.owner).__name__}: {quoted(str(error))}; "
            "pass a function that takes their text as call="
        )
        raise TypeError(message) from error


def takes_object(call: Any) -> bool:
    """Return whether a call is of a type whose arguments must be an object, not text.

    >>> takes_object({"type": "tool_use", "input": "{}"}), takes_object({"arguments": "{}"})
    (True, False)
    """
    if type(call) is dict and "function" in call:  # as most often: a tenth of the time
        return False
    kind = member(call, "type")
    return kind in _STRUCTURED if kind else member(call, "toolUseId") is not None


def restore_arguments(call: Any, sent: Any) -> None:
    """Undo `write_arguments`: put back what `call_arguments` has returned before."""
    if sent is not None and call_arguments(call) is not sent:
        _argument_slot(call).set(sent)


def refused_result(error: ToolError) -> dict[str, Any]:
    """Return the result of a refused call, as MCP's `CallToolResult`; the model reads its text.

    >>> refused_result(ToolError("no city of that name"))
    {'content': [{'type': 'text', 'text': 'no city of that name'}], 'isError': True}
    """
    return {"content": [{"type": "text", "text": str(error)}], "isError": True}


def as_object(value: Any) -> dict[str, Any]:
    """Return an object, or that in a list of one item; an empty one for other values.

    >>> as_object([{"a": 1}]), as_object("a")
    ({'a': 1}, {})
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else {}


class _Slot(NamedTuple):
    """The member with a call's arguments, and whether it must be an object."""

    owner: Any
    key: str
    structured: bool

    def set(self, content: Any) -> None:
        """Set the member."""
        if isinstance(self.owner, MutableMapping):
            self.owner[self.key] = content
        else:
            setattr(self.owner, self.key, content)


def _argument_slot(call: Any) -> _Slot:
    part = _call_part(call)
    for key in _KEYS:
        if key in part if isinstance(part, Mapping) else hasattr(part, key):
            is_gemini = key == "args" and part is not call
            is_object = is_gemini or isinstance(member(part, key), Mapping)
            return _Slot(part, key, is_object or takes_object(part))
    message = (
        f"the repaired arguments cannot be written to this {type(call).__name__}: it has no "
        f"{', '.join(f'`{key}`' for key in _KEYS)}; pass one that has, or a function that takes "
        "their text"
    )
    raise TypeError(message)


def _call_part(call: Any) -> Any:
    for key in _PARTS:
        part = member(call, key)
        if part is not None:
            for name in _NAMED:
                if member(part, name) is not None:
                    return part
    return call
