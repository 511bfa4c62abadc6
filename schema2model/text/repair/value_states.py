"""The parser states before a value."""

from __future__ import annotations

import re
from typing import Final

from schema2model.errors import NOT_JSON, OUT_OF_RANGE, TOO_DEEP, TextError
from schema2model.limits import MAX_DEPTH
from schema2model.regexes import regex
from schema2model.text.repair.context import KEY_AFTER_ITEM, NEXT_KEY, Context
from schema2model.text.repair.edits import (
    CLOSERS,
    JOIN,
    Doubt,
    Edit,
    EditCost,
    Token,
    deletion,
    insertion,
    respelling,
)
from schema2model.text.repair.path import Frame, Move, Path, PathState
from schema2model.text.repair.scalar_spelling import (
    CAPITAL_CONSTANTS,
    CONSTANTS,
    is_infinite,
    parse_constant,
    parse_number,
)
from schema2model.text.repair.separator_states import close_bracket
from schema2model.text.repair.skip import skip_container, skip_items, skip_plain
from schema2model.text.repair.string_ends import QUOTED, QUOTES

__all__ = ["joined_string", "value"]

_OPENERS: Final = frozenset("{[(")
_ITEM_IS_KEY: Final = regex(rf"(?!.[{{\[]){QUOTED}\s*:")
_ITEM: Final = r"""(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|-?[\d.]+|True|False|None)"""
_NO_OPENER: Final = regex(rf"\s*,\s*{_ITEM}\s*[,\]]", re.DOTALL)
"""The text after the first item of an array without an opener."""
_SET: Final = regex(rf"\{{\s*{_ITEM}(?:\s*,\s*{_ITEM})*(?:\s*,)?\s*\}}", re.DOTALL)
_BARE: Final = regex(r"[^\W\d_][\w ./@!?&%-]*|[\w][\w./@-]*[A-Za-z_][\w./@-]*")
_ATOM: Final = re.compile(
    r"""
    (?: \d{4}-\d\d-\d\d (?: T\d\d:\d\d(?::\d\d(?:\.\d+)?)? (?:Z|[+-]\d\d:?\d\d)? )?
      | \d{1,2}:\d\d(?::\d\d)?                         # a time
      | \d+(?:\.\d+){2,3}(?::\d{1,5}|/\d{1,2})?         # an address or a version
      | \d+(?:[/-]\d+){1,4} | \d+(?:\.\d+)?%            # a fraction, another date, a share
      | \#\w[\w-]*                                       # a colour
      | [A-Za-z][A-Za-z0-9+.-]*://[\w./:?&=%\#@~+-]+     # a URL
      | (?!/[^/]*/[a-z]*\s*[,}\]]) (?:~|\.{1,2})?/\w[\w./@%+-]* )  # a path, no /expression/
    (?=\s*[,}\]])
    """,
    re.VERBOSE,
)
"""Text without quotes that is neither a number nor begins like a word."""
_ZERO_PADDED: Final = regex(r"(-?)0(\d+)(?=\s*[,}\]])")
_NOT_TEXT: Final = {
    *("undefined", "nan", "infinity", "inf", "nil", "null", "none"),
    *("true", "false", "yes", "no", "on", "off"),
}
"""Words that are neither text nor JSON's constants."""
_MISSPELLED: Final = frozenset(
    word[:at] + letters + word[at + 2 :]
    for word in CONSTANTS
    for at in range(len(word) - 1)
    for letters in (word[at], word[at + 1] + word[at], word[at + 1])
    if word != "None" or at
)
"""Constants in which a letter is missing or doubled, or two are swapped: not text."""
_MEMBER_FOLLOWS: Final = regex(r",\s*(?:[}\]]|([A-Za-z_]\w*)\s*[:=])")
_ITEM_BEFORE: Final = regex(r"""(?:["'}\])\d]|[tT]rue|[fF]alse|null|None)\s*,\s*$|\[\s*$""")
"""The text before an item: another item and a comma, or the opener."""
_WORD: Final = regex(r"[A-Za-z]+(?![\w$-])")
_ESCAPED_QUOTES: Final = regex(
    r"""
    (?: \\" ([^"\\\n]*) \\"
      | "<\|\\"\|\\?" ([^"\\<|\n]*) <\|\\"\|\\?" )   # a template's, torn
    (?=\s*[,}\]])
    """,
    re.VERBOSE,
)
"""A string whose quotes are escaped, as if it were in another string."""
_NOT_FINITE: Final = regex(r"[+-]?(?:NaN|Infinity|nan|inf)(?![\w$-])")
_TRUNCATED_NUMBER: Final = regex(r"[+-]?(?:0[xX]?|[0-9][0-9_.]*(?:[eE][+-]?)?|\.)?$")
_TRUNCATED_CONSTANT: Final = regex(
    r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|T|Tr|Tru|F|Fa|Fal|Fals|N|No|Non)\s*$"
)


