"""Detects the layout of rows from the first of them, before anything is corrected."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, get_args

from schema2model.apps.batch.bounded_names import shortened
from schema2model.apps.batch.conversations import RecordedCall, is_message, recorded_in
from schema2model.apps.batch.corrector import Corrector, Tools
from schema2model.apps.batch.layouts import Layout, LayoutKind
from schema2model.apps.batch.rows import conversation_of
from schema2model.json.quoting import quoted
from schema2model.json.repeated_names import RepeatedNameError
from schema2model.limits import MAX_COLUMNS, MAX_DETECTED_TEXT

__all__ = ["FoundLayout", "GivenColumns", "find_layout"]

TOOL = ("tool", "tool_name", "toolName", "name", "function_name", "function")
ARGUMENTS = (
    "arguments",
    "args",
    "input",
    "tool_input",
    "tool_arguments",
    "tool_args",
    "toolInput",
    "function_arguments",
    "parameters",
    "params",
)
MODEL = ("model", "model_name", "model_id", "modelVersion")
TOOLS = ("tools", "functions", "available_tools", "tool_definitions")
ID = (
    "conversation_id",
    "session_id",
    "thread_id",
    "trace_id",
    "custom_id",
    "request_id",
    "call_id",
    "id",
)
"""Names that columns have where people record calls, the likeliest first."""

GivenColumns = Mapping[str, "str | None"]
"""Columns that the user names, by the fields of `Layout`."""


class FoundLayout(NamedTuple):
    """A layout, and the number of sampled rows that have calls in it.

    `of` is the sample size, and `known` the number of rows with calls of known tools.
    """

    layout: Layout
    rows: int
    of: int
    known: int
    calls: int = 0
    forms: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Describe the result in one line."""
        layout = self.layout
        if layout.kind == "calls":
            told = f"calls, tool in {_column(layout.tool)}, arguments in "
            told += _column(layout.arguments)
        elif layout.kind == "text":
            told = f"text in {_column(layout.text)}"
        else:
            told = " and ".join(self.forms) or "conversations"
            told += f" in {_column(layout.messages)}" if layout.messages else " in each row"
        if layout.tools is not None:
            told += f"; tools in {_column(layout.tools)}"
        if not self.rows:
            return f"{told} (no calls in the first {self.of} rows)"
        return f"{told} (calls in {self.rows} of the first {self.of} rows)"


def find_layout(
    rows: Iterable[Mapping[str, Any]],
    corrector: Corrector,
    *,
    kind: LayoutKind | None = None,
    given: GivenColumns | None = None,
) -> FoundLayout:
    """Return the layout under which the most rows have calls, preferably of known tools.

    Args:
        rows: the first of them.
        corrector: knows the tools.
        kind: the only layout to try; all by default.
        given: columns that are not searched for.

    >>> block = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    >>> row = {"log": [{"role": "assistant", "content": [block]}]}
    >>> find_layout([row], Corrector()).words
    'Anthropic content blocks in "log" (calls in 1 of the first 1 rows)'

    """
    detector = _Detector([row for row in rows if isinstance(row, Mapping)], corrector, given or {})
    tried = {"calls": detector.calls, "chat": detector.chat, "text": detector.text}
    if kind is not None:
        return tried[kind]()
    found: list[FoundLayout] = []
    for each in get_args(LayoutKind):  # text, which takes the longest to read, is the last
        if each != "text" or all(2 * before.known < before.of for before in found):
            found.append(tried[each]())
    return max(found, key=lambda each: (each.known, each.rows))


