"""Every format: what is written in it is read from it, whatever the strings are."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from case_tests import each_case
from cases import Case, cases
from hypothesis import HealthCheck, assume, given, note, strategies as st
from searching import examples
from streaming import read_in_pieces
from wire import MARKS as WRITTEN, ONE_CALL, SPELLINGS, TEXT, WRITERS, why_not_text

from schema2model import Call, Toolset
from schema2model.calls.formats.records import BARE, RECORDS
from schema2model.calls.formats.spellings import DSML_BARS, SPELLINGS as WRITTEN_BY_MODELS

MARKS = sorted({*WRITTEN, *(mark for marks in TEXT.values() for mark in marks)})
NASTY = [
    *MARKS,
    *("'", '"', "\\", "\\n", "\n", "\r\n", "\t", "{", "}", "[", "]", ")", ",", ": ", "```"),
    *("null", "None", "true", "5", '{"a": 1}', "it's", 'He said "go", then left', "C:\\temp\\new"),
    *("</think>", "<think>", "é", "🦎", "\u2028", "f(a=1)", "</tool_call>", "Action: f"),
]
STRINGS = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=8)), max_size=4).map("".join)
VALUES: dict[str, tuple[dict[str, Any], st.SearchStrategy[Any]]] = {
    "string": ({"type": "string"}, STRINGS),
    "integer": ({"type": "integer"}, st.integers(-(2**53), 2**53)),
    "number": ({"type": "number"}, st.floats(allow_nan=False, allow_infinity=False)),
    "boolean": ({"type": "boolean"}, st.booleans()),
    "strings": ({"type": "array", "items": {"type": "string"}}, st.lists(STRINGS, max_size=3)),
    "object": (
        {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer"}}},
        st.fixed_dictionaries({"k": STRINGS}, optional={"n": st.integers(0, 9)}),
    ),
}
NAMES = ["search", "get_weather", "files.write_text", "Send-Mail", "f2"]
KEYS = ["query", "limit", "a", "file_path", "opts"]

SPOILING = [
    *MARKS,
    *("\n", " ", "{", "}", "[", "]", "(", ")", '"', "'", "\\", ",", "word", "\\n", "```", "<"),
    *(
        "<think>",
        "</think>",
        "<think>hm</think>",
        "<|im_end|>",
        "<|im_start|>",
        "Ġ",
        "\ud800",
        "\0",
    ),
]


@st.composite
def tools_and_calls(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[tuple[str, Any]]]:
    """Tools, and calls of them that are valid."""
    tools, calls = [], []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
        keys = draw(st.lists(st.sampled_from(KEYS), max_size=4, unique=True))
        kinds = {key: draw(st.sampled_from(sorted(VALUES))) for key in keys}
        properties = {key: VALUES[kind][0] for key, kind in kinds.items()}
        tools.append({"name": name, "parameters": {"type": "object", "properties": properties}})
        for _ in range(draw(st.integers(0, 2))):
            sent = [key for key in keys if draw(st.booleans())]
            calls.append((name, {key: draw(VALUES[kinds[key]][1]) for key in sent}))
    assume(calls)
    return tools, calls


def strings_in(value: Any) -> list[str]:
    """All strings in a value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for item in inner for each in strings_in(item)]


