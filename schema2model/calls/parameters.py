"""Calls whose parameters are between marks: their values are text."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from schema2model.calls import problems
from schema2model.calls.call_types import CallsRead, RawCall, given_twice
from schema2model.calls.delimiting import Delimiters, block_end, ungrouped
from schema2model.calls.formats.records import (
    BLOCK_BEGINS,
    BLOCK_ENDS,
    OUTER_ENDS,
    RECORDS,
    SILENT,
    Record,
)
from schema2model.calls.formats.spellings import usual_spelling
from schema2model.json.parsing import entities_decoded
from schema2model.regexes import regex

__all__ = ["arrived_parameters", "read_nested", "read_parameters"]

_CDATA: Final = regex(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.DOTALL)
_CDATA_BEGINS: Final = regex(r"\s*<!\[CDATA\[")
_INDENTED: Final = regex(r"\n[ \t]+(?![ \t])(.*?)\n[ \t]+", re.DOTALL)
_LINE_BEGINS: Final = regex(r"\n[ \t]*\Z")
_LEFT_OPEN: Final = regex(r"<[^<>\n]{0,60}>?\s*\Z")
"""A mark at the end of a value whose end mark is missing: it may be that, damaged."""
_LONGEST: Final = 99
"""Maximum characters of an end mark."""
_SIGN: Final = 4
"""Minimum characters of an end mark that are the rest of one."""
_PROSE_LINE: Final = regex(r"[ \t]*\n")
_AFTER_CALL: Final = regex(r"\s*(?:<|\Z)")
_DAMAGED_KEY: Final = regex(r"""["'`\[\](){}=<>|,;\\]|[\u200b-\u200f\u201c-\u201f]""")
_BLANK: Final = r"(?:\s|\\n)*"
"""Blanks between marks; a line break is sometimes written as two characters."""


@dataclass(frozen=True)
class _Marks:
    """The marks of parameters."""

    key: re.Pattern[str]
    """The beginning of a parameter, with the blanks before it."""
    begins: re.Pattern[str]
    exact: re.Pattern[str]
    """A value in which no mark begins, with its end mark. To try it first takes two fifths off
    the time in which such a call is read."""
    within: re.Pattern[str]
    """In a value: the beginning of a call, its end, or the end of the value."""
    follows: re.Pattern[str]
    """The text after a value: another parameter, or the end of the call."""
    after: re.Pattern[str]
    """The text after the last parameter of a call whose end mark is missing."""
    value: str
    damaged: re.Pattern[str]
    """A part of a mark."""
    whole: re.Pattern[str]
    """A whole mark."""
    ended: re.Pattern[str]
    """The end mark of a value of any parameter, at the end of a text."""
    stray: re.Pattern[str]
    """An end mark that names no parameter, where none has begun."""
    ends: re.Pattern[str]
    """The end marks of values that are left over after a call."""
    twice: re.Pattern[str]
    """The text after an end mark that is none, and no text of a value either."""


_OPENS: Final = [
    ungrouped(each.opens)
    for each in RECORDS
    if each.family == "<" and each.body == "tags" and each.opens.startswith("<")
]


@lru_cache(1024)
def _marks(record: Record, key: str) -> _Marks:
    value = record.value.replace("@k", re.escape(key))
    opens, begins, closes = ungrouped(record.opens), ungrouped(record.key), record.closes
    is_tag, beginnings = record.family == "<", [opens]
    if is_tag and re.fullmatch(r"</[\w\\:|-]+>", closes):  # of another format with the same end
        beginnings.append(rf"<{closes[2:-1]}(?:[\s=][^<>\n]*)?>(?=\s*[\[{{<])")
        opens = "|".join(beginnings)
    word = record.word or "(?!)"
    any_value, nameless = (record.value.replace("@k", each) for each in ("[^<>]*", "(?!)"))
    within = {"value": [value], "end": [closes], "begin": beginnings}
    if is_tag:  # a quoted call of another format
        within |= {"begin": [*beginnings, *_OPENS], "other_end": [BLOCK_ENDS]}
    ends = rf"{closes}|\s*{OUTER_ENDS}" if is_tag else closes
    marks = (*itertools.chain(*within.values()), record.key)
    first = "<" if all(mark.startswith("<") for mark in marks) else ""
    return _Marks(
        regex(rf"{_BLANK}(?:{record.key})"),
        regex(record.key),
        regex(f"([^{first}]*){value}" if first else "(?!)"),
        _one_of(within, first),
        regex(rf"{_BLANK}(?:{begins})|\s*(?:{ends})|(?:\s|{SILENT})*\Z"),
        regex(rf"\s*(?:{f'{OUTER_ENDS}|{BLOCK_BEGINS}' if is_tag else opens})"),
        value,
        regex(rf"[<\[/|｜]+\s?{word}|{word}(?:=|\s+name=)[^\s<>]{{1,80}}>|{word}\|?[>」]|「{word}"),
        regex(f"{value}|{begins}|{opens}|{closes}"),
        regex(rf"(?:{any_value})\Z"),
        regex(rf"\s*(?:{nameless})"),
        regex("(?!)" if "@k" in record.value else record.value),
        regex(rf"\n|\s*(?:{value})"),
    )


