"""The scripted model of the measure of messages, which reads them and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import Case, cases, encode, spelled

from benchmarks.messages import WRONG_CALLS, mended, next_call
from schema2model import compile_schema

HOPELESS = {"value: a pattern that takes too long"}
"""Calls of whose answer nobody can say what it would be."""
CALLS = [
    call for call in json.loads(WRONG_CALLS.read_text("utf-8")) if call["name"] not in HOPELESS
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["name"])
def test_what_the_message_says_mends_the_call(call: dict[str, Any]) -> None:
    """With no more knowledge of the tool, in three answers at most."""
    assert mended(call)


def followed(case: Case, sent: Any) -> Any:
    """What a model that follows the messages sends in the end."""
    compiled = compile_schema(case.schema)
    for _ in range(3):
        error = compiled.explain(sent).error
        if error is None:
            break
        sent = next_call(sent, str(error))
    return compiled.validate(sent)


@pytest.mark.parametrize(
    "case",
    [
        each
        for each in cases("payloads", "read by forgiving")
        if not each.is_refused and "list within a list" not in each.id  # its items are wrong, too
    ],
    ids=lambda case: case.id,
)
def test_the_message_has_what_was_meant(case: Case) -> None:
    """A model that follows it sends what a careful person reads in the first call."""
    sent = json.loads(case.line["text"]) if "text" in case.line else case.input
    assert spelled(encode(followed(case, sent))) == spelled(encode(case.result))


LINES: dict[str, tuple[Any, str, Any]] = {
    "an example": (
        {"a": [0]},
        '/a/0: expected string, found 0; for example "x; y" would be accepted',
        {"a": ["x; y"]},
    ),
    "another name": ({"b": 1}, '/a: expected x, found nothing; rename "b" to "a"', {"a": 1}),
    "no name": ({"b": 1}, "/b: expected no property of this name, found 1; leave it out", {}),
    "a choice": ({"a": 1}, '/a: expected one of "x", "y", found 1', {"a": "x"}),
    "the likely one": (
        {"a": "Y"},
        '/a: expected one of "x", "y" (did you mean "y"?), found "Y"',
        {"a": "y"},
    ),
    "members of an envelope": (
        {"b": {"a": 1}},
        '/b: expected no property of this name, found {"a": 1}; send its members in place of it',
        {"a": 1},
    ),
    "all of it": ([1], 'the arguments: expected object, found [1]; send {"a": [1]}', {"a": [1]}),
    "words that are no JSON": ({"a": 1}, "/a: expected better luck, found 1", {"a": 1}),
}


@pytest.mark.parametrize(("sent", "line", "answer"), LINES.values(), ids=LINES)
def test_a_line_is_obeyed(sent: Any, line: str, answer: Any) -> None:
    """And what was sent stays as it was."""
    before = json.dumps(sent)
    assert next_call(sent, f"Error parsing arguments for `f`:\n- {line}") == answer
    assert json.dumps(sent) == before
