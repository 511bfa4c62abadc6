"""Blocks: what belongs to a call is known before it is read, and nothing in it runs by itself.

Each function takes a text and an offset, and returns an offset and calls; None where more text is
needed, which never is if the text has `ended`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from schema2model.calls.call_shapes import ARGUMENTS, NAMELESS, NAMES, CallShapes
from schema2model.calls.call_types import RawCall, given_twice
from schema2model.calls.expressions import PYTHON_CALL, Expression, ExpressionError, parse
from schema2model.calls.formats.wires import LABELS, SILENT, Wire
from schema2model.calls.tool_names import ToolNames
from schema2model.json.parsing import entities_decoded
from schema2model.text.wrapping.prose import is_prose

__all__ = [
    "CUT_OFF",
    "MALFORMED",
    "arriving",
    "awaited",
    "Made",
    "Reading",
    "broken",
    "is_begun",
    "is_over",
    "json_end",
    "made",
    "next_exact",
    "parameters",
    "block_end",
    "python_end",
    "read_block",
    "ungrouped",
    "usual_call",
]

Reading = tuple[int, list[RawCall]] | None

CUT_OFF: Final = "it was cut off"
MALFORMED: Final = "it is malformed"
RUNS_OVER: Final = "there is more of it after its end"
NO_CALL: Final = "it has neither a name nor arguments"
_JSON: Final = json.JSONDecoder(strict=False)
_GOES_ON: Final = re.compile(r"""\s*(?:[\]}:"']|,\s*["'\w])""")
"""What follows a value that has not ended, though it could."""
_SKIP: Final = re.compile(rf"(?:[\s,;]|{SILENT})*")
_TRAILING: Final = re.compile(rf"(?:[\s`]|{SILENT})*\Z")
_PYTHON_END: Final = re.compile(r"[ \t]*(?:\n|\Z|[,;\]`]|#|<|\[/)")
_PREFIX: Final = r"(?:[\w.-]{1,24}[:|_]|[|｜‖ ]{0,3}[A-Z]{3,6} ?[|｜‖]{1,2} ?)?"
_WORD: Final = (
    r"(?:tool_?calls?|function_calls?|calls|tool_use|TOOLCALLS?|tool|function|invoke|use_mcp_tool)"
)
_BEGINS: Final = rf"<{_PREFIX}{_WORD}(?::[\w-]+)?(?:[\s=][^<>\n]*)?(?<!/)>"
_ENDS: Final = rf"</{_PREFIX}{_WORD}(?::[\w-]+)?>"
_ENDS_TOO: Final = rf"|\s*{_ENDS}"
_NAME_IN: Final = re.compile(rf"""["'](?:{"|".join(NAMES)})["']?\s*[:=]\s*["']([^"'\\\n]+)["']""")
_ARGUMENTS_IN: Final = re.compile(rf"""["'](?:{"|".join(ARGUMENTS)})["']\s*:\s*""")
_CLOSER: Final = re.compile(r"\s*\}\s*\]?[\s,;`]*\Z")
_INDENTED: Final = re.compile(r"\n[ \t]+(?![ \t])(.*?)\n[ \t]+", re.DOTALL)
_ANOTHER: Final = re.compile(rf"(?:[\s,;]|{SILENT})*(?:[\[{{]|[^\W\d][\w.]*\()")
_VALUE_ENDS: Final = re.compile(rf"[}}\])][\"'`]{{0,3}}(?:[\s;,`]|{SILENT})*\Z")
_ANY_CLOSER: Final = re.compile(r"[}\])\n<\[]")
_TRIES: Final = 50
"""Beginnings of calls that are tried after a damaged one."""
_BLANK: Final = re.compile(r"\s*")
_NOTHING: Final = re.compile(r"(?P<begin>(?!))")
_BRACES: Final = re.compile("[{}]")
_AFTER_CALL: Final = re.compile(r"\s*(?:<|\Z)")
_LAST_LINE: Final = re.compile(r"\n[ \t]*\Z")
_ALONE: Final = re.compile(r"\n[ \t]*\Z")
_BEFORE_NAME: Final = re.compile(
    r"""[\s\[({`]*(?:json\s*)?(?:["']?\w{1,20}["']?\s*:\s*(?:"(?:[^"\\]|\\.){0,2000}"|'[^'\\]{0,2000}'|[\w.-]{1,80}|[\[{])\s*,?\s*[{]?\s*)*"""
)
_CDATA_BEGINS: Final = re.compile(r"\s*<!\[CDATA\[")
_DAMAGED_KEY: Final = re.compile(r"""["'`\[\](){}=<>|,;\\]|[\u200b-\u200f\u201c-\u201f]""")
_ARRIVING: Final = re.compile(
    rf"""[\s\[]*\{{\s*(?:["']\w{{1,20}}["']\s*:\s*["'][\w.-]{{0,99}}["']\s*,\s*){{0,3}}(?:["']function["']\s*:\s*\{{\s*)?"""
    rf"""["'](?:{"|".join(NAMES)})["']\s*:\s*["'](?P<name>[^"'\\]{{1,200}})["']\s*,\s*["'](?:{"|".join(ARGUMENTS)})["']\s*:\s*"""
)
_COMMA: Final = re.compile(r"\s*,(?=\s*\{)")
_SHUTS: Final = re.compile(r"\s*\]")
_USUAL: Final = re.compile(
    r'\s*\{\s*"name"\s*:\s*"([^"\\]{1,200})"\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=\{)'
)
_CLOSES: Final = re.compile(r"\s*\}")
_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.DOTALL)


