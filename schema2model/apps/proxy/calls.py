"""The tools of a server, as far as they are known, and what becomes of the arguments of a call."""

from __future__ import annotations

import bisect
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from schema2model.apps.proxy.json_rpc import object_in, request_id
from schema2model.apps.proxy.log_fields import current_origin, log_fields, rule_fields
from schema2model.coercions import STATUSES, Coercion, Preset, Status, coercion_named, status_of
from schema2model.errors import SchemaError, ToolError
from schema2model.json.equality import type_exact_equal
from schema2model.json.names import ToolSpellings
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.json.spans import as_spelled
from schema2model.schema.undeclared import DeclaredNames, UnknownArguments
from schema2model.tools.results import ResultMode
from schema2model.tools.tool import Tool, with_strict
from schema2model.tools.tool_cache import ToolCache

__all__ = ["LATENCIES", "CallPolicy", "ListedTools", "Tally", "tool_called"]

LOGGER = logging.getLogger("schema2model.proxy")

LATENCIES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds: the upper bounds of the counts of latencies."""

UNKNOWN_TOOL = "unknown_tool"
"""The outcome of a call of a tool that the server did not list; it is forwarded."""


def tool_called(message: Any) -> str | None:
    """The name of the tool that a JSON-RPC message calls, if it is a call that can be answered."""
    if request_id(message) is None or message["method"] != "tools/call":
        return None
    name = object_in(message, "params").get("name")
    return name if isinstance(name, str) else None


class Tally:
    """Counts of calls by tool and status, of doubtful ones, and of the rules."""

    def __init__(self) -> None:
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._changed: dict[str, Counter[str]] = {}
        self._doubtful: Counter[str] = Counter()
        self._by_user: Counter[tuple[str, str]] = Counter()
        self.results: Counter[tuple[str, str]] = Counter()
        """The results that do not match their schema, by tool and outcome."""
        self._latencies: dict[str, list[float]] = {}
        self.restarts = 0
        """How often servers were started again."""
        self._lock = threading.Lock()

    def count_restart(self) -> None:
        """Count a server that was started again."""
        with self._lock:
            self.restarts += 1

    def observe(self, name: str, seconds: float) -> None:
        """Count how long the server took to answer a call of a tool that it has listed."""
        with self._lock:
            counts = self._latencies.setdefault(name, [0.0] * (len(LATENCIES) + 2))
            counts[bisect.bisect_left(LATENCIES, seconds)] += 1
            counts[-1] += seconds

    def latencies(self) -> dict[str, list[float]]:
        """The calls of each tool by the bound in `LATENCIES` of their latency, then the sum."""
        with self._lock:
            return {name: [*counts] for name, counts in self._latencies.items()}

    def add(
        self,
        name: str,
        status: Status = "unchanged",
        rules: Iterable[str] = (),
        *,
        is_doubtful: bool = False,
        is_known: bool = True,
    ) -> None:
        """Count a call of a tool, and the rules that changed it.

        It is doubtful if an undeclared name is spelt like a declared, absent one. The names of
        tools that are not known are not kept: a client may invent any number.
        """
        user = current_origin().get("user")
        with self._lock:
            outcome = (name, status) if is_known else ("", UNKNOWN_TOOL)
            self._outcomes[outcome] += 1
            if user is not None:
                self._by_user[user, outcome[1]] += 1
            if is_doubtful:
                self._doubtful[name] += 1
            if status != "unchanged":
                self._changed.setdefault(name, Counter()).update(rules)

    def add_result(self, name: str, outcome: str) -> None:
        """Count a result that does not match the schema of its tool."""
        self.results[name, outcome] += 1

    def outcomes(self) -> dict[tuple[str, str], int]:
        """The number of calls by tool and status; those of unknown tools have no name."""
        with self._lock:
            return dict(self._outcomes)

    def outcomes_by_user(self) -> dict[tuple[str, str], int]:
        """The number of calls by the name of the token and status."""
        with self._lock:
            return dict(self._by_user)

    def lines(self) -> list[tuple[str, dict[str, Any]]]:
        """The summary in lines, each with its fields; none if no call was worth a word."""
        with self._lock:
            counted = {name: Counter(doubtful=number) for name, number in self._doubtful.items()}
            for (name, status), number in self._outcomes.items():
                if status not in {"unchanged", UNKNOWN_TOOL}:
                    counted.setdefault(name, Counter())[status] += number
            lines = []
            if counted:
                calls, total = self._outcomes.total(), sum(counted.values(), Counter[str]())
                whole = log_fields("summary", calls=calls, **total)
                lines.append((f"of {calls} calls, {_counts(total)}", whole))
            for name, count in sorted(counted.items()):
                changed = dict(self._changed.get(name, Counter()).most_common())
                rules = ", ".join(f"{rule} {number}" for rule, number in changed.items())
                by = f" ({rules})" if rules else ""
                fields = log_fields("summary", tool=name, **count, rules=changed)
                lines.append((f"{quoted(name)}: {_counts(count)}{by}", fields))
        for name, pairs in groupby(sorted(self.results.items()), key=lambda pair: pair[0][0]):
            results = {outcome: number for (_, outcome), number in pairs}
            words = ", ".join(f"{number} {each}" for each, number in results.items())
            fields = log_fields("summary", tool=name, results=results)
            lines.append((f"results of {quoted(name)}: {words}", fields))
        return lines


def _counts(count: Mapping[str, int]) -> str:
    return ", ".join(f"{count[each]} {each}" for each in (*STATUSES, "doubtful") if count[each])


class _Known(NamedTuple):
    """A tool that a server has listed."""

    listed: Tool
    checker: Tool
    """The tool that prepares the arguments of calls."""
    names: DeclaredNames


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """The treatment of the calls of all sessions, and of their results."""

    coercion: Preset | Coercion = "default"
    coercion_by_tool: Mapping[str, Preset] = field(default_factory=dict)
    strict: str | None = None
    """The provider whose projections clients are shown; calls are decoded then."""
    unknown_arguments: UnknownArguments = "keep"
    results: ResultMode = "off"
    """The treatment of results that do not match the `outputSchema` of their tool."""
    call_timeout: float | None = None
    """Seconds that a server may take for a call; no limit by default."""
    logs_all: bool = False
    """True if the log has calls that do not change."""
    tally: Tally = field(default_factory=Tally)


class ListedTools:
    """The tools that a server has listed. Each schema is compiled once, for its first call.

    Args:
        policy: what becomes of calls.
        shows: returns whether the client may see and call a tool; all by default.

    """

    def __init__(self, policy: CallPolicy, shows: Callable[[str], bool] | None = None) -> None:
        self._policy, self._shows, self._tally = policy, shows, policy.tally
        self._known: dict[str, _Known] = {}
        self._cache = ToolCache(
            policy.coercion_by_tool,
            coercion=policy.coercion,
            unknown_arguments=policy.unknown_arguments,
        )
        self._spelling = coercion_named(policy.coercion).key_spelling
        self.complete = False
        """True if asking the server again would add no tools."""

    def knows(self, name: str | None) -> bool:
        """Return whether the schema of a tool is known; True without a tool."""
        return name is None or self.complete or name in self._cache.schemas

    def shows(self, name: Any) -> bool:
        """Return whether clients may see and call a tool."""
        return self._shows is None or not isinstance(name, str) or self._shows(name)

    def has(self, name: str) -> bool:
        """Return whether the server has listed a tool."""
        return name in self._cache.schemas

    def add(self, page: Any) -> str | None:
        """Add the tools in a result of `tools/list`; return the cursor of the next page, or None.

        Items that are not tools are skipped.
        """
        return self._cache.add_page(page)

    def output_schema(self, name: str) -> Any:
        """The schema of a tool's results; None if it has none, or is not known."""
        return self._cache.output_schemas.get(name)

    def shown(self, page: Any) -> Any:
        """A result of `tools/list` without hidden tools; with projections for a provider, if any.

        A tool that has none is left out: a client would send its schema as a strict one.
        """
        tools = page.get("tools") if isinstance(page, dict) else None
        if not isinstance(tools, list):
            return page
        left = [
            tool for tool in tools if not isinstance(tool, dict) or self.shows(tool.get("name"))
        ]
        if self._policy.strict is None and len(left) == len(tools):
            return page
        if self._policy.strict is not None:
            left = [*filter(None, map(self._projected, left))]
        return {**page, "tools": left}

    def _projected(self, tool: Any) -> Any:
        """A tool with its projection; None if it has none."""
        name = tool.get("name") if isinstance(tool, dict) else None
        known = self._look_up(name) if isinstance(name, str) else None
        strict = None if known is None else known.checker.strict
        return None if strict is None else {**tool, "inputSchema": strict.schema}

    def _look_up(self, name: str) -> _Known | None:
        """The known facts of a tool; its checker decodes arguments where it is strict."""
        listed = self._cache.listed(name)
        known = self._known.get(name)
        if listed is None:
            return None
        if known is not None and known.listed is listed:
            return known
        checker = listed
        if self._policy.strict is not None:
            try:
                checker = with_strict(listed, listed.compiled.strict(self._policy.strict))
            except SchemaError as error:
                fields = log_fields("tool", tool=name, outcome="not strict", reason=str(error))
                LOGGER.warning("the tool %s is not listed: %s", quoted(name), error, extra=fields)
        self._known[name] = _Known(listed, checker, DeclaredNames(checker.compiled._engine.root))
        return self._known[name]

    def count_failed(self, name: str) -> None:
        """Count a call that could not be read."""
        self._tally.add(name, "refused", is_known=name in self._cache.schemas)

    def _meant(self, name: str) -> str:
        """The name of the tool in another spelling where `key_spelling` is on, or it is hidden."""
        if name in self._cache.schemas or not (self._spelling or self._shows):
            return name
        found = ToolSpellings(self._cache.schemas).find(name)
        return found if found and (self._spelling or not self.shows(found)) else name

    def read(self, message: dict[str, Any], text: str = "") -> ReadCall:
        """A call with the arguments that its tool takes, or why there are none.

        It is counted, and logged. The message is the same object if nothing changes.

        Args:
            message: the call.
            text: its JSON text, whose numbers a string parameter gets as they are spelled there.

        """
        params = message["params"]
        name = self._meant(params["name"])
        if not self.shows(name):
            self.count_failed(name)
            error = ToolError(f"There is no tool `{params['name']}`.")
            return ReadCall(message, "refused", (), error)
        if name != params["name"]:
            LOGGER.info("a call of %s is for %s", quoted(params["name"]), quoted(name))
            params = {**params, "name": name}
            message = {**message, "params": params}
        known = self._look_up(name)
        start = time.perf_counter()
        if known is None:
            self._count(name, start, is_known=name in self._cache.schemas)
            return ReadCall(message)
        given = params.get("arguments", {})
        try:
            prepared = known.checker.prepare(as_spelled(given, text, ("params", "arguments")))
        except ToolError as error:
            _log_call(name, "refused", error.issues, "keyword", start)
            self._tally.add(name, "refused")
            rules = tuple(dict.fromkeys(each.keyword for each in error.issues))
            return ReadCall(message, "refused", rules, error)
        doubts = known.names.similar(prepared.arguments)
        if doubts:  # no values: they may be secret
            places = ", ".join(f"{pointer(d.path)} (declared: {quoted(d.similar)})" for d in doubts)
            LOGGER.info("doubts about a call of %s: %s", quoted(name), places)
        if type_exact_equal(given, prepared.arguments):
            self._count(name, start, is_doubtful=bool(doubts))
            return ReadCall(message)
        status = status_of(prepared.changes)
        rules = tuple(change.rule for change in prepared.changes)
        message = {**message, "params": {**params, "arguments": prepared.arguments}}
        if status == "unchanged":
            self._count(name, start, is_doubtful=bool(doubts))
        else:
            self._tally.add(name, status, rules, is_doubtful=bool(doubts))
            if LOGGER.isEnabledFor(logging.INFO):
                _log_call(name, status, prepared.changes, "rule", start)
        return ReadCall(message, status, tuple(sorted({*rules})))

    def _count(
        self, name: str, start: float, *, is_doubtful: bool = False, is_known: bool = True
    ) -> None:
        """Count a call that does not change, and log it if all calls are logged."""
        self._tally.add(name, is_doubtful=is_doubtful, is_known=is_known)
        if self._policy.logs_all:
            _log_call(name, "unchanged" if is_known else UNKNOWN_TOOL, (), "rule", start)


class ReadCall(NamedTuple):
    """A call, and what has become of it."""

    message: dict[str, Any]
    """It as it is forwarded."""
    status: Status = "unchanged"
    rules: tuple[str, ...] = ()
    """The rules that have changed it, or the keywords for which it is refused."""
    error: ToolError | None = None


def _log_call(name: str, outcome: str, found: Iterable[Any], reason: str, start: float) -> None:
    """Log what becomes of a call. The record has no values: they may be secret."""
    found = list(found)
    seconds = round(time.perf_counter() - start, 6)
    details = rule_fields(found, reason)
    fields = log_fields("call", tool=name, outcome=outcome, details=details, duration=seconds)
    words = f": {_places(found, reason)}" if found else ""
    LOGGER.info("%s a call of %s%s", outcome, quoted(name), words, extra=fields)


def _places(found: Iterable[Any], reason: str) -> str:
    """The path and the reason of each, without duplicates, in one line."""
    places = (f"{each.path or 'the arguments'} ({getattr(each, reason)})" for each in found)
    return ", ".join(dict.fromkeys(places))
