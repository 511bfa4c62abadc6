"""Gemma's own literals: bare keys, and strings between marks, without escapes."""

from __future__ import annotations

import re
from json.encoder import encode_basestring_ascii
from typing import Final

from pydantic_core import from_json, to_json

from schema2model.calls.call_parser import CallParser, CallStart, CallSteps
from schema2model.calls.call_texts import MALFORMED, RUNS_OVER, why_unclosed
from schema2model.calls.call_types import RawCall
from schema2model.calls.formats.declaration import TOOL, Format, after_name, pass_call
from schema2model.calls.text_source import Steps, TextSource
from schema2model.limits import MAX_DEPTH

__all__ = ["FORMATS"]

_OWN_MARK: Final = re.compile(
    r"(?P<begins><\|tool_call>|<start_function_call>)|<tool_call\|>|<end_function_call>"
)
"""The beginning or the end of a call."""
_TAG_MARK: Final = re.compile(r"(?P<begins><call>|<\|tool_call>)|</call>|<tool_call\|>")
"""The same of a call in a tag of another model."""
_LONGEST: Final = 24
"""Characters of a mark."""
_MARK: Final = re.compile(
    r"""<\|"\|>(?P<text>[^<]*)<\|"\|>|<\|"\|>|<escape>|(?<!<\|)"|[{}\[\]]"""
    rf"""|(?P<own>{_OWN_MARK.pattern.replace("?P<begins>", "?:")})"""
)
_OWN_END: Final = re.compile(r"(?:<tool_call\|>|<end_function_call>|</call>)\Z")
_ANOTHER_KEY: Final = re.compile(r"""[,; \t}]{0,9}["']?([\w.-]{1,80})["']?[ \t]{0,9}[:=]""")
_ANOTHER_KEY_BEGUN: Final = re.compile(r"""[,; \t}]{0,9}(?:["']?[\w.-]{0,80}["']?[ \t]{0,9})?\Z""")
_LINE_OR_CALL: Final = re.compile(r"\n|(?=\bcall:)")
"""The end of the line of a call without marks, or the next such call."""
_ENDS: Final = {quote: re.compile(re.escape(quote)) for quote in ('<|"|>', "<escape>", '"')}
_TOKEN: Final = re.compile(
    r"""(?P<json>"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)
      | (?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?=\s*[,}\]]))
    | (?P<bare>[^\s{}\[\],:<"'\0][^{}\[\],:<"\0]*)""",
    re.VERBOSE | re.DOTALL,
)
_BLANKS: Final = re.compile(r"\s*")
_BEGUN: Final = re.compile(r"\s{0,99}[^\s<>{}]{0,220}\s{0,9}\Z")


def _json(parts: list[str]) -> str:
    """The JSON of an object: of its strings, and of the text around them; empty for other text."""
    around = _TOKEN.sub(_in_json, "\0".join(parts[::2]))
    try:
        from_json(around.replace("\0", '""'), allow_inf_nan=False)
        parts[::2] = around.split("\0")
        parts[1::2] = [to_json(string).decode() for string in parts[1::2]]
    except (TypeError, ValueError):
        return ""
    return "".join(parts)


def _in_json(token: re.Match[str]) -> str:
    """The JSON of a name, a word or a number."""
    text: str = token[0]
    return text if token.lastgroup == "json" else encode_basestring_ascii(text.rstrip())


