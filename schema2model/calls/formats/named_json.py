"""The tool's name in the text, and the arguments in JSON after it."""

from __future__ import annotations

import dataclasses
import re
from typing import Final

from schema2model.calls.formats.declaration import TOOL, Format, after_name

__all__ = ["FORMATS"]

_FENCE: Final = r"(?:```(?:json)?\s{0,9})?"
_HEADER: Final = r"(?:(?!<\|message\|>)[^{]){0,%d}?"
"""The header of a harmony message."""
_HEADER_BEGUN: Final = re.compile(rf"{_HEADER % 320}(?:<\|message\|>\s{{0,9}})?\Z")

FORMATS: Final[tuple[Format, ...]] = (
    after_name(
        "deepseek_v3",
        "<｜tool▁call▁begin｜>",
        rf"\s{{0,9}}(?:function)?\s{{0,9}}<｜tool▁sep｜>\s{{0,9}}(?P<name>{TOOL})\s{{0,9}}{_FENCE}(?=\{{)",
        "<｜tool▁call▁end｜>",
        around=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ),
    after_name(
        "deepseek_v31",
        "<｜tool▁call▁begin｜>",
        rf"\s{{0,9}}(?P<name>{TOOL})\s{{0,9}}<｜tool▁sep｜>\s{{0,9}}{_FENCE}(?=\{{)",
        "<｜tool▁call▁end｜>",
        around=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ),
    after_name(
        "kimi_k2",
        "<|tool_call_begin|>",
        r"\s{0,9}(?P<name>[^<{\s]{1,200})\s{0,9}<\|tool_call_argument_begin\|>\s{0,9}(?=\{)",
        "<|tool_call_end|>",
        around=(
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_section_begin|>",
            "<|tool_call_section_end|>",
        ),
    ),
    after_name(
        "mistral_v13",
        "[TOOL_CALLS]",
        rf"\s{{0,9}}(?P<name>{TOOL})\s{{0,9}}(?:\[CALL_ID\]\s{{0,9}}[\w-]{{0,80}}\s{{0,9}})?"
        r"(?:\[ARGS\]\s{0,9})?(?=\{)",
        aliases=("mistral_v11",),
    ),
    after_name(
        "llama3_function",
        "<function=",
        r"(?P<name>[^>\n]{1,200})>\s{0,99}(?=\{)",
        "</function>",
        begun=re.compile(r"[^>\n]{0,210}(?:>\s{0,99})?\Z"),
    ),
    *(
        after_name(
            "harmony",
            marker,
            rf"{_HEADER % 200}\bto=(?P<name>[^\s<{{]{{1,200}})(?![^\s<]){_HEADER % 100}"
            r"<\|message\|>\s{0,9}(?=\{)",
            "<|call|>",
            begun=_HEADER_BEGUN,
            around=("<|message|>", "<|end|>", "<|return|>", "<|constrain|>"),
            aliases=("harmony_role",),
        )
        for marker in ("<|channel|>", "<|start|>")
    ),
    *(
        dataclasses.replace(
            after_name(
                "harmony",
                marker,
                header + r"\s{0,9}(?=\{)",
                "<|call|>",
                begun=_HEADER_BEGUN,
                aliases=("harmony_role",),
            ),
            before=re.compile(r"(?P<call>\bto=(?P<name>[^\s<{]{1,200}))\s{0,9}\Z"),
        )
        for marker, header in (
            ("<|channel|>", rf"{_HEADER % 200}<\|message\|>"),
            ("<|channel|>analysis<|message|>", ""),
        )
    ),
)
