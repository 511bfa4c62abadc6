"""The difference between prose and JSON, and the start and end of a value in prose."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from schema2model.regexes import regex

__all__ = [
    "ASIDE",
    "EXTRA_CLOSERS",
    "JSON_START",
    "TEMPLATE_MARKS",
    "Trailing",
    "announces",
    "begins_another",
    "find_trailing",
    "find_value_start",
    "is_prose",
    "negates",
]

_BEGINNING: Final = r"""\{\s*(?:["'}]|\w+\s*:)|\[\s*[{"'\]]"""
JSON_START: Final = regex(_BEGINNING)
"""The beginning of an object or array, in JSON or nearly so."""
ASIDE: Final = re.compile(
    r"""\[(?!(?:[Tt]rue|[Ff]alse|None|null)\s*[],])[/!]?[^\W\d][^]\[{}"]*\]
      | \[DONE\] | \[\d+\] | \{\s*[^\W\d][^]\[{}"':=]*\}""",
    re.VERBOSE,
)
"""Words in brackets, which belong to prose; a list of constants does not."""
_VALUE_START: Final = re.compile(r"[{\[]|\bdict\(|^\s*\(")
_FENCED_TUPLE: Final = regex(r"""\s*\((?=\s*["'\d\[({+-])""")
_BARE_MEMBER: Final = regex(
    r"""\s*(?:"(?![{[])(?:[^"\\]|\\.){0,120}"|'(?:[^'\\]|\\.){0,120}'|[A-Za-z_]\w*)\s*:\s*["'\d\[{tfnTFN-]"""
)
"""A name, a colon and a value: the text lacks its first brace."""
_TORN: Final = regex(r"""[{}\[\]]|["']\s{0,9}:|"\s{0,9},""")
"""A sign of JSON."""
_TAG: Final = regex(r"<[^<>]*>")
_NEGATES: Final = regex(
    r"""
    (?: \b(?:not|except|without)
      | (?: \b(?:do|does|did|must|should|shall|will|can)(?:\s+not|n['\u2019]t|not)
          | \b(?:never|avoid|instead\s+of) ) (?:\s+\w+){0,3} )
    \s* :? \s* (?:(?:```|~~~)\w*\s*)? \Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words that say that the value after them is not meant."""
_PART_OF_TEXT: Final = regex(r"[\w({\[)}\]][ \t]*\Z")
"""Text that a value continues, as in a sentence or a program."""
_TEMPLATE_MARK: Final = regex(r"(?:\[/?[A-Z_]+\]|<!\[CDATA\[|\x1b\[\d*m)\s*\Z")
_CALLS: Final = regex(r"\w\s*\(\s*\Z")

EXTRA_CLOSERS: Final = "extra closers"
TEMPLATE_MARKS: Final = re.compile(
    r"""(?:<[^<>\n]{1,80}>|~~~|\[/?[A-Z_]+\]|data:\ \[DONE\]|[`'"\x00;]|\x1b\[\d*m|\s)*$"""
)
"""Nothing but marks of a template, fences and quotes up to the end of the text."""
_CLOSERS: Final = regex(r"[\s}\])]*")
_STRUCTURE: Final = regex(r"""["“{}\[\]]|\w\s*[:=]""")


def is_prose(text: str) -> bool:
    """Return whether a text has no sign of JSON, apart from words in brackets."""
    return not _TORN.search(ASIDE.sub("", text))


def negates(before: str) -> bool:
    """Return whether the text before a value says that it is not meant.

    >>> [negates(text) for text in ("Do not send ", "This is not JSON: ", "Everything except: ")]
    [True, False, True]
    """
    return _NEGATES.search(before[-80:]) is not None


def announces(before: str) -> bool:
    """Return whether the text before a value announces it, rather than have it as its part.

    >>> [announces(text) for text in ("", "The list: ", "all of ", "print(", "range(3)")]
    [True, True, False, False, False]
    """
    before = _TEMPLATE_MARK.sub("", before[-80:])
    return not _PART_OF_TEXT.search(before) and not negates(before)


def find_value_start(text: str, start: int, end: int) -> tuple[int, str] | None:
    """Return where the value in a span begins, and the opener it lacks; None if there is none."""
    if start and (fenced := _FENCED_TUPLE.match(text, start, end)):
        return fenced.end() - 1, ""
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
    before = text[start : opener.start()]
    if _CALLS.search(before[-80:]):  # a program, where it is not JSON
        return None
    before = _TAG.sub("", ASIDE.sub("", before))
    return None if _TORN.search(before) else (opener.start(), "")


class Trailing(NamedTuple):
    """Text after a value that is not part of it."""

    closers: int
    """Number of superfluous closers."""
    has_text: bool
    """Whether it has anything else."""
    description: str
    """Its kind, for the description of an edit; "" if there is none."""


_ANOTHER: Final = regex(rf"[\s}}\])]*(?:{_BEGINNING}|[\[{{]\s*\Z)")


def begins_another(text: str, at: int) -> bool:
    """Return whether another value begins right after the one that ends at an offset."""
    return _ANOTHER.match(text, at) is not None


def find_trailing(text: str, at: int) -> Trailing | None:
    """Return what follows the value that ends at an offset; None if it may belong to the call."""
    rest = text[at:]
    if TEMPLATE_MARKS.match(rest):
        has_text = bool(rest.strip())
        return Trailing(0, has_text, "marks after the value" if has_text else "")
    closers = _CLOSERS.match(rest)[0]  # type: ignore[index]
    extra = len("".join(closers.split()))
    rest = rest[len(closers) :]
    description = EXTRA_CLOSERS if extra else "prose after the value"
    if not rest.strip() or TEMPLATE_MARKS.match(rest):
        return Trailing(extra, has_text=False, description=description)
    bare = rest.strip()
    if bare[0] == ":" or (bare[0] in ",;" and bare not in {",", ";"} and _STRUCTURE.search(bare)):
        return None
    return Trailing(extra, has_text=True, description=description) if is_prose(rest) else None
