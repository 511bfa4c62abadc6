"""`CallReader` and `read_calls`: from a text, streamed or whole, to calls that their tools take."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import weakref
from collections.abc import Callable, Collection
from typing import Any, Final, Literal

from pydantic_core import from_json

from schema2model.calls.blocks import arriving, parameters
from schema2model.calls.call_types import ArrivingCall, Call, RawCall
from schema2model.calls.formats.wire_format import WireFormat, wire_of
from schema2model.calls.formats.wires import WIRES
from schema2model.calls.scan import Marks, Scan, marks_of
from schema2model.calls.tool_names import ToolNames, unknown_tool
from schema2model.calls.unread import unread
from schema2model.coerce.rules.envelopes import ENVELOPES
from schema2model.coerce.search.readings import Change
from schema2model.errors import NOTHING_SENT, Issue, ToolError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.json.values import CONTAINERS
from schema2model.limits import MAX_SUGGESTIONS

__all__ = ["CallReader", "Errors", "only_call", "read_calls"]

Errors = Literal["raise", "keep"]

_Key = tuple[str, bool, str]
"""A call's name, whether it was read, and its arguments or text."""
_OF_JSON: Final = frozenset(each.name for each in WIRES if each.body in {"calls", "object"})
"""The formats whose calls or arguments are JSON."""
_DRAFTS: Final = "it was drafted in two ways, and nothing says which is meant; send one"
_FOLLOWED: Final = "it is within the thinking; send it after the thinking, if it is meant"


_ENDS: Final = re.compile(r"[>\])}`✿\n<\[]")
_MARK: Final = 100
"""Characters of an end mark."""
_made: weakref.WeakKeyDictionary[ToolNames, dict[Any, Marks]] = weakref.WeakKeyDictionary()


def _marks(names: ToolNames, format_: str | None, declared: tuple[WireFormat, ...]) -> Marks:
    known = _made.setdefault(names, {})
    key = (format_, declared, len(names.all))
    if key not in known:
        known[key] = marks_of(names, format_, tuple(map(wire_of, declared)))
    return known[key]


def read_calls(
    text: str,
    names: ToolNames,
    format_: str | None,
    errors: Errors,
    declared: tuple[WireFormat, ...] = (),
) -> list[Call]:
    """The calls in a whole text, in one format or any, also those that are `declared`.

    Raises:
        ToolError: the first that cannot be read, unless errors are kept.
        TypeError: if it is not text.
        ValueError: for an unknown format.

    """
    if not isinstance(text, str):
        message = f"read_calls takes the text of a model, got {type(text).__name__}"
        raise TypeError(message)
    reader = CallReader(names, format_, declared)
    reader.finish(text)
    calls = reader.calls
    if errors == "raise":
        for call in calls:
            if call.error is not None:
                raise call.error
    return calls


def only_call(calls: list[Call]) -> Call:
    """The only call of a text.

    Raises:
        ToolError: where it holds none, or several.

    """
    if len(calls) == 1:
        return calls[0]
    reason = f"the text holds {len(calls)} calls" if calls else "the text holds no call"
    advice = f"{reason}; send one"
    raise _no_tool(advice)