def value(context: Context, path: Path) -> list[Move]:
    """Read a value, or the closer of an array."""
    text, frame = context.text, path.frame
    at = context.skip_blanks(path.at)
    char = text[at : at + 1]
    if not char:
        return context.end_of_text(path)
    if frame is not None and not frame.is_object:
        if char in CLOSERS:
            if frame.bracket == "(" and char == ")":
                frame = frame.as_tuple()
            return close_bracket(context, path, frame, at)
        if token := skip_plain(text, at, members=False):
            return [Move(token.end, PathState.AFTER, frame, (token,))]
    if char in _OPENERS:
        return _container(context, path, at)
    if char in '\\"' and (quoted := _ESCAPED_QUOTES.match(text, at)):
        json = f'"{quoted[1] or quoted[2] or ""}"'
        token = respelling(at, quoted.end(), json, '\\" as a quote')
        return [Move(token.end, PathState.AFTER, frame, (token,), EditCost.QUOTES_RESPELLED)]
    if char in QUOTES and context.strings.opening_quote(at):
        return _quoted(context, path, at)
    if char == ":" and path.state is PathState.VALUE and frame is not None:
        return [Move(at + 1, PathState.VALUE, frame, (deletion(":", at),), EditCost.EDIT)]
    return _number(context, path, at)


def _container(context: Context, path: Path, at: int) -> list[Move]:
    """Read a container: all of it if it is JSON, or else its opener."""
    text, frame = context.text, path.frame
    if frame is not None:
        end = (
            skip_container(text, at, frame.schema.names(), context.value_schema(path))
            if context.unbalanced
            else skip_container(text, at)
        )
        is_doubtful = context.unbalanced and text.find("\n", at, end) > 0
        if end and not is_doubtful and (frame.is_object or not KEY_AFTER_ITEM.match(text, end)):
            if frame.bracket == "[" and not context.unbalanced:
                end = skip_items(text, end)
            return [Move(end, PathState.AFTER, frame, (Token(at, end, text[at:end]),))]
        context.budget.take_scan(at >> 4)  # a failed parser counts the lines before
        if text[at] == "{" and _SET.match(text, at):
            schema = context.value_schema(path)
            if schema.wants("array") or not schema.wants("object"):
                return [_opened(context, path, at, "set", EditCost.RESPELLED)]
    return [_opened(context, path, at, text[at], 0)]


def _opened(context: Context, path: Path, at: int, bracket: str, cost: int) -> Move:
    """Return the move over the opener of a container."""
    frame = Frame(bracket, at, path.frame, path.key, None if path.frame else context.schema)
    if frame.depth > MAX_DEPTH:
        raise TextError(TOO_DEEP)
    json = "{" if frame.is_object else "(" if bracket == "(" else "["
    end = at + (1 if bracket == "set" else len(bracket))
    edit = Edit("read", f"{context.text[at:end]} as {json}", at) if cost else None
    state = PathState.FIRST_KEY if frame.is_object else PathState.FIRST_ITEM
    return Move(end, state, frame, (Token(at, end, json, edit),), cost)


def _opener_missing(context: Context, path: Path, at: int, end: int) -> list[Move]:
    """Return the move that inserts the opener of an array before its first item."""
    frame = path.frame
    if frame is None or not (frame.is_object and _NO_OPENER.match(context.text, end)):
        return []
    if not context.value_schema(path).wants("array"):
        return []
    inner = Frame("[", at, frame, path.key)
    return [Move(at, PathState.FIRST_ITEM, inner, (insertion("[", at),), EditCost.EDIT)]


