"""The parser states before a key, and before its colon."""

from __future__ import annotations

import re
from typing import Final

from schema2model.text.repair.context import Context
from schema2model.text.repair.edits import CLOSERS, Edit, EditCost, Token
from schema2model.text.repair.path import Move, Path, PathState, deletion, insertion
from schema2model.text.repair.scalar_spelling import BARE_NAME, BackslashError
from schema2model.text.repair.separator_states import close_bracket
from schema2model.text.repair.skip import plain_token, skip_members
from schema2model.text.repair.string_ends import QUOTES

__all__ = ["colon", "key"]

_KEY: Final = re.compile(r'"([^"\\\n]*)"[ \t\n\r]*:')
_BARE_KEY: Final = re.compile(rf"({BARE_NAME})[ \t\n\r]*:(?!=)")
_KEYWORD: Final = re.compile(r"([^\W\d][\w$-]*)[ \t\n\r]*=(?![=>])")
_DOUBLED: Final = re.compile(
    r"""(?:""([^]"\\\n,:{}[]{1,120})"|"([^]"\\\n,:{}[]{1,120})"")(?=\s*:)"""
)
"""A key with one doubled quote."""
_COLON: Final = re.compile(r":(?!=)|\uff1a|=>|:=|=(?!=)")
_IDENTIFIER: Final = re.compile(BARE_NAME)
_NUMBER: Final = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?=\s*(?::|\uff1a|=))")
_UNCLOSED: Final = re.compile(rf"({BARE_NAME})\s*(?=:)")


def key(context: Context, path: Path) -> list[Move] | None:
    """Read a key, or the closer of the object."""
    text, frame = context.text, path.frame
    at = context.skip_blanks(path.at)
    if _skip_plain(context, path, at):
        return None
    char = text[at : at + 1]
    if not char:
        if path.state is PathState.KEY:
            return context.truncated(path, " after a comma")
        return context.truncated_after_opener(path)
    if char in CLOSERS:
        return close_bracket(context, path, at, char)
    moves = _bare(context, path, at)
    if char == ",":
        moves.append(Move(EditCost.EDIT, at + 1, path.state, frame, (deletion(",", at),)))
        if path.state is PathState.FIRST_KEY and context.unbalanced and frame and frame.parent:
            closer = insertion(frame.closer, at, frame.json)
            moves.append(Move(EditCost.EDIT, at, PathState.AFTER, frame.parent, (closer,)))
    if char in QUOTES:
        moves += _quoted(context, path, at)
    return moves


def _bare(context: Context, path: Path, at: int) -> list[Move]:
    """Return the moves over a key without quotes, or without the opening one."""
    text = context.text
    if name := _IDENTIFIER.match(text, at):
        end = name.end()
        after = context.skip_blanks(end)
        if _COLON.match(text, after):
            return [_key_move(path, at, end, name[0], 0, Edit("inserted", "quotes", at))]
        if text[end : end + 1] == '"':
            edit = Edit("inserted", '"', at)
            return [_key_move(path, at, end + 1, name[0], EditCost.EDIT, edit)]
        if after == len(text):
            return context.truncated(path, " after a key")
    elif number := _NUMBER.match(text, at):
        edit = Edit("inserted", "quotes", at)
        return [_key_move(path, at, number.end(), number[0], EditCost.QUOTES_RESPELLED, edit)]
    return []


def _skip_plain(context: Context, path: Path, at: int) -> bool:
    """Skip members that are JSON, or else one key and its colon, and return whether there are."""
    frame = path.frame
    if not path.key_confirms and (frame is None or frame.parent is None or not context.unbalanced):
        skipped = skip_members(context.text, at)
        if skipped is not None:
            path.advance(skipped[0], PathState.AFTER, plain_token(context.text, at, *skipped))
            return True
    name = _KEY.match(context.text, at)
    if name is None:
        return _skip_plain_identifier(context, path, at)
    if path.key_confirms and frame is not None:
        names = frame.schema.names()
        if names and name[1] not in names:
            return False
        path.key_confirms = False
    path.key = name[1]
    path.advance(name.end(), PathState.VALUE, Token(at, name.end(), name[0]))
    return True


