"""What rules make of the texts in a call: each is read once, and numbers keep their spelling."""

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
    from schema2model.text.exact import Spellings
    from schema2model.text.grammars import Budget

__all__ = ["TextRuleCache"]

_READ = frozenset((json_text, exact_json_text, loose_json_text))
"""The rules that read a value out of a text."""


_UNREAD = object()


class TextRuleCache:
    """The texts of one call, and what rules have made of them.

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
        self._made: dict[tuple[Callable[[Any], Any], str], Any] = {}

    def __len__(self) -> int:
        return len(self._made)

    def restart(self, spellings: Spellings | None) -> None:
        """Forget all texts, for those of another value; the budget stays what is left of it."""
        self._spellings = dict(spellings or {})
        self._made.clear()

    def apply(self, function: Callable[[Any], Any], value: Any) -> Any:
        """What a rule makes of a value; of equal texts the same object every time."""
        if type(value) is not str:
            known = self._spellings.get(id(value)) if function is scalar_text else None
            return function(value) if known is None else known[1]
        key = (function, value)
        made = self._made.get(key, _UNREAD)
        if made is _UNREAD:
            made = self._parsed(function, value) if function in _READ else function(value)
            self._made[key] = made
        return value if type(made) is str and made == value else made

    def _parsed(self, function: Callable[[Any], Any], text: str) -> Any:
        """What a text stands for; how it spells numbers is remembered."""
        json = text
        if function is not loose_json_text:
            made = function(text)
        elif not may_be_respelled(text):
            return text
        else:
            from schema2model.text import grammars  # noqa: PLC0415 - few calls need it

            self._budget = self._budget or grammars.Budget()
            found = next(grammars.parameter_readings(text, self._budget), None)
            if found is None or found.exact:
                return text
            made, json = found.value, found.json
        numbers = spelled(json) if type(made) is dict or type(made) is list else None
        if numbers is None:
            return made
        made, spellings = numbers
        self._spellings |= spellings
        return made
