"""Arguments that are still arriving: what is not shown of them before the end."""

from __future__ import annotations

from typing import Any

import pytest
from containers import an_object, array
from corruptions import INTEGER, STRING
from streaming import ended, is_part, steps

from schema2model import ToolError, compile_schema


@pytest.mark.parametrize(
    ("coercion", "schema", "text", "shown"),
    [
        pytest.param("default", an_object(a=INTEGER), '{"a": null, "b": 1}', {"b": 1}, id="a null"),
        pytest.param(
            "default", an_object(a=INTEGER), '{"a": "x", "b": 1}', {"b": 1}, id="no reading"
        ),
        pytest.param(
            "default",
            an_object(a={"anyOf": [array(INTEGER), INTEGER]}),
            '{"a": ["x"], "b": 1}',
            {"b": 1},
            id="no reading, complete",
        ),
        pytest.param(
            "default", an_object(a=False), '{"a": {}, "b": 1}', {"b": 1}, id="nothing is allowed"
        ),
        pytest.param("default", array(INTEGER), '[1, "x", 2]', [1], id="an item without reading"),
        pytest.param("off", an_object(a=INTEGER), '{"a": "1", "b": 1}', {"b": 1}, id="off"),
        pytest.param(
            "default",
            {**an_object(a=INTEGER), "additionalProperties": False},
            '{"b": 1, "a": 1}',
            {"a": 1},
            id="a name that is not allowed",
        ),
        pytest.param(
            "lenient",
            {**an_object(a_b=INTEGER), "additionalProperties": False},
            '{"aB": 1, "x": {"a_b": 3}}',
            {},
            id="names that are renamed and dropped",
        ),
        pytest.param(
            "lenient",
            {**an_object(o={**an_object(a_b=INTEGER), "required": ["a_b"]}), "required": ["o"]},
            '{"o": {"aB": [1]}}',
            {"o": {}},
            id="a name that is required and renamed",
        ),
        pytest.param(
            "forgiving",
            an_object(o={**an_object(a=INTEGER), "required": ["a"]}),
            '{"o": {"a": 1',
            {},
            id="an object that is left out if it is empty",
        ),
        pytest.param(
            "forgiving",
            an_object(o=an_object(a=INTEGER)),
            '{"o": {"b": 1, "a.b": 1}}',
            {"o": {"b": 1}},
            id="a name that may be a path",
        ),
        pytest.param(
            "forgiving",
            an_object(a={"type": "array", "items": STRING}),
            '{"a": "null", "b": 1}',
            {"b": 1},
            id="a word that is rather left out than read",
        ),
        pytest.param(
            "lenient",
            {**an_object(a=INTEGER), "additionalProperties": STRING},
            '{"arguments": {"a": 1}}',
            {},
            id="an envelope",
        ),
        pytest.param(
            "lenient",
            an_object(o={**an_object(a=INTEGER), "additionalProperties": STRING}),
            '{"o": {"arguments": 1}}',
            {"o": {"arguments": "1"}},
            id="no envelope inside",
        ),
        pytest.param(
            "default", an_object(a=INTEGER), '[{"a": 1}]', None, id="a call within a list"
        ),
        pytest.param("default", {}, '[{"a": 1}]', None, id="a list that may be one"),
        pytest.param(
            "lenient",
            an_object(a=STRING, n=INTEGER),
            '{"a": {"item": "x"}, "n": [5]}',
            {"a": "x", "n": 5},
            id="a container that becomes a scalar, complete",
        ),
        pytest.param("default", {}, r'"{\"a\": 1}"', None, id="a call within a string"),
        pytest.param("default", {}, '```json\n{"a": 1}\n```', None, id="a fence"),
        pytest.param("default", {}, 'Sure! {"a": 1}', None, id="prose"),
        pytest.param("default", {}, "null", None, id="no arguments"),
    ],
)
def test_what_only_the_end_can_tell_is_not_shown(
    coercion: str, schema: Any, text: str, shown: Any
) -> None:
    """Values without a reading, those that a rule may move or drop, and wrapped calls."""
    compiled = compile_schema(schema, coercion=coercion)
    assert steps(compiled, text)[-1] == shown
    final, error = ended(compiled.validate_json, text)
    assert error or shown is None or is_part(shown, final)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param('{"a": 1, b: 2, "c": 3}', {"a": 1, "b": 2, "c": 3}, id="a bare name"),
        pytest.param("{'a': 1}", {"a": 1}, id="single quotes"),
        pytest.param('{"a": 1, "b": 02, "c": 3}', {"a": 1}, id="a leading zero"),
        pytest.param(
            '{"a": 1, "b": True, "c": 3}', {"a": 1, "b": True, "c": 3}, id="a Python literal"
        ),
        pytest.param('{"a": 1, "b": NaN, "c": 3}', {"a": 1}, id="not a number"),
        pytest.param('{"a": 1, "b": 1e999, "c": 3}', {"a": 1}, id="overflow"),
        pytest.param('{"a": 1, "b": "x\\y", "c": 3}', {"a": 1}, id="a wrong escape"),
        pytest.param('{"a": 1, "b": "say "hi" x", "c": 3}', {"a": 1}, id="quotes in a string"),
        pytest.param('{"a": 1 "b": 2}', {}, id="a comma missing"),
        pytest.param('{"a": 1, "b" 2}', {"a": 1}, id="a colon missing"),
        pytest.param('{"a": 1, "b", 2}', {"a": 1}, id="a comma for a colon"),
        pytest.param('{"a": 1, "b": }', {"a": 1}, id="a value missing"),
        pytest.param('{"a": 1,, "b": 2}', {"a": 1}, id="two commas"),
        pytest.param('{"a": 1, }', {"a": 1}, id="a trailing comma"),
        pytest.param('{"a": [1, ], "b": 2}', {"a": [1], "b": 2}, id="a trailing comma in a list"),
        pytest.param('{"a": [1}, "b": 2}', {"a": []}, id="the wrong bracket"),
        pytest.param('{"a": 1] "b": 2}', {}, id="the wrong bracket for an object"),
        pytest.param('{"a": 1, 2: 3, "b": 4}', {"a": 1}, id="a number for a name"),
        pytest.param('{"a": 1, {"b": 4}', {"a": 1}, id="an object for a name"),
        pytest.param('{"u": {"x": [1}]}, "b": 4}', {}, id="within what is read as a whole"),
        pytest.param('{"u": [' + "[" * 300 + "]" * 301 + ', "b": 4}', {}, id="too deep in a whole"),
        pytest.param('{"a": 1} {"a": 1, "b": 2}', {"a": 1}, id="a second call"),
        pytest.param('{"a": 1}}, "b": 2}', {"a": 1}, id="a bracket too many"),
        pytest.param('{"a": 1, /* no */ "b": 2}', {"a": 1}, id="a comment"),
    ],
)
def test_the_showing_ends_where_the_text_is_no_json(text: str, shown: Any) -> None:
    """From there on nothing is added, whatever follows; `finish` reads the text as ever."""
    compiled = compile_schema(an_object(u={"enum": [1]}))
    arguments = compiled.partial()
    for character in text:
        arguments.feed(character)
    assert arguments.value == shown
    arguments.feed(', "c": 3}')
    assert arguments.value == shown
    assert ended(arguments.finish) == ended(compiled.validate_json, f'{text}, "c": 3}}')


