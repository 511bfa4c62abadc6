"""Steps of the mending grammar: what may stand behind a value."""

from __future__ import annotations

import re
from typing import Final

from schema2model.text.exact import TWO_CALLS
from schema2model.text.outside import SECOND, behind
from schema2model.text.repair.ambiguity import (
    LastOnes,
    last_ones,
    may_be_elsewhere,
    may_have_lost_members,
)
from schema2model.text.repair.context import NEXT_KEY, Context
from schema2model.text.repair.edits import (
    BRACE_ELSEWHERE,
    CLOSERS,
    EDIT,
    JOIN,
    LOST_QUOTE,
    RESPELLED,
    Edit,
    Token,
    bracket_edits,
    edits_of,
)
from schema2model.text.repair.path import (
    AFTER,
    DONE,
    ITEM,
    KEY,
    Frame,
    Move,
    Path,
    StringMove,
    closers,
    closers_cost,
    dropped,
    inserted,
)
from schema2model.text.repair.skip import container
from schema2model.text.repair.string_ends import KEY_FOLLOWS

__all__ = ["after", "after_number", "close", "comma_dropped"]

_MEMBER_BEHIND: Final = re.compile(r"[\s}\])]*[,;]\s*[\"'{\[\w]")
"""A comma and another member, behind a closer."""
_MARKS: Final = frozenset(",:")
_IS_CODE: Final = re.compile("[\"'=]")
_NEXT_LIST: Final = re.compile(r"\s*,\s*\[")
_QUOTES: Final = frozenset("\"'")
_EMPTY: Final = frozenset(('""', "''"))
_BARE_KEY: Final = re.compile(r"([^\W\d][\w$-]*)\s*:")
_KEYWORD: Final = re.compile(r"([^\W\d][\w$-]*)\s*=")


def after_number(context: Context, path: Path) -> list[Move] | None:
    """What stands behind a number, which the end of the text may have cut off."""
    if path.frame is not None and path.at == len(context.text):
        return context.cut_off(path, " inside a number")
    return after(context, path)


def after(context: Context, path: Path) -> list[Move] | None:
    """What stands behind a member, or behind the whole value."""
    text, frame = context.text, path.frame
    if frame is None:
        return _behind(context, path)
    at = context.skip(path.at)
    char = text[at : at + 1]
    if char == ",":
        return _comma(context, path, frame, at)
    if char == frame.closer:
        if _may_be_extra(context, frame, at):
            closed = Token(at, at + 1, frame.json)
            return [
                Move(0, at + 1, AFTER, frame.parent, (closed,)),
                Move(EDIT, at + 1, AFTER, frame, (dropped(char, at),)),
            ]
        path.frame = frame.parent
        path.pass_over(at + 1, AFTER, Token(at, at + 1, frame.json))
        return None
    if not char or (char in "<`~[" and context.are_marks(at)):
        return _closers_missing(context, path, at)
    if char in CLOSERS:
        return close(context, path, at, char, None)
    if char in ";\uff0c":
        token = Token(at, at + 1, "", Edit("read", f"{char} as a comma", at))
        return [Move(RESPELLED, at + 1, KEY if frame.is_object else ITEM, frame, (token,))]
    return _comma_missing(context, path, at, char)


# ---------------------------------------------------------------------------------- commas
def _comma(context: Context, path: Path, frame: Frame, at: int) -> list[Move] | None:
    follow = KEY if frame.is_object else ITEM
    earlier = _closer_missing_before(context, path, frame, at)
    if frame.bracket == "(":
        frame = path.frame = frame.as_tuple()
    token = Token(at, at + 1, "")
    if earlier is None:
        path.pass_over(at + 1, follow, token)
        return None
    if frame.is_object and context.outdented(frame.at, at, context.skip(at + 1) + 1):
        return [earlier]
    return [Move(0, at + 1, follow, frame, (token,)), earlier]


