"""Each parameter in tags of its own, and its value as text: the schema says what it is.

A value may quote calls. In one of its own format all tags are text; in one of another format that
has the same closing tag, this ends the value only where a tag of its own format comes next.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections import Counter
from typing import Any, Final

from pydantic_core import from_json

from schema2model.calls.call_parser import Arriving, CallParser, CallStart, CallSteps
from schema2model.calls.call_texts import RUNS_OVER
from schema2model.calls.call_types import RawCall, given_twice
from schema2model.calls.formats.declaration import TOOL, Format, FormatReader, delimited
from schema2model.calls.text_source import Ending, Steps, TextSource
from schema2model.json.parsing import entities_decoded
from schema2model.json.quoting import printable

__all__ = ["DSML_BARS", "DSML_BLOCKS", "FORMATS", "inner_text"]

_LONGEST: Final = 320
"""Characters of a mark in a value, and the blanks before or after it."""
_GAP: Final = r"[\sĠ]{0,9}"
"""A blank within a tag; a tokenizer's own letter for it is sometimes left there."""
_NAMED: Final = r"(?:[\sĠ]{1,9}name[\sĠ]{0,9}=[^<>]{1,200}(?<!/))?>"
_BODY: Final = r"(?=(?:\s|\\n){0,20}(?:\{|<(?:"
"""The text after the name of a call: its arguments in JSON, or one of some tags."""
_IN_TAGS: Final = {
    "/function>": (
        rf"function(?:=[^<>\n]{{1,200}}>{_BODY}parameter=|/function>)))"
        rf"|{_NAMED}{_BODY}param\s|/function>))))"
    ),
    "/invoke>": rf"invoke{_NAMED}{_BODY}parameter[\ss]|/invoke>)))",
}
_ALIKE: Final = {
    "</parameter>": _IN_TAGS,
    "</param>": _IN_TAGS,
    "</arg_value>": {
        f"/{call}>": (
            rf"{call}>(?:[^\s<>{{}}]{{1,200}}(?:<tool_sep>)?)?{_BODY}arg_key|function=|/{call}>)))"
        )
        for call in ("tool_call", "iquest_tool_call")
    },
}
"""The beginnings of calls in all formats whose values have like closing tags, by their ends.

In a value, a call of any of them is text, and a tag that is only mentioned begins none.
"""