_LABELS: Final[dict[str, list[tuple[re.Pattern[str], str]]]] = {}
for (_of, _begins), _to in LABELS.items():
    _LABELS.setdefault(_of, []).append((re.compile(_begins), _to))


def _either(**sources: str) -> re.Pattern[str]:
    """One of some patterns, each a group; found fast if all begin with one character."""
    parts = {name: source or "(?!)" for name, source in sources.items()}
    if all(source.startswith("<") or source == "(?!)" for source in parts.values()) and not any(
        "|" in _outer(each) for each in parts.values()
    ):
        inner = "|".join(
            f"(?P<{name}>{source.removeprefix('<')})" for name, source in parts.items()
        )
        return re.compile(f"<(?:{inner})")
    return re.compile("|".join(f"(?P<{name}>{source})" for name, source in parts.items()))


def _outer(source: str) -> str:
    """A pattern without what is in its brackets."""
    source = re.sub(r"\\.|\[(?:\\.|[^\]])*\]", "", source)
    while "(" in source and (shorter := re.sub(r"\([^()]*\)", "", source)) != source:
        source = shorter
    return source


@dataclass(frozen=True)
class Made:
    """The patterns of a call, of which the first mark is known."""

    wire: Wire
    opens: re.Pattern[str]
    closes: re.Pattern[str] | None
    key: re.Pattern[str] | None
    inner: re.Pattern[str] | None
    """In a value: a call of the same format, its end, or the end of the value."""
    value: str
    bounds: re.Pattern[str]
    """What begins and what ends such a block."""
    has_end: bool
    """Whether there is an end mark."""
    mark: re.Pattern[str] | None
    """What begins a parameter, without blanks before it."""
    around: re.Pattern[str]
    """What may follow a parameter where the end mark is missing."""
    follows: re.Pattern[str] | None
    """What follows the end of a value."""
    stray: re.Pattern[str] | None
    """An end of a value."""


def ungrouped(source: str) -> str:
    """The source of a pattern without its groups' names."""
    return re.sub(r"\(\?P<\w+>", "(?:", re.sub(r"\(\?P=\w+\)", "[^<>]{0,200}?", source))


@lru_cache(1024)
def made(wire: Wire, groups: tuple[tuple[str, str], ...] = ()) -> Made:
    """The patterns of a record, with what its beginning matched."""

    def put(source: str) -> str:
        for name, matched in groups:
            source = source.replace(f"@{name}", re.escape(matched or ""))
        return source

    closes, key, value = put(wire.closes), put(wire.key), put(wire.value)
    alike = ""  # another format whose end mark is the same
    if wire.family == "<" and re.fullmatch(r"</[\w\\:|-]+>", closes):
        alike = rf"|<{closes[2:-1]}(?:[\s=][^<>\n]*)?>(?=\s*[\[{{<])"
    begins, ends = (
        (_BEGINS, _ENDS) if wire.family == "<" else (ungrouped(wire.opens), closes or "(?!)")
    )
    return Made(
        wire,
        re.compile(wire.opens),
        re.compile(rf"\s*(?:{closes})") if closes else None,
        re.compile(rf"(?:\s|\\n)*(?:{key})") if key else None,
        _either(value=value, end=closes, begin=ungrouped(wire.opens) + alike)
        if value and "@" not in value
        else None,
        value,
        _either(begin=begins, end=ends),
        wire.family == "<" or (bool(closes) and "?=" not in closes),
        re.compile(key) if key else None,
        re.compile(
            rf"\s*(?:{_ENDS}|{_BEGINS})"
            if wire.family == "<"
            else rf"\s*(?:{ungrouped(wire.opens)})"
        ),
        re.compile(
            rf"(?:\s|\\n)*(?:{ungrouped(key)})|\s*(?:{closes}){_ENDS_TOO if wire.family == '<' else ''}|(?:\s|{SILENT})*\Z"
        )
        if key
        else None,
        re.compile(rf"\s*(?:{value})") if value and "@" not in value else None,
    )


