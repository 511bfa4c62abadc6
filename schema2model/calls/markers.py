"""`Markers`: what the formats begin with, and the markers of thinking, turns and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from schema2model.calls.formats.declaration import Format
from schema2model.calls.mentions import OBSERVATION, RESULTS
from schema2model.calls.tool_names import either
from schema2model.text.wrapping.thinking import THINKING

__all__ = [
    "FENCE",
    "FINAL",
    "FINAL_BEGUN",
    "FINAL_END",
    "FINAL_HEADER",
    "OTHER_TURNS",
    "PROSE_CHARACTER",
    "ROLE_BEGUN",
    "THOUGHTS",
    "TURNS",
    "Markers",
    "name_in",
]

ANALYSIS: Final = "<|channel|>analysis<|message|>"
THOUGHTS: Final = {
    **{begin: re.compile(re.escape(end)) for begin, end in THINKING.items()},
    ANALYSIS: re.compile(r"<\|end\|>|(?=<\|start\|>|<\|channel\|>)"),
}
"""The ends of thinking by their beginnings; harmony's may be missing before the next message."""
FINAL: Final = "<|channel|>final"
FINAL_HEADER: Final = re.compile(r"[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>")
FINAL_BEGUN: Final = re.compile(r"[^<]{0,80}(?:<[^<]{0,90}){0,2}\Z")
FINAL_END: Final = re.compile(r"<\|end\|>|<\|return\|>|(?=<\|start\|>|<\|channel\|>)")
"""Harmony's answer, which is never a call."""
FENCE: Final = re.compile(r"(?<!`)```[\w+-]{0,20}\s{0,9}\Z")
"""The fence that a text ends with."""
PROSE_CHARACTER: Final = re.compile(r"""[^\s`,;+\[\]()'"\\]""")
"""A character of prose: others may be between calls, and before the first."""
TURNS: Final = frozenset(
    ("<|im_start|>", "<|start_header_id|>", "<|user|>", "<start_of_turn>", "<|observation|>")
)
"""Markers that begin a turn; after a call, the model invents one."""
_ROLE_BEFORE: Final = (
    *("<|im_start|>", "<|start_header_id|>", "<|header_start|>", "<start_of_turn>", "<|turn>"),
    *(
        "<|im:start|>",
        "<|start_of_role|>",
        "<|start|>",
        "<|START_OF_TURN_TOKEN|>",
        "]~b]",
    ),
)
_OTHERS: Final = (
    *(
        "<|user|>",
        "<|observation|>",
        "<｜User｜>",
        "<|USER_TOKEN|>",
        "<|im_user|>",
        "<|im_system|>",
    ),
    *("<|message_user|>", "<|ipython|>", "<|environment|>", "</s>[INST]", "</s> [INST]"),
)
_ROLES: Final = (
    r"(?:user|human|system|developer|tool(?:_response)?|function|observation|environment|ipython"
    r"|available_tools|functions\.[\w.-]{1,99})"
)
OTHER_TURNS: Final = {
    **dict.fromkeys(_ROLE_BEFORE, re.compile(rf"\s{{0,9}}{_ROLES}(?=[^\w.-])", re.IGNORECASE)),
    "<role>": re.compile(r"(?:HUMAN|USER|SYSTEM|TOOL|OBSERVATION)(?=[^\w.-])"),
    **{
        mark: re.compile(rf"(?<![a-z,] {re.escape(mark)})|(?=[^ .,;:)]| [^a-z])")
        for mark in _OTHERS
    },
}
"""The turns of others, which the model invents: a marker, and the pattern of what is after it.

A marker between the words of a sentence is only mentioned.
"""
ROLE_BEGUN: Final = re.compile(r"\s{0,9}(?:[a-z_]{0,15}|functions[\w.-]{0,99})\Z", re.IGNORECASE)
_SILENT: Final = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "</s>", "<s>", "<|end|>"),
    *("<｜end▁of▁sentence｜>", "<|observation|>", "<|endoftext|>", "<|end_of_text|>", "<eos>"),
    *("<|END_OF_TURN_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<end_of_turn>"),
    *("<|assistant_end|>", "<seed:eos>", "<|eos|>", "<SPECIAL_12>", "[e~[", "<turn|>"),
    *("<|end_header_id|>", "<|begin_of_text|>", "<|start|>", "<|return|>"),
)
"""Markers without a meaning."""
_BRACKETS: Final = frozenset("<[{(")
_AFTER_WORD: Final = r"(?:(?<=[\w`:\]>-]{0})|(?<=[\w`:\]>-]\s{0})|(?<=\s\s{0}))"


