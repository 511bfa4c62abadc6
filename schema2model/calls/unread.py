"""Calls in prose that no format reads: an application would take them for the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from schema2model.calls.bracket_scanner import BracketScanner
from schema2model.calls.call_shapes import ARGUMENTS, LABELS, NAMES
from schema2model.calls.call_texts import CALL_CUT_OFF
from schema2model.calls.call_types import RawCall
from schema2model.calls.markers import NOT_PROSE
from schema2model.calls.mentions import is_definition, is_in_program
from schema2model.calls.tool_names import ToolNames
from schema2model.likeness import likely

__all__ = ["unread_call"]

_MALFORMED: Final = "the call is malformed; send it again"
_NAMELESS: Final = "it names no tool; send the name and the arguments"
_LABELLED: Final = re.compile(r"```[ \t]*tool_(?:code|calls?)\b\s*")
"""A fence that is marked as a call."""
_VALUE: Final = re.compile(r"(?:\A|\n|```[\w+-]{0,20})\s{0,9}(?=[\[{])")
"""The beginning of a value on a line of its own."""
_FENCE: Final = re.compile(r"\A\s*```[\w+-]{0,20}\s*")
_NAMED: Final = re.compile(
    rf"""["']?\b(?:{"|".join(NAMES)})["']?\s{{0,9}}[:=]\s{{0,9}}["']?([\w.:/-]{{1,200}})"""
)
_ARGUMENTS: Final = re.compile(rf"""\b(?:{"|".join(ARGUMENTS)})\b""")
_PYTHON: Final = re.compile(
    r"""(?:\A[\[("'`\s]{0,40}|(?:\n|```[\w+-]{0,20}\s)[\[("'`]{0,4})([^\W\d][\w.-]{0,199})\s?(?=\()"""
)
"""A call in Python at the beginning of a line."""
_YAML: Final = re.compile(
    rf"""(?:\A|\n)\s{{0,9}}(?:{"|".join(NAMES)}):\s{{1,9}}["']?([\w.-]{{1,200}})["']?\s{{0,9}}\n"""
    rf"""\s{{0,9}}(?:{"|".join(ARGUMENTS)}):"""
)
"""A name and arguments on lines of their own."""
_WORD: Final = re.compile(r"(?<![\w.-])[\w.-]{1,200}")
_KEYS: Final = 20
"""Parameters that are examined, from each end of the prose."""
_LABELS: Final = 5
"""Words before a parameter that may be the tool's name."""
_OPENED: Final = re.compile(r"""[^(\[{<]{0,60}[{<\[]|\s*\n(?:Action Input:)?\s*["']\Z""")
_LEAD: Final = re.compile(
    r"""(?:\A|\n|```[\w+-]{0,20}\s)[^\S\n]{0,40}(?:(?P<opens>[\[\]{(<|>"'`]|[;,]\s?|\w{1,20}["\[\]{<])[^\n]{0,300}
    |(?:\w{0,20}:{0,2}\s{0,3})?)\Z""",
    re.VERBOSE,
)
"""The text of a line before the name in a call."""
_LABEL_WORDS: Final = LABELS.union(NAMES, ARGUMENTS)
_LOOK_BACK: Final = 400
_OPENS: Final = frozenset("\"'<>{(,=")
_BEGUN: Final = re.compile(r"""[\s,;\]]*(\{[^{}]{0,300}|(?<=[,;]\s)[\w.-]{1,200})\s*\Z""")
"""Another call after the last one, whose arguments did not begin."""
_CLOSING_TAGS: Final = re.compile(r"</([\w.-]{1,200})>\s{0,9}</([\w.-]{1,200})>")
"""The ends of a parameter and of a call."""
_OPERATOR: Final = re.compile(r"[)\]]\s{1,9}(?:==|[<>+])\s")
"""An operator after a call, which is part of a calculation."""
_SENTENCE: Final = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
_REST: Final = " \t\r\n`'\"]})>,;"
_HEAD: Final = 1_000
"""Characters in which the name of a call is."""


def unread_call(
    pieces: Sequence[tuple[int, str]],
    names: ToolNames,
    *,
    marker: int | None,
    ended: bool,
    first: bool,
) -> RawCall | None:
    """Return the call that is in prose but was not read, with its problem; None if there is none.

    `pieces` are the parts of the prose with their offsets; at `marker` there was one of calls; with
    `ended`, no call follows; with `first`, none is before it.
    """
    text = "".join(piece for _, piece in pieces)
    if not text.strip(NOT_PROSE):
        return None
    found = (
        _in_block(text, names, marker, ended=ended)
        or _labelled(text, names, ended=ended)
        or _value_or_statement(text, names)
        or _closed(text, names)
        or (_begun(text, names) if ended and not first else None)
        or _named_before_key(text, names, first=first)
        or (_nameless(text, names) if ended and first else None)
    )
    return _at(pieces, *found) if found else None


_Found = tuple[int, str, str]
"""The offset of a call, its name and its problem."""


def _in_block(text: str, names: ToolNames, marker: int | None, *, ended: bool) -> _Found | None:
    """The call at a marker, if the marker is not that of the next call."""
    if marker is None:
        return None
    name = names.mentioned(text)
    if (name and (ended or text[marker:].strip(_REST))) or _has_key(text, names):
        return 0, name, _MALFORMED if name else _NAMELESS
    return None


def _labelled(text: str, names: ToolNames, *, ended: bool) -> _Found | None:
    """The call in a fence that is marked as one."""
    found = _LABELLED.search(text)
    if found is None:
        return None
    inside = text[found.end() :]
    name = names.mentioned(inside)
    return (found.end(), name, _MALFORMED) if ended or name or _has_key(inside, names) else None


def _value_or_statement(text: str, names: ToolNames) -> _Found | None:
    """The value that names a tool, or the call in Python, with which a text begins or ends."""
    starts = [found.end() for found in _VALUE.finditer(text)]
    for start in {*starts[:1], *starts[-1:]}:
        if _is_last(text, start) and (name := _named(text[start : start + _HEAD], names)):
            return start, name, _MALFORMED
    for called in [*_PYTHON.finditer(text)][-1:]:
        known = names.find(called[1]) or names.keys_in(text)
        is_first = text[: called.start(1)].strip(_REST + "[(") == ""
        if not (known and names.is_near(called[1]) and _is_last(text, called.end())):
            continue
        if is_first or (
            names.keys_in(text[called.end() :]) and not is_in_program(text[: called.start(1)])
        ):
            return called.start(1), called[1], _MALFORMED
    for called in _YAML.finditer(text):
        if names.find(called[1]):
            return called.start(), called[1], _MALFORMED
    return None


def _closed(text: str, names: ToolNames) -> _Found | None:
    """The call whose closing tags are left, each with a name."""
    for found in _CLOSING_TAGS.finditer(text.partition("```")[0]):
        name = names.find(found[2])
        if name and found[1] in names.parameters(name):
            return found.start(), name, _MALFORMED
    return None


def _begun(text: str, names: ToolNames) -> _Found | None:
    """Another call after the last one, cut off before its arguments."""
    begun = _BEGUN.match(text)
    if begun is not None and _is_begun(begun[1], names):
        return begun.start(1), "", CALL_CUT_OFF
    return None


def _nameless(text: str, names: ToolNames) -> _Found | None:
    """The arguments of the only tool, without its name."""
    start = _VALUE.search(text)
    if start is not None and names.only is not None and _is_arguments(text[start.end() :], names):
        return start.end(), "", _NAMELESS
    return None


def _at(pieces: Sequence[tuple[int, str]], at: int, name: str, problem: str) -> RawCall:
    """The call that begins at an offset in the joined pieces."""
    end = pieces[-1][0] + len(pieces[-1][1])
    for start, piece in pieces:
        if at < len(piece):
            return RawCall(name, "", start + at, end, problem=problem)
        at -= len(piece)
    return RawCall(name, "", end, end, problem=problem)


def _is_begun(text: str, names: ToolNames) -> bool:
    """Return whether a text is the first key or the first letters of another call."""
    word = text.lstrip("{[ \n\"'")
    keyed = _NAMED.search(text)
    word = keyed[1] if keyed else word
    if text[:1] == "{" and not keyed:
        return any(key.startswith(word.rstrip("\"' :")) for key in (*NAMES, "id", "type"))
    return word != "" and any(name.startswith(word) for name in names.all)


def _has_key(text: str, names: ToolNames) -> bool:
    """Return whether a declared parameter is in a text, in quotes or after a bracket."""
    return any(text[key.start() - 1 : key.start()] in _OPENS for key in names.keys_in(text))


def _named_before_key(text: str, names: ToolNames, *, first: bool) -> _Found | None:
    """The beginning of a line like a call: a tool's name, a bracket and a declared parameter."""
    keys = names.keys_in(text)
    if not keys or is_definition(text):
        return None
    for key in [*keys[:_KEYS], *keys[_KEYS:][-_KEYS:]]:
        begins = max(key.start() - _LOOK_BACK, 0)
        head = text[begins : key.start()]
        if _OPERATOR.search(text, begins, key.end() + _LOOK_BACK):
            continue
        for word in [*_WORD.finditer(head)][-_LABELS:]:
            name = word[0]
            if name in _LABEL_WORDS or not names.is_near(name):
                continue
            lead = _LEAD.search(head[: word.start()])
            if is_in_program(head[: word.start()]):
                continue
            joined = word.end() == len(head)
            if lead is None or not (joined or lead["opens"] or _OPENED.match(head, word.end())):
                continue
            if _SENTENCE.search(head, lead.start(), word.start()):
                continue
            if first or not _SENTENCE.search(head[: lead.start()]):  # else it explains a call
                return begins + word.start(), name, _MALFORMED
    return None


def _is_last(text: str, start: int) -> bool:
    """Return whether the value at an offset is the last of the text, or is cut off."""
    closed, end = BracketScanner().scan(text, start, ended=True)
    return not closed or not text[end:].strip(_REST)


def _named(text: str, names: ToolNames) -> str:
    """The tool that a value names, or nearly names; empty if there is none."""
    if is_definition(text):
        return ""
    for found in _NAMED.finditer(text):
        if names.find(found[1]) is not None:
            return found[1]
        if _ARGUMENTS.search(text) and likely(found[1], names.all):
            return found[1]
    return ""


def _is_arguments(text: str, names: ToolNames) -> bool:
    """Return whether a text is arguments of the only tool, without its name."""
    try:
        value = json.loads(text.strip(" \t\r\n`"))
    except (ValueError, RecursionError):
        return False
    only = names.only
    return (
        only is not None
        and isinstance(value, dict)
        and value != {}
        and value.keys() <= {*names.parameters(only)}
        and names.schema(only).is_valid(value)
    )
