"""JSON in tags: objects or lists with a name and arguments, between two markers."""

from __future__ import annotations

from schema2model.calls.formats.format import marked

__all__ = ["FORMATS"]

FORMATS = (
    marked("hermes", "<tool_call>", "</tool_call>"),
    marked("longcat", "<longcat_tool_call>", "</longcat_tool_call>", "</longcat_s>"),
    marked("jamba", "<tool_calls>", "</tool_calls>"),
    marked("hunyuan_a13b", "<tool_calls>", "</tool_calls>"),
    marked("minimax_m1", "<tool_calls>", "</tool_calls>"),
    marked("nemotron", "<TOOLCALL>", "</TOOLCALL>"),
    marked("granite", "<|tool_call|>", "<|/tool_call|>"),
    marked("phi4_mini_tags", "<|tool_call|>", "<|/tool_call|>"),
    marked("granite_20b_fc", "<function_call>", "</function_call>"),
    marked("internlm2", "<|action_start|><|plugin|>", "<|action_end|>"),
    marked("internlm2", "<|action_start|> <|plugin|>", "<|action_end|>"),
    marked("apertus", "<|tools_prefix|>", "<|tools_suffix|>"),
    marked("cohere_command", "<|START_ACTION|>", "<|END_ACTION|>"),
    marked("gigachat3", "<|role_sep|>", "<|message_sep|>"),
    marked("gigachat3", "<|function_call|>"),
    marked("llama3_python_tag", "<|python_tag|>"),
    marked("mistral_v3", "[TOOL_CALLS]"),
)
