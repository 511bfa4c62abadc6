"""Calls in prose that no format reads: an application would take them for the answer."""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from schema2model.calls.call_shapes import ARGUMENTS, LABELS, NAMES, may_become_key
from schema2model.calls.call_texts import CALL_CUT_OFF
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import PYTHON_CALL, Expression, ExpressionError, parse
from schema2model.calls.markers import PROSE_CHARACTER
from schema2model.calls.mentions import is_definition, is_in_program, is_program
from schema2model.calls.text_source import BracketScanner
from schema2model.calls.tool_names import ToolNames
from schema2model.json.names import likely
from schema2model.limits import MAX_CALLS

__all__ = ["python_calls", "unread_call"]

_MALFORMED: Final = "the call is malformed; send it again"
_NAMELESS: Final = "it names no tool; send the name and the arguments"
_LABELLED: Final = re.compile(r"```[ \t]*tool_(?:code|calls?)\b\s*")
"""A fence that is marked as a call."""
_VALUE: Final = re.compile(r"(?:\A|\n|```[\w+-]{0,20})\s{0,9}(?=[\[{])")
"""The beginning of a value on a line of its own."""
_NAMED: Final = re.compile(
    rf"""["']?\b(?:{"|".join(NAMES)})["']?\s{{0,9}}[:=]\s{{0,9}}["']?([\w.:/-]{{1,200}})"""
)
_ARGUMENTS: Final = re.compile(rf"""\b(?:{"|".join(ARGUMENTS)})\b""")
_PYTHON: Final = re.compile(
    r"""(?:\A[\[("'`\s]{0,40}|(?:\n|```[\w+-]{0,20}\s)[\[("'`]{0,4})([^\W\d][\w.-]{0,199})\s?(?=\()"""
)
"""A call in Python at the beginning of a line."""
_BETWEEN_MARKS: Final = re.compile(
    r"""(?:(?P<tag><\|?[A-Za-z_][\w.-]{0,40}[:|][\w:|./-]{0,60}\|?>|<\|[\w./-]{1,60}\|>)|\[/?[A-Z][A-Z_]{2,40}\])
    \s{0,9}["'`]?(?P<name>[^\W\d][\w.-]{0,199}(?::\d{1,3})?)["'`]?\s{0,9}(?P<mark>[<\[{(])?""",
    re.VERBOSE,
)
"""A mark that no format has, right before a name."""
_NAMED_MARK: Final = re.compile(
    r"""<\|?[A-Za-z_][\w.-]{0,40}[:|][\w:|.-]{0,60}\s[^<>\n]{0,80}=\s?["']?([\w.:-]{1,200})["']?[^<>\n]{0,80}>"""
)
"""Such a mark with a name in it."""
_FAILED: Final = re.compile(r"malformed function call:?\s{0,9}", re.IGNORECASE)
"""The words of a client for a call that it could not read."""
_YAML: Final = re.compile(
    rf"""(?:\A|\n)\s{{0,9}}(?:{"|".join(NAMES)}):\s{{1,9}}["']?([\w.-]{{1,200}})["']?\s{{0,9}}\n"""
    rf"""\s{{0,9}}(?:{"|".join(ARGUMENTS)}|action input):""",
    re.IGNORECASE,
)
"""A name and arguments on lines of their own."""
_BEFORE_MARK: Final = re.compile(
    r"""(?:\A\s{0,9}|(?:\A|\n)>>>\s?)([\w.-]{1,200})[ \t]{0,9}\n\s{0,9}"""
    r"""(?:[,;:]?["'\[\](){}\\]|//|=+\s{0,9}[\[{"'])"""
)
"""A name on a line of its own, before a mark that does not begin its arguments."""
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
_REST: Final = " \t\r\n`'\"]})>,;:"
_HEAD: Final = 1_000
"""Characters in which the name of a call is."""
_BEFORE_PYTHON: Final = re.compile(r"[\s,;\])]*(?:```(?:[\w+-]{0,20}\s)?|`)?\s*")
"""The text before the first of the calls that a text is."""
_AFTER_PYTHON: Final = re.compile(r"[\s,;\])]*")


