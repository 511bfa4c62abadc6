"""Texts that lack nothing but closers at their end, which is found without a search.

What the mender would ask of them is asked of their value. Where any of it is in doubt, or the text
has lines that may tell more, it is for the mender.
"""

from __future__ import annotations

import re
from typing import Any, Final

from schema2model.text.exact import BRACKETS, NOTHING, UNIQUE, parsed
from schema2model.text.repair.ambiguity import (
    last_within,
    may_be_elsewhere,
    may_have_lost_members,
)
from schema2model.text.repair.edits import CLOSERS, Token
from schema2model.text.repair.path import closers_cost, inserted
from schema2model.text.schema_view import TextPlace

__all__ = ["unclosed"]

_BRACKETS: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|([{}\[\]])')
"""A bracket, or a string: one that is not closed takes all the rest, to be looked at only once."""
_MAX_NESTED: Final = 20
"""So deep are containers that are closed; deeper ones are for the mender."""
_LAST: Final = re.compile(r"(?:[}\]]|[^}\]\\]\"|true|false|null)\Z")
"""How such a text ends: with a whole value. A closer before the last quote may be misplaced."""


def unclosed(text: str, start: int, place: TextPlace) -> tuple[int, Any, list[Token]] | None:
    """What its closers cost, the value that goes from a character to the end, and its tokens.

    None if more is missing than closers at the end, or if they may be missing somewhere else.

    >>> from schema2model.text.schema_view import ANYWHERE
    >>> cost, value, tokens = unclosed('{"a": [{"b": "x"', 0, ANYWHERE)
    >>> cost, value, [token.json for token in tokens[1:]]
    (31, {'a': [{'b': 'x'}]}, ['}', ']', '}'])
    >>> unclosed('{"a": [1', 0, ANYWHERE), unclosed('{"a": ["x', 0, ANYWHERE)
    (None, None)
    """
    if text.count("{") + text.count("[") <= text.count("}") + text.count("]") or "\n" in text:
        return None
    if not _LAST.search(text, max(start, len(text) - 5)):
        return None
    opened = "".join(_BRACKETS.findall(text, start))
    for _ in range(_MAX_NESTED):
        if not CLOSERS.isdisjoint(opened):
            opened = opened.replace("[]", "").replace("{}", "")
    if not opened or not CLOSERS.isdisjoint(opened):
        return None
    closers = [BRACKETS[opener] for opener in reversed(opened)]
    value = parsed(text[start:] + "".join(closers), UNIQUE)
    if value is NOTHING or _has_foreign(value, place):
        return None
    ones = last_within(value, place)
    if may_have_lost_members(ones, len(closers)):
        return None
    if "{" in opened and may_be_elsewhere(ones, len(closers), at_end=True):
        return None
    end = len(text)
    missing = [inserted(closer, end) for closer in closers]
    return closers_cost(len(missing)), value, [Token(start, end, text[start:]), *missing]


def _has_foreign(value: Any, place: TextPlace) -> bool:
    """Whether an object has a name that only the one around it has by declaration."""
    if isinstance(value, list):
        return any(_has_foreign(item, place.item()) for item in value if type(item) in _CONTAINERS)
    names = place.names()
    for name, member in value.items():
        if type(member) in _CONTAINERS:
            inner = place.member(name)
            if type(member) is dict and not names.isdisjoint(member.keys() - inner.names()):
                return True
            if _has_foreign(member, inner):
                return True
    return False


_CONTAINERS: Final = frozenset((dict, list))
