"""What is a call and what is none, which tool is meant, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from case_tests import coercions, each_case
from cases import Case, cases
from searching import every_nth
from streaming import read_in_pieces

from schema2model import ToolError, Toolset
from schema2model.calls.tool_names import ToolNames

TOOLS = Toolset(cases("calls")[0].tools)
ROME = [("get_weather", {"city": "Rome"})]
ROME_JSON = '{"name": "get_weather", "arguments": {"city": "Rome"}}'
JSON_OF_NOW = '{"name": "now", "arguments": {}}'


def read(text: str, **options: Any) -> list[tuple[str, Any]]:
    """ToolNames and arguments of the calls in a text."""
    return [(call.name, call.arguments) for call in TOOLS.read_calls(text, **options)]


def refused(text: str) -> str:
    """What the model is told of the one call that cannot be read."""
    [call] = [call for call in TOOLS.read_calls(text, errors="keep") if call.error]
    return str(call.error)


@each_case("calls", "mentioned")
def test_what_is_only_mentioned_is_not_called(case: Case) -> None:
    """A plain answer holds no call, and nothing in it is refused."""
    assert TOOLS.read_calls(case.input, errors="keep") == case.result == []


@each_case("calls", "called")
def test_calls_are_read(case: Case) -> None:
    """A call is read however the model strays from its format."""
    assert read(case.input) == [(call["name"], call["arguments"]) for call in case.result]


@each_case(
    "calls",
    *("refused", "refused in part", "by the schema", "by the rules", "named format"),
    *("several faults", "by itself"),
)
def test_each_call_is_read_or_refused(case: Case) -> None:
    """The schema and the rules of its tool decide, and a refused call affects no other."""
    (coercion,) = coercions(case)
    toolset = Toolset(case.tools, coercion=coercion)
    calls = toolset.read_calls(case.input, format=case.line.get("format"), errors="keep")
    assert case.result == [
        {"refused": True} if call.error else {"name": call.name, "arguments": call.arguments}
        for call in calls
    ]


BONN_JSON = ROME_JSON.replace("Rome", "Bonn")
BEFORE = {
    "prose": "I looked it up.\n",
    "a page of prose": "I looked it up. " * 40 + "\n\n",
    "a draft": "<think>Maybe get_weather(city='Bonn')?</think>\n",
    "a result": f"<tool_response>{BONN_JSON}</tool_response>\n",
    "an observation": f"I looked.\nObservation: {BONN_JSON}\nThought: go on.\n",
}
AFTER = {
    "prose": "\nDone, I think.",
    "a page of prose": "\n\n" + "It is all well. " * 40,
    "a result": f"\n<tool_response>{BONN_JSON}</tool_response>",
    "an observation": f"\nObservation: {BONN_JSON}",
}
ALONE = ("get_weather\n", "get_weather(city=it's")
"""Texts without a marker that are calls if there is nothing else."""
EXACT_WORDS = {"several faults", "by itself"}
"""Groups of texts that are a whole reply; their errors are compared word by word."""
OPEN = (
    *("<think>So I call it:", "I look.", 'get_weather(city=x"a)"', "<|tool_call_begin|>"),
    *("<tool_call>get_weather(city='Ro\n", "<|python_start|>[get_weather(city='Oslo')\n"),
    *(f'{ROME_JSON}\n{{"', f"{ROME_JSON}\nget_"),
)
"""Texts whose last call is another, or none, if they go on."""


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_what_is_before_changes_no_call(before: str) -> None:
    """On lines of its own, in a stream; and all of it is shown, but for thinking."""
    shown = before * (not before.startswith("<think>"))
    for toolset, text in alone_and(ALONE):
        calls, words = in_pieces(toolset, text, len(text) or 1)
        assert in_pieces(toolset, before + text, 29) == (calls, shown.split() + words), text


@pytest.mark.parametrize("after", AFTER.values(), ids=AFTER)
def test_what_is_after_changes_no_call(after: str) -> None:
    """On lines of its own, in a stream."""
    for toolset, text in alone_and(OPEN):
        calls, _ = in_pieces(toolset, text, len(text) or 1)
        assert in_pieces(toolset, text + after, 29)[0] == calls, text


@pytest.mark.search
@pytest.mark.parametrize("after", [*AFTER.values()][-2:], ids=[*AFTER][-2:])
def test_a_result_is_no_call_wherever_the_one_before_it_breaks_off(after: str) -> None:
    """What a tool answers is never run."""
    for toolset, text in alone_and(()):
        for end in every_nth(range(len(text)), 11):
            calls = toolset.read_calls(text[:end] + after, errors="keep")
            assert {"city": "Bonn"} not in [call.arguments for call in calls], text[:end]


def alone_and(others: tuple[str, ...]) -> Iterator[tuple[Toolset, str]]:
    """The text of each case but those that begin so, with its tools."""
    toolsets: dict[str, Toolset] = {}
    for case in cases("calls"):
        is_alone = not case.input.startswith(others) and "format" not in case.line
        if is_alone and case.group not in EXACT_WORDS:
            yield toolsets.setdefault(f"{case.tools}", Toolset(case.tools)), case.input


def in_pieces(toolset: Toolset, text: str, size: int) -> tuple[list[Any], list[str]]:
    """The calls of a stream, and the words of it that are shown."""
    reader = toolset.call_reader()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    calls = [call for piece in pieces for call in reader.feed(piece)] + reader.finish()
    outcomes = [(call.name, call.arguments, call.error is None) for call in calls]
    return outcomes, reader.text.split()


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


@each_case("calls")
def test_a_call_says_where_it_is_and_the_rest_is_shown(case: Case) -> None:
    """Also which format it has, and where it is refused; and all the same in a stream."""
    (coercion,) = coercions(case)
    toolset = Toolset(case.tools, coercion=coercion)
    format_ = case.line.get("format")
    calls = toolset.read_calls(case.input, format=format_, errors="keep")
    assert [(call.format, call.start, call.end) for call in calls] == case.spans
    for size in (1, 7, len(case.input) or 1):
        reader = read_in_pieces(toolset, case.input, size, format_)
        assert repr(reader.calls) == repr(calls)
        assert reader.text == case.shown
    if case.group in EXACT_WORDS:
        reasons = [str(call.error) for call in calls if call.error]
        assert "\n".join(reasons) == case.line.get("message", "")


@each_case("calls", "refused")
def test_what_cannot_be_read_is_refused_with_the_reason(case: Case) -> None:
    """The ToolError of the call names the reason."""
    assert case.message in refused(case.input)
    with pytest.raises(ToolError, match=r"Error parsing|There is no tool"):
        TOOLS.read_calls(case.input)


def test_the_result_of_a_tool_is_prose() -> None:
    """The text shows it as it came, with its markers."""
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
    told = "arguments for `get_weather`:\n- it was drafted in two ways"
    assert [told in str(call.error) for call in calls] == [True, True]


def test_calls_before_the_end_of_thinking_are_read_if_nothing_follows() -> None:
    """Both, though the beginning of the thinking is missing; the text after it shows drafts."""
    paris = ROME_JSON.replace("Rome", "Paris")
    blocks = f"<tool_call>{ROME_JSON}</tool_call><tool_call>{paris}</tool_call></think>"
    assert read(blocks) == [*ROME, ("get_weather", {"city": "Paris"})]
    assert read(f"{blocks}It is sunny.") == []
    reader = TOOLS.call_reader()
    assert len(reader.finish(blocks)) == len(reader.calls) == 2


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ("<think>", "? No, since"),
        ("<think>Perhaps ", "? No.</think>"),
        ("", "? No.</think>"),
    ],
)
def test_a_call_before_more_thinking_is_refused(begins: str, ends: str) -> None:
    """Though nothing follows the thinking, which may be cut off: it is a draft."""
    for call in (f"<tool_call>{ROME_JSON}</tool_call>", ROME_JSON):
        [refused] = TOOLS.read_calls(begins + call + ends, errors="keep")
        assert "it is within the thinking" in str(refused.error)
        assert refused.arguments is None


def test_a_call_that_proves_to_be_a_draft_is_returned_once() -> None:
    """By `feed`, before the end of the thinking arrives; then `calls` has it refused."""
    reader = TOOLS.call_reader()
    [returned] = reader.feed(f"<tool_call>{ROME_JSON}</tool_call>\nNo. ")
    assert returned.error is None
    assert reader.finish("</think>") == []
    assert [call.error is None for call in reader.calls] == [False]


@pytest.mark.parametrize("draft", [ROME_JSON, f"<tool_call>{ROME_JSON}</tool_call>"])
def test_an_empty_block_after_thinking_is_refused_alone(draft: str) -> None:
    """A draft in thinking that ends is none, whatever comes next."""
    text = f"<think>{draft}? No.</think><tool_call></tool_call>"
    assert "it has neither a name nor arguments" in refused(text)


def test_a_draft_is_refused_before_the_call_that_ends_the_thinking() -> None:
    """Where the end of the thinking is missing; one without marks or of the same call is none."""
    called = f"<tool_call>{ROME_JSON}</tool_call>"
    assert read(f"<think>{JSON_OF_NOW}? No.\n{called}") == ROME
    draft = f"<tool_call>{JSON_OF_NOW}</tool_call>"
    refused, meant = TOOLS.read_calls(f"<think>{draft}? No.\n{called}", errors="keep")
    assert "it is within the thinking" in str(refused.error)
    assert [(meant.name, meant.arguments)] == ROME
    assert read(f"<think>{called}? Yes.\n{called}") == ROME


def test_a_draft_before_the_answer_that_no_tool_is_called_is_none() -> None:
    """The answer is an empty list."""
    assert read(f"<think>Maybe {ROME_JSON}</think>\n[]") == []


def test_a_tool_may_be_called_in_python_by_a_name_with_an_underscore_first() -> None:
    """After a marker."""
    [call] = Toolset([{"name": "_f", "parameters": {}}]).read_calls(
        "<tool_call>_f(a=1)</tool_call>"
    )
    assert (call.name, call.arguments) == ("_f", {"a": 1})


@pytest.mark.parametrize("text", ["{}", "`{}`", "{}  # now", "<tool_call>{}</tool_call>"])
@pytest.mark.parametrize(
    ("written", "city"),
    [
        ('get_weather({"city": "Rome"})', "Rome"),
        (r'get_weather(city=r"C:\new")', r"C:\new"),
        (r'get_weather(city="a\nb")', "a\nb"),
    ],
)
def test_a_call_in_python_by_itself_is_read(text: str, written: str, city: str) -> None:
    """With one object for all arguments, and with the backslashes of a raw string."""
    assert read(text.format(written)) == [("get_weather", {"city": city})]


def test_a_call_in_python_may_be_escaped_for_markdown() -> None:
    """With its strings, as the whole text is."""
    assert read(r"get\_weather(city='New\_York')") == [("get_weather", {"city": "New_York"})]
    assert read(r"get_weather(city='New\_York')") == [("get_weather", {"city": r"New\_York"})]


@pytest.mark.parametrize("text", ["add(1, 2)", "<tool_call>add(1, 2)</tool_call>"])
def test_parameters_may_be_declared_by_a_reference(text: str) -> None:
    """As pydantic writes the schema of a model that refers to itself."""
    number = {"type": "integer"}
    declared = {"type": "object", "properties": {"b": number, "a": number}}
    schema = {"$defs": {"Pair": declared}, "$ref": "#/$defs/Pair"}
    [call] = Toolset([{"name": "add", "parameters": schema}]).read_calls(text)
    assert call.arguments == {"b": 1, "a": 2}


def test_a_long_name_with_two_values_is_shortened() -> None:
    """To its first 80 characters."""
    name = "k" * 90
    said = refused(f"<tool_call>get_weather({name}=1, {name}=2)</tool_call>")
    assert f"it has two values for `{'k' * 80}`\n" in said


def test_a_call_says_where_it_stands() -> None:
    """`text[start:end]` is all of it."""
    text = f"So: <tool_call>{ROME_JSON}</tool_call>"
    [call] = TOOLS.read_calls(text)
    assert (text[call.start : call.end], call.format) == (ROME_JSON, "hermes")
    calls = ["get_weather(city='Rome')", "get_weather(city="]
    text = f"<|python_start|>[{', '.join(calls)}"
    read_calls = TOOLS.read_calls(text, errors="keep")
    assert [text[each.start : each.end] for each in read_calls] == calls


def test_an_unknown_format_is_an_error() -> None:
    """It is the developer's mistake."""
    with pytest.raises(ValueError, match="unknown format 'hermis'; did you mean 'hermes'"):
        TOOLS.read_calls("", format="hermis")
    with pytest.raises(ValueError, match="unknown format"):
        TOOLS.call_reader("hermis")


