"""Arguments that are still arriving: how they grow, and the object that holds them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from case_tests import coercions, each_case
from cases import Case, encode, spelled
from containers import an_object, array
from corruptions import INTEGER
from hostile import hostile
from loading import COMPILE, loaded_by
from streaming import ended, is_part, pieces_of, steps

from schema2model import Toolset, compile_schema


# ---------------------------------------------------------------------------------- what grows
@each_case("partial")
def test_arguments_grow(case: Case) -> None:
    """Containers do, as they arrive; scalars are there when it is seen what follows them.

    What only the end can tell is not shown, and nothing that is shown is taken back.
    """
    (coercion,) = coercions(case)
    compiled = compile_schema(case.schema, coercion=coercion)
    grown = [None, *steps(compiled, case.input)]
    shown = [value for value, _ in itertools.groupby(grown, lambda value: spelled(encode(value)))]
    assert shown == [spelled(encode(value)) for value in case.result]
    arguments = compiled.partial()
    for piece in pieces_of(case.input, 7):
        arguments.feed(piece)
    assert spelled(encode(arguments.value)) == shown[-1]
    final, error = ended(compiled.validate_json, case.input)
    assert ended(arguments.finish) == (final, error)
    assert error or all(value is None or is_part(value, final) for value in grown)
    assert case.line.get("message", "") in error


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


# ---------------------------------------------------------------------------------- the object
def test_the_same_objects_grow() -> None:
    """Nothing is copied from one chunk to the next; what is shown is no part of the result."""
    arguments = compile_schema(an_object(a=array(INTEGER))).partial()
    shown = arguments.feed('{"a": [1,')
    inner = shown["a"]
    assert arguments.feed(" 2, 3]}") is shown is arguments.value
    assert shown["a"] is inner
    assert inner == [1, 2, 3]
    assert arguments.finish() == shown
    assert arguments.finish() is not shown


def test_nothing_may_follow_what_was_finished() -> None:
    """One object is for one call; `finish` may be called again."""
    arguments = compile_schema(an_object(a=array(INTEGER))).partial()
    arguments.feed('{"a": [1, 2]')
    assert arguments.finish() == {"a": [1, 2]}
    with pytest.raises(RuntimeError, match="`finish` has been called"):
        arguments.feed(', "b": 1}')
    assert arguments.finish() == {"a": [1, 2]}
    reader = Toolset([]).call_reader()
    reader.finish()
    with pytest.raises(RuntimeError, match="`finish` has been called"):
        reader.feed("x")


@pytest.mark.parametrize("chunk", [None, 1, ["a"], memoryview(b"{}"), object(), {"a": 1}])
def test_only_text_is_taken(chunk: Any) -> None:
    """Anything else is the caller's mistake, and changes nothing."""
    arguments = compile_schema({}).partial()
    arguments.feed('{"a": 1, ')
    with pytest.raises(TypeError, match="a chunk is str or bytes"):
        arguments.feed(chunk)
    with pytest.raises(TypeError, match="either str or bytes"):
        arguments.feed(b'"b": 1}')
    assert arguments.feed('"b": 1}') == {"a": 1, "b": 1}


@pytest.mark.parametrize("kind", [str, bytes, bytearray])
def test_methods_of_a_chunk_have_no_say(kind: Any) -> None:
    """Subclasses are the text that they hold."""
    content = '{"a": 1}' if kind is str else b'{"a": 1}'
    chunk = kind(content)
    for sent in (chunk, hostile(kind)(content)):
        arguments = compile_schema({}).partial()
        assert arguments.feed(sent) == {"a": 1}
        assert type(arguments.text) is type(content)
        assert arguments.text == content


def test_a_bytearray_may_be_used_again() -> None:
    """It counts as the bytes that it was."""
    arguments = compile_schema({}).partial()
    chunk = bytearray(b'{"a": ')
    arguments.feed(chunk)
    chunk[:] = b"1, "
    arguments.feed(chunk)
    assert arguments.feed(b'"b": 2}') == arguments.finish() == {"a": 1, "b": 2}


def test_a_call_that_does_not_stream_does_not_load_it() -> None:
    """Nothing of this is imported before `partial` is called."""
    loaded = loaded_by(f"{COMPILE}\ncompiled.validate({{'a': ['1']}})")
    assert not loaded & {"schema2model.coerce.partial", "schema2model.text.streaming"}