def python_calls(pieces: Sequence[tuple[int, str]], names: ToolNames) -> list[RawCall]:
    """The calls in prose that is nothing but calls in Python, with literals for arguments.

    No tool has their names, or else they were not read. Those of Python's own functions are code.
    """
    text = "".join(piece for _, piece in pieces).rstrip(" \t\r\n`")
    at = first = _BEFORE_PYTHON.match(text).end()  # type: ignore[union-attr]
    found: list[Expression] = []
    try:
        while at < len(text):
            if text[at] != "[" and not PYTHON_CALL.match(text, at):
                return []
            node = parse(text, at)
            found += node.items if node.kind == "[" else [node]
            at = _AFTER_PYTHON.match(text, node.end).end()  # type: ignore[union-attr]
    except (ExpressionError, RecursionError):
        return []
    if not (names.all and all(map(_is_literal_call, found))) or is_program(text[:first]):
        return []
    return [
        RawCall(
            each.name,
            "",
            _offset(pieces, each.start),
            _offset(pieces, each.end),
            problem=_MALFORMED if names.find(each.name) else "",
            format="pythonic",
        )
        for each in found[:MAX_CALLS]
    ]


def _is_literal_call(node: Expression) -> bool:
    is_code = node.name in vars(builtins) or ("." in node.name and not any(node.keys))
    return node.kind == "call" and not is_code and all(item.is_literal for item in node.items)


def _offset(pieces: Sequence[tuple[int, str]], at: int) -> int:
    """Return the offset in the whole text of an offset in its pieces."""
    for start, piece in pieces:
        if at < len(piece):
            return start + at
        at -= len(piece)
    return pieces[-1][0] + len(pieces[-1][1])


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
    if not PROSE_CHARACTER.search(text):
        return None
    found = next(_candidates(text, names, marker, ended=ended, first=first), None)
    if found is None:
        return None
    at, name, problem = found
    return RawCall(name, "", _offset(pieces, at), _offset(pieces, len(text)), problem=problem)


_Found = tuple[int, str, str]
"""The offset of a call, its name and its problem."""


def _candidates(
    text: str, names: ToolNames, marker: int | None, *, ended: bool, first: bool
) -> Iterator[_Found]:
    """Yield what may be a call."""
    keys = names.keys_in(text)
    if marker is not None:  # in a block, if the marker is not that of the next call
        name = names.mentioned(text)
        if (name and (ended or text[marker:].strip(_REST))) or _are_given(keys):
            yield 0, name, _MALFORMED if name else _NAMELESS
    if labelled := _LABELLED.search(text):
        at = labelled.end()
        name = names.mentioned(text[at:])
        if ended or name or _are_given(key for key in keys if key.start() >= at):
            yield at, name, _MALFORMED
    yield from _between_marks(text, names)
    yield from _last_value(text, names)
    yield from _statement(text, names, keys)
    for closed in _CLOSING_TAGS.finditer(text.partition("```")[0]):  # whose opening tags are lost
        closes = names.find(closed[2])
        if closes and closed[1] in names.parameters(closes):
            yield closed.start(), closes, _MALFORMED
    begun = _BEGUN.match(text) if ended and not first else None
    if begun and _is_begun(begun[1], names):  # another call after the last one
        yield begun.start(1), "", CALL_CUT_OFF
    if keys and not is_definition(text):
        yield from _named_before_key(text, names, keys, first=first)
    start = _VALUE.search(text) if ended and first else None
    if start and _is_arguments(text[start.end() :], names):
        yield start.end(), "", _NAMELESS


def _are_given(keys: Iterable[re.Match[str]]) -> bool:
    """Return whether one of some parameters is in quotes or after a bracket."""
    return any(key.string[key.start() - 1 : key.start()] in _OPENS for key in keys)


