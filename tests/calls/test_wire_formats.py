"""Formats of one's own: declared by their marks, and read like all others."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from streaming import read_in_pieces
from wire import WRITERS

from schema2model import Toolset, WireFormat

PROPERTIES = {
    "a": {"type": "integer"},
    "s": {"type": "string"},
    "o": {
        "type": "object",
        "properties": {
            "k": {"type": "string"},
            "l": {"type": "array", "items": {"type": "integer"}},
        },
    },
    "l": {"type": "array", "items": {"type": "string"}},
}
ADD = {"name": "add", "parameters": {"type": "object", "properties": PROPERTIES}}
TAG = ('<x:do name="{name}">', "</x:do>")
NESTED = WireFormat("nested", ("§+{name}§", "§§"), ("§<{key}>", "§</{key}>"), nested=True)
READ: dict[str, tuple[WireFormat, str, Any]] = {
    "brackets": (
        WireFormat("own", ("[[{name}]]", "[[end]]"), ("[[{key}=", "]]")),
        "[[add]] [[a=1]] [[s=x = y]] [[end]]",
        {"a": 1, "s": "x = y"},
    ),
    "lines": (
        WireFormat("own", ("@@tool {name}\n", "@@!"), ("@@{key}: ", "@@.")),
        "@@tool add\n@@a: 1@@.\n@@s: x\ny@@.\n@@!",
        {"a": 1, "s": "x\ny"},
    ),
    "JSON": (
        WireFormat("own", ("<<<", ">>>")),
        '<<<{"name": "add", "arguments": {"a": "1"}}>>>',
        {"a": 1},
    ),
    "Python": (WireFormat("own", ("@@fn ", "@@.")), '@@fn add(a=1, s="x")@@.', {"a": 1, "s": "x"}),
    "name and JSON": (
        WireFormat("own", ("<call fn={name}>", "</call>")),
        '<call fn=add>{"a": 1}</call>',
        {"a": 1},
    ),
    "name and JSON without an end": (
        WireFormat("own", ("%%{name}%%", "")),
        '%%add%% {"a": 1}',
        {"a": 1},
    ),
    "tags": (
        WireFormat("own", ("<fn:{name}>", "</fn>"), ("<arg:{key}>", "</arg>")),
        "<fn:add><arg:a>1</arg><arg:s>x < y</arg></fn>",
        {"a": 1, "s": "x < y"},
    ),
    "tags on lines": (
        WireFormat("own", ("<fn:{name}>", "</fn>"), ("<arg:{key}>\n", "\n</arg>")),
        "<fn:add>\n<arg:s>\nx\n\n</arg>\n</fn>",
        {"s": "x\n"},
    ),
    "types": (
        WireFormat("own", TAG, ('<x:p name="{key}" type="{type}">', "</x:p>")),
        '<x:do name="add"><x:p name="s" type="string">5</x:p></x:do>',
        {"s": "5"},
    ),
    "a tag for each parameter": (
        WireFormat("own", TAG, ("<{key}>", "</{key}>")),
        '<x:do name="add"><a>1</a><s>x</s></x:do>',
        {"a": 1, "s": "x"},
    ),
    "JSON where parameters belong": (
        WireFormat("own", TAG, ("<{key}>", "</{key}>")),
        '<x:do name="add">{"a": 1}</x:do>',
        {"a": 1},
    ),
    "the mark of a user's turn": (
        WireFormat("own", ("<|user|>", "<|x|>")),
        '<|user|>{"name": "add", "arguments": {"a": 1}}<|x|>',
        {"a": 1},
    ),
    "the mark of any turn": (
        WireFormat("own", ("<|im_start|>", "<|im_end|>")),
        '<|im_start|>{"name": "add", "arguments": {"a": 1}}<|im_end|>',
        {"a": 1},
    ),
    "nested": (
        NESTED,
        "§+add§ §<o>§<k>v§</k>§<l>§<item>1§</item>§<item>2§</item>§</l>§</o>§<l>§</l>§<s>§</s>§§",
        {"o": {"k": "v", "l": [1, 2]}, "l": [], "s": ""},
    ),
}


def streamed(tools: Toolset, text: str, size: int) -> tuple[Any, str]:
    """The calls and the prose of a text that comes in pieces."""
    reader = read_in_pieces(tools, text, size)
    return reader.calls, reader.text


@pytest.mark.parametrize(("format_", "written", "arguments"), READ.values(), ids=READ)
def test_a_declared_format_is_read(format_: WireFormat, written: str, arguments: Any) -> None:
    """Whole and in chunks, once or twice, in prose, and by its name."""
    tools = Toolset([ADD], wire_formats=[format_])
    for count in (1, 2):
        text = f"I call it.\n{written * count}\n"
        calls = tools.read_calls(text)
        assert [(call.name, call.arguments) for call in calls] == [("add", arguments)] * count
        assert {call.format for call in calls} == {format_.name}
        assert tools.read_calls(text, format=format_.name) == calls
        for size in (1, 5):
            assert streamed(tools, text, size) == (calls, "I call it.\n")
    with pytest.raises(ValueError, match="unknown format"):
        Toolset([ADD]).read_calls(written, format=format_.name)


@pytest.mark.parametrize(
    "opens", ["<a_b {}>", "<x{}>", "<1{}>", "<,{}>", "(({}:", "\\\\{}:", "◁a:{}:"]
)
def test_what_a_declared_call_quotes_never_runs(opens: str) -> None:
    """Whatever its marks begin with, whole and in chunks."""
    marks = (opens.format("{name}"), "@@end@@"), ("@@p {key}:", "@@q")
    own = WireFormat("own", *marks)
    delete = {"name": "delete_all", "parameters": {"properties": {}}}
    tools = Toolset([ADD, delete], wire_formats=[own])
    quoted = '<tool_call>{"name": "delete_all", "arguments": {}}</tool_call>'
    text = own.write([("add", {"s": quoted})])
    calls = tools.read_calls(text)
    assert [(call.name, call.arguments) for call in calls] == [("add", {"s": quoted})]
    for size in (1, 4):
        assert streamed(tools, text, size) == (calls, "")


@pytest.mark.parametrize(("format_", "written", "arguments"), READ.values(), ids=READ)
def test_an_end_too_many_is_not_shown(format_: WireFormat, written: str, arguments: Any) -> None:
    """The mark that is left over is not prose."""
    tools = Toolset([ADD], wire_formats=[format_])
    calls, prose = streamed(tools, f"I call it.\n{written}{format_.call[1]}\n", 5)
    assert [call.arguments for call in calls] == [arguments]
    assert prose == "I call it.\n"


@pytest.mark.parametrize(("format_", "written", "arguments"), READ.values(), ids=READ)
def test_a_damaged_call_is_read_alike_in_chunks(
    format_: WireFormat, written: str, arguments: Any
) -> None:
    """A piece of it is lost or doubled: no value is another one's, and a stream reads the same."""
    tools = Toolset([ADD], wire_formats=[format_])
    chance = random.Random(format_.name + written)  # noqa: S311 - chance, no secret
    for _ in range(60):
        at = chance.randrange(len(written))
        size = chance.randint(1, 9)
        piece = written[at : at + size] * chance.choice((0, 2))
        text = written[:at] + piece + written[at + size :]
        calls = tools.read_calls(text, errors="keep")
        assert repr(streamed(tools, text, 3)[0]) == repr(calls), text
        for call in calls:
            assert call.error or len(str(call.arguments)) <= len(str(arguments)) + 3 * size, text


