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
REPAIR_LIMIT: Final = 1_000_000
"""Longer texts, in characters, are not given to json_repair."""
REPAIR_STEPS: Final = 2_000_000
"""So many characters may json_repair look at: some texts take it cubic time."""

NOTHING: Final = object()
"""What `exact_json` returns for text that is not JSON (`None` is JSON's null)."""


class TextError(ValueError):
    """A text that cannot be read; `str(error)` is for the model that wrote it.

    `reason` is "cut off", "two calls", "not JSON", "encoding", "too deep" or "empty".

    >>> str(TextError("cut off", " inside a string"))
    'the arguments were cut off inside a string; send the whole call again'
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)

    @property
    def reason(self) -> str:
        """What is wrong, in one of six fixed words."""
        return str(self.args[0])

    def __str__(self) -> str:
        reason, detail = self.args
        return _SENTENCES[reason].format(detail)


_SENTENCES: Final = {
    "cut off": "the arguments were cut off{}; send the whole call again",
    "two calls": "the text holds two different calls; send one at a time",
    "not JSON": "the arguments are not JSON{}; send one JSON object and nothing else",
    "encoding": "the arguments are not valid {}; send them as JSON in UTF-8",
    "too deep": f"the arguments are nested deeper than {MAX_DEPTH} levels; send a flatter value",
    "empty": "the arguments are empty; send one JSON object",
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
        return _parsed(text, _STRICT)
    except TextError:
        return NOTHING


def readings(text: str | bytes | bytearray, *, accept_cut_off: bool = False) -> Iterator[Reading]:
    """Yield what the whole text of a call may mean: its value, then what a string value holds.

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
    text = _decoded(text).strip(_BLANK)
    if not text:
        raise TextError("empty")
    for level in range(MAX_ENCODINGS + 1):
        try:
            reading = _read(text, accept_cut_off=accept_cut_off)
        except TextError as error:
            # That a string does not hold JSON is no fault: the caller has the string.
            if level and error.reason == "not JSON":
                return
            raise
        yield reading
        if not isinstance(reading.value, str) or not (text := reading.value.strip(_BLANK)):
            return


def parameter_readings(text: str) -> Iterator[Reading]:
    """Yield what the string sent for one parameter may mean. Never guesses, never raises.

    The text must be JSON, or else a loosely written container or quoted string and no more.

    >>> list(parameter_readings("['a', True]"))
    [Reading(value=['a', True], grammar='python', exact=False)]
    >>> list(parameter_readings("send [1] to all"))
    []
    """
    text = text.strip(_BLANK)
    if text[:1] not in _CAN_START:
        return
    try:
        if (value := _parsed(text, _STRICT)) is not NOTHING:
            yield Reading(value, "json", exact=True)
        elif text[0] not in _CAN_START_LOOSE:
            return
        elif (value := _parsed(text, _LAX)) is not NOTHING:
            yield Reading(value, "control", exact=False)
        else:
            drafts = (_respelled(text, dialect) for dialect in _DIALECTS[1:])
            yield from (
                Reading(draft.value, draft.grammar, exact=False)
                for draft in drafts
                if draft and not draft.missing and draft.grammar in {"json5", "python"}
            )
    except TextError:
        return


# ------------------------------------------------------------------------- text and strict JSON
_BLANK: Final = " \t\n\r\f\v\x00\xa0\u2028\u2029\ufeff"
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
        raise TextError("encoding", encoding) from None


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
        raise TextError("too deep") from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inside = (x.values() if isinstance(x, dict) else x for x in level if _is_container(x))
        level = [x for values in inside for x in values if _is_container(x)]
        if not level:
            return
    raise TextError("too deep")


def _is_container(value: Any) -> bool:
    return isinstance(value, (dict, list))


# --------------------------------------------------------------------------- the whole argument
def _read(text: str, *, accept_cut_off: bool) -> Reading:
    """Read the text by the first grammar that takes it."""
    if (value := _parsed(text, _STRICT)) is not NOTHING:
        return Reading(value, "json", exact=True)
    if (value := _parsed(text, _LAX)) is not NOTHING:
        return Reading(value, "control", exact=False)
    core = _fenced(text)
    if core and (value := _parsed(core, _LAX)) is not NOTHING:
        return Reading(value, "fence", exact=False)
    if reading := _amid_prose(text):
        return reading
    core = core or _after_prose(text)
    missing = ""
    for dialect in _DIALECTS:
        if draft := _respelled(core, dialect):
            if not draft.missing:
                return Reading(draft.value, draft.grammar, exact=False)
            missing = missing or draft.missing
    missing = missing or _missing_somewhere(core)
    if missing and not accept_cut_off:
        raise TextError("cut off", missing)
    return Reading(_repaired(core, whole=not accept_cut_off), "repair", exact=False)


