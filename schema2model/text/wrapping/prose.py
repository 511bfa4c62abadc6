"""The difference between prose and JSON, and the start of a value in prose."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ASIDE", "JSON_START", "find_value_start", "is_prose"]

JSON_START: Final = re.compile(r"""\{\s*(?:["'}]|\w+\s*:)|\[\s*[{"'\]]""")
"""The beginning of an object or array, in JSON or nearly so."""
ASIDE: Final = re.compile(
    r"""\[(?!(?:[Tt]rue|[Ff]alse|None|null)\s*[],])[/!]?[^\W\d][^]\[{}"]*\]
      | \[DONE\] | \[\d+\] | \{\s*[^\W\d][^]\[{}"':=]*\}""",
    re.VERBOSE,
)
"""Words in brackets, which belong to prose; a list of constants does not."""
_VALUE_START: Final = re.compile(r"[{\[]|\bdict\(|^\s*\(")
_BARE_MEMBER: Final = re.compile(
    r"""\s*(?:"(?![{[])(?:[^"\\]|\\.){0,120}"|'(?:[^'\\]|\\.){0,120}'|[A-Za-z_]\w*)\s*:\s*["'\d\[{tfnTFN-]"""
)
"""A name, a colon and a value: the text lacks its first brace."""
_TORN: Final = re.compile(r"""[{}\[\]]|["']\s{0,9}:|"\s{0,9},""")
"""A sign of JSON."""
_TAG: Final = re.compile(r"<[^<>]*>")


def is_prose(text: str) -> bool:
    """Return whether a text has no sign of JSON, apart from words in brackets."""
    return not _TORN.search(ASIDE.sub("", text))


def find_value_start(text: str, start: int, end: int) -> tuple[int, str] | None:
    """Return where the value in a span begins, and the opener it lacks; None if there is none."""
    opener = _VALUE_START.search(text, start, end)
    if opener is not None and opener.start() == start and not ASIDE.match(text, start):
        return start, ""
    if (
        _BARE_MEMBER.match(text, start, end)
        and (opener is None or text[start : opener.start()].strip())
        and text[start:end].rstrip().rstrip(",;").endswith("}")
    ):
        return start, "{"
    while opener is not None and (aside := ASIDE.match(text, opener.start())):
        opener = _VALUE_START.search(text, aside.end(), end)
    if opener is None:
        return None
    before = _TAG.sub("", ASIDE.sub("", text[start : opener.start()]))
    return None if _TORN.search(before) else (opener.start(), "")
