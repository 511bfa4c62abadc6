r"""Other spellings of JSON's scalars: `0x1F`, `1_000`, `True`, `'it\'s'`, `"\d"`."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from typing import Final

from schema2model.regexes import regex

__all__ = [
    "CAPITAL_CONSTANTS",
    "CONSTANTS",
    "BackslashError",
    "is_infinite",
    "json_body",
    "parse_constant",
    "parse_number",
    "respell_token",
    "single_quoted",
]

_NUMBER: Final = re.compile(
    r"""
    ([+-]?)
    (?: (0[xX][0-9a-fA-F]{1,2000})
      | ((?:0|[1-9][0-9]*(?:_[0-9]+)*))? (?:(\.)([0-9]*))? ([eE][+-]?[0-9]+)? )
    (?![\w.%/*°$+-])
    """,
    re.VERBOSE,
)


def parse_number(text: str, at: int) -> tuple[int, str] | None:
    """Return the end of the number at an offset, and its JSON.

    >>> [parse_number(text, 0) for text in ("-1.50", "0x1F", "+.5", "1_000", "10px", "007")]
    [(5, '-1.50'), (4, '31'), (3, '0.5'), (5, '1000'), None, None]
    """
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


def is_infinite(spelled: str) -> bool:
    """Return whether a JSON number is too large for a float and is not an integer.

    >>> is_infinite("1e400"), is_infinite("1e300"), is_infinite("9" * 400)
    (True, False, False)
    """
    return not spelled.lstrip("-").isdigit() and math.isinf(float(spelled))


CONSTANTS: Final = {
    "true": "true",
    "false": "false",
    "null": "null",
    "True": "true",
    "False": "false",
    "None": "null",
}
"""The constants of JSON and Python, with their JSON."""
CAPITAL_CONSTANTS: Final = {
    word: json for json in ("true", "false", "null") for word in (json.upper(), json.capitalize())
}
"""Constants as spreadsheets, SQL and YAML write them."""
_CONSTANT: Final = regex(r"(?:true|false|null|True|False|None)(?![\w$-])")


def parse_constant(text: str, at: int) -> tuple[int, str] | None:
    """Return the end of the constant at an offset, and its JSON.

    >>> parse_constant("None]", 0), parse_constant("Nonesuch", 0)
    ((4, 'null'), None)
    """
    match = _CONSTANT.match(text, at)
    return match and (match.end(), CONSTANTS[match[0]])


BARE_NAME: Final = r"(?:[^\W\d]|\$)[\w$-]*(?:\.[\w$-]+)*"
"""The pattern of a key without quotes: an identifier, with hyphens and dots."""
_NAME: Final = regex(BARE_NAME)


def respell_token(token: str, *, is_name: bool) -> str:
    """Return the JSON of a token in another spelling; "" if it is not a scalar.

    >>> respell_token("'it is'", is_name=False), respell_token("None", is_name=False)
    ('"it is"', 'null')
    >>> respell_token("limit", is_name=True), respell_token("limit", is_name=False)
    ('"limit"', '')
    """
    if token[0] == "'":  # tokens are complete
        return single_quoted(token[1:-1])
    if is_name:
        return f'"{token}"' if _NAME.fullmatch(token) else ""
    if token in CONSTANTS:
        return CONSTANTS[token]
    found = parse_number(token, 0)
    return found[1] if found and found[0] == len(token) else ""


class BackslashError(ValueError):
    """The meaning of a backslash in a string is in doubt."""


_PLAIN: Final = re.compile(r'(?:[^\\"]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_ESCAPE: Final = regex(
    r"""
    \\ (?: u([0-9a-fA-F]{4})
         | U([0-9a-fA-F]{8})
         | x([0-9a-fA-F]{2})
         | N\{([A-Z0-9 -]{1,80})\}
         | (\r\n|.|\Z) )
    | "
    """,
    re.VERBOSE | re.DOTALL,
)


_PROGRAM_ESCAPE: Final = regex(
    r"(?:[^\\]|\\[^xUN\r\n])*\\(?:x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|N\{[A-Z]|[\r\n])", re.DOTALL
)
"""Escapes of Python and JavaScript that JSON does not have; among them, that of a line break."""


def json_body(body: str, quote: str, *, in_program: bool = True) -> tuple[str, bool]:
    r"""Return the JSON of a string between its quotes, and whether it has literal backslashes.

    A backslash before a character that no language escapes is literal. If the string escapes
    letters as well, its meaning is in doubt: in `"D:\data\new"` the second may be a line break.
    So it is if JSON's quotes are around an escape that only programs have, unless the text around
    it is one: the string may hold a program.

    Raises BackslashError if it is in doubt.

    >>> json_body(r"\d+", '"'), json_body(r"it\'s \"x\"", "'"), json_body('say "x"', "'")
    (('\\\\d+', True), ('it\'s \\"x\\"', False), ('say \\"x\\"', False))
    """
    if _PLAIN.fullmatch(body):
        return body, False
    if quote == '"' and not in_program and _PROGRAM_ESCAPE.match(body):
        raise BackslashError
    kept = escapes = False

    def respell(match: re.Match[str]) -> str:
        nonlocal kept, escapes
        json = _in_json(match, quote)
        if json.startswith("\\\\"):
            kept = kept or match[0] != "\\\\"
        else:
            escapes = escapes or match[0] not in _QUOTES_ESCAPED
        return json

    json = _ESCAPE.sub(respell, body)
    if kept and (escapes or "\\\\" in body):
        raise BackslashError
    return json, kept


def single_quoted(body: str) -> str:
    """Return the JSON of a string in single quotes; "" if its meaning is in doubt."""
    try:
        json, kept = json_body(body, "'")
    except BackslashError:
        return ""
    return "" if kept else f'"{json}"'


_QUOTES_ESCAPED: Final = frozenset(('"', '\\"', "\\'", "\\`", "\\\n", "\\\r", "\\\r\n"))
"""Escapes that are compatible with literal backslashes."""


def _in_json(match: re.Match[str], quote: str) -> str:
    """Return the JSON of an escape, or of a literal backslash."""
    four, eight, two, name, sort = match.groups()
    if four or (sort and sort in '"\\/bfnrt'):
        return match[0]
    if eight or two or name:
        return _character(eight or two, name)
    if match[0] == '"':
        return '\\"'
    if sort in {"'", quote}:
        return str(sort)
    if sort in "\r\n\u2028\u2029":
        return ""  # the string continues in the next line
    if sort == "0" and quote == "'" and not match.string[match.end() :][:1].isdigit():
        return "\\u0000"
    if not sort or sort == "u":  # JSON's, but broken
        raise BackslashError
    if sort == " " and match.string[match.start() - 1 : match.start()] == " ":  # in doubt
        raise BackslashError
    return f"\\\\{sort}"


def _character(code: str, name: str) -> str:
    """Return the JSON of a character that is escaped by its code or name."""
    try:
        return json.dumps(unicodedata.lookup(name) if name else chr(int(code, 16)))[1:-1]
    except (KeyError, ValueError, OverflowError):
        raise BackslashError from None
