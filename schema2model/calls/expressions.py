r"""Python calls and literals, and JSON, in one loose grammar: a text becomes nodes, never values.

Nothing is evaluated. A node has its span in the text; `json_of` respells it as JSON.
Parsing is linear and keeps its own stack.
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring_ascii
from string import ascii_letters, digits
from typing import Final

from schema2model.calls.bracket_scanner import closing_quote
from schema2model.limits import MAX_DEPTH

__all__ = [
    "NAME",
    "NAME_BEGUN",
    "Expression",
    "ExpressionError",
    "json_of",
    "name_or_text",
    "parse",
    "unescaped",
]

NAME: Final = r"[^\W\d](?:[\w.-]|\\[_.*-])*"
"""The name of a tool in a Python call; Markdown puts a backslash before underscores."""

NAME_BEGUN: Final = rf"{NAME}\\?"
"""The beginning of one, at the end of the text."""


class ExpressionError(ValueError):
    """A text that is not an expression; `str(error)` gives the reason."""


class Expression:
    """A part of the text: a container, a call or a scalar.

    Args:
        kind: `{`, `[`, `(`, `call`, `string`, `number`, `word`, or `text` for unquoted text.
        start: its offset.
        end: the offset after it; 0 for a container or call that is being read.
        name: of a call.
        exact: True if it is spelled in JSON.

    """

    __slots__ = ("end", "exact", "items", "keys", "kind", "name", "start")

    def __init__(
        self, kind: str, start: int, end: int = 0, name: str = "", *, exact: bool = True
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.name = name
        self.exact = exact
        self.keys: list[Expression | None] = []
        """Of an object's members, or of a call's arguments, where those have any."""
        self.items: list[Expression] = []


_CALL: Final = re.compile(rf"({NAME})\s?\(")
_SPACE: Final = re.compile(r"(?:\s|\#[^\n]*(?:\n|\Z)|//[^\n]*(?:\n|\Z)|\\n)*")
_QUOTES: Final = frozenset("'\"")
_NO_SPACE: Final = frozenset(ascii_letters + digits + "'\"_,:=()[]{}")
"""Characters with which no blank or comment begins."""
_STRING: Final = r"""[rRuUbBfF]?(?:
        "{3}(?:[^\\"]|\\.|"(?!""))*"{3} | '{3}(?:[^\\']|\\.|'(?!''))*'{3}
      | "[^"\\]*(?:\\.[^"\\]*)*"
      | '[^'\\]*(?:(?:\\.|(?<=[^\W_])'(?=[^\W\d_]))[^'\\]*)*')"""
_AFTER: Final = re.compile(r"\s*(?:[,)\]};]|\Z|\\n|\#)")
"""The text after a scalar."""
_SCALAR: Final = re.compile(
    rf"""(?:
    (?P<string>{_STRING})
  | (?P<number>[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<word>True|False|None|true|false|null)
    )(?={_AFTER.pattern})""",
    re.VERBOSE | re.DOTALL,
)
_KEYS: Final = {
    "{": re.compile(
        rf"(?:(?P<string>{_STRING})|(?P<name>[^\W\d](?:[\w.-]|\\[_.*-])*))\s*[:=]",
        re.VERBOSE | re.DOTALL,
    ),
    "call": re.compile(
        r"""(?P<string>["'])?(?P<name>[^\W\d](?:[\w-]|\\[_*-])*)(?(string)(?P=string))\s*[=:](?!=)"""
    ),
}
_UNQUOTED: Final = re.compile(
    r"""[^\s,()\[\]{}"'=:;][^,()\[\]{}"=;\n]*(?:\[["']?[\w .-]{1,80}["']?\])*"""
)
"""Unquoted text up to a delimiter; a variable may be indexed."""
_MORE: Final = re.compile(r""",(?!\s*(?:[^\W\d][\w-]*\s*[=:]|[)\]}]|\Z))[^,()\[\]{}"=;\n]*""")
"""More unquoted text after a comma in a call, if no argument is named there."""
_QUOTED_CALL: Final = re.compile(rf"""["'`]\s*(?={NAME}\s?\()""")
_JOINT: Final = re.compile(r"(?:\s*\[[\w'\".:-]{0,80}\])*\s*(?:\+|\||&|;|\band\b|\bor\b)?\s*")
"""The text after a call in a list: its result is indexed, or two are joined."""
_CLOSES: Final = {"{": "}", "[": "]", "(": ")", "call": ")"}
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_JSON_STRING: Final = re.compile(
    r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
)


def parse(text: str, at: int = 0) -> Expression:
    """The expression that begins at a place in the text.

    Raises:
        ExpressionError: if there is none, or it does not end.

    >>> node = parse("f(a=[1, 'x'])")
    >>> node.kind, node.name, node.keys[0].start, node.items[0].kind
    ('call', 'f', 2, '[')

    """
    open_: list[Expression] = []
    quotes: list[str] = []
    while True:
        top = open_[-1] if open_ else None
        at = _after_space(text, at)
        if top is not None and text.startswith(_CLOSES[top.kind], at):
            at += 1
            top.end = at
            node = open_.pop()
            if quotes and node.kind == "call":
                quote = quotes.pop()
                at += text.startswith(quote, at)
        else:
            key = None
            if top is not None and top.kind in _KEYS:
                key, at = _key(text, at, top)
            if top is not None and top.kind in "[(":
                at = _decoration(text, at, quotes)
            named = key is not None and top is not None and top.kind == "call"
            node = _value(text, at, named=named)
            if top is not None:
                top.keys.append(key)
                top.items.append(node)
            if node.end == 0:
                if len(open_) >= MAX_DEPTH:
                    message = "it is nested too deeply"
                    raise ExpressionError(message)
                opening = _CALL.match(text, at) if node.kind == "call" else None
                at = opening.end() if opening else node.start + 1
                open_.append(node)
                continue
            at = node.end
        if not open_:
            return node
        top = open_[-1]
        top.exact = top.exact and node.exact
        at = _delimited(text, at, top, node)


def _after_space(text: str, at: int) -> int:
    """The offset after blanks and comments."""
    if text[at : at + 1] in _NO_SPACE:
        return at
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _key(text: str, at: int, top: Expression) -> tuple[Expression | None, int]:
    """The key here, and the offset of its value."""
    found = _KEYS[top.kind].match(text, at)
    if not found:
        if top.kind == "{":
            message = "a key is missing, or not followed by a colon"
            raise ExpressionError(message)
        return None, at
    if top.kind == "{" and found["string"]:
        key = Expression("string", at, at + len(found["string"]))
        top.exact = top.exact and _is_json(text, key.start, key.end)
        top.exact = top.exact and text[found.end() - 1] == ":"
    else:
        key = Expression("word", *found.span("name"))
        top.exact = False
    return key, _after_space(text, found.end())


def _decoration(text: str, at: int, quotes: list[str]) -> int:
    """Skip the quote before a call in quotes that is not a string."""
    found = _QUOTED_CALL.match(text, at)
    if not found or _SCALAR.match(text, at):
        return at
    quotes.append(text[at])
    return found.end()


def _is_json(text: str, at: int, end: int) -> bool:
    """Return whether a string is spelled in JSON."""
    return text[at] == '"' and _JSON_STRING.fullmatch(text, at, end) is not None


def _value(text: str, at: int, *, named: bool) -> Expression:
    """The scalar here, or the beginning of a container."""
    if text[at : at + 1] in {"{", "[", "("}:
        return Expression(text[at], at, exact=text[at] != "(")
    if text[at : at + 1] not in _QUOTES and (call := _CALL.match(text, at)):
        return Expression("call", at, name=call[1], exact=False)
    quote = text[at : at + 1]
    if quote in _QUOTES and text[at + 1 : at + 3] != quote * 2:  # a string, but not of three quotes
        end = closing_quote(text, at + 1, quote) + 1
        if end and _AFTER.match(text, end):
            return Expression("string", at, end, exact=_is_json(text, at, end))
    if found := _SCALAR.match(text, at):
        kind, end = str(found.lastgroup), found.end()
        if kind == "string":
            exact = _is_json(text, at, end)
        elif kind == "number":
            exact = bool(_JSON_NUMBER.fullmatch(text, at, end))
        else:
            exact = found[0] not in _WORDS
        return Expression(kind, at, end, exact=exact)
    if found := _UNQUOTED.match(text, at):
        end = found.end()
        while named and (found := _MORE.match(text, end)):
            end = found.end()
        end = at + len(text[at:end].rstrip())
        return Expression("text", at, end, exact=False)
    message = f"there is no value at {text[at : at + 20]!r}" if text[at:] else "it is cut off"
    raise ExpressionError(message)


def _delimited(text: str, at: int, top: Expression, node: Expression) -> int:
    """Skip the comma after a member, if it is not the last."""
    if node.kind == "call" and top.kind in "[(":
        joint = _JOINT.match(text, at)
        at = joint.end()  # type: ignore[union-attr]
        if joint and joint[0].rstrip().endswith(("+", "|", "&", "and", "or")):
            return at
    at = _after_space(text, at)
    if text[at : at + 1] in {",", ";"}:
        after = _after_space(text, at + 1)
        top.exact = top.exact and text[at] == "," and text[after : after + 1] not in {"]", "}"}
        return after
    if text.startswith(_CLOSES[top.kind], at):
        return at
    message = f"unexpected {text[at : at + 20]!r}" if text[at:] else "it is cut off"
    raise ExpressionError(message)


# ------------------------------------------------------------------------------- what nodes say
_ESCAPE: Final = re.compile(
    r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL
)
_KNOWN: Final = re.compile(
    r"""[^\\]*(?:\\(?:[\\'"abfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})[^\\]*)*"""
)
"""A string without escapes but those that mean the same in every grammar that has them."""
_SIMPLE: Final = {
    **dict(zip("abfnrtv0", "\a\b\f\n\r\t\v\0", strict=True)),
    **{c: c for c in "\\'\"/"},
    "\n": "",
}
_DRIVE: Final = re.compile(r"[A-Za-z]:\\")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
"""One character, in the two escapes that JSON has for it."""
_TRIPLE: Final = 6
"""Characters of two quotes that are three each."""
_MARKDOWN: Final = re.compile(r"\\([_*\[\]#.-])")


def unescaped(text: str) -> str:
    r"""Text without Markdown's backslashes.

    >>> unescaped(r"us\_history")
    'us_history'
    """
    return _MARKDOWN.sub(r"\1", text) if "\\" in text else text


def name_or_text(text: str, node: Expression) -> str:
    r"""The content of a string, or the source of any other node.

    >>> source = r"'it\'s \u00e9'"
    >>> name_or_text(source, parse(source))
    "it's é"
    """
    spelled = text[node.start : node.end]
    if node.kind != "string":
        return spelled
    prefix = ""
    if spelled[0] not in _QUOTES:
        prefix = spelled[: len(spelled) - len(spelled.lstrip("rRuUbBfF"))].lower()
        spelled = spelled[len(prefix) :]
    size = 3 if len(spelled) >= _TRIPLE and spelled[:3] in {'"""', "'''"} else 1
    body = spelled[size:-size]
    if "\\" not in body or prefix == "r":
        return body
    if _JSON_STRING.fullmatch(spelled):
        return str(json.loads(spelled))
    if _DRIVE.match(body) and len({each[1] in _SIMPLE for each in _ESCAPE.findall(body)}) > 1:
        message = "a path whose backslashes are escaped in part only"
        raise ExpressionError(message)
    if _KNOWN.fullmatch(body):
        said = body.encode("latin-1", "backslashreplace").decode("unicode_escape")
    else:
        said = _ESCAPE.sub(_escape, body)
    return _PAIR.sub(_joined, said) if "\\u" in body else said


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _escape(found: re.Match[str]) -> str:
    escape = found[0]
    if len(escape) == 2:  # noqa: PLR2004 - a backslash and what it escapes
        return _SIMPLE.get(escape[1], escape)
    digits = escape[2:] if escape[1] in "xuU" else escape[1:]
    code = int(digits, 16 if escape[1] in "xuU" else 8)
    return chr(code) if code <= 0x10FFFF else escape  # noqa: PLR2004 - the last character there is


def json_of(text: str, node: Expression) -> str:
    """A node respelled as JSON; numbers keep their digits.

    Raises:
        ExpressionError: if a value is a call.

    >>> source = "{'a': (1.50, None), b: it is}"
    >>> json_of(source, parse(source))
    '{"a": [1.50, null], "b": "it is"}'

    """
    if node.exact:
        return text[node.start : node.end]
    match node.kind:
        case "{":
            members = zip(node.keys, node.items, strict=True)
            inner = [
                f"{encode_basestring_ascii(name_or_text(text, k))}: {json_of(text, v)}"
                for k, v in members
                if k
            ]
            return f"{{{', '.join(inner)}}}"
        case "[" | "(":
            items = [json_of(text, item) for item in node.items]
            grouped = (
                node.kind == "("
                and len(items) == 1
                and "," not in text[node.items[0].end : node.end]
            )
            return items[0] if grouped else f"[{', '.join(items)}]"
        case "number":
            return _number(text[node.start : node.end])
        case "word":
            return _WORDS[text[node.start : node.end]]
        case "call":
            message = f"{node.name[:40]}(...) is not a value"
            raise ExpressionError(message)
    return encode_basestring_ascii(name_or_text(text, node))


def _number(spelled: str) -> str:
    sign, digits = "-" * spelled.startswith("-"), spelled.lstrip("+-").replace("_", "")
    whole, point, rest = digits.partition(".")
    if point and not rest[:1].isdigit():
        rest = "0" + rest
    return f"{sign}{whole.lstrip('0') or '0'}{point}{rest}"
