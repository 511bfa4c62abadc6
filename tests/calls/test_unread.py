"""Silence is an answer, too: what was meant as a call is read or refused, and prose stays prose."""

from __future__ import annotations

import pytest
from wire import ONE_CALL, WRITERS

from schema2model import Toolset

PROPERTIES = {"city": {"type": "string"}, "units": {"type": "string"}}
WEATHER = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": PROPERTIES, "required": ["city"]},
}
TOOLS = Toolset([WEATHER, {"name": "now", "parameters": {"properties": {}}}])


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_weather", "arguments": {"city": "Nice", "units": 5 cm}}}}',
        'Sure.\n```json\n{"name": "get_weather", "arguments": {city Nice}}\n```',
        '[{"name": "get_wether", "arguments": {"city": "Nice"}}]',
        '{"name": "get_wether", "arguments": {"city": "Nice"}}',
        '[{"name" "get_weather", {"city": "Nice"}}]</tool_call>',
        "```tool_code\nweather in Nice, please\n```",
        '```tool_call\nget_weather: "Nice"\n```',
        "[get_weather(city='Nice' units='cm')]",
        "get_weather(city='Nice' units='cm')",
        "<tool_call>\nget_weather, city Nice\n</tool_call>",
        "```python\nget_wether(city='Nice')\n```",
        '{"name": "get_weather", "city": "Nice", "sort": 1}',
        "<city>Nice</city>\n<units>cm</units>\n</get_weather>",
    ],
)
def test_a_call_that_no_format_reads_is_refused(text: str) -> None:
    """Whole and in chunks; the prose is shown as before."""
    calls = TOOLS.read_calls(text, errors="keep")
    assert calls
    assert all(call.error for call in calls)
    for size in (1, 7):
        reader = TOOLS.call_reader()
        for at in range(0, len(text), size):
            reader.feed(text[at : at + size])
        reader.finish()
        assert repr(reader.calls) == repr(calls)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (
            'I will call it.\n{"name": "get_weather" "arguments": {"city": "Nice"}}',
            {"city": "Nice"},
        ),
        (
            "```tool_code\nget_weather(city=Nice, units=5 cm)\n```",
            {"city": "Nice", "units": "5 cm"},
        ),
    ],
)
def test_a_damaged_call_with_one_reading_is_read(text: str, arguments: dict[str, str]) -> None:
    """A comma is missing outside of the arguments; values after marks have no quotes."""
    [call] = TOOLS.read_calls(text)
    assert call.arguments == arguments


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
    reader = TOOLS.call_reader(format_)
    for char in text:
        reader.feed(char)
    reader.finish()
    assert repr(reader.calls) == repr(calls)


@pytest.mark.parametrize(
    "text",
    [
        "print('Hello')",
        "```python\nprint('Hello')\n```",
        "f(x)",
        "f(x) = 2 * x",
        "np.array([1, 2])",
        "fetch(url='x') fetches a page.",
        "```python\nimport requests\nfetch(url='x')\n```",
        "```bash\nfetch(url='x')\n```",
        "The page:\nfetch(url='x')",
        "[1, 2]",
    ],
)
def test_programs_and_formulas_call_no_tool(text: str) -> None:
    """Also where the text is nothing else: variables and Python's own functions are code."""
    for format_ in (None, "pythonic"):
        assert TOOLS.read_calls(text, format=format_, errors="keep") == []


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


@pytest.mark.parametrize(
    "text",
    [
        "You could call get_weather with a city.",
        'Write `{"name": "get_weather", "arguments": {...}}` to call it.',
        '```python\nimport json\nprint(json.dumps({"name": "get_weather", "arguments": {}}))\n```',
        '{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": "Nice"}}}',
        '{"name": "now", "parameters": {"type": "object", "properties": {"city": {"k": 1}}}}',
        '{"name": "get_weather", "description": "Weather.", "parameters": {"type": "object"}}',
        '<tool_response>{"name": "get_weather", "arguments": broken}</tool_response>',
        '{"name": "Ann", "age": 5}',
        '{"answer": "get_weather says 5 degrees"}',
        "<tool_call> is a tag of some models.",
        "get_weather(city) is a function that takes a city.",
        "```python\nresult = get_weather({'city': name})\nprint(result)\n```",
        "The tools:\n- get_weather (city: its name, units: cm or in)",
        '(get_weather(city="Nice") > 5)',
        "It is.\nget_weather(5 cm)",
        "<html>\n<now>\n<b>12:00</b>\n</now>\n</html>",
        "```html\n<get_weather>\n<city>Nice</city>\n</get_weather>\n```",
    ],
)
def test_what_only_mentions_a_tool_stays_content(text: str) -> None:
    """Sentences, programs, definitions and results."""
    assert TOOLS.read_calls(text, errors="keep") == []


