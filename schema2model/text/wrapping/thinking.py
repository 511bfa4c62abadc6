"""The thinking of a model before its answer, which may hold drafts of the call."""

from __future__ import annotations

from typing import Final

from schema2model.text.wrapping.prose import is_prose

__all__ = ["THINKING", "split_thinking"]

THINKING: Final = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<seed:think>": "</seed:think>",
    "<longcat_think>": "</longcat_think>",
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>thought": "<channel|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    "<mm:think>": "</mm:think>",
    "<think:opensource>": "</think:opensource>",
    "<ifm|think>": "</ifm|think>",
    "<ifm|think_fast>": "</ifm|think_fast>",
    "<ifm|think_faster>": "</ifm|think_faster>",
    "<|think:start|>": "<|think:end|>",
    "<|plamo:begin_think:plamo|>": "<|plamo:end_think:plamo|>",
}
"""Markers that begin thinking, and those that end it."""
_BEGIN: Final = tuple(THINKING)


def split_thinking(text: str) -> tuple[str, str]:
    """Return the thinking with which a text begins, and the rest.

    The thinking is "" if only prose follows it: then it holds the value.

    >>> split_thinking('<think>{"a": 1}?</think>{"a": 2}')
    ('<think>{"a": 1}?</think>', '{"a": 2}')
    >>> split_thinking('<think>{"a": 1}</think>Done.')
    ('', '<think>{"a": 1}</think>Done.')
    """
    if not text.startswith(_BEGIN):
        return "", text
    begin = next(filter(text.startswith, _BEGIN))
    thinking, end, rest = text.partition(THINKING[begin])
    return ("", text) if is_prose(rest) else (thinking + end, rest)
