"""Finds what a text is made of, from left to right: prose, thinking, turns of others, and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from schema2model.calls.blocks import (
    MALFORMED,
    awaited,
    block_end,
    broken,
    is_begun,
    is_over,
    json_end,
    made,
    next_exact,
    python_end,
    read_block,
    ungrouped,
    usual_call,
)
from schema2model.calls.call_shapes import ARGUMENTS, NAMES, CallShapes
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import NAME, TEXT_ENDS, ExpressionError, parse
from schema2model.calls.formats.wires import RESULTS, SILENT, THINKING, TURNS, WIRES, Wire
from schema2model.calls.tool_names import ToolNames, either

__all__ = ["Scan"]

_LOST: Final = "its beginning is missing"
_FENCE: Final = re.compile(r"```[ \t]*([\w+#.-]*)[^\n`]*(?:\n|\Z)")
_FENCE_END: Final = re.compile(r"\n?[ \t]*```")
_DATA: Final = frozenset(
    ("", "json", "xml", "text", "txt", "plaintext", "tool_call", "tool_calls", "jsonc", "json5")
)
_PROSE: Final = re.compile(r"""[^\s`,;+\[\]()'"\\]""")
_LABEL: Final = r"""["'](?:id|type|index|tool_call_id)["']\s*:\s*["']?[\w.-]{0,99}["']?,\s*"""
_HEAD: Final = re.compile(
    rf"""[\[\s]{{0,99}}\{{\s*(?:["']tool_(?:calls|uses)["']\s*:\s*\[\s*\{{\s*)?(?:{_LABEL}){{0,3}}(?:["']function["']\s*:\s*\{{\s*)?"""
    rf"""(?:["'](?:thoughts?|reason(?:ing)?)["']\s*:\s*"(?:[^"\\]|\\.)*",\s*)?["']?(?:{"|".join(NAMES)})["']?\s*[:=]?\s*["']?(?P<name>[\w.:/-]+)"""
)
"""The beginning of a call in JSON, damaged or not."""
_PYTHON: Final = (
    rf"(?:(?m:^)|(?<=```))[ \t]*(?:(?:[-*>•]|\d{{1,3}}[.)])[ \t]+)?(?:Action:[ \t]*)?(?:print\(\s*|await\s+)?"
    rf"[(\"'`*]{{0,4}}(?P<call>{NAME})\s?\("
)
_DAMAGED: Final = rf"(?m:^)[ \t]*[\[(]?(?P<call>{NAME})[)\]}}]\(?(?=\w+\s*=)"
_NAMED: Final = r"(?m:^)[ \t]*(?P<tool>[\w.:/-]{1,200})(?:\[ARGS\])?[ \t]*(?:\n\s*)?(?=\{)"
_LISTED: Final = re.compile(rf"""\[\s*["'`]?\s*{NAME}\s?\(""")
_LINE_END: Final = re.compile(r"[\s`\"'*)\].,;:]*(?:\n|\Z|<|\[)")
_NEXT_VALUE: Final = re.compile(r"(?P<begin>\n[ \t]*(?=[\[{]|```)|[;,]\s*(?=[\[{]))")
"""What begins another value."""
_CLOSED: Final = re.compile(r"[ \t)\]\"'`*]*")
_GIVEN: Final = re.compile(rf"""["']\s*,\s*["'](?:{"|".join(ARGUMENTS)})["']""")
_LINE_VALUE: Final = re.compile(
    r"(?P<begin>\n[ \t]*(?:```\w*\s*)?(?:(?=[\[{])|[\w.:/-]{1,200}[ \t]*(?:\n\s*)?(?=\{)))"
)
_LONGEST: Final = 420
"""Characters of a mark, with what has to follow it."""
_BRACKETS: Final = re.compile(r"[\[{][\[{\s]{200,}")
_OPENERS: Final = re.compile("[{(<]")
_NAME_LINE: Final = re.compile(r"[ \t]*[\w.:/-]{1,200}")
_CANDIDATE: Final = re.compile(
    r"[<\[{✿]|\](?=<)|(?<!`)`|\b(?:functools|call:|to=|commentary|analysis)|(?m:^)[ \t]*(?:Action:|>>>)"
)
_LINE_BEGUN: Final = re.compile(
    r"[ \t]*(?:(?:[-*>•]|\d{1,3}[.)])[ \t]+)?(?:A(?:c(?:t(?:i(?:on?)?)?)?)?|Action:[^{]{0,200}|>{1,3}[^{]{0,200}|[(\"'`*\[]{0,4}(?:print\(|await )?[\w.:/\\-]{0,200}[ \t]*)"
)
_WORD_BEGUN: Final = re.compile(
    r"(?:\s+|\]|[\w=:`]{1,40}|\b(?:to=|call:|assistant|commentary|analysis)[^\n{]{0,200})\Z"
)