_FENCE: Final = re.compile(r"(```|~~~)[\w+-]*[ \t]*\r?\n?")
_OPENERS: Final = ("{", "[")
_OPENER: Final = re.compile(r"[{\[]")
_ASIDE: Final = re.compile(r"\[[^]\[{}\"]*\]")
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
    is_key = text.endswith(":") and text[:-1].rstrip().endswith(('"', "'"))
    return not (is_key or text.startswith((",", ":")) or any(c in text for c in "{}[]"))


def _amid_prose(text: str) -> Reading | None:
    """Read the one value, or the equal values, that stand in the text with prose around."""
    values: list[Any] = []
    prose: list[str] = []
    end = at = 0
    while opener := _OPENER.search(text, at):
        try:
            value, stop = _LAX.raw_decode(text, opener.start())
        except RecursionError:
            raise TextError("too deep") from None
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
    different = len({json.dumps(value, sort_keys=True) for value in values}) > 1
    rest = text[end:].strip(_BLANK)
    if opener:  # a value that breaks off, or no JSON
        first = text[len(prose[0]) :]
        different = different or bool(_SECOND.match(rest) and not first.startswith(rest))
        if not different and not first.startswith(rest):
            return None
    elif not _is_prose(rest):
        return None
    if different:
        raise TextError("two calls")
    return Reading(values[0], "repeated" if opener or len(values) > 1 else "prose", exact=False)


# ----------------------------------------------------------------- loose spellings, made JSON
class _Draft(NamedTuple):
    value: Any
    grammar: str
    missing: str  # where the text is cut off, "" if it is not


class _Broken(ValueError):
    """The text is not of this dialect."""


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
_ESCAPE: Final = re.compile(r'\\(?:[0-7]{1,3}|x..|u....|U.{8}|N\{[^{}]*\}|\r\n|.)|"', re.DOTALL)
_DECIMAL: Final = re.compile(r"([0-9]*)(\.?)([0-9]*)((?:[eE][+-]?[0-9]+)?)")
_UNDERSCORE: Final = re.compile(r"(?<=[0-9])_(?=[0-9])")
_START_OF_NUMBER: Final = re.compile(r"[+-]?\.?")
_NOT_FINITE: Final = frozenset({"NaN", "Infinity", "nan", "inf"})
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")", "(,": ")"}


class _Dialect:
    """JSON, and what the looser spellings add to it."""

    name = "closed"  # whole JSON never comes as far as this
    words: Mapping[str, str] = {"true": "true", "false": "false", "null": "null"}
    comments: tuple[str, ...] = ()
    opening: tuple[str, ...] = ("{", "[")
    quotes: tuple[str, ...] = ('"',)
    names_as_keys = False

    def escape(self, escape: str) -> str:
        return escape

    def number(self, token: str) -> str:
        return token


class _JSON5(_Dialect):
    name = "json5"
    comments = ("/",)
    quotes = ('"', "'")
    names_as_keys = True

    def escape(self, escape: str) -> str:
        sort = escape[1]
        if escape == "\\0":
            return "\\u0000"
        if sort in "\n\r\u2028\u2029":
            return ""
        if sort == "x":
            return f"\\u00{escape[2:]}"
        if sort in '"\\/bfnrtu':
            return escape
        if sort == "v":
            return "\\u000b"
        if sort.isascii() and sort.isalnum():
            raise _Broken  # JSON5 reads \d as d, but whoever wrote it meant a pattern's \d
        return _inner_json(escape[1:])

    def number(self, token: str) -> str:
        sign, digits = "-" * token.startswith("-"), token.lstrip("+-")
        if digits[:2].lower() == "0x" and "_" not in digits:
            return f"{sign}{int(digits, 16)}"
        if not (parts := _DECIMAL.fullmatch(digits)):
            raise _Broken
        whole, point, fraction, exponent = parts.groups()
        return f"{sign}{whole or 0}{point}{fraction or '0' * len(point)}{exponent}"


