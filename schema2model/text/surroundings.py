"""Exact JSON in a code fence, or with prose around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

from schema2model.text.exact import (
    BLANK,
    LAX,
    NOT_JSON,
    NOTHING,
    TOO_DEEP,
    TWO_CALLS,
    TextError,
    check_depth,
    parsed,
)
from schema2model.text.outside import (
    ASIDE,
    SECOND,
    behind,
    fences,
    is_prose,
    names_a_part,
    names_another,
)
from schema2model.text.places import TextPlace
from schema2model.text.readings import TextReading
from schema2model.values import MAX_DEPTH

__all__ = ["amid_prose", "in_fence", "refuse_part", "sole_fence"]

MAX_VALUES: Final = 100
"""So many places are tried in text that may have values in it."""
_OPENER: Final = re.compile(r"[{\[]")
_WORD: Final = re.compile(r"\w")


def in_fence(text: str) -> Iterator[TextReading]:
    """The value in a code fence, if there is no other value outside."""
    for start, end in fences(text):
        content = text[start:end].lstrip(BLANK)
        start = end - len(content)  # noqa: PLW2901
        content = content.rstrip(BLANK)
        value = parsed(content, LAX)
        if value is not NOTHING:
            if not any(_holds_value(part) for part in (text[:start], text[end:])):
                span = start, start + len(content)
                yield TextReading(value, "fence", content, text=text, span=span)
            return


_SOLE_FENCE: Final = re.compile(
    r"""[^]\[{}"'`~]{0,2000} ``` [\w+-]* \s* ( [{\[] .* [}\]] ) \s* ``` [^]\[{}"'`~]* """,
    re.VERBOSE | re.DOTALL,
)


def sole_fence(text: str) -> str:
    r"""What stands in the only code fence of a text that has words around it, and no marks; or "".

    >>> sole_fence("Here:\n```json\n[1]\n```"), sole_fence("[1]")
    ('[1]', '')
    """
    found = _SOLE_FENCE.fullmatch(text) if "```" in text else None
    return found[1] if found and "```" not in found[1] else ""


def _holds_value(text: str) -> bool:
    """Whether a JSON object or array that is not empty stands in a text."""
    at = 0
    for _ in range(MAX_VALUES):
        second = SECOND.search(text, at)
        if second is None:
            return False
        at = second.start() + 1
        try:
            LAX.raw_decode(text, second.start())
        except (ValueError, RecursionError):
            continue
        return True
    return True


def amid_prose(text: str, place: TextPlace) -> Iterator[TextReading]:
    """The one value, or the equal values, that stand in the text with prose around.

    Raises TextError if two different values do, none of which the caller has accepted.
    """
    found, stuck = _values(text)
    if not found:
        return
    first, end = found[0].start, found[-1].end
    refuse_part(text, first, found[0].value, place)
    if not isinstance(found[0].value, list) and names_another(
        text, end, place.names(), found[0].value
    ):
        raise TextError(NOT_JSON, f": the text behind character {end} has another one of them")
    rest = text[end:].strip(BLANK)
    again = stuck and text.startswith(rest, first)  # a copy that breaks off
    if stuck and not again and SECOND.match(rest):
        raise TextError(TWO_CALLS)
    if not again and behind(text, end) is None:
        return
    distinct = found
    if len(found) > 1:
        distinct = list({json.dumps(each.value, sort_keys=True): each for each in found}.values())
    if len(distinct) > 1:
        yield from _one_of(text, distinct, place)
    else:
        grammar = "repeated" if again or len(found) > 1 else "prose"
        span = first, found[0].end
        yield TextReading(found[0].value, grammar, text[slice(*span)], text=text, span=span)


class _Found(NamedTuple):
    """A value that stands in a text."""

    value: Any
    start: int
    end: int


def _values(text: str) -> tuple[list[_Found], bool]:
    """The JSON objects and arrays in a text, if only prose is between them.

    And whether a bracket that begins no value, or one value more than are read, comes next.
    """
    found: list[_Found] = []
    end = at = 0
    for _ in range(MAX_VALUES):
        opener = _OPENER.search(text, at)
        if opener is None:
            return found, False
        start = opener.start()
        try:
            value, stop = LAX.raw_decode(text, start)
        except RecursionError:
            raise TextError(TOO_DEEP) from None
        except ValueError:
            if not (aside := ASIDE.match(text, start)):
                break
            at = aside.end()
            continue
        if text.count("[", start, stop) + text.count("{", start, stop) > MAX_DEPTH:
            check_depth(value)
        before = text[end:start]
        if "dict(" in before or not (is_prose(before) or before.strip(BLANK) == ","):
            return [], False
        found.append(_Found(value, start, stop))
        end = at = stop
    return found, True


def _one_of(text: str, found: list[_Found], place: TextPlace) -> Iterator[TextReading]:
    """Different values: for the schema to say which one is the call.

    It is none of them if another has members that may belong to it: those that the schema
    declares, or any, if others are allowed and no words stand between.
    """
    names = place.names()
    worded = all(_WORD.search(text[one.end : other.start]) for one, other in pairwise(found))
    takes_any = not worded and not place.is_closed()
    for each in found:
        others = [o.value for o in found if o is not each and isinstance(o.value, dict)]
        part = any(other and (takes_any or not names.isdisjoint(other)) for other in others)
        span = each.start, each.end
        content = text[slice(*span)]
        yield TextReading(each.value, "prose", content, cost=1, part=part, text=text, span=span)
    raise TextError(TWO_CALLS)


def refuse_part(text: str, first: int, value: Any, place: TextPlace) -> None:
    """Raise TextError if the words before a value name it as a property, and so it seems to be."""
    own = value if isinstance(value, dict) else ()
    if names_a_part(text, first, place.names(), own):
        raise TextError(NOT_JSON, f": the value at character {first} is named as one of them")
