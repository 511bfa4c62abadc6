"""Python calls between two markers."""

from __future__ import annotations

from typing import Final

from schema2model.calls.formats.format import Format, marked

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    marked("llama4_pythonic", "<|python_start|>", "<|python_end|>"),
    marked("lfm2", "<|tool_call_start|>", "<|tool_call_end|>"),
    marked("olmo3", "<function_calls>", "</function_calls>"),
)
