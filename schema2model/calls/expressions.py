r"""Python calls and literals, and JSON, in one loose grammar: a text becomes nodes, never values.

Nothing is evaluated. A node has its span in the text, and its JSON. Parsing is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring_ascii
from string import ascii_letters, digits
from typing import Final

from schema2model.json.parsing import surrogates_joined
from schema2model.limits import MAX_DEPTH
from schema2model.regexes import regex
from schema2model.text.repair.scalar_spelling import (
    CAPITAL_CONSTANTS,
    parse_constant,
    parse_number,
    respell_token,
)

__all__ = [
    "NAME",
    "PYTHON",
    "PYTHON_CALL",
    "TEXT_ENDS",
    "TOO_NESTED",
    "Expression",
    "ExpressionError",
    "json_object",
    "parse",
    "unescaped",
]

NAME: Final = r"[^\W\d](?:[\w.-]|\\[_.*-])*"
"""The name of a tool in a Python call; Markdown puts a backslash before underscores."""
PYTHON: Final = frozenset(
    ("", "python", "py", "tool_code", "tool_call", "tool_calls", "text", "plaintext")
)
"""The languages of code blocks that may be calls in Python."""
PYTHON_CALL: Final = regex(rf"(?P<name>{NAME})\s?\(")
"""The beginning of a call in Python."""


TEXT_ENDS: Final = "it is cut off"
"""The error where the text ends within an expression."""
TOO_NESTED: Final = "it is nested too deeply"


class ExpressionError(ValueError):
    """A text that is not an expression; `str(error)` gives the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.open: list[int] = []
        """The offsets of the containers that do not end for this reason."""


@dataclass(slots=True, eq=False)
class Expression:
    """A part of the text: a container, a call or a scalar."""

    text: str
    """The whole text."""
    kind: str
    """`{`, `[`, `(`, `call`, `string`, `literal`, or `text` for unquoted text."""
    start: int
    end: int = 0
    """The offset after it."""
    name: str = ""
    """Of a call."""
    exact: bool = field(default=True, kw_only=True)
    """True if it is spelled in JSON."""
    keys: Sequence[str | None] = ()
    """Of an object's members, or of a call's arguments, where those have any."""
    items: Sequence[Expression] = ()

    @property
    def is_literal(self) -> bool:
        """True if no variable and no call is in it."""
        return self.kind not in {"text", "call"} and all(item.is_literal for item in self.items)

    @property
    def spelled(self) -> str:
        """Its text."""
        return self.text[self.start : self.end]

    @property
    def said(self) -> str:
        r"""The content of a string, or the text of anything else.

        >>> parse(r"'it\'s \u00e9'").said
        "it's é"
        """
        return _string(self.spelled)[0] if self.kind == "string" else self.spelled

    @property
    def json(self) -> str:
        """Its JSON; numbers keep their digits, and `TRUE` or `NULL` their letters.

        Raises:
            ExpressionError: if a value is a call.

        >>> parse("{'a': (1.50, None), b: it is}").json
        '{"a": [1.50, null], "b": "it is"}'
        >>> parse("{'a': 1}").json
        '{"a": 1}'

        """
        if self.exact:
            return self.spelled
        match self.kind:
            case "string":
                content, in_json = _string(self.spelled)
                return in_json or encode_basestring_ascii(content)
            case "{":
                return json_object(zip(self.keys, self.items, strict=True))
            case "[" | "(":
                items = [item.json for item in self.items]
                if self.kind == "(" and len(items) == 1:
                    is_grouped = "," not in self.text[self.items[0].end : self.end]
                    return items[0] if is_grouped else f"[{items[0]}]"
                return f"[{', '.join(items)}]"
            case "literal":
                return respell_token(self.spelled, is_name=False)
            case "call":
                message = f"{self.name[:40]}(...) is not a value"
                raise ExpressionError(message)
        if self.spelled in CAPITAL_CONSTANTS:  # the reader of arguments knows what is expected
            return self.spelled
        if self.spelled[-1:] in _QUOTES:
            message = f"the value `{self.spelled[:80]}` lacks a quote"
            raise ExpressionError(message)
        return encode_basestring_ascii(self.spelled)


def json_object(members: Iterable[tuple[str | None, Expression]]) -> str:
    """The JSON of an object."""
    inner = [f"{encode_basestring_ascii(key or '')}: {item.json}" for key, item in members]
    return f"{{{', '.join(inner)}}}"


_SPACE: Final = regex(r"(?:\s|\#[^\n]*(?:\n|\Z)|//[^\n]*(?:\n|\Z)|\\n)*")
_QUOTES: Final = frozenset("'\"")
_OPENS: Final = _QUOTES | {*"rRuUbBfF"}
_NO_SPACE: Final = frozenset(ascii_letters + digits + "'\"_,:=()[]{}")
"""Characters with which no blank or comment begins."""
_QUOTE: Final = regex(r"[rRuUbBfF]?(\"{3}|'{3}|[\"'])")
_SCALAR: Final = r"""(?P<exact>"[^"\\\x00-\x1f]*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|true|false|null)
    |'[^'\\]*'|True|False|None"""