def _held(text: str, at: int) -> int:
    """From where on the end of the text may become a mark, of which no character is one."""
    line = max(text.rfind("\n", at) + 1, at)
    above = max(text.rfind("\n", at, max(line - 1, at)) + 1, at)
    for begins in (above, line):
        if len(text) - begins < _LONGEST and _LINE_BEGUN.fullmatch(
            text[begins:].rstrip() if begins == above else text[begins:]
        ):
            return begins
    word = _WORD_BEGUN.search(text, max(at, len(text) - 240))
    return word.start() if word else len(text)


_THOUGHTS: Final = {f"t{i}": (re.compile(a), b) for i, (a, b) in enumerate(THINKING.items())}
_SHOWN: Final = {f"r{i}": (re.compile(a), b) for i, (a, b) in enumerate(RESULTS.items())}
_THOUGHT_END: Final = (
    r"</(?:[\w-]+[:_])?think(?:ing|:\w+)?>|\[/THINK\]|<\|END_THINKING\|>|<channel\|>|<\|think:end\|>"
    r"|<\|close\|>think<\|sep\|>|</ifm\|think\w*>|◁/think▷"
)


_CHARS: Final = re.compile(
    r"[<\[{✿◁]|\](?=[<~])|(?<!`)```(?!`)|>>>|\b(?:functools|call:|to=|(?:assistant)?(?:commentary|analysis))"
    r"|(?m:^)(?=[ \t]*[^\s|#])"
)
"""Where a mark may begin."""


def _tiers(label: str, source: str) -> str:
    """The keys of the first characters with which a pattern may match."""
    if label in {"n", "c", "d"} or source.startswith("(?m:^)"):
        return "l"
    if label in {"o", "s", "i", "t"}:
        return "a/|｜[]✿◁"
    if label == "v":
        return "[{"
    if label == "f":
        return "`"
    for begins, keys in (
        ("</?", "a/|｜"), ("</", "/"), (r"<\|", "|"), ("<｜", "｜"), ("<", "a|｜"), (r"\[", "["), (r"\]", "]"), ("✿", "✿"), ("◁", "◁"),
        ("(?:<", "a|｜w"), (r"\b", "w"), ("(?<!", "w"), (">>>", "w"), ("```", "`"),
    ):  # fmt: skip
        if source.startswith(begins):
            return keys
    return "a/|｜[]✿◁"


