"""A text that is only calls, and one with a piece where none belongs, mean the same in a stream."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st
from searching import every_nth, examples
from wire import MARKS, TEXT, WRITERS

from schema2model import Toolset

PARAMETERS = {
    "properties": {
        "path": {"type": "string"},
        "mode": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "any": {},
    }
}
TOOLS = Toolset([{"name": "write_file", "parameters": PARAMETERS}])
FIRST = ("write_file", {"path": "a", "mode": 1})
OTHERS: tuple[dict[str, Any], ...] = (
    {"path": "notes/today.txt", "mode": -42},
    {"mode": 420, "path": "x y"},
    {"path": "", "any": True},
    {"path": "it's", "any": None},
    {"any": "5"},
    {"path": "a", "tags": ["b", "c"], "any": {"k": [1]}},
    {"path": "a}}\n" * 300, "any": {}},
)
PIECES = [
    *MARKS,
    *sorted({mark for marks in TEXT.values() for mark in marks}),
    *("{", "}", "}}", "[", "]", "(", ")", ")]", '"', "'", "\\", ",", ":", "=", "<", ">", "\n", " "),
    *('"}}', '"}]', "\\n", "```", "None", "NaN", "01", "1-2", "\0", "\x01", "\ud800", "\u2028"),
    *("write_file", "write_file\n", "```json\n", "```tool_code\n", "```write_file\n", "functools"),
    *('">', '" string="true">', '" string="false">', ">\n", "\n  ", "</think>", "<|im_end|>"),
    *('"type": "object", ', ', "name": "g"', "path='b', ", ',path:<|"|>b<|"|>'),
]


def whole(text: str) -> str:
    """The calls of the text."""
    return repr(TOOLS.read_calls(text, errors="keep"))


def streamed(text: str) -> str:
    """The calls of the text, which comes in pieces."""
    reader = TOOLS.call_reader()
    for at in range(0, len(text), 7):
        reader.feed(text[at : at + 7])
    reader.finish()
    return repr(reader.calls)


@pytest.mark.search
@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_every_piece_in_a_call_is_read_alike(format_: str) -> None:
    """Each piece at every 293rd place of calls of the tool, from another first place in each.

    By default, at every fourth one of these.

    Each format has one of the calls, the next one another.
    """
    assert whole(WRITERS[format_]([FIRST])) == streamed(WRITERS[format_]([FIRST]))
    for turn, arguments in every_nth([*enumerate(OTHERS[:4])], 4, sorted(WRITERS).index(format_)):
        text = WRITERS[format_]([("write_file", arguments)])
        for number, piece in enumerate(PIECES, 73 * turn):
            for at in every_nth(range(number % 293, len(text), 293), 4, number):
                spoiled = text[:at] + piece + text[at:]
                assert whole(spoiled) == streamed(spoiled), spoiled


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
    "fence of a language": (
        "```json\n{}\n```",
        '{"name": "write_file", "arguments": {"path": "a"}}',
        '{"path": "a"}',
    ),
    "fence of a tool": (
        "```write_file\n{}\n```",
        '{"path": "a"}',
        '{"name": "write_file", "arguments": {"path": "a"}}',
    ),
    "fence of a program": ("```{}\nwrite_file(path='a')\n```", "python", "sql"),
    "print": (
        "print({})",
        "write_file(path='a')",
        'call:{"name": "write_file", "arguments": {"path": "a"}}',
    ),
    "name above": ("Action: write_file\nAction Input: {}", '{"path": "a"}', '{"path": "a"}}'),
    "long arguments": (
        '<tool_call>{{"name": "write_file", "arguments": {}}}</tool_call>',
        f'{{"path": "{"x" * 2_000}"}}',
        f'{{"path": "{"x" * 2_000}"}}, "id": {{}}',
    ),
    "half a surrogate pair": (
        '<tool_call>{{"name": "write_file", "arguments": {}}}</tool_call>',
        f'{{"path": "{"x" * 2_000}"}}',
        f'{{"path": "{"x" * 2_000}\ud800"}}',
    ),
    "braces closed early": ("<function=write_file>{}</function>", "{}", '{"path": "a"}}'),
}
"""A text around arguments, usual ones, and odd ones."""


@pytest.mark.parametrize(("around", "usual", "odd"), INSIDE.values(), ids=INSIDE)
def test_odd_arguments_are_read_alike(around: str, usual: str, odd: str) -> None:
    """Where the pattern takes the usual ones."""
    assert whole(around.format(usual)) == streamed(around.format(usual))
    text = around.format(odd)
    assert whole(text) == streamed(text)


@pytest.mark.parametrize("format_", sorted(WRITERS))
@examples(5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    spoiled=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES)), max_size=3),
    others=st.lists(st.sampled_from(OTHERS), min_size=1, max_size=2),
)
def test_spoiled_calls_are_read_alike(
    format_: str, spoiled: list[tuple[float, str]], others: list[dict[str, Any]]
) -> None:
    """One call or two, with up to three pieces where none belongs."""
    text = WRITERS[format_]([("write_file", arguments) for arguments in others])
    for place, piece in spoiled:
        at = int(place * len(text))
        text = text[:at] + piece + text[at:]
    assert whole(text) == streamed(text)


CALL = '{"name": "write_file", "arguments": {"path": "a"}}'
SEVERAL = {
    "list": f"[{CALL}, {CALL}]",
    "list without a comma": f"[{CALL} {CALL}]",
    "list with another mark": f"[{CALL}; {CALL}]",
    "list in tags without a comma": f"<tool_call>[{CALL} {CALL}]</tool_call>",
    "one behind the other": f"<tool_call>{CALL}; {CALL}</tool_call>",
    "one is none": f'[{CALL}, {{"name": "write_file", "arguments": {{"mode": "x"}}}}]',
    "definition": f'[{CALL}, {{"name": "write_file", "parameters": {{"type": "object"}}}}]',
    "more keys": f'[{CALL}, {{"name": "write_file", "arguments": {{}}, "id": "1"}}]',
    "Python": "[write_file(path='a'), write_file(path='b')]",
    "Python in a string": "[write_file(path='a'), write_file(path='), write_file(path=')]",
    "Python in other quotes": """[write_file(path="'), write_file(mode=1, any='")]""",
    "Python on lines": "```python\nwrite_file(path='a')\n\nwrite_file(path='b')\n```",
    "Python on one line": "write_file(path='a') write_file(path='b')",
    "names as keys": '<|tools_prefix|>[{"write_file": {}}, {"write_file": {}}]',
    "names as keys, no comma": '<|tools_prefix|>[{"write_file": {}} {"write_file": {}}]',
    "names as keys of one": '<|tools_prefix|>[{"write_file": {}, "write_file": {}}]',
}


@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL)
def test_several_calls_are_read_alike(text: str) -> None:
    """In a list, in markers, or one after the other."""
    assert whole(text) == streamed(text)
