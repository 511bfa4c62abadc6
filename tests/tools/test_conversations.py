"""Parse, write back, validate: what stands in the conversation afterwards is JSON."""

from __future__ import annotations

import contextlib
import functools
import json
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from schema2model.errors import ToolError
from schema2model.tools.conversation import named_call
from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
    "additionalProperties": False,
}
TOOL = Tool.from_schema({"name": "forecast", "parameters": SCHEMA})


def test_a_mapping_is_validated_and_left_alone() -> None:
    """What the caller passed is neither changed nor written anywhere."""
    given = {"city": "Rome", "days": "3"}
    call = {"arguments": given}
    prepared = TOOL.prepare(given, call)
    assert prepared.arguments == {"city": "Rome", "days": 3}
    assert given == {"city": "Rome", "days": "3"}
    assert call["arguments"] is given
    assert not prepared.repaired


def test_any_mapping_will_do() -> None:
    """Frameworks hand over mappings that are no dicts."""
    assert TOOL.prepare(MappingProxyType({"city": "Rome"})).arguments == {"city": "Rome"}


@pytest.mark.parametrize(
    "text",
    ['{"city": "Rome", "days": "3"}', b'{"city": "Rome"}', ' \n{"city": "Rome"}\n'],
)
def test_json_text_is_never_rewritten(text: Any) -> None:
    """A value that has to be coerced is no reason to touch the conversation."""
    call = {"arguments": text}
    prepared = TOOL.prepare(text, call)
    assert prepared.arguments["city"] == "Rome"
    assert not prepared.repaired
    assert call["arguments"] is text


@pytest.mark.parametrize(
    "text",
    [
        "{'city': 'Rome', 'days': '3',}",
        '```json\n{"city": "Rome", "days": "3"}\n```',
        '"{\\"city\\": \\"Rome\\", \\"days\\": \\"3\\"}"',
        '{"city": "Rome", "days": "3"',
        bytearray(b"{city: 'Rome', days: '3'}"),
        '\ufeff{"city": "Rome", "days": "3"}',
    ],
)
def test_repaired_text_is_replaced_by_its_json(text: Any) -> None:
    """What is written is what the model said, spelled right; coercion is not in it."""
    call = {"arguments": text}
    prepared = TOOL.prepare(text, call)
    assert prepared.repaired
    assert prepared.arguments == {"city": "Rome", "days": 3}
    assert call["arguments"] == '{"city":"Rome","days":"3"}'
    assert prepared.canonical == '{"city":"Rome","days":3}'


def test_text_is_replaced_before_it_is_validated() -> None:
    """The conversation holds JSON even when the call is refused."""
    call = SimpleNamespace(arguments="{'days': 'soon'}")
    with pytest.raises(ToolError):
        TOOL.prepare(call.arguments, call)
    assert json.loads(call.arguments) == {"days": "soon"}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"city": "Rome", "tags": ["a", "b', {"city": "Rome", "tags": ["a", "b"]}),
        ('{"city": "Rome"}{"city": "Oslo"}', {}),
        ("I would rather not.", {}),
    ],
)
def test_unreadable_text_is_replaced_by_what_can_be_read(text: str, left: Any) -> None:
    """A call that is cut off is refused, and the next request goes through all the same."""
    call = {"arguments": text}
    with pytest.raises(ToolError, match="Error parsing arguments for `forecast`:"):
        TOOL.prepare(text, call)
    assert json.loads(call["arguments"]) == left


def test_empty_text_is_an_empty_call() -> None:
    """Providers send "" for a call without arguments, and refuse to be sent it back."""
    tool = Tool.from_schema({"name": "now", "parameters": {"type": "object"}})
    call = {"arguments": ""}
    prepared = tool.prepare("", call)
    assert prepared.arguments == {}
    assert prepared.repaired
    assert call["arguments"] == "{}"
    assert tool.prepare(None).arguments == {}


@pytest.mark.parametrize("key", ["arguments", "input", "args"])
def test_text_stays_text_and_an_object_an_object(key: str) -> None:
    """A call keeps the type of what it held."""
    text = "{'city': 'Rome'}"
    as_text: dict[str, Any] = {key: text}
    TOOL.prepare(text, as_text)
    assert as_text[key] == '{"city":"Rome"}'
    as_object = SimpleNamespace(**{key: {"partial": text}})
    TOOL.prepare(text, as_object)
    assert getattr(as_object, key) == {"city": "Rome"}


@pytest.mark.parametrize("text", ["{'city': 'Rome'}", "[{'city': 'Rome'}]"])
def test_providers_that_want_objects_get_objects(text: str) -> None:
    """Anthropic, Gemini and LangChain refuse text, whatever stood there before."""
    anthropic: dict[str, Any] = {"type": "tool_use", "name": "forecast", "input": text}
    TOOL.prepare(text, anthropic)
    assert anthropic["input"] == {"city": "Rome"}
    gemini: dict[str, Any] = {"functionCall": {"name": "forecast", "args": text}}
    TOOL.prepare(text, gemini)
    assert gemini["functionCall"]["args"] == {"city": "Rome"}
    with pytest.raises(ToolError):
        TOOL.prepare("no", anthropic)
    assert anthropic["input"] == {}


@pytest.mark.parametrize("text", ['{"city": "Rome"}', '{"town": "Rome"}'])
@pytest.mark.parametrize("name", ["forecast", "unknown"])
def test_text_that_is_the_json_of_an_object_becomes_one_where_text_is_refused(
    name: str, text: str
) -> None:
    """Also if the call is."""
    anthropic = {"type": "tool_use", "id": "t1", "name": name, "input": text}
    bedrock = {"toolUseId": "t1", "name": name, "input": text}
    for call in (anthropic, bedrock):
        with contextlib.suppress(ToolError):
            Toolset([TOOL]).prepare_call(call)
    assert anthropic["input"] == bedrock["input"] == json.loads(text)