def test_minimax_m3_may_be_declared() -> None:
    """The format that is built in, in five lines."""
    mark = "]<]minimax[>["
    mine = WireFormat(
        "mine",
        call=(f'{mark}<invoke name="{{name}}">', f"{mark}</invoke>"),
        parameter=(f"{mark}<{{key}}>", f"{mark}</{{key}}>"),
        nested=True,
        around=(f"{mark}<tool_call>", f"{mark}</tool_call>"),
    )
    sent = {"a": 1, "s": "x", "o": {"k": "5", "l": [1, 2]}, "l": ["a", "b"]}
    text = WRITERS["minimax_m3"]([("add", sent), ("add", {})])
    calls = Toolset([ADD], wire_formats=[mine]).read_calls(text)
    assert [(call.arguments, call.format) for call in calls] == [(sent, "mine"), ({}, "mine")]
    assert [call.format for call in Toolset([ADD]).read_calls(text)] == ["minimax_m3"] * 2


@pytest.mark.parametrize(
    "text",
    [
        "§+add§§<s>x§<a>1§</a>§§",
        "§+add§§<s>x§</a>§§",
        "§+add§§<s>x§</s>y§§",
        "§+add§§<o>§<k>v§</k>w§</o>§§",
        "§+add§§<o>§<k>v§</k>§<k>w§</k>§</o>§§",
        "§+add§§<s>x§</s>§<s>y§</s>§§",
        "§+add§§<s>x",
        "§+add§§</s>§§",
        f"§+add§{'§<o>' * 400}",
    ],
)
def test_marks_out_of_place_are_refused(text: str) -> None:
    """No text is dropped or moved to another parameter; the call after it is read."""
    tools = Toolset([ADD], wire_formats=[NESTED])
    [call] = tools.read_calls(text, errors="keep")
    assert call.error is not None
    *_, last = tools.read_calls(f"{text}§+add§§<a>2§</a>§§", errors="keep")
    assert last.arguments == {"a": 2}


