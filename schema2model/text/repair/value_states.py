"""Steps of the mending grammar: what may stand where a value is expected."""

from __future__ import annotations

import re
from typing import Final

from schema2model.json.values import MAX_DEPTH
from schema2model.text.exact import NOT_JSON, OUT_OF_RANGE, TOO_DEEP, TextError
from schema2model.text.repair.context import NEXT_KEY, Context
from schema2model.text.repair.edits import (
    CLOSERS,
    EDIT,
    JOIN,
    QUOTES_RESPELLED,
    RESPELLED,
    Edit,
    Token,
)
from schema2model.text.repair.path import (
    AFTER,
    AFTER_NUMBER,
    FIRST_ITEM,
    FIRST_KEY,
    JOINED,
    VALUE,
    Frame,
    Move,
    Path,
    StringMove,
    dropped,
    inserted,
)
from schema2model.text.repair.scalar_spelling import is_cut_number, is_infinite, number, word
from schema2model.text.repair.separator_states import close, comma_dropped
from schema2model.text.repair.skip import container, items, plain_token
from schema2model.text.repair.string_bodies import End
from schema2model.text.repair.string_ends import PLUS, QUOTES
from schema2model.text.schema_view import TextPlace

__all__ = ["first_item", "item", "strings_joined", "value"]

_OPENERS: Final = frozenset("{[(")
_ITEM_IS_KEY: Final = re.compile(
    r"""(?:"(?![{[])(?:[^"\\\n]|\\.){0,120}"|'(?![{[])(?:[^'\\\n]|\\.){0,120}')\s*:"""
)
_NO_OPENER: Final = re.compile(
    r"""\s*,\s*(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|[\d.-]+)\s*[,\]]""",
)
"""What follows the first item of an array that has lost its opener."""
_SET_ITEM: Final = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?[\d.]+|True|False|None)"""
_SET: Final = re.compile(rf"\{{\s*{_SET_ITEM}(?:\s*,\s*{_SET_ITEM})*(?:\s*,)?\s*\}}", re.DOTALL)
_THOUSANDS: Final = re.compile(r",\d{3}(?![\d\w\"'])")
_BARE: Final = re.compile(r"[^\W\d_][\w ./@!?&%-]*|[\w][\w./@-]*[A-Za-z_][\w./@-]*")
_NO_TEXT: Final = frozenset(
    (
        *("undefined", "nan", "infinity", "inf", "nil", "null", "none"),
        *("true", "false", "yes", "no", "on", "off"),
    )
)
"""Words that mean no text, though no constants of JSON's either."""
_CONSTANTS: Final = ("true", "false", "null", "True", "False", "None")
_MISSPELLED: Final = frozenset(
    word[:at] + letters + word[at + 2 :]
    for word in _CONSTANTS
    for at in range(len(word) - 1)
    for letters in (word[at], word[at + 1] + word[at], word[at + 1])
    if word != "None" or at
)
"""Constants in which a letter is missing, or two have changed places: no text that was meant."""
_MEMBER_FOLLOWS: Final = re.compile(r",\s*(?:[}\]]|([A-Za-z_]\w*)\s*[:=])")
_ITEM_BEFORE: Final = re.compile(r"""(?:["'}\])\d]|[tT]rue|[fF]alse|null|None)\s*,\s*$|\[\s*$""")
"""What stands before an item: a whole one and a comma, or the opener."""
_COMMA_CLOSER: Final = re.compile(r",\s*[}\]]")
_ENDLESS: Final = re.compile(r"[+-]?(?:NaN|Infinity|nan|inf)(?![\w$-])")
_CUT_WORD: Final = re.compile(
    r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|T|Tr|Tru|F|Fa|Fal|Fals|N|No|Non)\s*$"
)


def value(context: Context, path: Path) -> list[Move] | None:
    """The value of a member, or of the whole text."""
    return _any(context, path, "")


def first_item(context: Context, path: Path) -> list[Move] | None:
    """The first item of an array, or what closes it."""
    return _any(context, path, "")


def item(context: Context, path: Path) -> list[Move] | None:
    """An item behind a comma, or what closes the array."""
    return _any(context, path, ",")


def _any(context: Context, path: Path, lead: str) -> list[Move] | None:
    text, frame = context.text, path.frame
    at = context.skip(path.at)
    char = text[at : at + 1]
    if not char:
        return _nothing(context, path, lead)
    if frame is not None and not frame.is_object:
        if char in CLOSERS:
            if frame.bracket == "(" and char == ")":
                path.frame = frame.as_tuple()
            return close(context, path, at, char, comma_dropped(context, path, lead))
        if plain := items(text, at):
            path.pass_over(plain[0], AFTER, plain_token(text, at, *plain, lead))
            return None
    if char in _OPENERS:
        return _container(context, path, at, lead)
    if char in QUOTES and context.strings.opener(at):
        return _quoted(context, path, at, lead)
    if char == ":" and path.expects is VALUE and frame is not None:
        return [Move(EDIT, at + 1, VALUE, frame, (dropped(":", at),))]
    found = _number(context, path, at, lead)
    return _word(context, path, at, lead) if found is None else found


