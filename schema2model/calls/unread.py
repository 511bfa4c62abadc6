"""Calls in prose that no format reads: an application would take them for the answer."""

from __future__ import annotations

import builtins
import re
from typing import Final

from schema2model.calls.call_shapes import ARGUMENTS, NAMES
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import PYTHON_CALL, Expression, ExpressionError, parse
from schema2model.calls.tool_names import ToolNames
from schema2model.json.names import likely

__all__ = ["unread"]

_PROBLEM: Final = "the call is malformed; send it again"
_NAMED: Final = re.compile(
    rf"""["']?\b(?:{"|".join(NAMES)})["']?\s{{0,9}}[:=]\s{{0,9}}["']?([\w.:/-]{{1,200}})"""
)
_ARGUMENTS: Final = re.compile(rf"""\b(?:{"|".join(ARGUMENTS)})\b""")
_VALUE: Final = re.compile(r"(?:\A|\n|```[\w+-]{0,20})\s{0,9}(?=[\[{])")
_DEFINITION: Final = re.compile(
    r"""["'](?:properties|inputSchema|input_schema|description)["']\s*:"""
)
_FENCES: Final = " \t\r\n`,;"


def unread(text: str, names: ToolNames) -> list[RawCall]:
    """The call that a text without any begins with or ends with, as far as one can tell."""
    if found := _python(text, names):
        return found
    starts = [found.end() for found in _VALUE.finditer(text)]
    for start in starts[:1] + starts[-1:]:
        head = text[start : start + 1000]
        if _DEFINITION.search(head):
            continue
        for named in _NAMED.finditer(head):
            name = named[1]
            if names.find(name) or (_ARGUMENTS.search(head) and likely(name, names.all)):
                return [RawCall(name, "", start, len(text), problem=_PROBLEM)]
        if (start == starts[0] and not text[:start].strip(_FENCES + "jsonpyth")) and (
            name := names.mentioned(head[:300])
        ):
            return [RawCall(name, "", start, len(text), problem=_PROBLEM)]
    return []


def _python(text: str, names: ToolNames) -> list[RawCall]:
    """The calls of a text that is nothing but calls in Python, of tools that do not exist."""
    body = re.sub(r"\A\s*```\w*", "", text).strip(_FENCES)
    at, found = 0, list[Expression]()
    try:
        while at < len(body):
            if body[at] != "[" and not PYTHON_CALL.match(body, at):
                return []
            node = parse(body, at)
            found += node.items if node.kind == "[" else [node]
            at = node.end + len(body[node.end :]) - len(body[node.end :].lstrip(_FENCES + ")]"))
    except (ExpressionError, RecursionError):
        return []
    if not names.all or not all(map(_is_call, found)):
        return []
    return [
        RawCall(each.name, "", 0, len(text), problem=_PROBLEM if names.find(each.name) else "")
        for each in found
    ]


def _is_call(node: Expression) -> bool:
    is_code = node.name in vars(builtins) or ("." in node.name and not any(node.keys))
    return node.kind == "call" and not is_code and all(item.is_literal for item in node.items)
