"""Real schemas with something wrong in them: a validator or a `SchemaError`, and nothing else."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from schemas import TOOLS
from searching import is_search

from schema2model import CompiledSchema, SchemaError, ToolError, compile_schema

MUTANTS = 2_000 if is_search() else 15
"""How many are made of each schema."""

_KEYWORDS = (
    *("type", "enum", "const", "properties", "required", "additionalProperties", "items"),
    *("patternProperties", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"),
    *("minimum", "maximum", "exclusiveMinimum", "multipleOf", "minLength", "maxItems", "pattern"),
    *("uniqueItems", "contains", "minContains", "propertyNames", "dependentRequired", "$ref"),
    *("dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "$defs"),
    *("$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "definitions", "format"),
    *("nullable", "title", "description", "default", "discriminator", "$vocabulary", "$comment"),
)
_JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.5, 10**30, "", "a", "#", "#/", "#/$defs/a", "^a+$", "(", "%"),
    *("string", "object", "http://example.com/x", "urn:x", "\0", [], {}, [[]], [{}], {"a": 1}),
    *(["a"], ["a", "a"], {"": {}}, {"type": "array"}, {"$ref": "#"}, {"not": {}}, [True], "/a"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, 0, 1, -1, 1.0, 1.5, 10**20, "", "a", "1", "true", "null", "[1]", '{"a": "1"}'),
    *([], [1], ["1", None], [[]], {}, {"a": 1}, {"path": "x"}, {"": ""}, {"name": "n", "x": "[]"}),
)


def places(schema: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a schema, with each key or index in it."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield schema, key
            yield from places(value)
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield schema, index
            yield from places(value)


def replace(chance: random.Random, schema: Any) -> None:
    """Put something else in a place."""
    container, key = chance.choice([*places(schema)])
    container[key] = copy.deepcopy(chance.choice(_JUNK))


def remove(chance: random.Random, schema: Any) -> None:
    """Take something away."""
    container, key = chance.choice([*places(schema)])
    del container[key]


def rename(chance: random.Random, schema: Any) -> None:
    """Give a value to another keyword."""
    container, key = chance.choice([*places(schema)])
    if isinstance(container, dict):
        container[chance.choice(_KEYWORDS)] = container.pop(key)


def add(chance: random.Random, schema: Any) -> None:
    """Put a keyword where none was."""
    container, _ = chance.choice([*places(schema)])
    if isinstance(container, dict):
        container[chance.choice(_KEYWORDS)] = copy.deepcopy(chance.choice(_JUNK))


def move(chance: random.Random, schema: Any) -> None:
    """Put a part of the schema in another place, too."""
    here, there = chance.choices([*places(schema)], k=2)
    there[0][there[1]] = copy.deepcopy(here[0][here[1]])


def wrap(chance: random.Random, schema: Any) -> None:
    """Put a part of the schema under an applicator."""
    container, key = chance.choice([*places(schema)])
    keyword = chance.choice(("allOf", "anyOf", "oneOf", "not", "items", "if", "contains"))
    value = container[key]
    container[key] = {keyword: [value] if keyword.endswith("Of") else value}


MUTATIONS: tuple[Callable[[random.Random, Any], None], ...] = (
    *(replace, remove, rename, add, move, wrap),
)


def mutants(name: str, count: int) -> Iterator[tuple[random.Random, Any]]:
    """Schemas that differ from a tool's in one to four places, the same ones every time."""
    chance = random.Random(name)  # noqa: S311 - nobody's secret
    for _ in range(count):
        schema = copy.deepcopy(TOOLS[name])
        for _ in range(chance.randint(1, 4)):
            if isinstance(schema, dict) and schema:
                chance.choice(MUTATIONS)(chance, schema)
        yield chance, schema


def compiled_or_refused(schema: Any, **options: Any) -> CompiledSchema | None:
    """The compiled schema; None if there is a proper `SchemaError` instead."""
    try:
        return compile_schema(schema, **options)
    except SchemaError as error:
        refusal = error
    assert str(refusal)
    assert not refusal.pointer or refusal.pointer.startswith("/")
    return None


@pytest.mark.search
@pytest.mark.parametrize("name", [name for name in TOOLS if TOOLS[name]])
def test_a_mutant_compiles_or_is_refused(name: str) -> None:
    """Under every preset; and then arguments drawn at random give a result or a `ToolError`."""
    compiles = 0
    for chance, schema in mutants(name, MUTANTS):
        given = json.dumps(schema)
        coercion = chance.choice(("default", "default", "off", "untyped", "forgiving", "lenient"))
        compiled = compiled_or_refused(schema, coercion=coercion)
        assert json.dumps(schema) == given
        if compiled is None:
            continue
        compiles += 1
        for value in chance.sample(_VALUES, 5):
            check(compiled, value)
    assert compiles


@pytest.mark.search
@pytest.mark.parametrize(
    "dialect", ["2019-09", "draft-07", "draft-06", "draft-04", "openapi-3.0", "gemini"]
)
def test_a_mutant_in_any_dialect_compiles_or_is_refused(dialect: str) -> None:
    """The rewriting and the keywords of other dialects stand the same treatment."""
    for name in TOOLS:
        for chance, schema in mutants(f"{name}", MUTANTS // 5) if TOOLS[name] else ():
            compiled = compiled_or_refused(schema, dialect=dialect)
            if compiled is not None:
                check(compiled, chance.choice(_VALUES))


def check(compiled: CompiledSchema, value: Any) -> None:
    """A result that is valid and its own result, or a `ToolError`."""
    compiled._engine.verdicts.compile()  # what the meta-schema passes, jsonschema-rs compiles, too
    try:
        result = compiled.validate(value)
    except ToolError:
        refusal = compiled.explain(value).error
        assert str(refusal).startswith("Error parsing arguments")
        return
    assert compiled.is_valid(result)
    assert compiled.validate(result) == result
    assert compiled.model.model_validate(value).model_dump() == result