class _Parameters:
    """Reads the parameters of a call, and what ends it.

    Args:
        marker: the beginning of a call.
        begins: the beginning of a parameter.
        parameter: the opening tag of a value: the group `key` is its name, `string` marks text.
        value_end: the closing tag of a value.
        call_end: the closing tag of the last value.
        line: a parameter as it is read, with `{}` for its name.
        lines: True if a value may be on lines of its own, without the line breaks around it.
        stops: True if servers stop at the end of a call, so that it is missing there.
        holds_end: True if a closing tag that is not before another tag is part of the value.
        closes_itself: True if a call without parameters may be one tag.
        begun: the beginning of a tag at the end of the text.

    """

    def __init__(  # noqa: PLR0913 - one for each part
        self,
        marker: str,
        begins: str,
        parameter: str,
        value_end: str,
        call_end: str,
        *,
        line: str,
        lines: bool = False,
        stops: bool = False,
        holds_end: bool = False,
        closes_itself: bool = False,
        begun: re.Pattern[str] | None = None,
    ) -> None:
        self._tag_begun = begun or _TAG_BEGUN
        self._begins = begins
        self._line = line
        self._lines = lines
        self._stops = stops
        self._holds_end = holds_end
        begins = re.escape(begins)
        own = re.escape(marker)
        more = begins.removeprefix("<") + (r"(?=[\sĠ])" if begins[-1].isalpha() else "")
        part = "".join(f"(?:{re.escape(char)}" for char in self._begins[1:])
        self._more_begun = re.compile(
            rf"<(?:{more}|{part}{')?' * (len(self._begins) - 1)}(?=[\s<]|\Z))"
        )
        value, ends = value_end.removeprefix("<"), call_end.removeprefix("<")
        alike = dict(_ALIKE.get(value_end, {}))
        call = alike.pop(ends, None) or (
            rf"{own.removeprefix('<')}(?=(?s:(?!{value_end}).){{1,240}}?(?:{begins}|{call_end}))"
        )
        other, other_end = ("|".join(each) or "(?!)" for each in (alike.values(), alike))
        self._next = re.compile(rf"{own}|(?P<more>{begins}|{value_end})|(?P<end>{call_end})")
        self._closing = re.compile(rf"{own}|(?P<closes>{value_end}|{call_end})")
        self._ended = re.compile(rf"<(?:{ends}|{other_end})\Z")
        self._json_end = Ending(rf"{call_end}|{re.escape(marker)}")
        end = call_end + ("|/>" if closes_itself else "")
        self._tag = re.compile(rf"(?:\\n)*(?:(?P<end>{end})|{parameter})")
        self._marks_text = "string" in self._tag.groupindex
        self._value_end = re.compile(value_end)
        self._marks = re.compile(  # one "<" for all: found in a third of the time
            rf"<(?:(?P<call>{call})|(?P<other>{other})|(?P<more>{more})|(?P<value>{value})|"
            rf"(?P<end>{ends})|(?P<other_end>{other_end}))"
        )
        goes_on = call_end if "<arg_" in begins else rf"{call_end}|<{more}"
        goes_on = rf"(?=\s{{0,40}}(?:{goes_on}))"
        self._goes_on = re.compile(goes_on)
        self._left_over = re.compile(rf"\s{{0,40}}(?:{value_end}|{begins}|(?P<end>{call_end}))")
        plain = r"(?!\n)[^<]*|\n(?:[^<]*\n)?[ \t]{0,40}" if lines else "[^<]*"
        self._plain = re.compile(rf"({plain}){value_end}{goes_on if holds_end else ''}")
        self._inner = inner_text if lines else str
        self._begun = re.compile(parameter)
        closing = re.sub(r"\\(.)", r"\1", value_end)[:_FRAGMENT]
        own = "" if holds_end else rf"(?!{value_end})"
        self._fragment = re.compile(own + re.escape(closing))
        self._followed = re.compile(rf"{value_end}\s{{0,40}}(?:[<|]|argument\s)")
        self._missing = re.compile(rf"\n\s{{0,40}}(?=(?:{parameter}))")
        self._last = re.compile(rf"\n\s{{0,40}}(?={call_end}\s{{0,40}}<)")

    def __call__(self, parser: CallParser, opening: CallStart) -> CallSteps:
        source = parser.source
        escaped = opening.name.endswith("\\n")
        if escaped:
            opening = dataclasses.replace(opening, name=opening.name[:-2])
        values: dict[str, str] = {}
        strings: set[str] = set()
        others = {*parser.parameters(opening.name)}  # declared, and not yet given
        problem = ""
        parser.arriving = arriving = Arriving(opening.name, None, strings=strings)
        while True:
            char = yield from source.blanks()
            if char == "{" and not values:
                yield from parser.arguments(opening, self._json_end)
                yield from source.blanks()
                yield from source.header(self._tag, self._tag_begun)
                return
            tag = yield from source.header(self._tag, self._tag_begun)
            if tag is None or tag["end"]:
                problem = problem or (yield from self._at_end(parser, tag, opening.name, values))
                break
            key = _key(tag)
            others.discard(key)
            value: str | None
            if plain := self._plain.match(source.text, source.at):
                source.at, value = plain.end(), self._inner(plain[1])
            else:
                value = yield from self._value(parser, key, others)
            if "<" in key or value is None:
                problem = yield from self._at_lost(source, re.split("[<\"']", key)[0])
                break
            if self._marks_text and _ATTRIBUTE.match(value):
                problem = f"the tag of `{key[:80]}` is damaged; write {self._shown_line(key)}"
                yield from self._pass_rest(source)
                break
            value = _unescaped(value) if escaped else value
            if values.get(key, value) != value:
                problem = given_twice(key)
            values[key] = value
            if self._marks_text and tag["string"]:
                strings.add(key)
            arriving.values.append((key, value))
        parser.arriving = None
        yield RawCall(
            opening.name, values, opening.start, source.place, frozenset(strings), problem
        )

    def _at_end(
        self, parser: CallParser, tag: re.Match[str] | None, name: str, values: dict[str, str]
    ) -> Steps[str]:
        """The problem of a call after its last parameter, or an empty string."""
        if tag is None:
            stray = yield from self._stray(parser, name, values)
            problem = stray or self._unended(parser, name, values)
            if problem:
                yield from self._pass_rest(parser.source)
            return problem
        is_over = True
        while left := (yield from parser.source.header(self._left_over, _LEFT_OVER_BEGUN)):
            is_over = is_over and left["end"] is not None
        return "" if is_over else RUNS_OVER

    def _unended(self, parser: CallParser, name: str, values: dict[str, str]) -> str:
        """The problem of a call without a closing tag, or an empty string."""
        begins, rest = self._begins, parser.source.text[parser.source.at :]
        begun = rest.startswith(begins) or (rest != "" and begins.startswith(rest))
        if values:
            return "it was cut off in a tag" if self._more_begun.match(rest) else ""
        if self._stops and not parser.parameters(name):
            return ""
        return "its end is missing" if rest.strip() and not begun else "it was cut off"

    def _stray(self, parser: CallParser, name: str, values: dict[str, str]) -> Steps[str]:
        """The problem of a call with more than parameters in it, or an empty string.

        Such a call might lose what comes after that.
        """
        source = parser.source
        begins = source.place
        found = yield from source.find(self._closing, _LONGEST)
        text = source.slice(begins, source.place)
        source.again(begins)
        is_next = parser.marker.search(text) and _is_over(parser, text)
        if is_next or (not (found and found["closes"]) and text.find(self._begins, 1) < 0):
            return ""
        left = [each for each in parser.parameters(name) if each not in values]
        written = (each for each in _WORDS.findall(text) if each in left)
        line = self._shown_line(next(written, left[0] if left else "NAME"))
        shown = printable(" ".join(text.split())[:80])
        return f"there is `{shown}` where a parameter or its end belongs; write {line}"

    def _shown_line(self, key: str) -> str:
        """A parameter as it is read."""
        return f"`{self._line.replace('{}', printable(key))}`"

    def _at_lost(self, source: TextSource, key: str) -> Steps[str]:
        """The problem of a call after a value that does not end; pass the rest of the call."""
        if not self._ended.search(source.text, 0, source.at):
            yield from self._pass_rest(source)
        shown = printable(key.strip()[:80])
        if source.at == len(source.text) and not self._ended.search(source.text):
            return f"it was cut off in `{shown}`"
        return f"the value of `{shown}` does not end; write {self._shown_line(key.strip())}"

    def _pass_rest(self, source: TextSource) -> Steps[None]:
        """Pass the rest of a call, up to its end or the beginning of another one."""
        while found := (yield from source.find(self._next, _LONGEST)):
            if found["end"]:
                break
            if not found["more"]:
                source.again(source.place - len(found[0]))
                break

    def _value(self, parser: CallParser, key: str, others: set[str]) -> Steps[str | None]:
        """The text of a value, and its end passed; None if there is none."""
        source = parser.source
        begins = source.place
        char = yield from source.blanks(_NO_BLANKS)
        if char == "<" and (yield from source.header(_CDATA, _CDATA_BEGUN)):
            return (yield from self._cdata(parser))
        mark, own = yield from self._ending(parser, lines=self._lines and char == "\n")
        ends = source.place - (len(mark[0]) if mark else 0)
        is_closed = mark is not None and mark.lastgroup == "value"
        text = source.slice(begins, own or ends)
        again = self._begun.match(text.lstrip())
        is_damaged = self._is_damaged(text, others) or (again and _key(again) == key)
        if is_closed and not is_damaged:
            return self._inner(source.slice(begins, ends))
        missing = self._before_another(text, others)
        if missing is None and not is_closed:
            if last := self._last.search(text):
                missing = last.start()
            elif mark and not (own or is_damaged):
                missing = len(_LAST_LINE.sub("", text))
        if missing is None:
            return None
        source.again(begins + missing)
        text = text[:missing]
        return None if _TAG_LIKE.search(text) else self._inner(text)

    def _cdata(self, parser: CallParser) -> Steps[str | None]:
        """The text of a section of CDATA, and its end passed; None if another begins before."""
        source = parser.source
        begins = source.place
        mark = yield from source.find(_CDATA_OR_END, 9)
        if mark and mark[0] == "]]>":
            text = source.slice(begins, source.place - len(mark[0]))
            yield from source.blanks()
            yield from source.header(self._value_end, self._tag_begun)
            return text
        source.again(begins)
        yield from self._ending(parser, lines=False)
        return None

    def _ending(self, parser: CallParser, *, lines: bool) -> Steps[_Ending]:
        """Pass a value and its closing tag, on a line of its own if it `lines`.

        Without that tag, a value ends with its call: after the end of that, nothing or another call
        comes. Return the tag that ends the value, and the offset of the first call in it or 0: the
        tags before that are its own.
        """
        source = parser.source
        value, first = source.place, 0
        calls = Counter[str]()
        inline: _Ended | None = None
        ended: _Ended | None = None
        over: _Ended | None = None
        while mark := (yield from self._own_mark(source, calls)):
            kind, place, begins = mark.lastgroup, source.place, source.at - len(mark[0])
            at_line = lines and _LINE_BEGINS.search(source.text, max(begins - 41, 0), begins)
            if kind in {"call", "other"}:
                if over:
                    break
                over, ended = _if_over(parser, ended, place - len(mark[0])), None
                first = first or place
            elif kind == "value":
                if over:
                    return None, value  # nobody knows whether this is its tag
                if at_line or not lines:
                    return mark, first
                inline = inline or (mark, place, first)
            elif at_line and inline:
                break
            elif kind == "end" and (
                not lines or _END_BEGINS.search(source.text, max(begins - 105, 0), begins)
            ):
                ended = mark, place, first
        found = inline or over or _if_over(parser, ended, source.place)
        if found is None:
            return None, first
        source.again(found[1])
        return found[0], found[2]

    def _own_mark(self, source: TextSource, calls: Counter[str]) -> Steps[re.Match[str] | None]:
        """Pass the next mark of a value that is not in a quoted call; count those that are open."""
        while mark := (yield from source.find(self._marks, _LONGEST)):
            kind = mark.lastgroup or ""
            if calls["call"]:
                calls["call"] += (kind == "call") - (kind == "end")
            elif kind == "other_end":
                calls["other"] = max(calls["other"] - 1, 0)
            elif (
                kind != "value"
                or not (calls["other"] or self._holds_end)
                or (yield from source.header(self._goes_on, _LEFT_OVER_BEGUN))
            ):
                calls[kind] += 1
                return mark
        return None

    def _is_damaged(self, text: str, others: set[str]) -> bool:
        """Return whether a value holds another parameter, so that its own end is lost."""
        if self._holds_end and self._followed.search(text):
            return True
        keys = {*map(_key, self._begun.finditer(text))}
        for fragment in self._fragment.finditer(text):
            keys.update(_WORDS.findall(text, fragment.end(), fragment.end() + _JOINED))
        return not keys.isdisjoint(others)

    def _before_another(self, text: str, others: set[str]) -> int | None:
        """The end of a value without a closing tag, before another declared parameter."""
        ends = (found.start() for found in self._missing.finditer(text) if _key(found) in others)
        return next(ends, None)


