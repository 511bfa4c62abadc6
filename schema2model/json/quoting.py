"""Values in messages, abridged and on one line: as JSON text, or as Python writes them."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Sequence
from typing import Any

from schema2model.limits import MAX_DIGITS, MAX_QUOTED
from schema2model.regexes import regex

__all__ = [
    "MAX_EXAMPLE",
    "MAX_NAMED",
    "abridged_repr",
    "counted",
    "example_text",
    "list_names",
    "printable",
    "quoted",
]

MAX_EXAMPLE = 200
"""Maximum characters of an example in a message; a longer one is omitted."""

MAX_NAMED = 5
"""Maximum names that a message lists; the rest are counted."""


_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_JOINER = regex(f"(?<=[\ufe0f{_EMOJI}])\u200d(?=[{_EMOJI}])")
_REPR = reprlib.Repr()
_REPR.maxlevel = 2
_REPR.maxstring = _REPR.maxother = MAX_QUOTED


def abridged_repr(value: object) -> str:
    """Return an object of a developer as Python writes it, abridged, for messages to developers.

    >>> abridged_repr("lenint"), abridged_repr([[[["x"]]]])
    ("'lenint'", '[[...]]')
    """
    try:
        return _REPR.repr(value)
    except Exception:  # noqa: BLE001 - of the object, which may be anything
        return f"an object of type {type(value).__name__}"


_WRITER = json.JSONEncoder(ensure_ascii=False, default=abridged_repr)


def quoted(value: Any) -> str:
    """Return the JSON text of a value on one line, at most `MAX_QUOTED` characters of it.

    >>> quoted("x" * 100)
    '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    try:
        text = _WRITER.encode(_quotable_part(value))
    except ValueError:  # an integer of more digits than Python writes
        text = f"an integer of more than {MAX_DIGITS} digits"
    if not text.isascii():  # half a surrogate pair is shown as a question mark
        text = text.encode("utf-8", "replace").decode()
    text = printable(text)
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "tool"), counted(1200, "token")
    ('1 tool', '1,200 tokens')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def list_names(names: Sequence[Any], most: int = MAX_NAMED) -> str:
    """Return the first names or other values, quoted, and the number of the others.

    >>> list_names(["a", "b", "c"], 2)
    '"a", "b" and 1 more'
    """
    listed = ", ".join(map(quoted, names[:most]))
    return listed if len(names) <= most else f"{listed} and {len(names) - most:,} more"


def example_text(value: Any, limit: int = MAX_EXAMPLE) -> str | None:
    r"""Return the JSON text of an example; None if it is too long for a message, or not JSON.

    It is in ASCII if it has characters that steer a terminal, break a line or cannot be encoded.

    >>> print(example_text(["é"]), example_text("a\u202e"), example_text("x" * 300))
    ["é"] "a\u202e" None
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return None
    text = text if text.isprintable() else json.dumps(value)
    return text if len(text) <= limit else None


def printable(text: str, *, keep: str = "") -> str:
    r"""Escape the characters that steer a terminal, break a line or are invisible.

    A joiner between two emoji is visible. `keep` lists characters that are not escaped: line feed
    and tab in text of several lines.

    >>> printable("a\x1b[2J\u2028é\n"), printable("a\n\u202e", keep="\n\t")
    ('a\\u001b[2J\\u2028é\\n', 'a\n\\u202e')
    """
    if text.isprintable():
        return text
    joiners = {found.start() for found in _JOINER.finditer(text)}
    return "".join(
        [
            each if each.isprintable() or each in keep or index in joiners else _escaped(each)
            for index, each in enumerate(text)
        ]
    )


def _escaped(character: str) -> str:
    escape = json.dumps(character)[1:-1]
    return escape if len(escape) > 1 else f"\\u{ord(character):04x}"


def _quotable_part(value: Any) -> Any:
    """Enough of a value to fill a quotation, so that quoting costs little on a large one."""
    if isinstance(value, str):
        return value[: MAX_QUOTED + 1]
    if isinstance(value, list):
        return [_brief(item) for item in value[:MAX_QUOTED]]
    if isinstance(value, dict):
        members = list(value.items())[:MAX_QUOTED]
        return {str(key)[:MAX_QUOTED]: _brief(item) for key, item in members}
    return value


def _brief(value: Any) -> Any:
    """Return a member of a quoted container; containers two levels down are only hinted at."""
    if isinstance(value, str):
        return value[:MAX_QUOTED]
    if isinstance(value, (list, dict)) and len(value) > MAX_QUOTED:
        return "…"
    if isinstance(value, list):
        return ["…" if isinstance(item, (list, dict)) else item for item in value]
    if isinstance(value, dict):
        return {k: "…" if isinstance(v, (list, dict)) else v for k, v in value.items()}
    return value