def spoken(format_: str, calls: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Those calls that the format can spell."""
    good = [c for c in calls if not any(why_not_text(format_, said) for said in strings_in(c[1]))]
    return good[:1] if format_ in ONE_CALL else good


def in_all_formats(calls: list[tuple[str, Any]]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """The formats that can spell some calls, and which: a failure's last note names its format."""
    for format_ in sorted(WRITERS):
        said = spoken(format_, calls)
        if said:
            note(f"format: {format_}")
            yield format_, said


def pairs(calls: list[Call]) -> list[tuple[str, Any]]:
    """ToolNames and arguments."""
    return [(call.name, call.arguments) for call in calls]


TOOL = {
    "name": "write_file",
    "parameters": {
        "properties": {
            "path": {"type": "string"},
            "mode": {"type": "integer"},
            "backup": {"type": "boolean"},
        }
    },
}
CALL = ("write_file", {"path": "notes/today.txt", "mode": 420, "backup": True})
SLOW = examples(
    10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def test_every_format_that_is_read_is_written_here() -> None:
    """A new format comes with its writer."""
    names = {name for each in (*RECORDS, *BARE) for name in (each.name, *each.aliases)}
    unwritten = {"ernie45", "granite4", "mimo", "nemotron3", "qwen2_5", "qwen3", "step3p5", "xlam"}
    assert names - unwritten - {"arrow", "inkling"} == {*WRITERS} - {"client_xml"}


@SLOW
@given(made=tools_and_calls())
def test_what_is_written_is_read(made: tuple[Any, Any]) -> None:
    """Found by its markers, and by its name; markers within strings are text."""
    toolset = Toolset(made[0])
    for format_, calls in in_all_formats(made[1]):
        text = WRITERS[format_](calls)
        read = toolset.read_calls(text)
        assert pairs(read) == calls
        assert pairs(toolset.read_calls(text, format=format_)) == calls
        reader = toolset.call_reader()
        reader.finish(text)
        assert reader.calls == read


@SLOW
@given(made=tools_and_calls(), seed=st.integers(0, 2**16), size=st.sampled_from([1, 4, 30]))
def test_however_it_is_cut_the_same_calls_arrive(
    made: tuple[Any, Any], seed: int, size: int
) -> None:
    """And the same prose; nothing is taken back."""
    toolset = Toolset(made[0])
    for format_, calls in in_all_formats(made[1]):
        text = f"Let me see: (1) {{this}}.\n\n{WRITERS[format_](calls)}\nThat is all."
        cut_anywhere(toolset, text, seed, size)


def cut_anywhere(toolset: Toolset, text: str, seed: int, size: int) -> None:
    """What arrives in pieces of at most that size is what arrives in one."""
    whole = toolset.call_reader()
    whole.finish(text)
    reader, chance, arrived, prose = toolset.call_reader(), random.Random(seed), [], ""  # noqa: S311 - chance, no secret
    at = 0
    while at < len(text):
        step = chance.randint(1, size)
        arrived += reader.feed(text[at : at + step])
        prose += reader.new_text()
        assert reader.text == prose
        at += step
    arrived += reader.finish()
    read = toolset.read_calls(text, errors="keep")
    assert repr(arrived) == repr(whole.calls) == repr(read)  # errors are equal to themselves alone
    assert reader.text == whole.text == prose + reader.new_text()
    assert reader.new_text() == ""


OTHER_SPELLINGS = {
    *(f"{name}: one call without arguments" for name in ("deepseek_v4", "gigachat35")),
    *(f"k2_horizon: {calls}" for calls in ("one call", "two calls of two tools")),
}
"""Texts with a tag that closes itself, or with the types of integers; indented JSON is another."""


@each_case("formats")
def test_a_format_is_read_with_and_without_its_name(case: Case) -> None:
    """The same calls arrive, whole or streamed, and the writer writes the text, but for blanks."""
    toolset = Toolset(case.tools)
    expected = [(call["name"], call["arguments"]) for call in case.result]
    calls = toolset.read_calls(case.input)
    assert pairs(calls) == expected
    assert [(call.format, call.start, call.end) for call in calls] == case.spans
    assert pairs(toolset.read_calls(case.input, format=case.group)) == expected
    reader = toolset.call_reader()
    reader.finish(case.input)
    assert pairs(reader.calls) == expected
    assert reader.text == case.shown
    if case.group != "use_mcp_tool" and case.id not in OTHER_SPELLINGS:
        assert "".join(WRITERS[case.group](expected).split()) == "".join(case.input.split())


NO_CASES = {"qwen_agent", "vcp", "xai"}
"""Formats whose texts are among those of other files, or only written here."""


def test_every_format_has_its_cases() -> None:
    """A new format comes with texts that it has to read, and with a draft in thinking."""
    assert {case.group for case in cases("formats")} == {*WRITERS} - NO_CASES
    drafts = {case.id.partition(":")[0] for case in cases("calls", "thinking")}
    assert drafts == {*WRITERS} - NO_CASES


@each_case("calls", "thinking")
def test_thinking_and_prose_around_are_left_out(case: Case) -> None:
    """A draft of a call in thinking is not a call, and markers are not prose."""
    reader = Toolset(case.tools).call_reader()
    calls = [*reader.feed(case.input), *reader.finish()]
    assert pairs(calls) == [(call["name"], call["arguments"]) for call in case.result]
    assert reader.text.strip() in {"", "function call", "Action:"}


@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_what_is_written_as_usual_is_read(format_: str) -> None:
    """One call in every format, and several where it has them."""
    for count in (1, 2, 5):
        if count == 1 or format_ not in ONE_CALL:
            read = Toolset([TOOL]).read_calls(WRITERS[format_]([CALL] * count))
            assert pairs(read) == [CALL] * count


ENVELOPE = {"name": "now", "arguments": {"city": "Rome"}, "type": "function", "id": "1"}
STRING = {"type": "string"}
ENVELOPE_SCHEMA = {"name": STRING, "arguments": {}, "type": STRING, "id": STRING}
SAVE = {"name": "save", "parameters": {"properties": ENVELOPE_SCHEMA}}


@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_arguments_with_the_keys_of_a_call_are_arguments(format_: str) -> None:
    """The call that they seem to be is not made."""
    toolset = Toolset([SAVE, {"name": "now", "parameters": {}}])
    calls = [("save", ENVELOPE), ("now", {})][: 1 if format_ in ONE_CALL else 2]
    assert pairs(toolset.read_calls(WRITERS[format_](calls))) == calls


UNDECIDED = {
    "beam": "<rfl:paramete",
    "chatglm": "write_file",
    "client_xml": "<path",
    "functionary_v32": "write_file",
    "harmony_role": "<|message|>",
    "kimi_k3": 'index="1"<|sep|>',
    "minicpm5": 'write_file"',
    "minimax_m2": 'write_file"',
    "phi4_mini": '"arguments":',
    "pythonic": "write_file",
    "react": "Action Input",
    "use_mcp_tool": "<arguments>",
}
"""The end of the longest beginning of a call that may as well be prose, if it has the name."""


@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_wherever_it_is_cut_off_no_value_is_half(format_: str) -> None:
    """A call that goes on behind a comma, a colon or half a tag is not read, but is reported."""
    text = WRITERS[format_]([CALL])
    toolset = Toolset([TOOL])
    undecided = UNDECIDED.get(format_, "write_fil")
    begun = text.index(undecided) + len(undecided)
    for end in range(len(text)):
        cut = text[:end].rstrip()
        calls = toolset.read_calls(cut, errors="keep")
        assert calls or len(cut) <= begun, cut
        for call in calls:
            if call.error is None and (call.name, call.arguments) != CALL:
                assert call.arguments.items() <= CALL[1].items()
                assert call.arguments
                assert cut.endswith(('"', "]", "}", "true", ">")), cut


@SLOW
@given(
    made=tools_and_calls(),
    spoiling=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(SPOILING)), max_size=3),
    cut=st.floats(0, 1),
)
def test_what_is_read_whole_is_what_streams(
    made: tuple[Any, Any], spoiling: list[tuple[float, str]], cut: float
) -> None:
    """Whatever the strings are, whatever stands in the wrong place, and wherever it is cut off."""
    toolset = Toolset(made[0])
    for format_, calls in in_all_formats(made[1]):
        text = WRITERS[format_](calls)
        for place, piece in spoiling:
            at = int(place * len(text))
            text = text[:at] + piece + text[at:]
        for said in (text, text[: int(cut * len(text))]):
            reader = read_in_pieces(toolset, said, 29)
            assert repr(toolset.read_calls(said, errors="keep")) == repr(reader.calls)


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
@SLOW
@given(made=tools_and_calls(), seed=st.integers(0, 2**16))
def test_every_spelling_of_a_format_is_read(
    spelling: str, made: tuple[Any, Any], seed: int
) -> None:
    """Gateways change the marks of a format: it is the same format, whole and in chunks."""
    format_, writer = SPELLINGS[spelling]
    calls = [call for call in spoken(format_, made[1]) if "parameter>" not in str(call)]
    assume(calls)
    text = writer(calls)
    read = Toolset(made[0]).read_calls(text)
    assert pairs(read) == calls
    assert {call.format for call in read} <= {format_, "hermes"}  # whose body is in marks of DSML
    cut_anywhere(Toolset(made[0]), text, seed, 9)


