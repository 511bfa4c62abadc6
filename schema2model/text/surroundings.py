"""Exact JSON in a code fence, or with prose around it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

from schema2model.json.values import MAX_DEPTH
from schema2model.text.exact import (
    BLANK,
    LAX,
    NOT_JSON,
    NOTHING,
    TOO_DEEP,
    TWO_CALLS,
    UNIQUE,
    TextError,
    check_depth,
    parsed,
)
from schema2model.text.layout import may_be_one_string
from schema2model.text.outside import (
    ASIDE,
    FIRST_NAME,
    MAX_EXTRA,
    SECOND,
    behind,
    fences,
    is_prose,
    names_a_part,
    names_another,
)
from schema2model.text.readings import TextReading
from schema2model.text.repair.search import CHARACTERS
from schema2model.text.schema_view import TextPlace

__all__ = ["amid_prose", "in_fence", "refuse_part", "sole_values"]

MAX_VALUES: Final = 100
"""So many places are tried in text that may have values in it."""
_OPENER: Final = re.compile(r"[{\[]")
_WORD: Final = re.compile(r"\w")


def in_fence(text: str, place: TextPlace) -> Iterator[TextReading]:
    """The value in a code fence, if there is no other value outside, nor a part of one."""
    for start, end in fences(text):
        content = text[start:end].lstrip(BLANK)
        start = end - len(content)  # noqa: PLW2901
        content = content.rstrip(BLANK)
        value = parsed(content, LAX)
        if value is not NOTHING:
            span = start, start + len(content)
            outside = text[:start], text[end:]
            if not any(map(_holds_value, outside)) and not _is_part(text, span, value, place):
                yield TextReading(value, "fence", content, text=text, span=span)
            return


_SOLE_FENCE: Final = re.compile(
    r"""[^]\[{}"'`~]{0,2000} ``` [\w+-]* \s* ( [{\[] .* [}\]] ) \s* ``` [^]\[{}"'`~]* """,
    re.VERBOSE | re.DOTALL,
)
_SOLE_VALUE: Final = re.compile(
    r"""(?: ["'`]{1,3} | [^]\[{}"'`~]{0,2000} (?: \b'\b [^]\[{}"'`~]{0,2000} ){0,9} )
    ( [{\[] .* [}\]] ) \s* (?! \s )
    (?: ["'`]{1,3} \s* | \)? ;? (?! \s* [),;:] )
      [^]\[{}"'`~:=<\u201c]* (?: </ [^]\[{}"'`~:=<\u201c]* ){0,20} )""",
    re.VERBOSE | re.DOTALL,
)


def sole_values(text: str, names: Collection[str]) -> Iterator[str]:
    r"""Yield what may be the only JSON of a text that has other things around it, if all is plain.

    There are words around it, or a code fence, or closers too many, and no marks that could mean
    something. Or all that is missing is the brace before the first name, which is one of `names`.
    Whether it is JSON is still to be seen.

    >>> def told(text: str) -> list[str]:
    ...     return list(sole_values(text, {"data"}))
    >>> told("Here:\n```json\n[1]\n```"), told("So: [1]] Done.")
    (['[1]'], ['[1]]', '[1]'])
    >>> told('"data": {}}'), told('"other": 1}'), told("data: {}"), told("[1]")
    (['{"data": {}}'], [], [], [])
    """
    if len(text) > CHARACTERS or may_be_one_string(text):
        return
    if (name := FIRST_NAME.match(text)) is not None:
        whole = f"{{{text}"
        if name[1] in names and _names_differ(whole):
            yield whole
        return
    found = _SOLE_VALUE.fullmatch(text) or _SOLE_FENCE.fullmatch(text)
    if found is None or (found.re is _SOLE_FENCE and "```" in found[1]):
        return
    start, end = found.span(1)
    if start and ("dict(" in text[:start] or names_a_part(text, start, names, ())):
        return
    if names_another(text, start, end, names, ()) is not None:
        return
    if end - start < len(text):
        yield text[start:end]
    extra = text.count("}") - text.count("{") + text.count("]") - text.count("[")
    last = end - extra
    if 0 < extra <= MAX_EXTRA - text.count(")", end) and not text[last - 1 : end].strip("}]"):
        yield text[start:last]


def _names_differ(text: str) -> bool:
    """Whether a text begins with JSON in which no name comes twice in one object."""
    try:
        UNIQUE.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True


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


def amid_prose(text: str, place: TextPlace, first: Any, end: int) -> Iterator[TextReading]:
    """The one value, or the equal values, that stand in the text with prose around.

    Args:
        text: all of it.
        place: what the schema says of the value.
        first: the object or array with which the text begins, if it does.
        end: where that ends; or 0.

    Raises:
        TextError: if two different values do, none of which the caller has accepted.

    """
    found, stuck = _values(text, first, end)
    if not found:
        return
    first, end = found[0].start, found[-1].end
    refuse_part(text, first, end, found[0].value, place)
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


def _values(text: str, first: Any, end: int) -> tuple[list[_Found], bool]:
    """The JSON objects and arrays in a text, if only prose is between them.

    And whether a bracket that begins no value, or one value more than are read, comes next.
    """
    found = [_Found(first, 0, end)] if end else []
    at = end
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


def _is_part(text: str, span: tuple[int, int], value: Any, place: TextPlace) -> bool:
    """Whether the text around a value seems to be that of a call of which it is a part."""
    try:
        refuse_part(text, *span, value, place)
    except TextError:
        return True
    return False


def refuse_part(text: str, first: int, end: int, value: Any, place: TextPlace) -> None:
    """Raise TextError if a value seems to be one of the properties of the call, and not the call.

    The words before it name it as one, or those around it tell another one.
    """
    if first == 0 and end >= len(text) - 1:  # nothing stands around it, as most often
        return
    own = value if isinstance(value, dict) else ()
    names = place.names()
    if names_a_part(text, first, names, own):
        raise TextError(NOT_JSON, f": the value at character {first} is named as one of them")
    if not isinstance(value, list):
        at = names_another(text, first, end, names, own)
        if at is not None:
            raise TextError(NOT_JSON, f": the text at character {at} has another one of them")
