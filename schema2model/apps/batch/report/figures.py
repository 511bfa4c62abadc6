"""Figures of corrected rows: which calls went wrong, in which parameter, in which way."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from schema2model.apps.batch.bounded_names import shortened, without_indices
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.outcomes import is_of_damaged_row, json_bytes
from schema2model.apps.batch.report.counts import heat, shares
from schema2model.apps.batch.report.mistakes import (
    Mistake,
    Mistakes,
    cut,
    is_of_unknown_tool,
    issues_in,
)
from schema2model.apps.batch.rows import conversation_of
from schema2model.apps.batch.summary import Pair, Summary, counted_name
from schema2model.coercions import STATUSES, Status
from schema2model.json.names import meant
from schema2model.json.repeated_names import RepeatedNameError
from schema2model.limits import MAX_COUNTED_PAIRS, MAX_COUNTED_RULES

__all__ = ["TOP", "Figures"]

TOP = 50
"""Entries of each list; the rest are counted."""

MAX_PATH = 1000
"""Characters that are kept of a path to a file."""

_SOURCE = ("source_file", "source_position", "source_line")
_ADDED = ("status", "changes", "doubts", "error", "calls", "results", *_SOURCE)

_Row = Mapping[str, Any]
_Lists = dict[str, list[dict[str, Any]]]


class Figures:
    """Counts mistakes in the rows of a run, in memory that does not grow with the rows.

    A call counts once for each parameter and rule, however many items of an array are concerned.

    Args:
        summary: what the run has counted.
        layout: where rows have what; a call in each if not given.

    >>> figures = Figures(Summary())
    >>> change = {"path": "/items/3/amount", "rule": "json_text", "before": '"10"', "after": "10"}
    >>> row = {"tool": "order", "status": "coerced", "changes": [change], "error": None}
    >>> figures.add(row)
    >>> [entry] = figures.document()["changed"]
    >>> entry["path"], entry["what"], entry["calls"], entry["examples"][0]["before"]
    ('/items/*/amount', 'json_text', 1, '"10"')

    """

    def __init__(self, summary: Summary, layout: Layout | None = None) -> None:
        self._summary = summary
        self._layout = layout or Layout()
        self._names = {name: self._layout.prefix + name for name in _ADDED}
        self.rows = 0
        """The number of rows that were read."""
        self._rules: dict[str | None, dict[str, int]] = {}
        self._changed = Mistakes()
        self._refused = Mistakes()
        self._damaged = Mistakes()
        self._doubts = Mistakes()
        self._unknown = Mistakes()
        self._unknown_calls: dict[Pair, int] = {}
        self._mismatches = Mistakes()

    @property
    def read(self) -> tuple[str, ...]:
        """The names of the columns that are looked at."""
        return (*self._layout.read, *self._names.values())

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row.

        Raises:
            LookupError, TypeError, AttributeError: if it is not as `schema2model batch` writes it.

        """
        layout, names = self._layout, self._names
        status, error = row[names["status"]], row[names["error"]]
        if status not in STATUSES:
            raise LookupError(status)
        self.rows += 1
        shows_calls = not error or bool(row.get(names["calls"]))
        if not shows_calls and (layout.kind != "calls" or is_of_damaged_row(error)):
            pair = counted_name(row.get(layout.model)), None
            _add_issues(self._damaged, pair, error, _unread(row, layout), self._source(row))
            return
        if layout.kind == "calls":
            call = {"tool": row.get(layout.tool), "status": status, "error": error}
            call["changes"] = row[names["changes"]]
            call["doubts"] = row.get(names["doubts"])
            self._add_call(row, call, row.get(layout.arguments, row.get("line")))
            return
        calls = row.get(names["calls"]) or []
        conversation = None
        if layout.kind == "chat":
            with contextlib.suppress(RepeatedNameError):  # as an earlier version read it
                conversation = conversation_of(row, layout)
        for call in calls:
            sent = row.get(layout.text) if layout.kind == "text" else None
            if call["status"] == "refused" and layout.kind == "chat":
                sent = _at(conversation, call["path"])
            self._add_call(row, call, sent)
        for result in row.get(names["results"]) or ():
            self._add_result(row, result, _at(conversation, result["path"]))

    def _add_call(self, row: _Row, call: _Row, sent: Any) -> None:
        pair = self._pair(self._summary.calls, row, call)
        model, tool = pair
        source = self._source(row)
        self._add_rules(Counter(shortened(change["rule"]) for change in call["changes"]))
        _add_changes(self._changed, pair, call, source)
        doubts = {(without_indices(d["path"]), d["similar"]) for d in call.get("doubts") or ()}
        for path, similar in sorted(doubts):
            example = {"before": cut(path), "after": cut(similar)}
            self._doubts.add(Mistake(tool, path, shortened(similar)), model, example, source)
        if call["error"] and tool is not None and is_of_unknown_tool(call["error"]):
            self._unknown_calls[pair] = self._unknown_calls.get(pair, 0) + 1
            example = {"sent": cut(_text(sent)), "error": cut(call["error"])}
            self._unknown.add(Mistake(tool, "", "unknown"), model, example, source)
        elif call["error"]:
            _add_issues(self._refused, pair, call["error"], sent, source)

    def _add_result(self, row: _Row, result: _Row, sent: Any) -> None:
        pair = self._pair(self._summary.results, row, result)
        source = self._source(row)
        _add_changes(self._mismatches, pair, result, source)
        if result["error"]:
            _add_issues(self._mismatches, pair, result["error"], sent, source)

    def _pair(self, counted: Mapping[Pair, Any], row: _Row, call: _Row) -> Pair:
        """Return the model and the tool under which a call or a result was counted."""
        pair = counted_name(row.get(self._layout.model)), counted_name(call["tool"])
        return pair if pair in counted or len(counted) < MAX_COUNTED_PAIRS else (None, None)

    def _add_rules(self, values: Mapping[str, int]) -> None:
        for rule, number in values.items():
            known = rule in self._rules or len(self._rules) < MAX_COUNTED_RULES
            counts = self._rules.setdefault(rule if known else None, {"calls": 0, "values": 0})
            counts["calls"] += 1
            counts["values"] += number

    def _source(self, row: _Row) -> str:
        """Return the file and line of a row, if known, and its id."""
        file, position, line = (row.get(self._names[name]) for name in _SOURCE)
        named = row.get(self._layout.id) if self._layout.id is not None else None
        words = [] if named is None else [shortened(str(named))]
        if file is not None:
            place = shortened(file, MAX_PATH)
            is_parquet = place.lower().endswith((".parquet", ".pq"))
            kind = "row" if is_parquet else "byte"
            place += f", {kind} {position}" if line is None else f", line {line}"
            words.insert(0, place)
        return ", ".join(words)

    def document(self, top: int = TOP, known: Iterable[str] = ()) -> dict[str, Any]:
        """Return the figures as JSON values, at most `top` entries in each list, the worst first.

        `rows` and `calls` are counts by status; `models`, `tools` and `pairs` are such counts for
        each name, with their sum in `calls`; `heat` shows the worst of them side by side. `rules`
        says how many `calls` each rule was applied to, `of` how many, and to how many `values`.
        `damaged` are refused rows that show no call, by what is wrong with them, which are in no
        count of calls.
        `changed` are parameters by the rule that undid what was wrong (`what`), `refused` by what
        the schema expects there, `doubts` undeclared names by the declared one that is spelt like
        them: how many `calls` that concerns, `of` how many of the tool; the same for each model;
        and examples. `unknown` are names that no tool has, which are in none of the other lists of
        tools, each with the one that was probably `meant`, of those that occur or are `known`.
        `results` are the results of tools that declare an `outputSchema`, by tool and status, and
        `mismatches` where they do not match it as they were sent. The true number of calls is from
        `calls` to `at_most`. `unlisted` counts the further entries of each list, and any that was
        dropped affects at most `missed` calls.
        """
        of_tools = self._known_pairs()
        lists = {
            "models": shares(self._summary.calls, "model"),
            "tools": self.by_tool(),
            "pairs": shares(of_tools, "model", "tool"),
            "rules": self._by_rule(),
            "damaged": self._damaged.documents(),
            "changed": self._changed.documents(),
            "refused": self._refused.documents(),
            "doubts": self._doubts.documents(),
            "unknown": self._unknown.documents(),
            "results": shares(self._summary.results, "tool"),
            "mismatches": self._mismatches.documents(),
        }
        listed = {name: entries[:top] for name, entries in lists.items()}
        self._add_shares(listed, lists)
        names = {*known, *(tool for _, tool in of_tools if tool is not None)}
        for entry in listed["damaged"]:
            del entry["path"], entry["tool"]
            entry["rows"] = entry.pop("calls")
            entry["of"] = self._summary.total
            for each in entry["models"]:
                each["rows"] = each.pop("calls")
        for entry in listed["unknown"]:
            del entry["path"], entry["what"]
            entry["meant"] = meant(entry["tool"], sorted(names))
        return {
            "rows": self._summary.rows.copy(),
            "calls": self._calls(),
            "heat": heat(of_tools),
            **listed,
            "unlisted": {name: len(entries[top:]) for name, entries in lists.items()},
            "missed": {
                "damaged": self._damaged.missed,
                "changed": self._changed.missed,
                "refused": self._refused.missed,
                "doubts": self._doubts.missed,
                "unknown": self._unknown.missed,
                "mismatches": self._mismatches.missed,
            },
        }

    def _add_shares(self, listed: _Lists, lists: _Lists) -> None:
        """Say of how many calls each mistake's are a part."""
        sent = {tuple(s[k] for k in ("model", "tool")): s["calls"] for s in lists["pairs"]}
        by_tool = {entry["tool"]: entry["calls"] for entry in lists["tools"]}
        by_model = {entry["model"]: entry["calls"] for entry in lists["models"]}
        for entry in (*listed["changed"], *listed["refused"], *listed["doubts"]):
            entry["of"] = by_tool.get(entry["tool"], 0)
            for each in entry["models"]:
                each["of"] = sent.get((each["model"], entry["tool"]), 0)
        of_results = {entry["tool"]: entry["calls"] for entry in lists["results"]}
        for entry in listed["mismatches"]:
            entry["of"] = of_results.get(entry["tool"], 0)
            for each in entry["models"]:
                counts = self._summary.results.get((each["model"], entry["tool"]), {})
                each["of"] = sum(counts.values())
        for entry in listed["unknown"]:
            entry["of"] = sum(self._calls().values())
            for each in entry["models"]:
                each["of"] = by_model.get(each["model"], 0)

    def by_tool(self) -> list[dict[str, Any]]:
        """Return the counts of the calls of each known tool, the worst first: all of `tools`."""
        return shares(self._known_pairs(), "tool")

    def _known_pairs(self) -> dict[Pair, dict[Status, int]]:
        """Return the pairs without the calls of tools that nobody knows."""
        found = {}
        for pair, counts in self._summary.calls.items():
            unknown = self._unknown_calls.get(pair, 0)
            if sum(counts.values()) > unknown:
                found[pair] = {**counts, "refused": counts["refused"] - unknown}
        return found

    def _calls(self) -> dict[str, int]:
        every = self._summary.calls.values()
        return {status: sum(counts[status] for counts in every) for status in STATUSES}

    def _by_rule(self) -> list[dict[str, Any]]:
        of = sum(self._calls().values())
        found = [{"rule": rule, **counts, "of": of} for rule, counts in self._rules.items()]
        return sorted(found, key=lambda entry: -entry["calls"])


