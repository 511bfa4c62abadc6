"""Spans of the members of a JSON text, so that an edit keeps the spelling of all others.

Parsers lose how a text spells a number: `1.10` becomes 1.1. An edited message is therefore put
together from the spans of its text, and only what has changed is written anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

from schema2model.json.canonical import canonical_json
from schema2model.regexes import regex

__all__ = [
    "SpelledText",
    "as_spelled",
    "is_unclosed",
    "item_spans",
    "keeps_own_spelling",
    "member_spans",
    "members_from",
    "respelled",
]

_OWN_SPELLING: Final = regex(r"[0-9.](?:[eE][-+0-9]|(?<=\.)[0-9]+0(?![0-9])|[0-9.]{16})")
"""A number that Python may spell otherwise."""
_STRING: Final = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKEN: Final = regex(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
"""A string, in which brackets do not count, or a bracket."""
_SCALAR: Final = regex(rf"{_STRING}|[^\s\[\]{{}},:\"]+", re.DOTALL)
_KEY: Final = regex(rf"[\s,]*({_STRING})\s*:\s*", re.DOTALL)
_BLANK: Final = regex(r"[\s,]*")
_STRINGS: Final = json.JSONDecoder(strict=False)


def member_spans(text: str, start: int = 0) -> dict[str, tuple[int, int]]:
    """Return the spans of the values in the object at `start`; of equal names the last.

    Depth costs nothing: brackets are counted, and nothing is parsed.

    Raises:
        ValueError: if no object begins there, or the text ends within it.

    >>> member_spans('{"id": 1.10, "params": {"id": 2}}')
    {'id': (7, 11), 'params': (23, 32)}

    """
    return {name: (begin, end) for name, begin, end in members_from(text, start)}


def members_from(text: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each member and the span of its value, as far as the text goes.

    Raises:
        ValueError: where the text ends before the object does.

    """
    at = _opened(text, start, "{")
    while key := _KEY.match(text, at):
        end = _value_end(text, key.end())
        spelled = key[1]
        name = _STRINGS.decode(spelled) if "\\" in spelled else spelled[1:-1]
        yield name, key.end(), end
        at = end
    _require(text, at, "}")


def item_spans(text: str, start: int = 0) -> list[tuple[int, int]]:
    """Return the spans of the items in the array that begins at `start`.

    Raises:
        ValueError: if no array begins there, or the text ends within it.

    >>> item_spans("[1.10, [2]]")
    [(1, 5), (7, 10)]

    """
    found = []
    at = _past_blank(text, _opened(text, start, "["))
    while text[at : at + 1] not in {"]", ""}:
        end = _value_end(text, at)
        found.append((at, end))
        at = _past_blank(text, end)
    _require(text, at, "]")
    return found


def keeps_own_spelling(text: str) -> bool:
    """Return whether a text may have a number that Python spells otherwise.

    >>> [keeps_own_spelling(text) for text in ('{"version": 3.10}', '{"version": 3.1}')]
    [True, False]
    """
    return _OWN_SPELLING.search(text) is not None


def as_spelled(value: Any, text: str, path: Iterable[str | int] = ()) -> Any:
    """Return the text of a value, if it has a number that Python spells otherwise; or the value.

    Args:
        value: a value in a JSON text. Only the numbers in objects and arrays may be for strings.
        text: that text; an empty one if it is not known.
        path: the keys and indices that lead to the value; it may lead nowhere in the text.

    >>> text = '{"params": {"version": 3.10, "page": 1}}'
    >>> as_spelled({"version": 3.1, "page": 1}, text, ["params"])
    '{"version": 3.10, "page": 1}'
    >>> as_spelled({"page": 1}, '{"page": 1}')
    {'page': 1}

    """
    return SpelledText(text).part(value, path)


