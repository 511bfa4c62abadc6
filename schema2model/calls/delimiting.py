"""The end of a call, decided before it is read: nothing within it is read as a call by itself.

Functions that return None need more text, which is never so if the text has `ended`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from schema2model.calls.expressions import TEXT_ENDS, Expression, ExpressionError, parse
from schema2model.calls.formats.records import BLOCK_BEGINS, BLOCK_ENDS, SILENT, Record
from schema2model.calls.problems import ends_in_string
from schema2model.regexes import regex

__all__ = [
    "NEXT_VALUE",
    "Delimiters",
    "after_blanks",
    "block_end",
    "closes_outer",
    "delimiters",
    "ends_value",
    "failed_at",
    "holds_begun_call",
    "is_all",
    "is_begun",
    "json_end",
    "member_end",
    "next_exact_call",
    "parsed",
    "python_ends_line",
    "ungrouped",
]

_JSON: Final = json.JSONDecoder(strict=False)
_GOES_ON: Final = regex(r"""\s*(?:[\]}:"']|,\s*["'\w])""")
"""The text after a value that is complete, but does not end there."""
_ARGUMENT: Final = (
    r"""[^\W\d]\w*\s*=(?!=)\s*(?:"[^"\n]*"|'[^'\n]*'|[\w.+-]+|[\[{][^\n]*[\]}])\s*(?:[),]|\Z|\n)"""
)
_LINE_ENDS: Final = regex(r"[^\S\n]*(?:\n|\Z|[,;+\]`]|#|<|\[/)")
_NO_MORE: Final = regex(r"\s*(?:\n[^{}\[\]\"'<>=]*)?")
"""The text between a value and an end mark: blanks, or prose on the next line."""
_BRACES: Final = regex("[{}]")
_VALUE_ENDS: Final = regex(rf"[}}\])][\"'`]{{0,3}}(?:[\s;,`]|{SILENT})*\Z")
_BLANKS: Final = regex(r"\s*")
_NOTHING: Final = regex(r"(?P<begin>(?!))")
_TRIES: Final = 50
"""Maximum beginnings of calls that are examined after a damaged one."""
_ARGUMENT_FOLLOWS: Final = regex(
    rf"""(?:[^\S\n]|[,)]|\n(?=[^\n]*\)))*(?:"[^"\n]{{0,80}}"\s*,\s*)?{_ARGUMENT}"""
)
NEXT_VALUE: Final = regex(
    r"(?P<begin>\n[ \t]*(?:```\w*\s*)?(?:(?=[\[{])|[\w.:/-]{1,200}[ \t]*(?:\n\s*)?(?=\{)))"
)
"""The beginning of another call without marks: on a line of its own."""
_MATCHED: Final = frozenset("psw")
"""The groups of a beginning that other marks of the call repeat."""


@dataclass(frozen=True)
class Delimiters:
    """The marks of a call whose beginning is known."""

    record: Record
    closes: re.Pattern[str] | None
    """The end mark, with the blanks before it."""
    begins: re.Pattern[str]
    """The beginning of such a block."""
    bounds: re.Pattern[str]
    """A beginning, the group `begin`, or an end of such a block."""
    has_end: bool

    def awaited(self, *, has_parameters: bool) -> re.Pattern[str] | None:
        """The marks that the call waits for, to be read on at any of them; None for any text.

        An end mark may be a part of the value of a parameter: another call has to begin.
        """
        if not self.has_end:
            return None
        ends = self.bounds if self.record.family == "<" else self.closes
        return self.begins if has_parameters else ends


def ungrouped(source: str) -> str:
    """The source of a pattern without names of groups."""
    return re.sub(r"\(\?P<\w+>", "(?:", re.sub(r"\(\?P=\w+\)", "[^<>]{0,200}?", source))


def delimiters(record: Record, head: re.Match[str]) -> Delimiters:
    """The marks of the call that `head` begins."""
    matched = head.groupdict()
    groups = _MATCHED | {"name"} if "@name" in record.closes else _MATCHED
    return _delimiters(record, tuple((k, v or "") for k, v in matched.items() if k in groups))


@lru_cache(1024)
def _delimiters(record: Record, matched: tuple[tuple[str, str], ...]) -> Delimiters:
    filled = record.filled(dict(matched))
    if record.family == "<":
        begins, ends = BLOCK_BEGINS, BLOCK_ENDS
    else:
        begins, ends = ungrouped(record.opens), filled.closes or "(?!)"
    blank = r"\s" if "```" in filled.closes else r"(?:\s|```(?!\w))"
    closes = regex(f"{blank}*(?:{filled.closes})") if filled.closes else None
    has_end = record.family == "<" or (closes is not None and "?=" not in filled.closes)
    bounds = regex(rf"(?P<begin>{begins})|(?:{ends})")
    return Delimiters(filled, closes, regex(begins), bounds, has_end)


