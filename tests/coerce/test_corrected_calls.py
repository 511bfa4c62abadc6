"""The corrected call in a message, for weak models: `messages="corrected"`."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from schema2model import Tool, ToolError, Toolset, compile_schema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "limit": {"type": "integer"},
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "address": {"type": "object", "properties": {"street": {"type": "string"}}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "send": {"type": "boolean"},
    },
    "required": ["limit"],
    "additionalProperties": False,
}
KNOWN: dict[str, tuple[Any, Any]] = {
    "another name": ({"limt": "5"}, {"limit": 5}),
    "the likely choice": ({"limit": 5, "unit": "Celcius"}, {"limit": 5, "unit": "celsius"}),
    "one level too high": (
        {"limit": 5, "street": "Elm"},
        {"limit": 5, "address": {"street": "Elm"}},
    ),
    "one level too deep": (
        {"request": {"limit": 5}, "tags": ["a"]},
        {"tags": ["a"], "limit": 5},
    ),
    "what forgiving reads": (
        {"limit": "1,000", "tags": "a, b"},
        {"limit": 1000, "tags": ["a", "b"]},
    ),
}
UNKNOWN: dict[str, Any] = {
    "a value": {"limit": "many", "tags": "a, b"},
    "what is missing": {"tags": "a, b"},
    "a name that would be lost": {"limit": 5, "zzz": 1},
    "a member of an envelope that would be lost": {"request": {"limit": 5, "zzz": 1}, "tags": []},
    "an opposing name": {"limit": 5, "dont_send": True},
    "a member of what is no object": {"limit": 5, "street": "Elm", "address": "Oak"},
}
CORRECTED = "\nThe corrected call is: "


def refusal(sent: Any, **options: Any) -> str:
    """The message for what was sent, which stays as it was."""
    before = copy.deepcopy(sent)
    with pytest.raises(ToolError) as refused:
        compile_schema(SCHEMA, name="f", **options).validate(sent)
    assert sent == before
    return str(refused.value)


@pytest.mark.parametrize(("sent", "meant"), KNOWN.values(), ids=KNOWN)
def test_a_corrected_call_follows_the_message(sent: Any, meant: Any) -> None:
    """It is the last line, valid, and not there by default."""
    message, found, call = refusal(sent, messages="corrected").partition(CORRECTED)
    assert found
    assert json.loads(call) == {"name": "f", "arguments": meant}
    assert compile_schema(SCHEMA, coercion="off").validate(meant) == meant
    assert message == refusal(sent)


@pytest.mark.parametrize("sent", UNKNOWN.values(), ids=UNKNOWN)
def test_nothing_is_invented_and_nothing_lost(sent: Any) -> None:
    """One correction that is not known is enough for the plain message."""
    assert refusal(sent, messages="corrected") == refusal(sent)


def test_tools_take_the_option() -> None:
    """In text, too, and after pickling."""
    sent = {"limt": 5}
    tool = Tool.from_schema({"name": "f", "parameters": SCHEMA}, messages="corrected")
    with pytest.raises(ToolError, match=CORRECTED.strip()):
        pickle.loads(pickle.dumps(tool)).prepare(json.dumps(sent))  # noqa: S301 - our own
    tools = Toolset([{"name": "f", "parameters": SCHEMA}], messages="corrected")
    with pytest.raises(ToolError, match=CORRECTED.strip()):
        tools.prepare("f", sent)


def test_another_word_is_an_error_at_definition() -> None:
    """With both words that there are."""
    with pytest.raises(ValueError, match='messages is "plain" or "corrected"'):
        compile_schema(SCHEMA, messages="short")  # type: ignore[arg-type]
