"""Doubts about a reading: where else brackets may be missing, and what its strings may hide.

The nearest reading inserts missing closers where the text ends, or at the last possible place.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import Any, Final, TypeAlias

from schema2model.json.parsing import LAX
from schema2model.json.values import TYPES
from schema2model.regexes import regex
from schema2model.text.repair.edits import CLOSERS, Doubt, Edit, Token, assemble
from schema2model.text.repair.path import Frame, Path, missing_closers
from schema2model.text.schema_view import SchemaView
from schema2model.text.wrapping.prose import EXTRA_CLOSERS

__all__ = [
    "TailChain",
    "doubt_of_reading",
    "is_undescribed_property",
    "may_be_one_string",
    "may_close_earlier",
    "may_have_lost_members",
    "tail_of",
]

MIN_MEMBERS_AT_END: Final = 4
"""Members of an object that may have ended before any of them, if the text ends after it."""
MIN_MEMBERS: Final = 2
"""Members of an object that may have ended before any of them, if more of the text follows."""
_ADJACENT: Final = 2
_MAX_GAP: Final = 80
"""Maximum characters between the opener of the call and its first key."""
_PAIRS: Final = ("{}", "[]", "()")
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}
_MARKS: Final = frozenset(",:{}[]()")
_BRACKETS: Final = frozenset("{}[]")
_SEPARATORS: Final = frozenset(",:")
_STRAIGHT: Final = {"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"}
_SMART: Final = {quote: pair for pair in ("\u201c\u201d", "\u2018\u2019") for quote in pair}
"""Typographic quotes, each with its pair."""
_TO_STRAIGHT: Final = str.maketrans(_STRAIGHT)
_QUOTES: Final = frozenset(("'", '"', *_STRAIGHT))
_STRING: Final = regex(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_DOUBTFUL_ESCAPE: Final = regex(r"(?:[^\\]|\\[^bfxUN])*\\[bfxUN]|(?!.* ).*\w\\[bfnrt\\]", re.DOTALL)
"""A string with a rare escape, or with one within its only word."""
_INCHES: Final = regex(r"(?:^x?|[^\w.])(?:[\d.]+x)?[0-9./']+\Z")
"""A number, after which a quote means inches."""
_WITHIN_WORD: Final = regex(r"""(?<=\w)["'](?=\w)""")
"""An apostrophe, or a quote that may be one, or may follow a prefix: `f"x"`."""

_BEFORE_OPENING: Final = frozenset(" \t\n([{=,:\\")
"""The characters before a quote that opens something."""
_CLOSED: Final = regex(r"[\s,;:}\])|&+=]|[{\[]\s|[{\[]*\Z")
"""The text after a quote that closes something."""

TailChain: TypeAlias = "list[tuple[Any, SchemaView]]"
"""A container and its schema, then its last member, and so on."""


def tail_of(path: Path, around: int = 0) -> TailChain:
    """Return the unclosed container inside `around` others, then its last member, recursively."""
    frame = path.frame
    if frame is None:
        return []
    tokens = missing_closers(frame, path.at)[: frame.depth - around]
    while frame.parent is not None and frame.depth > around + 1:
        frame = frame.parent
    try:
        value = LAX.decode(assemble([*path.all_tokens(frame.at), *tokens]).lstrip(":,"))
    except (ValueError, RecursionError):
        return []  # such a reading is refused
    tail: TailChain = []
    schema = frame.schema
    while isinstance(value, (dict, list)):
        tail.append((value, schema))
        if not value:
            break
        if isinstance(value, dict):
            name = next(reversed(value))
            value, schema = value[name], schema.member(name)
        else:
            value, schema = value[-1], schema.item()
    return tail