@pytest.mark.parametrize("bar", DSML_BARS)
@pytest.mark.parametrize("block", ["function_calls", "tool_calls", "calls", "tool_use"])
def test_the_bars_and_blocks_of_dsml_are_read(bar: str, block: str) -> None:
    """As models and gateways write them; none of the tags is shown."""
    value = f'<{bar}parameter name="path" string="true">a</{bar}parameter>'
    call = f'<{bar}invoke name="write_file">{value}</{bar}invoke>'
    reader = Toolset([TOOL]).call_reader()
    assert pairs(reader.finish(f"<{bar}{block}>\n{call}\n</{bar}{block}>")) == [
        ("write_file", {"path": "a"})
    ]
    assert reader.text.strip() == ""


def test_the_page_shows_each_format_as_it_is_written() -> None:
    """A row for each name that a call gets, and in it the other names of the same marks."""
    city = {"type": "object", "properties": {"city": {"type": "string"}}}
    tools = Toolset([{"name": "get_weather", "parameters": city}])
    written: dict[str, str] = {}
    others: dict[str, set[str]] = {}
    for spelling in WRITTEN_BY_MODELS:
        text = spelling.write([("get_weather", {"city": "Rome"})])
        [call] = tools.read_calls(text)
        if spelling.name == call.format:
            written.setdefault(spelling.name, text.replace("\n", "↵").strip())
        else:
            others.setdefault(call.format, set()).add(spelling.name)
    page = (Path(__file__).parents[2] / "docs" / "calls.md").read_text("utf-8")
    cells = r"^\| `(\w+)` \| (`+) ?(.*?) ?\2 \| (.*?) ?\|$"
    rows = re.findall(cells, page.replace("\\|", "|"), re.MULTILINE)
    assert {name: text.strip() for name, _, text, _ in rows} == written
    for name, _, _, also in rows:
        assert others.get(name, set()) - {*written} <= {*re.findall(r"`(\w+)`", also)}, name
