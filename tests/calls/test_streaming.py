"""Calls while they arrive: when they are returned, and what is shown before."""

from __future__ import annotations

import random
from typing import Any

import pytest
from streaming import read_in_pieces
from wire import MARKS

from schema2model import CallReader, Toolset

SCHEMA = {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
TOOLS = Toolset([{"name": "get_weather", "parameters": SCHEMA}])
JSON = '{"name": "get_weather", "arguments": {"city": "Rome", "days": 3}}'


def fed(reader: CallReader, text: str) -> list[int]:
    """After how many characters each call was returned."""
    return [at + 1 for at, char in enumerate(text) for _ in reader.feed(char)]


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{JSON}\n</tool_call>",
        "<|python_start|>[get_weather(city='Rome', days=3)]<|python_end|>",
    ],
)
def test_a_call_with_an_end_mark_is_returned_with_it(text: str) -> None:
    """Where no value is text that may hold the mark: with its last character."""
    assert fed(TOOLS.call_reader(), text) == [len(text)]


@pytest.mark.parametrize(
    "text",
    [
        "<function=get_weather><parameter=city>Rome</parameter></function>",
        '<invoke name="get_weather"><parameter name="city">Rome</parameter></invoke>',
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
    ],
)
def test_a_call_with_text_values_is_returned_when_the_next_begins(text: str) -> None:
    """An end may be part of a value: the next call says so, or the end of the text."""
    reader = TOOLS.call_reader()
    assert fed(reader, f"{text}\nDone.") == []
    assert len(reader.finish()) == 1
    reader = TOOLS.call_reader()
    assert len(fed(reader, f"{text}\n{text}")) == 1
    assert len(reader.finish()) == 1


@pytest.mark.parametrize(
    "text",
    [
        'get_weather\n{"city": "Rome"}',
        JSON,
        f"[TOOL_CALLS] [{JSON}]",
        "[TOOL_CALLS][get_weather(city='Rome', days=3)]",
        "get_weather(city='Rome')",
        "get_weather(city='Rome: ')",
        "get_weather(city='it's (so)')",
        "get_weather(city='''it's)''')",
    ],
)
def test_a_call_without_an_end_mark_is_returned_when_the_text_ends(text: str) -> None:
    """It may go on, or announce a block of marks."""
    reader = TOOLS.call_reader()
    assert fed(reader, f"{text}\n") == []
    [call] = reader.finish()
    assert call.error is None


def test_a_call_that_a_block_of_marks_repeats_is_returned_once() -> None:
    """The call without marks announces it."""
    reader = TOOLS.call_reader()
    text = f"{JSON}\n<tool_call>{JSON}</tool_call>"
    assert len(fed(reader, text) + reader.finish()) == 1


def test_arguments_are_shown_while_they_arrive() -> None:
    """As `CompiledSchema.partial` shows them; nothing is taken back."""
    reader = TOOLS.call_reader()
    shown: list[Any] = []
    for char in f"Let me see. <tool_call>{JSON}</tool_call>":
        reader.feed(char)
        arriving = reader.arriving
        if arriving is not None and (not shown or arriving.arguments != shown[-1]):
            assert arriving.name == "get_weather"
            shown.append(None if arriving.arguments is None else dict(arriving.arguments))
    assert shown == [None, {}, {"city": "Rome"}, {"city": "Rome", "days": 3}]
    assert reader.arriving is None


def test_parameters_in_tags_are_shown_when_each_is_complete() -> None:
    """Typed by the schema, when the next mark has begun."""
    reader = TOOLS.call_reader()
    reader.feed("<function=get_weather>\n<parameter=days>\n3\n</parameter>\n<parameter=city>\nRo")
    assert reader.arriving == ("get_weather", {"days": 3})
    reader.feed("me\n</parameter>\n<parameter=other>\n")
    assert reader.arriving == ("get_weather", {"days": 3, "city": "Rome"})


def test_prose_is_shown_as_it_comes() -> None:
    """Only what may be the beginning of a call is held back."""
    reader = TOOLS.call_reader()
    reader.feed("The weather in Rome is ")
    assert reader.text.rstrip() == "The weather in Rome is"
    reader.feed("nice; and so <tool")
    assert reader.text.rstrip() == "The weather in Rome is nice; and so"
    reader.feed("s> it is.")
    reader.finish()
    assert reader.text == "The weather in Rome is nice; and so <tools> it is."
    reader = TOOLS.call_reader()
    reader.feed('{"a": 1} is an object, ')
    assert reader.text.rstrip() == '{"a": 1} is an object,'