def _nothing(context: Context, path: Path, lead: str) -> list[Move]:
    """The text ends before the value."""
    if lead:
        return context.cut_off(path, " after a comma")
    if path.expects is VALUE:
        return context.cut_off(path, " after a key", of_key=True)
    return context.opened(path)


def _container(context: Context, path: Path, at: int, lead: str) -> list[Move] | None:
    text, frame = context.text, path.frame
    char = text[at]
    if frame is not None:
        strangers = frame.place.names() if context.unbalanced else None
        end = container(text, at, strangers)
        in_doubt = context.unbalanced and text.find("\n", at, end) > 0
        if end and not in_doubt and (frame.is_object or not context.key_follows(end)):
            path.pass_over(end, AFTER, Token(at, end, lead + text[at:end]))
            return None
        context.has_failed(at)
    if char == "{" and _is_set(context, path, at):
        return [_opened(context, path, at, "set", lead, RESPELLED)]
    path.take(_opened(context, path, at, char, lead, 0))
    return None


def _opened(  # noqa: PLR0913, PLR0917 - what makes a move
    context: Context, path: Path, at: int, bracket: str, lead: str, cost: int
) -> Move:
    """The opener of a container."""
    frame = Frame(bracket, at, path.frame, path.key, context.place)
    if frame.depth > MAX_DEPTH:
        raise TextError(TOO_DEEP)
    json = "{" if frame.is_object else "(" if bracket == "(" else "["
    end = at + (1 if bracket == "set" else len(bracket))
    edit = Edit("read", f"{context.text[at:end]} as {json}", at) if cost else None
    expects = FIRST_KEY if frame.is_object else FIRST_ITEM
    return Move(cost, end, expects, frame, (Token(at, end, lead + json, edit),))


def _is_set(context: Context, path: Path, at: int) -> bool:
    """Whether the braces at a character are a set's: their members have no names."""
    if path.frame is None or not _SET.match(context.text, at):
        return False
    place = context.here(path)
    return place.wants("array") or not place.wants("object")


def _opener_missing(context: Context, path: Path, at: int, end: int) -> list[Move]:
    """The opener of an array that has lost it, at its first item."""
    frame = path.frame
    if frame is None or not frame.is_object or not _NO_OPENER.match(context.text, end):
        return []
    if not context.here(path).wants("array"):
        return []
    inner = Frame("[", at, frame, path.key, context.place)
    inner.is_invented = True
    return [Move(EDIT, at, FIRST_ITEM, inner, (inserted("[", at),))]


# --------------------------------------------------------------------------------- strings
def _quoted(context: Context, path: Path, at: int, lead: str) -> list[Move] | None:
    text, frame = context.text, path.frame
    if frame is not None and not frame.is_object and _ITEM_IS_KEY.match(text, at):
        inner = Frame("{", at, frame, "", context.place)  # an object has lost its opener
        inner.is_invented = lead != ""  # else the brackets of the array are those of an object
        return [Move(EDIT, at, FIRST_KEY, inner, (inserted("{", at, lead + "{"),))]
    if end := context.strings.plain_end(at, context.where(path)):
        path.pass_over(end, AFTER, Token(at, end, lead + text[at:end]))
        return None
    return _string(context, path, at, lead)


def _string(context: Context, path: Path, at: int, lead: str) -> list[Move]:
    moves = []
    missing: list[Move] = []
    for end in context.strings.ends(at, context.where(path)):
        plus = PLUS.match(context.text, end.after)
        if plus and _is_empty(end, at):  # nothing to be joined
            continue
        cost = end.cost + (RESPELLED if plus else 0)
        expects = JOINED if plus else AFTER
        string = StringMove(at, end, lead)
        moves.append(Move(cost, end.after, expects, path.frame, string=string))
        missing = missing or _opener_missing(context, path, at, end.after)
    if not moves and not context.strings.closes(at):
        rest = context.strings.rest(at) if context.completes else ""
        return context.cut_off(path, " inside a string", json=lead + rest)
    return moves + missing


def strings_joined(context: Context, path: Path) -> list[Move] | None:
    """A string that `+` joins to the one before."""
    mark = context.text.index("+", path.at)
    at = context.skip(mark + 1)
    path.tokens.append(Token(mark, mark + 1, JOIN, Edit("dropped", "+", mark)))
    moves = []
    for end in context.strings.ends(at, context.where(path)):
        if _is_empty(end, at):
            continue
        more = PLUS.match(context.text, end.after)
        cost = end.cost + (RESPELLED if more else 0)
        expects = JOINED if more else AFTER
        moves.append(Move(cost, end.after, expects, path.frame, string=StringMove(at, end)))
    return moves


def _in_object(path: Path) -> bool:
    return path.frame is not None and path.frame.is_object


def _is_empty(end: End, at: int) -> bool:
    return end.body <= at + 1