def json_end(text: str, at: int) -> int:
    """The offset after the JSON value here; 0 without one, or if the text goes on as if within it."""
    end = _end(text, at)
    return 0 if _GOES_ON.match(text, end) else end


def _end(text: str, at: int) -> int:
    try:
        return _JSON.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return 0


def is_begun(text: str, at: int) -> bool:
    """Whether what is here is JSON as far as the text goes."""
    try:
        _JSON.raw_decode(text, at)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or error.pos >= len(text) - len("false")
    except RecursionError:
        pass
    return False


def usual_call(text: str, at: int, names: ToolNames) -> tuple[int, list[RawCall]] | None:
    """The call here and its end, if it is exactly a name and arguments: most are."""
    calls: list[RawCall] = []
    is_list = text.startswith("[", at)
    here = at + is_list
    while (
        (head := _USUAL.match(text, here))
        and names.find(head[1])
        and (end := _end(text, head.end()))
    ):
        close = _CLOSES.match(text, end)
        if close is None:
            return None
        begins = text.index("{", here)
        here = close.end()
        calls.append(RawCall(head[1], text[head.end() : end], begins, here))
        if is_list and (comma := _COMMA.match(text, here)):
            here = comma.end()
            continue
        shut = _SHUTS.match(text, here) if is_list else close
        return (shut.end(), calls) if shut and not _GOES_ON.match(text, shut.end()) else None
    return None


def is_over(
    text: str, end: int, closes: re.Pattern[str] | None, bounds: re.Pattern[str], *, ended: bool
) -> bool | None:
    """Whether a complete value is all that was meant: no bracket after it closes what is around it.

    Of `{"a": "f(\\"x")} rest"}`, the first object is complete, but a quote lacks its backslash.
    """
    if closes and closes.match(text, end):
        return True
    following = bounds.search(text, end)
    if following is None and not ended:
        return None
    rest = text[end : following.start() if following else len(text)]
    if following and following["begin"] is None and rest.strip():
        return False
    depth = 0
    for bracket in _BRACES.findall(rest):
        depth += 1 if bracket == "{" else -1
        if depth < 0:
            return False
    return True


def block_end(text: str, at: int, marks: Made, *, ended: bool) -> int | None:
    """The offset after the mark that ends a block, whatever is in it; of several before the next, the last."""
    if not marks.has_end or (ended and marks.closes and not marks.closes.search(text, at)):
        return next_exact(text, at, marks.bounds, marks.wire.body) if ended else None
    depth, end = 1, 0
    for mark in marks.bounds.finditer(text, at):
        if mark["begin"] is not None:
            if end:
                return end
            depth += 1
        else:
            depth = max(depth - 1, 0)
            end = mark.end() if depth == 0 else end
    return (end or len(text)) if ended else None


def next_exact(text: str, at: int, bounds: re.Pattern[str], body: str) -> int:
    """Where a damaged block without an end mark ends: before the next one that is exactly written.

    A call that a string quotes is not: in JSON its quotes have backslashes, and after it come the
    brackets that close what is around the string.
    """
    for mark in islice(bounds.finditer(text, at), _TRIES):
        if mark["begin"] is None:
            return mark.start()
        before = text[at : mark.start()]
        if not (_VALUE_ENDS.search(before) or 0 < before.count("{") <= before.count("}")):
            continue
        begins = _BLANK.match(text, mark.end()).end()  # type: ignore[union-attr]
        end = json_end(text, begins)
        if (
            not end
            and body == "calls"
            and (node := _parsed(text, begins))
            and node.kind in "[call"
            and python_end(text, node.end)
        ):
            end = node.end
        if (
            end
            and text[begins:end].strip("[]{} ")
            and is_over(text, end, None, _NOTHING, ended=True)
        ):
            return mark.start()
    return len(text)


