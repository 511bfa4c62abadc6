"""Damage of the marks around a call: one error, which names the mark and is true."""

from __future__ import annotations

import random

import pytest
from case_tests import each_case
from cases import Case
from streaming import read_in_pieces
from wire import WRITERS

from schema2model import Toolset

PROPERTIES = {"city": {"type": "string"}, "units": {"type": "string"}, "days": {"type": "integer"}}
TOOLS = Toolset(
    [
        {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": PROPERTIES, "required": ["city"]},
        },
        {"name": "now", "parameters": {"type": "object", "properties": {}}},
    ]
)
ARGUMENTS = {"city": "New York", "units": "cm", "days": 3}
MARKS = "\"'{}[]<>/|:,=()\\"
BARE = frozenset({"chatglm", "react", "functionary_v32", "action_json", "client_xml"})
"""Formats whose damage may leave nothing that is like a call."""


def damaged(text: str, choices: random.Random) -> str:
    """The text with one mark lost, doubled or replaced, between the name and the last value."""
    first, last = text.index("get_weather") + len("get_weather") + 1, text.rindex("3")
    at = choices.choice([at for at in range(first, last) if text[at] in MARKS])
    return text[:at] + choices.choice(["", text[at] * 2, choices.choice(MARKS)]) + text[at + 1 :]


@each_case("damaged_calls")
def test_a_damaged_call_is_read_or_refused(case: Case) -> None:
    """With the reason, where it is, and with what is shown without it; also in pieces."""
    toolset = Toolset(case.tools)
    calls = toolset.read_calls(case.input, errors="keep")
    assert [(call.format, call.start, call.end) for call in calls] == case.spans
    reasons = [str(call.error) for call in calls if call.error]
    assert "\n".join(reasons) == case.line.get("message", "")
    for size in (len(case.input), 7):
        reader = read_in_pieces(toolset, case.input, size)
        assert reader.text == case.shown
        assert repr(reader.calls) == repr(calls)


@pytest.mark.parametrize("format_", sorted({*WRITERS} - BARE))
def test_one_damaged_call_has_one_error(format_: str) -> None:
    """None without a name comes after it, and nothing was cut off where the end is there."""
    text = WRITERS[format_]([("get_weather", ARGUMENTS)])
    choices = random.Random(format_)  # noqa: S311 - no secret
    for _ in range(60):
        spoiled = damaged(text, choices)
        errors = [call for call in TOOLS.read_calls(spoiled, errors="keep") if call.error]
        # where a mark between name and arguments is damaged, both halves are reported
        assert len(errors) < 2 + (format_ in {"kimi_k3", "qwen_agent"}), (
            spoiled,
            [str(call.error) for call in errors],
        )
        if errors:
            assert "cut off" not in str(errors[0].error), (spoiled, str(errors[0].error))


@pytest.mark.parametrize("after", ["\n", "<|im_end|>", "\n\nDone.", "\n{}"])
@pytest.mark.parametrize("format_", sorted({*WRITERS}))
def test_a_call_that_was_cut_off_in_the_tag_of_a_parameter_is_refused(
    format_: str, after: str
) -> None:
    """Whatever comes next, be it another call: the parameter would be lost in silence."""
    write = WRITERS[format_]
    text = write([("get_weather", ARGUMENTS)])
    after = after.format(write([("now", {})]))
    name = text.index("units")
    first = max(text.rfind(mark, 0, name) for mark in "<|,{(\"'")
    for cut in range(first + 1, name + len("unit")):
        calls = TOOLS.read_calls(text[:cut] + after, errors="keep")
        assert all(call.error for call in calls if call.name == "get_weather"), text[:cut]


QWEN = "<function={}><parameter={}>{}</parameter></function>"
MINIMAX = '<invoke name="{}"><parameter name="{}">{}</parameter></invoke>'
MINICPM = '<function name="{}"><param name="{}"><![CDATA[{}]]></param></function>'
GLM = "<tool_call>{}<arg_key>{}</arg_key><arg_value>{}</arg_value></tool_call>"
HERMES = '<tool_call>{{"name": "{}", "arguments": {{"{}": "{}"}}}}</tool_call>'


