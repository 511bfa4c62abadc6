"""Names next to a value: they make it one property of a call, or show another property."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from schema2model.errors import NOT_JSON, TextError
from schema2model.text.schema_view import SchemaView

__all__ = ["refuse_property"]

MAX_LABEL: Final = 200
"""Maximum distance in characters between a label and its value."""
MAX_SIBLING: Final = 2_000
"""Maximum distance in characters between a value and another property of the call."""
_LABEL_MARK: Final = re.compile("[:=<>]")
_NAME_BEFORE: Final = re.compile(
    r"""(?:(?:^|[\n(<,;])\s*["'`]?|name=["'])([\w$-]+)["'`]?\s*([:=>])\s*(?:(?:```|~~~)\w*\s*|["'`]\s*)?$"""
)
_ATTRIBUTE_BEFORE: Final = re.compile(r"""<[^<>]*\bname=["']([^"'<]*)["'][^<>]*>\s*$""")
_KEYWORD_BEFORE: Final = re.compile(r"[\w.]\(\s*([A-Za-z_]\w*)\s*=\s*$")
_TAG_BEFORE: Final = re.compile(r"<([\w:-]+)[^<>]*>\s*$")
_WHOLE_CALL: Final = frozenset(("arguments", "args", "input", "parameters", "params", "json"))
"""Labels of all arguments together."""
_PROPERTY: Final = re.compile(
    r"""(?:^|[\n,;({])[ \t]*["'`]?([\w$-]{1,80})["'`]?[ \t]*:(?![ \t]*\[DONE\])"""
    r"""|<([\w-]{1,80})>|<parameter name=["']([\w$-]{1,80})["']>"""
)
"""A name and a colon at the beginning of a line, or a tag."""
_KEYWORD: Final = re.compile(r"""[(,]\s{0,9}([A-Za-z_]\w{0,80})\s{0,9}=(?!=)""")
"""A keyword before a value that a call unpacks: `f(n=1, **{`."""
_KEYWORD_AFTER: Final = re.compile(r"""[\s,;)]{0,9}([A-Za-z_]\w{0,80})\s{0,9}=\s{0,9}["'\d{\[]""")
"""A keyword directly after a value."""


def refuse_property(text: str, first: int, end: int, value: Any, schema: SchemaView) -> None:
    """Raise TextError if a value is not the call itself, but one property of it.

    Or if the letter before its opener seems to begin its first name: `f{oo: 1}`.
    """
    key = next(iter(value), None) if first and isinstance(value, dict) else None
    if isinstance(key, str) and text[first - 1] + key in schema.names():
        raise TextError(NOT_JSON, f": the mark at character {first} seems to be within a name")
    around = text[max(0, first - MAX_SIBLING) : first] + text[end : end + MAX_SIBLING]
    if not _LABEL_MARK.search(around):  # as most often
        return
    # a list of one object may be sent for the object
    call = value[0] if isinstance(value, list) and len(value) == 1 else value
    own = call if isinstance(call, dict) else ()
    names = schema.names()
    if _is_labelled(text, first, names, own):
        raise TextError(NOT_JSON, f": the value at character {first} is named as one of them")
    at = _find_sibling(text, first, end, names, own)
    if at is not None:
        raise TextError(NOT_JSON, f": the text at character {at} has another one of them")


def _is_labelled(text: str, first: int, names: Collection[str], own: Collection[str]) -> bool:
    """Return whether the text before a value, which has `own` keys, names it as a property.

    >>> def is_property(text: str) -> bool:
    ...     return _is_labelled(text, text.index("{"), {"data"}, {"x"})
    >>> [is_property(text) for text in ("f(data={", "<data>{", "data: {", "The data: {")]
    [True, True, True, False]
    """
    before = text[max(0, first - MAX_LABEL) : first]
    named = _NAME_BEFORE.search(before)
    if named is not None and named[1] in names:
        return named[2] == "=" or not any(name in names for name in own)
    label = _KEYWORD_BEFORE.search(before) or _ATTRIBUTE_BEFORE.search(before)
    if label is not None and label[1] not in _WHOLE_CALL:
        return True
    tag = _TAG_BEFORE.search(before)
    return tag is not None and (f"</{tag[1]}>" in text[:first] or f"<{tag[1]} " in text[first:])


def _find_sibling(
    text: str, first: int, end: int, names: Collection[str], own: Collection[str]
) -> int | None:
    r"""Return the offset of another property of the call next to a value; None if there is none.

    >>> def has_sibling(before: str, after: str) -> bool:
    ...     start, end = len(before), len(before) + 2
    ...     text = before + "{}" + after
    ...     return _find_sibling(text, start, end, {"city", "unit"}, {"city"}) is not None
    >>> [has_sibling("", text) for text in ("\nunit: C", "</city><unit>C</unit>", "\ncity: so")]
    [True, True, False]
    >>> [has_sibling(text, "") for text in ("unit: C\n", "call(unit=1, **", "unit: ", "So: ")]
    [True, True, False, False]
    """
    start = max(0, first - MAX_SIBLING)
    is_unpacked = text[start:first].rstrip().endswith("**")
    patterns = (_PROPERTY, _KEYWORD) if is_unpacked else (_PROPERTY,)
    found = (label for pattern in patterns for label in pattern.finditer(text, start, first))
    labels = [label for label in found if text[label.end() : first].strip()]  # not its own
    labels += _PROPERTY.finditer(text, end, end + MAX_SIBLING)
    if keyword := _KEYWORD_AFTER.match(text, end):
        labels.append(keyword)
    for label in labels:
        name = label[label.lastindex or 0]
        if name in names and name not in own:
            return label.start(label.lastindex or 0)
    return None
