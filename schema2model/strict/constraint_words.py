"""Constraints in words, for descriptions where a provider cannot enforce them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from schema2model.json.quoting import quoted

__all__ = ["constraint_words", "join_notes", "shortened_json"]

_PHRASES: Final[Mapping[str, str]] = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "number of properties at least {}",
    "maxProperties": "number of properties at most {}",
    "pattern": "matches the regular expression {}",
    "format": "format {}",
    "not": "not {}",
    "contains": "contains an item like {}",
    "propertyNames": "names like {}",
    "enum": "one of {}",
}
_PLURAL: Final = re.compile(r"(?<=1 )(character|item)s$")
_MAX_WORDS: Final = 400
"""Maximum characters of the JSON of a constraint in a description."""


def constraint_words(schema: Mapping[str, Any], keywords: Iterable[str]) -> list[str]:
    """Return phrases for some keywords of a schema.

    >>> constraint_words({"minimum": 1, "uniqueItems": True}, ["minimum", "uniqueItems"])
    ['at least 1', 'no duplicates']
    """
    words = []
    for keyword in keywords:
        value = schema[keyword]
        if keyword == "uniqueItems":
            words += ["no duplicates"] if value is True else []
        elif keyword == "oneOf":
            words.append("exactly one of the alternatives")
        elif keyword in {"anyOf", "if", "then", "else"}:
            group = {name: schema[name] for name in ("if", "then", "else") if name in schema}
            said = {"anyOf": value} if keyword == "anyOf" else group
            words.append(f"valid under {shortened_json(said)}")
        elif keyword in _PHRASES:
            is_text = keyword in {"pattern", "format"} and isinstance(value, str)
            phrase = _PHRASES[keyword].format(value if is_text else shortened_json(value))
            words.append(_PLURAL.sub(r"\1", phrase) if value == 1 else phrase)
        else:
            words.append(f"valid under {shortened_json({keyword: value})}")
    return list(dict.fromkeys(words))


def shortened_json(value: Any) -> str:
    """Return the JSON of a value, cut where it would fill a description.

    >>> shortened_json({"const": "é"})
    '{"const": "é"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except ValueError:  # an integer of more digits than Python writes
        return quoted(value)
    return text if len(text) <= _MAX_WORDS else text[: _MAX_WORDS - 1] + "…"


def join_notes(note: str, words: str) -> str:
    """Return a description with further words.

    >>> join_notes("How many", "At least 1.")
    'How many. At least 1.'
    """
    if not note or not words:
        return note or words
    stop = "" if note.rstrip()[-1:] in {".", "!", "?", ":", ";"} else "."
    return f"{note.rstrip()}{stop} {words}"
