"""What the model that made a call is told: the message to send back, word for word."""

from __future__ import annotations

import dataclasses
import difflib
import pickle
from typing import Any

import pytest

from schema2model import Issue, SchemaError, ToolError, compile_schema
from schema2model.engine.problems import MAX_COMPARED
from schema2model.errors import MAX_ISSUES

SHORTER = "shorter text, or simpler: to match it with the pattern takes too long"
INTEGER, STRING, NULL = {"type": "integer"}, {"type": "string"}, {"type": "null"}


def parameters(*required: str, **properties: Any) -> dict[str, Any]:
    """A call of these parameters."""
    return {"type": "object", "properties": properties, "required": list(required)}


def closed(*required: str, **properties: Any) -> dict[str, Any]:
    """A call of these parameters and no others."""
    return {**parameters(*required, **properties), "additionalProperties": False}


def lines(schema: Any, sent: Any, **options: Any) -> list[str]:
    """The lines of the message below its header, without their dashes."""
    compiled = compile_schema(schema, **options)
    with pytest.raises(ToolError) as raised:
        compiled.validate(sent)
    header, *rest = str(raised.value).split("\n")
    assert header == "Error parsing arguments for `tool`:"
    assert rest
    assert all(line.startswith("- ") for line in rest)
    return [line.removeprefix("- ") for line in rest]


A_VALUE: dict[str, tuple[Any, Any, str]] = {
    "type": (INTEGER, "many", 'expected integer, found "many"'),
    "type, a fraction": (INTEGER, 1.5, "expected integer, found 1.5"),
    "type, a boolean": (INTEGER, True, "expected integer, found true"),
    "type, a container": (STRING, [1], "expected string, found [1]"),
    "type, nullable": ({"type": ["integer", "null"]}, "x", 'expected integer or null, found "x"'),
    "minimum": ({"minimum": 1}, 0, "expected a number of at least 1, found 0"),
    "maximum": ({"maximum": 5}, 6, "expected a number of at most 5, found 6"),
    "exclusiveMinimum": ({"exclusiveMinimum": 0}, 0, "expected a number greater than 0, found 0"),
    "exclusiveMaximum": ({"exclusiveMaximum": 1}, 1, "expected a number less than 1, found 1"),
    "multipleOf": ({"multipleOf": 3}, 4, "expected a multiple of 3, found 4"),
    "bounds of what was text": (
        {"type": "integer", "minimum": 1},
        "0",
        "expected a number of at least 1, found 0",
    ),
    "enum": ({"enum": ["asc", "desc"]}, "up", 'expected one of "asc", "desc", found "up"'),
    "enum, a close one": (
        {"enum": ["ascending", "descending"]},
        "ascendin",
        'expected one of "ascending", "descending" (did you mean "ascending"?), found "ascendin"',
    ),
    "enum of one": ({"enum": ["asc"]}, "up", 'expected "asc", found "up"'),
    "enum, many": (
        {"enum": list(range(25))},
        -1,
        f"expected one of {', '.join(map(str, range(20)))} and 5 more, found -1",
    ),
    "const": ({"const": "v1"}, "v2", 'expected "v1", found "v2"'),
    "const, a container": ({"const": {"a": [1]}}, 1, 'expected {"a": [1]}, found 1'),
    "minLength": ({"minLength": 2}, "b", 'expected at least 2 characters, found "b"'),
    "minLength of one": ({"minLength": 1}, "", 'expected at least 1 character, found ""'),
    "maxLength": ({"maxLength": 2}, "abc", 'expected at most 2 characters, found "abc"'),
    "pattern": (
        {"pattern": "^a+$"},
        "b",
        'expected text that matches the pattern "^a+$", found "b"',
    ),
    "minItems": ({"minItems": 2}, [1], "expected at least 2 items, found [1]"),
    "maxItems": ({"maxItems": 1}, [1, 2], "expected at most 1 item, found [1, 2]"),
    "uniqueItems": (
        {"uniqueItems": True},
        [1, 1],
        "expected items that differ from one another, found [1, 1]",
    ),
    "minProperties": (
        {"minProperties": 2},
        {"a": 1},
        'expected at least 2 properties, found {"a": 1}',
    ),
    "maxProperties": (
        {"maxProperties": 0},
        {"a": 1},
        'expected at most 0 properties, found {"a": 1}',
    ),
    "not": (
        {"not": STRING},
        "x",
        'expected anything but what fits {"type": "string"}, found "x"',
    ),
    "false": (False, 1, "expected nothing here, found 1"),
    "anyOf of types": (
        {"anyOf": [INTEGER, NULL]},
        "x",
        'expected integer or null, found "x"',
    ),
    "anyOf of choices": (
        {"anyOf": [{"enum": ["a", "b"]}, NULL]},
        "x",
        'expected one of "a", "b" or null, found "x"',
    ),
    "oneOf of types": ({"oneOf": [INTEGER, NULL]}, "x", 'expected integer or null, found "x"'),
    "oneOf, several": (
        {"oneOf": [INTEGER, {"type": "number"}]},
        5,
        "expected what fits exactly one of the alternatives, found 5, which fits several",
    ),
    "contains": (
        {"contains": {"const": 5}},
        [1],
        'expected at least 1 of the items to fit {"const": 5}, found [1]',
    ),
    "contains, of bounds": (
        {"contains": INTEGER, "minContains": 2, "maxContains": 3},
        [1],
        'expected at least 2 and at most 3 of the items to fit {"type": "integer"}, found [1]',
    ),
    "one property at most": (
        {"maxProperties": 1},
        {"a": 1, "b": 2},
        'expected at most 1 property, found {"a": 1, "b": 2}',
    ),
    "no choices": ({"enum": []}, 1, "expected nothing here, found 1"),
    "a pattern that takes too long": (
        {"pattern": "^(a|a)*?\\1x$"},
        "a" * 40,
        f'expected {SHORTER}, found "{"a" * 40}"',
    ),
    "anyOf, the branch of its type": (
        {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "string", "minLength": 3}]},
        "ab",
        'expected at least 3 characters, found "ab"',
    ),
}
"""A schema, a value for it, and what is said of it."""


