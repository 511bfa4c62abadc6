"""Conservation: nothing that a call says is dropped in silence."""

from __future__ import annotations

import re

import pytest
from streaming import read_in_pieces

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


def read(text: str) -> list[Call]:
    """Read the calls of a text, which are the same if it comes in pieces."""
    calls = TOOLS.read_calls(text, errors="keep")
    for size in (1, 5):
        reader = read_in_pieces(TOOLS, text, size)
        assert repr(reader.calls) == repr(calls)
    return calls


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
