"""How text of strangers is shown, so that it neither steers the reader nor reads like another."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["named", "visible"]

_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_JOINER = re.compile(f"(?<=[\ufe0f{_EMOJI}])\u200d(?=[{_EMOJI}])")


def visible(value: Any) -> Any:
    r"""A text with what cannot be seen as JSON escapes; anything else as it is.

    Those are control characters but tab and line feed, marks that turn the direction of text, other
    spaces than the usual one, and halves of surrogate pairs, which no file can hold. What joins two
    emoji is seen.

    >>> print(visible("a\x00\u202eb\ud800 \u2028"))
    a\u0000\u202eb\ud800 \u2028
    """
    if type(value) is not str or value.isprintable():  # Markup is not text, but our own
        return value
    joiners = {found.start() for found in _JOINER.finditer(value)}
    return "".join(
        char if char.isprintable() or char in "\t\n" or place in joiners else json.dumps(char)[1:-1]
        for place, char in enumerate(value)
    )


def named(name: str) -> str:
    r"""A name as it is if nobody can take it for another; otherwise its JSON text.

    >>> for name in ("gpt-4", " gpt-4", "gpt-4\n", "\u202e", r"\u202e", ""):
    ...     print(named(name))
    gpt-4
    " gpt-4"
    "gpt-4\n"
    "\u202e"
    "\\u202e"
    ""
    """
    is_plain = name and name == name.strip() and not name.startswith('"') and "\\" not in name
    if is_plain and "\n" not in name and "\t" not in name and visible(name) == name:
        return name
    return str(visible(json.dumps(name, ensure_ascii=False)))