def _add_changes(mistakes: Mistakes, pair: Pair, call: _Row, source: str) -> None:
    model, tool = pair
    changes = {(without_indices(c["path"]), shortened(c["rule"])): c for c in call["changes"]}
    for (path, rule), change in changes.items():
        example = {key: change[key] and cut(change[key]) for key in ("before", "after")}
        mistakes.add(Mistake(tool, path, rule), model, example, source)


def _add_issues(mistakes: Mistakes, pair: Pair, error: str, sent: Any, source: str) -> None:
    model, tool = pair
    example = {"sent": cut(_text(sent)), "error": cut(error)}
    for path, expected in issues_in(error):
        mistakes.add(Mistake(tool, path, expected), model, example, source)


def _text(value: Any) -> str:
    """Arguments as they were sent; JSON text of those that came as values."""
    return value if isinstance(value, str) else json_bytes(value).decode()


def _unread(row: _Row, layout: Layout) -> Any:
    """Return the value of a row that is not a conversation or a text."""
    columns = {"text": layout.text, "chat": layout.messages, "calls": layout.arguments}
    return row.get(columns[layout.kind] or "", row.get("line"))


def _at(value: Any, path: str) -> Any:
    """Return the part of a conversation at a JSON Pointer without escapes, or None."""
    for step in path.split("/")[1:]:
        if value is None:
            break
        value = value[int(step)] if isinstance(value, list) else value.get(step)
    return value
