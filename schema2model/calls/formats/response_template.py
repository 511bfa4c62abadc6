r"""The marks of a `response_template`, by which Hugging Face's transformers reads a model's output.

Its patterns may come from anybody: they are translated into marks, piece by piece, and never
compiled. A field that is not a mark is refused by its name, rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from schema2model.calls.call_shapes import ARGUMENTS, NAMES
from schema2model.json.quoting import abridged_repr
from schema2model.regexes import regex

__all__ = ["template_marks"]

_LONGEST: Final = 1000
"""Maximum characters of a mark or a pattern."""
_CLASS: Final = r"\[(?:[^\]\\]|\\.)+\]"
_TIMES: Final = r"(?:[*+?]\??|\{\d+,?\d*\}\??)"
_INNERMOST: Final = rf"(?:[^()\[\\]|\\.|{_CLASS})*"
_INNER: Final = rf"(?:[^()\[\\]|\\.|{_CLASS}|\({_INNERMOST}\))*"
_PIECE: Final = regex(
    rf"\(\?P?<(?P<group>\w+)>(?:[^()\[\\]|\\.|{_CLASS}|\({_INNER}\))*\)|\(\?P=(?P<again>\w+)\)"
    rf"|(?P<blank>(?:\\[snrt]|\n|\[(?:\\[snrt]|\s)+\]){_TIMES}?)|(?P<body>\(\?=\\[\[{{]\))"
    rf"|(?P<index>(?:\\d|\[0-9\]){_TIMES})|(?P<type>(?:\\w|{_CLASS}){_TIMES}|\(\?:\w+(?:\|\w+)+\))"
    rf"|(?:\\(?P<escaped>\W)|\[(?P<one>[^\\\w\s^])\]|(?P<plain>[^\\()\[{{|?*+.^$]))(?!{_TIMES})"
)
"""A piece: a named group, blanks, the bracket of the body, a number, a word, or a character."""
_MARKS: Final = {"blank": "\n", "body": "", "index": "{index}", "type": "{type}"}
_OPTIONAL: Final = regex(rf"\(\?:({_INNERMOST})\)\?")
_OR_END: Final = regex(r"(?:\(\?:)?(.*)\|(?:\$|\\[Zz])\)?", re.DOTALL)
_PLACE: Final = regex(r"\{(?:content\.)?(\w+)\}")
_DELIMITERS: Final = ('<|"|>', "<escape>")
"""Marks around the strings of an object with bare keys."""


def template_marks(template: Any) -> dict[str, Any]:
    """The fields of the `WireFormat` that reads the calls of a template.

    Raises:
        TypeError: if it is not an object.
        ValueError: for what marks cannot express, with its name.

    """
    name, field = _calls_of(template)
    called, given = _places(name, field)
    opens, before = _opening(name, field, called)
    closes, *others = _closings(name, field)
    is_named = "{name}" in opens
    if is_named and given != "content":
        _refuse(f"{name}.transform", "has other arguments than what is between the marks")
    content = field.get("content", "text")
    if content == "xml-inline" and is_named:
        if others:
            _refuse(f"{name}.close", "are several marks, and one ends the text of a parameter")
        body: dict[str, Any] = {"parameter": _parameter(name, _options(name, field))}
    elif content == "python-call-list" and not is_named:
        body = {"style": "python", "listed": True}
    elif content == "json":
        body = _json(name, field, (called, given), is_named=is_named)
    else:
        _refuse(f"{name}.content", f"is {abridged_repr(content)} between {opens!r} and {closes!r}")
    return {"call": (opens, closes), **body, "around": (*before, *others)}


def _refuse(where: str, reason: str) -> NoReturn:
    message = f"{where} {reason}: marks cannot express it"
    raise ValueError(message)


def _calls_of(template: Any) -> tuple[str, Mapping[str, Any]]:
    """The field that holds the calls, and its name."""
    fields = template.get("fields") if isinstance(template, Mapping) else None
    if not isinstance(fields, Mapping):
        message = f"a response_template is an object with `fields`, not {abridged_repr(template)}"
        raise TypeError(message)
    changed = [name for name in fields if "transform" in (fields[name] or ())]
    name = changed[0] if "tool_calls" not in fields and len(changed) == 1 else "tool_calls"
    if not isinstance(fields.get(name), Mapping):
        _refuse("the template", f"has no field `{name}`")
    return name, fields[name]


def _options(name: str, field: Mapping[str, Any]) -> Mapping[str, Any]:
    options = field.get("content_args", {})
    if not isinstance(options, Mapping):
        _refuse(f"{name}.content_args", f"is {abridged_repr(options)}")
    return options


def _places(name: str, field: Mapping[str, Any]) -> tuple[str, str]:
    """The keys, or the groups, of a call's name and arguments; `content` is what is between."""
    call = field.get("transform", "{content}")
    call = call.get("function", call) if isinstance(call, Mapping) else call
    if call == "{content}":
        return "name", "content"
    given = (call.get("name"), call.get("arguments")) if isinstance(call, Mapping) else ()
    matches = (_PLACE.fullmatch(each) for each in given if isinstance(each, str))
    places = [found[1] for found in matches if found]
    if len(places) != 2:  # noqa: PLR2004 - a name and arguments
        _refuse(f"{name}.transform", "does not say where the name and the arguments are")
    return places[0], places[1]