@pytest.mark.parametrize(
    ("text", "shown", "name"),
    [
        pytest.param('{"a": 1, "a": 2, "b": 3}', {"a": 1}, "a", id="a scalar"),
        pytest.param('{"a": {"x": 1}, "a": {}}', {"a": {"x": 1}}, "a", id="an object"),
        pytest.param('{"o": {"a": 1, "a": 2}}', {"o": {"a": 1}}, "a", id="inside"),
        pytest.param('{"n": "x", "n": 2, "b": 3}', {"n": 2, "b": 3}, "n", id="hidden"),
        pytest.param('{"u": {"a": 1, "a": 2}}', {}, "a", id="whole"),
    ],
)
def test_of_a_name_that_comes_twice_the_first_is_shown_and_then_the_call_is_refused(
    text: str, shown: Any, name: str
) -> None:
    """Once a shown name comes again, nothing is added; the message names it."""
    anything = {"type": "object"}
    compiled = compile_schema(an_object(n=INTEGER, u={"anyOf": [anything, anything]}))
    arguments = compiled.partial()
    for character in text:
        arguments.feed(character)
    assert arguments.value == shown
    with pytest.raises(ToolError, match=f"two values for `{name}`"):
        arguments.finish()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b'{"a": "\xff", "b": 1}', id="no UTF-8"),
        pytest.param('{"a": "ä"}'.encode("utf-16"), id="UTF-16"),
        pytest.param('{"a": "\ud800", "b": 1}'.encode("utf-8", "surrogatepass"), id="a surrogate"),
    ],
)
def test_bytes_that_are_no_utf8_end_the_showing(text: bytes) -> None:
    """And the end tells of them, or reads another encoding by its mark."""
    compiled = compile_schema({})
    arguments = compiled.partial()
    for byte in text:
        arguments.feed(bytes([byte]))
    assert arguments.value in ({}, None)
    assert ended(arguments.finish) == ended(compiled.validate_json, text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{'a': 'x', 'b': ", {"a": "x"}),
        ("{a: 'x', b: ", {"a": "x"}),
        ('{"a": True, "b": None, "c": ', {"a": True, "b": None}),
        ('{"a": [1, 2,], "b": {"c": +1,}, "d": ', {"a": [1, 2], "b": {"c": 1}}),
        ('{"a": 0x1F, "b": ', {"a": 31}),
        (r"{'a': 'it\'s', 'b': ", {"a": "it's"}),
        ("{'a': 'don't', 'b': ", {}),
        ('{"a": "50" screen", "b": ', {}),
        ('{"a": undefined, "b": ', {}),
        (r"{'a': '\d', 'b': ", {}),
    ],
)
def test_other_spellings_are_shown_but_nothing_that_is_mended(text: str, shown: object) -> None:
    """What only spells JSON otherwise is known for certain; where an edit is needed, nothing is."""
    arguments = compile_schema({}).partial()
    assert arguments.feed(text) == shown
    arguments = compile_schema({}).partial()
    for char in text:
        arguments.feed(char)
    assert arguments.value == shown


