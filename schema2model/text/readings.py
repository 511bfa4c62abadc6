"""What a text may mean, and which of several readings is the one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from schema2model.json.equality import type_exact_equal
from schema2model.json.quoting import quoted
from schema2model.text.exact import AMBIGUOUS, TWO_CALLS, TextError
from schema2model.text.repair.edits import MARGIN, Edit, Token, edits_of, told
from schema2model.text.repair.search import Budget

__all__ = ["TextReading", "chosen"]


class TextReading(NamedTuple):
    """What a text may mean."""

    value: Any
    grammar: str
    """Which grammar took the text."""
    json: str
    """The JSON of the value, with its numbers as the text spells them."""
    exact: bool = False
    """Whether the text is JSON."""
    cost: int = 0
    """What the edits cost that made it JSON."""
    doubt: str = ""
    """Why nobody can know whether it is right: then no dearer reading is any better."""
    part: bool = False
    """Whether other values in the text may belong to this one."""
    text: str = ""
    """The text that was read, if it was not JSON."""
    tokens: list[Token] | None = None
    """What covers it, if edits made it JSON."""
    span: tuple[int, int] | None = None
    """Where JSON stands in it, if other things stand around."""

    def account(self) -> list[Token]:
        """The tokens that cover the text, from its first character to its last; [] for JSON."""
        if self.span is None:
            return self.tokens or []
        (start, end), text = self.span, self.text
        before = Edit("left out", "what stands before the value", 0)
        behind = Edit("left out", "what stands behind the value", end)
        return [
            Token(0, start, "", before if text[:start].strip() else None),
            Token(start, end, text[start:end]),
            Token(end, len(text), "", behind if text[end:].strip() else None),
        ]

    def edits(self) -> Iterator[tuple[str, str]]:
        """The text around each edit, and the edit in words; equal ones are told once."""
        yield from told(edits_of(self.account()), self.text)


class Judgement(Protocol):
    """What the schema makes of a reading that it accepts."""

    @property
    def value(self) -> Any:
        """The result."""


Accepted = TypeVar("Accepted", bound=Judgement)


class _RivalsError(TextError):
    """Two readings are equally near."""


def chosen(
    found: Iterator[TextReading],
    judge: Callable[[TextReading], Accepted | None],
    budget: Budget | None = None,
) -> Accepted | None:
    """What the schema makes of the nearest reading that it accepts; None if it accepts none.

    With the budget that the readings are made of, none is made that is too dear to matter.

    Raises TextError if a reading with another result is as near, or if there is no reading.
    """
    choice: _Choice[Accepted] = _Choice()
    try:
        for reading in found:
            if choice.is_made(reading):
                break
            accepted = judge(reading)
            if accepted is not None:
                choice.offer(reading, accepted)
                if budget is not None:
                    budget.enough = choice.limit
    except _RivalsError:
        raise
    except TextError:
        if choice.best is None:
            raise
    if choice.is_part:
        raise TextError(TWO_CALLS)
    return choice.best


class _Choice(Generic[Accepted]):
    """The nearest reading that was accepted so far."""

    def __init__(self) -> None:
        self.best: Accepted | None = None
        self.is_part = False
        self.limit = 0
        """What a reading costs at most that is as near."""

    def is_made(self, reading: TextReading) -> bool:
        """Whether the best reading is nearer than this one, and so than all behind it."""
        return self.best is not None and (reading.cost > self.limit or not self.limit)

    def offer(self, reading: TextReading, accepted: Accepted) -> None:
        """Take a reading that is accepted, or raise TextError if another is as near."""
        if reading.doubt:
            raise _RivalsError(AMBIGUOUS, reading.doubt)
        if self.best is None:
            self.best = accepted
            self.is_part = reading.part
            self.limit = reading.cost and reading.cost + MARGIN
        elif not type_exact_equal(self.best.value, accepted.value):
            if reading.grammar == "prose":
                raise _RivalsError(TWO_CALLS)
            raise _RivalsError(AMBIGUOUS, f": {_differing(self.best.value, accepted.value)}")


def _differing(one: Any, other: Any) -> str:
    """The part in which two values differ, of both of them."""
    while type(one) is type(other) and isinstance(one, (dict, list)):
        pairs = _pairs(one, other)
        if len(pairs) != 1:
            break
        one, other = pairs[0]
    return f"{quoted(one)} or {quoted(other)}"


def _pairs(one: Any, other: Any) -> list[tuple[Any, Any]]:
    """The members in which two containers of the same members differ."""
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return []
        return [(one[k], other[k]) for k in one if not type_exact_equal(one[k], other[k])]
    if len(one) != len(other):
        return []
    return [(a, b) for a, b in zip(one, other, strict=True) if not type_exact_equal(a, b)]
