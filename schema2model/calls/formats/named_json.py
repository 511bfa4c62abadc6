"""The name in the text, and behind it the arguments in JSON."""

from __future__ import annotations

from schema2model.calls.formats.format import TOOL, named

__all__ = ["FORMATS"]

FORMATS = (
    named(
        "deepseek_v3",
        ("<｜tool▁call▁begin｜>",),
        rf"\s*(?:function)?\s*<｜tool▁sep｜>\s*(?P<name>{TOOL})\s*(?:```(?:json)?\s*)?(?=\{{)",
        "<｜tool▁call▁end｜>",
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
    ),
    named(
        "deepseek_v31",
        ("<｜tool▁call▁begin｜>",),
        rf"\s*(?P<name>{TOOL})\s*<｜tool▁sep｜>\s*(?:```(?:json)?\s*)?(?=\{{)",
        "<｜tool▁call▁end｜>",
    ),
    named(
        "kimi_k2",
        ("<|tool_call_begin|>",),
        r"\s*(?P<name>[^<{\s]{1,200})\s*<\|tool_call_argument_begin\|>\s*(?=\{)",
        "<|tool_call_end|>",
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        "<|tool_call_section_begin|>",
        "<|tool_call_section_end|>",
    ),
    named(
        "mistral_v11",
        ("[TOOL_CALLS]",),
        rf"\s*(?P<name>{TOOL})\s*(?:\[CALL_ID\]\s*[\w-]{{0,80}}\s*)?(?:\[ARGS\]\s*)?(?=\{{)",
    ),
    named(
        "harmony",
        ("<|channel|>", "<|start|>"),
        r"(?:(?!<\|message\|>)[^{]){0,300}?\bto=(?P<name>[^\s<]{1,200})(?:(?!<\|message\|>)[^{]){0,100}<\|message\|>\s*(?=\{)",
        "<|call|>",
        "<|message|>",
        "<|end|>",
        "<|return|>",
        "<|constrain|>",
    ),
)
