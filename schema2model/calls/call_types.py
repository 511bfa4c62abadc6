"""A call that a model wrote: `RawCall` as it was found, `Call` as its tool takes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from schema2model.errors import ToolError

__all__ = ["ArrivingCall", "Call", "CallsRead", "DecodedArguments", "RawCall", "given_twice"]


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
    format: str = ""
    """The name of its format."""
    beside: tuple[str, ...] = ()
    """The names next to its arguments that were not taken for arguments."""
    may_repeat: bool = False
    """True if it is in prose after other calls, which it may only repeat."""
    slot: int = -1
    """The index of its place in the prose; -1 for its end."""
    lacks_marks: bool = False
    """True if the calls before it have marks: it is refused, or repeats one of them."""


CallsRead = tuple[int, list[RawCall]] | None
"""The offset after calls, and these; None if more text is needed."""


def given_twice(key: str) -> str:
    """The problem of a call that has two values for one key."""
    return f"it has two values for `{key[:80]}`"
