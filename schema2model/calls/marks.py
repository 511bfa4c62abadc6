"""`Marks`: finds where in a text something begins that is not prose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from schema2model.calls.bare import BARE_LINE
from schema2model.calls.delimiting import ungrouped
from schema2model.calls.formats.records import (
    BARE,
    LOST_ENDS,
    RECORDS,
    RESULTS,
    SILENT,
    THINKING_ENDS,
    THOUGHTS,
    TURNS,
    Record,
)
from schema2model.regexes import regex

__all__ = ["LONGEST", "Aside", "Marks", "held_from"]

LONGEST: Final = 420
"""Maximum characters of a mark, with what has to follow it."""


@dataclass(frozen=True, eq=False)
class Aside:
    """Text between marks that holds no call: thinking, or what is shown as it is."""

    opens: str
    closes: str
    is_thinking: bool = False


_ASIDES: Final = (
    *(Aside(opens, closes, is_thinking=True) for opens, closes in THOUGHTS.items()),
    *(Aside(opens, closes) for opens, closes in RESULTS.items()),
)
Found = tuple[str, Any, re.Match[str]]
"""The kind of a mark, its record or aside, and its match."""
_BEGINS: Final = (
    r"[\[{✿◁%s]|\](?=[<~])|>>>|\b(?:functools|call:|to=|(?:assistant)?(?:commentary|analysis))"
)
_CHARS: Final = rf"<(?=<{{0,3}}[^<])|{_BEGINS}|(?<!`)```(?!`)|(?m:^)(?=[^\S\n]*[^\s|#])"
"""A place at which a mark may begin."""
_CANDIDATE: Final = rf"<|{_BEGINS}|(?<!`)`|(?m:^)[ \t]*Action:|>{{1,2}}\Z"
"""A place at which an incomplete mark may begin."""
_BUILT_IN: Final = frozenset((*RECORDS, *BARE))
_SECOND: Final = frozenset("|/｜")
_FIRST: Final = (
    *(("</?", "</|｜"), ("</", "/"), (r"<\|", "|"), ("<｜", "｜"), ("<!", "<"), (r"<<<", "<")),
    *(("(?:<", "<|｜w"), ("<", "<|｜"), (r"\[", "["), (r"\]", "]"), ("✿", "✿"), ("◁", "◁")),
    *((r"\b", "w"), ("(?<!", "w"), (r"(?:\b", "w"), (">>>", "w"), ("```", "`")),
)
"""The keys under which a pattern is searched, by its first characters."""
_ANY: Final = "</|｜[]✿◁"
_TAG: Final = regex(r"<(?:/?(?![A-Z]{3,6}\b)([A-Za-z][\w.:-]*)[^\w.:|-]| [a-z\d]|[\d=.,;)])")
"""The beginning of a tag whose name is complete, or of none."""
_COVERED: Final = frozenset("<[{✿◁")
"""Characters that begin marks wherever they are."""
_ESCAPES: Final = regex(r"\\\w|\(\?P<\w+>")


def _keys(source: str) -> str:
    if source.startswith("(?m:^)"):
        return "l"
    keys = next((keys for begins, keys in _FIRST if source.startswith(begins)), None)
    return keys or _first_character(source) or _ANY


def _first_character(source: str) -> str:
    """The character with which the mark of a declared format begins; empty for one in `_BEGINS`."""
    found = re.match(r"\\(\W)|([^\\(\[])", source)
    char = (found[1] or found[2]) if found else ""
    return "" if char in _COVERED else char


@lru_cache(256)
def _table(
    records: tuple[Record, ...], family: str, others: str
) -> tuple[dict[str, re.Pattern[str]], list[tuple[str, Any]]]:
    """The patterns of a reply whose family is known, by first characters; empty if it is not.

    Also what each of their groups `m0`, `m1`, … begins.
    """
    parts = _parts(records, family, others)
    tiers: dict[str, list[str]] = {}
    for index, (_, _, source, keys) in enumerate(parts):
        named = re.sub(r"\(\?P([<=])(\w+)", rf"(?P\1\2_{index}", source)
        for key in dict.fromkeys(keys or _keys(source)):
            tiers.setdefault(key, []).append(f"(?P<m{index}>{named})")
    patterns = {key: regex("|".join(each)) for key, each in tiers.items()}
    return patterns, [(kind, payload) for kind, payload, _, _ in parts]


@lru_cache(256)
def _stems(records: tuple[Record, ...]) -> re.Pattern[str]:
    """The words that the names of marks contain; any name of a declared format."""
    if any(each.opens.startswith("<") for each in records if each not in _BUILT_IN):
        return regex("")
    sources = " ".join(_ESCAPES.sub(" ", source) for _, _, source, _ in _parts(records, "", ""))
    words = {*re.findall("[a-z]{3,}", sources.lower())}
    return regex("|".join(sorted(words)), re.IGNORECASE)


def _parts(
    records: tuple[Record, ...], family: str, others: str
) -> list[tuple[str, Any, str, str]]:
    """The kind of each mark, its record or aside, its pattern, and the keys of that."""
    own = [each for each in records if family in ("", each.family) and each.opens]
    inner = "|".join(filter(None, (*(each.around for each in own), *map(_end_mark, own))))
    if family in ("", "<"):
        inner += f"|{LOST_ENDS}"
    return [
        *(("aside", each, each.opens, "") for each in _ASIDES),
        *(("block", each, each.opens, "") for each in own if each not in _BUILT_IN),
        ("thought end", None, THINKING_ENDS if family != "harmony" else "(?!)", _ANY),
        ("turn", None, TURNS, _ANY),
        *(("block", each, each.opens, "") for each in own if each in _BUILT_IN),
        ("inner", None, ungrouped(inner.strip("|")) or "(?!)", _ANY + others),
        ("silent", None, SILENT, _ANY),
        ("fence", None, r"(?<!`)```(?!`)", "`"),
        ("line", None, BARE_LINE, "l"),
        ("value", None, r"[\[{]", "[{"),
    ]


def _end_mark(record: Record) -> str:
    """The end mark of a record if it is none of another format and no text."""
    is_own = record.family not in ("<", "harmony") and record.closes not in ("", "```")
    return re.sub("@[psw]", "", record.closes) if is_own and "?=" not in record.closes else ""


@dataclass(eq=False)
class Marks:
    """The marks of some formats, and those of the tools whose names are tags."""

    records: tuple[Record, ...]
    client: Record | None = None

    def __post_init__(self) -> None:
        self.reads_bare = any(each.family == "bare" for each in self.records)
        self._client = regex(self.client.opens) if self.client else None
        self._client_tag = regex(self.client.around if self.client else "(?!)")
        self._client_key = regex(self.client.key if self.client else "(?!)")
        self._around = [(regex(r.around), r.family) for r in self.records if r.around]
        marks = (
            mark
            for each in self.records
            if each not in _BUILT_IN
            for mark in (each.opens, each.closes, *each.around.split("|"))
        )
        self._others = "".join(sorted({_first_character(mark) for mark in marks}))
        others = re.escape(self._others)
        self._chars, self.candidates = regex(_CHARS % others), regex(_CANDIDATE % others)
        self._tables: dict[str, tuple[dict[str, re.Pattern[str]], list[tuple[str, Any]]]] = {}

    def search(self, text: str, at: int, family: str) -> Found | None:
        """The first mark from `at` on."""
        for place in self._chars.finditer(text, at):
            here = place.start()
            key = "w" if len(place[0]) > 1 and place[0][0] not in "]`" else ""
            is_line = here == 0 or text[here - 1] == "\n"
            first = key or _key(text, here)
            keys = (first, "l") if key else ("l", first)
            for each in keys if is_line else (first,):
                if found := self._match(text, here, family, each):
                    return found
        return None

    def match(self, text: str, at: int, family: str) -> Found | None:
        """The mark at `at`."""
        return self._match(text, at, family, _key(text, at))

    def _match(self, text: str, at: int, family: str, key: str) -> Found | None:
        if family not in self._tables:
            self._tables[family] = _table(self.records, family, self._others)
        patterns, kinds = self._tables[family]
        pattern = patterns.get(key)
        if pattern and (found := pattern.match(text, at)):
            kind, payload = kinds[int((found.lastgroup or "")[1:])]
            return kind, payload, found
        if key == "<" and self._client and family in ("", "client"):
            if found := self._client.match(text, at):
                return "block", self.client, found
            if found := self._client_key.match(text, at):
                return "parameter", self.client, found
        return None

    def may_begin(self, text: str, at: int) -> bool:
        """Return whether a mark may begin at `at`: a tag's name has a word of a mark."""
        tag = _TAG.match(text, at)
        if tag is None:
            return True  # its name may go on
        is_client = self._client_tag.match(text, at) is not None
        return is_client or _stems(self.records).search(tag[1] or "") is not None

    def family_of(self, mark: str, family: str) -> str:
        """The family of the formats that have an inner mark."""
        return next((own for around, own in self._around if around.match(mark)), family or "<")


