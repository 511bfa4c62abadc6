r"""Texts that are calls and no more, written just as their format has them: they are read at once.

Most answers are: one call, or several with a marker each. A format may have a pattern of such a
text. If none matches, or the arguments are not valid without coercion, the text is read as any
other is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from schema2model.calls.call_arguments import by_schema, repeated_name
from schema2model.calls.call_types import Call, call_of
from schema2model.calls.formats.declaration import Format
from schema2model.calls.mentions import OBSERVATION
from schema2model.calls.tool_names import ToolNames
from schema2model.compiled import engine_of

__all__ = ["SingleCalls"]

_MARK: Final = re.compile(
    r"(?:\s*<think>[^<]*</think>)?(?P<start>)[^<\[{(]*(?P<mark><[^\s<>=]*[>=]?|\[[A-Z_]*\]?|[{(])"
)
"""Thinking, prose, and the first mark: what a marker begins with, or a bracket."""
_BRACKETS: Final = frozenset("[{(")
MAX_SINGLE: Final = 100_000
"""Longer texts are read as all others are."""


class _Pattern:
    """The pattern of a text that is one call."""

    def __init__(self, format_: Format, source: str, silent: str) -> None:
        self.format = format_
        self.marker = "" if format_.bare else format_.markers[0]
        """The marker before each of several calls."""
        self.may_be_list = bool(format_.between) and '(?P<arguments>"' not in source
        """Whether a list may hold several; before arguments in a string, each call has an id."""
        self._source = source
        self._silent = silent

    @cached_property
    def match(self) -> re.Pattern[str]:
        """Compiled when it is first needed."""
        around = "|".join(map(re.escape, self.format.around))
        before = rf"(?:(?:{around})\s*)*" if around else ""
        behind = f"{around}|{self._silent}" if around else self._silent
        return re.compile(f"{before}{self._source}\\s*(?:(?:{behind})\\s*)*", re.DOTALL)

    @cached_property
    def between(self) -> re.Pattern[str]:
        """The separator of two calls in a list."""
        return re.compile(self.format.between)


class SingleCalls:
    """Reads texts that are calls and no more, in some formats.

    Args:
        formats: all that a text may be written in.
        silent: markers without a meaning after a call.

    """

    def __init__(self, formats: Iterable[Format], silent: Iterable[str]) -> None:
        self._patterns: dict[str, list[_Pattern]] = {}
        """By the mark with which such a text begins."""
        self._behind: dict[str, list[_Pattern]] = {}
        """By the mark after other text."""
        either = "|".join(map(re.escape, silent))
        for format_ in formats:
            marks = (_MARK.match(marker) for marker in (*format_.markers, *format_.around))
            begun = {mark["mark"] for mark in marks if mark}
            for source in format_.single:
                pattern = _Pattern(format_, source, either)
                for mark in begun:
                    self._behind.setdefault(mark, []).append(pattern)
                    if format_.before is None:
                        self._patterns.setdefault(mark, []).append(pattern)

    def read(self, text: str, names: ToolNames, format_name: str | None) -> list[Call] | None:
        """The calls that a text is, as their tools take them; None if that is not known."""
        if len(text) > MAX_SINGLE:
            return None
        marked = _MARK.match(text)
        if marked is None:
            return None
        first, mark = marked.start(1), marked[2]
        begins = first if mark in _BRACKETS else marked.start(2)
        if begins > first and (text[begins - 1] == "`" or OBSERVATION in text[first:begins]):
            return None
        patterns = self._patterns if marked.start(2) == begins else self._behind
        for pattern in patterns.get(mark, ()):
            found = pattern.match.fullmatch(text, begins)
            if found is not None:
                return _calls(pattern, found, begins, names, format_name)
        return None


def _calls(
    pattern: _Pattern,
    found: re.Match[str],
    begins: int,
    names: ToolNames,
    format_name: str | None,
) -> list[Call] | None:
    """The calls of a text that a pattern takes for one; None if only `CallReader` can tell."""
    calls = _several(pattern, found.string, begins, names, format_name)
    if calls is None and pattern.may_be_list:
        calls = _listed(pattern, found, names, format_name)
    if calls is not None:
        return calls
    call = _found(pattern.format, found, names, format_name)
    return None if call is None else [call]


def _several(
    pattern: _Pattern, text: str, begins: int, names: ToolNames, format_name: str | None
) -> list[Call] | None:
    """The calls of a text that has only calls, each after the same marker."""
    calls: list[Call] = []
    following = text.find(pattern.marker, begins) if pattern.marker else -1
    if following < 0 or text.find(pattern.marker, following + 1) < 0:
        return None
    while begins < len(text):
        following = text.find(pattern.marker, following + 1)
        ends = following if following >= 0 else len(text)
        found = pattern.match.fullmatch(text, begins, ends)
        call = None if found is None else _found(pattern.format, found, names, format_name)
        if call is None:
            return None
        calls.append(call)
        begins = ends
    return calls


def _listed(
    pattern: _Pattern, found: re.Match[str], names: ToolNames, format_name: str | None
) -> list[Call] | None:
    """The calls of a list that a pattern takes for one; None where it is one, or in doubt."""
    at, end = found.span("arguments")
    spelled, starts = found["name"], found.start("call")
    in_brackets = found.groupdict().get("list") is not None
    calls: list[Call] = []
    for between in pattern.between.finditer(found.string, at, end):
        if in_brackets and between["separator"] != ",":
            return None
        given = found.string[at : between.start("end")]
        ends = between.end("end")
        call = _accepted(pattern.format, spelled, given, starts, ends, names, format_name)
        if call is None:
            return None
        calls.append(call)
        at, spelled, starts = between.end(), between["name"], between.start("call")
    if not calls:
        return None
    given, ends = found.string[at:end], found.end("call")
    call = _accepted(pattern.format, spelled, given, starts, ends, names, format_name)
    return None if call is None else [*calls, call]


def _found(
    format_: Format, found: re.Match[str], names: ToolNames, format_name: str | None
) -> Call | None:
    """The call that was found, as its tool takes it; None if that is not known."""
    start, end = found.span("call")
    return _accepted(format_, found["name"], found["arguments"], start, end, names, format_name)


def _accepted(  # noqa: PLR0913, PLR0917 - by position: keywords take time
    format_: Format,
    spelled: str,
    said: str,
    start: int,
    end: int,
    names: ToolNames,
    format_name: str | None,
) -> Call | None:
    """A call as its tool takes it; None if that is not known."""
    name = names.find(spelled)
    given = None if name is None or "\\" in spelled else format_.given(said)
    if given is None or name is None:
        return None
    try:
        if isinstance(given, str):
            arguments = engine_of(names.schema(name)).accept_json(given)
            if given.count('":') != len(arguments) and repeated_name(given):
                return None
        else:
            arguments = by_schema(names, name, *given)
        arguments = names.decoded(name, arguments)
    except Exception:  # noqa: BLE001 - a hostile value may raise anything
        return None
    written = given if isinstance(given, str) else given[0]
    return call_of(name, arguments, format_name or format_.name, start, end, None, written)