class _Python(_JSON5):
    name = "python"
    words: Mapping[str, str] = {
        "True": "true", "False": "false", "None": "null", **_Dialect.words
    }
    comments = ("#",)
    opening = ("{", "[", "(")
    quotes = ('"', "'", "r", "R", "u", "U")

    def escape(self, escape: str) -> str:
        sort = escape[1]
        if sort in '"\\bfnrtu':
            return escape
        if sort in "\n\r":
            return ""
        if sort in "01234567":
            return _inner_json(chr(int(escape[1:], 8)))
        if sort in "avxNU":
            return _inner_json(codecs.decode(escape.encode("ascii"), "unicode_escape"))
        return _inner_json("'" if sort == "'" else escape)

    def number(self, token: str) -> str:
        digits = _UNDERSCORE.sub("", token)
        if digits.lstrip("+-")[:2].lower() in {"0b", "0o"}:
            return str(int(digits, 0))
        return super().number(digits)


_DIALECTS: Final = (_Dialect(), _JSON5(), _Python())


def _inner_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def _respelled(text: str, dialect: _Dialect) -> _Draft | None:
    """Read the text as of this dialect, completed if it breaks off; None if it is not."""
    speller = _Speller(dialect)
    try:
        value = speller.read(text)
    except TextError:
        raise
    except ValueError:
        return None
    return None if value is NOTHING else _Draft(value, speller.grammar, speller.missing)


class _Speller:
    """Respell one text as JSON, token by token; each sort of token has the method of its name."""

    def __init__(self, dialect: _Dialect) -> None:
        self.dialect = dialect
        self.grammar = dialect.name
        self.missing = ""
        self.json: list[str] = []
        self.open: list[tuple[str, int]] = []  # bracket, and where it is in self.json

    def read(self, text: str) -> Any:
        at = 0
        while token := _TOKEN.match(text, at):
            sort, spelling = str(token.lastgroup), token[0]
            if spelling in _OPENERS and self.json and not self.open:
                return self.again(text[:at].strip(_BLANK), text[at:])
            at = token.end()
            if at < len(text) or not self.breaks_off(sort, spelling):
                getattr(self, sort)(spelling)
        self.finish(text[at:])
        return _parsed("".join(self.json), _LAX)

    @property
    def at_key(self) -> bool:
        return bool(self.open) and self.open[-1][0] == "{" and self.json[-1] in {"{", ","}

    def space(self, spelling: str) -> None:
        if "\\" in spelling and self.dialect.name == "closed":
            raise _Broken

    def comment(self, spelling: str) -> None:
        if not spelling.startswith(self.dialect.comments):
            raise _Broken

    def string(self, spelling: str) -> None:
        parts = _STRING.fullmatch(spelling)
        if not parts or not spelling.startswith(self.dialect.quotes):
            raise _Broken
        prefix, quote, body = parts.groups()
        if len(quote) > 1 and self.dialect.name != "python":
            raise _Broken
        if prefix in {"r", "R"}:
            self.json.append(json.dumps(body))
            return
        escape = self.dialect.escape
        body = _ESCAPE.sub(lambda m: '\\"' if m[0] == '"' else escape(m[0]), body)
        self.json.append(f'"{body}"')

    def number(self, spelling: str) -> None:
        self.json.append(self.dialect.number(spelling))

    def word(self, spelling: str) -> None:
        if self.at_key:
            if not self.dialect.names_as_keys:
                raise _Broken
            self.json.append(json.dumps(spelling))
        elif self.open and self.json[-1] in {":", "[", ","} and spelling.lstrip("+-") in _NOT_FINITE:
            raise TextError("not JSON", f": {spelling} is no JSON number")
        elif spelling in self.dialect.words:
            self.json.append(self.dialect.words[spelling])
        else:
            raise _Broken

    def mark(self, spelling: str) -> None:
        if spelling in {",", ":"}:
            if self.open and self.open[-1][0] == "(":
                self.open[-1] = ("(,", self.open[-1][1])  # a tuple, not a group
            self.json.append(spelling)
        elif spelling in _CLOSERS:
            if spelling not in self.dialect.opening:
                raise _Broken
            if len(self.open) >= MAX_DEPTH:
                raise TextError("too deep")
            self.open.append((spelling, len(self.json)))
            self.json.append("[" if spelling == "(" else spelling)
        else:
            self.close(spelling)

    def close(self, spelling: str) -> None:
        if not self.open or _CLOSERS[self.open[-1][0]] != spelling:
            raise _Broken
        bracket, start = self.open.pop()
        if self.dialect.names_as_keys:
            self.drop_comma()
        if bracket == "(" and len(self.json) > start + 1:
            self.json[start] = ""
        else:
            self.json.append("]" if spelling == ")" else spelling)

    def drop_comma(self) -> None:
        if self.json[-1] == "," and self.json[-2] not in {"{", "[", ",", ":"}:
            self.json.pop()

    def breaks_off(self, sort: str, spelling: str) -> bool:
        """Say whether this token, the last in the text, may be only the beginning of one."""
        if not self.open or self.at_key:
            return False
        if sort == "number":
            self.json.append("0")
            self.missing = " inside a number"
        elif sort == "word" and spelling not in self.dialect.words:
            if not any(word.startswith(spelling) for word in self.dialect.words):
                raise _Broken
            self.json.append("null")
            self.missing = " inside a value"
        return bool(self.missing)

    def finish(self, rest: str) -> None:
        """Complete what the text leaves open, and note whether more than brackets is missing."""
        if rest:
            if rest[0] in self.dialect.quotes:
                self.missing = " inside a key" if self.at_key else " inside a string"
            elif _START_OF_NUMBER.fullmatch(rest):
                self.missing = " inside a number"
            else:
                raise _Broken
            self.json.append('""')
        if not self.open:
            return
        self.grammar = "closed"
        if self.open[-1][0] == "{" and self.json[-1] not in {"{", ",", ":", "}", "]"} and self.json[-2] in {"{", ","}:
            self.missing = self.missing or " after a key"
            self.json.append(":")
        if self.json[-1] == ":":
            self.missing = self.missing or " after a key"
            self.json.append("null")
        self.drop_comma()
        while self.open:
            self.close(_CLOSERS[self.open[-1][0]])

    def again(self, first: str, rest: str) -> Any:
        """Read a second value after the first: the same again, or a part of it, is no second."""
        value = _parsed("".join(self.json), _LAX)
        if value is not NOTHING and not first.startswith(rest):
            raise TextError("two calls")
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
    return " somewhere" * (text.count(opener) > text.count(closer))


