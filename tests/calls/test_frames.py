"""What is remembered of a call is what stands around its arguments, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from wire import TEXT, WRITERS

from schema2model import Toolset
from schema2model.calls.finding import Markers
from schema2model.calls.formats import FORMATS
from schema2model.calls.single import SingleCalls
from schema2model.calls.tool_names import ToolNames

PARAMETERS = {
    "properties": {
        "path": {"type": "string"},
        "mode": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "any": {},
    }
}
TOOLS = Toolset([{"name": "write_file", "parameters": PARAMETERS}])
NAMES = ToolNames({tool.name: tool.compiled for tool in TOOLS})
FIRST = ("write_file", {"path": "a", "mode": 1})
OTHERS: tuple[dict[str, Any], ...] = (
    {"path": "notes/today.txt", "mode": -42},
    {"mode": 420, "path": "x y"},
    {"path": "", "any": True},
    {"path": "it's", "any": None},
    {"any": "5"},
    {"path": "a", "tags": ["b", "c"], "any": {"k": [1]}},
)
PIECES = [
    *sorted({mark for each in FORMATS for mark in (*each.markers, *each.around)}),
    *sorted({mark for marks in TEXT.values() for mark in marks}),
    *("{", "}", "}}", "[", "]", "(", ")", ")]", '"', "'", "\\", ",", ":", "=", "<", ">", "\n", " "),
    *('"}}', '"}]', "\\n", "```", "None", "NaN", "01", "1-2", "\0", "\x01", "\ud800", "\u2028"),
    *('">', '" string="true">', '" string="false">', ">\n", "\n  ", "</think>", "<|im_end|>"),
    *('"type": "object", ', ', "name": "g"', "path='b', ", ',path:<|"|>b<|"|>'),
]
FRAMED = sorted(WRITERS.keys() - {"openai_json"})
"""Formats in which all calls of a tool begin and end alike."""


def fresh() -> SingleCalls:
    """A reader that remembers nothing yet."""
    return Markers(FORMATS).single


def streamed(text: str) -> str:
    """What is read of a text that streams, where nothing is remembered."""
    reader = TOOLS.call_reader()
    reader.finish(text)
    return repr(reader.calls)


@pytest.mark.parametrize("format_", FRAMED)
def test_a_frame_that_is_known_needs_no_pattern(format_: str) -> None:
    """The arguments may be any others, and prose may stand before the call."""
    single = fresh()
    assert single.read(WRITERS[format_]([FIRST]), NAMES, None)
    single._patterns.clear()
    single._behind.clear()
    text = WRITERS[format_]([("write_file", OTHERS[0])])
    [call] = single.read(text, NAMES, None) or [None]
    assert call is not None
    assert call.arguments == OTHERS[0]
    assert repr([call]) == streamed(text)
    if text[0] in "<[" and not text.startswith(("[{", "[write")):
        [behind] = single.read(f"Let me see.\n\n{text}", NAMES, None) or [None]
        assert behind is not None
        assert (behind.arguments, behind.start - 13) == (call.arguments, call.start)


@pytest.mark.parametrize("format_", FRAMED)
def test_whatever_stands_in_a_known_frame_is_read_as_if_it_was_not_known(format_: str) -> None:
    """Every piece at every seventeenth place of other calls of the tool."""
    single = fresh()
    assert single.read(WRITERS[format_]([FIRST]), NAMES, None)
    assert single._frames._frames
    for arguments in OTHERS[:4]:
        text = WRITERS[format_]([("write_file", arguments)])
        for number, piece in enumerate(PIECES):
            for at in range(number % 17, len(text), 17):
                said = text[:at] + piece + text[at:]
                calls = single.read(said, NAMES, None)
                assert calls is None or repr(calls) == streamed(said), said


TAG = '<invoke name="write_file">{}</invoke>'
DSML = '<｜DSML｜invoke name="write_file">{}</｜DSML｜invoke>'
GEMMA = "<|tool_call>call:write_file{}<tool_call|>"
INSIDE = {
    "definition": (
        '{{"name": "write_file", "parameters": {}}}',
        '{"path": "a"}',
        '{"type": "object", "properties": {"path": {"type": "string"}}}',
    ),
    "parameter without a name": (
        TAG,
        '<parameter name="path">a</parameter>',
        '<parameter name="path">a</parameter><parameter name="</parameter>',
    ),
    "two values": (
        TAG,
        '<parameter name="path">a</parameter>',
        '<parameter name="path">a</parameter><parameter name="path">b</parameter>',
    ),
    "no name": (
        TAG,
        '<parameter name="path">a</parameter>',
        '<parameter name="">a</parameter>',
    ),
    "long name": (
        TAG,
        '<parameter name="path">a</parameter>',
        f'<parameter name="{"p" * 201}">a</parameter>',
    ),
    "mark in a value": (
        DSML,
        '<｜DSML｜parameter name="any" string="true">a</｜DSML｜parameter>',
        '<｜DSML｜parameter name="any" string="false">" string="true">a</｜DSML｜parameter>',
    ),
    "no mark": (
        DSML,
        '<｜DSML｜parameter name="any" string="true">5</｜DSML｜parameter>',
        '<｜DSML｜parameter name="any">5</｜DSML｜parameter>',
    ),
    "two keywords": ("[write_file({})]", "path='a'", "path='a', path='b'"),
    "no value": ("[write_file({})]", "path='a'", "path='a', mode="),
    "list within": ("[write_file({})]", "path='a'", "path='a'), write_file(path='b'"),
    "marked key": (GEMMA, "{any:5}", '{<|"|>any<|"|>:5}'),
    "two colons": (GEMMA, "{any:5}", "{any::x,,path:b}"),
    "nested": (GEMMA, "{any:5}", '{any:{k:1,l:[<|"|>a<|"|>]},path:<|"|>a<b<|"|>}'),
    "braces closed early": ("<function=write_file>{}</function>", "{}", '{"path": "a"}}'),
}
"""A text around arguments, those that are read first, and others."""


@pytest.mark.parametrize(("around", "first", "second"), INSIDE.values(), ids=INSIDE)
def test_odd_arguments_in_a_known_frame_are_read_as_if_it_was_not_known(
    around: str, first: str, second: str
) -> None:
    """Where the pattern would not take them, nor does what is remembered."""
    single = fresh()
    assert single.read(around.format(first), NAMES, None)
    assert single._frames._frames
    text = around.format(second)
    calls = single.read(text, NAMES, None)
    assert calls is None or repr(calls) == streamed(text)


@pytest.mark.parametrize("format_", sorted(WRITERS))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    spoiled=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES)), max_size=3),
    others=st.lists(st.sampled_from(OTHERS), min_size=1, max_size=2),
)
def test_texts_with_known_frames_are_read_as_if_they_were_not_known(
    format_: str, spoiled: list[tuple[float, str]], others: list[dict[str, Any]]
) -> None:
    """One call or two, with up to three pieces where none belongs."""
    single = fresh()
    write = WRITERS[format_]
    assert single.read(write([FIRST]), NAMES, None)
    text = write([("write_file", arguments) for arguments in others])
    for place, piece in spoiled:
        at = int(place * len(text))
        text = text[:at] + piece + text[at:]
    for _ in range(2):  # the second time, with what was remembered the first
        calls = single.read(text, NAMES, None)
        assert calls is None or repr(calls) == streamed(text)


CALL = '{"name": "write_file", "arguments": {"path": "a"}}'
SEVERAL = {
    "list": (f"[{CALL}, {CALL}]", True),
    "list without a comma": (f"[{CALL} {CALL}]", False),
    "list with another mark": (f"[{CALL}; {CALL}]", False),
    "list in tags without a comma": (f"<tool_call>[{CALL} {CALL}]</tool_call>", False),
    "one behind the other": (f"<tool_call>{CALL}; {CALL}</tool_call>", True),
    "one is none": (f'[{CALL}, {{"name": "write_file", "arguments": {{"mode": "x"}}}}]', False),
    "definition": (
        f'[{CALL}, {{"name": "write_file", "parameters": {{"type": "object"}}}}]',
        False,
    ),
    "more keys": (f'[{CALL}, {{"name": "write_file", "arguments": {{}}, "id": "1"}}]', False),
    "Python": ("[write_file(path='a'), write_file(path='b')]", True),
    "Python in a string": ("[write_file(path='a'), write_file(path='), write_file(path=')]", False),
    "Python in other quotes": ("""[write_file(path="'), write_file(mode=1, any='")]""", True),
    "Python on lines": ("```python\nwrite_file(path='a')\n\nwrite_file(path='b')\n```", True),
    "Python on one line": ("write_file(path='a') write_file(path='b')", False),
    "names as keys": ('<|tools_prefix|>[{"write_file": {}}, {"write_file": {}}]', True),
    "names as keys, no comma": ('<|tools_prefix|>[{"write_file": {}} {"write_file": {}}]', False),
    "names as keys of one": ('<|tools_prefix|>[{"write_file": {}, "write_file": {}}]', False),
}
"""Texts, and whether they are read at once."""


@pytest.mark.parametrize(("text", "at_once"), SEVERAL.values(), ids=SEVERAL)
def test_calls_in_one_list_are_read_as_one_by_one(text: str, at_once: bool) -> None:  # noqa: FBT001
    """Or not at once, where anything about them is unusual."""
    single = fresh()
    for _ in range(2):
        calls = single.read(text, NAMES, None)
        assert (calls is not None) == at_once
        assert calls is None or repr(calls) == streamed(text)


def test_only_so_many_frames_are_remembered() -> None:
    """Whatever texts come, what is remembered of them does not grow for ever."""
    single = fresh()
    for number in range(3_000):
        blanks = " " * (number % 90) + "\n" * (number // 90)
        single.read(f'<tool_call>{blanks}{{"name": "write_file", "arguments": {{}}}}', NAMES, None)
    assert len(single._frames._frames) <= 1_000
    assert len(single._frames._rules) <= 1_000
    text = f'<tool_call>{" " * 500}{{"name": "write_file", "arguments": {{}}}}'
    assert single.read(text, NAMES, None)
    assert max(map(len, single._frames._frames)) <= 400