@pytest.mark.parametrize("number", ["1_0", "0x10", "+5", ".5", "5."])
def test_a_number_in_another_spelling_is_not_shown_where_text_is_meant(number: str) -> None:
    """It means its spelling, as `finish` reads it."""
    text = {"properties": {"a": {"type": "string"}, "b": {"type": ["number", "string"]}}}
    arguments = compile_schema(text, coercion="lenient").partial()
    shown = arguments.feed(f'{{"b": {number}, "a": {number}, "c": 1')
    assert shown.keys() == {"b"}
    arguments.feed("}")
    assert arguments.finish() == {"a": number, "b": shown["b"], "c": 1}


def test_a_number_is_shown_as_it_is_spelled() -> None:
    """What is shown for a string is what `finish` returns."""
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "array"}}}
    arguments = compile_schema(schema).partial()
    assert arguments.feed('{"a": 3.10, ') == {"a": "3.10"}
    arguments.feed('"b": [1.50]}')
    assert arguments.finish() == {"a": "3.10", "b": [1.5]}


@pytest.mark.parametrize(
    ("coercion", "schema", "text"),
    [
        ("default", {**an_object(a={}), "required": ["a"]}, '{"params": {"a": ["x"]}}'),
        ("default", {**an_object(a={}), "required": ["a"]}, '{"params": {"a": 1, "params": []}}'),
        ("default", {**an_object(a={}), "required": ["a"]}, '{"type": "object", "args": {"a": 1}}'),
        ("default", {**an_object(a={}), "required": ["a"]}, '{"request": {"a": ["x"]}}'),
        ("default", {**an_object(a={}), "required": ["a"]}, '{"x": {"request": {"a": 1}}}'),
        (
            "default",
            {**an_object(a={}), "additionalProperties": INTEGER},
            '{"request": {"a": ["x"]}}',
        ),
        (
            "default",
            {**an_object(a={}), "required": ["a"]},
            '{"INVALID_JSON": "{\\"a\\": [\\"x\\"]}"}',
        ),
        ("default", {**an_object(a={}), "required": ["a"]}, '{"args": [{"a": 1}]}'),
        (
            "forgiving",
            {**an_object(a=STRING), "required": ["a"]},
            '{"arguments": "x"}',
        ),
        ("forgiving", an_object(items=array(INTEGER)), '{"items": {"items": [1, 2]}}'),
        ("forgiving", an_object(params=array({})), '{"params": {"params": [{"item": []}, {}]}}'),
        ("forgiving", an_object(a=an_object(a=INTEGER)), '{"a": {"a": {"a": 1}}}'),
        ("forgiving", an_object(a={"additionalProperties": False}), '{"a": {"a": null}}'),
        (
            "forgiving",
            an_object(a={**an_object(), "additionalProperties": False}),
            '{"a": {"a": null}}',
        ),
        ("lenient", an_object(params=array({})), '{"params": {"params": []}, "args": []}'),
        ("lenient", an_object(items=array({})), '{"items": "{\\"items\\": [1]}"}'),
        ("forgiving", an_object(), '{"items": [["x", []], {"items": 1}]}'),
    ],
)
def test_no_envelope_is_shown_that_the_result_does_not_have(
    coercion: Any, schema: Any, text: str
) -> None:
    """What may be an envelope around the arguments, or around one of them, waits for the end."""
    compiled = compile_schema(schema, coercion=coercion)
    result = compiled.validate_json(text)
    for shown in steps(compiled, text):
        assert shown is None or is_part(shown, result)
