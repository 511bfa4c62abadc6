"""Results of tools, as their `outputSchema` asks for them."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from schema2model import Tool, ToolError
from schema2model.tools.results import (
    RESULT_MODES,
    ResultError,
    check_result,
    replace_structured,
    result_mode,
)

OUTPUT = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "tags": {"type": "array"}},
    "required": ["count"],
}
TOOL = Tool.from_definition({"name": "count", "inputSchema": {}, "outputSchema": OUTPUT})


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("result", "structured"),
    [
        ({"structuredContent": {"count": 3}}, {"count": 3}),
        ({"structuredContent": {"count": "3", "tags": "['a']"}}, {"count": 3, "tags": ["a"]}),
        ({"content": [text('{"count": 3}')]}, {"count": 3}),
        ({"content": [text('{"count": 3}'), {"type": "image"}]}, {"count": 3}),
        ({"content": [text("no such city")], "isError": True}, None),
    ],
    ids=["exact", "corrected", "text", "text-and-image", "failed"],
)
def test_a_result_is_read_by_its_schema(result: Any, structured: Any) -> None:
    """By the rules for arguments; JSON in the only text stands in for structured content."""
    assert TOOL.read_result(result) == structured


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ({"structuredContent": {"count": "many"}}, '/count: expected integer, found "many"'),
        ({"structuredContent": {}}, "/count: expected integer"),
        ({"content": [text("three")]}, "the structured content is missing"),
        ({"content": [text("1"), text("2")]}, "the structured content is missing"),
        ({}, "the structured content is missing"),
    ],
    ids=["type", "missing", "prose", "two-texts", "empty"],
)
def test_a_result_without_a_valid_reading_is_the_servers_mistake(result: Any, problem: str) -> None:
    """The error is none for models, and says what the server did wrong, without advice."""
    with pytest.raises(ResultError) as caught:
        TOOL.read_result(result)
    assert not isinstance(caught.value, ToolError)
    assert str(caught.value).startswith("The result of `count` does not match its schema:\n- ")
    assert problem in str(caught.value)
    assert "for example" not in str(caught.value)
    copied = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert (str(copied), copied.issues) == (str(caught.value), caught.value.issues)


def test_a_tool_without_the_schema_takes_results_as_they_are() -> None:
    """And results of the SDK are read as mappings are."""
    tool = Tool.from_definition({"name": "x", "inputSchema": {}})
    assert tool.output_schema is None
    assert tool.read_result({"structuredContent": {"a": "1"}}) == {"a": "1"}
    assert TOOL.output_schema == OUTPUT
    types = pytest.importorskip("mcp.types", reason="objects of the SDK")
    sent = {"content": [], "structuredContent": {"count": "3"}}
    assert TOOL.read_result(types.CallToolResult.model_validate(sent)) == {"count": 3}
    with pytest.raises(TypeError, match="not int"):
        TOOL.read_result(3)


WRONG = {"structuredContent": {"count": "many"}, "content": []}
CORRECTABLE = {"structuredContent": {"count": "3"}, "content": [text('{"count": "3"}')]}


@pytest.mark.parametrize("mode", RESULT_MODES)
def test_the_mode_says_what_becomes_of_a_result(mode: Any) -> None:
    """What is not corrected is the very object that was given."""
    exact = {"structuredContent": {"count": 3}}
    assert check_result("count", OUTPUT, exact, mode, "default") is exact
    if mode == "refuse":
        with pytest.raises(ResultError):
            check_result("count", OUTPUT, WRONG, mode, "default")
    else:
        assert check_result("count", OUTPUT, WRONG, mode, "default") is WRONG
    result = check_result("count", OUTPUT, CORRECTABLE, mode, "default")
    if mode in {"off", "check"}:
        assert result is CORRECTABLE
    else:
        assert result["structuredContent"] == {"count": 3}
        assert json.loads(result["content"][0]["text"]) == {"count": 3}


def test_text_that_says_something_else_stays() -> None:
    """Only what repeats the structured content is written anew, and of that only the text."""
    content = [text("three of them")]
    assert replace_structured({"structuredContent": {}, "content": content}, {"count": 3}) == {
        "structuredContent": {"count": 3},
        "content": content,
    }
    annotated = {**text('{"count": "3"}'), "annotations": {"priority": 1}}
    result = {"structuredContent": {"count": "3"}, "content": [annotated]}
    (block,) = replace_structured(result, {"count": 3})["content"]
    assert block == {**annotated, "text": '{"count":3}'}


def test_a_schema_that_cannot_be_compiled_takes_no_result_away() -> None:
    """The log says why."""
    assert check_result("count", {"type": "none"}, WRONG, "refuse", "default") is WRONG


def test_an_unknown_mode_is_an_error() -> None:
    """Which names those that there are."""
    with pytest.raises(ValueError, match="off, check, correct, refuse, not 'on'"):
        result_mode("on")
