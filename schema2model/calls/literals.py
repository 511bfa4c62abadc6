"""Keyword arguments of a Python call whose values are plain literals, respelled as JSON at once."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["keyword_arguments"]

_ARGUMENT: Final = re.compile(
    r"""(\s*([^\W\d]\w*)\s*=\s*
    ('[^']*' | "[^"]*" | True | False | None
    | -?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?
    )\s*(?:,\s*|\Z))""",
    re.VERBOSE,
)
"""An argument, its name and its value."""
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def keyword_arguments(text: str) -> str | None:
    r"""What stands between the parentheses of a call, as JSON; None if it is anything else.

    Whether strings are JSON is for its parser to say: escapes that JSON has mean the same in both.

    >>> keyword_arguments(r"city='Rome', note='a\n', days=3, now=True")
    '{"city": "Rome", "note": "a\\n", "days": 3, "now": true}'
    >>> keyword_arguments("'Rome'"), keyword_arguments("a=1, a=2"), keyword_arguments("a=b")
    (None, None, None)
    """
    found = _ARGUMENT.findall(text)
    members: dict[str, str] = {}
    for _, key, value in found:
        members[key] = said = _in_json(value)
        if not said:
            return None
    if len(members) < len(found) or sum([len(whole) for whole, _, _ in found]) < len(text):
        return None
    inner = [f'"{key}": {said}' for key, said in members.items()]
    return f"{{{', '.join(inner)}}}"


def _in_json(value: str) -> str:
    """How JSON spells a value, or nearly so; "" where that is in doubt."""
    if value[0] not in "'\"":
        return _WORDS.get(value, value)
    said = value[1:-1]
    if "\\" in said and ('"' in said or said[-1] == "\\" or "\\u" in said):
        return ""
    return '"{}"'.format(said.replace('"', '\\"'))