class _OutOfStepsError(Exception):
    pass


class _Metered(str):
    """A text that may be looked at so many times; json_repair has no limit of its own."""

    steps: list[int]

    def __new__(cls, text: str, steps: list[int]) -> _Metered:
        self = super().__new__(cls, text)
        self.steps = steps
        return self

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        self.steps[0] -= len(part)
        if self.steps[0] < 0:
            raise _OutOfStepsError
        return _Metered(part, self.steps) if isinstance(key, slice) else part

    def __add__(self, other: str) -> str:
        return _Metered(super().__add__(other), self.steps)

    def __radd__(self, other: str) -> str:
        return _Metered(other + str(self), self.steps)


def _repaired(text: str, *, whole: bool) -> Any:
    """Return what json_repair makes of the text, provided that, if `whole`, it left out nothing."""
    if text[:1] not in _OPENERS or len(text) > REPAIR_LIMIT:
        raise TextError("not JSON")
    from json_repair import repair_json

    try:
        guess = repair_json(_Metered(text, [REPAIR_STEPS]), return_objects=True, skip_json_loads=True)
        spelling = json.dumps(guess)
    except Exception:  # noqa: BLE001 (whatever it stumbles over, the text is what was wrong)
        raise TextError("not JSON") from None
    # Parsing it again joins halves of surrogate pairs, and refuses infinities.
    value = _parsed(spelling, _STRICT)
    if value is NOTHING or isinstance(value, dict) != text.startswith("{"):
        raise TextError("not JSON")
    if whole and not (text.endswith(_CLOSERS[text[0]]) and _essence(text) == _essence(spelling)):
        raise TextError("not JSON")
    return value


_NO_ESSENCE: Final = re.compile(r"\\u[0-9a-f]{4}|\\.|[^a-z0-9]", re.DOTALL)


def _essence(text: str) -> str:
    """Return the letters and digits of a text, which every faithful repair keeps in order."""
    return _NO_ESSENCE.sub("", text.lower()).replace("none", "null")
