"""Arguments that are still arriving: how they grow, and the object that holds them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from containers import an_object, array
from corruptions import BOOLEAN, INTEGER, NULL, NUMBER, STRING
from hostile import hostile
from loading import COMPILE, loaded_by
from oracle import identical
from streaming import is_part, steps

from schema2model import Coercion, Toolset, compile_schema


# ---------------------------------------------------------------------------------- what grows
@pytest.mark.parametrize(
    ("schema", "text", "shown"),
    [
        pytest.param(
            an_object(n=INTEGER, s=STRING),
            '{"n": 12, "s": "ab"}',
            [None, {}, {"n": 12}, {"n": 12, "s": "ab"}],
            id="an object by members",
        ),
        pytest.param(
            array(INTEGER),
            "[1, 23 ,4]",
            [None, [], [1], [1, 23], [1, 23, 4]],
            id="an array by items",
        ),
        pytest.param(
            an_object(o=an_object(a=array(BOOLEAN))),
            '{"o": {"a": [true]}}',
            [None, {}, {"o": {}}, {"o": {"a": []}}, {"o": {"a": [True]}}],
            id="containers in containers",
        ),
        pytest.param(
            an_object(n=INTEGER, a=array(INTEGER), b=BOOLEAN),
            '{"n": "10", "a": ["1", 2.0], "b": "yes"}',
            [
                None,
                {},
                {"n": 10},
                {"n": 10, "a": []},
                {"n": 10, "a": [1]},
                {"n": 10, "a": [1, 2]},
                {"n": 10, "a": [1, 2], "b": True},
            ],
            id="each coerced",
        ),
        pytest.param(
            an_object(a=array(INTEGER)),
            '{"a": "[1, 2]"}',
            [None, {}, {"a": [1, 2]}],
            id="a container within a string",
        ),
        pytest.param(
            {"type": "array", "prefixItems": [INTEGER, STRING], "items": BOOLEAN},
            '["1", 2, "no"]',
            [None, [], [1], [1, "2"], [1, "2", False]],
            id="items with schemas of their own",
        ),
        pytest.param(
            {"additionalProperties": NUMBER, "patternProperties": {"^s": STRING}},
            '{"a": "1.5", "s": 2}',
            [None, {}, {"a": 1.5}, {"a": 1.5, "s": "2"}],
            id="names with a pattern, and others",
        ),
        pytest.param(
            {"patternProperties": {"^s": array(STRING), "t$": {"maxItems": 1}}},
            '{"st": [1]}',
            [None, {}, {"st": ["1"]}],
            id="a name with two patterns comes complete",
        ),
        pytest.param(
            {},
            '{"a": [1.0, "2", {}]}',
            [None, {}, {"a": []}, {"a": [1.0]}, {"a": [1.0, "2"]}, {"a": [1.0, "2", {}]}],
            id="what no schema describes",
        ),
        pytest.param(
            an_object(a=INTEGER),
            r'{"\u0061": "\u0031", "b\"\\": "}\"\\"}',
            [None, {}, {"a": 1}, {"a": 1, 'b"\\': '}"\\'}],
            id="escapes",
        ),
        pytest.param(
            an_object(s=STRING),
            '{"s": "a\n", "t": "\\t\n"}',
            [None, {}, {"s": "a\n"}, {"s": "a\n", "t": "\t\n"}],
            id="raw line breaks",
        ),
        pytest.param(
            {}, '{"a": "\ud83d\ude00"}', [None, {}, {"a": "\U0001f600"}], id="a pair of surrogates"
        ),
        pytest.param({}, '\ufeff\xa0{"a": 1}', [None, {}, {"a": 1}], id="behind a mark and blanks"),
        pytest.param({}, ' "text" ', [None], id="no container at all"),
    ],
)
def test_arguments_grow(schema: Any, text: str, shown: list[Any]) -> None:
    """Containers grow as they arrive; a scalar is there when it is seen what follows it."""
    grown = [None, *steps(compile_schema(schema), text)]
    assert [value for value, _ in itertools.groupby(grown)] == shown


NODE = {"type": "object", "properties": {"n": INTEGER, "next": {"$ref": "#/$defs/node"}}}
DEFINITIONS = {"$defs": {"node": NODE, "hop": {"$ref": "#/$defs/node"}}}


@pytest.mark.parametrize(
    "member",
    [
        pytest.param({"$ref": "#/$defs/node"}, id="$ref"),
        pytest.param({"$ref": "#/$defs/hop"}, id="$ref to $ref"),
        pytest.param({"allOf": [{"$ref": "#/$defs/node"}], "description": "d"}, id="allOf of one"),
        pytest.param({"anyOf": [{"$ref": "#/$defs/node"}, NULL]}, id="anyOf with null"),
        pytest.param({"oneOf": [NULL, {"$ref": "#/$defs/node"}]}, id="oneOf with null"),
        pytest.param({**NODE, "type": ["object", "null"]}, id="type with null"),
        pytest.param({**NODE, "minProperties": 1, "propertyNames": STRING}, id="only refusing"),
    ],
)
def test_members_are_read_through(member: Any) -> None:
    """What says no more of an object than another subschema does not keep its members back."""
    compiled = compile_schema({**an_object(m=member), **DEFINITIONS})
    grown = steps(compiled, '{"m": {"n": "1", "next": {"n": 2.0}}}')
    assert [value for value, _ in itertools.groupby(grown)] == [
        {},
        {"m": {}},
        {"m": {"n": 1}},
        {"m": {"n": 1, "next": {}}},
        {"m": {"n": 1, "next": {"n": 2}}},
    ]


@pytest.mark.parametrize(
    "member",
    [
        pytest.param({"anyOf": [an_object(n=INTEGER), an_object(n=STRING)]}, id="anyOf"),
        pytest.param({"anyOf": [NODE, array(INTEGER), NULL]}, id="anyOf of three"),
        pytest.param({"oneOf": [NODE, {"type": "string"}]}, id="oneOf"),
        pytest.param({"allOf": [NODE, {"properties": {"n": {"maximum": 5}}}]}, id="allOf"),
        pytest.param({**NODE, "allOf": [{}]}, id="allOf beside properties"),
        pytest.param({**NODE, "if": {"required": ["n"]}, "then": {}}, id="if"),
        pytest.param({"if": {"required": ["n"]}, "then": NODE}, id="if alone"),
        pytest.param({**NODE, "dependentSchemas": {"n": NODE}}, id="dependentSchemas"),
        pytest.param({**NODE, "not": {"required": ["x"]}}, id="not"),
        pytest.param({**NODE, "enum": [{"n": 1}]}, id="enum"),
        pytest.param({**NODE, "const": {"n": 1}}, id="const"),
        pytest.param({**NODE, "type": ["object", "string"]}, id="another type"),
    ],
)
def test_members_that_are_read_together_wait(member: Any) -> None:
    """Below a keyword that may look at all members, they come with the whole of it."""
    compiled = compile_schema({**an_object(m=member), **DEFINITIONS})
    before, behind, after = steps(compiled, ('{"m": {"n": "1"', "}", "}"))
    assert before == behind == {}
    assert after == compiled.validate({"m": {"n": "1"}})


STRINGS = {"type": ["string", "integer"]}


@pytest.mark.parametrize(
    ("coercion", "schema", "text", "final"),
    [
        pytest.param(
            "untyped",
            {**array(STRINGS), "uniqueItems": True},
            '["1", "2", 1]',
            ["1", "2", 1],
            id="valid strings that cannot all be read",
        ),
        pytest.param(
            "untyped",
            {"patternProperties": {"^a": STRINGS, "b$": {"not": INTEGER}}},
            '{"a": "1", "ab": "2"}',
            {"a": "1", "ab": "2"},
            id="valid strings that two patterns describe",
        ),
        pytest.param(
            "default",
            {"anyOf": [{"required": ["b"]}, an_object(a=INTEGER)]},
            '{"a": "1", "b": 2}',
            {"a": "1", "b": 2},
            id="a union",
        ),
        pytest.param(
            "default",
            {
                "$id": "http://example.com/call",
                "properties": {"a": {"$ref": "open"}},
                "$defs": {
                    "closed": {"$dynamicAnchor": "any", "type": "string"},
                    "open": {
                        "$id": "open",
                        "items": {"$dynamicRef": "#any"},
                        "$defs": {"any": {"$dynamicAnchor": "any", "type": "integer"}},
                    },
                },
            },
            '{"a": ["1"]}',
            {"a": ["1"]},
            id="$dynamicRef, which means another thing in the whole",
        ),
        pytest.param(
            "default",
            {
                "$schema": "https://json-schema.org/draft/2019-09/schema",
                "properties": {"a": {"$recursiveRef": "#"}, "b": INTEGER},
            },
            '{"a": {"b": "1"}}',
            {"a": {"b": 1}},
            id="$recursiveRef",
        ),
    ],
)
def test_a_call_that_can_only_be_read_as_a_whole_shows_nothing(
    coercion: str, schema: Any, text: str, final: Any
) -> None:
    """What the members mean may depend on each other, or on all of the schema."""
    compiled = compile_schema(schema, coercion=coercion)
    assert steps(compiled, text)[-1] is None
    assert compiled.validate_json(text) == final


WORDS = Coercion.default.replace(null_words_over_string=True)


@pytest.mark.parametrize(
    ("coercion", "schema", "text", "final"),
    [
        pytest.param("untyped", {}, '{"a": "1"}', {"a": 1}, id="any text"),
        pytest.param(
            "untyped", {}, '{"a": ["1", {"b": "[1]"}]}', {"a": [1, {"b": [1]}]}, id="deep"
        ),
        pytest.param("default", {}, '{"a": "1", "b": 1.0}', {"a": "1", "b": 1.0}, id="nothing"),
        pytest.param(
            WORDS, {}, '{"a": "null"}', {"a": "null"}, id="no words where nothing is said"
        ),
        pytest.param(
            WORDS,
            an_object(a={"type": ["string", "null"]}),
            '{"a": "null"}',
            {"a": None},
            id="words",
        ),
        pytest.param(
            "untyped",
            an_object(a={"anyOf": [{"type": "array"}, {"type": "null", "items": {}}]}),
            '{"a": ["1"]}',
            {"a": ["1"]},
            id="items of which a rival speaks",
        ),
        pytest.param(
            "untyped",
            {"type": "array", "prefixItems": [STRINGS], "minItems": 2},
            '["1", "2"]',
            [1, 2],
            id="items that nothing describes",
        ),
    ],
)
def test_what_nothing_describes_is_read_as_in_the_end(
    coercion: Any, schema: Any, text: str, final: Any
) -> None:
    """Under `untyped` all text is read, but for text that some schema leaves alone."""
    compiled = compile_schema(schema, coercion=coercion)
    grown = steps(compiled, text)
    assert all(is_part(shown, final) for shown in grown)
    assert identical(grown[-1], final)
    assert identical(compiled.validate_json(text), final)


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