def test_thinking_is_no_prose() -> None:
    """Nor are markers, and fences around calls."""
    reader = TOOLS.call_reader()
    reader.finish(f"<think>hm</think>Here:\n```json\n{JSON}\n```\nDone.<|im_end|>")
    assert reader.text == "Here:\nDone."


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (f"A\n```json\n{JSON}\n```\nB", "A\nB"),
        (f"```json\n{JSON}\n{JSON}\n```\nB", "B"),
        (f"```json\n{JSON}{JSON}\n```\nB", "B"),
        (f"```json\n{JSON}\n```\n```json\n{JSON}\n```", ""),
        (f"```json\n{JSON}\n```\n{JSON}\n```sh\nls\n```", "```sh\nls\n```"),
        (f"{JSON}\n```sh\nls\n```", "```sh\nls\n```"),
        ("```\nget_weather\n{}\n```\n```\nget_weather\n{}\n```\n", ""),
        (f"```\n<tool_call>{JSON}</tool_call>\n<tool_call>{JSON}</tool_call>\n```\nB", "B"),
        ("```python\nget_weather()\nget_weather()\n```", ""),
    ],
)
def test_a_fence_around_calls_is_no_prose(text: str, prose: str) -> None:
    """Around one or several, whole or as it arrives; but one of its own after them is."""
    for chunks in ([text], [*text]):
        reader = TOOLS.call_reader()
        for chunk in chunks:
            reader.feed(chunk)
        reader.finish()
        assert reader.text == prose