@lru_cache(1024)
def _search(wires: tuple[Wire, ...], family: str) -> dict[str, re.Pattern[str]]:
    """What may be found in a reply whose family of formats is known, by its first character; empty while it is not."""
    own = [(i, each) for i, each in enumerate(wires) if family in ("", each.family) and each.opens]
    inner = [each.around for _, each in own if each.around]
    inner += [
        re.sub(r"@[psw]", "", each.closes)
        for _, each in own
        if each.family not in ("<", "harmony")
        and each.closes not in ("", "```")
        and "?=" not in each.closes
    ]
    if family in ("", "<"):
        inner.append(r"</(?:tool_?calls?|function_calls?|invoke|function)>")
    parts = [(label, a.pattern) for label, (a, _) in {**_THOUGHTS, **_SHOWN}.items()]
    parts += [("t", _THOUGHT_END), ("o", TURNS), *((f"w{i}", each.opens) for i, each in own)]
    parts += [("i", ungrouped("|".join(inner)) or "(?!)"), ("s", SILENT), ("f", r"(?<!`)```(?!`)")]
    if family in ("", "bare"):
        parts += [("n", _NAMED), ("c", _PYTHON), ("d", _DAMAGED)]
    parts += [("v", r"[\[{]")]
    tiers: dict[str, list[str]] = {}
    for label, source in parts:
        named = re.sub(r"[?]P([<=])([a-z]+)", rf"?P\1\2_{label}", source)
        for key in _tiers(label, source):
            tiers.setdefault(key, []).append(f"(?P<{label}>{named})")
    return {key: re.compile("|".join(each)) for key, each in tiers.items()}


_SECOND: Final = {"|": "|", "/": "/", "｜": "｜"}


@dataclass(eq=False)
class Marks:
    """The formats that may be read, and the names of tools, which may be tags."""

    wires: tuple[Wire, ...]
    tags: Wire | None = None

    def __post_init__(self) -> None:
        self.bare = any(each.family == "bare" for each in self.wires)
        self._tags = re.compile(self.tags.opens) if self.tags else None
        self._known: dict[str, dict[str, re.Pattern[str]]] = {}

    def at(self, text: str, at: int, family: str, key: str) -> tuple[str, re.Match[str]] | None:
        """What begins here, and its label; `key` is the first character, or that of a line."""
        if family not in self._known:
            self._known[family] = _search(self.wires, family)
        pattern = self._known[family].get(key)
        if pattern and (found := pattern.match(text, at)):
            return found.lastgroup or "", found
        if (
            key == "a"
            and self._tags
            and family in ("", "client")
            and (found := self._tags.match(text, at))
        ):
            return "x", found
        return None

    def search(self, text: str, at: int, family: str) -> tuple[str, re.Match[str]] | None:
        """What is found first, and its label."""
        for place in _CHARS.finditer(text, at):
            here = place.start()
            char = text[here]
            key = "w" if place[0] else ""
            if char in "<[{]✿◁`":
                key = _SECOND.get(text[here + 1 : here + 2], "a") if char == "<" else char
            is_line = here == 0 or text[here - 1] == "\n"
            for each in ("l", key) if is_line and key != "w" else (key, "l" if is_line else ""):
                if each and (found := self.at(text, here, family, each)):
                    return found
        return None

    def match(self, text: str, at: int, family: str) -> tuple[str, re.Match[str]] | None:
        """What begins here, and its label."""
        char = text[at : at + 1]
        return self.at(
            text, at, family, _SECOND.get(text[at + 1 : at + 2], "a") if char == "<" else char
        )

    def wire(self, label: str) -> Wire:
        """The record of a label."""
        return self.tags if label == "x" else self.wires[int(label[1:])]  # type: ignore[return-value]


