"""JSON between two markers: objects or lists of them, each with a name and arguments."""

from __future__ import annotations

from typing import Final

from schema2model.calls.formats.declaration import Format, between_markers

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    between_markers(
        "hermes", "<tool_call>", "</tool_call>", aliases=("granite4", "ernie45", "qwen2_5", "qwen3")
    ),
    between_markers(
        "longcat", "<longcat_tool_call>", "</longcat_tool_call>", around=("</longcat_s>",)
    ),
    between_markers(
        "jamba", "<tool_calls>", "</tool_calls>", aliases=("hunyuan_a13b", "minimax_m1")
    ),
    between_markers("nemotron", "<TOOLCALL>", "</TOOLCALL>"),
    between_markers("granite", "<|tool_call|>", "<|/tool_call|>", aliases=("phi4_mini_tags",)),
    between_markers("granite_20b_fc", "<function_call>", "</function_call>"),
    between_markers("internlm2", "<|action_start|><|plugin|>", "<|action_end|>"),
    between_markers("internlm2", "<|action_start|> <|plugin|>", "<|action_end|>"),
    between_markers("apertus", "<|tools_prefix|>", "<|tools_suffix|>"),
    between_markers("cohere_command", "<|START_ACTION|>", "<|END_ACTION|>"),
    between_markers("gigachat3", "<|message_sep|>", header=r"\s{0,9}function call<\|role_sep\|>"),
    between_markers("gigachat3", "<|role_sep|>"),
    between_markers("gigachat3", "<|function_call|>"),
    between_markers("llama3_python_tag", "<|python_tag|>"),
    between_markers("mistral_v3", "[TOOL_CALLS]"),
)