@pytest.mark.parametrize(("schema", "sent", "words"), A_VALUE.values(), ids=A_VALUE)
def test_a_value(schema: Any, sent: Any, words: str) -> None:
    """Where, what was expected, and what was found."""
    assert lines(parameters(x=schema), {"x": sent}) == [f"/x: {words}"]


def test_a_format() -> None:
    """Formats are told where they are asserted."""
    schema = parameters(day={"type": "string", "format": "date"})
    assert lines(schema, {"day": "tomorrow"}, formats="assert") == [
        '/day: expected text in the format "date", found "tomorrow"'
    ]


MISSING = 'expected the required property "{}", found nothing under that name'
UNKNOWN = "expected no property of this name"

KEYS: dict[str, tuple[Any, Any, list[str]]] = {
    "missing": (
        parameters("city", city=STRING),
        {},
        [f"the arguments: {MISSING.format('city')}"],
    ),
    "missing below": (
        parameters(place=parameters("city", city=STRING)),
        {"place": {}},
        [f"/place: {MISSING.format('city')}"],
    ),
    "missing, and one that is close": (
        parameters("city", city=STRING),
        {"citty": "x"},
        [
            'the arguments: expected the required property "city", found "citty" instead',
        ],
    ),
    "unknown": (
        closed(city=STRING),
        {"zzz": 1},
        [f"/zzz: {UNKNOWN}, found 1"],
    ),
    "unknown, and one that is close": (
        closed(max_results=INTEGER, city=STRING),
        {"maxResults": 1},
        [f'/maxResults: {UNKNOWN} (did you mean "max_results"?), found 1'],
    ),
    "unknown, and the close one was sent": (
        closed(max_results=INTEGER),
        {"max_results": 1, "max_result": 2},
        [f"/max_result: {UNKNOWN}, found 2"],
    ),
    "unknown, by unevaluatedProperties": (
        {**parameters(city=STRING), "unevaluatedProperties": False},
        {"zzz": 1},
        [f"/zzz: {UNKNOWN}, found 1"],
    ),
    "both": (
        closed("max_results", max_results=INTEGER),
        {"maxResults": "x"},
        [
            f'/maxResults: {UNKNOWN} (did you mean "max_results"?), found "x"',
            (
                'the arguments: expected the required property "max_results", '
                'found "maxResults" instead'
            ),
        ],
    ),
    "null for a required one": (
        parameters("limit", limit=INTEGER),
        {"limit": None},
        ["/limit: expected integer, found null"],
    ),
}