def _comma_missing(context: Context, path: Path, at: int, char: str) -> list[Move] | None:
    text, frame = context.text, path.frame
    assert frame is not None  # noqa: S101 - behind a whole value no comma is missing
    is_mark = not (char.isalnum() or char in "_-")
    beside = at == path.at and text[at - 1] not in CLOSERS
    if beside and not is_mark and not _is_declared_key(context, frame, at):
        return []
    strings = char in _QUOTES and text[path.at - 1] in _QUOTES
    if strings and not frame.is_object and (beside or _one_is_empty(text, path.at, at)):
        path.doubt = path.doubt or LOST_QUOTE  # perhaps all quotes belong to one string
    if frame.is_object:
        possible = KEY_FOLLOWS.match(text, at) is not None
        if frame.bracket == "{" and (name := _KEYWORD.match(text, at)):  # or a tag's attribute
            possible = name[1] in frame.place.names()
            path.doubt = path.doubt or LOST_QUOTE
    else:
        possible = not is_mark or char in "\"'{[(-\u201c\u2018"
    if not possible or (char in _QUOTES and text[at + 1 : at + 2] in _MARKS):
        return []  # or a comma or colon has changed its place with a quote
    comma = inserted(",", at, "")
    follow = KEY if frame.is_object else ITEM
    lines = "\n" in text[path.at : at] and context.joins
    if not (lines and strings):
        path.pass_over(at, follow, comma, EDIT)
        return None
    join = Token(at, at, JOIN, Edit("read", "two strings as one", at))  # as Python does
    return [
        Move(EDIT, at, follow, frame, (comma,)),
        *(
            Move(EDIT + end.cost, end.after, AFTER, frame, (join,), string=StringMove(at, end))
            for end in context.strings.ends(at, context.where(path))
        ),
    ]


def _one_is_empty(text: str, end: int, start: int) -> bool:
    """Whether one of two strings has nothing in it: its quotes may be those of the other, twice."""
    before, behind = text[end - 3 : end], text[start : start + 3]
    first = before[1:] in _EMPTY and before[0] not in {"\\", before[1]}
    return first or (behind[:2] in _EMPTY and behind[2:] != behind[0])


def _is_declared_key(context: Context, frame: Frame, at: int) -> bool:
    """Whether a key without quotes stands at a character, which the schema declares."""
    key = _BARE_KEY.match(context.text, at)
    return frame.is_object and key is not None and key[1] in frame.place.names()


def comma_dropped(context: Context, path: Path, lead: str) -> Token | None:
    """The token of the comma behind which no member came, if there was one."""
    if not lead:
        return None
    at = context.text.rfind(",", 0, path.at)
    return Token(path.at, path.at, "", Edit("dropped", ",", max(at, 0)))


# --------------------------------------------------------------------------------- closers
def close(context: Context, path: Path, at: int, char: str, before: Token | None) -> list[Move]:
    """A closer, which may be another than the one that is due."""
    text, frame = context.text, path.frame
    assert frame is not None  # noqa: S101 - outside there is nothing to close
    lead = (before,) if before else ()
    if frame.closer == char:
        return [Move(0, at + 1, AFTER, frame.parent, (*lead, Token(at, at + 1, frame.json)))]
    moves = []
    missing: list[Token] = []
    outer: Frame | None = frame
    while outer is not None and outer.closer != char and not _is_doubtful(context, outer):
        missing.append(inserted(outer.closer, at, outer.json))
        outer = outer.parent
    is_end = outer is not None and outer.parent is None  # then no member can follow
    if outer is not None and outer.closer == char and not (is_end and context.key_follows(at + 1)):
        doubt = _brace_in_doubt(context, path, outer.depth)
        tokens = (*lead, *missing, Token(at, at + 1, outer.json))
        cost = EDIT * len(missing)
        moves.append(Move(cost, at + 1, AFTER, outer.parent, tokens, doubt=doubt))
    if char != "]" or frame.closer != "}" or not _MEMBER_BEHIND.match(text, at + 1):
        wrong = Token(at, at + 1, frame.json, Edit("read", f"{char} as {frame.closer}", at))
        moves.append(Move(EDIT, at + 1, AFTER, frame.parent, (*lead, wrong)))
    doubled = text[:at].rstrip()[-1:] == char and context.text.startswith(",", context.skip(at + 1))
    if doubled and char != "]":  # of `]]` the opener may be missing as well
        moves.append(Move(EDIT, at + 1, path.expects, frame, (*lead, dropped(char, at))))
    return moves


def _is_doubtful(context: Context, frame: Frame) -> bool:
    """Whether an open bracket may be none: it is not in the text, or stands there twice.

    It does not stand there twice where a list is followed by another.
    """
    if frame.is_invented:
        return True
    if frame.bracket != "[" or not context.text.startswith("[[", frame.at):
        return False
    first = container(context.text, frame.at + 1)
    return not first or _NEXT_LIST.match(context.text, first) is None


def _may_be_extra(context: Context, frame: Frame, at: int) -> bool:
    """Whether the closer of an object stands before a member, in an array.

    It is too much, or else the opener of the next object is missing.
    """
    outer = frame.parent
    is_item = frame.is_object and outer is not None and not outer.is_object
    return is_item and context.key_follows(at + 1)