class _Detector:
    """Finds the best layout of each kind for some rows."""

    def __init__(self, rows: list[Any], corrector: Corrector, given: GivenColumns) -> None:
        self._rows, self._corrector = rows, corrector
        self._named = named = {key: name for key, name in given.items() if name is not None}
        self._common = Layout(
            tools=named.get("tools") or _tools_column(rows, corrector),
            model=named.get("model") or _first(rows, MODEL, str) or Layout().model,
            id=named.get("id") or _first(rows, ID, (str, int)),
            prefix=named.get("prefix", ""),
        )
        offered = [_offered(row, corrector, self._common) for row in rows]
        self._offered = [*zip(rows, offered, strict=True)]

    def _knows(self, name: Any, offered: Tools | None) -> bool:
        return isinstance(name, str) and (name in self._corrector or name in (offered or {}))

    def calls(self) -> FoundLayout:
        """Return the columns with the most calls, each in a row of its own."""
        rows, named = self._rows, self._named
        tools, arguments = (
            (named[field],) if field in named else usual
            for field, usual in (("tool", TOOL), ("arguments", ARGUMENTS))
        )
        shown: Counter[tuple[str, str]] = Counter()
        known: Counter[tuple[str, str]] = Counter()
        for row, own in self._offered:
            for pair in product(tools, arguments):
                name, value = (row.get(column) for column in pair)
                if isinstance(name, str) and isinstance(value, (str, dict)):
                    shown[pair] += 1
                    known[pair] += self._knows(name, own)
        default = tools[0], arguments[0]
        best = max(shown, key=lambda pair: (known[pair], shown[pair]), default=default)
        layout = replace(self._common, tool=best[0], arguments=best[1])
        # items of other types beside calls: then each row is an item of a conversation
        is_all = shown[best] == len(rows) or not any(map(is_message, rows)) or "tool" in named
        return FoundLayout(layout, shown[best] * is_all, len(rows), known[best] * is_all)

    def chat(self) -> FoundLayout:
        """Return the column with the most calls in conversations."""
        fixed = self._named.get("messages")
        columns: list[str | None] = [fixed] if fixed else [None]
        if not fixed and not any(map(is_message, self._rows)):
            columns = [*_columns(self._rows), None]  # the whole row, if calls are in several
        found = map(self._chat_in, columns)
        best = max(found, key=lambda each: (each.known, each.rows, each.calls))
        is_found = best.rows or fixed
        return best if is_found else best._replace(layout=replace(self._common, kind="chat"))

    def _chat_in(self, column: str | None) -> FoundLayout:
        layout = replace(self._common, kind="chat", messages=column)
        forms: Counter[str] = Counter()
        shown = known = 0
        for row, own in self._offered:
            calls: list[RecordedCall] = []
            with contextlib.suppress(RecursionError, RepeatedNameError):
                calls = recorded_in(conversation_of(row, layout), column).calls
            forms.update(call.form for call in calls)
            shown += bool(calls)
            known += any(self._knows(call.holder.get("name"), own) for call in calls)
        told = tuple(form for form, _ in forms.most_common())
        return FoundLayout(layout, shown, len(self._rows), known, sum(forms.values()), told)

    def text(self) -> FoundLayout:
        """Return the column with the most calls in texts."""
        fixed, total = self._named.get("text"), len(self._rows)
        best = FoundLayout(replace(self._common, kind="text", text=fixed or "text"), 0, total, 0)
        for column in [fixed] if fixed else _columns(self._rows):
            shown = known = 0
            for row, own in self._offered:
                text = row.get(column)
                if isinstance(text, str) and not self._knows(text, own):
                    found = self._corrector.read(text[-MAX_DETECTED_TEXT:], own)
                    names = [name for name, _ in found]
                    shown += bool(names)
                    known += any(self._knows(name, own) for name in names)
            layout = replace(self._common, kind="text", text=column)
            column_best = FoundLayout(layout, shown, total, known)
            best = max(best, column_best, key=lambda each: (each.known, each.rows))
        return best


# ----------------------------------------------------------------------------------------- columns
def _columns(rows: list[Any]) -> list[str]:
    """Return the columns of rows, in their order."""
    names = dict.fromkeys(name for row in rows for name in list(row)[:MAX_COLUMNS])
    return list(names)[:MAX_COLUMNS]


def _first(rows: list[Any], names: tuple[str, ...], kinds: Any) -> str | None:
    """Return the first of some columns that has values of a kind, in any row."""
    return next((n for n in names if any(isinstance(row.get(n), kinds) for row in rows)), None)


def _tools_column(rows: list[Any], corrector: Corrector) -> str | None:
    """Return the column of the tools that were offered, for a corrector that knows none."""
    if any(corrector):
        return None
    for row in rows:
        for name in TOOLS:
            with contextlib.suppress(ValueError):
                if row.get(name) and corrector.offered(row[name]):
                    return name
    return None


def _offered(row: Any, corrector: Corrector, layout: Layout) -> Tools | None:
    with contextlib.suppress(ValueError):
        if layout.tools is not None and row.get(layout.tools) is not None:
            return corrector.offered(row[layout.tools])
    return None


def _column(name: str | None) -> str:
    return quoted(shortened(name or ""))