@pytest.mark.parametrize(("schema", "sent", "words"), KEYS.values(), ids=KEYS)
def test_keys(schema: Any, sent: Any, words: list[str]) -> None:
    """Missing and unknown properties, with the closest name where there is one."""
    assert sorted(lines(schema, sent)) == sorted(words)


TAGS = ("circle", "square")
SHAPES = {
    keyword: parameters(
        shape={
            keyword: [
                closed("kind", "radius", kind={tag: value("circle")}, radius=INTEGER),
                closed("kind", "side", kind={tag: value("square")}, side=INTEGER, name=STRING),
            ]
        }
    )
    for keyword, tag, value in (
        ("anyOf", "const", str),
        ("oneOf", "enum", lambda kind: [kind]),
    )
}


@pytest.mark.parametrize("schema", SHAPES.values(), ids=SHAPES)
class TestTaggedUnions:
    """Only the branch that was meant is reported."""

    def test_the_tag_tells(self, schema: Any) -> None:
        """Problems are those of the branch whose tag was sent."""
        assert lines(schema, {"shape": {"kind": "square", "side": "x"}}) == [
            '/shape/side: expected integer, found "x"'
        ]
        assert lines(schema, {"shape": {"kind": "circle", "radius": "x"}}) == [
            '/shape/radius: expected integer, found "x"'
        ]

    def test_a_missing_property(self, schema: Any) -> None:
        """Even where another branch has fewer problems."""
        (line,) = lines(schema, {"shape": {"kind": "square"}})
        assert line.startswith('/shape: expected the required property "side"')

    def test_an_unknown_tag(self, schema: Any) -> None:
        """All tags are offered, at the place of the tag."""
        (line,) = lines(schema, {"shape": {"kind": "hexagon", "side": 1}})
        assert line.startswith("/shape/kind: expected ")
        assert all(f'"{tag}"' in line for tag in TAGS)
        assert line.endswith('found "hexagon"')

    def test_another_type(self, schema: Any) -> None:
        """What is no object is told so, once."""
        assert lines(schema, {"shape": 5}) == ["/shape: expected object, found 5"]


UNIONS: dict[str, tuple[Any, Any, list[str]]] = {
    "the branch of its type": (
        {"anyOf": [{"type": "array", "items": INTEGER}, parameters("a", a=INTEGER)]},
        {"a": "x"},
        ['/x/a: expected integer, found "x"'],
    ),
    "the branch of its type, an array": (
        {"anyOf": [{"type": "array", "items": INTEGER}, parameters("a", a=INTEGER)]},
        ["x"],
        ['/x/0: expected integer, found "x"'],
    ),
    "the branch that text spells": (
        {"anyOf": [{"type": "array", "items": INTEGER}, NULL]},
        '["x"]',
        ['/x/0: expected integer, found "x"'],
    ),
    "the fewest problems": (
        {"anyOf": [parameters(a=INTEGER, b=INTEGER), parameters(a=INTEGER, b=STRING)]},
        {"a": "x", "b": "y"},
        ['/x/a: expected integer, found "x"'],
    ),
    "nullable": (
        {"anyOf": [parameters(a=INTEGER), NULL]},
        {"a": "x"},
        ['/x/a: expected integer, found "x"'],
    ),
    "a union in a union": (
        {"anyOf": [NULL, {"anyOf": [INTEGER, {"type": "boolean"}]}]},
        "x",
        ['/x: expected null or integer or boolean, found "x"'],
    ),
}


@pytest.mark.parametrize(("schema", "sent", "words"), UNIONS.values(), ids=UNIONS)
def test_unions(schema: Any, sent: Any, words: list[str]) -> None:
    """By type first, then by the number of problems."""
    assert lines(parameters(x=schema), {"x": sent}) == words


def test_what_a_union_forbids_is_told() -> None:
    """No message goes out without a problem in it."""
    schema = {"anyOf": [NULL, {"type": "boolean"}, {"not": STRING}]}
    for preset in ("default", "untyped", "lenient"):
        for sent in ("x", "hello there", "'"):
            assert lines(schema, sent, coercion=preset)


