"""Calls written as models write them: one writer for each format.

A writer takes a list of (name, arguments) and returns the text. Formats with marks are written by
their spellings; those without are written here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from schema2model.calls.formats.spelling import PLACEHOLDER
from schema2model.calls.formats.spellings import SPELLINGS as ALL, usual_spelling

__all__ = ["MARKS", "ONE_CALL", "SPELLINGS", "TEXT", "WRITERS", "is_json", "why_not_text"]

Calls = list[tuple[str, dict[str, Any]]]


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def objects(key: str, between: str) -> Callable[[Calls], str]:
    """An object for each call."""
    return lambda calls: between.join(dumped({"name": name, key: sent}) for name, sent in calls)


def listed(calls: Calls) -> str:
    return dumped([{"name": name, "arguments": sent} for name, sent in calls])


def action(calls: Calls) -> str:
    steps = [{"thought": "Next.", "action": name, "action_input": sent} for name, sent in calls]
    return "\n".join(map(dumped, steps))


def openai(calls: Calls) -> str:
    functions = [{"name": name, "arguments": dumped(sent)} for name, sent in calls]
    made = [
        {"id": f"call_{number}", "type": "function", "function": function}
        for number, function in enumerate(functions)
    ]
    return dumped({"tool_calls": made})


def tool_uses(calls: Calls) -> str:
    uses = [{"recipient_name": f"functions.{name}", "parameters": sent} for name, sent in calls]
    return dumped({"tool_uses": uses})


WRITERS: dict[str, Callable[[Calls], str]] = {
    **{each.name: each.write for name in ALL if (each := usual_spelling(name.name))},
    "action_json": action,
    "json_fenced": lambda calls: f"```json\n{listed(calls)}\n```",
    "json_list": listed,
    "json_object": objects("arguments", "\n"),
    "llama3_json": objects("parameters", "; "),
    "openai_json": openai,
    "tool_uses": tool_uses,
}
"""The usual spelling of each format."""

SPELLINGS: dict[str, tuple[str, Callable[[Calls], str]]] = {
    f"{each.name}: {each.block[0]}{each.call[0]}": (each.name, each.write)
    for each in ALL
    if each != usual_spelling(each.name)
}
"""Other spellings of formats, with the names of those."""

ONE_CALL = frozenset({"chatglm", "gigachat3", "internlm2", "react"})
"""Formats whose answers hold one call."""


def _text_marks(name: str) -> tuple[str, ...]:
    """The quote of a format, or the beginnings of the marks around its parameters."""
    spelling = usual_spelling(name)
    if spelling is None or not (spelling.parameter or spelling.quote):
        return ()
    marks = (spelling.quote,) if spelling.quote else spelling.parameter or ()
    pieces = [next(filter(None, PLACEHOLDER.split(mark)[::2])) for mark in marks]
    return tuple(piece.removesuffix(' name="').strip() for piece in pieces)


TEXT = {name: marks for name in WRITERS if (marks := _text_marks(name))}
"""Formats without escapes, and what their strings cannot hold."""


def why_not_text(format_: str, said: str) -> bool:
    """Whether a format cannot spell a string so that it is told from another one."""
    marks = TEXT.get(format_)
    if marks is None:
        return False
    return said != said.strip() or any(mark in said for mark in (*marks, "<![CDATA["))


def _marks() -> list[str]:
    """What the writers put around names and values, and the marks within it."""
    calls: Calls = [("Name", {"Key": "Value"})] * 2
    writers = [*WRITERS.values(), *(write for _, write in SPELLINGS.values())]
    texts = {write(calls) for write in writers}
    pieces = {piece for text in texts for piece in re.split("Name|Key|Value", text)}
    return sorted(
        {
            mark
            for each in pieces
            for mark in (each.strip(), *re.findall(r"<[^<>]*>|\[/?\w+\]", each))
        }
        - {""}
    )


MARKS = _marks()
"""The marks of all formats."""


def is_json(text: str) -> bool:
    """Whether a text is a complete value, to Python's own parser."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