def _made_at(text: str, start: int, wire: Wire) -> tuple[re.Match[str], Made]:
    """The beginning of a block, and its patterns."""
    head = _opens(wire).match(text, start)
    assert head
    groups = tuple(
        (key, matched)
        for key, matched in head.groupdict().items()
        if key in {"p", "s", "w"} or (key == "name" and "@name" in wire.closes)
    )
    return head, made(wire, groups)


@lru_cache(256)
def _opens(wire: Wire) -> re.Pattern[str]:
    return re.compile(wire.opens)


def awaited(text: str, start: int, wire: Wire) -> re.Pattern[str] | None:
    """What has to come before the block that begins here can be read on; None for anything."""
    marks = _made_at(text, start, wire)[1]
    return (
        _ANY_CLOSER if not marks.has_end else marks.bounds if wire.family == "<" else marks.closes
    )


def arriving(text: str, start: int, wire: Wire | None) -> tuple[str, int, Made | None] | None:
    """The name of the call that has begun here, where its arguments begin, and the marks of its parameters."""
    at, name, marks = start, "", None
    if wire:
        if _opens(wire).match(text, start) is None:
            return None
        head, marks = _made_at(text, start, wire)
        at, name = head.end(), (head.groupdict().get("name") or "").strip()
    if name:
        return (
            name,
            at,
            marks if wire and wire.body == "tags" and text[at : at + 1] != "{" else None,
        )
    found = _ARRIVING.match(text, at)
    return (found["name"], found.end(), None) if found else None


def parameters(text: str, at: int, marks: Made) -> tuple[list[tuple[str, str, bool]], int]:
    """The parameters from here on that are complete whatever comes, and where the next one begins."""
    found: list[tuple[str, str, bool]] = []
    while mark := marks.key.match(text, at):  # type: ignore[union-attr]
        ends = _value_end(text, mark, marks)
        if ends is None or not text[ends[1] :].strip():
            break
        is_text = bool(mark.groupdict().get("string"))
        found.append(
            (entities_decoded(mark["key"].strip()), inner_text(text[mark.end() : ends[0]]), is_text)
        )
        at = ends[1]
    return found, at


def read_block(
    text: str, start: int, wire: Wire, names: ToolNames, *, ended: bool
) -> tuple[int, list[RawCall]] | None:
    """The calls of the block that begins here, and where it ends."""
    head, marks = _made_at(text, start, wire)
    name = (head.groupdict().get("name") or "").strip()
    read = _BODIES[wire.body](text, head.end(), start, name, marks, names, ended=ended)
    if read is not None:
        label = next(
            (to for begins, to in _LABELS.get(wire.name, ()) if begins.match(head[0])), wire.name
        )  # type: ignore[index]
        for call in read[1]:
            call.format = call.format or label
    return read


# ------------------------------------------------------------------------------------ values
def _values(
    text: str, at: int, start: int, name: str, marks: Made, names: ToolNames, *, ended: bool
) -> Reading:
    """Calls one after the other, in JSON or Python."""
    calls: list[RawCall] = []
    first = at
    while True:
        here = _SKIP.match(text, at).end()  # type: ignore[union-attr]
        if marks.closes and (close := marks.closes.match(text, here)):
            if not calls:
                calls = [RawCall("", "", start, close.end(), problem=NO_CALL)]
            return close.end(), calls
        if here == len(text):
            if not ended:
                return None
            return at, calls  # nothing has begun after the mark
        read = _value(text, here, names)
        if read is None:
            break
        over = (
            is_over(text, read[0], marks.closes, marks.bounds, ended=ended)
            or _ANOTHER.match(text, read[0]) is not None
            or None
        )
        if over is None and is_over(text, read[0], marks.closes, marks.bounds, ended=True):
            return None
        if not over:
            break
        at, found = read
        calls += found
    if calls and text[here] not in "[{\"'" and not PYTHON_CALL.match(text, here):
        return at, calls  # the end mark is missing
    end = block_end(text, first, marks, ended=ended)
    if end is None:
        return None
    inner = text[here:end]
    close = marks.closes.search(inner, max(len(inner) - 80, 0)) if marks.closes else None
    while close and (later := marks.closes.search(inner, close.end())):  # type: ignore[union-attr]
        close = later
    body = inner[: close.start()] if close else inner
    if not (calls and not body.strip()):
        calls += broken(body, names, here, is_cut=close is not None, holds=_holds(body, marks))
    return end, calls