@pytest.mark.parametrize(
    ("schema", "written", "value"),
    [
        (
            {"type": "object", "properties": {"item": {"type": "string"}}},
            "§<item>x§</item>",
            {"item": "x"},
        ),
        (
            {"type": ["array", "object"], "properties": {"item": {"type": "string"}}},
            "§<item>x§</item>",
            ["x"],
        ),
        ({"anyOf": [{"type": "array"}, {"type": "null"}]}, "§<item>x§</item>", ["x"]),
        ({"$ref": "#/$defs/names"}, "", []),
        ({"$ref": "#/$defs/names"}, "§<item>5§</item>", ["5"]),
        ({"type": "object"}, "\n", {}),
        ({"type": ["string", "array"]}, "", ""),
        ({}, "§<k>5§</k>", {"k": "5"}),
        ({}, "§<item>§<k>x§</k>§</item>§<item>§<k>y§</k>§</item>", [{"k": "x"}, {"k": "y"}]),
    ],
)
def test_the_schema_says_what_nested_values_are(schema: Any, written: str, value: Any) -> None:
    """Items or a member called `item`; an empty list, object or string."""
    names = {"names": {"type": "array", "items": {"type": "string"}}}
    parameters = {"type": "object", "properties": {"v": schema}, "$defs": names}
    tools = Toolset([{"name": "add", "parameters": parameters}], wire_formats=[NESTED])
    [call] = tools.read_calls(f"§+add§§<v>{written}§</v>§§")
    assert call.arguments == {"v": value}


def test_a_format_goes_before_those_that_are_built_in() -> None:
    """Where both begin alike, one's own is tried first, and then the other."""
    mine = WireFormat("mine", ("<tool_call>{name}:", "</tool_call>"))
    tools = Toolset([ADD], wire_formats=[mine])
    for text, format_ in (
        ('<tool_call>add: {"a": 1}</tool_call>', "mine"),
        ('<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>', "hermes"),
    ):
        [call] = tools.read_calls(text)
        assert (call.arguments, call.format) == ({"a": 1}, format_)


def test_a_second_end_mark_is_no_part_of_a_call() -> None:
    """Though a tag of the mark with which it begins may be closed before its end mark."""
    tools = Toolset([ADD], wire_formats=[WireFormat("own", TAG, ("<{key}>", "</{key}>"))])
    written = '<x:do name="add"><a>1</a></x:do>'
    [call] = tools.read_calls(f"{written}</x:do>")
    assert (call.arguments, call.start, call.end) == ({"a": 1}, 0, len(written))


def test_marks_may_be_given_in_lists() -> None:
    """As JSON has them: the format is the same as with tuples, and may be in a set."""
    given: Any = ["[[{name}]]", "[[end]]"], ["[[{key}=", "]]"]
    tuples = WireFormat("own", tuple(given[0]), tuple(given[1]), around=("a",), aliases=("b",))
    assert {tuples, WireFormat("own", *given, around=["a"], aliases=["b"])} == {tuples}  # type: ignore[arg-type]


def test_toolsets_keep_their_formats() -> None:
    """Also joined, with more tools, and pickled."""
    first, second = (WireFormat(name, (f"<{name}>", f"</{name}>")) for name in ("one", "two"))
    tools = Toolset([ADD], wire_formats=[first]) + Toolset([], wire_formats=[second])
    for name in ("one", "two"):
        [call] = tools.read_calls(f'<{name}>{{"name": "add", "arguments": {{"a": 1}}}}</{name}>')
        assert call.format == name
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301 - made here


