"""A cache of what rules make of the strings in a call, with the spelling of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from schema2model.coerce.rules.scalars import (
    exact_json_text,
    json_text,
    loose_json_text,
    scalar_text,
)
from schema2model.text.exact import may_be_respelled, spelled

if TYPE_CHECKING:
    from schema2model.text.budget import Budget
    from schema2model.text.exact import Spellings

__all__ = ["TextRuleCache"]

_READ = frozenset((json_text, exact_json_text, loose_json_text))
"""The rules that parse a string."""


_UNREAD = object()


class TextRuleCache:
    """The results of rules for the strings of one call: each is parsed once.

    Args:
        spellings: how the text of the call spells its numbers, if it comes from one.
        budget: the work that loosely written texts may still cost.

    >>> texts = TextRuleCache({}, None)
    >>> texts.apply(json_text, "[1]") is texts.apply(json_text, "[1]")
    True

    """

    def __init__(self, spellings: Spellings | None, budget: Budget | None) -> None:
        self._spellings = dict(spellings or {})
        self._budget = budget
        self._results: dict[tuple[Callable[[Any], Any], str], Any] = {}

    def __len__(self) -> int:
        return len(self._results)

    def restart(self, spellings: Spellings | None) -> None:
        """Clear the cache for another value, and keep the budget."""
        self._spellings = dict(spellings or {})
        self._results.clear()

    def apply(self, function: Callable[[Any], Any], value: Any) -> Any:
        """Return what a rule makes of a value: the same object for equal strings."""
        if type(value) is not str:
            known = self._spellings.get(id(value)) if function is scalar_text else None
            return function(value) if known is None else known[1]
        key = (function, value)
        result = self._results.get(key, _UNREAD)
        if result is _UNREAD:
            result = self._parsed(function, value) if function in _READ else function(value)
            self._results[key] = result
        return value if type(result) is str and result == value else result

    def _parsed(self, function: Callable[[Any], Any], text: str) -> Any:
        """Parse a string, and keep the spelling of its numbers."""
        json = text
        if function is not loose_json_text:
            result = function(text)
        elif not may_be_respelled(text):
            return text
        else:
            from schema2model.text import grammars  # noqa: PLC0415 - few calls need it

            found = next(grammars.parameter_readings(text, self.budget()), None)
            if found is None or found.exact:
                return text
            result, json = found.value, found.json
        return self.with_spellings(result, json)

    def budget(self) -> Budget:
        """Return the work that the texts of the call may still cost."""
        if self._budget is None:
            from schema2model.text.budget import Budget  # noqa: PLC0415 - few calls need it

            self._budget = Budget()
        return self._budget

    def with_spellings(self, value: Any, json: str) -> Any:
        """Return the value of a JSON text, and keep the spelling of its numbers."""
        numbers = spelled(json) if type(value) is dict or type(value) is list else None
        if numbers is None:
            return value
        value, spellings = numbers
        self._spellings |= spellings
        return value