def _read(parser: CallParser, opening: CallStart, own: re.Pattern[str] = _OWN_MARK) -> CallSteps:
    source = parser.source
    first = begins = source.place
    depth, ended = 0, False
    parts: list[str] = []
    char = yield from source.blanks()
    while char == "{" and (
        found := _MARK.search(source.text, source.at) or (yield from source.find(_MARK, _LONGEST))
    ):
        mark, string, opens = found[0], found["text"], source.offset + found.start()
        source.at = found.end()
        if mark in _ENDS:
            if not (yield from source.find(_ENDS[mark], 8)):
                break
            if mark != '"':
                string = source.slice(opens + len(mark), source.place - len(mark))
        elif string is None:
            depth += 1 if mark in {"{", "["} else -1
            if depth == 0 or found["own"]:  # the call ends, or its brackets or quotes do not
                ended = not found["own"]
                break
        if string is not None:
            parts += source.slice(begins, opens), string
            begins = source.place
    parts.append(source.slice(begins, source.place))
    arguments = _json(parts) if ended else ""
    problem = ""
    if ended and (yield from _has_more(parser, opening.name)):
        is_bare = source.slice(opening.start, opening.start + 5) == "call:"
        yield from source.find(_LINE_OR_CALL, 6) if is_bare else pass_call(source, own, _LONGEST)
        arguments, problem = "", RUNS_OVER
    elif not arguments:
        arguments, problem = yield from _read_loosely(source, first, own, ended=ended)
    yield RawCall(opening.name, arguments, opening.start, source.place, problem=problem)


def _has_more(parser: CallParser, name: str) -> Steps[bool]:
    """Return whether another argument is after the bracket that seems to end a call."""
    source, end = parser.source, parser.source.place
    key = yield from source.header(_ANOTHER_KEY, _ANOTHER_KEY_BEGUN)
    source.again(end)
    return key is not None and key[1] in parser.parameters(name)


def _read_loosely(
    source: TextSource, first: int, own: re.Pattern[str], *, ended: bool
) -> Steps[tuple[str, str]]:
    """The JSON of arguments that stray from the format, and the problem of those without one."""
    whole = source.slice(first, source.place)
    source.again(first)
    is_marked, is_closed = yield from pass_call(source, own, _LONGEST)
    text = source.slice(first, source.place)
    arguments = loose_json(_OWN_END.sub("", text)) if is_closed else ""
    if not arguments and ended and not is_closed:
        arguments = loose_json(whole)
        source.again(first + len(whole))
    if arguments:
        return arguments, ""
    return "", MALFORMED if ended else why_unclosed(text, is_cut=is_marked)


def _read_tag(parser: CallParser, opening: CallStart) -> CallSteps:
    """Read a call in a tag of another model."""
    source = parser.source
    source.at += 1
    yield from source.header(_TAGGED, _TAGGED_BEGUN)
    yield from _read(parser, opening, _TAG_MARK)
    yield from source.header(_TAG_END, _TAG_END_BEGUN)


# ------------------------------------------------------------------------- what models make of it
_KEY: Final = re.compile(
    r"""\s*(?:(?:<\|"\|>|<escape>|["'])(?P<quoted>[^<>"'\\]{1,200})(?:<\|"\|>|<escape>|["'])
    | (?P<bare>[^\s{}\[\](),:=<>"'\\]{1,200}))\s*[:=]\s*""",
    re.VERBOSE,
)
_STRING: Final = re.compile(
    r"""(?:(?P<mark><\|"\|>|<escape>)(?P<marked>(?:(?!(?P=mark)).)*)(?P=mark)
    | (?P<json>"[^"\\]*(?:\\.[^"\\]*)*")
    | '(?P<half>[^'\\<]*)<\|"\|>
    | '(?P<single>[^\\<]*?)'(?=\s*(?:[}\])]|,\s*(?:["'<]|["']?[\w.-]{1,200}["']?\s*[:=])))
    )(?=\s*[,}\])])""",
    re.VERBOSE | re.DOTALL,
)
"""A string: between the format's marks, in JSON, or between single quotes without escapes."""
_PLAIN: Final = re.compile(
    r"""(?P<text>[^\s{}\[\]()<>"'][^{}\[\]()<>"']*)(?P<mark><\|"\|>|<escape>)?(?=\s*[,}\])])"""
)
"""A word or a number; or, before the mark at its end, a text whose first mark is missing."""
_JOINED: Final = re.compile(r",\s*[\w.-]{1,200}\s*[:=]")
"""Another key within such a text."""
_IN_PARENTHESES: Final = re.compile(r"\(\s*\{.*\}\s*\)\Z", re.DOTALL)
_BRACKETS: Final = {"{": "}", "(": ")", "[": "]"}


