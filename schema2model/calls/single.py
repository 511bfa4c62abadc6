r"""A text that is one call and no more, written just as its format has it: it is read at once.

Most answers are. Each format may say by a pattern what such a text looks like. Where none matches,
or the arguments are not what the tool takes as they stand, nothing is known, and the text is read
as any other is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from schema2model.calls.call import Call
from schema2model.calls.formats.format import Format
from schema2model.calls.names import ToolNames
from schema2model.calls.parameters import by_schema

__all__ = ["SingleCalls"]

_MARK: Final = re.compile(
    r"(?:\s*<think>[^<]*</think>)?(?P<start>)[^<\[{(]*(?P<mark><[^\s<>=]*[>=]?|\[[A-Z_]*\]?|[{(])"
)
"""Thinking, prose, and the first mark: what a marker begins with, or a bracket."""
_BRACKETS: Final = frozenset("[{(")
MAX_SINGLE: Final = 100_000
"""Longer texts are read as all others are."""


class _Pattern:
    """What a text in a format is that holds one call and no more."""

    def __init__(self, format_: Format, source: str, silent: str) -> None:
        self.format = format_
        self._source = source
        self._silent = silent

    @cached_property
    def match(self) -> re.Pattern[str]:
        """Compiled when it is first needed."""
        around = "|".join(map(re.escape, self.format.around))
        before = rf"(?:(?:{around})\s*)*" if around else ""
        behind = f"{around}|{self._silent}" if around else self._silent
        return re.compile(f"{before}{self._source}\\s*(?:(?:{behind})\\s*)*", re.DOTALL)


class SingleCalls:
    """Reads texts that are one call and no more, in some formats.

    Args:
        formats: all that a text may be written in.
        silent: markers that say nothing behind a call.

    """

    def __init__(self, formats: Iterable[Format], silent: Iterable[str]) -> None:
        self._patterns: dict[str, list[_Pattern]] = {}
        either = "|".join(map(re.escape, silent))
        for format_ in formats:
            marks = (_MARK.match(marker) for marker in (*format_.markers, *format_.around))
            begun = {mark["mark"] for mark in marks if mark}
            for source in format_.single:
                pattern = _Pattern(format_, source, either)
                for mark in begun:
                    self._patterns.setdefault(mark, []).append(pattern)

    def read(self, text: str, names: ToolNames, format_name: str | None) -> Call | None:
        """The call that a text is, as its tool takes it; None if that is not known."""
        mark = _MARK.match(text) if len(text) <= MAX_SINGLE else None
        if mark is None:
            return None
        begins = mark.start("start" if mark["mark"] in _BRACKETS else "mark")
        for pattern in self._patterns.get(mark["mark"], ()):
            found = pattern.match.fullmatch(text, begins)
            if found is None:
                continue
            format_ = pattern.format
            name = names.find(found["name"])
            given = None if name is None else format_.given(found["arguments"])
            if given is None or name is None:
                return None
            try:
                if isinstance(given, str):
                    arguments = names.schema(name).engine.accept_json(given)
                else:
                    arguments = by_schema(names, name, *given)
            except Exception:  # noqa: BLE001 - a hostile value may raise anything
                return None
            written = given if isinstance(given, str) else given[0]
            return Call(
                name, arguments, format_name or format_.name, *found.span("call"), None, written
            )
        return None
