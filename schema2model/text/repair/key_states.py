"""Steps of the mending grammar: what may stand where a key or its colon is expected."""

from __future__ import annotations

import re
from typing import Final

from schema2model.text.repair.context import Context
from schema2model.text.repair.edits import (
    CLOSED_TO_KEY,
    CLOSERS,
    EDIT,
    QUOTES_RESPELLED,
    RESPELLED,
    UNDECLARED_KEY,
    Edit,
    Token,
)
from schema2model.text.repair.path import (
    AFTER,
    COLON,
    VALUE,
    Move,
    Path,
    dropped,
    inserted,
)
from schema2model.text.repair.scalar_spelling import BackslashError
from schema2model.text.repair.separator_states import close, comma_dropped
from schema2model.text.repair.skip import members, plain_token
from schema2model.text.repair.string_ends import QUOTES

__all__ = ["colon", "first_key", "key"]

_KEY: Final = re.compile(r'"([^"\\\n]*)"[ \t\n\r]*:')
_BARE_KEY: Final = re.compile(r"([^\W\d][\w$-]*)[ \t\n\r]*:(?!=)")
_KEYWORD: Final = re.compile(r"([^\W\d][\w$-]*)[ \t\n\r]*=(?![=>])")
_DOUBLED: Final = re.compile(
    r"""(?:""([^]"\\\n,:{}[]{1,120})"|"([^]"\\\n,:{}[]{1,120})"")(?=\s*:)"""
)
"""A key, one of whose quotes is doubled."""
_COLON: Final = re.compile(r":(?!=)|\uff1a|=>|:=|=(?!=)")
_IDENTIFIER: Final = re.compile(r"[^\W\d][\w$-]*|\$[\w$]*")
_DIGITS: Final = re.compile(r"\d{1,20}(?=\s*:)")
_UNCLOSED: Final = re.compile(r"([^\W\d][\w$-]*)\s*(?=:)")


def first_key(context: Context, path: Path) -> list[Move] | None:
    """The first key of an object, or what closes it."""
    return _any(context, path, "")


def key(context: Context, path: Path) -> list[Move] | None:
    """A key behind a comma, or what closes the object."""
    return _any(context, path, ",")


def _any(context: Context, path: Path, lead: str) -> list[Move] | None:
    text, frame = context.text, path.frame
    at = context.skip(path.at)
    if _plain(context, path, at, lead):
        return None
    char = text[at : at + 1]
    if not char:
        return context.cut_off(path, " after a comma") if lead else context.opened(path)
    if char in CLOSERS:
        return close(context, path, at, char, comma_dropped(context, path, lead))
    moves = _bare(context, path, at, lead)
    if char == ",":
        moves.append(Move(EDIT, at + 1, path.expects, frame, (dropped(",", at),)))
        if not lead and context.unbalanced and frame is not None and frame.parent is not None:
            closer = inserted(frame.closer, at, frame.json)
            moves.append(Move(EDIT, at, AFTER, frame.parent, (closer,)))
    if char in QUOTES:
        moves += _quoted(context, path, at, lead)
    return moves


def _bare(context: Context, path: Path, at: int, lead: str) -> list[Move]:
    """A key without quotes, or without the opening one."""
    text = context.text
    if name := _IDENTIFIER.match(text, at):
        end = name.end()
        behind = context.skip(end)
        if _COLON.match(text, behind):
            return [_named(path, at, end, name[0], lead, 0, Edit("inserted", "quotes", at))]
        if text[end : end + 1] == '"':
            edit = Edit("inserted", '"', at)
            return [_named(path, at, end + 1, name[0], lead, EDIT, edit)]
        if behind == len(text):
            return context.cut_off(path, " after a key")
    elif digits := _DIGITS.match(text, at):
        edit = Edit("inserted", "quotes", at)
        return [_named(path, at, digits.end(), digits[0], lead, QUOTES_RESPELLED, edit)]
    return []


