"""Which calls a text is: a value that is complete, or as far as the calls can be separated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from schema2model.calls.call_shapes import ARGUMENTS, LABELS, NAMES, CallShapes
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import NAME, PYTHON_CALL, ExpressionError, parse
from schema2model.calls.text_source import BracketScanner, Steps
from schema2model.calls.tool_names import ToolNames

__all__ = [
    "CALL_CUT_OFF",
    "MALFORMED",
    "NO_CALL",
    "CallSteps",
    "broken",
    "calls_in_expression",
    "calls_within",
    "repaired_calls",
]

_NAMES: Final = "|".join(NAMES)
_ARGUMENTS: Final = "|".join(ARGUMENTS)
_NAME_IN: Final = re.compile(rf"""["'](?:{_NAMES})["']\s*:\s*["']([^"'\\\n]+)["']""")
_ARGUMENTS_IN: Final = re.compile(rf"""["'](?:{_ARGUMENTS})["']\s*:\s*""")
_NEXT: Final = re.compile(
    rf"""\}}([^\]\[{{}}"']{{0,400}})(?=\{{\s{{0,99}}["'](?:{_NAMES})["']\s{{0,99}}:)"""
)
"""A bracket, and the text between it and the next call."""
_ANOTHER: Final = re.compile(
    rf"""\{{\s{{0,99}}["'](?:id|type|{_NAMES}|{_ARGUMENTS})["']\s{{0,99}}:"""
)
"""The beginning of another call, after the arguments of one without its bracket."""
_QUOTE: Final = re.compile("[\"']")

_MEMBER: Final = re.compile(
    rf"""\s*,?\s*["'](?!(?:{"|".join(sorted(LABELS))})["'])([^"'\\\n]{{1,80}})["']\s*:"""
)
"""Another member after the arguments, which is not a label."""
_LIST_IN_PYTHON: Final = re.compile(rf"(?:\[\s*(?={NAME}\s?\())?")
_SEPARATOR: Final = re.compile(r"[\s,;\]]*")
CALL_CUT_OFF: Final = "it was cut off"

MALFORMED: Final = "it is malformed"
NO_CALL: Final = "it has neither a name nor arguments"
"""The problem of a text between calls that is not one."""
CallSteps = Steps[Any]
"""Yields a `RawCall` for each call, and None where more text is needed."""


def calls_in_expression(
    text: str, names: ToolNames, offset: int, *, literal: bool = False
) -> list[RawCall] | None:
    """The calls that a value in prose is; None if it is anything else, or not `literal`."""
    try:
        node = parse(text)
        if literal and any(item.kind == "text" for item in node.items):
            return None
        return CallShapes(names, offset, expects_calls=False).calls(node)
    except (ExpressionError, RecursionError):
        return None


def calls_within(text: str, names: ToolNames, offset: int) -> CallSteps:
    """The calls in a complete value after a marker."""
    try:
        node = parse(text)
        calls = CallShapes(names, offset, expects_calls=True).calls(node)
    except ExpressionError:
        begun = names.mentioned(text) or names.keys_in(text)
        yield from broken(text, names, offset, MALFORMED if begun else NO_CALL)
    except RecursionError:
        yield RawCall("", "", offset, offset + len(text), problem="it is nested too deeply")
    else:
        if calls is None:
            yield RawCall("", "", offset, offset + len(text), problem=NO_CALL)
        else:
            yield from calls


def broken(text: str, names: ToolNames, offset: int, nameless: str = CALL_CUT_OFF) -> CallSteps:
    """The calls of a text that is not a value; of a list in Python, those that are complete."""
    at = _LIST_IN_PYTHON.match(text).end()  # type: ignore[union-attr]
    while at and PYTHON_CALL.match(text, at):
        try:
            node = parse(text, at)
        except ExpressionError:
            break
        yield from CallShapes(names, offset, expects_calls=True).calls(node) or ()
        at = _SEPARATOR.match(text, node.end).end()  # type: ignore[union-attr]
    if at < len(text):
        yield from repaired_calls(text[at:], offset + at, nameless)


def repaired_calls(text: str, offset: int, nameless: str = CALL_CUT_OFF) -> CallSteps:
    """The calls of a text that is neither JSON nor Python, as far as they can be separated.

    With words between them, their ends are ambiguous, and none of them is parsed.
    """
    following = [*_outside_strings(_NEXT, text)]
    apart = all(not found[1].strip(" \t\r\n,;") for found in following)
    for start, end in pairwise([0, *(found.end() for found in following), len(text)]):
        part = text[start:end]
        name, given = _NAME_IN.search(part), _ARGUMENTS_IN.search(part)
        spelled, arguments, problem = name[1] if name else "", "", ""
        if name and given:
            arguments = part[given.end() :].rstrip()
            if end < len(text):
                arguments = arguments.rstrip(" \n,;")
            elif text[:1] == "[":
                arguments = arguments.removesuffix("]").rstrip()
            member = None
            if name.start() > given.start():
                arguments = part[given.end() : name.start()].rstrip().rstrip(",")
            else:
                closed, stop = BracketScanner().scan(arguments, 0, ended=True)
                apart = apart and not (closed and _ANOTHER.search(arguments, stop))
                member = _MEMBER.match(arguments, stop) if closed else None
                arguments = arguments[:stop] if closed else arguments.removesuffix("}")
            if not apart:
                problem = "it lacks a bracket, and words are between it and another call"
            elif member:
                problem = f"it was cut off after `{member[1]}`, which is next to its arguments"
            elif not arguments:
                problem = "it was cut off before its arguments"
        elif called := PYTHON_CALL.match(part):
            spelled, problem = called["name"], "it is not a Python call, or was cut off"
        else:
            problem = "it has no arguments that can be read" if name or given else nameless
        yield RawCall(spelled, arguments, offset + start, offset + end, problem=problem)


def _outside_strings(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern outside strings in the text's first kind of quotes."""
    first = _QUOTE.search(text)
    quote = first[0] if first else '"'
    inside, last = False, 0
    for found in pattern.finditer(text):
        at = found.start()
        quotes = text.count(quote, last, at) - text.count(f"\\{quote}", last, at)
        inside ^= quotes % 2 == 1
        last = at
        if not inside:
            yield found
