"""Python calls between two markers."""

from __future__ import annotations

from typing import Final

from schema2model.calls.formats.declaration import PYTHON, PYTHONS, Format, between_markers
from schema2model.calls.keyword_literals import keyword_arguments

__all__ = ["FORMATS"]


def _python(name: str, opens: str, closes: str) -> Format:
    return between_markers(
        name, opens, closes, call=PYTHON, between=PYTHONS, given=keyword_arguments
    )


FORMATS: Final[tuple[Format, ...]] = (
    _python("llama4_pythonic", "<|python_start|>", "<|python_end|>"),
    _python("lfm2", "<|tool_call_start|>", "<|tool_call_end|>"),
    _python("olmo3", "<function_calls>", "</function_calls>"),
)
