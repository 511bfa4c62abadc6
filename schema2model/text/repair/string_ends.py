"""The possible ends of a string whose quotes may be missing, doubled, bare or of another kind.

A quote is a *hard* end if only structure can follow: a comma and a key, a closer and a comma, a new
line that begins with a quote. No string continues after a hard end, at any cost. At other quotes
the string may end if structure may follow, or continue, and each of these readings has its cost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from schema2model.limits import MAX_KEPT_QUOTES
from schema2model.regexes import regex
from schema2model.text.budget import Budget
from schema2model.text.repair.edits import Edit, EditCost, Token
from schema2model.text.repair.scalar_spelling import BackslashError, json_body

__all__ = [
    "IN_ARRAY",
    "KEY_FOLLOWS",
    "PLUS",
    "QUOTED",
    "QUOTES",
    "StringEnd",
    "StringScanner",
]

IN_ARRAY: Final = "["
_AMONG_KEYWORDS: Final = "dict("
"""The contexts of strings: what may follow one depends on them."""
_TEMPLATE_QUOTE: Final = '<|"|>'
_QUOTE_PAIRS: Final = {
    '"': ('"', 0),
    "'": ("'", 0),
    '"""': ('"""', 0),
    "'''": ("'''", 0),
    _TEMPLATE_QUOTE: (_TEMPLATE_QUOTE, EditCost.RESPELLED),
    "\u201c": ("\u201d", EditCost.QUOTES_RESPELLED),
    "\u201d": ("\u201d", EditCost.QUOTES_RESPELLED),
    "\u2018": ("\u2019", EditCost.QUOTES_RESPELLED),
    "`": ("`", EditCost.QUOTES_RESPELLED),
    "\uff02": ("\uff02", EditCost.QUOTES_RESPELLED),
}
"""Each opening quote, with the closing quote and the cost of both."""
QUOTES: Final = frozenset(opener[0] for opener in _QUOTE_PAIRS)
"""The characters that a string may begin with."""

QUOTED: Final = r"""(?:"(?:[^"\\\n]|\\.){0,120}"|'(?:[^'\\\n]|\\.){0,120}')"""
"""The pattern of a key in quotes."""
_QUOTED_KEY: Final = (
    rf"""(?:{QUOTED}"""
    r"""|""[^]"\\\n,:{}[]{1,120}"|"[^]"\\\n,:{}[]{1,120}"\""""  # one quote is doubled
    r"""|\u201c[^\u201d\n]{1,120}\u201d|\u2018[^\u2019\n]{1,120}\u2019)"""
)
_COLON: Final = r"(?: [:\uff1a] | => | =(?!=) )"
_BARE_KEY: Final = r"""[^\s"'`\\,;:={}\[]{1,80}(?:\[\d{1,9}\])*"""
_CONSTANT: Final = r"(?:true|false|null|True|False|None)\b"


@cache
def _hard(colon: str) -> re.Pattern[str]:
    """Return the pattern of what follows a hard end; `colon` is what follows a bare key."""
    return regex(
        rf"""\s* (?:
          (?: [}}\])]+ \s* )? (?: [,;\uff0c] \s* ){{0,2}} (?: [{{\[] \s* )?
          {_QUOTED_KEY} \s* (?: {_COLON} | ,\s*: )                    # a key
        | [}}\])]+ \s* [,;] \s* [\[{{"']                            # a closer, a comma, a member
        | [}}\])]+ \s* [{{\[] \s* (?: [\w$]+\s*: | ["'}}\]] )        # a closer and an opener
        | [:\uff1a] \s* (?: ["'{{\[\d] | -\d | {_CONSTANT} )         # a colon: it was a key
        | [,;] \s* "(?:[^"\\\n]|\\.){{1,120}}:\s*"                   # a key that is not closed
        | [,;] \s* (?: {_BARE_KEY} \s* {colon} | [\[{{] \s* ["'\]}}] )   # a bare key or a container
        | [,;] \s* [\w$(] [^"'`\\;:={{}}\n]{{0,60}} {colon} \s* ["'{{\[]  # a key of several words
        | (?<=\s) [-+.]?\d[\w.+-]* \s* {colon} \s* ["'{{\[]         # a number as a key
        ) | [^\S\n]* \n \s* ["']                                   # a line begins with a quote
        """,
        re.VERBOSE,
    )


