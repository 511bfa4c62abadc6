"""From a row to the row with what became of its calls.

A row is a call; or a conversation: OpenAI's messages with `tool_calls`, Anthropic's with `tool_use`
blocks, or both; or what a model wrote, in which calls are found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schema2model.batch.corrector import Corrector, Tools
from schema2model.batch.outcomes import (
    ADDED,
    STATUSES,
    Call,
    Outcome,
    Status,
    document,
    failed,
    written,
)
from schema2model.engine.readings import Change
from schema2model.values import pointer, quoted

__all__ = ["Layout", "correct_row", "correct_rows"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a row has what, and what the added columns' names begin with.

    `kind` is `"calls"`, a call in each row (`tool`, `arguments`), `"chat"`, a conversation in each
    (`messages`), or `"text"`, what a model wrote in each (`text`). `tools`, if given, is the column
    of the definitions that were offered.
    """

    kind: Literal["calls", "chat", "text"] = "calls"
    tool: str = "tool"
    arguments: str = "arguments"
    messages: str = "messages"
    text: str = "text"
    tools: str | None = None
    model: str = "model"
    prefix: str = ""

    @property
    def added(self) -> tuple[str, ...]:
        """The names of the columns that are added."""
        names = ADDED[:-1] if self.kind == "calls" else ADDED
        return tuple(self.prefix + name for name in names)

    @property
    def read(self) -> tuple[str, ...]:
        """The names of the columns that are looked at."""
        names = {
            "calls": (self.tool, self.arguments),
            "chat": (self.messages,),
            "text": (self.text,),
        }[self.kind]
        return (*names, self.model, *filter(None, [self.tools]))


def correct_rows(
    rows: Iterable[Mapping[str, Any]], corrector: Corrector, layout: Layout | None = None
) -> Iterator[dict[str, Any]]:
    """Each row with the columns that `Layout.added` names; one for one, in order.

    >>> search = {"name": "search", "input_schema": {"properties": {"q": {"type": "string"}}}}
    >>> block = {"type": "tool_use", "id": "1", "name": "search", "input": {"q": 10}}
    >>> rows = [{"messages": [{"role": "assistant", "content": [block]}]}]
    >>> [row] = correct_rows(rows, Corrector([search]), Layout("chat"))
    >>> row["status"], row["corrected"][0]["content"][0]["input"], row["changes"][0]["path"]
    ('coerced', {'q': '10'}, '/0/content/0/input/q')

    """
    layout = layout or Layout()
    for row in rows:
        _, cells = written(correct_row(row, corrector, layout), document)
        yield {**row, **dict(zip(layout.added, cells, strict=False))}


def correct_row(row: Mapping[str, Any], corrector: Corrector, layout: Layout) -> Outcome:
    """What becomes of a row; never raises."""
    try:
        return _corrected(row, corrector, layout)
    except BaseException as error:  # noqa: BLE001 - it must not cost the other rows
        return failed(error)


def _corrected(row: Mapping[str, Any], corrector: Corrector, layout: Layout) -> Outcome:
    tools: Tools | None = None
    if layout.tools is not None and row.get(layout.tools) is not None:
        try:
            tools = corrector.offered(row[layout.tools])
        except ValueError as error:
            return Outcome(None, "refused", error=str(error))
    if layout.kind == "chat":
        return _conversation(row.get(layout.messages), corrector, tools, layout.messages)
    if layout.kind == "text":
        return _text(row.get(layout.text), corrector, tools, layout.text)
    name = row.get(layout.tool)
    if name is None:
        reason = f"the row names no tool in {quoted(layout.tool)}"
        return Outcome(None, "refused", error=reason)
    return corrector.correct(name, row.get(layout.arguments), tools)


# ------------------------------------------------------------------------------------------- text
def _text(given: Any, corrector: Corrector, tools: Tools | None, column: str) -> Outcome:
    """The calls in what a model wrote: `corrected` is the list of them, null for one refused."""
    if not isinstance(given, str):
        return Outcome(None, "refused", error=f"the row has no text in {quoted(column)}")
    calls: list[Call] = []
    corrected: list[Any] = []
    changes: list[Change] = []
    for place, (tool, outcome) in enumerate(corrector.read(given, tools)):
        path = pointer([place])
        changes += (
            Change(f"{path}/arguments{c.path}", c.rule, c.before, c.after) for c in outcome.changes
        )
        calls.append(Call(path, tool, None, outcome.status, outcome.changes, outcome.error))
        refused = outcome.status == "refused"
        corrected.append(None if refused else {"tool": tool, "arguments": outcome.corrected})
    status: Status = max((call.status for call in calls), key=STATUSES.index, default="unchanged")
    error = "\n".join(call.error for call in calls if call.error) or None
    return Outcome(corrected, status, tuple(changes), error, tuple(calls))


# ---------------------------------------------------------------------------------- conversations
def _conversation(given: Any, corrector: Corrector, tools: Tools | None, column: str) -> Outcome:
    messages = given
    if isinstance(given, str):
        try:
            messages = json.loads(given)
        except (ValueError, RecursionError):
            messages = None
    if not isinstance(messages, list):
        reason = f"the row has no list of messages in {quoted(column)}"
        return Outcome(None, "refused", error=reason)
    calls: list[Call] = []
    changes: list[Change] = []
    for path, part, key, given_id in _calls(messages):
        name, arguments = part.get("name"), part.get(key)
        corrected, status, changed, error, _ = corrector.correct(name, arguments, tools)
        if changed:
            messages = _replaced(messages, path, corrected)
        place = pointer(path)
        changes += (Change(place + c.path, c.rule, c.before, c.after) for c in changed)
        tool, call_id = (each if isinstance(each, str) else None for each in (name, given_id))
        calls.append(Call(place, tool, call_id, status, changed, error))
    status = max((call.status for call in calls), key=STATUSES.index, default="unchanged")
    error = "\n".join(call.error for call in calls if call.error) or None
    return Outcome(messages, status, tuple(changes), error, tuple(calls))


_Path = tuple[str | int, ...]


def _calls(messages: list[Any]) -> Iterator[tuple[_Path, dict[str, Any], str, Any]]:
    """Of each call: the path of its arguments, what holds them under which key, and its id."""
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        for number, call in enumerate(_list(message, "tool_calls")):
            if call.get("type") != "custom":  # whose input is free text
                function = call.get("function")
                part = function if isinstance(function, dict) else call
                path: _Path = (index, "tool_calls", number)
                path = (*path, "function") if part is function else path
                yield (*path, "arguments"), part, "arguments", call.get("id")
        function = message.get("function_call")
        if isinstance(function, dict):
            yield (index, "function_call", "arguments"), function, "arguments", None
        for number, block in enumerate(_list(message, "content")):
            if block.get("type") == "tool_use":
                yield (index, "content", number, "input"), block, "input", block.get("id")


def _list(message: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in a list, each in its place, empty ones for what is none."""
    given = message.get(key)
    members = given if isinstance(given, list) else []
    return [each if isinstance(each, dict) else {} for each in members]


def _replaced(value: Any, path: _Path, new: Any) -> Any:
    """A copy of a value with a new part, and every other part shared."""
    if not path:
        return new
    copied = value.copy()
    copied[path[0]] = _replaced(value[path[0]], path[1:], new)
    return copied