class Scan:
    """How far a text was read, and what was found. `read` goes on where it was."""

    def __init__(self, marks: Marks, names: ToolNames, *, thinks: bool = True) -> None:
        self.marks, self.names, self.thinks = marks, names, thinks
        self.at = 0
        self.family = ""
        self.calls: list[RawCall] = []
        self.prose: list[str] = []
        self.drafted = 0
        """Number of the calls that were drafts."""
        self.awaited: re.Pattern[str] | None = None
        """What has to come before more can be read: the end of the block."""
        self.pending: tuple[int, Wire | None] | None = None
        """Where a call begins that is not complete."""
        self.thought: tuple[int, int] | None = None
        """The last thinking, if nothing follows it."""
        self.said = False
        """Whether there was prose."""
        self.prose_end = 0
        self._since = 0
        """The end of the last block."""
        self._over = False
        self._lead = True

    # ------------------------------------------------------------------------------ the text
    def read(self, text: str, *, ended: bool) -> None:
        """Read on, as far as what comes can change nothing."""
        self._text, self.awaited, self.pending = text, None, None
        while not self._over and self.at < len(text):
            mark = self.marks.search(text, self.at, self.family)
            start = mark[1].start() if mark else len(text)
            if not ended:
                edge = max(self.at, len(text) - _LONGEST)
                candidate = _CANDIDATE.search(text, edge, start)
                held = (
                    candidate.start()
                    if candidate
                    else min(_held(text, self.at), start)
                    if mark is None
                    else start
                )
                if held < start or (mark is None and held < len(text)):
                    line = max(text.rfind("\n", 0, held) + 1, self.at)
                    is_name = _NAME_LINE.fullmatch(text, line, held)
                    self._show(text, line if is_name else held)
                    return
                if (
                    mark
                    and start >= edge
                    and mark[0] in {"s", "i"}
                    and len(text) - start < _LONGEST
                ):
                    self._show(text, start)
                    return
            if mark is None:
                break
            after = self._pass(text, mark[0], mark[1], ended=ended)
            if after is None:
                self._show(text, start)
                return
            self.at = max(after, self.at)
        if not self._over:
            self._show(text, len(text))

    def _show(self, text: str, end: int) -> None:
        if end <= self.at:
            return
        piece = text[self.at : end]
        self.at = end
        if self._lead:
            piece = piece.lstrip()
        if piece:
            self._lead = False
            self.prose.append(piece)
        if _PROSE.search(piece):
            self.said, self.thought, self.prose_end = True, None, end

    def _skip(self, text: str, end: int) -> int:
        """Show what begins nothing."""
        self._show(text, end)
        return end

    def _pass(self, text: str, label: str, found: re.Match[str], *, ended: bool) -> int | None:
        """Pass what begins here; None if more text is needed."""
        start = found.start()
        if label == "v" and text[start - 1 : start] != "`":
            return self._value(text, start, ended=ended)
        if label == "n":
            return self._named(text, found, ended=ended)
        if label == "c":
            return self._python(text, found, ended=ended)
        if label == "d":
            name = found["call_d"]
            if not self._is_bare or self.names.find(name) is None:
                return self._skip(text, start + 1)
            end = next_exact(text, start, _LINE_VALUE, "calls")
            return (
                self._found(
                    text,
                    start,
                    end,
                    [RawCall(name, "", start, end, problem=MALFORMED, format="pythonic")],
                    "bare",
                )
                if ended
                else None
            )
        if label == "f":
            return self._fence(text, start, ended=ended)
        if not ended and found.end() == len(text) and label[0] in "sio":
            return None
        if (end := self._inline(text, start)) is not None:
            if end == len(text) and not ended:
                return None
            self._show(text, end)
            return end
        if label == "v":
            return self._value(text, start, ended=ended)
        if label == "s":
            self._show(text, start)
            return found.end()
        if label == "o":
            self._show(text, start)
            self._over = True
            return len(text)
        if label == "t":
            if not self.thinks:
                self._show(text, start)
                return found.end()
            self._show(text, start)
            self.drafted, self.family, self.said = len(self.calls), "", False
            self.thought = (0, start)
            self._lead = True
            return found.end()
        if label in _THOUGHTS and not self.thinks:
            self._show(text, start)
            return found.end()
        if label in _THOUGHTS or label in _SHOWN:
            return self._aside(text, start, label, ended=ended)
        if label == "i":
            return self._lost(text, found, ended=ended)
        return self._block(text, start, self.marks.wire(label), ended=ended)

    def _inline(self, text: str, start: int) -> int | None:
        """The end of the code within a sentence that is here."""
        line = text[max(text.rfind("\n", 0, start) + 1, self._since) : start]
        if line.count("`") % 2 == 0 or "```" in line:
            return None
        before = line[: line.rfind("`")].rstrip()
        if not re.search(r"[^\W\d_]|\|", before) or before.endswith(":"):
            return None
        end = re.compile(r"[`\n]|\Z").search(text, start)
        return end.end()  # type: ignore[union-attr]

    def _aside(self, text: str, start: int, label: str, *, ended: bool) -> int | None:
        """Pass thinking, or a result."""
        opens, closes = _THOUGHTS.get(label) or _SHOWN.get(label)  # type: ignore[misc]
        begin = opens.match(text, start)
        word = begin.groupdict().get("t")
        if "bservation" in begin[0] and not self.calls:
            closes = r"\n(?=[ \t]*Final Answer:)"  # nothing was called: all of it is shown
        end = re.compile(closes.replace("@t", re.escape(word or ""))).search(text, begin.end())
        if end is None and not ended:
            return None
        stop = end.start() if end else len(text)
        self._show(text, start)
        if label in _THOUGHTS:
            if not self.said:
                self.thought = (begin.end(), stop)
            self.thought = (begin.end(), stop)
        else:
            self.prose.append(text[start : end.end() if end else stop])
            self.said, self.thought = True, None
        self._since = end.end() if end else stop
        self._lead = label in _THOUGHTS
        return self._since

    # --------------------------------------------------------------------------------- blocks
    def _block(self, text: str, start: int, wire: Wire, *, ended: bool) -> int | None:
        head = re.compile(wire.opens).match(text, start)
        if not ended and not text[head.end() :].strip():  # type: ignore[union-attr]
            return None  # what a call begins with depends on what follows
        if (
            wire.name == "hermes"
            and wire.body == "calls"
            and (inner := self._container(text, head.end(), ended=ended)) is not False
        ):
            if inner is None:
                return None
            self._show(text, start)
            self._lead = True
            self.family = self.family or wire.family
            return head.end()
        read = read_block(text, start, wire, self.names, ended=ended)
        if read is None:
            self.awaited, self.pending = awaited(text, start, wire), (start, wire)
            return None
        end, calls = read
        return self._found(text, start, end, calls, wire.family)

    def _container(self, text: str, at: int, *, ended: bool) -> bool | None:
        """Whether another mark with which a call begins follows."""
        at = re.compile(r"\s*").match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return False if ended else None
        if text[at] != "<":
            return False
        found = self.marks.match(text, at, "<")
        if found is None:
            return None if not ended and len(text) - at < 400 and ">" not in text[at:] else False
        if not ended and not text[found[1].end() :].strip():
            return None
        return found[0][0] == "w"

    def _found(self, text: str, start: int, end: int, calls: list[RawCall], family: str) -> int:
        self._show(text, start)
        self._strip_fence()
        self.calls += calls
        self.family = family
        self._since = end
        self._lead = True
        self.thought = None
        return end

    def _strip_fence(self) -> None:
        """Leave out a fence that was opened right before a call."""
        count = next(
            (
                i
                for i, piece in enumerate(reversed(self.prose), 1)
                if "`" in piece and piece.strip(" \t\r\n`")[:1] != ""
            ),
            len(self.prose),
        )
        count = min(count + 1, 40, len(self.prose))
        shown = "".join(self.prose[len(self.prose) - count :])
        if cut := re.search(r"(?<!`)```[\w+-]{0,20}\s*\Z", shown):
            self.prose[len(self.prose) - count :] = [shown[: cut.start()]]

    def _lost(self, text: str, found: re.Match[str], *, ended: bool) -> int | None:
        """A mark within a call, or of its end, where none has begun."""
        start = found.start()
        if re.match(r"</|<\|/|\[/|```", found[0]) or re.search(
            r"end|close|suffix|RESULT", found[0]
        ):
            recent = text[self._since : start]
            if self.calls and not _PROSE.search(recent):
                self._show(text, start)
                self._lead = True
                return found.end()
            self._show(text, start)
            name = self.names.mentioned(recent[-400:])
            if name and (not self.calls or _OPENERS.search(recent)):
                self.calls.append(RawCall(name, "", self._since, found.end(), problem=_LOST))
                self.family = self._family_of(found[0])
            self._since = found.end()
            return found.end()
        family = self._family_of(found[0])
        if (
            re.search(r"(?:calls|section|tools|requests|message|response)", found[0])
            and "arg" not in found[0]
        ):
            following = self.marks.match(
                text, re.compile(r"\s*").match(text, found.end()).end(), family
            )
            if following is None and not ended and len(text) - found.end() < 400:
                return None
            if (following and following[0][0] == "w") or re.search(r"message|response", found[0]):
                self._show(text, start)
                self._lead = True
                self.family = self.family or family
                return found.end()
        wires = [each for each in self.marks.wires if each.family == family and each.closes]
        marks = made(wires[0], (("p", ""), ("s", ""), ("w", "")))
        end = block_end(text, found.end(), marks, ended=ended)
        if end is None:
            return None
        name = self.names.mentioned(text[max(self._since, start - 200) : min(end, start + 300)])
        return self._found(text, start, end, [RawCall(name, "", start, end, problem=_LOST)], family)

    def _family_of(self, mark: str) -> str:
        for each in self.marks.wires:
            if each.around and re.compile(each.around).match(mark):
                return each.family
        return self.family or "<"

    # ------------------------------------------------------------------------------ bare calls
    @property
    def _is_bare(self) -> bool:
        return self.marks.bare and self.family in ("", "bare")

    def _value(self, text: str, start: int, *, ended: bool) -> int | None:
        """A value in prose is a call, or text as a whole: its strings are not searched."""
        if run := _BRACKETS.match(text, start):
            return self._skip(text, run.end())
        end = json_end(text, start)
        if not end and not ended and is_begun(text, start):
            if self._is_bare:
                self.pending = start, None
            return None
        if end:
            if end == len(text) and not ended:
                return None
            calls = self._calls_at(text, start)
            over = (
                is_over(text, end, None, _NEXT_VALUE, ended=ended)
                if calls and self._is_bare
                else True
            )
            if over is None:
                return None
            if not over:
                end = 0
        if end:
            if calls and self._is_bare:
                return self._found(
                    text,
                    start,
                    end,
                    self._labelled(calls, "json_list" if text[start] == "[" else "json_object"),
                    "bare",
                )
            self._show(text, end)
            return end
        if not self._is_bare:
            return self._skip(text, start + 1)
        if (
            _LISTED.match(text, start)
            or (text[start] == "{" and re.compile(r"\{\s*['\"\w]").match(text, start))
            or re.compile(r"\[\s*[{('\"]").match(text, start)
        ):
            node = self._node(text, start)
            if node is not None and node.end <= len(text):
                if node.end == len(text) and not ended:
                    return None
                calls = CallShapes(self.names, 0, expects_calls=False).calls(node)
                over = is_over(text, node.end, None, _NEXT_VALUE, ended=ended)
                if over is None and calls:
                    return None
                if calls and over and not node.exact and self._ends_line(text, start, node):
                    kind = (
                        "pythonic"
                        if any(item.kind == "call" for item in node.items)
                        else "json_list"
                        if node.kind == "["
                        else "json_object"
                    )
                    return self._found(text, start, node.end, self._labelled(calls, kind), "bare")
                if (node.is_literal or node.kind == "[") and (over or not calls) and not node.exact:
                    self._show(text, node.end)
                    return node.end
            elif not ended and self._cut:
                return None
        head = _HEAD.match(text, start)
        if not ended and len(text) - start < 200:
            return None
        if (head and (self.names.find(head["name"]) or _GIVEN.match(text, head.end()))) or (
            _LISTED.match(text, start) and self._first_called(text, start)
        ):
            if not ended:
                return None
            if self.calls and _PROSE.search(text, self._since, start):  # a draft, or an example
                return self._skip(text, start + 1)
            end = next_exact(text, start + 1, _LINE_VALUE, "calls")
            fence = re.compile(r"\n[ \t]*```(?=[^\"{}`]*\Z)").search(text, start, end)
            end = fence.start() if fence else end
            another = next(
                (
                    m
                    for m in _LINE_VALUE.finditer(text, start + 1, end)
                    if (h := _HEAD.match(text, m.end())) and self.names.find(h["name"])
                ),
                None,
            )
            calls = broken(
                text[start:end],
                self.names,
                start,
                is_cut=fence is not None,
                holds=MALFORMED if another else "",
            )
            calls = self._labelled(calls, "json_object" if head else "pythonic")
            return self._found(text, start, end, calls, "bare")
        return self._skip(text, start + 1)

    def _first_called(self, text: str, start: int) -> bool:
        called = re.compile(rf"""\[\s*["'`]?\s*({NAME})\s?\(""").match(text, start)
        return bool(called and self.names.find(called[1]))

    def _ends_line(self, text: str, start: int, node: Any) -> bool:
        if node.kind != "[" or not any(item.kind == "call" for item in node.items):
            return True
        return _LINE_END.match(text, node.end) is not None and not re.search(
            r"""["'<=]\Z""", text[:start]
        )

    def _node(self, text: str, at: int) -> Any:
        self._cut = False
        try:
            return parse(text, at)
        except ExpressionError as error:
            self._cut = str(error) == TEXT_ENDS
        except RecursionError:
            pass
        return None

    def _calls_at(self, text: str, start: int) -> list[RawCall] | None:
        if usual := usual_call(text, start, self.names):
            return usual[1]
        node = self._node(text, start)
        return CallShapes(self.names, 0, expects_calls=False).calls(node) if node else None

    def _labelled(self, calls: Iterable[RawCall], name: str) -> list[RawCall]:
        calls = [*calls]
        for call in calls:
            call.format = name
            call.may_repeat = bool(self.calls) and (
                self.prose_end > self._since
                or bool(_PROSE.search(self._text, self._since, call.start))
            )
        return calls

    def _named(self, text: str, found: re.Match[str], *, ended: bool) -> int | None:
        """A name on a line, and its arguments."""
        name = found["tool_n"]
        if not self._is_bare or self.names.find(name) is None:
            return self._skip(text, found.end())
        wire = Wire("chatglm", re.escape(text[found.start() : found.end()]), "", "object")
        end = json_end(text, found.end())
        over = is_over(text, end, None, _NEXT_VALUE, ended=ended) if end else False
        if over is None:
            return None
        if over:
            return self._found(
                text,
                found.start("tool_n"),
                end,
                [
                    RawCall(
                        name, text[found.end() : end], found.start("tool_n"), end, format="chatglm"
                    )
                ],
                "bare",
            )
        if not ended:
            return None
        end = next_exact(text, found.end(), _LINE_VALUE, "object")
        return self._found(
            text,
            found.start("tool_n"),
            end,
            [
                RawCall(
                    name,
                    text[found.end() : end].rstrip(" \n`"),
                    found.start("tool_n"),
                    end,
                    format=wire.name,
                )
            ],
            "bare",
        )

    def _python(self, text: str, found: re.Match[str], *, ended: bool) -> int | None:
        """A call in Python on a line of its own."""
        start = found.start("call_c")
        name = found["call_c"]
        if not self._is_bare or self.names.find(name.replace("\\", "")) is None:
            return self._skip(text, found.end())
        node = self._node(text, start)
        if node is None:
            if not ended:
                return None
            return (
                self._found(
                    text,
                    start,
                    len(text),
                    [
                        RawCall(
                            name, "", start, len(text), problem="it is malformed", format="pythonic"
                        )
                    ],
                    "bare",
                )
                if re.compile(r"\s*(?:[\w]+\s*=|['\"{\[)])").match(text, found.end())
                else self._skip(text, found.end())
            )
        if node.end == len(text) and not ended:
            return None
        calls: list[RawCall] = []
        while True:
            found_here = CallShapes(self.names, 0, expects_calls=False).calls(node)
            if not found_here or not all(item.is_literal for item in node.items):
                return self._skip(text, node.end)
            calls += found_here
            end = _CLOSED.match(text, node.end).end()  # type: ignore[union-attr]
            following = re.compile(rf"[,;]\s*[\[\"'`]*(?={NAME}\s?\()").match(text, end)
            node = self._node(text, following.end()) if following else None
            if node is None or node.kind != "call":
                break
        if not ended and "\n" not in text[end:]:
            return None
        if not python_end(text, end):
            return self._skip(text, end)
        return self._found(text, start, end, self._labelled(calls, "pythonic"), "bare")

    def _fence(self, text: str, start: int, *, ended: bool) -> int | None:
        """A code block: its calls are read if it holds nothing else; between prose, marks in it are an example."""
        begin = _FENCE.match(text, start)
        if begin is None:
            return self._skip(text, start + 3) if ended or len(text) - start > 60 else None
        close = _FENCE_END.search(text, begin.end())
        if close is None:
            if not ended:
                return None
            self._show(text, begin.end())
            return begin.end()
        content = text[begin.end() : close.start()].strip()
        language = begin[1].lower()
        tail = re.compile(rf"(?:\s|{SILENT})*").match(text, close.end()).end()  # type: ignore[union-attr]
        if tail == len(text) and not ended:
            return None
        is_last = not _PROSE.search(text, tail)
        if content[:1] in ("{", "["):
            self._show(text, begin.end())
            return begin.end()
        called = re.match(
            rf"(?:(?:#|//)[^\n]*\n\s*)*(?:print\(\s*|await\s+)?[(\"'`]*({NAME})\s?\(", content
        )
        is_call = called is not None and self.names.find(called[1].replace("\\", "")) is not None
        if (
            is_call
            or (
                content[:1] in ("<", "]")
                and (is_last or not (self.said or self._prose_before(text, start)))
            )
            or (language in _DATA and is_last and content[:1] not in ("<",))
        ):
            self._show(text, begin.end())
            return begin.end()
        self._show(text, close.end())
        return close.end()

    def _prose_before(self, text: str, start: int) -> bool:
        return bool(_PROSE.search(text, self.at, start))