TOO_SHORT = "which any text has; use another mark"
REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no name": ({"name": ""}, ValueError, "it has no name"),
    "a number as name": ({"name": 5}, TypeError, "5 is not a string"),
    "one mark": ({"call": "<x>"}, TypeError, "call is a tuple of strings, not '<x>'"),
    "three marks": ({"call": ("<x>", "", "")}, TypeError, "call is two marks"),
    "no string": ({"call": ("<x>", None)}, TypeError, "None is not a string"),
    "a string of marks": ({"around": "<y>"}, TypeError, "around is a tuple of strings, not '<y>'"),
    "an empty mark": ({"call": ("", "</x>")}, ValueError, TOO_SHORT),
    "a bracket": ({"call": ("<", ">")}, ValueError, TOO_SHORT),
    "a word": ({"call": ("call {name}", "end")}, ValueError, TOO_SHORT),
    "an object": ({"call": ("{{{name}:", "}}")}, ValueError, "as an object does"),
    "a name first": ({"call": ("{name}<x>", "</x>")}, ValueError, TOO_SHORT),
    "another placeholder": (
        {"call": ("<x {tool}>", "</x>")},
        ValueError,
        "{tool} in '<x {tool}>'; there may be {name}",
    ),
    "a name in the end": ({"call": ("<x {name}>", "</{name}>")}, ValueError, "there may be none"),
    "two names": ({"call": ("<x {name}{name}>", "</x>")}, ValueError, "{name} is twice"),
    "parameters without a name": (
        {"parameter": ("<k {key}>", "</k>")},
        ValueError,
        "with a parameter, the first mark of call needs {name}",
    ),
    "no key": ({"call": TAG, "parameter": ("<k>", "</k>")}, ValueError, "needs {key}"),
    "a key first": (
        {"call": TAG, "parameter": ("{key}=", ";")},
        ValueError,
        "parameter begins with {key}; a mark has to be before it",
    ),
    "no end": ({"call": (TAG[0], ""), "parameter": ("<k {key}>", "</k>")}, ValueError, "blank"),
    "nested without a key": (
        {"call": TAG, "parameter": ("<{key}>", "</>"), "nested": True},
        ValueError,
        "values are nested: the second mark of parameter needs {key}",
    ),
    "nested without items": (
        {"call": TAG, "parameter": ("<{key}>", "</{key}>"), "nested": True, "item": ""},
        ValueError,
        "the items of a list have no key",
    ),
    "nested JSON": ({"nested": True}, ValueError, "`parameter` is missing"),
    "a mark within another": (
        {"call": ("%%tool {name}", "@@"), "parameter": ("@@{key}: ", "@@.")},
        ValueError,
        "'@@' is the beginning of '@@{key}:'",
    ),
    "the end within the beginning": (
        {"call": ("@@fn ", "@@")},
        ValueError,
        "'@@' is the beginning of '@@fn'",
    ),
    "one mark for two ends": (
        {"call": ("[[{name}]", "]]"), "parameter": ("[[.{key}=", " ]]")},
        ValueError,
        "the marks after a call and after a parameter are the same",
    ),
    "a mark like a key": (
        {"call": ("@@tool {name}", "@@end"), "parameter": ("@@{key}: ", "@@.")},
        ValueError,
        "'@@end' may be the beginning of '@@{key}:'",
    ),
}


@pytest.mark.parametrize(("given", "error", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_bad_declaration_is_refused(
    given: dict[str, Any], error: type[Exception], reason: str
) -> None:
    """With the name of the format, and the reason."""
    options = {"name": "own", "call": ("<x>", "</x>"), **given}
    with pytest.raises(error) as refused:
        WireFormat(**options)
    assert reason in str(refused.value)
    assert f"the format {options['name']!r}" in str(refused.value)


@pytest.mark.parametrize("given", [5, "x", [5], WireFormat("n", ("<x>", "</x>")), {"a": 1}])
def test_only_a_list_of_formats_is_taken(given: Any) -> None:
    """With what was given."""
    with pytest.raises(TypeError, match="wire_formats is a list of WireFormat, not"):
        Toolset([], wire_formats=given)


def test_a_parameter_that_does_not_end_is_shown_as_the_format_has_it() -> None:
    """With its own name in the place of `{key}`."""
    mine = WireFormat("own", TAG, ('<x:p name="{key}">', "</x:p>"))
    text = '<x:do name="add"><x:p name="s">x<x:p name="a">1</x:p></x:do>'
    [call] = Toolset([ADD], wire_formats=[mine]).read_calls(text, errors="keep")
    assert call.error is not None
    assert 'write `<x:p name="s">…</x:p>`' in str(call.error)