def _opening(name: str, field: Mapping[str, Any], called: str) -> tuple[str, tuple[str, ...]]:
    """The mark before a call, and one that may be before that."""
    if "open_pattern" not in field:
        marks = _literals(f"{name}.open", field.get("open", []))
        if len(marks) != 1:
            _refuse(f"{name}.open", f"are {len(marks) or 'no'} marks")
        return marks[0], ()
    where, pattern = f"{name}.open_pattern", field["open_pattern"]
    optional = _OPTIONAL.match(pattern) if isinstance(pattern, str) else None
    rest = pattern[optional.end() :] if optional else pattern
    before = (_translated(where, optional[1], {}),) if optional else ()
    return _translated(where, rest, {called: "{name}"}), before


def _closings(name: str, field: Mapping[str, Any]) -> list[str]:
    """The marks after a call, the usual one first; the text may end without."""
    if "close_pattern" not in field:
        return _literals(f"{name}.close", field.get("close", ""))
    pattern = field["close_pattern"]
    or_end = _OR_END.fullmatch(pattern) if isinstance(pattern, str) else None
    return [_translated(f"{name}.close_pattern", or_end[1] if or_end else pattern, {})]


def _parameter(name: str, options: Mapping[str, Any]) -> tuple[str, str]:
    """The marks before and after the value of a parameter."""
    where, groups = f"{name}.content_args.tag_pattern", {"key": "{key}", "value": "{value}"}
    mark = _translated(where, options.get("tag_pattern"), groups)
    begins, value, ends = mark.partition("{value}")
    if not value:
        _refuse(where, "has no group `value`")
    return begins, ends


def _json(
    name: str, field: Mapping[str, Any], keys: tuple[str, str], *, is_named: bool
) -> dict[str, Any]:
    """The form of an object: a call with its keys, or arguments with delimiters."""
    delimiters = _options(name, field).get("string_delims")
    for each in _DELIMITERS:
        if is_named and delimiters == [[each, each]]:
            return {"style": "loose", "quote": each, "between": ""}
    if delimiters:
        _refuse(f"{name}.content_args.string_delims", f"is {abridged_repr(delimiters)}")
    if is_named:
        return {}
    called, given = keys[0], "arguments" if keys[1] == "content" else keys[1]
    if called not in NAMES or given not in ARGUMENTS:
        _refuse(f"{name}.transform", f"has calls with the keys {called} and {given}")
    return {"keys": (called, given), "listed": field.get("transform_each") is True}


def _literals(where: str, given: Any) -> list[str]:
    """Marks as they are written."""
    marks = given if isinstance(given, list) and given else [given]
    for mark in marks:
        if not isinstance(mark, str) or len(mark) > _LONGEST or re.search(r"\{\w+\}", mark):
            _refuse(where, f"is {abridged_repr(mark)}")
    return marks


def _translated(where: str, pattern: Any, groups: Mapping[str, str]) -> str:
    """The mark that matches what a pattern does, with placeholders for its groups."""
    if not isinstance(pattern, str) or len(pattern) > _LONGEST:
        _refuse(where, f"is {abridged_repr(pattern)}")
    mark, at = "", 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        named = piece and (piece["group"] or piece["again"])
        if piece is None or (named and named not in groups):
            _refuse(where, f"has {abridged_repr(pattern[at : at + 30])}")
        kind = str(piece.lastgroup)
        mark += groups[named] if named else _MARKS.get(kind, piece[kind])
        at = piece.end()
    return mark
