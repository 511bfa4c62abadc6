"""Python calls between two markers."""

from __future__ import annotations

from typing import Final

from schema2model.calls.formats.declaration import Format, between_markers

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    between_markers("llama4_pythonic", "<|python_start|>", "<|python_end|>"),
    between_markers("lfm2", "<|tool_call_start|>", "<|tool_call_end|>"),
    between_markers("olmo3", "<function_calls>", "</function_calls>"),
)
