"""JSON values in prose, and which of several is the call."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, Final, NamedTuple

from schema2model.limits import MAX_DEPTH, MAX_EMBEDDED_VALUES
from schema2model.text.exact import BLANK, LAX, TOO_DEEP, TWO_CALLS, TextError, check_depth
from schema2model.text.schema_view import SchemaView
from schema2model.text.wrapping.labels import refuse_property
from schema2model.text.wrapping.prose import ASIDE, JSON_START, is_prose
from schema2model.text.wrapping.trailing import find_trailing

__all__ = ["EmbeddedJSON", "find_embedded_json"]

_OPENER: Final = re.compile(r"[{\[]")
_WORD: Final = re.compile(r"\w")


class EmbeddedJSON(NamedTuple):
    """A JSON value in a text, and its span."""

    value: Any
    start: int
    end: int
    repeated: bool = False
    """Whether the text has the value again, whole or truncated."""
    may_be_part: bool = False
    """Whether another value in the text may have members of the same call."""


def find_embedded_json(
    text: str, schema: SchemaView, first: Any, first_end: int
) -> list[EmbeddedJSON]:
    """Return the different JSON values in a text, if only prose is around them; [] if not.

    Args:
        text: the whole text.
        schema: the schema of the call.
        first: the object or array with which the text begins, if it does.
        first_end: where that ends, or 0.

    Raises:
        TextError: if a value is only one property of the call, or another call begins after it.

    """
    found, is_broken = _values_amid_prose(text, first, first_end)
    if not found:
        return []
    start, end = found[0].start, found[-1].end
    refuse_property(text, start, end, found[0].value, schema)
    rest = text[end:].strip(BLANK)
    is_copy = is_broken and text.startswith(rest, start)  # a copy that is truncated
    if is_broken and not is_copy and JSON_START.match(rest):
        raise TextError(TWO_CALLS)
    if not is_copy and find_trailing(text, end) is None:
        return []
    if len(found) == 1:
        return [found[0]._replace(repeated=is_copy)]
    distinct = list({json.dumps(each.value, sort_keys=True): each for each in found}.values())
    if len(distinct) == 1:
        return [found[0]._replace(repeated=True)]
    return _with_parts(text, distinct, schema)


def _values_amid_prose(text: str, first: Any, first_end: int) -> tuple[list[EmbeddedJSON], bool]:
    """Return the objects and arrays in a text, and whether an unreadable one or too many follow.

    None if anything but prose is between them.
    """
    found = [EmbeddedJSON(first, 0, first_end)] if first_end else []
    at = end = first_end
    for _ in range(MAX_EMBEDDED_VALUES):
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
        found.append(EmbeddedJSON(value, start, stop))
        end = at = stop
    return found, True


def _with_parts(text: str, found: list[EmbeddedJSON], schema: SchemaView) -> list[EmbeddedJSON]:
    """Mark each value that may be part of a call whose other members are in another value.

    These are members that the schema declares, or any if it allows others and no words are
    between the values.
    """
    names = schema.names()
    has_words = all(_WORD.search(text[one.end : other.start]) for one, other in pairwise(found))
    takes_any = not has_words and not schema.is_closed()

    def may_be_part(value: Any) -> bool:
        return any(
            other.value and (takes_any or not names.isdisjoint(other.value))
            for other in found
            if other.value is not value and isinstance(other.value, dict)
        )

    return [each._replace(may_be_part=may_be_part(each.value)) for each in found]
