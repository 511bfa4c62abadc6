"""The text of a call's arguments, read as the schema has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from schema2model.coerce.hints import Hints, hints_in
from schema2model.coerce.schema_view import NodePlace
from schema2model.coerce.search.readings import Reading, Step
from schema2model.coercions import Coercion
from schema2model.errors import ToolError
from schema2model.text import grammars
from schema2model.text.exact import EMPTY, NOT_JSON, TextError, spelled

__all__ = ["TextReader"]

_NO_JSON = str(TextError(NOT_JSON))


class Judge(Protocol):
    """What judges the values that a text may mean: an engine."""

    name: str
    coercion: Coercion
    anchors: NodePlace
    accept: Callable[[Any], Any]

    def refuse_early(self, value: Any, hints: Hints = None) -> None:
        """Refuse what no reading can mend, where that can be told without the search."""

    def read(self, value: Any, spellings: Any = None, budget: Any = None) -> Reading:
        """The best reading of a value, or the best attempt at one."""


class TextReader:
    """One text, whose readings the schema judges."""

    def __init__(
        self,
        engine: Judge,
        text: str | bytes | bytearray,
        hints: Hints = None,
        *,
        quickly: bool = False,
    ) -> None:
        self._engine = engine
        self._text = text
        self._hints = hints  # where pydantic-core has refused it as JSON
        self._quickly = quickly
        self._budget = grammars.Budget()
        self._is_over = False  # whether no rule allows what is still to be read
        self._outer: Any = None  # the text, if it is a JSON string
        self._refused: Reading | ToolError | None = None

    def read(self) -> Reading:
        """The reading that the schema accepts, or else the first of all.

        Raises:
            ToolError: where the text cannot be read at all, or in two ways.

        """
        engine = self._engine
        reason, place = _NO_JSON, None
        completes = engine.coercion.cut_off_text
        found = grammars.readings(
            self._text, engine.anchors, budget=self._budget, accept_truncated=completes
        )
        try:
            accepted = grammars.choose_reading(found, self._judged, self._budget)
            if accepted is not None:
                return accepted
        except TextError as error:
            if error.reason == EMPTY and engine.coercion.empty_arguments:
                return engine.read("")
            if error.reason != NOT_JSON:
                self._refused = None
            reason, place = str(error), error.position
        if self._refused is None and place is not None:
            raise ToolError.for_text(engine.name, f"{_NO_JSON}; reading ended", *place)
        if self._refused is None:
            raise ToolError.for_text(engine.name, reason)
        if isinstance(self._refused, ToolError):
            raise self._refused
        return self._refused

    def _judged(self, found: grammars.TextReading) -> Reading | None:
        """What the schema makes of a reading, if it accepts it."""
        engine, coercion = self._engine, self._engine.coercion
        if not found.exact and not coercion.repair_text:
            self._is_over = True
        if self._is_over:
            return None
        if not coercion.json_text and isinstance(found.value, str):
            self._is_over = True  # what follows is what the string holds
        hints = self._hints
        if self._quickly and not found.exact:
            try:  # which leaves numbers for strings to the search
                result = engine.accept(found.value)
            except Exception as error:  # noqa: BLE001 - a hostile value may raise anything
                hints = hints_in(error)
            else:
                return Reading(result, result, valid=True)
        numbers = spelled(found.json)
        value, spellings = (found.value, None) if numbers is None else numbers
        refused = self._quickly or self._hints is not None  # else the attempt is asked for as well
        if refused and found.exact and spellings is None and self._outer is None:
            engine.refuse_early(value, hints)
        if self._quickly and not found.exact and spellings is None:
            try:
                engine.refuse_early(value, hints)
            except ToolError as error:  # another reading of the text may be accepted
                self._outer = value
                self._refused = self._refused or error
                return None
        reading = engine.read(value, spellings, self._budget)
        reading.steps = (*self._steps(found), *reading.steps)
        self._outer = found.value
        self._refused = self._refused or reading
        return reading if reading.valid else None

    def _steps(self, found: grammars.TextReading) -> list[Step]:
        """What was done to the text: the whole of it, and then each edit."""
        if found.exact:
            return [] if self._outer is None else [((), "json_text", self._outer, found.value)]
        whole: Step = ((), "repair_text", self._text, found.value)
        return [whole, *(((), "repair_text", around, edit) for around, edit in found.edits())]
