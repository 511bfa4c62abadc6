"""The scripted model of the measure of messages, which reads them and nothing else."""

from __future__ import annotations

import json
import statistics
from typing import Any

import pytest

from benchmarks.messages import (
    MAX_TOKENS,
    WRONG_CALLS,
    mended,
    message_of,
    next_call,
    properties,
    token_count,
)

HOPELESS = {"value: a pattern that takes too long", "value: pattern", "call: patterns"}
"""Calls of whose answer nobody can say what it would be."""
CALLS = [
    call for call in json.loads(WRONG_CALLS.read_text("utf-8")) if call["name"] not in HOPELESS
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["name"])
def test_what_the_message_says_mends_the_call(call: dict[str, Any]) -> None:
    """With the values of the request and no more knowledge, in three answers at most."""
    assert mended(call)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["name"])
def test_a_message_has_what_models_need(call: dict[str, Any]) -> None:
    """No value to copy, how values are written, and another try: real models were asked."""
    held = properties(message_of(call))
    assert all(held.values()), held


def test_messages_are_short() -> None:
    """A message is read again with every turn that follows."""
    lengths = [token_count(message_of(call)) for call in CALLS]
    assert statistics.median(lengths) <= MAX_TOKENS


LINES: dict[str, tuple[Any, str, Any]] = {
    "a value made of what was sent": (
        {"a": "1,000"},
        '/a: must be an integer, without quotes, not "1,000"; send 1000',
        {"a": 1000},
    ),
    "a list made of what was sent": (
        {"a": "x; y"},
        '/a: must be a list, not "x"; write it like ["x", "y"], with the values from the request',
        {"a": ["x", "y"]},
    ),
    "a value of the request": ({"a": [0]}, "/a/0: must be a string, not 0", {"a": ["wanted"]}),
    "what is missing": (
        {},
        "/b is missing: add it as a string, with its value from the request",
        {"b": "wanted"},
    ),
    "another name": ({"b": 1}, 'rename "b" to "a"', {"a": 1}),
    "no name": ({"b": 1}, 'leave "b" out: there is no such argument', {}),
    "no value": ({"a": ""}, '/a: must be an integer, without quotes, not ""; leave it out', {}),
    "a choice": ({"c": 1}, '/c: must be one of "x", "y", not 1', {"c": "x"}),
    "the likely one": (
        {"a": "Y"},
        '/a: "Y" is not accepted; did you mean "y"? It must be one of "x", "y"',
        {"a": "y"},
    ),
    "members of an envelope": (
        {"b": {"a": 1}},
        'there is no argument "b": take "a" out of "b" and put it directly into the arguments',
        {"a": 1},
    ),
    "members of an object": (
        {"a": 1, "b": 2},
        '"a", "b" must stand inside "c", which is a JSON object',
        {"c": {"a": 1, "b": 2}},
    ),
    "words that are no JSON": ({"c": 1}, "/c: must be better luck, not 1", {"c": 1}),
}
REQUEST = {"/a/0": "wanted", "/b": "wanted"}
"""What the user wants."""


@pytest.mark.parametrize(("sent", "line", "answer"), LINES.values(), ids=LINES)
def test_a_line_is_obeyed(sent: Any, line: str, answer: Any) -> None:
    """And what was sent stays as it was."""
    before = json.dumps(sent)
    message = f"Error parsing arguments for `f`:\n- {line}\n\nFix the errors and try again."
    assert next_call(sent, message, REQUEST) == answer
    assert json.dumps(sent) == before
