"""Calls between markers, in JSON or Python; most are declared by their marks alone."""

from __future__ import annotations

import functools
from typing import Final

from schema2model.calls.formats.declaration import BODY, TOOL, Format, delimited
from schema2model.calls.formats.wire_format import JSON_FENCE, WireFormat, compiled_format

__all__ = ["FORMATS"]

_HEADER: Final = r"(?:(?!<\|(?:message|start|call|end)\|>)[^{]){0,%d}?"
"""The header of a harmony message."""
_WITHOUT_NAME: Final = _HEADER.replace("(?!", r"(?!\bto=|")
"""The part of a header before or after a recipient: another one is of another call."""
_harmony: Final = functools.partial(
    delimited,
    "harmony",
    closes="<|call|>",
    begun=rf"{_HEADER % 320}(?:<\|message\|>\s{{0,9}})?\Z",
    around=("<|message|>", "<|end|>", "<|return|>", "<|constrain|>"),
    aliases=("harmony_role",),
)

_NS: Final = "]<]minimax[>["
_PLAMO_NAME: Final = (
    "<|plamo:begin_tool_request:plamo|> "
    "<|plamo:begin_tool_name:plamo|> {name} <|plamo:end_tool_name:plamo|>"
)
_DECLARED: Final = (
    WireFormat(
        "hermes",
        ("<tool_call>", "</tool_call>"),
        aliases=("granite4", "ernie45", "qwen2_5", "qwen3"),
    ),
    WireFormat(
        "longcat", ("<longcat_tool_call>", "</longcat_tool_call>"), around=("</longcat_s>",)
    ),
    WireFormat("jamba", ("<tool_calls>", "</tool_calls>"), aliases=("hunyuan_a13b", "minimax_m1")),
    WireFormat("nemotron", ("<TOOLCALL>", "</TOOLCALL>")),
    WireFormat("granite", ("<|tool_call|>", "<|/tool_call|>"), aliases=("phi4_mini_tags",)),
    WireFormat("granite_20b_fc", ("<function_call>", "</function_call>")),
    WireFormat("internlm2", ("<|action_start|><|plugin|>", "<|action_end|>")),
    WireFormat("internlm2", ("<|action_start|> <|plugin|>", "<|action_end|>")),
    WireFormat("apertus", ("<|tools_prefix|>", "<|tools_suffix|>")),
    WireFormat("cohere_command", ("<|START_ACTION|>", "<|END_ACTION|>")),
    WireFormat("gigachat3", ("<|role_sep|>", "")),
    WireFormat("gigachat3", ("<|function_call|>", "")),
    WireFormat("llama3_python_tag", ("<|python_tag|>", "")),
    WireFormat("mistral_v3", ("[TOOL_CALLS]", "")),
    WireFormat("llama4_pythonic", ("<|python_start|>", "<|python_end|>")),
    WireFormat("lfm2", ("<|tool_call_start|>", "<|tool_call_end|>")),
    WireFormat("olmo3", ("<function_calls>", "</function_calls>")),
    *(
        WireFormat(
            "plamo3",
            (
                f"{_PLAMO_NAME} <|plamo:begin_tool_arguments:plamo|> {constrained}<|plamo:msg|>",
                "<|plamo:end_tool_arguments:plamo|>",
            ),
            around=(
                "<|plamo:end_tool_request:plamo|>",
                *(f"<|plamo:{end}_tool_requests:plamo|>" for end in ("begin", "end")),
                "<|plamo:tag|>",
            ),
        )
        for constrained in ("<|plamo:constrain|> json ", "")
    ),
    WireFormat(
        "minimax_m3",
        (f'{_NS} <invoke name="{{name}}">', f"{_NS} </invoke>"),
        (f"{_NS} <{{key}}>", f"{_NS} </{{key}}>"),
        nested=True,
        around=(f"{_NS}<tool_call>", f"{_NS}</tool_call>"),
    ),
    WireFormat(
        "solar_open2",
        ("<|tool_call:start|> {name}", "<|tool_call:end|>"),
        ("<|tool_arg:start|> {key} <|tool_arg:value|>", "<|tool_arg:end|>"),
    ),
)

FORMATS: Final[tuple[Format, ...]] = (
    *map(compiled_format, _DECLARED),
    delimited(
        "gigachat3", "<|message_sep|>", opening=rf"\s{{0,9}}function call<\|role_sep\|>{BODY}"
    ),
    *(
        delimited(
            name,
            "<｜tool▁call▁begin｜>",
            "<｜tool▁call▁end｜>",
            opening=rf"\s{{0,9}}{opening}\s{{0,9}}{JSON_FENCE}(?=\{{)",
            around=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        )
        for name, opening in (
            ("deepseek_v3", rf"(?:function)?\s{{0,9}}<｜tool▁sep｜>\s{{0,9}}(?P<name>{TOOL})"),
            ("deepseek_v31", rf"(?P<name>{TOOL})\s{{0,9}}<｜tool▁sep｜>"),
        )
    ),
    delimited(
        "kimi_k2",
        "<|tool_call_begin|>",
        "<|tool_call_end|>",
        opening=r"\s{0,9}(?P<name>[^<{\s]{1,200})\s{0,9}<\|tool_call_argument_begin\|>\s{0,9}(?=\{)",
        around=tuple(
            f"<|tool_{each}_section_{end}|>"
            for each in ("calls", "call")
            for end in ("begin", "end")
        ),
    ),
    delimited(
        "mistral_v13",
        "[TOOL_CALLS]",
        opening=rf"\s{{0,9}}(?P<name>{TOOL})\s{{0,9}}(?:\[CALL_ID\]\s{{0,9}}[\w-]{{0,80}}\s{{0,9}})?"
        r"(?:\[ARGS\]\s{0,9})?(?=\{)",
        aliases=("mistral_v11",),
    ),
    delimited(
        "llama3_function",
        "<function=",
        "</function>",
        opening=r"(?P<name>[^>\n]{1,200})>\s{0,99}(?=\{)",
        begun=r"[^>\n]{0,210}(?:>\s{0,99})?\Z",
    ),
    *(
        _harmony(
            opens=marker,
            opening=rf"{_WITHOUT_NAME % 200}\bto=(?P<name>[^\s<{{]{{1,200}})(?![^\s<])"
            rf"{_WITHOUT_NAME % 100}<\|message\|>\s{{0,9}}(?=\{{)",
        )
        for marker in ("<|channel|>", "<|start|>")
    ),
    *(
        _harmony(
            opens=marker,
            opening=header + r"\s{0,9}(?=\{)",
            before=r"(?P<call>\bto=(?P<name>[^\s<{]{1,200}))\s{0,9}\Z",
        )
        for marker, header in (
            ("<|channel|>", rf"{_WITHOUT_NAME % 200}<\|message\|>"),
            ("<|channel|>analysis<|message|>", ""),
        )
    ),
)