def _parameters(*marks: str, **options: Any) -> FormatReader:
    """The reader of a format; its patterns are compiled for the first call."""
    made = functools.cache(lambda: _Parameters(*marks, **options))

    def read(parser: CallParser, opening: CallStart) -> CallSteps:
        return made()(parser, opening)

    return read


_ATTRIBUTE: Final = re.compile(r"""\s{0,9}string\s{0,9}=\s{0,9}["'](?:true|false)["']\s{0,9}>""")
"""The attribute and the end of a tag, after a character that ended its name too early."""
_TAG_LIKE: Final = re.compile(r"</?[^<>]{0,40}>?\s*\Z|[a-z]{3,}[|｜>]*>\s*\Z")
"""The rest of a damaged closing tag."""
_FRAGMENT: Final = 5
"""Characters by which a damaged closing tag is recognised."""
_JOINED: Final = 60
"""Maximum characters between it and the name of the next parameter."""
_ENDS: Final = re.compile(
    r"(?:\s*(?:<?/[^<>/\s]{1,60}>?|<[^<>/\s]{1,60}>(?:\w{1,20}(?=<))?))*\s*(?:to=[^\s<{]{1,200}\s?)?"
)
"""Closing tags, damaged or not, and what is before another call: nothing of this one is in it."""
_WORDS: Final = re.compile(r"[\w.-]+")
_NO_BLANKS: Final = re.compile("")
_Ending = tuple["re.Match[str] | None", int]
_Ended = tuple["re.Match[str]", int, int]
"""A tag that may end a value, the offset after it, and that of the first call before it."""
_LAST_LINE: Final = re.compile(r"\n\s{0,40}\Z")
_LINE_BEGINS: Final = re.compile(r"\n[ \t]{0,40}\Z")
_END_BEGINS: Final = re.compile(r"\n[ \t]{0,40}(?:<?[^<>\s]{1,60}>|</?[^<>\s]{1,60})?\Z")
"""The beginning of a line, and a damaged closing tag in it."""
_CDATA: Final = re.compile(r"<!\[CDATA\[")
_CDATA_BEGUN: Final = re.compile(r"<[!\[CDAT]{0,8}\Z")
_CDATA_OR_END: Final = re.compile(r"\]\]>|<!\[CDATA\[")
_TAG_BEGUN: Final = re.compile(
    r"(?:\\n?)*(?:<[^>]{0,300}(?:>[^<>]{0,200}(?:<[^<>]{0,40}>?[\s\\n]{0,9}){0,2})?)?\Z"
)
_TYPED_BEGUN: Final = re.compile(r"(?:\\n?)*(?:<(?s:.{0,390}))?\Z")
"""The beginning of several tags before a value."""
_LEFT_OVER_BEGUN: Final = re.compile(rf"\s{{0,40}}{_TAG_BEGUN.pattern}")
_INDENTED: Final = re.compile(r"\n[ \t]+(?![ \t])(.*?)\n[ \t]+", re.DOTALL)


