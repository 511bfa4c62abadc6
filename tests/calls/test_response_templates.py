"""Formats made of a `response_template`, by which Hugging Face's transformers reads its models."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from streaming import read_in_pieces

from schema2model import Toolset, WireFormat

ADD = {
    "name": "add",
    "parameters": {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "s": {"type": "string"},
            "l": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["a"],
    },
}
SENT = {"a": 1, "s": "5", "l": ["p", "q"]}
WHOLE = {"type": "function", "function": "{content}"}
NAMED = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
ITEMS = {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}}
OBJECT = '{"a": 1, "s": "5", "l": ["p", "q"]}'
CALL = f'{{"name": "add", "arguments": {OBJECT}}}'


def inline(opens: str, closes: str, tag: str) -> dict[str, Any]:
    """A field whose parameters are text between tags."""
    args = {"tag_pattern": tag, "value_parser": {"name": "json", "args": {"allow_non_json": True}}}
    field = {"content": "xml-inline", "content_args": args, "transform": NAMED}
    return {"open_pattern": opens, "close": closes, **field}


def tagged(opens: str, parameter: str, closes: str) -> str:
    """The call, by the marks of a parameter with a key and a value."""
    members = (("a", "1", "false"), ("s", "5", "true"), ("l", '["p", "q"]', "false"))
    inner = "".join(parameter.format(key=k, value=v, text=t) for k, v, t in members)
    return f"{opens}{inner}{closes}"


DSML = "｜DSML｜"
FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "Hermes, Qwen 3": (
        {"open": "<tool_call>\n", "close": "\n</tool_call>", "content": "json", "transform": WHOLE},
        f"<tool_call>\n{CALL}\n</tool_call>",
    ),
    "Qwen 3 Coder": (
        inline(
            r"<tool_call>\s*<function=(?P<name>\w+)>",
            "</tool_call>",
            r"<parameter=(?P<key>\w+)>\s*(?P<value>.*?)\s*</parameter>",
        ),
        tagged(
            "<tool_call>\n<function=add>\n",
            "<parameter={key}>\n{value}\n</parameter>\n",
            "</function>\n</tool_call>",
        ),
    ),
    "GLM 4.5": (
        inline(
            r"<tool_call>(?P<name>[^\n<]+)\s*",
            "</tool_call>",
            r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
        ),
        tagged(
            "<tool_call>add\n",
            "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
            "</tool_call>",
        ),
    ),
    "DeepSeek 3.2, where a word says what is a string": (
        inline(
            f'<{DSML}invoke name="(?P<name>[^"]+)">',
            f"</{DSML}invoke>",
            f'<{DSML}parameter name="(?P<key>[^"]+)" string="(?:true|false)">'
            f"(?P<value>(?:(?!</{DSML}parameter>).)*)</{DSML}parameter>",
        ),
        tagged(
            f'<{DSML}invoke name="add">\n',
            f'<{DSML}parameter name="{{key}}" string="{{text}}">{{value}}</{DSML}parameter>\n',
            f"</{DSML}invoke>",
        ),
    ),
    "a tag for each parameter": (
        inline(r"<x:do name=(?P<name>\w+)>", "</x:do>", r"<(?P<key>\w+)>(?P<value>.*?)</(?P=key)>"),
        tagged("<x:do name=add>", "<{key}>{value}</{key}>", "</x:do>"),
    ),
    "Gemma 4": (
        {
            "open_pattern": r"<\|tool_call>call:(?P<name>\w+)",
            "close": "<tool_call|>",
            "content": "json",
            "content_args": {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]},
            "transform": NAMED,
        },
        '<|tool_call>call:add{a:1,s:<|"|>5<|"|>,l:[<|"|>p<|"|>,<|"|>q<|"|>]}<tool_call|>',
    ),
    "LFM 2": (
        {
            "open": "<|tool_call_start|>",
            "close": "<|tool_call_end|>",
            "content": "python-call-list",
            "transform_each": True,
            "transform": ITEMS,
        },
        '<|tool_call_start|>[add(a=1, s="5", l=["p", "q"])]<|tool_call_end|>',
    ),
    "harmony": (
        {
            "open_pattern": r"(?:<\|start\|>assistant)?<\|channel\|>commentary "
            r"to=functions\.(?P<name>[\w.]+)\s*<\|constrain\|>json<\|message\|>",
            "close": ["<|call|>", "<|end|>"],
            "content": "json",
            "transform": NAMED,
        },
        "<|channel|>commentary to=functions.add <|constrain|>json<|message|>" + OBJECT + "<|call|>",
    ),
    "Kimi K2, whose group has another name": (
        {
            "open_pattern": r"<\|tool_call_begin\|>functions\.(?P<tool>[\w-]+):\d+"
            r"<\|tool_call_argument_begin\|>(?=\{)",
            "close_pattern": r"<\|tool_call_end\|>|\Z",
            "content": "json",
            "transform": {"function": {"name": "{tool}", "arguments": "{content}"}},
        },
        f"<|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{OBJECT}<|tool_call_end|>",
    ),
    "a list of calls": (
        {
            "open": ["[TOOL_CALLS]"],
            "close_pattern": "(?:</s>|$)",
            "content": "json",
            "transform_each": True,
            "transform": ITEMS,
        },
        f"[TOOL_CALLS][{CALL}]</s>",
    ),
    "other keys": (
        {
            "open": "<|do|>",
            "close": "<|done|>",
            "content": "json",
            "transform": {"name": "{content.tool_name}", "arguments": "{content.parameters}"},
        },
        f'<|do|>{{"tool_name": "add", "parameters": {OBJECT}}}<|done|>',
    ),
}


def template(field: Any, name: str = "tool_calls") -> dict[str, Any]:
    """A template as a tokenizer_config.json has it, with one field for calls."""
    fields = {
        "thinking": {"open": "<think>", "close": "</think>", "content": "text"},
        "content": {"close": "<|im_end|>"},
        name: field,
    }
    return {"version": 1, "start_anchor": "<|im_start|>assistant\n", "fields": fields}


def made(field: Any) -> WireFormat:
    """The format of a template that was read from a file."""
    return WireFormat.from_response_template("own", json.loads(json.dumps(template(field))))


@pytest.mark.parametrize(("field", "text"), FIELDS.values(), ids=FIELDS)
def test_the_calls_of_a_template_are_read(field: dict[str, Any], text: str) -> None:
    """After a sentence, once and twice, whole and in pieces; and what the format writes."""
    mine = made(field)
    tools = Toolset([ADD], wire_formats=[mine])
    for written in (text, text + "\n" + text, mine.write([("add", SENT)] * 3)):
        calls = tools.read_calls(f"I call it.\n{written}")
        assert [(call.name, call.arguments) for call in calls] in (
            [("add", SENT)] * count for count in (1, 2, 3)
        )
        assert {call.format for call in calls} == {"own"}
        for size in (1, 7):
            reader = read_in_pieces(tools, written, size)
            assert [call.arguments for call in reader.calls] == [call.arguments for call in calls]
            assert not reader.text.strip()


def test_a_field_with_a_transform_holds_the_calls() -> None:
    """Where none is called `tool_calls`."""
    field = FIELDS["Hermes, Qwen 3"][0]
    mine = WireFormat.from_response_template("own", template(field, "actions"))
    assert mine == made(field)


def test_an_optional_mark_before_a_call_is_not_shown() -> None:
    """The call itself is the same with it and without."""
    field, text = FIELDS["harmony"]
    reader = Toolset([ADD], wire_formats=[made(field)]).call_reader()
    reader.finish(f"<|start|>assistant{text}<|end|>")
    assert ([call.arguments for call in reader.calls], reader.text) == ([SENT], "")


TAGS = FIELDS["Qwen 3 Coder"][0]
JSON = FIELDS["Hermes, Qwen 3"][0]
GEMMA = FIELDS["Gemma 4"][0]
REFUSED: dict[str, tuple[Any, str]] = {
    "no field": (None, "the template has no field `tool_calls`"),
    "lines": ({**TAGS, "content": "kv-lines"}, "tool_calls.content is 'kv-lines' between"),
    "text": ({**JSON, "content": "text"}, "tool_calls.content is 'text' between '<tool_call>"),
    "tags without a name": (
        {**TAGS, "transform": {"name": "{tool}", "arguments": "{content}"}},
        r"tool_calls.open_pattern has '\(\?P<name>",
    ),
    "options that are none": ({**JSON, "content_args": 5}, "tool_calls.content_args is 5"),
    "other delimiters": (
        {**GEMMA, "content_args": {"string_delims": [["«", "»"]]}},
        r"tool_calls.content_args.string_delims is \[\['«', '»'\]\]",
    ),
    "no mark": ({**JSON, "open": []}, "tool_calls.open is "),
    "two marks": ({**JSON, "open": ["<a>", "<b>"]}, "tool_calls.open are 2 marks"),
    "two ends of text": ({**TAGS, "close": ["</a>", "</b>"]}, "tool_calls.close are several marks"),
    "a placeholder as text": ({**JSON, "open": "<{name}>"}, "tool_calls.open is '<{name}>'"),
    "any text": ({**TAGS, "open_pattern": "<x>.*?<y>"}, r"tool_calls.open_pattern has '\.\*\?<y>'"),
    "an alternative": ({**TAGS, "open_pattern": "<x>|<y>"}, r"tool_calls.open_pattern has '\|<y>'"),
    "an optional mark": (
        {**TAGS, "open_pattern": "<x>(?:<y>)?(?P<name>.+)"},
        r"tool_calls.open_pattern has '\(\?:<y>\)\?",
    ),
    "repeated groups": (
        {**TAGS, "open_pattern": r"<x>((\w+)*)*(?P<name>\w+)"},
        r"tool_calls.open_pattern has '\(\(",
    ),
    "a repeated character": (
        {**TAGS, "open_pattern": "<x>a+"},
        r"tool_calls.open_pattern has 'a\+'",
    ),
    "a long pattern": ({**TAGS, "open_pattern": "<" * 1001}, "tool_calls.open_pattern is '<<<"),
    "a pattern that is none": ({**TAGS, "open_pattern": 5}, "tool_calls.open_pattern is 5"),
    "no pattern of tags": (
        {**TAGS, "content_args": {}},
        "tool_calls.content_args.tag_pattern is None",
    ),
    "a tag without a value": (
        {**TAGS, "content_args": {"tag_pattern": r"<(?P<key>\w+)/>"}},
        "tool_calls.content_args.tag_pattern has no group `value`",
    ),
    "a name without a place": (
        {**JSON, "transform": {"function": {"name": "f", "arguments": "{content}"}}},
        "tool_calls.transform does not say where the name and the arguments are",
    ),
    "keys that no call has": (
        {**JSON, "transform": {"name": "{content.fn}", "arguments": "{content.x}"}},
        "tool_calls.transform has calls with the keys fn and x",
    ),
    "arguments in the call's object": (
        {**TAGS, "transform": {"name": "{name}", "arguments": "{content.args}"}},
        "tool_calls.transform has other arguments than what is between the marks",
    ),
    "marks that any text has": ({**JSON, "open": "{"}, "the format 'own': a call begins with '{'"),
}


@pytest.mark.parametrize(("field", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_marks_cannot_express_is_refused(field: Any, reason: str) -> None:
    """With its place in the template."""
    with pytest.raises(ValueError, match=reason):
        made(field)


@pytest.mark.parametrize("given_", [None, 5, "x", [], {}, {"fields": []}])
def test_only_a_template_is_taken(given_: Any) -> None:
    """With what was given."""
    with pytest.raises(TypeError, match="a response_template is an object with `fields`, not"):
        WireFormat.from_response_template("own", given_)


PIECES = st.sampled_from(
    (
        *("(?P<name>", "(?P<key>", "(?P<value>.*?)", "(?P=key)", "(?:", "(?=", "(", ")", ")?"),
        *("[", "]", "[^>]+", r"\w+", r"\s*", r"\d+", "*", "+", "{9}", "|", "$", ".*", "\\"),
        *("<x>", "</x>", "a", "é"),
    )
)


@settings(max_examples=500)
@given(st.lists(PIECES, max_size=40).map("".join), st.lists(PIECES, max_size=40).map("".join))
def test_any_pattern_is_marks_or_is_refused(pattern: str, tag: str) -> None:
    """By a ValueError; and what is taken reads any text without an exception."""
    field = copy.deepcopy(TAGS)
    field["open_pattern"], field["content_args"] = f"<do{pattern}", {"tag_pattern": tag}
    try:
        mine = made(field)
    except ValueError:
        return
    tools = Toolset([ADD], wire_formats=[mine])
    tools.read_calls(f"{mine.write([('add', SENT)])}<do{'<x>' * 20}", errors="keep")


@pytest.mark.parametrize(
    "unit", ["(?P<name>", "[", "(", r"\s*", "(?P<name>[", "((a+)+", "(?:a|", "[\\s"]
)
def test_a_hostile_pattern_takes_no_time(unit: str) -> None:
    """It is as long as one may be, and is refused or taken by its pieces."""
    pattern = f"<do>{unit * 200}"[:1000]
    try:
        mine = made({**TAGS, "open_pattern": pattern})
    except ValueError:
        return
    assert Toolset([ADD], wire_formats=[mine]).read_calls(f"<do>{' ' * 2000}x", errors="keep") == []
