"""`read_block`: the calls between marks, written exactly or delimited as a whole."""

from __future__ import annotations

import re
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Final

from schema2model.calls import problems
from schema2model.calls.call_shapes import ARGUMENTS, NAMES, CallShapes
from schema2model.calls.call_types import CallsRead, RawCall
from schema2model.calls.delimiting import (
    Delimiters,
    block_end,
    delimiters,
    ends_value,
    holds_begun_call,
    is_all,
    is_begun,
    json_end,
    member_end,
    parsed,
    python_ends_line,
)
from schema2model.calls.expressions import (
    PYTHON_CALL,
    TEXT_ENDS,
    Expression,
    ExpressionError,
    parse,
)
from schema2model.calls.formats.records import SILENT, Record
from schema2model.calls.formats.spellings import label_of
from schema2model.calls.parameters import read_nested, read_parameters
from schema2model.calls.tool_names import ToolNames
from schema2model.regexes import regex
from schema2model.text.wrapping.prose import is_prose

__all__ = [
    "begin_of",
    "begun_call",
    "damaged_calls",
    "has_parameters",
    "mark_as_cut",
    "read_block",
    "usual_calls",
]

_BETWEEN: Final = regex(rf"(?:[\s,;]|```\w+|{SILENT})*")
_TRAILING: Final = regex(rf"(?:[\s`]|{SILENT})*\Z")
_ANOTHER: Final = regex(rf"(?:[\s,;]|{SILENT})*(?:[\[{{]|[^\W\d][\w.]*\()")
_ITEM_ENDS: Final = regex(r"\s*,\s*(?:[\[{]|[^\W\d][\w.]*\s?\(|(?:[^\W\d][\w.]*)?\Z)")
_KEY: Final = rf"""["'](?:{"|".join(NAMES)})["']?\s*[:=]\s*"""
_NAME: Final = regex(rf"""{_KEY}["']([^"'\\\n]+)["']""")
_ARGUMENTS: Final = regex(rf"""["'](?:{"|".join(ARGUMENTS)})["']\s*:\s*""")
_BEFORE_NAME: Final = regex(
    r"""[\s\[({`]*(?:json\s*)?(?:(?!observation:)["']?\w{1,20}["']?\s*:\s*"""
    r"""(?:"(?:[^"\\]|\\.){0,2000}"|'[^'\\]{0,2000}'|[\w.-]{1,80}(?![\w.:-])|[\[{])\s*,?\s*[{]?\s*)*""",
    re.IGNORECASE,
)
"""The members of a call before its name or its arguments."""
_LAST_CLOSER: Final = regex(r"\s*\}\s*\]?[\s,;`]*\Z")
_BLANK: Final = " \t\r\n,;]`"
_USUAL: Final = regex(
    r'\s*\{\s*(?:"(?:id|tool_call_id)"\s*:\s*"?[\w.-]{1,99}"?\s*,\s*)?'
    r'"(?:tool_)?name"\s*:\s*"([^"\\]{1,200})"\s*,\s*"(?:arguments|parameters)"\s*:\s*'
    r'(?=\{(?!\s*"(?:type|properties)"))'
)
_OBJECT: Final = regex(r"\{(?!\s*(?:parameter|param|arg)\b)")
_CLOSES: Final = regex(r"\s*\}")
_ANOTHER_OBJECT: Final = regex(r"\s*,?\s*\{")
_FENCE_ENDS: Final = regex(r"\s*```(?!\w)")
_COMMA: Final = regex(r"\s*,(?=\s*\{)")
_LIST_CLOSES: Final = regex(r"\s*\]")
_BEGUN: Final = regex(
    rf"""[\s\[]*\{{\s*(?:["']\w{{1,20}}["']\s*:\s*["'][\w.-]{{0,99}}["']\s*,\s*){{0,3}}"""
    rf"""(?:["']function["']\s*:\s*\{{\s*)?"""
    rf"""{_KEY}["'](?P<name>[^"'\\]{{1,200}})["']\s*,\s*["'](?:{"|".join(ARGUMENTS)})["']\s*:\s*"""
)
"""A call in JSON up to its arguments."""


@lru_cache(512)
def _opens(record: Record) -> re.Pattern[str]:
    return regex(record.opens)


def begin_of(record: Record, text: str, at: int) -> re.Match[str] | None:
    """The mark with which a block begins at `at`, or None."""
    return _opens(record).match(text, at)


