"""Calls that a model wrote as text, for a strict toolset: they are decoded, and only once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given, reject, strategies as st
from oracle import Oracle, same
from searching import examples
from strategies import arguments_for, schemas

from schema2model import SchemaError, Tool, ToolError, Toolset

NOTES = {
    "name": "note",
    "parameters": {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "days": {"type": "integer"},
            "due": {"type": ["string", "null"]},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["title"],
    },
}
SENT = {
    "title": "a",
    "days": None,
    "due": {"value": None},
    "labels": [{"key": "b", "value": "c"}],
}
MEANT = {"title": "a", "due": None, "labels": {"b": "c"}}
IN_JSON = json.dumps({"name": "note", "arguments": SENT})
IN_TAGS = (
    "<tool_call><function=note><parameter=title>a</parameter><parameter=days>null</parameter>"
    '<parameter=due>{"value": null}</parameter>'
    '<parameter=labels>[{"key": "b", "value": "c"}]</parameter></function></tool_call>'
)


@pytest.fixture
def tools() -> Toolset:
    """A strict toolset of one tool."""
    return Toolset([NOTES], strict="openai")


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{IN_JSON}</tool_call>",
        f"<tool_call>\n{IN_JSON}\n</tool_call><tool_call>{IN_JSON}</tool_call>",
        f"Let me see.\n[TOOL_CALLS][{IN_JSON}]",
        f"<tool_call>{IN_JSON.replace('null', 'None')}</tool_call>",
        IN_TAGS,
    ],
)
def test_calls_in_text_are_decoded(tools: Toolset, text: str) -> None:
    """In the formats with JSON, and in those with a text for each parameter."""
    calls = tools.read_calls(text)
    assert calls
    assert all(call.arguments == MEANT for call in calls)


@pytest.mark.parametrize("text", [f"<tool_call>{IN_JSON}</tool_call>", IN_TAGS])
def test_calls_in_text_are_decoded_once(tools: Toolset, text: str) -> None:
    """Null stays null on the way from `read_calls` to `prepare`."""
    (call,) = tools.read_calls(text)
    assert tools.prepare(call.name, call.arguments).arguments == MEANT
    assert tools["note"].prepare(call.arguments).changes == ()
    assert tools.prepare_call(text).arguments == MEANT
    assert tools.prepare_call(text).tool is tools["note"]


@pytest.mark.parametrize(
    "labels",
    ['{"b": "c"}', '[{"key": "b", "value": "c"}]', "[{'key': 'b', 'value': 'c'},]"],
)
@pytest.mark.parametrize(
    "before",
    [
        '<tool_call>{"name": "note", "arguments": {"title": "a", "labels": ',
        "<function=note><parameter=title>a</parameter><parameter=labels>",
    ],
)
def test_models_that_do_not_obey_are_read_too(tools: Toolset, before: str, labels: str) -> None:
    """What is written for the schema as given, and what leaves out properties."""
    after = "}}</tool_call>" if before.endswith(" ") else "</parameter></function>"
    (call,) = tools.read_calls(before + labels + after)
    assert call.arguments == {"title": "a", "labels": {"b": "c"}}


def test_text_that_means_null_is_not_sent(tools: Toolset) -> None:
    """Where a format has a text for each parameter, the projection says that it may be null."""
    (call,) = tools.read_calls(
        "<function=note><parameter=title>null</parameter><parameter=due>null</parameter></function>"
    )
    assert call.arguments == {"title": "null"}


def test_a_call_that_is_refused_has_its_error(tools: Toolset) -> None:
    """In the terms of the schema that the model saw."""
    text = '<tool_call>{"name": "note", "arguments": {"title": "a", "days": "x"}}</tool_call>'
    (call,) = tools.read_calls(text, errors="keep")
    assert call.error is not None
    with pytest.raises(ToolError, match="/days"):
        tools.read_calls(text)


@pytest.mark.parametrize("text", [f"<tool_call>{IN_JSON}</tool_call>", IN_TAGS])
def test_arguments_that_arrive_are_decoded(tools: Toolset, text: str) -> None:
    """What is shown is never taken back, and ends as the arguments."""
    reader = tools.call_reader()
    shown: list[Any] = []
    calls = []
    for character in text:
        calls += reader.feed(character)
        if reader.arriving is not None and reader.arriving.arguments is not None:
            shown.append(dict(reader.arriving.arguments))
    calls += reader.finish()
    assert [call.arguments for call in calls] == [MEANT]
    assert {"title": "a", "due": None} in shown
    for before, after in zip(shown, [*shown[1:], MEANT], strict=True):
        assert before.items() <= after.items() or before == after
    assert all(part.get("labels", MEANT["labels"]) == MEANT["labels"] for part in shown)


def test_messages_are_answered_with_decoded_arguments() -> None:
    """A message of a provider's, as `answer` takes it."""

    def note(title: str, due: str | None = "today", labels: dict[str, str] | None = None) -> Any:
        return [title, due, labels]

    tools = Toolset([note], strict="openai")
    sent = {"title": "a", "due": {"value": None}, "labels": None}
    call = {"id": "1", "function": {"name": "note", "arguments": json.dumps(sent)}}
    (message,) = tools.answer({"role": "assistant", "tool_calls": [call]})
    assert json.loads(message["content"]) == ["a", None, None]


@examples(12)
@given(st.data(), schemas(of_objects=True), st.sampled_from(["openai", "anthropic"]))
def test_written_calls_come_back(data: st.DataObject, schema: Any, provider: str) -> None:
    """Any valid arguments, encoded and written as the text of a call."""
    value = data.draw(arguments_for(schema))
    assume(isinstance(value, dict) and Oracle(schema).accepts(value))
    try:
        tool = Tool.from_schema({"name": "f", "parameters": schema})
        tools = Toolset([tool], strict={"f": True}, strict_provider=provider)
    except SchemaError:
        reject()
    strict = tools["f"].strict
    assert strict is not None
    assume(tool.compiled.is_valid(value))
    try:
        encoded = strict.encode(value)
    except ToolError:
        reject()
    text = json.dumps({"name": "f", "arguments": encoded})
    (call,) = tools.read_calls(f"<tool_call>{text}</tool_call>", "hermes")
    assert same(call.arguments, value)
    assert same(tools.prepare("f", call.arguments).arguments, value)