# --------------------------------------------------------------------------------- strings
def _quoted(context: Context, path: Path, at: int) -> list[Move]:
    """Read a string, or the first key or item of a container without an opener."""
    frame = path.frame
    if frame is not None and not frame.is_object and _ITEM_IS_KEY.match(context.text, at):
        inner = Frame("{", at, frame, "")
        return [Move(at, PathState.FIRST_KEY, inner, (insertion("{", at),), EditCost.EDIT)]
    moves = context.string_moves(path, at)
    if not moves and context.strings.key_end(at) is None:
        rest = context.strings.truncated_json(at) if context.accept_truncated else ""
        return context.truncated(path, " inside a string", json=rest)
    for move in moves:
        if openers := _opener_missing(context, path, at, move.at):
            return moves + openers
    return moves


def joined_string(context: Context, path: Path) -> list[Move]:
    """Read a string that `+` joins to the one before."""
    plus = context.text.index("+", path.at)
    join = Token(plus, plus + 1, JOIN, Edit("dropped", "+", plus))
    return context.string_moves(path, context.skip_blanks(plus + 1), join)


# --------------------------------------------------------------------- numbers and words
def _number(context: Context, path: Path, at: int) -> list[Move]:
    """Return the moves over a number, or else over a word."""
    text = context.text
    found = parse_number(text, at)
    atom = _ATOM.match(text, at)
    padded = None if found else _ZERO_PADDED.match(text, at)
    if atom:
        return _unquoted(context, path, at, atom.end())
    if padded:
        return _zero_padded(context, path, padded)
    if found is None:
        if _TRUNCATED_NUMBER.match(text, at):
            return context.truncated(path, " inside a number", of_key=path.in_object)
        return _word(context, path, at)
    end, json = found
    if is_infinite(json):
        return context.refuse(OUT_OF_RANGE, f" at character {at}")
    if text[at:end] != json and context.value_schema(path).takes_text():
        json = f'"{text[at:end]}"'
    token = _scalar(context, at, end, json)
    moves = [Move(end, PathState.AFTER_NUMBER, path.frame, (token,))]
    return moves + _opener_missing(context, path, at, end)


def _unquoted(context: Context, path: Path, at: int, end: int) -> list[Move]:
    """Return the move over text without quotes, where only a string is expected."""
    frame = path.frame
    if frame is None or not context.value_schema(path).takes_text():
        return []
    if _blank_may_belong(context, frame, path.at, at) or not _may_end_unquoted(context, frame, end):
        return []
    token = Token(at, end, f'"{context.text[at:end]}"', Edit("inserted", "quotes", at))
    return [Move(end, PathState.AFTER, frame, (token,), EditCost.EDIT)]


def _zero_padded(context: Context, path: Path, number: re.Match[str]) -> list[Move]:
    """Return the move over a number with a zero before it: `05` is 5, `010` may be eight or ten."""
    schema = context.value_schema(path)
    if schema.takes_text():
        json = f'"{number[0]}"'
    elif len(number[2]) == 1 and schema.wants("integer") and not schema.wants("string"):
        json = number[1] + number[2]
    else:
        return []
    token = _scalar(context, number.start(), number.end(), json)
    return [Move(number.end(), PathState.AFTER, path.frame, (token,), EditCost.RESPELLED)]


def _scalar(context: Context, at: int, end: int, json: str) -> Token:
    """Return the token of a scalar, which may have another spelling."""
    spelled = context.text[at:end]
    if spelled == json:
        return Token(at, end, json)
    return respelling(at, end, json, f"{spelled[:20]} as {json[:20]}")