def _skip_plain_identifier(context: Context, path: Path, at: int) -> bool:
    """Skip an unambiguous key without quotes and its colon, and return whether there is one."""
    is_keyword = path.frame is not None and path.frame.bracket == "dict("
    pattern = _KEYWORD if is_keyword else _BARE_KEY
    name = None if path.key_confirms else pattern.match(context.text, at)
    if name is None:
        return False
    path.key = name[1]
    edit = Edit("read", "a keyword as a key", at) if is_keyword else Edit("inserted", "quotes", at)
    path.advance(name.end(), PathState.VALUE, Token(at, name.end(), f'"{name[1]}":', edit))
    return True


def _quoted(context: Context, path: Path, at: int) -> list[Move]:
    """Return the moves over a key in quotes, which may lack the closing one."""
    moves = []
    if doubled := _DOUBLED.match(context.text, at):
        edit = Edit("dropped", '"', at if doubled[1] else doubled.end() - 1)
        return [_key_move(path, at, doubled.end(), doubled[1] or doubled[2], EditCost.EDIT, edit)]
    end = context.strings.opening_quote(at) and context.strings.key_end(at)
    if end is None:
        moves += context.truncated(path, " inside a key")
    if end:
        try:
            (token, *_), _cost = context.strings.tokens(at, end)
        except BackslashError:
            return []
        name = token.json[1:-1]
        after = context.skip_blanks(end.resume)
        if not _absorbs_punctuation(name) or _COLON.match(context.text, after):
            moves.append(_key_move(path, at, end.resume, name, end.cost, token.edit))
    if unclosed := _UNCLOSED.match(context.text, at + 1):
        edit = Edit("inserted", context.text[at], unclosed.end(1))
        moves.append(_key_move(path, at, unclosed.end(), unclosed[1], EditCost.EDIT, edit))
    return moves


def _absorbs_punctuation(name: str) -> bool:
    """Return whether a name has absorbed a colon or comma: a quote is missing before it."""
    end = name.rstrip("{[ \t\r\n")
    if end.endswith(":") or (end.endswith(",") and ":" in end):
        return True
    return name.lstrip()[:1] in {",", ":"}


def _key_move(  # noqa: PLR0913, PLR0917 - the parts of a move
    path: Path, at: int, end: int, name: str, cost: int, edit: Edit | None
) -> Move:
    """Return the move over a key: an undeclared one costs more after an edit."""
    frame = path.frame
    assert frame is not None  # noqa: S101 - keys are read in objects
    if cost or path.key_confirms:
        names = frame.schema.names()
        if names and name not in names:
            cost += EditCost.FORBIDDEN_KEY if frame.schema.is_closed() else EditCost.UNDECLARED_KEY
    path.key_confirms = False
    return Move(cost, end, PathState.COLON, frame, (Token(at, end, f'"{name}"', edit),), key=name)


def colon(context: Context, path: Path) -> list[Move] | None:
    """Read what is between a key and its value."""
    text = context.text
    at = context.skip_blanks(path.at)
    path.key_confirms = False
    char = text[at : at + 1]
    colon_match = _COLON.match(text, at)
    if colon_match is None:
        if not char:
            return context.truncated(path, " after a key", of_key=True)
        is_swapped = at == path.at and char in QUOTES and _COLON.match(text, at + 1)
        if char in CLOSERS or char == "," or is_swapped:  # with a quote
            return []
        return [Move(EditCost.EDIT, at, PathState.VALUE, path.frame, (insertion(":", at),))]
    if char == ":" and colon_match[0] == ":":
        path.advance(at + 1, PathState.VALUE, Token(at, at + 1, ":"))
        return None
    is_keyword = path.frame is not None and path.frame.bracket == "dict(" and colon_match[0] == "="
    token = Token(at, colon_match.end(), ":", Edit("read", f"{colon_match[0]} as a colon", at))
    return [
        Move(
            0 if is_keyword else EditCost.RESPELLED,
            colon_match.end(),
            PathState.VALUE,
            path.frame,
            (token,),
        )
    ]