def _holds(text: str, marks: Made) -> str:
    """The problem of a damaged block in which another one may begin."""
    found = marks.bounds.search(text)
    return MALFORMED if found and found["begin"] is not None else ""


def _value(text: str, at: int, names: ToolNames) -> tuple[int, list[RawCall]] | None:
    """The calls that a value is, and its end; None if it is none, or not exactly written."""
    if usual := usual_call(text, at, names):
        return usual
    shapes = CallShapes(names, 0, expects_calls=True)
    if text[at] in "[{" and (end := json_end(text, at)):
        node = _parsed(text, at)
        calls = shapes.calls(node) if node else None
        if calls is None:
            calls = [RawCall("", "", at, end, problem=NO_CALL)]
        return end, calls
    if not (text[at] in "[{(" or PYTHON_CALL.match(text, at)):
        return None
    node = _parsed(text, at)
    if node is None or (node.kind == "{" and not node.is_literal):
        return None
    if not (
        _PYTHON_END.match(text, node.end)
        if node.kind != "{"
        else not _GOES_ON.match(text, node.end)
    ):
        return None
    calls = shapes.calls(node)
    return None if calls is None else (node.end, calls)


def _parsed(text: str, at: int) -> Expression | None:
    try:
        return parse(text, at)
    except (ExpressionError, RecursionError):
        return None


def python_end(text: str, at: int) -> bool:
    """Whether nothing but a line break, a delimiter or a mark follows a call in Python."""
    return _PYTHON_END.match(text, at) is not None


def broken(
    text: str, names: ToolNames, offset: int, *, is_cut: bool, holds: str = ""
) -> list[RawCall]:
    """The calls of a block that is not exactly written: those before the damage, and one for the rest."""
    calls: list[RawCall] = []
    at = len(text) - len(text.lstrip())
    if text[at : at + 1] == "[":
        at += 1
        while True:
            here = _SKIP.match(text, at).end()  # type: ignore[union-attr]
            node = (
                _parsed(text, here)
                if text[here : here + 1] == "{" or PYTHON_CALL.match(text, here)
                else None
            )
            if node is None or not re.compile(r"\s*,\s*(?:[\[{]|[^\W\d][\w.]*\s?\(|\Z)").match(
                text, node.end
            ):
                break
            if node.kind == "{" and not json_end(text + "]", here) and not node.exact:
                break
            found = CallShapes(names, offset, expects_calls=True).calls(node)
            if found is None:
                break
            calls += found
            at = node.end
    begins = at if calls else 0
    rest = text[begins:]
    if calls and not rest.strip(" \t\r\n,;]"):
        return calls
    last = _one(rest, names, offset + begins, is_cut=is_cut)
    last.problem = last.problem or holds
    return [*calls, last]


def _one(part: str, names: ToolNames, offset: int, *, is_cut: bool) -> RawCall:
    """The only call of a text in JSON that has to be repaired: its name, and the text of its arguments."""
    end = offset + len(part)
    name, given = _NAME_IN.search(part), _ARGUMENTS_IN.search(part)
    called = PYTHON_CALL.match(part.lstrip(" \t\r\n,;[(\"'`"))
    problem = MALFORMED if is_cut or part.rstrip().endswith(("}", "]", ")", ">")) else CUT_OFF
    if called:
        return RawCall(called["name"], "", offset, end, problem=problem)
    if name and given and _BEFORE_NAME.fullmatch(part, 0, min(name.start(), given.start())):
        if name.start() < given.start() and not re.search(
            r"[{}]", part[name.end() : given.start()]
        ):
            arguments = part[given.end() :]
            arguments = arguments[: _TRAILING.search(arguments).start()]  # type: ignore[union-attr]
            tail = arguments.rpartition("}")[2]
            if (
                tail.strip(" \t\r\n,;]`")
                and '"' not in tail
                and is_prose(tail.lstrip(" \t\r\n,;]`"))
            ):
                arguments = arguments[: len(arguments) - len(tail)]
            for _ in range(part.count("{", 0, given.start())):
                arguments = _CLOSER.sub("", arguments, 1)
            return RawCall(name[1], f"{arguments} ", offset, end, is_cut=is_cut)
        last = [*_NAME_IN.finditer(part)][-1]
        if given.start() < last.start() and re.fullmatch(r"[\s}\]`]*", part[last.end() :]):
            return RawCall(
                last[1],
                part[given.end() : last.start()].rstrip().rstrip(","),
                offset,
                end,
                is_cut=is_cut,
            )
    spelled = names.mentioned(part[:200])
    return RawCall(spelled, "", offset, end, problem=problem if spelled else NAMELESS)


