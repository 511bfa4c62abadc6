"""Doubts about a reading: where else brackets may be missing, and what its strings may hide.

The nearest reading inserts missing closers where the text ends, or at the last possible place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, Final, TypeAlias

from schema2model.json.parsing import LAX
from schema2model.json.quoting import quoted
from schema2model.json.values import TYPES
from schema2model.text.repair.edits import Doubt, Edit, Token, assemble, bracket_edits
from schema2model.text.repair.path import Frame, Path, missing_closers
from schema2model.text.repair.string_ends import BEFORE_QUOTE, INCHES
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
_BRACES: Final = frozenset("{}")
_ADJACENT: Final = 2
_OPENERS: Final = {"}": "{", "]": "[", ")": "("}
_CLOSERS: Final = {opener: closer for closer, opener in _OPENERS.items()}
_BRACKETS: Final = _OPENERS.keys() | _CLOSERS
_STRAIGHT_QUOTES: Final = frozenset("\"'")
_SEPARATORS: Final = frozenset((",", ":", ""))
_CLOSED: Final = frozenset(("", *_OPENERS))
_OPENED: Final = frozenset(f'"{opener}' for opener in _CLOSERS)
"""The first characters of a string that begins with a bracket."""
_COMMA_AT_END: Final = re.compile(r',\s*"\Z')
"""The end of a string after a comma."""
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_DOUBTFUL_ESCAPE: Final = re.compile(
    r"(?:[^\\]|\\[^bfxUN])*\\[bfxUN]|(?!.* ).*\w\\[bfnrt\\]", re.DOTALL
)
"""A string with a rare escape, or with one within its only word."""
_QUOTE: Final = "[\"'\u201c\u201d]"
_MARK: Final = r"[,;:{}\[\]]"
_BLANKS: Final = r"\s{0,40}"
_NAME: Final = rf"\\?{_QUOTE}? ([\w$-]{{1,80}}) \\?{_QUOTE}? {_BLANKS}"
_MEMBER_AFTER_QUOTE: Final = re.compile(
    rf"""
    (?= (?: {_QUOTE} {_BLANKS}
            (?: (?: {_MARK} {_BLANKS} ){{1,4}} {_NAME} (?: {_MARK} | = )? | {_NAME} [:=] )
          | [,;] {_BLANKS} {_NAME} [:=] ) {_BLANKS} ["'\w{{\[-] )
    """,
    re.VERBOSE,
)
"""A name and a possible value, after a comma or a quote that may close a string; perhaps with wrong
marks. One may begin within another."""
_NAME_ALONE: Final = re.compile(
    rf"""(?<={_QUOTE}),\s{{0,40}}{_QUOTE}([^"'\n]{{1,80}})(?={_QUOTE}|\Z)"""
)
"""A name in quotes without a value, after a string."""
_STRING_AFTER_QUOTE: Final = re.compile(
    r"""
    (["']) (?: [ \t]{1,9} | (?<= [^\s(\[{=,:*"'] ["'] )
      \s{0,40} (?: (?: (?!\1) [^\w\s,] ){1,9} | \b(?:and|or|not)\b ) \s{0,40} ) (?<!\\) \1
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A quote that may close a string, and one that may open the next: Python joins such strings.

If the first one ends a word, a wrong mark or an operator may be between them.
"""

_KEPT_QUOTE: Final = {quote: re.compile(rf"(?<!\\){quote}") for quote in "\"'"}
"""A quote within a string, by the one that opens it."""

_ESCAPED_BLANK: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\[nrt]")
"""The escape of a line break or a tab, after the backslashes before it."""

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
            if lacking:
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
def doubt_of_reading(
    text: str, tokens: list[Token], edits: list[Edit], value: Any, schema: SchemaView
) -> str:
    """Return why a reading by tokens, with their edits and value, is in doubt; "" if it is not."""
    if any(edit.what == "\\" for edit in edits) and _backslashes_are_doubtful(text, tokens):
        return Doubt.BACKSLASHES_KEPT
    brackets = bracket_edits(edits)
    missing = {edit.what for edit in edits if edit.action == "inserted"}
    if (
        _are_scattered(brackets)
        or _closer_may_be_early(text, edits)
        or (brackets and not missing.isdisjoint(",:") and _opener_may_be_wrong(text, tokens))
    ):
        return Doubt.SCATTERED_BRACKETS
    if brackets and _bracket_may_be_quoted(text, tokens, brackets):
        return Doubt.LOST_QUOTE
    if "," in missing and _commas_may_be_in_strings(tokens):
        return Doubt.LOST_QUOTE
    return _doubt_of_quotes(text, tokens, value, schema) if any(map(_keeps_quote, edits)) else ""


def _keeps_quote(edit: Edit) -> bool:
    """Return whether an edit keeps a quote in a string."""
    return edit.action == "kept" and edit.what != "\\"


def _are_scattered(edits: list[Edit]) -> bool:
    """Return whether bracket edits of different kinds are in several places.

    Two adjacent closers are one place: they may have been swapped. Missing braces are of one kind:
    an opener and its closer may be missing.
    """
    if not edits or edits[-1].at - edits[0].at <= _ADJACENT:
        return False
    return len({(edit.action, edit.what[0] in _BRACES) for edit in edits}) > 1


def _closer_may_be_early(text: str, edits: list[Edit]) -> bool:
    """Return whether a closer may be superfluous before a key, and not at the end.

    A comma is missing after it.
    """
    if not edits or edits[-1].what != EXTRA_CLOSERS:
        return False
    extra = text[edits[-1].at :]
    return any(
        edit[:2] == ("inserted", ",")
        and text[edit.at] not in _CLOSERS
        and (closer := text[max(0, edit.at - 40) : edit.at].rstrip()[-1:]) in _OPENERS
        and closer in extra
        for edit in edits
    )


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


def _edited_strings(text: str, tokens: list[Token]) -> Iterator[tuple[str, Edit]]:
    """Yield each edit between tokens, and the text before it up to its last quote."""
    string = None
    for token in tokens:
        start, end, _, edit = token
        if start < end:
            string = token
        elif edit is not None and string is not None and string.json[-1:] == '"':
            yield text[string.start : string.end - 1], edit


def _bracket_may_be_quoted(text: str, tokens: list[Token], brackets: list[Edit]) -> bool:
    """Return whether a bracket may have changed places with the quote next to it, or be meant."""
    known = {*brackets}
    for at, (_, _, _, edit) in enumerate(tokens):
        if edit is None:
            continue
        if edit.action == "inserted" and edit.what in _STRAIGHT_QUOTES:
            around = text[max(edit.at - 1, tokens[0].end) : edit.at + 1]
            if not _BRACKETS.isdisjoint(around):
                return True
        elif edit in known:
            if edit.what in _OPENERS:
                string = _last_string(_next_json(tokens, at, -1, _CLOSED))
                if string.endswith(edit.what) and _lacks_partner(string):
                    return True
            string = _next_json(tokens, at, 1, _SEPARATORS)
            if string[:2] in _OPENED and _lacks_partner(string):
                return True
    return False


def _next_json(tokens: list[Token], at: int, step: int, passed: frozenset[str]) -> str:
    """Return the JSON of the next token, in steps, that is none of those to pass; or ""."""
    end = len(tokens) if step > 0 else -1
    while (at := at + step) != end:
        if tokens[at].json not in passed:
            return tokens[at].json
    return ""


def _last_string(json: str) -> str:
    r"""Return the string before the last closers of JSON, without quotes; "" if there is none.

    >>> _last_string(r'"a": ["{\"k\": 1}"]'), _last_string('"a": 1')
    ('{\\"k\\": 1}', '')
    """
    before = json.rstrip("}]) \t\r\n")
    if before[-1:] != '"':
        return ""
    start = before.rfind('"', 0, -1)
    while start > 0 and before[start - 1] == "\\":
        start = before.rfind('"', 0, start)
    return before[start + 1 : -1]


def _commas_may_be_in_strings(tokens: list[Token]) -> bool:
    """Return whether missing commas may have changed places with the quotes before them.

    Not if most of them are missing after other values.
    """
    missing = swapped = 0
    before = ""
    for token in tokens:
        if token.edit is not None and token.edit[:2] == ("inserted", ","):
            missing += 1
            swapped += _COMMA_AT_END.search(before, len(before) - 40) is not None
        before = token.json or before
    return swapped > 0 and 2 * swapped >= missing


def _lacks_partner(string: str) -> bool:
    """Return whether a string opens and closes brackets of some kind differently often."""
    return any(string.count(one) != string.count(other) for one, other in _OPENERS.items())


def _backslashes_are_doubtful(text: str, tokens: list[Token]) -> bool:
    """Return whether an escape may be literal, since other strings have literal backslashes."""
    return any(
        _DOUBTFUL_ESCAPE.match(string[0])
        for token in tokens
        if token.json
        for string in _STRING.finditer(text, token.start, token.end)
    )


def _doubt_of_quotes(text: str, tokens: list[Token], value: Any, schema: SchemaView) -> str:
    """Return why a reading that keeps quotes is in doubt; "" if it is not.

    A string may hold a missing member, its name alone, another item of an array, or another string.
    A quote after two backslashes, which are one, may be escaped once too often.
    Two adjacent empty items `"", ""` may be one string, too.
    """
    missing: set[str] = set()
    for container, its_schema in _containers(value, schema):
        if isinstance(container, dict):
            missing |= its_schema.names() - container.keys()
        elif ("", "") in pairwise(container):
            return Doubt.LOST_QUOTE
        else:
            missing |= its_schema.item().names()
    edited = [*_edited_strings(text, tokens)]
    if any(_keeps_quote(edit) and text[edit.at - 1] == "\\" for _, edit in edited):
        return Doubt.ESCAPED_TWICE
    strings = {string for string, edit in edited if _keeps_quote(edit)}
    if any(_begins_word(text, edit) and string in strings for string, edit in edited):
        return Doubt.LOST_QUOTE
    if any(_holds_string(string) or _holds_member(string, missing) for string in strings):
        return Doubt.LOST_QUOTE
    names = {name for string in strings for name in _NAME_ALONE.findall(string)} & missing
    if names:
        return Doubt.NAME_ALONE.format(quoted(min(names)))
    return Doubt.LOST_QUOTE if any(map(_is_torn, strings)) else ""


def _is_torn(string: str) -> bool:
    """Return whether the quotes that a string keeps seem to separate several strings.

    They do if each first one of two closes something, and nothing but marks is before the next one,
    or that one opens something; or if one is before nothing but a copy of what is before it. The
    last quote is left out.

    >>> [_is_torn(string) for string in ('"a", "b', '"a", [b]: "c', '"Rome"me', '"a" ')]
    [True, True, True, True]
    >>> [_is_torn(string) for string in ('"say "a", "b"', '"x.split(",")', '"5" disc', "'boss's")]
    [False, False, False, False]
    """
    quote = _KEPT_QUOTE.get(string[0])
    if quote is None:
        return False
    string = _ESCAPED_BLANK.sub(r"\1 ", string)
    parts = quote.split(string[1:])
    triples = [*zip(parts[:-2:2], parts[1:-1:2], parts[2::2], strict=False)]
    if triples and all(
        _closes(one, between)
        and (not _without_marks(between) or (_opens(between, other) and not _is_inch(one, between)))
        for one, between, other in triples
    ):
        return True
    before, copy = string[1 : -1 - len(parts[-1])], _without_marks(parts[-1])
    if len(parts) % 2 or not parts[-1] or (string[0] == "'" and copy == "s"):  # `'Texas's'`
        return False
    return before.endswith(copy) or copy.startswith(before)


def _closes(before: str, after: str) -> bool:
    """Return whether a quote between two texts does not seem to open anything."""
    return before != "" and (before[-1] not in BEFORE_QUOTE or after[:1].isspace())


def _is_inch(before: str, after: str) -> bool:
    """Return whether a quote between two texts means inches: no mark is after the number."""
    return INCHES.search(f'"{before}') is not None and after[0] not in ",;"


def _opens(before: str, after: str) -> bool:
    """Return whether a quote between two texts seems to open something."""
    return before[-1] in BEFORE_QUOTE and after[:1].strip() != ""


def _without_marks(text: str) -> str:
    return text.strip(" \t\r\n,;:")


def _begins_word(text: str, edit: Edit) -> bool:
    """Return whether a comma is missing between a quote and a word: `"x"b": 1`."""
    return edit[:2] == ("inserted", ",") and text[edit.at - 1] in _STRAIGHT_QUOTES


def _containers(value: Any, schema: SchemaView) -> Iterator[tuple[Any, SchemaView]]:
    """Yield the containers in a value, each with its schema."""
    if isinstance(value, dict):
        yield value, schema
        for name, member in value.items():
            if type(member) is dict or type(member) is list:
                yield from _containers(member, schema.member(name))
    elif isinstance(value, list):
        yield value, schema
        for member in value:
            if type(member) is dict or type(member) is list:
                yield from _containers(member, schema.item())


def _holds_string(string: str) -> bool:
    """Return whether a string may be two strings that Python joins."""
    opener = string[0]
    found = _STRING_AFTER_QUOTE.finditer(string, 1)
    return any(each[1] == opener and _may_close(string, each.start()) for each in found)


def _holds_member(string: str, names: set[str]) -> bool:
    """Return whether a string may end before a member with one of some names."""
    for found in _MEMBER_AFTER_QUOTE.finditer(string, 1):
        at = found.start()
        if not names.isdisjoint(found.groups()) and (string[at] in ",;" or _may_close(string, at)):
            return True
    return False


def _may_close(string: str, at: int) -> bool:
    """Return whether a quote may close a string: the quotes before it are pairs."""
    return string.count(string[at], 1, at) % 2 == 0


_EMPTY_ITEMS: Final = re.compile(
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