_PLAIN: Final = regex(rf"({_SCALAR})(?=\s*[,)\]}}])", re.VERBOSE)
"""A scalar of JSON or Python without escapes, before another member or a closing bracket."""
_AFTER: Final = regex(r"\s*(?:[,)\]};]|\Z|\\n|\#)")
"""The text after a scalar."""
_KEY: Final = regex(rf"({NAME})\s*[:=](?!=)")
_ASSIGNED: Final = regex(r"\s*[:=](?!=)")
_UNQUOTED: Final = regex(
    r"""[^\s,()\[\]{}"'=:;][^,()\[\]{}"=;\n]*(?:\[["']?[\w .-]{1,80}["']?\])*"""
)
"""Unquoted text up to a delimiter; a variable may be indexed."""
_MORE: Final = regex(r""",(?!\s*(?:[^\W\d][\w-]*\s*[=:]|[)\]}]|\Z))[^,()\[\]{}"=;\n]*""")
"""More unquoted text after a comma in a call, if no argument is named there."""
_QUOTED_CALL: Final = regex(rf"""["'`]\s*(?={NAME}\s?\()""")
_JOINT: Final = regex(r"(?:\s*\[[\w'\".:-]{0,80}\])*\s*(?:\+|\||&|;|\band\b|\bor\b)?\s*")
"""The text after a call in a list: its result is indexed, or two are joined."""
_CLOSES: Final = {"{": "}", "[": "]", "(": ")", "call": ")"}


def parse(text: str, at: int = 0) -> Expression:
    """The expression that begins at a place in the text.

    Raises:
        ExpressionError: if there is none, or it does not end.

    >>> node = parse("f(a=[1, 'x'])")
    >>> node.kind, node.name, node.keys, node.items[0].kind
    ('call', 'f', ['a'], '[')

    """
    return _value(text, _after_space(text, at), 0)


def _value(text: str, at: int, depth: int, *, named: bool = False) -> Expression:
    """The value here; a `named` one, of a call's argument, may hold commas without quotes."""
    char = text[at : at + 1]
    if plain := _PLAIN.match(text, at):
        kind = "string" if char in _QUOTES else "literal"
        return Expression(text, kind, at, plain.end(1), exact=plain["exact"] is not None)
    if char in {"{", "[", "("}:
        return _container(Expression(text, char, at, exact=char != "("), at + 1, depth)
    if char in _OPENS and (end := _string_end(text, at)):
        return Expression(text, "string", at, end, exact=_is_json(text, at, end))
    if char not in _QUOTES and (call := PYTHON_CALL.match(text, at)):
        node = Expression(text, "call", at, name=call["name"], exact=False)
        return _container(node, call.end(), depth)
    found = parse_constant(text, at) if char.isalpha() else parse_number(text, at)
    if found and "x" in text[at : found[0]].lower():
        found = None  # a string keeps the spelling of a number
    if found and _AFTER.match(text, found[0]):
        return Expression(text, "literal", at, found[0], exact=text.startswith(found[1], at))
    if unquoted := _UNQUOTED.match(text, at):
        end = unquoted.end()
        while named and (more := _MORE.match(text, end)):
            end = more.end()
        end = at + len(text[at:end].rstrip())
        return Expression(text, "text", at, end, exact=False)
    message = f"no value at {text[at : at + 20]!r}" if text[at:] else TEXT_ENDS
    raise ExpressionError(message)


def _container(node: Expression, at: int, depth: int) -> Expression:
    """Read the members of a container or call, the first is here."""
    if depth > MAX_DEPTH:
        raise ExpressionError(TOO_NESTED)
    text, is_list, closing = node.text, node.kind in "[(", _CLOSES[node.kind]
    node.keys, node.items = keys, items = [], []
    at = _after_space(text, at)
    try:
        while text[at : at + 1] != closing:
            key, quote = None, ""
            if not is_list:
                key, at = _key(node, at)
            elif (found := _QUOTED_CALL.match(text, at)) and not _string_end(text, at):
                at, quote = found.end(), text[at]
            item = _value(text, at, depth + 1, named=key is not None and node.kind == "call")
            keys.append(key)
            items.append(item)
            node.exact = node.exact and item.exact
            at = item.end + (quote != "" and text.startswith(quote, item.end))
            at = _delimited(node, item, at)
    except ExpressionError as error:
        error.open.append(node.start)
        raise
    node.end = at + 1
    return node


def _after_space(text: str, at: int) -> int:
    """The offset after blanks and comments."""
    if text[at : at + 1] in _NO_SPACE:
        return at
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _key(node: Expression, at: int) -> tuple[str | None, int]:
    """The key here, and the offset of its value."""
    text = node.text
    found = _KEY.match(text, at)
    if found and not (node.kind == "call" and "." in found[1]):
        node.exact = False
        return found[1], _after_space(text, found.end())
    if (end := _string_end(text, at, _ASSIGNED)) and (found := _ASSIGNED.match(text, end)):
        node.exact = node.exact and found[0][-1] == ":" and _is_json(text, at, end)
        return _string(text[at:end])[0], _after_space(text, found.end())
    if node.kind == "{":
        message = "a key is missing, or not followed by a colon"
        raise ExpressionError(message)
    return None, at