def has_parameters(record: Record, text: str, at: int) -> bool:
    """Return whether parameters between marks are at `at`, and no object."""
    return record.body == "tags" and _OBJECT.match(text, at) is None


def read_block(head: re.Match[str], record: Record, names: ToolNames, *, ended: bool) -> CallsRead:
    """Read the calls of the block that begins with `head`."""
    text, start = head.string, head.start()
    marks = delimiters(record, head)
    name = (head.groupdict().get("name") or "").strip()
    label = label_of(record, head[0])
    call, at = RawCall(name, "", start, start, format=label), head.end()
    if record.body == "calls":
        reading = _read_values(text, at, start, marks, names, ended=ended)
    elif has_parameters(record, text, at):
        known = names.find(name)
        declared = frozenset(names.parameters(known) if known else ())
        reading = read_parameters(text, at, call, marks, declared, ended=ended)
    elif record.body in {"object", "tags"}:
        reading = _read_object(text, at, call, marks, ended=ended)
    elif record.body == "nested":
        known = names.find(name)
        schema = names.schema(known).schema if known else None
        reading = read_nested(text, at, call, marks, schema, ended=ended)
    elif record.body == "loose":
        reading = _read_loose(text, at, call, marks, ended=ended)
    else:
        reading = _read_arrows(text, at, start, marks, names, ended=ended)
    for each in reading[1] if reading else ():
        each.format = label
    return reading


def begun_call(
    text: str, start: int, record: Record | None
) -> tuple[str, int, Record | None] | None:
    """The name of the call that begins at `start`, and the offset of its arguments.

    Also its record if these are parameters between marks. None before the name has arrived.
    """
    at = start
    if record:
        head = begin_of(record, text, start)
        if head is None:
            return None
        at, name = head.end(), (head.groupdict().get("name") or "").strip()
        if name:
            has_values = has_parameters(record, text, at)
            return name, at, delimiters(record, head).record if has_values else None
    found = _BEGUN.match(text, at)
    return (found["name"], found.end(), None) if found else None


# ------------------------------------------------------------------------------------ values
def usual_calls(text: str, at: int, names: ToolNames) -> CallsRead:
    """The calls at `at` if they are exactly names and arguments in JSON, as most are.

    It takes half the time of `parse`.
    """
    calls: list[RawCall] = []
    is_list = text.startswith("[", at)
    here = at + is_list
    while (
        (head := _USUAL.match(text, here))
        and names.find(head[1])
        and (end := member_end(text, head.end()))
        and (close := _CLOSES.match(text, end))
    ):
        begins = text.index("{", here)
        here = close.end()
        calls.append(RawCall(head[1], text[head.end() : end], begins, here))
        if is_list and (comma := _COMMA.match(text, here)):
            here = comma.end()
            continue
        shut = _LIST_CLOSES.match(text, here) if is_list else close
        return (shut.end(), calls) if shut and ends_value(text, shut.end()) else None
    return None


def _read_values(  # noqa: C901 - one value after the other
    text: str, at: int, start: int, marks: Delimiters, names: ToolNames, *, ended: bool
) -> CallsRead:
    """Read calls one after the other, in JSON or Python, up to the end mark of their block."""
    calls: list[RawCall] = []
    first, closes = at, marks.closes
    is_empty = True
    while True:
        here = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if closes and (close := closes.match(text, here)):
            none = RawCall("", "", start, close.end(), problem=problems.NO_CALL)
            return close.end(), [none] if is_empty else calls
        if here == len(text):
            return (at, calls) if ended else None
        value = _value(text, here, names, closes)
        if value is None:
            if not ended and is_begun(text, here):
                return None
            break
        over = is_all(text, value[0], closes, marks.bounds, ended=ended)
        if not over and not _ANOTHER.match(text, value[0]):
            if over is None and is_all(text, value[0], closes, marks.bounds, ended=True):
                return None
            break
        at, is_empty = value[0], False
        calls += value[1]
    if calls and text[here] not in "[{\"'" and not PYTHON_CALL.match(text, here):
        return at, calls  # the end mark is missing
    end = block_end(text, first, marks, ended=ended)
    if end is None:
        return None
    body = _without_end(text[here:end], closes)
    if not calls or body.strip():
        calls += damaged_calls(body, names, here, marks.bounds)
        if end == here + len(body):
            mark_as_cut(calls[-1], body)
    return end, calls


