"""`Markers`: what the formats begin with, and the markers of thinking, turns and answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from schema2model.calls.formats.declaration import Format
from schema2model.calls.mentions import RESULTS
from schema2model.calls.single import SingleCalls

__all__ = [
    "ANALYSIS",
    "ANALYSIS_END",
    "FINAL",
    "FINAL_BEGUN",
    "FINAL_END",
    "FINAL_HEADER",
    "THINKING",
    "TURNS",
    "Markers",
]

THINKING: Final = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<seed:think>": "</seed:think>",
    "<longcat_think>": "</longcat_think>",
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>thought": "<channel|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
}
"""Markers that begin thinking, and those that end it."""
ANALYSIS: Final = "<|channel|>analysis<|message|>"
ANALYSIS_END: Final = re.compile(r"<\|end\|>|(?=<\|start\|>|<\|channel\|>)")
"""Harmony's thinking; the end may be missing before the next message."""
FINAL: Final = "<|channel|>final"
FINAL_HEADER: Final = re.compile(r"[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>")
FINAL_BEGUN: Final = re.compile(r"[^<]{0,80}(?:<[^<]{0,90}){0,2}\Z")
FINAL_END: Final = re.compile(r"<\|end\|>|<\|return\|>|(?=<\|start\|>|<\|channel\|>)")
"""Harmony's answer, which is never a call."""
TURNS: Final = frozenset(
    ("<|im_start|>", "<|start_header_id|>", "<|user|>", "<start_of_turn>", "<|observation|>")
)
"""Markers that begin a turn; after a call, the model invents one."""
_SILENT: Final = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "</s>", "<s>", "<|end|>"),
    *("<｜end▁of▁sentence｜>", "<|observation|>", "<|endoftext|>", "<|end_of_text|>", "<eos>"),
    *("<|END_OF_TURN_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<end_of_turn>"),
    *("<|assistant_end|>", "<seed:eos>", "<|eos|>", "<SPECIAL_12>", "[e~[", "<turn|>"),
    *("<|end_header_id|>", "<|begin_of_text|>", "<|start|>", "<|return|>"),
)
"""Markers without a meaning."""


class Markers:
    """The markers of some formats. Built once for each choice of formats."""

    def __init__(self, formats: Sequence[Format]) -> None:
        self.formats: dict[str, list[Format]] = {}
        silent = {*_SILENT, *TURNS, *THINKING.values()}
        for format_ in formats:
            silent |= {*format_.around}
            for marker in format_.markers:
                self.formats.setdefault(marker, []).append(format_)
        begin = {*THINKING, *RESULTS, ANALYSIS, FINAL, *self.formats}
        self.all = sorted({*silent, *begin}, key=len, reverse=True)
        self.longest = len(self.all[0])
        self.plain = silent - {*TURNS, *THINKING.values(), *self.formats}
        """Markers that say nothing."""
        self.calling = {mark for each in formats for mark in (*each.markers, *each.around)} - {
            *_SILENT,
            ANALYSIS,
            *("<", "[", "{", "(", "<function", "<invoke"),
        }
        """Markers of calls."""
        self.are_all = {"[", "{", "("} <= self.formats.keys()
        """True if no format was named."""
        self.tail = re.compile(
            rf"(?:\s*(?:{'|'.join(map(re.escape, sorted(self.plain, key=len, reverse=True)))}))+"
        )
        """Markers that end a call and say nothing more."""
        self.pattern = re.compile("|".join(map(re.escape, self.all)))
        marked = "|".join(re.escape(marker) for marker in self.formats if len(marker) > 1)
        self.program_end = re.compile(f"```|(?={marked})" if marked else "```")
        """The end of a program in a code block, which does not hide a call after a marker."""
        self.single = SingleCalls(formats, _SILENT)

    def begun(self, text: str) -> bool:
        """Whether a text may become a marker, or a longer one, when there is more of it."""
        return any(each.startswith(text) for each in self.all if len(each) > len(text))