# ------------------------------------------------------------------------------ where and how much
def test_paths_are_json_pointers() -> None:
    """With `/` and `~` escaped, and indices from 0."""
    schema = parameters(**{"a/b": parameters(**{"c~d": {"items": INTEGER}, "e": INTEGER})})
    assert lines(schema, {"a/b": {"c~d": [1, "x"], "e": "y"}}) == [
        '/a~1b/c~0d/1: expected integer, found "x"',
        '/a~1b/e: expected integer, found "y"',
    ]


def test_the_whole() -> None:
    """Where the arguments themselves are wrong there is no path."""
    assert lines({"type": "object"}, "Sure, here you are") == [
        'the arguments: expected object, found "Sure, here you are"'
    ]


def test_problems_come_in_the_order_of_the_schema() -> None:
    """Every problem once, the same each time."""
    schema = parameters("z", a=INTEGER, b=INTEGER)
    once = lines(schema, {"b": "x", "a": "y"})
    assert once == lines(schema, {"b": "x", "a": "y"})
    assert len(once) == len(set(once)) == 3


def test_at_most_ten_problems() -> None:
    """The rest are counted."""
    schema = {"type": "array", "items": INTEGER}
    told = lines(schema, ["x"] * 13)
    assert told[:-1] == [f'/{index}: expected integer, found "x"' for index in range(MAX_ISSUES)]
    assert told[-1] == "and 3 more"
    assert len(lines(schema, ["x"] * 10)) == 10