def after_blanks(text: str, at: int) -> int:
    """The offset after the white space at `at`."""
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]


def json_end(text: str, at: int) -> int:
    """The offset after the JSON value at `at`; 0 if there is none, or if the text goes on in it."""
    end = member_end(text, at)
    return end if ends_value(text, end) else 0


def member_end(text: str, at: int) -> int:
    """The offset after the JSON value at `at`, whatever follows; 0 if there is none."""
    try:
        return _JSON.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return 0


def failed_at(text: str, at: int) -> int:
    """The offset up to which the text from `at` on may be a JSON value."""
    try:
        return _JSON.raw_decode(text, at)[1]
    except json.JSONDecodeError as error:
        return max(error.pos, at)
    except RecursionError:
        return len(text)


def ends_value(text: str, end: int) -> bool:
    """Return whether a value that could end at `end` does, as the text does not go on in it."""
    return _GOES_ON.match(text, end) is None


def is_begun(text: str, at: int) -> bool:
    """Return whether the text from `at` on may be the beginning of a value that is not complete."""
    try:
        _JSON.raw_decode(text, at)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated") or error.pos >= len(text) - len("false"):
            return True
    except RecursionError:
        return False
    try:
        parse(text, at)
    except ExpressionError as error:
        return str(error) == TEXT_ENDS or ends_in_string(text[at:])
    except RecursionError:
        pass
    return False


def parsed(text: str, at: int) -> Expression | None:
    """The expression at `at`, or None."""
    try:
        return parse(text, at)
    except (ExpressionError, RecursionError):
        return None


def python_ends_line(text: str, at: int) -> bool:
    """Return whether a line break, a delimiter or a mark follows a call in Python."""
    return _LINE_ENDS.match(text, at) is not None and not _ARGUMENT_FOLLOWS.match(text, at)


def is_all(
    text: str, end: int, closes: re.Pattern[str] | None, bounds: re.Pattern[str], *, ended: bool
) -> bool | None:
    r"""Return whether a complete value is all of its call; None if more text is needed.

    It is if its end mark follows, or if no brace up to the next block closes what is around it.

    >>> text = '{"a": "f(\\"x"} rest"}'
    >>> is_all(text, 14, None, NEXT_VALUE, ended=True)  # a quote lacks its backslash
    False
    """
    if closes and closes.match(text, end):
        return True
    following = bounds.search(text, end)
    if following is None and not ended:
        return None
    stop = following.start() if following else len(text)
    if following and following["begin"] is None and not _NO_MORE.fullmatch(text, end, stop):
        return False
    return not closes_outer(text, end, stop)


def closes_outer(text: str, begins: int, end: int) -> bool:
    """Return whether a brace between two offsets closes what is around them."""
    depth = 0
    for brace in _BRACES.findall(text, begins, end):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return True
    return False


def block_end(text: str, at: int, marks: Delimiters, *, ended: bool) -> int | None:
    """The offset after the block whose content begins at `at`, whatever that is.

    Blocks within it are counted. Of several end marks before the next block, the last ends it.
    """
    depth, end, has_end = 1, 0, False
    for mark in marks.bounds.finditer(text, at) if marks.has_end else ():
        if mark["begin"] is not None:
            if end:
                return end
            depth += 1
        else:
            depth, has_end = max(depth - 1, 0), True
            end = mark.end() if depth == 0 else end
    if not ended:
        return None
    if not has_end:
        return next_exact_call(text, at, marks.bounds, marks.record.body)
    return end or len(text)


def holds_begun_call(text: str, bounds: re.Pattern[str]) -> bool:
    """Return whether a call begins in a text that does not end there."""
    depth = 0
    for mark in bounds.finditer(text):
        depth = depth + 1 if mark["begin"] is not None else max(depth - 1, 0)
    return depth > 0


def next_exact_call(text: str, at: int, bounds: re.Pattern[str], body: str = "calls") -> int:
    """The offset of the first block from `at` on that is written exactly, or of the text's end.

    There ends a damaged call without an end mark. A call that a string quotes is not written
    exactly: in JSON its quotes have backslashes, and brackets follow it that close what is around
    the string.
    """
    for mark in islice(bounds.finditer(text, at), _TRIES):
        if mark["begin"] is None:
            return mark.start()
        before = text[at : mark.start()]
        if not (_VALUE_ENDS.search(before) or 0 < before.count("{") <= before.count("}")):
            continue
        begins = after_blanks(text, mark.end())
        end = json_end(text, begins)
        if not end and body == "calls" and (node := parsed(text, begins)):
            is_python = node.kind in "[call" and python_ends_line(text, node.end)
            end = node.end if is_python else 0
        if not end or not text[begins:end].strip("[]{} "):
            continue
        if is_all(text, end, None, _NOTHING, ended=True):
            return mark.start()
    return len(text)
