"""Silence is an answer, too: what was meant as a call is read or refused, and prose stays prose."""

from __future__ import annotations

import pytest
from streaming import read_in_pieces
from wire import ONE_CALL, WRITERS

from schema2model import Toolset

PROPERTIES = {"city": {"type": "string"}, "units": {"type": "string"}}
WEATHER = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": PROPERTIES, "required": ["city"]},
}
TOOLS = Toolset([WEATHER, {"name": "now", "parameters": {"properties": {}}}])


@pytest.mark.parametrize("format_", [None, "pythonic"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("fetch(url='x')", ["fetch"]),
        ("fetch()", ["fetch"]),
        ("get_wether(city='Nice')", ["get_wether"]),
        ("[fetch(url='x'), drop(1)]", ["fetch", "drop"]),
        ("```python\nfetch(url='x')\ndrop(table=1)\n```", ["fetch", "drop"]),
        ("fetch(url='x')\nget_weather(city='Nice')", ["fetch", "get_weather"]),
        ("get_weather(city='Nice')\nfetch(url='x')", ["get_weather", "fetch"]),
        ("[fetch(url='x'), get_weather(city='Nice')]", ["fetch", "get_weather"]),
        ("[get_weather(city='Nice'), fetch(url='x')]", ["get_weather", "fetch"]),
    ],
)
def test_python_calls_of_unknown_tools_are_reported(
    text: str, names: list[str], format_: str | None
) -> None:
    """In their order, where the text is nothing but calls; the others are read."""
    calls = TOOLS.read_calls(text, format=format_, errors="keep")
    assert [call.name for call in calls] == names
    for call in calls:
        assert call.format == "pythonic"
        assert text[call.start : call.end].startswith(call.name)
        if call.error is None:
            assert (call.name, call.arguments) == ("get_weather", {"city": "Nice"})
        else:
            assert str(call.error).startswith(f"There is no tool `{call.name}`")
    reader = read_in_pieces(TOOLS, text, 1, format_)
    assert repr(reader.calls) == repr(calls)


@pytest.mark.parametrize("wrap", ["{}", "[{}]", "<tool_call>{}</tool_call>"])
def test_an_unknown_tool_with_a_list_of_arguments_is_reported(wrap: str) -> None:
    """As it is with an object."""
    text = wrap.replace("{}", '{"name": "fetch", "arguments": ["x"]}')
    [call] = TOOLS.read_calls(text, errors="keep")
    assert str(call.error).startswith("There is no tool `fetch`")
    data = '{"name": "fetch", "parameters": ["url"]}'
    assert TOOLS.read_calls(data, errors="keep") == []


@pytest.mark.parametrize("item", ['""', '"x"', '{"arguments": {"city": "Nice"}}'])
def test_an_item_without_a_name_is_refused_next_to_calls(item: str) -> None:
    """Between the marks of a call nothing is passed over, not even an empty string."""
    text = f'<tool_call>[{item}, {{"name": "now", "arguments": {{}}}}]</tool_call>'
    nameless, call = TOOLS.read_calls(text, errors="keep")
    assert str(nameless.error) == "Error parsing the call:\n- it names no tool"
    assert (call.name, call.error) == ("now", None)


@pytest.mark.parametrize("format_", sorted({*WRITERS} - {"chatglm", "react", "functionary_v32"}))
def test_a_call_without_its_brackets_is_not_taken_for_prose(format_: str) -> None:
    """Of a text that lost all of one kind of bracket or quote, nothing is run that was not sent."""
    call = ("get_weather", {"city": "Nice", "units": "cm"})
    text = WRITERS[format_]([call] if format_ in ONE_CALL else [call, call])
    for char in "}])":
        for read in TOOLS.read_calls(text.replace(char, ""), errors="keep"):
            assert read.error or read.arguments == call[1]