def _without_end(inner: str, closes: re.Pattern[str] | None) -> str:
    """The content of a block without its last end mark."""
    ends = [close.start() for close in closes.finditer(inner)] if closes else []
    return inner[: ends[-1]] if ends else inner


def _value(
    text: str, at: int, names: ToolNames, closes: re.Pattern[str] | None = None
) -> tuple[int, list[RawCall]] | None:
    """The calls that the value at `at` is, and its end; None if it is not written exactly."""
    if usual := usual_calls(text, at, names):
        return usual
    shapes = CallShapes(names, 0, expects_calls=True)
    if text[at] in "[{" and (end := json_end(text, at)):
        node = parsed(text, at)
        calls = shapes.calls(node) if node else None
        return end, [RawCall("", "", at, end, problem=problems.NO_CALL)] if calls is None else calls
    if text[at] not in "[{(" and not PYTHON_CALL.match(text, at):
        return None
    node = parsed(text, at)
    if node is None or (node.kind == "{" and not _has_values(node, names)):
        return None
    is_end = ends_value if node.kind == "{" else python_ends_line
    is_over = is_end(text, node.end) or (closes and closes.match(text, node.end))
    calls = shapes.calls(node) if is_over else None
    return None if calls is None else (node.end, calls)


def _has_values(node: Expression, names: ToolNames) -> bool:
    """Return whether an object has no variables; the name of a tool may lack its quotes."""
    return all(
        item.is_literal or (item.kind == "text" and names.find(item.spelled)) for item in node.items
    )


# ----------------------------------------------------------------------------- damaged values
def damaged_calls(
    text: str, names: ToolNames, offset: int, bounds: re.Pattern[str] | None = None
) -> list[RawCall]:
    """The calls of a text that is not written exactly: those before the damage, and the rest.

    With the `bounds` of blocks, the rest is refused if another block begins in it.
    """
    calls: list[RawCall] = []
    at = len(text) - len(text.lstrip())
    at += text.startswith("[", at)
    while text[:at].strip() and (found := _item(text, at, names, offset)):
        at = found[0]
        calls += found[1]
    if calls and not text[at:].strip(_BLANK):
        return calls
    begins = at + len(text[at:]) - len(text[at:].lstrip(" \t\r\n,;")) if calls else 0
    last = _damaged_call(text[begins:], names, offset + begins)
    if bounds and holds_begun_call(text[begins:], bounds):
        last.problem = last.problem or problems.MAY_HOLD_CALL
    return [*calls, last]


def mark_as_cut(call: RawCall, text: str) -> None:
    """Note of the last call of a text without an end mark that it was cut off, unless it ends."""
    if text.rstrip().endswith(("}", "]", ")", ">")):
        return
    if call.problem:
        call.problem = problems.IS_CUT_OFF
    elif isinstance(call.arguments, str):
        call.arguments = call.arguments.rstrip()  # a number may go on


def _item(text: str, at: int, names: ToolNames, offset: int) -> tuple[int, list[RawCall]] | None:
    """The calls of an undamaged item of a list, before another one."""
    here = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
    if not (text.startswith("{", here) or PYTHON_CALL.match(text, here)):
        return None
    node = parsed(text, here)
    if node is None or not _ITEM_ENDS.match(text, node.end):
        return None
    if node.kind == "{" and not node.exact and not json_end(f"{text}]", here):
        return None
    calls = CallShapes(names, offset, expects_calls=True).calls(node)
    return None if calls is None else (node.end, calls)


def _damaged_call(text: str, names: ToolNames, offset: int) -> RawCall:
    """The call of a text that has to be repaired: its name, and the text of its arguments."""
    end = offset + len(text)
    body = text.lstrip(f"{_BLANK}[(\"'")
    if called := PYTHON_CALL.match(body):
        problem = _python_problem(text.strip(_BLANK))
        return RawCall(called["name"], "", offset, end, problem=problem)
    name, given = _NAME.search(text), _ARGUMENTS.search(text)
    if name and given and not text[given.end() :].strip(f"{_BLANK}}}"):
        return RawCall(name[1], "", offset, end, problem=problems.IS_CUT_OFF)
    if name and given and _BEFORE_NAME.fullmatch(text, 0, min(name.start(), given.start())):
        if name.start() < given.start() and not re.search("[{}]", text[name.end() : given.start()]):
            closers = text.count("{", 0, given.start())
            return RawCall(name[1], _arguments(text[given.end() :], closers), offset, end)
        name = [*_NAME.finditer(text)][-1]
        if given.start() < name.start() and not text[name.end() :].strip(f"{_BLANK}}}"):
            return RawCall(name[1], text[given.end() : name.start()].rstrip(", \n\t"), offset, end)
    mentioned = names.mentioned(text[:200])
    problem = problems.unbalanced(text) if mentioned else problems.NAMELESS
    return RawCall(mentioned, "", offset, end, problem=problem)