def may_close_earlier(tail: TailChain, outside: int, missing: int, *, at_end: bool) -> bool:
    """Return whether closers of `missing` containers may be missing further in.

    These are the first in the tail but for those `outside`. An object may have ended before any of
    its members: the rest then belongs to the object around it. If the schema does not describe the
    inner object, each of these places is as near as the end. So is that before a member that only
    an object around declares, and lacks.
    """
    is_last = is_undescribed = False
    many = MIN_MEMBERS_AT_END if at_end else MIN_MEMBERS
    lacking: set[str] = set()
    for depth, (value, schema) in enumerate(tail):
        is_object = isinstance(value, dict)
        if is_object:
            declared = schema.names()
            foreign = lacking.intersection(value).difference(declared)
            if not foreign.issubset(islice(value, 1)):
                return True
            lacking.update(declared.difference(value))
        if is_undescribed and is_object and len(value) >= many:
            return True
        is_last = is_object and (outside <= depth < outside + missing or is_last)
        is_undescribed = (
            is_last and bool(value) and _is_undescribed_member(next(reversed(value)), schema)
        )
    return False


def may_have_lost_members(tail: TailChain, missing: int) -> bool:
    """Return whether the last closer may be that of the call, and members are lost before it.

    If the call, or the object that the closer seems to close, has all declared properties, it is
    unlikely that more were to come.
    """
    if not 1 < missing < len(tail):
        return False
    return all(
        isinstance(value, dict) and not schema.names() <= value.keys()
        for value, schema in (tail[0], tail[missing])
    )


def is_undescribed_property(frame: Frame) -> bool:
    """Return whether a container is a property that the schema allows but does not describe."""
    outer = frame.parent
    if outer is None or not outer.is_object or _is_undescribed(outer.schema):
        return False
    return _is_undescribed_member(frame.key, outer.schema)


def _is_undescribed_member(name: str, around: SchemaView) -> bool:
    is_known = name in around.names() or around.is_closed()
    return not is_known and _is_undescribed(around.member(name))


def _is_undescribed(schema: SchemaView) -> bool:
    return not schema.names() and not any(schema.wants(kind) for kind in TYPES)


# ------------------------------------------------------------------------------ whole readings
def doubt_of_reading(text: str, tokens: list[Token], edits: list[Edit], cost: int) -> str:
    """Return why a reading by tokens, with their edits and cost, is in doubt; "" if it is not.

    Damage is one thing in one place, and what belongs together stays together: each string next
    to an edit has its quotes and brackets in pairs, and no separator at that end. An edit that
    costs nothing is not damage, but a key without quotes among others may be in a string.
    """
    if "\\" in [edit.what for edit in edits] and _backslashes_are_doubtful(text, tokens):
        return Doubt.BACKSLASHES_KEPT
    if cost and len(edits) > 1:
        missing = {edit.what for edit in edits if edit.action == "inserted"}
        lacks_closers = not missing.isdisjoint(CLOSERS)
        if _are_scattered(text, edits) or (lacks_closers and _opener_may_be_wrong(text, tokens)):
            return Doubt.SCATTERED_BRACKETS
        quotes = [e.action for e in edits if e.what in _QUOTES and e.action != "dropped"]
        if ("inserted" in quotes and len(quotes) > 1) or ("kept" in quotes and ":" in missing):
            return Doubt.LOST_QUOTE
    for index, token in enumerate(tokens):
        edit = token.edit
        if edit is None or not (cost or edit.what == "quotes"):
            continue
        if text[edit.at - 1] == "\\" != edit.what and edit.action == "kept":
            return Doubt.ESCAPED_TWICE
        if not _has_pairs(text, tokens, index) or _breaks_string(text, tokens, index):
            return Doubt.LOST_QUOTE
    return ""


def _quotes_keys(text: str, tokens: list[Token]) -> bool:
    """Return whether the first key in a text has quotes."""
    return text[tokens[0].end : tokens[0].end + _MAX_GAP].lstrip()[:1] in _QUOTES