@pytest.mark.parametrize(
    ("opener", "size", "unfinished"),
    [
        ('An example: {"note": "', 50, 0),
        ('[{"note": 1, ', 50, 0),
        ('{"arguments": {"city": "', 100_100, 0),
        ("get_weather(city='", 100_100, 1),
    ],
)
def test_a_value_that_does_not_end_is_told_when_the_text_ends(
    opener: str, size: int, unfinished: int
) -> None:
    """What is no call is shown then, all of it."""
    text = opener + "word " * (size // 5)
    reader = TOOLS.call_reader()
    for at in range(0, len(text), 50):
        reader.feed(text[at : at + 50])
    assert len(reader.finish()) == unfinished
    assert reader.text == text * (not unfinished)


def test_a_call_in_prose_may_name_its_tool_late() -> None:
    """Whatever is in its arguments."""
    call = f'{{"arguments": {{"city": "{"x" * 50_000}"}}, "name": "get_weather"}}'
    [read] = TOOLS.read_calls(f"So: {call}")
    assert len(read.arguments["city"]) == 50_000


@pytest.mark.parametrize("size", [1, 5, 100])
def test_an_unfinished_call_takes_the_rest_of_the_text(size: int) -> None:
    """However it comes, and also where a quote of three characters may end."""
    text = '>>>get_weather\n{"city": """ab'
    reader = TOOLS.call_reader()
    for start in range(0, len(text), size):
        reader.feed(text[start : start + size])
    [call] = reader.finish()
    assert (call.start, call.end, reader.text) == (0, len(text), "")
    [whole] = TOOLS.call_reader().finish(text)
    assert (whole.start, whole.end) == (0, len(text))


def test_an_answer_in_its_own_channel_is_shown_as_it_comes() -> None:
    """No call is read in it."""
    reader = TOOLS.call_reader()
    reader.feed("<|channel|>final<|message|>")
    shown = []
    for _ in range(50):
        reader.feed("word ")
        shown.append(len(reader.new_text()))
    assert all(shown[20:])


@pytest.mark.parametrize("before", ["Write `<tool_call>", "Observation: {"])
def test_text_in_which_no_call_is_read_is_shown_at_last(before: str) -> None:
    """A mention and a result whose ends are missing."""
    reader = TOOLS.call_reader()
    for chunk in (before, *["word "] * 50):
        reader.feed(chunk)
    assert reader.finish() == []
    assert reader.text == before + "word " * 50


def test_marks_in_any_order_end_alike_whole_and_in_chunks() -> None:
    """And the calls, read or refused, are in the order of the text."""
    marks = MARKS
    words = [JSON, "get_weather", "get_weather(city='Rome')", "fetch(url='x')", '"city": "x"', ": "]
    pieces = [*marks, *words * 4, *"{}[](),\"'`\n", "```json\n", "Let me see. ", "<think>"]
    chance = random.Random(48)  # noqa: S311 - a seed, no secret
    for _ in range(400):
        text = "".join(chance.choices(pieces, k=chance.randint(1, 8)))
        calls = TOOLS.read_calls(text, errors="keep")
        assert [call.start for call in calls] == sorted(call.start for call in calls)
        reader, at = TOOLS.call_reader(), 0
        while at < len(text):
            size = chance.randint(1, 12)
            reader.feed(text[at : at + size])
            at += size
        reader.finish()
        assert repr(reader.calls) == repr(calls), text


@pytest.mark.parametrize("size", [1, 7, 30])
def test_a_mark_in_a_string_that_has_not_arrived_yet_ends_no_block(size: int) -> None:
    """What is said of a call does not depend on how much of the next value is there."""
    named = "[TOOL_CALLS]get_weather[ARGS]"
    text = f'{named}{{"city": "Rome"}}, {{"b": "zz {named}{{}} {"y" * 40}"}}'
    reader = read_in_pieces(TOOLS, text, size)
    whole = TOOLS.read_calls(text, errors="keep")
    assert [str(call.error) for call in reader.calls] == [str(call.error) for call in whole]


@pytest.mark.parametrize(
    "call",
    [
        "<function=get_weather><parameter=city>Rome</parameter></function>",
        '<invoke name="get_weather"><parameter name="city">Rome</parameter></invoke>',
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
        f"<tool_call>{JSON}</tool_call>",
    ],
)
def test_a_call_that_may_be_an_example_does_not_arrive(call: str) -> None:
    """It is shown as text if prose follows."""
    reader = TOOLS.call_reader()
    for char in f"An example:\n```\n{call}\n```\nIt is run. " + "So it goes on. " * 9:
        reader.feed(char)
        assert reader.arriving is None
    assert reader.finish() == []
    assert call in reader.text


BLOCK = f"```\n<tool_call>{JSON}</tool_call>\n```\n"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f'```json\n{{"a": 1}}\n```\n{BLOCK}So.', 0),
        (f'```json\n{{"a": 1}}\n```\n{BLOCK}', 1),
        (f'```json\n{{"a": 1}}\n```\nThen:\n{BLOCK}So.', 0),
        (f"Look:\n<tool_response>```{'x' * 200}</tool_response>\n{BLOCK}So.", 0),
        (f"```json\n{JSON}\n```{'x' * 350}", 1),
        ("\u2028get_weather(", 0),
    ],
)
def test_prose_says_what_is_a_call_however_it_comes(text: str, number: int) -> None:
    """Prose or another block before it makes an example of a block that prose follows."""
    whole = TOOLS.call_reader()
    whole.finish(text)
    assert len(whole.calls) == number
    for size in (1, 2, 7, len(text)):
        reader = read_in_pieces(TOOLS, text, size)
        assert [(call.arguments, str(call.error)) for call in reader.calls] == [
            (call.arguments, str(call.error)) for call in whole.calls
        ]
        assert reader.text == whole.text


@pytest.mark.parametrize(
    ("parameters", "arguments", "early"),
    [
        ('about" string="false">[null, "1"]', {"about": [None, "1"]}, {"days": 3}),
        ('about" string="false">[null, 1]', {"about": [None, 1]}, {"days": 3}),
        ('about" string="true">5', {"about": "5"}, {"days": 3}),
    ],
)
def test_a_parameter_that_may_mean_another_value_does_not_arrive(
    parameters: str, arguments: dict[str, Any], early: dict[str, Any]
) -> None:
    """Its text is the value if all of them are valid so: that is known at the end."""
    schema = {"properties": {"about": {}, "days": {"type": "integer"}}}
    reader = Toolset([{"name": "note", "parameters": schema}]).call_reader()
    bar = "｜DSML｜"
    values = ('days" string="false">3', parameters)
    inner = "".join(f'<{bar}parameter name="{each}</{bar}parameter>' for each in values)
    reader.feed(f'<{bar}invoke name="note">{inner}')
    assert reader.arriving == ("note", early)
    [call] = reader.finish(f"</{bar}invoke>")
    assert call.arguments == {"days": 3, **arguments}
