"""Keyword arguments of a Python call whose values are plain literals, respelled as JSON at once."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["keyword_arguments"]

_ARGUMENT: Final = re.compile(
    r"""\s*([^\W\d]\w*)\s*=\s*
    ('[^']*' | "[^"]*" | True | False | None
    | -?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?
    )\s*(?:,\s*|\Z)""",
    re.VERBOSE,
)
"""An argument, its name and its value."""
_PLAIN: Final = re.compile(
    r"""([A-Za-z_][0-9A-Za-z_]*)=
    (?: '([^'"\\]*)' | ([0-9-][0-9.eE+-]*|True|False|None) )(?:,\ |\Z) | .+
    """,
    re.VERBOSE | re.DOTALL,
)
"""A keyword argument in its usual spelling; or all the rest, without a name."""
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def keyword_arguments(text: str) -> str | None:
    r"""The keyword arguments of a call as JSON; None if they are anything else.

    Whether strings and numbers are JSON is for its parser to say: what JSON has, escapes and all,
    means the same in both.

    >>> keyword_arguments(r"city='Rome', note='a\n', days=3, now=True")
    '{"city": "Rome", "note": "a\\n", "days": 3, "now": true}'
    >>> keyword_arguments("'Rome'"), keyword_arguments("a=1, a=2"), keyword_arguments("a=b")
    (None, None, None)
    """
    rows = _PLAIN.findall(text)
    plain = {
        key: f'"{key}": {_WORDS.get(word, word)}' if word else f'"{key}": "{said}"'
        for key, said, word in rows
    }
    if len(plain) == len(rows) and "" not in plain:
        return f"{{{', '.join(plain.values())}}}"
    found, at = {}, 0
    while at < len(text):  # and not one that begins anywhere: each place would be tried
        argument = _ARGUMENT.match(text, at)
        if argument is None or argument[1] in found:
            return None
        found[argument[1]] = argument[2]
        at = argument.end()
    members = []
    for key, value in found.items():
        said = _WORDS.get(value, value)
        if value[0] in "'\"":
            said = value[1:-1]
            if "\\" in said and ('"' in said or said[-1] == "\\" or "\\u" in said):
                return None  # in doubt
            said = '"{}"'.format(said.replace('"', '\\"'))
        members.append(f'"{key}": {said}')
    return f"{{{', '.join(members)}}}"
