"""A call that a model wrote: `RawCall` as it was found, `Call` as its tool takes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from schema2model.errors import ToolError

__all__ = ["ArrivingCall", "Call", "DecodedArguments", "RawCall", "call_of"]


class DecodedArguments(dict[str, Any]):
    """Arguments of a strict tool that satisfy its schema as given: `prepare` does not decode them.

    >>> DecodedArguments({"a": None})
    {'a': None}
    """


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was read from a text.

    `text[start:end]` is the call. With `error`, the arguments are None.
    """

    name: str
    """The tool's own name; as the model wrote it, where no tool has that."""
    arguments: Any
    """JSON values that satisfy the tool's schema."""
    format: str
    """The name of the format in which it was written."""
    start: int
    end: int
    error: ToolError | None = None
    """Why it cannot be read."""
    written: str | dict[str, str] = field(default="", repr=False, compare=False)
    """The text of its arguments, or of each parameter, as the model wrote it."""


class _Blank:
    """A call before its fields are set and frozen: it has the same layout."""

    __slots__ = Call.__slots__


def call_of(  # noqa: PLR0913, PLR0917 - what a call has, by place: keywords take time
    name: str,
    arguments: Any,
    format_: str,
    start: int,
    end: int,
    error: ToolError | None,
    written: str | dict[str, str],
) -> Call:
    """Build a `Call` in a quarter of the time: a frozen dataclass sets fields slowly.

    >>> call_of("f", {}, "hermes", 0, 9, None, "{}") == Call("f", {}, "hermes", 0, 9)
    True
    """
    call: Any = _Blank()
    call.name = name
    call.arguments = arguments
    call.format = format_
    call.start = start
    call.end = end
    call.error = error
    call.written = written
    call.__class__ = Call
    return call  # type: ignore[no-any-return]


class ArrivingCall(NamedTuple):
    """A call that is not complete: its tool's name, and the arguments as far as they are known."""

    name: str
    arguments: Any


@dataclass(slots=True)
class RawCall:
    """A call as found in the text."""

    name: str
    arguments: str | dict[str, str]
    """Their text, or the text of each parameter, whose type only the schema gives."""
    start: int
    end: int
    strings: frozenset[str] = frozenset()
    """Parameters that are strings, as the call itself says."""
    problem: str = ""
    """Why it cannot be read."""