def test_names_are_compared_no_more_than_is_bearable(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are unknown: the first ones get hints."""
    compared = 0
    matches = difflib.get_close_matches

    def counted(word: str, possibilities: Any, n: int) -> list[str]:
        nonlocal compared
        compared += len(possibilities)
        return matches(word, possibilities, n)

    monkeypatch.setattr(difflib, "get_close_matches", counted)
    schema = closed(**{f"name_{number}": STRING for number in range(200)})
    told = lines(schema, {f"nam_{number}": 1 for number in range(2_000)})
    assert told[0] == '/nam_0: expected no property of this name (did you mean "name_0"?), found 1'
    assert compared == MAX_COMPARED


HUGE: dict[str, Any] = {
    "text": "x" * 10**6,
    "list": ["x"] * 10**5,
    "object": {f"key {number}": "x" * 1000 for number in range(1000)},
    "nested": [[["x" * 10**4] * 10] * 10],
    "digits": 10**5000,
    "lines": "\n" * 1000,
    "quotes": '"' * 1000,
}


@pytest.mark.parametrize("value", HUGE.values(), ids=HUGE)
def test_values_are_quoted_in_brief(value: Any) -> None:
    """At most 80 characters of a value, on one line."""
    for schema in (NULL, {"enum": ["a"]}, {"const": 1}, {"not": {}}):
        (line,) = lines(closed(a=schema), {"a": value})
        assert len(line.split("found ", 1)[1]) <= 80
        assert len(line) < 300


def test_names_are_quoted_in_brief() -> None:
    """A key is a value too, and so is a schema's own text."""
    long = "k" * 10**5
    assert len("".join(lines(closed(a=INTEGER), {long: 1}))) < 500
    assert len("".join(lines(parameters(long, **{long: INTEGER}), {}))) < 500
    assert len("".join(lines({"enum": [long, "a"]}, 1))) < 500
    assert len("".join(lines({"type": "string", "pattern": f"^({long})$"}, "a"))) < 500


# ------------------------------------------------------------------------------------ text
TEXTS: dict[str, tuple[str | bytes, str]] = {
    "cut off in a string": (
        '{"a": "b',
        "the arguments were cut off inside a string; send the whole call again",
    ),
    "cut off in a number": (
        '{"a": 12',
        "the arguments were cut off inside a number; send the whole call again",
    ),
    "cut off in a key": (
        '{"a',
        "the arguments were cut off inside a key; send the whole call again",
    ),
    "cut off after a key": (
        '{"a"',
        "the arguments were cut off after a key; send the whole call again",
    ),
    "two calls": (
        '{"a": 1}{"a": 2}',
        "the text holds two different calls; send one at a time",
    ),
    "prose": (
        "Sure!",
        "the arguments are not JSON; send one JSON object and nothing else",
    ),
    "NaN": (
        '{"a": NaN}',
        "the arguments are not JSON: NaN is no JSON number; send one JSON object and nothing else",
    ),
    "too deep": (
        "[" * 300,
        "the arguments are nested deeper than 200 levels; send a flatter value",
    ),
    "another type": ("5", "the arguments: expected object, found 5"),
}


@pytest.mark.parametrize(("text", "words"), TEXTS.values(), ids=TEXTS)
def test_text(text: str | bytes, words: str) -> None:
    """What is wrong with the text, and what to do."""
    with pytest.raises(ToolError) as raised:
        compile_schema({"type": "object"}, name="f").validate_json(text)
    assert str(raised.value) == f"Error parsing arguments for `f`:\n- {words}"
    assert [issue.path for issue in raised.value.issues] == [""]
    assert raised.value.retryable


def test_text_that_may_not_be_repaired() -> None:
    """With repairs off, the model is asked for JSON."""
    with pytest.raises(ToolError, match="not JSON"):
        compile_schema({"type": "object"}, coercion="off").validate_json("{a: 1}")


NO_JSON: dict[str, tuple[Any, str]] = {
    "object": (object(), "/a: expected a JSON value, found a Python object"),
    "tuple": ((1,), "/a: expected a JSON value, found a Python tuple"),
    "bytes": (b"x", "/a: expected a JSON value, found a Python bytes"),
    "NaN": (float("nan"), "/a: expected a JSON value, found nan, which has no spelling in JSON"),
}


@pytest.mark.parametrize(("value", "words"), NO_JSON.values(), ids=NO_JSON)
def test_values_that_are_no_json(value: Any, words: str) -> None:
    """Python values that no JSON text spells are told by their type."""
    assert lines(parameters(a=STRING), {"a": value}) == [words]


# ------------------------------------------------------------------------------- the exceptions
def test_names_stand_in_the_header() -> None:
    """The tool's name as it was given, else the schema's title, else `tool`."""

    def header(schema: Any, **options: Any) -> str:
        with pytest.raises(ToolError) as raised:
            compile_schema(schema, **options).validate(5)
        return str(raised.value).split("\n", 1)[0]

    titled = {"type": "object", "title": "Find Things"}
    assert header(titled) == "Error parsing arguments for `Find Things`:"
    assert header(titled, name="find") == "Error parsing arguments for `find`:"
    assert header({"type": "object"}) == "Error parsing arguments for `tool`:"


def test_issues_are_records() -> None:
    """Path, keyword, expected and found, all of them and not only ten; frozen and hashable."""
    with pytest.raises(ToolError) as raised:
        compile_schema({"items": {"minimum": 5}}).validate([1] * 12)
    issues = raised.value.issues
    assert len(issues) == 12
    assert issues[0] == Issue("/0", "minimum", "a number of at least 5", "1")
    assert len(set(issues)) == 12
    assert str(issues[0]) in str(raised.value)
    with pytest.raises(dataclasses.FrozenInstanceError):
        issues[0].path = "/1"  # type: ignore[misc]


def test_tool_errors_can_be_pickled() -> None:
    """Message, issues and all, subclasses too."""
    with pytest.raises(ToolError) as raised:
        compile_schema(INTEGER).validate("x")
    again = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - our own bytes
    assert type(again) is ToolError
    assert str(again) == str(raised.value)
    assert again.issues == raised.value.issues
    final = pickle.loads(pickle.dumps(ToolError("no", retryable=False)))  # noqa: S301
    assert (str(final), final.retryable, final.issues) == ("no", False, ())


def test_schema_errors_can_be_pickled() -> None:
    """With the place in the schema."""
    with pytest.raises(SchemaError) as raised:
        compile_schema({"properties": {"limit": {"type": "whole"}}})
    again = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - our own bytes
    assert type(again) is SchemaError
    assert str(again) == str(raised.value)
    assert again.pointer == raised.value.pointer == "/properties/limit/type"


def test_both_are_value_errors() -> None:
    """Whoever catches ValueError catches them; a schema's error is never a call's."""
    assert issubclass(ToolError, ValueError)
    assert issubclass(SchemaError, ValueError)
    assert not issubclass(SchemaError, ToolError)
    assert not issubclass(ToolError, SchemaError)


def test_no_pydantic_error_shows() -> None:
    """The message says nothing of how the arguments were checked, and neither does its cause."""
    with pytest.raises(ToolError) as raised:
        compile_schema(INTEGER).validate("x")
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None or raised.value.__suppress_context__