def _plain(context: Context, path: Path, at: int, lead: str) -> bool:
    """Pass over members that are JSON, or else over one key and its colon, if they are."""
    frame = path.frame
    if not path.anchored and (frame is None or frame.parent is None or not context.unbalanced):
        plain = members(context.text, at)
        if plain is not None:
            path.pass_over(plain[0], AFTER, plain_token(context.text, at, *plain, lead))
            return True
    name = _KEY.match(context.text, at)
    if name is None:
        return _plain_without_quotes(context, path, at, lead)
    if path.anchored and frame is not None:
        names = frame.place.names()
        if names and name[1] not in names:
            return False
        path.anchored = False
    path.key = name[1]
    path.pass_over(name.end(), VALUE, Token(at, name.end(), lead + name[0]))
    return True


def _plain_without_quotes(context: Context, path: Path, at: int, lead: str) -> bool:
    """Pass over one key without quotes and its colon, if nothing else can be meant."""
    is_keyword = path.frame is not None and path.frame.bracket == "dict("
    pattern = _KEYWORD if is_keyword else _BARE_KEY
    name = None if path.anchored else pattern.match(context.text, at)
    if name is None:
        return False
    path.key = name[1]
    edit = Edit("read", "a keyword as a key", at) if is_keyword else Edit("inserted", "quotes", at)
    path.pass_over(name.end(), VALUE, Token(at, name.end(), f'{lead}"{name[1]}":', edit))
    return True


def _quoted(context: Context, path: Path, at: int, lead: str) -> list[Move]:
    """A key in quotes, which may lack the closing one."""
    moves = []
    if doubled := _DOUBLED.match(context.text, at):
        edit = Edit("dropped", '"', at if doubled[1] else doubled.end() - 1)
        return [_named(path, at, doubled.end(), doubled[1] or doubled[2], lead, EDIT, edit)]
    end = context.strings.key(at)
    if end is None and context.strings.opener(at):
        moves += context.cut_off(path, " inside a key")
    if end is not None:
        try:
            (token, *_), _cost = context.strings.tokens(at, end)
        except BackslashError:
            return []
        name = token.json[1:-1]
        behind = context.skip(end.after)
        if not _swallows(name) or _COLON.match(context.text, behind):
            moves.append(_named(path, at, end.after, name, lead, end.cost, token.edit))
    if unclosed := _UNCLOSED.match(context.text, at + 1):
        edit = Edit("inserted", context.text[at], unclosed.end(1))
        moves.append(_named(path, at, unclosed.end(), unclosed[1], lead, EDIT, edit))
    return moves


def _swallows(name: str) -> bool:
    """Whether a name holds a colon or comma that stood behind it: a quote is missing there."""
    end = name.rstrip("{[ \t\r\n")
    if end.endswith(":") or (end.endswith(",") and ":" in end):
        return True
    return name.lstrip()[:1] in {",", ":"}


def _named(  # noqa: PLR0913, PLR0917 - what makes a move
    path: Path, at: int, end: int, name: str, lead: str, cost: int, edit: Edit | None
) -> Move:
    """The move over a key: one that is not declared is dearer, where that may tell something."""
    frame = path.frame
    assert frame is not None  # noqa: S101 - keys are read in objects
    if cost or path.anchored:
        names = frame.place.names()
        if names and name not in names:
            cost += CLOSED_TO_KEY if frame.place.is_closed() else UNDECLARED_KEY
    path.anchored = False
    return Move(cost, end, COLON, frame, (Token(at, end, f'{lead}"{name}"', edit),), key=name)


def colon(context: Context, path: Path) -> list[Move] | None:
    """What stands between a key and its value."""
    text = context.text
    at = context.skip(path.at)
    path.anchored = False
    char = text[at : at + 1]
    mark = _COLON.match(text, at)
    if mark is None:
        if not char:
            return context.cut_off(path, " after a key", of_key=True)
        within = at == path.at and char in QUOTES and _COLON.match(text, at + 1)
        if char in CLOSERS or char == "," or within:  # it has changed its place with a quote
            return []
        return [Move(EDIT, at, VALUE, path.frame, (inserted(":", at),))]
    if char == ":" and mark[0] == ":":
        path.pass_over(at + 1, VALUE, Token(at, at + 1, ":"))
        return None
    is_keyword = path.frame is not None and path.frame.bracket == "dict(" and mark[0] == "="
    token = Token(at, mark.end(), ":", Edit("read", f"{mark[0]} as a colon", at))
    return [Move(0 if is_keyword else RESPELLED, mark.end(), VALUE, path.frame, (token,))]