def _between_marks(text: str, names: ToolNames) -> Iterator[_Found]:
    """Yield the names of tools after marks that no format has, and after a client's words."""
    last_tag = max(text.rfind("</"), text.rfind("<|"))
    last_word = text.rfind("[/")
    for found in islice(_BETWEEN_MARKS.finditer(text), _KEYS):
        last = last_tag if found["tag"] else last_word
        if (found["mark"] or last >= found.end()) and names.is_near(found["name"]):
            yield found.start(), found["name"], _MALFORMED
    for found in islice(_NAMED_MARK.finditer(text), _KEYS):
        if names.is_near(found[1]):
            yield found.start(), found[1], _MALFORMED
    for found in islice(_FAILED.finditer(text), _KEYS):
        if name := names.mentioned(text[found.end() : found.end() + _HEAD]):
            yield found.start(), name, _MALFORMED


def _last_value(text: str, names: ToolNames) -> Iterator[_Found]:
    """Yield the value that names a tool, with which a text begins or ends."""
    starts = [found.end() for found in _VALUE.finditer(text)]
    for start in sorted({*starts[:1], *starts[-1:]}):
        head = text[start : start + _HEAD]
        is_first = not text[:start].strip(_REST)
        if not (is_first or _is_last(text, start)) or is_definition(head):
            continue
        for named in _NAMED.finditer(head):
            name = named[1]
            if names.find(name) or (_ARGUMENTS.search(head) and likely(name, names.all)):
                yield start, name, _MALFORMED


def _statement(text: str, names: ToolNames, keys: list[re.Match[str]]) -> Iterator[_Found]:
    """Yield the call in Python with which a text ends, and those in YAML."""
    for called in [*_PYTHON.finditer(text)][-1:]:
        at, name = called.start(1), called[1]
        known = (keys or names.find(name)) and names.is_near(name)
        if known and _is_last(text, called.end()):
            is_first = text[:at].strip(_REST + "[(") == ""
            has_keys = bool(keys) and keys[-1].start() >= called.end()
            if is_first or (has_keys and not is_in_program(text[:at])):
                yield at, name, _MALFORMED
    for named in (*_YAML.finditer(text), *_BEFORE_MARK.finditer(text)):
        if names.find(named[1]):
            yield named.start(), named[1], _MALFORMED


def _is_begun(text: str, names: ToolNames) -> bool:
    """Return whether a text is the first key or the first letters of another call."""
    keyed = _NAMED.search(text)
    word = keyed[1] if keyed else text.lstrip("{[ \n\"'")
    if text[:1] == "{" and not keyed:
        return may_become_key(word.rstrip("\"' :"))
    return word != "" and any(name.startswith(word) for name in names.all)


def _named_before_key(
    text: str, names: ToolNames, keys: list[re.Match[str]], *, first: bool
) -> Iterator[_Found]:
    """Yield lines that begin like a call: a tool's name, a bracket and a declared parameter."""
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
            if lead is None or is_in_program(head[: word.start()]):
                continue
            opens = word.end() == len(head) or lead["opens"] or _OPENED.match(head, word.end())
            if not opens or _SENTENCE.search(head, lead.start(), word.start()):
                continue
            if first or not _SENTENCE.search(head[: lead.start()]):  # else it explains a call
                yield begins + word.start(), name, _MALFORMED


def _is_last(text: str, start: int) -> bool:
    """Return whether the value at an offset is the last of the text, or is cut off."""
    closed, end = BracketScanner().scan(text, start, ended=True)
    return not closed or not text[end:].strip(_REST)


def _is_arguments(text: str, names: ToolNames) -> bool:
    """Return whether a text is arguments of the only tool, without its name."""
    if len(names.all) != 1:
        return False
    (only,) = names.all
    try:
        value = json.loads(text.strip(" \t\r\n`"))
    except (ValueError, RecursionError):
        return False
    is_named = isinstance(value, dict) and value and value.keys() <= {*names.parameters(only)}
    return bool(is_named) and names.schema(only).is_valid(value)
