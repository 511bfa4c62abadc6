# ruff: noqa: S311 - nothing here is a secret
"""Each kind of damage in texts of 0.1 to 300 kB: read or refused, in bounded time."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from damages import DAMAGES, SCHEMA
from waiting import rounds

from schema2model import ToolError, compile_schema
from schema2model.errors import TextError
from schema2model.json.equality import type_exact_equal
from schema2model.limits import MAX_DEPTH, MAX_MALFORMED_TEXT, MAX_REPAIR_STEPS
from schema2model.text import grammars
from schema2model.text.budget import Budget

TOOL = compile_schema(SCHEMA)
SIZES = (100, 10_000, 60_000, 300_000)
MOST = 120_000_000
"""Maximum rounds of an empty loop in the time of one text; most take a hundredth of them."""
ALWAYS, NEVER = SIZES[-1], 0

LARGEST_READ: dict[str, int | None] = {
    "a comma missing": ALWAYS,
    "all commas missing": 60_000,
    "an opening brace missing": None,
    "a closer missing": ALWAYS,
    "a bracket missing": None,
    "a comma too many": ALWAYS,
    "bare keys": ALWAYS,
    "single quotes": ALWAYS,
    "Python": ALWAYS,
    "Python, a comma missing": 60_000,
    "Python, a closer missing": 60_000,
    "closers missing at the end": ALWAYS,
    "an extra closer": ALWAYS,
    "semicolons": 60_000,
    "equals signs": 60_000,
    "a fence": ALWAYS,
    "escaped": ALWAYS,
    "bare quotes": NEVER,
    "bare backslashes": NEVER,
    "cut off": NEVER,
}
"""The largest text of each kind that is read; None if that depends on the place."""


@cache
def call_of(size: int) -> dict[str, Any]:
    """Return a call whose JSON has at least `size` characters."""
    call: dict[str, Any] = {
        "path": "app.py",
        "content": "",
        "tags": [],
        "edits": [],
        "options": {"mode": "fast", "a": 1},
    }
    for n in range(size // 180 + 1):
        call["content"] += f"x = {{\"a\": {n}, 'b': [x]}}  # \\d+\n"
        call["tags"].append(f"tag {n}")
        call["edits"].append({"old": f"x = {n}", "new": f"x = [{n}, 2]  # it's new"})
    return call


def _damaged_python(call: dict[str, Any], rng: random.Random) -> str:
    text = repr(call)
    commas = [at for at in range(len(text)) if text.startswith(", 'new': ", at)]
    at = rng.choice(commas)
    return text[:at] + text[at + 1 :]


def _cut_in_string(call: dict[str, Any], _rng: random.Random) -> str:
    text = json.dumps(call)
    return text[: text.rindex("it's new")]


EVERY_DAMAGE: dict[str, Callable[[dict[str, Any], random.Random], str]] = {
    **{kind: damage for kind, (_, damage) in DAMAGES.items()},
    "Python, a comma missing": _damaged_python,
    "Python, a closer missing": lambda call, _: repr(call)[:-1],
    "cut off": _cut_in_string,
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", EVERY_DAMAGE)
def test_a_damaged_text_of_any_size_is_read_or_refused_soon(kind: str, size: int) -> None:
    """Read as the call that was damaged, up to the size in the table."""
    call = call_of(size)
    text = EVERY_DAMAGE[kind](call, random.Random(3))
    result = None

    def read() -> None:
        nonlocal result
        with contextlib.suppress(ToolError):
            result = TOOL.validate_json(text)

    assert rounds(read, MOST) <= MOST
    largest = LARGEST_READ[kind]
    may_be_refused = largest is None or size > largest
    may_be_read = largest is None or size <= largest
    assert may_be_refused if result is None else may_be_read and type_exact_equal(result, call)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param({"tags": [f"tag {n}" for n in range(28_000)], "limit": 1}, id="items"),
        pytest.param({"options": {f"k{n}": n for n in range(20_000)}, "limit": 1}, id="members"),
    ],
)
def test_a_long_damaged_python_text_is_read(call: dict[str, Any]) -> None:
    """Plain items and members take one step together."""
    text = repr(call).replace(", 'limit'", " 'limit'")
    assert len(text) > SIZES[-1]
    assert type_exact_equal(TOOL.validate_json(text), call)


def test_texts_of_one_call_share_their_steps() -> None:
    """However many there are, they may take as many steps together as the limit."""
    budget = Budget()
    for _ in range(3):
        assert budget.take_characters(MAX_MALFORMED_TEXT // 4)
    budget.take_steps(MAX_REPAIR_STEPS)
    with pytest.raises(TextError, match="not JSON and too doubtful to repair; send"):
        budget.take_steps(1)


@pytest.mark.parametrize(
    ("begin", "fault", "end"), [("[", "1 2", "]"), ('{"a": ', '"x" "b": 1', "}")]
)
def test_damaged_text_is_read_as_deep_as_the_limit(begin: str, fault: str, end: str) -> None:
    """As deep as JSON is."""
    compiled = compile_schema({})
    assert compiled.validate_json(begin * MAX_DEPTH + fault + end * MAX_DEPTH)
    with pytest.raises(ToolError, match="nested deeper"):
        compiled.validate_json(begin * (MAX_DEPTH + 1) + fault + end * (MAX_DEPTH + 1))


@pytest.mark.parametrize("more", [0, 1])
def test_malformed_text_is_taken_to_the_last_character_of_its_limit(more: int) -> None:
    """And no character more."""
    assert Budget().take_characters(MAX_MALFORMED_TEXT + more) == (not more)


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_text_that_lacks_only_closers_is_read_up_to_the_limit(lost: int) -> None:
    """Texts of almost 400 kB are read, and larger ones refused."""
    inner = {"old": "x", "new": "y" * 3_000}
    call = {"path": "", "content": "", "edits": [inner] * 130}
    text = json.dumps(call)
    assert 390_000 < len(text) < 400_000

    def read() -> None:
        assert TOOL.validate_json(text[:-lost]) == call
        with pytest.raises(ToolError, match="too long to repair; send"):
            TOOL.validate_json(text[:-lost].replace('"x"', '"' + "x" * 100 + '"'))

    assert rounds(read, MOST) <= MOST


DENSE: dict[str, tuple[str, str, str]] = {
    "quotes": ("", '"', ""),
    "quotes in a value": ('{"path": "', '"', "}"),
    "a quote and a blank": ('{"path": ', '" ', ""),
    "strings side by side": ("[", '"x"', "]"),
    "strings without commas": ("[", '"x" ', "]"),
    "strings and a plus": ('{"path": ', '"a" + ', ""),
    "quotes and brackets": ("[", '"[', ""),
    "apostrophes": ("{'path': 'a', 'tags': [", "'it's', ", "]}"),
    "openers": ("", '[{"a":', ""),
    "objects without closers": ('{"edits": [', '{"old": "a", "new": "b", ', "]}"),
    "wrong closers": ("[", '["a"}, ', "]"),
    "members without commas": ("{", '"a": 1 ', "}"),
    "parentheses": ("", "(", ""),
}
"""The beginning of a text, the marks that it repeats, and its end."""
ROUNDS = 500
"""Maximum rounds of an empty loop in the time of one character: some eight microseconds."""


@pytest.mark.parametrize("size", [5_001, 20_000])
@pytest.mark.parametrize("kind", DENSE)
def test_a_text_of_marks_costs_little_for_each_character(kind: str, size: int) -> None:
    """Read or refused, in about three microseconds a character where nothing else runs."""
    before, marks, after = DENSE[kind]
    text = before + marks * (size // len(marks)) + after

    def read() -> None:
        with contextlib.suppress(ToolError):
            TOOL.validate_json(text)

    assert rounds(read, ROUNDS * len(text)) <= ROUNDS * len(text)


@pytest.mark.parametrize(("item", "count"), [("it's", 6), ("it is a", 12)])
def test_a_short_text_with_several_faults_is_read(item: str, count: int) -> None:
    """The steps that a short text may take are enough for what a model writes."""
    call = {f"tag{n}": item for n in range(count)}
    members = " ".join(f"'{name}': '{item}'" for name in call)
    assert compile_schema({}).validate_json(f"{{{members}}}") == call


@pytest.mark.parametrize(
    "text",
    ['[{"a": "}"}', '{"rows": [{"a": 1}]', '{"a": {"b": "\\"["}', '{"a": "\\\\", "b": [1, [2]}'],
)
def test_a_long_text_that_is_not_closed_is_not_parsed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of its brackets says that it is no JSON, and it is too long to be repaired."""
    monkeypatch.setattr(grammars, "parse_prefix", None)
    compiled = compile_schema({})
    padded = text[0] + " " * 400_000 + text[1:]
    for sent in (padded, padded.encode()):
        with pytest.raises(ToolError, match="too long to repair"):
            compiled.validate_json(sent)


@pytest.mark.parametrize("text", ['[{"a": "]"}]', '{"a": "\\"[", "b": "{{"}', '["\\\\", "]", 1]'])
def test_a_long_text_with_brackets_in_strings_is_read(text: str) -> None:
    """They are not counted."""
    padded = text[:-1] + " " * 400_000 + text[-1]
    assert compile_schema({}).validate_json(padded) == json.loads(text)
    assert compile_schema({}).validate_json(padded.encode()) == json.loads(text)