def _key(text: str, at: int) -> str:
    char, second = text[at : at + 1], text[at + 1 : at + 2]
    return second if char == "<" and second in _SECOND and second else char


# ------------------------------------------------------------------------------ while it streams
_LINE_BEGUN: Final = regex(
    r"[^\S\n]*(?:(?:[-*>•]|\d{1,3}[.)])[ \t]+)?(?:A(?:c(?:t(?:i(?:on?)?)?)?)?|Action:[^{]{0,200}"
    r"|>{1,3}[^{]{0,200}|[(\"'`*\[]{0,4}(?:print\(|await )?[\w.:/\\-]{0,200}[ \t]*)"
)
_WORD_BEGUN: Final = regex(
    r"(?:\s+|\]|[\w=:`]{1,40}|\b(?:to=|call:|assistant|commentary|analysis)[^\n{]{0,200})\Z"
)


def held_from(marks: Marks, text: str, at: int, end: int) -> int:
    """The offset from which on the end of the text, up to `end`, may become a mark."""
    found = marks.candidates.finditer(text, max(at, len(text) - LONGEST), end)
    candidate = next((each for each in found if marks.may_begin(text, each.start())), None)
    if candidate or end < len(text):
        begins = candidate.start() if candidate else end
        if text[begins] == "<":
            return begins  # no name before an object or a bracket
        line = text.rfind("\n", 0, begins) + 1
        return line if line >= at and _LINE_BEGUN.fullmatch(text, line, begins) else begins
    line = text.rfind("\n") + 1
    said = max(0, line - LONGEST) + len(text[max(0, line - LONGEST) : line].rstrip())
    above = text.rfind("\n", 0, said) + 1
    for begins in (above, line):
        piece = text[begins:].rstrip() if begins == above else text[begins:]
        if begins >= max(at, len(text) - LONGEST + 1) and _LINE_BEGUN.fullmatch(piece):
            return begins
    word = _WORD_BEGUN.search(text, max(at, len(text) - 240))
    return word.start() if word else len(text)