# ----------------------------------------------------------------------------------- objects
def _object(
    text: str, at: int, start: int, name: str, marks: Made, names: ToolNames, *, ended: bool
) -> Reading:
    """The JSON of the arguments of one call."""
    end = json_end(text, at) if text[at : at + 1] == "{" else 0
    over = is_over(text, end, marks.closes, marks.bounds, ended=ended) if end else False
    if over is None:
        return None
    if over:
        close = marks.closes.match(text, end) if marks.closes else None
        stop = close.end() if close else end
        return stop, [RawCall(name, text[at:end], start, stop)]
    if marks.closes and (close := marks.closes.match(text, at)):
        return close.end(), [RawCall(name, "{}", start, close.end())]
    stop = block_end(text, at, marks, ended=ended)
    if stop is None:
        return None
    inner, close = text[at:stop], None
    if marks.closes:
        for close in marks.closes.finditer(inner):
            pass
    is_cut = close is not None
    inner = inner[: close.start()] if close else inner
    inner = inner[: _TRAILING.search(inner).start()]  # type: ignore[union-attr]
    return stop, [RawCall(name, inner, start, stop, problem=_holds(inner, marks), is_cut=is_cut)]


# -------------------------------------------------------------------------------- parameters
def inner_text(text: str) -> str:
    """A value without the line breaks, and the indentation, that belong to its tags."""
    if cdata := _CDATA.fullmatch(text):
        return cdata[1]
    if indented := _INDENTED.fullmatch(text):
        return indented[1]
    return text[1:].removesuffix("\n") if text[:1] == "\n" else text


def _tags(
    text: str, at: int, start: int, name: str, marks: Made, names: ToolNames, *, ended: bool
) -> Reading:
    """Parameters whose values are text, up to the end mark of their call."""
    if text[at : at + 1] == "{":
        return _object(text, at, start, name, marks, names, ended=ended)
    values: dict[str, str] = {}
    strings: set[str] = set()
    known = names.find(name)
    declared = names.parameters(known) if known else ()
    key, closes, problem = marks.key, marks.closes, ""
    assert key and closes
    around = marks.around
    if stray := marks.stray.match(text, at) if marks.stray else None:
        at = stray.end()
    while not problem:
        if close := closes.match(text, at):
            at = close.end()
            break
        if (mark := key.match(text, at)) is None:
            rest = text[at:].strip()
            if not rest or around.match(text, at):
                if not ended and not rest:
                    return None
                problem = "" if values or not (declared or rest) else CUT_OFF
                break
            problem = MALFORMED
            break
        ends = _value_end(text, mark, marks)
        if ends is None:
            problem = f"the value of `{mark['key'][:80]}` does not end"
            break
        raw, at = text[mark.end() : ends[0]], ends[1]
        lost = next(
            (
                each
                for each in marks.mark.finditer(raw)
                if each["key"] in declared
                and each["key"] not in values
                and each["key"] != mark["key"]
            ),
            None,
        )  # type: ignore[union-attr]
        if lost and (line := _LAST_LINE.search(raw, 0, lost.start())):
            raw, at = raw[: line.start()], mark.end() + line.start()  # its closing tag is missing
        elif lost and not _in_quoted_call(raw, lost.start(), marks):
            problem = f"the value of `{mark['key'][:80]}` does not end"
            break
        spelled = entities_decoded(mark["key"].strip())
        if _DAMAGED_KEY.search(spelled) and spelled not in declared:
            problem = f"the name `{spelled[:80]}` is damaged"
        raw = inner_text(raw)
        if values.setdefault(spelled, raw) != raw:
            problem = given_twice(spelled)
        if mark.groupdict().get("string"):
            strings.add(spelled)
    if not problem:  # closing marks that no opening mark explains: a value was cut
        following = next(
            (m for m in marks.bounds.finditer(text, at) if m["begin"] is not None), None
        )
        stop = following.start() if following else len(text)
        if left := marks.stray.search(text, at, stop) if marks.stray else None:
            at, problem = left.end(), RUNS_OVER
        elif following is None and not ended:
            return None
        else:
            return at, [RawCall(name, values, start, at, frozenset(strings))]
    if not ended and block_end(text, at, marks, ended=False) is None:
        return None
    at = block_end(text, max(at, start + 1), marks, ended=True) or len(text)
    return at, [RawCall(name, values, start, at, frozenset(strings), problem)]


