r"""How scalars are spelled otherwise than in JSON: `0x1F`, `1_000`, `True`, `'it\'s'`, `"\d"`."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from typing import Final

__all__ = [
    "BackslashError",
    "is_cut_number",
    "is_infinite",
    "number",
    "respelled",
    "string_body",
    "word",
]

_NUMBER: Final = re.compile(
    r"""
    ([+-]?)
    (?: (0[xX][0-9a-fA-F]{1,2000})
      | ((?:0|[1-9][0-9]*(?:_[0-9]+)*))? (?:(\.)([0-9]*))? ([eE][+-]?[0-9]{1,9})? )
    (?![\w.%/*°$+-])
    """,
    re.VERBOSE,
)
_JSON_NUMBER: Final = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.%/*°$+-])"
)


def number(text: str, at: int) -> tuple[int, str] | None:
    """The end of the number at a character, and how JSON spells it.

    >>> [number(text, 0) for text in ("-1.50", "0x1F", "+.5", "1_000", "10px", "007")]
    [(5, '-1.50'), (4, '31'), (3, '0.5'), (5, '1000'), None, None]
    """
    if match := _JSON_NUMBER.match(text, at):
        return match.end(), match[0]
    match = _NUMBER.match(text, at)
    if match is None:
        return None
    sign, hexadecimal, whole, point, fraction, exponent = match.groups(default="")
    minus = sign.replace("+", "")
    if hexadecimal:
        return match.end(), f"{minus}{int(hexadecimal, 16)}"
    if not whole and not fraction:
        return None
    after = f".{fraction or 0}" if point else ""
    return match.end(), f"{minus}{whole.replace('_', '') or 0}{after}{exponent}"


_SHORT: Final = 300
"""So many digits without an exponent are in range."""


def is_infinite(spelled: str) -> bool:
    """Whether a JSON number is too great for a float, and is no integer.

    >>> is_infinite("1e400"), is_infinite("1e300"), is_infinite("9" * 400)
    (True, False, False)
    """
    return (len(spelled) > _SHORT or "e" in spelled or "E" in spelled) and (
        not spelled.lstrip("-").isdigit() and math.isinf(float(spelled))
    )


_WORDS: Final = {
    "true": "true",
    "false": "false",
    "null": "null",
    "True": "true",
    "False": "false",
    "None": "null",
}
_WORD: Final = re.compile(r"(?:true|false|null|True|False|None)(?![\w$-])")


def word(text: str, at: int) -> tuple[int, str] | None:
    """The end of the constant at a character, and how JSON spells it.

    >>> word("None]", 0), word("Nonesuch", 0)
    ((4, 'null'), None)
    """
    match = _WORD.match(text, at)
    return match and (match.end(), _WORDS[match[0]])


_CUT_NUMBER: Final = re.compile(r"[+-]?(?:0[xX]?|[0-9][0-9_.]*(?:[eE][+-]?)?|\.)?$")


def is_cut_number(text: str, at: int) -> bool:
    """Whether the text ends with what may be the beginning of a number.

    >>> [is_cut_number(text, 0) for text in ("-", "1e", "0x", "1 ")]
    [True, True, True, False]
    """
    return at < len(text) and _CUT_NUMBER.match(text, at) is not None


_NAME: Final = re.compile(r"[^\W\d][\w$-]*|\$[\w$]*")


def respelled(token: str, *, is_name: bool) -> str:
    """How JSON spells a whole token that it does not have; "" if it is no other spelling.

    >>> respelled("'it is'", is_name=False), respelled("None", is_name=False)
    ('"it is"', 'null')
    >>> respelled("limit", is_name=True), respelled("limit", is_name=False)
    ('"limit"', '')
    """
    if token[0] == "'" and len(token) > 1 and token[-1] == "'":
        try:
            body, kept = string_body(token[1:-1], "'")
        except BackslashError:
            return ""
        return "" if kept else f'"{body}"'
    if is_name:
        return f'"{token}"' if _NAME.fullmatch(token) else ""
    found = number(token, 0) or word(token, 0)
    return found[1] if found and found[0] == len(token) else ""


class BackslashError(ValueError):
    """What the backslashes in a string mean is in doubt."""


_PLAIN: Final = re.compile(r'(?:[^\\"]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_ESCAPE: Final = re.compile(
    r"""
    \\ (?: u([0-9a-fA-F]{4})
         | U([0-9a-fA-F]{8})
         | x([0-9a-fA-F]{2})
         | N\{([A-Z0-9 -]{1,80})\}
         | (\r\n|.) )
    | "
    """,
    re.VERBOSE | re.DOTALL,
)


def string_body(body: str, quote: str) -> tuple[str, bool]:
    r"""How JSON spells what is between the quotes of a string; whether a backslash was kept.

    A backslash before a character that no dialect escapes belongs to the string. Beside escapes of
    letters nobody can tell: in `"D:\data\new"` the second may be a line's end or a folder.

    Raises:
        BackslashError: where what a backslash means is in doubt.

    >>> string_body(r"\d+", '"'), string_body(r"it\'s \"x\"", "'"), string_body('say "x"', "'")
    (('\\\\d+', True), ('it\'s \\"x\\"', False), ('say \\"x\\"', False))

    """
    if _PLAIN.fullmatch(body):
        return body, False
    kept = escapes = False
    parts: list[str] = []
    at = 0
    for match in _ESCAPE.finditer(body):
        json = _in_json(match, quote)
        kept = kept or (json.startswith("\\\\") and match[0] != "\\\\")
        escapes = escapes or (match[0] not in _QUOTES_ESCAPED and not json.startswith("\\\\"))
        parts += (body[at : match.start()], json)
        at = match.end()
    rest = body[at:]
    if "\\" in rest or (kept and (escapes or "\\\\" in body)):
        raise BackslashError
    return "".join((*parts, rest)), kept


_QUOTES_ESCAPED: Final = frozenset(('"', '\\"', "\\'", "\\`", "\\\n", "\\\r", "\\\r\n"))
"""Escapes that say nothing of whether other backslashes escape."""


def _in_json(match: re.Match[str], quote: str) -> str:
    """How JSON spells an escape, or a backslash that is none."""
    four, eight, two, name, sort = match.groups()
    if four or (sort and sort in '"\\/bfnrt'):
        return match[0]
    if code := eight or two:
        return _character(int(code, 16))
    if name:
        return _named(name)
    if not sort:
        return '\\"'
    if sort in {"'", quote}:
        return str(sort)
    if sort in "\r\n\u2028\u2029":
        return ""  # the string goes on in the next line
    if sort == "0" and quote == "'" and not match.string[match.end() :][:1].isdigit():
        return "\\u0000"
    if sort == "u":  # JSON's, but broken
        raise BackslashError
    if sort == " " and match.string[match.start() - 1 : match.start()] == " ":  # of what?
        raise BackslashError
    return f"\\\\{sort}"


def _character(code: int) -> str:
    try:
        return json.dumps(chr(code))[1:-1]
    except (ValueError, OverflowError):
        raise BackslashError from None


def _named(name: str) -> str:
    try:
        return json.dumps(unicodedata.lookup(name))[1:-1]
    except KeyError:
        raise BackslashError from None
