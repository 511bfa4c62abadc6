"""The law of conservation: of a call that lost a piece, nothing else is lost in silence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from searching import every_nth
from streaming import read_in_pieces
from wire import ONE_CALL, WRITERS, is_json

from schema2model import Call, Toolset
from schema2model.calls.formats.spellings import usual_spelling

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("write_file", {"path": "notes/a.txt", "mode": 42, "backup": True}),
    ("get_weather", {"city": "Rome", "days": 3}),
]
SENT = dict(CALLS)
TYPES = {"path": "string", "mode": "integer", "backup": "boolean", "city": "string"}
TOOLS = Toolset(
    [
        {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {key: {"type": TYPES.get(key, "integer")} for key in sent},
                "required": [next(iter(sent))],
                "additionalProperties": False,
            },
        }
        for name, sent in CALLS
    ]
)
TRACES = {"write_file": ("notes", "42"), "get_weather": ("Rome", "days")}
"""Values by which a call is recognised in text that was not read."""
TAG = re.compile(r"<[^<>]*>|```\w*|\[/?[A-Z_]+\]")
LINE = re.compile(r"[^\n]*\n|[^\n]+")
PIECE = re.compile(r"\w+|[^\w\s]|\s+")


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Each word or sign, and the text without it."""
    for piece in PIECE.finditer(text):
        yield piece[0], text[: piece.start()] + text[piece.end() :]


def without_parts(text: str) -> Iterator[tuple[str, str]]:
    """Each tag, marker or line, and the text without it; each sign, and the text with two."""
    for part in TAG.finditer(text):
        yield part[0], text[: part.start()] + text[part.end() :]
    for line in LINE.finditer(text):
        yield line[0], text[: line.start()] + text[line.end() :]
    for piece in PIECE.finditer(text):
        yield piece[0], text[: piece.end()] + text[piece.start() :]


def unreported(text: str, calls: list[Call], expected: int) -> list[str]:
    """The tools whose calls are neither read nor within a refused call, but still in the text."""
    if len(calls) >= expected:
        return []
    rest = list(text)
    for call in calls:
        if call.error is not None:
            rest[call.start : call.end] = " " * (call.end - call.start)
    left = "\n".join(part for part in re.split(r"\n|; ", "".join(rest)) if not is_json(part))
    read = {call.name for call in calls if call.error is None}
    return [name for name in SENT if name not in read and any(t in left for t in TRACES[name])]


SHOWN = {"gemma_tool_code", "harmony", "mistral_v11", "mistral_v13", "openai_json", "qwen_agent"}
"""Formats in which a call whose mark is damaged may be text, where another call is read."""


def are_shown(names: list[str], text: str) -> bool:
    """Whether what is neither read nor reported is shown as text, and so is not lost."""
    reader = TOOLS.call_reader()
    reader.finish(text)
    return all(any(trace in reader.text for trace in TRACES[name]) for name in names)


def is_part(read: Any, sent: dict[str, Any]) -> bool:
    """Return whether arguments are those sent, without a member or a piece of a value."""
    for key, value in read.items():
        rest = iter(str(sent[key]).lower())
        if value != sent[key] and not all(char in rest for char in str(value).strip().lower()):
            return False
    return True


@pytest.mark.search
@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_a_call_that_lost_a_piece_is_read_or_refused(format_: str) -> None:
    """The same call without the piece, or an error; unless the piece is the tool's name.

    Every other piece, the first of one format and the second of the next; in a search, each.
    """
    calls = CALLS[:1] if format_ in ONE_CALL else CALLS
    first = sorted(WRITERS).index(format_)
    for piece, text in every_nth([*pieces(WRITERS[format_](calls))], 2, first):
        read = TOOLS.read_calls(text, errors="keep")
        if piece not in SENT:
            lost = unreported(text, read, len(calls))
            assert lost == [] or format_ in SHOWN, (piece, text)
            assert are_shown(lost, text), (piece, text)
        for call in read:
            if call.error is None:
                assert is_part(call.arguments, SENT[call.name]), (piece, text)


@pytest.mark.search
@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_a_call_that_lost_a_tag_or_repeats_a_sign_is_read_or_refused(format_: str) -> None:
    """Both calls, unless the part has a name or the values; no value of one is that of another.

    Every other part, as above.
    """
    calls = CALLS[:1] if format_ in ONE_CALL else CALLS
    first = sorted(WRITERS).index(format_)
    for part, text in every_nth([*without_parts(WRITERS[format_](calls))], 2, first):
        read = TOOLS.read_calls(text, errors="keep")
        lost = [name for name in unreported(text, read, len(calls)) if name in text]
        assert lost == [] or format_ in SHOWN or any(name in part for name in SENT), (part, text)
        assert are_shown(lost, text), (part, text)
        for call in read:
            if call.error is None and part not in {*SENT, *TYPES}:
                values = " ".join(map(str, call.arguments.values()))
                assert not any(key in values for key in ("mode", "backup", "days")), (part, text)


SIGNS = (*"{}[]()<>`'\"\n,:", "```json\n", "<think>", "Observation: [")


@pytest.mark.search
@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_a_text_with_a_sign_too_many_streams_as_it_is_read_whole(format_: str) -> None:
    """Each sign at every 123rd place of two calls, in chunks that cut all markers.

    In a search, at every 41st.
    """
    text = WRITERS[format_](CALLS[:1] if format_ in ONE_CALL else CALLS)
    for sign, at in (
        (s, at) for n, s in enumerate(SIGNS) for at in every_nth(range(n, len(text), 41), 3, n)
    ):
        damaged = text[:at] + sign + text[at:]
        reader = read_in_pieces(TOOLS, damaged, 7)
        whole = TOOLS.read_calls(damaged, errors="keep")
        assert [*map(repr, reader.calls)] == [*map(repr, whole)], damaged


TAGGED = sorted({name for name in WRITERS if (each := usual_spelling(name)) and each.parameter})


def joined(format_: str, closing: int, between: str) -> str:
    """A call whose first value goes on: some characters of its closing tag, and other text."""
    head, _, rest = WRITERS[format_]([("get_weather", {"city": "Rome", "days": 3})]).partition(
        "Rome"
    )
    tag, _, tail = rest.lstrip().partition("3")
    return f"{head}Rome{tag[:closing]}{between}3{tail}"


@pytest.mark.parametrize("format_", TAGGED)
def test_a_value_with_the_rest_of_its_end_and_another_parameter_is_refused(format_: str) -> None:
    """The two were joined: neither is lost, and the first does not hold the second."""
    for closing in (5, 8):
        for between in (" days>", ' name="days">', "=days>", f"{' ' * 70}days>"):
            text = joined(format_, closing, between)
            calls = TOOLS.read_calls(text, errors="keep")
            assert calls, text
            assert all(call.error for call in calls), text


@pytest.mark.parametrize("format_", TAGGED)
@pytest.mark.parametrize(
    ("closing", "between"),
    [
        pytest.param(5, " dogs>", id="no parameter"),
        pytest.param(5, " city>", id="the parameter itself"),
        pytest.param(3, " days>", id="too little of the tag"),
    ],
)
def test_a_value_with_other_text_like_an_end_is_not_cut(
    format_: str, closing: int, between: str
) -> None:
    """It is what was sent, with what looks like a part of a tag, or it is refused."""
    text = joined(format_, closing, between)
    [call] = TOOLS.read_calls(text, errors="keep")
    if call.error is None:
        assert call.arguments["city"].startswith("Rome")
        assert between.strip() in call.arguments["city"]
