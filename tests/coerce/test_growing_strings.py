# ruff: noqa: D103 - the names state the promises
"""Strings that grow while their text arrives."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from streaming import pieces, pieces_of, steps

from schema2model import CoercingModel, Tool, ToolError, Toolset, compile_schema

TEXT = {"type": "string"}


def shown(member: Any, text: str, **options: Any) -> Any:
    """The member `a` after a text that begins with its value."""
    schema = {"properties": {"a": member}}
    arguments = compile_schema(schema, **options).partial(strings=True)
    return arguments.feed(f'{{"a": {text}').get("a")


@pytest.mark.parametrize(
    "member",
    [
        TEXT,
        True,
        {},
        {"type": ["string", "null"]},
        {"type": ["integer", "string"]},
        {"anyOf": [TEXT, {"type": "null"}]},
        {"allOf": [TEXT]},
        {"$ref": "#/properties/a/$defs/b", "$defs": {"b": TEXT}},
        {"type": "string", "format": "date", "description": "A day."},
    ],
)
def test_a_string_that_is_valid_whatever_it_holds_grows(member: Any) -> None:
    assert shown(member, '"nul') == "nul"
    assert shown(member, '"null"') == "null"


@pytest.mark.parametrize(
    "member",
    [
        {"type": "integer"},
        {"enum": ["nul", "null"]},
        {"const": "null"},
        {**TEXT, "pattern": "l"},
        {**TEXT, "maxLength": 9},
        {"anyOf": [{**TEXT, "maxLength": 9}, {"type": "integer"}]},
        {"not": {"const": "x"}},
    ],
)
def test_a_string_that_may_be_changed_or_refused_waits_for_its_end(member: Any) -> None:
    assert shown(member, '"nul') is None


def test_a_string_that_a_rule_or_an_asserted_format_concerns_waits() -> None:
    assert shown(TEXT, '"nul', coercion="untyped") is None
    assert shown({**TEXT, "format": "date"}, '"203', formats="assert") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"a\n', "a\n"),
        (r'"a\\', "a\\"),
        ('"a\\', "a"),
        (r'"a\u00', "a"),
        (r'"a\u00e9', "aé"),
        (r'"a\ud83d', "a"),
        (r'"a\ud83d\ude0', "a"),
        (r'"a\ud83d\ude00', "a😀"),
        ('"a\ud83d', "a"),
        ("'a", None),
        ('["a", "b', ["a", "b"]),
        ('{"b": "c', {"b": "c"}),
        ('{"b', {}),
    ],
)
def test_half_an_escape_is_held_back(text: str, expected: Any) -> None:
    assert shown({}, text) == expected


@given(st.data(), st.text(max_size=30), st.booleans())
def test_a_string_only_grows_to_the_string_that_was_sent(
    data: st.DataObject,
    value: str,
    ascii_only: bool,  # noqa: FBT001
) -> None:
    text = json.dumps({"a": [value]}, ensure_ascii=ascii_only)
    text = text if ascii_only else text.encode("utf-8", "surrogatepass")
    compiled = compile_schema({"properties": {"a": {"type": "array", "items": TEXT}}})
    last = ""
    for step in steps(compiled, pieces(data.draw, text), strings=True):
        for string in (step or {}).get("a", ()):
            assert string.startswith(last)
            last = string
    assert value.startswith(last)


_FRAGMENTS = (
    "ab c",
    "é",
    r"\n",
    r"\"",
    r"\\",
    r"\u00e9",
    r"\ud83d\ude00",
    r"\w",
    r"\u12",
    r"\ud83d",
)
"""Parts of a string, three of which are no escapes of JSON: a backslash may then be meant."""


@example(["ab c", r"\w", "ab c"], 1)
@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=6), st.integers(1, 3))
def test_what_is_no_escape_is_not_left_out(fragments: list[str], size: int) -> None:
    """The end of the text tells what it means: nothing after it is shown before."""
    compiled = compile_schema({"properties": {"a": TEXT}})
    text = f'{{"a": "{"".join(fragments)}'
    shown = steps(compiled, pieces_of(text, size), strings=True)[-1].get("a", "")
    with suppress(ToolError):  # for backslashes that may mean more than one thing
        assert compiled.validate_json(f'{text}"}}')["a"].startswith(shown)


def test_what_follows_a_string_does_not_take_it_back() -> None:
    arguments = compile_schema({"properties": {"a": TEXT}}).partial(strings=True)
    for chunk in ('{"a": "Al', 'ps"', " ", "?", "}"):
        value = arguments.feed(chunk)
        assert value["a"] in {"Al", "Alps"}
    assert value == {"a": "Alps"}


def test_strings_wait_by_default() -> None:
    arguments = compile_schema({"properties": {"a": TEXT}}).partial()
    assert arguments.feed('{"a": "Alps"') == {}


def test_a_tool_finishes_as_it_prepares() -> None:
    def note(text: str, day: int = 1) -> str:
        return text * day

    tool = Tool.from_function(note, unknown_arguments="refuse")
    arguments = tool.partial(strings=True)
    assert arguments.feed('{"day": "2", "text": "Ju') == {"day": 2, "text": "Ju"}
    arguments.feed('ly"}')
    assert arguments.finish() == {"day": 2, "text": "July"}
    refused = tool.partial()
    refused.feed('{"text": "x", "other": 1}')
    with pytest.raises(ToolError, match="other"):
        refused.finish()


def test_of_a_strict_tool_nothing_is_shown_before_the_end() -> None:
    def note(text: str, day: int = 1) -> str:
        return text * day

    tool = Toolset([note], strict="openai")["note"]
    arguments = tool.partial(strings=True)
    assert arguments.feed('{"text": "July", "day": null}') is None
    assert arguments.finish() == tool.prepare('{"text": "July", "day": null}').arguments


def test_a_model_shows_its_data_and_finishes_as_itself() -> None:
    class Search(CoercingModel):
        query: str
        limit: int = 10

    search = Search.partial(strings=True)
    assert search.feed('{"limit": "5", "query": "ca') == {"limit": 5, "query": "ca"}
    search.feed('ts"}')
    assert search.finish() == Search(query="cats", limit=5)
