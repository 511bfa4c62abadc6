"""Where a string may end, whose quotes may be missing, doubled, bare or of another kind.

A quote ends its string for good where what follows can only be structure: a comma and a key, a
closer and a comma, a new line that begins with a quote. Beyond such a *hard* end the string does
not go on, at any cost. At other quotes it may end, if what follows could be structure, or go on,
and each of these readings has its cost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from schema2model.text.mending.edits import (
    APOSTROPHE,
    EDIT,
    ESCAPE_KEPT,
    QUOTES_RESPELLED,
    RESPELLED,
    Edit,
    Token,
)
from schema2model.text.mending.spelling import BackslashError, string_body

__all__ = ["IN_ARRAY", "IN_OBJECT", "KEY_FOLLOWS", "NO_BLANKS", "QUOTES", "End", "Strings"]

IN_OBJECT: Final = "object"
IN_ARRAY: Final = "array"
"""Where a string stands: what may follow it is not the same."""

_MARKED: Final = '<|"|>'
_PAIRS: Final = {
    '"': ('"', 0),
    "'": ("'", 0),
    '"""': ('"""', 0),
    "'''": ("'''", 0),
    _MARKED: (_MARKED, RESPELLED),
    "\u201c": ("\u201d", QUOTES_RESPELLED),
    "\u201d": ("\u201d", QUOTES_RESPELLED),
    "\u2018": ("\u2019", QUOTES_RESPELLED),
    "`": ("`", QUOTES_RESPELLED),
    "\uff02": ("\uff02", QUOTES_RESPELLED),
}
"""What a string may begin with, what ends it then, and what such quotes cost."""
QUOTES: Final = frozenset(opener[0] for opener in _PAIRS)
"""The characters that a string may begin with."""
_DOUBLE: Final = '"\u201d\uff02'
"""What may close a string that begins with a quote: itself, or by mistake another."""

_QUOTED_KEY: Final = (
    r"""(?:"(?:[^"\\\n]|\\.){0,120}"|'(?:[^'\\\n]|\\.){0,120}'"""
    r"""|""[^]"\\\n,:{}[]{1,120}"|"[^]"\\\n,:{}[]{1,120}"\""""  # one quote is doubled
    r"""|\u201c[^\u201d\n]{1,120}\u201d|\u2018[^\u2019\n]{1,120}\u2019)"""
)
_CONSTANT: Final = r"(?:true|false|null|True|False|None)\b"
_NOTE: Final = r"(?: (?: //|\#\ ) [^\"\n]* \n \s* | /\* [^\"*]* \*/ \s* )"
"""A comment without quotes."""
_HARD: Final = re.compile(
    rf"""\s* (?:
      (?: [}}\])]+ \s* )? (?: [,;\uff0c] \s* ){{0,2}} {_NOTE}? (?: [{{\[] \s* )?
      {_QUOTED_KEY} \s* (?: [:\uff1a] | => | =(?!=) | ,\s*: )         # a key
    | [}}\])]+ \s* [,;] \s* [\[{{"']                                # a closer, a comma, a member
    | [}}\])]+ \s* [{{\[] \s* (?: [\w$]+\s*: | ["'}}\]] )            # a closer and an opener
    | [:\uff1a] \s* (?: ["'{{\[\d] | -\d | {_CONSTANT} )             # a colon: it was a key
    | [,;] \s* "(?:[^"\\\n]|\\.){{1,120}}:\s*"                       # a key that is not closed
    | [,;] \s* (?: [\w$]+ \s* : | [\[{{] \s* ["'\]}}] )              # a bare key or a container
    ) | [^\S\n]* \n \s* ["']                                       # a line that begins with a quote
    """,
    re.VERBOSE,
)
"""What follows a quote that ends its string for good."""
_ITEM_FOLLOWS: Final = re.compile(r"""\s+"(?:[^"\\\n]|\\.)*"\s*[,\]"]""")
"""What follows the quote that ends an item behind which a comma is missing."""
_NO_MEMBER: Final = re.compile(r""",[ \t\n\r]*"[^"\\\n]*"[ \t\n\r]*[,}\])]""")
"""A comma and a string that is no key."""
_BEHIND_WRONG_QUOTES: Final = frozenset(",}]")
_BEHIND_ITEMS: Final = frozenset(",]\uff1b;\uff0c")
_AFTER_ITEMS: Final = tuple(_BEHIND_ITEMS)
_HARD_AFTER_NOTHING: Final = re.compile(r"""\s*,\s*["']""")
"""What follows the quote that ends an empty string."""
KEY_FOLLOWS: Final = re.compile(
    r"""
    ["'\u201c\u2018\uff02`]? (?:[A-Za-z_$\u00a1-\uffff][\w$\ .-]{0,60}?) ["'\u201d\u2019\uff02`]?
        \s*(?: : | => | =(?!=) | \uff1a )
  | " (?:[^"\\\n]|\\.){0,120} " \s*(?: : | => | = | \uff1a | ["\d{\[tfn-] )
  | ' (?:[^'\\\n]|\\.){0,120} ' \s*(?: : | => | = | \uff1a | ['\d{\[tfn-] )
    """,
    re.VERBOSE,
)
"""A key and its colon, or a key and a value without a colon."""
NO_BLANKS: Final = frozenset(('"', "'", "{", "}", "[", "]", ",", ":", ""))
"""What neither blanks nor comments begin with."""
_BLANKS: Final = re.compile(
    r"""
    (?: [ \t\n\r\f\v\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\u180e\ufeff]
      | \\[nrt](?=[\s\\{}\[\]",:]|$)                                # spelled out
      | (?<!["'])(?://|\#\s)(?:[^"\n]*"[^"\n]*")*[^"\n]*(?:\n|$)     # no comment has half a string
      | /\*.*?\*/ | <!--.*?--> )*
    """,
    re.VERBOSE | re.DOTALL,
)
_ENDS_TEXT: Final = re.compile(r"[\s}\])]*$")
_NEAR_THE_END: Final = 40
_PLUS: Final = re.compile(r"""\s*\+\s*(?=["'`])""")
_PLAIN: Final = {
    '"': re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL),
    "'": re.compile(r"'[^'\\]*(?:\\.[^'\\]*)*'", re.DOTALL),
}
_INCHES: Final = re.compile(r"[^\w.][0-9./']+$")
"""A number, the quote behind which means inches."""
_QUOTE_BEHIND_COMMA: Final = re.compile(r' *, *"')
_LONGEST_NUMBER: Final = 20
_OF_NUMBERS: Final = frozenset("0123456789./'")
_HALF_ESCAPE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")
_TRIPLE: Final = {
    quote: re.compile(
        rf"{quote * 3} (?! [A-Za-z_$][\w$]{{0,60}} {quote} \s*: )"
        rf"[^{quote}]* (?: {quote}{{1,2}} [^{quote}]+ )* {quote * 3}",
        re.VERBOSE,
    )
    for quote in "\"'"
}
"""A string in triple quotes; not an empty one before a key, from which a comma is missing."""
_MAX_KEPT: Final = 2_000
"""So many quotes may be kept in one string."""


