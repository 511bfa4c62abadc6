"""Gemma's format as models and servers write it, and where it cannot be known what they mean."""

from __future__ import annotations

from typing import Any

import pytest
from streaming import read_in_pieces

from schema2model import Toolset

PROPERTIES = {
    "city": {"type": "string"},
    "days": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "opts": {"type": "object", "properties": {"k": {"type": "string"}}},
}
TOOLS = Toolset(
    [
        {"name": "get_weather", "parameters": {"type": "object", "properties": PROPERTIES}},
        {"name": "create-pdf", "parameters": {"type": "object", "properties": PROPERTIES}},
    ]
)
CALL = "<|tool_call>call:{}<tool_call|>"
READ: dict[str, tuple[str, Any]] = {
    "single quotes": ("get_weather{city:'Rome',days:3}", {"city": "Rome", "days": 3}),
    "double quotes": ('get_weather{city:"Rome, it",days:3}', {"city": "Rome, it", "days": 3}),
    "quotes in a list": ("get_weather{tags:['x','y, z']}", {"tags": ["x", "y, z"]}),
    "quotes in an object": ("get_weather{opts:{k:'a, b'}}", {"opts": {"k": "a, b"}}),
    "an apostrophe": ("get_weather{city:'it's, here',days:3}", {"city": "it's, here", "days": 3}),
    "brackets in quotes": ("create-pdf{city:'see {1}: ok]'}", {"city": "see {1}: ok]"}),
    "a call": ('get_weather(city=<|"|>Rome<|"|>, days=3)', {"city": "Rome", "days": 3}),
    "a call without arguments": ("get_weather()", {}),
    "an object in a call": ('get_weather({"city": "Rome"})', {"city": "Rome"}),
    "equals signs": ('get_weather{city=<|"|>Rome<|"|>,days=3}', {"city": "Rome", "days": 3}),
    "namespaces": ('google:mcp:files:create-pdf{city:<|"|>Rome<|"|>}', {"city": "Rome"}),
    "no mark before": (
        'get_weather{city:Paris, France<|"|>,days:3}',
        {"city": "Paris, France", "days": 3},
    ),
    "a quote before, a mark after": ("get_weather{city:'Rome<|\"|>}", {"city": "Rome"}),
    "quoted keys": ("get_weather{\"city\":'Rome','days':3}", {"city": "Rome", "days": 3}),
}
REFUSED = {
    "no mark after": 'get_weather{city:<|"|>Paris, France,days:3}',
    "no marks": "get_weather{city:Paris, France,days:3}",
    "no marks before": 'get_weather{city:Rome<|"|>,tags:[a<|"|>,b]}',
    "a quote and a mark": "get_weather{city:'Rome'<|\"|>,days:3}",
    "another key within": 'get_weather{city:Paris, days: 3<|"|>,tags:[]}',
    "two values": "get_weather{city:'a',city:'b'}",
    "a backslash": "get_weather{city:'C:\\new'}",
    "no bracket": "get_weather{city:'Rome'",
    "two brackets": "get_weather{city:'Rome'}}",
    "a bracket of another kind": "get_weather(city='Rome'}",
    "no comma": "get_weather{city:'Rome' days:3}",
    "too deep": f"get_weather{{opts:{'[' * 5000}{']' * 5000}}}",
}


def read(text: str) -> list[Any]:
    """The calls of a text, which are those of a stream, too."""
    calls = TOOLS.read_calls(text, errors="keep")
    reader = read_in_pieces(TOOLS, text, 3)
    assert repr(reader.calls) == repr(calls)
    return calls


@pytest.mark.parametrize(("written", "arguments"), READ.values(), ids=READ)
def test_a_spelling_with_one_meaning_is_read(written: str, arguments: Any) -> None:
    """Alone, and twice."""
    for count in (1, 2):
        calls = read(CALL.format(written) * count)
        assert [call.arguments for call in calls] == [arguments] * count
        assert {call.format for call in calls} == {"gemma4"}


@pytest.mark.parametrize("written", REFUSED.values(), ids=REFUSED)
def test_a_spelling_with_no_meaning_or_two_is_refused(written: str) -> None:
    """The call after it is read."""
    [call] = read(CALL.format(written))
    assert call.error is not None
    *_, last = read(CALL.format(written) + CALL.format("get_weather{days:3}"))
    assert last.arguments == {"days": 3}


def test_a_tag_of_another_model_is_read() -> None:
    """`<call>`, with Gemma's arguments or JSON."""
    for text in (
        '<call>get_weather{city:<|"|>Rome<|"|>}',
        '<call>get_weather{"city": "Rome"}</call>',
        "Sure. <call>call:get_weather{city:'Rome'}<tool_call|>",
        "call:get_weather{city:'Rome'}",
        "<call>get_weather(city='Rome')</call>",
    ):
        assert [call.arguments for call in read(text)] == [{"city": "Rome"}]
    following = "\n<call>get_weather{city:'Oslo'}</call>"
    first, last = read(f"<call>get_weather{{city:'Rome}}</call>{following}")
    assert first.error is not None
    assert last.arguments == {"city": "Oslo"}
    [both] = read(f"<call>get_weather(city='Rome'{following}")  # what has no end mark takes it
    assert both.error is not None
    assert read("The <call> tag of get_weather{...} is explained above.") == []
