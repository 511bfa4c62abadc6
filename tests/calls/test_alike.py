"""A text that is only calls, and one with a piece where none belongs, mean the same in a stream."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st
from searching import every_nth, examples
from streaming import read_in_pieces
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
    reader = read_in_pieces(TOOLS, text, 7)
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