class End(NamedTuple):
    """A reading of a string: where its body ends, where the text goes on, and at what cost."""

    body: int
    after: int
    cost: int
    kept: int = 0
    """So many quotes of the string's are kept in its body."""
    edit: Edit | None = None
    start: int = -1
    """Where the body begins, if not behind the opening quote."""
    doubtful: bool = False
    """Whether a quote seems to have lost its partner, so that nobody can know where it ends."""


class _Body:
    """The body of a string while its end is looked for: the quotes that it keeps, if it goes on."""

    def __init__(self, text: str, at: int, opener: str) -> None:
        self.text = text
        self.at = at
        self.opener = opener
        self.closer, self.cost = _PAIRS[opener]
        self.start = at + len(opener)
        self.kept: list[int] = []
        self.like_members = False
        """Whether a quote, a comma and a quote are kept, as between two members."""
        self.beside = False
        """Whether a quote is kept right behind one that is escaped."""
        self.escaped = False
        """Whether a quote in it is escaped."""
        self._opening = 0  # quotes kept that seem to open something
        self._closing = 0  # and that seem to close it

    def keep(self, stop: int, end: int) -> bool:
        """Keep a quote; False if the string cannot go on behind it."""
        text, start = self.text, self.start
        if self.opener == _MARKED or len(self.kept) >= _MAX_KEPT:
            return False
        before, behind = text[stop - 1 : stop], text[end : end + 1]
        if before == "|" and '<|\\"' in text[start:stop]:  # halves of marks of a template
            return False
        self.kept.append(stop)
        self.like_members |= (
            behind in {",", " "} and _QUOTE_BEHIND_COMMA.match(text, end) is not None
        )
        self.beside |= before == '"' and text[stop - 2 : stop - 1] == "\\"
        apart = behind in {" ", "\n"}
        self._opening += not apart and (stop == start or before in " \n\t([{=")
        closes = apart and before not in {" ", "\n"}
        number = max(start - 1, stop - _LONGEST_NUMBER)
        is_inch = before in _OF_NUMBERS and _INCHES.search(text, number, stop) is not None
        self._closing += closes and not is_inch
        apostrophe = self.opener == "'" and before.isalnum() and behind.isalnum()
        self.cost += APOSTROPHE if apostrophe else EDIT
        return True

    def end_at_wrong(self, quote: str, stop: int, end: int, where: str) -> End:
        """The string ends at a quote of another kind."""
        edit = Edit("read", f"{quote} as a quote", stop)
        smart = self.opener in "\u201c\u201d" and quote == '"'
        cost = self.cost + (QUOTES_RESPELLED if smart else EDIT)
        opened = self.text.count("\u201c", self.start, stop) > self.text.count(
            "\u201d", self.start, stop
        )
        doubtful = self._doubtful(where) or (bool(self.kept) if smart else opened)
        return End(stop, end, cost, len(self.kept), edit, doubtful=doubtful)

    def ends_at(self, quote: str, stop: int, end: int, where: str) -> Iterator[End]:
        """The string ends at a quote of its own kind, of which there may be two."""
        text, kept = self.text, self.kept
        count = len(kept)
        if self.opener == _MARKED and "\\" in text[self.start : stop]:
            return
        yield End(stop, end, self.cost, count, doubtful=self._doubtful(where))
        if count > 1 and kept[0] == self.start and kept[-1] == stop - 1:
            edit = Edit("dropped", "a second pair of quotes", self.at)
            yield End(stop - 1, end, self.cost, 0, edit, self.start + 1)
        twice = text.startswith(quote, end) and not text.startswith(quote * 2, end)
        if twice and len(self.opener) == 1 and stop > self.start:  # which of them closes?
            edit = Edit("dropped", quote, end)
            yield End(stop, end + 1, self.cost + EDIT, count, edit, doubtful=True)

    def _doubtful(self, where: str) -> bool:
        """Whether a quote seems to have lost its partner."""
        count = len(self.kept)
        if self.like_members and where == IN_OBJECT:
            return True
        if count % 2 == 0 or self.opener != '"':
            return False
        if self.beside or self.kept[0] == self.start:
            return True
        if self.escaped:
            return False
        return 2 * self._opening > count or (where == IN_ARRAY and self._closing > self._opening)


