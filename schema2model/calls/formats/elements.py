"""Parameters between any marks, in which objects and lists may be written with the same marks."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from schema2model.calls.call_parser import Arriving, CallParser, CallStart, CallSteps
from schema2model.calls.call_types import RawCall, given_twice
from schema2model.calls.formats.declaration import pass_call
from schema2model.calls.text_source import Ending
from schema2model.calls.tool_names import ToolNames
from schema2model.limits import MAX_DEPTH
from schema2model.text.schema_view import NO_SCHEMA, SchemaView

__all__ = ["Elements"]

_LONGEST: Final = 600
"""Maximum characters of a mark with the names in it."""


@dataclass(slots=True)
class _Element:
    """A value that has begun: a parameter, a member or an item."""

    key: str
    view: SchemaView
    members: list[tuple[str, Any]] = field(default_factory=list)

    def value(self, text: str, item: str) -> Any:
        """Return a string, or the list or object of the values within.

        Raises:
            ValueError: where a name has two values, or text is between the values.

        """
        view = self.view
        if not self.members:
            if text.strip() or view.wants("string"):
                return text
            return [] if view.wants("array") else {} if view.wants("object") else text
        if text.strip():
            message = f"there is text between the values within `{self.key[:80]}`"
            raise ValueError(message)
        keys = {key for key, _ in self.members}
        is_object = item in view.names() and not view.wants("array")
        if keys == {item} and not is_object:
            return [value for _, value in self.members]
        merged: dict[str, Any] = {}
        for key, value in self.members:
            if merged.setdefault(key, value) != value:
                raise ValueError(given_twice(key))
        return merged

    def begin(self, key: str, item: str) -> _Element:
        """Return the element that begins within this one."""
        is_item = key == item and (self.view.wants("array") or item not in self.view.names())
        return _Element(key, self.view.item() if is_item else self.view.member(key))


class Elements:
    """Reads the parameters of a call: every mark ends the text before it.

    Args:
        begins: the pattern of the beginning of a call.
        ends: the pattern of its end.
        opens: the pattern of the mark before a value, with the group `key`.
        closes: that of the mark after it, which may have the group `closed`.
        marker: the beginning of each mark of a parameter, which no value holds.
        item: the key of the items of a list; without it, values are not nested.
        blanks: the white space before and after a value that is not part of it.

    """

    def __init__(  # noqa: PLR0913 - one for each part
        self,
        begins: str,
        ends: str,
        opens: str,
        closes: str,
        *,
        marker: str,
        item: str = "",
        blanks: tuple[str, str] = ("", ""),
    ) -> None:
        self._blanks = blanks
        self._json_end = Ending(rf"{ends}|{begins}")
        self._marker = marker
        self._item = item
        self._mark = re.compile(
            rf"(?P<end>{ends})|(?P<close>{closes})|(?P<open>{opens})|(?P<call>{begins})"
        )
        self._own_mark = re.compile(rf"{ends}|(?P<begins>{begins})")

    def __call__(self, parser: CallParser, opening: CallStart) -> CallSteps:
        """Read the parameters of a call that was opened."""
        source, name = parser.source, opening.name
        if (yield from source.blanks()) == "{":
            yield from parser.arguments(opening, self._json_end)
            return
        opened = [_Element("", _view(parser.names, name))]
        values: dict[str, str] = {}
        parser.arriving = arriving = Arriving(name, None)
        problem, begins = "", source.place
        while not problem:
            mark = yield from source.find(self._mark, _LONGEST)
            text = source.slice(begins, source.place - len(mark[0]) if mark else source.place)
            begins = source.place
            try:
                if self._follow(mark, text, opened):
                    break
            except ValueError as error:
                problem = str(error)
                source.again(source.place - (len(mark[0]) if mark else 0))
            if len(opened) == 1 and opened[0].members:
                key, value = opened[0].members.pop()
                written = value if isinstance(value, str) else json.dumps(value)
                if values.setdefault(key, written) != written:
                    problem = given_twice(key)
                arriving.values.append((key, written))
        parser.arriving = None
        if problem:
            yield from pass_call(source, self._own_mark, _LONGEST)
        yield RawCall(name, values, opening.start, source.place, problem=problem)

    def _follow(self, mark: re.Match[str] | None, text: str, opened: list[_Element]) -> bool:
        """Follow a mark, and the text before it; return whether it ends the call.

        Raises:
            ValueError: for a mark that is out of place, and where there is none.

        """
        element, is_call = opened[-1], len(opened) == 1
        kind = mark.lastgroup if mark else None
        if mark and kind == "close" and not is_call and self._marker not in text:
            if mark.groupdict().get("closed") in {None, element.key}:
                before, after = self._blanks
                inner = text.removeprefix(before).removesuffix(after)
                value = element.value(inner, self._item)
                opened.pop()
                opened[-1].members.append((element.key, value))
                return False
        elif not text.strip():
            if kind == "end" and is_call:
                return True
            if mark and kind == "open" and (self._item or is_call) and len(opened) <= MAX_DEPTH:
                opened.append(element.begin(mark["key"], self._item))
                return False
        raise ValueError(_out_of_place(mark, text, "" if is_call else element.key))


def _out_of_place(mark: re.Match[str] | None, text: str, key: str) -> str:
    """Say what is wrong with a mark after a text in a call, or in the value of `key`."""
    if mark is None and (key or not text.strip()):
        return f"it was cut off in `{key[:80]}`" if key else "it was cut off"
    if key:
        return f"the value of `{key[:80]}` does not end"
    return "its end is missing" if mark is None else "a mark of a parameter is missing"


def _view(names: ToolNames, spelled: str) -> SchemaView:
    """Return a view of the schema of a tool."""
    known = names.find(spelled)
    return NO_SCHEMA if known is None else names.schema(known)._engine.anchors