class Markers:
    """The markers of some formats, of which some are `declared`. Built once for each choice."""

    def __init__(self, formats: Sequence[Format], declared: Sequence[Format] = ()) -> None:
        self.formats: dict[str, list[Format]] = {}
        self._immediate: dict[str, list[tuple[Format, str, int]]] = {}
        silent = {*_SILENT, *OTHER_TURNS, *THINKING.values()}
        for format_ in formats:
            silent |= {*format_.around}
            for marker in format_.markers:
                self.formats.setdefault(marker, []).append(format_)
                if format_.before is None:
                    self._immediate.setdefault(marker, []).append((format_, "", 0))
        self.declared_turns = OTHER_TURNS.keys() & {m for each in declared for m in each.markers}
        """Markers of turns with which the calls of a declared format begin."""
        begin = {*THOUGHTS, *RESULTS, FINAL, OBSERVATION, *self.formats}
        self.after_text = {mark for each in formats if each.before for mark in each.markers}
        """Markers before which a call may begin."""
        self.known = frozenset({*silent, *begin})
        self.mark = re.compile(_trie(self.known))
        """Any marker."""
        self.longest = max(map(len, self.known))
        self.plain = silent - {*OTHER_TURNS, *THINKING.values(), *self.formats}
        """Markers that say nothing."""
        self.calling = {mark for each in formats for mark in (*each.markers, *each.around)} - {
            *_SILENT,
            ANALYSIS,
            "<|message|>",
            *("<", "[", "{", "(", "<function", "<invoke"),
        }
        """Markers of calls."""
        self.are_all = {"[", "{", "("} <= self.formats.keys()
        """True if no format was named."""
        fence = r"```(?:[\w+-]{0,20}\s(?=\s*[\[{\w]))?\s*"
        self.silence = re.compile(rf"\s*(?:{fence})?(?:(?=<){_trie(self.plain)}\s*)*")
        """A fence and markers that say nothing, or nothing at all."""
        self.candidate = re.compile("|".join(self._candidates("")))
        """A marker, or the bracket of a bare call."""
        unmistakable = (
            marker
            for marker, begun in self.formats.items()
            if len(marker) > 1
            and not any(
                mark.startswith(marker) for each in begun for mark in {*each.around} - {marker}
            )
        )
        self.call = re.compile(either(unmistakable))
        """A marker with which nothing but a call begins."""
        self.program_end = re.compile(
            f"```|(?={either(marker for marker in self.formats if len(marker) > 1)})"
        )
        """The end of a program in a code block, which does not hide a call after a marker."""

    def begun(self, marker: str, before: str) -> Iterable[tuple[Format, str, int]]:
        """The formats that may begin with a marker after a text.

        With each come the name of the tool, and the length of the call, in the text before it.
        """
        return self._after_text(marker, before) if before else self._immediate.get(marker, ())

    def _after_text(self, marker: str, before: str) -> Iterator[tuple[Format, str, int]]:
        before = before[max(map(before.rfind, "{}<")) + 1 :]
        for each in self.formats.get(marker, ()):
            if each.before is None:
                yield each, "", 0
            elif preceding := each.before.search(before):
                yield each, name_in(preceding), len(before) - preceding.start("call")

    @cached_property
    def candidate_or_begun(self) -> re.Pattern[str]:
        """A candidate, or the beginning of one at the end of the text; slow to compile."""
        return re.compile("|".join(self._candidates(r"\Z")))

    def _candidates(self, unfinished: str) -> Iterator[str]:
        """Yield a pattern for each first character: so they are searched fast."""
        heads: dict[str, list[str]] = {}
        for marker in self.known:
            if marker not in _BRACKETS:
                heads.setdefault(marker[0], []).append(marker[1:])
        for char in sorted({*heads, *_BRACKETS & self.formats.keys()}):
            first = re.escape(char)
            either = [_trie(heads[char], unfinished)] if char in heads else []
            if char in _BRACKETS:
                either.append(f"(?<=`{first})")
            for each in self.formats.get(char, ()):
                after = _AFTER_WORD.format(first) if each.before else ""
                either.append(f"{after}(?={_unnamed(each.opening)}|{_unnamed(each.begun)})")
            yield f"{first}(?:{'|'.join(either)})"


def name_in(found: re.Match[str]) -> str:
    """The name of the tool in a match; empty if the pattern has none."""
    return found["name"].strip() if "name" in found.re.groupindex else ""


def _trie(words: Iterable[str], unfinished: str = "") -> str:
    """The source of a pattern: the longest of some words, or `unfinished` within one."""
    following: dict[str, list[str]] = {}
    for word in words:
        following.setdefault(word[:1], []).append(word[1:])
    ends = following.pop("", None) is not None
    either = [re.escape(char) + _trie(rest, unfinished) for char, rest in following.items()]
    either += [unfinished] * bool(either and unfinished) + [""] * ends
    return f"(?:{'|'.join(either)})" if len(either) > 1 else "".join(either)


def _unnamed(pattern: re.Pattern[str]) -> str:
    """The source of a pattern, to be part of another."""
    source = re.sub(r"\(\?P<\w+>", "(?:", pattern.pattern)
    return f"(?x:{source})" if pattern.flags & re.VERBOSE else f"(?:{source})"
