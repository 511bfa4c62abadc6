"""`Search`: what arguments mean that the validators of an engine reject, and what is wrong in them.

Wrong calls alone import it, with all that reads text, and so do questions about changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pydantic_core import from_json

from schema2model.coerce.refusals import attempt_issues, corrected_arguments, member_issues
from schema2model.coerce.rules.envelopes import unread_text
from schema2model.coerce.search.argument_search import search_arguments
from schema2model.coerce.search.reader import Reader
from schema2model.coerce.search.readings import Change, Reading, Step
from schema2model.coerce.search.text_reader import TextReader
from schema2model.coerce.value_changes import diff_changes
from schema2model.errors import Issue, ToolError
from schema2model.json.canonical import has_json_text, not_json_error
from schema2model.json.parsing import NOTHING, Spellings, spelled
from schema2model.json.pointers import pointer
from schema2model.json.values import NotJSONError, plain_copy, plain_text, require_text
from schema2model.text.budget import Budget

__all__ = ["Search"]


class Search:
    """The search of an engine, an `Engine`, whose module imports this one.

    `finish`, if given, adds the schema's defaults to valid arguments.
    """

    __slots__ = ("_engine", "_finish")

    def __init__(self, engine: Any, finish: Callable[[Any], Any] | None = None) -> None:
        self._engine = engine
        self._finish = finish

    def read(
        self,
        value: Any,
        spellings: Spellings | None = None,
        budget: Budget | None = None,
        *,
        fail_fast: bool = False,
    ) -> Reading:
        """Return the best reading of a value, or the best attempt at one.

        Args:
            value: any Python value.
            spellings: how the text spells some of its numbers, if it comes from one.
            budget: the work that the text and those in it may still cost.
            fail_fast: if a member has no valid reading, raise the error without the whole search.

        Raises:
            ToolError: if it is not JSON, or too deep or too large.

        """
        engine = self._engine
        try:
            # a copy: callers keep their containers, and subclasses of dict and list may lie
            copy = plain_copy(value, allow_inf_nan=engine.coercion.allow_inf_nan)
            engine.verdicts.require_shallow(copy)
            reader = Reader(engine.root, engine.verdicts, engine.rules, spellings, budget)
            # with a `$dynamicRef`, a member alone may be valid where it is not within the whole
            if fail_fast and not engine.dynamic and (found := member_issues(reader, copy)):
                raise self._refusal(found, copy)
            reading = search_arguments(reader, copy)
            if reading.valid and not has_json_text(reading.value):
                raise not_json_error(reading.value)
        except NotJSONError as error:
            raise ToolError.for_value(engine.name, error) from None
        except RecursionError:  # the caller's own stack was nearly full
            raise engine.too_deep() from None
        return reading

    def read_text(self, text: str | bytes | bytearray, *, fail_fast: bool = False) -> Reading:
        """Return the reading of a text that the schema accepts, or else the first of all.

        Raises:
            ToolError: if the text cannot be parsed, has two readings, or has lone surrogates.

        """
        reader = TextReader(self._engine, plain_text(text), quickly=False, fail_fast=fail_fast)
        return reader.read()

    def read_call(self, text: str | bytes | bytearray) -> tuple[Any, Any, ToolError | None]:
        """Return the members of a `CallReading` of a text."""
        reader = TextReader(self._engine, plain_text(text), quickly=True, fail_fast=True)
        try:
            return self.result(reader.read()), reader.spelled, None
        except ToolError as error:
            return None, reader.spelled, error

    def result(self, reading: Reading) -> Any:
        """Return the result of a reading.

        Raises:
            ToolError: if it is not valid.

        """
        if reading.valid:
            return reading.value if self._finish is None else self._finish(reading.value)
        engine = self._engine
        found = attempt_issues(engine.root, engine.verdicts, engine.rules, reading)
        raise self._refusal(found, reading.attempt)

    def _refusal(self, issues: tuple[Issue, ...], value: Any) -> ToolError:
        """Return the error for a value, with the corrected call if that is wanted and known."""
        engine = self._engine
        unread = unread_text(value)
        if unread is not None and engine.anchors.names().isdisjoint(value):
            error: ToolError | None = engine.validate_call(unread).error
            if error is not None:
                return error
        corrected = NOTHING
        if engine.source.messages == "corrected":
            corrected = corrected_arguments(
                engine.root, engine.verdicts, engine.rules, value, issues
            )
        return ToolError.for_arguments(
            engine.name, issues, None if corrected is NOTHING else corrected
        )

    # --------------------------------------------------------------------------- changes
    def explain(self, given: Any, *, is_text: bool) -> tuple[Any, tuple[Change, ...]]:
        """Return the arguments that a value or text means, and the changes on the way.

        Raises:
            ToolError: if no reading of it satisfies the schema.

        """
        engine = self._engine
        if is_text:
            require_text(given)
        try:
            result = engine.try_accept("accept_json" if is_text else "accept", given)
            if result is not NOTHING:
                changes = self._changes_between(given, result, is_text=is_text)
                return result if self._finish is None else self._finish(result), changes
            if is_text:
                reading = self.read_text(given, fail_fast=True)
            else:
                reading = self.read(given, fail_fast=True)
            return self.result(reading), _changes(reading.steps)
        except RecursionError:  # the caller's own stack was nearly full
            pass
        raise engine.too_deep()

    def attempted_changes(self, given: Any, *, is_text: bool) -> tuple[Change, ...]:
        """Return the changes of the parts that could be read, of a rejected value or text."""
        try:
            reading = self.read_text(given) if is_text else self.read(given)
        except (ToolError, RecursionError):
            return ()
        return _changes(reading.steps)

    def changes(self, given: Any, result: Any, *, is_text: bool) -> tuple[Change, ...]:
        """Return the changes by which a value or text became its valid result.

        A default is not a change.
        """
        if self._finish is not None:  # the result has defaults
            return self.explain(given, is_text=is_text)[1]
        return self._changes_between(given, result, is_text=is_text)

    def _changes_between(self, given: Any, result: Any, *, is_text: bool) -> tuple[Change, ...]:
        engine, value = self._engine, given
        if is_text:
            try:
                value = from_json(given, allow_inf_nan=engine.coercion.allow_inf_nan)
            except (TypeError, ValueError):  # it is no JSON
                value = NOTHING
            own = plain_text(given)
            if value is NOTHING or (isinstance(own, str) and spelled(own) is not None):
                return _changes(self.read_text(given).steps)
        try:
            steps = diff_changes(engine.root, engine.verdicts, engine.rules, value, result)
        except NotJSONError:  # the caller has changed the value since
            return ()
        return _changes(steps)


def _changes(steps: Iterable[Step]) -> tuple[Change, ...]:
    return tuple([Change(pointer(path), *change) for path, *change in steps])
