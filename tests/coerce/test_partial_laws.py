"""Arguments that are still arriving: the laws, and what is promised of hostile text.

Whatever is shown is a part of what is shown later, and of the result if there is one.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterable
from typing import Any

import pytest
from corruptions import INTEGER, TOOLS, Tool, corrupted
from hostile import RECURSIVE, TEXTS
from hypothesis import given, strategies as st
from oracle import identical
from strategies import calls, json_values
from streaming import ended, is_part, pieces, pieces_of, steps

from schema2model import Coercion, CompiledSchema, Tool as FunctionTool, compile_schema
from schema2model.coerce.search import independent_members as members, reader as search
from schema2model.text import streaming as tokens
from schema2model.text.streaming import Tokenizer

presets = st.sampled_from(("default", "off", "untyped", "forgiving", "lenient"))
RULES = sorted({field.name for field in dataclasses.fields(Coercion)} - {"allow_inf_nan"})


@st.composite
def coercions(draw: st.DrawFn) -> Coercion:
    """A preset with a few rules switched; not the one that lets NaN in, which equals nothing."""
    preset: Coercion = getattr(Coercion, draw(presets))
    switched = draw(st.lists(st.sampled_from(RULES), max_size=3, unique=True))
    return preset.replace(**{rule: not getattr(preset, rule) for rule in switched})


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value's JSON text, in one spelling or another."""
    return json.dumps(
        value,
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from((None, 1))),
        separators=draw(st.sampled_from(((",", ":"), (" ,\r\n", "\t: ")))),
    )


def check_growth(draw: st.DrawFn, compiled: CompiledSchema, value: Any) -> None:
    """Each value that is shown is a part of the next, and of the result, if there is one."""
    chunks = pieces(draw, draw(written(value)))
    final, error = ended(compiled.validate_json, json.dumps(value))
    for strings in (False, True):
        shown = steps(compiled, chunks, strings=strings)
        for before, after in itertools.pairwise(shown if error else [*shown, final]):
            assert before is None or is_part(before, after, strings=strings)


@given(st.data(), st.sampled_from(TOOLS), coercions())
def test_nothing_is_taken_back_on_tools(
    data: st.DataObject, tool: Tool, coercion: Coercion
) -> None:
    """Of corrupted calls of tools like those that exist, however their text is cut."""
    value = data.draw(corrupted(tool, times=3) | json_values)
    check_growth(data.draw, compile_schema(tool.schema, coercion=coercion), value)


@given(st.data(), calls(), coercions())
def test_nothing_is_taken_back_under_any_schema(
    data: st.DataObject, call: tuple[Any, list[Any]], coercion: Coercion
) -> None:
    """Whatever the keywords and the rules, and however near or far the values."""
    schema, values = call
    for value in values:
        check_growth(data.draw, compile_schema(schema, coercion=coercion), value)


LISTS_OF_OBJECTS = {"type": "array", "items": {"oneOf": [{"type": "object"}]}}


@pytest.mark.parametrize(
    ("schema", "coercion", "text"),
    [
        ({"type": ["object", "null"], "additionalProperties": False}, {}, '{"item": null}'),
        ({"propertyNames": {"type": "object"}}, {}, '{"item": "[1]"}'),
        ({"type": "array", "items": LISTS_OF_OBJECTS}, {}, '[[[], [{"a": null}]]]'),
        (
            {"type": "array", "items": INTEGER, "uniqueItems": True},
            {"repeated_items": True, "nested_list": False},
            "[1, 1, 2]",
        ),
        (
            {"type": "array", "items": INTEGER, "maxItems": 1},
            {"repeated_items": True, "nested_list": False},
            "[1, 1]",
        ),
        (
            {"properties": {"a": {"minItems": 2}}},
            {"nested_list": False},
            '{"a": [{"key": "b", "value": "c"}]}',
        ),
    ],
    ids=[
        "the only member",
        "a list in it",
        "the only item",
        "an item twice",
        "one too many",
        "pairs",
    ],
)
def test_nothing_is_taken_back_for_a_guess_about_the_whole(
    schema: Any, coercion: dict[str, Any], text: str
) -> None:
    """A container waits for its end if only that decides what its members are."""
    compiled = compile_schema(schema, coercion=Coercion.forgiving.replace(**coercion))
    final, error = ended(compiled.validate_json, text)
    for shown in steps(compiled, text):
        assert error or shown is None or is_part(shown, final)