def _one_of(groups: dict[str, list[str]], first: str) -> re.Pattern[str]:
    """A pattern of these groups. What all begin with is searched first, which is faster."""
    parts = (
        f"(?P<{name}>{'|'.join(each[len(first) :] for each in sources)})"
        for name, sources in groups.items()
    )
    return regex(f"{first}(?:{'|'.join(parts)})")


def read_parameters(  # noqa: C901 - one problem after the other
    text: str, at: int, call: RawCall, marks: Delimiters, declared: Collection[str], *, ended: bool
) -> CallsRead:
    """Read the parameters from `at` on, up to the end mark of the call."""
    record = marks.record
    values: dict[str, str] = {}
    strings: set[str] = set()
    at, problem, lacks_end = _skip_end(text, at, record), "", False
    while not problem:
        if close := marks.closes and marks.closes.match(text, at):
            at = close.end()
            break
        mark = _marks(record, "").key.match(text, at)
        if mark is None:
            if not ended and not text[at:].strip():
                return None
            problem = _missing_end(text, at, call.format, values, marks, declared)
            break
        key = entities_decoded(mark["key"].strip())
        raw, at, problem, has_end = _value(text, mark, record, declared, values, call.format)
        lacks_end = lacks_end or not has_end
        at = mark.end() if problem else at
        if key not in declared and _DAMAGED_KEY.search(key):
            problem = problem or problems.damaged_name(key)
        if "\\n" in mark[0]:  # the text of the call was written as a JSON string
            raw = _unescaped(raw)
        if values.setdefault(key, raw) != raw:
            problem = given_twice(key)
        if _is_string(mark):
            strings.add(key)
    call.arguments, call.strings, call.end = values, frozenset(strings), at
    if not problem:
        following = next((m for m in marks.bounds.finditer(text, at) if m["begin"]), None)
        if not ended and (following is None or lacks_end):
            return None
        problem = _left_over(text, at, following, marks, lacks_end=lacks_end)
        if not problem:
            return at, [call]
    if not ended:
        return None  # a value may end later
    end = block_end(text, max(at, call.start + 1), marks, ended=True)
    call.problem, call.end = problem, end or len(text)
    return call.end, [call]


def _missing_end(
    text: str,
    at: int,
    format_: str,
    values: dict[str, str],
    marks: Delimiters,
    declared: Collection[str],
) -> str:
    """The problem where neither a parameter nor the end mark is; empty if the call ends there."""
    record, own = marks.record, _marks(marks.record, "")
    rest = text[at:].strip()
    is_prose = values and _PROSE_LINE.match(text, at) and not _has_marks(text, at, marks)
    if not rest or is_prose or own.after.match(text, at):
        may_lack_end = values and record.family in {"<", "client"}
        return "" if may_lack_end else problems.IS_CUT_OFF
    if marks.closes and not marks.closes.search(text, at):
        return problems.IS_CUT_OFF
    near = (each for each in declared if each not in values and each in rest[:99])
    lost = min(near, key=lambda each: (rest.find(each), each), default="")
    spelling = (record.spelling or usual_spelling(format_)) if lost else None
    return problems.misplaced(rest, spelling.line(lost) if spelling else "")


def _left_over(
    text: str, at: int, following: re.Match[str] | None, marks: Delimiters, *, lacks_end: bool
) -> str:
    """The problem if end marks are left over after a call: a value was cut.

    Where a value lacks its end mark, it may also be after calls that the value quotes.
    """
    own = _marks(marks.record, "")
    end = len(text) if lacks_end or following is None else following.start()
    rest = text[at:end].strip()
    rest = marks.closes.sub("", rest) if marks.closes and rest else rest
    ends = len(own.ends.findall(rest))
    begins = len(own.begins.findall(rest)) if lacks_end else 0
    return problems.RUNS_OVER if ends > begins else ""


def _has_marks(text: str, at: int, marks: Delimiters) -> bool:
    """Return whether marks of the call that may begin before `at` are after it."""
    following = next((m for m in marks.bounds.finditer(text, at) if m["begin"] is not None), None)
    end = following.start() if following else len(text)
    return _marks(marks.record, "").whole.search(text, at, end) is not None


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _skip_end(text: str, at: int, record: Record) -> int:
    """The offset after an end mark without a beginning, which some models put before parameters."""
    stray = _marks(record, "").stray.match(text, at)
    return stray.end() if stray else at