def _is_over(parser: CallParser, text: str) -> bool:
    """Return whether nothing of a call is in the text after it, up to the next one."""
    another = parser.marker.search(text)
    return _ENDS.fullmatch(text, 0, another.start() if another else len(text)) is not None


def _if_over(parser: CallParser, ended: _Ended | None, end: int) -> _Ended | None:
    """Return the end of a call, if nothing of the call is between it and another offset."""
    return ended if ended and _is_over(parser, parser.source.slice(ended[1], end)) else None


def _unescaped(text: str) -> str:
    """A value out of a text that was escaped as a whole, line breaks and all."""
    try:
        return str(from_json(f'"{text}"'))
    except (TypeError, ValueError):
        return text


def _key(tag: re.Match[str]) -> str:
    """The name of a parameter, which may be escaped as in XML."""
    return entities_decoded(tag["key"].strip())


def inner_text(text: str) -> str:
    """A value without the line breaks, and the indentation, that belong to its tags."""
    if indented := _INDENTED.fullmatch(text):
        return indented[1]
    return text[1:].removesuffix("\n") if text[:1] == "\n" else text


_BEGUN: Final = re.compile(r"[^<>]{0,240}(?:>\s{0,99})?\Z")


def _attributes(
    name: str,
    *around: str,
    prefix: str = "",
    call: str = "invoke",
    parameter: str = "parameter",
    aliases: tuple[str, ...] = (),
) -> Format:
    """Names as attributes: `<invoke name="f"><parameter name="a">value</parameter></invoke>`."""
    begin, end = re.escape("<" + prefix), re.escape("</" + prefix)
    string = rf"""(?:{_GAP}string{_GAP}={_GAP}["'](?:(?P<string>true)|false)["'])?"""
    read = _parameters(
        f"<{prefix}{call}",
        f"<{prefix}{parameter}",
        rf"""{begin}{parameter}(?=[^>]*>){_GAP}name{_GAP}={_GAP}["']?"""  # fails soon without ">"
        rf"""(?P<key>[^"'>\n]{{1,200}})["']?{string}{_GAP}>""",
        f"{end}{parameter}>",
        f"{end}{call}>",
        line=f'<{prefix}{parameter} name="{{}}">…</{prefix}{parameter}>',
        closes_itself=prefix != "",
    )
    letter = rf"""{"(?!/>)" if prefix else ""}[^"'<>\n]"""
    opening = (
        rf"""(?=[^>]*>){_GAP}name{_GAP}={_GAP}["']?(?P<name>(?:{letter}){{1,200}})["']?{_GAP}"""
        rf"(?:>(?=\s{{0,99}}\S){'|(?=/>)' if prefix else ''})"
    )
    around = (f"</{prefix}{call}>", f"</{prefix}{parameter}>", *around)
    marker = (f"<{prefix}{call}",)
    return Format(name, marker, read, re.compile(opening), _BEGUN, around=around, aliases=aliases)


