"""`CallReader` and `read_calls`: from a text, streamed or whole, to calls that their tools take."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any, Final, Literal

from pydantic_core import from_json

from schema2model.advice import is_advice
from schema2model.calls.call_parser import Arriving
from schema2model.calls.call_texts import has_end
from schema2model.calls.call_types import ArrivingCall, Call, RawCall
from schema2model.calls.finder import DRAFTS, Finder, State
from schema2model.calls.formats import FORMATS
from schema2model.calls.formats.wire_format import WireFormat, compiled_format
from schema2model.calls.markers import Markers
from schema2model.calls.text_source import TextSource
from schema2model.calls.tool_names import ToolNames, unknown_tool
from schema2model.calls.usual_calls import usual_calls
from schema2model.coerce.rules.envelopes import ENVELOPES
from schema2model.coerce.search.readings import Change
from schema2model.compiled import CompiledSchema
from schema2model.errors import NOTHING_SENT, Issue, ToolError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import abridged_repr, quoted
from schema2model.json.values import CONTAINERS
from schema2model.limits import MAX_SUGGESTIONS

__all__ = ["CallReader", "Errors", "only_call", "read_calls"]

Errors = Literal["raise", "keep"]

_Key = tuple[str, bool, str]
"""A call's name, whether it was read, and its arguments or text."""
_OF_JSON: Final = frozenset(each.name for each in FORMATS if each.json)
"""The formats whose calls or arguments are JSON."""
_DRAFTS: Final = "it was drafted in two ways, and nothing says which is meant; send one"
_FOLLOWED: Final = "it is within the thinking; send it after the thinking, if it is meant"


