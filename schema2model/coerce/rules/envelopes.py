"""Envelopes: objects that models put around the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set  # noqa: PYI025 - a key view is one, too
from typing import Any, Final

from schema2model.coerce.rules.scalars import is_placeholder
from schema2model.json.names import negates, spelling
from schema2model.limits import MAX_ENVELOPES
from schema2model.regexes import regex

__all__ = [
    "ENVELOPES",
    "ENVELOPE_KEYS",
    "contents",
    "is_sole_envelope",
    "only_argument",
    "proven_content",
    "unread_text",
]

_UNREAD: Final = "INVALID_JSON"
"""The key around a text that a client could not parse."""

ENVELOPES = frozenset(
    (
        "arguments",
        "input",
        "kwargs",
        "_",
        "args",
        "params",
        "parameters",
        "properties",
        "tool_input",
        _UNREAD,
    )
)
"""Keys whose value may be the arguments."""
_NAMES = frozenset(("name", "tool", "tool_name", "function"))
_KINDS = ("function", "object", "tool_call", "tool_use")

ENVELOPE_KEYS = ENVELOPES | _NAMES | {"type"}
"""All keys that an envelope may have."""


def is_sole_envelope(call: Any) -> bool:
    """Return whether a call has one envelope and nothing else but `"type": "object"`.

    >>> is_sole_envelope({"input": {}}), is_sole_envelope({"input": {}, "name": "weather"})
    (True, False)
    """
    if type(call) is not dict or len(call) > 2 or ENVELOPES.isdisjoint(call):  # noqa: PLR2004
        return False
    return len(call) == 1 or call.get("type") == "object"


def unread_text(call: Any) -> str | None:
    """Return the text in a call that a client could not parse; None in other calls.

    >>> unread_text({"INVALID_JSON": "{city"}), unread_text({"city": "Rome"})
    ('{city', None)
    """
    text = call.get(_UNREAD) if type(call) is dict and len(call) == 1 else None
    return text if isinstance(text, str) else None


def proven_content(
    call: Any, declared: Set[str], required: Set[str], parse: Callable[[Any], Any]
) -> dict[str, Any] | None:
    """Return the arguments in a call whose only key is undeclared, whatever it is, also nested.

    They prove what they are: they have all required names, at least one, and no undeclared one.

    >>> proven_content({"request": {"city": "Rome"}}, {"city", "unit"}, {"city"}, lambda text: text)
    {'city': 'Rome'}
    """
    for _ in range(MAX_ENVELOPES):
        if len(call) != 1:
            return None
        ((key, inner),) = call.items()
        inner = parse(inner)
        if key in declared or type(inner) is not dict or negates(key):
            return None
        if inner and required <= inner.keys() <= declared:
            return inner
        call = inner
    return None


def only_argument(call: dict[str, Any], declared: Set[str]) -> str | None:
    """Return the text under `arguments`, if it may be the value of the only required one.

    An option, a container, a word for nothing or text with the name of an argument is not that
    value.

    >>> only_argument({"arguments": "ls"}, {"command"}), only_argument({"arguments": "-l"}, {"x"})
    ('ls', None)
    >>> only_argument({"arguments": "Command=ls"}, {"command"})
    >>> only_argument({"arguments": "null"}, {"command"})
    """
    text = call.get("arguments")
    if type(text) is not str or len(call) > 1 or "arguments" in declared:
        return None
    named = _NAMED.match(text)
    is_named = named and spelling(named[1]) in {*ENVELOPES, *map(spelling, declared)}
    is_value = _IS_VALUE.match(text) and not (is_named or is_placeholder(text))
    return text if is_value else None


_IS_VALUE = regex(r"\s*[^\s\"'`\[{(<-]")
_NAMED = regex(r"\s*([\w-][\w -]{0,63})[:=]")


def contents(
    call: Any, declared: Set[str], tool: str, parse: Callable[[Any], Any]
) -> Iterator[tuple[Any, bool]]:
    """Yield the contents of envelopes around the arguments of a call, the outermost first.

    An envelope has no other member, or only the tool's own name, and is none of the `declared`
    names of arguments. `parse` parses a text, and returns any other value unchanged. Each content
    comes with whether it and all around it have nothing next to them (see `is_sole_envelope`).

    >>> call = {"name": "weather", "arguments": {"input": {"city": "Rome"}}}
    >>> list(contents(call, {"city"}, "weather", lambda text: text))
    [({'input': {'city': 'Rome'}}, False), ({'city': 'Rome'}, False)]

    """
    are_sole = True
    for _ in range(MAX_ENVELOPES):
        if type(call) is not dict or not declared.isdisjoint(call):
            return
        enveloped = [value for key, value in call.items() if key in ENVELOPES]
        others_name_tool = all(
            (key in _NAMES and value == tool) or (key == "type" and value in _KINDS)
            for key, value in call.items()
            if key not in ENVELOPES
        )
        if len(enveloped) != 1 or not others_name_tool:
            return
        are_sole = are_sole and is_sole_envelope(call)
        yield enveloped[0], are_sole
        call = parse(enveloped[0])