def _keyed(
    name: str,
    *,
    call: str = "tool_call",
    prefix: str = "",
    suffix: str = "",
    aliases: tuple[str, ...] = (),
) -> Format:
    """Names in tags: `<tool_call>f<arg_key>a</arg_key><arg_value>value</arg_value></tool_call>`."""

    def tag(word: str) -> str:
        return f"<{prefix}{word}{suffix}>"

    def end(word: str) -> str:
        return f"</{prefix}{word}{suffix}>"

    key, gap = re.escape(tag("arg_key")), r"(?:\s|\\n){0,99}"
    type_ = (
        rf"(?:{re.escape(tag('arg_type'))}\s{{0,9}}(?:(?P<string>string)|[a-z]{{1,20}})\s{{0,9}}"
        rf"{re.escape(end('arg_type'))}{gap})?"
    )
    read = _parameters(
        tag(call),
        tag("arg_key"),
        rf"{key}\s{{0,9}}(?P<key>[^<>\n]{{1,200}})\s{{0,9}}{re.escape(end('arg_key'))}{gap}"
        rf"{type_ if prefix else ''}{re.escape(tag('arg_value'))}",
        re.escape(end("arg_value")),
        re.escape(end(call)),
        line=f"{tag('arg_key')}{{}}{end('arg_key')}{tag('arg_value')}…{end('arg_value')}",
        begun=_TYPED_BEGUN if prefix else None,
    )
    separator = re.escape(tag("tool_sep"))
    opening = (
        rf"(?! )\s{{0,99}}(?P<name>{TOOL})\s{{0,99}}(?:{separator})?\s{{0,99}}"
        rf"(?={key}|{re.escape(end(call))})"
    )
    begun = rf"\s{{0,99}}(?:{TOOL}[<>a-z_/|:\s]{{0,240}})?\Z"
    around = (end(call), tag("tool_calls"), end("tool_calls"))
    patterns = re.compile(opening), re.compile(begun)
    return Format(name, (tag(call),), read, *patterns, around=around, aliases=aliases)