def _has_pairs(text: str, tokens: list[Token], index: int) -> bool:
    """Return whether the quotes in a string are pairs, if the edit of a token is of such a quote.

    Edits within a string are those of tokens after it.
    """
    action, what, _ = tokens[index].edit  # type: ignore[misc]
    quote = what.removesuffix(" as a quote")
    if action != "kept" and quote == what:
        return True
    strings = (token for token in reversed(tokens[: index + 1]) if token.json[-1:] == '"')
    body = next((text[each.start + 1 : each.end - 1] for each in strings), "")
    if action == "kept" or quote == '"':
        return quote == "\\" or _are_pairs(body, quote)
    opener, closer = _SMART.get(quote, ("", ""))
    return body.count(opener) <= body.count(closer)


def _breaks_string(text: str, tokens: list[Token], index: int) -> bool:
    """Return whether the edit of a token may belong to the string before or after it."""
    action, what, at = tokens[index].edit  # type: ignore[misc]
    if what == "quotes":
        if ":" not in {tokens[index].json[-1], tokens[index + 1].json}:  # they are not of a key
            # with a comma, two marks are missing: both may be of the string before
            return tokens[index - 1].edit == ("inserted", ",", at)
        return _quotes_keys(text, tokens) and not _are_pairs(_string_beside(tokens, index, -1), '"')
    marks = what.replace(" as ", "")
    if not _MARKS.issuperset(marks):
        return False
    before = _string_beside(tokens, index, -1)
    if action == "inserted" and at >= len(text.rstrip()):
        return before.rstrip()[-1:] in CLOSERS and _may_belong(marks, before, -1)
    return (
        (action == "dropped" and what in _BRACKETS and not _are_pairs(before, '"'))
        or _may_belong(marks, before, -1)
        or _may_belong(marks, _string_beside(tokens, index, 1), 1)
    )


def _are_scattered(text: str, edits: list[Edit]) -> bool:
    """Return whether bracket edits of different kinds are in several places, or quotes are edited.

    Two adjacent closers are one place: they may have been swapped. Missing braces are of one kind:
    an opener and its closer may be missing.
    """
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    kinds: set[tuple[str, bool]] = set()
    places: list[int] = []
    is_at_end = is_wrong = False
    for action, what, at in edits:
        is_missing = action == "inserted" and what in _BRACKETS
        if what == EXTRA_CLOSERS or (is_missing and at >= end):
            is_at_end = True
            kinds.add(("at the end", False))
        elif what[:1] in CLOSERS if action == "read" else what in _BRACKETS:
            if is_missing and at <= begin:  # with its closer, as if they were quotes
                continue
            is_wrong |= action == "read"
            kinds.add((action, what[-1] in "{}"))
        else:
            continue
        places.append(at)
    if len(kinds) > 1 and ((is_at_end and is_wrong) or max(places) - min(places) > _ADJACENT):
        return True
    is_extra = edits[-1].what == EXTRA_CLOSERS
    return bool(kinds) and any(
        (what in _QUOTES and (is_at_end or action == "inserted")) or (what == "," and is_extra)
        for action, what, _ in edits
    )


def _string_beside(tokens: list[Token], index: int, step: int) -> str:
    """Return the body of the string that is next to a token, but for separators; or ""."""
    end = len(tokens) if step > 0 else -1
    while (index := index + step) != end:
        json = tokens[index].json
        if json and json not in _SEPARATORS:
            if step < 0:
                return _last_string(json)
            found = _STRING.match(json)
            return found[0][1:-1] if found else ""
    return ""


def _last_string(json: str) -> str:
    """Return the body of the string that ends JSON, but for closers; or "".

    >>> _last_string('{"a": ["b c"]}'), _last_string("[1]")
    ('b c', '')
    """
    json = json.rstrip(" \t\n\r}])")
    start = end = len(json) - 1
    while json[end:] == '"' and start > 0:
        start = json.rfind('"', 0, start)
        escapes = start
        while json[escapes - 1] == "\\":
            escapes -= 1
        if (start - escapes) % 2 == 0:
            return json[start + 1 : end]
    return ""


