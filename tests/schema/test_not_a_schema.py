"""What is given in the place of a schema is refused, with a word on what takes it."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from schema2model import SchemaError, Tool, Toolset, coercing, compile_schema

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
MCP = {"name": "weather", "description": "Tells it.", "inputSchema": SCHEMA}
CHAT = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}


class City(BaseModel):
    """A model that a person wrote."""

    city: str


@dataclass
class Town:
    """A dataclass that a person wrote."""

    city: str


INSTEAD: dict[str, tuple[Any, str]] = {
    "MCP's definition": (MCP, "Tool.from_definition"),
    "Anthropic's": ({"name": "weather", "input_schema": SCHEMA}, "Tool.from_definition"),
    "OpenAI's for chat": (CHAT, "Tool.from_definition"),
    "OpenAI's for responses": (
        {"type": "function", "name": "weather", "parameters": SCHEMA, "strict": True},
        "Tool.from_definition",
    ),
    "Gemini's": ({"name": "weather", "parametersJsonSchema": SCHEMA}, "Tool.from_definition"),
    "Gemini's list": ({"functionDeclarations": [MCP]}, "Toolset"),
    "a list of tools": ([MCP, CHAT], "Toolset"),
    "a tuple of tools": ((MCP,), "Toolset"),
    "an MCP client's": (
        SimpleNamespace(name="weather", inputSchema=SCHEMA),
        "Tool.from_definition",
    ),
    "a pair of them": ([SimpleNamespace(name="weather", inputSchema=SCHEMA)] * 2, "Toolset"),
    "a list of objects with names": ([SimpleNamespace(name="weather")], "a boolean, not"),
    "a list of objects with schemas": ([SimpleNamespace(inputSchema=SCHEMA)], "a boolean, not"),
    "a model": (City, r"coercing\(City\)"),
    "a dataclass": (Town, r"coercing\(Town\)"),
    "a function": (lambda city: city, r"Tool\(function\)"),
    "text": ('{"type": "object"}', "json.loads"),
    "bytes": (b'{"type": "object"}', "json.loads"),
    "nothing": (None, "an object or a boolean, not null"),
    "a number": (5, "an object or a boolean, not 5"),
    "an empty list": ([], r"an object or a boolean, not \[\]"),
    "a list of names": (["city"], "an object or a boolean"),
}


@pytest.mark.parametrize(("given", "words"), INSTEAD.values(), ids=INSTEAD)
def test_what_is_no_schema_is_refused(given: Any, words: str) -> None:
    """By name of what it is meant for."""
    with pytest.raises(SchemaError, match=words):
        compile_schema(given)


def test_what_is_named_takes_it() -> None:
    """The advice is good."""
    assert Tool.from_schema(MCP).name == Tool.from_schema(CHAT).name == "weather"
    assert len(Toolset([{"functionDeclarations": [MCP]}])) == 1
    assert coercing(City).model_validate('{"city": 5}').city == "5"


SCHEMAS: dict[str, Any] = {
    "properties of these names": {"properties": {"name": {}, "parameters": {}, "function": {}}},
    "a default like a definition": {"default": MCP},
    "unknown keywords": {"name": "weather", "x-parameters": {}},
    "a name beside a type": {"name": "weather", "parameters": {}, "type": "object"},
    "a name beside a reference": {
        "name": "w",
        "parameters": {},
        "$ref": "#/$defs/a",
        "$defs": {"a": {}},
    },
    "a type called function": {"properties": {"type": {"const": "function"}}},
}


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_schemas_are_not_taken_for_anything_else(schema: Any) -> None:
    """A keyword of JSON Schema is enough for one."""
    assert compile_schema(schema).schema == schema


TYPES: dict[str, tuple[Any, str]] = {
    "int": ("int", 'did you mean "integer"'),
    "float": ("float", 'did you mean "number"'),
    "str": ("str", 'did you mean "string"'),
    "bool": ("bool", 'did you mean "boolean"'),
    "list": ("list", 'did you mean "array"'),
    "dict": ("dict", 'did you mean "object"'),
    "None": ("None", 'did you mean "null"'),
    "String": ("String", r'did you mean "string"\?$'),
    "OBJECT": ("OBJECT", 'did you mean "object".*dialect="gemini"'),
    "in a list": (["string", "nil"], 'unknown type "nil"; did you mean "null"'),
    "any": ("any", "leave the type out"),
    "another": ("file", 'known are "null", "boolean"'),
    "a number": (5, "5 is not a type"),
    "none at all": ([], "list at least one"),
    "twice": (["string", "string"], "each once"),
}


@pytest.mark.parametrize("dialect", ["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"])
@pytest.mark.parametrize(("given", "words"), TYPES.values(), ids=TYPES)
def test_an_unknown_type_says_which_was_meant(given: Any, words: str, dialect: str) -> None:
    """In every dialect, and where it stands."""
    with pytest.raises(SchemaError, match=words) as raised:
        compile_schema({"properties": {"a": {"type": given}}}, dialect=dialect)
    assert raised.value.pointer.startswith("/properties/a/type")
    assert str(raised.value).startswith("/properties/a/type")


IN_PROGRAMS = {
    "integer": "int long int32 int64 whole",
    "number": "float double decimal num",
    "string": "str text char varchar date datetime uuid",
    "boolean": "bool",
    "array": "list tuple set sequence",
    "object": "dict map struct record json mapping",
    "null": "none nil nonetype undefined",
}


@pytest.mark.parametrize("meant", IN_PROGRAMS)
def test_names_of_types_in_programming_languages_are_understood(meant: str) -> None:
    """Case and blanks around them mean nothing."""
    for name in IN_PROGRAMS[meant].split():
        for given in (name, name.upper(), f" {name} "):
            with pytest.raises(SchemaError, match=f'did you mean "{meant}"\\?$'):
                compile_schema({"type": given})


WRONG: dict[str, tuple[Any, str]] = {
    "a type alone": ({"properties": {"a": "string"}}, 'write {"type": "string"}'),
    "a word": ({"properties": {"a": "text"}}, '/properties/a: "text" is not a schema$'),
    "a name alone": ({"required": "a"}, 'is not of type "array"; write a list'),
    "items": ({"items": 5}, "/items: 5 is not a schema"),
    "no items": ({"items": []}, r"/items: \[\] is not a schema$"),
    "a property": ({"properties": {"type": "text"}}, '/properties/type: "text" is not a schema'),
    "required in its place": (
        {"properties": {"a": {"required": True}}},
        "the schema of the object",
    ),
    "a pattern": ({"pattern": "("}, "/pattern: .* is not a regular expression"),
    "a bound": ({"minimum": "1"}, '/minimum: "1" is not of type "number"'),
}


@pytest.mark.parametrize("dialect", ["2020-12", "draft-07"])
@pytest.mark.parametrize(("schema", "words"), WRONG.values(), ids=WRONG)
def test_errors_speak_of_the_schema(schema: Any, words: str, dialect: str) -> None:
    """And not of the schema by which schemas are judged."""
    with pytest.raises(SchemaError, match=words) as raised:
        compile_schema(schema, dialect=dialect)
    assert "anyOf" not in str(raised.value)


@pytest.mark.parametrize(
    ("schema", "dialect"),
    [({"items": [{}]}, "draft-07"), ({"minimum": 1, "exclusiveMinimum": True}, "draft-04")],
)
def test_a_keyword_of_an_older_draft_names_the_draft(schema: Any, dialect: str) -> None:
    """And the schema compiles with it."""
    with pytest.raises(SchemaError, match=f'pass dialect="{dialect}"'):
        compile_schema(schema)
    compile_schema(schema, dialect=dialect)
