"""Which calls a text is: a value that is complete, or as far as the calls can be separated."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from schema2model.calls.call_shapes import ARGUMENTS, NAMELESS, NAMES, CallShapes
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import (
    NAME,
    NAME_BEGUN,
    PYTHON_CALL,
    TEXT_ENDS,
    ExpressionError,
    parse,
)
from schema2model.calls.mentions import OBSERVATION, RESULTS
from schema2model.calls.text_source import BracketScanner, Ending, Steps
from schema2model.calls.tool_names import ToolNames
from schema2model.text.wrapping.prose import is_prose

__all__ = [
    "ARGUMENTS_KEY",
    "CALL_CUT_OFF",
    "HEAD",
    "MALFORMED",
    "NO_CALL",
    "RUNS_OVER",
    "CallSteps",
    "broken",
    "calls_in_expression",
    "calls_within",
    "has_end",
    "repaired_calls",
    "why_unclosed",
]

_NAMES: Final = "|".join(NAMES)
_ARGUMENTS: Final = "|".join(ARGUMENTS)
_NAME_IN: Final = re.compile(rf"""["'](?:{_NAMES})["']\s*:\s*["']([^"'\\\n]+)["']""")
_BRACE: Final = re.compile("[{}]")
"""Between a name and the key of arguments: these are of another call."""
_RESULT: Final = re.compile("|".join((*map(re.escape, RESULTS), rf"(?m:^){OBSERVATION}")))
"""The beginning of a tool's result, in which nothing is called."""
ARGUMENTS_KEY: Final = re.compile(rf"""["'](?:{_ARGUMENTS})["']\s*:\s*""")
"""The key of the arguments of a call in JSON, and the blanks before them."""
_LABEL: Final = r"""["'](?:id|type|index|tool_call_id)["']\s?:\s?["']?[\w.-]{0,99}["']?,\s{0,99}"""
HEAD: Final = (
    rf"""\{{\s{{0,99}}(?:{_LABEL}){{0,3}}(?:["']function["']\s?:\s?\{{\s{{0,99}})?"""
    rf"""["'](?:{_NAMES})["']\s?:\s?["'][^"'\\\n]{{1,200}}["']\s?,\s{{0,99}}["'](?:{_ARGUMENTS})["']"""
)
"""The source of a pattern: the beginning of a call in JSON."""
_NEXT: Final = Ending(rf"""\}}(?P<between>[^\]\[{{}}]{{0,400}})(?={HEAD})""")
"""A bracket, and the text between it and the next call."""
_LIST_IN_PYTHON: Final = re.compile(rf"(?:\[\s*(?={NAME}\s?\())?")
_ANOTHER: Final = re.compile(rf"{NAME}\s?\(|{NAME_BEGUN}\s?\Z")
"""Another call of a list in Python, or the beginning of one."""
_AROUND: Final = "` \t\r\n,;])"
_SEPARATOR: Final = re.compile(r"[\s,;\]]*")
_NAME_WITHIN: Final = 200
"""Characters of a broken call in which its name is searched for."""
CALL_CUT_OFF: Final = "it was cut off"
_LACKS: Final = "it lacks a quote or a closing bracket"
_ENDS: Final = ("}", "]", ")", ">")
"""Characters with which a call or its mark ends."""

MALFORMED: Final = "it is malformed"
RUNS_OVER: Final = "there is more of it after its end"
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


def calls_within(text: str, names: ToolNames, offset: int) -> list[RawCall] | None:
    """The calls in a complete value after a marker; None if it is not a value."""
    problem = NO_CALL
    try:
        node = parse(text)
        calls = CallShapes(names, offset, expects_calls=True).calls(node)
    except ExpressionError:
        return None
    except RecursionError:
        calls, problem = None, "it is nested too deeply"
    if calls is None:
        return [RawCall("", "", offset, offset + len(text), problem=problem)]
    return calls


def broken(text: str, names: ToolNames, offset: int, *, is_cut: bool) -> CallSteps:
    """The calls of a text that is not a value; of a list in Python, those that are complete."""
    closed, _ = BracketScanner().scan(text, 0, ended=True)
    nameless = MALFORMED if closed or has_end(text, is_cut=is_cut) else CALL_CUT_OFF
    at = _LIST_IN_PYTHON.match(text).end()  # type: ignore[union-attr]
    while at and PYTHON_CALL.match(text, at):
        try:
            node = parse(text, at)
        except ExpressionError:
            break
        following = _SEPARATOR.match(text, node.end).end()  # type: ignore[union-attr]
        if following < len(text) and not _ANOTHER.match(text, following):
            break  # that may belong to it
        yield from CallShapes(names, offset, expects_calls=True).calls(node) or ()
        at = following
    if at < len(text):
        yield from repaired_calls(text[at:], names, offset + at, nameless, is_cut=is_cut)


def has_end(text: str, *, is_cut: bool) -> bool:
    """Return whether a call ends: a mark follows it, or a bracket closes it.

    >>> has_end('f(a=["x)]', is_cut=False), has_end('f(a=["x', is_cut=False)
    (True, False)
    """
    return is_cut or text.rstrip().endswith(_ENDS)


def why_unclosed(text: str, *, is_cut: bool = False) -> str:
    """Return the problem of a call in Python that does not end, though the text may."""
    return _LACKS if has_end(text, is_cut=is_cut) else CALL_CUT_OFF


def repaired_calls(
    text: str, names: ToolNames, offset: int, nameless: str, *, is_cut: bool
) -> CallSteps:
    """The calls of a text that is neither JSON nor Python, as far as they can be separated.

    With words between them, their ends are ambiguous, and none of them is parsed.
    """
    following = [found for found in _NEXT.known.finditer(text) if found["end"]]
    apart = all(not found["between"].strip(" \t\r\n,;") for found in following)
    for start, end in pairwise([0, *(found.end() for found in following), len(text)]):
        part = text[start:end]
        result = _RESULT.search(part)
        own = part[: result.start()] if result else part
        name, given = _NAME_IN.search(own), ARGUMENTS_KEY.search(own)
        spelled, arguments, problem = name[1] if name else "", "", ""
        if called := PYTHON_CALL.match(part):  # JSON in it is not what it calls
            spelled, problem = called["name"], _why_no_call(part, is_cut=is_cut)
        elif name and given and not _BRACE.search(own, name.end(), given.start()):
            if name.start() > given.start():
                arguments = part[given.end() : name.start()].rstrip().rstrip(",")
            else:
                arguments = part[given.end() :]
                arguments = _taken_out(arguments, part.count("{", 0, given.start()))
            if not apart:
                problem = "it lacks a bracket, and words are between it and another call"
            elif not arguments:
                problem = "it has no arguments" if is_cut else "it was cut off before its arguments"
        else:
            problem = "it has no arguments that can be read" if name or given else nameless
        spelled = spelled or names.mentioned(part[: given.start() if given else _NAME_WITHIN])
        if given and not spelled:
            problem = NAMELESS
        begins, ends = offset + start, offset + end
        yield RawCall(spelled, arguments, begins, ends, problem=problem, is_cut=is_cut)


def _why_no_call(text: str, *, is_cut: bool) -> str:
    """The problem of a call in Python that cannot be read; `is_cut` if the end is marked."""
    closed, _ = BracketScanner().scan(text, 0, ended=True)
    if not closed:
        return why_unclosed(text, is_cut=is_cut)
    try:
        parse(text)
    except RecursionError:
        return "it is nested too deeply"
    except ExpressionError as error:
        if str(error) == TEXT_ENDS:
            return why_unclosed(text, is_cut=is_cut)
        return f"it is not a Python call: {error}"
    return RUNS_OVER


def _taken_out(arguments: str, levels: int) -> str:
    """Arguments without the brackets that close what is around them, be there too few or not.

    >>> _taken_out('{"a": [1]}}, {"b": 2}}]', 1)
    '{"a": [1]}}, {"b": 2} '
    >>> _taken_out('{"a": 1}}] Done.', 1)
    '{"a": 1} '
    """
    bare, bracket, rest = arguments.rpartition("}")
    if not bracket or '"' in rest or not is_prose(rest.lstrip(_AROUND)):
        return arguments
    bare += bracket
    for _ in range(levels):
        bare = bare.removesuffix("}").rstrip()
    return f"{bare} "  # a number before a blank is complete
