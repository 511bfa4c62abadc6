"""Each limit of the call reader at one less, itself and one more, and in any chunks."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from searching import examples, is_search
from waiting import rounds
from wire import MARKS as MARKERS

from schema2model import CallReader, ToolError, Toolset
from schema2model.calls import scan

TOOLS = Toolset([{"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}])
CALL = '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>\n'
CHARACTERS = [*"af1 \n\t\r`<>{}[]()\"'\\/:;,.=-_+*#|&@!?$%é\u2028\0", "``aa`<x>`"]
PIECES = [
    *(
        first + second
        for number, first in enumerate(CHARACTERS)
        for second in CHARACTERS[0 if is_search() else number :]  # repeated, "ba" is "ab"
    ),
    *(marker + char for marker in MARKERS for char in ("", "\n", "{", "`", "a")),
]
PARTS = 8
"""Tests that share the pieces, so that processes can share the tests."""
SLOWEST = 5_000
"""Rounds of an empty loop in the time of one character, several times what any takes."""


def read_in_chunks(text: str, sizes: list[int]) -> CallReader:
    """Feed a text in chunks of these sizes, over and over."""
    reader, at, turn = TOOLS.call_reader(), 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        reader.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    reader.finish()
    return reader


def is_slow(text: str) -> bool:
    """Whether a text takes too long to read."""
    most = SLOWEST * len(text)
    return rounds(lambda: TOOLS.read_calls(text, errors="keep"), most) > most


@pytest.mark.search
@pytest.mark.parametrize("part", range(PARTS))
def test_no_pair_of_characters_is_slow(part: int) -> None:
    """Whatever is repeated, each character costs about the same: no pattern looks back in vain."""
    assert [each for each in PIECES[part::PARTS] if is_slow(each * (2_000 // len(each)))] == []


@pytest.mark.parametrize("piece", ['{"id": 1} ', CALL])
@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_the_limit_of_places(
    monkeypatch: pytest.MonkeyPatch, piece: str, size: int, more: int
) -> None:
    """Up to the limit all is read; after it, the next place is reported, and the rest is prose."""
    monkeypatch.setattr(scan, "MAX_CALL_STARTS", 400)
    reader = read_in_chunks(piece * (400 + more), [size])
    errors = [call for call in reader.calls if call.error]
    assert len(errors) == (more > 0)
    assert all("no more is read" in str(call.error) for call in errors)
    if piece != CALL:
        assert reader.text == (piece * (400 + more)).lstrip()
    if more > 0:
        with pytest.raises(ToolError, match="Error parsing"):
            TOOLS.read_calls(piece * (400 + more))


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("size", [1, 1_000])
def test_the_limit_of_calls(monkeypatch: pytest.MonkeyPatch, size: int, more: int) -> None:
    """As many calls as the limit are read without an error; the next one is reported."""
    monkeypatch.setattr(scan, "MAX_CALLS", 20)
    reader = read_in_chunks(CALL * (20 + more), [size])
    assert [call.error is None for call in reader.calls] == [True] * min(20 + more, 20) + [
        False
    ] * (more > 0)


TWO_VALUES = "<function=f><parameter=a>x</parameter><parameter=a>y</parameter></function>\n"


@pytest.mark.parametrize(
    "broken",
    ['<tool_call>{"name": "g"}</tool_call>', TWO_VALUES],
)
@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("size", [1, 1_000])
def test_the_limit_of_refused_calls(
    monkeypatch: pytest.MonkeyPatch, broken: str, more: int, size: int
) -> None:
    """As many refused calls as the limit are kept; after them, the next call is not read."""
    monkeypatch.setattr(scan, "MAX_REFUSED_CALLS", 20)
    text = f"{CALL}\n{broken * (20 + more)}\n{CALL}"
    calls = read_in_chunks(text, [size]).calls
    errors = [call.error for call in calls]
    assert errors[0] is None
    ends = "after 20 refused calls no more is read"
    if more < 0:
        assert errors[-1] is None
        assert len(calls) == 21
    else:
        assert len(calls) == 22
        assert ends in str(errors[-1])
    assert not any(ends in str(error) for error in errors[:-1])
    assert (calls[-1].written == "") == (more >= 0)
    assert repr(TOOLS.read_calls(text, errors="keep")) == repr(calls)


CDATA = "<function=f><parameter=a><![CDATA[x]]></function>\n"


@pytest.mark.parametrize(("times", "is_read"), [(1, True), (50, False)])
def test_the_limit_of_what_is_parsed_in_vain(
    monkeypatch: pytest.MonkeyPatch,
    times: int,
    is_read: bool,  # noqa: FBT001 - an expectation
) -> None:
    """A call without marks after that much is refused."""
    monkeypatch.setattr(scan, "MAX_FAILED_PARSING", 300)
    text = '{"a": "b", ' * times + '\n\n{"name": "f", "arguments": {"a": "x"}}'
    (call,) = TOOLS.read_calls(text, errors="keep")
    assert (call.error is None) == is_read


def test_cdata_ends_a_value_that_lacks_its_tag() -> None:
    """When the text ends, and however many there are."""
    reader = TOOLS.call_reader()
    prose = "Some prose. " * 30
    assert [len(reader.feed(piece)) for piece in (CDATA, prose, "More.")] == [0, 0, 0]
    assert len(reader.finish()) == 1
    assert reader.text.startswith("Some prose.")
    for text in (CDATA * 70, CDATA * 100, CDATA * 12 + prose * 300):
        calls = TOOLS.read_calls(text)
        assert len(calls) == text.count(CDATA)
        assert calls == read_in_chunks(text, [5, 9_000]).calls


def test_a_string_in_gemma_that_does_not_end_is_passed_once() -> None:
    """Not from each of its escaped quotes on."""
    text = "<|tool_call>call:f{a:" + '"\\' * 20_000 + "}<tool_call|>"
    assert not is_slow(text)
    [call] = TOOLS.read_calls(text, errors="keep")
    assert "a quote has no partner" in str(call.error)


def test_no_text_is_too_long_only_as_it_arrives() -> None:
    """A list that may be prose, and very many values that are read again."""
    again = '<tool_call>{"name": "f", "arguments": {"a": "x</tool_call>\n'
    for text in (again * 48 + again.replace("x", "x" * 300_000),):
        read = TOOLS.read_calls(text, errors="keep")
        assert any(call.error for call in read)
        assert list(map(repr, read)) == list(map(repr, read_in_chunks(text, [50_000]).calls))


TEXTS = st.lists(
    st.sampled_from(
        [
            *MARKERS,
            *(CALL, "[f(a='x')]", 'f(a="y")\n', '{"name": "f", "arguments": {"a": "x"} and'),
            *(
                "[",
                "{",
                "(",
                "f (x) ",
                '{"a": ',
                "`",
                "say `",
                "Observation: ",
                "```",
                "\n",
                "word ",
            ),
            *("<function=f><parameter=a>", "</parameter>", "[f(a='x'", "<think>", "</think>", " "),
        ]
    ),
    max_size=12,
)


@examples(80, deadline=None)
@given(
    parts=TEXTS,
    times=st.sampled_from([1, 6, 30]),
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=6),
    limits=st.tuples(
        st.sampled_from([2, 9, 100_000]),
        st.sampled_from([1, 3, 10_000]),
        st.sampled_from([1, 4, 100]),
        st.sampled_from([0, 300, 1_000_000]),
    ),
)
def test_no_limit_depends_on_the_chunks(
    parts: list[str], times: int, sizes: list[int], limits: tuple[int, int, int, int]
) -> None:
    """Where the reader gives up, and each `start` and `end`, are the same in any chunks."""
    text = ("".join(parts) * times)[:3_000]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "MAX_CALL_STARTS", limits[0])
        patch.setattr(scan, "MAX_CALLS", limits[1])
        patch.setattr(scan, "MAX_REFUSED_CALLS", limits[2])
        patch.setattr(scan, "MAX_FAILED_PARSING", limits[3])
        whole = read_in_chunks(text, [len(text) or 1])
        reader = read_in_chunks(text, sizes)
    assert [repr(call) for call in reader.calls] == [repr(call) for call in whole.calls]
    assert reader.text == whole.text


@pytest.mark.parametrize("piece", ["[", "{a", "<", "<|", "[[{", "`["])
def test_a_bracket_that_begins_no_call_is_not_a_place(piece: str) -> None:
    """The call after very many of them is read."""
    calls = TOOLS.read_calls(f"{piece * 20_000}\n\n{CALL}", errors="keep")
    assert [call.arguments for call in calls] == [{"a": "x"}]


@pytest.mark.parametrize(
    "item", ['{"write_file": {"path": "a"}}, ', "{'write_file': {'path': 'a'}}, "]
)
def test_values_of_a_list_that_does_not_end_are_searched_once(item: str) -> None:
    """Four times as many take no sixteen times as long."""
    schema = {"properties": {"path": {"type": "string"}}}
    tools = Toolset([{"name": "write_file", "parameters": schema}])

    def read(times: int) -> None:
        tools.read_calls("[" + item * times, errors="keep")

    most = 9 * rounds(lambda: read(500))
    assert rounds(lambda: read(2_000), most) <= most