def _in_quoted_call(raw: str, at: int, marks: Made) -> bool:
    depth = 0
    for mark in marks.bounds.finditer(raw, 0, at):
        depth += 1 if mark["begin"] is not None else -1
    return depth > 0


def _value_end(text: str, mark: re.Match[str], marks: Made) -> tuple[int, int] | None:
    """Where a value ends, and where its end mark does: before another mark of the call; complete calls in it are text."""
    begins = mark.end()
    if cdata := _CDATA_BEGINS.match(text, begins):
        close = text.find("]]>", cdata.end())
        found = re.compile(rf"\s*{marks.value}").match(text, close + 3) if close >= 0 else None
        return (close + 3, found.end()) if found else None
    if "@k" in marks.value:
        value = re.escape(mark["key"]).join(marks.value.split("@k"))
        inner = re.compile(
            rf"(?P<value>{value})|(?P<end>{marks.closes.pattern})|(?P<begin>{ungrouped(marks.wire.opens)})"
        )  # type: ignore[union-attr]
    else:
        inner = marks.inner  # type: ignore[assignment]
    follows = marks.follows
    assert follows
    depth = 0
    for found in inner.finditer(text, begins):
        if found["begin"] is not None:
            depth += 1
        elif found["value"] is None:
            if depth == 0 and marks.wire.family == "<" and _AFTER_CALL.match(text, found.end()):
                last = _LAST_LINE.search(text, begins, found.start())  # its own end mark is missing
                return (last.start() if last else found.start(), found.start())
            depth = max(depth - 1, 0)
        elif depth == 0:
            if follows.match(text, found.end()):
                return found.start(), found.end()
            if (
                not marks.wire.inline
                or _ALONE.search(text, begins, found.start())
                or text[found.end() : found.end() + 1] == "\n"
            ):
                return None
    return None


def _nested(
    text: str, at: int, start: int, name: str, marks: Made, names: ToolNames, *, ended: bool
) -> Reading:
    """Parameters whose objects and lists are written with the same marks."""
    stack: list[tuple[str, list[tuple[str, Any]], int]] = [("", [], at)]
    mark = re.compile(rf"(?P<open>{marks.wire.key})|(?P<shut>{marks.wire.value})")
    problem = ""
    while not problem:
        close = marks.closes.match(text, at) if len(stack) == 1 else None  # type: ignore[union-attr]
        found = None if close else mark.search(text, at)
        if close:
            at = close.end()
            break
        if found is None:
            if not ended:
                return None
            at, problem = len(text), CUT_OFF
        elif found["open"] is not None:
            stack.append((found["key"], [], found.end()))
            at = found.end()
        elif len(stack) == 1 or stack[-1][0] != found["closed"]:
            problem = MALFORMED
        else:
            key, members, begins = stack.pop()
            stack[-1][1].append(
                (key, _element(members, text[begins : found.start()], marks.wire.item))
            )
            at = found.end()
    if problem:
        end = block_end(text, start + 1, marks, ended=ended)
        return None if end is None else (end, [RawCall(name, "", start, end, problem=problem)])
    values: dict[str, str] = {}
    for key, value in stack[0][1]:
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if key in values and values[key] != written:
            return at, [RawCall(name, "", start, at, problem=given_twice(key))]
        values[key] = written
    return at, [RawCall(name, values, start, at)]


def _element(members: list[tuple[str, Any]], text: str, item: str) -> Any:
    if not members:
        return text
    return (
        [value for _, value in members] if {key for key, _ in members} == {item} else dict(members)
    )


# -------------------------------------------------------------------------------- loose objects
_PARTS: Final = re.compile(
    r"""(?P<mark><\|"\|>|<escape>)(?P<text>.*?)(?P=mark)|(?P<json>"(?:[^"\\]|\\.)*")|(?P<bracket>[{}\[\]()])""",
    re.DOTALL,
)
_KEY: Final = re.compile(
    r"([{,(]\s*)([^\s{}\[\](),:=<>\"'\\\0][^{}\[\](),:=<>\"'\\\0\n]{0,99}?)\s*[:=](?!=)\s*"
)
_HALF: Final = re.compile(r""":\s*'?([^{}\[\]<>"':=\0]+)(?:<\|"\|>|<escape>)(?=\s*[,}])""")


