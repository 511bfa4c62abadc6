"""The law of conservation: the tokens of a reading account for every character of its text.

This oracle is independent: it knows neither the grammar nor its costs, only valid tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from schema2model.text.repair.edits import Token

_BLANKS = re.compile(
    r"(?:[\s\ufeff\u200b\u2060\u180e]|\\[nrt]|//[^\n]*|/\*.*?\*/|#[^\n]*|<!--.*?-->)*", re.DOTALL
)
_MARKS = re.compile(r"[\s{}\[\](),:;=>+\"'`<|\u201c\u201d\u2018\u2019\uff0c\uff1a\uff1b\uff02]")
_LEAF = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9eE]*|true|false|null', re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|[0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9]+)?)")
_WORDS = {"true": ("true", "True"), "false": ("false", "False"), "null": ("null", "None")}
_PREFIXES = re.compile(r"dict\(|[rRuU](?=[\"'])")


class LostError(AssertionError):
    """A part of the text is not accounted for, or a part of the value is invented."""


def replay(text: str, tokens: list[Token]) -> None:
    """Raise LostError unless the tokens cover the text in order, each with the JSON of its span."""
    at = 0
    for parse_number, token in enumerate(tokens):
        outside = not token.json and parse_number in {0, len(tokens) - 1}
        if parse_number and token.start > at and not _BLANKS.fullmatch(text, at, token.start):
            raise LostError(text[at : token.start])
        if token.end > token.start:
            if token.start < at:
                raise LostError(text[token.start : at])
            prefix = _PREFIXES.match(text, token.start)  # may be a token of its own
            if not outside and (token.json or prefix is None or prefix.end() != token.end):
                _account(text[token.start : token.end], token.json)
        elif _LEAF.search(token.json):
            raise LostError(token.json)  # nothing but punctuation is inserted
        at = max(at, token.end)
    if text[at:].strip():
        raise LostError(text[at:])


def _account(part: str, spelled: str) -> None:
    """Raise LostError unless a part of the text spells the leaves of its JSON, and no more."""
    offsets = {0}
    for leaf in _LEAF.findall(spelled):
        starts = _after_punctuation(part, offsets)
        offsets = {end for start in starts for end in _spelled(part, start, leaf)}
        if not offsets:
            message = f"{leaf} is not in {part!r}"
            raise LostError(message)
    if len(part) not in _after_punctuation(part, offsets):
        raise LostError(part)


def _after_punctuation(part: str, offsets: set[int]) -> set[int]:
    """Return the offsets that only blanks, comments and marks separate from given ones."""
    found = set(offsets)
    queue = list(offsets)
    for at in queue:  # which grows on the way
        ends = [at + 1] if _MARKS.match(part, at) else []
        ends += [match.end() for find in (_BLANKS, _PREFIXES) if (match := find.match(part, at))]
        new = [end for end in ends if end not in found]
        found.update(new)
        queue += new
    return found


def _spelled(part: str, at: int, leaf: str) -> Iterator[int]:
    """Yield the end of a leaf at an offset, if the part spells it there."""
    if leaf[0] == '"':
        value = json.loads(leaf, strict=False)
        if (end := _end(part, at, value)) >= 0:
            yield end
        if part.startswith(value, at):  # a raw string, or one that keeps its backslashes
            yield at + len(value)
    elif leaf in _WORDS:
        yield from (at + len(word) for word in _WORDS[leaf] if part.startswith(word, at))
    else:
        parse_number = _NUMBER.match(part, at)
        if parse_number and _same_number(parse_number[0], leaf):
            yield parse_number.end()


def _end(part: str, at: int, value: str) -> int:
    """Return the end of a string at an offset; -1 if the part does not spell it there."""
    for char in value:
        while part.startswith(("\\\n", "\\\r"), at):  # it continues in the next line
            at += 2
        escape = _ESCAPE.match(part, at)
        if escape and _decoded(escape[0]) == char:
            at = escape.end()
        elif part[at : at + 1] == char:
            at += 1
        else:
            return -1
    return at


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|U........|x..|N\{[^}]*\}|.)", re.DOTALL
)
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def _decoded(escape: str) -> str | None:
    if escape[1] not in "uUxN":
        return _SIMPLE.get(escape[1], escape[1])
    try:
        text = escape.encode("ascii").decode("unicode_escape")
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    except ValueError:
        return None


def _same_number(spelled: str, leaf: str) -> bool:
    bare = spelled.replace("_", "").lstrip("+")
    try:
        value = int(bare, 16) if "x" in bare.lower() else float(bare)
    except ValueError:
        return False
    return value in {json.loads(leaf), float(leaf)}