def _string_end(text: str, at: int, after: re.Pattern[str] = _AFTER) -> int:
    """The offset after the string here, which has to be before something; 0 if there is none."""
    found = _QUOTE.match(text, at)
    closing = closing_quote(text, found.end(), found[1]) if found else -1
    end = closing + len(found[1]) if found else 0
    return end if closing >= 0 and after.match(text, end) else 0


def _is_json(text: str, at: int, end: int) -> bool:
    """Return whether a string is spelled in JSON."""
    try:
        return text[at] == '"' and scanstring(text, at + 1)[1] == end
    except ValueError:
        return False


def _delimited(node: Expression, item: Expression, at: int) -> int:
    """Skip the comma after a member, if it is not the last."""
    text = node.text
    if item.kind == "call" and node.kind in "[(" and text[at : at + 1] not in {",", "]", ")"}:
        joint = _JOINT.match(text, at)
        at = joint.end()  # type: ignore[union-attr]
        is_joined = joint and joint[0].rstrip().endswith(("+", "|", "&", "and", "or"))
        if is_joined or PYTHON_CALL.match(text, at):
            return at
    at = _after_space(text, at)
    if text[at : at + 1] in {",", ";"}:
        after = _after_space(text, at + 1)
        if node.exact:
            node.exact = text[at] == "," and text[after : after + 1] not in {"]", "}"}
        return after
    if text.startswith(_CLOSES[node.kind], at):
        return at
    message = f"unexpected {text[at : at + 20]!r}" if text[at:] else TEXT_ENDS
    raise ExpressionError(message)


# ------------------------------------------------------------------------------------- strings
_ESCAPES: Final = r"""[\\'"abfnrtv\n]|[0-7]{2,3}|0|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"""
_KNOWN: Final = regex(rf"[^\\]*(?:\\(?:{_ESCAPES})[^\\]*)*")
"""A string with escapes of Python and JSON only."""
_ESCAPE: Final = regex(
    rf"\\(?:(?P<known>{_ESCAPES}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{{4}})|/|.)", re.DOTALL
)
_OF_ONE_LETTER: Final = frozenset("abfnrtv0\\'\"/\n")
"""Characters that a backslash before them makes another one, or itself, in a path."""
_DRIVE: Final = regex(r"[A-Za-z]:\\")
_MARKDOWN: Final = regex(r"\\([_*\[\]#.-])")


def unescaped(text: str) -> str:
    r"""Text without Markdown's backslashes.

    >>> unescaped(r"us\_history")
    'us_history'
    """
    return _MARKDOWN.sub(r"\1", text) if "\\" in text else text


def _string(spelled: str) -> tuple[str, str]:
    """The content of a string, and its JSON if all escapes in it are JSON's; empty otherwise."""
    opening = _QUOTE.match(spelled)
    quote = opening[1]  # type: ignore[index]
    body = spelled[opening.end() : -len(quote)]  # type: ignore[union-attr]
    if spelled[0] in "fF" and "{" in body:
        message = "an f-string is not a value"
        raise ExpressionError(message)
    if "\\" not in body or spelled[0] in "rR":
        return body, ""
    try:
        content, end = scanstring(f'{body}"', 0)
    except ValueError:
        content, end = "", 0
    in_json = end > len(body)  # decoded in a third of the time that Python's escapes take
    is_path = _DRIVE.match(body) and not (in_json and spelled[0] == quote == '"')
    if is_path and len({e[0][1] in _OF_ONE_LETTER for e in _ESCAPE.finditer(body)}) > 1:
        message = "a path whose backslashes are escaped in part only"
        raise ExpressionError(message)
    if in_json:
        return content, f'"{body}"'
    known = _KNOWN.fullmatch(body)
    return surrogates_joined(_decoded(body) if known else _ESCAPE.sub(_unescaped, body)), ""


def _unescaped(escape: re.Match[str]) -> str:
    return _decoded(escape[0]) if escape["known"] else escape[0].replace("\\/", "/")


def _decoded(text: str) -> str:
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


def closing_quote(text: str, at: int, quote: str) -> int:
    r"""The offset of the quote that ends a string, whose content begins at `at`; -1 without one.

    >>> closing_quote(r"it's \' here'", 0, "'"), closing_quote("'", 1, "'")
    (12, -1)
    """
    while (found := text.find(quote, at)) >= 0:
        escaped = text[found - 1] == "\\" and _backslashes(text, at, found) % 2 == 1
        if not (escaped or (quote == "'" and _within(text, found))):
            return found
        at = found + 1
    return -1


def _backslashes(text: str, at: int, end: int) -> int:
    """The number of backslashes before `end`, from `at` on."""
    part = text[at:end]
    return len(part) - len(part.rstrip("\\"))


def _within(text: str, at: int) -> bool:
    """Return whether an apostrophe is between two letters of a word."""
    return text[at - 1].isalnum() and text[at + 1 : at + 2].isalpha()
