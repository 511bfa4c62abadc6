"""Keyword arguments of a Python call whose values are plain literals, respelled as JSON at once."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["keyword_arguments"]

_ESCAPED: Final = r"(?:\\[\\bfnrt\"]"
"""An escape that is the same in Python and in JSON."""
_ARGUMENT: Final = re.compile(
    rf"""\s*(?P<key>[^\W\d]\w*)\s*=\s*
    (?: '(?P<single>[^'"\\\x00-\x1f]*{_ESCAPED}[^'"\\\x00-\x1f]*)*)'
      | "(?P<double>[^"\\\x00-\x1f]*{_ESCAPED}[^"\\\x00-\x1f]*)*)"
      | '(?P<quoting>[^'\\\x00-\x1f]*)'
      | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<word>True|False|None)
    )\s*(?:,\s*|\Z)""",
    re.VERBOSE,
)
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def keyword_arguments(text: str) -> str | None:
    r"""What stands between the parentheses of a call, as JSON; None if it is anything else.

    >>> keyword_arguments(r"city='Rome', note='a\n\"b\"', days=3, now=True")
    '{"city": "Rome", "note": "a\\n\\"b\\"", "days": 3, "now": true}'
    >>> keyword_arguments("'Rome'"), keyword_arguments("a=1, a=2"), keyword_arguments("a=b")
    (None, None, None)
    """
    members: dict[str, str] = {}
    at = 0
    while at < len(text):
        found = _ARGUMENT.match(text, at)
        if found is None or found["key"] in members:
            return None
        kind = str(found.lastgroup)
        said = found[kind]
        if kind == "word":
            said = _WORDS[said]
        elif kind == "quoting":
            said = '"{}"'.format(said.replace('"', '\\"'))
        elif kind != "number":
            said = f'"{said}"'
        members[found["key"]] = said
        at = found.end()
    inner = [f'"{key}": {said}' for key, said in members.items()]
    return f"{{{', '.join(inner)}}}"