def _python_problem(text: str) -> str:
    """Why a text is not a call in Python."""
    try:
        parse(text)
    except ExpressionError as error:
        if str(error) != TEXT_ENDS and not problems.ends_in_string(text):
            return f"it is not a Python call: {error}"
        return problems.NO_PARTNER if text.endswith((")", "]")) else problems.IS_CUT_OFF
    except RecursionError:
        return "it is nested too deeply"
    return problems.unbalanced(text)


def _arguments(text: str, closers: int) -> str:
    """The text of arguments without what is after it, and the closers of what is around it."""
    text = text[: _TRAILING.search(text).start()]  # type: ignore[union-attr]
    tail = text.rpartition("}")[2]
    if tail.strip(_BLANK) and '"' not in tail and is_prose(tail.lstrip(_BLANK)):
        text = text[: len(text) - len(tail)]
    for _ in range(closers):
        text = _LAST_CLOSER.sub("", text, 1)
    return f"{text} "


# ----------------------------------------------------------------------------------- objects
def _read_object(text: str, at: int, call: RawCall, marks: Delimiters, *, ended: bool) -> CallsRead:
    """Read the arguments of a call, an object in JSON."""
    closes = marks.closes
    end = json_end(text, at) if text.startswith("{", at) else 0
    is_one = end and not _ANOTHER_OBJECT.match(text, end)
    over = is_all(text, end, closes, marks.bounds, ended=ended) if is_one else False
    if over is None:
        return None
    if over:
        call.arguments, call.end = text[at:end], end
        close = (closes and closes.match(text, end)) or _FENCE_ENDS.match(text, end)
        return close.end() if close else end, [call]
    if closes and (close := closes.match(text, at)):
        call.arguments, call.end = "{}", close.end()
        return close.end(), [call]
    is_open = not ended and not end and is_begun(text, at)
    stop = None if is_open else block_end(text, at, marks, ended=ended)
    if stop is None:
        return None
    inner = _without_end(text[at:stop], closes)
    inner = inner[: _TRAILING.search(inner).start()]  # type: ignore[union-attr]
    call.problem = problems.MAY_HOLD_CALL if holds_begun_call(inner, marks.bounds) else ""
    call.problem = call.problem if inner.strip() else problems.IS_CUT_OFF
    if not _OBJECT.match(inner) and inner.startswith("{"):
        call.problem = problems.misplaced(inner, "")
    call.arguments, call.end = inner, stop
    return stop, [call]


# ------------------------------------------------------------------- objects with bare keys
_LOOSE: Final = regex(
    r"""(?<=[\[{,:=(\s])(?P<mark><\|"\|>|<escape>)(?P<text>.*?)(?:(?P=mark)|\Z)"""
    r"""|(?P<json>(?<!<\|)"(?:[^"\\]|\\.)*(?:"|\Z))|(?P<bracket>[{}\[\]()])""",
    re.DOTALL,
)
_LOOSE_KEY: Final = regex(
    r"([{,(]\s*)([^\s{}\[\](),:=<>\"'\\\0][^{}\[\](),:=<>\"'\\\0\n]{0,99}?)\s*[:=](?!=)\s*"
)
_HALF_QUOTED: Final = regex(r""":\s*'?([^{}\[\]<>"':=\0]+)(?:<\|"\|>|<escape>)(?=\s*[,}])""")
_TWO_MEANINGS: Final = regex(
    r""":\s*'?[^{}\[\]<>"':=,\0\d][^{}\[\]<>"':=,\0]*,"""
    r"""[^{}\[\]<>"'=\0]*:[^{}\[\]<>"':=\0]+(?:<\|"\|>|<escape>)"""
)
"""A bare value before one that has only its last mark: both may be one."""
_MORE: Final = regex(r"\s*[,;]?\s*[\w\"'<|]*[}:=]")
"""The rest of an object that a bracket in a string has closed."""
_KEPT: Final = regex(r"\0(\d+)\0(\s*[:=]\s*)?")


