"""A reading under way: where it is in the text, which brackets are open, and its tokens so far."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import Any, Final, NamedTuple

from schema2model.text.repair.edits import CLOSERS, EDIT, JOIN, Edit, Token
from schema2model.text.repair.string_bodies import End
from schema2model.text.schema_view import TextPlace

__all__ = [
    "AFTER",
    "AFTER_NUMBER",
    "COLON",
    "DONE",
    "FIRST_ITEM",
    "FIRST_KEY",
    "ITEM",
    "JOINED",
    "KEY",
    "VALUE",
    "Frame",
    "Move",
    "Path",
    "StringMove",
    "closers",
    "closers_cost",
]

# What a path expects next:
VALUE: Final = "a value"
FIRST_ITEM: Final = "the first item, or a closer"
ITEM: Final = "an item behind a comma"
FIRST_KEY: Final = "the first key, or a closer"
KEY: Final = "a key behind a comma"
COLON: Final = "a colon"
JOINED: Final = "a string that belongs to the one before"
AFTER: Final = "a comma, or a closer"
AFTER_NUMBER: Final = "the same, behind a number, which may be cut off"
DONE: Final = "nothing"

_CLOSERS: Final = {"{": "}", "dict(": ")", "[": "]", "(": ")", "(,": ")", "set": "}"}


class Frame:
    """An open bracket, and what the schema says of what stands in it."""

    __slots__ = (
        "_place",
        "at",
        "bracket",
        "depth",
        "is_invented",
        "is_object",
        "key",
        "mark",
        "parent",
    )

    def __init__(
        self, bracket: str, at: int, parent: Frame | None, key: str, place: TextPlace
    ) -> None:
        self.at = at
        self.bracket = bracket
        self.parent = parent
        self.key = key
        self.is_object = bracket in {"{", "dict("}
        self.depth: int = parent.depth + 1 if parent else 1
        self.mark: int = hash((at, bracket, parent.mark if parent else 0))
        self.is_invented = False
        """Whether the bracket is not in the text: then what closes it has to be."""
        self._place = None if parent else place

    @property
    def closer(self) -> str:
        """What closes the bracket in the text."""
        return _CLOSERS[self.bracket]

    @property
    def json(self) -> str:
        """What closes it in JSON; a group without a comma is no tuple, and has no brackets."""
        return "}" if self.is_object else ")" if self.bracket == "(" else "]"

    @property
    def place(self) -> TextPlace:
        """What the schema says of the container, found out when it is asked for."""
        if self._place is None:
            assert self.parent is not None  # noqa: S101 - the outermost has its place
            self._place = self.parent.below(self.key)
        return self._place

    def below(self, key: str) -> TextPlace:
        """What the schema says of a member."""
        return self.place.member(key) if self.is_object else self.place.item()

    def as_tuple(self) -> Frame:
        """The same group, in which there is a comma."""
        frame = Frame("(,", 0, self.parent, self.key, self.place)
        frame.mark = hash((self.mark, ","))
        return frame


class StringMove(NamedTuple):
    """A string that a move comes over; it is decoded when it is needed."""

    at: int
    end: End
    lead: str = ""
    """The JSON before it."""
    raw: bool = False
    """Whether backslashes mean nothing in it."""


class Move(NamedTuple):
    """One way in which a reading may go on."""

    cost: int
    at: int
    expects: str
    frame: Frame | None
    tokens: tuple[Token, ...] = ()
    key: str | None = None
    string: StringMove | None = None
    doubt: str = ""
    """Why nobody can know whether it is right, if that is so."""


class Path:
    """A reading under way."""

    __slots__ = (
        "anchored",
        "at",
        "before",
        "cost",
        "counted",
        "doubt",
        "edited",
        "expects",
        "frame",
        "key",
        "mark",
        "string",
        "tokens",
    )

    def __init__(self, at: int, expects: str, frame: Frame | None) -> None:
        self.at = at
        self.expects = expects
        self.frame = frame
        self.cost = 0
        self.key = ""
        """The name of the member whose value is read."""
        self.anchored = False
        """Whether the next key may show that the last edit was right."""
        self.edited = False
        """Whether a quote was kept, inserted or dropped."""
        self.doubt = ""
        """Why nobody can know whether the reading is right, if that is so."""
        self.string: StringMove | None = None
        self.tokens: list[Token] = []
        self.before: tuple[Any, list[Token]] | None = None
        self.mark = 0
        """What was read before `tokens`, and as many of them as are counted."""
        self.counted = 0

    def pass_over(self, end: int, expects: str, token: Token, cost: int = 0) -> None:
        """Go on in place: a token is the only thing that can be meant."""
        if cost:
            self.cost += cost
            self.anchored = self.anchored or expects is not ITEM
        self.tokens.append(token)
        self.at = end
        self.expects = expects

    def take(self, move: Move) -> None:
        """Go on by a move; a string is still to be decoded."""
        self.cost += move.cost
        self.at = move.at
        self.expects = move.expects
        self.frame = move.frame
        self.tokens += move.tokens
        self.string = move.string
        joins = bool(move.tokens) and move.tokens[-1].json == JOIN
        if move.cost and move.expects is not ITEM and not joins:
            self.anchored = True
        self.doubt = self.doubt or move.doubt
        if move.key is not None:
            self.key = move.key

    def forked(self, moves: list[Move]) -> list[Path]:
        """A path for each move."""
        if self.tokens:
            self.fingerprint()
            self.before = (self.before, self.tokens)
            self.tokens, self.counted = [], 0
        paths = []
        for move in moves:
            path = Path(move.at, move.expects, move.frame)
            path.cost, path.key = self.cost, self.key
            path.before, path.mark = self.before, self.mark
            path.anchored, path.edited, path.doubt = self.anchored, self.edited, self.doubt
            path.take(move)
            paths.append(path)
        return paths

    def fingerprint(self) -> int:
        """What tells apart readings of the same part of a text."""
        for token in self.tokens[self.counted :]:
            self.mark = hash((self.mark, token.json))
        self.counted = len(self.tokens)
        return self.mark

    def has_closed(self) -> bool:
        """Whether what was read last may be a container."""
        last = next((token.json for token in reversed(self.tokens) if token.json), "}")
        return last[-1] in CLOSERS

    def all_tokens(self) -> list[Token]:
        """Every token, from the first on."""
        if self.before is None:
            return self.tokens
        return self.tokens_from(0)

    def tokens_from(self, start: int) -> list[Token]:
        """Every token from a character on."""
        parts: list[list[Token]] = []
        before: Any = (self.before, self.tokens)
        while before:
            before, tokens = before
            first = bisect_left(tokens, start, key=_START)
            parts.append(tokens[first:])
            if first:
                break
        return [token for part in reversed(parts) for token in part]


_START: Final = attrgetter("start")


def inserted(mark: str, at: int, json: str | None = None) -> Token:
    """The token of a mark that is not there."""
    return Token(at, at, mark if json is None else json, Edit("inserted", mark, at))


def dropped(mark: str, at: int) -> Token:
    """The token of a mark that is there too often."""
    return Token(at, at + len(mark), "", Edit("dropped", mark, at))


def closers(frame: Frame | None, at: int) -> list[Token]:
    """The closers of all open brackets, which are not there."""
    tokens = []
    while frame is not None:
        tokens.append(inserted(frame.closer, at, frame.json))
        frame = frame.parent
    return tokens


def closers_cost(depth: int) -> int:
    """What so many closers at the end cost: a little more than if they stood further in."""
    return EDIT * depth + 1