def _value(
    text: str,
    mark: re.Match[str],
    record: Record,
    declared: Collection[str],
    known: Collection[str],
    format_: str = "",
) -> tuple[str, int, str, bool]:
    """The value of a parameter, the offset after it, and the problem with it.

    Also whether its end mark is there. It may be damaged if that is missing, or if it holds one;
    the name of a parameter that is declared, and not `known`, may be the next one's.
    """
    marks = _marks(record, mark["key"] if "@k" in record.value else "")
    begins = mark.end()
    exact = marks.exact.match(text, begins)
    if exact and marks.follows.match(text, exact.end()):
        return _inner(exact[1]), exact.end(), "", True
    others = set(declared) - set(known) - {entities_decoded(mark["key"].strip())}
    ends = _value_end(text, begins, record, marks)
    if ends is None:
        is_cut = not any(
            found["value"] or found["end"] for found in marks.within.finditer(text, begins)
        )
        key = mark["key"][:80]
        return "", begins, problems.cut_in(key) if is_cut else _endless(key, record, format_), False
    raw_end, at, is_doubtful = ends
    raw = text[begins:raw_end]
    for other in marks.begins.finditer(raw):
        if other["key"] in others and not _is_quoted(raw, other.start(), marks):
            above = _LINE_BEGINS.search(raw, 0, other.start())
            if above is None:
                return raw, at, _endless(mark["key"][:80], record, format_), False
            at = begins + above.start()  # the end mark is missing
            raw, is_doubtful = raw[: above.start()], True
            break
    begun = next((each for each in marks.within.finditer(raw) if each["begin"] is not None), None)
    doubtful = raw if is_doubtful else raw[: begun.start()] if begun else ""
    is_damaged = (
        marks.begins.match(raw.lstrip())
        or (is_doubtful and _LEFT_OPEN.search(raw))
        or (marks.damaged.search(doubtful) and marks.damaged.search(marks.whole.sub("", doubtful)))
    )
    has_end = marks.ended.search(text[max(begins, at - _LONGEST) : at]) is not None
    if is_damaged or _holds_rest(raw, text[raw_end:at].strip(), others):
        return raw, at, _endless(mark["key"][:80], record, format_), has_end
    return _inner(raw), at, "", has_end


def _endless(key: str, record: Record, format_: str) -> str:
    """The problem with a parameter that does not end."""
    spelling = record.spelling or usual_spelling(format_)
    return problems.endless(key, spelling.line(key) if spelling else "")


def _is_string(mark: re.Match[str]) -> bool:
    """Return whether the mark of a parameter says that it is a string."""
    return "string" in mark.re.groupindex and mark["string"] is not None


def _holds_rest(raw: str, end: str, others: Collection[str]) -> bool:
    """Return whether a value holds the rest of an end mark, and of a mark of another parameter."""
    begins = raw.find(end[:_SIGN]) if len(end) > _SIGN else -1
    return begins >= 0 and any(
        re.search(rf"[^<>\n]{{0,60}}\b{re.escape(key)}[\"']?>", raw[begins + 1 :]) for key in others
    )


def _value_end(
    text: str, begins: int, record: Record, marks: _Marks
) -> tuple[int, int, bool] | None:
    """The end of a value and of its end mark, which is before another mark of the call.

    Also whether the end mark is missing, or one is within the value. Complete calls in it are text.
    """
    if cdata := _CDATA_BEGINS.match(text, begins):
        close = text.find("]]>", cdata.end())
        if _CDATA_BEGINS.search(text, cdata.end(), max(close, 0)):
            return None  # the end of this one is damaged
        found = re.compile(rf"\s*(?:{marks.value})?").match(text, close + 3)
        return (close + 3, found.end(), False) if close >= 0 and found else None
    depth, holds_end = 0, False
    for found in marks.within.finditer(text, begins):
        if found["begin"] is not None:
            depth += 1
        elif found["value"] is None:
            line = _LINE_BEGINS.search(text, begins, found.start())
            is_text = text.startswith("\n", begins) and not line  # a value in lines ends at one
            is_own = found["end"] is not None and record.family == "<" and not is_text
            if depth == 0 and is_own and _AFTER_CALL.match(text, found.end()):
                end = line.start() if line else found.start()
                return None if holds_end else (end, end, True)
            depth = max(depth - 1, 0)
        elif depth == 0:
            if marks.follows.match(text, found.end()):
                return found.start(), found.end(), holds_end
            is_alone = _LINE_BEGINS.search(text, begins, found.start())
            if not record.inline or is_alone or marks.twice.match(text, found.end()):
                return None
            holds_end = True
    return None


