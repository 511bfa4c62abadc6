"""Where a string may end, whose quotes may be missing, doubled, bare or of another kind.

A quote ends its string for good where what follows can only be structure: a comma and a key, a
closer and a comma, a new line that begins with a quote. Beyond such a *hard* end the string does
not go on, at any cost. At other quotes it may end, if what follows could be structure, or go on,
and each of these readings has its cost.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Final

from schema2model.text.repair.edits import EDIT, ESCAPE_KEPT, Edit, Token
from schema2model.text.repair.scalar_spelling import BackslashError, string_body
from schema2model.text.repair.string_bodies import (
    AMONG_KEYWORDS,
    IN_ARRAY,
    MARKED,
    PAIRS,
    Body,
    End,
    closes_more,
)

__all__ = ["KEY_FOLLOWS", "NO_BLANKS", "PLUS", "QUOTES", "Strings"]

QUOTES: Final = frozenset(opener[0] for opener in PAIRS)
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


@cache
def _hard(colon: str) -> re.Pattern[str]:
    """What follows a quote that ends its string for good; `colon` is what follows a bare key."""
    return re.compile(
        rf"""\s* (?:
          (?: [}}\])]+ \s* )? (?: [,;\uff0c] \s* ){{0,2}} {_NOTE}? (?: [{{\[] \s* )?
          {_QUOTED_KEY} \s* (?: [:\uff1a] | => | =(?!=) | ,\s*: )     # a key
        | [}}\])]+ \s* [,;] \s* [\[{{"']                            # a closer, a comma, a member
        | [}}\])]+ \s* [{{\[] \s* (?: [\w$]+\s*: | ["'}}\]] )        # a closer and an opener
        | [:\uff1a] \s* (?: ["'{{\[\d] | -\d | {_CONSTANT} )         # a colon: it was a key
        | [,;] \s* "(?:[^"\\\n]|\\.){{1,120}}:\s*"                   # a key that is not closed
        | [,;] \s* (?: [\w$]+ \s* {colon} | [\[{{] \s* ["'\]}}] )    # a bare key or a container
        ) | [^\S\n]* \n \s* ["']                                   # a line begins with a quote
        """,
        re.VERBOSE,
    )


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
  | " (?:[^"\\\n]|\\.){0,120} " \s*(?: : | => | = | \uff1a )
  | ' (?:[^'\\\n]|\\.){0,120} ' \s*(?: : | => | = | \uff1a )
    """,
    re.VERBOSE,
)
"""A key and its colon."""
NO_BLANKS: Final = frozenset(('"', "'", "{", "}", "[", "]", ",", ":", ""))
"""What neither blanks nor comments begin with."""
_BLANKS: Final = re.compile(
    r"""
    (?: [ \t\n\r\f\v\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\u180e\ufeff]
      | \\[nrt](?=[\s\\{}\[\]",:]|$)                                # spelled out
      | (?<!["'])(?://|\#\s)(?:[^"\n]*"[^"\n]*")*[^"\n]*(?:\n|$)     # no comment has half a string
      | /\*.{0,2000}?\*/ | <!--.{0,2000}?--> )*
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENTS: Final = frozenset("/#<")
"""What comments begin with. Whether they end may have been looked for in vain."""
PLUS: Final = re.compile(r"""\s*\+\s*(?=["'`])""")
"""What joins a string to the next one, as programs do."""
_PLAIN: Final = {
    '"': re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL),
    "'": re.compile(r"'[^'\\]*(?:\\.[^'\\]*)*'", re.DOTALL),
}
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
            return MARKED if text.startswith(MARKED, at) else ""
        return char if char in PAIRS else ""

    def blanks(self, at: int) -> int:
        """The end of the blanks and comments at a character."""
        char = self.text[at : at + 1]
        if char in NO_BLANKS or char.isalnum():
            return at
        text = self.text
        end = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if (end - at) >> 6 or text[end : end + 1] in _COMMENTS:
            line = text.find("\n", end)
            self.work += (max(end, len(text) if line < 0 else line) - at) >> 6
        return end

    def plain_end(self, at: int, where: str) -> int:
        """The end of the string at a character if it is JSON's and in no doubt; else 0.

        It has a key behind it, or what ends a text, or in an array what may only follow an item.
        """
        pattern = _WITH_ITEM_BEHIND if where == IN_ARRAY else _WITH_KEY_BEHIND
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
        closer, cost = PAIRS[opener]
        for match in _STOPS_OF_KEYS[opener].finditer(self.text, at + len(opener)):
            if match[0][0] != "\\" and match[0] == closer:
                return End(match.start(), match.end(), cost)
        return None

    # -------------------------------------------------------------------- what a reading gives
    def closes(self, at: int) -> bool:
        """Whether the string that begins at a character has a closing quote."""
        opener = self.opener(at)
        closer = PAIRS[opener][0]
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
            if self._structure_follows(end, where, empty=empty):
                found = [End(end - 1, end, 0)] if self._may_follow(self.blanks(end), where) else []
                if missing := self._closing_missing(at, opener, end - 1):
                    found.append(missing)
                return found
        return self._search(at, opener, where)

    def _search(self, at: int, opener: str, where: str) -> list[End]:
        """Look at every quote, up to one that ends the string for good."""
        text = self.text
        body = Body(text, at, opener)
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
            if follows and body.kept and where != IN_ARRAY and _NO_MEMBER.match(text, after):
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

    def _is_hard(self, body: Body, stop: int, end: int, after: int, where: str) -> bool:
        """Whether a quote ends its string for good."""
        text = self.text
        if self._structure_follows(end, where, empty=stop == body.start):
            return True
        return where == IN_ARRAY and (
            text[after : after + 1] in _BEHIND_ITEMS
            or text[body.start : stop].rstrip().endswith(",")
            or _ITEM_FOLLOWS.match(text, end) is not None
        )

    def _structure_follows(self, end: int, where: str, *, empty: bool) -> bool:
        """Whether what stands behind a quote can only be structure, not more of a string."""
        text = self.text
        if text[end : end + 2].lstrip(" ")[:1].isalnum():  # as most often
            return False
        if _hard("=(?!=)" if where == AMONG_KEYWORDS else ":").match(text, end):
            return True
        return empty and _HARD_AFTER_NOTHING.match(text, end) is not None

    def _may_follow(self, at: int, where: str) -> bool:
        """Whether what stands at a character could follow a string."""
        text = self.text
        char = text[at : at + 1]
        if not char or char in ",}]);\uff0c<`~" or text.startswith("[/", at):
            return True
        if char == "+":
            return bool(PLUS.match(text, at))
        if where != IN_ARRAY:
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
            or (body[-1] in "`\u201c\u2018" and body.count(body[-1]) % 2)  # meant to close it
        ):
            return None
        stop = start + len(body)
        swallows = closes_more(body)
        before, _, line = body.rpartition("\n")
        swallows = swallows or (bool(before) and not line.strip(" \t}])"))
        return End(stop, stop, EDIT, 0, Edit("inserted", opener, stop), doubtful=swallows)


_KEY_AFTER: Final = {
    quote: re.compile(rf"""{quote}(?:[^"'\\\n]|\\.){{1,120}}{quote}\s*:""") for quote in "\"'"
}


def _pattern(stops: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|{stops}", re.DOTALL)


_WITH_KEY_BEHIND: Final = re.compile(
    rf"""
    " (?: [^"\\] | \\ (?: ["\\/bfnrt] | u[0-9a-fA-F]{{4}} ) )* "
    (?= \s* (?: [,;] \s* ){{0,2}} {_NOTE}? "[^"\\\n]{{0,120}}" \s* :
      | [\s,}}]* \Z )
    """,
    re.VERBOSE,
)
_WITH_ITEM_BEHIND: Final = re.compile(
    rf""" "[^"\\]*" (?: (?= \s* [,;\]] ) | (?= {_ITEM_FOLLOWS.pattern} ) ) """, re.VERBOSE
)
_STOPS_OF_KEYS: Final = {
    opener: _pattern(re.escape(closer)) for opener, (closer, _) in PAIRS.items()
}
_STOPS: Final = {
    **_STOPS_OF_KEYS,
    '"': _pattern(f"[{_DOUBLE}]"),
    "\u201c": _pattern('[\u201d"]'),
    "\u201d": _pattern('[\u201d"]'),
}
