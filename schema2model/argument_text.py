r"""The text of a call's arguments to a value: exact grammars in order, a heuristic last.

The first grammar that takes a text reads it, and the caller judges the value by the schema.

    json       RFC 8259; of duplicate keys the last wins; no NaN, no Infinity, no overflow
    control    the same, with raw control characters inside strings
    fence      either of them in a Markdown code fence
    prose      either of them, one object or array, with words around it
    repeated   the same value again, whole or cut off
    closed     nothing but closing brackets is missing at the end
    json5      https://spec.json5.org, except that `"\d"` is not taken to mean `"d"`
    python     a literal of dicts, lists, tuples and scalars
    repair     what json_repair makes of it, if no part of the text is missing then

Loose spellings are never evaluated. They are respelled token by token as JSON, which the standard
library parses: numbers keep their digits, and hostile text reaches no recursive parser.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, NoReturn, SupportsIndex

__all__ = ["NOTHING", "Reading", "TextError", "exact_json", "parameter_readings", "readings"]

MAX_DEPTH: Final = 200
"""Deeper nesting is refused: validators and Python's own stack give up soon after."""
MAX_ENCODINGS: Final = 4
"""So many times may JSON be wrapped in a JSON string."""
LOOSE_LIMIT: Final = 400_000
"""Longer texts, in characters, must be JSON; so many are read in a second or two at worst."""
REPAIR_LIMIT: Final = 100_000
"""Longer texts are not given to json_repair."""
MAX_VALUES: Final = 100
"""So many places are tried in text that may have values in it."""
REPAIR_STEPS: Final = 1_000_000
"""So many characters may json_repair look at: some texts take it cubic time."""

NOTHING: Final = object()
"""What `exact_json` returns for text that is not JSON (`None` is JSON's null)."""


CUT_OFF: Final = "cut off"
TWO_CALLS: Final = "two calls"
NOT_JSON: Final = "not JSON"
ENCODING: Final = "encoding"
TOO_DEEP: Final = "too deep"
EMPTY: Final = "empty"


