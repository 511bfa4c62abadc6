"""`Layout`: where rows have what."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal, get_args

from schema2model.apps.batch.conversations import READ
from schema2model.apps.batch.outcomes import ADDED

__all__ = ["Layout", "LayoutKind"]

LayoutKind = Literal["calls", "chat", "text"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns in which rows have calls, and the prefix of the added columns' names.

    `kind` is `"calls"`, a call in each row (`tool`, `arguments`), `"chat"`, a conversation in each
    (`messages`; None if the row itself is one, or a message of one), or `"text"`, what a model
    wrote in each (`text`). `tools`, if given, is the column of the definitions that were offered;
    `id` is one by which people know a row.
    """

    kind: LayoutKind = "calls"
    tool: str = "tool"
    arguments: str = "arguments"
    messages: str | None = "messages"
    text: str = "text"
    tools: str | None = None
    model: str = "model"
    id: str | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        """Refuse an unknown kind."""
        if self.kind not in get_args(LayoutKind):
            from schema2model.json.names import suggestion  # noqa: PLC0415 - for mistakes only

            hint = suggestion(self.kind, get_args(LayoutKind))
            message = f"unknown layout {self.kind!r}; {hint}"
            raise ValueError(message)

    @property
    def added(self) -> tuple[str, ...]:
        """The names of the columns that are added."""
        return _added(self.kind, self.prefix)

    @property
    def read(self) -> tuple[str, ...]:
        """The names of the columns that are looked at."""
        names = {
            "calls": (self.tool, self.arguments),
            "chat": READ if self.messages is None else (self.messages,),
            "text": (self.text,),
        }[self.kind]
        others = (self.model, self.tools, self.id)
        return tuple(dict.fromkeys([*names, *(name for name in others if name is not None)]))


@functools.cache
def _added(kind: LayoutKind, prefix: str) -> tuple[str, ...]:
    names = ADDED[: {"calls": -2, "text": -1, "chat": None}[kind]]
    return tuple(prefix + name for name in names)
