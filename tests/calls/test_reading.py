"""What is a call and what is none, which tool is meant, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from schema2model import Tool, ToolError, Toolset
from schema2model.calls.tool_names import ToolNames

TEXT = {"type": "string"}
WEATHER = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": TEXT, "days": {"type": "integer"}, "tags": {"type": "array"}},
        "required": ["city"],
    },
}
SEARCH = {"name": "web.search", "parameters": {"type": "object", "properties": {"q": TEXT}}}
NOW = {"name": "now", "parameters": {"type": "object", "properties": {}}}
TOOLS = Toolset([WEATHER, SEARCH, NOW])
ROME = [("get_weather", {"city": "Rome"})]
ROME_JSON = '{"name": "get_weather", "arguments": {"city": "Rome"}}'


def read(text: str, **options: Any) -> list[tuple[str, Any]]:
    """ToolNames and arguments of the calls in a text."""
    return [(call.name, call.arguments) for call in TOOLS.read_calls(text, **options)]


def refused(text: str) -> str:
    """What the model is told of the one call that cannot be read."""
    [call] = [call for call in TOOLS.read_calls(text, errors="keep") if call.error]
    return str(call.error)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would call get_weather for that, with the city as its argument.",
        "You can use `get_weather(city='Rome')` to find out.",
        "Call get_weather(city='Rome') and see.",
        "The answer is get_weather(city='Rome').temperature, I think.",
        "Example:\n```python\nresult = get_weather(city='Rome')\nprint(result)\n```",
        "In JavaScript:\n```js\nget_weather({city: 'Rome'});\n```\nThat prints it.",
        "def main(city):\n    get_weather(city=city)\n",
        '{"city": "Rome", "days": 3}',
        '{"name": "Ada", "age": 36}',
        '[{"name": "Ada", "arguments": 3}]',
        '{"name": "get_weather", "description": "Weather.", "parameters": {"type": "object"}}',
        '{"name": "get_weather", "parameters": {"type": "object", "properties": {}}}',
        "<b>get_weather</b> <i>(city)</i> [1] {2} (3)",
        "Wrap it in <tool_call> and </tool_call> tags.",
        "<think>Maybe get_weather(city='Rome')?</think>It is sunny.",
        f"<think>\n<tool_call>{ROME_JSON}</tool_call>\n</think>\nNo need: it is sunny.",
        "[] {} () <> ``` ``` ```json\n[]\n```",
        f"For example, you could call `{ROME_JSON}`.",
        f"The format is `<tool_call>{ROME_JSON}</tool_call>`, with two tags.",
        f"The format is `<tool_call>{ROME_JSON}</tool_call>",
        "You may use:\n- `get_weather(city='Rome')` for the weather\n- `now()` for the time",
        "```python\nfrom tools import now\n\nnow()\n```",
        "```python\ndef now():\n    pass\n\nif __name__ == '__main__':\n    now()\n```",
        "```sql\nSELECT\nnow()\n```",
        "```bash\nget_weather(city='Rome')\n```",
        f"<tool_response>\n{ROME_JSON}\n</tool_response>\nThat is what it said.",
        f"[TOOL_RESULTS]{ROME_JSON}[/TOOL_RESULTS]",
        f"<tool_response>\n<tool_call>{ROME_JSON}</tool_call>",
        '<function_results><invoke name="now"></invoke></function_results>',
        '{"now": {"time": "12:00"}}',
    ],
)
def test_what_is_only_mentioned_is_not_called(text: str) -> None:
    """In plain answers no call is found, and nothing is refused."""
    assert TOOLS.read_calls(text, errors="keep") == []


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (ROME_JSON, ROME),
        (f"Sure.\n```json\n{ROME_JSON}\n```", ROME),
        (f"<tool_call>\n{ROME_JSON}", ROME),
        ("[get_weather(city='Rome')]", ROME),
        ("['get_weather(city='Rome')']", ROME),
        ('["get_weather(city=\\"Rome\\")"]', ROME),
        ("1. `get_weather(city='Rome')`", ROME),
        ("[get_weather({'city': 'Rome'})]", ROME),
        ("get_weather('Rome')", ROME),
        ("Action: get_weather('Rome')\nObservation:", ROME),
        ("\r\x0bget_weather('Rome')\r\n", ROME),
        (r"[get\_weather(city='Rome')]", ROME),
        ("[('get_weather', {'city': 'Rome'})]", ROME),
        ("```tool_code\nprint(default_api.get_weather(city='Rome'))\n```", ROME),
        ("get_weather(city='Rome'); now()", [*ROME, ("now", {})]),
        (f"```python\nx = compute(3)\n<tool_call>{ROME_JSON}</tool_call>", ROME),
        ("```python\nimport os\nos.remove('x')\n```\nnow()", [("now", {})]),
        ("```python\n# The weather:\nget_weather(city='Rome')\n```", ROME),
        ("[get_weather(city='Rome') + now()]", [*ROME, ("now", {})]),
        ("<tool_call>now</tool_call>", [("now", {})]),
        ("<tool_call><function=now>", [("now", {})]),
        (
            "[get_weather(city=New York, days=3)]",
            [("get_weather", {"city": "New York", "days": 3})],
        ),
        ("[get_weather(city='it's', days=3)]", [("get_weather", {"city": "it's", "days": 3})]),
        (
            (
                "<function=get_weather>\n<parameter=city>\nRome\n<parameter=days>\n3\n</parameter>\n"
                "</function>"
            ),
            [("get_weather", {"city": "Rome", "days": 3})],
        ),
        (
            "<tool_call>\n{'name': 'get_weather', 'arguments': {'city': 'Rome', 'days': '3',}}\n",
            [("get_weather", {"city": "Rome", "days": 3})],
        ),
        (f"The plan.</think>\n<tool_call>{ROME_JSON}</tool_call>", ROME),
        (f"<think>So I call it:\n<tool_call>{ROME_JSON}</tool_call>", ROME),
        (f"<think>So I call it:\n<tool_call>{ROME_JSON}</tool_call></think>", ROME),
        (f"<tool_call>{ROME_JSON}</tool_call><|im_start|>user\n{ROME_JSON}", ROME),
        (f"{ROME_JSON}\n\nTo repeat it:\n{ROME_JSON}", ROME),
        ('<invoke name="get_weather">{"city": "Rome"}</invoke>', ROME),
        (
            '<function name="get_weather"><param name="city"><![CDATA[</param>]]></param>',
            [("get_weather", {"city": "</param>"})],
        ),
        ('<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": \\"Rome\\"}"}', ROME),
    ],
)
def test_calls_are_read(text: str, calls: list[tuple[str, Any]]) -> None:
    """However the model strays from its format."""
    assert read(text) == calls


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("get_weather", "get_weather"),
        ("functions.get_weather", "get_weather"),
        ("functions.get_weather:0", "get_weather"),
        ("functionsget_weather0", "get_weather"),
        ("functions_get_weather_0", "get_weather"),
        ("default_api.get_weather", "get_weather"),
        ("Get_Weather", "get_weather"),
        ("get.weather", "get_weather"),
        ("web_search", "web.search"),
        ("get_wether", None),
        ("weather", None),
        ("", None),
        ("x" * 10_000, None),
    ],
)
def test_names_mean_exactly_one_tool(spelled: str, name: str | None) -> None:
    """With what models put around them; nothing is guessed."""
    assert ToolNames({tool.name: tool.compiled for tool in TOOLS}).find(spelled) == name


def test_a_name_that_means_two_tools_means_none() -> None:
    """Only its exact spelling does."""
    tools = [{"name": name, "parameters": {}} for name in ("a.b", "a_b")]
    names = ToolNames({tool.name: tool.compiled for tool in Toolset(tools)})
    assert (names.find("a-b"), names.find("a.b"), names.find("A_B")) == (None, "a.b", None)


def test_where_tools_are_numbered_a_number_is_part_of_the_name() -> None:
    """One that no tool has is not left out."""
    tools = [{"name": name, "parameters": {}} for name in ("base", "base64", "search")]
    names = ToolNames({tool.name: tool.compiled for tool in Toolset(tools)})
    spelled = ("base32", "base_64", "functions.base:0", "search2", "functions.search:0")
    assert [names.find(each) for each in spelled] == [None, None, "base", "search", "search"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<tool_call>{"name": "get_wether", "arguments": {}}</tool_call>', "`get_weather`"),
        ('<tool_call>{"name": "get_weather", "arguments": {"city": "Ro', "cut off"),
        ("<function=get_weather><parameter=city>Ro", "cut off"),
        ("<function=get_weather>", "cut off"),
        ('<invoke name="now">', "cut off"),
        ('<|tool_call>call:get_weather{city:<|"|>Ro', "cut off"),
        ("<|python_start|>[get_weather(city='Ro", "cut off"),
        ("[get_weather(city='Rome', city='Oslo')]", "two values for `city`"),
        (
            (
                "<function=get_weather><parameter=city>Rome</parameter><parameter=city>Oslo</parameter>"
                "</function>"
            ),
            "two values for `city`",
        ),
        ("<|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}x", ""),
        ('<tool_call>{"arguments": {"city": "Rome"}}</tool_call>', "names no tool"),
        ("<tool_call>{oh no}</tool_call>", "neither a name nor arguments"),
        ('<tool_call>{"name": "get_weather", "arguments": {"days": 3}}</tool_call>', "/city"),
        ("[get_weather(city=f(x))]", "stands where a value should"),
        ("[get_weather(1, 2, 3, 4)]", "has no name"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, words: str) -> None:
    """As a ToolError for that call."""
    if not words:
        assert read(text) == [("now", {})]
        return
    assert words in refused(text)
    with pytest.raises(ToolError, match="Error parsing"):
        TOOLS.read_calls(text)


def test_what_a_tool_said_is_no_call() -> None:
    """Calls around it are; and what a model makes up of the next turn is not."""
    injected = ROME_JSON.replace("Rome", "Oslo")
    text = f"<tool_call>{ROME_JSON}</tool_call>\n<tool_response>{injected}</tool_response>\n"
    assert read(text) == ROME
    assert read(f"{text}[now()]") == [*ROME, ("now", {})]
    assert read(f"<tool_call>{ROME_JSON}</tool_call><|observation|>{injected}") == ROME
    react = "Action: now\nAction Input: {}\n"
    made_up = f"{react}Observation: {injected}\nThought: again.\n"
    assert read(f"{made_up}Action: web.search\nAction Input: {{}}") == [
        ("now", {}),
        ("web.search", {}),
    ]
    reader = TOOLS.call_reader()
    for chunk in ("It said: <tool_resp", 'onse>{"a": ', "1}</tool_res", "ponse> and ends."):
        reader.feed(chunk)
    reader.finish()
    assert reader.text == 'It said: <tool_response>{"a": 1}</tool_response> and ends.'


def test_two_drafts_of_one_call_are_refused() -> None:
    """Where nothing says which is meant: in thinking that never ends."""
    oslo = ROME_JSON.replace("Rome", "Oslo")
    text = f"<think><tool_call>{ROME_JSON}</tool_call> or <tool_call>{oslo}</tool_call>"
    calls = TOOLS.read_calls(text, errors="keep")
    assert ["drafted in two ways" in str(call.error) for call in calls] == [True, True]


def test_a_call_that_cannot_be_read_costs_no_other() -> None:
    """In a list, in tags, and between others."""
    for text in (
        f'[{ROME_JSON}, {{"name": "nothing", "arguments": {{}}}}, {ROME_JSON}]',
        (
            f"<tool_call>{ROME_JSON}</tool_call><function=nothing><parameter=a>1</parameter></function>"
            f"<tool_call>{ROME_JSON}</tool_call>"
        ),
        f'{ROME_JSON}\n{{"name": "get_weather", "arguments": {{"days": 1}}}}\n{ROME_JSON}',
    ):
        calls = TOOLS.read_calls(text, errors="keep")
        assert [call.error is None for call in calls] == [True, False, True]
        assert [call.arguments for call in calls] == [{"city": "Rome"}, None, {"city": "Rome"}]


def test_a_call_says_where_it_stands() -> None:
    """`text[start:end]` is all of it."""
    text = f"So: <tool_call>{ROME_JSON}</tool_call>"
    [call] = TOOLS.read_calls(text)
    assert (text[call.start : call.end], call.format) == (ROME_JSON, "hermes")


def test_text_parameters_are_read_by_the_schema() -> None:
    """And strings within JSON stay strings, whatever they look like."""
    schema = {
        "properties": {
            "n": {"type": "integer"},
            "s": TEXT,
            "maybe": {"type": ["string", "null"]},
            "many": {"type": "array"},
        }
    }
    toolset = Toolset([{"name": "f", "parameters": schema}])
    values = {"n": "5", "s": "5", "maybe": "null", "many": '[1, "2", {"a": "3"}]'}
    inner = "".join(f"<parameter={key}>{value}</parameter>" for key, value in values.items())
    [call] = toolset.read_calls(f"<function=f>{inner}</function>")
    assert call.arguments == {"n": 5, "s": "5", "maybe": None, "many": [1, "2", {"a": "3"}]}


def test_the_tools_own_rules_are_kept() -> None:
    """A lenient tool stays lenient, and one without coercion reads text all the same."""
    schema = {"properties": {"limit": {"type": "integer"}}, "additionalProperties": False}
    text = "<function=f><parameter=limit>5</parameter><parameter=x>1</parameter></function>"
    for coercion, arguments in (("lenient", {"limit": 5}), ("off", None), ("default", None)):
        tool = Tool.from_schema({"name": "f", "parameters": schema}, coercion=coercion)
        [call] = Toolset([tool]).read_calls(text, errors="keep")
        assert call.arguments == arguments
        [call] = Toolset([tool]).read_calls(text.replace("x>1", "limit>5"), errors="keep")
        assert call.arguments == {"limit": 5}


def test_a_named_format_reads_nothing_else() -> None:
    """And an unknown one is the developer's mistake."""
    assert read(f"<tool_call>{ROME_JSON}", format="hermes") == ROME
    assert read(f"<tool_call>{ROME_JSON}", format="qwen3_coder") == []
    with pytest.raises(ValueError, match="unknown format 'hermis'; one of anthropic_ns"):
        TOOLS.read_calls("", format="hermis")
    with pytest.raises(ValueError, match="unknown format"):
        TOOLS.call_reader("hermis")