def test_a_set_is_shown_when_it_is_complete() -> None:
    """An item that comes again does not count."""

    def label(tags: set[str]) -> None: ...

    shown = steps(FunctionTool(label).compiled, ('{"tags": ["a", "a"', ', "b"]', "}"))
    assert shown == [{}, {}, {"tags": ["a", "b"]}]


@given(
    st.data(),
    st.sampled_from(TOOLS[:4]),
    st.sampled_from(("default", "off", "forgiving", "lenient")),
)
def test_all_of_a_correct_call_is_shown(data: st.DataObject, tool: Tool, preset: str) -> None:
    """Once the text is there, so are the arguments, where only the outermost level is open."""
    call = data.draw(tool.calls)
    shown = steps(compile_schema(tool.schema, coercion=preset), pieces(data.draw, json.dumps(call)))
    assert identical(shown[-1], call)


@given(st.data(), st.sampled_from(TOOLS), presets)
def test_the_cuts_make_no_difference(data: st.DataObject, tool: Tool, preset: str) -> None:
    """Text in one piece, in others, and as bytes cut within characters: the same is shown."""
    compiled = compile_schema(tool.schema, coercion=preset)
    text = data.draw(written(data.draw(corrupted(tool))))
    text = text[: data.draw(st.integers(0, len(text)))]
    (once,) = steps(compiled, (text,))
    assert steps(compiled, pieces(data.draw, text))[-1] == once
    assert steps(compiled, pieces(data.draw, text.encode()))[-1] == once


@given(st.data(), st.text('[]{}:,"\\ \n01.e-tru\ud83d\ude00ä', max_size=30))
def test_tokens_are_the_same_however_a_text_is_cut(data: st.DataObject, text: str) -> None:
    """And together they are the text, but for blanks and for what is not complete."""

    def tokens(chunks: Iterable[str]) -> list[str]:
        scanner = Tokenizer()
        return [token for chunk in chunks for token in scanner.feed(chunk)]

    once = tokens((text,))
    assert tokens(pieces(data.draw, text)) == tokens(text) == once
    blanks = re.compile(r"\s")
    assert blanks.sub("", text).startswith(blanks.sub("", "".join(once)))


@given(st.data(), st.sampled_from(TOOLS), presets)
def test_the_end_is_what_validate_json_says(data: st.DataObject, tool: Tool, preset: str) -> None:
    """The same result, or the same error, of JSON and of anything else."""
    compiled = compile_schema(tool.schema, coercion=preset)
    text = data.draw(written(data.draw(corrupted(tool))) | st.text("[]{}:,\"'a1 \\`", max_size=20))
    arguments = compiled.partial()
    for piece in pieces(data.draw, text):
        arguments.feed(piece)
    assert arguments.text == text
    assert ended(arguments.finish) == ended(compiled.validate_json, text)


# ------------------------------------------------------------------------------------- bounds
@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text_is_survived(name: str) -> None:
    """In large pieces and in small ones, below schemas that follow it all the way down."""
    text = TEXTS[name]()
    for schema in RECURSIVE.values():
        compiled = compile_schema(schema)
        at_once, arguments = compiled.partial(), compiled.partial()
        at_once.feed(text)
        for chunk in pieces_of(at_once.text, 1_001):
            arguments.feed(chunk)
        assert is_part(arguments.value, at_once.value)
        assert is_part(at_once.value, arguments.value)


def test_no_deeper_than_arguments_may_be() -> None:
    """At the limit everything is shown; below it nothing more, as the end will be an error."""
    compiled = compile_schema({"type": "array", "items": {"$ref": "#"}})
    for levels, shown in ((200, 200), (201, 200), (100_000, 200)):
        value = steps(compiled, ("[" * levels,))[-1]
        depth = 0
        while value:
            (value,) = value
            depth += 1
        assert depth == shown - 1  # the innermost is empty


