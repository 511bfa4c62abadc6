"""Why a call cannot be read, in words for the model that wrote it."""

from __future__ import annotations

import re
from typing import Final

from schema2model.calls.expressions import closing_quote
from schema2model.json.quoting import quoted
from schema2model.regexes import regex

__all__ = [
    "IS_CUT_OFF",
    "MAY_BE_QUOTED",
    "MAY_HOLD_CALL",
    "NAMELESS",
    "NO_BEGINNING",
    "NO_CALL",
    "NO_FORMAT",
    "NO_MARKS",
    "NO_PARTNER",
    "OTHER_MEMBERS",
    "RUNS_OVER",
    "Contained",
    "cut_in",
    "damaged_name",
    "endless",
    "ends_in_string",
    "misplaced",
    "too_many",
    "unbalanced",
]


class Contained(str):
    """A call, or marks of one, are within a call: what it quotes, or what a damage leaves of it."""

    __slots__ = ()


IS_CUT_OFF: Final = "it was cut off"
NAMELESS: Final = "it names no tool"
NO_PARTNER: Final = "a quote or a bracket has no partner"
NO_CALL: Final = "it has neither a name nor arguments"
NO_BEGINNING: Final = "the mark with which it begins is missing or damaged"
RUNS_OVER: Final = Contained("there is more of it after its end mark, or a value holds that mark")
MAY_HOLD_CALL: Final = Contained(
    "another call begins within it; escape the quotes of its strings, and close it first"
)
MAY_BE_QUOTED: Final = Contained(
    "it is within a value of a call whose beginning is damaged; send that call whole"
)
NO_FORMAT: Final = "the mark before its name is of no format; write the call as your template does"
NO_MARKS: Final = Contained("it lacks the marks that the calls before it have")
OTHER_MEMBERS: Final = "it has members that no call has; send the name and the arguments alone"
_BRACKETS: Final = {"}": "{", "]": "[", ")": "("}
_QUOTE: Final = regex("[\"']")
_STRING: Final = regex(r'"(?:[^"\\]|\\.)*"|[{}\[\]()"]', re.DOTALL)


def cut_in(key: str) -> str:
    """The text ends within a value."""
    return f"it was cut off in `{key}`"


def damaged_name(name: str) -> str:
    """The name of a parameter has signs of a damaged mark."""
    return f"the name of a parameter, {quoted(name[:80])}, holds signs of a damaged mark"


def endless(key: str, line: str) -> str:
    """The end mark of a value is missing, or there is one within it; `line` shows the marks."""
    return Contained(f"the value of `{key}` does not end" + (f"; write `{line}`" if line else ""))


def ends_in_string(text: str) -> bool:
    """Return whether a text in Python ends within a string.

    >>> ends_in_string("f(a='x"), ends_in_string("f(a='x')")
    (True, False)
    """
    at = 0
    while found := _QUOTE.search(text, at):
        end = closing_quote(text, found.end(), found[0])
        if end < 0:
            return True
        at = end + 1
    return False


def too_many(limit: int, what: str) -> str:
    """A limit of a text is reached."""
    return f"after {limit:,} {what} no more is read"


def misplaced(rest: str, line: str = "") -> str:
    """There is other text where a parameter belongs; `line` shows the marks of one."""
    where = f"there is {quoted(rest[:40])} where a parameter or the end of the call belongs"
    return f"{where}; write `{line}`" if line else where


def unbalanced(text: str) -> str:
    """Why the text of a call is not JSON, as far as its brackets and quotes tell."""
    if not re.search(r"[{\[(]", text):
        return "it has no arguments; send them as a JSON object"
    opened: list[str] = []
    for found in _STRING.finditer(text):
        mark = found[0]
        if mark == '"':
            return 'a quote has no partner; write a quote within a string as \\"'
        if mark in "{[(":
            opened.append(mark)
        elif mark in _BRACKETS and (not opened or opened.pop() != _BRACKETS[mark]):
            return f"a {quoted(mark)} closes nothing"
    return f"a {quoted(opened[-1])} is not closed" if opened else "it is not valid JSON"
