"""Conservation: nothing that a call says is dropped in silence."""

from __future__ import annotations

import re
from typing import Any

import pytest

from schema2model import Call, Toolset

TOOLS = Toolset(
    [
        {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
        {
            "name": "book",
            "parameters": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "date": {"type": "string"},
                    "start": {"type": "string"},
                },
            },
        },
    ]
)
NICE = '{"name": "get_weather", "arguments": {"city": "Nice"}'


def read(text: str) -> list[Call]:
    """Read the calls of a text, which are the same if it comes in pieces."""
    calls = TOOLS.read_calls(text, errors="keep")
    for size in (1, 5):
        reader = TOOLS.call_reader()
        for at in range(0, len(text), size):
            reader.feed(text[at : at + size])
        reader.finish()
        assert repr(reader.calls) == repr(calls)
    return calls


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (f'<tool_call>{NICE}, "days": 10}}</tool_call>', {"city": "Nice", "days": 10}),
        (f'{NICE}, "days": 10}}', {"city": "Nice", "days": 10}),
        (f'{NICE}, "id": 3, "reason": "asked"}}', {"city": "Nice"}),
        (
            '{"thought": "hm", "action": "get_weather", "action_input": {"city": "Nice"}}',
            {"city": "Nice"},
        ),
        (
            "book(title='T', date: 2026-05-21, start: 10:00)",
            {"title": "T", "date": "2026-05-21", "start": "10:00"},
        ),
        (
            "<function=get_weather>\n<parameter=city>\na </parameter> b\n</parameter>\n</function>",
            {"city": "a </parameter> b"},
        ),
        (
            f'<tool_call>{NICE.replace("Nice", "Nice")}, "name": "get_weather"}}</tool_call>',
            {"city": "Nice"},
        ),
        (
            '[TOOL_CALLS]get_weather{"city": "A", "city": "A"}',
            {"city": "A"},
        ),
        ("get_weather(city='A', city='A')", {"city": "A"}),
        (
            "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Nice</tool_call>",
            {"city": "Nice"},
        ),
        (
            "<function=book><parameter=&#100;ate>1</parameter><parameter=a&copy>1</parameter>",
            {"date": "1", "a&copy": 1},
        ),
    ],
)
def test_all_that_a_call_says_is_read(text: str, arguments: dict[str, Any]) -> None:
    """Parameters next to the arguments, labels, and values that look like the end."""
    assert [(call.arguments, call.error) for call in read(text)] == [(arguments, None)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f'<tool_call>{NICE}, "days": 10', "has another one of them"),
        (f'<tool_call>{NICE}, "days": 10}}}}</tool_call>', "has another one of them"),
        (f'<tool_call>{NICE}, "days": "many"}}</tool_call>', "/days: must be an integer"),
        (f'{NICE}, "dayz": 10}}', '"dayz" is outside "arguments"'),
        (
            '{"name": "get_weather", "arguments": {"city": "A", "days": 1}, "days": 2}',
            "two values for `days`",
        ),
        (
            '[TOOL_CALLS]get_weather{"city": "A", "city": "B"}',
            "two values for `city`",
        ),
        (f'<tool_call>{NICE}, "name": "book"}}</tool_call>', "two values for `name`"),
        (
            "<get_weather>\n<city>A</city>\n<city>B</city>\n<days>1",
            "two values for `city`",
        ),
    ],
)
def test_what_contradicts_or_is_misplaced_is_refused(text: str, reason: str) -> None:
    """And the message says where it is."""
    [call] = read(text)
    assert reason in str(call.error)


@pytest.mark.parametrize(
    "text",
    [
        '[get_weather(city="Nice"), get_weather(city="Ro',
        '<|python_start|>[get_weather(city="Nice"), get_weather(city="Ro',
        '<|python_start|>[get_weather(city="Nice"), get_w',
        '[get_weather(city="Nice"), get_w',
        f'{NICE}}}\n{{"name": "get_wea',
        f'[{NICE}}}, {{"na',
        f'[{NICE}}}, {{"name": "get_weather", "arguments": {{"city": "Ro',
        f'<tool_call>{NICE}}}</tool_call>\n<tool_call>{{"name": "get_weather", "argu',
    ],
)
def test_a_call_that_is_cut_off_after_a_complete_one_is_reported(text: str) -> None:
    """The complete one is read."""
    first, second = read(text)
    assert first.arguments == {"city": "Nice"}
    assert second.error


def test_a_missing_closing_tag_joins_no_two_calls() -> None:
    """The value ends before the end of its call."""
    block = "<tool_call>get_weather<arg_key>city</arg_key><arg_value>{}</tool_call>"
    text = block.format("Nice") + "\n" + block.format("Rome</arg_value>")
    assert [call.arguments for call in read(text)] == [{"city": "Nice"}, {"city": "Rome"}]


def test_several_calls_in_one_wrapper() -> None:
    """`tool_uses`, alone or as the arguments of `multi_tool_use.parallel`."""
    uses = '{"tool_uses": [{"recipient_name": "functions.get_weather", "parameters": {"city": "A"}}'
    uses += ', {"recipient_name": "functions.book", "parameters": {"title": "T"}}]}'
    wrapped = f'<tool_call>{{"name": "multi_tool_use.parallel", "arguments": {uses}}}</tool_call>'
    for text in (uses, wrapped, wrapped[11:-12]):
        assert [(call.name, call.arguments) for call in read(text)] == [
            ("get_weather", {"city": "A"}),
            ("book", {"title": "T"}),
        ]


def test_the_final_answer_of_harmony_is_content() -> None:
    """Also if it is JSON that names a tool; a call after it is read."""
    answer = f"<|channel|>final<|message|>{NICE}}}<|return|>"
    assert read(answer) == []
    call = (
        '<|start|>assistant<|channel|>commentary to=functions.book<|message|>{"title": "T"}<|call|>'
    )
    assert [each.name for each in read(answer + call)] == ["book"]


TAGGED = {
    "qwen3_coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nNice\n</parameter>\n"
    "<parameter=days>\n347\n</parameter>\n</function>\n</tool_call>",
    "glm45": "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Nice</arg_value>\n"
    "<arg_key>days</arg_key>\n<arg_value>347</arg_value>\n</tool_call>",
    "minimax_m2": '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Nice'
    '</parameter>\n<parameter name="days">347</parameter>\n</invoke>\n</function_calls>',
}
TOKEN = re.compile(r"<[^<>]*>|\w+|\s+|.", re.DOTALL)


@pytest.mark.parametrize("name", TAGGED)
def test_parameters_in_tags_are_not_lost_in_silence(name: str) -> None:
    """Whichever tag or word is missing, doubled or moved: a call that is read has all values."""
    tokens = TOKEN.findall(TAGGED[name])
    damaged = [
        "".join(edited)
        for index, token in enumerate(tokens)
        for edited in (
            tokens[:index] + tokens[index + 1 :],
            [*tokens[: index + 1], *tokens[index:]],
            [*tokens[:index], *tokens[index + 1 : index + 2], token, *tokens[index + 2 :]],
        )
    ]
    complete = 0
    for text in damaged:
        for call in read(text):
            if not call.error:
                written = str(call.arguments)
                assert all(word in written for word in ("Nice", "347") if word in text), text
                complete += 1
    assert complete > 10


def test_a_value_that_swallows_the_next_one_is_named() -> None:
    """In the message for the model."""
    for name, begins in (
        ("qwen3_coder", "<parameter=days>"),
        ("minimax_m2", '<parameter name="days">'),
    ):
        [call] = read(TAGGED[name].replace(begins, ""))
        assert "the value of `city` does not end" in str(call.error)
