"""The parser states after a value: commas, closers, and the end of the text."""

from __future__ import annotations

from typing import Final

from schema2model.errors import TWO_CALLS
from schema2model.regexes import regex
from schema2model.text.repair.context import KEY_AFTER_ITEM, NEXT_KEY, Context
from schema2model.text.repair.doubts import (
    TailChain,
    may_close_earlier,
    may_have_lost_members,
    tail_of,
)
from schema2model.text.repair.edits import (
    CLOSERS,
    DROPPED_COMMA,
    JOIN,
    Doubt,
    Edit,
    EditCost,
    Token,
    deletion,
    insertion,
    respelling,
)
from schema2model.text.repair.path import Frame, Move, Path, PathState, missing_closers
from schema2model.text.repair.scalar_spelling import BARE_NAME
from schema2model.text.repair.skip import skip_container
from schema2model.text.repair.string_ends import KEY_FOLLOWS
from schema2model.text.wrapping.prose import Trailing, begins_another, find_trailing

__all__ = ["after_value", "close_bracket"]

_MEMBER_FOLLOWS: Final = regex(r"[\s}\])]*[,;]\s*[\"'{\[\w]")
"""A comma and another member, after a closer."""
_NEXT_LIST: Final = regex(r"\s*,\s*\[")
_NEXT_TUPLE: Final = regex(r"""\s*[,;]?\s*\(\s*["'\d\[({+-]""")
_QUOTES: Final = frozenset("\"'")
_BARE_KEY: Final = regex(rf"({BARE_NAME})(\"?)\s*:")
_KEYWORD: Final = regex(r"([^\W\d][\w$-]*)\s*=")


def after_value(context: Context, path: Path) -> list[Move]:
    """Read what follows a member, or the whole value."""
    text, frame = context.text, path.frame
    if frame is None:
        return _after_whole_value(context, path)
    at = path.at if text[path.at : path.at + 1] == "," else context.skip_blanks(path.at)
    char = text[at : at + 1]
    if char == ",":
        earlier = _closer_missing_before(context, path, frame, at)
        if earlier and context.is_outdented(frame, at):
            return earlier
        frame = frame.as_tuple() if frame.bracket == "(" else frame
        return [Move(at + 1, frame.next_state, frame, (Token(at, at + 1, ","),)), *earlier]
    if path.state is PathState.AFTER_NUMBER and path.at == len(text):
        return context.truncated(path, " inside a number")
    if not char or (char in "<`~[" and context.only_marks_follow(at)):
        return _closers_missing(context, path, at)
    if char in CLOSERS:
        return close_bracket(context, path, frame, at)
    if char in ";\uff0c":
        token = respelling(at, at + 1, ",", f"{char} as a comma")
        return [Move(at + 1, frame.next_state, frame, (token,), EditCost.RESPELLED)]
    return _comma_missing(context, path, frame, at)


# ---------------------------------------------------------------------------------- commas
def _comma_missing(context: Context, path: Path, frame: Frame, at: int) -> list[Move]:
    """Insert a comma, if another member follows."""
    text = context.text
    char = text[at]
    is_mark = not (char.isalnum() or char in "_-")
    is_adjacent = at == path.at and text[at - 1] not in CLOSERS
    if is_adjacent and not is_mark and not _is_declared_key(context, frame, at):
        return []
    are_strings = char in _QUOTES and text[path.at - 1] in _QUOTES
    if is_adjacent and char in _QUOTES and not frame.is_object:  # it may be before what precedes it
        path.doubt = path.doubt or Doubt.LOST_QUOTE
    if frame.is_object:
        is_possible = KEY_FOLLOWS.match(text, at) is not None
        if frame.bracket == "{" and (name := _KEYWORD.match(text, at)):  # or a tag's attribute
            is_possible = name[1] in frame.schema.names()
    else:
        is_possible = not is_mark or char in "\"'{[(-\u201c\u2018"
    if not is_possible:
        return []
    moves = [Move(at, frame.next_state, frame, (insertion(",", at),), EditCost.EDIT)]
    if are_strings and (not frame.is_object or "\n" in text[path.at : at]):
        join = Token(at, at, JOIN, Edit("read", "two strings as one", at))  # as Python does
        moves += context.string_moves(path, at, join, cost=EditCost.EDIT)
    return moves


def _is_declared_key(context: Context, frame: Frame, at: int) -> bool:
    """Return whether a declared key without quotes is at an offset: `"songs"limit": 3`."""
    key = _BARE_KEY.match(context.text, at)
    if key is None or not frame.is_object or key[1] not in frame.schema.names():
        return False
    return not key[2] or context.text[at - 2 : at - 1].isalnum()  # the quote before it ends a word


