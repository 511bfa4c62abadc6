"""Show the text of strangers so that it neither steers the reader nor imitates another."""

from __future__ import annotations

import json
from typing import Any

from schema2model.json.quoting import printable

__all__ = ["named", "visible"]


def visible(value: Any) -> Any:
    r"""Return a text with what cannot be seen as JSON escapes; anything else as it is.

    Those are control characters but tab and line feed, marks that turn the direction of text, other
    spaces than the usual one, and halves of surrogate pairs, which no file can hold. What joins two
    emoji is seen.

    >>> print(visible("a\x00\u202eb\ud800 \u2028"))
    a\u0000\u202eb\ud800 \u2028
    """
    if type(value) is not str or value.isprintable():  # Markup is not text, but our own
        return value
    return printable(value, keep="\n\t")


def named(name: str) -> str:
    r"""Return a name as it is if nobody can take it for another; otherwise its JSON text.

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
    if is_plain and printable(name) == name:
        return name
    return printable(json.dumps(name, ensure_ascii=False))
