"""`CallReader` and `read_calls`: from a text, streamed or whole, to calls that their tools take."""

from __future__ import annotations

import dataclasses
import json
import re
import weakref
from collections.abc import Callable
from typing import Any, Final, Literal

from schema2model.calls.blocks import begun_call
from schema2model.calls.call_arguments import as_refused, called, no_tool, own_value, unwrapped
from schema2model.calls.call_types import ArrivingCall, Call, RawCall
from schema2model.calls.formats.records import client_record, records_of
from schema2model.calls.formats.wire_format import WireFormat, record_of
from schema2model.calls.marks import Marks
from schema2model.calls.parameters import arrived_parameters
from schema2model.calls.problems import NO_MARKS
from schema2model.calls.scan import Scan
from schema2model.calls.tool_names import ToolNames
from schema2model.coerce.search.readings import Change
from schema2model.limits import MAX_SUGGESTIONS
from schema2model.regexes import regex

__all__ = ["CallReader", "Errors", "only_call", "read_calls"]

Errors = Literal["raise", "keep"]

_Key = tuple[str, bool, str]
"""A call's name, whether it was read, and its arguments or text."""
_DRAFTS: Final = "it was drafted in two ways, and nothing says which is meant; send one"
_FOLLOWED: Final = "it is within the thinking; send it after the thinking, if it is meant"


_ENDS: Final = regex(r"[>\])}`✿\n<\[]")
_MARK: Final = 100
"""Characters of an end mark."""
_GROWTH: Final = 8
"""How many times as long a call has to be to be read again before its end mark has come."""
_known: weakref.WeakKeyDictionary[ToolNames, dict[Any, Marks]] = weakref.WeakKeyDictionary()


def _marks(names: ToolNames, format_: str | None, declared: tuple[WireFormat, ...]) -> Marks:
    """The marks of a format, or of all, made once for the same tools."""
    known = _known.setdefault(names, {})
    key = (format_, declared, len(names.all))
    if key not in known:
        records = records_of(format_, tuple(map(record_of, declared)))
        reads_client = format_ in {None, "client_xml"} and names.all
        client = client_record(names.pattern, names.keys) if reads_client else None
        known[key] = Marks(records, client)
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


def _check(chunk: str) -> None:
    if not isinstance(chunk, str):
        message = f"a chunk is str, not {type(chunk).__name__}"
        raise TypeError(message)


def only_call(calls: list[Call]) -> Call:
    """The only call of a text.

    Raises:
        ToolError: where it holds none, or several.

    """
    if len(calls) == 1:
        return calls[0]
    reason = f"the text holds {len(calls)} calls" if calls else "the text holds no call"
    advice = f"{reason}; send one"
    raise no_tool(advice)


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
        self._length = 0
        self._spent = 0
        self._calls: list[Call] = []

    @property
    def text(self) -> str:
        """The prose so far: what is neither a call, nor thinking, nor a marker."""
        return self._scan.prose.shown

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
        begun = begun_call(text, *pending) if pending else None
        name = self._names.find(begun[0]) if begun else None
        if pending is None or begun is None or name is None:
            return None
        _, at, record = begun
        if self._partial is None or self._partial[0] != pending[0]:
            schema = self._names.untyped if record else self._names.schema
            self._partial = [pending[0], schema(name).partial(), at]
            if record:
                self._partial[1].feed("{")
        _, partial, fed = self._partial
        if record is None:
            partial.feed(text[fed:])
            self._partial[2] = len(text)
        else:
            arrived, self._partial[2] = arrived_parameters(text, fed, record)
            for key, value, is_text in arrived:
                shown = partial.feed(f"{json.dumps(key)}: {json.dumps(value)},")
                if shown and own_value(value, shown.get(key), is_text=is_text) is not None:
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
            return self._names.schema(call.name).explain_json(unwrapped(call.written)).changes
        return self._names.untyped(call.name).explain(call.written).changes

    def feed(self, chunk: str) -> list[Call]:
        """Take the next piece of the text, and return the calls that it completes.

        Raises:
            RuntimeError: after `finish`.

        """
        if self._ended:
            message = "`finish` has been called; use a new `call_reader()` for the next text"
            raise RuntimeError(message)
        _check(chunk)
        self._new.append(chunk)
        self._length += len(chunk)
        left, awaited = len(self._text) - self._scan.at, self._scan.awaited
        grown = self._length - len(self._text)
        if awaited and grown < _GROWTH * left and not self._has_arrived(awaited, chunk):
            return []
        if self._spent < 0 and grown < left:
            return []
        self._text += "".join(self._new)
        self._new.clear()
        at = self._scan.at
        self._scan.read(self._text, ended=False)
        share = 40 if self._scan.awaited else 1 if self._scan.pending else 8
        self._spent += share * (len(chunk) + self._scan.at - at) - self._length + self._scan.at
        return self._take()

    def _has_arrived(self, awaited: re.Pattern[str], chunk: str) -> bool:
        """Return whether the last chunk completes what is awaited."""
        if not _ENDS.search(chunk):
            return False
        tail = "".join(self._new[-_MARK:])
        tail = self._text[-_MARK:] + tail if len(tail) < _MARK else tail
        known = min(_MARK, len(tail) - len(chunk))
        found = awaited.finditer(tail[-known - len(chunk) :])
        return any(each.end() > known for each in found)

    def finish(self, chunk: str = "") -> list[Call]:
        """Take the last piece of the text, and return the calls that it completes."""
        _check(chunk)
        self._text += "".join(self._new) + chunk
        self._new.clear()
        self._ended = True
        self._scan.read(self._text, ended=True)
        returned = {call.start for call in self._calls}
        new = self._take()
        scan = self._scan
        if not self.calls and scan.prose.thought and scan.thinks:
            drafts = self._thought(*scan.prose.thought)
            new = [call for call in drafts if call.start not in returned]
            self._calls += drafts
        return new

    def _thought(self, begins: int, end: int) -> list[Call]:
        """The calls in thinking that nothing follows; of two drafts of one, neither."""
        reader = CallReader(self._names, self._format, self._declared, _thinks=False)
        reader.finish(self._text[begins:end])
        after = reader._scan.prose.last
        meant = {reader._key(call) for call in reader.calls if call.end > after}
        drafts: dict[str, set[_Key]] = {}
        for call in reader.calls:
            drafts.setdefault(call.name, set()).add(reader._key(call))
        calls = []
        for call in reader.calls:
            if call.end <= after and reader._key(call) in meant:
                continue
            if after and len(drafts[call.name]) > 1:
                calls.append(as_refused(call, _DRAFTS))
            elif call.end <= after and call.error is None:
                calls.append(as_refused(call, _FOLLOWED))
            else:
                calls.append(call)
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
            if written.lacks_marks:
                call = as_refused(call, NO_MARKS)
            new.append(call)
            self._calls.append(call)
            if self.stays_text is not None and self.stays_text(call):
                shown = self._text[call.start : call.end]
                if written.slot >= 0:
                    self._scan.prose.pieces[written.slot] = shown
                else:
                    self._scan.prose.pieces.append(shown)
        return new

    def _key(self, call: Call) -> _Key:
        """The arguments of a call, or the text of a refused one: its repetitions have the same."""
        if call.error is None:
            return call.name, True, json.dumps(call.arguments, sort_keys=True)
        return call.name, False, self._text[call.start : call.end].strip()