_BARE: Final = tuple(
    Wire(name, "", aliases=aliases, family="bare")
    for name, aliases in (
        (
            "json_object",
            ("llama3_json", "openai_json", "json_fenced", "xlam", "action_json", "tool_uses"),
        ),
        ("json_list", ("json_fenced", "cohere_command_r", "xlam")),
        ("pythonic", ("gemma_tool_code",)),
        ("chatglm", ()),
    )
)


def format_names() -> frozenset[str]:
    """The names of all formats."""
    return frozenset(name for each in (*WIRES, *_BARE) for name in (each.name, *each.aliases))


@lru_cache(256)
def wires_of(format_: str | None, declared: tuple[Wire, ...]) -> tuple[Wire, ...]:
    """The records of a format, or of all; those of one's own come first."""
    every = (*declared, *WIRES, *_BARE)
    if format_ is None:
        return every
    chosen = tuple(each for each in every if format_ == each.name or format_ in each.aliases)
    if not chosen:
        known = sorted({name for each in every for name in (each.name, *each.aliases)})
        from schema2model.json.names import suggestion  # noqa: PLC0415 - for mistakes only
        from schema2model.json.quoting import abridged_repr  # noqa: PLC0415

        message = f"unknown format {abridged_repr(format_)}; {suggestion(format_, known)}"
        raise ValueError(message)
    if any(each.family == "bare" for each in chosen):
        chosen += tuple(each for each in _BARE if each.name == "json_object")
    return chosen


def marks_of(names: ToolNames, format_: str | None, declared: tuple[Wire, ...]) -> Marks:
    """The marks for some tools, whose names may be tags."""
    wires = wires_of(format_, declared)
    if format_ not in (None, "client_xml") or not names.all:
        return Marks(wires)
    keys = either(names.declared)
    return Marks(
        wires,
        Wire(
            "client_xml",
            rf"<(?P<name>{names.pattern})[^\w<>]{{0,3}}>?\s*(?=<{keys}>|</(?P=name)>|(?s:.{{0,4000}}?)</{keys}>\s*<)",
            "</@name>",
            "tags",
            rf"<(?P<key>{keys})>",
            "</@k>",
            family="client",
        ),
    )
