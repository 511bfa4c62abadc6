"""`FillingEngine`: the engine of a schema whose defaults are part of the arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from schema2model.coerce.engine import Engine
from schema2model.coerce.search.readings import Change, Reading
from schema2model.model.defaults import with_defaults

__all__ = ["FillingEngine"]


class FillingEngine(Engine):
    """An engine that adds the schema's defaults to all arguments that it returns.

    Changes are those of the arguments as they were sent: a default is not a change.
    """

    @cached_property
    def _unfilled(self) -> Engine:
        return Engine(self.source._replace(defaults=None))

    def _lowered(self, *, coerces: bool) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        accept, accept_json = super()._lowered(coerces=coerces)
        return (
            lambda value: with_defaults(self, accept(value)),
            lambda text: with_defaults(self, accept_json(text)),
        )

    def result(self, reading: Reading) -> Any:
        """Return the result of a reading, with defaults."""
        return with_defaults(self, super().result(reading))

    def explain(self, value: Any) -> tuple[Any, tuple[Change, ...]]:
        """Return the arguments that a value means, and the changes on the way."""
        result, changes = self._unfilled.explain(value)
        return with_defaults(self, result), changes

    def explain_json(self, text: str | bytes | bytearray) -> tuple[Any, tuple[Change, ...]]:
        """Return the arguments that a text means, and the changes on the way."""
        result, changes = self._unfilled.explain_json(text)
        return with_defaults(self, result), changes

    def changes(self, given: Any, result: Any, *, is_text: bool) -> tuple[Change, ...]:
        """The changes by which a value or text became its valid result, apart from defaults."""
        del result
        explain = self._unfilled.explain_json if is_text else self._unfilled.explain
        return explain(given)[1]
