"""From a call as it was found in a text to one that its tool takes, or is refused with a reason."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Collection
from typing import Any, Final

from pydantic_core import from_json

from schema2model.advice import is_advice
from schema2model.calls.call_types import Call, RawCall
from schema2model.calls.formats.records import RECORDS
from schema2model.calls.problems import Contained, unbalanced
from schema2model.calls.tool_names import ToolNames, unknown_tool
from schema2model.coerce.rules.envelopes import ENVELOPES
from schema2model.errors import NOTHING_SENT, Issue, ToolError, without_frames
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.json.values import CONTAINERS

__all__ = ["as_refused", "called", "no_tool", "own_value", "unwrapped"]

_OF_TEXT: Final = frozenset(
    name for each in RECORDS if each.body == "tags" for name in (each.name, *each.aliases)
)
_OF_JSON: Final = (
    frozenset(each.name for each in RECORDS if each.body in {"calls", "object"}) - _OF_TEXT
)
"""The formats whose calls or arguments are JSON."""


def called(names: ToolNames, written: RawCall, *, helped: bool = True) -> Call:
    """A call as its tool takes it, or with the error that says why it does not.

    Where no tool has its name, the error has the nearest ones if it is to be `helped`.
    """
    arguments, error = None, None
    name = names.find(written.name)
    if name is None:
        problem = "" if written.name else written.problem
        known, find = (names.all, names.find) if helped else ((), None)
        error = no_tool(problem) if problem else unknown_tool(written.name, known, find)
    elif written.problem and written.beside:
        issues = [
            Issue(pointer([key]), "call", key, f"{_beside_advice(key)}, or leave it out")
            for key in written.beside
        ]
        error = ToolError.for_arguments(name, tuple(issues))
    elif written.problem:
        error = _error(name, written.problem, written.format)
    else:
        try:
            arguments = _arguments(names, name, written)
        except ToolError as refused:
            error = without_frames(_beside_arguments(name, refused, written.beside))
    spelled, start, end = name or written.name, written.start, written.end
    return Call(spelled, arguments, written.format, start, end, error, written.arguments)


def _arguments(names: ToolNames, name: str, written: RawCall) -> Any:
    """The valid arguments of a call; raises ToolError if it has none."""
    given = written.arguments
    if isinstance(given, str):
        given = unwrapped(given)
    try:
        if isinstance(given, str):
            arguments = names.schema(name).validate_json(given)
        else:
            arguments = _by_schema(names, name, given, written.strings)
        return names.decoded(name, arguments)
    except ToolError as error:
        refused = _as_closed(name, error, given) if isinstance(given, str) else error
        as_given = names.as_given(name)
        if as_given is None:
            raise refused from None
        try:
            return _arguments(as_given, name, written)
        except ToolError:
            raise refused from None


def as_refused(call: Call, problem: str) -> Call:
    """Return a call with an error in place of its arguments."""
    return dataclasses.replace(call, arguments=None, error=_error(call.name, problem, call.format))


def _error(name: str, problem: str, format_: str) -> ToolError:
    """The error for a call that cannot be read; attempts to run what is quoted can be counted."""
    language = "valid JSON" if format_ in _OF_JSON else ""
    keyword = "contained" if isinstance(problem, Contained) else "json"
    return ToolError.for_text(name, problem, language=language, keyword=keyword)


def _as_closed(name: str, error: ToolError, text: str) -> ToolError:
    """The error for arguments whose end is there: whatever is lost, they were not cut off."""
    issue = error.issues[0] if error.issues else None
    is_cut = issue is not None and is_advice(issue.advice, "cut off")
    if not is_cut or not text.rstrip().endswith(("}", "]")):
        return error
    return ToolError.for_text(name, unbalanced(text))


def own_value(text: str, read: Any, *, is_text: bool) -> Any:
    """Return what the text of a parameter says by itself; None if it was read so."""
    if is_text:
        return None if type(read) is str else text
    if type(read) in CONTAINERS:
        with contextlib.suppress(TypeError, ValueError):  # half a surrogate pair
            written = from_json(text, allow_inf_nan=False)
            if type(written) is type(read) and written != read:
                return written
    return None


def _beside_advice(name: str) -> str:
    return f'{quoted(name)} is outside "arguments"; move it into "arguments"'


def _beside_arguments(name: str, error: ToolError, beside: Collection[str]) -> ToolError:
    """Return the error with where the missing arguments are, if they are next to the others."""
    advice = {pointer([key]): _beside_advice(key) for key in beside}
    issues = tuple(
        dataclasses.replace(issue, advice=advice[issue.path])
        if issue.found == NOTHING_SENT and issue.path in advice
        else issue
        for issue in error.issues
    )
    return error if issues == error.issues else ToolError.for_arguments(name, issues)


def no_tool(problem: str) -> ToolError:
    """The error for a text that is not a call of any tool."""
    issue = Issue("", "call", "a call of one tool", problem)
    return ToolError(f"Error parsing the call:\n- {problem}", issues=(issue,))


def unwrapped(text: str) -> str:
    """The text of arguments that were written as a JSON string."""
    if text[:1] == '"':
        try:
            inner = from_json(text)
        except (TypeError, ValueError):
            return text
        return inner if type(inner) is str else text
    return text


def _by_schema(
    names: ToolNames, name: str, values: dict[str, str], strings: Collection[str]
) -> Any:
    """Arguments whose values are text: the schema says what each of them is.

    Strings are unchanged, and JSON is parsed, if the result is valid.
    """
    if len(values) == 1:
        (key,) = values
        if key in ENVELOPES and key not in names.parameters(name) and "{" in values[key]:
            return names.schema(name).validate_json(values[key])
    read = names.untyped(name).validate(values)
    own = {
        key: own_value(text, read.get(key), is_text=key in strings) for key, text in values.items()
    }
    settled = {key: value for key, value in own.items() if value is not None}
    if settled:
        try:
            return names.schema(name).validate({**read, **settled})
        except ToolError:
            pass
    return read
