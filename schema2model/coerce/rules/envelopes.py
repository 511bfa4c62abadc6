"""Envelopes: what models put around the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set  # noqa: PYI025 - a key view is one, too
from typing import Any

from schema2model.limits import MAX_ENVELOPES
from schema2model.text.exact import NOTHING

__all__ = ["AROUND", "ENVELOPES", "THOUGHTS", "contents"]

ENVELOPES = frozenset(
    (
        *("arguments", "input", "kwargs", "_", "args", "params", "parameters", "properties"),
        "tool_input",
    )
)
THOUGHTS = frozenset(
    ("explanation", "rationale", "reason", "reasoning", "thinking", "thought", "thoughts")
)
"""Keys under which models tell why they make a call: none of them is an argument."""
_NAMES = frozenset(("name", "tool", "tool_name", "function"))
_KINDS = ("function", "object", "tool_call", "tool_use")

AROUND = ENVELOPES | _NAMES | {"type"}
"""The keys of envelopes, and the keys that may be next to them."""


def contents(
    call: Any, declared: Set[str], tool: str, opened: Callable[[Any], Any]
) -> Iterator[Any]:
    """Yield the contents of envelopes around the arguments of a call, the outermost first.

    An envelope has no other member, or only the tool's own name.

    Args:
        call: the whole call.
        declared: the names that the arguments may have; none of them is an envelope.
        tool: the tool's name.
        opened: parses a text in an envelope.

    >>> call = {"name": "weather", "arguments": {"input": {"city": "Rome"}}}
    >>> list(contents(call, {"city"}, "weather", lambda text: text))
    [{'input': {'city': 'Rome'}}, {'city': 'Rome'}]

    """
    for _ in range(MAX_ENVELOPES):
        call = _content(call, declared, tool)
        if call is NOTHING:
            return
        yield call
        call = opened(call)


def _content(call: Any, declared: Set[str], tool: str) -> Any:
    if type(call) is not dict or not declared.isdisjoint(call):
        return NOTHING
    inside = [value for key, value in call.items() if key in ENVELOPES]
    named = all(
        (key in _NAMES and value == tool) or (key == "type" and value in _KINDS)
        for key, value in call.items()
        if key not in ENVELOPES
    )
    return inside[0] if named and len(inside) == 1 else NOTHING