def _prefixed(context: Context, path: Path, at: int, lead: str) -> list[Move]:
    """A string of Python's with a prefix: only one that is in no doubt."""
    prefix = context.text[at]
    token = Token(at, at + 1, lead, Edit("read", f"{prefix} as the prefix of a string", at))
    return [
        Move(
            0,
            end.after,
            AFTER,
            path.frame,
            (token,),
            string=StringMove(at + 1, end, "", prefix in "rR"),
        )
        for end in context.strings.ends(at + 1, context.where(path))
        if not (end.cost or end.kept or end.edit)
    ]


# --------------------------------------------------------------------- numbers and words
def _number(context: Context, path: Path, at: int, lead: str) -> list[Move] | None:
    text = context.text
    found = number(text, at)
    if found is None:
        cut = is_cut_number(text, at)
        return context.cut_off(path, " inside a number", of_key=_in_object(path)) if cut else None
    end, json = found
    if _in_object(path) and _THOUSANDS.match(text, end):
        return []
    if is_infinite(json):
        return context.refuse(OUT_OF_RANGE, f" at character {at}")
    if text[at:end] != json and _is_text(context.here(path)):  # a string keeps its characters
        json = f'"{text[at:end]}"'
    token = _respelled(context, at, end, lead, json)
    moves = [Move(0, end, AFTER_NUMBER, path.frame, (token,))]
    return moves + _opener_missing(context, path, at, end)


def _respelled(context: Context, at: int, end: int, lead: str, json: str) -> Token:
    spelled = context.text[at:end]
    edit = None if spelled == json else Edit("read", f"{spelled[:20]} as {json[:20]}", at)
    return Token(at, end, lead + json, edit)


def _word(context: Context, path: Path, at: int, lead: str) -> list[Move]:
    """A constant, a string with a prefix, `dict(`, or a string that has lost its quotes."""
    text = context.text
    if found := word(text, at):
        end, json = found
        return [Move(0, end, AFTER, path.frame, (_respelled(context, at, end, lead, json),))]
    if text.startswith("dict(", at):
        return [_opened(context, path, at, "dict(", lead, QUOTES_RESPELLED)]
    if text[at] in "rRuU" and text[at + 1 : at + 2] in {'"', "'"}:
        return _prefixed(context, path, at, lead)
    if endless := _ENDLESS.match(text, at):
        return context.refuse(NOT_JSON, f": {endless[0]} is no JSON number")
    if _CUT_WORD.match(text, at):
        return context.cut_off(path, " inside a value", of_key=_in_object(path))
    return _bare(context, path, at, lead)


def _bare(context: Context, path: Path, at: int, lead: str) -> list[Move]:
    """A string without quotes, or without the opening one."""
    text, frame = context.text, path.frame
    bare = _BARE.match(text, at)
    if bare is None or frame is None:
        return []
    content = bare[0].rstrip()
    end = at + len(content)
    gap = text[path.at : at]
    plain_gap = context.is_aligned(frame, path.at, at) if "\n" in gap else gap == " "
    blank_may_belong = gap and (context.compact or not plain_gap)
    if blank_may_belong or content.lower() in _NO_TEXT or content in _MISSPELLED:
        return []
    json = f'{lead}"{content}"'
    if text[end : end + 1] == '"':
        if not _is_half_quoted(context, frame, at, end):
            return []
        token = Token(at, end + 1, json, Edit("inserted", '"', at))
        return [Move(EDIT, end + 1, AFTER, frame, (token,))]
    if not _may_be_text(context, path, at) or not _may_end_unquoted(context, frame, end):
        return []
    return [Move(EDIT, end, AFTER, frame, (Token(at, end, json, Edit("inserted", "quotes", at)),))]


def _may_be_text(context: Context, path: Path, at: int) -> bool:
    """Whether a string may have lost its quotes here, and is no number with a unit."""
    if not context.text[at].isdigit():
        return _in_object(path) or context.here(path).wants("string")
    return _is_text(context.here(path))


def _is_text(place: TextPlace) -> bool:
    """Whether a string is wanted at a place, and no number."""
    return place.wants("string") and not (place.wants("number") or place.wants("integer"))


def _is_half_quoted(context: Context, frame: Frame, at: int, end: int) -> bool:
    """Whether a string has lost its opening quote, and nothing else."""
    after = context.skip(end + 1)
    if context.text[after : after + 1] not in {",", "}", "]"}:
        return False
    # in an array, what stands before the last comma may belong to it, too
    return frame.is_object or _ITEM_BEFORE.search(context.text, max(0, at - 60), at) is not None


def _may_end_unquoted(context: Context, frame: Frame, end: int) -> bool:
    """Whether a string without quotes may end here: before a closer, or a comma and a key."""
    text = context.text
    behind = context.skip(end)
    if text[behind : behind + 1] in {"}", "]"}:
        blank_means_nothing = text[frame.at + 1 : frame.at + 2] in {" ", "\t"}
        return text[end] not in {" ", "\t"} or blank_means_nothing
    if text[behind : behind + 1] != ",":
        return False
    if end < behind and not _COMMA_CLOSER.match(text, behind):
        return False  # the blank may belong to the string
    if not frame.is_object or NEXT_KEY.match(text, behind):
        return True
    follows = _MEMBER_FOLLOWS.match(text, behind)
    names = frame.place.names()
    return follows is not None and (follows[1] is None or not names or follows[1] in names)