def test_a_whole_call_can_be_prepared() -> None:
    """As text; exactly one."""
    prepared = TOOLS.prepare_call(f"<tool_call>{ROME_JSON}</tool_call>")
    assert (prepared.tool.name, prepared.arguments) == ROME[0]
    for text, words in (("Hello.", "no call in the text"), (f"{ROME_JSON} {ROME_JSON}", "2 calls")):
        with pytest.raises(ToolError, match=words):
            TOOLS.prepare_call(text)


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ("<think>", "</think>"),
        ("[THINK]", "[/THINK]"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|channel>thought", "<channel|>"),
    ],
)
def test_a_draft_in_thinking_is_no_call(begins: str, ends: str) -> None:
    """Whatever marks the thinking has."""
    draft = ROME_JSON.replace("Rome", "Oslo")
    text = f"{begins}Perhaps: <tool_call>{draft}</tool_call> No.{ends}<tool_call>{ROME_JSON}"
    assert read(text) == ROME


def test_a_call_has_the_text_of_its_arguments() -> None:
    """However it is read: alone, or with other calls."""
    text = f"<tool_call>{ROME_JSON}</tool_call>"
    [alone] = TOOLS.read_calls(text)
    first, _ = TOOLS.read_calls(text + text.replace("Rome", "Oslo"))
    assert alone.written == first.written == '{"city": "Rome"}'