def test_a_whole_call_can_be_prepared() -> None:
    """As text; exactly one."""
    prepared = TOOLS.prepare_call(f"<tool_call>{ROME_JSON}</tool_call>")
    assert (prepared.tool.name, prepared.arguments) == ROME[0]
    for text, words in (("Hello.", "holds no call"), (f"{ROME_JSON} {ROME_JSON}", "2 calls")):
        with pytest.raises(ToolError, match=words):
            TOOLS.prepare_call(text)


def test_a_call_has_the_text_of_its_arguments() -> None:
    """However it is read: alone, or with other calls."""
    text = f"<tool_call>{ROME_JSON}</tool_call>"
    [alone] = TOOLS.read_calls(text)
    first, _ = TOOLS.read_calls(text + text.replace("Rome", "Oslo"))
    assert alone.written == first.written == '{"city": "Rome"}'


@pytest.mark.parametrize(
    ("schema", "value", "within"),
    [
        *(({"type": "object"}, {}, ""), ({"type": "array"}, [], ""), ({"type": "string"}, "", "")),
        *(
            ({}, "", ""),
            ({"type": "array"}, ["a"], '["a"]'),
            ({"type": "object"}, {"a": 1}, '{"a": 1}'),
        ),
    ],
)
def test_an_element_without_others_within_has_the_type_of_its_parameter(
    schema: Any, value: Any, within: str
) -> None:
    """If it is empty, the text alone does not tell an object from a list or string."""
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    tools = Toolset([{"name": "search", "inputSchema": parameters}])
    mark = "]<]minimax[>["
    lines = ["<tool_call>", '<invoke name="search">', "<x>", "</x>", "</invoke>", "</tool_call>"]
    lines[2] += within
    [call] = tools.read_calls("".join(mark + line for line in lines))
    assert call.arguments == {"x": value}
