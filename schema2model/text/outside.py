"""What stands around a value: prose, a code fence, marks of a template, another text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterator
from typing import Final

from schema2model.text.repair.edits import EDIT

__all__ = [
    "ASIDE",
    "FIRST_NAME",
    "MARKS",
    "MAX_EXTRA",
    "SECOND",
    "behind",
    "fenced",
    "fences",
    "forms",
    "is_prose",
    "names_a_part",
    "names_another",
    "opening",
]

MARKS: Final = re.compile(
    r"""(?:<[^<>\n]{1,80}>|~~~|\[/?[A-Z_]+\]|data:\ \[DONE\]|[`'"\x00;]|\x1b\[\d*m|\s)*$""",
)
"""Marks of a template, a fence, a quote; and no more."""
SECOND: Final = re.compile(r"""\{\s*(?:["'}]|\w+\s*:)|\[\s*[{"'\]]""")
"""What begins another value."""
_EXTRA: Final = re.compile(r"[\s}\])]*")
MAX_EXTRA: Final = 4
"""So many closers may be too many behind a value."""
ASIDE: Final = re.compile(
    r"""\[(?!(?:[Tt]rue|[Ff]alse|None|null)\s*[],])[/!]?[^\W\d][^]\[{}"]*\]
      | \[DONE\] | \[\d+\] | \{\s*[^\W\d][^]\[{}"':=]*\}""",
    re.VERBOSE,
)
"""Words in brackets, which belong to prose; a list of constants does not."""
_TORN: Final = re.compile(r"""[{}\[\]]|["']\s{0,9}:|"\s{0,9},""")
_MORE: Final = re.compile(r"""["“{}\[\]]|\w\s*[:=]""")
_TAG: Final = re.compile(r"<[^<>]*>")
_FENCE: Final = re.compile(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
FIRST_NAME: Final = re.compile(r'\s*"([^"\\]*)"\s*:')
"""The name with which a text begins whose opener is missing."""
_MAX_FENCES: Final = 20
_BEFORE_OPENING: Final = frozenset(("", " ", "\t", "\n", ">", ":"))
_BEFORE_FENCE: Final = frozenset(" \t\n\r}])\"'")
_OPENER: Final = re.compile(r"[{\[]|\bdict\(|^\s*\(")
_NO_OPENER: Final = re.compile(
    r"""\s*(?:"(?![{[])(?:[^"\\]|\\.){0,120}"|'(?:[^'\\]|\\.){0,120}'|[A-Za-z_]\w*)\s*:\s*["'\d\[{tfnTFN-]"""
)
_NAME_BEFORE: Final = re.compile(
    r"""(?:(?:^|[\n(<,;])\s*["'`]?|name=["'])([\w$-]+)["'`]?\s*([:=>])\s*(?:(?:```|~~~)\w*\s*|["'`]\s*)?$"""
)


_NAMES_END: Final = frozenset(":=>\"'`~")
"""What may stand between a name and the value."""
_ATTRIBUTE_BEFORE: Final = re.compile(r"""<[^<>]*\bname=["']([^"'<>]*)["'][^<>]*>\s*$""")
_KEYWORD_BEFORE: Final = re.compile(r"[\w.]\(\s*([A-Za-z_]\w*)\s*=\s*$")
_ALL_OF_THEM: Final = frozenset(("arguments", "args", "input", "parameters", "params", "json"))
"""Names of what holds all arguments."""
_NEAR: Final = 200
"""So many characters before a value may name it."""
_MEMBER: Final = re.compile(
    r"""(?:^|[\n,;({])[ \t]*["'`]?([\w$-]{1,80})["'`]?[ \t]*:(?![ \t]*\[DONE\])|<([\w-]{1,80})>"""
)
"""What tells a property: a name and a colon at the beginning of a line, or a tag."""
_KEYWORD: Final = re.compile(r"""[(,]\s{0,9}([A-Za-z_]\w{0,80})\s{0,9}=(?!=)""")
"""A keyword before a value that a call unpacks: `f(n=1, **{`."""
_KEYWORD_BEHIND: Final = re.compile(r"""[\s,;)]{0,9}([A-Za-z_]\w{0,80})\s{0,9}=\s{0,9}["'\d{\[]""")
"""The same directly behind a value."""
_TAG_BEFORE: Final = re.compile(r"<([\w:-]+)[^<>]*>\s*$")


def is_prose(text: str) -> bool:
    """Whether a text has no brackets but [asides], and is no torn-off part of JSON."""
    return not _TORN.search(ASIDE.sub("", text))


def names_a_part(text: str, first: int, names: Collection[str], own: Collection[str]) -> bool:
    """Whether the words around a value say that it is a property, and not the call.

    Args:
        text: all of it.
        first: the character at which the value begins.
        names: of declared properties.
        own: names of the value's own members.

    >>> def told(text: str) -> bool:
    ...     return names_a_part(text, text.index("{"), {"data"}, {"x"})
    >>> [told(text) for text in ("f(data={", "<data>{", "data: {", "The data: {")]
    [True, True, True, False]

    """
    before = text[max(0, first - _NEAR) : first]
    last = before.rstrip()[-1:]
    if last not in _NAMES_END and "```" not in before and "~~~" not in before:
        return False
    named = _NAME_BEFORE.search(before)
    if named is not None and named[1] in names:
        return named[2] == "=" or not any(name in names for name in own)
    if last == "=":
        keyword = _KEYWORD_BEFORE.search(before)
        return keyword is not None and keyword[1] not in _ALL_OF_THEM
    if last != ">":
        return False
    attribute = _ATTRIBUTE_BEFORE.search(before)
    if attribute is not None and attribute[1] not in _ALL_OF_THEM:
        return True
    tag = _TAG_BEFORE.search(before)
    return tag is not None and (f"</{tag[1]}>" in text[:first] or f"<{tag[1]} " in text[first:])


def behind(text: str, at: int) -> tuple[int, int, str] | None:
    """How many closers stand behind a value, what that costs, what it is; None if it is more."""
    rest = text[at:]
    if not rest.strip():
        return 0, 0, ""
    if MARKS.match(rest):
        return 0, 1, "marks behind the value"
    closers = _EXTRA.match(rest)[0]  # type: ignore[index]
    extra = len("".join(closers.split()))
    if extra > MAX_EXTRA:
        return None
    if extra and _is_inner(text, at, closers):
        return None
    rest = rest[len(closers) :]
    what = "extra closers" if extra else "prose behind the value"
    if not rest.strip() or MARKS.match(rest):
        return extra, extra * EDIT, what
    bare = rest.strip()
    if bare[0] == ":" or (bare[0] in ",;" and bare not in {",", ";"} and _MORE.search(bare)):
        return None
    if not is_prose(rest):
        return None
    return extra, extra * EDIT + 1, what


def _is_inner(text: str, at: int, closers: str) -> bool:
    """Whether the closer before a character stands deeper in its line than one behind it.

    Then it closes what stands within the value: between both something is lost or too much.
    """
    before, _, line = text[:at].rpartition("\n")
    if line.strip(" \t}])") or before.endswith(f"\n{line}"):  # the line is there twice
        return False
    last = closers.rstrip().rpartition("\n")
    depth = len(line) - len(line.lstrip())
    return last[1] != "" and len(last[2]) - len(last[2].lstrip()) < depth


def names_another(
    text: str, first: int, end: int, names: Collection[str], own: Collection[str]
) -> int | None:
    r"""Where what stands around a value tells another property of the call; None if nowhere.

    Args:
        text: all of it.
        first: the character at which the value begins. What names the value itself tells no other.
        end: where it ends.
        names: of declared properties.
        own: names of the value's own members.

    >>> def told(before: str, behind: str) -> bool:
    ...     start, end = len(before), len(before) + 2
    ...     found = names_another(before + "{}" + behind, start, end, {"city", "unit"}, {"city"})
    ...     return found is not None
    >>> [told("", text) for text in ("\nunit: C", "</city><unit>C</unit>", "\ncity: as you said")]
    [True, True, False]
    >>> [told(text, "") for text in ("unit: C\n", "call(unit=1, **", "unit: ", "As you said: ")]
    [True, True, False, False]

    """
    far = _NEAR * 10
    start = max(0, first - far)
    before, rest = text[start:first], text[end : end + far]
    found: list[re.Match[str]] = []
    if before and any(name in before for name in names):
        patterns = (_MEMBER, _KEYWORD) if before.rstrip().endswith("**") else (_MEMBER,)
        each_before = (each for one in patterns for each in one.finditer(text, start, first))
        found += [each for each in each_before if text[each.end() : first].strip()]
    if rest and any(name in rest for name in names):
        found += _MEMBER.finditer(text, end, end + far)
        if keyword := _KEYWORD_BEHIND.match(text, end):
            found.append(keyword)
    for each in found:
        name = each[each.lastindex or 0]
        if name in names and name not in own:
            return each.start(each.lastindex or 0)
    return None


def fences(text: str) -> Iterator[tuple[int, int]]:
    """Where the content of the outermost code fence may be, the longest first.

    A fence within a value is none: there, brackets are open before it, or the opener is missing.
    """
    opening = _FENCE.search(text)
    if opening is None or FIRST_NAME.match(text):
        return
    before = text[: opening.start()]
    if before[-1:] not in _BEFORE_OPENING or (SECOND.search(before) and before[-1] != "\n"):
        return
    if any(before.count(o) > before.count(c) for o, c in ("{}", "[]", "()")):
        return
    start = opening.end()
    end = len(text)
    for _ in range(_MAX_FENCES):
        end = text.rfind(opening[1], start, end)
        if end < 0:
            break
        if text[end - 1] in _BEFORE_FENCE:
            yield start, end
    yield start, len(text)  # the closing fence is missing


def fenced(text: str) -> tuple[int, int] | None:
    """Where the content of the outermost code fence is, if there is one, with prose behind it."""
    if "```" not in text and "~~~" not in text:
        return None
    return next((span for span in fences(text) if is_prose(text[span[1] + 3 :])), None)


def opening(text: str, start: int, end: int) -> tuple[int, str] | None:
    """Where the value begins, and the bracket that is missing there; None if there is none."""
    opener = _OPENER.search(text, start, end)
    if opener is not None and opener.start() == start and not ASIDE.match(text, start):
        return start, ""
    if (
        _NO_OPENER.match(text, start, end)
        and (opener is None or text[start : opener.start()].strip())
        and text[start:end].rstrip().rstrip(",;").endswith("}")
    ):
        return start, "{"
    while opener is not None and (aside := ASIDE.match(text, opener.start())):
        opener = _OPENER.search(text, aside.end(), end)
    if opener is None:
        return None
    before = _TAG.sub("", ASIDE.sub("", text[start : opener.start()]))
    return None if _TORN.search(before) else (opener.start(), "")


_ESCAPED: Final = re.compile(r'"?[^{\["]{0,80}[{\[][\s{\[]*(?:\\+[nt][\s{\[]*)*\\+"')
_ESCAPED_AGAIN: Final = re.compile(r'[{,\[]\s*(?:\\+n\s*)*\\+"')
_ENTITIES: Final = re.compile(r"[{\[][\s{\[]*&(?:quot|#34|#x22);")
_WRAPPED: Final = re.compile(r"\s*(?:<!\[CDATA\[|\x1b\[\d*m|\[[A-Z_/]+\])")


def forms(text: str) -> Iterator[tuple[int, str, int]]:
    """The text, or what it is when decoded: what that costs, the text, where it began before."""
    wrapped = _WRAPPED.match(text)
    base = wrapped.end() if wrapped else 0
    text = text[base:].removesuffix("]]>")
    if "\\" in text and _ESCAPED.match(text):
        for level in range(3):
            text = text.removeprefix('"')
            if text.endswith('"') and not text.endswith('\\"'):
                text = text[:-1]
            try:
                text = json.loads(f'"{text}"', strict=False)
            except ValueError:
                return
            yield 5 * (level + 1), text, 0
            if not _ESCAPED_AGAIN.search(text[:200]):
                return
        return
    if "&" in text and _ENTITIES.match(text) and '"' not in text:
        yield 5, html.unescape(text), 0
        return
    yield 0, text, base
