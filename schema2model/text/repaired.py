"""What json_repair makes of a text that no grammar takes, if it leaves out and adds nothing.

It guesses, and has no limits of its own: what it may look at is metered, and what it returns is
compared with the text.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, SupportsIndex

from schema2model.text.exact import BLANK, BRACKETS, NOT_JSON, NOTHING, STRICT, TextError, parsed

__all__ = ["missing_at_end", "repaired"]

REPAIR_LIMIT: Final = 100_000
"""Longer texts are not given to json_repair."""
REPAIR_STEPS: Final = 1_000_000
"""So many characters may json_repair look at: some texts take it cubic time."""


def missing_at_end(text: str) -> str:
    """Return " at the end" if a text that is broken in the middle seems cut off, too, else "".

    Where quotes are in doubt nobody can tell a string's brackets from the call's. So all count:
    the text must close the kind of bracket that it begins with as often as it opens it.

    >>> missing_at_end('{"a": "get("KEY", "x"')
    ' at the end'
    """
    if text[:1] not in BRACKETS:
        return ""
    opener, closer = text[0], BRACKETS[text[0]]
    return " at the end" * (text.count(opener) > text.count(closer))


class _OutOfStepsError(Exception):
    """The text has been looked at too often."""


class _Metered(str):
    """A text that may be looked at so many times; json_repair has no limit of its own."""

    __slots__ = ("left",)
    left: list[int]  # steps left, shared by all parts of one text

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        self.left[0] -= len(part)
        if self.left[0] < 0:
            raise _OutOfStepsError
        return _metered(part, self.left) if isinstance(key, slice) else part

    def __add__(self, other: str) -> str:
        return _metered(super().__add__(other), self.left)

    def __radd__(self, other: str) -> str:
        return _metered(other + str(self), self.left)


def _metered(text: str, left: list[int]) -> _Metered:
    metered = _Metered(text)
    metered.left = left
    return metered


def repaired(text: str, *, whole: bool) -> Any:
    """Return the dict or list that json_repair makes of a text, or raise TextError.

    If `whole`, the text must not be cut off, and the repair must have every part of it in order.

    >>> repaired('{"a": "to the "dictator", and on"}', whole=True)
    {'a': 'to the "dictator", and on'}
    >>> repaired('{"a": "x", "b": }', whole=True)
    Traceback (most recent call last):
        ...
    schema2model.text.exact.TextError: the arguments are not JSON; send one JSON object ...
    """
    if text[:1] not in BRACKETS or len(text) > REPAIR_LIMIT:
        raise TextError(NOT_JSON)
    from json_repair import repair_json  # noqa: PLC0415 (correct arguments do not pay for it)

    try:
        guess = repair_json(
            _metered(text, [REPAIR_STEPS]),
            return_objects=True,
            skip_json_loads=True,
        )
        spelling = json.dumps(guess)
    except Exception:  # noqa: BLE001 (whatever it stumbles over, the text was what is wrong)
        raise TextError(NOT_JSON) from None
    # Parsing once more joins the halves of surrogate pairs, and refuses infinities.
    value = parsed(spelling, STRICT)
    if value is NOTHING or isinstance(value, dict) != text.startswith("{"):
        raise TextError(NOT_JSON)
    if whole and not _is_faithful(text, spelling):
        raise TextError(NOT_JSON)
    return value


_EMPTY_VALUE: Final = re.compile(r""":\s*(?:""|'')""")
_SYNTAX: Final = re.compile(
    r"""\\u201[89cd]|\\["'\\/bfnrt]|\\(?!u)|[][\s"'`\u2018\u2019\u201c\u201d,:;{}()]"""
)
_FOREIGN: Final = re.compile(r"(?:\\u[0-9a-f]{4}|[^\x00-\x7f])+")


def _is_faithful(text: str, spelling: str) -> bool:
    """Say whether the text ends as it must, and its repair leaves out and invents nothing."""
    return (
        text.rstrip(BLANK).endswith(BRACKETS[text[0]])
        and _essence(text) == _essence(spelling)
        and len(_EMPTY_VALUE.findall(text)) >= len(_EMPTY_VALUE.findall(spelling))
    )


def _essence(text: str) -> str:
    """Return what a faithful repair keeps in order: all but syntax; runs of non-ASCII count."""
    return _FOREIGN.sub("~", _SYNTAX.sub("", text.lower())).replace("none", "null")
