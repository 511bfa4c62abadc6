"""A path of the search: its offset in the text, its parser state, its brackets and its tokens."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import Any, Final, NamedTuple

from schema2model.text.repair.edits import CLOSERS, DROPPED_COMMA, JOIN, Edit, EditCost, Token
from schema2model.text.repair.string_bodies import AMONG_KEYWORDS, IN_ARRAY, IN_OBJECT, StringEnd
from schema2model.text.schema_view import SchemaView

__all__ = [
    "Frame",
    "Move",
    "Path",
    "PathState",
    "StringMove",
    "deletion",
    "insertion",
    "missing_closers",
    "missing_closers_cost",
]


class PathState:
    """The parser states, each named for what comes next."""

    VALUE: Final = "a value"
    FIRST_ITEM: Final = "the first item, or a closer"
    ITEM: Final = "an item after a comma"
    FIRST_KEY: Final = "the first key, or a closer"
    KEY: Final = "a key after a comma"
    COLON: Final = "a colon"
    JOINED: Final = "a string that + joins to the one before"
    AFTER: Final = "a comma, or a closer"
    AFTER_NUMBER: Final = "a comma or a closer after a number, which may be truncated"
    DONE: Final = "nothing"


_CLOSERS: Final = {"{": "}", "dict(": ")", "[": "]", "(": ")", "(,": ")", "set": "}"}


class Frame:
    """An open bracket."""

    __slots__ = (
        "_schema",
        "at",
        "bracket",
        "depth",
        "hash",
        "inserted",
        "is_object",
        "key",
        "parent",
    )

    def __init__(
        self, bracket: str, at: int, parent: Frame | None, key: str, schema: SchemaView
    ) -> None:
        self.at = at
        self.bracket = bracket
        self.parent = parent
        self.key = key
        self.is_object = bracket in {"{", "dict("}
        self.depth: int = parent.depth + 1 if parent else 1
        self.hash: int = hash((at, bracket, parent.hash if parent else 0))
        self.inserted = False
        """Whether the bracket is not in the text: then its closer has to be."""
        self._schema = None if parent else schema

    @property
    def closer(self) -> str:
        """The closing bracket in the text."""
        return _CLOSERS[self.bracket]

    @property
    def json(self) -> str:
        """The closing bracket in JSON; `)` for a group that is not known to be a tuple."""
        return "}" if self.is_object else ")" if self.bracket == "(" else "]"

    @property
    def schema(self) -> SchemaView:
        """The schema of the container, computed on first use."""
        if self._schema is None:
            assert self.parent is not None  # noqa: S101 - the outermost frame has a schema
            self._schema = self.parent.member_schema(self.key)
        return self._schema

    def member_schema(self, key: str) -> SchemaView:
        """Return the schema of a member."""
        return self.schema.member(key) if self.is_object else self.schema.item()

    def as_tuple(self) -> Frame:
        """Return the frame of a group after its first comma."""
        frame = Frame("(,", 0, self.parent, self.key, self.schema)
        frame.hash = hash((self.hash, ","))
        return frame


class StringMove(NamedTuple):
    """A string that a move passes. It is decoded only if the path is followed."""

    at: int
    end: StringEnd
    raw: bool = False
    """Whether backslashes are literal."""


class Move(NamedTuple):
    """One continuation of a path."""

    cost: int
    at: int
    state: str
    frame: Frame | None
    tokens: tuple[Token, ...] = ()
    key: str | None = None
    string: StringMove | None = None
    doubt: str = ""
    """The reason why nobody can know whether it is right, or ""."""


class Path:
    """A path of the search."""

    __slots__ = (
        "at",
        "cost",
        "doubt",
        "frame",
        "hash",
        "hashed",
        "key",
        "key_confirms",
        "prev",
        "quotes_edited",
        "state",
        "string",
        "tokens",
    )

    def __init__(self, at: int, state: str, frame: Frame | None) -> None:
        self.at = at
        self.state = state
        self.frame = frame
        self.cost = 0
        self.key = ""
        """The key of the current member."""
        self.key_confirms = False
        """Whether a declared name at the next key confirms the last edit."""
        self.quotes_edited = False
        """Whether a quote was kept, inserted or dropped."""
        self.doubt = ""
        """The reason why nobody can know whether the reading is right, or ""."""
        self.string: StringMove | None = None
        self.tokens: list[Token] = []
        """The tokens since the last fork."""
        self.prev: tuple[Any, list[Token]] | None = None
        """The tokens before, as a linked list that forks share."""
        self.hash = 0
        """The hash of all tokens up to `hashed`."""
        self.hashed = 0

    def advance(self, end: int, state: str, token: Token, cost: int = 0) -> None:
        """Append a token in place, as the only continuation."""
        if cost:
            self.cost += cost
            self.key_confirms = self.key_confirms or state is not PathState.ITEM
        self.tokens.append(token)
        self.at = end
        self.state = state

    def apply(self, move: Move) -> None:
        """Continue by a move; its string remains to be decoded."""
        self.cost += move.cost
        self.at = move.at
        self.state = move.state
        self.frame = move.frame
        self.tokens += move.tokens
        self.string = move.string
        joins = bool(move.tokens) and move.tokens[-1].json == JOIN
        if move.cost and move.state is not PathState.ITEM and not joins:
            self.key_confirms = True
        self.doubt = self.doubt or move.doubt
        if move.key is not None:
            self.key = move.key

    def fork(self, moves: list[Move]) -> list[Path]:
        """Return one path for each move."""
        if self.tokens:
            self.update_hash()
            self.prev = (self.prev, self.tokens)
            self.tokens, self.hashed = [], 0
        paths = []
        for move in moves:
            path = Path(move.at, move.state, move.frame)
            path.cost, path.key, path.doubt = self.cost, self.key, self.doubt
            path.prev, path.hash = self.prev, self.hash
            path.key_confirms, path.quotes_edited = self.key_confirms, self.quotes_edited
            path.apply(move)
            paths.append(path)
        return paths

    def update_hash(self) -> int:
        """Return the hash of all tokens."""
        for token in self.tokens[self.hashed :]:
            self.hash = hash((self.hash, token.json))
        self.hashed = len(self.tokens)
        return self.hash

    @property
    def in_object(self) -> bool:
        """Whether the path is inside an object."""
        return self.frame is not None and self.frame.is_object

    @property
    def string_context(self) -> str:
        """The context of a string: `IN_OBJECT`, `IN_ARRAY` or `AMONG_KEYWORDS`."""
        if self.frame is None or self.frame.bracket == "{":
            return IN_OBJECT
        return AMONG_KEYWORDS if self.frame.is_object else IN_ARRAY

    def ends_with_closer(self) -> bool:
        """Return whether the last token may close a container."""
        parts = (token.json for token in reversed(self.tokens))
        last = next((json for json in parts if json and json not in _COMMA), "}")
        return last[-1] in CLOSERS

    def all_tokens(self) -> list[Token]:
        """Return all tokens."""
        if self.prev is None:
            return self.tokens
        return self.tokens_from(0)

    def tokens_from(self, start: int) -> list[Token]:
        """Return all tokens from an offset on."""
        parts: list[list[Token]] = []
        prev: Any = (self.prev, self.tokens)
        while prev:
            prev, tokens = prev
            first = bisect_left(tokens, start, key=_START)
            parts.append(tokens[first:])
            if first:
                break
        return [token for part in reversed(parts) for token in part]


_START: Final = attrgetter("start")
_COMMA: Final = frozenset((",", DROPPED_COMMA))


def insertion(mark: str, at: int, json: str | None = None) -> Token:
    """Return the token of a mark that is missing."""
    return Token(at, at, mark if json is None else json, Edit("inserted", mark, at))


def deletion(mark: str, at: int) -> Token:
    """Return the token of a superfluous mark."""
    return Token(at, at + len(mark), "", Edit("dropped", mark, at))


def missing_closers(frame: Frame | None, at: int) -> list[Token]:
    """Return the tokens of the closers of all open brackets."""
    tokens = []
    while frame is not None:
        tokens.append(insertion(frame.closer, at, frame.json))
        frame = frame.parent
    return tokens


def missing_closers_cost(depth: int) -> int:
    """Return the cost of closers at the end: a little more than those of closers further in."""
    return EditCost.EDIT * depth + 1