class SpelledText:
    """A JSON text with several values that may be needed as they are spelled.

    The spans of each container are found once, however many of its members are needed.
    """

    def __init__(self, text: str) -> None:
        self._given = text
        self._spans: dict[tuple[int, type], Any] = {}

    @cached_property
    def _text(self) -> str:
        return self._given if keeps_own_spelling(self._given) else ""

    def part(self, value: Any, path: Iterable[str | int]) -> Any:
        """Return `as_spelled` of the value at a path."""
        if type(value) not in {dict, list} or not self._text:
            return value
        start, end = 0, len(self._text)
        with suppress(ValueError, LookupError):
            for token in path:
                container = start, type(token)
                if container not in self._spans:
                    find: Any = member_spans if isinstance(token, str) else item_spans
                    self._spans[container] = find(self._text, start)
                start, end = self._spans[container][token]
            if keeps_own_spelling(spelled := self._text[start:end]):
                return spelled
        return value


def respelled(text: str, given: Any, result: Any) -> str:
    """Return the JSON text of `result`, with every part of `given`'s spelled as in `text`.

    Args:
        text: the JSON text of `given`.
        given: what a parser made of the text.
        result: shares parts with `given`, or has scalars that are equal to those in the same place.

    Raises:
        NotJSONError: if a new part has no JSON text.

    >>> given = {"price": 1.1, "count": "2"}
    >>> respelled('{"price": 1.10, "count": "2"}', given, {**given, "count": 2})
    '{"price":1.10,"count":2}'

    """
    if given is result:
        return text.strip()
    if type(given) is dict and type(result) is dict:
        spans = member_spans(text)
        members = []
        for name, value in result.items():
            key = canonical_json(name, lone_surrogates=True)
            start, end = spans.get(name, (0, 0))
            spelled = respelled(text[start:end], given[name], value) if end else _written(value)
            members.append(f"{key}:{spelled}")
        return f"{{{','.join(members)}}}"
    if type(given) is list and type(result) is list and len(given) == len(result):
        pairs = zip(item_spans(text), given, result, strict=True)
        items = [respelled(text[start:end], old, new) for (start, end), old, new in pairs]
        return f"[{','.join(items)}]"
    if type(given) is type(result) and type(given) not in {dict, list} and given == result:
        return text.strip()
    return _written(result)


def _written(value: Any) -> str:
    return canonical_json(value, lone_surrogates=True)


def _opened(text: str, start: int, bracket: str) -> int:
    at = _past_blank(text, start)
    _require(text, at, bracket)
    return at + 1


def _require(text: str, at: int, character: str) -> None:
    at = _past_blank(text, at)
    if text[at : at + 1] != character:
        message = f"expected {character} at {at}"
        raise ValueError(message)


def _past_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return at if blank is None else blank.end()


def _value_end(text: str, at: int) -> int:
    """Return the end of the value that begins at `at`."""
    if text[at : at + 1] not in {"{", "["}:
        scalar = _SCALAR.match(text, at)
        if scalar is None:
            message = f"expected a value at {at}"
            raise ValueError(message)
        return scalar.end()
    depth = 0  # of brackets of both kinds: the text is JSON, so that they match
    for token in _TOKEN.finditer(text, at):
        character = text[token.start()]
        if character != '"':
            depth += 1 if character in "{[" else -1
            if not depth:
                return token.end()
    message = f"the value at {at} has no end"
    raise ValueError(message)


def is_unclosed(text: str | bytes | bytearray) -> bool:
    """Return whether brackets are missing in a text in UTF-8: more open than close, or fewer.

    It is asked of a long text before it is parsed, as no repair of it follows. Where the brackets
    of all of it are as many, nothing else is counted.

    >>> is_unclosed('[{"a": "}"}'), is_unclosed('[{"a": "["}]')
    (True, False)
    """
    whole = text.encode(errors="replace") if isinstance(text, str) else bytes(text)
    if _is_closed(whole):
        return False
    bare = whole.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NEITHER)
    outside = b"".join(bare.replace(b'""', b"").split(b'"')[::2])
    return not _is_closed(outside)


def _is_closed(text: bytes) -> bool:
    return text.count(b"[") == text.count(b"]") and text.count(b"{") == text.count(b"}")


_NEITHER: Final = bytes({*range(256)} - {*b'[]{}"'})
"""All bytes but quotes and brackets."""
