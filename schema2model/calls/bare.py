"""`read_bare`: calls without marks. A value in prose is calls or text, and never searched."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from schema2model.calls import problems
from schema2model.calls.blocks import damaged_calls, mark_as_cut, usual_calls
from schema2model.calls.call_shapes import ARGUMENTS, NAMES, CallShapes
from schema2model.calls.call_types import CallsRead, RawCall
from schema2model.calls.delimiting import (
    NEXT_VALUE,
    after_blanks,
    closes_outer,
    is_begun,
    json_end,
    next_exact_call,
    parsed,
    python_ends_line,
)
from schema2model.calls.expressions import (
    NAME,
    TEXT_ENDS,
    TOO_NESTED,
    Expression,
    ExpressionError,
    parse,
)
from schema2model.calls.formats.records import THOUGHTS
from schema2model.calls.tool_names import ToolNames
from schema2model.json.names import likely
from schema2model.regexes import regex

__all__ = ["BARE_LINE", "Searched", "name_before", "read_bare"]

BARE_LINE: Final = (
    r"(?m:^)[^\S\n]*(?:(?:[-*>•]|\d{1,3}[.)])[ \t]+)?(?:Action:[ \t]*)?(?:print\(\s*|await\s+)?"
    rf"[(\"'`*]{{0,4}}(?P<called>(?!print\(){NAME})\s?\("
)
"""A call in Python on a line of its own."""
_NO_NAME: Final = regex(r"[^\w.:/-]")
_LONGEST_NAME: Final = 240
"""Maximum characters of a name before the object of its arguments, with the blanks between."""
_LABEL: Final = r"""["'](?:id|type|index|tool_call_id)["']\s*:\s*["']?[\w.-]{0,99}["']?,\s*"""
_NAMED: Final = regex(
    rf"""[\[\s]{{0,99}}\{{\s*(?:["']tool_(?:calls|uses)["']\s*:\s*\[\s*\{{\s*)?(?:{_LABEL}){{0,3}}"""
    rf"""(?:["']function["']\s*:\s*\{{\s*)?"""
    rf"""(?:["'](?:thoughts?|reason(?:ing)?)["']\s*:\s*"(?:[^"\\]|\\.)*"\s*,?\s*)?"""
    rf"""["']{{0,2}}(?:{"|".join(NAMES)})["']?\s*[:=]?\s*[^\w\s]{{0,2}}(?P<name>[\w.:/-]+)"""
)
"""The beginning of a call in JSON, damaged or not."""
_LISTED: Final = regex(rf"""\[\s*["'`]?\s*(?P<name>{NAME})\s?\(""")
_GLUED: Final = regex(r"\[\s*(?P<name>\w{2,200})\s?=")
"""A call in a list whose opening bracket is lost."""
_GIVEN: Final = regex(rf"""["']\s*,\s*["'](?:{"|".join(ARGUMENTS)})["']""")
_MAY_BE_LITERAL: Final = regex(r"""\{\s*['"\w]|\[\s*[{('"]""")
_MANY: Final = regex(r"[\[{][\[{(\s]{200,}")
_MORE: Final = regex(r"\s*,?\s*\{")
"""Another object."""
_CLOSED: Final = regex(r"[ \t)\]\"'`*]*")
_JOINED: Final = regex(rf"[,;+]\s*[\[\"'`]*(?={NAME}\s?\()")
_LIST_ENDS_LINE: Final = regex(
    r"(?:[\s`\"'*)\].,;:]|\([^()\n]{0,400}\))*(?:\n|\Z|<|\[|#|[+>]|=(?!=)|or\b|sum\b)"
)
_WITHIN: Final = frozenset("\"'<=")
_ARGUMENT: Final = regex(r"\s*(?:\w+\s*=|['\"{\[)])")
_FENCE_ENDS: Final = regex(r"\n[ \t]*```(?=[^\"{}`]*\Z)")
_PHRASE: Final = regex(r"(?=.*[\s'])[\w\s'.,:@/-]+|\d[\w.:-]*|(?i:true|false|null|none)")
_BOUNDS: Final = regex(rf"{NEXT_VALUE.pattern}|\n(?={'|'.join(THOUGHTS)})".replace("(?P<t>", "(?:"))
"""Another call without marks, or thinking."""
_HEAD: Final = 200
"""Characters in which the name of a call is."""


@dataclass(slots=True)
class Searched:
    """Results of searches in a text: each part of it is searched once."""

    endless: set[int] = field(default_factory=set)
    """Offsets at which values begin that do not end: a container in another one is parsed once."""
    window: tuple[int, int, int] = (0, 0, -1)
    """Two offsets between which no brace closes what is around them, in a text of that length."""


def read_bare(
    text: str,
    start: int,
    line: re.Match[str] | None,
    name: tuple[str, int] | None,
    names: ToolNames,
    searched: Searched,
    *,
    follows: bool,
    ended: bool,
) -> CallsRead:
    """Read the calls of the value at `start`, or of the `line` that matched `BARE_LINE`.

    It is an object of arguments if a tool's name is before it. Without any calls, the value up to
    the returned offset is text as a whole. An object that `follows` a call is another one, whatever
    is lost of it.
    """
    if name:
        return _read_named(text, start, *name, searched, ended=ended)
    if line is None:
        return _read_value(text, start, names, searched, follows=follows, ended=ended)
    if names.find(line["called"].replace("\\", "")) is None:
        return line.end(), []
    return _read_python(text, line.start("called"), line, names, ended=ended)


def name_before(text: str, start: int, names: ToolNames) -> tuple[str, int] | None:
    """The name of a tool right before the object at `start`, and its offset.

    A name at the end of a sentence has the object on the next line.
    """
    before = text[max(0, start - _LONGEST_NAME) : start]
    above = before.rstrip()
    has_gap = "\n" in before[len(above) :]
    above = above.removesuffix("[ARGS]")
    other = _NO_NAME.search(above[::-1])  # backwards: a search for the last name tries each first
    name = above[len(above) - other.start() :] if other else above
    if not name:
        return None
    at = start - len(before) + len(above) - len(name)
    is_line = not text[text.rfind("\n", 0, at) + 1 : at].strip()
    while names.find(name) is None or not (is_line or has_gap):
        head, dot, name = name.partition(".")
        if not dot:
            return None
        at, is_line = at + len(head) + 1, False
    return name, at


def _read_value(  # noqa: C901, PLR0912 - one spelling after the other
    text: str, start: int, names: ToolNames, searched: Searched, *, follows: bool, ended: bool
) -> CallsRead:
    """Read a value of JSON or Python."""
    if many := _MANY.match(text, start):
        return many.end(), []
    if start in searched.endless:
        reading = None
    elif end := json_end(text, start):
        if end == len(text) and not ended:
            return None
        reading = usual_calls(text, start, names) or _shapes(text, start, names)
    elif not ended and is_begun(text, start):
        return None
    elif _MAY_BE_LITERAL.match(text, start) or _LISTED.match(text, start):
        try:
            node = parse(text, start)
        except RecursionError:
            node = None
        except ExpressionError as error:
            node = None
            if not ended and str(error) == TEXT_ENDS:
                return None
            if ended or str(error) == TOO_NESTED:
                searched.endless.update(error.open)
        if node and not ended and after_blanks(text, node.end) == len(text):
            return None
        reading = _literal(text, node, names) if node and not node.exact else None
    else:
        reading = None
    if reading:
        over = _is_all(text, reading[0], searched, ended=ended) if reading[1] else True
        if over or over is None:
            return reading if over else None
    if follows and ended and text[start] == "{" and is_begun(text, start):
        return len(text), [RawCall("", "", start, len(text), problem=problems.IS_CUT_OFF)]
    return _read_damaged(text, start, names, ended=ended)


def _shapes(text: str, start: int, names: ToolNames) -> tuple[int, list[RawCall]] | None:
    node = parsed(text, start)
    if node is None:
        return None
    calls = CallShapes(names, 0, expects_calls=False).calls(node)
    return node.end, (_named_in(node, names) if calls is None else calls)


def _named_in(node: Expression, names: ToolNames) -> list[RawCall]:
    """The calls that an object names, though it is none: an application would show them."""
    found = []
    for each in node.items if node.kind == "[" else [node]:
        members = dict(zip(each.keys, each.items, strict=False)) if each.kind == "{" else {}
        name = next(
            (
                members[key].said
                for key in NAMES
                if key in members and members[key].kind == "string"
            ),
            "",
        )
        given = next((members[key] for key in ARGUMENTS if key in members), None)
        known = names.find(name)
        if given is None and known and members.keys() & {*names.parameters(known)}:
            return [RawCall(name, "", node.start, node.end, problem=problems.OTHER_MEMBERS)]
        if given is None or given.kind != "{" or {"type", "properties"} & {*given.keys}:
            return []
        if not (names.find(name) or likely(name, names.all)):
            return []
        problem = problems.OTHER_MEMBERS if names.find(name) else ""
        found.append(RawCall(name, "", each.start, each.end, problem=problem))
    return found


def _literal(text: str, node: Expression, names: ToolNames) -> tuple[int, list[RawCall]] | None:
    """The calls of a value in Python's spelling."""
    is_whole = node.items != [] and node.items[0].kind == "{" and text.strip() == node.spelled
    calls = CallShapes(names, 0, expects_calls=False, is_whole=is_whole).calls(node)
    if not calls:
        first = node.items[0] if node.items else node
        is_call = (
            first.kind == "call" and names.find(first.name) and all(map(_is_value, first.items))
        )
        is_other = node.kind == "{" and not {*NAMES}.intersection(node.keys)
        is_other = is_other or (node.kind == "[" and not is_call)
        return (node.end, []) if node.is_literal or is_other else None
    if any(item.kind == "call" for item in node.items) and (
        not _LIST_ENDS_LINE.match(text, node.end) or text[node.start - 1 : node.start] in _WITHIN
    ):
        return None
    return node.end, calls


def _is_all(text: str, end: int, searched: Searched, *, ended: bool) -> bool | None:
    """Return whether a complete value is all of its call; None if more text is needed."""
    begins, stop, length = searched.window
    is_known = length == len(text) and begins <= end <= stop
    if is_known and text.count("{", begins, end) == text.count("}", begins, end):
        searched.window = end, stop, length
        return True
    following = NEXT_VALUE.search(text, end)
    if following is None and not ended:
        return None
    stop = following.start() if following else len(text)
    if closes_outer(text, end, stop):
        return False
    searched.window = end, stop, len(text)
    return True


def _read_named(
    text: str, at: int, name: str, start: int, searched: Searched, *, ended: bool
) -> CallsRead:
    """Read the object of a name's arguments."""
    end = _objects_end(text, at)
    over = _is_all(text, end, searched, ended=ended) if end else False
    if over is None:
        return None
    if not over:
        if not ended:
            return None
        end = next_exact_call(text, at, NEXT_VALUE, "object")
    return end, [RawCall(name, text[at:end].rstrip(" \n`"), start, end, format="chatglm")]


def _objects_end(text: str, at: int) -> int:
    """The offset after an object and those after it that name no tool; 0 if one does not end."""
    end = json_end(text, at)
    while end and (more := _MORE.match(text, end)) and not _NAMED.match(text, more.end() - 1):
        end = json_end(text, more.end() - 1)
    return end


def _read_python(
    text: str, start: int, line: re.Match[str], names: ToolNames, *, ended: bool
) -> CallsRead:
    """Read calls in Python that are all of a line."""
    calls: list[RawCall] = []
    node, end = parsed(text, start), start
    if node is None:
        if not ended or not _ARGUMENT.match(text, line.end()):
            return (line.end(), []) if ended else None
        end = next_exact_call(text, line.end(), NEXT_VALUE)
        return end, damaged_calls(text[start:end], names, start)
    while node and node.kind == "call":
        if node.end == len(text) and not ended:
            return None
        found = CallShapes(names, 0, expects_calls=False).calls(node)
        if not found or _is_signature(node) or not all(map(_is_value, node.items)):
            return (node.end, []) if ended or "\n" in text[node.end :] else None
        calls += found
        end = _CLOSED.match(text, node.end).end()  # type: ignore[union-attr]
        following = _JOINED.match(text, end)
        node = parsed(text, following.end()) if following else None
    if not ended and "\n" not in text[end:]:
        return None
    return end, calls if python_ends_line(text, end) else []


def _is_value(item: Expression) -> bool:
    """Return whether an argument is a literal, or text other than a variable or a formula."""
    return item.is_literal or (
        item.kind == "text"
        and item.text[: item.start].rstrip().endswith(("=", ":"))
        and _PHRASE.fullmatch(item.spelled) is not None
    )


def _is_signature(call: Expression) -> bool:
    """Return whether a call describes its parameters: `f(city: its name)`."""
    return bool(call.items) and all(
        item.kind == "text" and item.text[: item.start].rstrip().endswith(":")
        for item in call.items
    )


def _read_damaged(text: str, start: int, names: ToolNames, *, ended: bool) -> CallsRead:
    """Read what begins as a call and is none, up to the next one; a bracket is text."""
    if not ended and len(text) - start < _HEAD:
        return None
    head = _NAMED.match(text, start)
    listed = _LISTED.match(text, start)
    name = (head or listed or {"name": ""})["name"]
    glued = _GLUED.match(text, start)
    joined = re.match(names.pattern, glued["name"]) if glued else None
    if not (joined or names.find(name) or (head and _GIVEN.match(text, head.end()))):
        return start + 1, []
    if not ended:
        return None
    end = next_exact_call(text, start + 1, _BOUNDS)
    if joined:
        return end, [RawCall(joined[0], "", start, end, problem=problems.NO_PARTNER)]
    fence = _FENCE_ENDS.search(text, start, end)
    end = fence.start() if fence else end
    calls = damaged_calls(text[start:end], names, start)
    if end == len(text) and is_begun(text, start):
        mark_as_cut(calls[-1], text)
    starts = (found.end() for found in NEXT_VALUE.finditer(text, start + 1, end))
    if any((other := _NAMED.match(text, at)) and names.find(other["name"]) for at in starts):
        calls[-1].problem = calls[-1].problem or problems.MAY_HOLD_CALL
    return end, calls
