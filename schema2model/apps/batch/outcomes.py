"""The outcome of a call or a row, and how it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic_core import to_json

from schema2model.coercions import Status
from schema2model.errors import unexpected
from schema2model.json.quoting import quoted
from schema2model.types import Change

__all__ = [
    "ADDED",
    "Call",
    "NameDoubt",
    "Outcome",
    "Reason",
    "document",
    "failed",
    "is_of_damaged_row",
    "json_bytes",
    "refused",
    "refused_for_repetition",
    "speakable",
    "spoken",
    "written",
]

_T = TypeVar("_T")

ADDED = ("corrected", "status", "changes", "doubts", "error", "calls", "results")
"""The columns that are added to rows: all to conversations, all but `results` to texts, and all but
`calls` and `results` to calls."""


ReasonKind = Literal[
    "line",
    "column",
    "repeated_name",
    "tools_offered",
    "unknown_tool",
    "broken_tool",
    "arguments",
    "unexpected",
]


class Reason(NamedTuple):
    """The reason of a refusal, in a form that many refusals share.

    A line has no row; the row has nothing in the column, or two values for a name; the tools that
    were offered cannot be read; the tool is unknown; its schema is wrong; its arguments are; a
    library raised something.
    `about` says which column, or which tool and parameter.
    """

    kind: ReasonKind
    about: str = ""

    @property
    def is_of_call(self) -> bool:
        """Return whether a call is refused, and not only a row without one."""
        return self.kind not in ("line", "column", "repeated_name", "tools_offered")

    @property
    def words(self) -> str:
        """Describe it in a line.

        >>> Reason("column", '"args"').words, Reason("arguments").words
        ('nothing is in "args"', 'several')
        """
        return _WORDS[self.kind].format(self.about or "several")


_WORDS: dict[ReasonKind, str] = {
    "line": "the {}",
    "column": "nothing is in {}",
    "repeated_name": "the row has two values for {}",
    "tools_offered": "the tools that were offered, in {}, cannot be read",
    "unknown_tool": "there is no tool of the name that is called",
    "broken_tool": "the schema of the tool {} is wrong",
    "arguments": "{}",
    "unexpected": "it could not be read: {}",
}


class NameDoubt(NamedTuple):
    """The path of an undeclared name, and the declared, absent one that it may be meant for.

    Or of a string that has swallowed the absent one, with the tags around it.
    """

    path: str
    similar: str


class Call(NamedTuple):
    """A call of a conversation: the JSON Pointer of its arguments, and its outcome.

    `changes` and `doubts` have paths within the arguments. Results of tools have the same record:
    where the result is, and how it matches the tool's `outputSchema`.
    """

    path: str
    tool: str | None
    id: str | None
    status: Status
    changes: tuple[Change, ...]
    error: str | None
    reason: Reason | None = None
    doubts: tuple[NameDoubt, ...] = ()


class Outcome(NamedTuple):
    """The outcome of a call, or of a row.

    `corrected` are the arguments, of the kind that came, text where text was, and None if refused;
    or the conversation with its corrected calls. A conversation has the worst status of its calls,
    and their changes and doubts with paths within the conversation; `results` of tools count
    apart.
    """

    corrected: Any
    status: Status
    changes: tuple[Change, ...] = ()
    error: str | None = None
    calls: tuple[Call, ...] = ()
    reason: Reason | None = None
    doubts: tuple[NameDoubt, ...] = ()
    results: tuple[Call, ...] = ()


def refused(error: str, kind: ReasonKind, about: str = "") -> Outcome:
    """Return the outcome where something cannot be made valid."""
    return Outcome(None, "refused", error=error, reason=Reason(kind, about))


def refused_for_repetition(name: str) -> Outcome:
    """Return the outcome of a row in which a name has two different values."""
    return refused(f"the row has two values for {quoted(name)}", "repeated_name", quoted(name))


_DAMAGED = re.compile(r"the (?:line|row|tools that were offered) ")


def is_of_damaged_row(error: str) -> bool:
    """Return whether a row was refused that shows no call, by the message.

    >>> is_of_damaged_row("the line is not JSON"), is_of_damaged_row("there is no tool")
    (True, False)
    """
    return _DAMAGED.match(error) is not None


def failed(error: BaseException) -> Outcome:
    """Return the outcome where a library raises what nobody expected."""
    told = unexpected(error)
    return refused(f"this could not be read: {told}", "unexpected", type(error).__name__)


def written(outcome: Outcome, write: Callable[[Outcome], _T]) -> tuple[Outcome, _T]:
    """Return an outcome, and how `write` has written it; refused if it could not."""
    try:
        return outcome, write(outcome)
    except BaseException as error:  # noqa: BLE001 - rows hold whatever somebody recorded
        outcome = failed(error)
        return outcome, write(outcome)


def document(outcome: Outcome) -> tuple[Any, ...]:
    """Return an outcome as JSON values, in the order of `ADDED`; changed values as JSON text."""
    corrected, status, changes, error, calls, _, doubts, results = outcome
    return (
        corrected,
        status,
        [_change(each) for each in changes],
        [_doubt(each) for each in doubts],
        speakable(error),
        [_call(each) for each in calls],
        [_call(each) for each in results],
    )


def _call(call: Call) -> dict[str, Any]:
    path, tool, call_id, status, changes, error, _, doubts = call
    return {
        "path": speakable(path),
        "tool": speakable(tool),
        "id": speakable(call_id),
        "status": status,
        "changes": [_change(each) for each in changes],
        "doubts": [_doubt(each) for each in doubts],
        "error": speakable(error),
    }


def _change(change: Change) -> dict[str, str | None]:
    """Return a change; a member that was left out has nothing after."""
    is_left_out = change.rule.startswith("drop_")
    return {
        "path": speakable(change.path),
        "rule": change.rule,
        "before": json_bytes(change.before).decode(),
        "after": None if is_left_out else json_bytes(change.after).decode(),
    }


def _doubt(doubt: NameDoubt) -> dict[str, str | None]:
    return {"path": speakable(doubt.path), "similar": speakable(doubt.similar)}


def speakable(text: str | None) -> str | None:
    """Return a text with halves of surrogate pairs, which no UTF-8 spells, as JSON's escapes."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


def json_bytes(value: Any) -> bytes:
    """Return the JSON text of a value, compact, in UTF-8."""
    try:
        return to_json(value)
    except ValueError:  # half a surrogate pair, or bytes that are no text
        return json.dumps(value, separators=(",", ":"), default=spoken).encode()


def spoken(content: bytes | bytearray) -> str:
    """Bytes as text."""
    return content.decode("utf-8", "backslashreplace")