def _may_belong(marks: str, body: str, step: int) -> bool:
    """Return whether marks of an edit may belong to the string before or after it.

    A bracket may if the string lacks one of its pair; a comma or colon if it has one at that end.
    """
    bare = body.strip()
    edge = bare[-1:] if step < 0 else bare[:1]
    if edge in _SEPARATORS and not _SEPARATORS.isdisjoint(marks) and bare.strip(",:"):
        return True
    for opener, closer in _PAIRS:
        if opener in marks or closer in marks:
            excess = body.count(opener) - body.count(closer)
            if excess and (excess * step < 0 or edge in {opener, closer}):
                return True
    return False


def _are_pairs(body: str, quote: str) -> bool:
    """Return whether the quotes in a string are pairs, but for apostrophes and those of inches.

    The first of a pair does not seem to close anything: it may be the end of the string.

    >>> [_are_pairs(body, '"') for body in ('say "x"', '5" disc', 'f("x", "y")')]
    [True, True, True]
    >>> [_are_pairs(body, '"') for body in ('say "x', 'x", "y', 'x" OR "y', 'x, b: "y')]
    [False, False, False, False]
    """
    if quote in _STRAIGHT:
        quote, body = _STRAIGHT[quote], body.translate(_TO_STRAIGHT)
    if quote not in body:  # as most often
        return True
    body = body.replace(f"\\{quote}", quote)
    if body.count(quote * 3) % 2 == 0:  # of programs, around lines that may have pairs
        body = body.replace(quote * 3, " ")
    parts = _WITHIN_WORD.sub("", body).split(quote)
    return _pair_up(parts) or (quote == '"' and _pair_up(body.split(quote)))


def _pair_up(parts: list[str]) -> bool:
    """Return whether the quotes between the parts of a string are pairs."""
    is_open = False
    last = "."  # the string may begin with the end of an empty one
    for before, after in pairwise(parts):
        last = before[-1:] or last
        if is_open:
            is_open = False
        elif not _INCHES.search(before):
            is_alone = last.isspace() and after[:1].isspace()
            if is_alone or (last not in _BEFORE_OPENING and _CLOSED.match(after)):
                return False
            is_open = True
        last = " "
    return not is_open


def _opener_may_be_wrong(text: str, tokens: list[Token]) -> bool:
    """Return whether an opener may be meant for a comma or colon: `"a"[ 1}` for `"a": 1}`.

    That mark is missing before it, and so is a closer of its kind after it. The opener of an object
    that is JSON does not.
    """
    closers: set[str | None] = set()  # of the openers that may be wrong
    before: Token | None = None
    for token in tokens:
        is_missing = token.edit is not None and token.edit.action == "inserted"
        is_opener = token.json in _CLOSERS or token.json[:1] == "["
        if is_opener and before is not None and before.start == before.end:
            closers.add(_CLOSERS.get(text[token.start]))
        elif is_missing and token.json in closers:
            return True
        before = token
    return False


def _backslashes_are_doubtful(text: str, tokens: list[Token]) -> bool:
    """Return whether an escape may be literal, since other strings have literal backslashes."""
    return any(
        _DOUBTFUL_ESCAPE.match(string[0])
        for token in tokens
        if token.json
        for string in _STRING.finditer(text, token.start, token.end)
    )


_EMPTY_ITEMS: Final = regex(
    r"""([\[,])(\s{0,99})"",([ \t]{0,9})""(\s{0,99})(\]|,(?!\s{0,99}\]))(\s{0,99})"""
)


def may_be_one_string(text: str) -> bool:
    r"""Return whether two empty items in a line may be one string with bare quotes: `", "`.

    They may be if the text separates them otherwise than the items next to them.

    >>> [may_be_one_string(text) for text in ('["a","", ""]', '["", "","b"]', '[\n"", ""]')]
    [True, True, True]
    >>> [may_be_one_string(text) for text in ('["a", "", "", "b"]', '["",""]')]
    [False, False]
    """
    if '"",' not in text:
        return False
    return any(
        (opener == "," and before != between)
        or (closer == "," and after != between)
        or "\n" in before + last
        for opener, before, between, last, closer, after in _EMPTY_ITEMS.findall(text)
    )