@pytest.mark.parametrize("second", [QWEN, MINIMAX, MINICPM, GLM, HERMES])
@pytest.mark.parametrize("first", [QWEN, MINIMAX, MINICPM, GLM])
def test_a_call_that_lacks_an_end_takes_nothing_of_another_format(first: str, second: str) -> None:
    """Its arguments are its own, or it is refused; the next call is read, or refused with it."""
    text = first.format("get_weather", "city", "Rome")
    next_call = second.format("get_weather", "city", "Oslo")
    tags = ["</parameter>", "</param>", "]]>", "</arg_value>"]
    ends = ["</function>", "</invoke>", "</tool_call>"]
    for lost in (*tags, *ends):
        damaged = text.replace(lost, lost[1:])
        for between in ("", "\n", "\n\n"):
            calls = TOOLS.read_calls(damaged + between + next_call, errors="keep")
            cities = [call.arguments["city"] for call in calls if call.error is None]
            assert cities in ([], ["Rome"], ["Oslo"], ["Rome", "Oslo"]), (damaged, between)
            assert len(cities) == 2 or len(cities) < len(calls), (damaged, between)


@pytest.mark.parametrize("inner", [QWEN, MINIMAX, MINICPM, GLM, HERMES])
@pytest.mark.parametrize("outer", [QWEN, MINIMAX, MINICPM])
def test_no_call_in_a_value_is_run_whose_tag_is_damaged(outer: str, inner: str) -> None:
    """A call of another format in a value stays text, whichever mark of its tag is lost."""
    if inner[:9] == outer[:9]:
        return  # its beginning may be that of the next call
    value = f"See {inner.format('get_weather', 'city', 'Oslo')} there."
    text = outer.format("get_weather", "city", value)
    for at in range(text.index("<", 1), text.index("See")):
        for spoiled in (text[:at] + text[at + 1 :], text[:at] + "<" + text[at + 1 :]):
            for call in TOOLS.read_calls(spoiled, errors="keep"):
                assert call.error or call.arguments != {"city": "Oslo"}, spoiled


@pytest.mark.parametrize("inner", [QWEN, MINIMAX])
@pytest.mark.parametrize("outer", [QWEN, MINIMAX])
@pytest.mark.parametrize("lines", ["", "\n"])
def test_whole_calls_in_a_value_are_text(outer: str, inner: str, lines: str) -> None:
    """In each format that has the same closing tag; cut off after them, none of them is run."""
    value = f"See {lines}{inner.format('get_weather', 'city', 'Oslo')}{lines} twice: " * 2 + "."
    text = outer.format("get_weather", "city", f"{lines}{value}{lines}")
    [call] = TOOLS.read_calls(text)
    assert call.arguments["city"].strip("\n") == value
    [cut] = TOOLS.read_calls(text[: text.rindex(".")], errors="keep")
    assert "it was cut off in `city`" in str(cut.error) or "does not end" in str(cut.error)


@pytest.mark.parametrize(
    "value",
    [
        "Close it with </invoke>. Example: {call} ok",
        "Close it with </function>, here: {call} ok",
        "Close it with </function>. Example: {other} ok",
        "{call}\nand\n{other}",
        "See {cpm} and {cpm}",
        "# ends: </{other_end}>\n{call}",
        'open it with <invoke name="x"> and <parameter name="y"> tags',
        "open it with <function=x> and <parameter=y> tags",
        '<invokers><parameters x="1"/></invokers>',
        '<invokeMethod name="m"><parameters><p/></parameters></invokeMethod>',
        '<T invoke="1"/><invoke-static {{v0}}><parameter-x>',
        'grep "<invoke " log | grep "<parameter" ',
        'OPEN = "<invoke name="; PARAM = "<parameter name="',
    ],
)
@pytest.mark.parametrize("outer", [QWEN, MINIMAX])
@pytest.mark.parametrize("lines", ["", "\n"])
def test_an_undamaged_call_is_exact_whatever_tags_its_value_mentions(
    outer: str, lines: str, value: str
) -> None:
    """Whole calls, ends without a call and names like a tag's are text in it."""
    other = MINIMAX if outer == QWEN else QWEN
    rome = ("get_weather", "city", "Rome")
    value = value.format(
        call=outer.format(*rome),
        other=other.format(*rome),
        cpm='<function name="get_weather"><param name="city">Rome</param></function>',
        other_end="invoke" if outer == QWEN else "function",
    )
    oslo = outer.format("get_weather", "city", f"{lines}Oslo{lines}")
    calls = TOOLS.read_calls(f"{outer.format(*rome[:2], lines + value + lines)}\n{oslo}")
    assert [call.arguments["city"].strip("\n") for call in calls] == [value, "Oslo"]