@lru_cache(256)
def _markers(format_: str | None, declared: tuple[WireFormat, ...]) -> Markers:
    """The markers of one format, or of all; those that are `declared` are read before others."""
    own = tuple(map(compiled_format, declared))
    every = (*own, *FORMATS)
    if format_ is None:
        return Markers(every, own)
    formats = [each for each in every if format_ == each.name or format_ in each.aliases]
    if not formats:
        known = sorted({name for each in every for name in (each.name, *each.aliases)})
        from schema2model.json.names import suggestion  # noqa: PLC0415 - for mistakes only

        message = f"unknown format {abridged_repr(format_)}; {suggestion(format_, known)}"
        raise ValueError(message)
    return Markers(formats, [each for each in formats if each in own])


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
    if usual := usual_calls(text, names, _markers(format_, declared)):
        for each in usual:
            each.format = format_ or each.format
        calls = [called(names, each) for each in usual]
    else:
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

    _shown = 0
    """Number of pieces of prose that `new_text` has returned."""
    _drafted = 0
    """Number of calls that were drafts."""
    _thought_end = 0
    """The offset after the last prose before the end of the thinking."""
    _keyed = 0
    """Number of calls whose keys are known."""
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
        self._source = TextSource()
        self._prose: list[str] = []
        self._finder = Finder(
            self._source, names, _markers(format_, declared), self._prose.append, thinks=_thinks
        )
        self._run = self._finder.run()
        self._calls: list[Call] = []
        self._keys: set[_Key] = set()

    @property
    def text(self) -> str:
        """The prose so far: what is neither a call, nor thinking, nor a marker."""
        return "".join(self._prose)

    def new_text(self) -> str:
        """The prose that has come since this was last called."""
        pieces, self._shown = self._prose[self._shown :], len(self._prose)
        return "".join(pieces)

    @property
    def arriving(self) -> ArrivingCall | None:
        """The call that is not complete, if its name is known.

        Its arguments are shown as `CompiledSchema.partial` shows them, where they are JSON or
        text in tags; else they are None until the call is complete.
        """
        arriving = self._finder.arriving
        if arriving is None or (name := self._names.find(arriving.name)) is None:
            return None
        return ArrivingCall(name, self._known(arriving, name))

    @property
    def calls(self) -> list[Call]:
        """All calls so far, without those that turned out to be drafts."""
        return self._calls[self._drafted :]

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
        if self._source.ended:
            message = "`finish` has been called; use a new `call_reader()` for the next text"
            raise RuntimeError(message)
        return self._advance() if self._source.push(chunk) else []

    def finish(self, chunk: str = "") -> list[Call]:
        """Take the last piece of the text, and return the calls that it completes."""
        known = {call.start for call in self._calls}
        self._source.push(chunk)
        self._source.ended = True
        calls = self._advance()
        state = self._finder.state
        if state is State.THOUGHT and not self.calls:
            calls = self._thought(*self._finder.thought)
            self._calls += calls
        elif self._drafted == len(self._calls) and state is not State.SPOKEN:
            self._drafted = 0  # nothing follows the thinking: it holds the calls
            self._calls = self._meant(self._calls, self._thought_end)
            calls = [call for call in self._calls if call.start not in known]
        return calls

    def _thought(self, begins: int, end: int) -> list[Call]:
        """The calls in thinking that nothing follows; of two drafts of one, neither."""
        reader = CallReader(self._names, self._format, self._declared, _thinks=False)
        reader.finish(self._source.slice(begins, end))
        drafts: dict[str, set[_Key]] = {}
        for call in reader.calls:
            drafts.setdefault(call.name, set()).add(reader._key(call))
        calls = [
            _refused(call, _DRAFTS) if len(drafts[call.name]) > 1 else call for call in reader.calls
        ]
        return [
            dataclasses.replace(call, start=call.start + begins, end=call.end + begins)
            for call in reader._meant(calls, reader._finder.prose_end)
        ]

    def _meant(self, calls: list[Call], end: int) -> list[Call]:
        """The calls of a thinking whose prose ends at an offset: those before it are drafts.

        A draft is refused, unless it is called after all.
        """
        final = {self._key(call) for call in calls if call.end > end}
        return [
            _refused(call, _FOLLOWED) if call.end <= end and call.error is None else call
            for call in calls
            if call.end > end or self._key(call) not in final
        ]

    def _advance(self) -> list[Call]:
        first = len(self._calls)
        for item in self._run:
            if item is None:
                break
            if item is DRAFTS:
                self._drafted = len(self._calls)
                self._thought_end = self._finder.prose_end
            else:
                self._add(item)
        return self._calls[first:]

    def _add(self, written: RawCall) -> None:
        written.format = self._format or written.format
        call = called(self._names, written, helped=len(self._calls) < MAX_SUGGESTIONS)
        self._finder.refused += call.error is not None
        if written.may_be_rest and self._calls and self._calls[-1].error is not None:
            return
        if written.may_repeat:
            self._keys.update(map(self._key, self._calls[self._keyed :]))
            self._keyed = len(self._calls)
            if self._key(call) in self._keys:
                return
        self._calls.append(call)
        if self.stays_text is not None and self.stays_text(call):
            self._prose.append(self._source.slice(call.start, call.end))

    def _key(self, call: Call) -> _Key:
        """The arguments of a call, or the text of a refused one: its repetitions have the same."""
        if call.error is None:
            return call.name, True, json.dumps(call.arguments, sort_keys=True)
        return call.name, False, self._source.slice(call.start, call.end).strip()

    def _known(self, arriving: Arriving, name: str) -> Any:
        """The known arguments of a call that is arriving."""
        if arriving.partial is None:
            schema = self._names.untyped if arriving.begins is None else self._names.schema
            arriving.partial = schema(name).partial()
            if arriving.begins is None:
                arriving.partial.feed("{")
        if arriving.begins is None:
            for key, value in arriving.values[arriving.fed :]:
                shown = arriving.partial.feed(f"{json.dumps(key)}: {json.dumps(value)},")
                is_text = key in arriving.strings
                if shown and _own_value(value, shown.get(key), is_text=is_text) is not None:
                    arriving.undecided.add(key)
            arriving.fed = len(arriving.values)
        else:
            place = self._source.place
            arriving.partial.feed(self._source.slice(arriving.begins + arriving.fed, place))
            arriving.fed = place - arriving.begins
        known = arriving.partial.value
        if arriving.undecided:
            known = {key: known[key] for key in known if key not in arriving.undecided}
        return self._names.decoded_part(name, known)


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
            arguments = _by_reader(names.schema(name), given, is_cut=written.is_cut)
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


def _by_reader(compiled: CompiledSchema, text: str, *, is_cut: bool) -> Any:
    """The valid arguments in a text, whose brackets are all there if it `is_cut`."""
    if is_cut and not compiled.is_valid_json(text):
        reading = compiled._engine.validate_call(text, is_cut=True)
        if reading.error is not None:
            raise reading.error
    try:
        return compiled.validate_json(text)
    except ToolError as refused:
        if not is_cut and has_end(text, is_cut=False) and _says_cut_off(refused):
            reading = compiled._engine.validate_call(text, is_cut=True)
            raise (reading.error or refused) from None
        raise


def _refused(call: Call, problem: str) -> Call:
    """Return a call with an error in place of its arguments."""
    return dataclasses.replace(call, arguments=None, error=ToolError.for_text(call.name, problem))


def _says_cut_off(error: ToolError) -> bool:
    """Return whether an error says that the arguments were cut off."""
    return any(is_advice(issue.advice, "cut off") for issue in error.issues)


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
