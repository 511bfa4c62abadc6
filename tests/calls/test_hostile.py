"""Hostile text: read in linear time, and never with another error than a ToolError."""

from __future__ import annotations

import cProfile

import pytest
from hypothesis import example, given, strategies as st
from limited import limited
from searching import every_nth, is_search
from streaming import read_in_pieces
from waiting import calls, rounds
from wire import MARKS

from schema2model import ToolError, Toolset, limits
from schema2model.calls import scan

SCHEMA = {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
TOOLS = Toolset([{"name": "f", "parameters": SCHEMA}])
PIECES = [
    *MARKS,
    *("{", "[", "(", "{{", "[[", "[(", '"', "'", "\\", '{"', '{"a":', "<", "</", " ", "\n", "\r"),
    *('{"name": "f", "arguments": {"a": "', "{'name': 'f', 'arguments': {'a': '", '{"id": "x", '),
    *("f(", "f(a=", "f(a='", 'f(a="""', "f(a=f(", "f(**{", "[f(", "[f(a='", "[1,", "f f("),
    *("<tool_call>{", '<tool_call>{"name": "f", "arguments": {"a": "', "<tool_call>f<arg_key>a"),
    *("<tool_call>f<arg_key>a</arg_key><arg_value>", "<function=f>", "<function=f><parameter=a>"),
    *("<function=f>\n<parameter=a>\nx\n<parameter=b>\n", '<invoke name="f"><parameter name="a">'),
    *("<function=f><parameter=a><![CDATA[", "<think>", "</think>", "<think><tool_call>", "```"),
    *("```json\n", "\nf\n{", "Action: f\nAction Input: {", ">>>f\n{", "call:f{", "a. b ", "é"),
    *('<|tool_call>call:f{a:<|"|>', '[TOOL_CALLS]f{"a":', "[TOOL_CALLS][{", '{"name": "f", '),
    *("<|channel|>commentary to=functions.f <|message|>{", "<|channel|>analysis<|message|>"),
    *("<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{", "- f(a=1) x\n", "\ud800", "\x00"),
    *(
        "<tool_response>",
        "</tool_response>",
        "say `",
        "`",
        "```python\n",
        "import os\n",
        "`f(a=1)` x\n",
    ),
    *(
        "```\n<f>\n<",
        "x\n```\n<tool_call>",
        "x\n```\n<f><a>x</a></f>\n```\n",
        "[CALL]f ",
        "<a:b>f ",
    ),
    *(']<]minimax[>[<invoke name="f">]<]minimax[>[<a>', '{"x": [{"name": "f", "arguments": {'),
    *("<|tool_call>call:f{a:'x',", "<|tool_call>call:f{a:x, y<tool_call|>", "<|im_start|>user\n"),
    *("<use_mcp_tool><tool_name>f</tool_name><arguments>{", "commentary to=f json{"),
    *("f(a=1)\n", "[f(a=1)] x ", '{"name": "f", "arguments": {}} x ', "f(a=1)\nword\n"),
]


UNCLOSED = {
    "object": '<tool_call>{"name": "f", "arguments": {"a": "x"}</tool_call>\n',
    "two objects": '<tool_call>{"name": "f", "arguments": {"a": "x"</tool_call>\n',
    "object and tag": '<tool_call>{"name": "f", "arguments": {"a": "x"}\n',
    "object, and words": '{"name": "f", "arguments": {"a": "x"} and then\n',
    "list": '[TOOL_CALLS] [{"name": "f", "arguments": {"a": "x"}}\n',
    "list in tags": '<tool_calls>[{"name": "f", "arguments": {"a": "x"}}</tool_calls>\n',
    "arguments": '[TOOL_CALLS]f[ARGS]{"a": "x"\n',
    "arguments in tags": '<function=f>{"a": "x"</function>\n',
    "list of Python": "<|python_start|>[f(a='x')<|python_end|>\n",
    "call in Python": "<|python_start|>[f(a='x'<|python_end|>\n",
    "parameters": "<function=f>\n<parameter=a>\nx\n</function>\n",
    "parameters in a line": '<invoke name="f"><parameter name="a">x</invoke>\n',
    "parameters without an end": "<function=f><parameter=a>x</parameter>\n",
    "section": '<function name="f"><param name="a"><![CDATA[x</param></function>\n',
    "keys": "<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call>\n",
}
"""Calls that lack a bracket or tag, or two."""
NEVER_ENDING = {
    "list in prose": "[f(a='x')\n",
    "string": '<tool_call>{"name": "f", "arguments": {"a": "x</tool_call>\n',
}
"""Each may go on until the text ends, for all that is known."""
PIECES += [*UNCLOSED.values(), *NEVER_ENDING.values()]


def work(text: str) -> int:
    """How many functions are called to read a text."""
    reader = TOOLS.call_reader()
    profile = cProfile.Profile()
    profile.runcall(reader.finish, text)
    count: int = sum(entry.callcount for entry in profile.getstats())
    return count


@pytest.mark.search
@pytest.mark.parametrize("piece", every_nth(PIECES, 2))
def test_twice_the_text_is_twice_the_work(piece: str) -> None:
    """Counted in calls of functions, not in seconds.

    By default of every other piece, and in pieces, below, of the others.
    """
    once, twice = (work(piece * (size // len(piece))) for size in (3_000, 6_000))
    assert twice <= 2.2 * once + 16_000


@pytest.mark.parametrize("piece", ['[{"a":', "[f(a=[1]][", "{'a': ", '{"a":', '{"a": NaN'])
def test_a_bracket_that_never_closes_is_little_work(piece: str) -> None:
    """However many there are, one that has no end is not read from again and again."""
    text = piece * (20_000 // len(piece))
    assert work(text) <= 40 * len(text)


@pytest.mark.search
@pytest.mark.parametrize("piece", every_nth(PIECES, 2, 1))
def test_what_arrives_in_pieces_is_no_more_work(piece: str) -> None:
    """Each chunk costs no more than a bounded part of what came before."""
    text = piece * (4_000 // len(piece))
    whole = TOOLS.call_reader()
    whole.finish(text)
    reader = read_in_pieces(TOOLS, text, 7)
    assert repr(reader.calls) == repr(whole.calls)
    assert reader.text == whole.text


@example("word call:f{</think>", 12)
@example("say `{<tool_call>`", 6)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.integers(1, 40))
def test_whatever_the_text_there_are_calls_or_tool_errors(text: str, size: int) -> None:
    """And the same ones however it is cut; what is read satisfies the schema."""
    calls = TOOLS.read_calls(text, errors="keep")
    for call in calls:
        assert (call.arguments is None) == isinstance(call.error, ToolError)
        assert 0 <= call.start <= call.end <= len(text)
        assert call.error or TOOLS["f"].compiled.is_valid(call.arguments)
    reader = TOOLS.call_reader()
    arrived = [
        call for at in range(0, len(text), size) for call in reader.feed(text[at : at + size])
    ]
    arrived += reader.finish()
    assert [repr(call) for call in reader.calls] == [repr(call) for call in calls]


LONG = {
    "[": 1_000_000,
    "[TOOL_CALLS]": 5_000_000,
    '{"a":': 250_000,
    '{"name": "f", "arguments": {"a": "': 2_000_000,
}


@pytest.mark.parametrize("piece", LONG)
def test_very_long_texts_are_read_in_seconds(piece: str) -> None:
    """In a process of limited memory and time; the number of calls that are returned is bounded."""
    assert limited("long_texts", "calls_in", piece, LONG[piece]) <= 10_001


@pytest.mark.search
@pytest.mark.parametrize(
    ("piece", "name", "calls", "said"),
    [
        ('{"id": 1} ', "MAX_CALL_STARTS", False, "places where a call may begin"),
        ("f(a=1)\n", "MAX_CALLS", True, "calls"),
    ],
    ids=["places", "calls"],
)
def test_behind_very_many_places_no_call_is_read(
    piece: str,
    name: str,
    calls: bool,  # noqa: FBT001
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Up to the limit nothing is said; then it is said, and all that follows is prose.

    By default, with a tenth of the limit.
    """
    limit = getattr(limits, name) // (1 if is_search() else 10)
    monkeypatch.setattr(scan, name, limit)
    late = '<tool_call>{"name": "f", "arguments": {"a": "late"}}</tool_call>'
    reader = TOOLS.call_reader()
    for _ in range(100):
        reader.feed(piece * (limit // 100))
    reader.finish(piece * 1_000 + late)
    *read, last = sorted(reader.calls, key=lambda call: call.start)
    assert [call.error for call in read] == [None] * (limit if calls else 0)
    assert last.arguments is None
    assert f"after {limit:,} {said} no more is read" in str(last.error)
    assert reader.text.endswith("</tool_call>")


@pytest.mark.parametrize("piece", UNCLOSED.values(), ids=UNCLOSED)
@pytest.mark.parametrize("count", [3, 400])
def test_each_call_that_lacks_a_bracket_or_tag_is_read_or_refused(piece: str, count: int) -> None:
    """None is lost, however long the text is."""
    calls = TOOLS.read_calls(piece * count, errors="keep")
    held = [range(call.start // len(piece), -(-call.end // len(piece))) for call in calls]
    assert [index for each in held for index in each] == [*range(count)]
    assert all(call.error or call.arguments == {"a": "x"} for call in calls)
    assert all(call.error or len(each) == 1 for call, each in zip(calls, held, strict=True))


@pytest.mark.parametrize("between", [" and then ", " don't ", " [note] ", " word" * 200])
def test_a_call_that_lacks_a_bracket_is_not_run_before_words_and_another(between: str) -> None:
    """Nobody knows where it ends: it is refused, and the other is not lost without a word."""
    first, second = ('{"name": "f", "arguments": {"a": "%s"}'.replace("%s", a) for a in "xy")
    text = f"<tool_call>{first}{between}{second}</tool_call>"
    calls = TOOLS.read_calls(text, errors="keep")
    assert calls
    assert all(call.error for call in calls)


@pytest.mark.parametrize(
    "text",
    [
        """{"name": "f", "arguments": {"a": "if x: {y} else {'name': 'f', 'args': {'a': 'z'}}"}""",
        """{'name': 'f', 'arguments': {'a': 'if x: {y} else {"name": "f", "args": {"a": "z"}}'}""",
    ],
)
def test_no_call_is_found_in_a_string_of_one_that_lacks_a_bracket(text: str) -> None:
    """Code in a string may look like the end of a call, words and another one."""
    [call] = TOOLS.read_calls(text, errors="keep")
    assert call.arguments["a"].startswith("if x: {y} else {")


@pytest.mark.parametrize("name", ["b<c", "b</parameter>", "b<"])
def test_names_with_angles_mean_the_same_in_a_stream(name: str) -> None:
    """No parameter is lost because its tag comes in pieces."""
    text = (
        f'<invoke name="f"><parameter name="a">x</parameter><parameter name="{name}">5</parameter>'
    )
    text += "</invoke>"
    reader = read_in_pieces(TOOLS, text, 1)
    [whole] = TOOLS.read_calls(text, errors="keep")
    assert [(call.arguments, str(call.error)) for call in reader.calls] == [
        (whole.arguments, str(whole.error))
    ]


def test_what_is_remembered_of_a_call_reads_no_damaged_one() -> None:
    """A tag that is cut off is no call without parameters."""
    toolset = Toolset([{"name": "f", "parameters": {}}])
    around = "<function=f><parameter{}</parameter></function>"
    assert toolset.read_calls(around.format("=a>x"))
    [call] = toolset.read_calls(around.format("="), errors="keep")
    assert call.error


@pytest.mark.parametrize(
    "text",
    ["[f('{}')]", "[f(a=['{}'])]", "f({})", "f( {} x)", "f(a=') {} 1')", '>>>f {} x{{"a": "x"}}'],
)
def test_long_strings_in_python_are_read_in_linear_time(text: str) -> None:
    """No pattern is tried anew at every character of one."""
    for piece in ("a", "\n", " "):
        small, large = (text.format(piece * times) for times in (22_500, 90_000))
        most = 9 * rounds(lambda given=small: TOOLS.read_calls(given, errors="keep"))
        assert rounds(lambda given=large: TOOLS.read_calls(given, errors="keep"), most) <= most


@pytest.mark.parametrize("piece", NEVER_ENDING.values(), ids=NEVER_ENDING)
def test_a_call_that_may_never_end_is_refused(piece: str) -> None:
    """However often it begins again, none runs, and the end of the text is in what is refused."""
    text = piece * (200_000 // len(piece))
    reader = read_in_pieces(TOOLS, text, 60_000)
    assert all(call.error and call.arguments is None for call in reader.calls)
    assert reader.calls[-1].end > len(text) - len(piece)
    assert reader.arriving is None
    with pytest.raises(ToolError, match="Error parsing"):
        TOOLS.read_calls(text)


def test_an_error_that_is_kept_keeps_nothing_of_the_reading() -> None:
    """Neither the frames of its reader nor another error with such: each has all of the text."""
    for call in TOOLS.read_calls("\nf\n{" * 3 + 'f(a=1, b="x")', errors="keep"):
        assert call.error is not None
        assert call.error.__traceback__ is call.error.__context__ is None


def test_many_unknown_names_are_no_more_work_each() -> None:
    """Only the first calls of a text are told which tools have names like theirs."""
    toolset = Toolset([{"name": "get_weather", "parameters": {}}])
    calls = ", ".join(['{"name": "get_wether", "arguments": {}}'] * 200)
    found = toolset.read_calls(f"[TOOL_CALLS] [{calls}]", errors="keep")
    errors = [str(call.error) for call in found]
    assert ["; call `" in error for error in errors] == [True] * 100 + [False] * 100


TAILS = (
    "}",
    "} ",
    "]",
    ")",
    "',",
    '"',
    '\\"',
    "</function>",
    "</parameter>",
    "</tool_call>",
    "to=f ",
)


@pytest.mark.search
@pytest.mark.parametrize("head", [piece for piece in PIECES if len(piece) > 5])
def test_what_is_nearly_one_call_is_read_as_any_text(head: str) -> None:
    """What is read at once is what is read when it streams, whatever stands behind it.

    Many times each tail, with and without a brace, in turn.
    """
    for number, tail in enumerate(TAILS, PIECES.index(head)):
        for text in (
            head + tail,
            *every_nth((head + tail * 200, head + "{" + tail * 200), 2, number),
        ):
            reader = TOOLS.call_reader()
            reader.finish(text)
            assert repr(TOOLS.read_calls(text, errors="keep")) == repr(reader.calls), text[:80]


def test_deep_nesting_is_refused() -> None:
    """In JSON, in Python and in strings within strings."""
    deep = 100_000
    for text in (
        f'<tool_call>{{"name": "f", "arguments": {"[" * deep}{"]" * deep}}}',
        f"[f(a={'[' * deep}{']' * deep})]",
        f"<|python_start|>[f(a={'(' * deep}",
    ):
        assert all(call.error for call in TOOLS.read_calls(text, errors="keep"))


MARKERS = (
    *(
        "```",
        "~~~",
        "``aa`<x>`",
        "<tool_call>",
        "</tool_call>",
        "<function=",
        "<|",
        "|>",
        "<think>",
    ),
    *("[TOOL_CALLS]", '{"name":', "f(", "f(a=", "<f>", "<invoke", "<parameter", "call:", "<!--"),
    *("/*", '"""', "'''", '\\"', "```json\n", '{"a":', '[{"', "<|tool_call", "functions.", "\n{a"),
)
SIGNS = "`<>{}[]()\"'\\,:;= \n\ta_|/#~"


@pytest.mark.parametrize("marker", MARKERS)
def test_runs_of_markers_are_read_in_linear_time(marker: str) -> None:
    """Whole and streamed: none costs more than some hundred calls of functions a character."""
    for piece in (marker, f"{marker}``aa`<x>`", f"{marker}```", f"{marker} x"):
        text = (piece * (10_000 // len(piece) + 1))[:10_000]
        with calls(400 * len(text)):
            TOOLS.read_calls(text, errors="keep")
            read_in_pieces(TOOLS, text, 1_000)


@pytest.mark.parametrize("marker", ["</function>", "</tool_call>", "</invoke>\n"])
def test_ends_of_calls_that_arrive_at_once_are_read_in_linear_time(marker: str) -> None:
    """Each may become another mark with what follows: that is asked once for all of them."""
    with calls(1_400_000):
        reader = TOOLS.call_reader()
        reader.feed(marker * 10_000)
        reader.finish()
    assert reader.calls == []


@pytest.mark.search
@pytest.mark.parametrize("sign", SIGNS)
def test_runs_of_pairs_of_characters_are_read_in_linear_time(sign: str) -> None:
    """With any other character after it; by default, with those that follow it in the table."""
    for other in SIGNS if is_search() else SIGNS[SIGNS.index(sign) :]:
        with calls(900_000):
            TOOLS.read_calls((sign + other) * 2_000, errors="keep")


@pytest.mark.parametrize("piece", ["[", "{a", "<x>", "f(", "<tool_call>", "\n{"])
@pytest.mark.parametrize("number", [4_999, 5_000, 5_001])
def test_a_reader_ends_at_the_limit_of_places(
    piece: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Just below, at and above it: with an error, or with none, but with no exception."""
    monkeypatch.setattr(scan, "MAX_CALL_STARTS", 5_000)
    text = piece * number
    reader = read_in_pieces(TOOLS, text, 2_500)
    whole = TOOLS.read_calls(text, errors="keep")
    assert [(call.start, call.end) for call in reader.calls] == [
        (call.start, call.end) for call in whole
    ]


@pytest.mark.parametrize("piece", ["[", "{", "f(", "<tool_call>", "```", "[{", "<function=f>"])
@pytest.mark.parametrize("limit", [1, 2, 20])
def test_where_a_reader_gives_up_does_not_depend_on_chunks(
    piece: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The errors and their places are those of the whole text, however it is cut."""
    monkeypatch.setattr(scan, "MAX_CALL_STARTS", limit)
    for number in (limit - 1, limit, limit + 1):
        for tail in ("", "x", "`", "<tool_call>{"):
            text = f"words {piece * number}{tail}"
            whole = [(c.start, c.end, str(c.error)) for c in TOOLS.read_calls(text, errors="keep")]
            for size in (1, 3, 50):
                reader = read_in_pieces(TOOLS, text, size)
                assert [(c.start, c.end, str(c.error)) for c in reader.calls] == whole