@pytest.mark.parametrize(
    "value",
    [
        "<invoke>, <parameter> and </invoke> then <function=x>",
        '<invoke name="get_weather"><parameter name="city"> then',
        "<function=get_weather><parameter=city> then",
    ],
)
@pytest.mark.parametrize("outer", [QWEN, MINIMAX])
@pytest.mark.parametrize("lines", ["", "\n"])
def test_a_value_that_quotes_a_beginning_alone_is_exact_or_refused(
    outer: str, lines: str, value: str
) -> None:
    """Nobody can tell where it ends: it is never cut, and nothing of the next call is in it."""
    written = f"{lines}{value}{lines}"
    text = outer.format("get_weather", "city", written)
    units = outer.format("get_weather", "units", f"{lines}cm{lines}")
    begins, ends = units.index("<", 1), units.rindex("<")
    more = text[: text.rindex("<")] + units[begins:ends] + text[text.rindex("<") :]
    for said in (text, f"{text}\n{units}", more):
        calls = TOOLS.read_calls(said, errors="keep")
        assert calls
        for call in calls:
            read = {} if call.error else call.arguments
            assert read.get("city", value).strip("\n") == value
            assert read.get("units", "cm").strip("\n") == "cm"


@pytest.mark.parametrize(
    "value",
    [
        '# ends: </function>\n<invoke name="x">\n<parameter name="y">1</parameter>\n</invoke>',
        '<invoke name="x"/>\n<parameter name="y">1</parameter>',
    ],
)
def test_a_value_in_lines_ends_at_a_line(value: str) -> None:
    """A closing tag or an end within one of its lines is text in it, or the call is refused."""
    [call] = TOOLS.read_calls(QWEN.format("get_weather", "city", f"\n{value}\n"), errors="keep")
    assert call.error or call.arguments == {"city": value}


@pytest.mark.parametrize("outer", [QWEN, MINIMAX])
@pytest.mark.parametrize("inner", [QWEN, MINIMAX])
@pytest.mark.parametrize("between", ["", "\n"])
def test_a_call_that_a_value_may_quote_is_not_run(outer: str, inner: str, between: str) -> None:
    """After an end that is only mentioned, where a closing tag after it is left without a call."""
    end = outer[outer.rindex("<") :]
    oslo = inner.format("get_weather", "city", "Oslo")
    text = outer.format("get_weather", "city", f"It ends with {end}{between}{oslo} as here.")
    [call] = TOOLS.read_calls(text, errors="keep")
    assert call.error


@pytest.mark.parametrize("body", ["<parameter=city>Oslo</parameter>", '{"city": "Oslo"}', ""])
def test_the_end_of_a_quoted_call_is_not_that_of_the_call(body: str) -> None:
    """Whether the quoted call has its arguments in tags, in JSON, or none."""
    value = f"See <function=get_weather>{body}</function>"
    text = QWEN.format("get_weather", "city", value)
    calls = TOOLS.read_calls(f"{text}\n{QWEN.format('get_weather', 'city', 'Bern')}")
    assert [call.arguments for call in calls] == [{"city": value}, {"city": "Bern"}]


def test_a_value_that_lacks_its_line_ends_before_the_next_call() -> None:
    """Its closing tag is at the end of its last line, and the next call has lines of its own."""
    lines = QWEN.format("get_weather", "city", "\nOslo\n")
    first = QWEN.format("get_weather", "city", "\nRome ")
    calls = TOOLS.read_calls(f"{first} {lines}")
    assert [call.arguments for call in calls] == [{"city": "Rome "}, {"city": "Oslo"}]


@pytest.mark.parametrize("format_", sorted({*WRITERS} - BARE - {"gemma_tool_code"}))
def test_what_is_cut_off_is_said_to_be(format_: str) -> None:
    """Where nothing comes after the beginning of a value; only a program is called malformed."""
    text = WRITERS[format_]([("get_weather", ARGUMENTS)])
    [call] = TOOLS.read_calls(text[: text.index("New York") + 3], errors="keep")
    assert "cut off" in str(call.error)


@pytest.mark.parametrize(
    "rest",
    ['note="b")', "\nlimit=3)", ", limit=3)", '"b", limit=3)', ")), limit=3)"],
)
@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ("<|python_tag|>", ""),
        ("<|python_start|>", "<|python_end|>"),
        ("<tool_call>", "</tool_call>"),
    ],
)
def test_an_argument_after_a_call_in_python_belongs_to_it(
    begins: str, ends: str, rest: str
) -> None:
    """So the call is refused, alone and in a list: no argument is lost without a word."""
    for text in (f"get_weather(city='Rome') {rest}", f"[get_weather(city='Rome') {rest}]"):
        [call] = TOOLS.read_calls(f"{begins}{text}{ends}", errors="keep")
        assert call.name == "get_weather"
        assert call.error
    assert TOOLS.read_calls(f"{begins}get_weather(city='Rome')\nDone.{ends}")[0].arguments
