"""The search for readings: what edits make of a text, the cheapest first.

Where only one thing can be meant, a reading goes on in place; where several can, each becomes a
path of its own, and the cheapest goes on first (Dijkstra's algorithm). Work is metered.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final, NamedTuple

from schema2model.json.quoting import quoted
from schema2model.text.exact import BRACKETS, CUT_OFF, NOT_JSON, TextError
from schema2model.text.repair import (
    key_states as keys,
    separator_states as separators,
    value_states as values,
)
from schema2model.text.repair.ambiguity import may_be_in_string
from schema2model.text.repair.context import Context
from schema2model.text.repair.edits import (
    BACKSLASHES_KEPT,
    BRACKETS_APART,
    EDIT,
    LOST_QUOTE,
    Edit,
    Token,
    are_apart,
    bracket_edits,
    edits_of,
    keeps_quote,
)
from schema2model.text.repair.path import (
    AFTER,
    AFTER_NUMBER,
    COLON,
    DONE,
    FIRST_ITEM,
    FIRST_KEY,
    ITEM,
    JOINED,
    KEY,
    VALUE,
    Frame,
    Move,
    Path,
    inserted,
)
from schema2model.text.repair.scalar_spelling import BackslashError
from schema2model.text.schema_view import TextPlace

__all__ = ["CHARACTERS", "Budget", "Mended", "Mender", "OutOfStepsError"]

STEPS: Final = 3_000
"""So many steps are taken for one call, and one for each character that is not JSON, up to"""
MAX_STEPS: Final = 30_000
"""so many."""
CHARACTERS: Final = 400_000
"""So many characters of texts that are not JSON are read in one call."""
MAX_ALIKE: Final = 3
"""So many readings of the same beginning are followed."""

_STEPS: Final[Mapping[str, Callable[[Context, Path], list[Move] | None]]] = {
    VALUE: values.value,
    FIRST_ITEM: values.first_item,
    ITEM: values.item,
    JOINED: values.strings_joined,
    FIRST_KEY: keys.first_key,
    KEY: keys.key,
    COLON: keys.colon,
    AFTER: separators.after,
    AFTER_NUMBER: separators.after_number,
}
"""What is done by what a path expects."""


class OutOfStepsError(Exception):
    """The texts of one call have been looked at too often."""


class Budget:
    """The work that the texts of one call may cost together."""

    __slots__ = ("_characters", "_granted", "_steps", "enough")

    def __init__(self) -> None:
        self.enough: int | None = None
        """What a reading may cost at most, now that a nearer one was accepted."""
        self._characters = CHARACTERS
        self._granted = STEPS
        self._steps = STEPS

    def reads(self, characters: int) -> bool:
        """Whether so many more characters may be read that are not JSON; they count."""
        self._characters -= characters
        more = min(characters, MAX_STEPS - self._granted)
        self._granted += more
        self._steps += more
        return self._characters >= 0

    def spend(self, steps: int) -> None:
        """Take steps.

        Raises:
            OutOfStepsError: if there are none left.

        """
        self._steps -= steps
        if self._steps < 0:
            raise OutOfStepsError


class Mended(NamedTuple):
    """A reading of a text."""

    cost: int
    """What its edits cost."""
    tokens: list[Token]
    doubt: str
    """Why nobody can know whether it is right, if that is so."""
    keeps_quotes: bool


class Mender:
    """The readings of one text.

    >>> from schema2model.text.schema_view import ANYWHERE
    >>> from schema2model.text.repair.edits import assembled
    >>> mender = Mender('{"a": 1 "b": [2}', ANYWHERE, Budget())
    >>> nearest = next(mender.readings(0))
    >>> nearest.cost, assembled(nearest.tokens)
    (20, '{"a":1,"b":[2]}')
    """

    def __init__(
        self, text: str, place: TextPlace, budget: Budget, *, completes: bool = False
    ) -> None:
        self.context = Context(text, place, completes=completes)
        self._budget = budget
        self._numbers = count()
        self._heap: list[tuple[int, int, int, Path]] = []
        self._seen: dict[tuple[object, ...], list[int]] = {}

    def readings(self, start: int, *, opener: str = "") -> Iterator[Mended]:
        """What the text may mean from a character on, where a bracket may be missing.

        Raises:
            OutOfStepsError: if too many steps would have to be taken.
            TextError: if brackets are nested too deep.

        """
        self.context.start = start
        self._begin(start, opener)
        while self._heap:
            path = heapq.heappop(self._heap)[-1]
            if self._budget.enough is not None and path.cost > self._budget.enough:
                return
            if path.string is None and self._is_known(path):
                continue
            has_ended = self._follow(path)
            if self.context.again:
                self._begin(start, opener)
            elif has_ended:
                tokens = path.all_tokens()
                edits = edits_of(tokens)
                doubt = path.doubt or _doubt(self.context.text, tokens, edits)
                yield Mended(path.cost, tokens, doubt, any(map(keeps_quote, edits)))

    def _begin(self, start: int, opener: str) -> None:
        """Begin at the first character of the value, with nothing known."""
        self.context.again = False
        self._heap.clear()
        self._seen.clear()
        first = Path(start, VALUE, None)
        if opener:
            frame = Frame(opener, start, None, "", self.context.place)
            first.take(Move(EDIT, start, FIRST_KEY, frame, (inserted(opener, start),)))
        self._push(first)

    def _push(self, path: Path) -> None:
        heapq.heappush(self._heap, (path.cost, -path.at, next(self._numbers), path))

    def _is_known(self, path: Path) -> bool:
        """Whether what a path has read is known, or as many others have come to where it is."""
        place = (path.at, path.expects, path.frame and path.frame.mark)
        known = self._seen.setdefault(place, [])
        mark = path.fingerprint()
        if mark in known or len(known) >= MAX_ALIKE:
            return True
        known.append(mark)
        return False

    def _follow(self, path: Path) -> bool:
        """Follow a path as long as it is the cheapest; whether it has come to its end."""
        context = self.context
        started = path.at
        steps, has_ended = self._advance(path)
        context.furthest = max(context.furthest, path.at)
        self._budget.spend(steps + ((path.at - started) >> 6) + context.work())
        return has_ended

    def _advance(self, path: Path) -> tuple[int, bool]:
        """How many steps a path has taken, and whether it has come to its end."""
        context, heap = self.context, self._heap
        steps = 0
        while path.string is None or self._decode(path):
            if heap and heap[0][0] < path.cost:
                self._push(path)
                break
            if path.expects is DONE:
                return steps, True
            steps += 1
            moves = _STEPS[path.expects](context, path)
            if moves is None:
                continue
            if len(moves) == 1:
                path.take(moves[0])
                self._budget.spend(context.work())  # a path may go on in place for long
                continue
            for fork in path.forked(moves) if moves else ():
                self._push(fork)
            return steps + len(moves), False
        return steps, False

    def _decode(self, path: Path) -> bool:
        """Spell the string that a path has come over as JSON, if it is clear what it means."""
        assert path.string is not None  # noqa: S101 - asked before
        at, end, lead, raw = path.string
        path.string = None
        self._budget.spend(((end.body - at) >> 6) + (end.kept >> 2))
        try:
            (first, *others), cost = self.context.strings.tokens(at, end, raw=raw)
        except BackslashError:
            self.context.refuse(NOT_JSON, _BACKSLASHES.format(at))
            return False
        path.tokens.append(first._replace(json=lead + first.json) if lead else first)
        path.tokens += others
        path.cost += cost
        path.edited |= bool(end.kept or end.edit)
        if end.doubtful:
            path.doubt = path.doubt or LOST_QUOTE
        return True

    def refusal(self, base: int) -> TextError:
        """Why there is no reading, or no other."""
        context = self.context
        if context.refusal is not None:
            return context.refusal
        # where quotes are in doubt nobody can tell a string's brackets from the call's: all count
        opener = context.text[context.start : context.start + 1]
        if context.text.count(opener) > context.text.count(BRACKETS.get(opener, opener)):
            return TextError(CUT_OFF, " at the end")
        rest = context.text[context.furthest :].lstrip()
        at = len(context.text) - len(rest)
        ended = f": reading ended at character {base + at}, before {quoted(rest[:_SHOWN].rstrip())}"
        return TextError(NOT_JSON, ended, (context.text, at))


_SHOWN: Final = 20
"""So many characters are shown of the text behind the place where reading ended."""
_BACKSLASHES: Final = (
    ": what the backslashes in the string at character {} mean is in doubt; "
    "write two for each that is meant"
)


def _doubt(text: str, tokens: list[Token], edits: list[Edit]) -> str:
    """Why the edits of a whole reading leave it in doubt; "" if they do not."""
    if any(edit.what == "\\" for edit in edits) and _backslashes_doubtful(text, tokens):
        return BACKSLASHES_KEPT
    brackets = bracket_edits(edits)
    if are_apart(brackets):
        return BRACKETS_APART
    return LOST_QUOTE if brackets and may_be_in_string(text, tokens) else ""


def _backslashes_doubtful(text: str, tokens: list[Token]) -> bool:
    """Whether an escape may be none, since in another string backslashes escape nothing."""
    escaped = (token for token in tokens if text.find("\\", token.start, token.end) >= 0)
    strings = (_STRING.finditer(text, token.start, token.end) for token in escaped if token.json)
    return any(_has_doubtful_escape(string[0]) for found in strings for string in found)


def _has_doubtful_escape(string: str) -> bool:
    """Whether a string has an escape that nobody writes, or one in a word."""
    escapes = _ESCAPES.findall(string)
    in_word = " " not in string and _ESCAPE_IN_WORD.search(string) is not None
    return in_word or any(escape in _RARE_ESCAPES for escape in escapes)


_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_RARE_ESCAPES: Final = frozenset(("\\b", "\\f", "\\x", "\\U", "\\N"))
_ESCAPES: Final = re.compile(r"\\.", re.DOTALL)
_ESCAPE_IN_WORD: Final = re.compile(r"\w\\[bfnrt\\]")