def _is_quoted(raw: str, at: int, marks: _Marks) -> bool:
    """Return whether a place of a value is in a call that it quotes."""
    depth = 0
    for found in marks.within.finditer(raw):
        if found.start() >= at:
            break
        depth += 1 if found["begin"] else 0 if found["value"] else -1
    return depth > 0


def _inner(text: str) -> str:
    """A value without the line breaks, and the indentation, that belong to its marks."""
    if cdata := _CDATA.fullmatch(text):
        return cdata[1]
    if indented := _INDENTED.fullmatch(text):
        return indented[1]
    return text[1:].removesuffix("\n") if text[:1] == "\n" else text


def arrived_parameters(
    text: str, at: int, record: Record
) -> tuple[list[tuple[str, str, bool]], int]:
    """The parameters from `at` on that are complete whatever arrives, and the offset of the next.

    Each is its name, its text, and whether the call says that it is a string.
    """
    found: list[tuple[str, str, bool]] = []
    while mark := _marks(record, "").key.match(text, at):
        raw, end, problem, _ = _value(text, mark, record, (), ())
        if problem or not text[end:].strip():
            break
        found.append((entities_decoded(mark["key"].strip()), raw, _is_string(mark)))
        at = end
    return found, at


def read_nested(  # noqa: C901 - one mark after the other
    text: str, at: int, call: RawCall, marks: Delimiters, schema: Any, *, ended: bool
) -> CallsRead:
    """Read parameters whose objects and lists are written with the same marks."""
    record, closes = marks.record, marks.closes or regex(r"(?!)")
    mark = regex(rf"(?P<open>{record.key})|(?P<shut>{record.value})")
    damaged = regex(record.word or "(?!)")
    stack: list[tuple[str, list[tuple[str, Any]], int]] = [("", [], at)]
    problem, last = "", at
    while not problem:
        if len(stack) == 1 and (close := closes.match(text, at)):
            at = close.end()
            break
        found = mark.search(text, at)
        if found is None:
            if not ended:
                return None
            problem = problems.IS_CUT_OFF
        elif found["open"] is not None:
            problem = _text_between(text[last : found.start()])
            stack.append((found["key"], [], found.end()))
            at = last = found.end()
        elif len(stack) == 1 or stack[-1][0] != found["closed"]:
            problem = problems.endless(stack[-1][0] or found["closed"], "")
        else:
            key, members, begins = stack.pop()
            leaf = text[begins : found.start()]
            problem = _text_between(text[last : found.start()] if members else "")
            if not members and damaged.search(leaf):
                problem = problems.endless(key, "")
            if len({key for key, _ in members} - {record.item}) < len(members):
                twice = next((k for n, (k, _) in enumerate(members) if k in dict(members[:n])), "")
                problem = problem or (given_twice(twice) if twice not in {"", record.item} else "")
            stack[-1][1].append((key, _nested_value(members, leaf, record.item)))
            at = last = found.end()
    values: dict[str, str] = {}
    for key, value in stack[0][1]:
        target = _target(_subschema(schema, "properties", key), schema)
        shaped = _shaped(value, target, record.item)
        written = shaped if isinstance(shaped, str) else json.dumps(shaped, ensure_ascii=False)
        problem = given_twice(key) if values.setdefault(key, written) != written else problem
    if problem:
        end = block_end(text, call.start + 1, marks, ended=ended)
        if end is None:
            return None
        at, call.problem = end, problem
    call.arguments, call.end = values, at
    return at, [call]


def _text_between(text: str) -> str:
    """The problem with a text between marks where none belongs; empty if it is blank."""
    return problems.misplaced(text.strip()) if text.strip() else ""


def _subschema(schema: Any, *keys: str) -> Any:
    for key in keys:
        schema = schema.get(key) if isinstance(schema, dict) else None
    return schema


def _target(schema: Any, root: Any) -> Any:
    """The schema that a reference within the document names."""
    reference = _subschema(schema, "$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    return _subschema(root, *reference[2:].split("/"))


def _shaped(value: Any, schema: Any, item: str) -> Any:
    """A value between nested marks as its schema has it: an element without others may be any."""
    named = _subschema(schema, "type")
    types = named if isinstance(named, list) else [named]
    if isinstance(value, str) and not value.strip() and "string" not in types:
        return [] if "array" in types else {} if "object" in types else value
    if isinstance(value, list) and "object" in types and "array" not in types and len(value) == 1:
        value = {item: value[0]}
    if isinstance(value, list):
        return [_shaped(each, _subschema(schema, "items"), item) for each in value]
    if isinstance(value, dict):
        members = value.items()
        return {k: _shaped(each, _subschema(schema, "properties", k), item) for k, each in members}
    return value


def _nested_value(members: list[tuple[str, Any]], text: str, item: str) -> Any:
    if not members:
        return text
    if {key for key, _ in members} == {item}:
        return [value for _, value in members]
    return dict(members)
