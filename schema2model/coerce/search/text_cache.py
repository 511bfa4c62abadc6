"""A cache of what rules make of the strings in a call, with the spelling of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schema2model.coerce.rules.scalars import (
    exact_json_text,
    integer_text,
    integral_float,
    json_text,
    loose_json_text,
    scalar_text,
)
from schema2model.json.parsing import NOTHING, Spellings, may_be_respelled, spelled
from schema2model.text.budget import Budget

__all__ = ["TextRuleCache"]

_READ = frozenset((json_text, exact_json_text, loose_json_text))
"""The rules that parse a string."""


def _spelled(function: Callable[[Any], Any], number: float, digits: str) -> Any:
    """Return what a rule makes of a number that the text of the call spells in its own way."""
    if function is scalar_text:
        return digits
    if function is integral_float:  # a fraction that a float loses is a fraction
        exact = integer_text(digits)
        return exact if type(exact) is int else digits
    return function(number)


class TextRuleCache:
    """The results of rules for the strings and numbers of one call: each string is parsed once.

    `spellings` is how the text of the call spells its numbers, if it comes from one, and `budget`
    the work that loosely written texts may still cost.

    >>> texts = TextRuleCache({}, None)
    >>> texts.apply(json_text, "[1]") is texts.apply(json_text, "[1]")
    True

    """

    def __init__(self, spellings: Spellings | None, budget: Budget | None) -> None:
        self.budget = budget or Budget()
        self._spellings = dict(spellings or {})
        self._results: dict[tuple[Callable[[Any], Any], str], Any] = {}

    def apply(self, function: Callable[[Any], Any], value: Any) -> Any:
        """Return what a rule makes of a value: the same object for equal strings."""
        if type(value) is not str:
            known = self._spellings.get(id(value))
            return function(value) if known is None else _spelled(function, value, known[1])
        key = (function, value)
        result = self._results.get(key, NOTHING)
        if result is NOTHING:
            result = self._parsed(function, value) if function in _READ else function(value)
            self._results[key] = result
        return value if type(result) is str and result == value else result

    def _parsed(self, function: Callable[[Any], Any], text: str) -> Any:
        """Parse a string, and keep the spelling of its numbers."""
        if function is not loose_json_text:
            return self.with_spellings(function(text), text)
        if may_be_respelled(text):
            from schema2model.text import grammars  # noqa: PLC0415 - few calls need it

            found = next(grammars.parameter_readings(text, self.budget), None)
            if found is not None and not found.exact:
                return self.with_spellings(found.value, found.json)
        return text

    def with_spellings(self, value: Any, json: str) -> Any:
        """Return the value of a JSON text, and keep the spelling of its numbers."""
        numbers = spelled(json) if type(value) is dict or type(value) is list else None
        if numbers is None:
            return value
        value, spellings = numbers
        self._spellings |= spellings
        return value