_ANTHROPIC: Final = "antml" + ":"  # in two parts so that no reader takes this for a call

_RECIPIENT: Final = r"\bto=(?P<name>[^\s<{]{1,200})"
_BEFORE_CHANNEL: Final = re.compile(rf"(?P<call>{_RECIPIENT})\s{{0,9}}\Z")
"""The recipient in the role, as harmony has it."""
DSML_BARS: Final = (
    ("｜DSML｜", "deepseek_v32", "deepseek_v4"),
    *((bar, "deepseek_v41") for bar in ("｜DSML｜ ", "｜｜DSML｜｜ ")),
    *((bar, "deepseek_v32") for bar in ("｜｜DSML｜｜", "||DSML||", "|DSML|", "‖DSML‖")),
    *((bar, "deepseek_v32") for bar in (" | DSML | ", "DSML｜")),
    ("｜GCML｜", "gigachat35"),
)
"""The prefixes of DSML's tags as models and gateways write them, and the names of the formats."""
DSML_BLOCKS: Final = ("function_calls", "tool_calls", "calls", "tool_use")
"""The tags around the calls in DSML."""

FORMATS: Final[tuple[Format, ...]] = (
    Format(
        "qwen3_coder",
        ("<function=",),
        _parameters(
            "<function=",
            "<parameter=",
            r"<parameter=\s{0,9}(?P<key>[^>\n]{1,200})\s{0,9}>",
            "</parameter>",
            "</function>",
            line="<parameter={}>…</parameter>",
            lines=True,
            stops=True,
        ),
        re.compile(r"""\s{0,9}["']?(?P<name>[^"'<>\n]{1,200})["']?\s{0,9}>(?=\s{0,99}[^\s{])"""),
        _BEGUN,
        around=(
            *("</function>", "</parameter>", "<tool_call>", "</tool_call>"),
            *("<seed:tool_call>", "</seed:tool_call>"),
        ),
        aliases=("seed_oss", "step3p5", "mimo", "nemotron3"),
    ),
    _keyed("glm45", aliases=("glm47", "hunyuan_v3")),
    _keyed("hunyuan_v3", suffix=":opensource"),
    _keyed("iquest_q1", call="iquest_tool_call"),
    _keyed("k2_horizon", prefix="ifm|"),
    _attributes(
        "minimax_m2",
        *("<minimax:tool_call>", "</minimax:tool_call>", "<function_calls>", "</function_calls>"),
        aliases=("anthropic_xml",),
    ),
    _attributes(
        "anthropic_ns",
        f"<{_ANTHROPIC}function_calls>",
        f"</{_ANTHROPIC}function_calls>",
        prefix=_ANTHROPIC,
    ),
    _attributes(
        "step3",
        *(f"<｜tool_call{each}｜>" for each in ("s_begin", "_begin", "_end", "s_end")),
        *("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_sep｜>"),
        prefix="steptml:",
    ),
    _attributes("minicpm5", call="function", parameter="param"),
    _attributes("muse_glimmer", "<atem:function_calls>", "</atem:function_calls>", prefix="atem:"),
    dataclasses.replace(
        _attributes("muse_glimmer", prefix="atem:"),
        markers=("<|message|>",),
        opening=re.compile(
            r"\s{0,9}(?:<atem:function_calls>\s{0,9})?<atem:invoke\s[^<>]{1,240}>(?=\s{0,99}\S)"
        ),
        begun=re.compile(r"\s{0,9}(?:<(?s:.{0,380}))?\Z"),
        before=_BEFORE_CHANNEL,
    ),
    *(
        _attributes(
            name,
            *(f"<{end}{bar}{block}>" for end in ("", "/") for block in DSML_BLOCKS),
            prefix=bar,
            aliases=tuple(aliases),
        )
        for bar, name, *aliases in DSML_BARS
    ),
    *(
        delimited(
            name,
            f"<{bar}toolcall>",
            f"</{bar}toolcall>",
            opening=rf"\s{{0,9}}(?P<name>{TOOL})\s{{0,9}}(?:```(?:json)?\s{{0,9}})?(?=\{{)",
        )
        for bar, name, *_ in DSML_BARS
    ),
    *(
        Format(
            "beam",
            (marker,),
            _parameters(
                "<|channel|>" if before else "<|start|>",
                "<rfl:parameter",
                r"""<rfl:parameter\s{1,9}name="(?P<key>[^"<>\n]{1,200})">""",
                "</rfl:parameter>",
                r"<\|(?:call|end)\|>",
                line='<rfl:parameter name="{}">…</rfl:parameter>',
                lines=True,
            ),
            re.compile(rf"{header}\s{{0,99}}(?=<rfl:parameter|<\|call\|>)"),
            re.compile(r"[^{]{0,390}\Z"),
            before,
            around=("</rfl:parameter>",),
        )
        for marker, header, before in (
            (
                "<|start|>",
                rf"[^<{{}}]{{0,40}}{_RECIPIENT}(?:<[^<{{}}]{{0,40}}){{0,3}}<\|message\|>",
                None,
            ),
            ("<|channel|>", r"analysis\s{0,9}<\|constrain\|>xml<\|message\|>", _BEFORE_CHANNEL),
            ("<|channel|>analysis<|message|>", "", _BEFORE_CHANNEL),
        )
    ),
    Format(
        "kimi_k3",
        ("<|open|>call",),
        _parameters(
            "<|open|>call",
            "<|open|>argument",
            r"""<\|open\|>argument\s{1,9}key="(?P<key>[^"<>\n]{1,200})"\s{1,9}"""
            r"""type="(?:(?P<string>string)|\w{1,20})"\s{0,9}<\|sep\|>""",
            r"<\|close\|>argument<\|sep\|>",
            r"<\|close\|>call<\|sep\|>",
            line='<|open|>argument key="{}" type="string"<|sep|>…<|close|>argument<|sep|>',
            holds_end=True,
        ),
        re.compile(
            rf"""{_GAP}tool{_GAP}={_GAP}"(?P<name>[^"<>\n]{{1,200}})"[^<>]{{0,80}}<\|sep\|>"""
        ),
        re.compile(r"[^<>]{0,300}(?:<[sep|]{0,5})?\Z"),
        around=(
            *(f"<|close|>{each}<|sep|>" for each in ("call", "argument")),
            *(
                f"<|{mark}|>{each}<|sep|>"
                for mark in ("open", "close")
                for each in ("tools", "response", "message")
            ),
        ),
    ),
)