def _read_loose(text: str, at: int, call: RawCall, marks: Delimiters, *, ended: bool) -> CallsRead:
    """Read an object with bare keys, whose strings are between marks of their own."""
    opened, end = "", 0
    for part in _LOOSE.finditer(text, at):
        if part["bracket"] and part[0] in "{[(":
            opened += part[0]
        elif part["bracket"]:
            if f"{opened[-1:]}{part[0]}" not in {"{}", "[]", "()"}:
                break
            opened = opened[:-1]
            if not opened:
                end = part.end()
                break
    written = _loose_json(text[at:end]) if end else ""
    over = is_all(text, end, marks.closes, marks.bounds, ended=ended) if written else False
    if over is None:
        return None
    if over and not _MORE.match(text, end):
        call.arguments, call.end = written, end
        close = marks.closes.match(text, end) if marks.closes else None
        return close.end() if close else end, [call]
    stop = block_end(text, at, marks, ended=ended) if end or ended else None
    if stop is None:
        return None
    inner = _without_end(text[at:stop], marks.closes)
    call.arguments, call.end = _loose_json(inner), at + len(inner.rstrip())
    is_cut = stop == len(text) and not text.rstrip().endswith(("}", ">"))
    problem = problems.IS_CUT_OFF if is_cut else problems.unbalanced(inner)
    call.problem = "" if call.arguments else problem
    return stop, [call]


def _loose_json(text: str) -> str:
    """The JSON of such an object; empty for anything else."""
    text = text.strip()
    if text[:1] == "(" and text[1:].lstrip()[:1] == "{":
        text = text[1:-1].strip()
    text, strings = _strings_kept(text)

    def half_quoted(found: re.Match[str]) -> str:
        strings.append(encode_basestring_ascii(found[1]))
        return f": \0{len(strings) - 1}\0"

    if "\\" in text or _TWO_MEANINGS.search(text):
        return ""
    text = _HALF_QUOTED.sub(half_quoted, text)
    if "<|" in text or "<escape>" in text:
        return ""
    text = _strings_restored(_LOOSE_KEY.sub(r'\1"\2": ', text), strings)
    text = f"{{{text[1:-1]}}}" if text[:1] == "(" and text[-1:] == ")" else text
    node = parsed(text, 0)
    if node is None or node.kind != "{" or node.end != len(text):
        return ""
    try:
        return node.json
    except ExpressionError:
        return ""


def _strings_kept(text: str) -> tuple[str, list[str]]:
    """A text with placeholders for its strings, and the JSON of these."""
    strings: list[str] = []

    def keep(part: re.Match[str]) -> str:
        if part["bracket"]:
            return part[0]
        strings.append(part["json"] or encode_basestring_ascii(part["text"]))
        return f"\0{len(strings) - 1}\0"

    return _LOOSE.sub(keep, text), strings


def _strings_restored(text: str, strings: list[str]) -> str:
    return _KEPT.sub(lambda m: strings[int(m[1])] + (": " if m[2] else ""), text)


_ARROW: Final = regex(r"""(?:--)?(["']?)([\w.-]+)\1\s*=>\s*|--([\w.-]+)\s+""")
_ARROW_STRING: Final = regex(r"\0(\d+)\0\s*=>\s*")
_NO_COMMA: Final = regex(r'([^\s{,:])\s+(?="[\w.-]+": )')


def _read_arrows(
    text: str, at: int, start: int, marks: Delimiters, names: ToolNames, *, ended: bool
) -> CallsRead:
    """Read `{tool => "f", args => {--k "v" --n 3}}`: JSON but for arrows, dashes and commas."""
    end = block_end(text, at, marks, ended=ended)
    if end is None:
        return None
    inner = _without_end(text[at:end], marks.closes)
    if "=>" not in inner:
        return _read_values(text, at, start, marks, names, ended=ended)
    inner, strings = _strings_kept(inner)
    inner = _ARROW_STRING.sub(lambda m: f"{strings[int(m[1])]}: ", inner)
    inner = _ARROW.sub(lambda m: f'"{m[2] or m[3]}": ', inner)
    inner = _strings_restored(_NO_COMMA.sub(r"\1, ", inner), strings).strip()
    value = _value(inner, 0, names) if inner else None
    calls = value[1] if value else damaged_calls(inner, names, start)
    for call in calls:
        call.start, call.end = start, end
    return end, calls
