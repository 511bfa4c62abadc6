"""Text that is not JSON, read by the schema: that of a whole call, or of one parameter.

`text.grammars` yields what it may mean, and the schema judges each reading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schema2model.advice import Advice
from schema2model.coerce.node_view import NodeView
from schema2model.coerce.search.readings import Reading, Step
from schema2model.coercions import WORD
from schema2model.errors import CUT_OFF, EMPTY, NOT_JSON, TextError, ToolError
from schema2model.json.parsing import NOTHING, spelled
from schema2model.schema.nodes import Node
from schema2model.text import grammars
from schema2model.text.budget import Budget
from schema2model.text.wrapping.prose import announces

__all__ = ["TextReader", "read_damaged_text"]

_NO_JSON = str(TextError(NOT_JSON))


class TextReader:
    """The text of one call, whose readings the schema of an engine judges.

    `engine` is an `Engine`, whose module imports this one. With `quickly`, pydantic-core judges
    before the search. With `fail_fast`, the first issues end the search.
    """

    def __init__(
        self, engine: Any, text: str | bytes | bytearray, *, quickly: bool, fail_fast: bool
    ) -> None:
        self._engine = engine
        self._text = text
        self._quickly = quickly
        self._fail_fast = fail_fast
        self._budget = Budget()
        self._is_over = False  # whether no rule allows what is still to be read
        self._outer: Any = None  # the text, if it is a JSON string
        self._accepted: Reading | None = None
        self._rejected: Reading | None = None
        self.spelled: Any = NOTHING
        """The value of the accepted reading, or else of the first that is not a string."""

    def read(self) -> Reading:
        """Return the reading that the schema accepts, or else the first of all.

        Raises:
            ToolError: if the text cannot be parsed, has two readings, or has lone surrogates.

        """
        engine = self._engine
        reason, position, is_cut_off = _NO_JSON, None, False
        completes = engine.coercion.cut_off_text
        found = grammars.readings(
            self._text, engine.anchors, budget=self._budget, accept_truncated=completes
        )
        try:
            accepted = grammars.choose_reading(found, self._judge, self._budget)
            if accepted is not None:
                return accepted
        except TextError as error:
            if error.reason == EMPTY and engine.coercion.empty_arguments:
                nothing: Reading = engine.search.read("")
                if nothing.steps:
                    (path, rule, _, after), *others = nothing.steps
                    nothing.steps = ((path, rule, self._text, after), *others)
                return nothing
            if error.reason != NOT_JSON:
                self._rejected, self.spelled = None, NOTHING
            elif self._rejected is None and (fallback := self._read_by_fallback()) is not None:
                return fallback
            reason, position, is_cut_off = str(error), error.position, error.reason == CUT_OFF
        if self._rejected is not None:
            return self._rejected
        words = reason if position is None else f"{_NO_JSON}; reading ended"
        advice = Advice("cut off") if is_cut_off else None
        raise ToolError.for_text(engine.name, words, *(position or ()), advice=advice)

    def _read_by_fallback(self) -> Reading | None:
        """Return the valid reading of what the fallback reader makes of the text."""
        read, text = self._engine.source.fallback_reader, self._text
        if read is None or not self._engine.coercion.repair_text:
            return None
        try:
            text = text if isinstance(text, str) else bytes(text).decode()
            value = read(text)
            reading: Reading = self._engine.search.read(value)
        except Exception:  # noqa: BLE001 - a stranger's function, and then the text is refused
            return None
        if not reading.valid:
            return None
        self.spelled = value
        name = f"{read.__module__}.{getattr(read, '__qualname__', type(read).__name__)}"
        reading.steps = (((), f"fallback_reader {name}", self._text, value), *reading.steps)
        return reading

    def _judge(self, found: grammars.TextReading) -> Reading | None:
        """Read what the text may mean by the schema; None if it is not valid."""
        is_first = self._accepted is None
        if is_first and (self.spelled is NOTHING or isinstance(self.spelled, str)):
            self.spelled = found.value
        reading = self._read(found)
        if reading is None or not reading.valid:
            return None
        if is_first:
            self._accepted, self.spelled = reading, found.value
        return reading

    def _read(self, found: grammars.TextReading) -> Reading | None:
        engine, coercion = self._engine, self._engine.coercion
        if not found.exact and not coercion.repair_text:
            self._is_over = True
        if self._is_over:
            return None
        # the readings that follow are of the string's own text: that of a call, encoded once more
        if isinstance(found.value, str):
            self._is_over = not (coercion.json_text and engine.root.accepts("object"))
        if self._quickly and not found.exact:
            try:
                result = engine.accept(found.value)  # leaves numbers for strings to the search
                return Reading(result, result, valid=True)
            except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
                pass
        numbers = spelled(found.json)
        value, spellings = (found.value, None) if numbers is None else numbers
        fail_fast = self._fail_fast and found.exact and spellings is None and self._outer is None
        reading: Reading = engine.search.read(value, spellings, self._budget, fail_fast=fail_fast)
        if not found.exact:
            reading.steps = (*_repair_steps(self._text, found), *reading.steps)
        elif self._outer is not None:
            reading.steps = (((), "json_text", self._outer, found.value), *reading.steps)
        self._outer = found.value
        self._rejected = self._rejected or reading
        return reading


def _repair_steps(text: Any, found: grammars.TextReading) -> list[Step]:
    """Return the changes of a repaired text: of the whole, and each edit."""
    whole: Step = ((), "repair_text", text, found.value)
    return [whole, *(((), "repair_text", around, edit) for around, edit in found.edits())]


def read_damaged_text(
    node: Node,
    text: str,
    read: Callable[[grammars.TextReading], Reading],
    budget: Budget,
    *,
    accept_truncated: bool,
) -> Reading | None:
    """Return the reading of the nearest value of a text; None if there is none, or two.

    `node` is the subschema that it has to satisfy, and `read` reads it by the schema.
    """

    def judge(found: grammars.TextReading) -> Reading | None:
        if found.exact or _is_amid_prose(found):
            return None
        reading = read(found)
        if not reading.valid:
            return None
        steps = (*_repair_steps(text, found), *reading.steps)
        cost = WORD.plus(reading.cost)
        return Reading(reading.value, reading.value, valid=True, cost=cost, steps=steps)

    outer_cost, budget.max_cost = budget.max_cost, None
    try:
        found = grammars.readings(
            text, NodeView((node,)), budget=budget, accept_truncated=accept_truncated
        )
        return grammars.choose_reading(found, judge, budget)
    except TextError:
        return None
    finally:
        budget.max_cost = outer_cost


def _is_amid_prose(found: grammars.TextReading) -> bool:
    """Return whether the value may be a part of prose: `all of [1, 2]`, `print([1])`, `[1] or so`.

    It is not if the text before it announces it, and no word follows it on its line.
    """
    spans = [token for token in found.covering_tokens() if token.json]
    if not spans:
        return False
    before, after = found.text[: spans[0].start], found.text[spans[-1].end :]
    return not announces(before) or after.strip(" \t")[:1].isalnum()