_NEXT_ITEM: Final = r"""\s+"(?:[^"\\\n]|\\.)*"\s*[,\]"]"""
_ITEM_FOLLOWS: Final = regex(_NEXT_ITEM)
"""The text after the closing quote of an item without a comma."""
_PLAIN: Final = {
    IN_ARRAY: regex(rf'"[^"\\]*"(?=\s*[,\]]|{_NEXT_ITEM})'),
    "{": regex(rf'"[^"\\]*"(?=\s*,\s*(?:{QUOTED}|[\w$-]+)\s*:)'),
}
"""A string with a hard end at its first quote, as most often, by its context."""
_AFTER_ITEMS: Final = tuple(",]\uff1b;\uff0c")
KEY_FOLLOWS: Final = regex(
    rf"""
    (?: ["'\u201c\u2018\uff02`]? [A-Za-z_$\u00a1-\uffff][\w$\ .-]{{0,60}}? ["'\u201d\u2019\uff02`]?
      | -?\d{{1,20}} (?:\.\d{{1,20}})? | {QUOTED} ) \s* {_COLON}
    """,
    re.VERBOSE,
)
"""A key and its colon."""
_NO_BLANKS: Final = frozenset(('"', "'", "{", "}", "[", "]", ",", ":", ""))
"""The first characters of neither blanks nor comments."""
_BLANKS: Final = regex(
    r"""
    (?: [ \t\n\r\f\v\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\u180e\ufeff]
      | \\[nrt](?=[\s\\{}\[\]",:]|$)                                # spelled out
      | (?<!["'])(?://|\#\s)(?:[^"\n]*"[^"\n]*")*[^"\n]*(?:\n|$)     # no comment has half a string
      | /\*.{0,2000}?\*/ | <!--.{0,2000}?--> )*
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENTS: Final = frozenset("/#<")
"""The first characters of comments, whose end may have been searched for in vain."""
PLUS: Final = re.compile(r"""\s*\+\s*(?=["'`])""")
"""A plus between two strings, as in programs."""
_HALF_ESCAPE: Final = regex(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")
_TRIPLE: Final = {
    quote: regex(
        rf"{quote * 3} (?! [A-Za-z_$][\w$]{{0,60}} {quote} \s*: )"
        rf"[^{quote}]* (?: {quote}{{1,2}} [^{quote}]+ )* {quote * 3}",
        re.VERBOSE,
    )
    for quote in "\"'"
}
"""A string in triple quotes; not an empty string before a key without a comma."""
_LAST_COMMA: Final = regex(r"""(?<=[^\s\\'"\u201d\u2019,]),\s*\Z""")
"""The only comma after the last word of a text."""
_KEY_AT_QUOTE: Final = regex(r"""(["'])(?:[^"'\\\n]|\\.){1,120}\1\s*:""")


_MISTAKEN: Final = {'"': '["\u201d\uff02]', "\u201c": '[\u201d"]', "\u201d": '[\u201d"]'}
"""The quotes that may close a string, some by mistake."""
_STOPS: Final = {
    opener: regex(rf"\\.|{_MISTAKEN.get(opener, re.escape(closer))}", re.DOTALL)
    for opener, (closer, _) in _QUOTE_PAIRS.items()
}
"""An escape, or a quote that may close a string, by its opening quote."""


_BEFORE_QUOTE: Final = " \n\t([{=,:"
"""Characters before a quote that opens something."""
_PAIRS: Final = ("{}", "[]", "()")


class StringEnd(NamedTuple):
    """One possible end of a string."""

    body_end: int
    resume: int
    """The offset after the closing quote."""
    cost: int
    kept: int = 0
    """The number of quotes kept in the body."""
    edit: Edit | None = None
    is_doubtful: bool = False
    """Whether a quote seems to have lost its partner."""


def _ends_with_mark(body: str) -> bool:
    """Return whether the last character of a body is a colon, or a bracket without a partner.

    >>> [_ends_with_mark(body) for body in ("f(x)", "(f(x)", "f(x", "x:")]
    [False, True, False, True]
    """
    return body[-1] == ":" or any(
        body[-1] in pair and body.count(pair[0]) != body.count(pair[1]) for pair in _PAIRS
    )


class _StringBody:
    """The body of a string up to the quote under inspection, and the quotes that it keeps."""

    def __init__(self, text: str, at: int, opener: str) -> None:
        self.text = text
        self.opener = opener
        self.closer, self.cost = _QUOTE_PAIRS[opener]
        self.start = at + len(opener)
        self.kept: list[int] = []

    def keep_quote(self, stop: int) -> bool:
        """Keep a quote, and return whether the string can continue after it."""
        if self.opener == _TEMPLATE_QUOTE or len(self.kept) >= MAX_KEPT_QUOTES:
            return False
        self.kept.append(stop)
        self.cost += EditCost.EDIT
        return True

    def end_at_other_quote(self, quote: str, stop: int, end: int) -> StringEnd:
        """Return the end at a quote of another kind."""
        edit = Edit("read", f"{quote} as a quote", stop)
        return StringEnd(stop, end, self.cost + EditCost.EDIT, len(self.kept), edit)

    def ends_at(self, quote: str, stop: int, end: int) -> Iterator[StringEnd]:
        """Yield the ends at a quote of the same kind, which may be doubled."""
        text, count = self.text, len(self.kept)
        if self.opener == _TEMPLATE_QUOTE and "\\" in text[self.start : stop]:
            return
        yield StringEnd(stop, end, self.cost, count)
        is_doubled = text.startswith(quote, end)
        if not is_doubled or len(self.opener) > 1 or stop == self.start:
            return
        is_partner = count % 2 == 1 and self._last_opens()
        if not is_partner or self.opener not in "\"'":  # then it is the next one that closes
            edit = Edit("dropped", quote, end)
            yield StringEnd(stop, end + 1, self.cost + EditCost.EDIT, count, edit, is_doubtful=True)

    def _last_opens(self) -> bool:
        """Return whether the last kept quote seems to open something."""
        text, last = self.text, self.kept[-1]
        after = text[last + 1 : last + 2]
        return text[last - 1] in _BEFORE_QUOTE and after not in {" ", "\n", text[last]}


class StringScanner:
    """The strings of a text, wherever one begins."""

    def __init__(self, text: str, budget: Budget) -> None:
        self.text = text
        self._budget = budget
        self._ends: dict[tuple[int, str], list[StringEnd]] = {}
        self._kept: dict[int, list[int]] = {}

    def opening_quote(self, at: int) -> str:
        """Return the opening quote of the string at an offset, or ""."""
        text = self.text
        char = text[at : at + 1]
        if text.startswith(char * 3, at) and char in _TRIPLE and _TRIPLE[char].match(text, at):
            return char * 3
        if char == "`" and text.startswith("```", at):
            return ""  # a fence
        if char == "<":
            return _TEMPLATE_QUOTE if text.startswith(_TEMPLATE_QUOTE, at) else ""
        return char if char in _QUOTE_PAIRS else ""

    def skip_blanks(self, at: int) -> int:
        """Return the end of the blanks and comments at an offset."""
        text = self.text
        char = text[at : at + 1]
        if char == " ":  # one, most often
            after = text[at + 1 : at + 2]
            if after in _NO_BLANKS or after.isalnum():
                return at + 1
        elif char in _NO_BLANKS or char.isalnum():
            return at
        end = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if (end - at) >> 6 or text[end : end + 1] in _COMMENTS:
            line = text.find("\n", end)
            self._budget.take_scan(max(end, len(text) if line < 0 else line) - at)
        return end

    def possible_ends(self, at: int, context: str) -> list[StringEnd]:
        """Return the possible ends of the string at an offset."""
        found = self._ends.get((at, context))
        if found is None:
            plain = _PLAIN[context].match(self.text, at) if context in _PLAIN else None
            found = [StringEnd(plain.end() - 1, plain.end(), 0)] if plain else []
            found = self._ends[at, context] = found or self._find(at, context)
        return found

    def key_end(self, at: int) -> StringEnd | None:
        """Return the end of the key at an offset: its first closing quote."""
        opener = self.opening_quote(at)
        closer, cost = _QUOTE_PAIRS[opener]
        for match in _STOPS[opener].finditer(self.text, at + len(opener)):
            if match[0] == closer:
                return StringEnd(match.start(), match.end(), cost)
        return None

    def truncated_json(self, at: int) -> str:
        """Return the JSON of the string from an offset to the end of the text.

        "" if the meaning of its backslashes is in doubt. A truncated escape at its end is dropped.
        """
        opener = self.opening_quote(at)
        body = _HALF_ESCAPE.sub(r"\1", self.text[at + len(opener) :])
        try:
            return f'"{json_body(body, opener)[0]}"'
        except BackslashError:
            return ""

    def tokens(
        self, at: int, end: StringEnd, *, raw: bool = False, in_program: bool
    ) -> tuple[list[Token], int]:
        """Return the tokens of a string, and the cost of its backslashes; see `json_body`.

        Raises BackslashError if the meaning of a backslash is in doubt.
        """
        opener = self.opening_quote(at)
        start = at + len(opener)
        inner = self.text[start : end.body_end]
        if raw:
            body, kept = json.dumps(inner)[1:-1], False
        else:
            body, kept = json_body(inner, opener, in_program=in_program)
        spelled = None if opener == '"' else Edit("read", f"{opener} as a quote", at)
        token = Token(at, end.resume, f'"{body}"', spelled)
        if not (end.kept or end.edit or kept):  # as most often
            return [token], 0
        edits = [Edit("kept", self.text[n], n) for n in self._kept.get(at, ())[: end.kept]]
        if end.edit:
            edits.append(end.edit)
        if kept:
            edits.append(Edit("kept", "\\", self.text.index("\\", start)))
        others = [Token(end.resume, end.resume, "", edit) for edit in edits]
        return [token, *others], EditCost.ESCAPE_KEPT * kept

    def _find(self, at: int, context: str) -> list[StringEnd]:
        """Inspect every quote up to a hard end."""
        text, opener = self.text, self.opening_quote(at)
        if not opener:
            return []
        self._budget.take_steps(1)
        body = _StringBody(text, at, opener)
        self._kept[at] = body.kept
        found: list[StringEnd] = []
        first = 0
        for match in _STOPS[opener].finditer(text, body.start):
            self._budget.take_steps(1)
            quote = match[0]
            if quote[0] == "\\":
                continue
            stop, end = match.span()
            after = self.skip_blanks(end)
            follows = self._may_follow(after, context)
            if quote != body.closer:
                if follows and text.startswith((",", "}", "]"), after):
                    found.append(body.end_at_other_quote(quote, stop, end))
                continue
            first = first or stop
            if follows:
                found += body.ends_at(quote, stop, end)
            if self._is_hard(body, stop, end, after, context) or not body.keep_quote(stop):
                break
        if first and (missing := self._closing_missing(at, opener, first)):
            found.append(missing)
        return found

    def _is_hard(self, body: _StringBody, stop: int, end: int, after: int, context: str) -> bool:
        """Return whether only structure can be after a quote, not more of the string."""
        text = self.text
        if context == IN_ARRAY and (
            text.startswith(_AFTER_ITEMS, after)
            or text[body.start : stop].rstrip().endswith(",")
            or _ITEM_FOLLOWS.match(text, end)
        ):
            return True
        if text[end : end + 2].lstrip(" ")[:1].isalpha():  # as most often
            return False
        return _hard("=(?!=)" if context == _AMONG_KEYWORDS else ":").match(text, end) is not None

    def _may_follow(self, at: int, context: str) -> bool:
        """Return whether the text at an offset can follow a string."""
        text = self.text
        char = text[at : at + 1]
        if not char or char in ",}]);\uff0c<`~" or text.startswith("[/", at):
            return True
        if char == "+":
            return bool(PLUS.match(text, at))
        if context != IN_ARRAY:
            return char in "\"'" or bool(KEY_FOLLOWS.match(text, at))
        return char in "\"'{[(-.\u201c\u2018" or char.isalnum()

    def _closing_missing(self, at: int, opener: str, first: int) -> StringEnd | None:
        """Return the end before a comma and a key, whose quote seemed to close the string."""
        if not _KEY_AT_QUOTE.match(self.text, first):
            return None
        comma = _LAST_COMMA.search(self.text, at + 1, first)
        if comma is None:
            return None
        stop = comma.start()
        body = self.text[at + 1 : stop]
        edit = Edit("inserted", opener, stop)
        return StringEnd(stop, stop, EditCost.EDIT, 0, edit, is_doubtful=_ends_with_mark(body))