# --------------------------------------------------------------------------------- closers
def close_bracket(context: Context, path: Path, frame: Frame, at: int) -> list[Move]:
    """Return the moves over a closer, which may be a wrong or superfluous one."""
    text = context.text
    char = text[at]
    if path.state is PathState.KEY or path.state is PathState.ITEM:
        edit = Edit("dropped", ",", path.at - 1)
        path.tokens.append(Token(path.at, path.at, DROPPED_COMMA, edit))
    if frame.closer == char:
        moves = [Move(at + 1, PathState.AFTER, frame.parent, (Token(at, at + 1, frame.json),))]
        is_item = frame.is_object and frame.parent is not None and not frame.parent.is_object
        if is_item and KEY_AFTER_ITEM.match(text, at + 1):  # or the next opener is missing
            moves.append(Move(at + 1, PathState.AFTER, frame, (deletion(char, at),), EditCost.EDIT))
        return moves
    moves = []
    missing: list[Token] = []
    outer: Frame | None = frame
    while outer is not None and outer.closer != char and not _may_be_superfluous(context, outer):
        missing.append(insertion(outer.closer, at, outer.json))
        outer = outer.parent
    if outer is not None and outer.closer == char:
        doubt = _brace_doubt(context, path, outer.depth)
        tokens = (*missing, Token(at, at + 1, outer.json))
        cost = EditCost.EDIT * len(missing)
        moves.append(Move(at + 1, PathState.AFTER, outer.parent, tokens, cost, doubt=doubt))
    if char != "]" or frame.closer != "}" or not _MEMBER_FOLLOWS.match(text, at + 1):
        wrong = respelling(at, at + 1, frame.json, f"{char} as {frame.closer}")
        moves.append(Move(at + 1, PathState.AFTER, frame.parent, (wrong,), EditCost.EDIT))
    after = context.skip_blanks(at + 1)
    if not text[:at].rstrip().endswith(char):  # it may be meant for a comma
        is_superfluous = frame.is_object and KEY_FOLLOWS.match(text, after) is not None
    else:  # of `]]` before a comma, the opener may be missing as well
        is_superfluous = text[after : after + 1] in (CLOSERS if char == "]" else CLOSERS | {","})
    if is_superfluous:
        moves.append(Move(at + 1, path.state, frame, (deletion(char, at),), EditCost.EDIT))
    return moves


def _may_be_superfluous(context: Context, frame: Frame) -> bool:
    """Return whether an opener is doubled: no list follows the first in it."""
    if not context.text.startswith("[[", frame.at):
        return False
    first = skip_container(context.text, frame.at + 1)
    return not first or _NEXT_LIST.match(context.text, first) is None


def _closer_missing_before(context: Context, path: Path, frame: Frame, at: int) -> list[Move]:
    """Return the move that closes a container before a comma, if the next member is not its own."""
    outer = frame.parent
    if outer is None or (frame.is_object and outer.is_object and not context.unbalanced):
        return []
    key = NEXT_KEY.match(context.text, at)
    is_outdented = context.is_outdented(frame, at)
    if not frame.is_object:
        ends = key is not None and outer.is_object
    elif outer.is_object:
        name = key and key[1][1:-1]
        is_foreign = name in outer.schema.names() and name not in frame.schema.names()
        ends = key is not None and (is_outdented or is_foreign)
    else:
        ends = context.text.startswith("{", context.skip_blanks(at + 1))
    if not ends or _may_be_superfluous(context, frame):
        return []
    doubt = "" if is_outdented else _brace_doubt(context, path, outer.depth)
    closer = insertion(frame.closer, at, frame.json)
    return [Move(at, PathState.AFTER, outer, (closer,), EditCost.EDIT, doubt=doubt)]


def _closers_missing(context: Context, path: Path, at: int) -> list[Move]:
    """Insert the closers that are missing at the end."""
    frame = path.frame
    if path.quotes_edited or frame is None:
        return context.truncated(path, " at the end")
    context.budget.take_scan(path.at)
    tail = tail_of(path)
    if may_have_lost_members(tail, frame.depth):
        return context.truncated(path, " at the end")
    end = len(context.text)
    edit = Edit("dropped", "marks after the value", at) if at < end else None
    doubt = _brace_doubt(context, path, 0, tail)
    tokens = (*missing_closers(frame, at), Token(at, end, "", edit))
    return [Move(end, PathState.DONE, None, tokens, frame.closing_cost, doubt=doubt)]


def _brace_doubt(context: Context, path: Path, around: int, tail: TailChain | None = None) -> str:
    """Return why the place of missing closers, of all but `around` brackets, is in doubt; or ""."""
    start, is_brace, missing, outside = path.at, False, 0, 0
    frame = path.frame
    while frame is not None and frame.depth > around:
        start = frame.at
        # the opener of an object may be missing as well
        is_brace = is_brace or (frame.is_object and context.text.startswith(frame.bracket, start))
        missing += 1
        frame = frame.parent
    if not is_brace:
        return ""
    if frame is not None and frame.is_object:  # it may lack what is in the tail
        start, outside = frame.at, 1
    if tail is None:
        context.budget.take_scan(path.at - start)
        tail = tail_of(path, around - outside)
    is_elsewhere = may_close_earlier(tail, outside, missing, at_end=not around)
    return Doubt.BRACE_ELSEWHERE if is_elsewhere else ""


# ------------------------------------------------------------------------ after the whole value
def _after_whole_value(context: Context, path: Path) -> list[Move]:
    """Return the move to the end of the text, if what follows the value is not part of it."""
    text, at = context.text, path.at
    context.budget.take_scan(len(text) - at)
    begins = text.startswith("(", context.start) and _NEXT_TUPLE.match(text, at)
    if begins and not _is_repeated(context, at):
        return context.refuse(TWO_CALLS, "")
    trailing = find_trailing(text, at)
    if trailing is None and _is_repeated(context, at):
        trailing = Trailing(0, has_text=True, description="the same again")
    if trailing is None:
        return context.refuse(TWO_CALLS, "") if begins_another(text, at) else []
    closers, has_text, description = trailing
    edit = Edit("dropped", description, at) if description else None
    rest = Token(at, len(text), "", edit)
    return [Move(rest.end, PathState.DONE, None, (rest,), closers * EditCost.EDIT + has_text)]


def _is_repeated(context: Context, at: int) -> bool:
    """Return whether nothing but the same text follows again."""
    first = context.text[context.start : at].strip()
    rest = context.text[at:].strip()
    while rest.startswith(first):
        rest = rest[len(first) :].lstrip()
    return not rest
