"""The text of a call's arguments, read as the schema has it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from schema2model.coerce.node_view import NodeView
from schema2model.coerce.recipe import Recipe
from schema2model.coerce.search.readings import Reading, Step
from schema2model.coerce.search.text_repair import repair_steps
from schema2model.coercions import Coercion
from schema2model.errors import ToolError
from schema2model.text import grammars
from schema2model.text.exact import EMPTY, NOT_JSON, NOTHING, TextError, spelled

__all__ = ["TextReader"]

_NO_JSON = str(TextError(NOT_JSON))


class Judge(Protocol):
    """The interface of an engine for a text reader."""

    name: str
    coercion: Coercion
    anchors: NodeView
    accept: Callable[[Any], Any]
    source: Recipe

    def read(
        self, value: Any, spellings: Any = None, budget: Any = None, *, fail_fast: bool = False
    ) -> Reading:
        """The best reading of a value, or the best attempt at one."""


class _Accepted(NamedTuple):
    """A reading that the schema accepts."""

    value: Any
    reading: Reading
    spelled: Any
    """The value of the text before coercion."""


class TextReader:
    """One text, whose readings the schema judges."""

    def __init__(
        self,
        engine: Judge,
        text: str | bytes | bytearray,
        *,
        quickly: bool = False,
    ) -> None:
        self._engine = engine
        self.text = text
        self._quickly = quickly
        self._budget = grammars.Budget()
        self._is_over = False  # whether no rule allows what is still to be read
        self._outer: Any = None  # the text, if it is a JSON string
        self._rejected: Reading | None = None
        self.spelled: Any = NOTHING
        """The value of the accepted reading, or else of the first that is not a string."""

    def read(self) -> Reading:
        """The reading that the schema accepts, or else the first of all.

        Raises:
            ToolError: where the text cannot be read at all, or in two ways.

        """
        engine = self._engine
        reason, place = _NO_JSON, None
        completes = engine.coercion.cut_off_text
        found = grammars.readings(
            self.text, engine.anchors, budget=self._budget, accept_truncated=completes
        )
        try:
            accepted = grammars.choose_reading(found, self._judge, self._budget)
            if accepted is not None:
                self.spelled = accepted.spelled
                return accepted.reading
        except TextError as error:
            if error.reason == EMPTY and engine.coercion.empty_arguments:
                return engine.read("")
            if error.reason != NOT_JSON:
                self._rejected, self.spelled = None, NOTHING
            elif self._rejected is None and (fallback := self._read_by_fallback()) is not None:
                return fallback
            reason, place = str(error), error.position
        if self._rejected is not None:
            return self._rejected
        if place is not None:
            raise ToolError.for_text(engine.name, f"{_NO_JSON}; reading ended", *place)
        raise ToolError.for_text(engine.name, reason)

    def _read_by_fallback(self) -> Reading | None:
        """Return the valid reading of what the fallback reader makes of the text."""
        read, text = self._engine.source.fallback_reader, self.text
        if read is None or not self._engine.coercion.repair_text:
            return None
        try:
            text = text if isinstance(text, str) else bytes(text).decode()
            value = read(text)
            reading = self._engine.read(value)
        except Exception:  # noqa: BLE001 - a stranger's function, and then the text is refused
            return None
        if not reading.valid:
            return None
        self.spelled = value
        name = f"{read.__module__}.{getattr(read, '__qualname__', type(read).__name__)}"
        reading.steps = (((), f"fallback_reader {name}", self.text, value), *reading.steps)
        return reading

    def _judge(self, found: grammars.TextReading) -> _Accepted | None:
        """Read what the text may mean by the schema; None if it is not valid."""
        if self.spelled is NOTHING or isinstance(self.spelled, str):
            self.spelled = found.value
        reading = self._read(found)
        if reading is None or not reading.valid:
            return None
        return _Accepted(reading.value, reading, found.value)

    def _read(self, found: grammars.TextReading) -> Reading | None:
        engine, coercion = self._engine, self._engine.coercion
        if not found.exact and not coercion.repair_text:
            self._is_over = True
        if self._is_over:
            return None
        if not coercion.json_text and isinstance(found.value, str):
            self._is_over = True  # the readings that follow are of the string's own text
        if self._quickly and not found.exact:
            with contextlib.suppress(Exception):  # a hostile value may raise anything
                result = engine.accept(found.value)  # leaves numbers for strings to the search
                return Reading(result, result, valid=True)
        numbers = spelled(found.json)
        value, spellings = (found.value, None) if numbers is None else numbers
        fail_fast = self._quickly and found.exact and spellings is None and self._outer is None
        reading = engine.read(value, spellings, self._budget, fail_fast=fail_fast)
        reading.steps = (*self._steps(found), *reading.steps)
        self._outer = found.value
        self._rejected = self._rejected or reading
        return reading

    def _steps(self, found: grammars.TextReading) -> list[Step]:
        """The changes of the text: of the whole, and each edit."""
        if found.exact:
            return [] if self._outer is None else [((), "json_text", self._outer, found.value)]
        return repair_steps(self.text, found)