class TextError(ValueError):
    """A text that cannot be read; `str(error)` is for the model that wrote it.

    `reason` is "cut off", "two calls", "not JSON", "encoding", "too deep" or "empty".

    >>> str(TextError(CUT_OFF, " inside a string"))
    'the arguments were cut off inside a string; send the whole call again'
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)

    @property
    def reason(self) -> str:
        """What is wrong: one of six fixed words."""
        return str(self.args[0])

    def __str__(self) -> str:
        reason, detail = self.args
        return _SENTENCES[reason].format(detail)


_SENTENCES: Final = {
    CUT_OFF: "the arguments were cut off{}; send the whole call again",
    TWO_CALLS: "the text holds two different calls; send one at a time",
    NOT_JSON: "the arguments are not JSON{}; send one JSON object and nothing else",
    ENCODING: "the arguments are not valid {}; send them as JSON in UTF-8",
    TOO_DEEP: f"the arguments are nested deeper than {MAX_DEPTH} levels; send a flatter value",
    EMPTY: "the arguments are empty; send one JSON object",
}


class Reading(NamedTuple):
    """What a text may mean: the value, the grammar that took it, and whether that was JSON."""

    value: Any
    grammar: str
    exact: bool


def exact_json(text: str) -> Any:
    """Parse strict JSON, or return `NOTHING`. No digit is lost and no number is infinite.

    >>> exact_json('{"a": 12345678901234567890}')
    {'a': 12345678901234567890}
    >>> [exact_json(text) is NOTHING for text in ("NaN", "1e400", "[1,]", "")]
    [True, True, True, True]
    """
    try:
        return _parsed(_joined(text), _STRICT)
    except TextError:
        return NOTHING


def readings(text: str | bytes | bytearray, *, accept_cut_off: bool = False) -> Iterator[Reading]:
    r"""Yield what the whole text of a call may mean: its value, then what a string value holds.

    Raises TextError if there is no reading, and also after a string whose contents are a call
    that is cut off or two calls. `accept_cut_off` lets json_repair complete what is missing.

    >>> [reading.value for reading in readings('Here you are: {"a": [1, "x"]}')]
    [{'a': [1, 'x']}]
    >>> [reading.value for reading in readings(r'"{\"a\": 1}"')]
    ['{"a": 1}', {'a': 1}]
    >>> list(readings('{"path": "a.py", "content": "def f():'))
    Traceback (most recent call last):
        ...
    schema2model.argument_text.TextError: the arguments were cut off inside a string; ...
    """
    text = _stripped(_decoded(text))
    if not text:
        raise TextError(EMPTY)
    for level in range(MAX_ENCODINGS + 1):
        try:
            reading = _read(text, accept_cut_off=accept_cut_off)
        except TextError as error:
            # That a string does not hold JSON is no fault: the caller has the string.
            if level and (error.reason == NOT_JSON or text[0] not in _OPENERS):
                return
            raise
        except RecursionError:  # the caller's own stack was nearly full
            raise TextError(TOO_DEEP) from None
        yield reading
        if not isinstance(reading.value, str) or not (text := _stripped(reading.value)):
            return


def parameter_readings(text: str) -> Iterator[Reading]:
    """Yield what the string sent for one parameter may mean. Never guesses, never raises.

    The text must be JSON, or else a loosely written container or quoted string and no more.

    >>> list(parameter_readings("['a', True]"))
    [Reading(value=['a', True], grammar='python', exact=False)]
    >>> list(parameter_readings("send [1] to all"))
    []
    """
    text = _stripped(text)
    if text[:1] not in _CAN_START:
        return
    try:
        if (value := _parsed(text, _STRICT)) is not NOTHING:
            yield Reading(value, "json", exact=True)
        elif len(text) > LOOSE_LIMIT or text[0] not in _CAN_START_LOOSE:
            return
        elif (value := _parsed(text, _LAX)) is not NOTHING:
            yield Reading(value, "control", exact=False)
        else:
            for dialect in (_JSON5, _PYTHON):
                value, draft = _Draft.of(text, dialect)
                if value is not NOTHING and draft.grammar == dialect.grammar and not draft.missing:
                    yield Reading(value, dialect.grammar, exact=False)
                    return
    except TextError:
        return


# ------------------------------------------------------------------------- text and strict JSON
_BLANK: Final = " \t\n\r\f\v\xa0\u2028\u2029\ufeff"
_CAN_START: Final = frozenset("{[(\"'-0123456789tfn")
_CAN_START_LOOSE: Final = frozenset("{[(\"'")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_MARKS: Final = (  # UTF-32 before UTF-16, whose mark begins the same
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32-LE"),
    (codecs.BOM_UTF32_BE, "UTF-32-BE"),
    (codecs.BOM_UTF16_LE, "UTF-16-LE"),
    (codecs.BOM_UTF16_BE, "UTF-16-BE"),
)


def _decoded(text: str | bytes | bytearray) -> str:
    if isinstance(text, str):
        return text
    mark, encoding = next((m for m in _MARKS if text.startswith(m[0])), (b"", "UTF-8"))
    try:
        return text[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise TextError(ENCODING, encoding) from None


def _stripped(text: str) -> str:
    """Leave one blank at the end: a number that is followed by any is complete."""
    text = _joined(text).lstrip(_BLANK)
    bare = text.rstrip(_BLANK)
    return bare + " " * (bare != text)


def _joined(text: str) -> str:
    """Join the surrogate pairs that stand in the text unescaped; the parser joins the others."""
    if text.isascii() or not _PAIR.search(text):
        return text
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise ValueError(digits)
    return number


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


_STRICT: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse)
_LAX: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse, strict=False)


def _parsed(text: str, decoder: json.JSONDecoder) -> Any:
    """Parse the whole text, or return `NOTHING`."""
    try:
        value = decoder.decode(text)
    except ValueError:  # raised for too long an integer, too
        return NOTHING
    except RecursionError:
        raise TextError(TOO_DEEP) from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        children = (x.values() if type(x) is dict else x for x in level)
        level = [x for values in children for x in values if type(x) is dict or type(x) is list]
        if not level:
            return
    raise TextError(TOO_DEEP)


# --------------------------------------------------------------------------- the whole argument
def _read(text: str, *, accept_cut_off: bool) -> Reading:
    """Read the text by the first grammar that takes it."""
    if (value := _parsed(text, _STRICT)) is not NOTHING:
        return Reading(value, "json", exact=True)
    if (value := _parsed(text, _LAX)) is not NOTHING:
        return Reading(value, "control", exact=False)
    if len(text) > LOOSE_LIMIT:
        raise TextError(NOT_JSON, " and too long to mend")
    core = _fenced(text)
    if core and (value := _parsed(core, _LAX)) is not NOTHING:
        return Reading(value, "fence", exact=False)
    if reading := _amid_prose(text):
        return reading
    core = core or _after_prose(text)
    missing = ""
    for dialect in (_JSON, _JSON5, _PYTHON):
        value, draft = _Draft.of(core, dialect)
        if value is not NOTHING and not draft.missing:
            return Reading(value, draft.grammar, exact=False)
        if value is not NOTHING:
            missing = missing or draft.missing
    missing = missing or _missing_somewhere(core)
    if missing and not accept_cut_off:
        raise TextError(CUT_OFF, missing)
    return Reading(_repaired(core, whole=not accept_cut_off), "repair", exact=False)


_FENCE: Final = re.compile(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
_OPENERS: Final = ("{", "[")
_OPENER: Final = re.compile(r"[{\[]")
_ASIDE: Final = re.compile(r"\[[/!]?[^\W\d][^]\[{}\"]*\]")
_TORN: Final = re.compile(r"""[][{}]|["']\s{0,9}:|"\s{0,9},""")
_SECOND: Final = re.compile(r"""\{\s*["'}]|\[\s*[{"'\]]""")


def _fenced(text: str) -> str:
    """Return what stands between the first code fence and the last, if only prose is outside."""
    if not (opening := _FENCE.search(text)):
        return ""
    end = text.rfind(opening[1])
    if end < opening.end():  # the closing fence is missing
        end = len(text)
    outside = (text[: opening.start()], text[end + 3 :])
    return text[opening.end() : end].strip(_BLANK) if all(map(_is_prose, outside)) else ""


def _after_prose(text: str) -> str:
    opener = _OPENER.search(text)
    return text[opener.start() :] if opener and _is_prose(text[: opener.start()]) else text


def _is_prose(text: str) -> bool:
    """Say whether the text has no brackets but [asides], and is not a torn-off part of JSON."""
    text = _ASIDE.sub("", text).strip(_BLANK)
    return not (text.startswith((",", ":")) or _TORN.search(text))


def _amid_prose(text: str) -> Reading | None:
    """Read the one value, or the equal values, that stand in the text with prose around."""
    values: list[Any] = []
    prose: list[str] = []
    end = at = 0
    for _ in range(MAX_VALUES):
        if not (opener := _OPENER.search(text, at)):
            break
        try:
            value, stop = _LAX.raw_decode(text, opener.start())
        except RecursionError:
            raise TextError(TOO_DEEP) from None
        except ValueError:
            if not (aside := _ASIDE.match(text, opener.start())):
                break
            at = aside.end()
        else:
            _check_depth(value)
            values.append(value)
            prose.append(text[end : opener.start()])
            end = at = stop
    if not values or not all(_is_prose(gap) or gap.strip(_BLANK) == "," for gap in prose):
        return None
    rest = text[end:].strip(_BLANK)
    again = bool(opener) and text.startswith(rest, len(prose[0]))  # a copy that breaks off
    another = bool(opener) and not again and bool(_SECOND.match(rest))
    if another or len({json.dumps(value, sort_keys=True) for value in values}) > 1:
        raise TextError(TWO_CALLS)
    if not again and rest != "," and not _is_prose(rest):
        return None
    return Reading(values[0], "repeated" if again or len(values) > 1 else "prose", exact=False)


# ------------------------------------------------------------------ loose spellings, made JSON
class _BrokenError(ValueError):
    """The text is not of this dialect."""


class _Dialect(NamedTuple):
    """What a loose spelling adds to JSON."""

    grammar: str
    quotes: tuple[str, ...]
    comments: tuple[str, ...]
    openers: str
    words: Mapping[str, str]
    escapes: str  # besides those of JSON


_WORDS: Final = {"true": "true", "false": "false", "null": "null"}
_PYTHON_WORDS: Final = {"True": "true", "False": "false", "None": "null", **_WORDS}
_JSON: Final = _Dialect("closed", ('"',), (), "{[", _WORDS, "")
_JSON5: Final = _Dialect("json5", ('"', "'"), ("//", "/*"), "{[", _WORDS, "x")
_PYTHON: Final = _Dialect("python", (*"\"'rRuU",), ("#",), "{[(", _PYTHON_WORDS, "xNU")

_TOKEN: Final = re.compile(
    r"""
    (?P<space>(?:\s|\ufeff|\\[nrt])+)  # models also spell out "\n" between two tokens
  | (?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)
  | (?P<string>[rRuU]?(?:
        "{3}(?:[^\\]|\\.)*?"{3} | '{3}(?:[^\\]|\\.)*?'{3}
      | "[^"\\]*(?:\\.[^"\\]*)*" | '[^'\\]*(?:\\.[^'\\]*)*'))
  | (?P<number>[+-]?\.?[0-9](?:[eE][+-]|[\w.])*)
  | (?P<word>[+-]?(?:[^\W0-9]|\$)[\w$]*)
  | (?P<mark>[]\[{}(),:])
    """,
    re.VERBOSE | re.DOTALL,
)
_STRING: Final = re.compile(r"""([rRuU]?)("{3}|'{3}|"|')(.*)\2""", re.DOTALL)
_ESCAPE: Final = re.compile(r'\\(?:[0-9]+|x..|u....|U.{8}|N\{[^{}]*\}|\r\n|.)|"', re.DOTALL)
_DECIMAL: Final = re.compile(r"([0-9]*)(\.?)([0-9]*)((?:[eE][+-]?[0-9]+)?)")
_HEXADECIMAL: Final = re.compile("0[xX][0-9a-fA-F]{1,2000}")  # Python prints no more digits
_UNDERSCORE: Final = re.compile(r"(?<=[0-9])_(?=[0-9])")
_START_OF_NUMBER: Final = re.compile(r"[+-]?\.?")
_NOT_FINITE: Final = frozenset({"NaN", "Infinity", "nan", "inf"})
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")", "(,": ")"}


class _Draft:
    """A text respelled as JSON, token by token; each sort of token has the method of its name.

    `missing` says where the text breaks off; it is empty if only closing brackets are missing,
    and then `grammar` is "closed".
    """

    def __init__(self, dialect: _Dialect) -> None:
        self.dialect = dialect
        self.grammar = dialect.grammar
        self.missing = ""
        self.json = [" "]
        self.open: list[tuple[str, int]] = []  # bracket, and where in self.json it is

    @classmethod
    def of(cls, text: str, dialect: _Dialect) -> tuple[Any, _Draft]:
        """Return the value and its draft, a text that breaks off being completed, or NOTHING."""
        draft = cls(dialect)
        try:
            return draft.read(text), draft
        except (_BrokenError, UnicodeError):
            return NOTHING, draft

    def read(self, text: str) -> Any:
        at = 0
        while token := _TOKEN.match(text, at):
            sort, spelling = str(token.lastgroup), token[0]
            if spelling in _OPENERS and self.json != [" "] and not self.open:
                return self.again(text[:at].strip(_BLANK), text[at:].strip(_BLANK))
            if sort == "comment" and token.end() == len(text) and self.open:
                raise _BrokenError  # who knows where the comment was to end
            at = token.end()
            if at < len(text) or not self.breaks_off(sort, spelling):
                getattr(self, sort)(spelling)
        self.finish(text[at:])
        return _parsed(" ".join(self.json), _LAX)

    @property
    def at_key(self) -> bool:
        return bool(self.open) and self.open[-1][0] == "{" and self.json[-1] in {"{", ","}

    def space(self, spelling: str) -> None:
        if self.dialect is _JSON and "\\" in spelling:
            raise _BrokenError

    def comment(self, spelling: str) -> None:
        if not spelling.startswith(self.dialect.comments):
            raise _BrokenError

    def string(self, spelling: str) -> None:
        parts = _STRING.fullmatch(spelling)
        if not parts or not spelling.startswith(self.dialect.quotes):
            raise _BrokenError
        prefix, quote, body = parts.groups()
        if len(quote) > 1 and self.dialect is not _PYTHON:
            raise _BrokenError
        if prefix in {"r", "R"}:
            self.json.append(json.dumps(body))
        elif self.dialect is _JSON:
            self.json.append(spelling)
        else:
            self.json.append(f'"{_ESCAPE.sub(self.escape, body)}"')

    def escape(self, match: re.Match[str]) -> str:
        escape, sort = match[0], match[0][1:2]
        if not sort:
            return '\\"'
        if sort in '"\\bfnrtu':
            return escape
        if sort in "'\n\r\u2028\u2029":
            return sort.strip()
        if escape == "\\0" or sort in self.dialect.escapes:
            return json.dumps(codecs.decode(escape.encode("ascii"), "unicode_escape"))[1:-1]
        # JSON5 says that \d is d, and Python that \a is BEL. Whoever wrote "\d+" or "C:\apps"
        # meant neither.
        is_letter = sort.isascii() and sort.isalpha()
        if sort in "av0123456789" or (self.dialect is _JSON5 and is_letter):
            raise _BrokenError
        return json.dumps(escape if self.dialect is _PYTHON else sort)[1:-1]

    def number(self, spelling: str) -> None:
        sign, digits = "-" * spelling.startswith("-"), spelling.lstrip("+-")
        if self.dialect is _PYTHON:
            digits = _UNDERSCORE.sub("", digits)
        if self.dialect is not _JSON and _HEXADECIMAL.fullmatch(digits):
            digits = str(int(digits, 16))
        if not (parts := _DECIMAL.fullmatch(digits)):
            raise _BrokenError
        whole, point, fraction, exponent = parts.groups()
        plain = f"{sign}{whole or 0}{point}{fraction or '0' * len(point)}{exponent}"
        self.json.append(spelling if self.dialect is _JSON else plain)

    def word(self, spelling: str) -> None:
        if self.at_key and self.dialect is not _JSON:
            self.json.append(json.dumps(spelling))
        elif spelling in self.dialect.words:
            self.json.append(self.dialect.words[spelling])
        elif self.open and self.json[-1] in ":[," and spelling.lstrip("+-") in _NOT_FINITE:
            raise TextError(NOT_JSON, f": {spelling} is no JSON number")
        else:
            raise _BrokenError

    def mark(self, spelling: str) -> None:
        if spelling in ",:":
            if self.json[-1] in "{[,:":
                raise _BrokenError
            if self.open and self.open[-1][0] == "(":
                self.open[-1] = ("(,", self.open[-1][1])  # a tuple, not a group
            self.json.append(spelling)
        elif spelling in ")]}":
            self.close(spelling)
        elif spelling not in self.dialect.openers:
            raise _BrokenError
        elif len(self.open) >= MAX_DEPTH:
            raise TextError(TOO_DEEP)
        else:
            self.open.append((spelling, len(self.json)))
            self.json.append("[" if spelling == "(" else spelling)

    def close(self, spelling: str) -> None:
        if not self.open or _CLOSERS[self.open[-1][0]] != spelling:
            raise _BrokenError
        bracket, start = self.open.pop()
        if self.dialect is not _JSON:
            self.drop_comma()
        if bracket == "(" and len(self.json) > start + 1:
            self.json[start] = " "  # a group, not a tuple
        else:
            self.json.append("]" if spelling == ")" else spelling)

    def drop_comma(self) -> None:
        if self.json[-1] == "," and self.json[-2] not in "{[,:":
            self.json.pop()

    def breaks_off(self, sort: str, spelling: str) -> bool:
        """Say whether this token, the last in the text, may be only the beginning of one."""
        if not self.open or self.at_key:
            return False
        if sort == "number":
            self.missing = " inside a number"
        elif sort == "word" and spelling not in self.dialect.words:
            if not any(word.startswith(spelling) for word in self.dialect.words):
                return False
            self.missing = " inside a value"
        else:
            return False
        self.json.append("0")
        return True

    def finish(self, rest: str) -> None:
        """Complete what the text leaves open, and note whether more than brackets is missing."""
        if rest.startswith(self.dialect.quotes):
            self.missing = " inside a key" if self.at_key else " inside a string"
        elif rest and _START_OF_NUMBER.fullmatch(rest):
            self.missing = " inside a number"
        elif rest:
            raise _BrokenError
        if rest:
            self.json.append('""')
        if not self.open:
            return
        self.grammar = "closed"
        if self.open[-1][0] == "{" and self.json[-2] in "{," and self.json[-1] not in "{}[],:":
            self.json.append(":")
            self.missing = self.missing or " after a key"
        if self.json[-1] == ":":
            self.json.append("null")
            self.missing = self.missing or " after a key"
        self.drop_comma()
        while self.open:
            self.close(_CLOSERS[self.open[-1][0]])

    def again(self, first: str, rest: str) -> Any:
        """Read what starts again after a value: the same or a part of it, or a second call."""
        value = _parsed(" ".join(self.json), _LAX)
        if value is not NOTHING and not first.startswith(rest):
            raise TextError(TWO_CALLS)
        self.grammar = "repeated"
        return value


# -------------------------------------------------------------------------------- the heuristic
def _missing_somewhere(text: str) -> str:
    """Say how a text that is broken in the middle is cut off at its end, too, if it seems to be.

    Where quotes are in doubt nobody can tell a string's brackets from the call's. So the text
    must end in the bracket that closes the first one, and close it as often as it opens it.
    """
    if text[:1] not in _OPENERS:
        return ""
    opener, closer = text[0], _CLOSERS[text[0]]
    return " at the end" * (text.count(opener) > text.count(closer))


class _OutOfStepsError(Exception):
    pass


class _Metered(str):
    """A text that may be looked at so many times; json_repair has no limit of its own."""

    __slots__ = ("left",)
    left: list[int]  # steps left, shared by all parts of one text

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        self.left[0] -= len(part)
        if self.left[0] < 0:
            raise _OutOfStepsError
        return _metered(part, self.left) if isinstance(key, slice) else part

    def __add__(self, other: str) -> str:
        return _metered(super().__add__(other), self.left)

    def __radd__(self, other: str) -> str:
        return _metered(other + str(self), self.left)


def _metered(text: str, left: list[int]) -> _Metered:
    metered = _Metered(text)
    metered.left = left
    return metered


def _repaired(text: str, *, whole: bool) -> Any:
    """Return what json_repair makes of the text, provided that, if `whole`, it left out nothing."""
    if text[:1] not in _OPENERS or len(text) > REPAIR_LIMIT:
        raise TextError(NOT_JSON)
    from json_repair import repair_json  # noqa: PLC0415 (correct arguments do not pay for it)

    try:
        guess = repair_json(
            _metered(text, [REPAIR_STEPS]),
            return_objects=True,
            skip_json_loads=True,
        )
        spelling = json.dumps(guess)
    except Exception:  # noqa: BLE001 (whatever it stumbles over, the text was what is wrong)
        raise TextError(NOT_JSON) from None
    # Parsing once more joins the halves of surrogate pairs, and refuses infinities.
    value = _parsed(spelling, _STRICT)
    if value is NOTHING or isinstance(value, dict) != text.startswith("{"):
        raise TextError(NOT_JSON)
    if whole and not (
        text.rstrip(_BLANK).endswith(_CLOSERS[text[0]])
        and _essence(text) == _essence(spelling)
        and len(_EMPTY_VALUE.findall(text)) >= len(_EMPTY_VALUE.findall(spelling))
    ):
        raise TextError(NOT_JSON)
    return value


_EMPTY_VALUE: Final = re.compile(r""":\s*(?:""|'')""")
_SYNTAX: Final = re.compile(
    r"""\\u201[89cd]|\\["'\\/bfnrt]|\\(?!u)|[][\s"'`\u2018\u2019\u201c\u201d,:;{}()]"""
)
_FOREIGN: Final = re.compile(r"(?:\\u[0-9a-f]{4}|[^\x00-\x7f])+")


def _essence(text: str) -> str:
    """Return what a faithful repair keeps in order: all but syntax; runs of non-ASCII count."""
    return _FOREIGN.sub("~", _SYNTAX.sub("", text.lower())).replace("none", "null")
