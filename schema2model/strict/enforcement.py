"""The keywords that a provider enforces, and those that it does not.

The account lists the treatment of each keyword for a developer; phrases in descriptions list, for
a model, the constraints that are only checked when its call is decoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from schema2model.json.quoting import printable, quoted
from schema2model.schema.nodes import Node, Place

__all__ = [
    "STATUS_MEANINGS",
    "AccountEntry",
    "AccountStatus",
    "Ledger",
    "constraint_words",
    "join_notes",
    "shortened_json",
]

AccountStatus = Literal["enforced", "checked", "encoded", "given up"]

STATUS_MEANINGS: Final[dict[AccountStatus, str]] = {
    "enforced": "the provider allows nothing else",
    "checked": "the schema as given is checked when the call is decoded",
    "encoded": "written in another way, and read back",
    "given up": "the projection cannot express it",
}
"""The meaning of each status."""


@dataclass(frozen=True, slots=True)
class AccountEntry:
    """The treatment of keywords at one subschema.

    `pointer` is the JSON Pointer of the subschema, `status` one of `STATUS_MEANINGS`, and
    `keywords` the keywords in question. `words` explain it to a person where the status does not.

    >>> print(AccountEntry("/properties/limit", "checked", ("minimum",), ""))
    /properties/limit: checked: minimum
    """

    pointer: str
    status: AccountStatus
    keywords: tuple[str, ...]
    words: str

    def __str__(self) -> str:
        subject = ", ".join(self.keywords)
        words = f" ({self.words})" if self.words and subject else self.words
        return printable(f"{self.pointer or 'the root'}: {self.status}: {subject}{words}")


class Ledger:
    """Collects entries during a build, each once."""

    def __init__(self) -> None:
        self._keywords: dict[Place, dict[tuple[AccountStatus, str], dict[str, None]]] = {}

    def keep_order(self, nodes: Iterable[Node]) -> None:
        """Fix the order of the account: that in which the build reaches subschemas."""
        for node in nodes:
            self._keywords.setdefault(node.place, {})

    def add(self, node: Node, status: AccountStatus, *keywords: str, words: str = "") -> None:
        """Record what becomes of keywords of a subschema."""
        entries = self._keywords.setdefault(node.place, {})
        entries.setdefault((status, words), {}).update(dict.fromkeys(keywords))

    def entries(self) -> tuple[AccountEntry, ...]:
        """Return all entries, in the order in which their subschemas were met."""
        return tuple(
            AccountEntry(place.pointer, status, tuple(keywords), words)
            for place, entries in self._keywords.items()
            for (status, words), keywords in sorted(
                entries.items(), key=lambda item: [*STATUS_MEANINGS].index(item[0][0])
            )
        )


# ----------------------------------------------------------------------------- constraints in words

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
            shown = {"anyOf": value} if keyword == "anyOf" else group
            words.append(f"valid under {shortened_json(shown)}")
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
