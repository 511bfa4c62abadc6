"""Why a call cannot be read, in words for the model that wrote it."""

from __future__ import annotations

import re
from typing import Final

from schema2model.json.quoting import quoted

__all__ = [
    "AMBIGUOUS",
    "CUT_OFF",
    "NAMELESS",
    "NO_BEGINNING",
    "NO_CALL",
    "OTHER_MEMBERS",
    "RUNS_OVER",
    "damaged_name",
    "endless",
    "unbalanced",
    "unexpected",
]

CUT_OFF: Final = "it was cut off"
NAMELESS: Final = "it names no tool"
NO_CALL: Final = "it has neither a name nor arguments"
NO_BEGINNING: Final = "the mark with which it begins is missing or damaged"
RUNS_OVER: Final = "there is more of it after its end mark, or a value holds that mark"
AMBIGUOUS: Final = "another call begins within it; escape the quotes of its strings, and close it first"
OTHER_MEMBERS: Final = "it has members that no call has; send the name and the arguments alone"
_BRACKETS: Final = {"}": "{", "]": "[", ")": "("}
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]()"]', re.DOTALL)


def damaged_name(name: str) -> str:
    """The name of a parameter has signs of a damaged mark."""
    return f"the name of a parameter, {quoted(name[:80])}, holds signs of a damaged mark"


def endless(key: str) -> str:
    """The end mark of a value is missing, or there is one within it."""
    return f"the value of `{key}` does not end where its end mark is"


def unexpected(rest: str) -> str:
    """There is other text where a parameter belongs."""
    return f"there is {quoted(rest[:40])} where a parameter or the end of the call belongs"


def unbalanced(text: str) -> str:
    """Why the text of a call is not JSON, as far as its brackets and quotes tell."""
    opened: list[str] = []
    for found in _STRING.finditer(text):
        mark = found[0]
        if mark == '"':
            return "a quote has no partner; write quotes within a string as \\\""
        if mark in "{[(":
            opened.append(mark)
        elif mark in _BRACKETS:
            if not opened or opened.pop() != _BRACKETS[mark]:
                return f"a {quoted(mark)} closes nothing"
    return f"a {quoted(opened[-1])} is not closed" if opened else "it is not valid JSON"