class Strings:
    """The strings of a text, wherever one begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[tuple[int, str], list[End]] = {}
        self._kept: dict[int, list[int]] = {}
        self._triple: dict[int, bool] = {}
        self.work = 0
        """So many quotes have been looked at."""

    def opener(self, at: int) -> str:
        """The quote or quotes that a string at a character begins with, or ""."""
        text = self.text
        char = text[at : at + 1]
        if char in _TRIPLE and text[at + 1 : at + 2] == char:
            is_triple = self._triple.get(at)
            if is_triple is None:
                is_triple = self._triple[at] = _TRIPLE[char].match(text, at) is not None
            if is_triple:
                return char * 3
        if char == "<":
            return _MARKED if text.startswith(_MARKED, at) else ""
        return char if char in _PAIRS else ""

    def blanks(self, at: int) -> int:
        """The end of the blanks and comments at a character."""
        char = self.text[at : at + 1]
        if char in NO_BLANKS or char.isalnum():
            return at
        match = _BLANKS.match(self.text, at)
        return match.end() if match else at

    def plain_end(self, at: int, where: str) -> int:
        """The end of the string at a character if it is JSON's and in no doubt; else 0.

        It has a key behind it, or what ends a text, or in an array what may only follow an item.
        """
        pattern = _WITH_KEY_BEHIND if where == IN_OBJECT else _WITH_ITEM_BEHIND
        plain = pattern.match(self.text, at)
        return plain.end() if plain else 0

    def ends(self, at: int, where: str) -> list[End]:
        """Every reading of the string that begins at a character."""
        found = self._ends.get((at, where))
        if found is None:
            found = self._ends[at, where] = self._find(at, where)
        return found

    def key(self, at: int) -> End | None:
        """The reading of the key that begins at a character: it ends at its first quote."""
        opener = self.opener(at)
        if not opener:
            return None
        closer, cost = _PAIRS[opener]
        for match in _STOPS_OF_KEYS[opener].finditer(self.text, at + len(opener)):
            if match[0][0] != "\\" and match[0] == closer:
                return End(match.start(), match.end(), cost)
        return None

    # -------------------------------------------------------------------- what a reading gives
    def closes(self, at: int) -> bool:
        """Whether the string that begins at a character has a closing quote."""
        opener = self.opener(at)
        closer = _PAIRS[opener][0]
        found = _STOPS_OF_KEYS[opener].finditer(self.text, at + len(opener))
        return any(match[0] == closer for match in found)

    def rest(self, at: int) -> str:
        """The JSON of the string that begins at a character and goes to the end of the text.

        What it may mean is in doubt where its backslashes are; half an escape at its end is none.
        """
        opener = self.opener(at)
        body = _HALF_ESCAPE.sub(r"\1", self.text[at + len(opener) :])
        try:
            return f'"{string_body(body, opener)[0]}"'
        except BackslashError:
            return ""

    def tokens(self, at: int, end: End, *, raw: bool = False) -> tuple[list[Token], int]:
        """The tokens of a string as it was read, and what its backslashes cost.

        Raises:
            BackslashError: where what a backslash means is in doubt.

        """
        opener = self.opener(at)
        start = at + len(opener) if end.start < 0 else end.start
        inner = self.text[start : end.body]
        body, kept = (json.dumps(inner)[1:-1], False) if raw else string_body(inner, opener)
        tokens = [Token(at, end.after, f'"{body}"', self._spelled(at, opener))]
        edits = [Edit("kept", self.text[n], n) for n in self._kept.get(at, ())[: end.kept]]
        if end.edit:
            edits.append(end.edit)
        if kept:
            edits.append(Edit("kept", "\\", self.text.index("\\", start)))
        tokens += [Token(end.after, end.after, "", edit) for edit in edits]
        return tokens, ESCAPE_KEPT * kept

    def _spelled(self, at: int, opener: str) -> Edit | None:
        return None if opener == '"' else Edit("read", f"{opener} as a quote", at)

    # ----------------------------------------------------------------------- where strings end
    def _find(self, at: int, where: str) -> list[End]:
        opener = self.opener(at)
        if not opener:
            return []
        if opener in _PLAIN and (plain := _PLAIN[opener].match(self.text, at)):
            end = plain.end()
            if where == IN_ARRAY and (
                self.text.startswith(_AFTER_ITEMS, self.blanks(end))
                or _ITEM_FOLLOWS.match(self.text, end)
            ):
                return [End(end - 1, end, 0)]
            empty = end == at + 2
            if self._structure_follows(end, empty=empty):
                found = [End(end - 1, end, 0)] if self._may_follow(self.blanks(end), where) else []
                if missing := self._closing_missing(at, opener, end - 1):
                    found.append(missing)
                return found
        return self._search(at, opener, where)

    def _search(self, at: int, opener: str, where: str) -> list[End]:
        """Look at every quote, up to one that ends the string for good."""
        text = self.text
        body = _Body(text, at, opener)
        self._kept[at] = body.kept
        found: list[End] = []
        first = 0
        for match in _STOPS[opener].finditer(text, body.start):
            self.work += 1
            quote = match[0]
            if quote[0] == "\\":
                body.escaped = body.escaped or quote == '\\"'
                continue
            stop, end = match.span()
            after = self.blanks(end)
            follows = self._may_follow(after, where)
            if follows and body.kept and where == IN_OBJECT and _NO_MEMBER.match(text, after):
                follows = False
            if quote != body.closer:
                if follows and text[after : after + 1] in _BEHIND_WRONG_QUOTES:
                    found.append(body.end_at_wrong(quote, stop, end, where))
                continue
            first = first or stop
            if follows:
                found += body.ends_at(quote, stop, end, where)
            if self._is_hard(body, stop, end, after, where) or not body.keep(stop, end):
                break
        if first and (missing := self._closing_missing(at, opener, first)):
            found.append(missing)
        return found

    def _is_hard(self, body: _Body, stop: int, end: int, after: int, where: str) -> bool:
        """Whether a quote ends its string for good."""
        text = self.text
        if self._structure_follows(end, empty=stop == body.start):
            return True
        return where == IN_ARRAY and (
            text[after : after + 1] in _BEHIND_ITEMS
            or text[body.start : stop].rstrip().endswith(",")
            or _ITEM_FOLLOWS.match(text, end) is not None
        )

    def _structure_follows(self, end: int, *, empty: bool) -> bool:
        """Whether what stands behind a quote can only be structure, not more of a string."""
        text = self.text
        if text[end : end + 2].lstrip(" ")[:1].isalnum():  # as most often
            return False
        if _HARD.match(text, end):
            return True
        return empty and _HARD_AFTER_NOTHING.match(text, end) is not None

    def _may_follow(self, at: int, where: str) -> bool:
        """Whether what stands at a character could follow a string."""
        text = self.text
        char = text[at : at + 1]
        if not char or char in ",}]);\uff0c<`~" or text.startswith("[/", at):
            return True
        if char == "+":
            return bool(_PLUS.match(text, at))
        if where == IN_OBJECT:
            return char in "\"'" or bool(KEY_FOLLOWS.match(text, at))
        return char in "\"'{[(-.\u201c\u2018" or char.isalnum()

    def _closing_missing(self, at: int, opener: str, first: int) -> End | None:
        """The string that ends before a comma and a key, the quote of which seemed to close it."""
        if opener not in _KEY_AFTER or not _KEY_AFTER[opener].match(self.text, first):
            return None
        start = at + 1
        whole = self.text[start:first]
        body = whole.rstrip().removesuffix(",")
        if (
            body == whole.rstrip()
            or not body
            or body != body.rstrip()
            or body[-1] in "\\'\"\u201d\u2019,"
        ):
            return None
        stop = start + len(body)
        swallows = any(body.count(c) > body.count(o) for o, c in ("{}", "[]"))
        before, _, line = body.rpartition("\n")
        swallows = swallows or (bool(before) and not line.strip(" \t}])"))
        return End(stop, stop, EDIT, 0, Edit("inserted", opener, stop), doubtful=swallows)


_KEY_AFTER: Final = {
    quote: re.compile(rf"""{quote}[^"'\\\n]{{1,120}}{quote}\s*:""") for quote in "\"'"
}


def _pattern(stops: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|{stops}", re.DOTALL)


_WITH_KEY_BEHIND: Final = re.compile(
    rf"""
    " (?: [^"\\] | \\ (?: ["\\/bfnrt] | u[0-9a-fA-F]{{4}} ) )* "
    (?= [ \t\n\r]* (?: [,;] [ \t\n\r]* ){{0,2}} {_NOTE}? "[^"\\\n]{{0,120}}" [ \t\n\r]* :
      | [ \t\n\r,}}]* \Z )
    """,
    re.VERBOSE,
)
_WITH_ITEM_BEHIND: Final = re.compile(
    rf""" "[^"\\]*" (?: (?= [ \t\n\r]* [,;\]] ) | (?= {_ITEM_FOLLOWS.pattern} ) ) """, re.VERBOSE
)
_STOPS_OF_KEYS: Final = {
    opener: _pattern(re.escape(closer)) for opener, (closer, _) in _PAIRS.items()
}
_STOPS: Final = {
    **_STOPS_OF_KEYS,
    '"': _pattern(f"[{_DOUBLE}]"),
    "\u201c": _pattern('[\u201d"]'),
    "\u201d": _pattern('[\u201d"]'),
}
