"""A constrained decoding engine: the schemas that it compiles, and the texts that it allows.

llguidance with one token for each byte needs no model. It says which byte may come next, so that
random texts of a schema can be drawn.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any, Protocol

import llguidance

_TOKENS = llguidance.LLTokenizer("byte")
_END: int = _TOKENS.eos_token
_QUOTE, _ESCAPE, _COMMA = b'"\\,'
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz ")
_DIGITS = frozenset(b"0123456789")
_CLOSERS = frozenset(b"}]")
_RARE = frozenset(b".eE+ \t\n\r")


def grammar(schema: Any) -> str:
    """The grammar of a schema.

    Raises:
        ValueError: if the engine cannot compile it.

    """
    options = {"whitespace_flexible": False}
    made: str = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema), options)
    matcher = llguidance.LLMatcher(_TOKENS, made)
    if matcher.is_error():
        raise ValueError(matcher.get_error())
    return made


def accepts(made: str, value: Any) -> bool:
    """Whether the engine lets a model write a value, its keys in their order."""
    matcher = llguidance.LLMatcher(_TOKENS, made)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return bool(matcher.consume_tokens([*text]) and matcher.is_accepting())


class Matcher(Protocol):
    """A text that grows byte by byte, under the rule of an engine."""

    def allowed(self) -> tuple[list[int], bool]:
        """The bytes that may come next, and whether the text may end here."""

    def add(self, byte: int) -> None:
        """Take the next byte."""


class _Matcher:
    """llguidance's."""

    def __init__(self, made: str) -> None:
        self._matcher = llguidance.LLMatcher(_TOKENS, made)

    def allowed(self) -> tuple[list[int], bool]:
        mask = self._matcher.compute_bitmask()
        tokens = [t for t in range(_TOKENS.vocab_size) if mask[t >> 3] >> (t & 7) & 1]
        return [t for t in tokens if t < 256], _END in tokens

    def add(self, byte: int) -> None:
        self._matcher.consume_token(byte)


def sample(made: str, random: Random, limit: int = 400) -> Any:
    """A random value that llguidance allows; see `sample_of`.

    Raises:
        ValueError: if it is still not complete at the limit of characters.

    """
    return sample_of(_Matcher(made), random, limit)


def sample_of(matcher: Matcher, random: Random, limit: int = 400) -> Any:
    """A random value that an engine allows, leaning to short ones.

    Raises:
        ValueError: if it is still not complete at the limit of characters.

    """
    text = bytearray()
    within = escaped = False
    run = 0
    for length in range(limit):
        allowed, may_end = matcher.allowed()
        if not allowed or (may_end and random.random() < 0.9):
            return json.loads(text)
        late = length > limit / 2
        weights = [_weight(t, run, within=within, late=late) for t in allowed]
        token = random.choices(allowed, weights)[0]
        matcher.add(token)
        text.append(token)
        run += 1
        if not within:
            run, within = (run if token in _DIGITS else 0), token == _QUOTE
        elif escaped:
            escaped = False
        elif token == _ESCAPE:
            escaped = True
        elif token == _QUOTE:
            within, run = False, 0
    message = "it does not end"
    raise ValueError(message)


def _weight(token: int, run: int, *, within: bool, late: bool) -> float:
    if within:
        if token == _QUOTE:
            return 40 if run > 3 or late else 8
        return 1 if token in _LETTERS or token in _DIGITS else 0.02
    if token in _CLOSERS:
        return 60 if late else 3
    if token == _COMMA:
        return 0.02 if late else 3
    if token in _RARE:
        return 0.002
    return 0.01 if token in _DIGITS and run > 1 else 1
