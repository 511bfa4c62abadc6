"""From a row to the row with what became of its calls.

A row is a call; or a conversation, in the shape of any provider; or what a model wrote, in which
calls are found.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from schema2model.apps.batch.conversations import (
    FOLLOWED,
    Recorded,
    RecordedCall,
    is_conversation,
    is_message,
    recorded_in,
)
from schema2model.apps.batch.corrector import Corrector, Tools
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.outcomes import (
    Call,
    NameDoubt,
    Outcome,
    document,
    failed,
    refused,
    refused_for_repetition,
    written,
)
from schema2model.coercions import STATUSES, Status
from schema2model.json.pointers import pointer
from schema2model.json.quoting import abridged_repr, quoted
from schema2model.json.repeated_names import RepeatedNameError, parse_unique
from schema2model.json.spans import SpelledText
from schema2model.types import Change

__all__ = ["conversation_of", "correct_row", "correct_rows"]

_MAX_PATHS = 1024
"""Maximum paths of calls whose JSON Pointers are kept."""


def correct_rows(
    rows: Iterable[Mapping[str, Any]], corrector: Corrector, layout: Layout | None = None
) -> Iterator[dict[str, Any]]:
    """Yield each row with the columns that `Layout.added` names; one for one, in order.

    Raises:
        TypeError: for a row that is not a mapping.

    >>> search = {"name": "search", "input_schema": {"properties": {"q": {"type": "string"}}}}
    >>> block = {"type": "tool_use", "id": "1", "name": "search", "input": {"q": 10}}
    >>> rows = [{"messages": [{"role": "assistant", "content": [block]}]}]
    >>> [row] = correct_rows(rows, Corrector([search]), Layout("chat"))
    >>> row["status"], row["corrected"][0]["content"][0]["input"], row["changes"][0]["path"]
    ('coerced', {'q': '10'}, '/0/content/0/input/q')

    """
    layout = layout or Layout()
    for row in rows:
        if not isinstance(row, Mapping):
            message = f"a row is a mapping of columns, not {abridged_repr(row)}"
            raise TypeError(message)
        _, cells = written(correct_row(row, corrector, layout), document)
        yield {**row, **dict(zip(layout.added, cells, strict=False))}


def correct_row(
    row: Mapping[str, Any], corrector: Corrector, layout: Layout, text: str = ""
) -> Outcome:
    """Correct one row. Never raises.

    Args:
        row: with the columns that the layout names.
        corrector: has the tools.
        layout: says where the calls are.
        text: the JSON text of the row, whose numbers a string gets as they are spelled there.

    """
    try:
        return _corrected(row, corrector, layout, text)
    except BaseException as error:  # noqa: BLE001 - it must not cost the other rows
        return failed(error)


def _corrected(row: Mapping[str, Any], corrector: Corrector, layout: Layout, text: str) -> Outcome:
    tools: Tools | None = None
    if layout.tools is not None and row.get(layout.tools) is not None:
        try:
            tools = corrector.offered(row[layout.tools])
        except ValueError as error:
            return refused(str(error), "tools_offered", quoted(layout.tools))
    if layout.kind == "chat":
        return _conversation(row, corrector, tools, layout, text)
    if layout.kind == "text":
        return _text(row.get(layout.text), corrector, tools, layout.text)
    name = row.get(layout.tool)
    if name is None:
        column = quoted(layout.tool)
        return refused(f"the row names no tool in {column}", "column", column)
    correct = functools.partial(corrector.correct, name, tools=tools)
    return _call(correct, row.get(layout.arguments), SpelledText(text), (layout.arguments,))


def _call(
    correct: Callable[[Any], Outcome],
    arguments: Any,
    text: SpelledText,
    path: tuple[str | int, ...],
) -> Outcome:
    """Return the outcome of a call, whose arguments are at a path in a text."""
    outcome = correct(arguments)
    if outcome.status == "unchanged" or (spelled := text.part(arguments, path)) is arguments:
        return outcome
    outcome = correct(spelled)
    is_refused = outcome.corrected is None
    return outcome if is_refused else outcome._replace(corrected=json.loads(outcome.corrected))


# ------------------------------------------------------------------------------------------- text
def _text(given: Any, corrector: Corrector, tools: Tools | None, column: str) -> Outcome:
    """Return the outcome of a model's text: `corrected` lists its calls, null for refused ones."""
    if not isinstance(given, str):
        return refused(f"the row has no text in {quoted(column)}", "column", quoted(column))
    calls: list[Call] = []
    corrected: list[Any] = []
    for place, (tool, outcome) in enumerate(corrector.read(given, tools)):
        calls.append(_called(pointer([place]), tool, None, outcome))
        is_refused = outcome.status == "refused"
        corrected.append(None if is_refused else {"tool": tool, "arguments": outcome.corrected})
    return _summed(corrected, calls, "/arguments")