def loose_json(text: str) -> str:
    """The JSON of the arguments as models that stray from the format write them; empty without one.

    >>> loose_json("(location='Rome, it', days=3)")
    '{"location": "Rome, it", "days": 3}'
    >>> loose_json('{query:Paris, France<|"|>,tags:[<|"|>a<|"|>,b]}')
    '{"query": "Paris, France", "tags": ["a", "b"]}'
    >>> loose_json('{query:<|"|>Paris, France,limit:5}')
    ''
    """
    text = text.strip()
    if _IN_PARENTHESES.match(text):
        text = text[1:-1].strip()
    found = _container(text, 0, 0) if text[:1] in {"{", "("} else None
    return found[0] if found and found[1] == len(text) else ""


def _container(text: str, at: int, depth: int) -> tuple[str, int] | None:
    """The JSON of the object or list that begins here, and its end."""
    closing = _BRACKETS[text[at]]
    is_list = closing == "]"
    members: list[str] = []
    keys: set[str] = set()
    at = _BLANKS.match(text, at + 1).end()  # type: ignore[union-attr]
    while depth <= MAX_DEPTH and not text.startswith(closing, at):
        key = None if is_list else _KEY.match(text, at)
        if key:
            name = key["quoted"] or key["bare"]
            at = key.end()
        if not (is_list or (key and name not in keys)):
            return None
        value = _value(text, at, depth + 1)
        if value is None:
            return None
        written, at = value
        if key:
            keys.add(name)
            written = f"{encode_basestring_ascii(name)}: {written}"
        members.append(written)
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if text.startswith(",", at):
            at = _BLANKS.match(text, at + 1).end()  # type: ignore[union-attr]
        elif not text.startswith(closing, at):
            return None
    inner = ", ".join(members)
    return (f"[{inner}]" if is_list else f"{{{inner}}}", at + 1) if depth <= MAX_DEPTH else None


def _value(text: str, at: int, depth: int) -> tuple[str, int] | None:
    """The JSON of the value that begins here, and its end."""
    if text[at : at + 1] in {"{", "["}:
        return _container(text, at, depth)
    if string := _STRING.match(text, at):
        if string["json"] is None:
            content = string[string.lastgroup or 0]
            return encode_basestring_ascii(content), string.end()
        try:
            return encode_basestring_ascii(from_json(string["json"])), string.end()
        except ValueError:
            return None
    plain = _PLAIN.match(text, at)
    if plain is None:
        return None
    content = plain["text"]
    if plain["mark"]:
        if _JOINED.search(content):
            return None
        return encode_basestring_ascii(content), plain.end()
    word, comma, _ = content.partition(",")
    if comma and not _JOINED.match(content, len(word)):
        return None
    token = _TOKEN.match(f"{word.rstrip()},")
    return (_in_json(token), at + len(word)) if token and token[0] == word.rstrip() else None


_NAMED: Final = rf"(?:call:)?(?:[\w.-]{{1,80}}:){{0,5}}(?P<name>{TOOL})\s{{0,9}}(?=[{{(])"
_TAGGED: Final = re.compile(rf"call>\s{{0,9}}{_NAMED}")
_TAGGED_BEGUN: Final = re.compile(r"(?:c(?:a(?:l(?:l(?:>[^{}<>]{0,300})?)?)?)?)?\Z")
_TAG_END: Final = re.compile(r"\s{0,9}</call>")
_TAG_END_BEGUN: Final = re.compile(r"\s{0,9}(?:<[/cal]{0,5})?\Z")


def _marked(name: str, opens: str, closes: str) -> Format:
    opening = re.compile(rf"\s{{0,99}}{_NAMED}")
    return Format(name, (opens,), _read, opening, _BEGUN, around=(closes,))


FORMATS: Final[tuple[Format, ...]] = (
    _marked("gemma4", "<|tool_call>", "<tool_call|>"),
    _marked("functiongemma", "<start_function_call>", "<end_function_call>"),
    Format("gemma4", ("<",), _read_tag, _TAGGED, _TAGGED_BEGUN, bare=True),
    after_name(
        "gemma4", rf"(?P<call>c(?<!\wc)all:(?:[\w.-]{{1,80}}:){{0,5}}(?P<name>{TOOL}))", _read
    ),
)
