"""What the model that made a call is told: the message to send back, word for word."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from schema2model import Issue, SchemaError, ToolError, compile_schema
from schema2model.coerce.diagnosis import property_names
from schema2model.json.names import Unlikeness, ranked
from schema2model.limits import MAX_ISSUES

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
    header, *rest, blank, end = str(raised.value).split("\n")
    assert header == "Error parsing arguments for `tool`:"
    assert (blank, end) == ("", "Fix the errors and try again.")
    assert rest
    assert all(line.startswith("- ") for line in rest)
    return [line.removeprefix("- ") for line in rest]


def test_what_a_union_forbids_is_told() -> None:
    """No message goes out without a problem in it."""
    schema = {"anyOf": [NULL, {"type": "boolean"}, {"not": STRING}]}
    for preset in ("default", "untyped", "forgiving", "lenient"):
        for sent in ("x", "hello there", "'"):
            assert lines(schema, sent, coercion=preset)


# ------------------------------------------------------------------------------ where and how much
def test_paths_are_json_pointers() -> None:
    """With `/` and `~` escaped, and indices from 0."""
    schema = parameters(**{"a/b": parameters(**{"c~d": {"items": INTEGER}, "e": INTEGER})})
    assert lines(schema, {"a/b": {"c~d": [1, "x"], "e": "y"}}) == [
        '/a~1b/c~0d/1: must be an integer, without quotes, not "x"',
        '/a~1b/e: must be an integer, without quotes, not "y"',
    ]


def test_the_whole() -> None:
    """Where the arguments themselves are wrong there is no path."""
    assert lines({"type": "object"}, "Sure") == [
        (
            'the arguments: must be a JSON object, not "Sure"; '
            "write it with the values from the request"
        )
    ]


def test_problems_come_in_the_order_of_the_schema() -> None:
    """Every problem once, the same each time."""
    schema = parameters("z", a=INTEGER, b=INTEGER)
    once = lines(schema, {"b": "x", "a": "y"})
    assert once == lines(schema, {"b": "x", "a": "y"})
    assert len(once) == len(set(once)) == 3


def test_at_most_ten_problems() -> None:
    """That there are more is said."""
    schema = {"type": "array", "items": INTEGER}
    told = lines(schema, ["x"] * 13)
    assert [line.split(":")[0] for line in told[:-1]] == [f"/{n}" for n in range(MAX_ISSUES)]
    assert told[-1] == "and more"
    assert len(lines(schema, ["x"] * 10)) == 10


def test_each_of_several_misspelt_names_among_many_is_told() -> None:
    """However many of the others take other values."""
    others = {f"flag_{number}": {"type": "array"} for number in range(76)}
    schema = closed(title=STRING, author=STRING, summary=STRING, owner=STRING, **others)
    told = lines(schema, {"titel": "a", "autor": "b", "sumary": "c", "ownr": "d"})
    assert [line.rpartition(" ")[2] for line in told] == [
        '"title"',
        '"author"',
        '"summary"',
        '"owner"',
    ]


def test_names_are_compared_no_more_than_is_bearable(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are unknown: the first ones get hints."""
    compared = 0

    def counted(word: str, known: list[str], *, keep: bool) -> list[tuple[Unlikeness, str]]:
        nonlocal compared
        compared += len(known)
        return ranked(word, known, keep=keep)

    monkeypatch.setattr(property_names, "ranked", counted)
    schema = closed(**{f"name_{number}": STRING for number in range(200)})
    told = lines(schema, {f"nam_{number}": 1 for number in range(2_000)})
    assert told[0] == 'rename "nam_0" to "name_0"'
    assert 0 < compared <= property_names.MAX_COMPARED


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
        assert len(line.rsplit(", not ", 1)[1].rsplit("; ", 1)[0]) <= 80
        assert len(line) < 300


def test_names_are_quoted_in_brief() -> None:
    """A key is a value too, and so is a schema's own text."""
    long = "k" * 10**5
    assert len("".join(lines(closed(a=INTEGER), {long: 1}))) < 500
    assert len("".join(lines(parameters(long, **{long: INTEGER}), {}))) < 500
    assert len("".join(lines({"enum": [long, "a"]}, 1))) < 500
    assert len("".join(lines({"type": "string", "pattern": f"^({long})$"}, "a"))) < 500


# ------------------------------------------------------------------------------------ text
def test_text_that_may_not_be_repaired() -> None:
    """With repairs off, the model is asked for JSON."""
    with pytest.raises(ToolError, match="not JSON"):
        compile_schema({"type": "object"}, coercion="off").validate_json("{a: 1}")


NO_JSON: dict[str, tuple[Any, str]] = {
    "object": (object(), "/a: must be a JSON value, not a Python object"),
    "bytes": (b"x", "/a: must be a JSON value, not a Python bytes"),
    "NaN": (float("nan"), "/a: must be a JSON value, not nan, which has no spelling in JSON"),
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
    """Path, keyword, what is expected and found, an example; frozen and hashable."""
    compiled = compile_schema({"items": {"minimum": 5}})
    with pytest.raises(ToolError) as raised:
        compiled.validate([1] * 12)
    issues = raised.value.issues
    assert issues[0] == Issue("/0", "minimum", "number of at least 5", "1")
    assert (issues[0].expected, issues[0].example) == ({"minimum": 5}, 5)
    issues[0].expected.clear()
    assert compiled.schema == {"items": {"minimum": 5}}
    assert issues[0].expected == {"minimum": 5}
    assert len(set(issues)) == len(issues) == MAX_ISSUES + 1
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


# --------------------------------------------------------------------------------- the cause first
def test_a_shape_has_no_values_but_those_that_have_no_alternative() -> None:
    """A model copies what it sees, whatever the user wants."""
    item = closed("kind", "size", kind={"const": "box"}, size=INTEGER, name=STRING)
    (line,) = lines(parameters("items", items={"type": "array", "items": item}), {"items": "one"})
    assert 'write it like [{"kind": "box", "size": …}], with the values from the request' in line


def test_a_repeated_mistake_shows_a_short_schema_or_none() -> None:
    """Never one with parts left out."""
    for size, shown in ((1, True), (50, False)):
        schema = parameters(a={"anyOf": [{"const": f"choice {n}"} for n in range(size)]})
        with pytest.raises(ToolError) as raised:
            compile_schema(schema).validate({"a": 5})
        again = str(raised.value.after(raised.value))
        assert ("its schema is " in again) == shown
        assert "…" not in again


@pytest.mark.parametrize("text", ["{city: ", "the city is Rome", '{"city": ["Rome", 1]}'])
def test_a_text_that_a_client_could_not_parse_is_refused_as_text(text: str) -> None:
    """The message is the one that the text alone gets, and not that every property is missing."""
    compiled = compile_schema(parameters("city", city=STRING), name="weather")
    with pytest.raises(ToolError) as alone:
        compiled.validate_json(text)
    with pytest.raises(ToolError) as wrapped:
        compiled.validate({"INVALID_JSON": text})
    assert str(wrapped.value) == str(alone.value)


def test_a_declared_name_is_no_text_that_a_client_could_not_parse() -> None:
    """Whatever it is called."""
    assert lines(parameters(INVALID_JSON=INTEGER), {"INVALID_JSON": "ten"}) == [
        '/INVALID_JSON: must be an integer, without quotes, not "ten"'
    ]