def test_a_call_that_is_hard_to_read_is_shown_as_far_as_the_search_for_it_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the end may be too tired to read is not shown; correct members cost nothing."""
    monkeypatch.setattr(search, "MAX_READINGS", 20)
    monkeypatch.setattr(members, "LEAST_LEFT", 10)
    compiled = compile_schema({"items": {"properties": {"n": INTEGER}}, "type": "array"})
    correct = [{"n": n} for n in range(100)]
    sent = [{"n": str(n)} for n in range(100)]
    assert steps(compiled, (json.dumps(correct),)) == [correct]
    (shown,) = steps(compiled, (json.dumps(sent),))
    assert 0 < len(shown) < 20


def test_the_way_to_a_container_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of references tires the search for the whole call at each value again."""
    monkeypatch.setattr(search, "MAX_READINGS", 20)
    monkeypatch.setattr(members, "LEAST_LEFT", 10)
    definitions: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(8)}
    definitions["d8"] = {"properties": {"s": {"type": ["string", "integer"]}}}
    schema = {"type": "array", "items": {"$ref": "#/$defs/d0"}, "$defs": definitions}
    compiled = compile_schema(schema, coercion="untyped")
    text = json.dumps([{"s": str(n)} for n in range(5)])
    final = compiled.validate_json(text)
    assert final[-1] == {"s": "4"}
    assert is_part(steps(compiled, (text,))[0], final)


def test_what_has_been_read_is_forgotten() -> None:
    """Besides what is shown and the text, nothing grows with the call."""
    arguments = compile_schema({"type": "array", "items": INTEGER}).partial()
    arguments.feed(json.dumps([str(n) for n in range(1_000)]))
    reader = arguments._reader.reader
    assert arguments.value == list(range(1_000))
    assert max(map(len, (reader._memo, reader._kept, reader.texts._results))) < 10


@given(st.data(), calls(), coercions(), st.integers(1, 30))
def test_nothing_is_taken_back_when_the_search_gives_up(
    data: st.DataObject, call: tuple[Any, list[Any]], coercion: Coercion, most: int
) -> None:
    """However little may be searched, the part that is shown was searched in the end, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MAX_READINGS", most)
        patch.setattr(members, "LEAST_LEFT", most // 2)
        for value in call[1]:
            check_growth(data.draw, compile_schema(call[0], coercion=coercion), value)


class Counting:
    """A pattern that counts the characters in the texts that it searches."""

    def __init__(self, pattern: re.Pattern[str], looked_at: list[int]) -> None:
        self.pattern = pattern
        self.looked_at = looked_at

    def search(self, text: str, at: int) -> re.Match[str] | None:
        """As the pattern does."""
        found = self.pattern.search(text, at)
        self.looked_at.append((found.end() if found else len(text)) - at)
        return found


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps({"s": "x" * 10_000}), id="a string"),
        pytest.param(json.dumps({"s": '"\\\n' * 3_000}), id="escapes"),
        pytest.param('{"n": ' + "1" * 10_000 + "}", id="a number"),
        pytest.param(json.dumps({"u": [[{"a": "b"}]] * 500}), id="a container taken as a whole"),
        pytest.param(json.dumps({"l": [{"a": n} for n in range(1_000)]}), id="a list"),
    ],
)
def test_each_character_is_looked_at_once(
    text: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice at most, where it ends a number: the work is linear in the text, however it is cut."""
    looked_at: list[int] = []
    for name in ("_START", "_DELIMITER", "_QUOTE", "_ESCAPED", "_BRACKET"):
        pattern = Counting(getattr(tokens, name), looked_at)
        monkeypatch.setattr(tokens, name, pattern)
    arguments = compile_schema({"properties": {"u": {"enum": [1]}}}).partial()
    for piece in pieces_of(text, size):
        arguments.feed(piece)
    assert len(text) * 0.9 < sum(looked_at) < len(text) * 1.5
