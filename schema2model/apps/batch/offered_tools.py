"""Rows that repeat the lists of tools of earlier rows, byte for byte, as those of one agent do."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from schema2model.apps.batch.outcomes import json_bytes
from schema2model.json.repeated_names import parse_unique
from schema2model.json.spans import member_spans
from schema2model.limits import MAX_CACHED_TOOL_LIST, MAX_CACHED_TOOL_LISTS

__all__ = ["OfferedTools", "RowParser"]

_PREFIX = 64
"""Bytes by which the lists are looked up: the begin of a list, as far as its first tool's name."""


class OfferedTools(dict[str, Any]):
    """The compiled tools of a list, in a row in the place of the list."""


class RowParser:
    """Parses rows, and each list of tools only once: rows with twelve tools take half the time.

    A line that repeats a list is parsed with a random text in the place of the list. If that text
    is the value of the column afterwards, the list was, too; if not, all of the line is parsed.

    Args:
        column: that has the list of tools, or its text.
        compiled: returns the tools of a list, and raises ValueError if it holds none.

    >>> parser = RowParser("tools", lambda names: OfferedTools.fromkeys(names))
    >>> parser.parse(b'{"id": 1, "tools": ["f"]}')
    {'id': 1, 'tools': ['f']}
    >>> parser.parse(b'{"id": 2, "tools": ["f"]}')
    {'id': 2, 'tools': {'f': None}}

    """

    def __init__(self, column: str, compiled: Callable[[Any], OfferedTools]) -> None:
        self._column = column
        self._key = json_bytes(column) + b":"
        self._compiled = compiled
        self._token = uuid.uuid4().hex
        self._token_text = json_bytes(self._token)
        self._known: dict[bytes, list[tuple[bytes, OfferedTools]]] = {}
        self._may_learn = MAX_CACHED_TOOL_LISTS

    def parse(self, line: bytes) -> Any:
        """Return the value of a line, with `OfferedTools` in the place of a list that is known.

        Raises:
            ValueError: if it is not JSON.

        """
        start = self._start(line)
        for text, tools in self._known.get(line[start : start + _PREFIX], ()):
            if line.startswith(text, start):
                with suppress(ValueError):
                    row = parse_unique(line[:start] + self._token_text + line[start + len(text) :])
                    if type(row) is dict and row.get(self._column) == self._token:
                        row[self._column] = tools
                        return row
        row = parse_unique(line)
        if self._may_learn and type(row) is dict and row.get(self._column) is not None:
            self._may_learn -= 1
            self._learn(line, start, row[self._column])
        return row

    def _start(self, line: bytes) -> int:
        """Return where the list begins, if the first member of that name is the column."""
        start = line.find(self._key) + len(self._key)
        return start + line.startswith(b" ", start)

    def _learn(self, line: bytes, start: int, definitions: Any) -> None:
        text = line.decode()
        begin, end = member_spans(text)[self._column]
        if len(text[:begin].encode()) != start or end - begin > MAX_CACHED_TOOL_LIST:
            return
        with suppress(ValueError):  # each of its rows is refused
            known = self._known.setdefault(line[start : start + _PREFIX], [])
            known.append((text[begin:end].encode(), self._compiled(definitions)))