class CallReader:
    """Reads calls from text that streams. Made by `Toolset.call_reader`.

    Each call is returned once, when it is complete; one that cannot be read has its `error`.
    """

    stays_text: Callable[[Call], bool] | None = None
    """Whether a call is shown as text as well, at its place in the prose."""

    def __init__(
        self,
        names: ToolNames,
        format_: str | None = None,
        declared: tuple[WireFormat, ...] = (),
        *,
        _thinks: bool = True,
    ) -> None:
        self._names = names
        self._format = format_
        self._declared = declared
        self._scan = Scan(_marks(names, format_, declared), names, thinks=_thinks)
        self._text = ""
        self._new: list[str] = []
        self._ended = False
        self._taken = 0
        self._shown = 0
        self._partial: list[Any] | None = None
        self._undecided: set[str] = set()
        self._tail = ""
        self._length = 0
        self._spent = 0
        self._again_at = 0
        self._calls: list[Call] = []
        self._keys: set[_Key] = set()

    @property
    def text(self) -> str:
        """The prose so far: what is neither a call, nor thinking, nor a marker."""
        return "".join(self._scan.prose)

    def new_text(self) -> str:
        """The prose that has come since this was last called."""
        text = self.text
        shown, self._shown = self._shown, len(text)
        return text[shown:]

    @property
    def arriving(self) -> ArrivingCall | None:
        """The call that is not complete, if its name is known.

        Its arguments are shown as `CompiledSchema.partial` shows them, where they are JSON or
        text in tags; else they are empty until the call is complete.
        """
        pending = self._scan.pending
        text = self._text + "".join(self._new)
        begun = arriving(text, *pending) if pending else None
        name = self._names.find(begun[0]) if begun else None
        if pending is None or begun is None or name is None:
            return None
        _, at, marks = begun
        if self._partial is None or self._partial[0] != pending[0]:
            schema = self._names.untyped if marks else self._names.schema
            self._partial = [pending[0], schema(name).partial(), at]
            if marks:
                self._partial[1].feed("{")
        _, partial, fed = self._partial
        if marks is None:
            partial.feed(text[fed:])
            self._partial[2] = len(text)
        else:
            given, self._partial[2] = parameters(text, fed, marks)
            for key, value, is_text in given:
                shown = partial.feed(f"{json.dumps(key)}: {json.dumps(value)},")
                if shown and _own_value(value, shown.get(key), is_text=is_text) is not None:
                    self._undecided.add(key)
        known = partial.value
        if known and self._undecided:
            known = {key: known[key] for key in known if key not in self._undecided}
        return ArrivingCall(name, self._names.decoded_part(name, known))

    @property
    def calls(self) -> list[Call]:
        """All calls so far, without those that turned out to be drafts."""
        return self._calls[self._scan.drafted :]

    @property
    def changes(self) -> list[tuple[Change, ...]]:
        """For each of `calls`, what was changed on the way to its arguments."""
        return [() if call.error else self._changes(call) for call in self.calls]

    def _changes(self, call: Call) -> tuple[Change, ...]:
        if isinstance(call.written, str):
            return self._names.schema(call.name).explain_json(_unwrapped(call.written)).changes
        return self._names.untyped(call.name).explain(call.written).changes

    def feed(self, chunk: str) -> list[Call]:
        """Take the next piece of the text, and return the calls that it completes.

        Raises:
            RuntimeError: after `finish`.

        """
        if self._ended:
            message = "`finish` has been called; use a new `call_reader()` for the next text"
            raise RuntimeError(message)
        self._new.append(chunk)
        self._tail = (self._tail + chunk)[-len(chunk) - _MARK :]
        self._length += len(chunk)
        awaited = self._scan.awaited
        if awaited and self._length < self._again_at:
            if not _ENDS.search(chunk):
                return []
            known = len(self._tail) - len(chunk)
            if not any(found.end() > known for found in awaited.finditer(self._tail)):
                return []
        if self._spent < 0 and self._length < self._again_at:
            return []
        self._text += "".join(self._new)
        self._new.clear()
        at = self._scan.at
        self._scan.read(self._text, ended=False)
        left = self._length - self._scan.at
        share = 40 if self._scan.awaited else 8
        self._spent += (
            share * (len(chunk) + self._scan.at - at) - left
        )  # what is long is not read again for each chunk
        self._again_at = self._length + left
        return self._take()

    def finish(self, chunk: str = "") -> list[Call]:
        """Take the last piece of the text, and return the calls that it completes."""
        self._text += "".join(self._new) + chunk
        self._new.clear()
        self._ended = True
        self._scan.read(self._text, ended=True)
        new = self._take()
        scan = self._scan
        if not self.calls and scan.thought and not scan.said and scan.thinks:
            new = self._thought(*scan.thought)
            self._calls += new
        if not self.calls and scan.thinks:
            new += self._added(unread(self.text, self._names))
        return new

    def _thought(self, begins: int, end: int) -> list[Call]:
        """The calls in thinking that nothing follows; of two drafts of one, neither."""
        reader = CallReader(self._names, self._format, self._declared, _thinks=False)
        reader.finish(self._text[begins:end])
        drafts: dict[str, set[_Key]] = {}
        for call in reader.calls:
            drafts.setdefault(call.name, set()).add(reader._key(call))
        calls = [
            _refused(call, _DRAFTS) if len(drafts[call.name]) > 1 else call for call in reader.calls
        ]
        after = reader._scan.prose_end
        calls = [
            _refused(call, _FOLLOWED) if call.end <= after and call.error is None else call
            for call in calls
        ]
        return [
            dataclasses.replace(call, start=call.start + begins, end=call.end + begins)
            for call in calls
        ]

    def _take(self) -> list[Call]:
        new, self._taken = self._scan.calls[self._taken :], len(self._scan.calls)
        return self._added(new)

    def _added(self, found: list[RawCall]) -> list[Call]:
        new = []
        for written in found:
            written.format = self._format or written.format
            call = called(self._names, written, helped=len(self._calls) < MAX_SUGGESTIONS)
            if written.may_repeat and self._key(call) in map(self._key, self._calls):
                continue
            new.append(call)
            self._calls.append(call)
            if self.stays_text is not None and self.stays_text(new[-1]):
                self._scan.prose.append(self._text[new[-1].start : new[-1].end])
        return new

    def _key(self, call: Call) -> _Key:
        """The arguments of a call, or the text of a refused one: its repetitions have the same."""
        if call.error is None:
            return call.name, True, json.dumps(call.arguments, sort_keys=True)
        return call.name, False, self._text[call.start : call.end].strip()


