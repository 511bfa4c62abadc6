"""Calls between two markers: in JSON, with a name and arguments each, or in Python."""

from __future__ import annotations

from typing import Final

from schema2model.calls.formats.declaration import BODY, Format, delimited

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    delimited(
        "hermes", "<tool_call>", "</tool_call>", aliases=("granite4", "ernie45", "qwen2_5", "qwen3")
    ),
    delimited("longcat", "<longcat_tool_call>", "</longcat_tool_call>", around=("</longcat_s>",)),
    delimited("jamba", "<tool_calls>", "</tool_calls>", aliases=("hunyuan_a13b", "minimax_m1")),
    delimited("nemotron", "<TOOLCALL>", "</TOOLCALL>"),
    delimited("granite", "<|tool_call|>", "<|/tool_call|>", aliases=("phi4_mini_tags",)),
    delimited("granite_20b_fc", "<function_call>", "</function_call>"),
    delimited("internlm2", "<|action_start|><|plugin|>", "<|action_end|>"),
    delimited("internlm2", "<|action_start|> <|plugin|>", "<|action_end|>"),
    delimited("apertus", "<|tools_prefix|>", "<|tools_suffix|>"),
    delimited("cohere_command", "<|START_ACTION|>", "<|END_ACTION|>"),
    delimited(
        "gigachat3", "<|message_sep|>", opening=rf"\s{{0,9}}function call<\|role_sep\|>{BODY}"
    ),
    delimited("gigachat3", "<|role_sep|>"),
    delimited("gigachat3", "<|function_call|>"),
    delimited("llama3_python_tag", "<|python_tag|>"),
    delimited("mistral_v3", "[TOOL_CALLS]"),
    delimited("llama4_pythonic", "<|python_start|>", "<|python_end|>"),
    delimited("lfm2", "<|tool_call_start|>", "<|tool_call_end|>"),
    delimited("olmo3", "<function_calls>", "</function_calls>"),
)
