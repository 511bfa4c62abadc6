"""JSON between two markers: objects or lists of them, each with a name and arguments."""

from __future__ import annotations

from typing import Final

from schema2model.calls.formats.format import Format, marked

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    marked(
        "hermes", "<tool_call>", "</tool_call>", aliases=("granite4", "ernie45", "qwen2_5", "qwen3")
    ),
    marked("longcat", "<longcat_tool_call>", "</longcat_tool_call>", around=("</longcat_s>",)),
    marked("jamba", "<tool_calls>", "</tool_calls>", aliases=("hunyuan_a13b", "minimax_m1")),
    marked("nemotron", "<TOOLCALL>", "</TOOLCALL>"),
    marked("granite", "<|tool_call|>", "<|/tool_call|>", aliases=("phi4_mini_tags",)),
    marked("granite_20b_fc", "<function_call>", "</function_call>"),
    marked("internlm2", "<|action_start|><|plugin|>", "<|action_end|>"),
    marked("internlm2", "<|action_start|> <|plugin|>", "<|action_end|>"),
    marked("apertus", "<|tools_prefix|>", "<|tools_suffix|>"),
    marked("cohere_command", "<|START_ACTION|>", "<|END_ACTION|>"),
    marked("gigachat3", "<|message_sep|>", header=r"\s{0,9}function call<\|role_sep\|>"),
    marked("gigachat3", "<|role_sep|>"),
    marked("gigachat3", "<|function_call|>"),
    marked("llama3_python_tag", "<|python_tag|>"),
    marked("mistral_v3", "[TOOL_CALLS]"),
)
