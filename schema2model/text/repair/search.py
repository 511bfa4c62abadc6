"""Best-first search for the readings of a text: Dijkstra's algorithm over edits.

A path continues in place where only one move is possible, and is forked where several are. The
cheapest path is always continued first. All work is counted.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from typing import Final

from schema2model.errors import AMBIGUOUS, CUT_OFF, NOT_JSON, TextError
from schema2model.json.parsing import (
    BRACKETS,
    LAX,
    NOTHING,
    parse_json,
    parse_prefix,
    two_values,
)
from schema2model.json.quoting import quoted
from schema2model.json.repeated_names import repeated_name
from schema2model.limits import MAX_REPAIRED_VALUES
from schema2model.text.budget import Budget
from schema2model.text.literals import literal
from schema2model.text.repair import (
    key_states as keys,
    separator_states as separators,
    value_states as values,
)
from schema2model.text.repair.context import Context
from schema2model.text.repair.doubts import doubt_of_reading
from schema2model.text.repair.edits import Doubt, EditCost, Token, assemble, edits_of, insertion
from schema2model.text.repair.path import Frame, Move, Path, PathState
from schema2model.text.repair.scalar_spelling import BackslashError
from schema2model.text.schema_view import SchemaView
from schema2model.text.text_readings import TextReading

__all__ = ["RepairSearch"]

MAX_PATHS: Final = 3
"""Maximum paths followed from one combination of offset, state and open brackets."""
MAX_QUOTED: Final = 20
"""Maximum characters that an error quotes after the offset where reading ended."""

_STATES: Final[Mapping[str, Callable[[Context, Path], list[Move]]]] = {
    PathState.VALUE: values.value,
    PathState.FIRST_ITEM: values.value,
    PathState.ITEM: values.value,
    PathState.JOINED: values.joined_string,
    PathState.FIRST_KEY: keys.key,
    PathState.KEY: keys.key,
    PathState.COLON: keys.colon,
    PathState.AFTER: separators.after_value,
    PathState.AFTER_NUMBER: separators.after_value,
}
"""The function of each parser state: it returns the moves that continue a path."""
_BACKSLASHES: Final = (
    ": what the backslashes in the string at character {} mean is in doubt; "
    "write two for each that is meant"
)


class RepairSearch:
    """The search for the readings of one text.

    >>> from schema2model.text.schema_view import NO_SCHEMA
    >>> search = RepairSearch('{"a": 1 "b": [2}', NO_SCHEMA, Budget())
    >>> nearest = next(search.readings(0))
    >>> nearest.cost, nearest.json
    (20, '{"a":1,"b":[2]}')
    """

    def __init__(
        self,
        text: str,
        schema: SchemaView,
        budget: Budget,
        *,
        accept_truncated: bool = False,
    ) -> None:
        self.context = Context(text, schema, budget, accept_truncated=accept_truncated)
        self._budget = budget
        self._numbers = count()
        self._heap: list[tuple[int, int, int, Path]] = []
        self._known: dict[tuple[object, ...], list[int]] = {}
        self._followed: Path | None = None
        """The path that was continued last."""

    def readings(self, start: int, opener: str = "", stop: int = -1) -> Iterator[TextReading]:
        """Yield the readings from an offset on, the cheapest first; `opener` is missing there.

        `stop` is where the text ceases to be JSON, if that is known. A literal of another language
        has one reading. Raises TextError if they need too many steps, or if brackets are nested too
        deep.
        """
        # a Python literal is exact: trying it first spares most of its texts the search
        if not opener:
            text = self.context.text
            tokens = literal(text, start, parse_prefix(text, start)[1] if stop < 0 else stop)
            if tokens is not None and (reading := self._reading(tokens, 0, "")):
                yield reading
                return
        try:
            for path in islice(self._ends(start, opener), MAX_REPAIRED_VALUES):
                if reading := self._reading(path.all_tokens(), path.cost, path.doubt):
                    yield reading
        except TextError as error:  # of the budget, which does not know the place
            if error.reason == NOT_JSON and stop > 0:
                error.position = self.context.text, self._first_fault(stop)
            raise

    def _first_fault(self, stop: int) -> int:
        """Return where a text that ceases to be JSON at `stop` is more than spelled otherwise.

        Without such a place, it is where the path that was followed last has come.
        """
        path = self._followed
        edits = [] if path is None else [e for e in edits_of(path.all_tokens()) if e.at >= stop]
        if path is None or not edits or edits[0].at > stop:
            return stop
        faults = (e.at for e in edits if e.action != "read" and e.what != "quotes")
        return next(faults, path.at)

    def _reading(self, tokens: list[Token], cost: int, doubt: str) -> TextReading | None:
        """Return the reading of tokens; None if they are not JSON."""
        text, json = self.context.text, assemble(tokens)
        value = parse_json(json, LAX, unique=False)
        if value is NOTHING:
            return None
        edits = edits_of(tokens)
        has_brace = cost > 0 and ("inserted", "}") in [edit[:2] for edit in edits]
        if (name := repeated_name(json, value, or_equal=has_brace)) is not None:
            if cost and not has_brace:  # another reading may not repeat it
                self.context.refusal = self.context.refusal or TextError(
                    AMBIGUOUS, two_values(name)
                )
                return None
            doubt = Doubt.BRACE_ELSEWHERE if has_brace else two_values(name)
        if edits and not doubt:
            doubt = doubt_of_reading(text, tokens, edits, cost)
        return TextReading(
            value, "repaired", json, cost=cost, doubt=doubt, text=text, tokens=tokens
        )

    def _ends(self, start: int, opener: str) -> Iterator[Path]:
        """Yield the paths that come to the end of the text, the cheapest first."""
        context, budget = self.context, self._budget
        context.start = start
        first = Path(start, PathState.VALUE)
        if opener:
            frame = Frame(opener, start, None, "", context.schema)
            missing = (insertion(opener, start),)
            first.apply(Move(start, PathState.FIRST_KEY, frame, missing, EditCost.EDIT))
        self._push(first)
        while self._heap:
            path = heapq.heappop(self._heap)[-1]
            if budget.max_cost is not None and path.cost > budget.max_cost:
                return
            # a string that is not decoded yet may still change the cost and the hash of its path
            if path.string is None and self._is_known(path):
                continue
            started = path.at
            self._followed = path
            is_done = self._advance(path)
            context.furthest_offset = max(context.furthest_offset, path.at)
            budget.take_scan(path.at - started)
            if is_done:
                yield path

    def _push(self, path: Path) -> None:
        # of equal costs the path that has come farthest; the number spares comparing paths
        heapq.heappush(self._heap, (path.cost, -path.at, next(self._numbers), path))

    def _is_known(self, path: Path) -> bool:
        """Return whether an equal path, or the maximum of others, have come to the same state."""
        known = self._known.setdefault((path.at, path.state, path.frame and path.frame.hash), [])
        path_hash = path.update_hash()
        if path_hash in known or len(known) >= MAX_PATHS:
            return True
        known.append(path_hash)
        return False

    def _advance(self, path: Path) -> bool:
        """Continue a path while it is the cheapest, and return whether it has ended."""
        context, heap, budget = self.context, self._heap, self._budget
        while path.string is None or self._decode(path):
            if heap and heap[0][0] < path.cost:
                self._push(path)
                break
            read = _STATES.get(path.state)
            if read is None:
                return True
            moves = read(context, path)
            if len(moves) == 1:
                budget.take_steps(1)
                path.apply(moves[0])
                continue
            budget.take_steps(1 + 2 * len(moves))
            for fork in path.fork(moves):
                self._push(fork)
            break
        return False

    def _decode(self, path: Path) -> bool:
        """Append the tokens of the last string, and return whether its meaning is clear."""
        assert path.string is not None  # noqa: S101 - asked before
        at, end, raw = path.string
        path.string = None
        self._budget.take_steps(1 + end.kept // 4)
        self._budget.take_scan(end.body_end - at)
        try:
            tokens, cost = self.context.strings.tokens(
                at, end, raw=raw, in_program=self.context.is_program
            )
        except BackslashError:
            self.context.refuse(NOT_JSON, _BACKSLASHES.format(at))
            return False
        path.tokens += tokens
        path.cost += cost
        path.quotes_edited |= bool(end.kept or end.edit)
        if end.is_doubtful:
            path.doubt = path.doubt or Doubt.LOST_QUOTE
        return True

    def refusal(self, offset: int) -> TextError:
        """Return the error if no reading is accepted; `offset` is added to its own."""
        context = self.context
        if context.refusal is not None:
            return context.refusal
        # where quotes are in doubt, so is which brackets are in strings: all count
        opener = context.text[context.start : context.start + 1]
        if context.text.count(opener) > context.text.count(BRACKETS.get(opener, opener)):
            return TextError(CUT_OFF, " at the end")
        rest = context.text[context.furthest_offset :].lstrip()
        at = len(context.text) - len(rest)
        shown = quoted(rest[:MAX_QUOTED].rstrip())
        detail = f": reading ended at character {offset + at}, before {shown}"
        return TextError(NOT_JSON, detail, (context.text, at))