# ---------------------------------------------------------------------------------- conversations
def conversation_of(row: Mapping[str, Any], layout: Layout) -> Any:
    """Return the conversation of a row: its column, parsed if it is JSON text, or the row.

    Raises:
        RepeatedNameError: if the text has two different values for a name.

    """
    if layout.messages is None:
        members = {name: row[name] for name in layout.read if name in row}
        return {name: _read(each) if name in FOLLOWED else each for name, each in members.items()}
    return _read(row.get(layout.messages))


def _read(value: Any) -> Any:
    """Return a value, or what its text holds where that is a JSON list or object."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return parse_unique(value)
        except RepeatedNameError:
            raise
        except (ValueError, RecursionError):
            pass
    return value


def _conversation(
    row: Mapping[str, Any], corrector: Corrector, tools: Tools | None, layout: Layout, text: str
) -> Outcome:
    try:
        conversation = conversation_of(row, layout)
    except RepeatedNameError as error:
        return refused_for_repetition(error.args[0])
    recorded = recorded_in(conversation, layout.messages)
    is_readable = recorded.calls or (layout.messages is None and is_message(row))
    if not is_readable and not is_conversation(conversation):
        column = "the row itself" if layout.messages is None else quoted(layout.messages)
        return refused(f"the row has no list of messages in {column}", "column", column)
    calls: list[Call] = []
    copies = set[int]()
    before = () if layout.messages is None else (layout.messages,)
    if before and isinstance(row[before[0]], str):
        text, before = row[before[0]], ()
    spelled = SpelledText(text)
    for call in recorded.calls:
        name = call.holder.get("name")
        correct = functools.partial(corrector.correct, name, tools=tools)
        outcome = _call(correct, call.arguments, spelled, (*before, *call.path))
        if outcome.changes:
            conversation = _replaced(conversation, call.path, outcome.corrected, copies)
        calls.append(_called(_pointer(call.path), name, call.id, outcome))
    if not corrector.reads_results:  # looking for them takes 6 of 45 microseconds of a row
        return _summed(conversation, calls)
    results = tuple(_results(recorded, corrector, tools))
    return _summed(conversation, calls, results=results)


def _results(recorded: Recorded, corrector: Corrector, tools: Tools | None) -> Iterator[Call]:
    """Return how the results of tools match their `outputSchema`.

    Of several calls with the id of a result, it is of the last one before it.
    """
    names = _names_by_id(reversed(recorded.calls))
    done = 0
    for each in recorded.results:
        names |= _names_by_id(recorded.calls[done : each.calls_before])
        done = each.calls_before
        call_id = each.call_id
        name = names.get(call_id) if type(call_id) is str else None
        name = each.name if name is None else name
        outcome = corrector.check_result(name, each.result, tools)
        if outcome is not None:
            yield _called(pointer(each.path), name, call_id, outcome)


def _names_by_id(calls: Iterable[RecordedCall]) -> dict[str, Any]:
    return {call.id: call.holder.get("name") for call in calls if type(call.id) is str}


def _called(path: str, tool: Any, call_id: Any, outcome: Outcome) -> Call:
    _, status, changes, error, _, reason, doubts, _ = outcome
    tool = tool if isinstance(tool, str) else None
    call_id = call_id if isinstance(call_id, str) else None
    return Call(path, tool, call_id, status, changes, error, reason, doubts)


def _summed(
    corrected: Any, calls: list[Call], inside: str = "", results: tuple[Call, ...] = ()
) -> Outcome:
    """Return the outcome of a row with several calls: the worst status, and all reports.

    `inside` leads from the path of a call to its arguments.
    """
    status: Status = "unchanged"
    changes: list[Change] = []
    errors: list[str] = []
    doubts: list[NameDoubt] = []
    for path, _, _, own, changed, error, _, doubted in calls:
        if own == "unchanged" and not doubted:  # most are
            continue
        if STATUSES.index(own) > STATUSES.index(status):
            status = own
        base = path + inside
        changes += [Change(base + c.path, c.rule, c.before, c.after) for c in changed]
        doubts += [NameDoubt(base + doubt.path, doubt.similar) for doubt in doubted]
        if error:
            errors.append(error)
    error = "\n".join(errors) or None
    found = tuple(calls), None, tuple(doubts), results
    return Outcome(corrected, status, tuple(changes), error, *found)


_pointer = functools.lru_cache(_MAX_PATHS)(pointer)
"""Rows have their calls in the same places: `pointer` takes ten times as long as to look one up."""


def _replaced(value: Any, path: tuple[str | int, ...], new: Any, copies: set[int]) -> Any:
    """Return a copy of a value with a new part, and every other part shared.

    `copies` has the identities of the copies that earlier calls made, which are changed in place.
    """
    if not path:
        return new
    if id(value) not in copies:
        value = value.copy()
        copies.add(id(value))
    name = path[0]
    inner = value.get(name) if isinstance(value, dict) else value[name]
    value[name] = _replaced(inner, path[1:], new, copies)
    return value
