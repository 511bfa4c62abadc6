"""The readings of a text, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

from schema2model.errors import AMBIGUOUS, TextError
from schema2model.json.equality import type_exact_equal
from schema2model.json.quoting import quoted
from schema2model.text.budget import Budget
from schema2model.text.repair.edits import Doubt, Edit, EditCost, Token, describe_edits, edits_of

__all__ = ["TextReading", "choose_reading"]


class TextReading(NamedTuple):
    """One possible value of a text."""

    value: Any
    grammar: str
    """The grammar that took the text."""
    json: str
    """The JSON of the value, with its numbers as the text spells them."""
    exact: bool = False
    """Whether the text is JSON."""
    cost: int = 0
    """The cost of the edits that made it JSON."""
    doubt: str = ""
    """The reason why nobody can know whether it is right, or ""."""
    text: str = ""
    """The text, if it is not JSON."""
    tokens: list[Token] | None = None
    """The tokens that cover the text, if edits made it JSON."""
    span: tuple[int, int] = (0, 0)
    """The span of the JSON in the text, if there is other text around it; else (0, 0)."""
    thinking: str = ""
    """The thinking before the text, which is not part of it."""

    def covering_tokens(self) -> list[Token]:
        """Return the tokens that cover the whole text; [] for JSON."""
        (start, end), text = self.span, self.text
        if not end:
            return self.tokens or []
        before = Edit("left out", "the text before the value", 0)
        after = Edit("left out", "the text after the value", end)
        return [
            Token(0, start, "", before if text[:start].strip() else None),
            Token(start, end, text[start:end]),
            Token(end, len(text), "", after if text[end:].strip() else None),
        ]

    def edits(self) -> Iterator[tuple[str, str]]:
        """Yield the text around each edit, and its description; equal edits are described once."""
        if self.thinking:
            yield self.thinking, "left out the thinking before the value"
        yield from describe_edits(edits_of(self.covering_tokens()), self.text)


class Judgement(Protocol):
    """A reading that the schema accepts."""

    @property
    def value(self) -> Any:
        """The result."""


Accepted = TypeVar("Accepted", bound=Judgement)


def choose_reading(
    found: Iterator[TextReading],
    judge: Callable[[TextReading], Accepted | None],
    budget: Budget | None = None,
) -> Accepted | None:
    """Return the judgement of the nearest reading that the schema accepts; None if there is none.

    The readings come nearest first; `judge` returns None for one that the schema refuses. They end
    with those that are near enough, if their budget is given. Raises TextError if an equally near
    reading has another result, or if no reading exists.
    """
    nearest: tuple[TextReading, Accepted] | None = None
    rival: TextError | None = None
    try:
        for reading in found:
            if nearest is not None and reading.cost > nearest[0].cost + EditCost.TIE_MARGIN:
                break
            accepted = judge(reading)
            if accepted is None:
                continue
            rival = _rival(reading, accepted, nearest and nearest[1]) or rival
            # where else the brace may be, the next reading can show
            goes_on = nearest is None and reading.doubt == Doubt.BRACE_ELSEWHERE
            nearest = nearest or (reading, accepted)
            if (rival and not goes_on) or not nearest[0].cost:  # no other reading is as near
                break
            if budget is not None:
                budget.max_cost = nearest[0].cost + EditCost.TIE_MARGIN
    except TextError:
        if nearest is None:
            raise
    if rival is not None:
        raise rival
    return nearest and nearest[1]


def _rival(reading: TextReading, accepted: Judgement, best: Judgement | None) -> TextError | None:
    """Return the error if a reading is in doubt, or has another result than the best one."""
    if best is None or type_exact_equal(best.value, accepted.value):
        return TextError(AMBIGUOUS, reading.doubt) if reading.doubt else None
    return TextError(AMBIGUOUS, f": {_difference(best.value, accepted.value)}")


def _difference(one: Any, other: Any) -> str:
    """Return the only part in which two values differ, of both of them."""
    while type(one) is type(other) and isinstance(one, (dict, list)) and len(one) == len(other):
        if isinstance(one, dict) and one.keys() != other.keys():
            break
        keys = one if isinstance(one, dict) else range(len(one))
        pairs = [(one[k], other[k]) for k in keys if not type_exact_equal(one[k], other[k])]
        if len(pairs) != 1:
            break
        one, other = pairs[0]
    return f"{quoted(one)} or {quoted(other)}"
