"""`unread_call`: prose that was meant as a call; an application would take it for the answer."""

from __future__ import annotations

import builtins
import itertools
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from schema2model.calls import problems
from schema2model.calls.call_shapes import ARGUMENTS, NAMES
from schema2model.calls.call_types import RawCall
from schema2model.calls.delimiting import parsed
from schema2model.calls.expressions import NAME, PYTHON, Expression
from schema2model.calls.tool_names import ToolNames
from schema2model.regexes import regex

__all__ = ["python_calls", "unread_call"]

_LEAD: Final = (
    rf"""(?:(?m:^)(?:Action|[A-Z_]{{4,20}})?[^\w\n]{{0,12}}"""
    rf"""|["']?\b(?:{"|".join(NAMES)})[^\w\s:=]{{0,2}}"""
    r"""\s{0,9}[:=]{1,2}\s{0,9}["'「始」]{0,3})"""
)
_GIVEN: Final = (
    rf"""[\W末]{{0,20}}(?:(?:{"|".join(ARGUMENTS)}|(?:Action )?Input|ARGS|json)"""
    r"""[^\w]{1,12}){0,2}"""
)
_VALUE: Final = (
    r"""["'\\]{0,2}\s{0,9}[:=]\s{0,9}(?:["'「\d{[\\-]|true|false|null|None|True|False)"""
)
_MARK: Final = (
    r"(?:<\|?[A-Za-z_][\w.-]{0,40}[:|][\w:|./-]{0,60}\|?>|<\|[\w./-]{1,60}\|>"
    r"|\[/?[A-Z][A-Z_]{2,40}\])"
)
_BEYOND: Final = 80
"""Characters after prose in which the first value of its call begins."""
_FENCE: Final = regex(r"\s*```(?P<language>\w*)")
_BETWEEN: Final = " \t\r\n`,;"


@lru_cache(64)
def _patterns(tools: str, keys: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A tool's name right before a parameter and its value, and one right after an unknown mark."""
    name = rf"(?P<name>(?:functions\.)?{tools})(?![a-z\d_-])"
    failed = r"(?i:malformed function call:?\s{0,9}(?:print\()?(?:default_api\.)?)"
    cut = r"Action Input:?\s*\Z|[^\n{]{0,60}(?:\Z|\{)"
    return (
        regex(
            rf"{_LEAD}{name}{_GIVEN}{keys}(?:{_VALUE}|>[^<>]{{1,200}}</)"
            rf"|(?:Action:\s*|\bto=){name.replace('name', 'cut')}\s*(?:{cut})"
            rf"|{failed}{name.replace('name', 'failed')}"
        ),
        regex(
            rf"""{_MARK}\s{{0,9}}["'`]?(?P<name>{NAME})["'`]?"""
            rf"""\s{{0,9}}(?=[<\[{{(]|(?s:.{{1,2000}}?)(?:</|\[/|<\|))"""
            rf"""|<\|?[A-Za-z_][\w.-]{{0,40}}[:|][^<>\n]{{0,80}}\bname\s?=\s?["']?(?P<named>{NAME})"""
        ),
    )


def unread_call(
    text: str, prose: list[tuple[int, int]], names: ToolNames, called: Collection[str]
) -> RawCall | None:
    """The call that a part of the `prose` of a text was meant to be, as far as one can tell.

    Not of a tool that was `called`: that prose may be about the call.
    """
    if not names.all or not prose:
        return None
    calls, marked = _patterns(names.pattern, names.keys)
    for pattern, (begins, end) in itertools.product((marked, calls), prose):
        for found in pattern.finditer(text, begins, end + _BEYOND):
            name, is_marked = _name(found), pattern is marked
            if found.start() >= end or name in called or (is_marked and not names.is_near(name)):
                continue
            problem = (
                problems.NO_FORMAT if is_marked else problems.unbalanced(text[found.start() :])
            )
            return RawCall(name, "", found.start(), end, problem=problem)
    return None


def _name(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return (
        groups.get("name") or groups.get("named") or groups.get("cut") or groups.get("failed") or ""
    )


def python_calls(text: str, names: ToolNames) -> list[RawCall]:
    """The calls of a text that is nothing but calls in Python, of tools that do not exist."""
    fence = _FENCE.match(text)
    if fence and fence["language"].lower() not in PYTHON:
        return []
    body = text[fence.end() :].strip(_BETWEEN) if fence else text.strip(_BETWEEN)
    start, at, found = text.find(body), 0, list[Expression]()
    while at < len(body):
        node = parsed(body, at) if re.compile(rf"\[|{NAME}\s?\(").match(body, at) else None
        if node is None:
            return []
        found += node.items if node.kind == "[" else [node]
        at = node.end + len(body[node.end :]) - len(body[node.end :].lstrip(f"{_BETWEEN})]"))
    if not names.all or not all(map(_is_literal_call, found)):
        return []
    return [
        RawCall(
            each.name,
            "",
            start + each.start,
            start + each.end,
            problem=problems.NO_FORMAT if names.find(each.name) else "",
            format="pythonic",
        )
        for each in found
    ]


def _is_literal_call(node: Expression) -> bool:
    is_code = node.name in vars(builtins) or ("." in node.name and not any(node.keys))
    return node.kind == "call" and not is_code and all(item.is_literal for item in node.items)
