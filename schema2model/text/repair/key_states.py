"""The parser states before a key, and before its colon."""

from __future__ import annotations

import re
from typing import Final

from schema2model.regexes import regex
from schema2model.text.repair.context import Context
from schema2model.text.repair.edits import (
    CLOSERS,
    Doubt,
    Edit,
    EditCost,
    Token,
    deletion,
    insertion,
    respelling,
)
from schema2model.text.repair.path import Frame, Move, Path, PathState
from schema2model.text.repair.scalar_spelling import BARE_NAME, BackslashError
from schema2model.text.repair.separator_states import close_bracket
from schema2model.text.repair.skip import skip_plain
from schema2model.text.repair.string_ends import QUOTES

__all__ = ["colon", "key"]

_KEY: Final = re.compile(rf'(?:"([^"\\\n]*)"|({BARE_NAME}))[ \t\n\r]*:(?!=)')
_DOUBLED: Final = regex(r"""(?:""([^]"\\\n,:{}[]{1,120})"|"([^]"\\\n,:{}[]{1,120})"")(?=\s*:)""")
"""A key with one doubled quote."""
_COLON: Final = regex(r":(?!=)|\uff1a|=>|:=|=(?!=)")
_IDENTIFIER: Final = regex(BARE_NAME)
_NUMBER: Final = regex(r"-?\d{1,20}(?:\.\d{1,20})?(?=\s*(?::|\uff1a|=))")
_UNCLOSED: Final = regex(rf"({BARE_NAME})\s*(?=:)")
_ABSORBING: Final = regex(
    r"\s*[,:]|.*(?::|:.*,)[{\[ \t\r\n]*\Z|.*[,{}\[\s]\Z|[^\[]*\]\Z", re.DOTALL
)
"""A name that has absorbed a mark: a quote is missing before that."""


def key(context: Context, path: Path) -> list[Move]:
    """Read a key, or the closer of the object."""
    text, frame = context.text, path.frame
    assert frame is not None  # noqa: S101 - keys are read in objects
    at = context.skip_blanks(path.at)
    if plain := _plain(context, path, frame, at):
        return plain
    char = text[at : at + 1]
    if not char:
        return context.end_of_text(path)
    if char in CLOSERS:
        return close_bracket(context, path, frame, at)
    moves = _bare(context, path, frame, at)
    if char == ",":
        moves.append(Move(at + 1, path.state, frame, (deletion(",", at),), EditCost.EDIT))
        if path.state is PathState.FIRST_KEY and context.unbalanced and frame.parent:
            closer = insertion(frame.closer, at, frame.json)
            moves.append(Move(at, PathState.AFTER, frame.parent, (closer,), EditCost.EDIT))
    if char in QUOTES:
        moves += _quoted(context, path, frame, at)
    return moves


def _plain(context: Context, path: Path, frame: Frame, at: int) -> list[Move]:
    """Return the move over members that are JSON, or else over one key and its colon."""
    is_own = frame.parent is None or not context.unbalanced
    if not path.key_confirms and is_own and (token := skip_plain(context.text, at, members=True)):
        comma = context.text.index(",", token.end)
        return [Move(comma + 1, PathState.KEY, frame, (token, Token(comma, comma + 1, ",")))]
    found = _KEY.match(context.text, at)
    if found is None:
        return []
    quoted, bare = found.groups()
    name = bare or quoted
    if path.key_confirms and _undeclared_cost(frame, name):
        return []
    path.key_confirms = False
    edit = Edit("inserted", "quotes", at) if bare else None
    token = Token(at, found.end(), f'"{name}":', edit)
    return [Move(token.end, PathState.VALUE, frame, (token,), 0, name)]


def _bare(context: Context, path: Path, frame: Frame, at: int) -> list[Move]:
    """Return the moves over a key without quotes, or without the opening one."""
    text = context.text
    if name := _IDENTIFIER.match(text, at):
        end = name.end()
        after = context.skip_blanks(end)
        if _COLON.match(text, after):
            token = Token(at, end, f'"{name[0]}"', Edit("inserted", "quotes", at))
            return [_key_move(path, frame, token, 0)]
        if text[end : end + 1] == '"':
            token = Token(at, end + 1, f'"{name[0]}"', Edit("inserted", '"', at))
            return [_key_move(path, frame, token, EditCost.EDIT)]
        if after == len(text):
            return context.truncated(path, " after a key")
    elif number := _NUMBER.match(text, at):
        token = Token(at, number.end(), f'"{number[0]}"', Edit("inserted", "quotes", at))
        return [_key_move(path, frame, token, EditCost.QUOTES_RESPELLED)]
    return []


def _quoted(context: Context, path: Path, frame: Frame, at: int) -> list[Move]:
    """Return the moves over a key in quotes, which may lack the closing one."""
    text, moves = context.text, []
    if doubled := _DOUBLED.match(text, at):
        edit = Edit("dropped", '"', at if doubled[1] else doubled.end() - 1)
        token = Token(at, doubled.end(), f'"{doubled[1] or doubled[2]}"', edit)
        return [_key_move(path, frame, token, EditCost.EDIT)]
    end = context.strings.opening_quote(at) and context.strings.key_end(at)
    if end is None:
        moves += context.truncated(path, " inside a key")
    if end:
        try:
            (token, *_), _cost = context.strings.tokens(at, end, in_program=context.is_program)
        except BackslashError:
            return []
        absorbs = _ABSORBING.match(token.json[1:-1])
        if not absorbs or _COLON.match(text, context.skip_blanks(end.resume)):
            moves.append(_key_move(path, frame, token, end.cost))
    if unclosed := _UNCLOSED.match(text, at + 1):
        edit = Edit("inserted", text[at], unclosed.end(1))
        token = Token(at, unclosed.end(), f'"{unclosed[1]}"', edit)
        moves.append(_key_move(path, frame, token, EditCost.EDIT))
    return moves


def _key_move(path: Path, frame: Frame, token: Token, cost: int) -> Move:
    """Return the move over a key: an undeclared one costs more after an edit."""
    name = token.json[1:-1]
    if path.key_confirms:
        cost += _undeclared_cost(frame, name)
    return Move(token.end, PathState.COLON, frame, (token,), cost, name)


def _undeclared_cost(frame: Frame, name: str) -> int:
    """Return the additional cost of a key, if others are declared."""
    names = frame.schema.names()
    if not names or name in names:
        return 0
    return EditCost.UNDECLARED_KEY


def colon(context: Context, path: Path) -> list[Move]:
    """Read what is between a key and its value."""
    text, frame = context.text, path.frame
    assert frame is not None  # noqa: S101 - keys are read in objects
    at = context.skip_blanks(path.at)
    path.key_confirms = False
    mark = _COLON.match(text, at)
    if mark is None:
        char = text[at : at + 1]
        if not char:
            return context.truncated(path, " after a key", of_key=True)
        is_doubtful = not path.key or (at == path.at and _undeclared_cost(frame, path.key))
        doubt = Doubt.LOST_QUOTE if is_doubtful else ""  # it may be a part of a string
        return [Move(at, PathState.VALUE, frame, (insertion(":", at),), EditCost.EDIT, doubt=doubt)]
    if mark[0] == ":":
        return [Move(at + 1, PathState.VALUE, frame, (Token(at, at + 1, ":"),))]
    token = respelling(at, mark.end(), ":", f"{mark[0]} as a colon")
    return [Move(token.end, PathState.VALUE, frame, (token,), EditCost.RESPELLED)]
