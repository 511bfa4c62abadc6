"""Names next to a value: they make it one property of a call, or show another property."""

from __future__ import annotations

import re
from typing import Any, Final

from schema2model.errors import NOT_JSON, TextError
from schema2model.regexes import regex
from schema2model.text.schema_view import SchemaView

__all__ = ["refuse_property"]

MAX_LABEL: Final = 200
"""Maximum distance in characters between a label and its value."""
_LABEL_MARK: Final = re.compile("[:=<>]")
_NAME_BEFORE: Final = regex(
    r"""(?:(?:^|[\n(<,;])\s*["'`]?|name=["'])([\w$-]+)["'`]?\s*([:=>])\s*(?:(?:```|~~~)\w*\s*|["'`]\s*)?$"""
)
_ATTRIBUTE_BEFORE: Final = regex(r"""<[^<>]*\bname=["']([^"'<]*)["'][^<>]*>\s*$""")
_KEYWORD_BEFORE: Final = regex(r"[\w.]\(\s*([A-Za-z_]\w*)\s*=\s*$")
_TAG_BEFORE: Final = regex(r"<([\w:-]+)[^<>]*>\s*$")
_NEXT_LINE: Final = re.compile(
    r"""[\s}\])]*(?:\n(?:```|~~~)\s*)?[\n,;]\s*["'`]?([\w$-]{1,80})["'`]?\s*[:=](?!\s*\[DONE\])"""
)
"""A name and a colon in the line after a value."""
_WHOLE_CALL: Final = frozenset(("arguments", "args", "input", "parameters", "params", "json"))
"""Labels of all arguments together."""


def refuse_property(text: str, first: int, end: int, value: Any, schema: SchemaView) -> None:
    """Raise TextError if a value is one property of the call, or another one follows it.

    >>> from schema2model.text.schema_view import NO_SCHEMA
    >>> refuse_property('The data: {"x": 1}', 10, 18, {"x": 1}, NO_SCHEMA)
    >>> refuse_property('f(data={"x": 1})', 7, 15, {"x": 1}, NO_SCHEMA)
    Traceback (most recent call last):
        ...
    schema2model.errors.TextError: the arguments are not JSON: the value at character 7 is named ...
    """
    before = text[max(0, first - MAX_LABEL) : first]
    after = _NEXT_LINE.match(text, end)
    if not after and not _LABEL_MARK.search(before):  # as most often
        return
    # a list of one object may be sent for the object
    call = value[0] if isinstance(value, list) and len(value) == 1 else value
    own = call if isinstance(call, dict) else ()
    names = schema.names()
    if after and after[1] in names and after[1] not in own:
        at = after.start(1)
        raise TextError(NOT_JSON, f": the text at character {at} has another one of them")
    named = _NAME_BEFORE.search(before)
    if named is not None and named[1] in names:
        is_property = named[2] == "=" or names.isdisjoint(own)
    else:
        label = _KEYWORD_BEFORE.search(before) or _ATTRIBUTE_BEFORE.search(before)
        tag = _TAG_BEFORE.search(before)
        is_property = (label is not None and label[1] not in _WHOLE_CALL) or (
            tag is not None and (f"</{tag[1]}>" in text[:first] or f"<{tag[1]} " in text[first:])
        )
    if is_property:
        raise TextError(NOT_JSON, f": the value at character {first} is named as one of them")