def _word(context: Context, path: Path, at: int) -> list[Move]:
    """Return the moves over a constant, `dict(`, or a string with a prefix or no quotes."""
    text = context.text
    if found := parse_constant(text, at):
        end, json = found
        return [Move(end, PathState.AFTER, path.frame, (_scalar(context, at, end, json),))]
    if moves := _capital_constant(context, path, at):
        return moves
    if text.startswith("dict(", at):
        return [_opened(context, path, at, "dict(", EditCost.QUOTES_RESPELLED)]
    if text[at] in "rRuU" and text[at + 1 : at + 2] in {'"', "'"}:
        token = respelling(at, at + 1, "", f"{text[at]} as the prefix of a string")
        if text[at] == "U" and text[at + 2 : at + 3].isalpha():  # which Python writes small
            path.doubt = path.doubt or Doubt.LOST_QUOTE
        moves = context.string_moves(path, at + 1, token, raw=text[at] in "rR")
        return [move for move in moves if not move.cost]
    if not_finite := _NOT_FINITE.match(text, at):
        return context.refuse(NOT_JSON, f": {not_finite[0]} is not a JSON number")
    if _TRUNCATED_CONSTANT.match(text, at):
        return context.truncated(path, " inside a value", of_key=path.in_object)
    return _bare(context, path, at)


def _capital_constant(context: Context, path: Path, at: int) -> list[Move]:
    """Return the moves over `TRUE` or `Null`, which may be text where no boolean is expected."""
    word = _WORD.match(context.text, at)
    json = word and CAPITAL_CONSTANTS.get(word[0])
    if word is None or json is None:
        return []
    spellings = [json]
    schema = context.value_schema(path)
    if json != "null" and schema.takes_text() and not schema.wants("boolean"):
        spellings.append(f'"{word[0]}"')
    return [
        Move(
            word.end(),
            PathState.AFTER,
            path.frame,
            (_scalar(context, at, word.end(), each),),
            EditCost.RESPELLED,
        )
        for each in spellings
    ]


def _bare(context: Context, path: Path, at: int) -> list[Move]:
    """Return the moves over a string without quotes, or without the opening one."""
    text, frame = context.text, path.frame
    bare = _BARE.match(text, at)
    if bare is None or frame is None:
        return []
    content = bare[0].rstrip()
    end = at + len(content)
    if (
        _blank_may_belong(context, frame, path.at, at)
        or content.lower() in _NOT_TEXT
        or content in _MISSPELLED
    ):
        return []
    json = f'"{content}"'
    schema = context.value_schema(path)
    is_number = text[at].isdigit()  # with a unit
    is_text = schema.takes_text() if is_number else path.in_object or schema.wants("string")
    if text[end : end + 1] == '"':
        if not _is_half_quoted(context, frame, at, end + 1):
            return []
        token = Token(at, end + 1, json, Edit("inserted", '"', at))
    elif is_text and _may_end_unquoted(context, frame, end):
        token = Token(at, end, json, Edit("inserted", "quotes", at))
    else:
        return []
    return [Move(token.end, PathState.AFTER, frame, (token,), EditCost.EDIT)]


def _blank_may_belong(context: Context, frame: Frame, start: int, end: int) -> bool:
    """Return whether the gap before a string without quotes may belong to it."""
    gap = context.text[start:end]
    is_plain = context.is_aligned(frame, start, end) if "\n" in gap else gap == " "
    return bool(gap) and (context.is_compact or not is_plain)


def _is_half_quoted(context: Context, frame: Frame, at: int, end: int) -> bool:
    """Return whether a string lacks only its opening quote."""
    if not context.text.startswith((",", "}", "]"), context.skip_blanks(end)):
        return False
    # in an array, text before the last comma may belong to it, too
    return frame.is_object or _ITEM_BEFORE.search(context.text, max(0, at - 60), at) is not None


def _may_end_unquoted(context: Context, frame: Frame, end: int) -> bool:
    """Return whether a string without quotes may end at an offset."""
    text = context.text
    after = context.skip_blanks(end)
    if text[after : after + 1] in {"}", "]"}:
        blank_means_nothing = text[frame.at + 1 : frame.at + 2] in {" ", "\t"}
        return text[end] not in {" ", "\t"} or blank_means_nothing
    if text[after : after + 1] != ",":
        return False
    follows = _MEMBER_FOLLOWS.match(text, after)
    if end < after and (follows is None or follows[1]):
        return False  # the blank may belong to the string
    if not frame.is_object or NEXT_KEY.match(text, after):
        return True
    names = frame.schema.names()
    return follows is not None and (follows[1] is None or not names or follows[1] in names)
