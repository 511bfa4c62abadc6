"""xgrammar as a constrained decoding engine, with one token for each byte; see `engine`."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import torch
import xgrammar
from engine import sample_of

_END = 256
_TOKENS = xgrammar.TokenizerInfo(
    [*(bytes([byte]) for byte in range(256)), b"<end>"], stop_token_ids=[_END]
)
_COMPILER = xgrammar.GrammarCompiler(_TOKENS, max_threads=1)


def grammar(schema: Any) -> Any:
    """The grammar of a schema, as vLLM asks for it.

    Raises:
        RuntimeError: if the engine cannot compile it.

    """
    return _COMPILER.compile_json_schema(json.dumps(schema), any_whitespace=False)


def accepts(made: Any, value: Any) -> bool:
    """Whether the engine lets a model write a value, its keys in their order."""
    matcher = xgrammar.GrammarMatcher(made, terminate_without_stop_token=True)
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": ")).encode()
    return bool(matcher.accept_string(text) and matcher.is_completed())


class _Matcher:
    """xgrammar's."""

    def __init__(self, made: Any) -> None:
        self._matcher = xgrammar.GrammarMatcher(made)
        self._mask = torch.full((1, 9), -1, dtype=torch.int32)

    def allowed(self) -> tuple[list[int], bool]:
        self._matcher.fill_next_token_bitmask(self._mask)
        words = self._mask[0].tolist()
        tokens = [t for t in range(257) if words[t >> 5] >> (t & 31) & 1]
        return [t for t in tokens if t < 256], _END in tokens

    def add(self, byte: int) -> None:
        assert self._matcher.accept_token(byte)


def sample(made: Any, random: Random, limit: int = 400) -> Any:
    """A random value that xgrammar allows.

    Raises:
        ValueError: if it is still not complete at the limit of characters.

    """
    return sample_of(_Matcher(made), random, limit)