def _closer_missing_before(context: Context, path: Path, frame: Frame, at: int) -> Move | None:
    """The container ends before a comma, if what follows belongs to the one around it."""
    outer = frame.parent
    if outer is None or (frame.is_object and outer.is_object and not context.unbalanced):
        return None
    key = NEXT_KEY.match(context.text, at)
    name = key and key[key.lastindex or 0]
    shown = False
    if not frame.is_object:
        ends = key is not None and outer.is_object
    elif outer.is_object:
        foreign = name in outer.place.names() and name not in frame.place.names()
        shown = key is not None and context.outdented(frame.at, at, key.end())
        ends = shown or (key is not None and foreign)
    else:
        shown = context.outdented(frame.at, at, context.skip(at + 1) + 1)
        ends = context.text.startswith("{", context.skip(at + 1))
    if not ends or context.begins_again or _is_doubtful(context, frame):
        return None
    doubt = "" if shown else _brace_in_doubt(context, path, outer.depth)
    return Move(EDIT, at, AFTER, outer, (inserted(frame.closer, at, frame.json),), doubt=doubt)


def _closers_missing(context: Context, path: Path, at: int) -> list[Move]:
    """The closers that are missing at the end."""
    frame = path.frame
    in_comment = bool(context.text[path.at : at].strip())  # where was it to end?
    if path.edited or in_comment or frame is None:
        return context.cut_off(path, " at the end")
    if bracket_edits(
        edits_of(path.all_tokens())
    ):  # they are missing in two places: more may be lost
        return context.cut_off(path, " at the end") if context.completes else []
    if not context.unbalanced:  # some brackets stand in strings
        return context.begin_again()
    if context.begins_again:
        return context.refuse(TWO_CALLS, "")
    if context.ends_all(path.at, frame):
        return []  # lines may be missing within
    end = len(context.text)
    edit = Edit("dropped", "marks behind the value", at) if at < end else None
    context.looks_before(path.at)
    ones = last_ones(path)
    if may_have_lost_members(ones, frame.depth):
        return context.cut_off(path, " at the end")
    missing = closers(frame, at)
    doubt = _brace_in_doubt(context, path, 0, ones)
    tokens = (*missing, Token(at, end, "", edit))
    return [Move(closers_cost(frame.depth), end, DONE, None, tokens, doubt=doubt)]


def _brace_in_doubt(context: Context, path: Path, around: int, ones: LastOnes | None = None) -> str:
    """Why it is in doubt where closers are missing, of all but `around` brackets; "" if it is not.

    Of an object whose opener is missing as well, it is not.
    """
    start, is_brace, missing = path.at, False, 0
    frame = path.frame
    while frame is not None and frame.depth > around:
        start = frame.at
        is_brace = is_brace or (frame.is_object and context.text.startswith(frame.bracket, start))
        missing += 1
        frame = frame.parent
    if not is_brace:
        return ""
    if ones is None:
        context.looks_before(path.at, start)
        ones = last_ones(path, around)
    return BRACE_ELSEWHERE if may_be_elsewhere(ones, missing, at_end=not around) else ""


# --------------------------------------------------------------------- behind the whole value
def _behind(context: Context, path: Path) -> list[Move]:
    """What stands behind the value."""
    end = len(context.text)
    context.looks_behind(path.at)
    found = behind(context.text, path.at)
    if found is None and _again(context, path.at):
        found = 0, 1, "the same again"
    if found is None:
        if SECOND.match(context.text[path.at :].lstrip()):
            return context.refuse(TWO_CALLS, "")
        return []
    extra, cost, what = found
    if what and _may_be_inside(context, path, extra):
        return []
    rest = Token(path.at, end, "", Edit("dropped", what, path.at) if what else None)
    return [Move(cost, end, DONE, None, (rest,))]


def _may_be_inside(context: Context, path: Path, extra: int) -> bool:
    """Whether what stands behind the value may belong to it: a closer in a string has closed it.

    Or a closer is too few, and one too many.
    """
    is_mended = bool(bracket_edits(edits_of(path.all_tokens())))
    if is_mended and extra:
        return True
    is_call = context.text.startswith("dict(", context.start)
    goes_on = is_mended or (is_call and context.text.rstrip().endswith(")"))
    return goes_on and _IS_CODE.search(context.text, path.at) is not None


def _again(context: Context, at: int) -> bool:
    """Whether the same text follows once more, or the beginning of it."""
    first = context.text[context.start : at].strip()
    rest = context.text[at:].strip()
    while rest.startswith(first):
        rest = rest[len(first) :].lstrip()
    return first.startswith(rest)