@pytest.mark.parametrize("format_", sorted({*WRITERS} - {"chatglm", "react", "functionary_v32"}))
def test_a_call_without_its_brackets_is_not_taken_for_prose(format_: str) -> None:
    """Of a text that lost all of one kind of bracket or quote, nothing is run that was not sent."""
    call = ("get_weather", {"city": "Nice", "units": "cm"})
    text = WRITERS[format_]([call] if format_ in ONE_CALL else [call, call])
    for char in "}])":
        for read in TOOLS.read_calls(text.replace(char, ""), errors="keep"):
            assert read.error or read.arguments == call[1]


@pytest.mark.parametrize(
    "text",
    [
        (
            "I'll use get_weather now. <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function"
            '<｜tool▁sep｜>get_weather\n```json\n{"city": "x"}\n```<｜tool▁call▁end｜>'
        ),
        (
            "I call get_weather.\n<tool_calls>\n<tool_call>get_weather\n"
            "<arg_key>city</arg_key><arg_value>x</arg_value></tool_call></tool_calls>"
        ),
        (
            'With get_weather:\n<function_calls><invoke name="get_weather">'
            '<parameter name="city">x</parameter></invoke></function_calls>'
        ),
    ],
)
def test_prose_that_names_the_tool_before_a_call_is_no_call(text: str) -> None:
    """Even with a marker around calls between them."""
    reader = TOOLS.call_reader()
    reader.finish(text)
    assert [(call.arguments, call.error) for call in reader.calls] == [({"city": "x"}, None)]


@pytest.mark.parametrize(
    "text",
    [
        "<|call:begin|>get_weather\ncity: Nice\n<|call:end|>",
        "<|fn:start|>get_wether<|arg:start|>Nice<|fn:stop|>",
        "<my:call>get_weather city Nice</my:call>",
        "<x:call name='get_weather'>Nice</x:call>",
        "<|invoke tool|>\n<|fn|>get_weather<|args|>Nice<|end_fn|>",
        "[CALL]get_weather[VALUE]Nice[/CALL]",
        "[CALL] get_weather\nNice\n[/CALL]",
        "<mark|call>`get_weather` <mark|value>Nice",
        "Sure.<|tool_request:1|>get_weather(Nice)",
        'Malformed function call: get_weather(city="Nice")',
        "Malformed function call: print(default_api.get_weather(city=))",
        "malformed function call get_weather",
    ],
)
def test_an_unknown_mark_around_a_tool_is_reported(text: str) -> None:
    """A format that nobody has seen yet is not taken for the answer."""
    calls = TOOLS.read_calls(text, errors="keep")
    assert calls
    assert all(call.error for call in calls)
    for size in (1, 7):
        reader = TOOLS.call_reader()
        for at in range(0, len(text), size):
            reader.feed(text[at : at + size])
        reader.finish()
        assert repr(reader.calls) == repr(calls)


@pytest.mark.parametrize(
    "text",
    [
        "[NOTE] Use get_weather for that.",
        "[IMPORTANT] get_weather takes a city.",
        "The token <|fim_begin|> is special, and get_weather is a tool.",
        "<b>get_weather</b> is a tool.",
        "[now](https://example.org) and [LINK](now)",
        "<|x|>is not a tool<|y|>, get_weather is.",
        "A malformed function call: what is that?",
    ],
)
def test_a_mark_that_is_not_around_a_tool_is_prose(text: str) -> None:
    """Notes, tokens and tags of a page."""
    assert TOOLS.read_calls(text, errors="keep") == []