# ---------------------------------------------------------------------------------- arguments
def called(names: ToolNames, written: RawCall, *, helped: bool = True) -> Call:
    """A call as its tool takes it, or with the error that says why it does not.

    Where no tool has its name, the error has the nearest ones if it is to be `helped`.
    """
    arguments, error = None, None
    name = names.find(written.name)
    if name is None:
        problem = "" if written.name else written.problem
        known, find = (names.all, names.find) if helped else ((), None)
        error = _no_tool(problem) if problem else unknown_tool(written.name, known, find)
    elif written.problem and written.beside:
        issues = [
            Issue(pointer([key]), "call", key, f"{_beside_advice(key)}, or leave it out")
            for key in written.beside
        ]
        error = ToolError.for_arguments(name, tuple(issues))
    elif written.problem:
        language = "valid JSON" if written.format in _OF_JSON else ""
        error = ToolError.for_text(name, written.problem, language=language)
    else:
        try:
            arguments = _arguments(names, name, written)
        except ToolError as refused:
            error = _beside_arguments(name, refused, written.beside)
            error.__traceback__ = error.__context__ = None  # whose frames hold all that was read
    spelled, start, end = name or written.name, written.start, written.end
    return Call(spelled, arguments, written.format, start, end, error, written.arguments)


def _arguments(names: ToolNames, name: str, written: RawCall) -> Any:
    """The valid arguments of a call; raises ToolError if it has none."""
    given = written.arguments
    if isinstance(given, str):
        given = _unwrapped(given)
    try:
        if isinstance(given, str):
            arguments = names.schema(name).validate_json(given)
        else:
            arguments = _by_schema(names, name, given, written.strings)
        return names.decoded(name, arguments)
    except ToolError as refused:
        as_given = names.as_given(name)
        if as_given is None:
            raise
        try:
            return _arguments(as_given, name, written)
        except ToolError:
            raise refused from None


def _refused(call: Call, problem: str) -> Call:
    """Return a call with an error in place of its arguments."""
    return dataclasses.replace(call, arguments=None, error=ToolError.for_text(call.name, problem))


def _own_value(text: str, read: Any, *, is_text: bool) -> Any:
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
    return f'{quoted(name)} stands beside "arguments"; move it into "arguments"'


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


def _no_tool(problem: str) -> ToolError:
    """The error for a text that is not a call of any tool."""
    issue = Issue("", "call", "a call of one tool", problem)
    return ToolError(f"Error parsing the call:\n- {problem}", issues=(issue,))


def _unwrapped(text: str) -> str:
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
        key: _own_value(text, read.get(key), is_text=key in strings) for key, text in values.items()
    }
    settled = {key: value for key, value in own.items() if value is not None}
    if settled:
        try:
            return names.schema(name).validate({**read, **settled})
        except ToolError:
            pass
    return read
