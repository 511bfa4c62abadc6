"""Envelopes: objects that models put around the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set  # noqa: PYI025 - a key view is one, too
from typing import Any

from schema2model.limits import MAX_ENVELOPES

__all__ = ["ENVELOPES", "ENVELOPE_KEYS", "contents", "is_sole_envelope"]

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