def _loose(
    text: str, at: int, start: int, name: str, marks: Made, names: ToolNames, *, ended: bool
) -> Reading:
    """An object with bare keys, whose strings are between marks of their own."""
    depth, end = 0, 0
    for part in _PARTS.finditer(text, at):
        if part["bracket"]:
            depth += 1 if part[0] in "{[(" else -1
            if depth == 0:
                end = part.end()
                break
    written = _loose_json(text[at:end]) if end else ""
    over = is_over(text, end, marks.closes, marks.bounds, ended=ended) if written else False
    if over is None:
        return None
    if over and not re.compile(r"\s*[,;]?\s*[\w\"'<|]*[}:=]").match(text, end):
        close = marks.closes.match(text, end) if marks.closes else None
        stop = close.end() if close else end
        return stop, [RawCall(name, written, start, stop)]
    stop = block_end(text, at, marks, ended=ended)
    if stop is None:
        return None
    inner = marks.closes.sub("", text[at:stop]).strip() if marks.closes else text[at:stop]
    written = _loose_json(inner)
    return stop, [RawCall(name, written, start, stop, problem="" if written else MALFORMED)]


def _loose_json(text: str) -> str:
    """The JSON of such an object; empty for anything else."""
    text = text.strip()
    if text[:1] == "(" and text[1:].lstrip()[:1] == "{":
        text = text[1:-1].strip()
    strings: list[str] = []

    def kept(part: re.Match[str]) -> str:
        if part["bracket"]:
            return part[0]
        strings.append(part["json"] or encode_basestring_ascii(part["text"]))
        return f"\0{len(strings) - 1}\0"

    text = _PARTS.sub(kept, text)
    text = _HALF.sub(lambda m: _stored(strings, m[1]), text)
    if "<|" in text or "<escape>" in text:
        return ""
    text = _KEY.sub(r'\1"\2": ', text)
    text = re.sub(r"\0(\d+)\0\s*[:=]\s*", lambda m: f"{strings[int(m[1])]}: ", text)
    text = re.sub(r"\0(\d+)\0", lambda m: strings[int(m[1])], text)
    if text[:1] == "(":
        text = "{" + text[1:-1] + "}"
    node = _parsed(text, 0)
    if node is None or node.kind != "{" or node.end != len(text):
        return ""
    try:
        return node.json
    except ExpressionError:
        return ""


def _stored(strings: list[str], text: str) -> str:
    strings.append(encode_basestring_ascii(text))
    return f": \0{len(strings) - 1}\0"


_ARROWS: Final = re.compile(r"""(?:--)?(["']?)([\w.-]+)\1\s*=>\s*|--([\w.-]+)\s+""")


def _arrow(
    text: str, at: int, start: int, name: str, marks: Made, names: ToolNames, *, ended: bool
) -> Reading:
    """`{tool => "f", args => {--k "v" --n 3}}`, which is JSON but for the arrows and the dashes."""
    end = block_end(text, at, marks, ended=ended)
    if end is None:
        return None
    inner = marks.closes.sub("", text[at:end])  # type: ignore[union-attr]
    if "=>" not in inner:
        return _values(text, at, start, name, marks, names, ended=ended)
    strings: list[str] = []
    inner = _PARTS.sub(
        lambda m: m[0] if m["bracket"] else f"\0{strings.append(m[0]) or len(strings) - 1}\0", inner
    )
    inner = re.sub(r"\0(\d+)\0\s*=>\s*", lambda m: f"{strings[int(m[1])]}: ", inner)
    inner = _ARROWS.sub(lambda m: f'"{m[2] or m[3]}": ', inner)
    inner = re.sub(r'([^\s{,:])\s+(?="[\w.-]+": )', r"\1, ", inner)
    inner = re.sub(r"\0(\d+)\0", lambda m: strings[int(m[1])], inner).strip()
    read = _value(inner, 0, names) if inner else None
    calls = read[1] if read else [_one(inner, names, start, is_cut=True)]
    for call in calls:
        call.start, call.end, call.format = start, end, "arrow"
    return end, calls


_BODIES: Final[dict[str, Callable[..., Reading]]] = {
    "calls": _values, "object": _object, "tags": _tags, "nested": _nested, "loose": _loose, "arrow": _arrow,
}  # fmt: skip