def test_a_setter_is_given_the_text() -> None:
    """Anything that can be called takes it, once; also a partial, which has `args`."""
    written: list[str] = []
    TOOL.prepare("{'city': 'Rome'}", written.append)
    TOOL.prepare("{'city': 'Oslo'}", functools.partial(written.append))
    assert written == ['{"city":"Rome"}', '{"city":"Oslo"}']


def test_a_call_that_cannot_be_written_to_says_so() -> None:
    """That is a bug of the application, and what to do is in the message."""

    class Frozen(BaseModel):
        model_config = ConfigDict(frozen=True)
        arguments: str

    with pytest.raises(TypeError, match="pass a function"):
        TOOL.prepare("{'city': 'Rome'}", Frozen(arguments=""))
    with pytest.raises(TypeError, match="no `arguments`, `input`, `args`"):
        TOOL.prepare("{'city': 'Rome'}", {"name": "forecast"})


def test_the_result_is_frozen_and_tells_what_happened() -> None:
    """Changes are those of the schema, after the one of the text."""
    prepared = TOOL.prepare("{'city': 'Rome', 'days': '3'}")
    text, quotes, days = prepared.changes
    assert (text.rule, quotes.rule, days.rule) == ("repair_text", "repair_text", "json_text")
    assert quotes.after.startswith("read ' as a quote at character 1")
    assert prepared.args == ()
    assert prepared.kwargs == {"city": "Rome", "days": 3}
    assert prepared.tool is TOOL
    assert "forecast" in repr(prepared)
    for name in ("arguments", "repaired", "canonical", "other"):
        with pytest.raises(AttributeError):
            setattr(prepared, name, None)
    assert TOOL.prepare({"city": "Rome"}).changes == ()
    assert len(TOOL.prepare({"city": "Rome", "tags": '["a"]'}).changes) == 1
    assert len(TOOL.prepare('{"city": "Rome", "tags": "[]"}').changes) == 1


def test_a_string_that_the_schema_wants_is_no_double_encoding() -> None:
    """A whole call that is a string is left as it is."""
    tool = Tool.from_schema({"name": "say", "parameters": {"type": "string"}})
    call = {"arguments": '"{}"'}
    prepared = tool.prepare(call["arguments"], call)
    assert prepared.arguments == "{}"
    assert (prepared.args, prepared.kwargs) == (("{}",), {})
    assert call["arguments"] == '"{}"'


@pytest.mark.parametrize("text", ['"hello"', "null", "[]", "3", '"null"', '"[1]"'])
def test_json_that_is_no_object_becomes_one(text: str) -> None:
    """Providers refuse it like any malformed text."""
    call = {"arguments": text}
    with pytest.raises(ToolError):
        TOOL.prepare(text, call)
    assert call["arguments"] == "{}"
    tool = Tool.from_schema({"name": "now", "parameters": {"properties": {}}})
    assert tool.prepare("null").repaired
    assert tool.prepare(None).arguments == tool.prepare("").arguments == {}
    with pytest.raises(ToolError, match="must be a JSON object"):
        tool.prepare("3")


def test_a_schema_of_arrays_keeps_its_arrays() -> None:
    """Nobody offers such a tool to a provider, and a transport of one's own may."""
    schema = {"type": "array", "items": {"type": "integer"}}
    tool = Tool.from_schema({"name": "sum", "parameters": schema})
    call = {"arguments": '["1"]'}
    assert tool.prepare(call["arguments"], call).arguments == [1]
    assert call["arguments"] == '["1"]'
    call = {"arguments": "\"['1']\""}
    assert tool.prepare(call["arguments"], call).repaired
    assert call["arguments"] == '["1"]'


@pytest.mark.parametrize("text", ["{'q': '\ud800'}", '```{"q": "\\ud800"}```'])
def test_half_a_surrogate_pair_is_written_back_as_an_escape(text: str) -> None:
    """The conversation holds JSON that can be encoded, whatever becomes of the call."""
    tool = Tool.from_schema({"name": "t", "inputSchema": {"properties": {"q": {"type": "string"}}}})
    call = {"arguments": text}
    with contextlib.suppress(ToolError):
        tool.prepare(text, call)
    assert call["arguments"] == '{"q":"\\ud800"}'


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ({"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}, "{}"),
        (SimpleNamespace(function=SimpleNamespace(name="f", arguments="{}")), "{}"),
        ({"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}, "{}"),
        ({"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}, {"a": 1}),
        (SimpleNamespace(type="tool_use", name="f", input={}), {}),
        ({"functionCall": {"name": "f", "args": {"a": 1}}}, {"a": 1}),
        (SimpleNamespace(text=None, function_call=SimpleNamespace(name="f", args=None)), None),
        ({"name": "f", "arguments": {"a": 1}}, {"a": 1}),
        ({"method": "tools/call", "params": {"name": "f", "arguments": {"a": 1}}}, {"a": 1}),
        ({"method": "tools/call", "params": {"name": "f"}}, None),
        (SimpleNamespace(call_id="1", name="f", arguments="{}"), "{}"),
        ({"name": "f", "args": {"a": 1}, "id": "1", "type": "tool_call"}, {"a": 1}),
    ],
)
def test_calls_of_every_provider_are_read(call: Any, arguments: Any) -> None:
    """OpenAI, Anthropic, Gemini, MCP, LiveKit and LangChain, objects and dicts."""
    assert named_call(call) == ("f", arguments)
