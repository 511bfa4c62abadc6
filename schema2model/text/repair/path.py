"""A path of the search: its offset in the text, its parser state, its brackets and its tokens."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from schema2model.text.repair.edits import JOIN, EditCost, Token, insertion
from schema2model.text.repair.string_ends import IN_ARRAY, StringEnd
from schema2model.text.schema_view import SchemaView

__all__ = ["Frame", "Move", "Path", "PathState", "StringMove", "missing_closers"]


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


@dataclass(slots=True, eq=False)
class Frame:
    """An open bracket."""

    bracket: str
    at: int
    parent: Frame | None
    key: str
    _schema: SchemaView | None = None
    is_object: bool = field(init=False)
    depth: int = field(init=False)
    hash: int = field(init=False)

    def __post_init__(self) -> None:
        self.is_object = self.bracket in {"{", "dict("}
        self.depth = self.parent.depth + 1 if self.parent else 1
        self.hash = hash((self.at, self.bracket, self.parent.hash if self.parent else 0))

    @property
    def closer(self) -> str:
        """The closing bracket in the text."""
        return _CLOSERS[self.bracket]

    @property
    def json(self) -> str:
        """The closing bracket in JSON; `)` for a group that is not known to be a tuple."""
        return "}" if self.is_object else ")" if self.bracket == "(" else "]"

    @property
    def closing_cost(self) -> int:
        """The cost of all missing closers at the end: a little more than that of others."""
        return EditCost.EDIT * self.depth + 1

    @property
    def schema(self) -> SchemaView:
        """The schema of the container, computed on first use."""
        if self._schema is None:
            assert self.parent is not None  # noqa: S101 - the outermost frame has a schema
            self._schema = self.parent.member_schema(self.key)
        return self._schema

    @property
    def next_state(self) -> str:
        """The parser state after a comma."""
        return PathState.KEY if self.is_object else PathState.ITEM

    def member_schema(self, key: str) -> SchemaView:
        """Return the schema of a member."""
        return self.schema.member(key) if self.is_object else self.schema.item()

    def as_tuple(self) -> Frame:
        """Return the frame of a group after its first comma."""
        return Frame("(,", self.at, self.parent, self.key, self.schema)


class StringMove(NamedTuple):
    """A string that a move passes. It is decoded only if the path is followed."""

    at: int
    end: StringEnd
    raw: bool = False
    """Whether backslashes are literal."""


class Move(NamedTuple):
    """One continuation of a path."""

    at: int
    state: str
    frame: Frame | None
    tokens: tuple[Token, ...] = ()
    cost: int = 0
    key: str | None = None
    string: StringMove | None = None
    doubt: str = ""
    """The reason why nobody can know whether it is right, or ""."""


@dataclass(slots=True, eq=False)
class Path:
    """A path of the search."""

    at: int
    state: str
    frame: Frame | None = None
    cost: int = 0
    key: str = ""
    """The key of the current member."""
    key_confirms: bool = False
    """Whether a declared name at the next key confirms the last edit."""
    quotes_edited: bool = False
    """Whether a quote was kept, inserted or dropped."""
    doubt: str = ""
    """The reason why nobody can know whether the reading is right, or ""."""
    string: StringMove | None = None
    """The last string, which remains to be decoded."""
    tokens: list[Token] = field(default_factory=list)
    """The tokens since the last fork."""
    prev: tuple[Any, list[Token]] | None = None
    """The tokens before, as a linked list that forks share."""
    hash: int = 0
    """The hash of all tokens up to `hashed`."""
    hashed: int = 0

    def apply(self, move: Move) -> None:
        """Continue by a move."""
        self.at, self.state, self.frame, tokens, cost, key, self.string, doubt = move
        self.tokens += tokens
        self.doubt = self.doubt or doubt
        if cost:
            self.cost += cost
            joins = bool(tokens) and tokens[-1].json == JOIN
            self.key_confirms |= self.state is not PathState.ITEM and not joins
        if key is not None:
            self.key = key

    def fork(self, moves: list[Move]) -> list[Path]:
        """Return one path for each move."""
        if self.tokens:
            self.update_hash()
            self.prev = (self.prev, self.tokens)
            self.tokens, self.hashed = [], 0
        paths = []
        for move in moves:
            path = Path(move.at, move.state, None, self.cost, self.key, self.key_confirms)
            path.quotes_edited, path.doubt = self.quotes_edited, self.doubt
            path.prev, path.hash = self.prev, self.hash
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
        """The context of a string: what may follow one depends on it."""
        frame = self.frame
        return IN_ARRAY if frame and not frame.is_object else frame.bracket if frame else ""

    def all_tokens(self, start: int = 0) -> list[Token]:
        """Return all tokens from an offset on."""
        if self.prev is None and not start:
            return self.tokens
        parts: list[list[Token]] = []
        prev: Any = (self.prev, self.tokens)
        while prev:
            prev, tokens = prev
            first = bisect_left(tokens, start, key=lambda token: token.start)
            parts.append(tokens[first:])
            if first:
                break
        return [token for part in reversed(parts) for token in part]


def missing_closers(frame: Frame | None, at: int) -> list[Token]:
    """Return the tokens of the closers of all open brackets."""
    tokens = []
    while frame is not None:
        tokens.append(insertion(frame.closer, at, frame.json))
        frame = frame.parent
    return tokens
