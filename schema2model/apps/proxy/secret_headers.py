"""The user's secret headers, and redaction of their values in texts of servers.

A server may repeat a value in its errors: within a text, in another case, encoded, truncated. Every
part of a value is therefore removed from texts of servers. Messages of libraries may quote servers
and are not shown at all (`faults`).
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

__all__ = ["Header", "hidden"]

MIN_SECRET = 4
"""Minimum characters of a secret value; shorter ones occur in texts by accident."""

MAX_PART = 6
"""Minimum characters of a part of a secret that is redacted; of a short secret, half of it."""

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_OWN: Final = frozenset(
    {
        "accept",
        "connection",
        "content-length",
        "content-type",
        "transfer-encoding",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
    }
)
"""Names of headers that HTTP or MCP fill in."""

_SCHEME: Final = re.compile(
    "(?i:basic|bearer|concealed|digest|dpop|gnap|hoba|mutual|negotiate|oauth|privatetoken"
    "|scram-sha-1|scram-sha-256|vapid|token|api-?key) +"
)
"""Schemes of `Authorization` (IANA's registry and practice), which are not secret."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header for every request to a server; its value is in no representation."""

    name: str
    value: str = field(repr=False)

    @classmethod
    def read(cls, line: str) -> Header:
        """Return the header that a line is.

        Raises:
            ValueError: if it is none; the message has nothing of the line but a name that is known.

        >>> Header.read("Authorization: Bearer secret")
        Header(name='Authorization')

        """
        name, colon, value = line.partition(":")
        value = value.strip(" \t")
        if not colon:
            reason = "a header has a colon between its name and its value"
        elif not _NAME.fullmatch(name):
            reason = "the text before the colon is not the name of a header"
        elif name.lower() in _OWN:
            reason = f"the header {name.lower()} is the protocol's own"
        elif not value:
            reason = "the header has no value"
        elif _CONTROL.search(value):
            reason = "the header's value has control characters"
        elif max(value) > "\xff":
            reason = "the header's value has characters beyond Latin-1"
        else:
            return cls(name, value)
        raise ValueError(reason)


# -------------------------------------------------------------------------------- texts of a server
def hidden(text: str, headers: Iterable[Header]) -> str:
    """Return a text of a server's without the values of headers, which it may repeat.

    Parts of a value are hidden too, in any case, in the usual encodings, backwards, and with
    punctuation or blanks between its letters.

    >>> hidden("no such key: S3CR-3T, czNjcjN0", [Header("Authorization", "Bearer s3cr3t")])
    'no such key: …, …'
    """
    marks = bytearray(len(text))
    for counts in (_any, str.isalnum):
        for size, parts in _parts(frozenset(headers), counts).items():
            _mark(text, size, parts, counts, marks)
    for scheme in _SCHEME.finditer(text):
        if marks[scheme.end() : scheme.end() + 1] == b"\1":
            marks[scheme.start() : scheme.end()] = b"\1" * len(scheme[0])
    return "".join("…" if marked else text[start:stop] for start, stop, marked in _runs(marks))


def _any(character: str) -> bool:
    return bool(character)


@functools.lru_cache(8)
def _parts(headers: frozenset[Header], counts: Callable[[str], bool]) -> dict[int, frozenset[str]]:
    """Return the parts of values, of all that count of their characters, by the size of a part."""
    parts: dict[int, set[str]] = {}
    for form in {_letters(form, counts) for header in headers for form in _forms(header.value)}:
        if len(form) >= MIN_SECRET:
            size = max(MIN_SECRET, min(MAX_PART, len(form) // 2))
            starts = range(len(form) - size + 1)
            parts.setdefault(size, set()).update(form[start : start + size] for start in starts)
    return {size: frozenset(found) for size, found in parts.items()}


def _letters(text: str, counts: Callable[[str], bool]) -> str:
    """Return the characters of a text that count, in lower case; as many as before."""
    return "".join(_lower(character) for character in text if counts(character))


def _lower(character: str) -> str:
    # a few letters become two in lower case, and all positions after them would shift
    lower = character.lower()
    return lower if len(lower) == 1 else character


def _mark(
    text: str, size: int, parts: AbstractSet[str], counts: Callable[[str], bool], marks: bytearray
) -> None:
    """Mark the characters of a text that belong to one of the parts."""
    places = [place for place, character in enumerate(text) if counts(character)]
    letters = _letters(text, counts)
    for start in range(len(letters) - size + 1):
        if letters[start : start + size] in parts:
            first, last = places[start], places[start + size - 1] + 1
            marks[first:last] = b"\1" * (last - first)


def _runs(marks: bytearray) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of marked and of unmarked characters."""
    start = 0
    for stop in range(1, len(marks) + 1):
        if stop == len(marks) or marks[stop] != marks[start]:
            yield start, stop, bool(marks[start])
            start = stop


def _forms(value: str) -> Iterator[str]:
    """Yield the spellings of a header's value."""
    for secret in _secrets(value):
        yield from (secret, secret[::-1], repr(secret)[1:-1], json.dumps(secret)[1:-1])
        yield from (quote(secret, safe="", encoding=encoding) for encoding in ("utf-8", "latin-1"))
        for content in {secret.encode(), secret.encode("latin-1", "replace")}:
            yield from (content.decode("latin-1"), repr(content)[2:-1])
            yield from ("".join(f"{way}{byte:02x}" for byte in content) for way in ("", "x", "u00"))
            yield "".join(map(str, content))
            for before in range(3):  # bytes before it shift what it is encoded to
                first, last = -(-before * 4 // 3), (before + len(content)) * 4 // 3
                encoded = base64.b64encode(bytes(before) + content)[first:last].decode()
                yield from (encoded, encoded.replace("+", "-").replace("/", "_"))


def _secrets(value: str) -> Iterator[str]:
    """Yield the secret parts of a header's value: all but its scheme, and what `Basic` encodes."""
    scheme = _SCHEME.match(value)
    secret = value[scheme.end() :] if scheme else value
    if len(secret) >= MIN_SECRET:
        yield secret
    if scheme and scheme[0].strip().lower() == "basic":
        try:
            credentials = base64.b64decode(secret, validate=True).decode("latin-1")
        except binascii.Error:
            return
        yield from (each for each in credentials.partition(":") if len(each) >= MIN_SECRET)
